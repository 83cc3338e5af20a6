//! Vegas: the window follows the estimated queue, so that the sender finds its limit without losses.
//!
//! Source: [brakmo-1995 §3.2 and §3.3], with the thresholds and the smallest windows of Linux [linux-vegas].
//! Once per round trip the law estimates the data in queues: expected rate cwnd/base minus actual rate
//! cwnd/rtt, times base. With less than α the window grows by a segment, with more than β it shrinks by one.
//! In slow start the window doubles every *other* round trip, and slow start ends once more than γ is in
//! queues.
//!
//! A loss halves the flight as in NewReno and in Linux. The paper's finer retransmission timer (its §3.1) is
//! not implemented, because it does not concern the window.

use airfair_units::{Bytes, Duration};

use crate::newreno::{self, Event};
use crate::window::{Observation, WindowState, lowest};

/// Parameters of Vegas. The thresholds are in segments that wait in queues.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Params {
    /// Parameters of growth in slow start and of the response to losses.
    pub window: newreno::Params,
    /// α: the window grows while fewer segments than this wait in queues.
    pub alpha: u32,
    /// β: the window shrinks while more segments than this wait in queues.
    pub beta: u32,
    /// γ: slow start ends once more segments than this wait in queues.
    pub gamma: u32,
}

impl Params {
    /// Parameters of Vegas with Linux's thresholds.  [linux-vegas]
    pub const fn new(window: newreno::Params) -> Self {
        Self { window, alpha: 2, beta: 4, gamma: 1 }
    }
}

/// State of Vegas beside cwnd and ssthresh.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct State {
    /// `BaseRTT`: smallest round trip of the connection so far.
    pub base: Option<Duration>,
    /// Smallest round trip of the current round, which lasts one round trip.
    pub lowest: Option<Duration>,
    /// Sequence number beyond which an ACK ends the current round.
    pub round_end: u64,
    /// True if slow start pauses in this round, so that the measurement is valid.
    pub is_resting: bool,
}

/// Returns the state of Vegas and the window after one event.  [brakmo-1995 §3.2]
#[must_use]
pub fn step(params: &Params, mut state: State, seen: &Observation) -> (State, WindowState) {
    state.base = lowest(state.base, seen.path.round_trip);
    state.lowest = lowest(state.lowest, seen.path.round_trip);
    let Event::NewAck { is_cwnd_limited } = seen.seen.event else {
        // Round trips measured across a recovery give no information about the queue.
        state.lowest = None;
        state.round_end = seen.path.next;
        return (state, newreno::step(&params.window, seen.window, &seen.seen));
    };
    let grown = || newreno::step(&params.window, seen.window, &seen.seen);
    let is_slow_start = seen.window.cwnd < seen.window.ssthresh;
    if seen.path.unacknowledged <= state.round_end {
        let window = if is_slow_start && !state.is_resting { grown() } else { seen.window };
        return (state, window);
    }
    state.round_end = seen.path.next;
    let (Some(round_trip), Some(base)) = (state.lowest.take(), state.base) else {
        // A round without a sample follows NewReno.
        return (state, grown());
    };
    // Octets that the path holds without a queue; the rest of the window is in queues.
    let held = share(seen.window.cwnd, base, round_trip);
    let queued = seen.window.cwnd - held;
    if is_slow_start {
        if queued > params.window.segment * u64::from(params.gamma) {
            return (state, leave_slow_start(params, seen.window, held));
        }
        state.is_resting = !state.is_resting;
        return (state, if state.is_resting { seen.window } else { grown() });
    }
    (state, avoid(params, seen.window, queued, is_cwnd_limited))
}

/// `amount` · `part` / `whole`, rounded down; `part` is not longer than `whole`.
fn share(amount: Bytes, part: Duration, whole: Duration) -> Bytes {
    let product = u128::from(amount.get()) * u128::from(part.as_nanos());
    let share = product / u128::from(whole.as_nanos().max(1));
    Bytes::new(u64::try_from(share).expect("a part is not more than the whole")).min(amount)
}

