//! Event queue with a total order of events, earliest first.
//!
//! A timer that is postponed, as TCP's is by each ACK, leaves its event in the queue; an event that comes too early
//! does nothing. The queue holds only the next arrival of each link, and the arrival after that takes its place
//! ([`EventQueue::pop_or_move`]).

use std::cmp::Ordering;
use std::collections::BinaryHeap;
use std::collections::binary_heap::PeekMut;

use airfair_units::Time;
use airfair_wlan::{Moment, Phase};

/// Queue of events, ordered by time, phase and insertion.
#[derive(Clone, Debug)]
pub struct EventQueue<E> {
    heap: BinaryHeap<Entry<E>>,
    inserted: u64,
}

#[derive(Clone, Debug)]
struct Entry<E> {
    moment: Moment,
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
        let number = self.reserve();
        self.push_reserved(at, phase, number, event);
    }

    /// Reserves a place in the order of events, for an event that is already decided and will be added later. Returns
    /// the number of this place. O(1).
    pub fn reserve(&mut self) -> u64 {
        self.inserted += 1;
        self.inserted
    }

    /// Adds an event at the place in the order of events that `number` reserves. The event must be added before it
    /// would be the next one. O(log n).
    pub fn push_reserved(&mut self, at: Time, phase: Phase, number: u64, event: E) {
        self.heap.push(Entry { moment: Moment::new(at, phase), number, event });
    }

    /// Moment of the next event; [`Moment::NEVER`] if the queue is empty. O(1).
    #[inline]
    pub fn peek(&self) -> Moment {
        self.heap.peek().map_or(Moment::NEVER, |entry| entry.moment)
    }

    /// Takes the next event. If `next` returns a time and a reserved number, the event moves to this place in the
    /// queue; otherwise it is removed. O(log n), and faster if the event stays near the front.
    pub fn pop_or_move(&mut self, next: impl FnOnce(&E) -> Option<(Time, u64)>) -> Option<E>
    where
        E: Copy,
    {
        let mut entry = self.heap.peek_mut()?;
        let event = entry.event;
        match next(&event) {
            Some((at, number)) => {
                (entry.moment, entry.number) = (Moment::new(at, entry.moment.phase()), number);
            }
            None => _ = PeekMut::pop(entry),
        }
        Some(event)
    }
}

impl<E> Entry<E> {
    /// Moment and number of an event of the queue in one integer, because each event is compared several times.
    #[inline]
    fn key(&self) -> u128 {
        self.moment.before(self.number)
    }
}

// `BinaryHeap` yields the greatest entry first, so the earliest entry must compare as the greatest.
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
    use std::collections::VecDeque;

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
            let popped: Vec<_> = std::iter::from_fn(|| queue.pop_or_move(|_| None)).collect();
            prop_assert_eq!(popped, expected);
        }

        /// A queue that holds only the first event of each of several sequences, in which times never decrease,
        /// returns the same events in the same order as a queue that holds all events.
        #[test]
        fn the_first_of_each_row_is_enough(
            gaps in prop::collection::vec((0usize..3, 0u64..3), 0..50),
        ) {
            let (mut whole, mut firsts) = (EventQueue::default(), EventQueue::default());
            let mut rows = vec![VecDeque::new(); 3];
            let mut ends = [0; 3];
            for (index, (row, gap)) in gaps.into_iter().enumerate() {
                ends[row] += gap;
                let at = Time::from_nanos(ends[row]);
                whole.push(at, Phase::End, index);
                let number = firsts.reserve();
                if rows[row].is_empty() {
                    firsts.push_reserved(at, Phase::End, number, row);
                }
                rows[row].push_back((at, number, index));
            }
            let second = |row: &VecDeque<(Time, u64, usize)>| row.get(1).map(|it| (it.0, it.1));
            while let Some(row) = firsts.pop_or_move(|row| second(&rows[*row])) {
                let (_, _, index) = rows[row].pop_front().expect("it has a first event");
                prop_assert_eq!(whole.pop_or_move(|_| None), Some(index));
            }
            prop_assert_eq!(whole.pop_or_move(|_| None), None);
        }
    }
}
