//! TCP small queues: how a sender learns that its packets have left the queue of its own host.  [linux-tsq]
//!
//! A cell says when a packet has left. A link has known that since the packet came, so that only a sender that waits has an
//! event.

use std::collections::VecDeque;

use airfair_transport::tcp;
use airfair_units::{Bytes, Time};
use airfair_wlan::{Departure, Phase};

use super::{Event, World};
use crate::clock::Clock;
use crate::endpoint::{Alarm, Source};
use crate::link::LinkId;
use crate::packet::{FlowId, Packet, Side};
use crate::record::Recorder;

/// Meaning that the departure of a packet from the queue of its sender's own host has for the sender.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Departures {
    /// None.
    Ignored,
    /// It sends another packet: it is saturated.
    Awaited,
    /// It keeps an account of them: it has a small queue.
    Counted,
}

/// Packets of one sender that a link has taken.
#[derive(Debug, Default)]
pub(crate) struct SmallQueue {
    /// Time at which each leaves the queue, in order, and its size.
    departures: VecDeque<(Time, Bytes)>,
    /// Time at which enough of them have left.
    alarm: Alarm,
}

impl SmallQueue {
    /// The account of a source that counts departures.
    pub(crate) fn of(source: &Source) -> Option<Box<Self>> {
        let Source::Tcp(sender) = source else { return None };
        tcp::Sender::has_small_queue(sender).then(Box::default)
    }
}

impl<R: Recorder, C: Clock> World<R, C> {
    /// Meaning of a packet's departure from the queue before that hop.
    #[inline]
    pub(super) fn departures(&self, flow: FlowId, origin: Side, hop: u16) -> Departures {
        if hop == 0 && origin == Side::Sender {
            self.flows[flow.index()].departures
        } else {
            Departures::Ignored
        }
    }

    /// A link has taken a packet of a sender that counts departures.
    #[inline(never)]
    pub(super) fn note_departure(&mut self, link: LinkId, packet: &Packet) {
        let at = self.links[link.index()].last_departure();
        let queue = self.flows[packet.flow.index()].small_queue.as_mut();
        queue.expect("a sender that counts").departures.push_back((at, packet.size()));
    }

    /// Packets of such a sender have left the queue of its station.
    #[inline(never)]
    pub(super) fn tell_departures(&mut self, id: FlowId, left: &[Departure<Packet>]) {
        let source = &mut self.flows[id.index()].source;
        let tell = |is_awaited, Departure { msdu, .. }: &Departure<Packet>| {
            source.handle_departure(msdu.payload.size()) || is_awaited
        };
        if left.iter().fold(false, tell) {
            self.drain_source(id);
        }
    }

    /// Tells a sender of packets that have left the queue of a link by now.
    #[inline(never)]
    pub(super) fn settle_departures(&mut self, id: FlowId) {
        let Self { flows, now, .. } = self;
        let flow = &mut flows[id.index()];
        let Some(queue) = &mut flow.small_queue else { return };
        while let Some((at, size)) = queue.departures.front().copied()
            && at <= *now
        {
            queue.departures.pop_front();
            flow.source.handle_departure(size);
        }
    }

    /// A sender that waits for departures from the queue of a link goes on when there were enough of them.
    #[inline(never)]
    pub(super) fn await_departures(&mut self, id: FlowId) {
        let flow = &mut self.flows[id.index()];
        let Some(awaited) = flow.source.awaited_departures() else { return };
        let Some(queue) = &mut flow.small_queue else { return };
        let mut left = Bytes::ZERO;
        let enough = queue.departures.iter().find(|(_, size)| {
            left += *size;
            left >= awaited
        });
        let Some(&(at, _)) = enough else { return };
        if let Some(at) = queue.alarm.want(Some(at)) {
            self.queue.push(at, Phase::End, Event::SmallQueue(id));
        }
    }

    /// Packets for whose departure a sender has waited have left the queue of a link.
    pub(super) fn ring_small_queue(&mut self, id: FlowId) {
        let queue = self.flows[id.index()].small_queue.as_mut();
        if queue.is_some_and(|queue| queue.alarm.ring(self.now)) {
            self.drain_source(id);
        }
    }
}
