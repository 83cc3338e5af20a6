//! Quantiles of durations from a histogram whose bins are 1/64 of their octave wide.

use airfair_units::Duration;

use crate::outcome::{DelayBin, Quantiles};

/// Binary logarithm of the bins per octave. The middle of a bin is within 0.8 % of all samples in it.
const BITS: u32 = 6;

#[derive(Clone, Debug)]
pub(super) struct Histogram {
    /// Bins of each octave that has samples. Most octaves have none, so a thousand flows need little memory.
    octaves: Vec<Option<Box<Octave>>>,
    count: u64,
    sum: u128,
    min: Duration,
    max: Duration,
}

type Octave = [u64; 1 << BITS];

impl Default for Histogram {
    fn default() -> Self {
        let (min, max) = (Duration::MAX, Duration::ZERO);
        Self { octaves: Vec::new(), count: 0, sum: 0, min, max }
    }
}

/// Octave of a duration, and its bin within the octave.
#[inline]
fn bin_of(nanos: u64) -> (usize, usize) {
    let octave = nanos.checked_ilog2().map_or(0, |exponent| (exponent + 1).saturating_sub(BITS));
    let mantissa = nanos >> octave.saturating_sub(1);
    (octave as usize, (mantissa & ((1 << BITS) - 1)) as usize)
}

/// Shortest duration of a bin, and the width of the bin [ns].
fn extent_of(octave: usize, bin: usize) -> (u64, u64) {
    if octave == 0 {
        return (bin as u64, 1);
    }
    let width = 1u64 << (octave - 1);
    (((1 << BITS) + bin as u64) * width, width)
}

impl Histogram {
    #[inline]
    pub(super) fn add(&mut self, sample: Duration) {
        let (octave, bin) = bin_of(sample.as_nanos());
        match self.octaves.get_mut(octave) {
            Some(Some(bins)) => bins[bin] += 1,
            _ => self.open(octave)[bin] += 1,
        }
        self.count += 1;
        self.sum += u128::from(sample.as_nanos());
        self.min = self.min.min(sample);
        self.max = self.max.max(sample);
    }

    /// Adds all samples of another histogram.
    pub(super) fn merge(&mut self, other: &Self) {
        for (octave, bins) in other.octaves.iter().enumerate() {
            let Some(bins) = bins else { continue };
            let own = match self.octaves.get_mut(octave) {
                Some(Some(own)) => own,
                _ => self.open(octave),
            };
            own.iter_mut().zip(bins.iter()).for_each(|(own, bin)| *own += bin);
        }
        self.count += other.count;
        self.sum += other.sum;
        self.min = self.min.min(other.min);
        self.max = self.max.max(other.max);
    }

    #[cold]
    fn open(&mut self, octave: usize) -> &mut Octave {
        if octave >= self.octaves.len() {
            self.octaves.resize(octave + 1, None);
        }
        self.octaves[octave].get_or_insert_with(|| Box::new([0; 1 << BITS]))
    }

    pub(super) fn quantiles(&self) -> Quantiles {
        if self.count == 0 {
            return Quantiles::default();
        }
        let mean = u64::try_from(self.sum / u128::from(self.count)).expect("between min and max");
        Quantiles {
            count: self.count,
            mean: Duration::from_nanos(mean),
            min: self.min,
            p50: self.quantile(50),
            p95: self.quantile(95),
            p99: self.quantile(99),
            max: self.max,
        }
    }

    /// Middle of the smallest bin such that at least `percent` of the samples are in it or below.
    fn quantile(&self, percent: u64) -> Duration {
        let wanted = (self.count * percent).div_ceil(100).max(1);
        let mut seen = 0;
        let reaches = |&(_, count): &((u64, u64), u64)| {
            seen += count;
            seen >= wanted
        };
        let ((from, width), _) = self.extents().find(reaches).expect("as many samples as counted");
        Duration::from_nanos(from + width / 2).clamp(self.min, self.max)
    }

    /// Mean of the samples without the longest 5 %; `None` without a sample.  [draft-responsiveness §5.3.1]
    pub(super) fn trimmed_mean(&self) -> Option<Duration> {
        self.trimmed(|_| 1)
    }

    /// Mean over time of samples that were taken in turn, each this long after the one before was over, without the 5 %
    /// of the time with the longest samples; `None` without a sample. It is what samples taken at even times would have.
    pub(super) fn trimmed_mean_over_time(&self, pause: Duration) -> Option<Duration> {
        self.trimmed(|nanos| u128::from((nanos + pause.as_nanos()).max(1)))
    }

