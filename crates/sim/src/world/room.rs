//! Room in the queue of an end's own host: how an end that has to wait for it learns that there is some.
//!
//! Whoever waits stands in line, and is called in its turn when a packet has left that queue, whoever's it was. A cell
//! says when one has left; a link has known it since the packet came, so there it is an event, if someone waits.

use std::collections::VecDeque;

use airfair_transport::tcp::RefusalOutcome;
use airfair_units::Bytes;
use airfair_wlan::edca::AccessCategory;
use airfair_wlan::{Departure, Msdu, Phase};

use super::small_queues::Departures;
use super::{Bss, Event, Flow, Hop, Output, World};
use crate::clock::Clock;
use crate::endpoint::{Alarm, Source};
use crate::link::LinkId;
use crate::packet::{Body, FlowId, Packet, Side};
use crate::record::{FlowRecord, Recorder};

/// A queue has no room for a packet, or does not want it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Full;

/// Ends that wait for room in one queue.
#[derive(Clone, Debug, Default)]
pub(crate) struct Line {
    /// A place for each packet.
    places: VecDeque<(FlowId, Side)>,
    /// Next time at which a link may have room for the first.
    alarm: Alarm,
}

/// Answer of a source where the queue of its own host has no room.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WithoutRoom {
    /// It sends all the same, and the packet is lost.
    Lose,
    /// It takes the packet back. As in Linux its next ACK or time-out tells it to try again, and room does not.
    /// [linux-cwr]
    Keep,
    /// The packet goes back to the owner of the world, who is told of room.
    Return,
    /// It sends nothing before there is room, and never has more than a [`BACKLOG`] there.
    Wait,
}

impl WithoutRoom {
    /// True if it may stand in line.
    pub(crate) fn waits(self) -> bool {
        matches!(self, Self::Return | Self::Wait)
    }
}

/// What a saturated source keeps in the queue of its host: the packets of one frame in service, and of one waiting.
const BACKLOG: usize = 2;

impl<R: Recorder, C: Clock> World<R, C> {
    /// A saturated source has begun: it fills its part of the queue.
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

    /// An end wants to send a packet as soon as the queue of its host has room for it.
    #[inline]
    pub(super) fn seek_room(&mut self, id: FlowId, side: Side) {
        let flow = &self.flows[id.index()];
        let (queue, category) = (flow.route(side)[0], flow.category);
        if self.line(queue, category).places.is_empty() && self.has_room((id, side), queue) {
            self.notify_of_room((id, side), queue);
        } else {
            self.line(queue, category).places.push_back((id, side));
            self.serve_line(queue, category);
        }
    }

    /// These packets of an end have left the queue before their hop over the air, which is number `hop` of its route.
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
            if !self.line(queue, category).places.is_empty() {
                self.serve_line(queue, category);
            }
        }
    }

    /// Puts up to so many packets of a saturated source into the queue of a member at once, and tells how many: as long as
    /// it would be the only one to find room there.
    fn refill(&mut self, queue: Hop, id: FlowId, packets: usize) -> usize {
        let Self { cells, flows, recorder, now, .. } = self;
        let Flow { source: Source::Udp(sender), category, .. } = &mut flows[id.index()] else {
            return 0;
        };
        let Hop::Air { cell, from, to } = queue else { return 0 };
        let Bss { cell, msdu_overhead, lines, watches_packets, .. } = &mut cells[cell.index()];
        let is_line_empty = lines[from.index()][*category as usize].places.is_empty();
        if *watches_packets || !is_line_empty {
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

    /// A packet has left the queue of a link for whose room someone waits.
    pub(super) fn leave_room_on(&mut self, link: LinkId) {
        if self.lines[link.index()].alarm.ring(self.now) {
            self.serve_line(Hop::Wire(link), AccessCategory::default());
        }
    }

    /// Calls those who wait, one after the other, while there is room. Whoever has to wait again comes last.
    #[inline(never)]
    fn serve_line(&mut self, queue: Hop, category: AccessCategory) {
        for _ in 0..self.line(queue, category).places.len() {
            let (id, side) = *self.line(queue, category).places.front().expect("someone waits");
            if !self.has_room((id, side), queue) {
                break;
            }
            self.line(queue, category).places.pop_front();
            self.notify_of_room((id, side), queue);
        }
        if let Hop::Wire(link) = queue {
            self.set_alarm(link);
        }
    }

    /// The one notification of room: there is some for the packet that an end waits to send.
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
            // What is refused all the same is lost, and the source in line again.
            let _ = self.send_over(queue, &packet);
        }
    }

    #[inline]
    fn line(&mut self, queue: Hop, category: AccessCategory) -> &mut Line {
        match queue {
            Hop::Air { cell, from, .. } => {
                &mut self.cells[cell.index()].lines[from.index()][category as usize]
            }
            Hop::Wire(link) => &mut self.lines[link.index()],
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

    /// Whoever is first in line before a link is called when the next packet has left.
    fn set_alarm(&mut self, link: LinkId) {
        let Some(&(id, side)) = self.lines[link.index()].places.front() else { return };
        let packet = self.awaited_size(id, side);
        let at = self.links[link.index()].next_departure(self.now, packet);
        if let Some(at) = self.lines[link.index()].alarm.want(Some(at)) {
            self.queue.push(at, Phase::End, Event::Room(link));
        }
    }

    fn awaited_size(&self, id: FlowId, side: Side) -> Bytes {
        let packet = self.flows[id.index()].source.awaited_size(side);
        packet.expect("only who waits asks for room")
    }

    /// The queue of its host has refused a packet: its fate, as its source decides.
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
            // There was room, and random early detection did not want the packet.
            (WithoutRoom::Wait, _) => (RefusalOutcome::Lost, true),
            (WithoutRoom::Lose | WithoutRoom::Return, _) => (RefusalOutcome::Lost, false),
        };
        if waits {
            self.stand_in_line(packet.flow, packet.origin);
        }
        if outcome == RefusalOutcome::TakenBack && packet.origin == Side::Sender {
            self.emit(packet.flow, FlowRecord::Refused);
        }
        outcome
    }

    /// An end whose packet was refused waits for its turn.
    fn stand_in_line(&mut self, id: FlowId, side: Side) {
        let queue = self.flows[id.index()].route(side)[0];
        let category = self.flows[id.index()].category;
        self.line(queue, category).places.push_back((id, side));
        if let Hop::Wire(link) = queue {
            self.set_alarm(link);
        }
    }
}
