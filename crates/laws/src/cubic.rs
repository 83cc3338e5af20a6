//! CUBIC: the window is a cubic function of the time since the last loss, independent of the round-trip time.
//!
//! Source: [RFC9438 §4]. The function is flat around the window of the last loss and steep on both sides; the
//! window is never smaller than Reno's would be. Windows are in segments and times in seconds, as in the RFC.
//! The cube root is from `libm`, so the result is the same on every platform. `HyStart` is not implemented.
//!
//! ```text
//!  cwnd ▲                      ╱        W_cubic(t) = C·(t − K)³ + W_max
//! W_max ┤          ____-------´         K = ∛((W_max − cwnd at the start)/C)
//!       │  ╱
//!       └──┴──────────┴─────────► t
//!          loss       K
//! ```
//!
//! The law deviates from a literal reading in one thing: with byte counting the window grows by segment
//! acknowledged, and not by ACK.

use airfair_units::{Duration, Time};

use crate::newreno::{self, Event, Target};
use crate::window::{Observation, WindowState, octets, whole_octets};

/// C: scale of the cubic function [segments/s³].  [RFC9438 §5]
pub const SCALE: f64 = 0.4;
/// β: fraction of the window that remains after a loss.  [RFC9438 §4.6]
pub const BETA: f64 = 0.7;
/// α: growth per round trip that gives, together with β, Reno's average throughput: 3·(1 − β)/(1 + β).
/// [RFC9438 §4.3]
const ALPHA: f64 = 3.0 * (1.0 - BETA) / (1.0 + BETA);
/// Fraction of its window that a flow takes as `W_max` with fast convergence: (1 + β)/2.  [RFC9438 §4.7]
const FAST_CONVERGENCE: f64 = 0.85;
/// Largest ratio of CUBIC's target to the window.  [RFC9438 §4.2]
const MAX_GROWTH: f64 = 1.5;

/// Options of CUBIC that the RFC leaves to the implementation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Params {
    /// Parameters of slow start and fast recovery, as in NewReno.
    pub window: newreno::Params,
    /// Fast convergence: a flow with a loss before it regained its earlier window lowers `W_max`.
    /// [RFC9438 §4.7]
    pub fast_convergence: bool,
}

/// A congestion avoidance stage of CUBIC.  [RFC9438 §4.1]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stage {
    /// Start of the stage, moved later by the time during which cwnd was not the limit.
    pub since: Time,
    /// K: time from the start of the stage until the function reaches `W_max` [s].
    pub plateau_time: f64,
    /// `W_est`: estimate of Reno's window [segments].
    pub reno: f64,
}

/// State of CUBIC beside cwnd and ssthresh.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct State {
    /// `W_max`: window at the plateau of the function [segments].
    pub plateau: f64,
    /// True if the last loss set `plateau`; otherwise the next stage sets it.  [RFC9438 §4.8 and §4.10]
    pub is_plateau_known: bool,
    /// `cwnd_prior`: the window before the last loss [segments].
    pub before_loss: f64,
    /// The current congestion avoidance stage; `None` outside congestion avoidance.
    pub stage: Option<Stage>,
    /// Fraction of an octet by which the window is to grow and has not yet.
    pub fraction: f64,
    /// Time of the last ACK for new data outside recovery.
    pub last_ack: Time,
}

impl State {
    /// Returns the state after something other than CUBIC has set the window: a new stage of congestion
    /// avoidance begins at that window.
    #[must_use]
    pub fn restarted(self) -> Self {
        Self { stage: None, is_plateau_known: false, fraction: 0.0, ..self }
    }
}

/// Returns CUBIC's state and the window after one event.  [RFC9438 §4]
#[must_use]
pub fn step(params: &Params, state: State, seen: &Observation) -> (State, WindowState) {
    let Observation { window, seen: event, .. } = seen;
    let segment = params.window.segment;
    match event.event {
        Event::NewAck { is_cwnd_limited: false } => (pause(state, seen.path.now), *window),
        Event::NewAck { .. } if window.cwnd >= window.ssthresh => grow(params, state, seen),
        Event::ThirdDuplicate | Event::SackLoss | Event::Timeout { is_repeated: false, .. } => {
            let ssthresh = whole_octets(octets(event.flight) * BETA).max(segment * 2);
            let ssthresh = newreno::threshold(event.event, ssthresh, window.ssthresh);
            let target = Target { ssthresh, cwnd: ssthresh };
            (on_loss(params, state, seen), newreno::shrink(segment, event.event, target))
        }
        _ => {
            let state = State { stage: None, last_ack: seen.path.now, ..state };
            (state, newreno::step(&params.window, *window, event))
        }
    }
}

