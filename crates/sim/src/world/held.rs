//! Packets that an agent of an access point delays.

use airfair_units::Time;
use airfair_wlan::Phase;

use super::held_packets::HeldPacket;
use super::{Event, World};
use crate::clock::Clock;
use crate::coupling::Passage;
use crate::flow::Hop;
use crate::packet::Packet;
use crate::recorder::Recorder;

impl<R: Recorder, C: Clock> World<R, C> {
    /// Delays a packet until `until`.
    #[cold]
    pub(super) fn hold(&mut self, until: Time, passage: Passage, packet: Packet) {
        let number = self.held.put(HeldPacket { passage, packet });
        self.queue.push(until, Phase::Timeout, Event::Held(number));
    }

    /// Lets a delayed packet go on from the point at which it was delayed.
    #[cold]
    pub(super) fn let_go(&mut self, number: usize) {
        let HeldPacket { passage, packet } = self.held.take(number);
        let route = self.flows[packet.flow.index()].route(packet.origin);
        match (passage, route.get(usize::from(packet.hop))) {
            (Passage::ToQueue, Some(&Hop::Air { cell, from, to })) => {
                if self.cells[cell.index()].enqueue(self.now, &packet, from, to).is_err() {
                    self.lose(&packet);
                }
            }
            _ => self.arrive(&packet),
        }
    }
}
