//! TCP small queues: notification of a sender that its packets have left the queue of its own host.  [linux-tsq]
//!
//! A cell reports departures. A wired link knows the time of a departure when the packet comes, so the world
//! schedules an event only if a sender waits.

use airfair_units::Bytes;
use airfair_wlan::{Departure, Phase};

use super::{Event, World};
use crate::clock::Clock;
use crate::flow::Departures;
use crate::link::LinkId;
use crate::packet::{FlowId, Packet, Side};
use crate::recorder::Recorder;

impl<R: Recorder, C: Clock> World<R, C> {
    /// Use that a flow's sender makes of the departure of its packet from the queue in front of this hop.
    #[inline]
    pub(super) fn departures(&self, flow: FlowId, origin: Side, hop: u16) -> Departures {
        if hop == 0 && origin == Side::Sender {
            self.flows[flow.index()].departures
        } else {
            Departures::Ignored
        }
    }

    /// Notes when a packet that a wired link has accepted will leave the link's queue. The packet's sender has TCP
    /// small queues.
    #[inline(never)]
    pub(super) fn note_departure(&mut self, link: LinkId, packet: &Packet) {
        let at = self.links[link.index()].last_departure();
        let queue = self.flows[packet.flow.index()].small_queue.as_mut();
        queue.expect("a sender that counts").departures.push_back((at, packet.size()));
    }

    /// Notifies a sender, which has TCP small queues or is saturated, of packets that have left its station's queue.
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

    /// Notifies a sender of all packets that have left the queue of its wired link by now.
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

    /// Schedules the event at which a sender continues that waits for departures from the queue of a wired link: when
    /// enough octets have left.
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

    /// Lets a sender continue, once enough octets have left the queue of its wired link.
    pub(super) fn ring_small_queue(&mut self, id: FlowId) {
        let queue = self.flows[id.index()].small_queue.as_mut();
        if queue.is_some_and(|queue| queue.alarm.ring(self.now)) {
            self.drain_source(id);
        }
    }
}
