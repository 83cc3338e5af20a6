//! Lateness: how long after the end of its frame each packet was in its interface, and whether that matters.

use airfair_units::Duration;

/// Buckets per power of two: a resolution of 3 %.
const STEPS: u64 = 32;
/// Buckets of all powers of two of nanoseconds.
const BUCKETS: usize = 60 * 32;
/// A clock that is later than this lets channel time stand still instead of catching up.
pub const STALL: Duration = Duration::from_millis(20);
/// Lateness that one packet in a hundred may exceed in a valid emulation.
pub const TOLERATED: Duration = Duration::from_millis(5);
/// Part of the time that channel time may stand still in a valid emulation: one in so many.
pub const STANDSTILL: u64 = 100;

/// Distribution of lateness.
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
    /// Takes note of one packet.
    pub fn add(&mut self, lateness: Duration) {
        self.counts[bucket(lateness.as_nanos())] += 1;
        self.total += 1;
    }

    /// Number of packets.
    pub fn count(&self) -> u64 {
        self.total
    }

    /// Lateness that all but `per_mille` of a thousand packets stay below; zero without any.
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

/// Largest value of a bucket [ns].
fn upper_end(bucket: usize) -> u64 {
    let (power, step) = (bucket as u64 / STEPS, bucket as u64 % STEPS);
    ((STEPS + step + 1) << power) - 1
}

/// Account of how well the emulation has kept to the wall clock.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Punctuality {
    /// Packets that came out.
    pub packets: u64,
    /// Median lateness.
    pub p50: Duration,
    /// One packet in a hundred was later.
    pub p99: Duration,
    /// One packet in a thousand was later.
    pub p999: Duration,
    /// Longest time by which the clock was late.
    pub longest_stall: Duration,
    /// Times that channel time stood still.
    pub slips: u64,
    /// Time that it stood still.
    pub slipped: Duration,
    /// Channel time that has passed.
    pub elapsed: Duration,
}

impl Punctuality {
    /// The reasons why figures of this emulation should not be used; none if it is valid.
    pub fn objections(&self) -> Vec<String> {
        let mut reasons = Vec::new();
        if self.p99 > TOLERATED {
            let p99 = ms(self.p99);
            reasons.push(format!("1 % of the packets were later than {p99} (at most {TOLERATED})"));
        }
        if self.slipped.saturating_mul(STANDSTILL) > self.elapsed {
            reasons.push(format!(
                "the machine stood still for {} of {:.1} s (at most 1 %)",
                ms(self.slipped),
                self.elapsed.as_secs_f64()
            ));
        }
        reasons
    }
}

/// A time in milliseconds, as people read it.
fn ms(time: Duration) -> String {
    format!("{:.1} ms", time.as_secs_f64() * 1e3)
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

    #[test]
    fn an_emulation_is_valid_unless_it_was_late_or_stood_still() {
        let on_time = Punctuality { elapsed: Duration::from_secs(10), ..Punctuality::default() };
        assert!(on_time.objections().is_empty());
        let late = Punctuality { p99: Duration::from_millis(6), ..on_time };
        assert_eq!(late.objections(), ["1 % of the packets were later than 6.0 ms (at most 5 ms)"]);
        let stalled = Punctuality { slipped: Duration::from_millis(101), ..on_time };
        assert!(
            stalled.objections()[0].starts_with("the machine stood still for 101.0 ms of 10.0 s")
        );
    }
}
