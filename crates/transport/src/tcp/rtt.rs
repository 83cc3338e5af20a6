//! Round-trip measurement and the retransmission time-out.  [RFC6298]

use std::collections::VecDeque;
use std::ops::Range;

use airfair_units::{Duration, Time};

use super::config::RtoConfig;
use crate::control::Arithmetic;
use crate::control::round_trip::Smoothed;

/// Retransmission time-out when data starts, if the SYN timed out.  [RFC6298 §5.7]
const AFTER_LOST_SYN: Duration = Duration::from_secs(3);

/// A segment whose round trip is being measured.
#[derive(Clone, Copy, Debug)]
struct Timed {
    /// One past the last octet of the timed segment: an ACK of this number, or above, completes the
    /// measurement.
    end: u64,
    sent: Time,
}

/// Segments whose round trips are being measured.
#[derive(Clone, Debug)]
enum Timing {
    /// None, and the next one that is sent will be the only one.
    None,
    /// One at a time.
    One(Timed),
    /// Each one that is in flight, in their order. An ACK measures the last one that it acknowledges.
    Each(VecDeque<Timed>),
}

/// Variation of the round-trip time as Linux calculates it: the largest deviation of each round trip counts, so that
/// the many samples of one round trip do not hide how much round trips differ. All values are four times the
/// mean deviation. `tcp_rtt_estimator` [linux-rto]
#[derive(Clone, Copy, Debug)]
struct LinuxVariation {
    /// `mdev_us`: smoothed deviation of the samples from SRTT.
    deviation: Duration,
    /// `mdev_max_us`: largest deviation in the current round trip, at least the minimum of the time-out.
    largest: Duration,
    /// `rttvar_us`: follows the largest deviation upwards at once, and downwards by a quarter per round trip.
    variation: Duration,
    /// `rtt_seq`: the round trip ends when an octet above this one is acknowledged.
    round_end: u64,
}

impl LinuxVariation {
    fn first(sample: Duration, least: Duration, sent_end: u64) -> Self {
        let (deviation, variation) = (sample * 2, least.max(sample * 2));
        Self { deviation, largest: variation, variation, round_end: sent_end }
    }

    /// Takes a sample, when SRTT is `smoothed` and the octets of `flight` are outstanding.
    fn update(
        &mut self,
        sample: Duration,
        smoothed: Duration,
        least: Duration,
        flight: Range<u64>,
    ) {
        let error = if sample > smoothed { sample - smoothed } else { smoothed - sample };
        let quarter = self.deviation / 4;
        // Where a falling round trip would raise the deviation, it does so by an eighth.
        let is_damped = sample < smoothed && error > quarter;
        self.deviation = if is_damped {
            self.deviation + (error - quarter) / 8
        } else {
            self.deviation + error - quarter
        };
        if self.deviation > self.largest {
            self.largest = self.deviation;
            self.variation = self.variation.max(self.largest);
        }
        if flight.start > self.round_end {
            if self.largest < self.variation {
                self.variation = self.variation - (self.variation - self.largest) / 4;
            }
            (self.round_end, self.largest) = (flight.end, least);
        }
    }
}

/// Estimator of the round-trip time, by one measurement at a time or by all segments, and of the retransmission
/// time-out.  [RFC6298 §2 and §3]
#[derive(Clone, Debug)]
pub(crate) struct RttEstimator {
    config: RtoConfig,
    /// Arithmetic of the time-out. In Linux's, the minimum of the time-out applies to its variation.
    arithmetic: Arithmetic,
    smoothed: Option<Smoothed>,
    /// Variation by Linux's arithmetic; `None` before the first sample.
    linux: Option<LinuxVariation>,
    least: Option<Duration>,
    timed: Timing,
    /// Current retransmission time-out, including back-off.
    rto: Duration,
}

