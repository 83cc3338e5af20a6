//! `HyStart`: ends slow start before a loss, when an ACK train lasts too long or round trips grow.
//!
//! Source: [linux-tcp-cubic], `hystart_update`; [RFC9438 §4.10] leaves the end of slow start open. With pacing, segments are spread over up to half a round trip
//! even without a queue, so the limit of an ACK train is the whole smallest round trip instead of half of it.

use airfair_units::{Bytes, Duration, Time};

use crate::linux_reno::in_segments;
use crate::window::{Observation, lowest};

/// Smallest window at which `HyStart` watches slow start [segments].
const LEAST_WINDOW: u64 = 16;
/// Largest gap between two ACKs of one ACK train.
const TRAIN_GAP: Duration = Duration::from_millis(2);
/// Longest time for which `HyStart` assumes that offloads delay ACKs.
const ACK_DELAY: Duration = Duration::from_millis(1);
/// Round-trip samples per round before their minimum is used.
const SAMPLES: u32 = 8;
/// Smallest growth of the round trip that ends slow start; it is an eighth of the smallest round trip otherwise.
const LEAST_GROWTH: Duration = Duration::from_millis(4);
/// Largest growth of the round trip that is needed to end slow start.
const MOST_GROWTH: Duration = Duration::from_millis(16);

/// State of `HyStart`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct State {
    /// The current round of `HyStart`; `None` before the first.
    pub round: Option<Round>,
    /// True once `HyStart` has ended slow start.
    pub has_exited: bool,
}

/// A round of `HyStart`: the ACKs of one round trip.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Round {
    /// Start of the round of `HyStart`.
    pub since: Time,
    /// Sequence number that ends the round of `HyStart`: SND.NXT at its start.
    pub end: u64,
    /// Time of the last ACK of the round's ACK train.
    pub last_ack: Time,
    /// Smallest round trip in the round of `HyStart`.
    pub least: Option<Duration>,
    /// Number of round-trip samples in the round of `HyStart`, counted up to [`SAMPLES`].
    pub samples: u32,
}

/// Settings of `HyStart` at a sender.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Params {
    /// SMSS: payload of a full segment.
    pub segment: Bytes,
    /// True if the sender paces its segments.
    pub is_paced: bool,
}

/// Updates `HyStart` with the sample `round_trip` of an ACK in slow start. `least` is the smallest round trip of
/// the connection. Slow start has to end if the new state has exited.  `hystart_update` [linux-tcp-cubic]
#[must_use]
pub fn step(
    params: &Params,
    state: State,
    (least, round_trip): (Duration, Duration),
    seen: &Observation,
) -> State {
    let path = &seen.path;
    let fresh =
        Round { since: path.now, end: path.next, last_ack: path.now, least: None, samples: 0 };
    let mut round = state.round.filter(|it| path.unacknowledged <= it.end).unwrap_or(fresh);
    let mut has_exited = false;
    if in_segments(params.segment, seen.window.cwnd) >= LEAST_WINDOW {
        if path.now.saturating_since(round.last_ack) <= TRAIN_GAP {
            round.last_ack = path.now;
            let parts = if params.is_paced { 1 } else { 2 };
            has_exited = path.now.saturating_since(round.since) > (least + ACK_DELAY) / parts;
        }
        let in_round = round.least.map_or(round_trip, |least| least.min(round_trip));
        round.least = Some(in_round);
        if round.samples < SAMPLES {
            round.samples += 1;
        } else {
            has_exited |= in_round > least + (least / 8).clamp(LEAST_GROWTH, MOST_GROWTH);
        }
    }
    State { round: Some(round), has_exited }
}

/// `HyStart` of a sender whose window law does not measure the smallest round trip.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Alone {
    /// Smallest round trip of the connection so far.
    pub least: Option<Duration>,
    /// State of `HyStart`.
    pub state: State,
}

impl Alone {
    /// Processes an event at a window that may be in slow start. Slow start has to end if the new state has
    /// exited.
    #[must_use]
    pub fn step(self, params: &Params, seen: &Observation) -> Self {
        let least = lowest(self.least, seen.path.round_trip);
        let is_starting = !self.state.has_exited && seen.window.cwnd < seen.window.ssthresh;
        let state = match (seen.path.round_trip, least) {
            (Some(round_trip), Some(shortest)) if is_starting => {
                step(params, self.state, (shortest, round_trip), seen)
            }
            _ => self.state,
        };
        Self { least, state }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::SEGMENT;
    use crate::newreno::{self, Event};
    use crate::window::{Path, WindowState};

    /// An ACK at `at_ms` with a window of 20 segments and no threshold.
    fn seen(at_ms: u64, round_trip_ms: u64) -> Observation {
        let window = WindowState { cwnd: SEGMENT * 20, ssthresh: Bytes::new(u64::MAX), credit: 0 };
        let event = Event::NewAck { is_cwnd_limited: true };
        let path = Path {
            now: Time::ZERO + Duration::from_millis(at_ms),
            round_trip: Some(Duration::from_millis(round_trip_ms)),
            smoothed_round_trip: None,
            unacknowledged: 1,
            next: 50_001,
        };
        let seen = newreno::Observation { event, acked: SEGMENT, flight: Bytes::ZERO };
        Observation { window, seen, path }
    }

    /// An ACK train may last half of the smallest round trip, and all of it if the sender paces.
    ///
    /// Verifies: [linux-tcp-cubic]
    #[test]
    fn with_pacing_a_train_may_last_a_whole_round_trip() {
        let last_of_train = |is_paced: bool| {
            let mut it = Alone::default();
            let params = Params { segment: SEGMENT, is_paced };
            (0..100).find(|at| {
                it = it.step(&params, &seen(*at, 20));
                it.state.has_exited
            })
        };
        // (20 + 1)/2 = 10.5 ms, and 21 ms: the first ACK after these ends slow start.
        assert_eq!((last_of_train(false), last_of_train(true)), (Some(11), Some(22)));
    }

    /// A round trip 4 ms above the smallest ends slow start at the ninth sample of a round.
    ///
    /// Verifies: [linux-tcp-cubic]
    #[test]
    fn growing_round_trips_end_slow_start_at_the_ninth_sample() {
        let params = Params { segment: SEGMENT, is_paced: false };
        let mut it = Alone { least: Some(Duration::from_millis(20)), ..Alone::default() };
        for at in 0..9 {
            assert!(!it.state.has_exited, "{at}");
            it = it.step(&params, &seen(3 * at, 25));
        }
        assert!(it.state.has_exited);
    }
}
