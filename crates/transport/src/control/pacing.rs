//! Pacing of a TCP sender: the earliest time of the next burst.  [linux-pacing], [draft-bbr §5.6.2]
//!
//! Segments leave in bursts. A burst is the amount that the rate sends in a millisecond, two segments at least
//! and 64 kB at most, as Linux hands it to its network card. The next burst is due when the rate has sent the
//! octets of the last one. Lateness gives no credit, so the sender is never ahead of the rate by more than a
//! burst.

use airfair_units::{Duration, Time};

/// Number of segments at the start of a connection that are not paced.  `tcp_update_skb_after_send`
/// [linux-pacing]
pub(crate) const UNPACED: u64 = 10;
/// Time whose octets at the rate make a burst.  `sk_pacing_shift` 10 [linux-pacing]
const BURST: Duration = Duration::from_nanos(1_000_000_000 / 1_024);
/// Largest burst: `GSO_LEGACY_MAX_SIZE` less headers [octets].  [linux-pacing]
const MOST_OCTETS: u64 = 65_535 - 320;
/// Smallest burst [segments].  `sysctl_tcp_min_tso_segs` [linux-pacing]
const LEAST_SEGMENTS: u64 = 2;

/// Pacing rate as a quotient, which is exact for a window per round trip.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Rate {
    /// Octets that the rate sends in `time`, at least 1.
    pub(crate) octets: u64,
    pub(crate) time: Duration,
}

impl Rate {
    /// Time in which the rate sends `octets`, rounded up.
    pub(crate) fn time_of(self, octets: u64) -> Duration {
        let ns = u128::from(octets) * u128::from(self.time.as_nanos());
        let ns = ns.div_ceil(u128::from(self.octets.max(1)));
        Duration::from_nanos(u64::try_from(ns).unwrap_or(u64::MAX).min(MOST_WAIT))
    }

    /// Octets that the rate sends in `time`, rounded down.
    pub(crate) fn octets_in(self, time: Duration) -> u64 {
        let octets = u128::from(self.octets) * u128::from(time.as_nanos());
        u64::try_from(octets / u128::from(self.time.as_nanos().max(1))).unwrap_or(u64::MAX)
    }

    /// Largest burst at this rate [octets].  `tcp_tso_autosize` [linux-pacing]
    pub(crate) fn burst(self, segment: u64) -> u64 {
        let octets = self.octets_in(BURST).min(MOST_OCTETS);
        (octets / segment).max(LEAST_SEGMENTS) * segment
    }
}

/// Longest time between two segments, whatever the rate [ns].
const MOST_WAIT: u64 = 60_000_000_000;

/// State of pacing.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Pacer {
    /// Earliest time of the next burst.
    due: Time,
    /// Time of the last burst.
    burst_at: Time,
    /// Octets that the last burst may still have at its time.
    left: u64,
    /// True if a segment waits for its time.
    is_waiting: bool,
    /// Number of segments sent, counted up to [`UNPACED`].
    sent: u64,
}

impl Pacer {
    /// Returns true if the next segment, of `octets`, must wait for its time.
    pub(crate) fn must_wait(&mut self, now: Time, octets: u64) -> bool {
        let continues = now == self.burst_at && self.left >= octets;
        self.is_waiting = now < self.due && !continues;
        self.is_waiting
    }

    /// Time at which a waiting segment may leave; `None` if none waits.
    #[inline]
    pub(crate) fn deadline(&self) -> Option<Time> {
        self.is_waiting.then_some(self.due)
    }

    /// Notes that no segment waits for its time.
    pub(crate) fn stop_waiting(&mut self) {
        self.is_waiting = false;
    }

    /// Time from `now` until the next burst may leave.
    pub(crate) fn until_due(&self, now: Time) -> Duration {
        self.due.saturating_since(now)
    }

    /// Records a segment of `octets` sent at `now` at this rate, `None` before it is known.
    pub(crate) fn on_sent(&mut self, now: Time, octets: u64, segment: u64, rate: Option<Rate>) {
        let is_free = self.sent < UNPACED;
        self.sent += u64::from(is_free);
        let Some(rate) = rate.filter(|_| !is_free) else { return };
        if now >= self.due {
            (self.burst_at, self.left) = (now, rate.burst(segment));
        }
        self.left = self.left.saturating_sub(octets);
        self.due = self.due.max(now) + rate.time_of(octets);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// A rate of 12 Mb/s: 1500 octets per millisecond.
    const RATE: Rate = Rate { octets: 1_500, time: Duration::from_millis(1) };

    fn at(us: u64) -> Time {
        Time::ZERO + Duration::from_micros(us)
    }

    /// A burst is the amount of a millisecond, two segments at least and 64 kB at most.
    ///
    /// Verifies: [linux-pacing]
    #[test]
    fn a_burst_is_a_millisecond_of_the_rate() {
        assert_eq!(RATE.burst(1_000), 2_000);
        // 120 Mb/s: 15 000 octets per ms, 14 648 in 1/1024 s: 14 segments
        assert_eq!(Rate { octets: 15_000, ..RATE }.burst(1_000), 14_000);
        assert_eq!(Rate { octets: 15_000_000, ..RATE }.burst(1_000), 65_000);
    }

    /// The first ten segments are free; then two leave together every 1333 µs at 12 Mb/s.
    ///
    /// Verifies: [linux-pacing]
    #[test]
    fn after_ten_segments_pairs_leave_at_the_rate() {
        let mut pacer = Pacer::default();
        for _ in 0..UNPACED {
            assert!(!pacer.must_wait(at(5), 1_000));
            pacer.on_sent(at(5), 1_000, 1_000, Some(RATE));
        }
        for start in [at(5), at(5) + RATE.time_of(1_000) * 2] {
            for _ in 0..2 {
                assert!(!pacer.must_wait(start, 1_000));
                pacer.on_sent(start, 1_000, 1_000, Some(RATE));
            }
            assert!(pacer.must_wait(start, 1_000));
        }
        assert_eq!(pacer.deadline(), Some(at(5) + RATE.time_of(1_000) * 4));
    }

    proptest! {
        /// Whenever a sender asks, the octets sent since any burst are at most those of the rate and one burst.
        ///
        /// Verifies: [linux-pacing]
        #[test]
        fn pacing_never_sends_more_than_the_rate_and_a_burst(
            octets in 1u64..2_000_000,
            asks in prop::collection::vec((0u64..3_000, 1u64..1_449), 1..200),
        ) {
            let rate = Rate { octets, time: Duration::from_millis(1) };
            let mut pacer = Pacer { sent: UNPACED, ..Pacer::default() };
            let (mut now, mut sent) = (Time::ZERO, Vec::new());
            for (pause, size) in asks {
                now += Duration::from_micros(pause);
                if !pacer.must_wait(now, size) {
                    pacer.on_sent(now, size, 1_448, Some(rate));
                    sent.push((now, size));
                }
            }
            for first in 0..sent.len() {
                let mut sum = 0;
                for (at, size) in &sent[first..] {
                    sum += size;
                    let allowed = rate.octets_in(*at - sent[first].0) + rate.burst(1_448);
                    prop_assert!(sum <= allowed.max(*size), "{sum} > {allowed}");
                }
            }
        }
    }
}
