//! Verdicts on histories that were made up.

use super::*;

use proptest::prelude::*;

const MS: Duration = Duration::from_millis(1);

fn ms(ms: u64) -> Duration {
    MS * ms
}

fn at(ms: u64) -> Time {
    Time::ZERO + MS * ms
}

/// A download whose data take 15 ms and whose acknowledgments 5 ms: a round trip of 20 ms, of which 2 are tolerated.
fn download() -> Watch {
    let mut watch = Watch::new([Some(1), Some(0)].into_iter());
    watch.note(1, at(0), ms(5), Duration::ZERO);
    watch
}

/// So many packets a second of data, of which the first `late` of each second are 3 ms late.
fn seconds(watch: &mut Watch, of: std::ops::Range<u64>, packets: u64, late: u64) {
    for second in of {
        for packet in 0..packets {
            let lateness = if packet < late { ms(3) } else { ms(1) };
            watch.note(0, at(second * 1_000 + packet), ms(15), lateness);
        }
    }
}

/// What an emulation is told of that had these late packets.
fn told(mut watch: Watch) -> Vec<String> {
    let name = |track: usize| ["data", "acknowledgments"][track].to_owned();
    let [worst_second, worst_flow] = watch.worst(Time::MAX, name);
    let elapsed = Duration::from_secs(600);
    let punctuality = Punctuality { worst_second, worst_flow, elapsed, ..Punctuality::default() };
    objections(&punctuality).iter().map(ToString::to_string).collect()
}

/// 1 ms late is nothing to a round trip of 20 ms. Each packet 3 ms late is.
#[test]
fn packets_may_be_late_by_a_tenth_of_their_round_trip() {
    let mut watch = download();
    seconds(&mut watch, 0..600, 100, 0);
    assert_eq!(told(watch), [""; 0]);
    let mut watch = download();
    seconds(&mut watch, 0..2, 100, 100);
    assert_eq!(
        told(watch),
        [
            "100.0 % of the packets of data were more than 2.0 ms late in the second from 0 s on (at most 5 %)",
            "100.0 % of the packets of data were more than 2.0 ms late (at most 1 %)",
        ]
    );
}

/// What is tolerated where the round trip is 100 ms is not where it is 2 ms, and 4 ms are less than the 5 ms that once
/// were tolerated of any flow.
#[test]
fn the_same_lateness_is_much_or_little_by_the_round_trip() {
    for (round_trip, is_valid) in [(100, true), (2, false)] {
        let mut watch = Watch::new([Some(1), Some(0)].into_iter());
        for packet in 0..1_000 {
            for track in [0, 1] {
                watch.note(track, at(packet), ms(round_trip) / 2, ms(4));
            }
        }
        assert_eq!(told(watch).is_empty(), is_valid, "{round_trip} ms");
    }
}

/// 60 late packets of a second are 6 %. In ten minutes with 1000 a second they are 0.01 %.
#[test]
fn one_bad_second_does_not_vanish_in_ten_minutes_of_good_ones() {
    let mut watch = download();
    seconds(&mut watch, 0..300, 1_000, 0);
    seconds(&mut watch, 300..301, 1_000, 60);
    seconds(&mut watch, 301..600, 1_000, 0);
    assert_eq!(
        told(watch),
        [
            "6.0 % of the packets of data were more than 2.0 ms late in the second from 300 s on (at most 5 %)"
        ]
    );
}

/// 2 % of each second are tolerated of a single one, and not of all.
#[test]
fn many_seconds_that_are_tolerated_one_by_one_add_up() {
    let mut watch = download();
    seconds(&mut watch, 0..600, 1_000, 20);
    assert_eq!(
        told(watch),
        ["2.0 % of the packets of data were more than 2.0 ms late (at most 1 %)"]
    );
}

/// Five late packets of six are no share. The second in which it ends counts like a whole one.
#[test]
fn a_handful_says_nothing_and_the_last_second_counts() {
    let mut watch = download();
    seconds(&mut watch, 0..1, 6, 5);
    assert_eq!(told(watch), [""; 0]);
    let mut watch = download();
    seconds(&mut watch, 0..10, 1_000, 0);
    seconds(&mut watch, 10..11, 50, 6);
    assert_eq!(told(watch).len(), 1);
}

/// A flow that is late is not excused by another one that is not.
#[test]
fn each_flow_is_judged_by_itself() {
    let mut watch = Watch::new([None, None].into_iter());
    for packet in 0..5_000 {
        watch.note(0, at(packet), ms(10), Duration::ZERO);
        if packet % 100 == 0 {
            watch.note(1, at(packet), ms(10), ms(2));
        }
    }
    let found = told(watch);
    assert_eq!(found.len(), 2, "{found:?}");
    assert!(found[0].contains("of acknowledgments were more than 1.0 ms late"), "{found:?}");
}

