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
//! two attempts, and it goes first in four samples of an interval at most.
//!
//! Its weak side: a slower rate is tried only where the best has failed a whole stage. A rate that loses half
//! of its frames seldom does, and keeps its place although a slower one, not yet known, would carry more.
//!
//! All rates start unknown, with probability 0, and the first interval runs at the lowest. The lowest is
//! never a sample: the last stage presumes that it works. The others take turns in random order.
//!
//! Linux differs in details. It counts a retry's own back-off and ACK into the time of a stage, halves the
//! attempts of rates below 10 % and above 95 % (one is possible), and gives up the chain under RTS or CTS.
//! Its random order is drawn once and repeats after ten rounds. That throughput is zero below 10 %, and that
//! 95 % make a probable rate, is of its later versions.

use airfair_units::{Duration, Time};

/// Most rates of a link.
pub const MAX_RATES: usize = 12;

/// Stages of the retry chain.
const STAGES: usize = 4;
/// A success probability of 100 %, so fine that rounding does not matter.  [linux-minstrel]
const CERTAIN: u16 = 18_000;
/// 95 %: enough for the probable rate.
const ROBUST: u16 = CERTAIN / 100 * 95;
/// 10 %: below it a rate is useless.
const USEFUL: u16 = CERTAIN / 100 * 10;
/// Fewest attempts of a stage.
const FEWEST: u8 = 2;
/// Most attempts of a stage.
const MOST: u8 = 7;
/// Samples per interval that may go first at a rate below 10 % or above 95 %.
const SAMPLES: u8 = 4;
/// Frames after which their count and that of the samples start anew.
const FRAMES: u32 = 10_000;

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

/// Statistics of a rate.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Rate {
    /// Smoothed success probability [1/18 000].
    probability: u16,
    /// Attempts in this interval.
    attempts: u32,
    /// Those of them that were acknowledged.
    successes: u32,
    /// Samples that may yet go first in this interval, at a rate known as useless or robust.
    samples_left: Option<u8>,
}

/// Choice that the statistics led to: places in the list of rates.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Choice {
    best: u8,
    second: u8,
    probable: u8,
}

/// A part of the retry chain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Stage {
    level: u8,
    attempts: u8,
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

/// A rate's statistics at the end of an interval.  [linux-minstrel §`minstrel_update_stats`]
fn refreshed(params: &Params, rate: Rate) -> Rate {
    let probability = if rate.attempts == 0 { rate.probability } else { smoothed(params, rate) };
    let is_settled = !(USEFUL..=ROBUST).contains(&probability);
    Rate { probability, attempts: 0, successes: 0, samples_left: is_settled.then_some(SAMPLES) }
}

/// Success probability after an interval with attempts [1/18 000], rounded down twice as Linux does.
fn smoothed(params: &Params, rate: Rate) -> u16 {
    let fresh = u64::from(rate.successes) * u64::from(CERTAIN) / u64::from(rate.attempts);
    let weight = u64::from(params.ewma);
    let rest = 100_u64.checked_sub(weight).expect("a weight of 100 % at most");
    let sum = fresh * rest + u64::from(rate.probability) * weight;
    u16::try_from(sum / 100).expect("a probability")
}

/// Throughput of a rate: frames per second [1/18 000].
fn throughput(rate: Rate, time: Duration) -> u64 {
    if rate.probability < USEFUL {
        return 0;
    }
    u64::from(rate.probability) * 1_000_000_000 / time.as_nanos()
}

/// Which rates the chain is made of; among equals the slower, and the lowest if none carries anything.
fn choose(times: &[Duration], rates: &[Rate]) -> Choice {
    let count = times.len();
    let carried = |level: usize| throughput(rates[level], times[level]);
    let is_robust = |level: usize| rates[level].probability >= ROBUST;
    let best = largest(count, carried);
    let second = largest(count, |level| if level == best { 0 } else { carried(level) });
    let probable = if (0..count).any(is_robust) {
        largest(count, |level| if is_robust(level) { carried(level) } else { 0 })
    } else {
        largest(count, |level| u64::from(rates[level].probability))
    };
    Choice { best: place(best), second: place(second), probable: place(probable) }
}

