//! Ratios of powers.

use std::fmt;

use crate::text::write_scaled;

/// A ratio of two powers [dB], in steps of a thousandth.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Decibels(i64);

impl Decibels {
    /// `thousandths`/1000 dB.
    pub const fn from_thousandths(thousandths: i64) -> Self {
        Self(thousandths)
    }

    /// `decibels` dB.
    pub const fn new(decibels: i64) -> Self {
        Self(decibels * 1_000)
    }

    /// Ratio [dB].
    #[expect(clippy::cast_precision_loss, reason = "thousandths of a few hundred dB")]
    pub const fn get(self) -> f64 {
        self.0 as f64 / 1_000.0
    }
}

impl fmt::Display for Decibels {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0 < 0 {
            f.write_str("-")?;
        }
        write_scaled(f, self.0.unsigned_abs(), &[(1_000, "dB")])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ParseQuantityError;

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
}
