//! Tests of RACK's loss detection.

use super::*;
use crate::tcp::segment::{SackBlocks, Timestamps};
use proptest::prelude::*;
use std::num::NonZeroU32;

const SEGMENT: u64 = 1_000;

fn at(ms: u64) -> Time {
    Time::ZERO + Duration::from_millis(ms)
}

fn input(ms: u64) -> RackInput {
    let least = Some(Duration::from_millis(100));
    RackInput { now: at(ms), least, smoothed: least, is_repairing: false }
}

/// First octet of segment `number`.
fn octet(number: u64) -> u64 {
    1 + SEGMENT * number
}

fn ack(number: u64, ranges: &[(u64, u64)]) -> Segment {
    let mut sack = SackBlocks::NONE;
    for (start, end) in ranges {
        sack.push(octet(number), octet(*start), octet(*end));
    }
    Segment { ack: octet(number), sack, ..Segment::EMPTY }
}

/// RACK's state of a sender with segments 0 to 9, all sent at time zero.
fn ten() -> Rack {
    let mut rack = Rack::new(1, false);
    for number in 0..10 {
        rack.on_sent(at(0), octet(number), octet(number + 1));
    }
    rack
}

fn next_lost(rack: &Rack) -> Option<u64> {
    rack.next_lost().map(|range| (range.start - 1) / SEGMENT)
}

/// A segment sent before one that has arrived counts as lost once a round trip, and a quarter of the smallest
/// round trip, have passed since it was sent.
///
/// Verifies: [RFC8985 §6.2]
#[test]
fn the_window_of_reordering_is_a_quarter_of_the_least_round_trip() {
    let mut rack = ten();
    rack.on_ack(&ack(0, &[(2, 3)]), octet(10), input(100));
    // 0 and 1 were sent before 2, so they are lost 100 + 25 ms after that
    let losses = rack.detect(input(110));
    assert_eq!(losses, Losses { octets: 0, wait: Some(Duration::from_millis(15)) });
    assert_eq!(rack.detect(input(125)), Losses { octets: 2_000, wait: None });
    assert_eq!((next_lost(&rack), rack.in_network()), (Some(0), 7_000));
}

/// Each round trip with a reported duplicate widens the reordering window by a quarter; 16 recoveries without
/// one reset it.
///
/// Verifies: [RFC8985 §6.2]
#[test]
fn duplicates_widen_the_window_of_reordering() {
    let duplicate = |number| {
        let mut sack = SackBlocks::NONE;
        sack.push(octet(number), octet(0), octet(1));
        Segment { ack: octet(number), sack, ..Segment::EMPTY }
    };
    let mut rack = ten();
    let quarter = Duration::from_millis(25);
    for (number, quarters) in [(1, 2), (2, 2), (10, 3)] {
        rack.on_ack(&duplicate(number), octet(10), input(100));
        assert_eq!(rack.reordering_window(input(100)), quarter * quarters, "{number}");
    }
    // At most SRTT.
    rack.reordering.quarters = 9;
    assert_eq!(rack.reordering_window(input(100)), quarter * 4);
    for left in (0..PERSISTENCE).rev() {
        rack.on_recovered();
        assert_eq!(rack.reordering.quarters == 1, left == 0);
    }
}

/// An ACK that arrives sooner than the smallest round trip answers the first copy of a segment, and proves
/// nothing about the second.
///
/// Verifies: [RFC8985 §6.2]
#[test]
fn an_answer_to_an_earlier_copy_proves_nothing_about_the_later_one() {
    for (answered, lost) in [(150, None), (200, Some(1))] {
        let mut rack = ten();
        rack.on_sent(at(100), octet(0), octet(1));
        rack.on_sent(at(100), octet(1), octet(2));
        rack.on_sent(at(100), octet(2), octet(3));
        let update = rack.on_ack(&ack(1, &[(2, 3)]), octet(10), input(answered));
        assert_eq!((update.delivered, update.longest), (2_000, None));
        rack.detect(RackInput { is_repairing: true, ..input(answered) });
        assert_eq!(next_lost(&rack), lost);
    }
}

