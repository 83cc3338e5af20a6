//! Minstrel: statistics of every rate say which one carries most, and a tenth of the frames keep them fresh.
//!
//! Source: Linux's rate adaptation for legacy rates with a chain of rates for retries
//! [linux-minstrel §`minstrel_update_stats`, §`minstrel_get_rate`]. Ten times a second each rate that was
//! used gets a new success probability, smoothed, and with it a throughput: probability over time on the air.
//! A frame runs through a chain of four stages, each with a rate and a number of attempts:
//!
//! ```text
//!  frame                              stage 1   stage 2   stage 3    stage 4
//!  ordinary                           best      second    probable   lowest
//!  sample of a rate faster than best  sample    best      probable   lowest
//!  sample of any other rate           best      sample    probable   lowest
//! ```
//!
//! Best and second have most throughput; probable has most throughput among those that succeed 95 % of the
//! time, or else succeeds most often. A slower sample costs nothing unless the best rate fails. Below 10 %
//! a rate counts as useless. Below 10 % and above 95 % more attempts tell and help little: its stage has
//! two attempts, and it goes first in four samples of an interval at most. The frame is given up where the chain ends.
//!
//! Its weak side: a slower rate is tried only where the best has failed a whole stage. A rate that loses half
//! of its frames seldom does, and keeps its place for long although a slower one, not yet known, would carry more.
//!
//! All rates start unknown, with probability 0, and the first interval runs at the lowest. The lowest is
//! never a sample: the last stage presumes that it works. The others take turns in random order.
//!
//! Linux differs in details. It counts a retry's own back-off and ACK into the time of a stage, halves the
//! attempts of rates below 10 % and above 95 % (one is possible), and gives up the chain under RTS or CTS.
//! Its random order is drawn once and repeats after ten rounds. That throughput is zero below 10 %, and that
//! 95 % make a probable rate, is of its later versions.

mod chain;
mod sampling;
mod statistics;

use airfair_units::{Duration, Time};

use chain::{Stage, attempts, continue_chain, start_chain};
use sampling::sample;
use statistics::{Choice, Rate, choose, refreshed};

/// Most rates of a link.
pub const MAX_RATES: usize = 12;

/// Stages of the retry chain.
const STAGES: usize = 4;

/// Settings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Params {
    /// Time between updates of the statistics.
    pub interval: Duration,
    /// Weight of the old success probability [%].
    pub ewma: u8,
    /// Frames that sample another rate [%].
    pub lookaround: u8,
    /// Longest time that one stage of the retry chain may take.
    pub segment: Duration,
}

impl Default for Params {
    /// 100 ms, 75 %, 10 %, 6 ms.  [linux-minstrel]
    fn default() -> Self {
        let (interval, segment) = (Duration::from_millis(100), Duration::from_millis(6));
        Self { interval, ewma: 75, lookaround: 10, segment }
    }
}

/// Memory from step to step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct State {
    rates: [Rate; MAX_RATES],
    /// Rates in use.
    count: u8,
    choice: Choice,
    chain: [Stage; STAGES],
    /// Stage of the present attempt.
    stage: u8,
    /// Attempts that its stage has left after it.
    left: u8,
    frames: u32,
    samples: u32,
    /// Bit k: rate k has not had its turn as a sample in this round.
    waiting: u16,
    /// Time at which the statistics were last updated; `None` before the first frame.
    updated: Option<Time>,
}

impl State {
    /// The start of a link.
    ///
    /// `times`: time on the air of a frame of 1200 octets with its ACK and gaps at each rate, in ascending
    /// order of rates.
    ///
    /// # Panics
    /// Without any rate, with more than [`MAX_RATES`], or with a frame that takes no time.
    pub fn new(params: &Params, times: &[Duration]) -> Self {
        assert!((1..=MAX_RATES).contains(&times.len()), "one to {MAX_RATES} rates");
        assert!(times.iter().all(|time| !time.is_zero()), "a frame takes time");
        let rates = [Rate::default(); MAX_RATES];
        let attempts = attempts(params, times[0], rates[0]);
        Self {
            rates,
            count: place(times.len()),
            choice: Choice::default(),
            chain: [Stage { level: 0, attempts }; STAGES],
            stage: 0,
            left: attempts - 1,
            frames: 0,
            samples: 0,
            waiting: 0,
            updated: None,
        }
    }

    /// Place of the rate for the present attempt in the list of rates, ascending.
    pub fn level(&self) -> u16 {
        u16::from(self.chain[usize::from(self.stage)].level)
    }

    /// True if the present attempt is the last one of its frame's chain.
    pub fn is_last_attempt(&self) -> bool {
        self.left == 0 && usize::from(self.stage) + 1 == STAGES
    }
}

/// Event that a transmitter sees on its link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// It is about to send a frame.
    Sending {
        /// True if it is sent for the first time.
        is_first: bool,
        /// A number drawn uniformly from all of `u32`, which picks the rate to sample.
        draw: u32,
    },
    /// The attempt was acknowledged.
    Success,
    /// The attempt, or its RTS, was not answered.
    Failure,
}

/// One event; the rate of the present attempt is the new state's level.  [linux-minstrel]
///
/// `times` are those that the state began with.
///
/// # Panics
/// With another number of rates than the state has, or a weight above 100 %.
pub fn step(params: &Params, times: &[Duration], state: State, now: Time, seen: Event) -> State {
    assert!(times.len() == usize::from(state.count), "a link keeps its rates");
    match seen {
        Event::Sending { is_first: true, draw } => {
            let state = keep_fresh(params, times, state, now);
            let (state, sample) = sample(params, times, state, draw);
            start_chain(params, times, state, sample)
        }
        Event::Sending { is_first: false, .. } => continue_chain(state),
        Event::Success => count_attempt(state, 1),
        Event::Failure => count_attempt(state, 0),
    }
}

fn count_attempt(mut state: State, successes: u32) -> State {
    let rate = &mut state.rates[usize::from(state.level())];
    rate.attempts = rate.attempts.saturating_add(1);
    rate.successes = rate.successes.saturating_add(successes);
    state
}

/// Updates the statistics if it is time to; the first interval begins with the first frame.
fn keep_fresh(params: &Params, times: &[Duration], mut state: State, now: Time) -> State {
    let updated = state.updated.unwrap_or(now);
    if now.saturating_since(updated) < params.interval {
        return State { updated: Some(updated), ..state };
    }
    for rate in &mut state.rates[..times.len()] {
        *rate = refreshed(params, *rate);
    }
    let choice = choose(times, &state.rates);
    State { choice, updated: Some(now), ..state }
}

fn place(level: usize) -> u8 {
    u8::try_from(level).expect("a few rates")
}

fn is_faster(times: &[Duration], level: u8, than: u8) -> bool {
    times[usize::from(level)] < times[usize::from(than)]
}

#[cfg(test)]
mod tests;
