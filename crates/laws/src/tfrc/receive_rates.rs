//! `X_recv_set`: receive rates reported in the last two round trips.  [RFC5348 §4.3]

use airfair_units::Time;

/// Largest number of receive rates kept. New losses and regular reports are at least a round trip apart, so
/// two round trips have at most five; of more, the oldest is dropped.
const CAPACITY: usize = 6;

/// A reported receive rate and the time of its report.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Report {
    rate: f64,
    at: Time,
}

/// `X_recv_set`: set of the last reported receive rates, never empty [octets/s].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ReceiveRates {
    reports: [Report; CAPACITY],
    count: usize,
}

impl ReceiveRates {
    /// Creates a set of one receive rate, which is infinity before the first report.
    pub fn single(rate: f64, at: Time) -> Self {
        Self { reports: [Report { rate, at }; CAPACITY], count: 1 }
    }

    fn known(&self) -> &[Report] {
        &self.reports[..self.count]
    }

    /// The largest receive rate in the set [octets/s].
    pub fn max(&self) -> f64 {
        self.known().iter().fold(0.0, |max, report| report.rate.max(max))
    }

    /// Adds to the set a receive rate, and removes those older than two round trips.
    #[must_use]
    pub fn update(mut self, rate: f64, at: Time, rtt: f64) -> Self {
        let mut kept = 0;
        for index in 0..self.count {
            let report = self.reports[index];
            if at.saturating_since(report.at).as_secs_f64() <= 2.0 * rtt {
                self.reports[kept] = report;
                kept += 1;
            }
        }
        if kept == CAPACITY {
            self.reports.rotate_left(1);
            kept -= 1;
        }
        self.reports[kept] = Report { rate, at };
        self.count = kept + 1;
        self
    }

    /// Replaces the set by the largest of all its receive rates and `rate`, dated `at`; an initial infinity
    /// is ignored.
    #[must_use]
    pub fn maximize(self, rate: f64, at: Time) -> Self {
        let finite = self.known().iter().map(|report| report.rate).filter(|rate| rate.is_finite());
        Self::single(finite.fold(rate, f64::max), at)
    }

    /// Halves all receive rates in the set.
    #[must_use]
    pub fn halve(mut self) -> Self {
        for report in &mut self.reports {
            report.rate /= 2.0;
        }
        self
    }
}

#[cfg(test)]
#[expect(clippy::float_cmp, reason = "halves and whole numbers are exact")]
mod tests {
    use super::*;
    use airfair_units::Duration;

    fn ms(ms: u64) -> Time {
        Time::ZERO + Duration::from_millis(ms)
    }

    /// A receive rate stays in the set for two round trips.
    ///
    /// Verifies: [RFC5348 §4.3]
    #[test]
    fn values_live_for_two_round_trips() {
        let mut rates = ReceiveRates::single(f64::INFINITY, ms(0));
        // R = 100 ms: infinity from 0 ms is kept to 200 ms, 50 from 100 ms to 300 ms
        for (at, rate, max) in
            [(100, 50.0, f64::INFINITY), (200, 30.0, f64::INFINITY), (201, 20.0, 50.0)]
        {
            rates = rates.update(rate, ms(at), 0.1);
            assert_eq!(rates.max(), max, "at {at} ms");
        }
        assert_eq!(rates.update(10.0, ms(301), 0.1).max(), 30.0);
    }

    /// Maximizing leaves one receive rate, the largest, dated now; infinity is ignored.
    ///
    /// Verifies: [RFC5348 §4.3]
    #[test]
    fn maximizing_drops_infinity_and_all_but_the_largest() {
        let fresh = ReceiveRates::single(f64::INFINITY, ms(0));
        assert_eq!(fresh.maximize(7.0, ms(1)), ReceiveRates::single(7.0, ms(1)));
        let two = fresh.maximize(7.0, ms(1)).update(9.0, ms(2), 1.0);
        assert_eq!(two.maximize(3.0, ms(3)).max(), 9.0);
        // Dated 3 ms: with R = 1 ms the value is kept to 5 ms, and not only to 4 ms.
        assert_eq!(two.maximize(3.0, ms(3)).update(1.0, ms(5), 0.001).max(), 9.0);
        assert_eq!(two.halve().max(), 4.5);
    }

    #[test]
    fn the_oldest_of_too_many_goes() {
        let mut rates = ReceiveRates::single(100.0, ms(0));
        for rate in 1..=6u32 {
            rates = rates.update(rate.into(), ms(1), 1.0);
        }
        assert_eq!(rates.max(), 6.0);
    }
}