/// However short the round trip, a wake-up of 0.1 ms is on time.
#[test]
fn a_wake_up_is_tolerated_of_the_shortest_round_trip() {
    for (lateness, is_valid) in [(100, true), (101, false)] {
        let mut watch = Watch::new([None].into_iter());
        for packet in 0..100 {
            let us = Duration::from_micros;
            watch.note(0, at(packet), us(10), us(lateness));
        }
        assert_eq!(told(watch).is_empty(), is_valid, "{lateness} µs");
    }
}

/// A stall of 246 ms is 0.25 % of 100 s, and twelve of 80 ms are 0.8 % of 120 s: as parts of the whole both are too
/// little to be noticed.
#[test]
fn stalls_do_not_vanish_in_a_long_emulation() {
    let stood_still = |stalls: &[(u64, u64)], seconds| {
        let mut by_second = BySecond::default();
        for (start, time) in stalls {
            by_second.add(at(*start), ms(*time));
        }
        let slipped = stalls.iter().map(|(_, time)| ms(*time)).sum();
        let elapsed = Duration::from_secs(seconds);
        let stillest = by_second.most;
        let it = Punctuality { slipped, stillest, elapsed, ..Punctuality::default() };
        objections(&it).iter().map(ToString::to_string).collect::<Vec<_>>()
    };
    assert_eq!(
        stood_still(&[(42_100, 246)], 100),
        ["the machine stalled for 246.0 ms in the second from 42 s on (at most 50 ms)"]
    );
    let twelve: Vec<_> = (0..12).map(|stall| (stall * 10_000, 80)).collect();
    assert_eq!(
        stood_still(&twelve, 120),
        ["the machine stalled for 80.0 ms in the second from 0 s on (at most 50 ms)"]
    );
    // Two of 26 ms in one second, and in two.
    assert_eq!(stood_still(&[(1_000, 26), (1_900, 26)], 100).len(), 1);
    assert_eq!(stood_still(&[(1_900, 26), (2_000, 26)], 100), [""; 0]);
    // One in each second is too much of the whole.
    let each: Vec<_> = (0..100).map(|second| (second * 1_000, 21)).collect();
    assert_eq!(
        stood_still(&each, 100),
        ["the machine stalled for 2100.0 ms of 100.0 s (at most 1 %)"]
    );
}

#[test]
fn drops_are_objected_to_one_by_one_and_a_few_nodes_are_named() {
    let of = |count: u64| (1..=count).map(|at| (format!("n{at}"), at)).collect::<Vec<_>>();
    assert!(!Objection::Unread(of(0)).holds());
    assert!(Objection::Undelivered(of(1)).holds());
    assert_eq!(
        Objection::Undelivered(of(1)).to_string(),
        "the kernel dropped 1 packet that had crossed the cell: for n1 1"
    );
    assert_eq!(
        Objection::Unread(of(6)).to_string(),
        "the kernel dropped 21 packets before the emulation read them: of n1 1, n2 2, n3 3, n4 4, and 2 more"
    );
}

/// Rest of 4 of 100 ms, and of 6.
#[test]
fn an_engine_that_never_rests_is_too_slow() {
    for (rest, is_valid) in [(6, true), (4, false)] {
        let mut effort = Effort::default();
        for step in 0..30 {
            effort.note(at(step * 100 + 1), ms(7_000 + step * 100), ms(rest * step));
        }
        assert_eq!(effort.most.second, 0);
        assert_eq!(!Objection::Effort(effort.most).holds(), is_valid);
    }
    // A stall of a minute is one second of channel time, and no work for a minute.
    let mut effort = Effort::default();
    effort.note(at(900), ms(0), ms(0));
    effort.note(at(1_000), ms(60_000), ms(100));
    assert!(effort.most.time < SECOND, "{effort:?}");
}

proptest! {
    /// The worst second and the worst flow are those of a plain count.
    #[test]
    fn the_worst_is_that_of_a_plain_count(
        packets in prop::collection::vec((0..3_usize, 0..40_u64, 0..2_u64), 0..600),
    ) {
        let mut watch = Watch::new([None; 3].into_iter());
        let (mut now, mut seconds, mut flows) = (0, std::collections::BTreeMap::new(), [(0, 0); 3]);
        for (track, step, lateness) in packets {
            now += step;
            // A tenth of 10 ms is tolerated.
            watch.note(track, at(now), ms(10), ms(lateness * 2));
            for count in [seconds.entry((now / 1_000, track)).or_insert((0, 0)), &mut flows[track]] {
                count.0 += 1;
                count.1 += lateness;
            }
        }
        // In millionths, of those with more than a handful.
        let part = |(packets, late): (u64, u64)| if late > FEW { late * 1_000_000 / packets } else { 0 };
        let expected =
            [seconds.into_values().map(part).max(), flows.into_iter().map(part).max()];
        let found = watch.worst(Time::MAX, |track: usize| track.to_string());
        let found = found.map(|it| it.map_or(0, |it| part((it.share.packets, it.share.late))));
        let expected = expected.map(Option::unwrap_or_default);
        prop_assert_eq!(found, expected);
    }
}
