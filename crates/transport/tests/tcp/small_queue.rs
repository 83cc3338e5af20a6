//! TCP small queues: number of a sender's packets in the transmit queue of its host. Packets of a full
//! segment have 1040 octets.

use airfair_transport::tcp::{Arithmetic, LossRecovery, SenderConfig};
use airfair_units::{Bytes, Duration};

use crate::script::{Script, plain};
use crate::selective::selective;

/// Configuration of a sender with an initial window of a hundred segments, and a small queue of 1 ms at the
/// pacing rate.
fn hundred() -> SenderConfig {
    let small_queue = Some(Duration::from_millis(1));
    SenderConfig { initial_window: 100, small_queue, ..plain() }
}

/// Script of a sender whose first hundred segments have left the host and were each acknowledged after
/// `round_trip_ms`.
fn acknowledged(config: SenderConfig, round_trip_ms: u64) -> Script {
    let mut script = Script::new(config);
    script.sends(0..100);
    leave(&mut script, 100);
    script.at(round_trip_ms);
    for number in 1..=100 {
        script.ack(number);
    }
    script
}

/// Lets packets leave the queue of the sender's host. Returns true if the sender waited for the last of them.
fn leave(script: &mut Script, packets: u64) -> bool {
    let mut waited = false;
    for _ in 0..packets {
        waited = script.sender.handle_departure(Bytes::new(1_040));
    }
    waited
}

/// In congestion avoidance a sender stops once its host's queue holds more than 1 ms at 1.2 times cwnd per
/// round trip.
///
/// cwnd is 101 segments in congestion avoidance, and 1.2 · 101 000 octets in 10 ms are 12 120 in a
/// millisecond. Eleven packets are 11 440 octets, so a twelfth is sent: 12 480.
///
/// Verifies: [linux-tsq]
#[test]
fn a_millisecond_at_the_pacing_rate_waits_in_the_own_queue() {
    let mut script = acknowledged(SenderConfig { initial_ssthresh: Some(2), ..hundred() }, 10);
    script.window(101, 2).sends(100..112);
    assert_eq!(script.sender.awaited_departures(), Some(Bytes::new(360)));
    assert!(leave(&mut script, 1), "the sender waited for it");
    script.sends([112]);
    // Four packets leave, and four are sent.
    assert!(leave(&mut script, 4));
    script.sends(113..117);
}

/// In slow start the limit of the host's queue is 1 ms at twice cwnd per round trip.
///
/// 2 · 200 000 octets in 10 ms are 40 000 in a millisecond. 38 packets are 39 520, so a 39th is sent.
///
/// Verifies: [linux-tsq]
#[test]
fn in_slow_start_the_pacing_rate_is_twice_that_of_the_window() {
    let mut script = acknowledged(hundred(), 10);
    script.window(200, u32::MAX).sends(100..139);
}

/// Two segments may wait in the host's queue, however low the pacing rate is.
///
/// 1.2 · 101 000 octets per second are 121 in a millisecond. Two packets may wait, so a third is added to
/// them.
///
/// Verifies: [linux-tsq]
#[test]
fn two_segments_may_wait_at_any_rate() {
    let mut script = acknowledged(SenderConfig { initial_ssthresh: Some(2), ..hundred() }, 1_000);
    script.sends(100..103).silent();
    assert!(leave(&mut script, 1));
    script.sends([103]);
}

/// Two segments sent as a pair count as one burst: four may wait, so two more are added to them.
///
/// Verifies: [linux-tsq], [linux-tso]
#[test]
fn two_bursts_of_two_segments_may_wait_where_segments_go_out_in_twos() {
    let config = SenderConfig {
        loss_recovery: LossRecovery::Rack,
        arithmetic: Arithmetic::Linux,
        flavour: selective().flavour,
        sack: selective().sack,
        initial_ssthresh: Some(2),
        ..hundred()
    };
    let mut script = acknowledged(config, 1_000);
    script.sends(100..106).silent();
    assert_eq!(script.sender.awaited_departures(), Some(Bytes::new(2 * 1_040)));
    assert!(!leave(&mut script, 1), "more than four are there");
    assert!(leave(&mut script, 1));
    script.sends(106..108).silent();
}

/// Before the first round-trip sample, 4 MiB may wait in the host's queue.
///
/// 4033 packets of 1040 octets are the first to exceed 4 MiB.
///
/// Verifies: `tcp_limit_output_bytes` [linux-tsq]
#[test]
fn four_mebibytes_may_wait_before_a_round_trip_is_known() {
    let window = Bytes::new(10_000_000);
    let config = SenderConfig { initial_window: 9_000, assumed_window: window, ..hundred() };
    let mut script = Script::new(config);
    script.sends(0..4_033).silent();
    assert_eq!(script.sender.awaited_departures(), Some(Bytes::new(4_033 * 1_040 - (4 << 20))));
}

/// During loss recovery the sender may have twice as many octets in its host's queue.
///
/// For each packet that leaves another one is sent, until the window of 101 is full. With 12 480 octets in
/// the host's queue, above the limit of 12 120, no new data would be sent; retransmissions are allowed up to
/// 24 240.
///
/// Verifies: [linux-tsq]
#[test]
fn a_repair_may_have_twice_as_much_in_the_own_queue() {
    let mut script = acknowledged(SenderConfig { initial_ssthresh: Some(2), ..hundred() }, 10);
    script.sends(100..112);
    for number in 112..201 {
        assert!(leave(&mut script, 1));
        script.sends([number]);
    }
    assert_eq!(script.sender.awaited_departures(), Some(Bytes::new(360)));
    script.at(12).ack(100).ack(100).silent().ack(100).sends([100]).silent();
}

/// A sender that waits for its host between two ACKs still counts as limited by cwnd, so cwnd grows.
///
/// The window was full before the ACK of half of it. Some of the new data waits for the host when the next
/// ACK arrives; cwnd still grows by a segment for each.
///
/// Verifies: [linux-tsq]
#[test]
fn a_sender_that_waits_for_its_own_host_is_limited_by_its_window() {
    let mut script = acknowledged(hundred(), 10);
    script.sends(100..139);
    while leave(&mut script, 30) {
        script.drain();
    }
    // 200 segments are outstanding: the window is full. An ACK opens it, and a part of the new data waits.
    assert_eq!(script.sender.flight(), Bytes::new(200_000));
    script.at(20).ack(200).drain();
    assert!(script.sender.flight() < Bytes::new(200_000));
    let before = script.sender.cwnd();
    script.ack(202);
    assert_eq!(script.sender.cwnd(), before + 1);
}
