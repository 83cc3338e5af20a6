//! Ends of a link, its packets, and the events that a link reports.

use airfair_sim::packet::{FlowId, Side};
use airfair_units::{Bytes, Time};

/// One end of an external flow: the node that sends or receives packets of the caller.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct End {
    pub(crate) flow: FlowId,
    pub(crate) side: Side,
}

impl End {
    /// Both ends of a flow: the node `from` of the scenario, and the node `to`.
    pub(crate) fn both(flow: FlowId) -> [Self; 2] {
        [Side::Sender, Side::Receiver].map(|side| Self { flow, side })
    }

    /// The other end of the same flow.
    #[must_use]
    pub fn other(self) -> Self {
        let side = match self.side {
            Side::Sender => Side::Receiver,
            Side::Receiver => Side::Sender,
        };
        Self { side, ..self }
    }

    /// True for the node `to` of the flow.
    pub fn is_receiver(self) -> bool {
        self.side == Side::Receiver
    }

    /// Index of the end's flow in [`Scenario::flows`](airfair_sim::scenario::Scenario::flows), and in
    /// [`Outcome::flows`](airfair_sim::outcome::Outcome::flows).
    pub fn flow(self) -> usize {
        self.flow.index()
    }
}

/// A packet that the link gives back to its caller.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Packet<P> {
    /// Payload that the caller has sent.
    pub payload: P,
    /// Size of the IP packet.
    pub size: Bytes,
    /// End from which the caller has sent the packet.
    pub from: End,
    /// Time at which the caller has sent the packet.
    pub sent_at: Time,
    /// Time at which the packet has left the link.
    pub left_at: Time,
}

impl<P> Packet<P> {
    /// End at which the packet arrives, if it does.
    pub fn to(&self) -> End {
        self.from.other()
    }
}

/// An event that a link reports.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Event<P> {
    /// A packet has arrived at the other end.
    Delivered(Packet<P>),
    /// A queue or a wired link has dropped a packet, or a station has given it up after its last attempt. A real sender
    /// does not see this.
    Lost(Packet<P>),
    /// The queue of this end's node, which was [full](crate::Refusal::Full), has room again at this time.
    Room(End, Time),
}

impl<P> Event<P> {
    /// Time of the event.
    pub fn at(&self) -> Time {
        match self {
            Self::Delivered(packet) | Self::Lost(packet) => packet.left_at,
            Self::Room(_, at) => *at,
        }
    }
}
