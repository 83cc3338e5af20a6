//! Samples, which are counters of all links and connections at one time, and their sources.
//!
//! All values are integers, so that a recording holds them exactly.

use std::collections::BTreeMap;
use std::fmt;
use std::net::{IpAddr, SocketAddr};

use airfair_laws::occupancy::Grant;
use airfair_units::Duration;
use anyhow::Result;
use serde::{Deserialize, Serialize};

/// Counters of one direction of a link since the link appeared.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DirectionCounters {
    /// Octets of the packets that were delivered in this direction.
    pub bytes: u64,
    /// Number of packets that were delivered in this direction.
    pub packets: u64,
    /// Transmission attempts after the first of each packet, where the source counts them. A
    /// receiver cannot count them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retries: Option<u64>,
    /// Airtime of the frames in this direction, where the source measures it [ns].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub airtime_ns: Option<u64>,
    /// Rate of the last frame in this direction [bit/s].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rate_bps: Option<u64>,
    /// Throughput that the driver expects in this direction [bit/s].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expected_bps: Option<u64>,
}

/// Counters of the link between a station and an access point.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LinkCounters {
    /// Name of the link: name of the interface, or of the station in an emulation, and a MAC
    /// address.
    pub name: String,
    /// Counters from the station to the access point.
    pub up: DirectionCounters,
    /// Counters from the access point to the station.
    pub down: DirectionCounters,
}

/// Counters of the packets that one end of a TCP connection has sent since its SYN.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sent {
    /// Octets of data that the end has sent, retransmissions included.
    pub octets: u64,
    /// Number of packets with data that the end has sent.
    pub packets: u32,
    /// Number of packets without data that the end has sent, such as ACKs.
    pub answers: u32,
    /// Sum of `echoes` round trips from the access point to the other end [ns].
    pub echo_ns: u64,
    /// Number of round trips in `echo_ns`, measured by TCP timestamps.
    pub echoes: u32,
    /// Maximum segment size that this end of the connection announced [octets].
    pub largest: u16,
}

/// State of a TCP connection's end on this machine, from the kernel.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LocalEnd {
    /// Smoothed round trip measured as a sender; zero if unknown [µs].
    pub sender_us: u32,
    /// Minimum round trip measured as a sender, the SYN's included; zero if unknown [µs].
    pub least_us: u32,
    /// Round trip estimated as a receiver; zero if unknown [µs].
    pub receiver_us: u32,
    /// Length of the TCP header of this end's packets, with options [octets].
    pub header: u16,
}

impl LocalEnd {
    /// Smoothed round trip that this end has measured as a sender.
    pub fn sender_round_trip(&self) -> Duration {
        Duration::from_micros(self.sender_us.into())
    }

    /// Minimum round trip that this end has measured as a sender.
    pub fn least_round_trip(&self) -> Duration {
        Duration::from_micros(self.least_us.into())
    }

    /// Round trip that this end has estimated as a receiver.
    pub fn receiver_round_trip(&self) -> Duration {
        Duration::from_micros(self.receiver_us.into())
    }
}

/// TCP connection of a station, seen by the access point that forwards it or by the station itself.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Connection {
    /// MAC address of the station.
    pub station: String,
    /// Ends of the connection, the station's first.
    pub ends: [SocketAddr; 2],
    /// Packets that the station has sent.
    pub up: Sent,
    /// Packets that the station has received.
    pub down: Sent,
    /// State of the connection's end on this machine, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub own: Option<LocalEnd>,
}

/// Counters of the agent's own queues in front of the driver.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct QueueCounters {
    /// Number of packets that the queues have sent to the driver.
    pub sent: u64,
    /// Number of pure ACKs among the packets sent to the driver.
    pub acks: u64,
    /// Number of packets that wait in the queues now.
    pub waiting: u32,
}

/// Counters of all links and connections at one time.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sample {
    /// Time of the sample since the first one [ns].
    pub at_ns: u64,
    /// Links of the interface; empty if the source has failed.
    pub links: Vec<LinkCounters>,
    /// Links of other stations on the same channel, where the source hears them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub others: Vec<LinkCounters>,
    /// Time for which the channel was busy, own frames included, where the driver measures it [ns].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub busy_ns: Option<u64>,
    /// Airtime weights of stations by MAC address, where the driver has them.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub weights: BTreeMap<String, u16>,
    /// Connections with traffic since the last sample.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub connections: Vec<Connection>,
    /// Counters of the agent's own queues, if it has some.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub queue: Option<QueueCounters>,
    /// Grant that a station has received since the last sample.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub grant: Option<GrantFields>,
    /// Stations that have asked this access point for grants since the last sample.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub asked: Vec<Asked>,
}

