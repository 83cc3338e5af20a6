//! The retransmission timer.

use airfair_transport::tcp::{Flavour, RtoConfig, SenderConfig, SenderEvent, Transfer};
use airfair_units::{Bytes, Duration, Time};

use crate::script::{Script, ms, plain};

fn rtt(ms: u64) -> SenderEvent {
    SenderEvent::RttSample(Duration::from_millis(ms))
}

/// Script with eight segments in flight, all of them lost.
fn eight_lost() -> Script {
    let mut script = Script::new(SenderConfig { initial_window: 8, ..plain() });
    script.sends(0..8).timer(1_000);
    script
}

/// A time-out retransmits the first segment with cwnd 1, and each further one doubles the time-out, up to
/// 60 s.
///
/// Verifies: [RFC6298 §5.4 to §5.6], [RFC5681 §3.1 eq. 4]
#[test]
fn a_timeout_sends_the_first_segment_again_and_doubles() {
    let mut script = eight_lost();
    // ssthresh 8/2 = 4; repeated time-outs leave it there, although 1 is in flight.
    for (at, next) in [(1_000, 3_000), (3_000, 7_000), (7_000, 15_000)] {
        script.at(at).expire().timer(next).sends([0]).timer(next).window(1, 4);
    }
    // … 16, 32, then 60 s and not 64
    for (at, next) in [(15_000, 31_000), (31_000, 63_000), (63_000, 123_000), (123_000, 183_000)] {
        script.at(at).expire().sends([0]).timer(next);
    }
    assert_eq!(script.sender.stats().timeouts, 7);
}

/// After a time-out the sender sends everything from the first lost segment on again, in slow start up to
/// half of the flight.
///
/// Verifies: [RFC5681 §3.1]
#[test]
fn after_a_timeout_everything_outstanding_is_sent_again_in_slow_start() {
    let mut script = eight_lost();
    script.at(1_000).expire().sends([0]);
    script.at(1_100).ack(1).sends([1, 2]).window(2, 4);
    script.at(1_200).ack(2).sends([3, 4]).ack(3).sends([5, 6]).window(4, 4);
    // Congestion avoidance from here on: one segment more for four acknowledged.
    script.at(1_300).ack(4).sends([7]).ack(5).sends([8]).window(4, 4);
    assert_eq!(script.sender.stats().retransmissions, 8);
    assert_eq!(script.sender.stats().segments_sent, 8 + 8 + 1);
}

/// Octets that the receiver has are not sent again once its ACK shows it.
#[test]
fn an_ack_beyond_the_point_of_return_skips_ahead() {
    let mut script = eight_lost();
    script.at(1_000).expire().sends([0]).at(1_100).ack(8).sends([8, 9]).window(2, 4);
}

/// A second loss after an ACK is a new one, which halves the flight of that time.
///
/// Verifies: [RFC5681 §3.1 eq. 4]
#[test]
fn a_timeout_of_another_segment_lowers_the_threshold() {
    let mut script = eight_lost();
    script.at(1_000).expire().sends([0]).at(1_100).ack(1).sends([1, 2]).window(2, 4);
    // The time-out is backed off to 2 s; 2 in flight → half is 1, but the minimum is 2.
    script.at(3_100).expire().sends([1]).window(1, 2);
}

/// The timer starts with the first segment, restarts with each new ACK, and stops with the ACK of all data.
///
/// Verifies: [RFC6298 §5.1 to §5.3]
#[test]
fn the_timer_runs_from_the_first_segment_or_from_the_last_new_ack() {
    let transfer = Transfer::Bytes(Bytes::new(6_000));
    let mut script = Script::new(SenderConfig { transfer, ..plain() });
    script.sends(0..4).timer(1_000);
    // Neither further segments nor duplicates change the timer.
    script.at(300).sender.set_cwnd(5);
    script.sends([4]).timer(1_000).at(400).ack(0).timer(1_000);
    // A new ACK does (R = 500: SRTT 500, RTTVAR 250 → RTO 1500), and the last ACK stops it.
    script.at(500).ack(1).sends([5]).timer(2_000);
    script.at(600).ack(6).silent();
    assert_eq!(script.sender.next_timeout(), None);
}

/// A timer that was stopped starts with the next segment.
///
/// Verifies: [RFC6298 §5.1], [RFC6298 §5.2]
#[test]
fn the_timer_starts_again_with_the_next_segment() {
    let mut script = Script::new(plain());
    script.sends(0..4).at(100).ack(4);
    assert_eq!(script.sender.next_timeout(), None);
    script.at(700).sends(4..9).timer(1_700);
}

/// An ACK of a retransmission gives no round-trip sample, and the time-out stays backed off until the next
/// sample.
///
/// Verifies: [RFC6298 §3], [RFC6298 §5.5]
#[test]
fn an_ack_of_a_retransmission_measures_nothing_and_keeps_the_back_off() {
    let mut script = eight_lost();
    script.at(1_000).expire().sends([0]);
    script.events([SenderEvent::Established, SenderEvent::Timeout, SenderEvent::Retransmission]);
    script.at(1_500).ack(8).events([]).timer_is_off().sends([8, 9]).timer(3_500);
    // 8 was sent once: R = 100 → RTO 300, but the minimum is 1 s; the back-off ends.
    script.at(1_600).ack(9).events([rtt(100)]).timer(2_600);
}

