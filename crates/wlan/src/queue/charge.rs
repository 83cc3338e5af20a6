//! Airtime charges.

use airfair_laws::Direction;
use airfair_units::{DataRate, Duration};

use crate::node::NodeId;

/// Airtime charge: time that an exchange between the access point and a station has used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Charge {
    /// Station that exchanged frames with the access point.
    pub station: NodeId,
    /// Direction of the data in the exchange.
    pub direction: Direction,
    /// Rate of the data frame in the exchange.
    pub rate: DataRate,
    /// Duration of all frames of the exchange, and of the interframe spaces between them.
    pub airtime: Duration,
    /// Interframe space before the first frame of the exchange.
    pub gap: Duration,
    /// Mean back-off of a first attempt; zero if the exchange had no back-off.
    pub backoff: Duration,
}
