//! Tests of statistics, samples and retry chains with computed values, and of links with known losses.

use super::statistics::CERTAIN;
use super::*;
use proptest::prelude::*;

const PARAMS: Params = Params {
    interval: Duration::from_millis(50),
    sample_interval: Duration::from_millis(20),
    segment: Duration::from_millis(6),
    attempts: 7,
    slot: Duration::from_micros(9),
    window: [15, 1023],
};

fn ms(ms: u64) -> Time {
    Time::ZERO + Duration::from_millis(ms)
}

const fn micros(us: u64) -> Duration {
    Duration::from_micros(us)
}

fn noise(seed: &mut u64) -> u32 {
    *seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    u32::try_from(*seed >> 32).unwrap()
}

/// Rates of a link by group: the group's streams, and the times of an MPDU at its rates [µs].
fn rates(groups: &[(u8, &[u64])]) -> Vec<GroupedRate> {
    let of = |(group, (streams, times)): (u8, &(u8, &[u64]))| {
        let streams = *streams;
        times
            .iter()
            .map(move |us| GroupedRate { group, streams, time: micros(*us) })
            .collect::<Vec<_>>()
    };
    (0..).zip(groups).flat_map(of).collect()
}

/// State of Minstrel-HT for a link with an overhead of 100 µs per aggregate.
fn link(groups: &[(u8, &[u64])]) -> State {
    let mut seed = 1;
    State::new(&PARAMS, micros(100), rates(groups), || noise(&mut seed))
}

/// Updates the statistics with a hundred MPDUs per rate, from the first rate on, of which `percent` succeed,
/// in aggregates of `length` MPDUs; `None` is a rate that is not used.
fn update_with(state: &mut State, length: u16, percent: &[Option<u16>]) {
    for (level, share) in percent.iter().enumerate() {
        if let Some(share) = share {
            state.statistics[level].count(100, *share);
        }
    }
    state.lengths.count(length);
    state.update(&PARAMS);
}

fn send(state: &mut State, now: Time, is_first: bool) {
    step(&PARAMS, state, now, Event::Sending { is_first });
}

fn block(state: &mut State, now: Time, sent: u16, acknowledged: u16) {
    step(&PARAMS, state, now, Event::Block { sent, acknowledged });
}

/// Levels of the rates of the attempts of an aggregate that begins at `now`.
fn levels(state: &mut State, now: Time) -> String {
    send(state, now, true);
    let mut out = state.level().to_string();
    while !state.is_last_attempt() {
        send(state, now, false);
        out += &state.level().to_string();
    }
    out
}

/// An update passes the success probability of a rate through a low-pass filter of second order.
///
/// With a = exp(-π√2/16) = 0.75748, the filter's coefficients are 2·0.75748·cos 31.82° = 1.28736 and 0.75748² =
/// 0.57378; in units of 1/4096 5273 and 2350, which leaves 1173. After 100 % for a long time, no MPDU gets
/// through:
/// (1173·1 + 5273·4096 - 2350·4096)/4096 = 2923, (1173 + 5273·2923 - 2350·4096)/4096 = 1413,
/// (1173 + 5273·1413 - 2350·2923)/4096 = 142, and then the minimum.
/// Then all get through: 1173 + 1 = 1174 (from 1, 1: (1173·4096 + 5273 - 2350)/4096 = 1173.7),
/// (1173·4096 + 5273·1173 - 2350)/4096 = 2682, (1173·4096 + 5273·2682 - 2350·1173)/4096 = 3952, and 100 %.
///
/// Verifies: [linux-minstrel-ht §`minstrel_filter_avg_add`]
#[test]
fn probabilities_follow_a_filter_of_the_second_order() {
    let mut state = link(&[(1, &[100])]);
    let mut after = |acknowledged: u16| {
        update_with(&mut state, 1, &[Some(acknowledged)]);
        state.statistics[0].probability
    };
    assert_eq!([100, 100, 0, 0, 0, 0, 0].map(&mut after), [4096, 4096, 2923, 1413, 142, 1, 1]);
    assert_eq!([100, 100, 100, 100].map(&mut after), [1173, 2682, 3952, 4096]);
}