/// Largest valid counter of octets, packets or nanoseconds. As nanoseconds it is 36 years, and
/// eight times the value still fits into 64 bits.
const LARGEST: u64 = 1 << 60;
/// Smallest and largest valid rate [bit/s]: one and 2^32 − 1 of the kernel's units of 100 kb/s.
const RATES: [u64; 2] = [100_000, 100_000 * 0xffff_ffff];

/// Error: a counter has a value that no real source can have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutOfRange {
    /// Path of the counter within the sample, such as `links[0].up.bytes`.
    key: String,
    found: u64,
    allowed: Range,
}

impl fmt::Display for OutOfRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { key, found, allowed } = self;
        match allowed {
            Range::Counter => write!(f, "{key} = {found}: allowed up to {LARGEST}"),
            Range::Rate => write!(f, "{key} = {found}: allowed 0 and {} to {}", RATES[0], RATES[1]),
        }
    }
}

impl std::error::Error for OutOfRange {}

/// Range of valid values of a counter in a sample.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Range {
    Counter,
    /// Values of a data rate: zero for an unknown rate, or 100 kb/s to 429 Tb/s.
    Rate,
}

impl Range {
    fn nearest(self, value: u64) -> u64 {
        match self {
            Self::Rate if value > 0 => value.clamp(RATES[0], RATES[1]),
            _ => value.min(LARGEST),
        }
    }
}

impl Sample {
    /// Clamps all counters of the sample to their ranges of valid values, so that sums of them do
    /// not overflow.
    ///
    /// # Errors
    /// Returns the first counter that was out of its range.
    pub fn bound(&mut self) -> Result<(), OutOfRange> {
        let mut first = None;
        self.visit(&mut |key, value, allowed| {
            let nearest = allowed.nearest(*value);
            if nearest != *value {
                first.get_or_insert_with(|| OutOfRange {
                    key: key.to_string(),
                    found: *value,
                    allowed,
                });
                *value = nearest;
            }
        });
        first.map_or(Ok(()), Err)
    }

    /// Calls `see` with the path, the value and the range of each 64-bit counter of the sample.
    fn visit(&mut self, see: &mut See) {
        see(format_args!("at_ns"), &mut self.at_ns, Range::Counter);
        for (list, links) in [("links", &mut self.links), ("others", &mut self.others)] {
            for (i, link) in links.iter_mut().enumerate() {
                link.up.visit(format_args!("{list}[{i}].up"), see);
                link.down.visit(format_args!("{list}[{i}].down"), see);
            }
        }
        if let Some(value) = &mut self.busy_ns {
            see(format_args!("busy_ns"), value, Range::Counter);
        }
        for (i, it) in self.connections.iter_mut().enumerate() {
            for (way, sent) in [("up", &mut it.up), ("down", &mut it.down)] {
                see(
                    format_args!("connections[{i}].{way}.octets"),
                    &mut sent.octets,
                    Range::Counter,
                );
                see(
                    format_args!("connections[{i}].{way}.echo_ns"),
                    &mut sent.echo_ns,
                    Range::Counter,
                );
            }
        }
        if let Some(queue) = &mut self.queue {
            see(format_args!("queue.sent"), &mut queue.sent, Range::Counter);
            see(format_args!("queue.acks"), &mut queue.acks, Range::Counter);
        }
    }
}

/// Callback for a counter of a sample: path, value and range.
type See<'s> = dyn FnMut(fmt::Arguments, &mut u64, Range) + 's;

impl DirectionCounters {
    fn visit(&mut self, at: fmt::Arguments, see: &mut See) {
        see(format_args!("{at}.bytes"), &mut self.bytes, Range::Counter);
        see(format_args!("{at}.packets"), &mut self.packets, Range::Counter);
        for (key, value, allowed) in [
            ("retries", &mut self.retries, Range::Counter),
            ("airtime_ns", &mut self.airtime_ns, Range::Counter),
            ("rate_bps", &mut self.rate_bps, Range::Rate),
            ("expected_bps", &mut self.expected_bps, Range::Rate),
        ] {
            if let Some(value) = value {
                see(format_args!("{at}.{key}"), value, allowed);
            }
        }
    }
}

/// Station that has asked for grants.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Asked {
    /// IP address from which the station asked.
    pub address: IpAddr,
    /// MAC address of the station, where it is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub station: Option<String>,
}

/// Fields of a grant as integers, as in a message.  [occupancy-tfrc §III-B]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GrantFields {
    /// Share of the channel of each active station [1/65535].
    pub even: u16,
    /// Additional share of each unsatisfied station [1/65535].
    pub additional: u16,
    /// Mean back-off of the access point [µs].
    pub backoff: u16,
}

