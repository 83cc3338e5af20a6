//! Parts that both versions of BBR share: delivery rate samples, observation, control, and the filter of maxima.
//!
//! Sources: [draft-delivery-rate §3], [draft-bbr §4.1], [linux-bbr]. Rates are in octets per second, as
//! floating-point numbers with the four exact operations, so the result is the same on every platform.

use airfair_units::{Duration, Time};

/// Margin of the pacing rate below the estimated bandwidth: 1 %.  `BBRPacingMarginPercent` [draft-bbr §5.6.2]
pub const PACING_MARGIN: f64 = 0.99;
/// Smallest window that BBR aims at [segments].  `BBRMinPipeCwnd` [draft-bbr §2.8]
pub const LEAST_WINDOW: u64 = 4;
/// Growth of the bandwidth per round below which the pipe is full.  [draft-bbr §5.3.1.2]
pub const FULL_GROWTH: f64 = 1.25;
/// Number of rounds without that growth after which the pipe is full.  [draft-bbr §5.3.1.2]
pub const FULL_ROUNDS: u32 = 3;
/// Time for which `ProbeRTT` holds the data in flight at its target.  `ProbeRTTDuration` [draft-bbr §2.16.2]
pub const PROBE_RTT_TIME: Duration = Duration::from_millis(200);

/// A delivery rate sample: the rate at which the data was delivered between the transmission of the newest segment
/// that an ACK acknowledges and that ACK.  `RS` [draft-bbr §4.1.2.3]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Sample {
    /// `RS.delivered`: octets delivered in the interval.
    pub delivered: u64,
    /// `RS.delivery_rate` [octets/s]; 0 if the interval is shorter than the smallest round trip.
    pub rate: f64,
    /// `RS.prior_delivered`: octets delivered when the segment was sent.
    pub delivered_before: u64,
    /// `RS.is_app_limited`: true if the application limited the rate.
    pub is_app_limited: bool,
    /// `RS.tx_in_flight`: octets in flight when the segment was sent, itself included.
    pub sent_in_flight: u64,
    /// `RS.lost`: octets marked lost between the transmission of the segment and its acknowledgment.
    pub lost: u64,
}

/// A segment that has just been marked as lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LostSegment {
    /// Payload of the segment [octets].
    pub size: u64,
    /// Octets in flight when the segment was sent, itself included.
    pub sent_in_flight: u64,
    /// Octets marked lost since the segment was sent, itself included.
    pub lost: u64,
    /// True if the application limited the rate when the segment was sent.
    pub is_app_limited: bool,
}

/// Phase of the sender's loss recovery.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Phase {
    /// No loss is being repaired.
    #[default]
    Open,
    /// Fast recovery.
    Recovery,
    /// Recovery after a retransmission time-out.
    Loss,
}

/// Observation of a sender under BBR at an ACK.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Seen {
    /// Time of the ACK.
    pub now: Time,
    /// SMSS [octets].
    pub segment: u64,
    /// Initial window [octets].
    pub initial_window: u64,
    /// Window before the ACK [octets].
    pub cwnd: u64,
    /// Octets in flight after the ACK and after the losses that it reveals.
    pub in_flight: u64,
    /// Octets in flight before the ACK.
    pub in_flight_before: u64,
    /// True if the window has limited the sender.
    pub is_cwnd_limited: bool,
    /// Shortest round trip of the segments that the ACK acknowledges.
    pub round_trip: Option<Duration>,
    /// SRTT.
    pub smoothed_round_trip: Option<Duration>,
    /// Octets newly acknowledged, cumulatively or selectively.
    pub acked: u64,
    /// Octets newly marked as lost.
    pub lost: u64,
    /// `C.delivered`: octets delivered so far.
    pub delivered: u64,
    /// Delivery rate sample of the ACK; `None` if the ACK delivers nothing.
    pub sample: Option<Sample>,
    /// Phase of loss recovery after the ACK.
    pub phase: Phase,
    /// Time until pacing allows the next burst.
    pub until_next: Duration,
    /// Octets of a burst at the pacing rate.
    pub burst: u64,
    /// Random number, uniform over all values. The sender's owner draws it.
    pub random: u64,
}

/// Setting of a sender by BBR.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Control {
    /// Congestion window [octets].
    pub cwnd: u64,
    /// Pacing rate [octets/s].
    pub pacing_rate: f64,
    /// True if all data in flight counts as limited by the application, because BBR itself holds it back.
    pub is_app_limited: bool,
}

/// Octets of `rate` in `time`.
pub(crate) fn volume(rate: f64, time: Duration) -> f64 {
    rate * time.as_secs_f64()
}

