//! Westwood+: Westwood with one bandwidth sample per round trip, so that compressed ACKs do not distort it.
//!
//! Source: [linux-westwood], the filter of `net/ipv4/tcp_westwood.c`. A sample is what arrived during a round
//! trip, or during 50 ms if that is longer; it passes two filters of weight 7/8. The first sample initialises
//! both filters, and a time-out restarts the measurement of the smallest round trip, as in the current
//! kernel. Linux counts per clock tick, this law per second; both round down.
//!
//! During recovery Linux lowers the window as Reno does, and sets it to bandwidth · smallest round trip at
//! the end; this law does so at the loss, as in [westwood-2001 §3].

use airfair_units::{Bytes, Duration, Time};

use crate::newreno::{self, Event, Target, half, threshold};
use crate::westwood::arrived;
use crate::window::{Observation, WindowState, lowest};

/// Shortest interval of a bandwidth sample.  [linux-westwood]
pub const SHORTEST_SAMPLE: Duration = Duration::from_millis(50);

const NANOS_PER_SECOND: u128 = 1_000_000_000;

/// States of the two bandwidth filters [octet/s].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bandwidth {
    /// Output of the first filter, which is the input of the second.
    pub once: u64,
    /// Output of the second filter: the bandwidth estimate.
    pub twice: u64,
}

/// State of Westwood+ beside cwnd and ssthresh.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct State {
    /// Bandwidth estimate; `None` before the first sample.
    pub bandwidth: Option<Bandwidth>,
    /// Start of the current bandwidth sample; the first ACK starts one.
    pub since: Option<Time>,
    /// Octets that have arrived since the start of the current bandwidth sample.
    pub arrived: u64,
    /// Octets that duplicate ACKs have counted as delivered and that no cumulative ACK has covered yet.
    pub accounted: u64,
    /// Last round-trip sample of the connection.
    pub round_trip: Option<Duration>,
    /// Smallest round trip since the last time-out, or from before it if there is no sample since.
    pub lowest_round_trip: Option<Duration>,
    /// True if the next round-trip sample replaces the smallest round trip.
    pub is_lowest_stale: bool,
}

/// Returns the state of Westwood+ and the window after one event. Growth is NewReno's.  [linux-westwood]
#[must_use]
pub fn step(params: &newreno::Params, state: State, seen: &Observation) -> (State, WindowState) {
    let mut state = measure(params.segment, state, seen);
    let event = seen.seen.event;
    let segment = params.segment;
    let window = match event {
        Event::ThirdDuplicate | Event::SackLoss | Event::Timeout { is_repeated: false, .. } => {
            let known = bandwidth_delay(&state).map(|product| product.max(segment * 2));
            let flight = half(seen.seen.flight, segment);
            let ssthresh = known.unwrap_or_else(|| threshold(event, flight, seen.window.ssthresh));
            let cwnd = ssthresh.min(seen.window.cwnd);
            newreno::shrink(segment, event, Target { ssthresh, cwnd })
        }
        _ => newreno::step(params, seen.window, &seen.seen),
    };
    state.is_lowest_stale |= matches!(event, Event::Timeout { .. });
    (state, window)
}

/// Bandwidth-delay product: estimated bandwidth · smallest round trip; `None` while one of them is unknown.
fn bandwidth_delay(state: &State) -> Option<Bytes> {
    let (bandwidth, round_trip) = (state.bandwidth?.twice, state.lowest_round_trip?);
    let product = u128::from(bandwidth) * u128::from(round_trip.as_nanos()) / NANOS_PER_SECOND;
    Some(Bytes::new(u64::try_from(product).unwrap_or(u64::MAX)))
}

/// Counts the data that an ACK reports, and ends the bandwidth sample if a round trip has passed.
fn measure(segment: Bytes, mut state: State, seen: &Observation) -> State {
    if matches!(seen.seen.event, Event::Timeout { .. }) {
        return state;
    }
    if let Some(round_trip) = seen.path.round_trip {
        let so_far = state.lowest_round_trip.filter(|_| !state.is_lowest_stale);
        state.lowest_round_trip = lowest(so_far, Some(round_trip));
        state.is_lowest_stale = false;
        state.round_trip = Some(round_trip);
    }
    let now = seen.path.now;
    let since = *state.since.get_or_insert(now);
    let interval = now.saturating_since(since);
    if state.round_trip.is_some_and(|round_trip| interval > round_trip.max(SHORTEST_SAMPLE)) {
        state.bandwidth = Some(filter(state.bandwidth, state.arrived, interval));
        state.arrived = 0;
        state.since = Some(now);
    }
    // As in Linux, the ACK that closes a sample counts for the next one.
    state.arrived += arrived(seen.seen.acked, segment, &mut state.accounted);
    state
}

