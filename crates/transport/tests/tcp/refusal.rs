//! Segments that the full transmit queue of the sender's own host refuses.

use airfair_transport::tcp::{
    Flags, Flavour, ReceiverConfig, RefusalOutcome, Segment, SenderConfig, SenderEvent, Transfer,
};
use airfair_units::{Bytes, Duration, Time};
use proptest::prelude::*;

use crate::every_flavour::{any_flavour, by_number, matching};
use crate::network::{any_control, any_delivery, any_receiver};
use crate::pair::{Delivery, Pair, To};
use crate::script::{SEGMENT, Script, ack, octet, plain};
use crate::selective::{sack, selective};

/// Configuration of a sender with a window of ten segments.
fn ten() -> SenderConfig {
    SenderConfig { initial_window: 10, ..plain() }
}

/// Script with nine of ten segments in flight; the host refused the last one.
fn nine_in_flight() -> Script {
    let mut script = Script::new(ten());
    script.refuses(0..9, 9);
    script
}

/// If the host refuses new data, the sender takes it back and reduces cwnd and ssthresh as after a loss.
///
/// Verifies: [linux-cwr]
#[test]
fn new_data_is_taken_back_and_the_window_reduced() {
    let mut script = nine_in_flight();
    // Half of cwnd 10, for both cwnd and ssthresh.
    script.window(5, 5).timer(1_000);
    assert_eq!(script.sender.flight(), Bytes::new(9_000));
    let stats = *script.sender.stats();
    assert_eq!((stats.refusals, stats.segments_sent, stats.retransmissions), (1, 9, 0));
    assert_eq!(stats.bytes_sent, Bytes::new(9_000));
    // Reno and its variants halve the window, CUBIC keeps seven tenths.
    let mut script = Script::new(SenderConfig { flavour: Flavour::Cubic, ..ten() });
    script.refuses(0..9, 9).window(7, 7);
}

/// After a refusal the sender waits until its flight is smaller than the reduced window, and then sends the
/// refused segment first.
///
/// Verifies: [linux-cwr]
#[test]
fn sending_resumes_once_the_flight_has_drained_to_the_window() {
    let mut script = nine_in_flight();
    // 8, 7, 6, 5 in flight with cwnd 5; then one segment per ACK, the refused one first.
    script.at(100).ack(1).silent().ack(2).silent().ack(3).silent().ack(4).silent();
    script.ack(5).sends([9]).ack(6).sends([10]).ack(7).sends([11]).ack(8).sends([12]);
    // The window does not grow before all nine are acknowledged.
    script.ack(9).sends([13]).window(5, 5);
    // Afterwards it grows as usual: by one for five acknowledged segments.
    script.at(200).ack(10).sends([14]).ack(11).sends([15]).ack(12).sends([16]).ack(13).sends([17]);
    script.window(5, 5).ack(14).sends([18, 19]).window(6, 5);
    let stats = *script.sender.stats();
    assert_eq!((stats.segments_sent, stats.retransmissions, stats.timeouts), (20, 0, 0));
}

/// Several refusals within one window of data reduce cwnd once.
///
/// Verifies: [linux-cwr]
#[test]
fn a_window_is_reduced_once() {
    let mut script = nine_in_flight();
    script.at(100).ack(4).silent().ack(5).refuses([], 9).window(5, 5);
    // 3 in flight: the refused segment and another one fit.
    script.ack(6).refuses([9], 10).window(5, 5).ack(7).sends([10, 11]);
    // All nine are acknowledged: the next refusal halves 5 to 2.5
    script.ack(9).refuses([12], 13).window(2, 2);
    assert_eq!(script.sender.flight(), Bytes::new(4_000));
    assert_eq!(script.sender.stats().refusals, 4);
}

/// A refusal reduces the window by a fraction of cwnd, however few segments of the burst were sent.
///
/// Verifies: [linux-cwr]
#[test]
fn a_burst_cut_short_costs_no_more() {
    let mut script = Script::new(ten());
    script.refuses(0..2, 2).window(5, 5).at(100).ack(1).sends(2..6);
}

/// With nothing in flight the timer causes a retry of the refused segment, which is no time-out.
///
/// Verifies: [linux-cwr]
#[test]
fn with_nothing_in_flight_the_timer_tries_again() {
    let mut script = Script::new(ten());
    script.refuses([], 0).window(5, 5).timer(1_000);
    assert_eq!(script.sender.flight(), Bytes::ZERO);
    // Refused again, without back-off.
    script.at(1_000).expire().refuses([], 0).window(5, 5).timer(2_000);
    script.at(2_000).expire().timer_is_off().sends(0..5).window(5, 5).timer(3_000);
    // The round trip counts from the copy that was sent.
    script.at(2_100).ack(1).sends([5]).window(5, 5);
    let round_trip = SenderEvent::RttSample(Duration::from_millis(100));
    script.events([SenderEvent::Established, round_trip]);
    let stats = *script.sender.stats();
    assert_eq!((stats.refusals, stats.timeouts, stats.retransmissions), (2, 0, 0));
    // From here on an expiry is a time-out again.
    script.at(3_100).expire().sends([1]).window(1, 2);
    assert_eq!(script.sender.stats().timeouts, 1);
}

