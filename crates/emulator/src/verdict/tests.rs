//! Verdicts on artificial histories.

use super::*;

use proptest::prelude::*;

const MS: Duration = Duration::from_millis(1);

fn ms(ms: u64) -> Duration {
    MS * ms
}

fn at(ms: u64) -> Time {
    Time::ZERO + MS * ms
}

/// Lateness counters of a download whose data takes 15 ms and whose ACKs take 5 ms. A tenth of the
/// round trip of 20 ms is tolerated, 2 ms.
fn download() -> FlowLateness {
    let mut lateness_of = FlowLateness::new([Some(1), Some(0)].into_iter());
    lateness_of.note(1, at(0), ms(5), Duration::ZERO);
    lateness_of
}

/// Adds `packets` data packets to each second, of which the first `late` are 3 ms late.
fn seconds(lateness_of: &mut FlowLateness, of: std::ops::Range<u64>, packets: u64, late: u64) {
    for second in of {
        for packet in 0..packets {
            let lateness = if packet < late { ms(3) } else { ms(1) };
            lateness_of.note(0, at(second * 1_000 + packet), ms(15), lateness);
        }
    }
}

/// Objections to an emulation with these late packets.
fn objections_to(mut lateness_of: FlowLateness) -> Vec<String> {
    let name = |track: usize| ["data", "acknowledgments"][track].to_owned();
    let [worst_second, worst_flow] = lateness_of.worst(Time::MAX, name);
    let elapsed = Duration::from_secs(600);
    let punctuality = Punctuality { worst_second, worst_flow, elapsed, ..Punctuality::default() };
    objections(&punctuality).iter().map(ToString::to_string).collect()
}

/// For a round trip of 20 ms, a lateness of 1 ms is tolerated, and 3 ms is not.
#[test]
fn packets_may_be_late_by_a_tenth_of_their_round_trip() {
    let mut lateness_of = download();
    seconds(&mut lateness_of, 0..600, 100, 0);
    assert_eq!(objections_to(lateness_of), [""; 0]);
    let mut lateness_of = download();
    seconds(&mut lateness_of, 0..2, 100, 100);
    assert_eq!(
        objections_to(lateness_of),
        [
            "100.0 % of the packets of data were more than 2.0 ms late in the second from 0 s on (at most 5 %)",
            "100.0 % of the packets of data were more than 2.0 ms late (at most 1 %)",
        ]
    );
}

/// Packets that are 4 ms late are tolerated if the round trip of their flow is 100 ms, and not if
/// it is 2 ms.
#[test]
fn the_same_lateness_is_much_or_little_by_the_round_trip() {
    for (round_trip, is_valid) in [(100, true), (2, false)] {
        let mut lateness_of = FlowLateness::new([Some(1), Some(0)].into_iter());
        for packet in 0..1_000 {
            for track in [0, 1] {
                lateness_of.note(track, at(packet), ms(round_trip) / 2, ms(4));
            }
        }
        assert_eq!(objections_to(lateness_of).is_empty(), is_valid, "{round_trip} ms");
    }
}

/// A bad second is an objection although the whole emulation is good: 60 late packets of 1000 are
/// 6 % of a second, and 0.01 % of ten minutes.
#[test]
fn one_bad_second_does_not_vanish_in_ten_minutes_of_good_ones() {
    let mut lateness_of = download();
    seconds(&mut lateness_of, 0..300, 1_000, 0);
    seconds(&mut lateness_of, 300..301, 1_000, 60);
    seconds(&mut lateness_of, 301..600, 1_000, 0);
    assert_eq!(
        objections_to(lateness_of),
        [
            "6.0 % of the packets of data were more than 2.0 ms late in the second from 300 s on (at most 5 %)"
        ]
    );
}

/// A share of 2 % late packets is tolerated in one second, but not over the whole emulation.
#[test]
fn many_seconds_that_are_tolerated_one_by_one_add_up() {
    let mut lateness_of = download();
    seconds(&mut lateness_of, 0..600, 1_000, 20);
    assert_eq!(
        objections_to(lateness_of),
        ["2.0 % of the packets of data were more than 2.0 ms late (at most 1 %)"]
    );
}

/// Five late packets are too few for an objection, and the incomplete last second counts like a
/// full one.
#[test]
fn a_few_late_packets_are_no_objection_and_the_last_second_counts() {
    let mut lateness_of = download();
    seconds(&mut lateness_of, 0..1, 6, 5);
    assert_eq!(objections_to(lateness_of), [""; 0]);
    let mut lateness_of = download();
    seconds(&mut lateness_of, 0..10, 1_000, 0);
    seconds(&mut lateness_of, 10..11, 50, 6);
    assert_eq!(objections_to(lateness_of).len(), 1);
}

/// A punctual flow does not excuse another flow that is late.
#[test]
fn each_flow_is_judged_by_itself() {
    let mut lateness_of = FlowLateness::new([None, None].into_iter());
    for packet in 0..5_000 {
        lateness_of.note(0, at(packet), ms(10), Duration::ZERO);
        if packet % 100 == 0 {
            lateness_of.note(1, at(packet), ms(10), ms(2));
        }
    }
    let found = objections_to(lateness_of);
    assert_eq!(found.len(), 2, "{found:?}");
    assert!(found[0].contains("of acknowledgments were more than 1.0 ms late"), "{found:?}");
}

