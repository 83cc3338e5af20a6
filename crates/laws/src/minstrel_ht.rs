//! Minstrel-HT: block acks say how often each rate of n, ac and ax comes through, and with the length of
//! aggregates how much it carries; a sample every 20 ms keeps the others fresh.
//!
//! Source: Linux's rate adaptation for HT and VHT, version 6.18
//! [linux-minstrel-ht §`minstrel_ht_update_stats`, §`minstrel_ht_refill_sample_rates`]. Its sampling has slots of time
//! where 5.10 still counted frames: it costs no more however many frames there are, and it is what access points run
//! now. Rates are in groups: streams, width and guard interval. Every 50 ms each rate that was used gets a new success probability
//! through a filter of the second order, and a throughput: probability, of which 90 % count at most, over the time of
//! an MPDU with its part of an aggregate's overhead. An aggregate runs through a chain of four stages:
//!
//! ```text
//!  aggregate    stage 1             stage 2       stage 3      stage 4
//!  ordinary     best                second best   third best   probable
//!  sample       sample, one attempt second best   third best   probable
//! ```
//!
//! Probable has most throughput of those rates that succeed 75 % of the time, or else succeeds most often, with
//! fewer streams than the best if there are such. Below 10 % a rate is useless. A rate that was never sent is taken
//! to be as good as the best of the faster rates of its group. If less than a quarter of more than 30
//! MPDUs comes through at the best rate, its group is left at once for the one before with no more streams.
//!
//! Samples are of three kinds, in the order *next, any, next, any, next, slow*: the slowest rate of a group that is
//! faster than the best; any rate that is faster than best, second and probable; a rate no faster than the fastest
//! of these and faster than the slowest, of which is not known that it succeeds 95 % of the time. A kind without
//! candidates lets its turn pass. An update makes a sample due, hence three in 50 ms at most.
//!
//! The law changes its state in place, for a link of ax may have hundreds of rates: nothing is copied or allocated
//! after [`State::new`].
//!
//! Linux differs in details. It knows no HE and no 160 MHz; the groups here are the caller's. A rate that inherited
//! its probability keeps half of it in the filter at its first own attempt; here that attempt decides. Of the
//! samples that an update leaves in a list Linux forgets the first. Stages after the first go with RTS there.

mod chain;
mod choice;
mod sampling;
mod statistics;

use airfair_units::{Duration, Time};

use chain::{STAGES, Stage};
use choice::{Choice, Group};
use sampling::Samples;
use statistics::{Lengths, Statistics};

/// Settings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Params {
    /// Time between updates of the statistics.
    pub interval: Duration,
    /// Least time between samples.
    pub sample_interval: Duration,
    /// Longest time that one stage of the retry chain may take, if it is to have more than two attempts.
    pub segment: Duration,
    /// Most attempts of a stage, two at least.
    pub attempts: u8,
    /// Slot of the back-off that is counted into a stage.
    pub slot: Duration,
    /// Least and largest contention window of that back-off.
    pub window: [u16; 2],
}

impl Default for Params {
    /// 50 ms, 20 ms, 6 ms, 7 attempts; slots of 9 µs, windows of 15 to 1023.
    /// [linux-minstrel-ht §`minstrel_ht_alloc`, §`minstrel_calc_retransmit`]
    fn default() -> Self {
        Self {
            interval: Duration::from_millis(50),
            sample_interval: Duration::from_millis(20),
            segment: Duration::from_millis(6),
            attempts: 7,
            slot: Duration::from_micros(9),
            window: [15, 1023],
        }
    }
}

impl Params {
    /// Most attempts of an aggregate: those of all stages.
    pub fn longest_chain(&self) -> u16 {
        let stages = u16::try_from(STAGES).expect("four");
        stages * u16::from(self.attempts)
    }
}

/// Rate of a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rate {
    /// Number of its group: rates of one group have the same streams, width and guard interval.
    pub group: u8,
    /// Its spatial streams.
    pub streams: u8,
    /// Time of one MPDU of 1200 octets in a long aggregate; Linux takes a sixteenth of sixteen.
    pub time: Duration,
}

/// Memory from step to step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct State {
    rates: Vec<Rate>,
    /// Time that an aggregate takes besides its MPDUs: gaps, preamble and block ack.
    overhead: Duration,
    statistics: Vec<Statistics>,
    groups: Vec<Group>,
    lengths: Lengths,
    choice: Choice,
    samples: Samples,
    /// Chain of an aggregate that samples nothing.
    ordinary: [Stage; STAGES],
    /// Chain of the present aggregate.
    chain: [Stage; STAGES],
    /// Stage of the present attempt.
    stage: u8,
    /// Attempts that its stage has left after it.
    left: u8,
    /// True until the first attempt of the present chain has an outcome.
    is_fresh: bool,
    /// True if the present chain begins with a sample.
    has_sample: bool,
    /// Time at which the statistics were last updated; `None` before the first aggregate.
    updated: Option<Time>,
}

impl State {
    /// The start of a link.
    ///
    /// `rates`: group after group, each with ascending rates. The first is the one to begin with, and the last
    /// resort. `overhead`: time that an aggregate takes besides its MPDUs. `draw` gives numbers drawn uniformly from
    /// all of `u32`; they order the samples.
    ///
    /// # Panics
    /// Without any rate, if one takes no time, or if the rates of a group do not stand together.
    pub fn new(
        params: &Params,
        overhead: Duration,
        rates: Vec<Rate>,
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

    /// Place of the rate for the present attempt in the list of rates.
    pub fn level(&self) -> u16 {
        self.chain[usize::from(self.stage)].level
    }

    /// True if the present attempt is the last one of its chain.
    pub fn is_last_attempt(&self) -> bool {
        self.left == 0 && usize::from(self.stage) + 1 == STAGES
    }

    /// True if the present chain begins with a sample: drivers send an MPDU alone through all of it.
    pub fn is_alone(&self) -> bool {
        self.has_sample
    }

    /// True if the present attempt samples a rate.
    #[cfg(test)]
    fn is_sample(&self) -> bool {
        self.has_sample && self.stage == 0
    }

    fn rate(&self, level: u16) -> Rate {
        self.rates[usize::from(level)]
    }

    fn statistics(&self, level: u16) -> &Statistics {
        &self.statistics[usize::from(level)]
    }
}

/// Event that a transmitter sees on its link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// It is about to send an aggregate, or an MPDU alone.
    Sending {
        /// True unless it repeats the last one for want of an answer.
        is_first: bool,
    },
    /// The attempt is over.
    Block {
        /// MPDUs that were sent, one at least.
        sent: u16,
        /// Those that were acknowledged; none if the attempt, or its RTS, was not answered.
        acknowledged: u16,
    },
}

/// One event; the rate of the present attempt is then the state's level.
/// [linux-minstrel-ht §`minstrel_ht_tx_status`, §`minstrel_ht_get_rate`]
///
/// # Panics
/// If more MPDUs are acknowledged than were sent, or none was sent.
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
        // Repetitions of an aggregate tell nothing new about its length.
        if std::mem::take(&mut self.is_fresh) {
            self.lengths.count(sent);
        }
    }

    /// Takes what the interval has told into the statistics, and chooses.
    fn update(&mut self, params: &Params) {
        self.lengths.refresh();
        self.refresh();
        self.choose();
        self.samples.refill(&self.rates, &self.statistics, &mut self.groups, self.choice);
        self.plan(params);
    }
}

#[cfg(test)]
mod tests;
