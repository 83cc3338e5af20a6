//! Fast retransmit and fast recovery.

use airfair_transport::tcp::{
    Deflation, Flags, RecoveryTimer, Segment, SenderConfig, SenderEvent, WindowLimit,
};
use airfair_units::Duration;

use crate::script::{Script, WINDOW, ack, plain};

/// Script with eleven segments in flight, 1 to 11, and cwnd 11; ACK 1 arrived at 100 ms.
fn eleven_in_flight(config: SenderConfig) -> Script {
    let mut script = Script::new(SenderConfig { initial_window: 10, ..config });
    script.sends(0..10).at(100).ack(1).sends([10, 11]).window(11, u32::MAX);
    script.events([SenderEvent::Established, SenderEvent::RttSample(Duration::from_millis(100))]);
    script
}

/// Fast recovery of [`eleven_in_flight`] after segments 1 and 5 were lost: nine duplicates at 200 ms.
fn two_holes(config: SenderConfig) -> Script {
    let mut script = eleven_in_flight(config);
    // Third duplicate: ssthresh 5.5, cwnd 8.5. Six more: 14.5, so that 12, 13 and 14 fit.
    script.at(200).ack(1).ack(1).ack(1).sends([1]);
    script.ack(1).ack(1).ack(1).silent();
    script.ack(1).sends([12]).ack(1).sends([13]).ack(1).sends([14]).window(14, 5);
    script
}

/// The third duplicate ACK retransmits the lost segment, and each further one inflates the window by a
/// segment.
///
/// Verifies: [RFC5681 §3.2 steps 1 to 5], [RFC6582 §3.2 step 3]
#[test]
fn the_third_duplicate_retransmits_and_further_ones_let_new_segments_out() {
    let mut script = eleven_in_flight(plain());
    script.at(200).ack(1).silent().ack(1).silent().events([]);
    // Flight 11 → ssthresh 5.5, cwnd 5.5 + 3 = 8.5; 11 in flight, so only the lost segment is sent.
    script.ack(1).sends([1]).window(8, 5);
    script.events([SenderEvent::FastRetransmit, SenderEvent::Retransmission]);
    // Three more duplicates: 11.5, and 12 would be in flight. The next one: 12.5.
    script.ack(1).ack(1).ack(1).silent().ack(1).sends([12]).window(12, 5);
    script.ack(1).sends([13]).ack(1).sends([14]).ack(1).sends([15]);
    // All up to 11 has arrived: 4 in flight → min(5.5, 4 + 1) = 5
    script.timer(1_100).at(300).ack(12).sends([16]).window(5, 5).timer(1_300);
    let stats = *script.sender.stats();
    assert_eq!((stats.retransmissions, stats.fast_retransmits, stats.timeouts), (1, 1, 0));
    assert_eq!((stats.duplicate_acks, stats.segments_sent), (10, 18));
    // Below ssthresh it is slow start again: 5 → 6; above it congestion avoidance.
    script.at(310).ack(13).sends([17, 18]).window(6, 5).ack(14).sends([19]).window(6, 5);
}

/// With deflation to ssthresh, option 2 of the RFC and ns-2's choice, the sender may send a burst at the end
/// of fast recovery.
///
/// Verifies: [RFC6582 §3.2 step 3]
#[test]
fn deflation_to_the_threshold_may_send_a_burst() {
    let mut script =
        eleven_in_flight(SenderConfig { deflation: Deflation::ToThreshold, ..plain() });
    script.at(200).ack(1).ack(1).ack(1).sends([1]);
    // The data that duplicates would have allowed was not sent, so nothing is in flight: 5 segments at once.
    script.at(300).ack(12).sends(12..17).window(5, 5);
}

