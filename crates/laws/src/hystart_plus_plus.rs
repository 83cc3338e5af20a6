//! `HyStart++`: leaves slow start when round trips grow, through rounds of slower growth.
//!
//! Source: [RFC9406 §4]. A round trip that has grown by an eighth may be noise, so the sender does not stop at
//! once: it grows by a quarter as much in conservative slow start (CSS), and returns to slow start if round
//! trips are short again. After five rounds it continues with congestion avoidance.
//!
//! ```text
//!             grown round trip                 5 rounds, or a loss
//!  slow start ────────────────► conservative ─────────────────────► done
//!      ▲  └──── loss ───────────────┐ │                              ▲
//!      └──── short round trip ──────┼─┘                              │
//!                                   └────────────────────────────────┘
//! ```

use airfair_units::{Bytes, Duration};

use crate::window::lowest;

/// `MIN_RTT_THRESH`: smallest growth of the round trip that counts.  [RFC9406 §4.3]
pub const LEAST_GROWTH: Duration = Duration::from_millis(4);
/// `MAX_RTT_THRESH`: largest growth of the round trip that is needed.  [RFC9406 §4.3]
pub const MOST_GROWTH: Duration = Duration::from_millis(16);
/// `MIN_RTT_DIVISOR`: the growth that counts is this part of the last round's smallest round trip.
/// [RFC9406 §4.3]
pub const GROWTH_DIVISOR: u64 = 8;
/// `N_RTT_SAMPLE`: round-trip samples of a round before their minimum is used.  [RFC9406 §4.3]
pub const SAMPLES: u32 = 8;
/// `CSS_GROWTH_DIVISOR`: in conservative slow start the window grows by this part of slow start's growth.
/// [RFC9406 §4.3]
pub const SLOWER: u64 = 4;
/// `CSS_ROUNDS`: number of rounds of conservative slow start.  [RFC9406 §4.3]
pub const CONSERVATIVE_ROUNDS: u32 = 5;
/// L: largest growth of the window per ACK if the sender does not pace [segments].  [RFC9406 §4.3]
pub const UNPACED_LIMIT: u64 = 8;

/// Settings of `HyStart++` at a sender.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Params {
    /// SMSS: payload of a full segment.
    pub segment: Bytes,
    /// True if the sender paces its segments, so that an ACK may add any number of segments.
    pub is_paced: bool,
}

/// Phase of the start of a connection.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Phase {
    /// Slow start without a sign of a queue.
    #[default]
    SlowStart,
    /// Conservative slow start.
    Conservative {
        /// `cssBaselineMinRtt`: smallest round trip of the round in which the phase began.
        baseline: Duration,
        /// Number of rounds of the phase that have begun, the one in which the phase began included.
        rounds: u32,
    },
    /// The start is over, and `HyStart++` is not used again.
    Done,
}

/// State of `HyStart++`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct State {
    /// Phase of the start.
    pub phase: Phase,
    /// `windowEnd`: SND.NXT at the start of the round; an ACK for it ends the round.
    pub round_end: u64,
    /// `lastRoundMinRTT`: smallest round trip of the round before.
    pub before: Option<Duration>,
    /// `currentRoundMinRTT`: smallest round trip of the round.
    pub least: Option<Duration>,
    /// `rttSampleCount`: number of round-trip samples of the round.
    pub samples: u32,
}

/// Observation of an ACK for new data during the start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Observation {
    /// N: octets acknowledged.
    pub acked: Bytes,
    /// Round-trip sample of the ACK, if it gave one.
    pub round_trip: Option<Duration>,
    /// SND.UNA after the ACK.
    pub unacknowledged: u64,
    /// SND.NXT.
    pub next: u64,
}

/// Processes an ACK. Returns the new state, and the octets by which the window grows. The start is over, and the
/// threshold becomes the window, once the phase is [`Done`](Phase::Done).  [RFC9406 §4.2]
#[must_use]
pub fn step(params: &Params, mut state: State, seen: &Observation) -> (State, Bytes) {
    if seen.unacknowledged >= state.round_end {
        state = begin_round(state, seen.next);
    }
    if seen.round_trip.is_some() {
        state.least = lowest(state.least, seen.round_trip);
        state.samples += 1;
    }
    let limit = if params.is_paced { seen.acked } else { params.segment * UNPACED_LIMIT };
    let growth = seen.acked.min(limit);
    state.phase = match state.phase {
        Phase::SlowStart => begin_conservative(&state),
        Phase::Conservative { baseline, .. }
            if state.samples >= SAMPLES && state.least.is_some_and(|least| least < baseline) =>
        {
            Phase::SlowStart
        }
        phase => phase,
    };
    match state.phase {
        Phase::SlowStart => (state, growth),
        Phase::Conservative { .. } => (state, Bytes::new(growth.get() / SLOWER)),
        Phase::Done => (state, Bytes::ZERO),
    }
}