/// Leaves slow start with a window that keeps one segment in queues beside the octets `held` by the
/// path.  [linux-vegas]
fn leave_slow_start(params: &Params, window: WindowState, held: Bytes) -> WindowState {
    let segment = params.window.segment;
    let cwnd = window.cwnd.min(held + segment).max(segment * 2);
    WindowState { cwnd, ssthresh: threshold(window.ssthresh, cwnd, segment), credit: 0 }
}

/// Lets the window grow or shrink by at most one segment in congestion avoidance.  [brakmo-1995 §3.2]
fn avoid(
    params: &Params,
    window: WindowState,
    queued: Bytes,
    is_cwnd_limited: bool,
) -> WindowState {
    let segment = params.window.segment;
    if queued > segment * u64::from(params.beta) {
        let cwnd = (window.cwnd.saturating_sub(segment)).max(segment * 2).min(window.cwnd);
        return WindowState { cwnd, ssthresh: threshold(window.ssthresh, cwnd, segment), ..window };
    }
    if queued < segment * u64::from(params.alpha) && is_cwnd_limited {
        return WindowState { cwnd: window.cwnd + segment, ..window };
    }
    window
}

/// Slow start threshold kept at least one segment below `cwnd`, so that the window does not return to slow
/// start.  [linux-vegas]
fn threshold(ssthresh: Bytes, cwnd: Bytes, segment: Bytes) -> Bytes {
    ssthresh.min(cwnd.saturating_sub(segment).max(segment))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::window::Path;
    use airfair_units::Time;

    const SEGMENT: Bytes = Bytes::new(1_000);
    const PARAMS: Params = Params::new(newreno::Params {
        segment: SEGMENT,
        byte_counting: true,
        deflation: newreno::Deflation::ToFlight,
    });
    const ACK: Event = Event::NewAck { is_cwnd_limited: true };

    fn window(cwnd: u64, ssthresh: u64) -> WindowState {
        WindowState { cwnd: Bytes::new(cwnd), ssthresh: Bytes::new(ssthresh), credit: 0 }
    }

    /// An ACK that ends a round in which `round_trip_ms` was measured.
    fn round_ends(window: WindowState, round_trip_ms: u64) -> Observation {
        let path = Path {
            now: Time::ZERO,
            round_trip: Some(Duration::from_millis(round_trip_ms)),
            smoothed_round_trip: None,
            unacknowledged: 10_001,
            next: 30_001,
        };
        let acked = SEGMENT;
        let seen = newreno::Observation { event: ACK, acked, flight: window.cwnd };
        Observation { window, seen, path }
    }

    /// State of Vegas in a round that ends at octet 10 000, on a path of 100 ms.
    fn state() -> State {
        State { base: Some(Duration::from_millis(100)), round_end: 10_000, ..State::default() }
    }

    /// Once per round the window grows by a segment if less than α is queued, and shrinks by one if more than
    /// β is.
    ///
    /// Verifies: [brakmo-1995 §3.2]
    #[test]
    fn the_queue_is_kept_between_alpha_and_beta() {
        // With cwnd 20 000, the queues hold 20 000·(rtt − 100)/rtt:
        // 105 ms: 20 000 − ⌊19 047.6⌋ = 953 < 2000 → one segment more; 112 ms: 20 000 − 17 857 = 2143 →
        // unchanged;
        // 125 ms: 4000, not more than β; 126 ms: 20 000 − 15 873 = 4127 → one segment less
        for (round_trip, cwnd) in [(105, 21_000), (112, 20_000), (125, 20_000), (126, 19_000)] {
            let seen = round_ends(window(20_000, 10_000), round_trip);
            let (after, next) = step(&PARAMS, state(), &seen);
            assert_eq!(next, window(cwnd, 10_000), "{round_trip} ms");
            assert_eq!(after, State { round_end: 30_001, ..state() });
        }
    }

    /// Within a round the window stays; the smallest round trip of the round counts at its end.
    ///
    /// Verifies: [brakmo-1995 §3.2]
    #[test]
    fn avoidance_does_nothing_within_a_round() {
        let mut seen = round_ends(window(20_000, 10_000), 300);
        seen.path.unacknowledged = 10_000;
        let (after, next) = step(&PARAMS, state(), &seen);
        assert_eq!(next, window(20_000, 10_000));
        // The smallest sample of the round counts when it ends: 110 ms → 20 000 − 18 181 = 1819 < α
        assert_eq!(after.lowest, Some(Duration::from_millis(300)));
        let (_, next) = step(&PARAMS, after, &round_ends(window(20_000, 10_000), 110));
        assert_eq!(next.cwnd, Bytes::new(21_000));
    }

    /// In slow start the window grows in every second round, and slow start ends once more than γ is queued.
    ///
    /// Verifies: [brakmo-1995 §3.3]
    #[test]
    fn slow_start_grows_every_other_round_and_ends_above_gamma() {
        let begin = window(8_000, 64_000);
        // Nothing is queued: slow start pauses for a round and grows in the next.
        let (resting, next) = step(&PARAMS, state(), &round_ends(begin, 100));
        assert_eq!((resting.is_resting, next), (true, begin));
        let mut within = round_ends(begin, 100);
        within.path.unacknowledged = 20_001;
        assert_eq!(step(&PARAMS, resting, &within).1, begin);
        let mut ended = within;
        ended.path.unacknowledged = 30_002;
        let (growing, next) = step(&PARAMS, resting, &ended);
        assert_eq!((growing.is_resting, next), (false, window(9_000, 64_000)));
        assert_eq!(step(&PARAMS, growing, &within).1, window(9_000, 64_000));
        // 160 ms: the path holds 8000·100/160 = 5000, so 3000 > γ are queued → 5000 + 1000, threshold one
        // segment below
        let (_, next) = step(&PARAMS, state(), &round_ends(begin, 160));
        assert_eq!(next, window(6_000, 5_000));
        // 114 ms: 8000 − 7017 = 983, less than γ
        assert_eq!(step(&PARAMS, state(), &round_ends(begin, 114)).1, begin);
    }

    /// The window is never smaller than two segments, and a shrinking window does not return to slow start.
    ///
    /// Verifies: [linux-vegas]
    #[test]
    fn the_window_stays_at_two_segments_and_out_of_slow_start() {
        // The queue is smaller than the window, so β, four segments, is out of reach below five segments.
        let (_, next) = step(&PARAMS, state(), &round_ends(window(5_000, 5_000), 1_000));
        // 5000 − 500 = 4500 > β → 4000; a threshold of 5000 would mean slow start: 3000
        assert_eq!(next, window(4_000, 3_000));
        let tight = Params { beta: 0, alpha: 0, ..PARAMS };
        let (_, next) = step(&tight, state(), &round_ends(window(2_000, 2_000), 200));
        assert_eq!(next, window(2_000, 1_000));
        // Slow start ends no lower either: 2000·100/1000 + 1000 = 1200
        let (_, next) = step(&PARAMS, state(), &round_ends(window(2_000, 64_000), 1_000));
        assert_eq!(next, window(2_000, 1_000));
    }

    #[test]
    fn a_window_that_does_not_limit_does_not_grow() {
        let mut seen = round_ends(window(20_000, 10_000), 100);
        seen.seen.event = Event::NewAck { is_cwnd_limited: false };
        assert_eq!(step(&PARAMS, state(), &seen).1, window(20_000, 10_000));
    }

    /// A loss sets window and threshold to half of the flight, as with Reno, and starts a new round of
    /// measurement.
    ///
    /// Verifies: [linux-vegas]
    #[test]
    fn a_loss_halves_the_flight_and_starts_a_round() {
        let mut seen = round_ends(window(20_000, 30_000), 100);
        seen.seen.event = Event::SackLoss;
        let (after, next) = step(&PARAMS, state(), &seen);
        assert_eq!(next, window(10_000, 10_000));
        assert_eq!(after, State { round_end: 30_001, ..state() });
    }

    #[test]
    fn a_round_without_a_measurement_is_renos() {
        let mut seen = round_ends(window(8_000, 64_000), 100);
        seen.path.round_trip = None;
        assert_eq!(step(&PARAMS, state(), &seen).1, window(9_000, 64_000));
    }
}
