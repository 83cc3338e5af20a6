//! Frames of the packets that are inside the simulated world.

use airfair_sim::packet::Handle;
use airfair_units::Time;

/// Frame of a packet inside the simulated world, and the time at which the packet entered.
#[derive(Debug, Default)]
pub(crate) struct Stored {
    pub(crate) frame: Vec<u8>,
    pub(crate) since: Time,
}

/// Frames of all packets inside the simulated world, by handle.
#[derive(Debug, Default)]
pub(crate) struct Store {
    packets: Vec<Stored>,
    free: Vec<usize>,
}

impl Store {
    /// Stores the frame of a packet that enters the world now.
    pub(crate) fn put(&mut self, frame: &[u8], since: Time) -> Handle {
        let at = self.free.pop().unwrap_or_else(|| {
            self.packets.push(Stored::default());
            self.packets.len() - 1
        });
        let stored = &mut self.packets[at];
        stored.since = since;
        stored.frame.clear();
        stored.frame.extend(frame);
        Handle(at as u64)
    }

    /// Frees the handle of a packet, and returns the packet's frame. The next call of `put` may
    /// overwrite the frame.
    pub(crate) fn release(&mut self, Handle(at): Handle) -> &mut Stored {
        let at = usize::try_from(at).expect("a place in memory");
        self.free.push(at);
        &mut self.packets[at]
    }
}
