//! Errors that noise has made in the MPDUs of an aggregate.

use crate::block_ack::Bitmap;

/// Words of 64 bits for the MPDUs of the largest window.
const WORDS: usize = Bitmap::MOST as usize / 64;

/// MPDUs of an aggregate in which noise has made errors: bit `i` is set for the MPDU with index `i` in the aggregate.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct MpduErrors {
    bits: [u64; WORDS],
    count: u16,
}

impl MpduErrors {
    /// Marks the MPDU with this index, which is not marked yet.
    #[inline]
    pub(crate) fn set(&mut self, place: usize) {
        self.bits[place / 64] |= 1 << (place % 64);
        self.count += 1;
    }

    pub(crate) fn has(&self, place: usize) -> bool {
        self.bits[place / 64] >> (place % 64) & 1 == 1
    }

    pub(crate) fn is_none(&self) -> bool {
        self.count == 0
    }

    pub(crate) fn count(&self) -> u16 {
        self.count
    }
}