/// Removes the time since the last ACK from the stage, because cwnd was not the limit.  [RFC9438 §5.8]
fn pause(mut state: State, now: Time) -> State {
    let idle = now.saturating_since(state.last_ack);
    if let Some(stage) = &mut state.stage {
        stage.since += idle;
    }
    State { last_ack: now, ..state }
}

/// Records in CUBIC's state the window at a loss.  [RFC9438 §4.6 to §4.8]
fn on_loss(params: &Params, state: State, seen: &Observation) -> State {
    let cwnd = octets(seen.window.cwnd) / octets(params.window.segment);
    let gives_way = params.fast_convergence && cwnd < state.plateau;
    State {
        plateau: if gives_way { cwnd * FAST_CONVERGENCE } else { cwnd },
        is_plateau_known: !matches!(seen.seen.event, Event::Timeout { .. }),
        before_loss: cwnd,
        stage: None,
        fraction: 0.0,
        last_ack: seen.path.now,
    }
}

/// Starts a congestion avoidance stage at a window of `cwnd`.  [RFC9438 §4.2, §4.8 and §4.10]
fn begin(state: &mut State, cwnd: f64, now: Time) -> Stage {
    if !state.is_plateau_known || cwnd >= state.plateau {
        state.plateau = cwnd;
    }
    let plateau_time = libm::cbrt((state.plateau - cwnd) / SCALE);
    Stage { since: now, plateau_time, reno: cwnd }
}

/// Lets the window grow on an ACK in congestion avoidance.  [RFC9438 §4.2 to §4.5]
fn grow(params: &Params, mut state: State, seen: &Observation) -> (State, WindowState) {
    let segment = octets(params.window.segment);
    let exact = octets(seen.window.cwnd) + state.fraction;
    let cwnd = exact / segment;
    let now = seen.path.now;
    let running = state.stage;
    let mut current = running.unwrap_or_else(|| begin(&mut state, cwnd, now));
    let segments =
        if params.window.byte_counting { octets(seen.seen.acked) / segment } else { 1.0 };
    let alpha = if current.reno >= state.before_loss { 1.0 } else { ALPHA };
    current.reno += alpha * segments / cwnd;

    let elapsed = now.saturating_since(current.since);
    let ahead = seen.path.smoothed_round_trip.unwrap_or(Duration::ZERO);
    let next = if cubic(state.plateau, &current, elapsed) < current.reno {
        cwnd.max(current.reno)
    } else {
        let target = cubic(state.plateau, &current, elapsed + ahead).clamp(cwnd, MAX_GROWTH * cwnd);
        (cwnd + (target - cwnd) / cwnd * segments).min(target)
    };
    let grown = (next * segment).max(exact);
    let whole = whole_octets(grown);
    let state =
        State { stage: Some(current), fraction: grown - octets(whole), last_ack: now, ..state };
    (state, WindowState { cwnd: whole.max(params.window.segment), ..seen.window })
}