impl RttEstimator {
    pub(crate) fn new(config: RtoConfig, arithmetic: Arithmetic) -> Self {
        assert!(!config.granularity.is_zero(), "a clock with ticks of no length");
        assert!(!config.min.is_zero(), "a time-out of no length");
        assert!(config.min <= config.max, "the smallest time-out is larger than the largest");
        let initial = config.initial.clamp(config.min, config.max);
        Self {
            config,
            arithmetic,
            smoothed: None,
            linux: None,
            least: None,
            timed: Timing::None,
            rto: initial,
        }
    }

    /// Lets the estimator measure each segment instead of one at a time, as Linux does without timestamps.
    pub(crate) fn time_each(self) -> Self {
        Self { timed: Timing::Each(VecDeque::new()), ..self }
    }

    pub(crate) fn rto(&self) -> Duration {
        self.rto
    }

    /// Starts timing a segment that is sent for the first time, unless one is timed at a time and another is.
    #[inline]
    pub(crate) fn on_sent(&mut self, now: Time, end: u64) {
        let timed = Timed { end, sent: now };
        match &mut self.timed {
            Timing::One(_) => {}
            Timing::None => self.timed = Timing::One(timed),
            Timing::Each(segments) => segments.push_back(timed),
        }
    }

    /// Discards the measurement by Karn's algorithm: after a retransmission it is unknown which copy an ACK
    /// answers. [RFC6298 §3]
    pub(crate) fn on_retransmitted(&mut self) {
        match &mut self.timed {
            Timing::Each(segments) => segments.clear(),
            timed => *timed = Timing::None,
        }
    }

    /// Discards the measurement of the segment that ends at `end`, because the sender's own host refused that
    /// segment.
    pub(crate) fn on_taken_back(&mut self, end: u64) {
        match &mut self.timed {
            Timing::One(timed) if timed.end == end => self.timed = Timing::None,
            Timing::Each(segments) => segments.retain(|timed| timed.end != end),
            Timing::None | Timing::One(_) => {}
        }
    }

    /// Processes an ACK that leaves the octets of `flight` outstanding. Returns the round trip if the ACK completes
    /// a measurement.
    #[inline]
    pub(crate) fn on_ack(&mut self, now: Time, flight: Range<u64>) -> Option<Duration> {
        let ack = flight.start;
        let Timed { sent, .. } = match &mut self.timed {
            Timing::One(timed) if ack >= timed.end => {
                let timed = *timed;
                self.timed = Timing::None;
                timed
            }
            Timing::Each(segments) => {
                let count = segments.partition_point(|timed| timed.end <= ack);
                segments.drain(..count).next_back()?
            }
            Timing::None | Timing::One(_) => return None,
        };
        let sample = self.ticks(now - sent);
        self.update(sample, flight);
        Some(sample)
    }

    /// Takes a round trip measured by a timestamp echo and returns it rounded to the clock tick. The ACK leaves the
    /// octets of `flight` outstanding. Retransmissions do no harm, because the echo identifies the copy that
    /// was answered.  [RFC7323 §4.1]
    pub(crate) fn on_echo(&mut self, round_trip: Duration, flight: Range<u64>) -> Duration {
        let sample = self.ticks(round_trip);
        self.update(sample, flight);
        sample
    }

    /// SRTT, smoothed round-trip time; `None` before the first sample.
    pub(crate) fn smoothed(&self) -> Option<Duration> {
        self.smoothed.map(|smoothed| smoothed.rtt)
    }

    /// Smallest round trip measured so far; `None` before the first sample.
    pub(crate) fn least(&self) -> Option<Duration> {
        self.least
    }

    /// Doubles the retransmission time-out.  [RFC6298 §5.5]
    pub(crate) fn back_off(&mut self) {
        self.rto = self.rto.saturating_mul(2).min(self.config.max);
    }

    /// Sets the retransmission time-out with which data starts after a SYN that timed out.  [RFC6298 §5.7]
    pub(crate) fn on_established_after_timeout(&mut self) {
        self.rto = self.config.initial.max(AFTER_LOST_SYN).clamp(self.config.min, self.config.max);
    }

    /// `interval` rounded to the nearest clock tick, at least one.
    fn ticks(&self, interval: Duration) -> Duration {
        let tick = self.config.granularity;
        tick * (interval + tick / 2).whole_steps(tick).max(1)
    }

