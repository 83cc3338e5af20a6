//! The receive rate `X_recv`.  [RFC5348 §6.2]

use std::collections::VecDeque;

use airfair_units::{Duration, Time};

/// Largest number of arrivals kept singly. If a round trip has more, arrivals closer together than this
/// fraction of the round trip are merged, so that memory is bounded and the rate is exact to that fraction.
const SINGLE_ARRIVALS: usize = 1 << 16;

/// Octets received since the last report, and in the last round trip.
#[derive(Clone, Debug, Default)]
pub(crate) struct ReceiveRate {
    /// Arrivals of the last round trip, and perhaps one before.
    recent: VecDeque<(Time, u64)>,
    recent_octets: u64,
    /// Octets received since the last report.
    octets: u64,
    packets: u64,
    /// Time of the last report; `None` before the first.
    reported_at: Option<Time>,
    /// Largest receive rate reported so far [octets/s].
    largest: f64,
}

impl ReceiveRate {
    #[inline]
    pub(crate) fn on_arrival(&mut self, now: Time, octets: u32, rtt: Duration) {
        let octets = u64::from(octets);
        self.octets += octets;
        self.packets += 1;
        self.recent_octets += octets;
        let is_crowded = self.recent.len() >= SINGLE_ARRIVALS;
        match self.recent.back_mut() {
            Some((at, sum))
                if is_crowded && now.saturating_since(*at) < rtt / SINGLE_ARRIVALS as u64 =>
            {
                *sum += octets;
            }
            _ => self.recent.push_back((now, octets)),
        }
        self.forget(now, rtt);
    }

    /// Removes arrivals that are a round trip old or more.
    #[inline]
    fn forget(&mut self, now: Time, rtt: Duration) {
        while let Some(&(at, octets)) = self.recent.front()
            && now.saturating_since(at) >= rtt
            && self.recent.len() > 1
        {
            self.recent.pop_front();
            self.recent_octets -= octets;
        }
    }

    /// Receive rate since the last report or, if that was less than a round trip ago, in the last round trip
    /// [octets/s].
    #[expect(clippy::cast_precision_loss, reason = "far less than 2^53 octets in a round trip")]
    pub(crate) fn rate(&mut self, now: Time, rtt: Duration) -> f64 {
        // A single packet gives no rate.  [RFC5348 §6.3]
        let Some(reported_at) = self.reported_at else { return 0.0 };
        let elapsed = now.saturating_since(reported_at);
        if elapsed >= rtt && !elapsed.is_zero() {
            return self.octets as f64 / elapsed.as_secs_f64();
        }
        self.forget(now, rtt);
        if rtt.is_zero() { 0.0 } else { self.recent_octets as f64 / rtt.as_secs_f64() }
    }

    /// Receive rate in the last round trip, for the first loss interval [octets/s].  [RFC5348 §6.3.1]
    #[expect(clippy::cast_precision_loss, reason = "far less than 2^53 octets in a round trip")]
    pub(crate) fn last_round_trip(&mut self, now: Time, rtt: Duration) -> f64 {
        self.forget(now, rtt);
        self.recent_octets as f64 / rtt.as_secs_f64()
    }

    /// True if a packet has arrived since the last report.
    pub(crate) fn has_news(&self) -> bool {
        self.packets > 0
    }

    /// Time of the receiver's last report; `None` before the first.
    pub(crate) fn reported_at(&self) -> Option<Time> {
        self.reported_at
    }

    /// Largest receive rate reported so far [octets/s].  [RFC5348 §6.3.1]
    pub(crate) fn largest(&self) -> f64 {
        self.largest
    }

    /// Records that a report with the receive rate `rate` is sent.
    pub(crate) fn on_report(&mut self, now: Time, rate: f64) {
        self.largest = self.largest.max(rate);
        (self.octets, self.packets, self.reported_at) = (0, 0, Some(now));
    }
}

#[cfg(test)]
#[expect(clippy::float_cmp, reason = "whole numbers of octets per 100 ms are exact")]
mod tests {
    use super::*;

    const RTT: Duration = Duration::from_millis(100);

    fn ms(ms: u64) -> Time {
        Time::ZERO + Duration::from_millis(ms)
    }

    /// The receive rate is measured since the last report or, if that is less than a round trip ago, over the
    /// last round trip.
    ///
    /// Verifies: [RFC5348 §6.2]
    #[test]
    fn the_rate_is_over_the_report_interval_and_never_over_less_than_a_round_trip() {
        let mut rate = ReceiveRate::default();
        rate.on_arrival(ms(0), 1_000, RTT);
        assert_eq!(rate.rate(ms(0), RTT), 0.0);
        rate.on_report(ms(0), 0.0);
        for at in (20..=200).step_by(20) {
            rate.on_arrival(ms(at), 1_000, RTT);
        }
        // 10 packets in 200 ms
        assert_eq!(rate.rate(ms(200), RTT), 50_000.0);
        rate.on_report(ms(200), 50_000.0);
        assert!(!rate.has_news());
        // 20 ms after the report: 140, 160, 180, 200 and 220 are less than R ago
        rate.on_arrival(ms(220), 1_000, RTT);
        assert_eq!(rate.rate(ms(220), RTT), 50_000.0);
        // 100 ms after it, one packet
        assert_eq!(rate.rate(ms(300), RTT), 10_000.0);
        assert_eq!(rate.last_round_trip(ms(220), RTT), 50_000.0);
        assert_eq!(rate.largest(), 50_000.0);
    }

    #[test]
    fn a_flood_within_a_round_trip_takes_bounded_memory_and_is_counted() {
        let (mut rate, rtt) = (ReceiveRate::default(), Duration::from_secs(16));
        rate.on_report(ms(0), 0.0);
        // 100 octets per 20 µs: 800 000 packets in a round trip
        for packet in 1..=1_000_000 {
            let at = Time::from_nanos(packet * 20_000);
            rate.on_arrival(at, 100, rtt);
        }
        assert!(rate.recent.len() <= 2 * SINGLE_ARRIVALS + 2, "{}", rate.recent.len());
        let measured = rate.last_round_trip(Time::from_nanos(20_000_000_000), rtt);
        assert!((measured / 5e6 - 1.0).abs() < 1e-3, "{measured} octets/s");
    }
}
