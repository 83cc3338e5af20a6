//! Probabilities.

use std::fmt;
use std::hash::{Hash, Hasher};

/// A probability, from 0 to 1.
#[derive(Clone, Copy, Debug, Default)]
pub struct Probability(f64);

impl Probability {
    /// Probability of an impossible event.
    pub const ZERO: Self = Self(0.0);
    /// Probability of a certain event.
    pub const ONE: Self = Self(1.0);

    /// A probability of `value`; `None` unless `value` is from 0 to 1.
    pub fn new(value: f64) -> Option<Self> {
        // Without `abs`, -0.0 would be another bit pattern of the same probability.
        (0.0..=1.0).contains(&value).then_some(Self(value.abs()))
    }

    /// A probability that is a literal in the source code.
    ///
    /// # Panics
    ///
    /// Panics unless `value` is from 0 to 1; in a constant, that is a compile-time error.
    pub const fn literal(value: f64) -> Self {
        assert!(value >= 0.0 && value <= 1.0, "no probability");
        Self(value)
    }

    /// The probability as a number from 0 to 1.
    pub const fn get(self) -> f64 {
        self.0
    }

    /// True if the probability is zero.
    pub fn is_zero(self) -> bool {
        self == Self::ZERO
    }

    /// Decides whether an event of this probability happens, by `bits`: 64 uniformly random bits, of which
    /// the upper 53 are used.
    #[expect(clippy::cast_precision_loss, reason = "53 bits are exact")]
    pub fn happens(self, bits: u64) -> bool {
        const SCALE: f64 = 1.0 / (1_u64 << 53) as f64;
        ((bits >> 11) as f64) * SCALE < self.0
    }
}

/// Equality of the bits: the value is never NaN or -0.0, so equal bits mean equal values.
impl PartialEq for Probability {
    fn eq(&self, other: &Self) -> bool {
        self.0.to_bits() == other.0.to_bits()
    }
}

impl Eq for Probability {}

impl Hash for Probability {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.to_bits().hash(state);
    }
}

/// Writes the probability as a number with a fraction, as in TOML.
impl fmt::Display for Probability {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_numbers_from_zero_to_one_are_probabilities() {
        for value in [-0.1, 1.000_001, f64::NAN, f64::INFINITY] {
            assert_eq!(Probability::new(value), None, "{value}");
        }
        assert_eq!(Probability::new(-0.0), Some(Probability::ZERO));
        assert_eq!(Probability::new(1.0), Some(Probability::ONE));
    }

    #[test]
    fn a_quarter_happens_for_the_lowest_quarter_of_draws() {
        let quarter = Probability::new(0.25).expect("a probability");
        assert!(quarter.happens(0) && quarter.happens((1 << 62) - 1));
        assert!(!quarter.happens(1 << 62) && !quarter.happens(u64::MAX));
        assert!(Probability::ONE.happens(u64::MAX) && !Probability::ZERO.happens(0));
    }

    #[test]
    fn a_probability_is_written_as_a_number_with_a_fraction() {
        let text = |value| Probability::new(value).expect("a probability").to_string();
        assert_eq!([text(0.0), text(1.0), text(0.25), text(1e-7)], ["0.0", "1.0", "0.25", "1e-7"]);
    }
}
