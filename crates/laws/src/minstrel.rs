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
mod params;
mod sampling;
mod state;
mod statistics;

use airfair_units::{Duration, Time};

use chain::{continue_chain, start_chain};
pub use params::Params;
use sampling::sample;
pub use state::{MAX_RATES, State};
use statistics::{choose, refreshed};

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

#[cfg(test)]
mod tests;