/// The first of the levels for which `worth` is largest.
fn largest(count: usize, worth: impl Fn(usize) -> u64) -> usize {
    (1..count).fold(0, |top, level| if worth(level) > worth(top) { level } else { top })
}

fn place(level: usize) -> u8 {
    u8::try_from(level).expect("a few rates")
}

/// Counts a frame and decides which rate it samples, if any.  [linux-minstrel §`minstrel_get_rate`]
fn sample(params: &Params, times: &[Duration], state: State, draw: u32) -> (State, Option<u8>) {
    let (frames, samples) =
        if state.frames >= FRAMES { (0, 0) } else { (state.frames, state.samples) };
    let state = State { frames: frames + 1, samples, ..state };
    let due = state.frames * u32::from(params.lookaround) / 100;
    let behind = due.saturating_sub(samples);
    if behind == 0 || state.count == 1 {
        return (state, None);
    }
    // More than two rounds behind is forgotten, lest a burst of samples make up for it.
    let forgotten = behind.saturating_sub(2 * u32::from(state.count));
    let (mut state, level) = take_turn(State { samples: samples + forgotten, ..state }, draw);
    if is_faster(times, level, state.choice.best) {
        let left = &mut state.rates[usize::from(level)].samples_left;
        if *left == Some(0) {
            return (state, None);
        }
        *left = left.map(|left| left - 1);
    }
    (State { samples: state.samples + 1, ..state }, Some(level))
}

/// One of the rates that wait for their turn in this round; after the last of them a new round begins.
fn take_turn(state: State, draw: u32) -> (State, u8) {
    let all = (1_u16 << state.count) - 2;
    let waiting = if state.waiting == 0 { all } else { state.waiting };
    let chosen = (u64::from(draw) * u64::from(waiting.count_ones())) >> 32;
    let mut from_chosen = waiting;
    for _ in 0..chosen {
        // clears the lowest bit
        from_chosen &= from_chosen - 1;
    }
    let level = from_chosen.trailing_zeros();
    let waiting = waiting & !(1 << level);
    (State { waiting, ..state }, u8::try_from(level).expect("a few rates"))
}

fn is_faster(times: &[Duration], level: u8, than: u8) -> bool {
    times[usize::from(level)] < times[usize::from(than)]
}

/// The chain of a frame, at its first attempt.  [linux-minstrel §`minstrel_get_rate`]
fn start_chain(params: &Params, times: &[Duration], state: State, sample: Option<u8>) -> State {
    let Choice { best, second, probable } = state.choice;
    let levels = match sample {
        None => [best, second, probable, 0],
        Some(level) if is_faster(times, level, best) => [level, best, probable, 0],
        Some(level) => [best, level, probable, 0],
    };
    let chain = levels.map(|level| {
        let place = usize::from(level);
        Stage { level, attempts: attempts(params, times[place], state.rates[place]) }
    });
    State { chain, stage: 0, left: chain[0].attempts - 1, ..state }
}

/// The next attempt of a frame; beyond the end of the chain its last rate stays.
fn continue_chain(state: State) -> State {
    if state.left > 0 {
        return State { left: state.left - 1, ..state };
    }
    let next = state.stage + 1;
    match state.chain.get(usize::from(next)) {
        Some(Stage { attempts, .. }) => State { stage: next, left: attempts - 1, ..state },
        None => state,
    }
}

