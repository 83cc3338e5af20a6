//! Frames of the packets that are inside the simulated world.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard};

use airfair_sim::packet::{Ecn, External, Handle};
use airfair_units::Time;

use crate::headers::{self, HEADER};

/// Number of released frames that are kept for a capture. A frame may be on the air once more after its packet has
/// been released, if its ACK was lost.
const KEPT: usize = 256;

/// Frame of a packet inside the simulated world, and the time at which the packet entered.
#[derive(Debug, Default)]
pub(crate) struct Stored {
    pub(crate) frame: Vec<u8>,
    pub(crate) since: Time,
    handle: u64,
}

/// Frames of all packets inside the simulated world, by handle.
#[derive(Debug, Default)]
pub(crate) struct Store {
    packets: Vec<Stored>,
    /// Places of released frames; the one that was released first is used again first.
    free: VecDeque<usize>,
    next: u64,
}

impl Store {
    /// Stores the frame of a packet that enters the world now.
    pub(crate) fn put(&mut self, frame: &[u8], since: Time) -> Handle {
        let reused = self.free.len() > KEPT;
        let at = reused.then(|| self.free.pop_front()).flatten().unwrap_or_else(|| {
            self.packets.push(Stored::default());
            self.packets.len() - 1
        });
        let stored = &mut self.packets[at];
        stored.since = since;
        stored.frame.clear();
        stored.frame.extend(frame);
        // A handle has the number of the packet above its place, so that none is used twice.
        stored.handle = self.next << 32 | at as u64;
        self.next += 1;
        Handle(stored.handle)
    }

    /// Frees the handle of a packet, and returns the packet's frame. A later call of `put` may
    /// overwrite the frame.
    pub(crate) fn release(&mut self, handle: Handle) -> &mut Stored {
        let at = place(handle);
        self.free.push_back(at);
        &mut self.packets[at]
    }

    /// Frame of a packet that is inside the world, or has left it not long ago; `None` for an older one.
    fn frame(&self, handle: Handle) -> Option<&[u8]> {
        let stored = self.packets.get(place(handle))?;
        (stored.handle == handle.0).then_some(&stored.frame)
    }
}

fn place(Handle(handle): Handle) -> usize {
    usize::try_from(handle & u64::from(u32::MAX)).expect("a place in memory")
}

/// Frames of an emulation, which its engine shares with a capture.
#[derive(Clone, Debug, Default)]
pub struct Frames(Arc<Mutex<Store>>);

impl Frames {
    pub(crate) fn store(&self) -> MutexGuard<'_, Store> {
        self.0.lock().expect("nobody panics while it holds the lock")
    }

    /// Appends up to `most` octets of a packet to `to`, from its IP header on and with the ECN field that it has on
    /// its way, and returns its `EtherType`; `None` if the packet left the cell too long ago.
    pub fn read(&self, packet: &External, most: usize, to: &mut Vec<u8>) -> Option<u16> {
        let store = self.store();
        let frame = store.frame(packet.handle)?;
        let kind = frame.get(HEADER - 2..HEADER)?;
        let kind = u16::from_be_bytes([kind[0], kind[1]]);
        let start = &frame[..frame.len().min(HEADER + most)];
        if packet.ecn == Ecn::CE {
            let mut marked = start.to_vec();
            headers::write_mark(&mut marked);
            to.extend(&marked[HEADER..]);
        } else {
            to.extend(&start[HEADER..]);
        }
        Some(kind)
    }
}

#[cfg(test)]
mod tests {
    use airfair_units::Bytes;

    use super::*;

    fn read(frames: &Frames, handle: Handle) -> Option<(u16, Vec<u8>)> {
        let mut octets = Vec::new();
        let packet = External::new(Bytes::new(40), handle);
        frames.read(&packet, 4, &mut octets).map(|kind| (kind, octets))
    }

    /// Ethernet frame of IPv6 with these octets behind its header.
    fn frame(packet: &[u8]) -> Vec<u8> {
        [&[2; 12][..], &[0x86, 0xdd], packet].concat()
    }

    #[test]
    fn the_start_of_a_packet_is_read_until_its_place_is_used_again() {
        let frames = Frames::default();
        let first = frames.store().put(&frame(&[0x60, 1, 2, 3, 4, 5]), Time::ZERO);
        let start = Some((0x86dd, vec![0x60, 1, 2, 3]));
        assert_eq!(read(&frames, first), start);
        frames.store().release(first);
        // A frame that is on the air once more after its packet has been released is still there.
        for _ in 0..KEPT {
            let next = frames.store().put(&frame(&[0x60, 9]), Time::ZERO);
            assert_eq!(read(&frames, next), Some((0x86dd, vec![0x60, 9])));
            frames.store().release(next);
        }
        assert_eq!(read(&frames, first), start);
        let later = frames.store().put(&frame(&[0x60]), Time::ZERO);
        assert_ne!(later, first);
        assert_eq!(read(&frames, first), None, "another packet has its place");
    }
}
