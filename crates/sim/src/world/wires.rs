//! Packets over wires.

use airfair_wlan::Phase;

use super::room::Full;
use super::{Event, World};
use crate::clock::Clock;
use crate::link::{Arrival, LinkId, Refusal, Sent};
use crate::packet::Packet;
use crate::record::{LinkRecord, Recorder};

impl<R: Recorder, C: Clock> World<R, C> {
    #[inline(never)]
    pub(super) fn forward_by_wire(&mut self, id: LinkId, packet: &Packet) -> Result<(), Full> {
        let link = &mut self.links[id.index()];
        let was_empty = link.is_empty();
        let number = self.queue.reserve();
        let Sent { arrival, queued } = match link.send(self.now, packet, number) {
            Ok(sent) => sent,
            Err(refusal) => {
                let record = match refusal {
                    Refusal::QueueFull => LinkRecord::Dropped,
                    Refusal::Early => LinkRecord::DroppedEarly,
                };
                self.recorder.record_link(self.now, id, record);
                return Err(Full);
            }
        };
        self.note_sent(packet);
        // A link's arrivals follow each other, so the queue holds the next one alone.
        if was_empty {
            self.queue.push_reserved(arrival, Phase::End, number, Event::Arrival(id));
        }
        self.recorder.record_link(self.now, id, LinkRecord::Queued(queued));
        let Packet { flow, origin, hop, .. } = *packet;
        if self.awaits_departure(flow, origin, hop)
            && let Some(at) = self.links[id.index()].last_departure()
        {
            self.queue.push(at, Phase::End, Event::Departure(flow, origin));
        }
        Ok(())
    }

    pub(super) fn arrive_by_wire(&mut self, id: LinkId) {
        let link = &mut self.links[id.index()];
        let Arrival { packet, is_lost } = link.arrival(self.now).expect("an arrival was announced");
        let mut packet = *packet;
        link.pass();
        let queued = link.queued(self.now);
        if is_lost {
            self.recorder.record_link(self.now, id, LinkRecord::Lost(queued));
            return self.lose(&packet);
        }
        self.recorder.record_link(self.now, id, LinkRecord::Arrived(queued));
        packet.hop += 1;
        self.arrive(&packet);
    }
}
