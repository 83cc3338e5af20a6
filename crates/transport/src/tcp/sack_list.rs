//! The receiver's SACK blocks: selection and order of the ranges to report.  [RFC2018 §4], [RFC2883 §4]

use super::reassembly::Reassembly;
use super::segment::SackBlocks;

/// Ranges that the receiver reports in SACK blocks, in the order in which they last changed.
#[derive(Clone, Debug, Default)]
pub(crate) struct SackList {
    /// One octet of each reported range, the most recent first; `count` of them are valid.
    recent: [u64; SackBlocks::ROOM],
    count: usize,
    /// Duplicate segment, as start and end, to report in the next ACK only.
    duplicate: Option<(u64, u64)>,
}

impl SackList {
    /// Records that a segment, which begins with `octet`, has arrived beyond a gap.
    pub(crate) fn on_beyond(&mut self, octet: u64) {
        self.recent.rotate_right(1);
        self.recent[0] = octet;
        self.count = SackBlocks::ROOM.min(self.count + 1);
    }

    /// Records that the octets `start..end` have arrived a second time.
    pub(crate) fn on_duplicate(&mut self, start: u64, end: u64) {
        self.duplicate = Some((start, end));
    }

    /// SACK blocks of the next ACK, at most `room`: a duplicate, the range of the latest segment, the ranges
    /// reported most recently, then any others.
    pub(crate) fn blocks(&mut self, arrived: &Reassembly, room: usize) -> SackBlocks {
        let mut blocks = SackBlocks::NONE;
        let ack = arrived.next();
        let mut left = room;
        if let Some((start, end)) = self.duplicate.take() {
            blocks.push(ack, start, end);
            left -= 1;
        }
        if arrived.ranges().is_empty() {
            self.count = 0;
            return blocks;
        }
        let mut reported = [(0, 0); SackBlocks::ROOM];
        let mut count = 0;
        let latest =
            self.recent[..self.count].iter().filter_map(|octet| arrived.ranges().find(*octet));
        for range in latest.chain(arrived.ranges().iter().rev().copied()) {
            if count == left {
                break;
            }
            let range = (range.start, range.end);
            if !reported[..count].contains(&range) {
                reported[count] = range;
                count += 1;
            }
        }
        self.count = count;
        for (recent, (start, end)) in self.recent.iter_mut().zip(&reported[..count]) {
            *recent = *start;
            blocks.push(ack, *start, *end);
        }
        blocks
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Inserts segments of 10 octets by number, and returns the blocks of the next ACK as pairs of numbers.
    fn after(
        list: &mut SackList,
        arrived: &mut Reassembly,
        numbers: &[u64],
        room: usize,
    ) -> Vec<(u64, u64)> {
        for number in numbers {
            arrived.insert(10 * number, 10 * number + 10);
            list.on_beyond(10 * number);
        }
        let blocks = list.blocks(arrived, room);
        blocks.iter(arrived.next()).map(|(start, end)| (start / 10, end / 10)).collect()
    }

    /// The range of the latest segment is the first SACK block, and the ranges reported most recently follow.
    ///
    /// Verifies: [RFC2018 §4]
    #[test]
    fn the_most_recent_range_comes_first() {
        let (mut list, mut arrived) = (SackList::default(), Reassembly::new(0));
        assert_eq!(after(&mut list, &mut arrived, &[1], 3), [(1, 2)]);
        assert_eq!(after(&mut list, &mut arrived, &[5], 3), [(5, 6), (1, 2)]);
        assert_eq!(after(&mut list, &mut arrived, &[3], 3), [(3, 4), (5, 6), (1, 2)]);
        // The fourth range pushes the oldest out.
        assert_eq!(after(&mut list, &mut arrived, &[7], 3), [(7, 8), (3, 4), (5, 6)]);
        // Segment 4 joins 3 and 5 to one range.
        assert_eq!(after(&mut list, &mut arrived, &[4], 3), [(3, 6), (7, 8), (1, 2)]);
        // The gap before 1 is filled.
        arrived.insert(0, 10);
        assert_eq!(after(&mut list, &mut arrived, &[], 3), [(3, 6), (7, 8)]);
        arrived.insert(20, 30);
        arrived.insert(60, 70);
        assert_eq!(after(&mut list, &mut arrived, &[], 3), []);
    }

    /// A duplicate is the first SACK block of one ACK only, and the range that contains it follows.
    ///
    /// Verifies: [RFC2883 §4]
    #[test]
    fn a_duplicate_is_reported_once() {
        let (mut list, mut arrived) = (SackList::default(), Reassembly::new(20));
        assert_eq!(after(&mut list, &mut arrived, &[4, 6, 8], 4), [(8, 9), (6, 7), (4, 5)]);
        list.on_duplicate(0, 10);
        assert_eq!(after(&mut list, &mut arrived, &[], 4), [(0, 1), (8, 9), (6, 7), (4, 5)]);
        list.on_duplicate(40, 50);
        assert_eq!(after(&mut list, &mut arrived, &[4], 3), [(4, 5), (4, 5), (8, 9)]);
        assert_eq!(after(&mut list, &mut arrived, &[], 3), [(4, 5), (8, 9), (6, 7)]);
    }
}
