//! Lateness: time by which a packet reaches its interface after the end of its frame on the
//! simulated channel.

use airfair_units::Duration;

/// Number of buckets of the lateness histogram per power of two, for a resolution of 3 %.
const STEPS: u64 = 32;
/// Number of buckets of the lateness histogram, enough for any duration in nanoseconds.
const BUCKETS: usize = 60 * 32;
/// Lateness of the clock beyond which channel time is stopped instead of catching up.
pub const STALL: Duration = Duration::from_millis(20);

/// Histogram of the lateness of packets, with logarithmic buckets.
#[derive(Clone, Debug)]
pub struct Histogram {
    counts: Vec<u64>,
    total: u64,
}

impl Default for Histogram {
    fn default() -> Self {
        Self { counts: vec![0; BUCKETS], total: 0 }
    }
}

impl Histogram {
    /// Records the lateness of one packet.
    pub fn add(&mut self, lateness: Duration) {
        self.counts[bucket(lateness.as_nanos())] += 1;
        self.total += 1;
    }

    /// Number of packets whose lateness was recorded.
    pub fn count(&self) -> u64 {
        self.total
    }

    /// Lateness within which all but `per_mille` thousandths of the packets stay; zero without
    /// packets.
    pub fn quantile(&self, per_mille: u64) -> Duration {
        let wanted = (self.total * (1000 - per_mille)).div_ceil(1000).max(1);
        let mut seen = 0;
        let at = self.counts.iter().position(|count| {
            seen += count;
            seen >= wanted
        });
        Duration::from_nanos(at.map_or(0, upper_end))
    }
}

fn bucket(ns: u64) -> usize {
    let ns = ns.max(STEPS);
    let power = u64::from(ns.ilog2() - STEPS.ilog2());
    let index = power * STEPS + (ns >> power) - STEPS;
    usize::try_from(index).unwrap_or(usize::MAX).min(BUCKETS - 1)
}

/// Largest lateness in a bucket of the histogram [ns].
fn upper_end(bucket: usize) -> u64 {
    let (power, step) = (bucket as u64 / STEPS, bucket as u64 % STEPS);
    ((STEPS + step + 1) << power) - 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_known_to_three_per_cent() {
        let mut histogram = Histogram::default();
        for us in 1..=1_000 {
            histogram.add(Duration::from_micros(us));
        }
        for (per_mille, exact_us) in [(500, 500), (10, 990), (1, 999)] {
            let found = histogram.quantile(per_mille).as_nanos();
            let exact = exact_us * 1_000;
            assert!(found >= exact && found <= exact * 104 / 100, "{found} for {exact}");
        }
    }

    #[test]
    fn no_packet_has_no_lateness_and_any_time_has_a_bucket() {
        let mut histogram = Histogram::default();
        assert_eq!(histogram.quantile(10), Duration::ZERO);
        histogram.add(Duration::ZERO);
        histogram.add(Duration::from_nanos(u64::MAX));
        assert_eq!(histogram.count(), 2);
    }
}
