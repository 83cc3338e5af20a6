//! Quantiles of durations from a histogram whose bins are 1/64 of their octave wide.

use airfair_units::Duration;

use crate::outcome::Quantiles;

/// Bins per octave, as a power of two: the middle of a bin is within 0.8 % of all in it.
const BITS: u32 = 6;

#[derive(Clone, Debug, Default)]
pub(super) struct Histogram {
    bins: Vec<u32>,
    count: u64,
    sum: u128,
    min: Option<Duration>,
    max: Duration,
}

fn bin_of(nanos: u64) -> usize {
    let exponent = nanos.checked_ilog2().unwrap_or(0);
    if exponent < BITS {
        return usize::try_from(nanos).expect("below 64");
    }
    let mantissa = (nanos >> (exponent - BITS)) & ((1 << BITS) - 1);
    usize::try_from(u64::from(exponent - BITS + 1) << BITS | mantissa).expect("below 64·59")
}

fn middle_of(bin: usize) -> u64 {
    let bin = bin as u64;
    let (octave, mantissa) = (bin >> BITS, bin & ((1 << BITS) - 1));
    if octave == 0 {
        return mantissa;
    }
    let width = 1u64 << (octave - 1);
    ((1 << BITS) + mantissa) * width + width / 2
}

impl Histogram {
    pub(super) fn add(&mut self, sample: Duration) {
        let bin = bin_of(sample.as_nanos());
        if bin >= self.bins.len() {
            self.bins.resize(bin + 1, 0);
        }
        self.bins[bin] += 1;
        self.count += 1;
        self.sum += u128::from(sample.as_nanos());
        self.min = Some(self.min.map_or(sample, |min| min.min(sample)));
        self.max = self.max.max(sample);
    }

    pub(super) fn quantiles(&self) -> Quantiles {
        let Some(min) = self.min else { return Quantiles::default() };
        let mean = u64::try_from(self.sum / u128::from(self.count)).expect("between min and max");
        Quantiles {
            count: self.count,
            mean: Duration::from_nanos(mean),
            min,
            p50: self.quantile(50),
            p95: self.quantile(95),
            p99: self.quantile(99),
            max: self.max,
        }
    }

    /// The smallest bin's middle that at least `percent` of the samples do not exceed.
    fn quantile(&self, percent: u64) -> Duration {
        let wanted = (self.count * percent).div_ceil(100).max(1);
        let mut seen = 0;
        let bin = self.bins.iter().position(|count| {
            seen += u64::from(*count);
            seen >= wanted
        });
        let middle = Duration::from_nanos(middle_of(bin.expect("as many samples as counted")));
        middle.clamp(self.min.unwrap_or_default(), self.max)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn every_quantile_is_within_one_percent_of_the_sorted_samples(
            mut samples in prop::collection::vec(1_000u64..60_000_000_000, 1..200),
        ) {
            let mut histogram = Histogram::default();
            for ns in &samples {
                histogram.add(Duration::from_nanos(*ns));
            }
            samples.sort_unstable();
            let quantiles = histogram.quantiles();
            for (percent, measured) in [(50, quantiles.p50), (95, quantiles.p95), (99, quantiles.p99)] {
                let rank = (samples.len() * percent).div_ceil(100).max(1);
                let exact = samples[rank - 1];
                let error = measured.as_nanos().abs_diff(exact);
                prop_assert!(error * 100 <= exact, "{percent} %: {measured} against {exact} ns");
            }
            prop_assert_eq!(quantiles.min.as_nanos(), samples[0]);
            prop_assert_eq!(quantiles.max.as_nanos(), samples[samples.len() - 1]);
        }
    }
}
