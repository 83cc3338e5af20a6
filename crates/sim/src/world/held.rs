//! Packets that an agent of an access point delays.

use airfair_units::Time;
use airfair_wlan::Phase;

use super::{Event, Hop, World};
use crate::clock::Clock;
use crate::coupling::Passage;
use crate::packet::Packet;
use crate::recorder::Recorder;

/// Packet that an agent delays, with the point at which the agent has seen it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct HeldPacket {
    passage: Passage,
    packet: Packet,
}

/// Delayed packets by number. Numbers of packets that have gone on are used again.
#[derive(Clone, Debug, Default)]
pub(crate) struct HeldPackets {
    by_number: Vec<Option<HeldPacket>>,
    free: Vec<usize>,
}

impl HeldPackets {
    /// Delayed packets, in the order of their numbers.
    pub(super) fn iter(&self) -> impl Iterator<Item = &Packet> {
        self.by_number.iter().flatten().map(|held| &held.packet)
    }
}

impl<R: Recorder, C: Clock> World<R, C> {
    /// Delays a packet until `until`.
    #[cold]
    pub(super) fn hold(&mut self, until: Time, passage: Passage, packet: Packet) {
        let HeldPackets { by_number, free } = &mut self.held;
        let number = free.pop().unwrap_or_else(|| {
            by_number.push(None);
            by_number.len() - 1
        });
        by_number[number] = Some(HeldPacket { passage, packet });
        self.queue.push(until, Phase::Timeout, Event::Held(number));
    }

    /// Lets a delayed packet go on from the point at which it was delayed.
    #[cold]
    pub(super) fn let_go(&mut self, number: usize) {
        let held = self.held.by_number[number].take();
        let HeldPacket { passage, packet } = held.expect("an event for each delayed packet");
        self.held.free.push(number);
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
