//! Gain of a link beside its path loss: shadowing by obstacles, which is constant, and fading by echoes.

use airfair_units::{Decibels, Duration, Time};
use libm::{log, log10, pow, sqrt};
use rand_core::Rng;

use super::draws::Draws;
use crate::random::Stream;

/// Index of the first of two words for shadowing in a link's sequence of random words; one for the grid of intervals is
/// at `GRID`.
const SHADOW: u64 = 0;
const GRID: u64 = 2;
/// Index in a link's sequence of random words from which each interval of fading has two words.
const INTERVALS: u64 = 4;
/// Lower bound of the gain [dB], because the power drawn may be zero.
const DEEPEST: f64 = -200.0;

/// Fading: variation of a link's power about its mean. The gain is constant within an interval and independent
/// between intervals (block fading).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Fading {
    /// Power does not vary around its mean.
    #[default]
    None,
    /// Rayleigh fading: only echoes, with exponentially distributed power.  [rappaport §5.6]
    Rayleigh {
        /// Length of an interval of constant gain; positive.
        coherence: Duration,
    },
    /// Rician fading: echoes and a direct ray.  [rappaport §5.6]
    Rician {
        /// Rician factor K: ratio of the power of the direct ray to that of all echoes.
        k: Decibels,
        /// Length of an interval of constant gain; positive.
        coherence: Duration,
    },
}

impl Fading {
    fn coherence(self) -> Option<Duration> {
        match self {
            Self::None => None,
            Self::Rayleigh { coherence } | Self::Rician { coherence, .. } => Some(coherence),
        }
    }

    /// Power gain of one interval, with mean 1, from the random words at `index`.
    fn gain(self, draws: Draws, index: u64) -> f64 {
        match self {
            Self::None => 1.0,
            Self::Rayleigh { .. } => -log(draws.unit(index)),
            Self::Rician { k, .. } => {
                let k = pow(10.0, k.get() / 10.0);
                let (in_phase, quadrature) = draws.normal_pair(index);
                let echo = sqrt(0.5 / (k + 1.0));
                let (x, y) = (sqrt(k / (k + 1.0)) + echo * in_phase, echo * quadrature);
                x * x + y * y
            }
        }
    }
}

/// Shadowing and fading of one link, equal in both directions.
///
/// Shadowing is log-normal and drawn once.  [rappaport §4.9] The gain of an interval depends only on the link's seed
/// and the interval's number, and not on when or how often it is asked for. Each link has its own grid of intervals,
/// so that not all links change at the same time.
#[derive(Clone, Debug)]
pub struct LinkGain {
    draws: Draws,
    shadowing: Decibels,
    fading: Fading,
    /// Time for which the first interval of fading had lasted when the run started.
    offset: Duration,
    /// Interval of fading asked for last, with its gain.
    known: Option<(u64, Decibels)>,
}

impl LinkGain {
    /// Creates a link whose shadowing has the standard deviation `sigma`. Takes one word of `stream`.
    ///
    /// # Panics
    /// If the coherence time is zero.
    pub fn new(sigma: Decibels, fading: Fading, stream: &mut Stream) -> Self {
        let draws = Draws::new(stream.next_u64());
        let coherence = fading.coherence();
        assert!(coherence != Some(Duration::ZERO), "fading without coherence time");
        let offset = coherence.map_or(0, |interval| draws.word(GRID) % interval.as_nanos());
        Self {
            draws,
            shadowing: Decibels::rounded(sigma.get() * draws.normal_pair(SHADOW).0),
            fading,
            offset: Duration::from_nanos(offset),
            known: None,
        }
    }

    /// Gain of the link beside the path loss, without fading.
    pub fn shadowing(&self) -> Decibels {
        self.shadowing
    }

    /// Gain of the link beside the path loss at `now`, fading included.
    pub fn gain(&mut self, now: Time) -> Decibels {
        let Some(coherence) = self.fading.coherence() else { return self.shadowing };
        let interval = ((now - Time::ZERO) + self.offset).whole_steps(coherence);
        match self.known {
            Some((known, gain)) if known == interval => gain,
            _ => {
                let power = self.fading.gain(self.draws, INTERVALS.wrapping_add(interval << 1));
                let gain = self.shadowing + Decibels::rounded((10.0 * log10(power)).max(DEEPEST));
                self.known = Some((interval, gain));
                gain
            }
        }
    }

