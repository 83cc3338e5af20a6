//! The event queue: one total order, earliest first.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use airfair_units::Time;
use airfair_wlan::Phase;

/// Events in the order (time, phase, insertion).
#[derive(Debug)]
pub struct EventQueue<E> {
    heap: BinaryHeap<Entry<E>>,
    inserted: u64,
}

#[derive(Debug)]
struct Entry<E> {
    at: Time,
    phase: Phase,
    number: u64,
    event: E,
}

impl<E> Default for EventQueue<E> {
    fn default() -> Self {
        Self { heap: BinaryHeap::new(), inserted: 0 }
    }
}

impl<E> EventQueue<E> {
    /// Adds an event. O(log n).
    pub fn push(&mut self, at: Time, phase: Phase, event: E) {
        self.inserted += 1;
        self.heap.push(Entry { at, phase, number: self.inserted, event });
    }

    /// Time and phase of the next event. O(1).
    pub fn peek(&self) -> Option<(Time, Phase)> {
        self.heap.peek().map(|entry| (entry.at, entry.phase))
    }

    /// Removes the next event. O(log n).
    pub fn pop(&mut self) -> Option<E> {
        self.heap.pop().map(|entry| entry.event)
    }
}

impl<E> Entry<E> {
    fn key(&self) -> (Time, Phase, u64) {
        (self.at, self.phase, self.number)
    }
}

// `BinaryHeap` yields the greatest entry first, so the earliest counts as greatest.
impl<E> Ord for Entry<E> {
    fn cmp(&self, other: &Self) -> Ordering {
        other.key().cmp(&self.key())
    }
}

impl<E> PartialOrd for Entry<E> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<E> PartialEq for Entry<E> {
    fn eq(&self, other: &Self) -> bool {
        self.key() == other.key()
    }
}

impl<E> Eq for Entry<E> {}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn events_come_by_time_then_phase_then_insertion(
            events in prop::collection::vec((0u64..5, 0usize..3), 0..50),
        ) {
            let phases = [Phase::End, Phase::Timeout, Phase::Start];
            let mut queue = EventQueue::default();
            let mut expected = Vec::new();
            for (number, (at, phase)) in events.into_iter().enumerate() {
                let key = (Time::from_nanos(at), phases[phase], number);
                queue.push(key.0, key.1, key);
                expected.push(key);
            }
            expected.sort_unstable();
            let popped: Vec<_> = std::iter::from_fn(|| queue.pop()).collect();
            prop_assert_eq!(popped, expected);
        }
    }
}
