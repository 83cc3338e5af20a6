//! Packets over wires.

use airfair_wlan::{Msdu, Phase};

use super::flows::record_intake;
use super::room::Full;
use super::{Event, Flow, World};
use crate::clock::Clock;
use crate::endpoint::{Intake, Sink};
use crate::link::{Arrival, LinkId, Refusal, Sent};
use crate::packet::{Body, Packet};
use crate::record::{LinkRecord, Recorder, SentAt};

impl<R: Recorder, C: Clock> World<R, C> {
    #[inline(never)]
    pub(super) fn forward_by_wire(&mut self, id: LinkId, packet: &Packet) -> Result<(), Full> {
        let queued = self.put_on_wire(id, packet)?;
        self.note_sent(packet);
        self.recorder.record_link(self.now, id, LinkRecord::Queued(queued));
        let Packet { flow, origin, hop, .. } = *packet;
        if self.awaits_departure(flow, origin, hop) {
            let at = self.links[id.index()].last_departure();
            self.queue.push(at, Phase::End, Event::Departure(flow, origin));
        }
        Ok(())
    }

    /// Forwards packets that have come together over the hop before.
    #[inline(never)]
    pub(super) fn forward_all_by_wire(&mut self, id: LinkId, come: &[Msdu<Packet>]) {
        for Msdu { payload, .. } in come {
            let packet = Packet { hop: payload.hop + 1, ..*payload };
            match self.put_on_wire(id, &packet) {
                Ok(queued) => self.recorder.record_link(self.now, id, LinkRecord::Queued(queued)),
                Err(Full) => self.lose(&packet),
            }
        }
    }

    /// Sends a packet over a link; tells how many are queued there, with this one.
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
                // A link's arrivals follow each other, so the queue holds the next one alone.
                if was_empty {
                    self.queue.push_reserved(arrival, Phase::End, number, Event::Arrival(id));
                }
                Ok(queued)
            }
            Err(refusal) => {
                let record = match refusal {
                    Refusal::QueueFull => LinkRecord::Dropped,
                    Refusal::Early => LinkRecord::DroppedEarly,
                };
                self.recorder.record_link(self.now, id, record);
                Err(Full)
            }
        }
    }

    /// Takes in the datagram that arrives over a link, if it has come to its sink, which never answers: nobody need look
    /// what comes of it.
    #[inline]
    pub(super) fn end_by_wire(&mut self, id: LinkId) -> bool {
        let Self { now, links, flows, recorder, .. } = self;
        let link = &mut links[id.index()];
        let Some(Arrival { packet, is_lost: false }) = link.arrival(*now) else { return false };
        let Flow { forth, sink: Sink::Udp(sink), .. } = &mut flows[packet.flow.index()] else {
            return false;
        };
        let Packet { body: Body::Datagram(datagram), hop, .. } = packet else { return false };
        if usize::from(*hop) + 1 < forth.len() {
            return false;
        }
        let intake = Intake { delivered: sink.handle_datagram(datagram), is_repeated: false };
        let whose = (packet.flow, SentAt(packet.sent_at));
        recorder.record_link(*now, id, LinkRecord::Arrived(link.queued(*now)));
        link.pass(*now);
        record_intake(*now, whose, intake, recorder);
        true
    }

    pub(super) fn arrive_by_wire(&mut self, id: LinkId) {
        let link = &mut self.links[id.index()];
        let Arrival { packet, is_lost } = link.arrival(self.now).expect("an arrival was announced");
        let mut packet = *packet;
        let queued = link.queued(self.now);
        link.pass(self.now);
        if is_lost {
            self.recorder.record_link(self.now, id, LinkRecord::Lost(queued));
            return self.lose(&packet);
        }
        self.recorder.record_link(self.now, id, LinkRecord::Arrived(queued));
        packet.hop += 1;
        self.arrive(&packet);
    }
}
