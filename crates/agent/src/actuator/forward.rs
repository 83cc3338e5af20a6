//! Windows of connections that an access point forwards: the filters of `bpf/forward.bpf.c` at its interface.
//!
//! They count what passes by connection, which the law needs, and lower windows in ACKs to the law's limits. What they
//! have lowered ends with them: the next ACK says what its sender has said.

use std::collections::BTreeMap;
use std::os::fd::AsFd;

use airfair_units::Duration;
use anyhow::{Context, Result, bail};
use libbpf_rs::{MapCore, MapFlags, MapHandle, Object, Program};

use super::clsact::{self, Filters};
use super::limited::{Key, Limited, ends};
use super::{Actuator, LIFETIME, Passed, bpf};
use crate::decision::Decision;
use crate::os;
use crate::sample::{Connection, Sent};

const OBJECT: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/forward.bpf.o"));
/// Programs for packets that come in at the interface and that leave it.
const PROGRAMS: [&str; 2] = ["airfair_up", "airfair_down"];
/// Time between looks for an interface that has come back under another number.
const PERIOD: Duration = Duration::from_secs(1);
/// More connections than share a place in the kernel's table.
const ROOM: usize = 128;
/// Octets of `struct side` and `struct connection`.
const SIDE: usize = 64;
const CONNECTION: usize = 2 * SIDE + 8;
/// Place of the counter of lowered windows in `struct side`.
const REWRITTEN: usize = 36;

/// Counters of connections, `struct connection` as it is.
type Counters = BTreeMap<Key, [u8; CONNECTION]>;

/// The connections through an interface.
pub struct Forwarded {
    interface: String,
    least: u32,
    orders: MapHandle,
    connections: MapHandle,
    limited: Limited,
    /// Those that were read last.
    read: Counters,
    looked_at: u64,
    passed: Passed,
    filters: Option<Filters>,
    object: Object,
}

impl Forwarded {
    /// Puts the filters to an interface, with a least window [segments], and takes away what an agent before has left
    /// behind.
    ///
    /// # Errors
    /// If the kernel does not permit it, or there is no such interface.
    pub fn load(interface: &str, least: u32) -> Result<Self> {
        let index = os::interface_index(interface);
        let index = index.with_context(|| format!("interface {interface}: does not exist"))?;
        let passed = Passed { filters: clsact::take_away(&PROGRAMS)?, ..Passed::default() };
        let object = bpf::load(OBJECT)?;
        let mut forwarded = Self {
            interface: interface.to_owned(),
            least,
            orders: bpf::map(&object, "orders")?,
            connections: bpf::map(&object, "connections")?,
            limited: Limited::new(bpf::map(&object, "limits")?),
            read: BTreeMap::new(),
            looked_at: os::monotonic_ns(),
            passed,
            filters: None,
            object,
        };
        forwarded.order()?;
        forwarded.put(index)?;
        Ok(forwarded)
    }

    fn put(&mut self, index: u32) -> Result<()> {
        let of = |name| {
            let found = self.object.progs().find(|program: &Program| program.name() == name);
            found.with_context(|| format!("the BPF object has no program {name}"))
        };
        let (up, down) = (of(PROGRAMS[0])?, of(PROGRAMS[1])?);
        self.filters = Some(Filters::put(index, [up.as_fd(), down.as_fd()])?);
        Ok(())
    }

    /// Writes `struct orders`.
    fn order(&self) -> Result<()> {
        let alive_until = os::monotonic_ns() + LIFETIME.as_nanos();
        let words = [self.least, 0].map(u32::to_ne_bytes).concat();
        let octets = [&alive_until.to_ne_bytes()[..], &words].concat();
        Ok(self.orders.update(&0_u32.to_ne_bytes(), &octets, MapFlags::ANY)?)
    }

    /// Windows that were lowered so far, in all connections that the kernel knows.
    ///
    /// # Errors
    /// If the kernel does not tell.
    pub fn rewritten(&self) -> Result<u64> {
        let of = |octets: &[u8; CONNECTION], side: usize| {
            let at = side * SIDE + REWRITTEN;
            u64::from(u32::from_ne_bytes(octets[at..at + 4].try_into().expect("four octets")))
        };
        Ok(self.all()?.values().map(|it| of(it, 0) + of(it, 1)).sum())
    }

    /// All connections that the kernel knows. The library takes a batch that is not full for the last one, which it is not
    /// where some that share a place in the table do not fit into the rest of it: so all are read in one, with room left.
    fn all(&self) -> Result<Counters> {
        let whole = |(key, value): (Vec<u8>, Vec<u8>)| {
            let key = key.try_into().ok().context("struct ends")?;
            Ok((key, value.try_into().ok().context("struct connection")?))
        };
        let mut room = self.read.len() + ROOM;
        loop {
            let batch = u32::try_from(2 * room).context("connections")?;
            let all = self.connections.lookup_batch(batch, MapFlags::ANY, MapFlags::ANY)?;
            let all: Counters = all.map(whole).collect::<Result<_>>()?;
            if all.len() + ROOM <= 2 * room {
                return Ok(all);
            }
            room *= 2;
        }
    }
}

