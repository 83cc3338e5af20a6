//! The queues behind the classifier, and what has been dropped from them.

use std::collections::VecDeque;

use airfair_units::{Bytes, Time};

use super::codel;
use crate::frame::Msdu;
use crate::record::DropCause;

/// A packet that waits.
#[derive(Debug)]
pub(super) struct Waiting<P> {
    pub(super) msdu: Msdu<P>,
    pub(super) since: Time,
}

/// One queue.
#[derive(Debug)]
pub(super) struct SubQueue<P> {
    pub(super) packets: VecDeque<Waiting<P>>,
    pub(super) bytes: Bytes,
    pub(super) codel: codel::State,
    pub(super) turn: Turn,
}

/// Standing of a queue among those that are served by deficits of octets.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Turn {
    /// Octets that it may send before others have their turn.
    pub(super) credit: i64,
    /// True if it is listed.
    pub(super) is_listed: bool,
}

impl<P> Default for SubQueue<P> {
    fn default() -> Self {
        let codel = codel::State::default();
        Self { packets: VecDeque::new(), bytes: Bytes::ZERO, codel, turn: Turn::default() }
    }
}

/// All queues of a transmitter.
#[derive(Debug)]
pub(super) struct SubQueues<P> {
    queues: Vec<SubQueue<P>>,
    /// Packets in all of them.
    pub(super) waiting: u32,
    /// Packets dropped after they had been let in.
    pub(super) dropped: VecDeque<(Msdu<P>, DropCause)>,
}

impl<P> SubQueues<P> {
    pub(super) fn new() -> Self {
        Self { queues: Vec::new(), waiting: 0, dropped: VecDeque::new() }
    }

    /// The queue `index`, made if there is none yet.
    pub(super) fn get(&mut self, index: usize) -> &mut SubQueue<P> {
        if index >= self.queues.len() {
            self.queues.resize_with(index + 1, SubQueue::default);
        }
        &mut self.queues[index]
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &SubQueue<P>> {
        self.queues.iter()
    }

    pub(super) fn len(&self, index: usize) -> usize {
        self.queues.get(index).map_or(0, |queue| queue.packets.len())
    }

    pub(super) fn bytes(&self, index: usize) -> Bytes {
        self.queues[index].bytes
    }

    /// Size of the first packet of queue `index`.
    pub(super) fn head_size(&self, index: usize) -> Option<Bytes> {
        Some(self.queues.get(index)?.packets.front()?.msdu.size)
    }

    pub(super) fn push(&mut self, index: usize, msdu: Msdu<P>, now: Time) {
        let queue = self.get(index);
        queue.bytes += msdu.size;
        queue.packets.push_back(Waiting { msdu, since: now });
        self.waiting += 1;
    }

    /// Takes the first packet of queue `index`.
    #[inline]
    pub(super) fn pop(&mut self, index: usize) -> Option<Msdu<P>> {
        let queue = self.queues.get_mut(index)?;
        let Waiting { msdu, .. } = queue.packets.pop_front()?;
        queue.bytes -= msdu.size;
        self.waiting -= 1;
        Some(msdu)
    }

    /// Drops packet `place` of queue `index`.
    pub(super) fn remove(&mut self, index: usize, place: usize, cause: DropCause) {
        let queue = &mut self.queues[index];
        let removed = queue.packets.remove(place).expect("a packet that waits");
        queue.bytes -= removed.msdu.size;
        self.waiting -= 1;
        self.dropped.push_back((removed.msdu, cause));
    }
}
