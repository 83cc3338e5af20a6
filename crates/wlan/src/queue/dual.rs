//! `DualPI2`: one queue for Classic traffic and one for low latency, served by weights and coupled by their marks.
//! [RFC9332], [linux-dualpi2]

use airfair_laws::dualpi2::{self, Leaving, Params, Queue, State, Verdict};
use airfair_units::{Bytes, Duration, Time};

use super::fair::octets;
use super::headers::Headers;
use super::sub_queue::{SubQueue, SubQueues};
use crate::node::NodeId;
use crate::record::DropCause;

/// Place of the queue of Classic traffic in a pair of coupled queues, and of the L queue.
pub(super) const CLASSIC: usize = 0;
pub(super) const LOW: usize = 1;

/// Shares of the octets that the queues have while both have packets [%].  [linux-dualpi2]
const SHARES: [i64; 2] = [10, 90];
/// Octets in both queues below which nothing is marked: two full packets with LLC/SNAP.  [linux-dualpi2]
const SHORT: Bytes = Bytes::new(2 * 1_508);
/// Number of missed updates of the controller that are made up for, more than it needs to fall to zero.
const MOST_UPDATES: u64 = 1_000;

/// Two coupled queues, with the credit of their scheduler and the state of their controller.
#[derive(Clone, Debug)]
pub(super) struct Dual {
    /// Indices of the Classic and of the L queue among the transmitter's queues.
    pair: [usize; 2],
    params: Params,
    state: State,
    /// Time of the next update of the controller.
    next_update: Time,
    /// Credit of the Classic queue [octets times percent]; it is served first while this is above zero.
    credit: i64,
    /// Change of the credit by the last choice.
    last_charge: i64,
}

impl Dual {
    /// Creates the scheduler of the Classic and the L queue with the indices `pair`.
    pub(super) fn new(params: Params, pair: [usize; 2]) -> Self {
        let (next_update, credit) = (Time::ZERO + params.update, 0);
        Self { pair, params, state: State::default(), next_update, credit, last_charge: 0 }
    }

    /// Indices of the Classic and of the L queue.
    pub(super) fn pair(&self) -> [usize; 2] {
        self.pair
    }

    /// Chooses the queue that is served next, and charges it for its first packet.
    #[inline(never)]
    pub(super) fn choose<P: Headers>(
        &mut self,
        now: Time,
        queues: &mut SubQueues<P>,
    ) -> Option<usize> {
        let waits = |it: &SubQueue<P>| !it.again.is_empty() || !it.packets.is_empty();
        let Some(index) = self.select(now, queues, waits) else {
            self.credit = 0;
            return None;
        };
        let size = queues.head_size(index).unwrap_or(Bytes::ZERO);
        self.charge(queues, index, size);
        Some(index)
    }

    /// Queue whose turn it is among those of the two that are `wanted`. The queue is not charged yet.
    #[inline]
    pub(super) fn select<P: Headers>(
        &mut self,
        now: Time,
        queues: &mut SubQueues<P>,
        wanted: impl Fn(&SubQueue<P>) -> bool,
    ) -> Option<usize> {
        self.catch_up(now, queues);
        loop {
            let turn = match self.pair.map(|index| wanted(queues.get(index))) {
                [false, false] => return None,
                [true, false] => CLASSIC,
                [false, true] => LOW,
                [true, true] => usize::from(self.credit <= 0),
            };
            let index = self.pair[turn];
            if queues.goes_again(index) || self.settle(now, queues, (index, 0)) {
                return Some(index);
            }
        }
    }

    /// Finds the next packet for `to` in queue `index`, at place `from` or behind.
    #[inline(never)]
    pub(super) fn find_more<P: Headers>(
        &mut self,
        now: Time,
        queues: &mut SubQueues<P>,
        (index, from): (usize, usize),
        to: NodeId,
    ) -> Option<usize> {
        self.catch_up(now, queues);
        loop {
            let place = queues.find(index, to, from)?;
            if self.settle(now, queues, (index, place)) {
                return Some(place);
            }
        }
    }

    /// Charges queue `index` for a packet of this size, if packets wait in the other one.
    pub(super) fn charge<P>(&mut self, queues: &SubQueues<P>, index: usize, size: Bytes) {
        let (other, sign) = if index == self.pair[LOW] { (CLASSIC, 1) } else { (LOW, -1) };
        let has_other = queues.len(self.pair[other]) > 0;
        self.last_charge = if has_other { sign * SHARES[other] * octets(size) } else { 0 };
        self.credit += self.last_charge;
    }

    /// Takes back the charge of the last choice.
    pub(super) fn take_back(&mut self) {
        self.credit -= std::mem::take(&mut self.last_charge);
    }

    /// Lets a packet pass or marks it, and returns true; or drops it, and returns false.
    fn settle<P: Headers>(
        &mut self,
        now: Time,
        queues: &mut SubQueues<P>,
        (index, place): (usize, usize),
    ) -> bool {
        let [classic, low] = self.pair;
        let is_short = queues.bytes(classic) + queues.bytes(low) < SHORT;
        let queue = queues.get(index);
        let Some(packet) = queue.packets.get(place) else { return false };
        if place == 0 && queue.is_judged {
            return true;
        }
        let leaving = Leaving {
            queue: if index == low { Queue::Low } else { Queue::Classic },
            waited: now.saturating_since(packet.since),
            has_follower: queue.packets.len() > place + 1,
            is_short,
        };
        queue.is_judged |= place == 0;
        let (state, verdict) = dualpi2::judge(&self.params, self.state, leaving);
        self.state = state;
        let passes = match verdict {
            Verdict::Pass => true,
            Verdict::Mark => queues.mark(index, place),
            Verdict::Drop => false,
        };
        if !passes {
            queues.remove(index, place, DropCause::DualPi2);
        }
        passes
    }

    /// Updates the controller up to `now`, with the delay that the queues had at each of its times.
    fn catch_up<P>(&mut self, now: Time, queues: &SubQueues<P>) {
        if now < self.next_update {
            return;
        }
        let update = self.params.update;
        let missed = (now - self.next_update).as_nanos() / update.as_nanos().max(1);
        self.next_update += update * missed.saturating_sub(MOST_UPDATES);
        while self.next_update <= now {
            let waited = |index: usize| {
                let first = queues.first_since(index);
                first.map_or(Duration::ZERO, |since| self.next_update.saturating_since(since))
            };
            let delay = waited(self.pair[CLASSIC]).max(waited(self.pair[LOW]));
            self.state = dualpi2::update(&self.params, self.state, delay);
            self.next_update += update;
        }
    }
}
