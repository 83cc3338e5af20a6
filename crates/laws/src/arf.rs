//! Automatic rate fallback: a transmitter that knows its link by its ACKs alone.
//!
//! Sources: ARF [kamerman-1997]; AARF, whose threshold doubles at each probe that fails [lacage-2004 §3.1].
//! Versions of ARF differ in thresholds, in what expires the timer and in whether an RTS without CTS
//! counts: all that is a parameter.
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

/// Occasion at which a transmitter tries the next rate although it has not had `up` successes in a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Timer {
    /// Nothing.
    Off,
    /// So much time since the last fall.
    Time(Duration),
    /// So many attempts since the last change.
    Attempts(u32),
}

/// Which successes and failures are counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Counting {
    /// Those in a row: a failure ends a row of successes, a success one of failures.  [kamerman-1997]
    InARow,
    /// All since the rate last changed, or since there were `up` successes.  Deviates: [D-033]
    InAll,
}

/// All that distinguishes one ARF from another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Params {
    /// Successes before the next rate is tried.
    pub up: u32,
    /// Failures before the rate falls.
    pub down: u32,
    /// Which of them count.
    pub counting: Counting,
    /// Timer that lets the rate rise, too.
    pub timer: Timer,
    /// True if an RTS without CTS counts as a failure.
    pub rts_failures: bool,
    /// Largest value that `up` doubles to at probes that fail; `None`: it stays.  [lacage-2004 §3.1]
    pub most_up: Option<u32>,
    /// True if it starts at the highest rate, false if at the lowest.
    pub starts_high: bool,
}

impl Params {
    /// As its paper has it: ten ACKs in a row, two missing; the paper leaves the time open and speaks of no
    /// RTS.  [kamerman-1997]
    pub fn kamerman97() -> Self {
        Self { rts_failures: false, ..Self::qualnet4() }
    }

    /// As `QualNet` 4 has it, with 60 ms.  [arf-window §IV]
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

    /// As later versions of `QualNet` seem to have it: all are counted, from the lowest rate.  Deviates: [D-033]
    pub fn qualnet5() -> Self {
        Self { counting: Counting::InAll, starts_high: false, ..Self::qualnet4() }
    }

    /// As ns-3 has it: attempts for a timer, from the lowest rate.  [ns-3 §`ArfWifiManager`]
    pub fn ns3() -> Self {
        Self { timer: Timer::Attempts(15), starts_high: false, ..Self::kamerman97() }
    }
}

impl Default for Params {
    fn default() -> Self {
        Self::qualnet4()
    }
}

/// Memory from step to step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct State {
    /// Place of the rate in the list of rates, ascending.
    pub level: u16,
    highest: u16,
    successes: u32,
    failures: u32,
    is_probing: bool,
    /// Successes needed now.
    up: u32,
    /// Time at which the rate last fell; `None` if the timer does not run.
    fell: Option<Time>,
    /// Attempts since the rate last changed.
    attempts: u32,
}

impl State {
    /// The start of a link with `rates` rates.
    ///
    /// # Panics
    /// Without any rate.
    pub fn new(params: &Params, rates: usize) -> Self {
        let highest = u16::try_from(rates).expect("a few rates").checked_sub(1).expect("a rate");
        let level = if params.starts_high { highest } else { 0 };
        let (successes, failures, attempts) = (0, 0, 0);
        let up = params.up;
        Self { level, highest, successes, failures, is_probing: false, up, fell: None, attempts }
    }
}

/// Event that a transmitter sees on its link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// It is about to send a frame.
    Sending,
    /// A data frame was acknowledged.
    Success,
    /// A data frame was not.
    Failure,
    /// An RTS had no answer.
    RtsFailure,
}

/// One event; the rate from now on is the new state's level.  [kamerman-1997]
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

/// Tries the next rate, if there is one.
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
        // The probe has failed; AARF waits twice as long before the next one.
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

    /// The levels after each of `events`, written S (success), F (failure), R (RTS failure) and . (sending),
    /// one per millisecond.
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

    /// Verifies: [kamerman-1997]
    #[test]
    fn the_rate_follows_its_diagram() {
        // two failures in a row, not two in all
        assert_eq!(levels(&PLAIN, "FSFSFF"), "333332");
        // three successes, probe, success: steady again
        assert_eq!(levels(&PLAIN, "FFSSSSFS"), "32223333");
        // the first frame of a probe fails: back at once
        assert_eq!(levels(&PLAIN, "FFSSSF"), "322232");
        // after a successful probe two failures are needed again
        assert_eq!(levels(&PLAIN, "FFSSSSFF"), "32223332");
        // never below the lowest, never above the highest
        assert_eq!(levels(&PLAIN, "FFFFFFFFFF"), "3221100000");
        assert_eq!(levels(&PLAIN, "SSSSSSS"), "3333333");
    }

    /// One failure, a success, another failure: two in all. At the lower rate S F S S are three successes.
    #[test]
    fn all_may_count_and_not_those_in_a_row_alone() {
        let params = Params { counting: Counting::InAll, ..PLAIN };
        assert_eq!(levels(&params, "FSF"), "332");
        assert_eq!(levels(&params, "FFSFSS"), "322223");
        assert_eq!(levels(&PLAIN, "FFSFSS"), "322222");
        // three successes at the highest rate begin the count anew
        assert_eq!(levels(&params, "FSSSFF"), "333332");
    }

    #[test]
    fn later_versions_of_qualnet_start_low_and_count_all() {
        let params = Params { up: 3, ..Params::qualnet5() };
        assert_eq!(levels(&params, "SSFSSFF"), "0001110");
    }

    #[test]
    fn it_may_start_at_the_lowest_rate() {
        let params = Params { starts_high: false, ..PLAIN };
        assert_eq!(levels(&params, "SSSSSSSS"), "00111222");
    }

    #[test]
    fn an_rts_without_answer_counts_only_if_it_is_to() {
        assert_eq!(levels(&PLAIN, "RR"), "32");
        let params = Params { rts_failures: false, ..PLAIN };
        assert_eq!(levels(&params, "RRFRF"), "33332");
    }

    /// Fallen at 2 ms; the frame at 8 ms is the first at or after 7 ms, and a probe, which fails.
    ///
    /// Verifies: [kamerman-1997]
    #[test]
    fn after_the_timer_the_next_frame_is_a_probe() {
        let params = Params { timer: Timer::Time(Duration::from_millis(5)), ..PLAIN };
        assert_eq!(levels(&params, "FF....."), "3222223");
        assert_eq!(levels(&params, "FF.....F"), "32222232");
        // the timer runs from a fall to the next rise only
        assert_eq!(levels(&params, "FFSSSS........"), "32223333333333");
    }

    #[test]
    fn a_timer_may_count_attempts() {
        let params = Params { up: 10, timer: Timer::Attempts(4), ..PLAIN };
        // failures between successes keep `up` out of reach
        assert_eq!(levels(&params, "FF.S.F.S.F."), "32222222223");
    }

    /// `up` 3, then 6 after a probe that failed, then 8 at most; back to 3 at an ordinary fall.
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
        /// The level moves by one at a time and stays in the list, whatever happens.
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
