//! Westwood: after a loss the window is set to what the path carried, instead of half of what was sent.
//!
//! Source: [westwood-2001 §2 and §3], Mascolo, Casetti, Gerla, Sanadidi and Wang, 2001. Every ACK, including
//! duplicates, is a bandwidth sample. A low-pass filter with time constant τ, discretised by Tustin's rule
//! over the time since the last ACK, smooths the samples. While no ACK arrives for τ/2, samples of zero enter
//! the filter, so that the estimate decays.
//!
//! The paper gives windows in segments and does not say what happens before the first estimate; here a loss
//! then halves the flight, as in NewReno. Several ACKs at the same time count as one sample. The paper's time
//! constant could not be checked; one second is the value in its authors' ns-2 agent.

use airfair_units::{Bytes, Duration, Time};

use crate::newreno::{self, Event, Target, half, threshold};
use crate::window::{Observation, WindowState, lowest, octets, whole_octets};

/// Number of virtual samples of zero after which nothing remains of the bandwidth estimate: 0.6¹²⁸ < 10⁻²⁸.
const VIRTUAL_SAMPLES: u64 = 128;

/// Parameters of Westwood.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Params {
    /// Parameters of growth, as in NewReno.
    pub window: newreno::Params,
    /// Time constant τ of the bandwidth filter, greater than zero.
    pub time_constant: Duration,
}

impl Params {
    /// Time constant of the bandwidth filter in the authors' ns-2 agent.
    pub const TIME_CONSTANT: Duration = Duration::from_secs(1);
}

/// State of Westwood beside cwnd and ssthresh.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct State {
    /// Bandwidth estimate: output of the filter [octet/s].
    pub bandwidth: f64,
    /// Last bandwidth sample b that entered the filter [octet/s].
    pub last_sample: f64,
    /// Time of the last update of the bandwidth filter.
    pub last_ack: Option<Time>,
    /// Octets acknowledged at the time of `last_ack`, after the update of the filter.
    pub pending: u64,
    /// Octets that duplicate ACKs have counted as delivered and that no cumulative ACK has covered yet.
    pub accounted: u64,
    /// Smallest round trip of the connection so far.
    pub lowest_round_trip: Option<Duration>,
}

/// Returns the state of Westwood and the window after one event.  [westwood-2001 §3]
#[must_use]
pub fn step(params: &Params, state: State, seen: &Observation) -> (State, WindowState) {
    let state = measure(params, state, seen);
    let event = seen.seen.event;
    let segment = params.window.segment;
    let window = match event {
        Event::ThirdDuplicate | Event::SackLoss | Event::Timeout { is_repeated: false, .. } => {
            let known = bandwidth_delay(&state).map(|product| product.max(segment * 2));
            let flight = half(seen.seen.flight, segment);
            let ssthresh = known.unwrap_or_else(|| threshold(event, flight, seen.window.ssthresh));
            // A loss never widens the window.
            let cwnd = ssthresh.min(seen.window.cwnd);
            newreno::shrink(segment, event, Target { ssthresh, cwnd })
        }
        _ => newreno::step(&params.window, seen.window, &seen.seen),
    };
    (state, window)
}

/// Bandwidth-delay product: estimated bandwidth · smallest round trip; `None` while one of them is unknown.
fn bandwidth_delay(state: &State) -> Option<Bytes> {
    let round_trip = state.lowest_round_trip?;
    (state.bandwidth > 0.0).then(|| whole_octets(state.bandwidth * round_trip.as_secs_f64()))
}

/// Octets that an ACK reports as delivered. A duplicate counts as one segment; a cumulative ACK counts what
/// duplicates have not counted before.  [westwood-2001 §2.2]
pub(crate) fn arrived(acked: Bytes, segment: Bytes, accounted: &mut u64) -> u64 {
    let (acked, segment) = (acked.get(), segment.get());
    if acked == 0 {
        *accounted += segment;
        return segment;
    }
    if acked <= segment {
        return acked;
    }
    if *accounted >= acked {
        *accounted -= acked;
        return segment;
    }
    acked - std::mem::take(accounted)
}

/// Updates the bandwidth estimate with an ACK.
fn measure(params: &Params, mut state: State, seen: &Observation) -> State {
    if matches!(seen.seen.event, Event::Timeout { .. }) {
        return state;
    }
    state.lowest_round_trip = lowest(state.lowest_round_trip, seen.path.round_trip);
    state.pending += arrived(seen.seen.acked, params.window.segment, &mut state.accounted);
    let Some(last) = state.last_ack else {
        // There is no interval before the first ACK.
        return State { last_ack: Some(seen.path.now), pending: 0, ..state };
    };
    let interval = seen.path.now.saturating_since(last);
    if interval.is_zero() {
        return state;
    }
    filter(params.time_constant, state, interval, seen.path.now)
}

