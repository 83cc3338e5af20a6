//! Packets that the kernel drops between the namespaces and the emulation, by its own counters.
//!
//! The counters of a namespace are a file of the kernel, which is read without any lock that others may hold for long:
//! whoever makes or removes interfaces holds one, and the emulation would wait for that.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::Result;
use std::os::unix::fs::FileExt;

use super::interface::Port;

/// First size of the buffer for a file of counters, which has a line of 140 octets for each interface [octets].
const USUAL: usize = 1 << 13;
/// Number of calls of `look` after which the counters of every node have been read.
const ROUND: usize = 10;

/// Counters of all interfaces of a network namespace.
#[derive(Debug)]
pub(super) struct Counters(File);

impl Counters {
    /// The counters of the namespace of this thread.
    pub(super) fn of_this_thread() -> Result<Self> {
        Ok(Self(File::open("/proc/thread-self/net/dev")?))
    }

    /// Says of each interface how many packets it was to send and dropped. Of a namespace that cannot be read it says nothing.
    fn read(&self, buffer: &mut Vec<u8>, each: impl FnMut(&str, u64)) {
        let mut length = 0;
        while let Ok(more @ 1..) = self.0.read_at(&mut buffer[length..], length as u64) {
            length += more;
            if length == buffer.len() {
                buffer.resize(2 * length, 0);
            }
        }
        dropped(&String::from_utf8_lossy(&buffer[..length]), each);
    }
}

/// Interfaces of a file of counters with the packets that they dropped instead of sending.
fn dropped(text: &str, mut each: impl FnMut(&str, u64)) {
    /// Place of that number behind eight of what was received, and octets, packets and errors of what was sent.
    const PLACE: usize = 11;
    for line in text.lines() {
        let Some((name, numbers)) = line.split_once(':') else { continue };
        let number = numbers.split_ascii_whitespace().nth(PLACE).and_then(|it| it.parse().ok());
        if let Some(number) = number {
            each(name.trim(), number);
        }
    }
}

/// A counter of an interface, as it was at the last look.
#[derive(Clone, Copy, Debug)]
struct Seen {
    count: Option<u64>,
    /// True if the interface was on.
    was_on: bool,
}

/// Growth of a counter since the last look.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Growth {
    /// The interface was on at both looks.
    WhileOn(u64),
    /// The interface was off at one of them: whoever switched it off has lost the packets.
    WhileOff(u64),
}

impl Seen {
    /// A counter that nobody has looked at.
    const NEVER: Self = Self { count: None, was_on: true };

    /// Growth since the last look; none at the first one, and none of a counter that begins anew with its interface.
    fn look(&mut self, now: u64, is_on: bool) -> Growth {
        let more = now.saturating_sub(self.count.replace(now).unwrap_or(now));
        let was_on = std::mem::replace(&mut self.was_on, is_on);
        if was_on && is_on { Growth::WhileOn(more) } else { Growth::WhileOff(more) }
    }
}

/// Packets of one node that the kernel has dropped.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Drops {
    /// Packets of its own, before the emulation had read them.
    pub(crate) unread: u64,
    /// Packets for it that had crossed the cell, while its interface was on.
    pub(crate) undelivered: u64,
    /// Packets for it while its interface was off.
    pub(crate) for_nobody: u64,
}

/// An account of the kernel's drops, node by node.
#[derive(Debug)]
pub(crate) struct Losses {
    pub(crate) nodes: Vec<Drops>,
    /// Counters of the emulation's own interfaces, if it has some.
    own: Option<Counters>,
    inside: Vec<Seen>,
    outside: Vec<Seen>,
    /// Places of the ports whose other end is an interface of this name.
    names: BTreeMap<String, usize>,
    next: usize,
    buffer: Vec<u8>,
}

