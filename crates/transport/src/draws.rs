//! Random numbers of a machine, which its owner keys.

/// Random numbers of one machine: the finalizer of `SplitMix64`.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Draws(u64);

impl Draws {
    /// Random numbers that follow from `seed`.
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// Next number.
    pub(crate) fn number(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// Next number between 0 and 1, of which it is neither.
    #[expect(clippy::cast_precision_loss, reason = "52 bits and a half fit exactly")]
    pub(crate) fn uniform(&mut self) -> f64 {
        ((self.number() >> 12) as f64 + 0.5) / (1_u64 << 52) as f64
    }
}
