//! Data rates.

use std::fmt;
use std::num::NonZeroU64;
use std::str::FromStr;

use crate::text::{Dimension, ParseQuantityError, write_scaled};
use crate::{Bytes, Duration};

/// Message of the panic when a data rate does not fit into 64 bits.
const OVERFLOW: &str = "a data rate beyond 64 bits";
/// Time in which one octet is sent at 1 bit/s [ns].
const NS_OF_OCTET: u64 = 8_000_000_000;

/// A data rate, greater than zero [bit/s].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct DataRate(NonZeroU64);

/// Units in which texts give a data rate.
const DATA_RATE: Dimension = Dimension {
    units: &[("b/s", 1), ("kb/s", 1_000), ("Mb/s", 1_000_000), ("Gb/s", 1_000_000_000)],
    allowed: "b/s, kb/s, Mb/s, Gb/s",
    example: "11 Mb/s",
    step: "1 b/s",
};

impl DataRate {
    /// A rate of this many bit/s.
    ///
    /// # Panics
    ///
    /// Panics if the rate is zero, because nothing could ever be sent.
    pub const fn from_bps(bits_per_second: u64) -> Self {
        Self(NonZeroU64::new(bits_per_second).expect("a data rate of zero"))
    }

    /// A rate of this many kb/s (1000 bit/s).
    pub const fn from_kbps(kbps: u64) -> Self {
        Self::from_bps(kbps.checked_mul(1_000).expect(OVERFLOW))
    }

    /// A rate of this many Mb/s (1 000 000 bit/s).
    pub const fn from_mbps(mbps: u64) -> Self {
        Self::from_bps(mbps.checked_mul(1_000_000).expect(OVERFLOW))
    }

    /// The rate in bit/s.
    pub const fn bps(self) -> u64 {
        self.0.get()
    }

    /// Time to send `size` at this rate, rounded **up** to a whole nanosecond.
    ///
    /// # Panics
    ///
    /// Panics if the time is longer than 584 years.
    pub fn time_to_send(self, size: Bytes) -> Duration {
        // Packets fit into 64 bits, whose division is much faster.
        if let Some(parts) = size.get().checked_mul(NS_OF_OCTET) {
            return Duration::from_nanos(parts.div_ceil(self.bps()));
        }
        let parts = u128::from(size.get()) * u128::from(NS_OF_OCTET);
        let ns = parts.div_ceil(u128::from(self.bps()));
        Duration::from_nanos(u64::try_from(ns).expect("a transmission longer than 584 years"))
    }
}

/// Parses a data rate: `"5.5 Mb/s"`, `"300 kb/s"`.
impl FromStr for DataRate {
    type Err = ParseQuantityError;
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match DATA_RATE.parse(text)? {
            0 => Err(ParseQuantityError::Zero),
            bps => Ok(Self::from_bps(bps)),
        }
    }
}

/// Writes the rate in its shortest exact form: `5.5 Mb/s`, `300 kb/s`.
impl fmt::Display for DataRate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let units = [(1_000_000_000, "Gb/s"), (1_000_000, "Mb/s"), (1_000, "kb/s"), (1, "b/s")];
        write_scaled(f, self.bps(), &units)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::assert_panics;

    #[test]
    fn sending_rounds_up_to_a_whole_nanosecond() {
        // 12 000 bits / 11 Mb/s = 1 090 909.09… ns
        let t = DataRate::from_mbps(11).time_to_send(Bytes::new(1500));
        assert_eq!(t, Duration::from_nanos(1_090_910));
    }

    /// The time to send the largest amounts is exact, or does not fit and panics: 2^63 octets are 2^66 bits,
    /// and take 2^66 / 10^12 s = 7.378… · 10^7 s at 1 Tb/s.
    #[test]
    fn the_largest_amounts_are_sent_exactly_or_not_at_all() {
        let half = Bytes::new(1 << 63);
        let at_1_tbps = DataRate::from_mbps(1_000_000).time_to_send(half);
        assert_eq!(at_1_tbps, Duration::from_nanos(73_786_976_294_838_207));
        assert_panics(|| DataRate::from_mbps(1).time_to_send(half).as_nanos());
        assert_panics(|| DataRate::from_mbps(1 << 50).bps());
        assert_panics(|| DataRate::from_kbps(1 << 60).bps());
    }

    #[test]
    fn rates_print_exactly() {
        assert_eq!(DataRate::from_kbps(5_500).to_string(), "5.5 Mb/s");
        assert_eq!(DataRate::from_kbps(300).to_string(), "300 kb/s");
    }
}
