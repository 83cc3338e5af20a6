//! CUBIC as Linux computes it: in whole segments, updated 32 times a second, and with `HyStart`.
//!
//! Source: [linux-tcp-cubic]; the function is that of [`cubic`](crate::cubic). Differences from [RFC9438]:
//!
//! | | RFC 9438 | Linux |
//! | --- | --- | --- |
//! | time of the target | SRTT ahead | the smallest round trip ahead |
//! | update of the target | at every ACK | when the window has changed, or 1/32 s after the last update |
//! | Reno's estimate | grows by 1 per round trip from `cwnd_prior` on | by 8/15 per round trip, always |
//! | largest growth | half a window per round trip | the same; 1/20 before the first loss |
//! | a time-out | keeps what was measured | resets the state |
//! | first slow start | until the first loss | until `HyStart` ends it |

use airfair_units::{Duration, Time};

use crate::hystart;
use crate::linux_reno::{arrived, avoid, in_segments, shrink, slow_start};
use crate::newreno::{self, Event};
use crate::window::{Observation, WindowState};

/// β: fraction of the window that remains after a loss, in units of 1/1024.
const BETA: u64 = 717;
/// The value 1 in the unit of β, which is 1/1024.
const WHOLE: u64 = 1_024;
/// C = 410/1024: scale of the cubic function [segments/s³].
const SCALE: f64 = 410.0 / 1024.0;
/// Number of acknowledged segments for which the estimate of Reno's window grows by one, per segment of the
/// window, times 8: 8·(1 + β)/3/(1 − β), rounded down.
const FRIENDLY: u64 = 15;
/// Shortest time between two updates of the growth at an unchanged window: 1/32 s.
const UPDATE_INTERVAL: Duration = Duration::from_micros(31_250);
/// Largest number of acknowledged segments for a growth of the window by one, before the first loss.
const MAX_COUNT_BEFORE_LOSS: u64 = 20;
/// Time after the start of a congestion avoidance stage in which a round-trip sample may still be from the loss
/// recovery before that stage.
const SETTLING: Duration = Duration::from_secs(1);

/// Options of Linux's CUBIC.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Params {
    /// Parameters of slow start and fast recovery, as in NewReno.
    pub window: newreno::Params,
    /// Settings of `HyStart`; `None` turns it off.
    pub hystart: Option<hystart::Params>,
}

/// State of Linux's CUBIC beside cwnd and ssthresh.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct State {
    /// `last_max_cwnd`: window before the last loss, lowered by fast convergence; 0 before a loss [segments].
    pub plateau: u64,
    /// The current congestion avoidance stage; `None` outside congestion avoidance.
    pub stage: Option<Stage>,
    /// `cnt`: number of acknowledged segments for a growth of the window by one.
    pub every: u64,
    /// `last_cwnd`: window at the last update of the growth of the window [segments].
    pub last_window: u64,
    /// Time of the last update of the growth of the window.
    pub last_update: Time,
    /// `delay_min`: smallest round trip of the connection so far.
    pub least_round_trip: Option<Duration>,
    /// State of `HyStart`, which may end slow start before there is a loss.
    pub hystart: hystart::State,
}

/// A congestion avoidance stage of Linux's CUBIC, which Linux calls an epoch.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stage {
    /// Start of the congestion avoidance stage.
    pub since: Time,
    /// `bic_origin_point`: window at the plateau of the function [segments].
    pub origin: u64,
    /// K: time from the start of the stage until the function reaches its plateau [s].
    pub plateau_time: f64,
    /// `tcp_cwnd`: estimate of the window of a Reno flow since the start of the stage [segments].
    pub reno: u64,
    /// `ack_cnt`: acknowledged segments that are not in `reno` yet.
    pub credit: u64,
}

impl State {
    /// Returns the state after something other than CUBIC has set the window: a new stage of congestion
    /// avoidance begins at that window.
    #[must_use]
    pub fn restarted(self) -> Self {
        Self { stage: None, plateau: 0, ..self }
    }
}