impl Losses {
    /// Starts to count drops, in the namespace of the emulation's own interfaces: earlier drops are left out.
    pub(crate) fn new(ports: &[Port]) -> Result<Self> {
        let count = ports.len();
        let places = ports.iter().enumerate();
        let names = places.filter_map(|(at, port)| Some((port.outside()?.to_owned(), at)));
        let names: BTreeMap<String, usize> = names.collect();
        let own = if names.is_empty() { None } else { Some(Counters::of_this_thread()?) };
        let mut losses = Self {
            nodes: vec![Drops::default(); count],
            own,
            inside: vec![Seen::NEVER; count],
            outside: vec![Seen::NEVER; count],
            names,
            next: 0,
            buffer: vec![0; USUAL],
        };
        losses.look(ports);
        Ok(losses)
    }

    /// Looks at some of the nodes: at all of them in so many calls, which is so little work that no packet waits for it.
    pub(crate) fn look_on(&mut self, ports: &[Port]) {
        let end = (self.next + ports.len().div_ceil(ROUND)).min(ports.len());
        for (at, port) in ports.iter().enumerate().take(end).skip(self.next) {
            self.look_inside(at, port);
        }
        self.next = end;
        if end == ports.len() {
            self.next = 0;
            self.look_outside(ports);
        }
    }

    /// Looks at all nodes.
    pub(crate) fn look(&mut self, ports: &[Port]) {
        for (at, port) in ports.iter().enumerate() {
            self.look_inside(at, port);
        }
        self.look_outside(ports);
    }

    /// Adds the packets of a node that the kernel dropped before the emulation read them. An interface that goes off drops
    /// the packets that wait in it, which is no fault of the machine.
    fn look_inside(&mut self, at: usize, port: &Port) {
        let Self { nodes, inside, buffer, .. } = self;
        nodes[at].unread += port.overflows();
        port.inside().read(buffer, |name, dropped| {
            if name == port.name()
                && let Growth::WhileOn(more) = inside[at].look(dropped, port.is_on())
            {
                nodes[at].unread += more;
            }
        });
    }

    /// Adds the packets for nodes that the kernel dropped at the emulation's own interfaces. An interface whose other end is
    /// off drops all.
    fn look_outside(&mut self, ports: &[Port]) {
        let Self { nodes, own, outside, names, buffer, .. } = self;
        let Some(own) = own else { return };
        own.read(buffer, |name, dropped| {
            let Some(&at) = names.get(name) else { return };
            match outside[at].look(dropped, ports[at].is_on()) {
                Growth::WhileOn(more) => nodes[at].undelivered += more,
                Growth::WhileOff(more) => nodes[at].for_nobody += more,
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = "\
Inter-|   Receive                                                |  Transmit
 face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets errs drop fifo colls carrier compressed
    lo:       0       0    0    0    0     0          0         0        0       0    0    0    0     0       0          0
 wlan0: 3126266    3003    1    2    3     4          5         6      266       3    7 1523    8     9      10         11
eth0:1 2 3 4 5 6 7 8 9 10 11 12
 cut: 1 2 3
";

    /// Received: bytes, packets, errors, dropped and four more; sent: bytes, packets, errors, and then dropped.
    #[test]
    fn a_file_of_the_kernel_says_what_each_interface_has_dropped() {
        let mut found = Vec::new();
        dropped(FILE, |name, count| found.push((name.to_owned(), count)));
        let expected = [("lo", 0), ("wlan0", 1523), ("eth0", 12)];
        assert_eq!(found, expected.map(|(name, count)| (name.to_owned(), count)));
    }

    #[test]
    fn a_counter_counts_from_its_first_look_and_an_interface_made_anew_counts_from_zero() {
        let mut seen = Seen::NEVER;
        let growths = [5, 5, 9, 2, 3].map(|now| seen.look(now, true));
        assert_eq!(growths, [0, 0, 4, 0, 1].map(Growth::WhileOn));
    }

    #[test]
    fn an_interface_that_was_off_at_either_look_has_lost_its_packets_itself() {
        let mut seen = Seen::NEVER;
        let looks = [(0, true), (2, false), (3, false), (7, true), (8, true)];
        let growths = looks.map(|(now, is_on)| seen.look(now, is_on));
        let (on, off) = (Growth::WhileOn, Growth::WhileOff);
        assert_eq!(growths, [on(0), off(2), off(1), off(4), on(1)]);
    }
}
