//! Outputs of a world, and refusals of packets, for its owner.

use airfair_units::{Bytes, DataRate};

use crate::packet::{Ecn, FlowId, Handle, Side};

/// Output of a world for its owner.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Output {
    /// A packet of an external flow has left the simulated network, delivered or lost.
    Released(Released),
    /// The queue that refused a packet of this end now has room for a packet of the same size.
    Room(FlowId, Side),
    /// A scheme has changed or removed (`None`) the limit of the payload rate at this end.
    RateLimit(FlowId, Side, Option<DataRate>),
}

/// An external packet that has left the world, which no longer needs its bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Released {
    /// Flow of the released packet.
    pub flow: FlowId,
    /// End of the flow that sent the packet.
    pub origin: Side,
    /// Number by which the owner of the world identifies the packet's bytes.
    pub handle: Handle,
    /// Reason for which the packet has left.
    pub reason: ReleaseReason,
    /// Upper bound for the window that the TCP header advertises, if a scheme has lowered it.
    pub window: Option<Bytes>,
    /// ECN field of the packet's IP header, which queues may have marked.
    pub ecn: Ecn,
}

/// Reason for which a packet has left the world.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ReleaseReason {
    /// The packet has arrived at the other end.
    Delivered,
    /// A queue dropped the packet, a transmitter gave it up, or a wired link lost it.
    Lost,
    /// The run ended while the packet was still on its way.
    RunEnded,
}

/// Reason for which the world has refused a packet. The packet's handle stays with the owner of the world.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refused {
    /// The queue of the sending host is full. [`Output::Room`] follows when it has room.
    Full,
    /// The packet is empty or too long. The longest packet fits into a frame or, for a flow over wired links alone,
    /// into an IP packet.
    Size,
}