/// `octets` as a floating-point number.
#[expect(clippy::cast_precision_loss, reason = "windows are far below 2^53 octets")]
pub(crate) fn float(octets: u64) -> f64 {
    octets as f64
}

/// Whole octets of a non-negative number, rounded up; the largest number for infinity.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "saturates")]
pub(crate) fn whole(octets: f64) -> u64 {
    libm::ceil(octets) as u64
}

/// Pacing rate at the start: `gain` times the initial window per round trip, or per millisecond before the first
/// round trip is measured [octets/s].  `InitPacingRate` [draft-bbr §5.6.2]
pub(crate) fn first_rate(gain: f64, window: u64, round_trip: Option<Duration>) -> f64 {
    let round_trip = round_trip.filter(|it| !it.is_zero()).unwrap_or(Duration::from_millis(1));
    gain * float(window) / round_trip.as_secs_f64()
}

/// Largest value of a window of rounds: keeps the three largest values of three parts of the window. An estimate by
/// Kathleen Nichols' algorithm.  `minmax_running_max` [linux-bbr]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct MaxFilter {
    /// Value and time of the largest one, of the largest after it, and of the largest after that.
    best: [(u32, f64); 3],
}

impl MaxFilter {
    /// Largest value in the window.
    #[must_use]
    pub fn get(&self) -> f64 {
        self.best[0].1
    }

    /// Returns the filter with the value of round `time`, over the last `window` rounds.
    #[must_use]
    pub fn with(mut self, window: u32, time: u32, value: f64) -> Self {
        let new = (time, value);
        if value >= self.best[0].1 || time - self.best[2].0 > window {
            return Self { best: [new; 3] };
        }
        if value >= self.best[1].1 {
            (self.best[1], self.best[2]) = (new, new);
        } else if value >= self.best[2].1 {
            self.best[2] = new;
        }
        let age = time - self.best[0].0;
        if age > window {
            self.best = [self.best[1], self.best[2], new];
            if time - self.best[0].0 > window {
                self.best = [self.best[1], self.best[2], new];
            }
        } else if self.best[1].0 == self.best[0].0 && age > window / 4 {
            (self.best[1], self.best[2]) = (new, new);
        } else if self.best[2].0 == self.best[1].0 && age > window / 2 {
            self.best[2] = new;
        }
        self
    }
}

#[cfg(test)]
pub(crate) mod fixture {
    use super::*;

    /// Segment of the tests [octets].
    pub(crate) const SEGMENT: u64 = 1_000;

    /// Observation of an ACK for a segment, at a window of 100 segments that are all in flight.
    pub(crate) fn seen(at_ms: u64) -> Seen {
        Seen {
            now: Time::ZERO + Duration::from_millis(at_ms),
            segment: SEGMENT,
            initial_window: 10 * SEGMENT,
            cwnd: 100 * SEGMENT,
            in_flight: 99 * SEGMENT,
            in_flight_before: 100 * SEGMENT,
            is_cwnd_limited: true,
            round_trip: Some(Duration::from_millis(100)),
            smoothed_round_trip: Some(Duration::from_millis(100)),
            acked: SEGMENT,
            lost: 0,
            delivered: 10 * SEGMENT * at_ms,
            sample: None,
            phase: Phase::Open,
            until_next: Duration::ZERO,
            burst: 2 * SEGMENT,
            random: 0,
        }
    }

    /// As [`seen`], with a sample of `rate` octets per second that begins a new round trip if `is_new`.
    pub(crate) fn sampled(at_ms: u64, rate: f64, is_new: bool) -> Seen {
        let seen = seen(at_ms);
        let sample = Sample {
            delivered: 100 * SEGMENT,
            rate,
            delivered_before: if is_new { seen.delivered } else { 0 },
            is_app_limited: false,
            sent_in_flight: 100 * SEGMENT,
            lost: 0,
        };
        Seen { sample: Some(sample), ..seen }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The filter forgets a maximum when its window has passed, and keeps the largest of the later values.
    ///
    /// Verifies: [linux-bbr]
    #[test]
    #[expect(clippy::float_cmp, reason = "values pass through the filter unchanged")]
    fn a_maximum_lasts_for_its_window() {
        let mut filter = MaxFilter::default().with(10, 0, 100.0);
        for round in 1..=10 {
            filter = filter.with(10, round, f64::from(50 - round));
            assert_eq!(filter.get(), 100.0, "round {round}");
        }
        // Of rounds 1 to 11 the filter has the first value of the second quarter of the window, 47 of round 3.
        filter = filter.with(10, 11, 1.0);
        assert_eq!(filter.get(), 47.0);
        assert_eq!(filter.with(10, 12, 60.0).get(), 60.0);
    }
}
