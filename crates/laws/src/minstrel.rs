//! Minstrel: rate control by success statistics of every rate, kept up to date by sampling with a tenth of
//! the frames.
//!
//! Source: Linux's rate control for legacy rates with multi-rate retry
//! [linux-minstrel §`minstrel_update_stats`, §`minstrel_get_rate`]. Ten times a second each rate that was
//! used gets a new smoothed success probability, and from it a throughput: probability divided by the time on
//! the air. A frame is sent by a retry chain of four stages, each with a rate and a number of attempts:
//!
//! ```text
//!  frame                              stage 1   stage 2   stage 3    stage 4
//!  ordinary                           best      second    probable   lowest
//!  sample of a rate faster than best  sample    best      probable   lowest
//!  sample of any other rate           best      sample    probable   lowest
//! ```
//!
//! `best` and `second` have the highest throughput. `probable` has the highest throughput among the rates
//! that succeed 95 % of the time or, if there are none, the highest success probability. A slower sample
//! costs nothing unless the best rate fails. A rate below 10 % counts as useless. Below 10 % and above 95 %
//! more attempts add little information: such a stage has two attempts, and such a rate may be the first
//! stage of at most four samples per interval. The frame is dropped at the end of the chain.
//!
//! A weakness: a slower rate is tried only after a whole stage at the best rate has failed. A rate that loses
//! half of its frames seldom fails a whole stage, so it may stay the best for a long time although a slower,
//! unknown rate has a higher throughput.
//!
//! All rates start with probability 0, and the first interval uses the lowest rate. The lowest rate is never
//! sampled, because the last stage assumes that it works. The others are sampled in turn, in random order.
//!
//! Linux differs in details. It includes the back-off and the ACK of retries in the time of a stage, halves
//! the attempts of rates below 10 % and above 95 % (to one at least), and has no retry chain with RTS or CTS
//! protection. Its random order is drawn once and repeats after ten rounds. Only its later versions set the
//! throughput to zero below 10 % and require 95 % for `probable`.

mod chain;
mod sampling;
mod statistics;

use airfair_units::{Duration, Time};

use chain::{Stage, attempts, continue_chain, start_chain};
use sampling::sample;
use statistics::{Choice, RateStatistics, choose, refreshed};

/// Largest number of rates of a link that Minstrel supports.
pub const MAX_RATES: usize = 12;

/// Number of stages of Minstrel's retry chain.
const STAGES: usize = 4;

/// Parameters of Minstrel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Params {
    /// Time between two updates of the rates' statistics.
    pub interval: Duration,
    /// Weight of the old success probability in the smoothed one [%].
    pub ewma: u8,
    /// Fraction of frames that sample another rate [%].
    pub lookaround: u8,
    /// Longest time that one stage of the retry chain may take.
    pub segment: Duration,
}

impl Default for Params {
    /// The values of Linux: interval 100 ms, weight 75 %, sampling 10 %, stage 6 ms.  [linux-minstrel]
    fn default() -> Self {
        let (interval, segment) = (Duration::from_millis(100), Duration::from_millis(6));
        Self { interval, ewma: 75, lookaround: 10, segment }
    }
}

/// State of Minstrel for one link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct State {
    rates: [RateStatistics; MAX_RATES],
    /// Number of rates of the link.
    count: u8,
    choice: Choice,
    chain: [Stage; STAGES],
    /// Stage of the retry chain to which the current attempt belongs.
    stage: u8,
    /// Number of attempts left in the current stage after the current attempt.
    left: u8,
    frames: u32,
    samples: u32,
    /// Bit k is set if rate k was not sampled yet in the current round of samples.
    waiting: u16,
    /// Time of the last update of the statistics; `None` before the first frame.
    updated: Option<Time>,
}

impl State {
    /// Creates the state of Minstrel for a link.
    ///
    /// `times` are the durations of a frame of 1200 octets with its ACK and gaps at each rate, in ascending
    /// order of rates.
    ///
    /// # Panics
    ///
    /// Panics if there is no rate, if there are more than [`MAX_RATES`], or if a duration is zero.
    pub fn new(params: &Params, times: &[Duration]) -> Self {
        assert!((1..=MAX_RATES).contains(&times.len()), "one to {MAX_RATES} rates");
        assert!(times.iter().all(|time| !time.is_zero()), "a frame takes time");
        let rates = [RateStatistics::default(); MAX_RATES];
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

    /// Index of the rate of the current attempt in the ascending list of rates.
    pub fn level(&self) -> u16 {
        u16::from(self.chain[usize::from(self.stage)].level)
    }

    /// True if the current attempt is the last one of the frame's retry chain.
    pub fn is_last_attempt(&self) -> bool {
        self.left == 0 && usize::from(self.stage) + 1 == STAGES
    }
}

/// An event at the transmitter of a link, as Minstrel sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// The transmitter is about to send a frame.
    Sending {
        /// True for the first attempt of the frame.
        is_first: bool,
        /// Random number, uniform over all of `u32`, which selects the rate to sample.
        draw: u32,
    },
    /// The current attempt was acknowledged.
    Success,
    /// The current attempt, or its RTS, was not answered.
    Failure,
}

/// Returns Minstrel's state after one event. Its `level` is the rate of the current attempt.
/// [linux-minstrel]
///
/// `times` must be those that were given to [`State::new`].
///
/// # Panics
///
/// Panics if the number of rates has changed, or if the weight is above 100 %.
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

/// Updates the statistics if the update interval is over. The first interval begins with the first frame.
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
