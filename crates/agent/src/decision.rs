//! Decisions of a law.

use std::net::SocketAddr;

use serde::{Deserialize, Serialize};

/// Decision of a law, which holds until the next one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Decision {
    /// Limit on a station whose link is slow: its senders use 1/k of their windows.
    Limit {
        /// Ratio k: highest rate of the link divided by its present rate, rounded up.
        k: u32,
    },
    /// Limits of single connections; connections that are not listed keep the limits that they
    /// have.
    Windows(Vec<ConnectionLimit>),
    /// Weights and rate by which the queues for DATA and ACKs in front of the driver are served.
    Share(Share),
    /// Airtime weights of stations.
    Weights(Vec<Weight>),
    /// Removal of all limits, because the link has its highest rate or the rate is unknown.
    Lift,
}

impl Decision {
    /// Number of limits that the decision sets on single connections.
    pub fn limits(&self) -> u64 {
        let Self::Windows(windows) = self else { return 0 };
        let limits = windows.iter().flat_map(|it| [it.up, it.down]).flatten();
        limits.filter(|it| *it != ConnectionLimit::FREE).map(|_| 1).sum()
    }
}

/// Limits of the data in flight from both ends of a connection [octets]. An end without a value
/// keeps its limit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ConnectionLimit {
    /// Ends of the connection, the station's first.
    pub ends: [SocketAddr; 2],
    /// Limit of the station's data in flight [octets]; `None` keeps the limit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub up: Option<u32>,
    /// Limit of the other end's data in flight [octets]; `None` keeps the limit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub down: Option<u32>,
}

impl ConnectionLimit {
    /// Value that removes the limit of a connection through an access point.
    pub const FREE: u32 = 0;
}

/// Weights and rate with which the queues for DATA and ACKs are served, by weighted round robin.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Share {
    /// Data packets served per round.
    pub data: u32,
    /// Pure ACKs served per round.
    pub ack: u32,
    /// Packets served per second, with and without data together.
    pub packets_per_second: u32,
}

/// Airtime weight that a station is to have.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Weight {
    /// MAC address of the station.
    pub station: String,
    /// Airtime weight; the driver's default is 256.
    pub weight: u16,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_counted_by_end_and_without_removals() {
        let ends = [([10, 0, 0, 1], 1).into(), ([10, 0, 0, 2], 2).into()];
        let limit = |up, down| ConnectionLimit { ends, up, down };
        let free = Some(ConnectionLimit::FREE);
        let windows =
            vec![limit(Some(3_000), Some(3_000)), limit(free, Some(3_000)), limit(None, None)];
        assert_eq!(Decision::Windows(windows).limits(), 3);
        assert_eq!(Decision::Limit { k: 2 }.limits(), 0);
    }
}