    /// Updates SRTT, RTTVAR and the time-out, which ends a back-off.  [RFC6298 §2.2 to §2.4], [linux-rto]
    fn update(&mut self, sample: Duration, flight: Range<u64>) {
        let before = self.smoothed;
        let smoothed = Smoothed::after(before, sample);
        let Smoothed { rtt, variation } = smoothed;
        self.smoothed = Some(smoothed);
        self.least = Some(self.least.map_or(sample, |least| least.min(sample)));
        let margin = match self.arithmetic {
            Arithmetic::Rfc => self.config.granularity.max(variation * 4),
            Arithmetic::Linux => self.linux_variation(sample, before, flight),
        };
        self.rto = (rtt + margin).clamp(self.config.min, self.config.max);
    }

    /// Time that Linux adds to SRTT for the time-out, after a sample.
    fn linux_variation(
        &mut self,
        sample: Duration,
        before: Option<Smoothed>,
        flight: Range<u64>,
    ) -> Duration {
        let least = self.config.min;
        match (&mut self.linux, before) {
            (Some(linux), Some(before)) => {
                linux.update(sample, before.rtt, least, flight);
                linux.variation
            }
            _ => self.linux.insert(LinuxVariation::first(sample, least, flight.end)).variation,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: Duration = Duration::from_millis(1);

    fn config(min_ms: u64) -> RtoConfig {
        RtoConfig { min: MS * min_ms, ..RtoConfig::default() }
    }

    fn estimator(config: RtoConfig) -> RttEstimator {
        RttEstimator::new(config, Arithmetic::Rfc)
    }

    /// Gives the estimator one sample: a segment sent at time zero and acknowledged after `rtt_ms`.
    fn sample(estimator: &mut RttEstimator, rtt_ms: u64) -> Option<Duration> {
        estimator.on_sent(Time::ZERO, 2);
        estimator.on_ack(Time::ZERO + MS * rtt_ms, 2..2)
    }

    /// Before the first measurement the time-out is 1 s.
    ///
    /// Verifies: [RFC6298 §2.1]
    #[test]
    fn before_a_measurement_the_timeout_is_one_second() {
        assert_eq!(estimator(config(200)).rto(), MS * 1_000);
    }

    /// A sample enters SRTT with the weight 1/8 and RTTVAR with the weight 1/4.
    ///
    /// Verifies: [RFC6298 §2.2], [RFC6298 §2.3]
    #[test]
    fn samples_are_smoothed_with_an_eighth_and_a_quarter() {
        let mut estimator = estimator(config(1));
        // First sample R = 100: SRTT 100, RTTVAR 50 → RTO 100 + 4·50 = 300
        assert_eq!(sample(&mut estimator, 100), Some(MS * 100));
        assert_eq!(estimator.rto(), MS * 300);
        // R' = 180: RTTVAR ¾·50 + ¼·80 = 57.5, SRTT ⅞·100 + ⅛·180 = 110 → RTO 110 + 230 = 340
        sample(&mut estimator, 180);
        assert_eq!(estimator.rto(), MS * 340);
        // R' = 30: RTTVAR ¾·57.5 + ¼·80 = 63.125, SRTT ⅞·110 + ⅛·30 = 100 → RTO 100 + 252.5
        sample(&mut estimator, 30);
        assert_eq!(estimator.rto(), Duration::from_micros(352_500));
    }

    /// The time-out is never shorter than its minimum and never longer than its maximum.
    ///
    /// Verifies: [RFC6298 §2.4], [RFC6298 §2.5]
    #[test]
    fn the_timeout_stays_between_its_bounds() {
        let mut estimator = estimator(config(1_000));
        sample(&mut estimator, 100);
        assert_eq!(estimator.rto(), MS * 1_000);
        sample(&mut estimator, 600_000);
        assert_eq!(estimator.rto(), MS * 60_000);
    }

    /// In Linux's arithmetic the minimum applies to four times RTTVAR, not to the whole time-out.
    ///
    /// Verifies: [linux-rto]
    #[test]
    fn linux_bounds_the_variation_and_not_the_timeout() {
        let mut estimator = RttEstimator::new(config(200), Arithmetic::Linux);
        // R = 20: 20 + max(4·10, 200) = 220; R = 100 first: 100 + max(4·50, 200) = 300
        sample(&mut estimator, 20);
        assert_eq!(estimator.rto(), MS * 220);
        let mut estimator = RttEstimator::new(config(200), Arithmetic::Linux);
        sample(&mut estimator, 100);
        assert_eq!(estimator.rto(), MS * 300);
    }

    /// Linux counts the largest deviation of each round trip: many equal samples in one do not shorten the time-out, and
    /// each round trip without a deviation lets it fall by a quarter of the excess over the minimum.
    ///
    /// Verifies: [linux-rto]
    #[test]
    fn linux_keeps_the_largest_deviation_of_a_round_trip() {
        let mut rfc = RttEstimator::new(config(200), Arithmetic::Rfc);
        let mut linux = RttEstimator::new(config(200), Arithmetic::Linux);
        // Octets 1 to 100 are in flight. First sample R = 400: 4·RTTVAR = 800 → 1200.
        for estimator in [&mut rfc, &mut linux] {
            estimator.on_echo(MS * 400, 1..100);
            assert_eq!(estimator.rto(), MS * 1_200);
        }
        // 98 more samples of the same round trip: deviations vanish, but not the first one.
        for ack in 2..100 {
            rfc.on_echo(MS * 400, ack..100);
            linux.on_echo(MS * 400, ack..100);
        }
        assert_eq!(rfc.rto(), MS * 400 + config(200).granularity, "RTTVAR → 0");
        assert_eq!(linux.rto(), MS * 1_200);
        // Up to octet 150, beyond the first round trip: the largest deviation was 800, so nothing falls yet.
        linux.on_echo(MS * 400, 101..150);
        assert_eq!(linux.rto(), MS * 1_200);
        // The second round trip had none: 800 − (800 − 200)/4 = 650.
        linux.on_echo(MS * 400, 151..200);
        assert_eq!(linux.rto(), MS * 1_050);
        // A deviation above that of its round trip, but below the variation, does not change it: R = 700, an error of
        // 300, where 98 + 2 samples have left nearly no deviation. SRTT ⅞·400 + ⅛·700 = 437.5
        linux.on_echo(MS * 700, 152..200);
        assert_eq!(linux.rto(), Duration::from_micros(1_087_500));
    }

    /// A sample above SRTT raises the deviation by its error less a quarter, one below by an eighth of that.
    ///
    /// Verifies: [linux-rto]
    #[test]
    fn linux_raises_the_timeout_more_slowly_when_round_trips_fall() {
        let after = |second: u64| {
            let mut estimator = RttEstimator::new(config(200), Arithmetic::Linux);
            estimator.on_echo(MS * 400, 1..100);
            estimator.on_echo(MS * second, 2..100);
            (estimator.smoothed(), estimator.rto())
        };
        // R' = 800: 800 + 400 − 200 = 1000, SRTT ⅞·400 + ⅛·800 = 450
        assert_eq!(after(800), (Some(MS * 450), MS * 1_450));
        // R' = 80: 800 + (320 − 200)/8 = 815, SRTT 360
        assert_eq!(after(80), (Some(MS * 360), MS * 1_175));
        // R' = 360: an error below a quarter of the deviation lets the deviation fall, but not its maximum: SRTT 395
        assert_eq!(after(360), (Some(MS * 395), MS * 1_195));
    }

    /// A coarse clock rounds samples to its ticks, and with a variation of zero the time-out is one tick
    /// longer than SRTT.
    ///
    /// Verifies: [RFC6298 §2.3]
    #[test]
    fn a_coarse_clock_rounds_samples_and_pads_the_timeout() {
        let mut estimator = estimator(RtoConfig { granularity: MS * 100, ..config(1) });
        // 149 ms is one tick, 150 ms is two, 3 ms is one at least.
        assert_eq!(sample(&mut estimator, 149), Some(MS * 100));
        assert_eq!(sample(&mut estimator, 150), Some(MS * 200));
        assert_eq!(sample(&mut estimator, 3), Some(MS * 100));
        for _ in 0..200 {
            sample(&mut estimator, 100);
        }
        // SRTT → 100, RTTVAR → 0: RTO = 100 + max(100, 0); integer division may leave a few ns
        assert!(estimator.rto() - MS * 200 < Duration::from_nanos(40));
    }

    /// Each back-off doubles the time-out, up to the maximum, until the next sample.
    ///
    /// Verifies: [RFC6298 §5.5]
    #[test]
    fn back_off_doubles_until_the_next_sample() {
        let mut estimator = estimator(config(200));
        sample(&mut estimator, 100);
        for ms in [600, 1_200, 2_400, 4_800, 9_600, 19_200, 38_400, 60_000, 60_000] {
            estimator.back_off();
            assert_eq!(estimator.rto(), MS * ms);
        }
        // R' = 100: RTTVAR ¾·50 = 37.5 → RTO 100 + 150
        sample(&mut estimator, 100);
        assert_eq!(estimator.rto(), MS * 250);
    }

    /// An ACK of a retransmitted segment gives no sample.
    ///
    /// Verifies: [RFC6298 §3]
    #[test]
    fn a_retransmission_ends_the_measurement() {
        let mut estimator = estimator(config(200));
        estimator.on_sent(Time::ZERO, 2);
        estimator.on_retransmitted();
        assert_eq!(estimator.on_ack(Time::ZERO + MS, 2..2), None);
    }

    #[test]
    fn the_least_round_trip_stays() {
        let mut estimator = estimator(config(1));
        assert_eq!(estimator.least(), None);
        for (rtt, least) in [(100, 100), (30, 30), (180, 30)] {
            sample(&mut estimator, rtt);
            assert_eq!(estimator.least(), Some(MS * least));
        }
    }

    #[test]
    fn one_segment_is_timed_at_a_time() {
        let mut estimator = estimator(config(1));
        estimator.on_sent(Time::ZERO, 10);
        estimator.on_sent(Time::ZERO + MS * 5, 20);
        assert_eq!(estimator.on_ack(Time::ZERO + MS * 7, 9..9), None);
        assert_eq!(estimator.on_ack(Time::ZERO + MS * 9, 20..20), Some(MS * 9));
    }

    /// If each segment is timed, each ACK measures the last segment that it acknowledges, unless one was retransmitted
    /// since that segment was sent, or the host refused it.
    ///
    /// Verifies: [RFC6298 §3]
    #[test]
    fn each_segment_may_be_timed() {
        let mut estimator = estimator(config(1)).time_each();
        for (ms, end) in [(0, 10), (1, 20), (2, 30), (3, 40)] {
            estimator.on_sent(Time::ZERO + MS * ms, end);
        }
        assert_eq!(estimator.on_ack(Time::ZERO + MS * 8, 9..9), None);
        // Up to 20: the second segment, sent after 1 ms.
        assert_eq!(estimator.on_ack(Time::ZERO + MS * 9, 20..20), Some(MS * 8));
        estimator.on_taken_back(40);
        assert_eq!(estimator.on_ack(Time::ZERO + MS * 12, 40..40), Some(MS * 10));
        estimator.on_sent(Time::ZERO + MS * 13, 50);
        estimator.on_retransmitted();
        estimator.on_sent(Time::ZERO + MS * 14, 60);
        assert_eq!(estimator.on_ack(Time::ZERO + MS * 20, 50..50), None);
        assert_eq!(estimator.on_ack(Time::ZERO + MS * 21, 60..60), Some(MS * 7));
    }

    /// After a SYN that timed out, data starts with a time-out of 3 s.
    ///
    /// Verifies: [RFC6298 §5.7]
    #[test]
    fn after_a_lost_syn_data_starts_with_three_seconds() {
        let mut estimator = estimator(config(200));
        estimator.back_off();
        estimator.on_established_after_timeout();
        assert_eq!(estimator.rto(), MS * 3_000);
    }
}
