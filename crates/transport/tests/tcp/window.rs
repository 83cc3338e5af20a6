//! Limits of sending: congestion window, receiver's window, window limit.

use airfair_transport::tcp::{Segment, SenderConfig, SlowStart, Transfer, WindowLimit};
use airfair_units::Bytes;

use crate::script::{Script, ack, ms, octet, plain};

/// In slow start each ACK for new data adds one segment to cwnd.
///
/// Verifies: [RFC6928 §2], [RFC5681 §3.1 eq. 2]
#[test]
fn slow_start_sends_two_segments_for_one() {
    // cwnd 4 → 5: 3 in flight, so 2 more fit. ACK of two segments: cwnd 6 (L = 1), 3 in flight, so 3 more
    // fit.
    let mut script = Script::new(plain());
    script.sends(0..4).at(100).ack(1).sends([4, 5]).window(5, u32::MAX);
    script.at(110).ack(3).sends([6, 7, 8]).window(6, u32::MAX);
}

/// In congestion avoidance cwnd grows by one segment for each window of octets acknowledged.
///
/// Verifies: [RFC3465 §2.1]
#[test]
fn avoidance_adds_one_segment_per_window() {
    let mut script = Script::new(SenderConfig { initial_ssthresh: Some(4), ..plain() });
    script.sends(0..4).at(100).ack(1).sends([4]).ack(2).sends([5]).ack(3).sends([6]).window(4, 4);
    // The fourth ACK completes 4000 octets: cwnd 5
    script.ack(4).sends([7, 8]).window(5, 4);
    // One ACK for all five, a whole window: cwnd 6
    script.at(200).ack(9).sends(9..15).window(6, 4);
}

/// Without byte counting, as in ns-2, the window grows by the number of ACKs, so delayed ACKs halve the
/// growth.
///
/// Verifies: [RFC5681 §3.1 eq. 3]
#[test]
fn avoidance_by_acks_does_not_see_how_much_they_acknowledge() {
    let config = SenderConfig { initial_ssthresh: Some(4), byte_counting: false, ..plain() };
    let mut script = Script::new(config);
    script.sends(0..4).at(100);
    // 4000 → 4250 → 4485 → 4708 → 4920 → 5123: the fifth ACK makes it five segments
    for number in [2, 4, 6, 8] {
        script.ack(number).sends([number + 2, number + 3]).window(4, 4);
    }
    script.ack(10).sends([12, 13, 14]).window(5, 4);
}

/// The sender never sends beyond the receiver's window, and a change of that window is no duplicate ACK.
///
/// Verifies: [RFC9293 §3.8.6]
#[test]
fn the_receivers_window_limits() {
    let narrow = |number| Segment { window: 2_500, ..ack(number) };
    let mut script = Script::new(SenderConfig { assumed_window: Bytes::new(2_500), ..plain() });
    // Two whole segments fit; a part of a segment is not sent [RFC9293 §3.8.6.2.1].
    script.sends(0..2).at(100).receive(narrow(1)).sends([2]);
    // The window opens, with an ACK that is no duplicate.
    script.receive(Segment { window: 4_000, ..ack(1) }).sends([3, 4]);
    assert_eq!(script.sender.stats().duplicate_acks, 0);
    assert_eq!(script.sender.receive_window(), Bytes::new(4_000));
    assert_eq!(script.sender.flight(), Bytes::new(4_000));
}

/// If the receiver's window is smaller than a segment, the sender sends one segment of that size at a time.
///
/// Verifies: [RFC9293 §3.8.6.2.1]
#[test]
fn a_window_below_a_segment_carries_small_segments_one_at_a_time() {
    let mut script = Script::new(SenderConfig { assumed_window: Bytes::new(700), ..plain() });
    let sizes = |script: &mut Script| -> Vec<_> {
        script.drain().iter().map(|segment| (segment.seq, segment.payload)).collect()
    };
    assert_eq!(sizes(&mut script), [(1, 700)]);
    script.at(100).receive(Segment { ack: 701, window: 700, ..ack(0) });
    assert_eq!(sizes(&mut script), [(701, 700)]);
}