/// Attempts of a stage: what fits into a segment, but few where the outcome is known.
fn attempts(params: &Params, time: Duration, rate: Rate) -> u8 {
    if rate.samples_left.is_some() {
        return FEWEST;
    }
    let fitting = params.segment.whole_steps(time).clamp(FEWEST.into(), MOST.into());
    u8::try_from(fitting).expect("seven at most")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const PARAMS: Params = Params {
        interval: Duration::from_millis(100),
        ewma: 75,
        lookaround: 10,
        segment: Duration::from_millis(6),
    };

    fn ms(ms: u64) -> Time {
        Time::ZERO + Duration::from_millis(ms)
    }

    fn micros<const N: usize>(micros: [u64; N]) -> [Duration; N] {
        micros.map(Duration::from_micros)
    }

    fn first(draw: u32) -> Event {
        Event::Sending { is_first: true, draw }
    }

    const AGAIN: Event = Event::Sending { is_first: false, draw: 0 };

    /// A state after an update that left these probabilities [%].
    fn known(times: &[Duration], percent: &[u16]) -> State {
        let mut state = State::new(&PARAMS, times);
        for (rate, &percent) in state.rates.iter_mut().zip(percent) {
            *rate = refreshed(&PARAMS, Rate { probability: CERTAIN / 100 * percent, ..*rate });
        }
        let choice = choose(times, &state.rates);
        State { choice, updated: Some(ms(0)), ..state }
    }

    /// The levels of the attempts of a frame that begins in `state`.
    fn levels(times: &[Duration], state: State, draw: u32, attempts: usize) -> String {
        let mut state = step(&PARAMS, times, state, ms(1), first(draw));
        let mut out = state.level().to_string();
        for _ in 1..attempts {
            state = step(&PARAMS, times, state, ms(1), AGAIN);
            out += &state.level().to_string();
        }
        out
    }

    /// In 18 000ths, rounded down:
    /// 3 of 4 are 13 500: 0 · 75 % + 13 500 · 25 % = 3375
    /// 1 of 3 are 6000: 3375 · 75 % + 6000 · 25 % = 4031.25
    /// none sent: as before
    /// 7 of 7 are 18 000: 4031 · 75 % + 18 000 · 25 % = 7523.25
    /// 0 of 2: 7523 · 75 % = 5642.25
    ///
    /// Verifies: [linux-minstrel §`minstrel_update_stats`]
    #[test]
    fn success_probabilities_are_smoothed() {
        let times = micros([1000]);
        let mut state = State::new(&PARAMS, &times);
        state = step(&PARAMS, &times, state, ms(5), first(0));
        for (at, successes, failures, smoothed) in [
            (105, 3, 1, 3375),
            (205, 1, 2, 4031),
            (305, 0, 0, 4031),
            (405, 7, 0, 7523),
            (505, 0, 2, 5642),
        ] {
            for _ in 0..successes {
                state = step(&PARAMS, &times, state, ms(at - 50), Event::Success);
            }
            for _ in 0..failures {
                state = step(&PARAMS, &times, state, ms(at - 50), Event::Failure);
            }
            let before = state.rates[0];
            // the interval counts from the first frame, at 5 ms, and an update needs all of it
            state = step(&PARAMS, &times, state, ms(at - 1), first(0));
            assert_eq!(state.rates[0], before);
            // a retry updates nothing
            state = step(&PARAMS, &times, state, ms(at), AGAIN);
            assert_eq!(state.rates[0], before);
            state = step(&PARAMS, &times, state, ms(at), first(0));
            assert_eq!(state.rates[0].probability, smoothed);
            assert_eq!((state.rates[0].attempts, state.rates[0].successes), (0, 0));
        }
    }

    /// An attempt counts at the rate that it was sent at: here two at level 3 and one at level 0.
    #[test]
    fn an_attempt_counts_at_its_rate() {
        let times = micros([8000, 4000, 2000, 1000]);
        let mut state = known(&times, &[100, 0, 0, 50]);
        state.chain = [
            Stage { level: 3, attempts: 2 },
            Stage { level: 0, attempts: 1 },
            state.chain[2],
            state.chain[3],
        ];
        (state.stage, state.left) = (0, 1);
        for seen in [Event::Failure, AGAIN, Event::Failure, AGAIN, Event::Success] {
            state = step(&PARAMS, &times, state, ms(1), seen);
        }
        let counts = state.rates.map(|rate| (rate.attempts, rate.successes));
        assert_eq!(counts[..4], [(1, 1), (0, 0), (0, 0), (2, 0)]);
    }

    /// Frames per second of 8, 4, 2 and 1 ms:
    /// 100, 96, 60 and 9 %: 125, 240, 300 and, below 10 %, none
    /// 90, 94, 60 and 10 %: 112.5, 235, 300 and 100; no rate has 95 %, so the most probable is 94 %
    /// 94, 90, 60 and 80 %: 117.5, 225, 300 and 800
    /// 95, 100, 0 and 0 %: 118.75, 250; of the two above 95 % the one with more throughput
    /// 97, 95, 0 and 0 %: 121.25, 237.5; 95 % are enough
    /// 0, 0, 0 and 50 %: 500 alone; nothing is second, so the lowest
    /// 9, 8, 0 and 0 %: nothing at all, but 9 % is the most probable
    ///
    /// Verifies: [linux-minstrel §`minstrel_update_stats`]
    #[test]
    fn the_table_of_statistics_decides() {
        let times = micros([8000, 4000, 2000, 1000]);
        for (percent, best, second, probable) in [
            ([100, 96, 60, 9], 2, 1, 1),
            ([90, 94, 60, 10], 2, 1, 1),
            ([94, 90, 60, 80], 3, 2, 0),
            ([95, 100, 0, 0], 1, 0, 1),
            ([97, 95, 0, 0], 1, 0, 1),
            ([0, 0, 0, 50], 3, 0, 3),
            ([9, 8, 0, 0], 0, 0, 0),
            ([8, 9, 0, 0], 0, 0, 1),
            ([0, 0, 0, 0], 0, 0, 0),
        ] {
            let state = known(&times, &percent);
            assert_eq!(state.choice, Choice { best, second, probable }, "{percent:?}");
        }
    }

    /// Rates of 8, 4, 3, 2 and 1 ms with 100, 96, 50, 60 and 9 %: frames per second 125, 240, 167, 300, 0.
    /// Best is 3, second and probable 1. Attempts: two each at 0 and 1 (above 95 %) and 4 (below 10 %),
    /// 6 ms / 3 ms = 2 at 2 and 6 ms / 2 ms = 3 at 3.
    const FIVE: [u64; 5] = [8000, 4000, 3000, 2000, 1000];

    fn five() -> State {
        known(&micros(FIVE), &[100, 96, 50, 60, 9])
    }

    /// Verifies: [linux-minstrel §`minstrel_get_rate`]
    #[test]
    fn an_ordinary_frame_tries_best_second_probable_lowest() {
        let state = five();
        assert_eq!(state.choice, Choice { best: 3, second: 1, probable: 1 });
        assert_eq!(levels(&micros(FIVE), state, 0, 12), "333111100000");
    }

    /// The tenth frame is a sample. Of the waiting rates 1, 2, 3 and 4 a quarter of all draws picks each.
    ///
    /// Verifies: [linux-minstrel §`minstrel_get_rate`]
    #[test]
    fn a_faster_sample_goes_first_and_any_other_second() {
        let (times, state) = (micros(FIVE), State { frames: 9, ..five() });
        assert_eq!(levels(&times, state, u32::MAX, 12), "443331100000");
        assert_eq!(levels(&times, state, 1 << 30, 12), "333221100000");
        assert_eq!(levels(&times, state, (1 << 30) - 1, 12), "333111100000");
        // the best itself: twice its attempts
        assert_eq!(levels(&times, state, 1 << 31, 12), "333333110000");
        // as fast as the best is not faster: 6 ms / 1 ms = 6 attempts of the best come first
        let times = micros([1000, 1000]);
        let state = State { frames: 9, ..known(&times, &[50, 0]) };
        assert_eq!(levels(&times, state, 0, 9), "000000110");
    }

    /// 6 ms hold 3 frames of 2 ms, 2 of 2.001 ms, 6 of 1 ms; at least 2 and at most 7 attempts.
    ///
    /// Verifies: [linux-minstrel §`minstrel_get_rate`]
    #[test]
    fn a_stage_has_the_attempts_that_fit_into_its_time() {
        let unknown = Rate::default();
        let fitting = |us| attempts(&PARAMS, Duration::from_micros(us), unknown);
        assert_eq!([2000, 2001, 1000, 857, 10, 3001, 60_000].map(fitting), [3, 2, 6, 7, 7, 2, 2]);
        // a settled rate has two: more tell nothing new
        let probable = |percent: u16| {
            let rate = refreshed(&PARAMS, Rate { probability: CERTAIN / 100 * percent, ..unknown });
            attempts(&PARAMS, Duration::from_micros(1000), rate)
        };
        assert_eq!([0, 9, 10, 50, 95, 96, 100].map(probable), [2, 2, 6, 6, 6, 2, 2]);
    }

    /// Nothing is known yet: four stages at the lowest rate, 6 ms / 2 ms = 3 attempts each.
    #[test]
    fn a_link_starts_at_its_lowest_rate() {
        let times = micros([2000, 1000]);
        let state = State::new(&PARAMS, &times);
        assert_eq!(state.level(), 0);
        assert_eq!(levels(&times, state, 0, 14), "00000000000000");
    }

    fn noise(seed: &mut u64) -> u32 {
        *seed =
            seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        u32::try_from(*seed >> 32).unwrap()
    }

    /// Frames of 1200 octets at the rates of OFDM, roughly.
    const OFDM: [u64; 8] = [1724, 1192, 924, 656, 524, 388, 324, 300];

    /// Number of times that each rate begins a frame, of `frames` that all fail, `pause` apart.
    fn starts(frames: u64, pause: Duration) -> [u32; 8] {
        let (times, mut seed) = (micros(OFDM), 1);
        let (mut state, mut now, mut starts) = (State::new(&PARAMS, &times), ms(0), [0; 8]);
        for _ in 0..frames {
            state = step(&PARAMS, &times, state, now, first(noise(&mut seed)));
            starts[usize::from(state.level())] += 1;
            state = step(&PARAMS, &times, state, now, Event::Failure);
            now += pause;
        }
        starts
    }

    /// Best stays the lowest, so every sample goes first: 100 of 1000 frames. 14 rounds of 7 rates are 98.
    /// The counts begin anew after 10 000 frames, and nothing is lost: 2000 of 20 000.
    ///
    /// Verifies: [linux-minstrel §`minstrel_get_rate`]
    #[test]
    fn a_tenth_of_the_frames_sample_and_the_rates_take_turns() {
        assert_eq!(Params::default(), PARAMS);
        let few = starts(1000, Duration::from_millis(1));
        assert_eq!(few[0], 900);
        assert!(few[1..].iter().all(|&samples| samples == 14 || samples == 15), "{few:?}");
        assert_eq!(starts(20_000, Duration::from_millis(1))[0], 18_000);
    }

    /// 1000 frames in each interval of 100 ms: 100 samples in the first, then four at each of the 7 rates.
    #[test]
    fn a_useless_rate_is_sampled_four_times_in_an_interval() {
        let pause = Duration::from_micros(100);
        let sampled = |frames| starts(frames, pause)[1..].iter().sum::<u32>();
        assert_eq!([1000, 2000, 3000].map(sampled), [100, 128, 156]);
    }

    /// Five rates, 30 frames behind: 20 are forgotten, so that the frame is the first of ten in a row.
    #[test]
    fn samples_long_overdue_are_forgotten() {
        let times = micros(FIVE);
        let mut state = State {
            frames: 309,
            samples: 1,
            choice: Choice { best: 4, second: 0, probable: 0 },
            ..five()
        };
        state = step(&PARAMS, &times, state, ms(1), first(0));
        assert_eq!((state.frames, state.samples), (310, 1 + 20 + 1));
        for _ in 0..20 {
            state = step(&PARAMS, &times, state, ms(1), first(0));
        }
        // 330 frames, 33 samples: nothing is due any more
        assert_eq!((state.frames, state.samples), (330, 33));
    }

    /// Verifies: [linux-minstrel §`minstrel_get_rate`]
    #[test]
    fn after_ten_thousand_frames_the_counts_begin_anew() {
        let state = State { frames: 9999, samples: 1000, ..five() };
        let counts = [state, State { frames: 10_000, ..state }].map(|state| {
            let state = step(&PARAMS, &micros(FIVE), state, ms(1), first(0));
            (state.frames, state.samples)
        });
        assert_eq!(counts, [(10_000, 1000), (1, 0)]);
    }

    #[test]
    fn a_single_rate_is_never_sampled() {
        let times = micros([1000]);
        let mut state = State::new(&PARAMS, &times);
        for at in 0..1000 {
            state = step(&PARAMS, &times, state, ms(at), first(u32::MAX));
            state = step(&PARAMS, &times, state, ms(at), Event::Failure);
            assert_eq!((state.level(), state.samples), (0, 0));
        }
    }

    /// A link whose rates succeed with these probabilities [%].
    struct Link {
        percent: [u32; 8],
        state: State,
        now: Time,
        seed: u64,
    }

    impl Link {
        fn new(percent: [u32; 8], seed: u64) -> Self {
            Self { percent, state: State::new(&PARAMS, &micros(OFDM)), now: ms(0), seed }
        }

        fn step(&mut self, seen: Event) {
            self.state = step(&PARAMS, &micros(OFDM), self.state, self.now, seen);
        }

        /// Sends frames of up to seven attempts, a millisecond between frames; how often each rate is best.
        fn send(&mut self, frames: u32) -> [u32; 8] {
            let mut best = [0; 8];
            for _ in 0..frames {
                for attempt in 0..7 {
                    let draw = noise(&mut self.seed);
                    self.step(Event::Sending { is_first: attempt == 0, draw });
                    let level = usize::from(self.state.level());
                    self.now += Duration::from_micros(OFDM[level]);
                    if noise(&mut self.seed) % 100 < self.percent[level] {
                        self.step(Event::Success);
                        break;
                    }
                    self.step(Event::Failure);
                }
                best[usize::from(self.state.choice.best)] += 1;
                self.now += Duration::from_millis(1);
            }
            best
        }
    }

    /// Probability over time [%/ms], and where it is largest:
    /// 58 84 108 152 191 258 309 333: level 7
    /// 58 84 108 152 191 0 0 0: level 4
    /// 58 84 103 0 0 0 0 0: level 2
    /// 58 84 108 152 191 206 31 0: level 5
    /// 58 0 0 0 0 0 0 0: level 0
    /// 17 17 16 15 19 36 123 267: level 7, although rates between carry less than both ends
    /// Probabilities rise from 0 by a quarter of what is missing per interval with a sample. Among 7 rates
    /// that is once in 70 frames, so rates that carry nearly the same (6 and 7 of the first) need longest.
    ///
    /// Verifies: [linux-minstrel §`minstrel_update_stats`, §`minstrel_get_rate`]
    #[test]
    fn the_rate_with_most_throughput_is_found() {
        for (percent, best, frames) in [
            ([100; 8], 7, 1200),
            ([100, 100, 100, 100, 100, 0, 0, 0], 4, 800),
            ([100, 100, 95, 0, 0, 0, 0, 0], 2, 800),
            ([100, 100, 100, 100, 100, 80, 10, 0], 5, 800),
            ([100, 0, 0, 0, 0, 0, 0, 0], 0, 0),
            ([30, 20, 15, 10, 10, 14, 40, 80], 7, 800),
        ] {
            for seed in 0..20 {
                let mut link = Link::new(percent, seed);
                link.send(frames);
                let chosen = link.send(400);
                assert!(chosen[best] >= 360, "{percent:?}, {seed}: {chosen:?}");
            }
        }
    }

    /// Level 5 carries 129 at 50 %, level 4 would carry 191 at 100 % but is taken for one of 25 %, 48. All
    /// seven attempts of a frame fit into the first stage at level 5: level 4 is never sent.
    ///
    /// Verifies: [linux-minstrel §`minstrel_get_rate`]
    #[test]
    fn a_slower_rate_stays_unknown_while_the_best_uses_up_the_attempts() {
        let mut link = Link::new([100, 100, 100, 100, 100, 50, 0, 0], 1);
        link.state = known(&micros(OFDM), &[25, 25, 25, 25, 25, 50, 0, 0]);
        assert_eq!(link.send(400), [0, 0, 0, 0, 0, 400, 0, 0]);
        assert_eq!(link.state.rates[4].probability, CERTAIN / 4);
    }

    /// Levels 6 and 7 of a perfect link fail from now on. Their smoothed probabilities fall by a quarter in
    /// each interval in which they are used; then level 5 rises, if it was not known yet, as at the start.
    /// Once they work again level 7 must rise by samples alone above the 77 % at which it carries as much as
    /// level 5 (100 %/388 µs = 77 %/300 µs): six intervals with a sample each, 1 - 0.75⁶ = 82 %.
    ///
    /// Verifies: [linux-minstrel §`minstrel_update_stats`, §`minstrel_get_rate`]
    #[test]
    fn a_best_rate_that_becomes_bad_is_left_and_taken_again() {
        for seed in 0..20 {
            let mut link = Link::new([100; 8], seed);
            link.send(1500);
            link.percent = [100, 100, 100, 100, 100, 100, 0, 0];
            link.send(400);
            let chosen = link.send(400);
            assert_eq!((chosen[6], chosen[7]), (0, 0), "{seed}: {chosen:?}");
            let chosen = link.send(400);
            assert!(chosen[5] >= 360, "{seed}: {chosen:?}");
            link.percent = [100; 8];
            link.send(1500);
            let chosen = link.send(400);
            assert!(chosen[7] >= 360, "{seed}: {chosen:?}");
        }
    }

    proptest! {
        /// Whatever happens, the level is one of the link's and the statistics are probabilities.
        #[test]
        fn the_level_stays_in_the_list(
            times in prop::collection::vec(1..=u64::from(u32::MAX), 1..=MAX_RATES),
            counts in prop::array::uniform12((any::<u32>(), any::<u32>(), 0..=CERTAIN)),
            (interval, segment) in (any::<u32>(), any::<u32>()),
            (ewma, lookaround, frames) in (0u8..=100, any::<u8>(), 0..=FRAMES),
            events in prop::collection::vec((0u8..4, any::<u32>(), any::<u32>()), 0..200),
        ) {
            let interval = Duration::from_nanos(interval.into());
            let params = Params { interval, ewma, lookaround, segment: Duration::from_nanos(segment.into()) };
            let times: Vec<_> = times.into_iter().map(Duration::from_nanos).collect();
            let mut state = State { frames, ..State::new(&params, &times) };
            for (rate, (one, other, probability)) in state.rates.iter_mut().zip(counts) {
                let (attempts, successes) = (one.max(other), one.min(other));
                *rate = Rate { probability, attempts, successes, samples_left: None };
            }
            let mut now = Time::ZERO;
            for (event, draw, pause) in events {
                now += Duration::from_nanos(pause.into());
                let seen = [first(draw), AGAIN, Event::Success, Event::Failure][usize::from(event)];
                state = step(&params, &times, state, now, seen);
                prop_assert!(usize::from(state.level()) < times.len());
                prop_assert!(state.rates.iter().all(|rate| rate.probability <= CERTAIN));
                prop_assert!(state.frames <= FRAMES);
            }
        }
    }
}
