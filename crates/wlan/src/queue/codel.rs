//! `CoDel`: a queue whose delay stays above a target drops at its head, more often the longer this lasts.  [RFC8289
//! §5]

use airfair_units::{Bytes, Duration, Time};

use super::config::CoDel;
use super::sub_queue::SubQueues;
use crate::record::DropCause;

/// Backlog up to which there is never a standing queue: one packet of Ethernet's MTU with LLC/SNAP. `maxpacket`
/// [RFC8289 §5.2]
const LARGEST_PACKET: Bytes = Bytes::new(1_508);
/// Number of intervals after the end of dropping within which dropping resumes at its former rate.  [RFC8289 §5.5]
const MEMORY_INTERVALS: u64 = 16;

/// State of CoDel for one queue.  [RFC8289 §5.2]
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct State {
    /// Time at which the delay will have been above the target for an interval.
    first_above: Option<Time>,
    /// Time of the next drop.
    drop_next: Time,
    /// Drops since dropping began.
    count: u32,
    /// Value of `count` when dropping began last.
    last_count: u32,
    is_dropping: bool,
}

impl State {
    /// Time of the next drop, counted from `from`. The gap between drops shrinks with the square root of their number.
    /// [RFC8289 §5.5]
    fn control_law(&self, from: Time, interval: Duration) -> Time {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            clippy::cast_precision_loss,
            reason = "less than 2^53 ns, and rounded down"
        )]
        let gap = (interval.as_nanos() as f64 / f64::from(self.count).sqrt()) as u64;
        from + Duration::from_nanos(gap)
    }

    /// True if CoDel may drop a packet that has waited since `since`, with `left` octets behind it. `dodequeue`
    /// [RFC8289 §5.4]
    fn may_drop(&mut self, rule: &CoDel, now: Time, since: Time, left: Bytes) -> bool {
        if now.saturating_since(since) < rule.target || left <= LARGEST_PACKET {
            self.first_above = None;
            return false;
        }
        let first = *self.first_above.get_or_insert(now + rule.interval);
        now >= first
    }

    /// Begins to drop packets, at the former rate if dropping has ended recently.  [RFC8289 §5.5]
    fn begin(&mut self, rule: &CoDel, now: Time) {
        self.is_dropping = true;
        let more = self.count - self.last_count;
        let is_recent = now.saturating_since(self.drop_next) < rule.interval * MEMORY_INTERVALS;
        self.count = if more > 1 && is_recent { more } else { 1 };
        self.drop_next = self.control_law(now, rule.interval);
        self.last_count = self.count;
    }
}

/// Drops packets as CoDel demands, before queue `index` is served. Returns false if the queue is empty afterwards.
/// [RFC8289 §5.5]
pub(super) fn settle<P>(rule: &CoDel, now: Time, queues: &mut SubQueues<P>, index: usize) -> bool {
    if !queues.get(index).again.is_empty() {
        // The law has already judged packets that were in service before.
        return true;
    }
    let Some(mut may_drop) = judge(rule, now, queues, index) else { return false };
    if !may_drop {
        queues.get(index).codel.is_dropping = false;
        return true;
    }
    if !queues.get(index).codel.is_dropping {
        queues.remove(index, 0, DropCause::CoDel);
        queues.get(index).codel.begin(rule, now);
        return judge(rule, now, queues, index).is_some();
    }
    while may_drop && now >= queues.get(index).codel.drop_next {
        queues.remove(index, 0, DropCause::CoDel);
        queues.get(index).codel.count += 1;
        let Some(next) = judge(rule, now, queues, index) else { return false };
        may_drop = next;
        let state = &mut queues.get(index).codel;
        if may_drop {
            state.drop_next = state.control_law(state.drop_next, rule.interval);
        } else {
            state.is_dropping = false;
        }
    }
    true
}

/// True if CoDel may drop the first packet of queue `index`; `None` if the queue is empty.
fn judge<P>(rule: &CoDel, now: Time, queues: &mut SubQueues<P>, index: usize) -> Option<bool> {
    let queue = queues.get(index);
    let Some(first) = queue.packets.front() else {
        (queue.codel.first_above, queue.codel.is_dropping) = (None, false);
        return None;
    };
    let left = queue.bytes - first.msdu.size;
    Some(queue.codel.may_drop(rule, now, first.since, left))
}
