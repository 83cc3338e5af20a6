//! Tests of statistics, samples and retry chains with computed values, and of links with known losses.

use super::sampling::FRAMES;
use super::state::{Stage, attempts};
use super::statistics::{CERTAIN, Choice, RateStatistics, choose, refreshed};
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

/// State of Minstrel after an update in which the rates succeed with these probabilities [%].
fn known(times: &[Duration], percent: &[u16]) -> State {
    let mut state = State::new(&PARAMS, times);
    for (rate, &percent) in state.rates.iter_mut().zip(percent) {
        *rate =
            refreshed(&PARAMS, RateStatistics { probability: CERTAIN / 100 * percent, ..*rate });
    }
    let choice = choose(times, &state.rates);
    State { choice, updated: Some(ms(0)), ..state }
}

/// Levels, which are indices of rates, of the first `attempts` attempts of a frame that starts in `state`: a
/// string with a digit for each. `draw` is the frame's random number, which chooses the rate of a sample.
fn levels(times: &[Duration], state: State, draw: u32, attempts: usize) -> String {
    let mut state = step(&PARAMS, times, state, ms(1), first(draw));
    let mut out = state.level().to_string();
    for _ in 1..attempts {
        state = step(&PARAMS, times, state, ms(1), AGAIN);
        out += &state.level().to_string();
    }
    out
}

/// An update gives each rate that was used a smoothed success probability, a quarter of it new.
///
/// Success probabilities in units of 1/18 000, rounded down:
/// 3 of 4 are 13 500: 0 · 75 % + 13 500 · 25 % = 3375
/// 1 of 3 are 6000: 3375 · 75 % + 6000 · 25 % = 4031.25
/// none sent: unchanged
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
        // The interval begins with the first frame, at 5 ms, and an update needs a whole interval.
        state = step(&PARAMS, &times, state, ms(at - 1), first(0));
        assert_eq!(state.rates[0], before);
        // A retry updates nothing.
        state = step(&PARAMS, &times, state, ms(at), AGAIN);
        assert_eq!(state.rates[0], before);
        state = step(&PARAMS, &times, state, ms(at), first(0));
        assert_eq!(state.rates[0].probability, smoothed);
        assert_eq!((state.rates[0].attempts, state.rates[0].successes), (0, 0));
    }
}

/// An attempt counts at the rate of its stage: here two at level 3 and one at level 0.
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

/// An update selects the best, the second and the probable rate from the success probabilities and the
/// durations of a frame.
///
/// Success probabilities of four rates with frames of 8, 4, 2 and 1 ms, and the frames per second:
/// 100, 96, 60 and 9 %: 125, 240, 300 and, below 10 %, none
/// 90, 94, 60 and 10 %: 112.5, 235, 300 and 100; no rate has 95 %, so the most probable is 94 %
/// 94, 90, 60 and 80 %: 117.5, 225, 300 and 800
/// 95, 100, 0 and 0 %: 118.75, 250; of the two above 95 % the one with the higher throughput
/// 97, 95, 0 and 0 %: 121.25, 237.5; 95 % suffice
/// 0, 0, 0 and 50 %: only 500; there is no second, so the lowest
/// 9, 8, 0 and 0 %: none, but 9 % is the most probable
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

/// Durations of a frame at five rates [µs]. With successes of 100, 96, 50, 60 and 9 % the frames per second
/// are 125, 240, 167, 300 and 0. Best is 3, second and probable 1. Attempts: two each at 0 and 1 (above 95 %)
/// and 4 (below 10 %), 6 ms / 3 ms = 2 at 2 and 6 ms / 2 ms = 3 at 3.
const FIVE: [u64; 5] = [8000, 4000, 3000, 2000, 1000];

fn five() -> State {
    known(&micros(FIVE), &[100, 96, 50, 60, 9])
}

/// The retry chain of a frame that is no sample consists of the best, the second, the probable and the lowest
/// rate.
///
/// Verifies: [linux-minstrel §`minstrel_get_rate`]
#[test]
fn an_ordinary_frame_tries_best_second_probable_lowest() {
    let state = five();
    assert_eq!(state.choice, Choice { best: 3, second: 1, probable: 1 });
    assert_eq!(levels(&micros(FIVE), state, 0, 12), "333111100000");
}

