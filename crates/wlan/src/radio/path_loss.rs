//! Path loss: loss of power by distance.

use std::f64::consts::PI;

use airfair_units::{Decibels, Frequency, Length};
use libm::{log10, pow, sqrt};

/// Speed of light in vacuum [m/s].
const SPEED_OF_LIGHT: f64 = 299_792_458.0;
/// Smallest distance between antennas, for Friis' far field [m].
const NEAREST: f64 = 1.0;

/// Path loss model, between isotropic antennas.
///
/// Below a smallest distance the loss is constant. This distance is 1 m, or λ/4π if this is longer, since Friis' law
/// would yield a gain below it. With [`LogDistance`](Self::LogDistance) it is the reference distance.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum PathLoss {
    /// Free space, by Friis: (4πd/λ)².  [rappaport §4.2]
    FreeSpace {
        /// Carrier frequency of the channel.
        frequency: Frequency,
    },
    /// A direct ray and one that the ground reflects: Friis up to the distance 4π·`h_t`·`h_r`/λ, at which both laws
    /// agree, and d⁴/(`h_t`·`h_r`)² beyond it.  [rappaport §4.6] [ns-2 §18.2]
    TwoRay {
        /// Carrier frequency of the channel.
        frequency: Frequency,
        /// Height of one antenna above ground; positive.
        height: Length,
        /// Height of the other antenna; positive.
        other_height: Length,
    },
    /// Log-distance: loss at a reference distance, growing with a power of the distance.  [rappaport §4.9]
    LogDistance {
        /// Reference distance; positive.
        reference: Length,
        /// Loss at the reference distance.
        loss: Decibels,
        /// n: the loss grows by 10·n dB for ten times the distance; 2 is free space. Positive.
        exponent: f64,
    },
    /// Residential scenario of the task group of 802.11ax: free space at 2.4 GHz and 1 m, 20 dB per decade of distance
    /// up to 5 m and 35 dB beyond, and the loss of the floors F and walls W between the antennas.
    /// Deviates: [D-282]  [tgax-scenarios §1]
    ///
    /// ```text
    ///   40.05 dB + 20·log10(f/2.4 GHz) + 20·log10(min(d, 5 m)) + 35·log10(max(d, 5 m)/5 m)
    ///            + 18.3·F^((F+2)/(F+1) - 0.46) + 5·W
    /// ```
    Residential {
        /// Carrier frequency of the channel.
        frequency: Frequency,
        /// Floors between the antennas.
        floors: Crossings,
        /// Walls between the antennas.
        walls: Crossings,
    },
}

/// Number of floors or walls that a signal passes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Crossings {
    /// This many on each link, whatever its length, as in the scenario [tgax-scenarios §1].
    Count(u8),
    /// One for each such length of the distance, also in fractions, as in Komondor [komondor].
    Every(Length),
}

impl Crossings {
    /// Number over `distance` [m].
    fn over(self, distance: f64) -> f64 {
        match self {
            Self::Count(count) => f64::from(count),
            Self::Every(length) => distance / length.as_metres(),
        }
    }
}

impl PathLoss {
    /// Log-distance model with the loss of free space at 1 m.
    pub fn log_distance(frequency: Frequency, exponent: f64) -> Self {
        let loss = Self::FreeSpace { frequency }.loss(1.0);
        Self::LogDistance { reference: Length::from_metres(1), loss, exponent }
    }

    /// Loss over `distance` [m], rounded to a thousandth of a dB, so that powers compare as they are printed.
    pub fn loss(&self, distance: f64) -> Decibels {
        Decibels::rounded(self.exact_loss(distance))
    }

    /// Distance with this loss [m], the inverse of [`loss`](Self::loss). At least the smallest distance.
    pub fn distance(&self, loss: Decibels) -> f64 {
        self.exact_distance(loss.get())
    }

    /// Smallest distance, below which the loss is constant [m].
    pub fn nearest(&self) -> f64 {
        match *self {
            Self::FreeSpace { frequency } | Self::TwoRay { frequency, .. } => {
                NEAREST.max(wavelength(frequency) / (4.0 * PI))
            }
            Self::LogDistance { reference, .. } => reference.as_metres(),
            Self::Residential { .. } => NEAREST,
        }
    }