/// With deflation to the flight, option 1 of the RFC, the sender sends at most two segments at the end of
/// fast recovery.
///
/// Verifies: [RFC6582 §3.2 step 3]
#[test]
fn deflation_to_the_flight_sends_two_at_most() {
    let mut script = eleven_in_flight(plain());
    script.at(200).ack(1).ack(1).ack(1).sends([1]);
    // flight 0 → min(5.5, 1 + 1) = 2
    script.at(300).ack(12).sends([12, 13]).window(2, 5);
}

/// A partial ACK retransmits the next lost segment, deflates the window by the acknowledged octets, and does
/// not end recovery.
///
/// Verifies: [RFC6582 §3.2 step 3, partial acknowledgments]
#[test]
fn a_partial_ack_retransmits_the_next_hole_and_stays_in_recovery() {
    let mut script = two_holes(plain());
    // ACK 5 subtracts 4 and adds 1: 14.5 − 4 + 1 = 11.5; 10 in flight, so one more fits.
    script.at(300).ack(5).sends([5, 15]).window(11, 5);
    // 12 to 15 arrive: the window inflates further, without a second fast retransmit. 16 + 1 − 5 = 12 ≤ 12.5
    // …
    script.at(400).ack(5).sends([16]).ack(5).sends([17]).ack(5).sends([18]).ack(5).sends([19]);
    assert_eq!(script.sender.stats().fast_retransmits, 1);
    // All up to 15 has arrived: 20 − 16 = 4 in flight → min(5.5, 4 + 1) = 5
    script.at(410).ack(16).sends([20]).window(5, 5);
}

/// The retransmission timer restarts on the first partial ACK only (impatient), or on every one (slow but
/// steady).
///
/// Verifies: [RFC6582 §3.2 step 3], [RFC6582 §4]
#[test]
fn the_timer_restarts_on_the_first_partial_ack_or_on_every_one() {
    for (recovery_timer, second) in
        [(RecoveryTimer::Impatient, 1_300), (RecoveryTimer::SlowButSteady, 1_400)]
    {
        let mut script = two_holes(SenderConfig { recovery_timer, ..plain() });
        // The timer runs since ACK 1 at 100 ms; duplicates and retransmissions do not change it.
        script.timer(1_100).at(300).ack(5).timer(1_300).drain();
        script.at(400).ack(8).timer(second);
    }
}

/// With limited transmit each of the first two duplicate ACKs sends a new segment, which does not count for
/// ssthresh.
///
/// Verifies: [RFC3042 §2], [RFC5681 §3.2 step 2]
#[test]
fn limited_transmit_sends_one_segment_for_each_of_two_duplicates() {
    let mut script = Script::new(SenderConfig { limited_transmit: true, ..plain() });
    script.sends(0..4).at(100).ack(0).sends([4]).ack(0).sends([5]).window(4, u32::MAX);
    // The two segments of limited transmit do not count: ssthresh 4/2 = 2, cwnd 2 + 3 = 5
    script.ack(0).sends([0]).window(5, 2);
}

/// The next new ACK resets the count of octets that limited transmit has sent beyond cwnd.
///
/// Verifies: [RFC3042 §2]
#[test]
fn limited_transmit_ends_with_a_new_ack() {
    let mut script = Script::new(SenderConfig { limited_transmit: true, ..plain() });
    script.sends(0..4).at(100).ack(0).sends([4]).ack(0).sends([5]);
    // Only reordering: cwnd 5, all up to 2 arrived, 4 in flight.
    script.ack(2).sends([6]).window(5, u32::MAX);
    // A loss now halves 5, without the two segments that these duplicates allow.
    script.ack(2).sends([7]).ack(2).sends([8]).ack(2).sends([2]).window(5, 2);
}

/// After a time-out limited transmit sends nothing, because it is for new data.
///
/// Verifies: [RFC3042 §2]
#[test]
fn limited_transmit_sends_no_old_data() {
    let mut script = Script::new(SenderConfig { limited_transmit: true, ..plain() });
    script.sends(0..4).at(1_000).expire().sends([0]).ack(0).silent().ack(0).silent();
}

