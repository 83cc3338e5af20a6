//! Packets that the kernel drops between the namespaces and the emulator, from the kernel's
//! counters.

use std::collections::BTreeMap;
use std::io::Result;

use super::counters::Counters;
use super::interface::Port;

/// Initial size of the buffer for a counter file, which has about 140 octets per interface
/// [octets].
const USUAL: usize = 1 << 13;
/// Number of calls of `look_on` in which the counters of all nodes are read once.
const ROUND: usize = 10;

/// Last reading of an interface's drop counter.
#[derive(Clone, Copy, Debug)]
struct LastReading {
    count: Option<u64>,
    /// True if the interface was up when its counter was last read.
    was_on: bool,
}

/// Growth of an interface's drop counter between two readings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Growth {
    /// Number of packets dropped between two readings of the counter, if the interface was up at
    /// both.
    WhileOn(u64),
    /// Number of packets dropped between two readings of the counter, if the interface was down at
    /// one of them or both. These packets are lost through the user who took the interface down.
    WhileOff(u64),
}

impl LastReading {
    /// State of a drop counter before its first reading.
    const NEVER: Self = Self { count: None, was_on: true };

    /// Growth of the drop counter since the last reading; zero at the first one, and zero when a
    /// new interface starts its counter anew.
    fn look(&mut self, now: u64, is_up: bool) -> Growth {
        let more = now.saturating_sub(self.count.replace(now).unwrap_or(now));
        let was_on = std::mem::replace(&mut self.was_on, is_up);
        if was_on && is_up { Growth::WhileOn(more) } else { Growth::WhileOff(more) }
    }
}

/// Numbers of packets of one node that the kernel has dropped.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Drops {
    /// Packets from the node, dropped before the emulator read them.
    pub(crate) unread: u64,
    /// Packets for the node, dropped after they had crossed the cell while its interface was up.
    pub(crate) undelivered: u64,
    /// Packets for the node while its interface was down.
    pub(crate) for_nobody: u64,
}

/// Packets of each node that the kernel has dropped, with the last readings of its counters.
#[derive(Debug)]
pub(crate) struct Losses {
    pub(crate) nodes: Vec<Drops>,
    /// Counters of the emulator's ends of veth pairs; `None` with TAP devices.
    own: Option<Counters>,
    inside: Vec<LastReading>,
    outside: Vec<LastReading>,
    /// Indices of the ports by the name of the emulator's end of the veth pair.
    names: BTreeMap<String, usize>,
    next: usize,
    buffer: Vec<u8>,
}

impl Losses {
    /// Starts counting. Earlier drops are not counted. The calling thread must be in the emulator's
    /// namespace.
    pub(crate) fn new(ports: &[Port]) -> Result<Self> {
        let count = ports.len();
        let places = ports.iter().enumerate();
        let names = places.filter_map(|(at, port)| Some((port.outside()?.to_owned(), at)));
        let names: BTreeMap<String, usize> = names.collect();
        let own = if names.is_empty() { None } else { Some(Counters::of_this_thread()?) };
        let mut losses = Self {
            nodes: vec![Drops::default(); count],
            own,
            inside: vec![LastReading::NEVER; count],
            outside: vec![LastReading::NEVER; count],
            names,
            next: 0,
            buffer: vec![0; USUAL],
        };
        losses.look(ports);
        Ok(losses)
    }

    /// Reads the counters of some nodes. [`ROUND`] calls read them all, so that each call delays
    /// packets little.
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

    /// Reads the drop counters of all nodes.
    pub(crate) fn look(&mut self, ports: &[Port]) {
        for (at, port) in ports.iter().enumerate() {
            self.look_inside(at, port);
        }
        self.look_outside(ports);
    }

    /// Adds packets from a node that the kernel dropped before the emulator read them. Packets that
    /// were queued in an interface when it went down do not count.
    fn look_inside(&mut self, at: usize, port: &Port) {
        let Self { nodes, inside, buffer, .. } = self;
        nodes[at].unread += port.overflows();
        port.inside().read(buffer, |name, dropped| {
            if name == port.name()
                && let Growth::WhileOn(more) = inside[at].look(dropped, port.is_up())
            {
                nodes[at].unread += more;
            }
        });
    }

    /// Adds packets for nodes that the kernel dropped at the emulator's ends of veth pairs. An end
    /// whose peer is down drops all packets.
    fn look_outside(&mut self, ports: &[Port]) {
        let Self { nodes, own, outside, names, buffer, .. } = self;
        let Some(own) = own else { return };
        own.read(buffer, |name, dropped| {
            let Some(&at) = names.get(name) else { return };
            match outside[at].look(dropped, ports[at].is_up()) {
                Growth::WhileOn(more) => nodes[at].undelivered += more,
                Growth::WhileOff(more) => nodes[at].for_nobody += more,
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_counter_counts_from_its_first_look_and_an_interface_made_anew_counts_from_zero() {
        let mut seen = LastReading::NEVER;
        let growths = [5, 5, 9, 2, 3].map(|now| seen.look(now, true));
        assert_eq!(growths, [0, 0, 4, 0, 1].map(Growth::WhileOn));
    }

    #[test]
    fn an_interface_that_was_off_at_either_look_has_lost_its_packets_itself() {
        let mut seen = LastReading::NEVER;
        let looks = [(0, true), (2, false), (3, false), (7, true), (8, true)];
        let growths = looks.map(|(now, is_up)| seen.look(now, is_up));
        let (on, off) = (Growth::WhileOn, Growth::WhileOff);
        assert_eq!(growths, [on(0), off(2), off(1), off(4), on(1)]);
    }
}
