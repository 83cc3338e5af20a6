//! Flows of a world: their ends, their routes, and what their senders need to know of the first queue.

mod hop;
mod small_queue;

use airfair_laws::window_limit::WindowLimit;
use airfair_wlan::NodeId;
use airfair_wlan::edca::AccessCategory;

use crate::endpoint::{Alarm, Sink, Source};
use crate::packet::Side;
use crate::record::CellId;

pub(crate) use hop::{Full, Hop};
pub(crate) use small_queue::{Departures, SmallQueue};

/// Part of a flow's life.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FlowPhase {
    /// The flow has not started.
    Planned,
    /// The flow has started and has not been stopped.
    Open,
    /// The flow has been stopped.
    Stopped,
}

/// Behaviour of a source when the queue of its own host is full.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WithoutRoom {
    /// The source sends anyway, and the packet is lost.
    Lose,
    /// The source takes the packet back. As in Linux, it tries again at its next ACK or time-out, and not when there
    /// is room. [linux-cwr]
    Keep,
    /// The world returns the packet to its owner, and notifies the owner when the queue has room.
    Return,
    /// The source sends only when there is room, and keeps at most two frames in the queue.
    Wait,
}

impl WithoutRoom {
    /// True if the source may wait for room.
    pub(crate) fn waits(self) -> bool {
        matches!(self, Self::Return | Self::Wait)
    }
}

/// State of a flow.
#[derive(Clone, Debug)]
pub(crate) struct Flow {
    pub(crate) phase: FlowPhase,
    pub(crate) source: Source,
    pub(crate) sink: Sink,
    /// Hops from the sender to the receiver.
    pub(crate) forth: Vec<Hop>,
    /// Hops from the receiver to the sender.
    pub(crate) back: Vec<Hop>,
    /// Access category of the flow's packets.
    pub(crate) category: AccessCategory,
    pub(crate) without_room: WithoutRoom,
    /// Use that the sender makes of departures from its host's queue.
    pub(crate) departures: Departures,
    /// Departures from the queue of the sender's wired link, if the sender counts them.
    pub(crate) small_queue: Option<Box<SmallQueue>>,
    pub(crate) source_alarm: Alarm,
    pub(crate) sink_alarm: Alarm,
}

impl Flow {
    /// True if the flow needs to know each packet that leaves a queue of a cell.
    pub(crate) fn wants_departures(&self) -> bool {
        let is_over_air = matches!(self.forth[0], Hop::Air { .. });
        self.without_room.waits() || (self.departures == Departures::Counted && is_over_air)
    }

    /// Hops of the packets that one end sends.
    pub(crate) fn route(&self, origin: Side) -> &[Hop] {
        match origin {
            Side::Sender => &self.forth,
            Side::Receiver => &self.back,
        }
    }

    /// True if this end of the flow is at the given member of a cell.
    pub(crate) fn ends_at(&self, side: Side, cell: CellId, node: NodeId) -> bool {
        matches!(self.route(side)[0], Hop::Air { cell: c, from, .. } if (c, from) == (cell, node))
    }

    pub(crate) fn limit_window(&mut self, side: Side, limit: WindowLimit) {
        match (side, &mut self.source, &mut self.sink, limit) {
            (_, Source::External(gate), ..) => gate.limit_window(side, limit),
            (Side::Sender, Source::Tcp(sender), ..) => sender.set_window_limit(limit),
            (Side::Receiver, _, Sink::Tcp(receiver), WindowLimit::Octets(window)) => {
                receiver.set_window_limit(Some(window));
            }
            _ => unreachable!("only TCP has a window, and its receiver counts octets"),
        }
    }
}