/// `W_cubic`: value of the cubic function at `elapsed` [segments].  [RFC9438 §4.2]
fn cubic(plateau: f64, stage: &Stage, elapsed: Duration) -> f64 {
    let distance = elapsed.as_secs_f64() - stage.plateau_time;
    SCALE * distance * distance * distance + plateau
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::window::Path;
    use airfair_units::Bytes;

    const SEGMENT: Bytes = Bytes::new(1_000);
    const PARAMS: Params = Params {
        window: newreno::Params {
            segment: SEGMENT,
            byte_counting: true,
            deflation: newreno::Deflation::ToFlight,
        },
        fast_convergence: true,
    };
    const ACK: Event = Event::NewAck { is_cwnd_limited: true };
    const TIMEOUT: Event = Event::Timeout { is_repeated: false, is_in_recovery: false };

    /// An event at a window of `cwnd` octets, all of them in flight; SRTT is one second.
    fn seen(event: Event, at_ms: u64, cwnd: u64) -> Observation {
        let cwnd = Bytes::new(cwnd);
        let path = Path {
            now: Time::ZERO + Duration::from_millis(at_ms),
            round_trip: None,
            smoothed_round_trip: Some(Duration::from_secs(1)),
            unacknowledged: 1,
            next: 1,
        };
        let window = WindowState { cwnd, ssthresh: SEGMENT * 50, credit: 0 };
        Observation {
            window,
            seen: newreno::Observation { event, acked: SEGMENT, flight: cwnd },
            path,
        }
    }

    /// A stage that began at time zero with 89.2 segments below a plateau of 100: K = ∛(10.8/0.4) = 3 s.
    fn below_the_plateau() -> State {
        let stage = Stage { since: Time::ZERO, plateau_time: 3.0, reno: 89.2 };
        State {
            plateau: 100.0,
            is_plateau_known: true,
            before_loss: 100.0,
            stage: Some(stage),
            ..State::default()
        }
    }

    fn close(one: f64, other: f64) -> bool {
        (one - other).abs() < 1e-9 * other.abs().max(1.0)
    }

    /// The first ACK in congestion avoidance starts a stage, with the time that the function takes to reach
    /// `W_max`.
    ///
    /// Verifies: [RFC9438 §4.2]
    #[test]
    fn a_stage_starts_with_the_time_to_the_plateau() {
        let before = State { stage: None, ..below_the_plateau() };
        let (state, _) = step(&PARAMS, before, &seen(ACK, 5_000, 89_200));
        let begun = state.stage.expect("an ACK in avoidance begins a stage");
        assert!(close(begun.plateau_time, 3.0) && begun.since == Time::from_nanos(5_000_000_000));
    }

    /// Below `W_max` an ACK adds to the window 1/cwnd of its distance from the target, a round trip ahead.
    ///
    /// Verifies: [RFC9438 §4.2], [RFC9438 §4.4]
    #[test]
    fn below_the_plateau_an_ack_closes_a_cwnd_th_of_the_distance() {
        // t = 1 s: W(1) = 100 − 0.4·2³ = 96.8 > W_est; target W(1 + 1) = 100 − 0.4·1³ = 99.6;
        // 89.2 + (99.6 − 89.2)/89.2 = 89.3165919…
        let (state, window) = step(&PARAMS, below_the_plateau(), &seen(ACK, 1_000, 89_200));
        assert_eq!(window.cwnd, Bytes::new(89_316));
        assert!((state.fraction - 0.5919).abs() < 1e-3, "{state:?}");
        // The fraction is kept: + (99.6 − 89.3165919)/89.3165919 = 89.4317257…
        let (_, window) = step(&PARAMS, state, &seen(ACK, 1_000, 89_316));
        assert_eq!(window.cwnd, Bytes::new(89_431));
        // At the plateau, t + RTT = K, the target is `W_max` itself.
        let (_, window) = step(&PARAMS, below_the_plateau(), &seen(ACK, 2_000, 100_000));
        assert_eq!(window.cwnd, Bytes::new(100_000));
    }

    /// Beyond `W_max` the target is at most one and a half times the window.
    ///
    /// Verifies: [RFC9438 §4.2], [RFC9438 §4.5]
    #[test]
    fn beyond_the_plateau_growth_is_half_the_window_per_round_trip_at_most() {
        // t = 12 s: W(13) = 100 + 0.4·10³ = 500, clamped to 150: 100 + 50/100 = 100.5
        let (_, window) = step(&PARAMS, below_the_plateau(), &seen(ACK, 12_000, 100_000));
        assert_eq!(window.cwnd, Bytes::new(100_500));
        // t = 7 s: W(8) = 100 + 0.4·5³ = 150, below the limit: 120 + 30/120 = 120.25
        let (_, window) = step(&PARAMS, below_the_plateau(), &seen(ACK, 7_000, 120_000));
        assert_eq!(window.cwnd, Bytes::new(120_250));
    }

    /// The window is at least the estimate of Reno's window.
    ///
    /// Verifies: [RFC9438 §4.3]
    #[test]
    fn cubic_is_never_slower_than_reno() {
        // α = 3·0.3/1.7 = 9/17. At t = 0 a window of 9 below a plateau of 9: W(0) = 9 − 0, flat;
        // W_est = 9 + (9/17)/9 = 9.0588235
        let stage = Stage { since: Time::ZERO, plateau_time: 0.0, reno: 9.0 };
        let flat =
            State { plateau: 9.0, before_loss: 12.0, stage: Some(stage), ..State::default() };
        let mut at_zero = seen(ACK, 0, 9_000);
        at_zero.window.ssthresh = SEGMENT * 2;
        let (_, window) = step(&PARAMS, flat, &at_zero);
        assert_eq!(window.cwnd, Bytes::new(9_058));
        // Once `W_est` has reached the window before the loss, α is 1: 9 + 1/9
        let regained = State { before_loss: 9.0, ..flat };
        let (_, window) = step(&PARAMS, regained, &at_zero);
        assert_eq!(window.cwnd, Bytes::new(9_111));
    }

    /// A loss reduces the window to seven tenths, and fast convergence lowers `W_max` after a second loss.
    ///
    /// Verifies: [RFC9438 §4.6], [RFC9438 §4.7]
    #[test]
    fn a_loss_leaves_seven_tenths_and_a_second_one_lowers_the_plateau() {
        let (state, window) = step(&PARAMS, State::default(), &seen(Event::SackLoss, 0, 100_000));
        assert_eq!((window.cwnd, window.ssthresh), (Bytes::new(70_000), Bytes::new(70_000)));
        assert!(close(state.plateau, 100.0) && close(state.before_loss, 100.0));
        // A loss at 80, below 100: plateau 80·(1 + 0.7)/2 = 68
        let (again, window) = step(&PARAMS, state, &seen(Event::ThirdDuplicate, 0, 80_000));
        assert_eq!((window.cwnd, window.ssthresh), (Bytes::new(59_000), Bytes::new(56_000)));
        assert!(close(again.plateau, 68.0) && close(again.before_loss, 80.0));
        let greedy = Params { fast_convergence: false, ..PARAMS };
        let (again, _) = step(&greedy, state, &seen(Event::SackLoss, 0, 80_000));
        assert!(close(again.plateau, 80.0));
        // Two segments at least.
        let (_, window) = step(&PARAMS, state, &seen(Event::SackLoss, 0, 1_000));
        assert_eq!(window.cwnd, SEGMENT * 2);
    }

    /// A time-out resets `W_max`: K is 0, and the plateau is the window at which the next stage begins.
    ///
    /// Verifies: [RFC9438 §4.8]
    #[test]
    fn a_timeout_forgets_the_plateau() {
        let (state, window) = step(&PARAMS, below_the_plateau(), &seen(TIMEOUT, 0, 100_000));
        assert_eq!((window.cwnd, window.ssthresh), (SEGMENT, Bytes::new(70_000)));
        let (state, _) = step(&PARAMS, state, &seen(ACK, 9_000, 70_000));
        let begun = state.stage.expect("a stage");
        assert!(close(state.plateau, 70.0) && close(begun.plateau_time, 0.0));
        // During loss recovery the threshold, 50 segments, does not rise to 70.
        let within = Event::Timeout { is_repeated: false, is_in_recovery: true };
        let (_, window) = step(&PARAMS, below_the_plateau(), &seen(within, 0, 100_000));
        assert_eq!((window.cwnd, window.ssthresh), (SEGMENT, SEGMENT * 50));
        // A repeated time-out is no loss of its own.
        let again = Event::Timeout { is_repeated: true, is_in_recovery: false };
        let (after, window) = step(&PARAMS, state, &seen(again, 9_000, 1_000));
        assert_eq!((after.plateau.to_bits(), window.cwnd), (state.plateau.to_bits(), SEGMENT));
    }

    /// The time during which cwnd was not the limit does not count as time of the stage.
    ///
    /// Verifies: [RFC9438 §5.8]
    #[test]
    fn time_without_need_of_the_window_does_not_count() {
        let idle = Event::NewAck { is_cwnd_limited: false };
        let (state, window) = step(&PARAMS, below_the_plateau(), &seen(idle, 4_000, 89_200));
        assert_eq!(window.cwnd, Bytes::new(89_200));
        // One second after the pause counts as one second after the start.
        let (_, window) = step(&PARAMS, state, &seen(ACK, 5_000, 89_200));
        assert_eq!(window.cwnd, Bytes::new(89_316));
    }

    #[test]
    fn slow_start_is_newrenos_and_a_given_window_begins_a_stage() {
        let (state, window) = step(&PARAMS, State::default(), &seen(ACK, 0, 10_000));
        assert_eq!((window.cwnd, state.stage), (Bytes::new(11_000), None));
        let restarted = below_the_plateau().restarted();
        let (state, _) = step(&PARAMS, restarted, &seen(ACK, 0, 60_000));
        assert!(close(state.plateau, 60.0));
    }
}
