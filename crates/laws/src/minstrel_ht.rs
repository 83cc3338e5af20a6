//! Minstrel-HT: rate control for 802.11n and later by success statistics from block acks and by aggregate
//! lengths, kept up to date by a sample every 20 ms.
//!
//! Source: Linux's rate control for HT and VHT, version 6.18
//! [linux-minstrel-ht §`minstrel_ht_update_stats`, §`minstrel_ht_refill_sample_rates`]. It samples at
//! intervals of time, where version 5.10 counted frames; the cost of sampling thus does not grow with the
//! number of frames, and it is the version in current access points. Rates are in groups with the same
//! streams, width and guard interval. Every 50 ms each rate that was used gets a new success probability from
//! a second-order filter, and from it a throughput: probability, at most 90 %, divided by the time of an MPDU
//! with its part of the aggregate's overhead. An aggregate is sent by a retry chain of four stages:
//!
//! ```text
//!  aggregate    stage 1             stage 2       stage 3      stage 4
//!  ordinary     best                second best   third best   probable
//!  sample       sample, one attempt second best   third best   probable
//! ```
//!
//! `probable` has the highest throughput of the rates that succeed 75 % of the time or, if there are none,
//! the highest success probability; it is of a group with fewer streams than the best, if such a group
//! delivers anything. A rate below 10 % is useless. A rate that was never used gets the highest probability
//! of the faster rates of its group. If less than a quarter of more than 30 MPDUs gets through at the best
//! rate, the link at once changes to the previous group without more streams.
//!
//! There are three kinds of samples, in the order *next, any, next, any, next, slow*. *Next* is the slowest
//! rate of a group that is faster than the best; *any* is a rate faster than best, second and probable;
//! *slow* is a rate no faster than the fastest of these and faster than the slowest, unless it is known to
//! succeed 95 % of the time. A kind without candidates skips its turn. An update makes a sample due at once,
//! so there are at most three samples in 50 ms.
//!
//! The state is updated in place, because a link of 802.11ax may have hundreds of rates; nothing is copied or
//! allocated after [`State::new`].
//!
//! Linux differs in details. It has neither HE nor 160 MHz; here the caller defines the groups. A rate that
//! inherited its probability keeps half of it in the filter at its first own attempt; here that attempt alone
//! decides. Linux drops the first of the samples that an update leaves in a list, and protects stages after
//! the first by RTS.

mod chain;
mod choice;
mod params;
mod rates;
mod sampling;
mod statistics;

use airfair_units::{Duration, Time};

pub use params::Params;
pub use rates::GroupedRate;
use rates::{Choice, Group, STAGES, Stage};
use sampling::Samples;
use statistics::{Lengths, Statistics, throughput};

/// State of Minstrel-HT for one link.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct State {
    rates: Vec<GroupedRate>,
    /// Time of an aggregate besides its MPDUs: gaps, preamble and block ack.
    overhead: Duration,
    statistics: Vec<Statistics>,
    groups: Vec<Group>,
    lengths: Lengths,
    choice: Choice,
    samples: Samples,
    /// Retry chain of an aggregate that is no sample.
    ordinary: [Stage; STAGES],
    /// Retry chain of the current aggregate.
    chain: [Stage; STAGES],
    /// Stage of the retry chain to which the current attempt belongs.
    stage: u8,
    /// Number of attempts left in the current stage after the current attempt.
    left: u8,
    /// True until the first attempt of the current chain has an outcome.
    is_fresh: bool,
    /// True if the current chain begins with a sample.
    has_sample: bool,
    /// Time of the last update of the statistics; `None` before the first aggregate.
    updated: Option<Time>,
}

impl State {
    /// Creates the state of Minstrel-HT for a link.
    ///
    /// `rates` contains the groups one after the other, each in ascending order of rates. The first rate is
    /// used at the start and if no other works. `overhead` is the time of an aggregate besides its MPDUs.
    /// `draw` returns random numbers, uniform over all of `u32`, which determine the order of the samples.
    ///
    /// # Panics
    ///
    /// Panics if there is no rate, if a time is zero, or if the rates of a group are not adjacent.
    pub fn new(
        params: &Params,
        overhead: Duration,
        rates: Vec<GroupedRate>,
        draw: impl FnMut() -> u32,
    ) -> Self {
        assert!(rates.iter().all(|rate| !rate.time.is_zero()), "an MPDU takes time");
        let groups = Group::all(&rates);
        let samples = Samples::new(&groups, draw);
        let mut state = Self {
            statistics: vec![Statistics::default(); rates.len()],
            rates,
            overhead,
            groups,
            lengths: Lengths::default(),
            choice: Choice::default(),
            samples,
            ordinary: [Stage::default(); STAGES],
            chain: [Stage::default(); STAGES],
            stage: 0,
            left: 0,
            is_fresh: false,
            has_sample: false,
            updated: None,
        };
        state.update(params);
        state.start_chain(None);
        state
    }

