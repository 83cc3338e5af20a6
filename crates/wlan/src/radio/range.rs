//! Transmit power, and exponent of the path loss, from the ranges of rates.

use std::fmt;

use airfair_units::{Dbm, Decibels, Length};
use libm::log10;

use super::path_loss::PathLoss;
use super::reception::Radio;
use crate::phy::TxVector;

/// Transmit power and path loss model that yield given ranges of rates.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Solved {
    /// Transmit power of both ends.
    pub transmit_power: Dbm,
    /// Path loss model, with the exponent that was solved for if two ranges were given.
    pub path_loss: PathLoss,
}

/// Reason for which no transmit power yields the given ranges of rates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RangeError {
    /// No rate with a range is given.
    NoRate,
    /// This number of rates with ranges is given, but a power and an exponent can satisfy only two.
    TooManyRates(usize),
    /// The range of this rate is not positive.
    NotPositive(TxVector),
    /// The range of this rate is below the smallest distance of the path loss model.
    TooNear {
        /// Rate whose range is too short.
        rate: TxVector,
        /// Smallest distance of the path loss model.
        nearest: Length,
    },
    /// The higher of two rates does not have the shorter range.
    NotDecreasing {
        /// The lower of the two rates for which ranges are given.
        lower: TxVector,
        /// The higher of the two rates for which ranges are given.
        higher: TxVector,
    },
    /// The higher of two rates does not need more received power than the lower, so it cannot have the shorter range;
    /// or both rates are equal.
    NeedsNoMore {
        /// The lower of the two rates for which ranges are given.
        lower: TxVector,
        /// The higher of the two rates for which ranges are given.
        higher: TxVector,
    },
    /// Two ranges are given, but only a log-distance model has an exponent to solve for.
    NoExponent,
}

impl fmt::Display for RangeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoRate => f.write_str("no range; allowed are the ranges of one or two rates"),
            Self::TooManyRates(count) => {
                write!(f, "ranges of {count} rates; allowed are those of one or two rates")
            }
            Self::NotPositive(rate) => write!(f, "the range of {rate} is not positive"),
            Self::TooNear { rate, nearest } => {
                write!(f, "the range of {rate} is below {nearest}, from where the loss grows")
            }
            Self::NotDecreasing { lower, higher } => {
                write!(f, "the range of {higher} is not shorter than that of {lower}")
            }
            Self::NeedsNoMore { lower, higher } => {
                write!(
                    f,
                    "{higher} needs no more power than {lower}, so its range cannot be shorter"
                )
            }
            Self::NoExponent => f.write_str("two ranges need a log-distance model"),
        }
    }
}

impl std::error::Error for RangeError {}

impl Radio {
    /// Transmit power at which the given rates are just received at the given distances, between two ends with
    /// `antenna_gain` each. With a log-distance model and two rates, also the exponent.
    ///
    /// A rate is "just received" at its [`required_power`](Radio::required_power). Links have no gain of their own.
    /// At exactly its range, a rate is received.
    ///
    /// # Errors
    /// See [`RangeError`].
    ///
    /// # Panics
    /// With QualNet 4's sensitivities, if a rate is not one of 802.11a.
    pub fn solve_range(
        &self,
        antenna_gain: Decibels,
        ranges: &[(TxVector, Length)],
    ) -> Result<Solved, RangeError> {
        let nearest = self.path_loss.nearest();
        for &(rate, range) in ranges {
            if range <= Length::ZERO {
                return Err(RangeError::NotPositive(rate));
            }
            if range.as_metres() < nearest {
                return Err(RangeError::TooNear { rate, nearest: Length::rounded(nearest) });
            }
        }
        let path_loss = match *ranges {
            [] => return Err(RangeError::NoRate),
            [_] => self.path_loss,
            [first, second] if first.0.rate() <= second.0.rate() => {
                self.solve_exponent(first, second)?
            }
            [first, second] => self.solve_exponent(second, first)?,
            _ => return Err(RangeError::TooManyRates(ranges.len())),
        };
        let needed = ranges.iter().map(|&(rate, range)| {
            let loss = path_loss.loss(range.as_metres());
            self.required_power(rate) + loss - antenna_gain - antenna_gain
        });
        // With two rates, both powers are equal apart from rounding to a thousandth of a dB.
        let transmit_power = needed.max().expect("a rate");
        Ok(Solved { transmit_power, path_loss })
    }

