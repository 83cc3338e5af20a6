//! Frequencies and bandwidths.

use std::fmt;
use std::num::NonZeroU64;
use std::str::FromStr;

use crate::text::{Dimension, ParseQuantityError, write_scaled};

/// A frequency or a bandwidth, greater than zero [Hz].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Frequency(NonZeroU64);

/// Units in which texts give a frequency.
const FREQUENCY: Dimension = Dimension {
    units: &[("Hz", 1), ("kHz", 1_000), ("MHz", 1_000_000), ("GHz", 1_000_000_000)],
    allowed: "Hz, kHz, MHz, GHz",
    example: "5.2 GHz",
    step: "1 Hz",
};

impl Frequency {
    /// A frequency of this many Hz.
    ///
    /// # Panics
    ///
    /// Panics if the frequency is zero, because it would have no wavelength.
    pub const fn from_hertz(hertz: u64) -> Self {
        Self(NonZeroU64::new(hertz).expect("a frequency of zero"))
    }

    /// A frequency of this many MHz.
    pub const fn from_megahertz(megahertz: u64) -> Self {
        Self::from_hertz(megahertz.checked_mul(1_000_000).expect("a frequency beyond 64 bits"))
    }

    /// The frequency in Hz.
    pub const fn hertz(self) -> u64 {
        self.0.get()
    }

    /// The frequency in Hz, rounded to the nearest `f64`.
    #[expect(clippy::cast_precision_loss, reason = "less than 9·10¹⁵ Hz is exact")]
    pub const fn as_hertz_f64(self) -> f64 {
        self.0.get() as f64
    }
}

/// Parses a frequency: `"5.2 GHz"`, `"10 MHz"`.
impl FromStr for Frequency {
    type Err = ParseQuantityError;
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match FREQUENCY.parse(text)? {
            0 => Err(ParseQuantityError::Zero),
            hertz => Ok(Self::from_hertz(hertz)),
        }
    }
}

/// Writes the frequency in its shortest exact form: `5.2 GHz`, `10 MHz`.
impl fmt::Display for Frequency {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let units = [(1_000_000_000, "GHz"), (1_000_000, "MHz"), (1_000, "kHz"), (1, "Hz")];
        write_scaled(f, self.hertz(), &units)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frequencies_are_read_and_written_exactly() {
        for (text, hertz) in
            [("5.2 GHz", 5_200_000_000), ("2.437 GHz", 2_437_000_000), ("10 MHz", 10_000_000)]
        {
            assert_eq!(text.parse(), Ok(Frequency::from_hertz(hertz)));
            assert_eq!(Frequency::from_hertz(hertz).to_string(), text);
        }
        let wrong = |text: &str| text.parse::<Frequency>().expect_err(text);
        assert_eq!(wrong("0 Hz"), ParseQuantityError::Zero);
        assert_eq!(wrong("-1 GHz"), ParseQuantityError::Negative);
        assert!(matches!(wrong("5.2 Ghz"), ParseQuantityError::Unit { .. }));
    }
}