/// MPDUs count at the rate of the attempt that sent them. 3 of 4 and 62 of 64 are 65 of 68: 4096·65/68 =
/// 3915.3. The update is due 50 ms after the first aggregate.
///
/// Verifies: [linux-minstrel-ht §`minstrel_ht_tx_status`]
#[test]
fn mpdus_count_at_the_rate_of_their_attempt() {
    let mut state = link(&[(1, &[100, 50])]);
    for (at, sent, acknowledged) in [(7, 4, 3), (56, 64, 62)] {
        state.chain[0] = Stage { level: 1, attempts: 2 };
        (state.stage, state.left, state.updated) = (0, 1, Some(ms(7)));
        block(&mut state, ms(at), sent, acknowledged);
    }
    let of = state.statistics[1];
    assert_eq!((of.attempts, of.successes, of.probability), (68, 65, 0));
    block(&mut state, ms(57), 1, 0);
    // The last MPDU was lost: 65 of 69.
    assert_eq!(state.statistics[1].probability, 4096 * 65 / 69);
    assert_eq!((state.statistics[1].attempts, state.statistics[0].attempts), (0, 0));
}

/// A rate that was never used gets the probability of a faster rate of its group. Rates 0 and 2 are used:
/// rate 1 gets the probability of rate 2, because it is slower; rate 3 is unknown. Rate 1 keeps this until it
/// is used, and then only its own outcomes count.
///
/// Verifies: [linux-minstrel-ht §`minstrel_ht_update_stats`]
#[test]
fn a_rate_that_was_never_sent_is_as_good_as_a_faster_one() {
    let mut state = link(&[(1, &[800, 400, 200, 100])]);
    let probabilities = |state: &State| -> Vec<u32> {
        state.statistics.iter().map(|rate| rate.probability).collect()
    };
    update_with(&mut state, 1, &[Some(100), None, Some(50), None]);
    assert_eq!(probabilities(&state), [4096, 2048, 2048, 0]);
    update_with(&mut state, 1, &[None, None, Some(0), None]);
    assert_eq!(probabilities(&state)[..2], [4096, 2048]);
    update_with(&mut state, 1, &[None, Some(25), None, None]);
    assert_eq!(probabilities(&state)[..2], [4096, 1024]);
}

/// The throughput of a rate is that of an MPDU with its part of the aggregate's overhead. The mean lengths
/// are 1, then 3/4·1 + 1/4·33 = 9, then 3/4·9 + 1/4·33 = 15. With a mean of 15, each MPDU has 100 µs/15 =
/// 6.666 µs of overhead. 50 % of an MPDU in 106.666 µs: 2048·10⁹/106 666. 95 % count as 90 %: 3686.
///
/// Verifies: [linux-minstrel-ht §`minstrel_ht_get_tp_avg`, §`minstrel_ewma`]
#[test]
fn throughput_is_of_an_mpdu_with_its_part_of_the_overhead() {
    let mut state = link(&[(1, &[100, 50, 25])]);
    assert_eq!(state.lengths.mean(), 1);
    let nothing = [None; 3];
    update_with(&mut state, 33, &nothing);
    assert_eq!(state.lengths.mean(), 9);
    update_with(&mut state, 33, &[Some(50), Some(95), Some(9)]);
    assert_eq!(state.lengths.mean(), 15);
    let carried: Vec<_> = state.statistics.iter().map(|rate| rate.throughput).collect();
    assert_eq!(carried, [2048 * 1_000_000_000 / 106_666, 3686 * 1_000_000_000 / 56_666, 0]);
}

/// An aggregate of 32 that is retried once counts as one of 32: 3/4·1 + 1/4·32 = 8.75.
#[test]
fn a_repeated_aggregate_counts_once_for_the_mean_length() {
    let mut state = link(&[(1, &[100])]);
    send(&mut state, ms(0), true);
    block(&mut state, ms(1), 32, 0);
    send(&mut state, ms(1), false);
    block(&mut state, ms(50), 32, 30);
    assert_eq!(state.lengths.mean(), 8);
    assert_eq!(state.statistics[0].probability, 4096 * 30 / 64);
}

