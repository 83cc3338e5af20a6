//! Automatic rate fallback: rate control from the outcomes of a transmitter's frames.
//!
//! Sources: ARF [kamerman-1997]; AARF, whose threshold doubles with each failed probe [lacage-2004 §3.1].
//! Versions of ARF differ in the thresholds, in the timer, and in whether an RTS without CTS counts as a
//! failure; these are parameters.
//!
//! ```text
//!                  `up` successes, or the timer
//!  Steady, rate r ───────────────────────────────────────► Probing, rate r + 1
//!     ▲  │ `down` failures: rate r - 1, timer starts              │        │
//!     │  └──────────────────────────────► Steady                  │        │ first frame fails:
//!     └────────────────────────── first frame succeeds ───────────┘        │ rate r, timer starts
//!     ▲                                                                    │ (AARF: `up` doubles)
//!     └────────────────────────────────────────────────────────────────────┘
//! ```

use airfair_units::{Duration, Time};

/// Timer after which a transmitter tries the next higher rate without `up` successes in a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Timer {
    /// No timer: only successes lead to the next higher rate.
    Off,
    /// The timer expires when this time has passed since the rate last fell.
    Time(Duration),
    /// The timer expires after this number of attempts since the last change of the rate.
    Attempts(u32),
}

/// Rule by which ARF counts successes and failures of frames.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Counting {
    /// Only consecutive outcomes count: a failure resets the successes, a success the failures.
    /// [kamerman-1997]
    InARow,
    /// All successes and failures count, not only consecutive ones. Both counts start anew when the rate
    /// changes, and when there have been `up` successes.  Deviates: [D-033]
    InAll,
}

/// Parameters in which versions of ARF differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Params {
    /// Number of successes after which the next higher rate is tried.
    pub up: u32,
    /// Number of failures after which the rate falls by one step.
    pub down: u32,
    /// Rule by which successes and failures of frames are counted.
    pub counting: Counting,
    /// Timer after which the next higher rate is tried even without `up` successes.
    pub timer: Timer,
    /// True if an RTS without CTS counts as a failure.
    pub rts_failures: bool,
    /// Largest value to which failed probes double `up`; `None` if `up` does not change.  [lacage-2004 §3.1]
    pub most_up: Option<u32>,
    /// True to start a link at its highest rate, false to start at the lowest.
    pub starts_high: bool,
}

impl Params {
    /// The paper's version of ARF: the rate rises after ten ACKs in a row, and falls after two missing ones.
    /// The paper does not give the time of the timer and does not mention RTS.  [kamerman-1997]
    pub fn kamerman97() -> Self {
        Self { rts_failures: false, ..Self::qualnet4() }
    }

    /// The version of ARF in `QualNet` 4, with a timer of 60 ms.  [arf-window §IV]
    pub fn qualnet4() -> Self {
        Self {
            up: 10,
            down: 2,
            counting: Counting::InARow,
            timer: Timer::Time(Duration::from_millis(60)),
            rts_failures: true,
            most_up: None,
            starts_high: true,
        }
    }

    /// The version of ARF that later releases of `QualNet` seem to use. All successes and failures count, not
    /// only consecutive ones, and a link starts at its lowest rate. Deviates: [D-033]
    pub fn qualnet5() -> Self {
        Self { counting: Counting::InAll, starts_high: false, ..Self::qualnet4() }
    }

    /// The version of ARF in ns-3: a timer in attempts, from the lowest rate.  [ns-3 §`ArfWifiManager`]
    pub fn ns3() -> Self {
        Self { timer: Timer::Attempts(15), starts_high: false, ..Self::kamerman97() }
    }
}

impl Default for Params {
    fn default() -> Self {
        Self::qualnet4()
    }
}

/// State of ARF for one link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct State {
    /// Index of the current rate in the ascending list of rates.
    pub level: u16,
    highest: u16,
    successes: u32,
    failures: u32,
    is_probing: bool,
    /// Number of successes needed for the next rise of the rate.
    up: u32,
    /// Time of the last fall of the rate; `None` if the timer does not run.
    fell: Option<Time>,
    /// Number of attempts since the rate last changed.
    attempts: u32,
}

impl State {
    /// Creates the state of ARF for a link with `rates` rates.
    ///
    /// # Panics
    ///
    /// Panics if there is no rate.
    pub fn new(params: &Params, rates: usize) -> Self {
        let highest = u16::try_from(rates).expect("a few rates").checked_sub(1).expect("a rate");
        let level = if params.starts_high { highest } else { 0 };
        let (successes, failures, attempts) = (0, 0, 0);
        let up = params.up;
        Self { level, highest, successes, failures, is_probing: false, up, fell: None, attempts }
    }
}

