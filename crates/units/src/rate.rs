//! Data rates.

use std::fmt;
use std::num::NonZeroU64;

use crate::{Bytes, Duration};

/// A data rate, never zero [bit/s].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct DataRate(NonZeroU64);

impl DataRate {
    /// `bits_per_second` bit/s.
    ///
    /// # Panics
    /// If the rate is zero: nothing is ever sent at no rate.
    pub const fn from_bps(bits_per_second: u64) -> Self {
        Self(NonZeroU64::new(bits_per_second).expect("a data rate of zero"))
    }

    /// `kbps` kb/s, decimal.
    pub const fn from_kbps(kbps: u64) -> Self {
        Self::from_bps(kbps * 1_000)
    }

    /// `mbps` Mb/s, decimal.
    pub const fn from_mbps(mbps: u64) -> Self {
        Self::from_bps(mbps * 1_000_000)
    }

    /// Rate [bit/s].
    pub const fn bps(self) -> u64 {
        self.0.get()
    }

    /// Time to send `size` at this rate, rounded **up** to a whole nanosecond.
    pub fn time_to_send(self, size: Bytes) -> Duration {
        // A packet fits 64 bits, whose division takes a fraction of the time.
        if let Some(parts) = size.bits().checked_mul(1_000_000_000) {
            return Duration::from_nanos(parts.div_ceil(self.bps()));
        }
        let ns = (u128::from(size.bits()) * 1_000_000_000).div_ceil(u128::from(self.bps()));
        Duration::from_nanos(u64::try_from(ns).expect("a transmission longer than 584 years"))
    }
}

/// Shortest exact form: `5.5 Mb/s`, `300 kb/s`.
impl fmt::Display for DataRate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let units = [(1_000_000_000, "Gb/s"), (1_000_000, "Mb/s"), (1_000, "kb/s"), (1, "b/s")];
        crate::text::write_scaled(f, self.bps(), &units)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sending_rounds_up_to_a_whole_nanosecond() {
        // 12 000 bits / 11 Mb/s = 1 090 909.09… ns
        let t = DataRate::from_mbps(11).time_to_send(Bytes::new(1500));
        assert_eq!(t, Duration::from_nanos(1_090_910));
    }

    #[test]
    fn rates_print_exactly() {
        assert_eq!(DataRate::from_kbps(5_500).to_string(), "5.5 Mb/s");
        assert_eq!(DataRate::from_kbps(300).to_string(), "300 kb/s");
    }
}