/// Lateness of 0.1 ms is tolerated for any round trip.
#[test]
fn a_wake_up_is_tolerated_of_the_shortest_round_trip() {
    for (lateness, is_valid) in [(100, true), (101, false)] {
        let mut lateness_of = FlowLateness::new([None].into_iter());
        for packet in 0..100 {
            let us = Duration::from_micros;
            lateness_of.note(0, at(packet), us(10), us(lateness));
        }
        assert_eq!(objections_to(lateness_of).is_empty(), is_valid, "{lateness} µs");
    }
}

/// A long stall in one second is an objection although the whole emulation is good. A stall of
/// 246 ms is 0.25 % of 100 s. Twelve stalls of 80 ms are 0.8 % of 120 s. Both are below the limit over
/// the whole emulation.
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
    // Two stalls of 26 ms, in the same second and in different seconds.
    assert_eq!(stood_still(&[(1_000, 26), (1_900, 26)], 100).len(), 1);
    assert_eq!(stood_still(&[(1_900, 26), (2_000, 26)], 100), [""; 0]);
    // One stall in each second exceeds the limit over the whole emulation.
    let each: Vec<_> = (0..100).map(|second| (second * 1_000, 21)).collect();
    assert_eq!(
        stood_still(&each, 100),
        ["the machine stalled for 2100.0 ms of 100.0 s (at most 1 %)"]
    );
}

/// A packet of a flow with a round trip of 20 ms may be 2 ms late. Of 100 packets, 20 are 3 ms late
/// for which laws take 2 ms, and 10 are 5 ms late for which laws take 2 ms, which would be late
/// without laws. Laws stop the emulation for 60 of 90 ms.
#[test]
fn what_laws_have_made_late_is_told() {
    let mut lateness_of = FlowLateness::new([None].into_iter());
    for packet in 0..100 {
        let time = if packet < 20 { ms(3) } else { ms(5) };
        let late = Span { time, in_laws: ms(2) };
        lateness_of.note(0, at(packet), ms(20), if packet < 30 { late } else { Span::default() });
    }
    let [second, all] = lateness_of.worst(Time::MAX, |_| "up".to_owned());
    let share = all.expect("late packets").share;
    assert_eq!(share, Share { packets: 100, late: 30, late_by_laws: 20 });
    let mut by_second = BySecond::default();
    by_second.add(at(1), ms(30));
    by_second.add(at(2), Span { time: ms(60), in_laws: ms(60) });
    let [slipped, slipped_in_laws, elapsed] = [90, 60, 1_000].map(ms);
    let stillest = by_second.most;
    let it = Punctuality { slipped, slipped_in_laws, stillest, elapsed, ..Punctuality::default() };
    let it = Punctuality { worst_second: second, ..it };
    let told: Vec<_> = objections(&it).iter().map(ToString::to_string).collect();
    assert_eq!(
        told,
        [
            "30.0 % of the packets of up were more than 2.0 ms late in the second from 0 s on (at most 5 %); \
             20.0 % because of laws",
            "the emulation stopped for 90.0 ms in the second from 0 s on (at most 50 ms); 60.0 ms of it in laws",
            "the emulation stopped for 90.0 ms of 1.0 s (at most 1 %); 60.0 ms of it in laws",
        ]
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

/// The results of an emulation are not valid if its engine was busy for more than 95 % of a second.
/// An engine that is idle for 6 of every 100 ms is fast enough, one that is idle for 4 is not.
#[test]
fn an_engine_that_never_rests_is_too_slow() {
    for (rest, is_valid) in [(6, true), (4, false)] {
        let mut effort = Effort::default();
        for step in 0..30 {
            let [wall, rest, in_laws] = [7_000 + step * 100, rest * step, 30 * step].map(ms);
            effort.note(at(step * 100 + 1), wall, rest, in_laws);
        }
        assert_eq!(effort.most.second, 0);
        assert_eq!(!Objection::Effort(effort.most).holds(), is_valid);
        // Laws use 30 of every 100 ms.
        let told = Objection::Effort(effort.most).to_string();
        assert!(told.ends_with("of the second from 0 s on; 300.0 ms of it in laws"), "{told}");
    }
    // A stall of a minute takes one second of channel time, and does not count as a minute of work.
    let mut effort = Effort::default();
    effort.note(at(900), ms(0), ms(0), ms(0));
    effort.note(at(1_000), ms(60_000), ms(100), ms(0));
    assert!(effort.most.time < SECOND, "{effort:?}");
}

proptest! {
    /// The second and the flow found to have the largest share of late packets agree with a direct
    /// count.
    #[test]
    fn the_worst_is_that_of_a_plain_count(
        packets in prop::collection::vec((0..3_usize, 0..40_u64, 0..2_u64), 0..600),
    ) {
        let mut lateness_of = FlowLateness::new([None; 3].into_iter());
        let (mut now, mut seconds, mut flows) = (0, std::collections::BTreeMap::new(), [(0, 0); 3]);
        for (track, step, lateness) in packets {
            now += step;
            // A tenth of the round trip of 10 ms is tolerated.
            lateness_of.note(track, at(now), ms(10), ms(lateness * 2));
            for count in [seconds.entry((now / 1_000, track)).or_insert((0, 0)), &mut flows[track]] {
                count.0 += 1;
                count.1 += lateness;
            }
        }
        // Shares in millionths; flows with few late packets count as zero.
        let part = |(packets, late): (u64, u64)| if late > FEW { late * 1_000_000 / packets } else { 0 };
        let expected =
            [seconds.into_values().map(part).max(), flows.into_iter().map(part).max()];
        let found = lateness_of.worst(Time::MAX, |track: usize| track.to_string());
        let found = found.map(|it| it.map_or(0, |it| part((it.share.packets, it.share.late))));
        let expected = expected.map(Option::unwrap_or_default);
        prop_assert_eq!(found, expected);
    }
}
