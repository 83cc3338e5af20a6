//! Coupled queues of a link: the next packet is chosen when the one before it has been sent.

use airfair_units::Time;
use airfair_wlan::{Msdu, NodeId};

use super::{LinkDirection, Marking, Refusal, Sent, Served};
use crate::packet::Packet;

impl LinkDirection {
    /// True if the link must be [served](Self::serve) when the packet accepted last has been sent.
    #[inline]
    pub fn must_be_served(&self) -> bool {
        self.marking.as_deref().is_some_and(|it| matches!(it, Marking::Coupled(_)))
    }

    /// Puts a packet into the coupled queues, or on the wire if nothing is sent.
    pub(super) fn send_coupled(
        &mut self,
        now: Time,
        packet: &Packet,
        number: u64,
    ) -> Result<Sent, Refusal> {
        let size = packet.size();
        let Some(Marking::Coupled(queues)) = self.marking.as_deref_mut() else {
            unreachable!("a link with coupled queues")
        };
        let is_idle = queues.is_empty();
        let msdu = Msdu { payload: *packet, size, from: NodeId::AP, to: NodeId::AP };
        if !queues.push(now, msdu) {
            return Err(Refusal::QueueFull);
        }
        if is_idle {
            return Ok(self.accept(now, packet, number, (size, 0)));
        }
        self.waiting += 1;
        Ok(Sent { arrival: self.busy_until, queued: self.queued(now) })
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
