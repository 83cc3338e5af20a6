//! Coupled queues of a link: the next packet is chosen when the one before it has been sent.

use airfair_units::Time;
use airfair_wlan::{Msdu, NodeId};

use super::{LinkDirection, Marking, Queued, Refusal, Served};
use crate::packet::Packet;

impl LinkDirection {
    /// Puts a packet into the coupled queues. If nothing is sent, the packet must [begin](Self::begin).
    ///
    /// # Errors
    /// [`Refusal::QueueFull`] if the queues are full.
    pub fn queue(&mut self, now: Time, packet: &Packet) -> Result<Queued, Refusal> {
        let Some(Marking::Coupled(queues)) = self.marking.as_deref_mut() else {
            unreachable!("no coupled queues")
        };
        let must_begin = queues.is_empty();
        let size = packet.size();
        let msdu = Msdu { payload: *packet, size, from: NodeId::AP, to: NodeId::AP };
        if !queues.push(now, msdu) {
            return Err(Refusal::QueueFull);
        }
        if must_begin {
            return Ok(Queued { must_begin, packets: 1 });
        }
        self.waiting += 1;
        Ok(Queued { must_begin, packets: self.queued(now) })
    }

    /// Sends the only packet of the coupled queues. Returns its arrival, which will be the event with this `number`.
    pub fn begin(&mut self, now: Time, packet: &Packet, number: u64) -> Time {
        self.accept(now, packet, number, (packet.size(), 0)).arrival
    }

    /// Sends the next packet of coupled queues, whose arrival will be the event with this `number`.
    pub fn serve(&mut self, now: Time, number: u64) -> Served {
        let Some(Marking::Coupled(queues)) = self.marking.as_deref_mut() else {
            return Served::default();
        };
        if let Some(sent) = queues.packet().map(|served| served.mpdu.sequence) {
            queues.finish(now, sent);
        }
        let mut dropped = Vec::new();
        while let Some((msdu, _)) = queues.poll_dropped() {
            dropped.push(msdu.payload);
        }
        let next = queues.packet().map(|served| served.mpdu.msdu.payload);
        let left = dropped.len() + usize::from(next.is_some());
        self.waiting -= u32::try_from(left).expect("they have waited");
        let arrival = next.map(|packet| {
            let before = self.queued(now);
            self.accept(now, &packet, number, (packet.size(), before)).arrival
        });
        Served { dropped, arrival }
    }
}