/// Returns the state of Linux's CUBIC and the window after one event.  [linux-tcp-cubic]
#[must_use]
pub fn step(params: &Params, state: State, seen: &Observation) -> (State, WindowState) {
    let segment = params.window.segment;
    let (state, window) = measure(params, state, seen);
    match seen.seen.event {
        Event::NewAck { is_cwnd_limited: true } => {
            let (window, left) = slow_start(segment, window, arrived(segment, seen));
            if left == 0 {
                return (state, window);
            }
            let state = update(state, in_segments(segment, window.cwnd), left, seen.path.now);
            (state, avoid(segment, window, state.every, left))
        }
        Event::ThirdDuplicate | Event::SackLoss | Event::Timeout { is_repeated: false, .. } => {
            let cwnd = in_segments(segment, window.cwnd);
            let state = on_loss(state, cwnd, seen.seen.event);
            (state, shrink(segment, seen, cwnd * BETA / WHOLE))
        }
        _ => (state, newreno::step(&params.window, window, &seen.seen)),
    }
}

/// Processes the round-trip sample of an ACK.  `cubictcp_acked` [linux-tcp-cubic]
fn measure(params: &Params, mut state: State, seen: &Observation) -> (State, WindowState) {
    let (now, mut window) = (seen.path.now, seen.window);
    let is_settling = state.stage.is_some_and(|stage| now.saturating_since(stage.since) < SETTLING);
    let Some(round_trip) = seen.path.round_trip.filter(|_| !is_settling) else {
        return (state, window);
    };
    let least = state.least_round_trip.map_or(round_trip, |least| least.min(round_trip));
    state.least_round_trip = Some(least);
    if let Some(hystart) = &params.hystart
        && !state.hystart.has_exited
        && window.cwnd < window.ssthresh
    {
        state.hystart = hystart::step(hystart, state.hystart, (least, round_trip), seen);
        if state.hystart.has_exited {
            window.ssthresh = window.cwnd;
        }
    }
    (state, window)
}

/// Records the window at a loss in CUBIC's state; a time-out resets that state.  `cubictcp_recalc_ssthresh`,
/// `cubictcp_state` [linux-tcp-cubic]
fn on_loss(state: State, cwnd: u64, event: Event) -> State {
    if matches!(event, Event::Timeout { .. }) {
        return State::default();
    }
    let gives_way = cwnd < state.plateau;
    let plateau = if gives_way { cwnd * (WHOLE + BETA) / (2 * WHOLE) } else { cwnd };
    State { plateau, stage: None, ..state }
}

/// Updates the number of segments to be acknowledged for a growth of the window by one.  `bictcp_update`
/// [linux-tcp-cubic]
fn update(mut state: State, cwnd: u64, arrived: u64, now: Time) -> State {
    if let Some(stage) = &mut state.stage {
        stage.credit += arrived;
    }
    let is_unchanged =
        state.last_window == cwnd && now.saturating_since(state.last_update) <= UPDATE_INTERVAL;
    if is_unchanged && state.every > 0 {
        return state;
    }
    (state.last_window, state.last_update) = (cwnd, now);
    let mut epoch = state.stage.unwrap_or_else(|| begin(state.plateau, cwnd, arrived, now));
    let ahead = state.least_round_trip.unwrap_or(Duration::ZERO);
    let target = cubic(&epoch, now.saturating_since(epoch.since) + ahead);
    let mut every = if target > cwnd { cwnd / (target - cwnd) } else { 100 * cwnd };
    if state.plateau == 0 {
        every = every.min(MAX_COUNT_BEFORE_LOSS);
    }
    let per_segment = (cwnd * FRIENDLY / 8).max(1);
    while epoch.credit > per_segment {
        epoch.credit -= per_segment;
        epoch.reno += 1;
    }
    if epoch.reno > cwnd {
        every = every.min(cwnd / (epoch.reno - cwnd));
    }
    State { stage: Some(epoch), every: every.max(2), ..state }
}

/// Starts a congestion avoidance stage of Linux's CUBIC at a window of `cwnd`.
fn begin(plateau: u64, cwnd: u64, arrived: u64, now: Time) -> Stage {
    let origin = plateau.max(cwnd);
    let plateau_time = libm::cbrt(segments(origin - cwnd) / SCALE);
    Stage { since: now, origin, plateau_time, reno: cwnd, credit: arrived }
}

/// Value of the cubic function, rounded towards its origin [segments].
fn cubic(stage: &Stage, elapsed: Duration) -> u64 {
    let distance = elapsed.as_secs_f64() - stage.plateau_time;
    let delta = whole(SCALE * libm::fabs(distance * distance * distance));
    if distance < 0.0 { stage.origin.saturating_sub(delta) } else { stage.origin + delta }
}

