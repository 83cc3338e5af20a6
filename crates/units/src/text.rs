//! Quantities in text form: a decimal number, a space, a unit. Each quantity has its units in its own file.

use std::fmt;

/// Reason why a text is not the expected quantity. Displayed with the allowed form, where there is one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ParseQuantityError {
    /// The text does not begin with a number.
    NotANumber {
        /// An example of a well-formed value.
        example: &'static str,
    },
    /// The unit is missing or unknown.
    Unit {
        /// The allowed units.
        allowed: &'static str,
        /// An example of a well-formed value.
        example: &'static str,
    },
    /// The number is negative, but must not be.
    Negative,
    /// The number has a finer resolution than the type.
    TooFine {
        /// The smallest step of the type, as text.
        step: &'static str,
    },
    /// The number is too large for the type.
    TooLarge,
    /// The number is zero, but must not be.
    Zero,
}

impl fmt::Display for ParseQuantityError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotANumber { example } => {
                write!(f, "not a number with a unit; allowed is, for example, \"{example}\"")
            }
            Self::Unit { allowed, example } => {
                write!(f, "unknown or missing unit; allowed {allowed}, for example \"{example}\"")
            }
            Self::Negative => f.write_str("must not be negative"),
            Self::TooFine { step } => write!(f, "finer than the smallest step of {step}"),
            Self::TooLarge => f.write_str("too large"),
            Self::Zero => f.write_str("must not be zero"),
        }
    }
}

impl std::error::Error for ParseQuantityError {}

/// Units in which texts may give a quantity.
pub(crate) struct Dimension {
    /// Names of the units, and size of each in smallest steps of the type.
    pub(crate) units: &'static [(&'static str, u64)],
    /// Names of the units, for an error.
    pub(crate) allowed: &'static str,
    /// Example of a well-formed value, for an error.
    pub(crate) example: &'static str,
    /// Smallest step of the type, for an error.
    pub(crate) step: &'static str,
}

impl Dimension {
    /// Parses a quantity and returns it in smallest steps of its type, without floating point.
    pub(crate) fn parse(&self, text: &str) -> Result<u64, ParseQuantityError> {
        let text = text.trim();
        if text.starts_with('-') {
            return Err(ParseQuantityError::Negative);
        }
        let split = text.find(|c: char| !(c.is_ascii_digit() || c == '.')).unwrap_or(text.len());
        let (number, unit) = (&text[..split], text[split..].trim_start());
        let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
        if (whole.is_empty() && fraction.is_empty()) || fraction.contains('.') {
            return Err(ParseQuantityError::NotANumber { example: self.example });
        }
        let Some(&(_, scale)) = self.units.iter().find(|(name, _)| *name == unit) else {
            return Err(ParseQuantityError::Unit { allowed: self.allowed, example: self.example });
        };
        let whole = if whole.is_empty() {
            0
        } else {
            whole.parse().map_err(|_| ParseQuantityError::TooLarge)?
        };
        let fraction = self.fraction_steps(fraction.trim_end_matches('0'), scale)?;
        u64::checked_mul(whole, scale)
            .and_then(|steps| steps.checked_add(fraction))
            .ok_or(ParseQuantityError::TooLarge)
    }

    /// Parses a quantity that may be negative, and returns it in smallest steps of its type.
    pub(crate) fn parse_signed(&self, text: &str) -> Result<i64, ParseQuantityError> {
        let (sign, size) = match text.trim().strip_prefix('-') {
            Some(size) => (-1, size),
            None => (1, text),
        };
        let steps = sign * i128::from(self.parse(size)?);
        i64::try_from(steps).map_err(|_| ParseQuantityError::TooLarge)
    }

    fn fraction_steps(&self, digits: &str, scale: u64) -> Result<u64, ParseQuantityError> {
        if digits.is_empty() {
            return Ok(0);
        }
        let too_fine = || ParseQuantityError::TooFine { step: self.step };
        // No unit has more than 4·10¹² steps, so more than 18 decimals are never a whole step.
        let places = u32::try_from(digits.len()).ok().filter(|n| *n <= 18).ok_or_else(too_fine)?;
        let denominator = 10u128.pow(places);
        let numerator = digits.parse::<u128>().map_err(|_| too_fine())? * u128::from(scale);
        if numerator % denominator != 0 {
            return Err(too_fine());
        }
        u64::try_from(numerator / denominator).map_err(|_| ParseQuantityError::TooLarge)
    }
}