/// An event at the transmitter of a link, as ARF sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// The transmitter is about to send a frame.
    Sending,
    /// A data frame was acknowledged.
    Success,
    /// A data frame was not acknowledged.
    Failure,
    /// An RTS was not answered.
    RtsFailure,
}

/// Returns the state of ARF after one event. Its `level` is the rate to use from now on.  [kamerman-1997]
pub fn step(params: &Params, state: State, now: Time, seen: Event) -> State {
    match seen {
        Event::Sending if is_expired(params, &state, now) => rise(state),
        Event::Sending => state,
        Event::Success => succeed(params, state),
        Event::RtsFailure if !params.rts_failures => state,
        Event::Failure | Event::RtsFailure => fail(params, state, now),
    }
}

fn is_expired(params: &Params, state: &State, now: Time) -> bool {
    match params.timer {
        Timer::Off => false,
        Timer::Time(timeout) => state.fell.is_some_and(|fell| now >= fell + timeout),
        Timer::Attempts(attempts) => state.attempts >= attempts,
    }
}

/// Tries the next higher rate, if there is one; returns the new state of ARF.
fn rise(state: State) -> State {
    if state.level == state.highest {
        return State { successes: 0, fell: None, attempts: 0, ..state };
    }
    let level = state.level + 1;
    State { level, successes: 0, failures: 0, is_probing: true, fell: None, attempts: 0, ..state }
}

fn succeed(params: &Params, state: State) -> State {
    let successes = state.successes + 1;
    let attempts = state.attempts.saturating_add(1);
    let is_enough = successes >= state.up;
    let failures = match params.counting {
        Counting::InAll if !is_enough => state.failures,
        _ => 0,
    };
    let next = State { successes, attempts, failures, is_probing: false, ..state };
    if is_enough { rise(next) } else { next }
}

fn most(params: &Params) -> u32 {
    params.most_up.unwrap_or(params.up).max(params.up)
}

fn fail(params: &Params, state: State, now: Time) -> State {
    let failures = state.failures + 1;
    let attempts = state.attempts.saturating_add(1);
    if state.is_probing {
        // The probe failed. AARF doubles the successes needed for the next one.
        let up = state.up.saturating_mul(2).min(most(params));
        return State { up, ..fall(state, now) };
    }
    if failures >= params.down {
        return State { up: params.up, ..fall(state, now) };
    }
    let successes = match params.counting {
        Counting::InARow => 0,
        Counting::InAll => state.successes,
    };
    State { successes, failures, attempts, ..state }
}