/// An update selects the three best rates and the probable rate from the success probabilities and the times
/// of an MPDU.
///
/// Two groups with one and two streams: MPDUs of 800, 400, 200 and of 400, 200, 100 µs; single MPDUs,
/// overhead 100 µs. Probability divided by time [%/100 µs], in the order of the cases:
/// - 90/9 = 10.0, 90/5 = 18.0, 60/3 = 20.0; 90/5 = 18.0, 40/3 = 13.3, 20/2 = 10.0: best is 2, then 1 before
///   3, because 95 % are more than 92 %; probable is 1, the first of those above 75 % with the highest
///   throughput
/// - nothing is known: all are the first rate
/// - only the second group works: 18, 30, 45; no rate with one stream delivers anything, so probable is the
///   fastest, too
/// - 16, 25, 35; only the first succeeds more than 75 % of the time
/// - 10, 18, 26.7 with one stream, 16, 26.7, 40 with two: probable is the best of those with one stream
///
/// Verifies: [linux-minstrel-ht §`minstrel_ht_sort_best_tp_rates`, §`minstrel_ht_set_best_prob_rate`]
#[test]
fn the_table_of_statistics_decides() {
    for (percent, best, probable) in [
        ([100, 95, 60, 92, 40, 20], [2, 1, 3], 1),
        ([0, 0, 0, 0, 0, 0], [0, 0, 0], 0),
        ([0, 0, 0, 100, 100, 100], [5, 4, 3], 5),
        ([5, 0, 0, 80, 75, 70], [5, 4, 3], 3),
        ([100, 100, 80, 80, 80, 80], [5, 2, 4], 2),
    ] {
        let mut state = link(&[(1, &[800, 400, 200]), (2, &[400, 200, 100])]);
        update_with(&mut state, 1, &percent.map(Some));
        assert_eq!(state.choice, Choice { best, probable }, "{percent:?}");
    }
}

/// A rate faster than the best one becomes the probable rate, Linux's `max_prob_rate` for the last attempts,
/// only if it succeeds more often.
///
/// MPDUs take 800 µs at rate 0 and 90 µs at rate 1, with one stream, and 100 µs at rate 2, with two; the
/// overhead is 100 µs. Probability, at most 90 %, divided by time: 90/9 = 10, 76/1.9 = 40 and 90/2 = 45 %/100
/// µs, so rate 2 is the best. It has two streams, so the probable rate must be one of those with one stream.
/// Rate 1 is faster than rate 2 but succeeds less often, so the probable rate is 0.
///
/// Verifies: [linux-minstrel-ht §`minstrel_ht_set_best_prob_rate`]
#[test]
fn a_rate_faster_than_the_best_is_not_the_probable_one_unless_it_succeeds_more_often() {
    let mut state = link(&[(1, &[800, 90]), (2, &[100])]);
    update_with(&mut state, 1, &[Some(100), Some(76), Some(95)]);
    assert_eq!(state.choice, Choice { best: [2, 1, 0], probable: 0 });
}

/// A stage has as many attempts as fit into 6 ms, back-offs included, and at least two. The back-offs take
/// 9 µs times 15/2, 31/2, 63/2, 127/2 … = 67.5, 139.5, 283.5, 571.5, 1147.5, 2299.5, 4603.5, each with 100 µs
/// and the MPDUs. A single MPDU of 100 µs: 267.5, 607, 1090.5, 1862, 3209.5, 5709, 10 512 µs give six
/// attempts. Of 1000 µs: 1167.5, 2407, 3790.5, 5462 give four. Of 3000 µs: two although they take longer.
/// Sixteen of 100 µs take 1700 µs: 1767.5, 3607, 5590.5 give three. A rate below 20 % has two.
///
/// Verifies: [linux-minstrel-ht §`minstrel_calc_retransmit`, §`minstrel_ht_set_rate`]
#[test]
fn a_stage_has_the_attempts_that_fit_into_its_time() {
    let attempts = |us: u64, length: u16, share: u16| {
        let mut state = link(&[(1, &[us])]);
        // 3/4 of the mean stay, so the length needs four times the change.
        update_with(&mut state, 4 * length - 3, &[Some(share)]);
        assert_eq!(state.lengths.mean(), length.into());
        state.ordinary[0].attempts
    };
    assert_eq!([100, 1000, 3000].map(|us| attempts(us, 1, 90)), [6, 4, 2]);
    assert_eq!(attempts(100, 16, 90), 3);
    assert_eq!([19, 20].map(|share| attempts(100, 1, share)), [2, 6]);
    let quick = Params { segment: Duration::from_millis(60), ..PARAMS };
    let mut state = link(&[(1, &[100])]);
    update_with(&mut state, 1, &[Some(90)]);
    state.plan(&quick);
    assert_eq!(state.ordinary[0].attempts, 7);
}

