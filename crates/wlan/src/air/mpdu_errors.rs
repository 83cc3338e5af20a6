//! Errors that noise has made in the MPDUs of an aggregate.

/// MPDUs of an aggregate in which noise has made errors: bit `i` is set for the MPDU with index `i` in the aggregate.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct MpduErrors([u64; 4]);

impl MpduErrors {
    pub(crate) fn set(&mut self, place: usize) {
        self.0[place / 64] |= 1 << (place % 64);
    }

    pub(crate) fn has(self, place: usize) -> bool {
        self.0[place / 64] >> (place % 64) & 1 == 1
    }

    pub(crate) fn is_none(self) -> bool {
        self.0 == [0; 4]
    }

    pub(crate) fn count(self) -> u32 {
        self.0.iter().map(|word| word.count_ones()).sum()
    }
}
