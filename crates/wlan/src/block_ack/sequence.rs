//! Sequence numbers modulo 4096, and bitmaps of them.

use std::ops::Add;

/// Sequence number of an MPDU, modulo 4096.  [80211-2020 §9.2.4.4.2]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Sequence(u16);

impl Sequence {
    /// Number of different sequence numbers.
    pub const COUNT: u16 = 4_096;

    /// Sequence number `value` modulo 4096.
    pub const fn new(value: u16) -> Self {
        Self(value % Self::COUNT)
    }

    /// Value from 0 to 4095.
    pub const fn get(self) -> u16 {
        self.0
    }

    /// Distance from `start` to this number, in ascending order modulo 4096.
    pub const fn after(self, start: Self) -> u16 {
        (self.0 + Self::COUNT - start.0) % Self::COUNT
    }

    /// True if this number is before `start`: its distance from `start` is at least half of all numbers.  [80211-2020
    /// §10.25.6.1]
    pub const fn precedes(self, start: Self) -> bool {
        self.after(start) >= Self::COUNT / 2
    }
}

impl Add<u16> for Sequence {
    type Output = Self;
    fn add(self, steps: u16) -> Self {
        Self::new(self.0 + steps % Self::COUNT)
    }
}

/// Bitmap of a compressed `BlockAck`: MPDUs that have arrived, from a starting sequence number on.  [80211-2020
/// §9.3.1.8.2]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Bitmap {
    start: Sequence,
    words: [u64; 4],
}

impl Bitmap {
    /// Bitmap without any arrived MPDU.
    pub const fn new(start: Sequence) -> Self {
        Self { start, words: [0; 4] }
    }

    /// Starting sequence number of the bitmap.
    pub const fn start(&self) -> Sequence {
        self.start
    }

    /// True if the MPDU with this sequence number has arrived.
    pub fn has(&self, sequence: Sequence) -> bool {
        let place = sequence.after(self.start);
        self.words.get(usize::from(place / 64)).is_some_and(|word| word >> (place % 64) & 1 == 1)
    }

    /// Number of consecutive MPDUs, from sequence number `first` on, that have arrived.
    #[inline]
    pub fn row(&self, first: Sequence) -> u16 {
        let mut from = *self;
        from.advance(first);
        let mut row = 0;
        for word in from.words {
            row += word.trailing_ones();
            if word != u64::MAX {
                break;
            }
        }
        u16::try_from(row).expect("256 bits at most")
    }

    /// Marks `count` consecutive MPDUs from `first` on as arrived. Those outside of the bitmap are ignored.
    pub fn set_run(&mut self, first: Sequence, count: u16) {
        let from = first.after(self.start);
        for (word, start) in self.words.iter_mut().zip((0_u16..).step_by(64)) {
            let bits_below = |place: u16| {
                let bit = 1_u64.checked_shl(u32::from(place.saturating_sub(start)));
                bit.map_or(u64::MAX, |bit| bit - 1)
            };
            *word |= bits_below(from + count) & !bits_below(from);
        }
    }

    /// Number of MPDUs that have arrived.
    pub fn count(&self) -> u32 {
        self.words.iter().map(|word| word.count_ones()).sum()
    }

    /// Octets of the bitmap as sent over the air; the bit of the starting sequence number comes first.  [80211-2020
    /// §9.3.1.8.2]
    pub fn octets(&self) -> impl Iterator<Item = u8> + use<> {
        self.words.into_iter().flat_map(u64::to_le_bytes)
    }

    /// Moves the starting sequence number forward, and drops the bits before it.
    #[inline]
    pub fn advance(&mut self, start: Sequence) {
        let steps = start.after(self.start);
        if steps == 1 {
            // The common case is a step to the next number.
            let [first, second, third, fourth] = self.words;
            let joined = |low: u64, high: u64| low >> 1 | high << 63;
            let words = [joined(first, second), joined(second, third), joined(third, fourth)];
            *self = Self { start, words: [words[0], words[1], words[2], fourth >> 1] };
        } else {
            self.skip(start, steps);
        }
    }

    fn skip(&mut self, start: Sequence, steps: u16) {
        let (words, bits) = (usize::from(steps / 64), u32::from(steps % 64));
        let word = |place: usize| self.words.get(place).copied().unwrap_or(0);
        let shifted = |place: usize| {
            let low = word(place + words) >> bits;
            // A shift by the whole width is undefined, and stands for a shift to zero.
            low | word(place + words + 1).checked_shl(64 - bits).unwrap_or(0)
        };
        *self = Self { start, words: [0, 1, 2, 3].map(shifted) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_go_round() {
        let last = Sequence::new(4_095);
        assert_eq!((last + 1, last + 4_096), (Sequence::new(0), last));
        assert_eq!((Sequence::new(3).after(last), last.after(Sequence::new(3))), (4, 4_092));
        assert!(last.precedes(Sequence::new(3)) && !Sequence::new(3).precedes(last));
    }

    #[test]
    fn numbers_in_a_row_are_noted_as_far_as_they_fit() {
        let start = Sequence::new(4_000);
        for (from, count) in [(0, 1), (0, 256), (63, 2), (10, 200), (250, 10), (300, 5), (7, 0)] {
            let mut map = Bitmap::new(start);
            map.set_run(start + from, count);
            let come: Vec<u16> = (0..256).filter(|it| map.has(start + *it)).collect();
            let behind = (from + count).min(256).saturating_sub(from);
            assert_eq!((map.row(start + from), map.row(start + 4_095)), (behind, 0));
            assert_eq!(come, (from..(from + count).min(256)).collect::<Vec<_>>());
        }
    }

    #[test]
    fn a_bitmap_that_advances_keeps_what_is_ahead() {
        for steps in [0, 1, 63, 64, 65, 200, 255, 256, 2_000] {
            let start = Sequence::new(4_000);
            let mut map = Bitmap::new(start);
            let come: Vec<Sequence> =
                (0..256).filter(|it| it % 3 != 1).map(|it| start + it).collect();
            for it in &come {
                map.set_run(*it, 1);
            }
            map.set_run(start + 256, 1);
            map.advance(start + steps);
            let kept = |it: &&Sequence| !it.precedes(start + steps);
            assert!(come.iter().all(|it| map.has(*it) != it.precedes(start + steps)), "{steps}");
            assert_eq!(map.count() as usize, come.iter().filter(kept).count());
        }
    }
}
