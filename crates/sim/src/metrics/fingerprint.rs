//! A hash of all records of a run: equal runs have equal hashes, on every platform.

use std::hash::{Hash, Hasher};

use airfair_units::Time;

use crate::record::{Record, Recorder};

/// Multiply–rotate–xor over 64-bit words, with each integer widened so that no platform differs.
#[derive(Clone, Copy, Debug, Default)]
pub struct Fingerprint(u64);

impl Fingerprint {
    /// The hash of all records so far.
    pub fn get(self) -> u64 {
        self.0
    }
}

/// Every record but a look at the world, which is no event.
impl Recorder for Fingerprint {
    fn record(&mut self, now: Time, record: &Record) {
        if !matches!(record, Record::Sample(_)) {
            self.write_u64(now.as_nanos());
            record.hash(self);
        }
    }
}

impl Hasher for Fingerprint {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.write_u64(u64::from(*byte));
        }
    }

    fn write_u8(&mut self, word: u8) {
        self.write_u64(u64::from(word));
    }

    fn write_u16(&mut self, word: u16) {
        self.write_u64(u64::from(word));
    }

    fn write_u32(&mut self, word: u32) {
        self.write_u64(u64::from(word));
    }

    fn write_u64(&mut self, word: u64) {
        self.0 = (self.0.rotate_left(5) ^ word).wrapping_mul(0x517c_c1b7_2722_0a95);
    }

    fn write_usize(&mut self, word: usize) {
        self.write_u64(word as u64);
    }

    /// Discriminants of enums.
    fn write_isize(&mut self, word: isize) {
        self.write_u64(word.cast_unsigned() as u64);
    }
}