/// A sample replaces the best rate in the retry chain, with one attempt. Rates of 3000, 1000, 500 and 200 µs
/// with 90 % except the last, 30 %: best is 2, then 3, then 1 (0.15, 0.1, 0.082); probable is 2. Attempts in
/// 6 ms: with 500 + 100 µs and back-off 667.5, 1407, 2290.5, 3462, 5209.5 give five; with 200 + 100 µs 367.5,
/// 807, 1390.5, 2262, 3709.5 give five, a sixth would be at 6309 µs; with 1000 + 100 µs four.
///
/// Verifies: [linux-minstrel-ht §`minstrel_ht_update_rates`, §`minstrel_ht_get_rate`]
#[test]
fn a_sample_takes_the_place_of_the_best_for_one_attempt() {
    let mut state = link(&[(1, &[3000, 1000, 500, 200])]);
    update_with(&mut state, 1, &[Some(90), Some(90), Some(90), Some(30)]);
    // The first kind is the slowest rate faster than the best.
    assert_eq!(levels(&mut state, ms(1)), "3".to_owned() + "33333" + "1111" + "22222");
    // 20 ms have not passed yet.
    assert_eq!(levels(&mut state, ms(2)), "22222".to_owned() + "33333" + "1111" + "22222");
}

/// The sampled rates in order, from `now` on; a space is a turn without a sample.
fn samples(state: &mut State, now: Time, turns: u64) -> String {
    (0..turns)
        .map(|turn| {
            send(state, now + PARAMS.sample_interval * turn, true);
            if state.is_sample() { state.level().to_string() } else { " ".to_owned() }
        })
        .collect()
}

/// The kinds of samples take turns: next, any, next, any, next, slow. Best is rate 1, second 0, probable 1,
/// all of one group. Rates 2 and 3 are faster than 1; the slower of them is of kind *next*, which has no
/// other candidate. No rate's time is between those of 0 and 1.
///
/// Verifies: [linux-minstrel-ht §`minstrel_sample_seq`, §`minstrel_ht_refill_sample_rates`]
#[test]
fn three_kinds_of_samples_take_turns() {
    let mut state = link(&[(1, &[800, 400, 200, 100])]);
    update_with(&mut state, 1, &[Some(100), Some(100), Some(0), Some(0)]);
    let seen = samples(&mut state, ms(1), 6);
    assert!(seen == "22 3  " || seen == "23 2  ", "{seen:?}");
}

/// A rate no faster than the selected ones is sampled unless it succeeds 95 % of the time. Best is rate 3,
/// then 2; probable is 0, because it has one stream. Rates 1, 2 and 3 are faster than 0 and no faster than 3,
/// so they are of kind *slow*, unless they succeed 95 % of the time; 0 is not faster than itself.
///
/// Verifies: [linux-minstrel-ht §`minstrel_ht_next_jump_rate`]
#[test]
fn a_slower_rate_is_sampled_unless_it_is_known_to_succeed() {
    let slow_samples = |percent: [u16; 4]| {
        let mut state = link(&[(1, &[800]), (2, &[400, 200, 100])]);
        update_with(&mut state, 1, &percent.map(Some));
        assert_eq!((state.choice.best[..2].to_vec(), state.choice.probable), (vec![3, 2], 0));
        // The order may begin with any rate, so several updates are needed until all had their turn.
        (1..20).fold(String::new(), |seen, update| {
            state.update(&PARAMS);
            seen + samples(&mut state, ms(1000 * update), 6).trim()
        })
    };
    assert_eq!(slow_samples([100; 4]), "");
    let seen = slow_samples([100, 95, 100, 100]);
    assert!(seen.contains('1') && !seen.contains(['0', '2', '3']), "{seen:?}");
    let seen = slow_samples([100, 95, 95, 90]);
    assert!(['1', '2', '3'].iter().all(|level| seen.contains(*level)), "{seen:?}");
    assert!(!seen.contains('0'), "{seen:?}");
}

