//! Notification of ends that wait for room in the queue of their own host.
//!
//! Ends that wait for room in one queue are served in the order in which they began to wait, whenever a packet leaves
//! that queue, whoever sent the packet. A cell reports departures. A wired link knows the time of a departure when the
//! packet comes, so the world schedules an event for it if an end waits.

use airfair_transport::tcp::RefusalOutcome;
use airfair_units::Bytes;
use airfair_wlan::edca::AccessCategory;
use airfair_wlan::{Departure, Msdu, Phase};

use super::{Bss, Event, Output, WaitingEnds, World};
use crate::clock::Clock;
use crate::endpoint::Source;
use crate::flow::{Departures, Flow, Hop, WithoutRoom};
use crate::link::LinkId;
use crate::packet::{Body, FlowId, Packet, Side};
use crate::record::FlowRecord;
use crate::recorder::Recorder;

/// Frames whose packets a saturated source keeps in its host's queue: one in service and one waiting.
const BACKLOG: usize = 2;

impl<R: Recorder, C: Clock> World<R, C> {
    /// Sends the first packets of a saturated source at its start: [`BACKLOG`] frames of them.
    pub(super) fn fill_backlog(&mut self, id: FlowId) {
        let packets = match self.flows[id.index()].route(Side::Sender)[0] {
            Hop::Air { cell, from, to } => {
                let size = self.awaited_size(id, Side::Sender);
                self.cells[cell.index()].cell.most_packets(from, to, size)
            }
            Hop::Wire(_) => 1,
        };
        for _ in 0..BACKLOG * packets {
            self.seek_room(id, Side::Sender);
        }
    }

    /// Sends a packet of an end as soon as the queue of its host has room for it.
    #[inline]
    pub(super) fn seek_room(&mut self, id: FlowId, side: Side) {
        let flow = &self.flows[id.index()];
        let (queue, category) = (flow.route(side)[0], flow.category);
        if self.waiting_for(queue, category).ends.is_empty() && self.has_room((id, side), queue) {
            self.notify_of_room((id, side), queue);
        } else {
            self.waiting_for(queue, category).ends.push_back((id, side));
            self.notify_waiting(queue, category);
        }
    }

    /// Handles packets of an end that have left the queue in front of hop number `hop` of their route, which is over
    /// the air.
    #[inline]
    pub(super) fn leave_room(
        &mut self,
        queue: Hop,
        (flow, origin): (FlowId, Side),
        (hop, left): (u16, &[Departure<Packet>]),
    ) {
        let (departures, packets) = (self.departures(flow, origin, hop), left.len());
        if departures == Departures::Awaited {
            let come = if packets > 1 { self.refill(queue, flow, packets) } else { 0 };
            return (come..packets).for_each(|_| self.seek_room(flow, origin));
        }
        if departures == Departures::Counted {
            self.tell_departures(flow, left);
        }
        let category = self.flows[flow.index()].category;
        for _ in 0..packets {
            if !self.waiting_for(queue, category).ends.is_empty() {
                self.notify_waiting(queue, category);
            }
        }
    }

    /// Adds up to `packets` packets of a saturated source to the queue of a member at once, as long as no other end
    /// waits for room there. Returns the number of packets added.
    fn refill(&mut self, queue: Hop, id: FlowId, packets: usize) -> usize {
        let Self { cells, flows, recorder, now, .. } = self;
        let Flow { source: Source::Udp(sender), category, .. } = &mut flows[id.index()] else {
            return 0;
        };
        let Hop::Air { cell, from, to } = queue else { return 0 };
        let Bss { cell, msdu_overhead, waiting, watches_packets, .. } = &mut cells[cell.index()];
        let nobody_waits = waiting[from.index()][*category as usize].ends.is_empty();
        if *watches_packets || !nobody_waits {
            return 0;
        }
        let (now, category, size) = (*now, *category, sender.packet_size() + *msdu_overhead);
        cell.refill(now, (from, category), packets, || {
            let body = Body::Datagram(sender.poll_transmit(now)?);
            recorder.record_flow(now, id, FlowRecord::Sent);
            let payload = Packet::new(now, (id, Side::Sender), category, body);
            Some(Msdu { payload, size, from, to })
        })
    }

    /// Handles the departure of a packet from the queue of a link for whose room an end waits.
    pub(super) fn leave_room_on(&mut self, link: LinkId) {
        if self.waiting[link.index()].alarm.ring(self.now) {
            self.notify_waiting(Hop::Wire(link), AccessCategory::default());
        }
    }

