//! A window for each connection of a station, set by clamps on what it sends and receives; and
//! counters of each connection, from the iterator of `bpf/look.bpf.c`.

use anyhow::{Context, Result, bail};
use libbpf_rs::{Link, MapHandle, Object};

use super::bpf;
use super::clamp::{ClampedWindows, Clamper};
use super::contract::{Actuator, PassCounts};
use super::forward::{long, word};
use super::limited::{ENDS, Key, LimitMap, ends};
use crate::configuration::Configuration;
use crate::decision::Decision;
use crate::os;
use crate::sample::{Connection, LocalEnd, Sent};

const OBJECT: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/look.bpf.o"));
/// Capacity of the kernel's map of connections with limits.
const ROOM: usize = 16_384;
/// Length of `struct local`, which the BPF iterator writes for each connection [octets].
const LOCAL: usize = 88;

/// Limits on single connections of a station's link.
pub(super) struct PerConnectionClamps {
    reader: ConnectionReader,
    limited: LimitMap,
    clamps: Clamper,
}

/// Reader of the connections of a link, which changes none of them.
pub(super) struct ConnectionReader {
    interface: String,
    look: Link,
    addresses: MapHandle,
    passed: PassCounts,
    _object: Object,
}

impl ConnectionReader {
    pub(super) fn load(configuration: &Configuration) -> Result<Self> {
        let interface = configuration.interface.as_deref();
        let interface = interface
            .context("interface: missing; name the interface whose connections are limited")?;
        os::addresses(interface).with_context(|| format!("interface {interface}"))?;
        let mut object = bpf::load_with_types(OBJECT)?;
        Ok(Self {
            interface: interface.to_owned(),
            look: bpf::iterator(&mut object, "look")?,
            addresses: bpf::map(&object, "addresses")?,
            passed: PassCounts::default(),
            _object: object,
        })
    }
}

/// Actuator of a dry run. It only reads connections, so that the decisions are those of a real run.
impl Actuator for ConnectionReader {
    fn apply(&mut self, _decision: &Decision) -> Result<()> {
        Ok(())
    }

    fn beat(&mut self) -> Result<()> {
        Ok(())
    }

    fn connections(&mut self) -> Result<Vec<Connection>> {
        // A missing interface has no connections.
        let addresses = os::addresses(&self.interface).unwrap_or_default();
        bpf::watch(&self.addresses, addresses)?;
        let found = bpf::pass(&self.look)?;
        Ok(found.as_chunks::<LOCAL>().0.iter().map(connection).collect())
    }

    fn counts(&self) -> &PassCounts {
        &self.passed
    }
}

impl PerConnectionClamps {
    /// Loads the BPF programs for single connections; `least` is the minimum window [segments].
    pub(super) fn load(configuration: &Configuration, least: u32) -> Result<Self> {
        let reader = ConnectionReader::load(configuration)?;
        let clamps = Clamper::load(&reader.interface, "clamp_each", least)?;
        let limited = LimitMap::new(bpf::map(&clamps.object, "windows")?);
        Ok(Self { reader, limited, clamps })
    }

    fn take(&mut self) -> Result<()> {
        self.clamps.take(1, false, ClampedWindows::default())
    }
}

impl Actuator for PerConnectionClamps {
    fn apply(&mut self, decision: &Decision) -> Result<()> {
        match decision {
            Decision::Windows(windows) => {
                // Nothing reports closed connections, so the map is emptied when it is full.
                // Sockets keep their clamps.
                if self.limited.len() >= ROOM {
                    self.limited.lift()?;
                }
                self.limited.set(windows)?;
                self.take()
            }
            Decision::Lift => {
                self.limited.lift()?;
                self.clamps.give_back()
            }
            Decision::Limit { .. } | Decision::Share(_) | Decision::Weights(_) => {
                bail!("a decision for others at a station")
            }
        }
    }

    fn beat(&mut self) -> Result<()> {
        if self.limited.len() > 0 && self.clamps.passes.is_due() {
            return self.take();
        }
        self.clamps.rest()
    }

    fn connections(&mut self) -> Result<Vec<Connection>> {
        self.reader.connections()
    }

    fn counts(&self) -> &PassCounts {
        self.clamps.passes.counts()
    }
}

/// Decodes a connection from `struct local`, which the BPF iterator writes.
fn connection(octets: &[u8; LOCAL]) -> Connection {
    let half = |at: usize| u16::from_ne_bytes([octets[at], octets[at + 1]]);
    let largest = half(ENDS + 2);
    let sent = |at: usize| Sent {
        octets: long(octets, at),
        packets: word(octets, at + 8),
        answers: word(octets, at + 12),
        largest,
        ..Sent::default()
    };
    let own = LocalEnd {
        sender_us: word(octets, 72),
        least_us: word(octets, 76),
        receiver_us: word(octets, 80),
        header: half(ENDS),
    };
    let key: &Key = octets[..ENDS].try_into().expect("struct ends");
    Connection {
        station: String::new(),
        ends: ends(key),
        up: sent(40),
        down: sent(56),
        own: Some(own),
    }
}

#[cfg(test)]
mod tests {
    use super::super::limited::key;
    use super::*;

    #[test]
    fn a_connection_is_read_as_it_was_written() {
        let ends = ["10.0.0.2:40000", "[2001:db8::1]:80"].map(|it| it.parse().unwrap());
        let mut octets = [0; LOCAL];
        octets[..ENDS].copy_from_slice(&key(&ends));
        octets[36..38].copy_from_slice(&32_u16.to_ne_bytes());
        octets[38..40].copy_from_slice(&1_448_u16.to_ne_bytes());
        octets[40..48].copy_from_slice(&70_000_u64.to_ne_bytes());
        octets[64..68].copy_from_slice(&50_u32.to_ne_bytes());
        octets[76..80].copy_from_slice(&20_000_u32.to_ne_bytes());
        let found = connection(&octets);
        assert_eq!((found.ends, found.up.octets, found.down.packets), (ends, 70_000, 50));
        let own = LocalEnd { least_us: 20_000, header: 32, ..LocalEnd::default() };
        assert_eq!((found.own, found.up.largest), (Some(own), 1_448));
    }
}