/// Samples of kind *next* take the groups in turn. Of two groups, rate 1 is the best; faster than it are 2 of
/// its group and 4 and 5 of the other, so *next* are 2 and 4 in turn.
///
/// Verifies: [linux-minstrel-ht §`minstrel_ht_next_inc_rate`]
#[test]
fn the_next_faster_rate_of_each_group_is_sampled_in_turn() {
    let mut state = link(&[(1, &[800, 400, 200]), (2, &[400, 200, 100])]);
    update_with(&mut state, 1, &[Some(100), Some(100), Some(0), Some(0), Some(0), Some(0)]);
    assert_eq!(state.choice.best[0], 1);
    let seen = samples(&mut state, ms(1), 6);
    let next: String = seen.chars().step_by(2).collect();
    assert!(next == "42 " || next == "24 ", "{seen:?}");
}

/// A sample is due every 20 ms and after each update. The update at 50 ms makes a sample due; the next ones
/// are 20 and 40 ms later: three in each 50 ms. The sixth and the twelfth would be of kind *slow*, which has
/// no candidates.
///
/// Verifies: [linux-minstrel-ht §`minstrel_ht_get_rate`]
#[test]
fn a_sample_is_due_every_20_ms_and_after_an_update() {
    assert_eq!(Params::default(), PARAMS);
    let mut state = link(&[(1, &[800, 400, 200]), (2, &[400, 200, 100]), (3, &[300, 150, 75])]);
    let mut at = Vec::new();
    for now in 0..200 {
        send(&mut state, ms(now), true);
        if state.is_sample() {
            at.push(now);
            assert_eq!(state.left, 0);
        }
        let comes = u16::from(state.level() == 0);
        block(&mut state, ms(now), 1, comes);
    }
    assert_eq!(at, [0, 20, 40, 51, 71, 101, 121, 141, 151, 171]);
}

/// If less than a quarter of more than 30 MPDUs get through at the best rate, the best rate of the previous
/// group replaces it at once, and the second best likewise. A quarter of 31 MPDUs is 7, and 6 are delivered.
/// The previous group may have fewer streams, but not more.
///
/// Verifies: [linux-minstrel-ht §`minstrel_downgrade_rate`]
#[test]
fn a_dead_group_is_left_before_the_next_update() {
    let all = [Some(100); 6];
    let dead = |groups: &[(u8, &[u64])], sent, acknowledged| {
        let mut state = link(groups);
        update_with(&mut state, 1, &all[..groups.len() * 2]);
        send(&mut state, ms(0), true);
        state.chain[0].level = state.choice.best[0];
        block(&mut state, ms(1), sent, acknowledged);
        (state.choice.best[0], state.ordinary[0].level)
    };
    let rising: [(u8, &[u64]); 3] = [(1, &[800, 400]), (2, &[300, 200]), (3, &[100, 50])];
    assert_eq!(dead(&rising, 31, 6), (3, 3));
    assert_eq!(dead(&rising, 31, 7), (5, 5));
    assert_eq!(dead(&rising, 30, 0), (5, 5));
    let falling: [(u8, &[u64]); 3] = [(1, &[800, 400]), (2, &[300, 200]), (1, &[100, 50])];
    assert_eq!(dead(&falling, 31, 6), (1, 1));
    assert_eq!(dead(&rising[..1], 31, 6), (1, 1));
}

/// Without any statistics a chain has four stages with two attempts at the first rate.
#[test]
fn a_link_starts_at_its_first_rate() {
    let mut state = link(&[(1, &[800, 400]), (2, &[300, 200])]);
    assert_eq!(state.level(), 0);
    state.samples.make_due(ms(5));
    assert_eq!(levels(&mut state, ms(0)), "00000000");
}

#[test]
#[should_panic(expected = "the rates of a group are adjacent")]
fn rates_of_a_group_that_are_not_adjacent_are_refused() {
    let [one, other] = [1, 2].map(|group| GroupedRate { group, streams: 1, time: micros(100) });
    let mut seed = 1;
    State::new(&PARAMS, micros(100), vec![one, other, one], || noise(&mut seed));
}

/// Bits per symbol and stream of VHT at 20 MHz; a symbol takes 4 µs.
const BITS: [u64; 9] = [26, 52, 78, 104, 156, 208, 234, 260, 312];
/// Signal-to-noise ratio at which half of the MPDUs get through at 20 MHz with one stream [dB].
const NEEDED: [f64; 9] = [1.0, 4.0, 6.0, 9.0, 13.0, 17.0, 18.5, 20.0, 24.0];
/// Number of MPDUs of each aggregate on the simulated link.
const LENGTH: u16 = 32;