/// While the receiver's window limits the sender, cwnd grows only with `grow_beyond_receive_window`.
///
/// Verifies: [RFC7661 §1]
#[test]
fn cwnd_grows_beyond_the_receivers_window_only_if_asked() {
    for (grow_beyond_receive_window, cwnd) in [(false, 4), (true, 7)] {
        let assumed_window = Bytes::new(3_000);
        let config = SenderConfig { grow_beyond_receive_window, assumed_window, ..plain() };
        let mut script = Script::new(config);
        script.sends(0..3).at(100);
        for number in 1..=3 {
            let narrow = Segment { window: 3_000, ..ack(number) };
            script.receive(narrow).sends([number + 2]);
        }
        script.window(cwnd, u32::MAX);
    }
}

/// cwnd does not grow while the application has too little data to fill it.
///
/// Verifies: [RFC7661 §1]
#[test]
fn cwnd_does_not_grow_when_the_source_runs_dry() {
    let transfer = Transfer::Bytes(Bytes::new(6_000));
    let mut script = Script::new(SenderConfig { transfer, ..plain() });
    // ACK 1: 4 in flight of 4 → cwnd 5. ACK 2: 5 of 5 → cwnd 6. ACK 3: 4 of 6, so cwnd stays.
    script.sends(0..4).at(100).ack(1).sends([4, 5]).ack(2).silent().window(6, u32::MAX);
    script.ack(3).ack(4).silent().window(6, u32::MAX);
}

/// Under a limit in segments no more than these are in flight, and cwnd does not grow.
///
/// Verifies: [arf-aware-tcp §3]
#[test]
fn a_limit_in_segments_caps_what_is_in_flight() {
    let mut script = Script::new(plain());
    script.sends(0..4).at(100).sender.set_window_limit(WindowLimit::Segments(2));
    // The limit is below the flight: the sender waits until the flight has decreased. The flight was full at
    // the first ACK, so cwnd became 5; from then on cwnd is not the limit and stays.
    script.ack(1).silent().ack(2).silent().ack(3).sends([4]).ack(5).sends([5, 6]);
    script.window(5, u32::MAX);
    script.sender.set_window_limit(WindowLimit::None);
    script.sends([7, 8, 9]);
}

/// A window limit of ⌊cwnd / k⌋ follows cwnd and is at least one segment.
///
/// Verifies: [arf-aware-tcp §3]
#[test]
fn a_divided_window_rounds_down_and_never_vanishes() {
    let divided = |divisor| {
        let mut script = Script::new(SenderConfig { initial_window: 11, ..plain() });
        script.sender.set_window_limit(WindowLimit::DividedBy(divisor));
        script
    };
    // ⌊11/2⌋ = 5, ⌊11/6⌋ = 1, ⌊11/12⌋ = 0 → 1
    divided(2).sends(0..5);
    divided(6).sends([0]);
    divided(12).sends([0]);
    let mut script = divided(2);
    script.sends(0..5).sender.set_cwnd(14);
    script.sends([5, 6]);
}

/// A limit of three segments less one octet is two segments; less than a segment is one.
#[test]
fn a_limit_in_octets_counts_whole_segments() {
    for (more, segments) in [(0, 2), (1, 1)] {
        let mut script = Script::new(plain());
        let octets = (3 - 2 * more) * script.sender.segment_size().get() - 1;
        script.sender.set_window_limit(WindowLimit::Octets(Bytes::new(octets)));
        script.sends(0..segments).silent();
    }
}