    /// True if the gain of the link never changes.
    pub fn is_constant(&self) -> bool {
        self.fading == Fading::None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use rand_core::SeedableRng;

    const COHERENCE: Duration = Duration::from_millis(10);
    const COUNT: u32 = 40_000;

    fn powers(fading: Fading) -> Vec<f64> {
        let draws = Draws::new(7);
        (0..COUNT).map(|i| fading.gain(draws, INTERVALS + 2 * u64::from(i))).collect()
    }

    fn moments(values: &[f64]) -> (f64, f64) {
        let mean = values.iter().sum::<f64>() / f64::from(COUNT);
        let square = values.iter().map(|v| (v - mean) * (v - mean)).sum::<f64>();
        (mean, square / f64::from(COUNT))
    }

    /// Mean and variance are 1, within 4 standard errors (1/200 and √8/200). The largest distance of the empirical
    /// distribution from 1 - e^-x is below 1.63/√40000 = 0.00815, the 1 % point of Kolmogorov and Smirnov.
    ///
    /// Verifies: [rappaport §5.6]
    #[test]
    fn rayleigh_power_is_exponential_of_mean_one() {
        let mut powers = powers(Fading::Rayleigh { coherence: COHERENCE });
        let (mean, variance) = moments(&powers);
        assert!((mean - 1.0).abs() < 0.02 && (variance - 1.0).abs() < 0.057, "{mean} {variance}");
        powers.sort_unstable_by(f64::total_cmp);
        let distance = (0..COUNT).zip(&powers).map(|(i, power)| {
            let exact = 1.0 - libm::exp(-power);
            let steps =
                [f64::from(i), f64::from(i + 1)].map(|n| (n / f64::from(COUNT) - exact).abs());
            steps[0].max(steps[1])
        });
        let distance = distance.fold(0.0, f64::max);
        assert!(distance < 0.008_15, "{distance}");
    }

    /// The variance is (1 + 2K)/(1 + K)²: 3/4 at 0 dB, and 21/121 = 0.17355 at 10 dB. Without a direct ray it is 1,
    /// as for Rayleigh.
    ///
    /// Verifies: [rappaport §5.6]
    #[test]
    fn rician_power_has_mean_one_and_the_variance_of_its_k() {
        for (k, expected) in [(0, 0.75), (10, 0.173_55), (-100, 1.0)] {
            let fading = Fading::Rician { k: Decibels::new(k), coherence: COHERENCE };
            let (mean, variance) = moments(&powers(fading));
            assert!((mean - 1.0).abs() < 0.02, "K {k} dB: {mean}");
            assert!((variance / expected - 1.0).abs() < 0.057, "K {k} dB: {variance}");
        }
    }

    /// 4000 links with 8 dB: the mean is within 4·8/√4000 = 0.51 and the deviation within 4·8/√8000 = 0.36.
    ///
    /// Verifies: [rappaport §4.9]
    #[test]
    fn shadowing_is_normal_in_decibels_and_constant() {
        let mut stream = Stream::seed_from_u64(3);
        let (mut sum, mut squares) = (0.0, 0.0);
        for _ in 0..4_000 {
            let mut link = LinkGain::new(Decibels::new(8), Fading::None, &mut stream);
            assert_eq!(link.gain(Time::ZERO), link.gain(Time::from_nanos(1 << 40)));
            let gain = link.gain(Time::ZERO).get();
            (sum, squares) = (sum + gain, squares + gain * gain);
        }
        let (mean, deviation) = (sum / 4_000.0, sqrt(squares / 4_000.0));
        assert!(mean.abs() < 0.51 && (deviation - 8.0).abs() < 0.36, "{mean} {deviation}");
    }

    #[test]
    fn a_gain_lasts_one_interval_of_the_links_own_grid() {
        let mut stream = Stream::seed_from_u64(1);
        let fading = Fading::Rayleigh { coherence: COHERENCE };
        let mut link = LinkGain::new(Decibels::ZERO, fading, &mut stream);
        let mut changes = Vec::new();
        let mut last = link.gain(Time::ZERO);
        for us in 1..50_000 {
            let gain = link.gain(Time::ZERO + Duration::from_micros(us));
            if gain != last {
                changes.push(us);
            }
            last = gain;
        }
        assert_eq!(changes.len(), 5);
        assert!(changes.windows(2).all(|pair| pair[1] - pair[0] == 10_000), "{changes:?}");
        assert!(!changes[0].is_multiple_of(10_000), "{changes:?}");
    }

    proptest! {
        #[test]
        fn gains_do_not_depend_on_who_asked_before(
            seed: u64, asked in prop::collection::vec(0u64..1_000_000_000, 1..20),
        ) {
            let fading = Fading::Rician { k: Decibels::new(3), coherence: COHERENCE };
            let link = LinkGain::new(Decibels::new(6), fading, &mut Stream::seed_from_u64(seed));
            let mut busy = link.clone();
            for at in asked {
                prop_assert_eq!(busy.gain(Time::from_nanos(at)), link.clone().gain(Time::from_nanos(at)));
            }
        }
    }
}