/// A simulated link with one and two streams, 20, 40 and 80 MHz, and long and short guard intervals.
struct SimulatedLink {
    rates: Vec<GroupedRate>,
    success: Vec<f64>,
    state: State,
    now: Time,
    seed: u64,
    acknowledged: u64,
    /// Time of the link that samples have used.
    sampling: Duration,
}

impl SimulatedLink {
    fn new(decibels: f64, seed: u64) -> Self {
        let mut rates = Vec::new();
        for (place, width) in [10, 21, 45].into_iter().enumerate() {
            for guard in [10, 9] {
                for streams in [1, 2] {
                    let group =
                        u8::try_from(place * 4 + usize::from(guard == 9) * 2).unwrap() + streams;
                    rates.extend(BITS.map(|bits| {
                        let per_symbol = bits * width * u64::from(streams) / 10;
                        let time = Duration::from_nanos(9600 * 400 * guard / per_symbol);
                        GroupedRate { group, streams, time }
                    }));
                }
            }
        }
        let mut draws = seed;
        let state = State::new(&PARAMS, micros(150), rates.clone(), || noise(&mut draws));
        let mut link = Self {
            rates,
            success: Vec::new(),
            state,
            now: Time::ZERO,
            seed,
            acknowledged: 0,
            sampling: Duration::ZERO,
        };
        link.receive(decibels);
        link
    }

    /// Sets the signal-to-noise ratio of the receiver, which is 3 dB less for each doubling of width and of
    /// streams.
    fn receive(&mut self, decibels: f64) {
        let success = |(level, rate): (usize, &GroupedRate)| {
            let doublings = level / 36 + usize::from(rate.streams == 2);
            let needed = NEEDED[level % 9] + 3.0 * f64::from(u8::try_from(doublings).unwrap());
            1.0 / (1.0 + libm::exp(-2.0 * (decibels - needed)))
        };
        self.success = self.rates.iter().enumerate().map(success).collect();
    }

    /// MPDUs per second that a rate delivers without sampling.
    fn carried(&self, level: usize) -> f64 {
        let time = micros(150) + self.rates[level].time * u64::from(LENGTH);
        f64::from(LENGTH) * self.success[level] / time.as_secs_f64()
    }

    fn best(&self) -> f64 {
        (0..self.rates.len()).map(|level| self.carried(level)).fold(0.0, f64::max)
    }

    /// Sends over the simulated link for `duration` without a pause. Returns the MPDUs delivered per second.
    fn send(&mut self, duration: Duration) -> f64 {
        let (start, before) = (self.now, self.acknowledged);
        while self.now < start + duration {
            send(&mut self.state, self.now, true);
            while !self.attempt() && !self.state.is_last_attempt() {
                send(&mut self.state, self.now, false);
            }
        }
        let time = self.now.saturating_since(start).as_secs_f64();
        #[expect(clippy::cast_precision_loss, reason = "some million MPDUs")]
        let acknowledged = (self.acknowledged - before) as f64;
        acknowledged / time
    }

    /// Runs one attempt of an aggregate over the simulated link. Returns true if an MPDU was delivered.
    fn attempt(&mut self) -> bool {
        let level = usize::from(self.state.level());
        let is_sample = self.state.is_sample();
        let sent = if self.state.is_alone() { 1 } else { LENGTH };
        let threshold = self.success[level] * f64::from(u32::MAX);
        let seed = &mut self.seed;
        let comes = (0..sent).filter(|_| f64::from(noise(seed)) < threshold).count();
        let acknowledged = u16::try_from(comes).unwrap();
        let time = micros(150) + self.rates[level].time * u64::from(sent);
        self.now += time;
        if is_sample {
            self.sampling += time;
        }
        self.acknowledged += u64::from(acknowledged);
        block(&mut self.state, self.now, sent, acknowledged);
        acknowledged > 0
    }
}