    /// Index of the rate of the current attempt in the list of rates.
    pub fn level(&self) -> u16 {
        self.chain[usize::from(self.stage)].level
    }

    /// True if the current attempt is the last one of its retry chain.
    pub fn is_last_attempt(&self) -> bool {
        self.left == 0 && usize::from(self.stage) + 1 == STAGES
    }

    /// True if the current retry chain begins with a sample. The owner must then send a single MPDU in all
    /// stages.
    pub fn is_alone(&self) -> bool {
        self.has_sample
    }

    /// True if the current attempt is a sample.
    #[cfg(test)]
    fn is_sample(&self) -> bool {
        self.has_sample && self.stage == 0
    }

    fn rate(&self, level: u16) -> GroupedRate {
        self.rates[usize::from(level)]
    }

    fn statistics(&self, level: u16) -> &Statistics {
        &self.statistics[usize::from(level)]
    }
}

/// An event at the transmitter of a link, as Minstrel-HT sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// The transmitter is about to send an aggregate or a single MPDU.
    Sending {
        /// False for a retry of the last aggregate after that aggregate got no answer.
        is_first: bool,
    },
    /// The current attempt of an aggregate has ended.
    Block {
        /// Number of MPDUs that the attempt has sent, at least one.
        sent: u16,
        /// Number of MPDUs of the attempt that were acknowledged; zero if the attempt, or its RTS, was not
        /// answered.
        acknowledged: u16,
    },
}

/// Processes one event. After that, [`State::level`] is the rate of the current attempt.
/// [linux-minstrel-ht §`minstrel_ht_tx_status`, §`minstrel_ht_get_rate`]
///
/// # Panics
///
/// Panics if no MPDU was sent, or if more were acknowledged than sent.
pub fn step(params: &Params, state: &mut State, now: Time, seen: Event) {
    match seen {
        Event::Sending { is_first: true } => {
            state.updated.get_or_insert(now);
            let sample = state.samples.take(params, now);
            state.start_chain(sample);
        }
        Event::Sending { is_first: false } => state.continue_chain(),
        Event::Block { sent, acknowledged } => {
            state.count(sent, acknowledged);
            let updated = *state.updated.get_or_insert(now);
            if state.leave_dead_groups() {
                state.plan(params);
            }
            if now.saturating_since(updated) >= params.interval {
                state.update(params);
                state.updated = Some(now);
                state.samples.make_due(now);
            }
        }
    }
}

impl State {
    fn count(&mut self, sent: u16, acknowledged: u16) {
        assert!(sent > 0 && acknowledged <= sent, "some MPDUs are sent and no more come through");
        let level = usize::from(self.level());
        self.statistics[level].count(sent, acknowledged);
        // Retries of an aggregate give no new information about lengths.
        if std::mem::take(&mut self.is_fresh) {
            self.lengths.count(sent);
        }
    }

    /// Updates the statistics at the end of an update interval, and then the selected rates and the samples.
    fn update(&mut self, params: &Params) {
        self.lengths.refresh();
        self.refresh();
        self.choose();
        self.samples.refill(&self.rates, &self.statistics, &mut self.groups, self.choice);
        self.plan(params);
    }

    /// Updates probabilities and throughputs of all rates, in each group from the fastest rate down.
    /// [linux-minstrel-ht §`minstrel_ht_update_stats`]
    fn refresh(&mut self) {
        let overhead = self.overhead / self.lengths.mean();
        for group in &self.groups {
            let mut best = 0;
            for level in group.levels().rev() {
                let level = usize::from(level);
                let statistics = &mut self.statistics[level];
                statistics.refresh(best);
                best = best.max(statistics.probability);
                statistics.throughput =
                    throughput(statistics.probability, self.rates[level], overhead);
            }
        }
    }
}

#[cfg(test)]
mod tests;
