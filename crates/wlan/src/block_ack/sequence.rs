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

/// Bitmap of a compressed `BlockAck`: MPDUs that have arrived, from a starting sequence number on. [80211-2020
/// §9.3.1.8.2], [80211be-2024 §9.3.1.8.2]
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bitmap(Bits);

/// Starting sequence number and bits of a bitmap. Short bitmaps are in place, because almost all are short.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Bits {
    Short { start: Sequence, words: [u64; SHORT] },
    Long { start: Sequence, words: Box<[u64; LONG]> },
}

/// Words of 64 bits in a bitmap for a window of up to 256 MPDUs.
const SHORT: usize = 4;
/// Words of 64 bits in a bitmap for a window of 512 or 1024 MPDUs, in EHT.
const LONG: usize = Bitmap::MOST as usize / 64;

impl Bitmap {
    /// Largest window of which a bitmap has one bit per MPDU.
    pub const MOST: u16 = 1_024;

    /// Bitmap of up to 256 bits without any arrived MPDU.
    pub const fn new(start: Sequence) -> Self {
        Self(Bits::Short { start, words: [0; SHORT] })
    }

    /// Bitmap without any arrived MPDU for a window of up to [`MOST`](Self::MOST) MPDUs.
    pub fn for_window(window: u16, start: Sequence) -> Self {
        if usize::from(window) <= 64 * SHORT {
            return Self::new(start);
        }
        Self(Bits::Long { start, words: Box::new([0; LONG]) })
    }

    /// Starting sequence number of the bitmap.
    pub const fn start(&self) -> Sequence {
        match self.0 {
            Bits::Short { start, .. } | Bits::Long { start, .. } => start,
        }
    }

    #[inline]
    fn words(&self) -> &[u64] {
        match &self.0 {
            Bits::Short { words, .. } => words,
            Bits::Long { words, .. } => &words[..],
        }
    }

    /// True if the MPDU with this sequence number has arrived.
    pub fn has(&self, sequence: Sequence) -> bool {
        let place = sequence.after(self.start());
        self.words().get(usize::from(place / 64)).is_some_and(|word| word >> (place % 64) & 1 == 1)
    }

    /// Number of consecutive MPDUs, from sequence number `first` on, that have arrived.
    #[inline]
    pub fn row(&self, first: Sequence) -> u16 {
        let place = first.after(self.start());
        let (mut row, mut before) = (0, u32::from(place % 64));
        for word in self.words().iter().skip(usize::from(place / 64)) {
            let ones = (word >> before).trailing_ones();
            row += ones;
            if ones < 64 - before {
                break;
            }
            before = 0;
        }
        u16::try_from(row).expect("1024 bits at most")
    }

    /// Marks `count` consecutive MPDUs from `first` on as arrived. Those outside of the bitmap are ignored.
    pub fn set_run(&mut self, first: Sequence, count: u16) {
        match &mut self.0 {
            Bits::Short { start, words } => set(words, first.after(*start), count),
            Bits::Long { start, words } => set(&mut words[..], first.after(*start), count),
        }
    }

    /// Number of MPDUs that have arrived.
    pub fn count(&self) -> u32 {
        self.words().iter().map(|word| word.count_ones()).sum()
    }

    /// Octets of the bitmap as sent over the air; the bit of the starting sequence number comes first.  [80211-2020
    /// §9.3.1.8.2]
    pub fn octets(&self) -> impl Iterator<Item = u8> {
        self.words().iter().flat_map(|word| word.to_le_bytes())
    }

    /// Moves the starting sequence number forward, and drops the bits before it.
    #[inline]
    pub fn advance(&mut self, to: Sequence) {
        match &mut self.0 {
            Bits::Short { start, words } => {
                drop_first(words, to.after(*start));
                *start = to;
            }
            Bits::Long { start, words } => {
                drop_first(words, to.after(*start));
                *start = to;
            }
        }
    }
}

impl Default for Bitmap {
    fn default() -> Self {
        Self::new(Sequence::default())
    }
}

/// Sets `count` bits from bit `from` on, as far as there are bits.
fn set(words: &mut [u64], from: u16, count: u16) {
    for (word, start) in words.iter_mut().zip((0_u16..).step_by(64)) {
        let bits_below = |place: u16| {
            let bit = 1_u64.checked_shl(u32::from(place.saturating_sub(start)));
            bit.map_or(u64::MAX, |bit| bit - 1)
        };
        *word |= bits_below(from + count) & !bits_below(from);
    }
}

/// Drops the first `steps` bits; the others move to the front, and zeros follow.
#[inline]
fn drop_first<const N: usize>(words: &mut [u64; N], steps: u16) {
    if steps == 1 {
        // The common case is a step to the next number.
        for place in 0..N - 1 {
            words[place] = words[place] >> 1 | words[place + 1] << 63;
        }
        words[N - 1] >>= 1;
    } else {
        skip(words, steps);
    }
}

fn skip<const N: usize>(words: &mut [u64; N], steps: u16) {
    let (whole, bits) = (usize::from(steps / 64), u32::from(steps % 64));
    let old = *words;
    let word = |place: usize| old.get(place).copied().unwrap_or(0);
    *words = std::array::from_fn(|place| {
        let low = word(place + whole) >> bits;
        // A shift by the whole width is undefined, and stands for a shift to zero.
        low | word(place + whole + 1).checked_shl(64 - bits).unwrap_or(0)
    });
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
        for (window, bits) in [(64, 256), (256, 256), (512, 1_024), (1_024, 1_024)] {
            let rows =
                [(0, 1), (0, 256), (63, 2), (10, 200), (250, 10), (300, 5), (1_020, 9), (7, 0)];
            for (from, count) in rows {
                let mut map = Bitmap::for_window(window, start);
                map.set_run(start + from, count);
                let come: Vec<u16> = (0..bits).filter(|it| map.has(start + *it)).collect();
                let behind = (from + count).min(bits).saturating_sub(from);
                assert_eq!((map.row(start + from), map.row(start + 4_095)), (behind, 0));
                assert_eq!(come, (from..(from + count).min(bits)).collect::<Vec<_>>());
            }
        }
    }

    #[test]
    fn a_bitmap_that_advances_keeps_what_is_ahead() {
        for (steps, window) in [0, 1, 63, 64, 65, 200, 255, 256, 700, 1_023, 1_024, 2_000]
            .into_iter()
            .flat_map(|steps| [(steps, 256), (steps, 1_024)])
        {
            let start = Sequence::new(4_000);
            let mut map = Bitmap::for_window(window, start);
            let come: Vec<Sequence> =
                (0..window).filter(|it| it % 3 != 1).map(|it| start + it).collect();
            for it in &come {
                map.set_run(*it, 1);
            }
            map.set_run(start + window, 1);
            map.advance(start + steps);
            let kept = |it: &&Sequence| !it.precedes(start + steps);
            assert!(come.iter().all(|it| map.has(*it) != it.precedes(start + steps)), "{steps}");
            assert_eq!(map.count() as usize, come.iter().filter(kept).count());
        }
    }

    #[test]
    fn a_long_bitmap_makes_no_other_larger() {
        assert_eq!(size_of::<Bitmap>(), 40);
    }
}
