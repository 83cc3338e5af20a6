//! Deficit round robin with new flows first.

use std::collections::VecDeque;

use airfair_units::{Bytes, Time};

use super::codel_drops::settle as drop_by_codel;
use super::config::{CoDel, Isolation};
use super::headers::Headers;
use super::hosts::Hosts;
use super::sub_queue::{SubQueue, SubQueues, Turn};

/// Deficit round robin between flows with `CoDel`, in which new flows come first.  [RFC8290 §4]
#[derive(Clone, Debug)]
pub(super) struct Fair {
    quantum: i64,
    new: VecDeque<usize>,
    old: VecDeque<usize>,
    /// Receivers of the queues, if these have equal shares; `None` if flows have.
    hosts: Option<Box<Hosts>>,
}

pub(super) fn octets(bytes: Bytes) -> i64 {
    i64::try_from(bytes.get()).expect("less than 2^63 octets")
}

/// Index of the queue to which a flow is hashed, by the finaliser of `SplitMix64`, which is the same on every
/// platform.
pub(super) fn bucket(flow: u64, queues: u16) -> usize {
    let word = flow.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    usize::try_from((word ^ (word >> 31)) % u64::from(queues.max(1))).expect("a small number")
}

impl Fair {
    pub(super) fn new(quantum: Bytes) -> Self {
        Self::with(quantum, Isolation::Flows)
    }

    /// Creates a scheduler between flows, or between receivers and the flows of each.
    pub(super) fn with(quantum: Bytes, isolation: Isolation) -> Self {
        let hosts = (isolation == Isolation::Receivers).then(Box::default);
        Self { quantum: octets(quantum), new: VecDeque::new(), old: VecDeque::new(), hosts }
    }

    /// Notes that queue `index` is no longer empty.  [RFC8290 §4.1]
    pub(super) fn activate<P>(&mut self, queue: &mut SubQueue<P>, index: usize) {
        if queue.turn.is_listed {
            return;
        }
        if let Some(hosts) = &mut self.hosts {
            let first = queue.packets.front().map(|it| it.msdu.to);
            hosts.enter(index, first.or(queue.again.front().copied()));
        }
        queue.turn = Turn { credit: self.share(index), is_listed: true };
        self.new.push_back(index);
    }

    /// Octets added to the deficit of queue `index` at each of its turns.
    #[inline]
    fn share(&self, index: usize) -> i64 {
        self.hosts.as_ref().map_or(self.quantum, |hosts| hosts.share(self.quantum, index))
    }

    /// Chooses the queue that is served next, and charges it.  [RFC8290 §4.2]
    pub(super) fn choose<P: Headers>(
        &mut self,
        codel: &CoDel,
        now: Time,
        queues: &mut SubQueues<P>,
    ) -> Option<usize> {
        let index = self.select(codel, now, queues, |_| true)?;
        let size = queues.head_size(index).expect("it is not empty");
        queues.get(index).turn.credit -= octets(size);
        Some(index)
    }

    /// Queue whose turn it is among those that are `wanted`. The queue is not charged yet.
    #[inline]
    pub(super) fn select<P: Headers>(
        &mut self,
        codel: &CoDel,
        now: Time,
        queues: &mut SubQueues<P>,
        wanted: impl Fn(&SubQueue<P>) -> bool,
    ) -> Option<usize> {
        loop {
            let mut place =
                |list: &VecDeque<usize>| list.iter().position(|it| wanted(queues.get(*it)));
            let new = place(&self.new);
            let (is_new, place) = (new.is_some(), new.or_else(|| place(&self.old))?);
            let list = if is_new { &mut self.new } else { &mut self.old };
            let index = list[place];
            let turn = &mut queues.get(index).turn;
            if turn.credit <= 0 {
                list.remove(place);
                turn.credit += self.share(index);
                self.old.push_back(index);
                continue;
            }
            if drop_by_codel(codel, now, queues, index) {
                if wanted(queues.get(index)) {
                    return Some(index);
                }
                continue;
            }
            list.remove(place);
            // A new queue that has run empty joins the old ones for a turn; otherwise new queues could starve the old
            // ones.
            if is_new && !self.old.is_empty() {
                self.old.push_back(index);
            } else {
                queues.get(index).turn.is_listed = false;
                if let Some(hosts) = &mut self.hosts {
                    hosts.leave(index);
                }
            }
        }
    }

    /// Indices of the queues that may have packets.
    pub(super) fn listed(&self) -> impl Iterator<Item = usize> {
        self.new.iter().chain(&self.old).copied()
    }
}
