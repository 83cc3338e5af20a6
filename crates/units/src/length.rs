//! Lengths and speeds.

use std::fmt;
use std::str::FromStr;

use crate::text::{Dimension, ParseQuantityError, write_signed};

/// A length or a coordinate, positive or negative [mm].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Length(i64);

/// A speed along an axis, positive or negative [mm/s].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Speed(i64);

/// Units in which texts give a length.
const LENGTH: Dimension = Dimension {
    units: &[("mm", 1), ("m", 1_000), ("km", 1_000_000)],
    allowed: "mm, m, km",
    example: "370 m",
    step: "1 mm",
};

/// Unit in which texts give a speed.
const SPEED: Dimension =
    Dimension { units: &[("m/s", 1_000)], allowed: "m/s", example: "1.5 m/s", step: "0.001 m/s" };

impl Length {
    /// A length of zero.
    pub const ZERO: Self = Self(0);

    /// A length of this many millimetres.
    pub const fn from_millimetres(millimetres: i64) -> Self {
        Self(millimetres)
    }

    /// A length of this many metres.
    pub const fn from_metres(metres: i64) -> Self {
        Self(metres.checked_mul(1_000).expect("a length of a light year"))
    }

    /// The length nearest to `metres` m.
    ///
    /// # Panics
    ///
    /// Panics if `metres` is NaN.
    #[expect(clippy::cast_possible_truncation, reason = "saturates at a light year")]
    pub fn rounded(metres: f64) -> Self {
        assert!(!metres.is_nan(), "no length");
        Self((metres * 1_000.0).round() as i64)
    }

    /// The length in millimetres.
    pub const fn as_millimetres(self) -> i64 {
        self.0
    }

    /// The length in metres, rounded to the nearest `f64`.
    #[expect(clippy::cast_precision_loss, reason = "less than 9·10¹² m is exact to 1 mm")]
    pub const fn as_metres(self) -> f64 {
        self.0 as f64 / 1_000.0
    }
}

impl Speed {
    /// A speed of zero.
    pub const ZERO: Self = Self(0);

    /// A speed of this many mm/s.
    pub const fn from_millimetres_per_second(speed: i64) -> Self {
        Self(speed)
    }

    /// A speed of this many m/s.
    pub const fn from_metres_per_second(speed: i64) -> Self {
        Self(speed.checked_mul(1_000).expect("a speed beyond 64 bits"))
    }

    /// The speed in m/s, rounded to the nearest `f64`.
    #[expect(clippy::cast_precision_loss, reason = "no speed is near 9·10¹² m/s")]
    pub const fn as_metres_per_second(self) -> f64 {
        self.0 as f64 / 1_000.0
    }
}

/// Parses a length: `"370 m"`, `"-1.5 m"`, `"2 km"`.
impl FromStr for Length {
    type Err = ParseQuantityError;
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        LENGTH.parse_signed(text).map(Self::from_millimetres)
    }
}

/// Writes the length in its shortest exact form: `370 m`, `1.5 km`, `-1 mm`.
impl fmt::Display for Length {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            0 => f.write_str("0 m"),
            steps => write_signed(f, steps, &[(1_000_000, "km"), (1_000, "m"), (1, "mm")]),
        }
    }
}

/// Parses a speed: `"10 m/s"`, `"-0.5 m/s"`.
impl FromStr for Speed {
    type Err = ParseQuantityError;
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        SPEED.parse_signed(text).map(Self::from_millimetres_per_second)
    }
}

/// Writes the speed in metres per second: `1.5 m/s`.
impl fmt::Display for Speed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_signed(f, self.0, &[(1_000, "m/s")])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_of_either_sign_are_read_and_written_exactly() {
        for (text, millimetres) in
            [("370 m", 370_000), ("1.5 m", 1_500), ("-20 m", -20_000), ("2 km", 2_000_000)]
        {
            assert_eq!(text.parse(), Ok(Length(millimetres)));
            assert_eq!(Length(millimetres).to_string(), text);
        }
        assert_eq!(Length::ZERO.to_string(), "0 m");
        let wrong = |text: &str| text.parse::<Length>().expect_err(text);
        assert!(matches!(wrong("20"), ParseQuantityError::Unit { allowed: "mm, m, km", .. }));
        assert!(matches!(wrong("0.5 mm"), ParseQuantityError::TooFine { .. }));
        assert!(matches!(wrong("9223372036854776 m"), ParseQuantityError::TooLarge));
        assert_eq!(Length::rounded(-1.499_6), Length(-1_500));
    }

    #[test]
    fn speeds_of_either_sign_are_read_and_written_exactly() {
        for (text, speed) in [("10 m/s", 10_000), ("-0.5 m/s", -500), ("0 m/s", 0)] {
            assert_eq!(text.parse(), Ok(Speed(speed)));
            assert_eq!(Speed(speed).to_string(), text);
        }
        let wrong = "10 m".parse::<Speed>().expect_err("a length");
        assert!(matches!(wrong, ParseQuantityError::Unit { allowed: "m/s", .. }));
    }
}
