//! Hashes that depend on neither the machine nor the names in the code.

/// Hash of a sequence of 64-bit words.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Digest(u64);

impl Digest {
    pub(crate) fn add(&mut self, word: u64) {
        self.0 = (self.0.rotate_left(5) ^ word).wrapping_mul(0x517c_c1b7_2722_0a95);
    }

    /// Upper 24 bits of the hash, each of which depends on every bit of every word.
    pub(crate) fn short(self) -> u32 {
        u32::try_from(self.0 >> 40).expect("24 bits")
    }
}

/// Hash of a sequence of octets.
pub(crate) fn of(octets: &[u8]) -> Digest {
    let mut digest = Digest::default();
    for octet in octets {
        digest.add(u64::from(*octet) + 1);
    }
    digest
}