/// Updates the bandwidth estimate by a time-varying low-pass filter.  [westwood-2001 §2.1 eq. 2]
fn filter(time_constant: Duration, state: State, interval: Duration, now: Time) -> State {
    let State { mut bandwidth, last_sample: mut before, .. } = state;
    let half = time_constant / 2;
    // The last sample is a real one, so an interval of exactly τ/2 has no virtual sample.
    let virtual_samples = (interval - Duration::from_nanos(1)).whole_steps(half);
    for _ in 0..virtual_samples.min(VIRTUAL_SAMPLES) {
        // 2τ/(τ/2) = 4: (4 − 1)/(4 + 1) and (0 + before)/(4 + 1)
        bandwidth = bandwidth * 0.6 + before / 5.0;
        before = 0.0;
    }
    let rest = (interval - half * virtual_samples).as_secs_f64();
    let sample = octets(Bytes::new(state.pending)) / rest;
    let ratio = 2.0 * time_constant.as_secs_f64() / rest;
    let bandwidth = (bandwidth * (ratio - 1.0) + (sample + before)) / (ratio + 1.0);
    State { bandwidth, last_sample: sample, last_ack: Some(now), pending: 0, ..state }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::window::Path;

    const SEGMENT: Bytes = Bytes::new(1_000);
    const PARAMS: Params = Params {
        window: newreno::Params {
            segment: SEGMENT,
            byte_counting: true,
            deflation: newreno::Deflation::ToFlight,
        },
        time_constant: Duration::from_secs(1),
    };
    const ACK: Event = Event::NewAck { is_cwnd_limited: true };

    fn seen(event: Event, at_ms: u64, acked: u64, round_trip_ms: Option<u64>) -> Observation {
        let window = WindowState { cwnd: SEGMENT * 20, ssthresh: SEGMENT * 10, credit: 0 };
        let seen =
            newreno::Observation { event, acked: Bytes::new(acked), flight: Bytes::new(20_000) };
        let path = Path {
            now: Time::ZERO + Duration::from_millis(at_ms),
            round_trip: round_trip_ms.map(Duration::from_millis),
            smoothed_round_trip: None,
            unacknowledged: 1,
            next: 20_001,
        };
        Observation { window, seen, path }
    }

    fn close(one: f64, other: f64) -> bool {
        (one - other).abs() < 1e-6 * other.abs().max(1.0)
    }

    /// An ACK a tenth of the time constant after the last one filters the bandwidth with the paper's weights
    /// 19/21 and 1/21.
    ///
    /// Verifies: [westwood-2001 §2.1 eq. 2]
    #[test]
    fn a_tenth_of_the_time_constant_has_the_papers_constants() {
        let (first, _) = step(&PARAMS, State::default(), &seen(ACK, 0, 1_000, None));
        assert_eq!(first, State { last_ack: Some(Time::ZERO), ..State::default() });
        // Δ = τ/10 → 2τ/Δ = 20: 19/21·0 + (b + 0)/21 with b = 2100/0.1 = 21 000 octet/s
        let (second, _) = step(&PARAMS, first, &seen(ACK, 100, 2_100, None));
        assert!(close(second.bandwidth, 1_000.0) && close(second.last_sample, 21_000.0));
        // 19/21·1000 + (42 000 + 21 000)/21 = 904.7619 + 3000
        let (third, _) = step(&PARAMS, second, &seen(ACK, 200, 4_200, None));
        assert!(close(third.bandwidth, 19_000.0 / 21.0 + 3_000.0), "{third:?}");
    }

    /// While no ACK arrives for half a time constant, samples of zero enter the bandwidth estimate.
    ///
    /// Verifies: [westwood-2001 §2.1]
    #[test]
    fn silence_counts_as_samples_of_nothing() {
        let before = State {
            bandwidth: 1_000.0,
            last_sample: 500.0,
            last_ack: Some(Time::ZERO),
            ..State::default()
        };
        // 1.5 s = two virtual samples and τ/2: 0.6·1000 + 500/5 = 700; 0.6·700 = 420;
        // then b = 1000/0.5 = 2000: (3·420 + 2000)/5 = 652
        let (after, _) = step(&PARAMS, before, &seen(ACK, 1_500, 1_000, None));
        assert!(close(after.bandwidth, 652.0), "{after:?}");
        // Exactly τ/2 has none: (3·1000 + 2000 + 500)/5 = 1100
        let (after, _) = step(&PARAMS, before, &seen(ACK, 500, 1_000, None));
        assert!(close(after.bandwidth, 1_100.0), "{after:?}");
    }

    #[test]
    fn acks_of_one_instant_are_one_sample() {
        let (first, _) = step(&PARAMS, State::default(), &seen(ACK, 0, 1_000, None));
        let (same, _) = step(&PARAMS, first, &seen(ACK, 0, 1_000, None));
        assert_eq!(same, State { pending: 1_000, ..first });
        // 1100 + 1000 = 2100 in 100 ms, as in the first test
        let (next, _) = step(&PARAMS, same, &seen(ACK, 100, 1_100, None));
        assert!(close(next.bandwidth, 1_000.0));
    }

    /// The octets that duplicate ACKs have counted are subtracted from those of the next cumulative ACK.
    ///
    /// Verifies: [westwood-2001 §2.2]
    #[test]
    fn octets_of_duplicates_are_not_counted_twice() {
        let mut accounted = 0;
        let mut count = |acked| arrived(Bytes::new(acked), SEGMENT, &mut accounted);
        // A delayed ACK of two segments; three duplicates; then all four: 4000 − 3000.
        assert_eq!([2_000, 0, 0, 0, 4_000].map(&mut count), [2_000, 1_000, 1_000, 1_000, 1_000]);
        // A partial ACK of two segments after three duplicates counts as one, and one duplicate remains: the
        // next ACK, of two, counts 2000 − 1000.
        assert_eq!([0, 0, 0, 2_000, 2_000].map(&mut count), [1_000, 1_000, 1_000, 1_000, 1_000]);
        assert_eq!(count(300), 300);
    }

    /// A loss sets ssthresh to the estimated bandwidth multiplied by the smallest round trip.
    ///
    /// Verifies: [westwood-2001 §3]
    #[test]
    fn a_loss_sets_the_threshold_to_bandwidth_times_smallest_round_trip() {
        let known = State {
            bandwidth: 120_000.0,
            lowest_round_trip: Some(Duration::from_millis(50)),
            last_ack: Some(Time::ZERO),
            ..State::default()
        };
        // 120 000 octet/s · 50 ms = 6000. The time-out is no sample, so the estimate is unchanged.
        let timeout = Event::Timeout { is_repeated: false, is_in_recovery: false };
        let (_, window) = step(&PARAMS, known, &seen(timeout, 0, 0, None));
        assert_eq!(window, WindowState { cwnd: SEGMENT, ssthresh: SEGMENT * 6, credit: 0 });
        // A duplicate at the same time waits for the next sample. A loss shown by SACK does not inflate the
        // window.
        let (_, window) = step(&PARAMS, known, &seen(Event::SackLoss, 0, 0, None));
        assert_eq!(window, WindowState { cwnd: SEGMENT * 6, ssthresh: SEGMENT * 6, credit: 0 });
        let (_, window) = step(&PARAMS, known, &seen(Event::ThirdDuplicate, 0, 0, None));
        assert_eq!(window, WindowState { cwnd: SEGMENT * 9, ssthresh: SEGMENT * 6, credit: 0 });
    }

    /// A loss never widens the window, although it may raise ssthresh, and leaves at least two segments: "if
    /// cwin > ssthresh then cwin = ssthresh".
    ///
    /// Verifies: [westwood-2001 §3]
    #[test]
    fn a_loss_widens_nothing_and_leaves_two_segments() {
        let fast = State {
            bandwidth: 1e6,
            lowest_round_trip: Some(Duration::from_millis(50)),
            last_ack: Some(Time::ZERO),
            ..State::default()
        };
        // 50 000 > cwnd 20 000
        let (_, window) = step(&PARAMS, fast, &seen(Event::SackLoss, 0, 0, None));
        assert_eq!(window, WindowState { cwnd: SEGMENT * 20, ssthresh: SEGMENT * 50, credit: 0 });
        let slow = State { bandwidth: 10.0, ..fast };
        let (_, window) = step(&PARAMS, slow, &seen(Event::SackLoss, 0, 0, None));
        assert_eq!(window, WindowState { cwnd: SEGMENT * 2, ssthresh: SEGMENT * 2, credit: 0 });
        // Without an estimate: half of 20 000.
        let (_, window) = step(&PARAMS, State::default(), &seen(Event::SackLoss, 0, 0, None));
        assert_eq!(window.ssthresh, SEGMENT * 10);
    }

    #[test]
    fn the_smallest_round_trip_is_kept() {
        let mut state = State::default();
        for (at, rtt) in [(0, Some(90)), (10, Some(40)), (20, None), (30, Some(70))] {
            (state, _) = step(&PARAMS, state, &seen(ACK, at, 1_000, rtt));
        }
        assert_eq!(state.lowest_round_trip, Some(Duration::from_millis(40)));
    }
}