    /// Notifies waiting ends in their order while there is room. An end that has to wait again goes to the back.
    #[inline(never)]
    fn notify_waiting(&mut self, queue: Hop, category: AccessCategory) {
        for _ in 0..self.waiting_for(queue, category).ends.len() {
            let (id, side) =
                *self.waiting_for(queue, category).ends.front().expect("someone waits");
            if !self.has_room((id, side), queue) {
                break;
            }
            self.waiting_for(queue, category).ends.pop_front();
            self.notify_of_room((id, side), queue);
        }
        if let Hop::Wire(link) = queue {
            self.set_alarm(link);
        }
    }

    /// Notifies an end that the queue has room for the packet that it waits to send.
    #[inline(always)]
    #[expect(
        clippy::inline_always,
        reason = "each call on a packet's way costs twenty instructions"
    )]
    fn notify_of_room(&mut self, (id, side): (FlowId, Side), queue: Hop) {
        let Flow { source, category, .. } = &mut self.flows[id.index()];
        let make = |body| Packet::new(self.now, (id, side), *category, body);
        if let Source::External(gate) = source {
            gate.open(side);
            self.put_out(Output::Room(id, side));
        } else if let Some(packet) = source.poll_transmit(self.now, make) {
            // If random early detection drops the packet, it is lost, and the source waits again.
            let _ = self.send_over(queue, &packet);
        }
    }

    #[inline]
    fn waiting_for(&mut self, queue: Hop, category: AccessCategory) -> &mut WaitingEnds {
        match queue {
            Hop::Air { cell, from, .. } => {
                &mut self.cells.emptied(cell.index()).waiting[from.index()][category as usize]
            }
            Hop::Wire(link) => &mut self.waiting[link.index()],
        }
    }

    #[inline(always)]
    #[expect(
        clippy::inline_always,
        reason = "each call on a packet's way costs twenty instructions"
    )]
    fn has_room(&mut self, (id, side): (FlowId, Side), queue: Hop) -> bool {
        match queue {
            Hop::Air { cell, from, to } => {
                let category = self.flows[id.index()].category;
                self.cells[cell.index()].cell.has_room(from, to, category)
            }
            Hop::Wire(link) => {
                let packet = self.awaited_size(id, side);
                self.links[link.index()].has_room(self.now, packet)
            }
        }
    }

    /// Schedules the notification of the first end that waits for room in a link's queue, for the time at which the
    /// next packet has left this queue.
    fn set_alarm(&mut self, link: LinkId) {
        let Some(&(id, side)) = self.waiting[link.index()].ends.front() else { return };
        let packet = self.awaited_size(id, side);
        let at = self.links[link.index()].next_departure(self.now, packet);
        if let Some(at) = self.waiting[link.index()].alarm.want(Some(at)) {
            self.queue.push(at, Phase::End, Event::Room(link));
        }
    }

    fn awaited_size(&self, id: FlowId, side: Side) -> Bytes {
        let packet = self.flows[id.index()].source.awaited_size(side);
        packet.expect("only who waits asks for room")
    }

    /// Handles a packet that its host's queue has refused, as the behaviour of its source demands.
    #[cold]
    pub(super) fn handle_refusal(&mut self, packet: &Packet) -> RefusalOutcome {
        let Packet { flow, origin, hop, .. } = *packet;
        if self.departures(flow, origin, hop) == Departures::Counted {
            self.flows[packet.flow.index()].source.handle_departure(packet.size());
        }
        let flow = &mut self.flows[packet.flow.index()];
        let (outcome, waits) = match (flow.without_room, &mut flow.source) {
            (WithoutRoom::Keep, source) => (source.handle_refusal(self.now, &packet.body), false),
            (WithoutRoom::Return, Source::External(gate)) => {
                (RefusalOutcome::TakenBack, gate.refuse(packet.origin, packet.size()))
            }
            // There was room, but random early detection has dropped the packet.
            (WithoutRoom::Wait, _) => (RefusalOutcome::Lost, true),
            (WithoutRoom::Lose | WithoutRoom::Return, _) => (RefusalOutcome::Lost, false),
        };
        if waits {
            self.wait_for_room(packet.flow, packet.origin);
        }
        if outcome == RefusalOutcome::TakenBack && packet.origin == Side::Sender {
            self.emit(packet.flow, FlowRecord::Refused);
        }
        outcome
    }

    /// Lets an end whose packet was refused wait for room.
    fn wait_for_room(&mut self, id: FlowId, side: Side) {
        let queue = self.flows[id.index()].route(side)[0];
        let category = self.flows[id.index()].category;
        self.waiting_for(queue, category).ends.push_back((id, side));
        if let Hop::Wire(link) = queue {
            self.set_alarm(link);
        }
    }
}