/// A fast retransmission ends the current round-trip measurement.
///
/// Verifies: [RFC6298 §3]
#[test]
fn nothing_is_measured_across_a_fast_retransmission() {
    // 0 is timed and lost.
    let mut script = eight_lost();
    script.at(100).ack(0).ack(0).ack(0).sends([0]);
    script.at(200).ack(8).sends([8, 9]).at(300).ack(9);
    script.events([
        SenderEvent::Established,
        rtt(100),
        SenderEvent::FastRetransmit,
        SenderEvent::Retransmission,
    ]);
}

/// One segment at a time is measured, so a window gives one round-trip sample.
///
/// Verifies: [RFC6298 §3]
#[test]
fn one_segment_is_timed_at_a_time() {
    let mut script = Script::new(plain());
    script.sends(0..4).at(100).ack(1).sends([4, 5]).at(110).ack(2).sends([6, 7]).at(120).ack(4);
    // 0 is timed first, then 4.
    script.events([SenderEvent::Established, rtt(100)]).at(230).ack(5).events([rtt(130)]);
    assert_eq!(script.sender.stats().rtt_samples, 2);
}

/// With a smaller configured minimum the time-out follows from the round trip.
///
/// Verifies: [RFC6298 §2.4]
#[test]
fn with_a_lower_floor_the_round_trip_decides() {
    let rto = RtoConfig { min: Duration::from_millis(200), ..RtoConfig::default() };
    let mut script = Script::new(SenderConfig { rto, ..plain() });
    // R = 80 → 80 + 4·40 = 240; R' = 10 → RTTVAR 30 + 17.5, SRTT 71.25 → 261.25
    script.sends(0..4).at(80).ack(1).timer(320).sends([4, 5]).at(90).ack(6);
    script.sends(6..12);
    assert_eq!(script.sender.next_timeout(), Some(Time::from_nanos(90_000_000 + 261_250_000)));
}

/// A time-out ends fast recovery: duplicates no longer inflate the window, and no ACK is partial.
///
/// Verifies: [RFC6582 §3.2 step 4]
#[test]
fn a_timeout_ends_fast_recovery() {
    let mut script = eight_lost();
    script.at(100).ack(0).ack(0).ack(0).sends([0]).window(7, 4);
    // 8 in flight → ssthresh 4; cwnd is 1, and duplicates no longer inflate it.
    script.at(1_000).expire().sends([0]).ack(0).silent().window(1, 4);
    // An ACK below the old `recover` is not partial any more: slow start.
    script.at(1_100).ack(1).sends([1, 2]).window(2, 4);
}

/// A retransmission that was due when the timer expired is not sent twice.
#[test]
fn a_timeout_overrides_a_due_retransmission() {
    let mut script = eight_lost();
    script.at(1_000).ack(0).ack(0).ack(0).expire().sends([0]);
}

#[test]
fn a_timeout_at_any_other_time_is_a_no_op() {
    let mut script = eight_lost();
    for at in 0..1_000 {
        script.at(at).sender.handle_timeout(ms(at));
        script.silent().timer(1_000);
    }
    assert_eq!(script.sender.stats().timeouts, 0);
    // A late call has the same effect as one on time.
    script.at(1_500).sender.handle_timeout(ms(1_500));
    script.sends([0]).timer(3_500);
}

/// Duplicates allow new segments; a flight that includes them must not raise ssthresh again.
///
/// Verifies: [RFC5681 §3.1 eq. 4]
#[test]
fn a_timeout_in_fast_recovery_does_not_raise_the_threshold() {
    for flavour in [Flavour::NewReno, Flavour::Reno, Flavour::Vegas] {
        let mut script = Script::new(SenderConfig { flavour, initial_window: 8, ..plain() });
        script.sends(0..8).at(100).ack(0).ack(0).ack(0).sends([0]).window(7, 4);
        // Four more duplicates: cwnd 11 allows 8, 9 and 10, so 11 are in flight and half of them is 5.5
        script.ack(0).ack(0).ack(0).ack(0).sends(8..11).window(11, 4);
        script.at(1_000).expire().sends([0]).window(1, 4);
    }
}

/// Reno has left fast recovery with the first new ACK, but the data sent in it is still outstanding.
///
/// Verifies: [RFC5681 §3.1 eq. 4 and §3.2 step 6]
#[test]
fn a_timeout_of_reno_before_the_losses_are_repaired_does_not_raise_the_threshold() {
    let config = SenderConfig { flavour: Flavour::Reno, initial_window: 8, ..plain() };
    let mut script = Script::new(config);
    script.sends(0..8).at(100).ack(0).ack(0).ack(0).sends([0]);
    script.ack(0).ack(0).ack(0).ack(0).sends(8..11).window(11, 4);
    // 1 to 10, ten segments, are outstanding: half of them would be 5.
    script.at(200).ack(1).silent().window(4, 4);
    script.at(1_200).expire().sends([1]).window(1, 4);
}
