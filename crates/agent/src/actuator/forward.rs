//! Windows of connections that an access point forwards: the filters of `bpf/forward.bpf.c` at its
//! interface.
//!
//! The filters count packets by connection, which the law needs, and lower the windows in ACKs to
//! the limits of the law. Without the filters the next ACK carries its sender's own window again.

use std::collections::BTreeMap;
use std::os::fd::AsFd;

use airfair_units::Duration;
use anyhow::{Context, Result, bail};
use libbpf_rs::{MapCore, MapFlags, MapHandle, Object, Program};

use super::bpf;
use super::clsact::{self, Filters};
use super::contract::{Actuator, LIFETIME, PassCounts};
use super::limited::{Key, LimitMap, ends};
use crate::decision::Decision;
use crate::os;
use crate::sample::{Connection, Sent};

const OBJECT: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/forward.bpf.o"));
/// Names of the BPF programs for packets that enter and that leave through the interface.
const PROGRAMS: [&str; 2] = ["airfair_up", "airfair_down"];
/// Time between two checks whether the interface has been re-created.
const PERIOD: Duration = Duration::from_secs(1);
/// Room to spare in the batch in which all connections are read [connections]: more than fit into
/// one bucket of the kernel's hash table.
const ROOM: usize = 128;
/// Length of `struct side`, the counters of one end of a connection [octets].
const SIDE: usize = 64;
/// Length of `struct connection`, the counters of both ends [octets].
const CONNECTION: usize = 2 * SIDE + 8;
/// Offset in `struct side` of the counter of lowered windows.
const REWRITTEN: usize = 36;

/// Counters of forwarded connections by both ends, each as the octets of `struct connection`.
type Counters = BTreeMap<Key, [u8; CONNECTION]>;

/// Actuator for connections that are forwarded through an interface: counts their packets and
/// limits their windows.
pub struct Forwarded {
    interface: String,
    least: u32,
    orders: MapHandle,
    connections: MapHandle,
    limited: LimitMap,
    /// Counters of the connections when they were last read.
    read: Counters,
    looked_at: u64,
    passed: PassCounts,
    filters: Option<Filters>,
    object: Object,
}

impl Forwarded {
    /// Attaches the tc filters to an interface, and removes what an earlier agent has left behind;
    /// `least` is the minimum window [segments].
    ///
    /// # Errors
    /// Returns an error if the kernel refuses, or if there is no such interface.
    pub fn load(interface: &str, least: u32) -> Result<Self> {
        let index = os::interface_index(interface);
        let index = index.with_context(|| format!("interface {interface}: does not exist"))?;
        let passed = PassCounts { filters: clsact::take_away(&PROGRAMS)?, ..PassCounts::default() };
        let object = bpf::load(OBJECT)?;
        let mut forwarded = Self {
            interface: interface.to_owned(),
            least,
            orders: bpf::map(&object, "orders")?,
            connections: bpf::map(&object, "connections")?,
            limited: LimitMap::new(bpf::map(&object, "limits")?),
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

    /// Writes the agent's instructions for its tc filters, `struct orders`, into the BPF map that
    /// the filters read: the time at which they expire, and the minimum window.
    fn order(&self) -> Result<()> {
        let alive_until = os::monotonic_ns() + LIFETIME.as_nanos();
        let words = [self.least, 0].map(u32::to_ne_bytes).concat();
        let octets = [&alive_until.to_ne_bytes()[..], &words].concat();
        Ok(self.orders.update(&0_u32.to_ne_bytes(), &octets, MapFlags::ANY)?)
    }

    /// Number of windows lowered so far, over all connections that the kernel knows.
    ///
    /// # Errors
    /// Returns an error if the map cannot be read.
    pub fn rewritten(&self) -> Result<u64> {
        let of = |octets: &[u8; CONNECTION], side: usize| {
            let at = side * SIDE + REWRITTEN;
            u64::from(u32::from_ne_bytes(octets[at..at + 4].try_into().expect("four octets")))
        };
        Ok(self.all()?.values().map(|it| of(it, 0) + of(it, 1)).sum())
    }

    /// Reads the counters of all connections from the BPF map. libbpf takes a batch that is not
    /// full for the last one. But a batch can also be short because the next bucket of the hash
    /// table does not fit into it. So everything is read in one batch with room left.
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

    fn counts(&self) -> &PassCounts {
        &self.passed
    }
}

/// Removes the tc filters of dead agents; returns the number of filters.
///
/// # Errors
/// Returns an error if the kernel refuses.
pub fn restore() -> Result<u64> {
    clsact::take_away(&PROGRAMS)
}

/// Connections whose counters differ between `before` and `now`. Both maps are sorted, so one pass
/// over both is enough.
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

/// Reads the fields of `struct side` that laws use: the packets that one end of a connection has
/// sent.
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

/// Reads a 64-bit number at offset `at`, in the machine's byte order.
pub(super) fn long(octets: &[u8], at: usize) -> u64 {
    u64::from_ne_bytes(octets[at..at + 8].try_into().expect("eight octets"))
}

/// Reads a 32-bit number at offset `at`, in the machine's byte order.
pub(super) fn word(octets: &[u8], at: usize) -> u32 {
    u32::from_ne_bytes(octets[at..at + 4].try_into().expect("four octets"))
}

#[cfg(test)]
mod tests {
    use std::net::{Ipv4Addr, SocketAddr};

    use super::super::limited::key;
    use super::*;

    /// Only new connections and those with traffic since the last reading are returned. Of the
    /// connections from ports 1 to 5, number 2 has transferred data, 3 is new, and 4 has ended: 2
    /// and 3 are returned.
    #[test]
    fn only_new_and_active_connections_are_returned() {
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