/// Starts a round. After the last round of conservative slow start the start is over.  [RFC9406 §4.2]
fn begin_round(state: State, next: u64) -> State {
    let phase = match state.phase {
        Phase::Conservative { rounds: CONSERVATIVE_ROUNDS, .. } => Phase::Done,
        Phase::Conservative { baseline, rounds } => {
            Phase::Conservative { baseline, rounds: rounds + 1 }
        }
        phase => phase,
    };
    State { phase, round_end: next, before: state.least, least: None, samples: 0 }
}

/// Returns conservative slow start if the round's smallest round trip has grown enough, else slow start.
fn begin_conservative(state: &State) -> Phase {
    let (Some(least), Some(before)) = (state.least, state.before) else { return Phase::SlowStart };
    let growth = (before / GROWTH_DIVISOR).clamp(LEAST_GROWTH, MOST_GROWTH);
    if state.samples >= SAMPLES && least >= before + growth {
        return Phase::Conservative { baseline: least, rounds: 1 };
    }
    Phase::SlowStart
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::SEGMENT;

    const PARAMS: Params = Params { segment: SEGMENT, is_paced: false };

    /// Processes the nine ACKs of round `number`, whose segments all have this round trip [ms].
    fn round(mut state: State, number: u64, round_trip: u64) -> (State, u64) {
        let mut grown = 0;
        for ack in 0..9 {
            let seen = Observation {
                acked: SEGMENT,
                round_trip: Some(Duration::from_millis(round_trip)),
                unacknowledged: 100 * number + ack,
                next: 100 * (number + 1),
            };
            let (next, growth) = step(&PARAMS, state, &seen);
            state = next;
            grown += growth.get();
        }
        (state, grown)
    }

    /// Round trips that grow by an eighth, from 80 to 90 ms, start five rounds of a quarter of the growth.
    ///
    /// Verifies: [RFC9406 §4.2], [RFC9406 §4.3]
    #[test]
    fn a_grown_round_trip_starts_five_slower_rounds() {
        let (state, grown) = round(State::default(), 0, 80);
        assert_eq!((state.phase, grown), (Phase::SlowStart, 9_000));
        // Less than an eighth more changes nothing.
        let (state, grown) = round(state, 1, 89);
        assert_eq!((state.phase, grown), (Phase::SlowStart, 9_000));
        // 89/8 = 11.125 ms: 101 ms are enough at the eighth sample; seven ACKs add 1000 and two add 250.
        let (mut state, grown) = round(state, 2, 101);
        let baseline = Duration::from_millis(101);
        assert_eq!(state.phase, Phase::Conservative { baseline, rounds: 1 });
        assert_eq!(grown, 7_000 + 2 * 250);
        for rounds in 2..=5 {
            let (next, grown) = round(state, u64::from(rounds) + 1, 120);
            assert_eq!(next.phase, Phase::Conservative { baseline, rounds });
            assert_eq!(grown, 9 * 250);
            state = next;
        }
        let (state, grown) = round(state, 7, 120);
        assert_eq!((state.phase, grown), (Phase::Done, 0));
    }

    /// A round trip below that of the start of conservative slow start leads back to slow start.
    ///
    /// Verifies: [RFC9406 §4.2]
    #[test]
    fn a_short_round_trip_leads_back_to_slow_start() {
        let (state, _) = round(State::default(), 0, 20);
        let (state, _) = round(state, 1, 24);
        let baseline = Duration::from_millis(24);
        assert_eq!(state.phase, Phase::Conservative { baseline, rounds: 1 });
        let (same, _) = round(state, 2, 24);
        assert!(matches!(same.phase, Phase::Conservative { .. }));
        let (back, grown) = round(state, 2, 23);
        // The eighth sample ends the slower growth: seven ACKs add 250 each, two add 1000.
        assert_eq!((back.phase, grown), (Phase::SlowStart, 7 * 250 + 2_000));
    }

    /// The growth that counts is 4 ms at least and 16 ms at most.
    ///
    /// Verifies: [RFC9406 §4.3]
    #[test]
    fn the_growth_that_counts_is_between_4_and_16_ms() {
        let starts = |before, after| {
            let (state, _) = round(State::default(), 0, before);
            matches!(round(state, 1, after).0.phase, Phase::Conservative { .. })
        };
        assert!(!starts(8, 11) && starts(8, 12));
        assert!(!starts(800, 815) && starts(800, 816));
    }

    /// An ACK adds eight segments at most without pacing, and all that it acknowledges with pacing.
    ///
    /// Verifies: [RFC9406 §4.2]
    #[test]
    fn pacing_lifts_the_limit_of_the_growth_per_ack() {
        let seen =
            Observation { acked: SEGMENT * 20, round_trip: None, unacknowledged: 1, next: 2 };
        let grown = |is_paced| step(&Params { is_paced, ..PARAMS }, State::default(), &seen).1;
        assert_eq!((grown(false), grown(true)), (SEGMENT * 8, SEGMENT * 20));
    }
}