/// After the host has refused a segment, the timer would retry it. If an ACK lets the sender send it before
/// that, the timer starts anew with a full time-out, and the segment's loss causes a time-out.
///
/// Verifies: [RFC6298 §5.1]
#[test]
fn an_ack_before_the_retry_starts_the_timer_anew() {
    let mut script = Script::new(ten());
    script.refuses([], 0).timer(1_000).at(900).ack(0).sends(0..5).timer(1_900);
    script.at(1_900).expire().sends([0]).window(1, 2);
}

/// A refusal discards the round-trip measurement of the refused segment, and not that of another one.
///
/// Verifies: [RFC6298 §3]
#[test]
fn only_the_refused_segment_is_no_longer_timed() {
    let mut script = nine_in_flight();
    script.at(100).ack(1);
    let round_trip = |ms| SenderEvent::RttSample(Duration::from_millis(ms));
    script.events([SenderEvent::Established, round_trip(100)]);
    // 9 would be timed from 200, and is timed from 250.
    script.at(200).ack(5).refuses([], 9).at(250).ack(6).sends([9, 10]).at(330).ack(10);
    script.events([round_trip(80)]);
}

/// A refused retransmission counts as lost, even if it was the last segment sent.
///
/// Verifies: [linux-cwr]: the window does not change during loss recovery.
#[test]
fn a_refused_retransmission_is_left_to_the_timer() {
    let mut script = Script::new(SenderConfig { initial_window: 8, ..plain() });
    script.sends(0..8).at(100).ack(0).ack(0).ack(0).refuses([], 0).window(7, 4);
    assert_eq!(script.sender.flight(), Bytes::new(8_000));
    script.at(1_000).expire().sends([0]).window(1, 4);

    let transfer = Transfer::Bytes(Bytes::new(SEGMENT));
    let mut script = Script::new(SenderConfig { transfer, ..plain() });
    script.sends([0]).at(1_000).expire().refuses([], 0).window(1, 2).timer(3_000);
    assert_eq!(script.sender.flight(), Bytes::new(SEGMENT));
    script.at(3_000).expire().sends([0]).at(3_100).ack(1);
    assert!(script.sender.is_finished());
    let stats = *script.sender.stats();
    assert_eq!((stats.segments_sent, stats.retransmissions, stats.timeouts), (3, 2, 2));
}

/// An earlier reduction does not stop slow start after a time-out.
#[test]
fn a_timeout_ends_the_reduction() {
    let mut script = nine_in_flight();
    // 9 in flight: half is 4.5
    script.at(1_000).expire().sends([0]).window(1, 4);
    script.at(1_100).ack(1).sends([1, 2]).window(2, 4);
}

/// A refused segment of limited transmit is not subtracted from the flight from which ssthresh follows.
///
/// Verifies: [RFC3042 §2]
#[test]
fn a_refused_limited_transmit_does_not_lower_the_threshold() {
    let mut script = Script::new(SenderConfig { limited_transmit: true, ..ten() });
    script.sends(0..10).at(100).ack(0).refuses([], 10).window(5, 5);
    // Ten in flight, none of them by limited transmit: ssthresh 5 and not 4.5, cwnd 5 + 3
    script.ack(0).silent().ack(0).sends([0]).window(8, 5);
}

/// A segment of new data that is refused in recovery does not count in `pipe`.
///
/// Verifies: [RFC6675 §5 step C]
#[test]
fn new_data_refused_in_recovery_is_not_in_the_network() {
    let mut script = Script::new(SenderConfig { initial_window: 10, ..selective() });
    // 0 is lost. Three segments above it: cwnd 5, pipe 10 − 3 − 1 + 1 = 7
    script.sends(0..10).at(100).receive(sack(0, &[(1, 4)])).sends([0]).window(5, 5);
    // pipe 4: 10 fits, and is refused.
    script.receive(sack(0, &[(1, 7)])).refuses([], 10).window(5, 5);
    assert_eq!(script.sender.in_network(), Bytes::new(4_000));
    assert_eq!(script.sender.flight(), Bytes::new(10_000));
    // pipe 3
    script.receive(sack(0, &[(1, 8)])).sends([10, 11]);
}

