//! Queues behind the classifier, and packets dropped from them.

use std::collections::VecDeque;

use airfair_units::{Bytes, Time};

use super::codel;
use super::headers::Headers;
use crate::frame::Msdu;
use crate::node::NodeId;
use crate::record::DropCause;

/// A packet that waits in a queue, with the time at which it came.
#[derive(Clone, Debug)]
pub(super) struct Waiting<P> {
    pub(super) msdu: Msdu<P>,
    pub(super) since: Time,
}

/// One of the queues between which a transmitter's scheduler chooses.
#[derive(Clone, Debug)]
pub(super) struct SubQueue<P> {
    pub(super) packets: VecDeque<Waiting<P>>,
    /// Receivers to which lost MPDUs or `BlockAckReq`s are to be sent again, in the queue's turn and before its
    /// packets.
    pub(super) again: VecDeque<NodeId>,
    pub(super) bytes: Bytes,
    pub(super) codel: codel::State,
    pub(super) turn: Turn,
    /// True if `DualPI2` has judged the first packet.
    pub(super) is_judged: bool,
}

/// Largest queue that counts as short: the default quantum of a flow.  [RFC8290 §5.2.4]
const SHORT: Bytes = Bytes::new(1_514);

/// Mean size up to which packets are small. Calls and games have at most 400 octets in a packet, ACKs of TCP 80, and those of
/// QUIC about 250 if they report many gaps. Bulk is mostly above 1000.
const SMALL: Bytes = Bytes::new(512);

impl<P> SubQueue<P> {
    /// True if the queue sends a packet for `to` next, and not lost MPDUs or a `BlockAckReq`, which come before
    /// packets.
    pub(super) fn is_for(&self, to: NodeId) -> bool {
        self.again.is_empty() && self.packets.front().is_some_and(|it| it.msdu.to == to)
    }

    /// True if the queue has more octets than a flow may send at once, in packets that are not small. A flow that sends less
    /// than its share, or acknowledges, has no such queue.
    pub(super) fn is_bulk(&self) -> bool {
        self.bytes > SHORT.max(Bytes::new(SMALL.get() * self.packets.len() as u64))
    }

    /// True if packets of the queue may be sent, and are no bulk.
    pub(super) fn is_short(&self) -> bool {
        self.again.is_empty() && !self.packets.is_empty() && !self.is_bulk()
    }
}

/// Answer to the offer of a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Picked {
    /// The packet is taken.
    Taken,
    /// The packet stays, and another one may be taken.
    Passed,
    /// The packet stays, as do all others.
    Done,
}

/// State of a queue in deficit round robin.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Turn {
    /// Octets that the queue may send before others have their turn.
    pub(super) credit: i64,
    /// True if the queue is in a list of the scheduler.
    pub(super) is_listed: bool,
}

impl<P> Default for SubQueue<P> {
    fn default() -> Self {
        let codel = codel::State::default();
        let (packets, again) = (VecDeque::new(), VecDeque::new());
        let turn = Turn::default();
        Self { packets, again, bytes: Bytes::ZERO, codel, turn, is_judged: false }
    }
}

/// All queues between which a transmitter's scheduler chooses, with the packets dropped from them.
#[derive(Clone, Debug)]
pub(super) struct SubQueues<P> {
    queues: Vec<SubQueue<P>>,
    /// Number of packets in all queues, plus number of receivers that wait for lost MPDUs or a `BlockAckReq`. Each of
    /// these needs a turn as a packet does.
    pub(super) waiting: u32,
    /// Number of receivers, over all queues, that wait for lost MPDUs or a `BlockAckReq`.
    pub(super) again: u32,
    /// Packets dropped after they had been added, with the reason.
    pub(super) dropped: VecDeque<(Msdu<P>, DropCause)>,
}

/// Packets for one receiver that wait and are not on the air.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Waits {
    pub(crate) octets: Bytes,
    /// Size of the largest packet, or of the largest A-MSDU that was sent before.
    pub(crate) largest: Bytes,
    /// Time since which the oldest packet waits in a queue.
    pub(crate) since: Option<Time>,
}

impl Waits {
    #[inline]
    pub(super) fn add(&mut self, size: Bytes) {
        self.octets += size;
        self.largest = self.largest.max(size);
    }

    /// Adds the packets of a queue that has packets for this receiver only.
    pub(super) fn add_queue<P>(&mut self, queue: &SubQueue<P>) {
        let largest = queue.packets.iter().map(|it| it.msdu.size).max();
        self.largest = self.largest.max(largest.unwrap_or_default());
        self.octets += queue.bytes;
        self.since = queue.packets.front().map(|it| it.since);
    }

    /// Notes that a packet waits since this time.
    #[inline]
    pub(super) fn note_since(&mut self, since: Time) {
        self.since = Some(self.since.map_or(since, |before| before.min(since)));
    }
}