    /// Mean of the samples with weights, without the longest ones that have 5 % of the weight.
    fn trimmed(&self, weight: impl Fn(u64) -> u128) -> Option<Duration> {
        const KEPT_PERCENT: u128 = 95;
        let middle = |(from, width): (u64, u64)| {
            (from + width / 2).clamp(self.min.as_nanos(), self.max.as_nanos())
        };
        let weighed = |(bin, count): ((u64, u64), u64)| {
            let nanos = middle(bin);
            (nanos, u128::from(count) * weight(nanos))
        };
        let filled = || self.extents().filter(|&(_, count)| count > 0).map(weighed);
        let all: u128 = filled().map(|(_, weight)| weight).sum();
        let kept = (all * KEPT_PERCENT / 100).max(1);
        let (mut left, mut sum) = (kept, 0);
        for (nanos, weight) in filled() {
            let taken = weight.min(left);
            left -= taken;
            sum += taken * u128::from(nanos);
        }
        let mean = (all > 0).then(|| sum / kept)?;
        Some(Duration::from_nanos(u64::try_from(mean).expect("between min and max")))
    }

    /// Bins with samples, from the shortest duration.
    pub(super) fn bins(&self) -> Vec<DelayBin> {
        let filled = self.extents().filter(|&(_, count)| count > 0);
        let bin = |((from, width), packets)| DelayBin {
            from: Duration::from_nanos(from),
            to: Duration::from_nanos(from.saturating_add(width)),
            packets,
        };
        filled.map(bin).collect()
    }

    /// Shortest duration and width [ns] of each bin with its count, from the shortest duration.
    fn extents(&self) -> impl Iterator<Item = ((u64, u64), u64)> {
        let octaves = self.octaves.iter().enumerate();
        let octaves = octaves.filter_map(|(octave, bins)| Some((octave, bins.as_deref()?)));
        octaves.flat_map(|(octave, bins)| {
            bins.iter().enumerate().map(move |(bin, count)| (extent_of(octave, bin), *count))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The quantiles are correct for a bin with 2^34 equal samples, made by 34 doublings, and another one with a
    /// larger sample.
    #[test]
    fn a_bin_counts_more_than_32_bits() {
        let mut histogram = Histogram::default();
        histogram.add(Duration::from_nanos(1_024));
        for _ in 0..34 {
            let same = histogram.clone();
            histogram.merge(&same);
        }
        histogram.add(Duration::from_nanos(9_000));
        let quantiles = histogram.quantiles();
        assert_eq!(quantiles.count, (1 << 34) + 1);
        let all = [quantiles.min, quantiles.mean, quantiles.max].map(Duration::as_nanos);
        assert_eq!(all, [1_024, 1_024, 9_000]);
        assert!(quantiles.p99.as_nanos() < 1_040, "{quantiles:?}");
    }

    /// Of 20 samples the longest one is left out, whatever it is: the mean of 19 of 1 µs each is 1 µs. Without a sample
    /// there is none, and a single sample stays.
    /// Verifies: [draft-responsiveness §5.3.1]
    #[test]
    fn the_longest_samples_are_trimmed() {
        let mut histogram = Histogram::default();
        assert_eq!(histogram.trimmed_mean(), None);
        histogram.add(Duration::from_nanos(9_000_000));
        assert_eq!(histogram.trimmed_mean(), Some(Duration::from_nanos(9_000_000)));
        (0..19).for_each(|_| histogram.add(Duration::from_nanos(1_000)));
        let mean = histogram.trimmed_mean().expect("samples").as_nanos();
        assert!(mean.abs_diff(1_000) <= 8, "{mean}");
    }

    /// 99 probes of 1 ms, each 9 ms after the one before, cover 990 ms; one of 990 ms covers 999 ms. Of these 1989 ms, 95 %
    /// are 1889.55 ms: 990 ms with 1 ms and 899.55 ms with 990 ms, on average 471.8 ms. Each probe alone would make 1 ms.
    #[test]
    fn probes_in_turn_count_for_the_time_that_they_cover() {
        let mut histogram = Histogram::default();
        (0..99).for_each(|_| histogram.add(Duration::from_millis(1)));
        histogram.add(Duration::from_millis(990));
        let pause = Duration::from_millis(9);
        let mean = histogram.trimmed_mean_over_time(pause).expect("samples").as_secs_f64();
        assert!((mean - 0.4718).abs() < 0.01, "{mean}");
        let each = histogram.trimmed_mean().expect("samples").as_secs_f64();
        assert!((each - 0.001).abs() < 1e-5, "{each}");
    }

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

        #[test]
        fn bins_have_each_sample_between_their_ends_and_do_not_overlap(
            samples in prop::collection::vec(0u64..60_000_000_000, 1..200),
        ) {
            let mut histogram = Histogram::default();
            for ns in &samples {
                histogram.add(Duration::from_nanos(*ns));
            }
            let bins = histogram.bins();
            for bin in &bins {
                let is_inside = |ns: &&u64| (bin.from.as_nanos()..bin.to.as_nanos()).contains(*ns);
                prop_assert_eq!(samples.iter().filter(is_inside).count() as u64, bin.packets);
            }
            prop_assert!(bins.windows(2).all(|pair| pair[0].to <= pair[1].from));
            prop_assert_eq!(bins.iter().map(|bin| bin.packets).sum::<u64>(), samples.len() as u64);
        }
    }
}