    /// Path loss model with exponent n = Δ/(10·log10(d/d')), where the higher rate needs a power that is Δ [dB] higher.
    fn solve_exponent(
        &self,
        (lower, far): (TxVector, Length),
        (higher, near): (TxVector, Length),
    ) -> Result<PathLoss, RangeError> {
        let PathLoss::LogDistance { reference, loss, .. } = self.path_loss else {
            return Err(RangeError::NoExponent);
        };
        let more = self.required_power(higher) - self.required_power(lower);
        if more <= Decibels::ZERO {
            return Err(RangeError::NeedsNoMore { lower, higher });
        }
        if near >= far {
            return Err(RangeError::NotDecreasing { lower, higher });
        }
        let exponent = more.get() / (10.0 * log10(far.as_metres() / near.as_metres()));
        Ok(PathLoss::LogDistance { reference, loss, exponent })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use airfair_units::Frequency;

    use airfair_units::DataRate;

    use crate::phy::{Preamble, Standard};
    use crate::radio::{Decoder, Terminal};

    const FREQUENCY: Frequency = Frequency::from_megahertz(5_200);
    const GAIN: Decibels = Decibels::new(2);

    fn radio(decoder: Decoder) -> Radio {
        Radio { decoder, ..Radio::new(Standard::A, PathLoss::log_distance(FREQUENCY, 3.0)) }
    }

    fn mbps(rate: u64) -> TxVector {
        TxVector::of(DataRate::from_mbps(rate), Preamble::Long).expect("a legacy rate")
    }

    fn metres(range: i64) -> Length {
        Length::from_metres(range)
    }

    fn exponent(solved: Solved) -> f64 {
        match solved.path_loss {
            PathLoss::LogDistance { exponent, .. } => exponent,
            other => panic!("no exponent in {other:?}"),
        }
    }

    /// Checks that each rate is received at its range, and is not received 0.02 % beyond it.
    fn assert_ranges(radio: Radio, solved: Solved, ranges: &[(TxVector, Length)]) {
        let radio = Radio { path_loss: solved.path_loss, ..radio };
        let end = Terminal { transmit_power: solved.transmit_power, antenna_gain: GAIN };
        for &(rate, range) in ranges {
            let received = |distance| radio.received(end, end, distance, Decibels::ZERO);
            assert!(received(range.as_metres()) >= radio.required_power(rate), "{rate}");
            assert!(received(range.as_metres() * 1.0002) < radio.required_power(rate), "{rate}");
            let back = radio.range(end, end, rate).expect("in range").as_metres();
            assert!((back / range.as_metres() - 1.0).abs() < 2e-4, "{rate}: {back} m");
        }
    }

    /// The ranges of two rates determine the transmit power and the exponent of the path loss. Sensitivities of -82 and
    /// -65 dBm, and a decade of distance: n = 17/10 = 1.7. The loss at 370 m is 46.768 + 17·log10 370 = 46.768 + 43.659
    /// = 90.427 dB, so the power is -82 + 90.427 - 2·2 = 4.427 dBm.
    #[test]
    fn two_sensitivities_give_power_and_exponent() {
        let radio = radio(Decoder::Sensitivity);
        let ranges = [(mbps(6), metres(370)), (mbps(54), metres(37))];
        let solved = radio.solve_range(GAIN, &ranges).expect("solvable");
        assert!((exponent(solved) - 1.7).abs() < 1e-12);
        assert_eq!(solved.transmit_power, Dbm::from_thousandths(4_427));
        assert_ranges(radio, solved, &ranges);
        let turned = [ranges[1], ranges[0]];
        assert_eq!(radio.solve_range(GAIN, &turned), Ok(solved));
    }

    /// With the solved power and exponent, each rate has the range that was given. By the error model, 54 Mb/s needs
    /// 18.639 dB more than 6 Mb/s for 10 % loss of 1000 octets, so n = 1.8639. By the standard's sensitivities it needs
    /// 17 dB more.
    #[test]
    fn two_ranges_by_signal_to_noise_come_back() {
        let radio = radio(Decoder::Snr);
        let ranges = [(mbps(6), metres(370)), (mbps(54), metres(37))];
        let solved = radio.solve_range(GAIN, &ranges).expect("solvable");
        let more = radio.required_power(mbps(54)) - radio.required_power(mbps(6));
        assert_eq!(more, Decibels::from_thousandths(18_639));
        assert!((exponent(solved) - 1.863_9).abs() < 1e-9);
        assert_ranges(radio, solved, &ranges);
    }

    #[test]
    fn one_range_gives_the_power_in_any_model() {
        let height = Length::from_millimetres(1_500);
        let two_ray = PathLoss::TwoRay { frequency: FREQUENCY, height, other_height: height };
        let free = PathLoss::FreeSpace { frequency: FREQUENCY };
        for path_loss in [free, two_ray, PathLoss::log_distance(FREQUENCY, 3.5)] {
            for decoder in [Decoder::Snr, Decoder::Sensitivity] {
                let radio = Radio { path_loss, ..radio(decoder) };
                let ranges = [(mbps(11), metres(250))];
                let solved = radio.solve_range(GAIN, &ranges).expect("solvable");
                assert_eq!(solved.path_loss, path_loss);
                assert_ranges(radio, solved, &ranges);
            }
        }
    }

    #[test]
    fn each_mistake_has_its_own_error() {
        use RangeError as E;
        let radio = radio(Decoder::Sensitivity);
        let solve = |ranges: &[(u64, i64)]| {
            let ranges: Vec<_> = ranges.iter().map(|(r, d)| (mbps(*r), metres(*d))).collect();
            radio.solve_range(GAIN, &ranges).expect_err("no ranges")
        };
        let (lower, higher) = (mbps(6), mbps(54));
        assert_eq!(solve(&[]), E::NoRate);
        assert_eq!(solve(&[(6, 90), (12, 50), (54, 10)]), E::TooManyRates(3));
        assert_eq!(solve(&[(6, 90), (54, 0)]), E::NotPositive(higher));
        assert_eq!(solve(&[(54, -3)]), E::NotPositive(higher));
        assert_eq!(solve(&[(54, 37), (6, 37)]), E::NotDecreasing { lower, higher });
        // The standard has the same sensitivity for 1 and 2 Mb/s.
        let (lower, higher) = (mbps(1), mbps(2));
        assert_eq!(solve(&[(1, 100), (2, 50)]), E::NeedsNoMore { lower, higher });
        assert_eq!(solve(&[(6, 100), (6, 50)]), E::NeedsNoMore { lower: mbps(6), higher: mbps(6) });
        let near = [(mbps(6), Length::from_millimetres(500))];
        let too_near = E::TooNear { rate: mbps(6), nearest: metres(1) };
        assert_eq!(radio.solve_range(GAIN, &near), Err(too_near));
        let free = Radio { path_loss: PathLoss::FreeSpace { frequency: FREQUENCY }, ..radio };
        let ranges = [(mbps(6), metres(370)), (mbps(54), metres(37))];
        assert_eq!(free.solve_range(GAIN, &ranges), Err(E::NoExponent));
    }
}
