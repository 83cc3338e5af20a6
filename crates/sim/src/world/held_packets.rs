//! Store of the packets that agents delay.

use crate::coupling::Passage;
use crate::packet::Packet;

/// Packet that an agent delays, with the point at which the agent has seen it.
#[derive(Clone, Copy, Debug)]
pub(super) struct HeldPacket {
    pub(super) passage: Passage,
    pub(super) packet: Packet,
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

    /// Adds a packet. Returns its number.
    pub(super) fn put(&mut self, packet: HeldPacket) -> usize {
        let Self { by_number, free } = self;
        let number = free.pop().unwrap_or_else(|| {
            by_number.push(None);
            by_number.len() - 1
        });
        by_number[number] = Some(packet);
        number
    }

    /// Removes the packet with this number, which is used again.
    pub(super) fn take(&mut self, number: usize) -> HeldPacket {
        self.free.push(number);
        self.by_number[number].take().expect("an event for each delayed packet")
    }
}
