//! Missing packets at the receiver, to distinguish late packets from duplicates.

use std::collections::VecDeque;

/// Largest number of ranges of missing packets that are kept. If there are more, the oldest is dropped, and
/// its packets count as duplicates when they arrive.
const RANGES: usize = 64;

/// Missing packets, as ranges of packet numbers.
#[derive(Clone, Debug, Default)]
pub(crate) struct Gaps {
    /// First and last packet number of each range of missing packets.
    ranges: VecDeque<(u64, u64)>,
}

impl Gaps {
    /// Adds the missing packets from `first` to `last`; none if `last` is before `first`.
    pub(crate) fn add(&mut self, first: u64, last: u64) {
        if first > last {
            return;
        }
        self.ranges.push_back((first, last));
        if self.ranges.len() > RANGES {
            self.ranges.pop_front();
        }
    }

    /// Removes packet `number`, which has arrived, from the missing ones. Returns true if it was missing.
    pub(crate) fn fill(&mut self, number: u64) -> bool {
        let holds = |&(first, last): &(u64, u64)| (first..=last).contains(&number);
        // Most late packets belong to a recent gap.
        let Some(place) = self.ranges.iter().rposition(holds) else { return false };
        let (first, last) = self.ranges[place];
        if number < last {
            self.ranges[place].0 = number + 1;
        } else {
            self.ranges.remove(place);
        }
        if first < number {
            self.add(first, number - 1);
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_missing_packet_is_late_once() {
        let mut gaps = Gaps::default();
        gaps.add(10, 14);
        gaps.add(20, 20);
        gaps.add(31, 30);
        let found = [12, 12, 10, 14, 11, 13, 20, 20, 9, 15, 30, 31].map(|number| gaps.fill(number));
        let late = [true, false, true, true, true, true, true, false, false, false, false, false];
        assert_eq!(found, late);
        assert!(gaps.ranges.is_empty());
    }

    #[test]
    fn the_memory_is_bounded() {
        let mut gaps = Gaps::default();
        for number in 0..1_000 {
            gaps.add(2 * number, 2 * number);
        }
        assert_eq!(gaps.ranges.len(), RANGES);
        assert_eq!((gaps.fill(0), gaps.fill(1_998)), (false, true));
    }
}