/// A retry chain ends with the last attempt at the lowest rate: three attempts at rate 3, two at rate 1 in
/// each of two stages, and two at rate 0.
///
/// Verifies: [linux-minstrel §`minstrel_get_rate`]
#[test]
fn a_chain_ends_with_the_attempts_of_its_last_stage() {
    let times = micros(FIVE);
    let mut state = step(&PARAMS, &times, five(), ms(1), first(0));
    let mut attempts = 1;
    while !state.is_last_attempt() {
        state = step(&PARAMS, &times, state, ms(1), AGAIN);
        attempts += 1;
    }
    assert_eq!(attempts, 3 + 2 + 2 + 2);
}

/// A sample of a rate faster than the best is the first stage of its chain, any other sample the second. The
/// tenth frame is a sample, and a quarter of all random numbers selects each of the rates 1, 2, 3 and 4.
///
/// Verifies: [linux-minstrel §`minstrel_get_rate`]
#[test]
fn a_faster_sample_goes_first_and_any_other_second() {
    let (times, state) = (micros(FIVE), State { frames: 9, ..five() });
    assert_eq!(levels(&times, state, u32::MAX, 12), "443331100000");
    assert_eq!(levels(&times, state, 1 << 30, 12), "333221100000");
    assert_eq!(levels(&times, state, (1 << 30) - 1, 12), "333111100000");
    // The sample is the best rate itself: twice its attempts.
    assert_eq!(levels(&times, state, 1 << 31, 12), "333333110000");
    // A rate as fast as the best is not faster: 6 ms / 1 ms = 6 attempts at the best come first.
    let times = micros([1000, 1000]);
    let state = State { frames: 9, ..known(&times, &[50, 0]) };
    assert_eq!(levels(&times, state, 0, 9), "000000110");
}

/// A stage has as many attempts as fit into its time of 6 ms: 3 frames of 2 ms, 2 of 2.001 ms, 6 of 1 ms; at
/// least 2 and at most 7.
///
/// Verifies: [linux-minstrel §`minstrel_get_rate`]
#[test]
fn a_stage_has_the_attempts_that_fit_into_its_time() {
    let unknown = RateStatistics::default();
    let fitting = |us| attempts(&PARAMS, Duration::from_micros(us), unknown);
    assert_eq!([2000, 2001, 1000, 857, 10, 3001, 60_000].map(fitting), [3, 2, 6, 7, 7, 2, 2]);
    // A rate with a nearly certain outcome has two attempts.
    let probable = |percent: u16| {
        let rate =
            refreshed(&PARAMS, RateStatistics { probability: CERTAIN / 100 * percent, ..unknown });
        attempts(&PARAMS, Duration::from_micros(1000), rate)
    };
    assert_eq!([0, 9, 10, 50, 95, 96, 100].map(probable), [2, 2, 6, 6, 6, 2, 2]);
}

/// Without any statistics a chain has four stages at the lowest rate with 6 ms / 2 ms = 3 attempts each.
#[test]
fn a_link_starts_at_its_lowest_rate() {
    let times = micros([2000, 1000]);
    let state = State::new(&PARAMS, &times);
    assert_eq!(state.level(), 0);
    assert_eq!(levels(&times, state, 0, 14), "00000000000000");
}

fn noise(seed: &mut u64) -> u32 {
    *seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    u32::try_from(*seed >> 32).unwrap()
}

/// Approximate durations of frames of 1200 octets at the OFDM rates.
const OFDM: [u64; 8] = [1724, 1192, 924, 656, 524, 388, 324, 300];

/// Number of frames whose first attempt is at each rate, out of `frames` frames that all fail, sent every
/// `pause`.
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

/// A tenth of the frames sample another rate, and all rates are sampled equally often. The best rate stays
/// the lowest, so every sample is a first stage: 100 of 1000 frames. 14 rounds of 7 rates are 98. The counts
/// restart after 10 000 frames, but no sample is lost: 2000 of 20 000.
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

/// A useless rate is the first stage of at most four samples per interval. With 1000 frames in each interval
/// of 100 ms there are 100 samples in the first, and then four at each of the 7 rates.
#[test]
fn a_useless_rate_is_sampled_four_times_in_an_interval() {
    let pause = Duration::from_micros(100);
    let sampled = |frames| starts(frames, pause)[1..].iter().sum::<u32>();
    assert_eq!([1000, 2000, 3000].map(sampled), [100, 128, 156]);
}

/// Of many overdue samples most are dropped. With five rates and 30 samples overdue, 20 are dropped; this
/// frame is the first of ten samples in a row.
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
    // 330 frames, 33 samples: no sample is due any more.
    assert_eq!((state.frames, state.samples), (330, 33));
}