fn fall(state: State, now: Time) -> State {
    let level = state.level.saturating_sub(1);
    let fell = Some(now);
    State { level, successes: 0, failures: 0, is_probing: false, fell, attempts: 0, ..state }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const RATES: usize = 4;

    fn ms(ms: u64) -> Time {
        Time::ZERO + Duration::from_millis(ms)
    }

    /// Levels after each of `events`, one per millisecond: S success, F failure, R RTS failure, `.` sending.
    fn levels(params: &Params, events: &str) -> String {
        let mut state = State::new(params, RATES);
        let mut out = String::new();
        for (at, event) in (1..).zip(events.chars()) {
            let event = match event {
                'S' => Event::Success,
                'F' => Event::Failure,
                'R' => Event::RtsFailure,
                _ => Event::Sending,
            };
            state = step(params, state, ms(at), event);
            out += &state.level.to_string();
        }
        out
    }

    const PLAIN: Params = Params {
        up: 3,
        down: 2,
        counting: Counting::InARow,
        timer: Timer::Off,
        rts_failures: true,
        most_up: None,
        starts_high: true,
    };

    /// The rate changes as in the diagram: down after failures in a row, up after successes in a row, and
    /// down again if the first frame at the higher rate fails.
    ///
    /// Verifies: [kamerman-1997]
    #[test]
    fn the_rate_follows_its_diagram() {
        // Two failures in a row, not two in total.
        assert_eq!(levels(&PLAIN, "FSFSFF"), "333332");
        // Three successes lead to a probe, and its success to steady state.
        assert_eq!(levels(&PLAIN, "FFSSSSFS"), "32223333");
        // The first frame of a probe fails, so the rate falls at once.
        assert_eq!(levels(&PLAIN, "FFSSSF"), "322232");
        // After a successful probe two failures are needed again.
        assert_eq!(levels(&PLAIN, "FFSSSSFF"), "32223332");
        // The level stays between the lowest and the highest rate.
        assert_eq!(levels(&PLAIN, "FFFFFFFFFF"), "3221100000");
        assert_eq!(levels(&PLAIN, "SSSSSSS"), "3333333");
    }

    /// With [`Counting::InAll`] all outcomes count: a failure, a success and another failure are two
    /// failures. At the lower rate S F S S are three successes.
    #[test]
    fn all_may_count_and_not_those_in_a_row_alone() {
        let params = Params { counting: Counting::InAll, ..PLAIN };
        assert_eq!(levels(&params, "FSF"), "332");
        assert_eq!(levels(&params, "FFSFSS"), "322223");
        assert_eq!(levels(&PLAIN, "FFSFSS"), "322222");
        // Three successes at the highest rate restart the count.
        assert_eq!(levels(&params, "FSSSFF"), "333332");
    }

    #[test]
    fn later_versions_of_qualnet_start_low_and_count_all() {
        let params = Params { up: 3, ..Params::qualnet5() };
        assert_eq!(levels(&params, "SSFSSFF"), "0001110");
    }

    #[test]
    fn arf_may_start_at_the_lowest_rate() {
        let params = Params { starts_high: false, ..PLAIN };
        assert_eq!(levels(&params, "SSSSSSSS"), "00111222");
    }

    #[test]
    fn an_rts_without_answer_counts_only_if_configured() {
        assert_eq!(levels(&PLAIN, "RR"), "32");
        let params = Params { rts_failures: false, ..PLAIN };
        assert_eq!(levels(&params, "RRFRF"), "33332");
    }

    /// When the timer expires, the next frame is a probe of the next higher rate. The rate falls at 2 ms, and
    /// the timer takes 5 ms. A frame is sent at 7 ms, and this probe fails at 8 ms.
    ///
    /// Verifies: [kamerman-1997]
    #[test]
    fn after_the_timer_the_next_frame_is_a_probe() {
        let params = Params { timer: Timer::Time(Duration::from_millis(5)), ..PLAIN };
        assert_eq!(levels(&params, "FF....."), "3222223");
        assert_eq!(levels(&params, "FF.....F"), "32222232");
        // The timer runs only from a fall to the next rise.
        assert_eq!(levels(&params, "FFSSSS........"), "32223333333333");
    }

    #[test]
    fn a_timer_may_count_attempts() {
        let params = Params { up: 10, timer: Timer::Attempts(4), ..PLAIN };
        // Failures between the successes keep `up` out of reach.
        assert_eq!(levels(&params, "FF.S.F.S.F."), "32222222223");
    }

    /// Each failed probe doubles the successes that AARF needs for the next one: `up` is 3, then 6, then 8 at
    /// most; an ordinary fall of the rate resets it to 3.
    ///
    /// Verifies: [lacage-2004 §3.1]
    #[test]
    fn aarf_waits_longer_after_each_probe_that_fails() {
        let params = Params { most_up: Some(8), ..PLAIN };
        let successes = |events: &str| {
            let mut state = State::new(&params, RATES);
            for event in events.chars() {
                let event = if event == 'S' { Event::Success } else { Event::Failure };
                state = step(&params, state, ms(1), event);
            }
            let before = state.level;
            (1..100).find(|_| {
                state = step(&params, state, ms(1), Event::Success);
                state.level > before
            })
        };
        assert_eq!(successes("FF"), Some(3));
        assert_eq!(successes("FFSSSF"), Some(6));
        assert_eq!(successes("FFSSSFSSSSSSF"), Some(8));
        assert_eq!(successes("FFSSSFFF"), Some(3));
    }

    proptest! {
        /// For any events, the index of the rate changes by at most one and stays in the list of rates.
        #[test]
        fn the_rate_moves_step_by_step(
            (up, down, timer) in (1u32..12, 1u32..5, 0u32..3),
            events in prop::collection::vec((0u8..4, 0u64..40), 0..200),
        ) {
            let timer = [Timer::Off, Timer::Time(Duration::from_millis(60)), Timer::Attempts(15)][timer as usize];
            let params = Params { up, down, timer, ..Params::default() };
            let mut state = State::new(&params, RATES);
            let mut now = Time::ZERO;
            for (event, pause) in events {
                let event = [Event::Sending, Event::Success, Event::Failure, Event::RtsFailure][usize::from(event)];
                now += Duration::from_millis(pause);
                let next = step(&params, state, now, event);
                prop_assert!(next.level.abs_diff(state.level) <= 1 && usize::from(next.level) < RATES);
                state = next;
            }
        }
    }
}