/// An ACK that echoes a time before the second copy of a segment answers the first copy, however late it
/// arrives. An ACK above a gap echoes the segment before the gap, which proves nothing about the copy.
///
/// Verifies: [RFC8985 §6.2]
#[test]
fn an_echo_from_before_the_later_copy_proves_nothing_about_it() {
    let echo = |ms: u64| u32::try_from(1_000 * ms + 1).unwrap();
    let acked = ack(1, &[]);
    let sacked = ack(0, &[(1, 2)]);
    for (echoed, seen, lost) in
        [(0, acked, None), (99, acked, None), (100, acked, Some(2)), (0, sacked, Some(0))]
    {
        let mut rack = ten();
        (0..2).for_each(|it| rack.on_sent(at(100), octet(it), octet(it + 1)));
        let timestamps = Some(Timestamps { value: NonZeroU32::MIN, echo: echo(echoed) });
        rack.on_ack(&Segment { timestamps, ..seen }, octet(10), input(300));
        rack.detect(RackInput { is_repairing: true, ..input(300) });
        assert_eq!(next_lost(&rack), lost, "{echoed}");
    }
}

/// An ACK in the middle of a segment, when the receiver had room for a part of it, leaves the rest of the
/// segment outstanding.
#[test]
fn an_ack_in_the_middle_of_a_segment_leaves_its_rest() {
    let mut rack = ten();
    let segment = Segment { ack: octet(1) + 400, ..Segment::EMPTY };
    assert_eq!(rack.on_ack(&segment, octet(10), input(100)).delivered, 1_400);
    assert_eq!(rack.in_network(), 8_600);
    rack.on_timeout(input(100));
    assert_eq!(rack.next_lost(), Some(Range { start: octet(1) + 400, end: octet(2) }));
}

/// One event at a sender of twenty segments.
#[derive(Clone, Debug)]
enum Step {
    Send,
    Ack(u64),
    Sack(u64, u64),
    Look,
    TimeOut,
    Refuse,
}

fn any_step() -> impl Strategy<Value = Step> {
    prop_oneof![
        4 => Just(Step::Send),
        1 => (0u64..20).prop_map(Step::Ack),
        2 => (0u64..20, 1u64..4).prop_map(|(start, length)| Step::Sack(start, start + length)),
        2 => Just(Step::Look),
        1 => Just(Step::TimeOut),
        1 => Just(Step::Refuse),
    ]
}

proptest! {
    /// For any events at a sender, every octet that is not acknowledged is in the network, lost or sacked,
    /// and a sacked octet is never offered for retransmission.
    #[test]
    fn octets_are_conserved_and_what_arrived_is_not_sent_again(
        steps in prop::collection::vec((any_step(), 0u64..80), 1..120),
    ) {
        let mut rack = Rack::new(1, false);
        let (mut next, mut ms, mut arrived, mut first) = (0, 0, [false; 24], 0);
        let mut delivered = 0;
        for (step, pause) in steps {
            ms += pause;
            let lost = next_lost(&rack);
            prop_assert!(lost.is_none_or(|it| it >= first && !arrived[usize::try_from(it).unwrap()]));
            match (step, lost) {
                (Step::Send, Some(again)) => rack.on_sent(at(ms), octet(again), octet(again + 1)),
                (Step::Send, None) if next < 20 => {
                    rack.on_sent(at(ms), octet(next), octet(next + 1));
                    next += 1;
                }
                (Step::Ack(number), _) if number >= first && number <= next => {
                    first = number;
                    delivered += rack.on_ack(&ack(number, &[]), octet(next), input(ms)).delivered;
                    (0..number).for_each(|it| arrived[usize::try_from(it).unwrap()] = true);
                }
                (Step::Sack(start, end), _) if start > first && end <= next => {
                    let ack = ack(first, &[(start, end)]);
                    delivered += rack.on_ack(&ack, octet(next), input(ms)).delivered;
                    (start..end).for_each(|it| arrived[usize::try_from(it).unwrap()] = true);
                }
                (Step::Look, _) => drop(rack.detect(input(ms))),
                (Step::TimeOut, _) => rack.on_timeout(input(ms)),
                (Step::Refuse, _) => rack.on_refused(octet(first)),
                _ => {}
            }
            let all = u64::try_from(arrived.iter().filter(|it| **it).count()).unwrap();
            prop_assert_eq!(delivered, SEGMENT * all);
            prop_assert_eq!(rack.in_network() + rack.lost + delivered, SEGMENT * next);
            let sacked = rack.sent.iter().filter(|it| it.state == SegmentState::Sacked).count();
            prop_assert_eq!(usize::try_from(rack.sacked).unwrap(), sacked);
        }
    }
}