/// A limit of zero counts as one, so a control law cannot stop a connection.
#[test]
fn no_limit_stops_a_connection() {
    for limit in [WindowLimit::Segments(0), WindowLimit::DividedBy(u32::MAX)] {
        let mut script = Script::new(plain());
        script.sender.set_window_limit(limit);
        script.sends([0]).at(100).ack(1).sends([1]);
    }
    let mut script = Script::new(plain());
    script.sender.set_window_limit(WindowLimit::DividedBy(0));
    script.sends(0..4);
}

/// Under a window limit cwnd grows only with the option for it, which ns-2 has too.
///
/// Verifies: [arf-aware-tcp §3]
#[test]
fn under_a_limit_cwnd_grows_only_if_asked() {
    for (grow_beyond_receive_window, cwnd) in [(false, 8), (true, 11)] {
        let config = SenderConfig { grow_beyond_receive_window, initial_window: 8, ..plain() };
        let mut script = Script::new(config);
        script.sender.set_window_limit(WindowLimit::DividedBy(4));
        // ⌊8/4⌋ = ⌊11/4⌋ = 2
        script.sends(0..2).at(100).ack(1).sends([2]).ack(2).sends([3]).ack(3).sends([4]);
        script.window(cwnd, u32::MAX);
    }
}

#[test]
fn a_given_window_is_used_at_once_and_is_one_at_least() {
    let mut script = Script::new(plain());
    script.sends(0..4).sender.set_cwnd(6);
    script.sends([4, 5]).sender.set_cwnd(0);
    script.window(1, u32::MAX).at(100).ack(5).sends([6]).window(2, u32::MAX);
}

/// A window that a control law sets starts without the credit earned under the old window.
#[test]
fn a_given_window_starts_without_credit() {
    let mut script = Script::new(SenderConfig { initial_ssthresh: Some(4), ..plain() });
    // 3000 of 4000 octets were earned and are dropped: the fourth segment does not complete a window.
    script.sends(0..4).at(100).ack(3).sends([4, 5, 6]).sender.set_cwnd(4);
    script.ack(4).sends([7]).window(4, 4);
}

#[test]
fn an_initial_window_of_nothing_is_one_segment() {
    Script::new(SenderConfig { initial_window: 0, ..plain() }).sends([0]);
}

/// ACKs of data never sent, or acknowledged long ago, have no effect.
///
/// Verifies: [RFC9293 §3.10.7.4]
#[test]
fn acks_out_of_range_are_ignored() {
    let mut script = Script::new(plain());
    script.sends(0..4).at(100).ack(2).sends(4..7).window(5, u32::MAX).timer(1_100);
    let beyond = Segment { ack: octet(7) + 1, window: 9, ..ack(0) };
    let old = Segment { window: 9, ..ack(1) };
    script.at(200).receive(beyond).receive(old).silent().window(5, u32::MAX).timer(1_100);
    assert!(script.sender.receive_window() > Bytes::new(9));
    script.sender.handle_timeout(ms(1_099));
    script.silent();
}

/// Without timestamps each segment is timed, so that the round trips of a round show that a queue grows.
///
/// Verifies: [RFC9406 §4.2]
#[test]
fn a_start_ends_without_timestamps() {
    let config = SenderConfig {
        slow_start: Some(SlowStart::HyStartPlusPlus),
        assumed_window: Bytes::new(1_000_000),
        initial_window: 10,
        ..plain()
    };
    let mut script = Script::new(config);
    script.sends(0..10).at(100);
    for number in 1..=10 {
        script.ack(number).drain();
    }
    script.window(20, u32::MAX).at(250);
    for number in 11..=30 {
        script.ack(number).drain();
    }
    // ACK 10, after 100 ms, began the second round, when 28 segments had been sent. So ACK 28 begins the third, in which
    // all round trips last 150 ms: more than 100 ms and an eighth.
    script.window(40, u32::MAX).at(400);
    for number in 31..=38 {
        script.ack(number).drain();
    }
    // ACK 35 is the eighth of the third round. From it on an ACK adds a quarter of a segment: 40 + 4 + 4/4
    script.window(45, u32::MAX);
}