impl From<Grant> for GrantFields {
    fn from(Grant { even, additional, backoff }: Grant) -> Self {
        Self { even, additional, backoff }
    }
}

impl From<GrantFields> for Grant {
    fn from(GrantFields { even, additional, backoff }: GrantFields) -> Self {
        Self { even, additional, backoff }
    }
}

/// Source of samples for the agent.
pub trait Source {
    /// Reads the counters at time `now` since the start of the agent [ns]; `None` at the end.
    ///
    /// # Errors
    /// Returns an error if the source does not answer. Later calls may succeed.
    fn sample(&mut self, now: u64) -> Result<Option<Sample>>;
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Paths of all 64-bit counters in the JSON document of a sample.
    fn counters(document: &serde_json::Value, key: &str, found: &mut Vec<String>) {
        const FEWER_BITS: [&str; 14] = [
            "answers",
            "echoes",
            "largest",
            "sender_us",
            "least_us",
            "receiver_us",
            "header",
            "waiting",
            "even",
            "additional",
            "backoff",
            "it",
            "packets",
            "bytes",
        ];
        match document {
            serde_json::Value::Object(all) => {
                for (name, value) in all {
                    let key = if key.is_empty() { name.clone() } else { format!("{key}.{name}") };
                    counters(value, &key, found);
                }
            }
            serde_json::Value::Array(all) => {
                for (i, value) in all.iter().enumerate() {
                    counters(value, &format!("{key}[{i}]"), found);
                }
            }
            serde_json::Value::Number(_) => {
                let name = key.rsplit('.').next().unwrap();
                let is_of_a_link = key.starts_with("links") || key.starts_with("others");
                if is_of_a_link || !FEWER_BITS.contains(&name) {
                    found.push(key.to_owned());
                }
            }
            _ => {}
        }
    }

    /// Sample with all optional fields, and with all counters out of range.
    fn wild() -> Sample {
        let way = DirectionCounters {
            bytes: u64::MAX,
            packets: u64::MAX,
            retries: Some(u64::MAX),
            airtime_ns: Some(u64::MAX),
            rate_bps: Some(u64::MAX),
            expected_bps: Some(1),
        };
        let sent = Sent { octets: u64::MAX, echo_ns: u64::MAX, ..Sent::default() };
        let link = LinkCounters { name: "it".into(), up: way.clone(), down: way };
        let connection = Connection {
            station: "it".into(),
            ends: [([10, 0, 0, 1], 1).into(), ([10, 0, 0, 2], 2).into()],
            up: sent.clone(),
            down: sent,
            own: Some(LocalEnd::default()),
        };
        Sample {
            at_ns: u64::MAX,
            links: vec![link.clone()],
            others: vec![link.clone(), link],
            busy_ns: Some(u64::MAX),
            weights: [("it".to_owned(), 1)].into(),
            connections: vec![connection],
            queue: Some(QueueCounters { sent: u64::MAX, acks: u64::MAX, waiting: 1 }),
            grant: Some(GrantFields { even: 1, additional: 1, backoff: 1 }),
            asked: Vec::new(),
        }
    }

    /// `Sample::visit` has a range of allowed values for each 64-bit counter in the JSON document
    /// of a sample. The test fails if `visit` omits a counter.
    #[test]
    fn each_counter_has_a_range() {
        let mut sample = wild();
        let mut expected = Vec::new();
        counters(&serde_json::to_value(&sample).unwrap(), "", &mut expected);
        let mut seen = Vec::new();
        sample.visit(&mut |key, value, allowed| {
            assert_ne!(allowed.nearest(*value), *value, "{key}");
            seen.push(key.to_string());
        });
        seen.sort();
        expected.sort();
        assert_eq!(seen, expected);
    }

    #[test]
    fn unreal_counters_are_clamped_and_the_first_one_is_reported() {
        let mut sample = wild();
        let said = sample.bound().unwrap_err().to_string();
        assert_eq!(said, "at_ns = 18446744073709551615: allowed up to 1152921504606846976");
        assert_eq!(sample.links[0].up.expected_bps, Some(100_000));
        assert_eq!(sample.bound(), Ok(()));
        sample.links[0].down.rate_bps = Some(1);
        let said = sample.bound().unwrap_err().to_string();
        assert_eq!(said, "links[0].down.rate_bps = 1: allowed 0 and 100000 to 429496729500000");
        sample.links[0].down.rate_bps = Some(0);
        assert_eq!(sample.bound(), Ok(()), "a rate that is not known");
    }
}
