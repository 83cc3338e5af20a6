//! Reports of a cell to its owner.

use airfair_laws::Direction;
use airfair_units::DataRate;

use crate::frame::Msdu;
use crate::node::NodeId;

/// A packet that has left the queue of its transmitter, delivered or lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Departure<P> {
    /// The packet, as it was queued.
    pub msdu: Msdu<P>,
    /// True if the packet was given up without having reached its receiver.
    pub lost: bool,
}

/// Error: the transmit queue of a member is full, or has refused a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QueueFull;

/// Change of the rate of data frames from or to a station, by rate control.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RateChange {
    /// Station whose link with the access point has the new rate.
    pub station: NodeId,
    /// Direction of the data frames that have the new rate.
    pub direction: Direction,
    /// Rate of the data frames after the change.
    pub rate: DataRate,
}
