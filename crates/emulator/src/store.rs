//! Packets that are in the world.

use airfair_sim::packet::Handle;
use airfair_units::Time;

/// Bytes of a packet that is in the world, and the time at which it came there.
#[derive(Debug, Default)]
pub(crate) struct Stored {
    pub(crate) frame: Vec<u8>,
    pub(crate) since: Time,
}

/// Packets that are in the world, by handle.
#[derive(Debug, Default)]
pub(crate) struct Store {
    packets: Vec<Stored>,
    free: Vec<usize>,
}

impl Store {
    /// Keeps a frame that goes into the world now.
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

    /// The packet of a handle, which another one gets from now on.
    pub(crate) fn release(&mut self, Handle(at): Handle) -> &mut Stored {
        let at = usize::try_from(at).expect("a place in memory");
        self.free.push(at);
        &mut self.packets[at]
    }
}
