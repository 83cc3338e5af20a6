//! Pacing: the time at which the next packet may be sent.  [RFC5348 §4.6]

use airfair_units::{Duration, Time};

/// Pacing of packets: nominal send times `t_i`, `interval` apart, without drift.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pacing {
    /// Nominal time of the last packet.
    last: Time,
    /// Nominal time of the next packet.
    due: Time,
    /// Part of the exact due time below one nanosecond, which `due` omits [ns].
    fraction: f64,
}

impl Pacing {
    /// Starts the pacing with a packet that is due at once.
    pub(crate) fn new(now: Time) -> Self {
        Self { last: now, due: now, fraction: 0.0 }
    }

    pub(crate) fn due(&self) -> Time {
        self.due
    }

    /// Records a packet sent at `now`. The next one is due `interval` seconds later.
    ///
    /// A packet may be late by up to `credit` without delaying the following ones. A coarse timer thus loses
    /// no rate, and an idle sender accumulates almost no credit.
    pub(crate) fn sent(&mut self, now: Time, interval: f64, credit: Duration) {
        let earliest = Time::from_nanos(now.as_nanos().saturating_sub(credit.as_nanos()));
        if self.due < earliest {
            (self.due, self.fraction) = (earliest, 0.0);
        }
        self.last = self.due;
        self.advance(interval);
    }

    /// Changes the interval between packets, counted from the last packet. Earlier credit remains, and the
    /// change creates none.
    pub(crate) fn change(&mut self, now: Time, interval: f64) {
        let before = self.due;
        if self.due == self.last {
            return;
        }
        (self.due, self.fraction) = (self.last, 0.0);
        self.advance(interval);
        self.due = self.due.max(before.min(now));
    }

    /// Makes the next packet due now, whatever the interval.
    pub(crate) fn send_now(&mut self, now: Time) {
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

    /// A million packets at intervals of a third of a microsecond take 333 333 333 ns, to the nanosecond.
    ///
    /// Verifies: [RFC5348 §4.6]
    #[test]
    fn a_million_thirds_of_a_microsecond_do_not_drift() {
        let mut pacing = Pacing::new(ns(0));
        for _ in 0..1_000_000 {
            pacing.sent(pacing.due(), 1e-6 / 3.0, NO_CREDIT);
        }
        assert!(pacing.due().as_nanos().abs_diff(333_333_333) <= 1);
    }

    /// A late packet delays the following ones only by the part of its delay that exceeds its credit.
    ///
    /// Verifies: [RFC5348 §4.6]
    #[test]
    fn a_late_packet_shifts_the_others_beyond_its_credit_only() {
        let mut pacing = Pacing::new(ns(1_000));
        // With 30 ns of delay and a credit of 50, the next packet is due as if this one had been on time.
        pacing.sent(ns(1_030), 100e-9, Duration::from_nanos(50));
        assert_eq!(pacing.due(), ns(1_100));
        // With 500 ns of delay, 450 are lost.
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
        // The due time of 50 is in the past, so the packet is due now.
        pacing.change(ns(300), 50e-9);
        assert_eq!(pacing.due(), ns(300));
        pacing.sent(ns(300), 100e-9, NO_CREDIT);
        assert_eq!(pacing.due(), ns(400));
        // The owner is late. The credit from 400 on existed before the change.
        pacing.change(ns(450), 20e-9);
        assert_eq!(pacing.due(), ns(400));
    }
}
