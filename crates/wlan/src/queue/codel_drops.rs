//! Drops and marks by `CoDel` before a queue is served.  [RFC8289 §5.5]

use airfair_units::Time;

use super::config::CoDel;
use super::headers::Headers;
use super::sub_queue::SubQueues;
use crate::record::DropCause;

/// Drops packets as CoDel demands, before queue `index` is served, or marks the first one. Returns false if the queue is
/// empty afterwards.
/// [RFC8289 §5.5]
pub(super) fn settle<P: Headers>(
    rule: &CoDel,
    now: Time,
    queues: &mut SubQueues<P>,
    index: usize,
) -> bool {
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
        let is_marked = rule.marks && queues.mark(index, 0);
        if !is_marked {
            queues.remove(index, 0, DropCause::CoDel);
        }
        queues.get(index).codel.begin(rule, now);
        return is_marked || judge(rule, now, queues, index).is_some();
    }
    while may_drop && now >= queues.get(index).codel.drop_next {
        let is_marked = rule.marks && queues.mark(index, 0);
        if !is_marked {
            queues.remove(index, 0, DropCause::CoDel);
        }
        let state = &mut queues.get(index).codel;
        state.count += 1;
        if is_marked {
            // A marked packet is served, so that it ends the loop as a packet does that may not be dropped.
            state.drop_next = state.control_law(state.drop_next, rule.interval);
            return true;
        }
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
