//! Random numbers with random access: each can be computed from its index, without those before it.

use std::f64::consts::PI;

use libm::{cos, log, sin, sqrt};

/// Sequence of random words with random access: `SplitMix64`, whose state is a counter.  [steele-2014]
#[derive(Clone, Copy, Debug)]
pub(super) struct Draws {
    seed: u64,
}

impl Draws {
    pub(super) const fn new(seed: u64) -> Self {
        Self { seed }
    }

    /// Random word at `index` of the sequence.
    pub(super) const fn word(self, index: u64) -> u64 {
        let state =
            self.seed.wrapping_add((index.wrapping_add(1)).wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let mixed = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// Random word at `index` of the sequence, converted to a number above 0 and at most 1.
    pub(super) fn unit(self, index: u64) -> f64 {
        unit(self.word(index))
    }

    /// Two independent standard normal numbers from the random words at `index` and `index + 1`, by Box and Muller.
    pub(super) fn normal_pair(self, index: u64) -> (f64, f64) {
        let radius = sqrt(-2.0 * log(self.unit(index)));
        let angle = 2.0 * PI * self.unit(index.wrapping_add(1));
        (radius * cos(angle), radius * sin(angle))
    }
}

/// Converts 64 random bits, of which the upper 53 count, to a number above 0 and at most 1.
#[expect(clippy::cast_precision_loss, reason = "53 bits are exact")]
pub(super) fn unit(bits: u64) -> f64 {
    const SCALE: f64 = 1.0 / (1_u64 << 53) as f64;
    ((bits >> 11) + 1) as f64 * SCALE
}

#[cfg(test)]
mod tests {
    use super::*;

    /// First words for seed 0, as published for other implementations of the generator.
    ///
    /// Verifies: [steele-2014]
    #[test]
    fn the_sequence_is_that_of_splitmix64() {
        let words = [0, 1, 2].map(|index| Draws::new(0).word(index));
        assert_eq!(words, [0xe220_a839_7b1d_cdaf, 0x6e78_9e6a_a1b9_65f4, 0x06c4_5d18_8009_454f]);
    }

    #[test]
    fn a_unit_is_never_zero_and_at_most_one() {
        assert!(unit(0) > 0.0);
        assert!((unit(u64::MAX) - 1.0).abs() < f64::EPSILON);
    }
}
