//! What a law has decided.

use std::net::SocketAddr;

use serde::{Deserialize, Serialize};

/// Setting that holds from now on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Decision {
    /// The station's link is slow: its senders use a k-th of their windows.
    Limit {
        /// Highest rate over the rate, rounded up.
        k: u32,
    },
    /// Connections through the access point, or of the station, have these limits, and others keep theirs.
    Windows(Vec<Window>),
    /// DATA and ACKs share the interface.
    Share(Share),
    /// Stations have these airtime weights.
    Weights(Vec<Weight>),
    /// No limit: the link has its highest rate, or nothing is known of it.
    Lift,
}

/// Limits of a connection: what its ends may have under way [octets]. An end without one keeps what it has.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Window {
    /// The station's end and the other one.
    pub ends: [SocketAddr; 2],
    /// Of the station.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub up: Option<u32>,
    /// Of the other end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub down: Option<u32>,
}

impl Window {
    /// No limit any more, of a connection through an access point.
    pub const FREE: u32 = 0;
}

/// How packets are shared out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Share {
    /// Packets of data in a round.
    pub data: u32,
    /// Pure ACKs in a round.
    pub ack: u32,
    /// Packets of both in a second.
    pub packets_per_second: u32,
}

/// Weight that a station is to have.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Weight {
    /// Address of the station on the air.
    pub station: String,
    /// The weight; 256 is the driver's own.
    pub weight: u16,
}
