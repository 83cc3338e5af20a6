//! Time at which the next packet may go.  [RFC5348 §4.6]

use airfair_units::{Duration, Time};

/// Nominal send times `t_i`, `interval` apart, without drift.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pacing {
    /// Nominal time of the last packet.
    last: Time,
    /// Nominal time of the next packet.
    due: Time,
    /// Rest of the exact value, which `due` leaves out, below one [ns].
    fraction: f64,
}

impl Pacing {
    /// The first packet is due at once.
    pub(crate) fn new(now: Time) -> Self {
        Self { last: now, due: now, fraction: 0.0 }
    }

    pub(crate) fn due(&self) -> Time {
        self.due
    }

    /// A packet went out at `now`, and the next comes `interval` seconds later.
    ///
    /// `credit` is how late a packet may have been without shifting all that follow: so a coarse timer
    /// loses nothing, and an idle sender gathers next to nothing.
    pub(crate) fn sent(&mut self, now: Time, interval: f64, credit: Duration) {
        let earliest = Time::from_nanos(now.as_nanos().saturating_sub(credit.as_nanos()));
        if self.due < earliest {
            (self.due, self.fraction) = (earliest, 0.0);
        }
        self.last = self.due;
        self.advance(interval);
    }

    /// From now on the interval is another. Credit of before stays, and none comes from the change.
    pub(crate) fn change(&mut self, now: Time, interval: f64) {
        let before = self.due;
        if self.due == self.last {
            return;
        }
        (self.due, self.fraction) = (self.last, 0.0);
        self.advance(interval);
        self.due = self.due.max(before.min(now));
    }

    /// The next packet is due now, whatever the interval.
    pub(crate) fn hurry(&mut self, now: Time) {
        if self.due > now {
            (self.due, self.fraction) = (now, 0.0);
        }
    }

    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "64 s at most")]
    #[expect(clippy::cast_precision_loss, reason = "64 s are exact")]
    fn advance(&mut self, interval: f64) {
        let exact = interval * 1e9 + self.fraction;
        let whole = exact as u64;
        self.fraction = exact - whole as f64;
        self.due += Duration::from_nanos(whole);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ns(ns: u64) -> Time {
        Time::from_nanos(ns)
    }

    const NO_CREDIT: Duration = Duration::ZERO;

    /// Verifies: [RFC5348 §4.6]
    #[test]
    fn a_million_thirds_of_a_microsecond_do_not_drift() {
        let mut pacing = Pacing::new(ns(0));
        for _ in 0..1_000_000 {
            pacing.sent(pacing.due(), 1e-6 / 3.0, NO_CREDIT);
        }
        assert!(pacing.due().as_nanos().abs_diff(333_333_333) <= 1);
    }

    /// Verifies: [RFC5348 §4.6]
    #[test]
    fn a_late_packet_shifts_the_others_beyond_its_credit_only() {
        let mut pacing = Pacing::new(ns(1_000));
        // 30 late with a credit of 50: the next as if it had been on time
        pacing.sent(ns(1_030), 100e-9, Duration::from_nanos(50));
        assert_eq!(pacing.due(), ns(1_100));
        // 500 late: 450 are gone
        pacing.sent(ns(1_600), 100e-9, Duration::from_nanos(50));
        assert_eq!(pacing.due(), ns(1_650));
    }

    #[test]
    fn a_change_counts_from_the_last_packet_and_gives_no_credit() {
        let mut pacing = Pacing::new(ns(0));
        pacing.sent(ns(0), 1_000e-9, NO_CREDIT);
        pacing.change(ns(100), 400e-9);
        assert_eq!(pacing.due(), ns(400));
        pacing.change(ns(200), 900e-9);
        assert_eq!(pacing.due(), ns(900));
        // due at 50, which is over: at once
        pacing.change(ns(300), 50e-9);
        assert_eq!(pacing.due(), ns(300));
        pacing.sent(ns(300), 100e-9, NO_CREDIT);
        assert_eq!(pacing.due(), ns(400));
        // the owner is late, 400 was its credit before the change
        pacing.change(ns(450), 20e-9);
        assert_eq!(pacing.due(), ns(400));
    }
}
