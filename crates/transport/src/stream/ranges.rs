//! Sets of octets as sorted ranges that neither overlap nor touch.

use std::ops::Deref;

/// Half-open range of sequence numbers [octets].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Range {
    pub(crate) start: u64,
    pub(crate) end: u64,
}

impl Range {
    fn length(&self) -> u64 {
        self.end - self.start
    }
}

/// A set of octets. It keeps its memory, so it allocates only when it holds more ranges than ever before.
#[derive(Clone, Debug, Default)]
pub(crate) struct RangeSet(Vec<Range>);

impl Deref for RangeSet {
    type Target = [Range];

    fn deref(&self) -> &[Range] {
        &self.0
    }
}

impl RangeSet {
    pub(crate) fn clear(&mut self) {
        self.0.clear();
    }

    /// Adds the octets `start..end` to the set and returns the number of those that are new.
    pub(crate) fn insert(&mut self, start: u64, end: u64) -> u64 {
        let first = self.0.partition_point(|range| range.end < start);
        let behind = self.0.partition_point(|range| range.start <= end);
        if first == behind {
            self.0.insert(first, Range { start, end });
            return end - start;
        }
        // The ranges `first..behind` touch or overlap the new one and are merged with it.
        let known: u64 = self.0[first..behind].iter().map(Range::length).sum();
        let merged =
            Range { start: start.min(self.0[first].start), end: end.max(self.0[behind - 1].end) };
        self.0[first] = merged;
        self.0.drain(first + 1..behind);
        merged.length() - known
    }

    /// Removes from the set all octets below `octet` and returns their number.
    pub(crate) fn remove_below(&mut self, octet: u64) -> u64 {
        let whole = self.0.partition_point(|range| range.end <= octet);
        let mut removed: u64 = self.0.drain(..whole).map(|range| range.length()).sum();
        if let Some(range) = self.0.first_mut().filter(|range| range.start < octet) {
            removed += octet - range.start;
            range.start = octet;
        }
        removed
    }

    /// Number of octets in the set below `octet`.
    pub(crate) fn count_below(&self, octet: u64) -> u64 {
        let below = self.0.iter().take_while(|range| range.start < octet);
        below.map(|range| range.end.min(octet) - range.start).sum()
    }

    /// The range of the set that contains `octet`.
    pub(crate) fn find(&self, octet: u64) -> Option<Range> {
        let index = self.0.partition_point(|range| range.end <= octet);
        self.0.get(index).copied().filter(|range| range.start <= octet)
    }

    /// The first gap of the set at or after `from`, cut off at `end`.
    pub(crate) fn gap(&self, from: u64, end: u64) -> Option<Range> {
        let index = self.0.partition_point(|range| range.end <= from);
        let (start, stop) = match self.0.get(index) {
            Some(range) if range.start <= from => {
                (range.end, self.0.get(index + 1).map_or(end, |next| next.start))
            }
            Some(range) => (from, range.start),
            None => (from, end),
        };
        (start < end).then(|| Range { start, end: stop.min(end) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    fn set(ranges: &[(u64, u64)]) -> RangeSet {
        let mut set = RangeSet::default();
        for (start, end) in ranges {
            set.insert(*start, *end);
        }
        set
    }

    #[test]
    fn gaps_lie_between_ranges_and_behind_the_last() {
        let set = set(&[(10, 20), (30, 40)]);
        let gap = |from, end| set.gap(from, end).map(|range| (range.start, range.end));
        assert_eq!(gap(5, 50), Some((5, 10)));
        assert_eq!(gap(10, 50), Some((20, 30)));
        assert_eq!(gap(25, 50), Some((25, 30)));
        assert_eq!(gap(25, 27), Some((25, 27)));
        assert_eq!(gap(35, 50), Some((40, 50)));
        assert_eq!(gap(45, 50), Some((45, 50)));
        assert_eq!(gap(30, 40), None);
        assert_eq!(gap(50, 50), None);
    }

    proptest! {
        /// After any insertions and removals a range set has the same octets as a set of single octets.
        #[test]
        fn ranges_behave_like_a_set_of_octets(
            ranges in prop::collection::vec((0u64..60, 1u64..12), 0..15), below in 0u64..70, from in 0u64..70,
        ) {
            let mut ours = RangeSet::default();
            let mut octets = BTreeSet::new();
            for (start, length) in ranges {
                let before = octets.len();
                octets.extend(start..start + length);
                prop_assert_eq!(ours.insert(start, start + length), (octets.len() - before) as u64);
            }
            prop_assert_eq!(ours.count_below(below), octets.range(..below).count() as u64);
            let gap = ours.gap(from, 80).map_or(80, |gap| gap.start);
            let reference = (from..80).find(|octet| !octets.contains(octet)).unwrap_or(80);
            prop_assert_eq!(gap, reference);
            prop_assert_eq!(ours.find(from).is_some(), octets.contains(&from));
            prop_assert_eq!(ours.remove_below(below), octets.range(..below).count() as u64);
            prop_assert!(ours.iter().flat_map(|range| range.start..range.end).eq(octets.range(below..).copied()));
        }
    }
}
