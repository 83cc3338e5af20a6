//! Round-trip estimate of a QUIC sender, and the times that follow from it.  [RFC9002 §5, §6]

use airfair_units::{Duration, Time};

use crate::control::round_trip::Smoothed;

/// Round trip assumed before the first sample, `kInitialRtt`.  [RFC9002 §6.2.2]
const INITIAL: Duration = Duration::from_millis(333);
/// Granularity of timers, `kGranularity`.  [RFC9002 §6.1.2]
const GRANULARITY: Duration = Duration::from_millis(1);
/// Multiple of the probe time-out that makes losses persistent congestion, `kPersistentCongestionThreshold`.
/// [RFC9002 §7.6.1]
const PERSISTENT: u64 = 3;

/// Estimator of the round-trip time.
#[derive(Clone, Copy, Debug)]
pub(super) struct RttEstimator {
    max_ack_delay: Duration,
    smoothed: Option<Smoothed>,
    /// `latest_rtt`: last sample, with the delay of the acknowledgment.
    latest: Duration,
    /// `min_rtt`: smallest sample.
    least: Option<Duration>,
    /// `first_rtt_sample`: time of the first sample.
    first_at: Option<Time>,
}

impl RttEstimator {
    pub(super) fn new(max_ack_delay: Duration) -> Self {
        Self { max_ack_delay, smoothed: None, latest: Duration::ZERO, least: None, first_at: None }
    }

    /// Processes a sample, whose acknowledgment the receiver has delayed by `ack_delay`.  `UpdateRtt`
    /// [RFC9002 §5.3, §A.7]
    pub(super) fn update(&mut self, now: Time, latest: Duration, ack_delay: Duration) {
        self.latest = latest;
        self.first_at.get_or_insert(now);
        let least = self.least.map_or(latest, |least| least.min(latest));
        self.least = Some(least);
        let ack_delay = ack_delay.min(self.max_ack_delay);
        // A delay that would leave less than the least round trip is not believed.
        let is_plausible = self.smoothed.is_some() && latest >= least + ack_delay;
        let adjusted = if is_plausible { latest - ack_delay } else { latest };
        self.smoothed = Some(Smoothed::after(self.smoothed, adjusted));
    }

    pub(super) fn smoothed(&self) -> Option<Duration> {
        self.smoothed.map(|it| it.rtt)
    }

    pub(super) fn least(&self) -> Option<Duration> {
        self.least
    }

    /// Time of the first sample; `None` before it.
    pub(super) fn first_at(&self) -> Option<Time> {
        self.first_at
    }

    /// Probe time-out without back-off: the time after which a packet should have been acknowledged.
    /// [RFC9002 §6.2.1]
    pub(super) fn probe_timeout(&self) -> Duration {
        let initial = Smoothed { rtt: INITIAL, variation: INITIAL / 2 };
        let Smoothed { rtt, variation } = self.smoothed.unwrap_or(initial);
        rtt + (variation * 4).max(GRANULARITY) + self.max_ack_delay
    }

    /// Age at which a packet counts as lost, once a later one is acknowledged: 9/8 of a round trip.
    /// [RFC9002 §6.1.2]
    pub(super) fn loss_delay(&self) -> Duration {
        let round_trip = self.smoothed().map_or(INITIAL, |smoothed| smoothed.max(self.latest));
        (round_trip * 9 / 8).max(GRANULARITY)
    }

    /// Time over which all packets must be lost for persistent congestion.  [RFC9002 §7.6.1]
    pub(super) fn persistent_duration(&self) -> Duration {
        self.probe_timeout() * PERSISTENT
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: Duration = Duration::from_millis(1);

    fn at(ms: u64) -> Time {
        Time::ZERO + MS * ms
    }

    /// Verifies: [RFC9002 §5.3], [RFC9002 §6.2.2]
    #[test]
    fn a_delay_is_subtracted_unless_the_least_round_trip_forbids_it() {
        let mut rtt = RttEstimator::new(MS * 25);
        // Before a sample: 333 + 4 · 166.5 + 25.
        assert_eq!(rtt.probe_timeout(), MS * 1_024);
        // The first sample counts as it is: SRTT 100, RTTVAR 50.
        rtt.update(at(100), MS * 100, MS * 20);
        assert_eq!((rtt.smoothed(), rtt.probe_timeout()), (Some(MS * 100), MS * (100 + 200 + 25)));
        // 140 with a delay of 20: 120. RTTVAR ¾·50 + ¼·20 = 42.5, SRTT ⅞·100 + ⅛·120 = 102.5.
        rtt.update(at(200), MS * 140, MS * 20);
        assert_eq!(rtt.smoothed(), Some(Duration::from_micros(102_500)));
        assert_eq!(rtt.probe_timeout(), Duration::from_micros(102_500 + 170_000 + 25_000));
        // 110 with a delay of 20 would be 90, less than the least: it counts as 110. A delay of 60 counts as 25.
        let before = rtt;
        rtt.update(at(300), MS * 110, MS * 20);
        let (mut whole, mut capped) = (before, before);
        whole.update(at(300), MS * 110, Duration::ZERO);
        assert_eq!(rtt.smoothed(), whole.smoothed());
        (rtt, whole) = (before, before);
        rtt.update(at(300), MS * 190, MS * 60);
        capped.update(at(300), MS * 190, MS * 25);
        whole.update(at(300), MS * 165, Duration::ZERO);
        assert_eq!([rtt.smoothed(), capped.smoothed()], [whole.smoothed(); 2]);
        assert_eq!((rtt.least(), rtt.first_at()), (Some(MS * 100), Some(at(100))));
    }

    /// Nine eighths of the larger one of the smoothed and the latest round trip, and a millisecond at least.
    ///
    /// Verifies: [RFC9002 §6.1.2], [RFC9002 §7.6.1]
    #[test]
    fn the_time_threshold_is_nine_eighths_of_a_round_trip() {
        let mut rtt = RttEstimator::new(MS * 25);
        rtt.update(at(80), MS * 80, Duration::ZERO);
        assert_eq!(rtt.loss_delay(), MS * 90);
        rtt.update(at(200), MS * 160, Duration::ZERO);
        assert_eq!(rtt.loss_delay(), MS * 180);
        let mut short = RttEstimator::new(MS * 25);
        short.update(at(1), Duration::from_micros(80), Duration::ZERO);
        assert_eq!(short.loss_delay(), MS);
        // 80 µs + 1 ms at least + 25 ms, three times.
        assert_eq!(short.persistent_duration(), Duration::from_micros(78_240));
    }
}
