//! Powers, and ratios of powers, on a logarithmic scale.

use std::fmt;
use std::ops::{Add, Neg, Sub};
use std::str::FromStr;

use crate::text::{Dimension, ParseQuantityError, write_signed};

/// A ratio of two powers, with a resolution of a thousandth [dB].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Decibels(i64);

/// A power relative to one milliwatt, with a resolution of a thousandth [dBm].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Dbm(i64);

/// Unit in which texts give a ratio of powers.
const DECIBELS: Dimension =
    Dimension { units: &[("dB", 1_000)], allowed: "dB", example: "12 dB", step: "0.001 dB" };

/// Unit in which texts give a power.
const DBM: Dimension =
    Dimension { units: &[("dBm", 1_000)], allowed: "dBm", example: "20 dBm", step: "0.001 dBm" };

impl Decibels {
    /// The ratio of equal powers.
    pub const ZERO: Self = Self(0);

    /// A ratio of `thousandths`/1000 dB.
    pub const fn from_thousandths(thousandths: i64) -> Self {
        Self(thousandths)
    }

    /// A ratio of this many dB.
    pub const fn new(decibels: i64) -> Self {
        Self(in_range(decibels.checked_mul(1_000)))
    }

    /// The ratio nearest to `decibels` dB.
    ///
    /// # Panics
    ///
    /// Panics if `decibels` is NaN.
    #[expect(clippy::cast_possible_truncation, reason = "saturates at 9·10¹⁵ dB")]
    pub fn rounded(decibels: f64) -> Self {
        assert!(!decibels.is_nan(), "no ratio");
        Self((decibels * 1_000.0).round() as i64)
    }

    /// The ratio in thousandths of a dB.
    pub const fn as_thousandths(self) -> i64 {
        self.0
    }

    /// The ratio in dB.
    #[expect(clippy::cast_precision_loss, reason = "thousandths of a few hundred dB")]
    pub const fn get(self) -> f64 {
        self.0 as f64 / 1_000.0
    }
}

impl Dbm {
    /// A power of `thousandths`/1000 dBm.
    pub const fn from_thousandths(thousandths: i64) -> Self {
        Self(thousandths)
    }

    /// A power of this many dBm.
    pub const fn new(dbm: i64) -> Self {
        Self(in_range(dbm.checked_mul(1_000)))
    }

    /// The power in dBm.
    #[expect(clippy::cast_precision_loss, reason = "thousandths of a few hundred dB")]
    pub const fn get(self) -> f64 {
        self.0 as f64 / 1_000.0
    }
}

/// Returns the result of a checked operation on thousandths, or panics if the operation overflowed.
const fn in_range(steps: Option<i64>) -> i64 {
    steps.expect("a ratio of powers beyond 9·10¹⁵ dB")
}

impl Add for Decibels {
    type Output = Self;
    fn add(self, rhs: Self) -> Self {
        Self(in_range(self.0.checked_add(rhs.0)))
    }
}

impl Sub for Decibels {
    type Output = Self;
    fn sub(self, rhs: Self) -> Self {
        Self(in_range(self.0.checked_sub(rhs.0)))
    }
}

impl Neg for Decibels {
    type Output = Self;
    fn neg(self) -> Self {
        Self(in_range(self.0.checked_neg()))
    }
}

impl Add<Decibels> for Dbm {
    type Output = Self;
    fn add(self, rhs: Decibels) -> Self {
        Self(in_range(self.0.checked_add(rhs.0)))
    }
}

impl Sub<Decibels> for Dbm {
    type Output = Self;
    fn sub(self, rhs: Decibels) -> Self {
        Self(in_range(self.0.checked_sub(rhs.0)))
    }
}

impl Sub for Dbm {
    type Output = Decibels;
    fn sub(self, rhs: Self) -> Decibels {
        Decibels(in_range(self.0.checked_sub(rhs.0)))
    }
}

/// Parses a ratio of powers: `"12 dB"`, `"-3.5 dB"`.
impl FromStr for Decibels {
    type Err = ParseQuantityError;
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        DECIBELS.parse_signed(text).map(Self::from_thousandths)
    }
}

impl fmt::Display for Decibels {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_signed(f, self.0, &[(1_000, "dB")])
    }
}

/// Parses a power: `"20 dBm"`, `"-82 dBm"`.
impl FromStr for Dbm {
    type Err = ParseQuantityError;
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        DBM.parse_signed(text).map(Self::from_thousandths)
    }
}

impl fmt::Display for Dbm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_signed(f, self.0, &[(1_000, "dBm")])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ratios_of_either_sign_are_read_and_written_exactly() {
        for (text, thousandths) in
            [("12 dB", 12_000), ("-3.5 dB", -3_500), ("0 dB", 0), ("-0.001 dB", -1)]
        {
            assert_eq!(text.parse(), Ok(Decibels(thousandths)));
            assert_eq!(Decibels(thousandths).to_string(), text);
        }
        let wrong = |text: &str| text.parse::<Decibels>().expect_err(text);
        assert!(matches!(wrong("12"), ParseQuantityError::Unit { allowed: "dB", .. }));
        assert!(matches!(wrong("--1 dB"), ParseQuantityError::Negative));
        assert!(matches!(wrong("0.0001 dB"), ParseQuantityError::TooFine { .. }));
    }

    #[test]
    fn a_power_is_no_ratio_but_two_powers_make_one() {
        assert_eq!("-82 dBm".parse(), Ok(Dbm::new(-82)));
        assert_eq!(Dbm::new(20).to_string(), "20 dBm");
        let wrong = "20 dB".parse::<Dbm>().expect_err("a ratio");
        assert!(matches!(wrong, ParseQuantityError::Unit { allowed: "dBm", .. }));
        assert_eq!(Dbm::new(20) - Dbm::new(-82), Decibels::new(102));
        assert_eq!(Dbm::new(20) - Decibels::new(90) + Decibels::new(3), Dbm::new(-67));
        assert_eq!(-(Decibels::new(3) - Decibels::new(5)), Decibels::new(2) + Decibels::ZERO);
    }

    #[test]
    fn a_computed_ratio_goes_to_the_nearest_step() {
        assert_eq!(Decibels::rounded(86.769_49), Decibels(86_769));
        assert_eq!(Decibels::rounded(-0.000_6), Decibels(-1));
    }
}