/// Refused SYN, ACK and FIN count as lost.
#[test]
fn what_carries_no_data_is_left_to_the_timer() {
    let transfer = Transfer::Bytes(Bytes::new(SEGMENT));
    let mut script = Script::new(SenderConfig { handshake: true, transfer, ..ten() });
    let refuse = |script: &mut Script, at: u64, flags: Flags| {
        let now = Time::ZERO + Duration::from_millis(at);
        let segment = script.at(at).sender.poll_transmit(now).expect("a segment");
        assert_eq!((segment.flags, segment.payload), (flags, 0));
        assert_eq!(script.sender.handle_refusal(now, &segment), RefusalOutcome::Lost);
        script.silent();
    };
    refuse(&mut script, 0, Flags::SYN);
    script.timer(1_000).at(1_000).expire();
    assert_eq!(script.drain().len(), 1);
    script.at(1_100).receive(Segment { seq: 0, ack: 1, flags: Flags::SYN_ACK, ..ack(0) });
    // Data will serve as the ACK of the receiver's SYN; 3 s after a lost SYN.
    refuse(&mut script, 1_100, Flags::ACK);
    script.window(5, 5).timer(4_100).at(4_100).expire().sends([0]);
    script.at(4_200).ack(1);
    refuse(&mut script, 4_200, Flags::FIN_ACK);
    script.timer(5_200).at(5_200).expire();
    assert_eq!(script.drain().len(), 1);
    script.at(5_300).receive(Segment { ack: octet(1) + 1, ..ack(1) });
    assert!(script.sender.is_finished());
    assert_eq!((script.sender.stats().timeouts, script.sender.stats().refusals), (2, 3));
}

/// An endless source may close while its sender waits after a refusal.
#[test]
fn closing_after_a_refusal_ends_with_what_has_left() {
    let mut script = nine_in_flight();
    script.sender.close(Time::ZERO);
    script.at(100).ack(9).silent();
    assert!(script.sender.is_finished());
}

fn any_delivery_or_refusal() -> impl Strategy<Value = Delivery> {
    prop_oneof![1 => Just(Delivery::Refused), 4 => any_delivery()]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1_024, ..ProptestConfig::default() })]

    /// For any refusals, losses, delays, reordering and duplication all octets arrive once, in order, and the
    /// connection ends. [`Pair`] checks that a refused sender sends nothing and that its timer runs.
    #[test]
    fn everything_arrives_once_and_the_connection_ends(
        sender in any_flavour(),
        receiver in any_receiver(),
        quick_acks in 0u32..20,
        deliveries in prop::collection::vec(any_delivery_or_refusal(), 0..300),
        controls in prop::collection::vec(any_control(), 0..20),
    ) {
        let Transfer::Bytes(all) = sender.transfer else { unreachable!() };
        let receiver = ReceiverConfig { quick_acks, ..matching(&sender, receiver) };
        let mut pair = Pair::new(sender, receiver, by_number(deliveries));
        pair.transfer(all, &controls);
        let stats = pair.sender.stats();
        let octets: u64 = pair.data().map(|segment| u64::from(segment.payload)).sum();
        prop_assert_eq!(stats.bytes_sent, Bytes::new(octets));
        prop_assert_eq!(stats.segments_sent, pair.data().count() as u64);
    }

    /// Without loss on the wire, refusals of data cause neither a time-out nor a retransmission.
    #[test]
    fn refused_data_is_not_lost(
        sender in any_flavour(),
        refused in prop::collection::vec(any::<bool>(), 0..200),
    ) {
        let receiver = matching(&sender, ReceiverConfig::default());
        let sender = SenderConfig { handshake: false, ..sender };
        let receiver = ReceiverConfig { handshake: false, delayed_ack: None, ..receiver };
        let deliveries = refused.into_iter().map(|refused| {
            if refused { Delivery::Refused } else { Delivery::Arrives(Duration::from_millis(20)) }
        });
        let deliveries: Vec<_> = deliveries.collect();
        let fate = move |to, number: u64| match (to, deliveries.get(usize::try_from(number).unwrap())) {
            (To::Receiver, Some(fate)) => *fate,
            _ => Delivery::Arrives(Duration::from_millis(20)),
        };
        let mut pair = Pair::new(sender, receiver, fate);
        pair.run();
        prop_assert!(pair.sender.is_finished());
        let stats = pair.sender.stats();
        prop_assert_eq!((stats.timeouts, stats.retransmissions, stats.fast_retransmits), (0, 0, 0));
        let Transfer::Bytes(all) = sender.transfer else { unreachable!() };
        prop_assert_eq!(stats.bytes_sent, all);
    }
}