/// After a time-out, duplicates of an ACK at or below `recover` start no fast retransmit.
///
/// Verifies: [RFC6582 §3.2 step 2]
#[test]
fn after_a_timeout_duplicates_below_recover_start_nothing() {
    let mut script = Script::new(plain());
    script.sends(0..4).at(1_000).expire().sends([0]);
    script.at(1_100).ack(0).ack(0).ack(0).ack(0).silent();
    // All four segments have arrived: cwnd 2. Three duplicates of exactly `recover` start nothing either.
    script.at(1_200).ack(4).sends([4, 5]).ack(4).ack(4).ack(4).silent();
    assert_eq!(script.sender.stats().fast_retransmits, 0);
    // One segment beyond it does: 2 in flight → ssthresh 2, cwnd 2 + 3 = 5, so that three new ones fit.
    script.at(1_300).ack(5).sends([6]).ack(5).ack(5).ack(5).sends([5, 7, 8, 9]).window(5, 2);
    assert_eq!(script.sender.stats().fast_retransmits, 1);
}

/// A duplicate ACK counts only if it meets every condition of its definition.
///
/// Verifies: [RFC5681 §2]
#[test]
fn only_true_duplicates_count() {
    let with_payload = Segment { payload: 1, ..ack(0) };
    let with_fin = Segment { flags: Flags::FIN_ACK, ..ack(0) };
    let without_ack = Segment { flags: Flags::NONE, ..ack(0) };
    for other in [with_payload, with_fin, without_ack] {
        let mut script = Script::new(plain());
        script.sends(0..4).receive(other).receive(other).receive(other).silent();
        assert_eq!(script.sender.stats().duplicate_acks, 0);
    }
    // Another window each time: window updates are no duplicates.
    let mut script = Script::new(plain());
    script.sends(0..4);
    for update in 1..4 {
        script.receive(Segment { window: WINDOW + update, ..ack(0) }).silent();
    }
    // Nothing is outstanding.
    script.ack(4).ack(4).ack(4).ack(4);
    assert_eq!(script.sender.stats().duplicate_acks, 0);
}

/// Only consecutive duplicate ACKs count: a new ACK resets their number.
///
/// Verifies: [RFC5681 §3.2]
#[test]
fn a_new_ack_starts_the_count_again() {
    let mut script = Script::new(plain());
    script.sends(0..4).at(100).ack(0).ack(0).ack(1).sends([4, 5]).ack(1).ack(1).silent();
    script.ack(1).sends([1]);
}

/// Three duplicate ACKs retransmit the very first segment like any other.
///
/// Verifies: [RFC6582 §3.2]
#[test]
fn the_first_segment_is_fast_retransmitted() {
    let mut script = Script::new(plain());
    // 4 in flight → cwnd 2 + 3 = 5, so one new segment fits.
    script.sends(0..4).at(100).ack(0).ack(0).ack(0).sends([0, 4]);
}

/// A retransmission that is due is not sent if an ACK makes it needless.
#[test]
fn a_due_retransmission_is_withdrawn_by_a_new_ack() {
    let mut script = eleven_in_flight(plain());
    script.at(200).ack(1).ack(1).ack(1).ack(12).sends([12, 13]);
    assert_eq!(script.sender.stats().retransmissions, 0);
}

/// In fast recovery the window limit applies to new data, and not to the retransmission.
///
/// Verifies: [arf-aware-tcp §3]
#[test]
fn in_recovery_the_limit_holds_new_data_back() {
    let mut script = eleven_in_flight(plain());
    script.sender.set_window_limit(WindowLimit::Segments(2));
    script.at(200).ack(1).ack(1).ack(1).sends([1]);
    for _ in 0..20 {
        script.ack(1).silent();
    }
    // 8.5 + 20 = 28.5; a divisor of 2 leaves 14, of which 11 are in flight.
    script.sender.set_window_limit(WindowLimit::DividedBy(2));
    script.sends(12..15);
}
