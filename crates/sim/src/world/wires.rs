//! Packets over wired links.

use airfair_wlan::{Msdu, Phase};

use super::flows::record_intake;
use super::{Event, World};
use crate::clock::Clock;
use crate::endpoint::{Intake, Sink};
use crate::flow::{Departures, Full, Hop};
use crate::link::{Arrival, LinkId, Queued, Refusal, Sent, Served};
use crate::packet::{Body, Packet, Side};
use crate::record::{LinkRecord, SentAt};
use crate::recorder::Recorder;
use crate::trace::Trace;

impl<R: Recorder, C: Clock> World<R, C> {
    #[inline(never)]
    pub(super) fn forward_by_wire(&mut self, id: LinkId, packet: &Packet) -> Result<(), Full> {
        let queued = self.put_on_wire(id, packet)?;
        self.note_sent(packet);
        self.recorder.record_link(self.now, id, LinkRecord::Queued(queued));
        let Packet { flow, origin, hop, .. } = *packet;
        match self.departures(flow, origin, hop) {
            Departures::Ignored => {}
            Departures::Awaited => {
                let at = self.links[id.index()].last_departure();
                self.queue.push(at, Phase::End, Event::Departure(flow, origin));
            }
            Departures::Counted => self.note_departure(id, packet),
        }
        Ok(())
    }

    /// Forwards packets that have crossed the previous hop together.
    #[inline(never)]
    pub(super) fn forward_all_by_wire(&mut self, id: LinkId, come: &[Msdu<Packet>]) {
        for Msdu { payload, .. } in come {
            match self.put_on_wire(id, payload) {
                Ok(queued) => self.recorder.record_link(self.now, id, LinkRecord::Queued(queued)),
                Err(Full) => self.lose(payload),
            }
        }
    }

    /// Sends a packet over a link. Returns the number of packets in the link's queue, this one included.
    #[inline(always)]
    #[expect(
        clippy::inline_always,
        reason = "each call on a packet's way costs twenty instructions"
    )]
    fn put_on_wire(&mut self, id: LinkId, packet: &Packet) -> Result<u32, Full> {
        let link = &mut self.links[id.index()];
        let was_empty = link.is_empty();
        let number = self.queue.reserve();
        match link.send(self.now, packet, number) {
            Ok(Sent { arrival, queued }) => {
                // A link's arrivals follow each other, so the event queue holds only the next one.
                if was_empty {
                    self.queue.push_reserved(arrival, Phase::End, number, Event::Arrival(id));
                }
                Ok(queued)
            }
            Err(refusal) => {
                let record = match refusal {
                    Refusal::Coupled => return self.put_in_coupled_queues(id, packet),
                    Refusal::QueueFull => LinkRecord::Dropped,
                    Refusal::Early => LinkRecord::DroppedEarly,
                };
                self.recorder.record_link(self.now, id, record);
                Err(Full)
            }
        }
    }

    /// Puts a packet into the coupled queues of a link, which sends it at once if it sends nothing else. Returns the number of
    /// packets in the queues, this one included.
    #[cold]
    #[inline(never)]
    fn put_in_coupled_queues(&mut self, id: LinkId, packet: &Packet) -> Result<u32, Full> {
        let link = &mut self.links[id.index()];
        let was_empty = link.is_empty();
        let Ok(Queued { must_begin, packets }) = link.queue(self.now, packet) else {
            self.recorder.record_link(self.now, id, LinkRecord::Dropped);
            return Err(Full);
        };
        if must_begin {
            let number = self.queue.reserve();
            let arrival = link.begin(self.now, packet, number);
            if was_empty {
                self.queue.push_reserved(arrival, Phase::End, number, Event::Arrival(id));
            }
            self.await_service(id);
        }
        Ok(packets)
    }

    /// Schedules the service of a link with coupled queues.
    #[cold]
    fn await_service(&mut self, id: LinkId) {
        let at = self.links[id.index()].last_departure();
        self.queue.push(at, Phase::End, Event::Service(id));
    }

    /// Lets a link with coupled queues send its next packet.
    #[cold]
    pub(super) fn serve_link(&mut self, id: LinkId) {
        let was_empty = self.links[id.index()].is_empty();
        let number = self.queue.reserve();
        let Served { dropped, arrival } = self.links[id.index()].serve(self.now, number);
        for packet in dropped {
            self.recorder.record_link(self.now, id, LinkRecord::DroppedEarly);
            self.lose(&packet);
        }
        let Some(arrival) = arrival else { return };
        if was_empty {
            self.queue.push_reserved(arrival, Phase::End, number, Event::Arrival(id));
        }
        self.await_service(id);
    }

    /// Handles the arrival, or loss, of a packet at the end of a link. Returns false if no cell can be affected: a
    /// datagram has reached its sink, which never answers, or an acknowledgement has reached a source whose packets
    /// go over wires.
    #[inline]
    pub(super) fn arrive_by_wire(&mut self, id: LinkId) -> bool {
        let Self { now, links, flows, cells, recorder, .. } = self;
        let link = &mut links[id.index()];
        let queued = link.queued(*now);
        let Arrival { packet, is_lost } = link.arrival(*now).expect("an arrival was announced");
        if is_lost {
            // The packet was lost on this hop, and has not reached the next one.
            let packet = Packet { hop: packet.hop - 1, ..*packet };
            link.pass(*now);
            recorder.record_link(*now, id, LinkRecord::Lost(queued));
            self.lose(&packet);
            return true;
        }
        recorder.record_link(*now, id, LinkRecord::Arrived(queued));
        let flow = &mut flows[packet.flow.index()];
        // Where possible, the packet is forwarded from the link's memory, since each copy costs a dozen instructions.
        match (flow.route(packet.origin).get(usize::from(packet.hop)), &packet.body) {
            (Some(&Hop::Air { cell, from, to }), _) if !cells[cell.index()].watches(from) => {
                let bss = &mut cells[cell.index()];
                let refused = bss.enqueue(*now, packet, from, to).err().map(|Full| *packet);
                link.pass(*now);
                if let Some(packet) = refused {
                    self.lose(&packet);
                }
                true
            }
            (None, Body::Datagram(datagram)) if !flow.source.has_messages() => {
                let Sink::Udp(sink) = &mut flow.sink else {
                    unreachable!("both ends of a flow speak one transport")
                };
                let delivered = sink.handle_datagram(datagram);
                let intake = Intake { delivered, is_repeated: false, is_marked: false };
                let whose = (packet.flow, SentAt(packet.sent_at));
                link.pass(*now);
                record_intake(*now, whose, intake, recorder);
                false
            }
            (None, Body::Segment(_)) if packet.origin == Side::Receiver => {
                let id = packet.flow;
                let sends_by_air = matches!(flow.forth[0], Hop::Air { .. });
                if R::TRACES {
                    recorder.trace(*now, Trace::Received(packet));
                }
                flow.source.handle(*now, &packet.body);
                link.pass(*now);
                self.drain_source(id);
                sends_by_air
            }
            _ => {
                let packet = *packet;
                link.pass(*now);
                self.arrive(&packet);
                true
            }
        }
    }
}
