//! Reassembly of TCP data: octets that have arrived, in order and beyond gaps.

use super::ranges::RangeSet;

/// Position of an arriving segment relative to the data received before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Placement {
    /// The segment has no new octet.
    Duplicate,
    /// The segment has new octets and begins at or below the first missing octet.
    InOrder {
        /// True if data beyond a gap had arrived, so that the segment fills the gap or a part of it.
        is_filling: bool,
    },
    /// The segment has new octets and leaves a gap before them.
    OutOfOrder,
}

/// Octets that have arrived: all below `next`, and the ranges beyond gaps.
#[derive(Clone, Debug)]
pub(crate) struct Reassembly {
    next: u64,
    ranges: RangeSet,
}

impl Reassembly {
    pub(crate) fn new(next: u64) -> Self {
        Self { next, ranges: RangeSet::default() }
    }

    /// Number of the first missing octet.
    #[inline]
    pub(crate) fn next(&self) -> u64 {
        self.next
    }

    /// Inserts the octets `start..end`, at least one, and returns their placement.
    #[inline]
    pub(crate) fn insert(&mut self, start: u64, end: u64) -> Placement {
        if end <= self.next {
            return Placement::Duplicate;
        }
        if start > self.next {
            return self.insert_beyond(start, end);
        }
        self.next = end;
        let is_filling = !self.ranges.is_empty();
        if is_filling {
            self.absorb();
        }
        Placement::InOrder { is_filling }
    }

    pub(crate) fn ranges(&self) -> &RangeSet {
        &self.ranges
    }

    /// Advances `next` over the ranges that `next` has reached.
    fn absorb(&mut self) {
        let reached = self.ranges.partition_point(|range| range.start <= self.next);
        if reached > 0 {
            self.next = self.next.max(self.ranges[reached - 1].end);
            self.ranges.remove_below(self.next);
        }
    }

    fn insert_beyond(&mut self, start: u64, end: u64) -> Placement {
        match self.ranges.insert(start, end) {
            0 => Placement::Duplicate,
            _ => Placement::OutOfOrder,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    fn ranges(reassembly: &Reassembly) -> Vec<(u64, u64)> {
        reassembly.ranges.iter().map(|range| (range.start, range.end)).collect()
    }

    #[test]
    fn ranges_merge_when_they_touch() {
        let mut arrived = Reassembly::new(1);
        assert_eq!(arrived.insert(11, 21), Placement::OutOfOrder);
        assert_eq!(arrived.insert(31, 41), Placement::OutOfOrder);
        assert_eq!(arrived.insert(51, 61), Placement::OutOfOrder);
        assert_eq!(ranges(&arrived), [(11, 21), (31, 41), (51, 61)]);
        assert_eq!(arrived.insert(21, 31), Placement::OutOfOrder);
        assert_eq!(ranges(&arrived), [(11, 41), (51, 61)]);
        assert_eq!(arrived.insert(15, 20), Placement::Duplicate);
        assert_eq!(arrived.insert(1, 11), Placement::InOrder { is_filling: true });
        assert_eq!((arrived.next(), ranges(&arrived)), (41, vec![(51, 61)]));
        // Fills only a part of the gap.
        assert_eq!(arrived.insert(41, 46), Placement::InOrder { is_filling: true });
        assert_eq!(arrived.insert(46, 51), Placement::InOrder { is_filling: true });
        assert_eq!((arrived.next(), ranges(&arrived)), (61, vec![]));
        assert_eq!(arrived.insert(61, 62), Placement::InOrder { is_filling: false });
        assert_eq!(arrived.insert(1, 62), Placement::Duplicate);
    }

    proptest! {
        /// After any segments the reassembly has the same octets, and places each segment in the same way, as
        /// a set of single octets.
        #[test]
        fn any_history_agrees_with_a_set_of_octets(
            segments in prop::collection::vec((0u64..60, 1u64..12), 1..60),
        ) {
            let mut arrived = Reassembly::new(0);
            let mut reference = BTreeSet::new();
            for (start, length) in segments {
                let before = reference.len();
                let (first_gap, beyond) = (arrived.next(), !arrived.ranges.is_empty());
                reference.extend(start..start + length);
                let placement = arrived.insert(start, start + length);
                let expected = match reference.len() == before {
                    true => Placement::Duplicate,
                    false if start > first_gap => Placement::OutOfOrder,
                    false => Placement::InOrder { is_filling: beyond },
                };
                prop_assert_eq!(placement, expected);
                let next = (0..=72).find(|octet| !reference.contains(octet)).unwrap();
                prop_assert_eq!(arrived.next(), next);
                let above: BTreeSet<_> =
                    ranges(&arrived).into_iter().flat_map(|(start, end)| start..end).collect();
                prop_assert_eq!(above, reference.range(next..).copied().collect::<BTreeSet<_>>());
                let touching = arrived.ranges.windows(2).any(|pair| pair[0].end >= pair[1].start);
                prop_assert!(!touching);
            }
        }
    }
}
