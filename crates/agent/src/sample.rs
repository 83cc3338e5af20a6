//! A sample: counters of all links at one time, as a source has them.
//!
//! All are whole numbers, so that a recording holds them exactly.

use serde::{Deserialize, Serialize};

/// Counters of one direction of a link, since some start of their own.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Way {
    /// Octets of packets that got through.
    pub bytes: u64,
    /// Packets that got through.
    pub packets: u64,
    /// Attempts beyond the first of each packet.
    pub retries: u64,
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

/// All links at one time.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sample {
    /// Time since the first sample [ns].
    pub at_ns: u64,
    /// The links; none if the source has failed.
    pub links: Vec<Link>,
}