#[expect(clippy::cast_precision_loss, reason = "windows are far below 2^53 segments")]
fn segments(count: u64) -> f64 {
    count as f64
}

#[expect(clippy::cast_possible_truncation, reason = "a window stays far below 2^63 segments")]
#[expect(clippy::cast_sign_loss, reason = "never negative")]
fn whole(amount: f64) -> u64 {
    amount as u64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{self, SEGMENT};
    use crate::window::Path;
    use airfair_units::Bytes;

    const ACK: Event = Event::NewAck { is_cwnd_limited: true };
    const PARAMS: Params = Params {
        window: fixture::PARAMS,
        hystart: Some(hystart::Params { segment: SEGMENT, is_paced: false }),
    };

    fn ms(ms: u64) -> Duration {
        Duration::from_millis(ms)
    }

    /// An event that acknowledges two segments, with a threshold of 10 segments.
    fn seen(event: Event, at_ms: u64, cwnd: u64, round_trip: Option<Duration>) -> Observation {
        let path = Path {
            now: Time::ZERO + ms(at_ms),
            round_trip,
            smoothed_round_trip: Some(ms(100)),
            unacknowledged: 1,
            next: 50_001,
        };
        let window = WindowState { cwnd: SEGMENT * cwnd, ssthresh: SEGMENT * 10, credit: 0 };
        let seen = newreno::Observation { event, acked: SEGMENT * 2, flight: Bytes::ZERO };
        Observation { window, seen, path }
    }

    /// A loss leaves seven tenths of the window in whole segments, and a loss below the plateau lowers the
    /// plateau.
    ///
    /// Verifies: [linux-tcp-cubic]
    #[test]
    fn a_loss_leaves_seven_tenths_rounded_down_and_a_second_one_lowers_the_plateau() {
        // 100·717/1024 = 70; below the plateau at 80: 80·1741/2048 = 68
        let (state, window) = step(&PARAMS, State::default(), &seen(Event::SackLoss, 0, 100, None));
        assert_eq!((window.cwnd, window.ssthresh), (SEGMENT * 70, SEGMENT * 70));
        assert_eq!(state.plateau, 100);
        let (state, window) = step(&PARAMS, state, &seen(Event::SackLoss, 0, 80, None));
        assert_eq!((window.cwnd, state.plateau), (SEGMENT * 56, 68));
        // 5·0.7 = 3.5 → 3; two at least.
        let (_, window) = step(&PARAMS, state, &seen(Event::SackLoss, 0, 5, None));
        assert_eq!(window.cwnd, SEGMENT * 3);
        let (_, window) = step(&PARAMS, state, &seen(Event::SackLoss, 0, 2, None));
        assert_eq!(window.cwnd, SEGMENT * 2);
    }

    /// The target is the value of the function one smallest round trip ahead, and the growth is updated 32
    /// times a second or when the window changes.
    ///
    /// Verifies: [linux-tcp-cubic]
    #[test]
    fn the_function_aims_the_least_round_trip_ahead_and_is_looked_at_32_times_a_second() {
        let state = State { plateau: 100, least_round_trip: Some(ms(100)), ..State::default() };
        // a stage from 70: K = ∛(30/0.4004) = 4.215 s; W(0.1 s) = 100 − ⌊0.4004·4.115³⌋ = 100 − 27 = 73;
        // 70/(73 − 70) = 23 segments for one
        let (state, window) = step(&PARAMS, state, &seen(ACK, 1_000, 70, None));
        assert_eq!((state.every, window.cwnd, window.credit), (23, SEGMENT * 70, 2));
        // After 31 ms there is no update at the same window, after 32 ms there is: W(0.132) = 100 − ⌊27.2⌋.
        let (state, _) = step(&PARAMS, state, &seen(ACK, 1_031, 70, None));
        assert_eq!((state.last_update, state.every), (Time::ZERO + ms(1_000), 23));
        let (state, _) = step(&PARAMS, state, &seen(ACK, 1_032, 70, None));
        assert_eq!((state.last_update, state.every), (Time::ZERO + ms(1_032), 23));
        // A changed window is updated at once: 71/(73 − 71) = 35.
        let (state, _) = step(&PARAMS, state, &seen(ACK, 1_033, 71, None));
        assert_eq!(state.every, 35);
    }

    /// The estimate of Reno's window grows by 8/15 of a segment per round trip, and the window follows it at
    /// the next update.
    ///
    /// Verifies: [linux-tcp-cubic]
    #[test]
    fn reno_is_caught_up_with_at_the_next_look() {
        // Flat: K = 0 and origin 10; the first update yields 100·10 segments for one.
        let state = State { plateau: 10, ..State::default() };
        let (mut state, _) = step(&PARAMS, state, &seen(ACK, 0, 10, None));
        assert_eq!(state.every, 1_000);
        // 20 segments at 10·15/8 = 18 per segment of Reno's: 20 > 18 → 11; 10/(11 − 10) = 10
        for _ in 0..9 {
            (state, _) = step(&PARAMS, state, &seen(ACK, 20, 10, None));
        }
        assert_eq!(state.every, 1_000);
        let (state, _) = step(&PARAMS, state, &seen(ACK, 40, 10, None));
        assert_eq!(state.every, 10);
        assert_eq!(state.stage.map(|stage| (stage.reno, stage.credit)), Some((11, 22 - 18)));
    }

    /// A time-out resets the state, and without a plateau the window grows by one segment for every 20
    /// acknowledged.
    ///
    /// Verifies: [linux-tcp-cubic]
    #[test]
    fn a_timeout_forgets_all() {
        let state =
            State { plateau: 100, least_round_trip: Some(ms(100)), every: 7, ..State::default() };
        let event = Event::Timeout { is_repeated: false, is_in_recovery: false };
        let (state, window) = step(&PARAMS, state, &seen(event, 0, 100, None));
        assert_eq!((window.cwnd, window.ssthresh), (SEGMENT, SEGMENT * 70));
        assert_eq!(state, State::default());
        // Without a plateau the window grows at least by a twentieth of what arrives.
        let (state, _) = step(&PARAMS, state, &seen(ACK, 9_000, 70, None));
        assert_eq!(state.every, MAX_COUNT_BEFORE_LOSS);
    }

    /// Processes an ACK in slow start, at 20 segments and without a threshold, as Linux's CUBIC does.
    fn starting(state: State, at_us: u64, round_trip: Duration) -> (State, WindowState) {
        let mut seen = seen(ACK, 0, 20, Some(round_trip));
        seen.path.now = Time::ZERO + Duration::from_micros(at_us);
        seen.window.ssthresh = Bytes::new(u64::MAX);
        step(&PARAMS, state, &seen)
    }

    /// `HyStart` ends slow start when a train of ACKs lasts half a round trip.
    ///
    /// Verifies: [linux-tcp-cubic]
    #[test]
    fn slow_start_ends_with_a_long_train_of_acks() {
        let mut state = State::default();
        // An ACK train from 0 on with one ACK per millisecond; the limit is (20 + 1)/2 = 10.5 ms.
        for at in 0..=10 {
            let (next, window) = starting(state, at * 1_000, ms(20));
            assert_eq!((next.hystart.has_exited, window.cwnd), (false, SEGMENT * 22));
            state = next;
        }
        let (state, window) = starting(state, 11_000, ms(20));
        assert!(state.hystart.has_exited);
        assert_eq!(window.ssthresh, SEGMENT * 20);
        // ACKs 3 ms apart are no train.
        let mut state = State::default();
        for at in 0..8 {
            state = starting(state, at * 3_000, ms(20)).0;
        }
        assert!(!state.hystart.has_exited);
    }

    /// `HyStart` ends slow start when round trips grow: at the ninth round-trip sample of a round, 4 ms above
    /// a minimum of 20 ms.
    ///
    /// Verifies: [linux-tcp-cubic]
    #[test]
    fn slow_start_ends_with_growing_round_trips() {
        let grown = |above_us: u64| {
            let mut state = State { least_round_trip: Some(ms(20)), ..State::default() };
            for at in 0..9 {
                let round_trip = ms(20) + Duration::from_micros(above_us);
                state = starting(state, at * 3_000, round_trip).0;
            }
            state.hystart.has_exited
        };
        assert!(!grown(4_000) && grown(4_001));
    }
}