impl Actuator for Forwarded {
    fn apply(&mut self, decision: &Decision) -> Result<()> {
        match decision {
            Decision::Windows(windows) => self.limited.set(windows)?,
            Decision::Lift => self.limited.lift()?,
            Decision::Limit { .. } | Decision::Share(_) | Decision::Weights(_) => {
                bail!("a decision for others at a forwarder")
            }
        }
        self.passed.held = u64::try_from(self.limited.len()).unwrap_or(u64::MAX);
        Ok(())
    }

    fn beat(&mut self) -> Result<()> {
        self.order()?;
        let now = os::monotonic_ns();
        if now - self.looked_at < PERIOD.as_nanos() {
            return Ok(());
        }
        self.looked_at = now;
        let index = os::interface_index(&self.interface);
        match (index, &self.filters) {
            (Some(index), Some(filters)) if filters.interface() == index => {}
            (Some(index), _) => {
                self.filters = None;
                self.put(index)?;
            }
            (None, _) => {}
        }
        Ok(())
    }

    fn connections(&mut self) -> Result<Vec<Connection>> {
        let begun = os::monotonic_ns();
        let all = self.all().context("connections")?;
        let found = changed(&self.read, &all);
        self.limited.retain(|key| all.contains_key(key));
        self.read = all;
        self.passed.took_ns = os::monotonic_ns() - begun;
        Ok(found)
    }

    fn passed(&self) -> &Passed {
        &self.passed
    }
}

/// Takes away all filters here that an agent has left behind: how many.
///
/// # Errors
/// If the kernel does not permit it.
pub fn restore() -> Result<u64> {
    clsact::take_away(&PROGRAMS)
}

/// Connections that have other counters than before. Both are in order, and are walked through together.
fn changed(before: &Counters, now: &Counters) -> Vec<Connection> {
    let mut before = before.iter().peekable();
    let is_new = |it: &(&Key, &[u8; CONNECTION])| {
        while before.next_if(|(key, _)| *key < it.0).is_some() {}
        before.peek() != Some(it)
    };
    now.iter().filter(is_new).map(|(key, octets)| connection(key, octets)).collect()
}

fn connection(key: &Key, octets: &[u8; CONNECTION]) -> Connection {
    let station: Vec<String> =
        octets[2 * SIDE..2 * SIDE + 6].iter().map(|octet| format!("{octet:02x}")).collect();
    Connection {
        station: station.join(":"),
        ends: ends(key),
        up: sent(&octets[..SIDE]),
        down: sent(&octets[SIDE..2 * SIDE]),
        own: None,
    }
}

/// `struct side`, as far as the law needs it.
fn sent(side: &[u8]) -> Sent {
    Sent {
        octets: long(side, 0),
        packets: word(side, 24),
        answers: word(side, 28),
        echo_ns: long(side, 8),
        echoes: word(side, 32),
        largest: u16::from_ne_bytes([side[52], side[53]]),
    }
}

/// A number of 64 bits in what a program has written.
pub(super) fn long(octets: &[u8], at: usize) -> u64 {
    u64::from_ne_bytes(octets[at..at + 8].try_into().expect("eight octets"))
}

/// One of 32 bits.
pub(super) fn word(octets: &[u8], at: usize) -> u32 {
    u32::from_ne_bytes(octets[at..at + 4].try_into().expect("four octets"))
}

#[cfg(test)]
mod tests {
    use std::net::{Ipv4Addr, SocketAddr};

    use super::super::limited::key;
    use super::*;

    /// Of connections from ports 1 to 5 the second has moved data, the third has begun and the fourth has ended.
    #[test]
    fn connections_that_have_begun_or_moved_data_are_told_and_no_others() {
        let counters = |all: &[(u16, u8)]| -> Counters {
            let from = |port| [(Ipv4Addr::LOCALHOST, port), (Ipv4Addr::LOCALHOST, 80)];
            let of = |&(port, moved)| (key(&from(port).map(SocketAddr::from)), [moved; CONNECTION]);
            all.iter().map(of).collect()
        };
        let before = counters(&[(1, 7), (2, 7), (4, 7), (5, 7)]);
        let now = counters(&[(1, 7), (2, 8), (3, 0), (5, 7)]);
        let ports = |found: Vec<Connection>| -> Vec<u16> {
            found.iter().map(|it| it.ends[0].port()).collect()
        };
        assert_eq!(ports(changed(&before, &now)), [2, 3]);
        assert_eq!(ports(changed(&Counters::new(), &now)), [1, 2, 3, 5]);
        assert_eq!(ports(changed(&now, &now)), [0_u16; 0]);
    }

    #[test]
    fn a_connection_is_read_as_it_was_written() {
        let ends: [SocketAddr; 2] =
            ["10.0.0.2:40000", "[2001:db8::1]:80"].map(|it| it.parse().unwrap());
        let mut octets = [0; CONNECTION];
        octets[..8].copy_from_slice(&70_000_u64.to_ne_bytes());
        octets[24..28].copy_from_slice(&50_u32.to_ne_bytes());
        octets[SIDE + 52..SIDE + 54].copy_from_slice(&1_460_u16.to_ne_bytes());
        octets[2 * SIDE..2 * SIDE + 6].copy_from_slice(&[2, 0, 0, 0, 1, 0xab]);
        let found = connection(&key(&ends), &octets);
        assert_eq!((found.ends, &*found.station), (ends, "02:00:00:00:01:ab"));
        assert_eq!((found.up.octets, found.up.packets, found.down.largest), (70_000, 50, 1_460));
    }
}