fn filter(before: Option<Bandwidth>, arrived: u64, interval: Duration) -> Bandwidth {
    let sample = u128::from(arrived) * NANOS_PER_SECOND / u128::from(interval.as_nanos());
    let sample = u64::try_from(sample).unwrap_or(u64::MAX >> 3);
    let smooth = |old: u64, new: u64| (7 * old + new) >> 3;
    match before {
        None => Bandwidth { once: sample, twice: sample },
        Some(Bandwidth { once, twice }) => {
            let once = smooth(once, sample);
            Bandwidth { once, twice: smooth(twice, once) }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{PARAMS, SEGMENT};
    use crate::window::Path;

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

    /// A bandwidth sample consists of the octets that arrive in a round trip, and passes two filters of
    /// weight 7/8.
    ///
    /// Verifies: [linux-westwood]
    #[test]
    fn a_sample_is_what_arrived_in_a_round_trip() {
        let mut state = State::default();
        // Round trip 100 ms; 2000 octets at 0 and 50 ms. Exactly 100 ms does not exceed the round trip.
        for at in [0, 50, 100] {
            (state, _) = step(&PARAMS, state, &seen(ACK, at, 2_000, Some(100)));
            assert_eq!(state.bandwidth, None);
        }
        // 6000 in 150 ms are 40 000 octet/s. The 2000 of this ACK belong to the next sample.
        (state, _) = step(&PARAMS, state, &seen(ACK, 150, 2_000, None));
        assert_eq!(state.bandwidth, Some(Bandwidth { once: 40_000, twice: 40_000 }));
        assert_eq!((state.arrived, state.since), (2_000, Some(Time::from_nanos(150_000_000))));
        // 2000 in 125 ms = 16 000: (7·40 000 + 16 000)/8 = 37 000; (7·40 000 + 37 000)/8 = 39 625
        (state, _) = step(&PARAMS, state, &seen(ACK, 275, 2_000, None));
        assert_eq!(state.bandwidth, Some(Bandwidth { once: 37_000, twice: 39_625 }));
    }

    /// A bandwidth sample covers at least 50 ms, even if the round trip is shorter.
    ///
    /// Verifies: [linux-westwood]
    #[test]
    fn a_sample_lasts_50_ms_at_least() {
        let mut state = State::default();
        for at in [0, 20, 50] {
            (state, _) = step(&PARAMS, state, &seen(ACK, at, 1_000, Some(10)));
            assert_eq!(state.bandwidth, None);
        }
        // 3000 in 60 ms
        (state, _) = step(&PARAMS, state, &seen(ACK, 60, 1_000, Some(10)));
        assert_eq!(state.bandwidth.map(|bandwidth| bandwidth.twice), Some(50_000));
    }

    /// A loss sets ssthresh to the estimated bandwidth multiplied by the smallest round trip or, without an
    /// estimate, to half of the flight.
    ///
    /// Verifies: [linux-westwood], [westwood-2001 §3]
    #[test]
    fn a_loss_goes_to_what_the_path_holds() {
        let known = State {
            bandwidth: Some(Bandwidth { once: 0, twice: 120_000 }),
            lowest_round_trip: Some(Duration::from_millis(50)),
            ..State::default()
        };
        // 120 000 · 0.05 = 6000
        for (event, cwnd) in [
            (Event::SackLoss, 6),
            (Event::ThirdDuplicate, 9),
            (Event::Timeout { is_repeated: false, is_in_recovery: false }, 1),
        ] {
            let (_, window) = step(&PARAMS, known, &seen(event, 0, 0, None));
            assert_eq!(
                window,
                WindowState { cwnd: SEGMENT * cwnd, ssthresh: SEGMENT * 6, credit: 0 }
            );
        }
        // A repeated time-out leaves the threshold of ten segments.
        let again = Event::Timeout { is_repeated: true, is_in_recovery: false };
        let (_, window) = step(&PARAMS, known, &seen(again, 0, 0, None));
        assert_eq!(window, WindowState { cwnd: SEGMENT, ssthresh: SEGMENT * 10, credit: 0 });
        // Without an estimate: half of the flight; two segments at least.
        let (_, window) = step(&PARAMS, State::default(), &seen(Event::SackLoss, 0, 0, None));
        assert_eq!(window.ssthresh, SEGMENT * 10);
        let slow = State { bandwidth: Some(Bandwidth { once: 0, twice: 1 }), ..known };
        let (_, window) = step(&PARAMS, slow, &seen(Event::SackLoss, 0, 0, None));
        assert_eq!(window.ssthresh, SEGMENT * 2);
    }

    /// After a time-out the next round-trip sample replaces the smallest round trip, because the path may
    /// have changed.
    ///
    /// Verifies: [linux-westwood]
    #[test]
    fn a_timeout_lets_the_smallest_round_trip_rise() {
        let (state, _) = step(&PARAMS, State::default(), &seen(ACK, 0, 1_000, Some(40)));
        let (state, _) = step(&PARAMS, state, &seen(ACK, 10, 1_000, Some(70)));
        assert_eq!(state.lowest_round_trip, Some(Duration::from_millis(40)));
        let timeout = Event::Timeout { is_repeated: false, is_in_recovery: false };
        let (state, _) = step(&PARAMS, state, &seen(timeout, 20, 0, None));
        assert_eq!(state.lowest_round_trip, Some(Duration::from_millis(40)));
        let (state, _) = step(&PARAMS, state, &seen(ACK, 30, 1_000, Some(90)));
        assert_eq!(state.lowest_round_trip, Some(Duration::from_millis(90)));
    }
}
