//! Quantities in text form: a decimal number, a space, a unit.

use std::fmt;
use std::str::FromStr;

use crate::{Bytes, DataRate, Dbm, Decibels, Duration, Frequency, Length, Speed};

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

/// Units of one kind of quantity, with the size of each in smallest steps of the type.
struct Dimension {
    units: &'static [(&'static str, u64)],
    allowed: &'static str,
    example: &'static str,
    step: &'static str,
}

const DURATION: Dimension = Dimension {
    units: &[
        ("ns", 1),
        ("us", 1_000),
        ("µs", 1_000),
        ("ms", 1_000_000),
        ("s", 1_000_000_000),
        ("min", 60_000_000_000),
        ("h", 3_600_000_000_000),
    ],
    allowed: "ns, us, ms, s, min, h",
    example: "20 ms",
    step: "1 ns",
};

const BYTES: Dimension = Dimension {
    units: &[
        ("B", 1),
        ("kB", 1_000),
        ("KiB", 1 << 10),
        ("MB", 1_000_000),
        ("MiB", 1 << 20),
        ("GB", 1_000_000_000),
        ("GiB", 1 << 30),
    ],
    allowed: "B, kB, KiB, MB, MiB, GB, GiB",
    example: "1460 B",
    step: "1 B",
};

const DATA_RATE: Dimension = Dimension {
    units: &[("b/s", 1), ("kb/s", 1_000), ("Mb/s", 1_000_000), ("Gb/s", 1_000_000_000)],
    allowed: "b/s, kb/s, Mb/s, Gb/s",
    example: "11 Mb/s",
    step: "1 b/s",
};

const DECIBELS: Dimension =
    Dimension { units: &[("dB", 1_000)], allowed: "dB", example: "12 dB", step: "0.001 dB" };

const DBM: Dimension =
    Dimension { units: &[("dBm", 1_000)], allowed: "dBm", example: "20 dBm", step: "0.001 dBm" };

const LENGTH: Dimension = Dimension {
    units: &[("mm", 1), ("m", 1_000), ("km", 1_000_000)],
    allowed: "mm, m, km",
    example: "370 m",
    step: "1 mm",
};

const SPEED: Dimension =
    Dimension { units: &[("m/s", 1_000)], allowed: "m/s", example: "1.5 m/s", step: "0.001 m/s" };

const FREQUENCY: Dimension = Dimension {
    units: &[("Hz", 1), ("kHz", 1_000), ("MHz", 1_000_000), ("GHz", 1_000_000_000)],
    allowed: "Hz, kHz, MHz, GHz",
    example: "5.2 GHz",
    step: "1 Hz",
};

impl Dimension {
    /// Parses a quantity and returns it in smallest steps of its type, without floating point.
    fn parse(&self, text: &str) -> Result<u64, ParseQuantityError> {
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
    fn parse_signed(&self, text: &str) -> Result<i64, ParseQuantityError> {
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

/// Parses a duration: `"60 ms"`, `"1.5 s"`, `"2 min"`.
impl FromStr for Duration {
    type Err = ParseQuantityError;
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        DURATION.parse(text).map(Self::from_nanos)
    }
}

/// Parses an amount of data: `"1460 B"`, `"10 MB"`, `"64 KiB"`.
impl FromStr for Bytes {
    type Err = ParseQuantityError;
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        BYTES.parse(text).map(Self::new)
    }
}

/// Parses a ratio of powers: `"12 dB"`, `"-3.5 dB"`.
impl FromStr for Decibels {
    type Err = ParseQuantityError;
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        DECIBELS.parse_signed(text).map(Self::from_thousandths)
    }
}

/// Parses a power: `"20 dBm"`, `"-82 dBm"`.
impl FromStr for Dbm {
    type Err = ParseQuantityError;
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        DBM.parse_signed(text).map(Self::from_thousandths)
    }
}

/// Parses a length: `"370 m"`, `"-1.5 m"`, `"2 km"`.
impl FromStr for Length {
    type Err = ParseQuantityError;
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        LENGTH.parse_signed(text).map(Self::from_millimetres)
    }
}

/// Parses a speed: `"10 m/s"`, `"-0.5 m/s"`.
impl FromStr for Speed {
    type Err = ParseQuantityError;
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        SPEED.parse_signed(text).map(Self::from_millimetres_per_second)
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
