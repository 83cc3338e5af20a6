//! Events at scheduled times.

use airfair_laws::Direction;
use airfair_units::Time;
use airfair_wlan::NodeId;
use airfair_wlan::phy::Rate;

use crate::link::LinkId;
use crate::packet::{FlowId, Side};
use crate::record::CellId;

/// Event at a scheduled time. A cell schedules the events on its air itself.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Event {
    Start(FlowId),
    Stop(FlowId),
    /// A timer of the transport at this end of a flow is due.
    Alarm(FlowId, Side),
    /// The next packet of a link arrives at its other end.
    Arrival(LinkId),
    /// A link with coupled queues has sent a packet, and chooses the next one.
    Service(LinkId),
    /// A packet of a saturated source has left the queue of its wired link, so the source may send another one.
    Departure(FlowId, Side),
    /// A packet has left the queue of a link, and some end waits for room in this queue.
    Room(LinkId),
    /// Enough octets of a sender with a small queue have left the queue of its wired link, so the sender may continue.
    SmallQueue(FlowId),
    /// A change of a station's rate is due: index in the list of scheduled changes.
    Rate(usize),
    /// A beacon of an access point is due.
    Beacon(CellId),
    /// The packet with this number, which an agent has delayed, goes on.
    Held(usize),
    /// An alarm of an agent at this member of a cell is due.
    Wake(CellId, NodeId),
}

/// Scheduled change of a station's rate.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RateChange {
    pub(crate) at: Time,
    pub(crate) cell: CellId,
    pub(crate) station: NodeId,
    pub(crate) direction: Direction,
    pub(crate) rate: Rate,
}