/// The counts of frames and samples restart after 10 000 frames.
///
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

/// A simulated link whose rates succeed with these probabilities [%].
struct SimulatedLink {
    percent: [u32; 8],
    state: State,
    now: Time,
    seed: u64,
}

impl SimulatedLink {
    fn new(percent: [u32; 8], seed: u64) -> Self {
        Self { percent, state: State::new(&PARAMS, &micros(OFDM)), now: ms(0), seed }
    }

    fn step(&mut self, seen: Event) {
        self.state = step(&PARAMS, &micros(OFDM), self.state, self.now, seen);
    }

    /// Sends frames, each to the end of its chain, with a pause of a millisecond. Returns how often each rate
    /// was the best.
    fn send(&mut self, frames: u32) -> [u32; 8] {
        let mut best = [0; 8];
        for _ in 0..frames {
            for attempt in 0.. {
                let draw = noise(&mut self.seed);
                self.step(Event::Sending { is_first: attempt == 0, draw });
                let level = usize::from(self.state.level());
                self.now += Duration::from_micros(OFDM[level]);
                if noise(&mut self.seed) % 100 < self.percent[level] {
                    self.step(Event::Success);
                    break;
                }
                self.step(Event::Failure);
                if self.state.is_last_attempt() {
                    break;
                }
            }
            best[usize::from(self.state.choice.best)] += 1;
            self.now += Duration::from_millis(1);
        }
        best
    }
}

/// On a link with known losses the rate with the highest throughput becomes the best one.
///
/// Probability divided by time at each rate [%/ms], and the level with the maximum, for six links:
/// 58 84 108 152 191 258 309 333: level 7
/// 58 84 108 152 191 0 0 0: level 4
/// 58 84 103 0 0 0 0 0: level 2
/// 58 84 108 152 191 206 31 0: level 5
/// 58 0 0 0 0 0 0 0: level 0
/// 17 17 16 15 19 36 123 267: level 7, although the rates between deliver less than both ends
/// Probabilities rise from 0 by a quarter of the rest per interval with a sample. With 7 rates that is one
/// interval in 70 frames, so rates with nearly equal throughput (6 and 7 of the first) need longest.
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
            let mut link = SimulatedLink::new(percent, seed);
            link.send(frames);
            let chosen = link.send(400);
            assert!(chosen[best] >= 360, "{percent:?}, {seed}: {chosen:?}");
        }
    }
}

/// A slower rate with a higher throughput is found late, because samples of it are only the second stage.
/// Level 5 delivers 129 at 50 %. Level 4 would deliver 191 at 100 %, but its estimate is 25 %, which
/// gives 48. The first stage has seven attempts at level 5, so only one frame in 128 reaches the next stage, and
/// level 4 is tried late.
///
/// Verifies: [linux-minstrel §`minstrel_get_rate`]
#[test]
fn a_slower_rate_is_known_late_while_the_best_seldom_fails_a_whole_stage() {
    let mut link = SimulatedLink::new([100, 100, 100, 100, 100, 50, 0, 0], 1);
    link.state = known(&micros(OFDM), &[25, 25, 25, 25, 25, 50, 0, 0]);
    assert_eq!(link.send(200), [0, 0, 0, 0, 0, 200, 0, 0]);
    link.send(2000);
    let chosen = link.send(400);
    assert!(chosen[4] >= 300, "{chosen:?}");
}

/// A best rate that fails is replaced, and is the best again once it works. On a link where all rates succeed,
/// the rates of levels 6 and 7 start to fail. Their smoothed success probabilities fall by a quarter in each
/// interval in which they are used. Then level 5 becomes the best; if it was never used, its success
/// probability first rises, as at the start. When levels 6 and 7 work again, samples alone must raise level 7
/// above the 77 % at which it delivers as much as level 5 (100 %/388 µs = 77 %/300 µs): six intervals with a
/// sample each, 1 - 0.75⁶ = 82 %.
///
/// Verifies: [linux-minstrel §`minstrel_update_stats`, §`minstrel_get_rate`]
#[test]
fn a_best_rate_that_becomes_bad_is_left_and_taken_again() {
    for seed in 0..20 {
        let mut link = SimulatedLink::new([100; 8], seed);
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
    /// For any events, the level is in the list of rates and the statistics are probabilities.
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
            *rate = RateStatistics { probability, attempts, successes, samples_left: None };
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
