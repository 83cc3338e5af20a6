//! A sample: counters of all links at one time, as a source has them, and of connections.
//!
//! All are whole numbers, so that a recording holds them exactly.

use std::collections::BTreeMap;
use std::net::{IpAddr, SocketAddr};

use airfair_laws::occupancy::Grant;
use airfair_units::Duration;
use serde::{Deserialize, Serialize};

/// Counters of one direction of a link, since some start of their own.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Way {
    /// Octets of packets that got through.
    pub bytes: u64,
    /// Packets that got through.
    pub packets: u64,
    /// Attempts beyond the first of each packet, where the source knows them: who receives does not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retries: Option<u64>,
    /// Air that they held, where the source measures it [ns].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub airtime_ns: Option<u64>,
    /// Rate of the last frame [bit/s].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rate_bps: Option<u64>,
    /// Throughput that the driver expects [bit/s].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expected_bps: Option<u64>,
}

/// A link between a station and an access point.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Link {
    /// Name of the station, or address of the other end.
    pub name: String,
    /// From the station to the access point.
    pub up: Way,
    /// From the access point to the station.
    pub down: Way,
}

/// Counters of what one end of a TCP connection has sent, since its SYN.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sent {
    /// Octets of data, retransmissions included.
    pub octets: u64,
    /// Packets with data.
    pub packets: u32,
    /// Packets without: ACKs.
    pub answers: u32,
    /// Time from the access point to the other end and back, summed up over `echoes` [ns].
    pub echo_ns: u64,
    /// Timestamps that the other end has echoed.
    pub echoes: u32,
    /// Largest segment that this end takes [octets].
    pub largest: u16,
}

/// This machine's end of a connection, as its kernel knows it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Own {
    /// Smoothed round trip of what it sends; zero if it is unknown [µs].
    pub sender_us: u32,
    /// Least round trip of what it sends, its SYN included; zero if it is unknown [µs].
    pub least_us: u32,
    /// Round trip of what it receives, as a receiver can know it; zero if it is unknown [µs].
    pub receiver_us: u32,
    /// TCP's header with its options [octets].
    pub header: u16,
}

impl Own {
    /// Smoothed round trip of what it sends.
    pub fn sender_round_trip(&self) -> Duration {
        Duration::from_micros(self.sender_us.into())
    }

    /// Least round trip of what it sends.
    pub fn least_round_trip(&self) -> Duration {
        Duration::from_micros(self.least_us.into())
    }

    /// Round trip of what it receives.
    pub fn receiver_round_trip(&self) -> Duration {
        Duration::from_micros(self.receiver_us.into())
    }
}

/// A TCP connection of a station, as an access point that forwards it sees it, or the station itself.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Connection {
    /// Address of the station on the air.
    pub station: String,
    /// Its end and the other one.
    pub ends: [SocketAddr; 2],
    /// Sent by the station.
    pub up: Sent,
    /// Sent to it.
    pub down: Sent,
    /// Its end here, if it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub own: Option<Own>,
}

/// Counters of the agent's own queues in front of a driver.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Queue {
    /// Packets that they have handed to the driver.
    pub sent: u64,
    /// Pure ACKs among these.
    pub acks: u64,
    /// Packets that wait in them.
    pub waiting: u32,
}

/// All links at one time.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sample {
    /// Time since the first sample [ns].
    pub at_ns: u64,
    /// The links; none if the source has failed.
    pub links: Vec<Link>,
    /// Links of others on the same channel, where the source hears them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub others: Vec<Link>,
    /// Air that anybody held, its own frames included, where the driver measures it [ns].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub busy_ns: Option<u64>,
    /// Airtime weights of stations, by their addresses on the air, where the driver has them.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub weights: BTreeMap<String, u16>,
    /// Connections that have moved something since the last sample, by their ends.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub connections: Vec<Connection>,
    /// The agent's own queues, where it has some.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub queue: Option<Queue>,
    /// Grant that has come to a station since the last sample.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub grant: Option<GrantFields>,
    /// Stations that have asked an access point for grants since the last sample.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub asked: Vec<Asked>,
}

/// A station that has asked for grants.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Asked {
    /// Its address.
    pub address: IpAddr,
    /// Its address on the air, where it is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub station: Option<String>,
}

/// A grant, as it has come.  [occupancy-tfrc §III-B]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GrantFields {
    /// Share of each active station [1/65535].
    pub even: u16,
    /// Share that each unsatisfied one may hold more [1/65535].
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
