//! Payloads of the packets that are in the world of a link.

use airfair_sim::packet::Handle;
use airfair_units::{Bytes, Time};

/// Payload of a packet in the world, with the packet's size and the time at which it was sent.
#[derive(Clone, Debug)]
pub(crate) struct Stored<P> {
    pub(crate) payload: P,
    pub(crate) size: Bytes,
    pub(crate) sent_at: Time,
}

/// Payloads by handle. A handle that has come back is used again.
#[derive(Clone, Debug)]
pub(crate) struct Store<P> {
    by_handle: Vec<Option<Stored<P>>>,
    free: Vec<usize>,
}

impl<P> Store<P> {
    pub(crate) fn new() -> Self {
        Self { by_handle: Vec::new(), free: Vec::new() }
    }

    pub(crate) fn put(&mut self, packet: Stored<P>) -> Handle {
        let at = self.free.pop().unwrap_or_else(|| {
            self.by_handle.push(None);
            self.by_handle.len() - 1
        });
        self.by_handle[at] = Some(packet);
        Handle(at as u64)
    }

    pub(crate) fn take(&mut self, Handle(at): Handle) -> Stored<P> {
        let at = usize::try_from(at).expect("a place in memory");
        self.free.push(at);
        self.by_handle[at].take().expect("a handle that the world gives back once")
    }

    /// Number of packets in the world.
    pub(crate) fn len(&self) -> usize {
        self.by_handle.len() - self.free.len()
    }
}