    /// Loss over `distance` [m], without rounding [dB].
    fn exact_loss(&self, distance: f64) -> f64 {
        let distance = distance.max(self.nearest());
        match *self {
            Self::FreeSpace { frequency } => friis(frequency, distance),
            Self::TwoRay { frequency, height, other_height } => {
                let product = height.as_metres() * other_height.as_metres();
                if distance < crossover(frequency, product) {
                    friis(frequency, distance)
                } else {
                    40.0 * log10(distance) - 20.0 * log10(product)
                }
            }
            Self::LogDistance { reference, loss, exponent } => {
                loss.get() + 10.0 * exponent * log10(distance / reference.as_metres())
            }
            Self::Residential { frequency, floors, walls } => {
                let (floors, walls) = (floors.over(distance), walls.over(distance));
                open_residential(frequency, distance)
                    + 18.3 * pow(floors, (floors + 2.0) / (floors + 1.0) - 0.46)
                    + 5.0 * walls
            }
        }
    }

    /// Distance with this loss [dB], without rounding [m].
    fn exact_distance(&self, loss: f64) -> f64 {
        let distance = match *self {
            Self::FreeSpace { frequency } => friis_distance(frequency, loss),
            Self::TwoRay { frequency, height, other_height } => {
                let product = height.as_metres() * other_height.as_metres();
                let near = friis_distance(frequency, loss);
                if near < crossover(frequency, product) {
                    near
                } else {
                    pow(10.0, loss / 40.0) * sqrt(product)
                }
            }
            Self::LogDistance { reference, loss: at_reference, exponent } => {
                reference.as_metres() * pow(10.0, (loss - at_reference.get()) / (10.0 * exponent))
            }
            Self::Residential { .. } => self.bisect(loss),
        };
        distance.max(self.nearest())
    }

    /// Distance with this loss [dB] in a model without a closed inverse, to the last bit [m].
    fn bisect(&self, loss: f64) -> f64 {
        let mut near = self.nearest();
        let mut far = near;
        while far.is_finite() && self.exact_loss(far) < loss {
            (near, far) = (far, 2.0 * far);
        }
        let mut middle = f64::midpoint(near, far);
        while near < middle && middle < far {
            if self.exact_loss(middle) < loss {
                near = middle;
            } else {
                far = middle;
            }
            middle = f64::midpoint(near, far);
        }
        far
    }
}

/// Loss of the residential scenario without floors and walls [dB].
fn open_residential(frequency: Frequency, distance: f64) -> f64 {
    const BREAKPOINT: f64 = 5.0;
    40.05
        + 20.0 * log10(frequency.as_hertz_f64() / 2.4e9)
        + 20.0 * log10(distance.min(BREAKPOINT))
        + 35.0 * log10(distance.max(BREAKPOINT) / BREAKPOINT)
}

/// Wavelength [m].
fn wavelength(frequency: Frequency) -> f64 {
    SPEED_OF_LIGHT / frequency.as_hertz_f64()
}

/// Free-space loss [dB].
fn friis(frequency: Frequency, distance: f64) -> f64 {
    20.0 * log10(4.0 * PI * distance / wavelength(frequency))
}

/// Distance in free space with this loss [m].
fn friis_distance(frequency: Frequency, loss: f64) -> f64 {
    pow(10.0, loss / 20.0) * wavelength(frequency) / (4.0 * PI)
}