/// After two seconds at any signal, the link delivers, including sampling, nine tenths of the throughput of
/// the best of the 108 rates on average, and four fifths on every link.
///
/// Verifies: [linux-minstrel-ht §`minstrel_ht_update_stats`, §`minstrel_ht_refill_sample_rates`]
#[test]
fn the_rate_with_most_throughput_of_all_groups_is_found() {
    let mut shares = Vec::new();
    for decibels in [2.0, 7.0, 11.0, 15.0, 20.0, 26.0, 32.0, 40.0] {
        for seed in 0..5 {
            let mut link = SimulatedLink::new(decibels, seed);
            link.send(Duration::from_secs(2));
            let share = link.send(Duration::from_secs(2)) / link.best();
            assert!(share > 0.8, "{decibels} dB, seed {seed}: {share}");
            shares.push(share);
        }
    }
    assert!(shares.iter().sum::<f64>() / 40.0 > 0.9, "{shares:?}");
}

/// Minstrel-HT follows a channel that becomes worse and then better. The channel loses 15 dB. Half a second
/// later, after ten updates, the link has the possible throughput again. When the signal returns, the faster
/// rates must be found by sampling alone.
///
/// Verifies: [linux-minstrel-ht §`minstrel_ht_update_stats`, §`minstrel_downgrade_rate`]
#[test]
fn a_channel_that_becomes_worse_and_better_is_followed() {
    for seed in 0..10 {
        let mut link = SimulatedLink::new(34.0, seed);
        link.send(Duration::from_secs(2));
        link.receive(19.0);
        link.send(Duration::from_millis(500));
        let share = link.send(Duration::from_secs(1)) / link.best();
        assert!(share > 0.8, "worse, seed {seed}: {share}");
        link.receive(34.0);
        link.send(Duration::from_secs(2));
        let share = link.send(Duration::from_secs(1)) / link.best();
        assert!(share > 0.9, "better, seed {seed}: {share}");
    }
}

/// Sampling needs less than 2 % of the airtime, with three single MPDUs in 50 ms. At the slowest rate, 9600
/// bits at 6.5 Mb/s and the overhead would be 5 ms in 50; but the rates that are sampled are mostly faster
/// than the best.
///
/// Verifies: [linux-minstrel-ht §`minstrel_ht_get_rate`]
#[test]
fn samples_cost_little_of_the_air() {
    for decibels in [11.0, 20.0, 32.0] {
        let mut link = SimulatedLink::new(decibels, 1);
        link.send(Duration::from_secs(10));
        let share = link.sampling.as_secs_f64() / link.now.as_secs_f64();
        assert!(share < 0.02, "{decibels} dB: {share}");
    }
}

proptest! {
    /// For any events, the level is in the list of rates, the statistics are probabilities, a chain ends, and
    /// there are no more samples than the intervals allow.
    #[test]
    fn the_level_stays_in_the_list(
        groups in prop::collection::vec((1..=8u8, prop::collection::vec(1..=u64::from(u32::MAX), 1..=12)), 1..=12),
        (overhead, seed) in (any::<u32>(), any::<u64>()),
        events in prop::collection::vec((any::<bool>(), 1..=256u16, 0..=256u16, 0..=30_000_000u64), 0..200),
    ) {
        let groups: Vec<_> = groups.iter().map(|(streams, times)| (*streams, &times[..])).collect();
        let (mut seed, overhead) = (seed, Duration::from_nanos(overhead.into()));
        let rates = rates(&groups);
        let mut state = State::new(&PARAMS, overhead, rates.clone(), || noise(&mut seed));
        let (mut now, mut samples) = (Time::ZERO, 0);
        for (is_first, one, other, pause) in events {
            now += Duration::from_nanos(pause);
            send(&mut state, now, is_first);
            samples += u64::from(is_first && state.is_sample());
            prop_assert!(usize::from(state.level()) < rates.len());
            block(&mut state, now, one.max(other), one.min(other));
            prop_assert!(state.statistics.iter().all(|rate| rate.probability <= CERTAIN));
            prop_assert!(state.lengths.mean() <= 256);
        }
        let intervals = |each: Duration| now.saturating_since(Time::ZERO).whole_steps(each) + 1;
        prop_assert!(samples <= intervals(PARAMS.sample_interval) + intervals(PARAMS.interval));
        send(&mut state, now, true);
        for _ in 0..STAGES * 7 {
            send(&mut state, now, false);
        }
        prop_assert!(state.is_last_attempt());
    }
}