impl<P> SubQueues<P> {
    pub(super) fn new() -> Self {
        Self { queues: Vec::new(), waiting: 0, again: 0, dropped: VecDeque::new() }
    }

    /// Queue `index`, which is created if it is missing.
    #[inline]
    pub(super) fn get(&mut self, index: usize) -> &mut SubQueue<P> {
        if index >= self.queues.len() {
            self.grow(index + 1);
        }
        &mut self.queues[index]
    }

    #[cold]
    fn grow(&mut self, count: usize) {
        self.queues.resize_with(count, SubQueue::default);
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &SubQueue<P>> {
        self.queues.iter()
    }

    /// Number of packets in queue `index`, plus number of receivers that wait in this queue for lost MPDUs or a
    /// `BlockAckReq`.
    pub(super) fn len(&self, index: usize) -> usize {
        self.queues.get(index).map_or(0, |queue| queue.packets.len() + queue.again.len())
    }

    /// Number of packets in queue `index`.
    pub(super) fn packets(&self, index: usize) -> usize {
        self.queues.get(index).map_or(0, |queue| queue.packets.len())
    }

    pub(super) fn bytes(&self, index: usize) -> Bytes {
        self.queues.get(index).map_or(Bytes::ZERO, |queue| queue.bytes)
    }

    /// Octets that queue `index` pays for when it is served next: those of its first packet, or zero for lost MPDUs or
    /// a `BlockAckReq`, which have been paid for before.
    pub(super) fn head_size(&self, index: usize) -> Option<Bytes> {
        let queue = self.queues.get(index)?;
        if !queue.again.is_empty() {
            return Some(Bytes::ZERO);
        }
        Some(queue.packets.front()?.msdu.size)
    }

    /// True if lost MPDUs or a `BlockAckReq` are to be sent before the packets of queue `index`.
    pub(super) fn goes_again(&self, index: usize) -> bool {
        self.queues.get(index).is_some_and(|queue| !queue.again.is_empty())
    }

    /// True if bulk waits in queue `index`.
    pub(super) fn is_bulk(&self, index: usize) -> bool {
        self.queues.get(index).is_some_and(SubQueue::is_bulk)
    }

    /// True if packets wait in queue `index` that are no bulk.
    pub(super) fn is_short(&self, index: usize) -> bool {
        self.queues.get(index).is_some_and(SubQueue::is_short)
    }

    /// Receiver of the first packet of queue `index`.
    pub(super) fn first_receiver(&self, index: usize) -> Option<NodeId> {
        Some(self.queues.get(index)?.packets.front()?.msdu.to)
    }

    /// Schedules lost MPDUs or a `BlockAckReq` to receiver `to` in the turn of queue `index`, before the queue's
    /// packets.
    pub(super) fn push_again(&mut self, index: usize, to: NodeId) {
        self.get(index).again.push_back(to);
        (self.waiting, self.again) = (self.waiting + 1, self.again + 1);
    }

    /// Takes the first receiver that waits in queue `index` for lost MPDUs or a `BlockAckReq`, if there is one.
    pub(super) fn pop_again(&mut self, index: usize) -> Option<NodeId> {
        let to = self.queues.get_mut(index)?.again.pop_front()?;
        (self.waiting, self.again) = (self.waiting - 1, self.again - 1);
        Some(to)
    }

    /// Removes receiver `to` from those that wait in queue `index` for lost MPDUs or a `BlockAckReq`, because another
    /// frame to the receiver carries them.
    pub(super) fn remove_again(&mut self, index: usize, to: NodeId) {
        let queue = self.get(index);
        let before = queue.again.len();
        queue.again.retain(|it| *it != to);
        let removed = u32::from(queue.again.len() < before);
        (self.waiting, self.again) = (self.waiting - removed, self.again - removed);
    }

    /// Place of the first packet for `to` in queue `index`, at `from` or behind.
    #[inline]
    pub(super) fn find(&self, index: usize, to: NodeId, from: usize) -> Option<usize> {
        let packets = &self.queues.get(index)?.packets;
        if packets.get(from)?.msdu.to == to {
            return Some(from);
        }
        let found = packets.range(from.min(packets.len())..).position(|it| it.msdu.to == to)?;
        Some(from + found)
    }

    /// Size of the packet at `place` of queue `index`.
    #[inline]
    pub(super) fn size_at(&self, index: usize, place: usize) -> Bytes {
        self.queues[index].packets[place].msdu.size
    }

    /// Takes the packet at `place` of queue `index`.
    #[expect(clippy::inline_always, reason = "a packet is copied twice less")]
    #[inline(always)]
    pub(super) fn take(&mut self, index: usize, place: usize) -> Msdu<P> {
        let queue = &mut self.queues[index];
        let taken =
            if place == 0 { queue.packets.pop_front() } else { queue.packets.remove(place) };
        let Waiting { msdu, .. } = taken.expect("a packet that waits");
        queue.bytes -= msdu.size;
        queue.is_judged &= place > 0;
        self.waiting -= 1;
        msdu
    }

    pub(super) fn push(&mut self, index: usize, msdu: Msdu<P>, now: Time) {
        let queue = self.get(index);
        queue.bytes += msdu.size;
        queue.packets.push_back(Waiting { msdu, since: now });
        self.waiting += 1;
    }

    /// Adds a packet to queue `index`, with a copy of its payload.
    #[inline]
    pub(super) fn append(&mut self, index: usize, payload: &P, frame: Msdu<()>, now: Time)
    where
        P: Copy,
    {
        let queue = self.get(index);
        queue.bytes += frame.size;
        queue.packets.push_back(Waiting { msdu: frame.with(*payload), since: now });
        self.waiting += 1;
    }

    /// Adds all packets that `next` makes to queue `index`.
    #[inline]
    pub(super) fn extend(
        &mut self,
        index: usize,
        now: Time,
        next: impl FnMut() -> Option<Msdu<P>>,
    ) {
        let queue = self.get(index);
        let before = queue.packets.len();
        for msdu in std::iter::from_fn(next) {
            queue.bytes += msdu.size;
            queue.packets.push_back(Waiting { msdu, since: now });
        }
        let come = queue.packets.len() - before;
        self.waiting += u32::try_from(come).expect("a queue of at most 2^32 packets");
    }

    /// Offers the first packets of queue `index` to `take`, one after the other, as long as they are for `to` and it
    /// accepts them. Returns the number of packets taken.
    #[expect(clippy::inline_always, reason = "the state of a batch stays in registers")]
    #[inline(always)]
    pub(super) fn hand_over(
        &mut self,
        index: usize,
        to: NodeId,
        mut take: impl FnMut(&Msdu<P>) -> bool,
    ) -> u32 {
        let (queue, mut taken) = (self.get(index), 0);
        while let Some(Waiting { msdu, .. }) = queue.packets.front()
            && msdu.to == to
            && take(msdu)
        {
            queue.bytes -= msdu.size;
            queue.packets.pop_front();
            taken += 1;
        }
        queue.is_judged &= taken == 0;
        self.waiting -= taken;
        taken
    }

    /// Offers the packets of queue `index` to `take`, in their order and until it is done. Packets that it does not
    /// accept stay in their order. Returns the number of packets taken.
    pub(super) fn pick(&mut self, index: usize, mut take: impl FnMut(&Msdu<P>) -> Picked) -> u32 {
        let (queue, mut taken, mut passed) = (self.get(index), 0, Vec::new());
        while let Some(Waiting { msdu, .. }) = queue.packets.front() {
            match take(msdu) {
                Picked::Taken => {
                    queue.bytes -= msdu.size;
                    queue.packets.pop_front();
                    taken += 1;
                }
                Picked::Passed => passed.extend(queue.packets.pop_front()),
                Picked::Done => break,
            }
        }
        while let Some(waiting) = passed.pop() {
            queue.packets.push_front(waiting);
        }
        self.waiting -= taken;
        taken
    }

    /// Takes the first packet of queue `index`.
    #[inline]
    pub(super) fn pop(&mut self, index: usize) -> Option<Msdu<P>> {
        let queue = self.queues.get_mut(index)?;
        let Waiting { msdu, .. } = queue.packets.pop_front()?;
        queue.bytes -= msdu.size;
        queue.is_judged = false;
        self.waiting -= 1;
        Some(msdu)
    }

    /// Takes all packets from all queues, in the order in which they came, and removes the queues.
    pub(super) fn drain(&mut self) -> impl Iterator<Item = Msdu<P>> + use<P> {
        let mut waiting: Vec<_> = self.queues.drain(..).flat_map(|queue| queue.packets).collect();
        waiting.sort_by_key(|it| it.since);
        (self.waiting, self.again) = (0, 0);

        waiting.into_iter().map(|it| it.msdu)
    }

    /// Marks the packet at `place` of queue `index` as congested. Returns false if its transport does not answer marks.
    #[cold]
    pub(super) fn mark(&mut self, index: usize, place: usize) -> bool
    where
        P: Headers,
    {
        let packet = self.get(index).packets.get_mut(place);
        packet.is_some_and(|waiting| waiting.msdu.payload.mark())
    }

    /// Time since which the first packet of queue `index` waits.
    pub(super) fn first_since(&self, index: usize) -> Option<Time> {
        Some(self.queues.get(index)?.packets.front()?.since)
    }

    /// Drops the packet at `place` of queue `index`.
    #[cold]
    pub(super) fn remove(&mut self, index: usize, place: usize, cause: DropCause) {
        let removed = self.take(index, place);
        self.dropped.push_back((removed, cause));
    }
}