/// Writes a quantity of `steps` smallest steps in the largest unit that needs at most three decimals, without
/// rounding.
pub(crate) fn write_scaled(
    f: &mut fmt::Formatter<'_>,
    steps: u64,
    units: &[(u64, &str)],
) -> fmt::Result {
    let short = |scale: u64| steps >= scale && ((steps % scale) * 1_000).is_multiple_of(scale);
    let &(scale, unit) = units.iter().find(|(scale, _)| short(*scale)).unwrap_or(&units[0]);
    let (whole, thousandths) = (steps / scale, (steps % scale) * 1_000 / scale);
    if thousandths == 0 {
        return write!(f, "{whole} {unit}");
    }
    let decimals = format!("{thousandths:03}");
    write!(f, "{whole}.{} {unit}", decimals.trim_end_matches('0'))
}

/// Writes a positive or negative quantity of `steps` smallest steps in the same form as [`write_scaled`].
pub(crate) fn write_signed(
    f: &mut fmt::Formatter<'_>,
    steps: i64,
    units: &[(u64, &str)],
) -> fmt::Result {
    if steps < 0 {
        f.write_str("-")?;
    }
    write_scaled(f, steps.unsigned_abs(), units)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Bytes, DataRate, Dbm, Decibels, Duration, Frequency, Length, Speed};
    use proptest::prelude::*;

    #[test]
    fn quantities_are_read_exactly() {
        assert_eq!("60 ms".parse(), Ok(Duration::from_millis(60)));
        assert_eq!("0.1 us".parse(), Ok(Duration::from_nanos(100)));
        assert_eq!("5.5 Mb/s".parse(), Ok(DataRate::from_kbps(5_500)));
        assert_eq!("64KiB".parse(), Ok(Bytes::new(65_536)));
    }

    #[test]
    fn each_mistake_has_its_own_answer() {
        use ParseQuantityError as E;
        assert!(matches!("fast".parse::<DataRate>(), Err(E::NotANumber { .. })));
        assert!(matches!("11 Mbps".parse::<DataRate>(), Err(E::Unit { .. })));
        assert!(matches!("11".parse::<DataRate>(), Err(E::Unit { .. })));
        assert_eq!("-1 s".parse::<Duration>(), Err(E::Negative));
        assert_eq!("0 b/s".parse::<DataRate>(), Err(E::Zero));
        assert!(matches!("0.5 ns".parse::<Duration>(), Err(E::TooFine { .. })));
        assert_eq!("99999999999999999999 s".parse::<Duration>(), Err(E::TooLarge));
        assert!(matches!("1.2.3 s".parse::<Duration>(), Err(E::NotANumber { .. })));
    }

    proptest! {
        #[test]
        fn what_is_printed_is_read_back(ns: u64, bps in 1u64.., octets: u64) {
            prop_assert_eq!(Duration::from_nanos(ns).to_string().parse(), Ok(Duration::from_nanos(ns)));
            prop_assert_eq!(DataRate::from_bps(bps).to_string().parse(), Ok(DataRate::from_bps(bps)));
            prop_assert_eq!(Bytes::new(octets).to_string().parse(), Ok(Bytes::new(octets)));
        }

        #[test]
        fn what_is_printed_of_a_radio_is_read_back(steps: i64, hertz in 1u64..) {
            let length = Length::from_millimetres(steps);
            prop_assert_eq!(length.to_string().parse(), Ok(length));
            let speed = Speed::from_millimetres_per_second(steps);
            prop_assert_eq!(speed.to_string().parse(), Ok(speed));
            let power = Dbm::from_thousandths(steps);
            prop_assert_eq!(power.to_string().parse(), Ok(power));
            let ratio = Decibels::from_thousandths(steps);
            prop_assert_eq!(ratio.to_string().parse(), Ok(ratio));
            let frequency = Frequency::from_hertz(hertz);
            prop_assert_eq!(frequency.to_string().parse(), Ok(frequency));
        }

        #[test]
        fn no_text_panics(text in ".{0,40}") {
            let _ = text.parse::<Duration>();
            let _ = text.parse::<DataRate>();
            let _ = text.parse::<Bytes>();
            let _ = text.parse::<Length>();
            let _ = text.parse::<Frequency>();
        }
    }
}