/// Distance at which Friis and the d⁴ law agree [m]. `product` is the product of the antenna heights [m²].
fn crossover(frequency: Frequency, product: f64) -> f64 {
    4.0 * PI * product / wavelength(frequency)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const FIVE: Frequency = Frequency::from_megahertz(5_200);
    const TWO_RAY: PathLoss = PathLoss::TwoRay {
        frequency: Frequency::from_megahertz(914),
        height: Length::from_millimetres(1_500),
        other_height: Length::from_millimetres(1_500),
    };
    const PROPORTIONAL: PathLoss = PathLoss::Residential {
        frequency: Frequency::from_megahertz(5_000),
        floors: Crossings::Every(Length::from_metres(3)),
        walls: Crossings::Every(Length::from_metres(10)),
    };

    /// λ = 299 792 458/5.2e9 = 0.0576524 m; 4π·100/λ = 1256.637/0.0576524 = 21 796.8;
    /// 20·log10 21 796.8 = 20·4.338393 = 86.768 dB. Twice the distance: 86.7678 + 6.0206 dB.
    ///
    /// Verifies: [rappaport §4.2]
    #[test]
    fn friis_at_5_ghz_loses_86_77_db_over_100_m() {
        let free = PathLoss::FreeSpace { frequency: FIVE };
        assert_eq!(free.loss(100.0), Decibels::from_thousandths(86_768));
        assert_eq!(free.loss(200.0), Decibels::from_thousandths(92_788));
        // Below 1 m the loss is constant. At 10 MHz the limit is λ/4π = 29.979/12.566 = 2.386 m.
        assert_eq!(free.loss(0.0), free.loss(1.0));
        let long_wave = PathLoss::FreeSpace { frequency: Frequency::from_megahertz(10) };
        assert!((long_wave.nearest() - 2.386).abs() < 1e-3);
        assert_eq!(long_wave.loss(1.0), Decibels::ZERO);
    }

    /// λ = 299 792 458/914e6 = 0.328 m; 4π·1.5·1.5/0.328 = 86.20 m. At 250 m, the usual range of `WaveLAN` in ns-2:
    /// 40·log10 250 - 20·log10 2.25 = 95.918 - 7.044 = 88.874 dB. Check: 281.84 mW = 24.5 dBm; 24.5 dBm - 88.874 dB =
    /// -64.374 dBm = 3.652e-10 W, which is `RXThresh_` of ns-2.
    ///
    /// Verifies: [rappaport §4.6] [ns-2 §18.2]
    #[test]
    fn two_rays_are_friis_up_to_the_crossover_and_continuous_there() {
        let at = crossover(Frequency::from_megahertz(914), 2.25);
        assert!((at - 86.20).abs() < 0.01, "{at}");
        let (below, above) = (TWO_RAY.exact_loss(at * (1.0 - 1e-12)), TWO_RAY.exact_loss(at));
        assert!((below - above).abs() < 1e-9, "{below} {above}");
        assert_eq!(TWO_RAY.loss(250.0), Decibels::from_thousandths(88_874));
        let free = PathLoss::FreeSpace { frequency: Frequency::from_megahertz(914) };
        assert_eq!(TWO_RAY.loss(50.0), free.loss(50.0));
        // Twice the distance: 12.041 dB more.
        assert_eq!(TWO_RAY.loss(500.0), Decibels::from_thousandths(88_874 + 12_041));
    }

    /// Friis at 1 m and 5.2 GHz: 86.768 - 40 = 46.768 dB; with n = 3, 60 dB more at 100 m.
    ///
    /// Verifies: [rappaport §4.9]
    #[test]
    fn the_log_distance_law_starts_from_free_space_at_one_metre() {
        let law = PathLoss::log_distance(FIVE, 3.0);
        assert_eq!(law.loss(1.0), Decibels::from_thousandths(46_768));
        assert_eq!(law.loss(100.0), Decibels::from_thousandths(106_768));
    }

    /// At 5 GHz: 40.05 + 20·log10(5/2.4) = 40.05 + 6.375 = 46.425 dB at 1 m.
    /// 4 m, no floor, two walls: 46.425 + 12.041 + 10 = 68.466 dB.
    /// 20 m, one floor: 46.425 + 13.979 + 35·log10 4 = 21.072, and 18.3·1 dB: 99.777 dB.
    /// 6 m with a floor each 3 m and a wall each 10 m, so F = 2 and W = 0.6:
    /// 46.425 + 13.979 + 35·log10 1.2 = 2.771, 18.3·2^(4/3 - 0.46) = 18.3·1.83191 = 33.524, and 3 dB: 99.700 dB.
    ///
    /// Verifies: [tgax-scenarios §1] [komondor]
    #[test]
    fn a_flat_loses_power_by_distance_floors_and_walls() {
        let frequency = Frequency::from_megahertz(5_000);
        let counted = |floors, walls| {
            let (floors, walls) = (Crossings::Count(floors), Crossings::Count(walls));
            PathLoss::Residential { frequency, floors, walls }
        };
        assert_eq!(counted(0, 0).loss(0.5), Decibels::from_thousandths(46_425));
        assert_eq!(counted(0, 2).loss(4.0), Decibels::from_thousandths(68_466));
        assert_eq!(counted(1, 0).loss(20.0), Decibels::from_thousandths(99_777));
        assert_eq!(PROPORTIONAL.loss(6.0), Decibels::from_thousandths(99_700));
    }

    proptest! {
        #[test]
        fn distance_and_loss_are_inverse_and_loss_grows(
            metres in 2.4f64..100_000.0, further in 1.0f64..3.0, exponent in 1.0f64..6.0,
        ) {
            let laws =
                [PathLoss::FreeSpace { frequency: FIVE }, TWO_RAY, PathLoss::log_distance(FIVE, exponent), PROPORTIONAL];
            for law in laws {
                let back = law.exact_distance(law.exact_loss(metres));
                prop_assert!((back / metres - 1.0).abs() < 1e-9, "{law:?}: {back} of {metres}");
                prop_assert!(law.loss(metres) <= law.loss(metres * further));
                // Rounding to a thousandth of a dB changes the distance by at most 0.01 %.
                prop_assert!((law.distance(law.loss(metres)) / metres - 1.0).abs() < 1.2e-4);
            }
        }
    }
}
