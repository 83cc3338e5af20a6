//! Differences between the flavours: one, two and three losses in a window, and the windows after them.

use airfair_transport::tcp::{Flavour, RecoveryTimer, SenderConfig, SenderEvent, WindowLimit};
use airfair_units::Duration;

use crate::script::{Script, plain};
use crate::selective::sack;

/// Script with eleven segments in flight, 1 to 11, and cwnd 11; ACK 1 arrived at 100 ms.
fn eleven_in_flight(flavour: Flavour) -> Script {
    let config = SenderConfig { flavour, initial_window: 10, sack: Some(false), ..plain() };
    let mut script = Script::new(config);
    script.sends(0..10).at(100).ack(1).sends([10, 11]).window(11, u32::MAX);
    script.events([SenderEvent::Established, SenderEvent::RttSample(Duration::from_millis(100))]);
    script
}

/// Reno repairs one loss as NewReno does, and sets the window at the end to ssthresh.
///
/// Verifies: [RFC5681 §3.2 step 6]
#[test]
fn reno_repairs_one_loss_and_leaves_with_the_threshold() {
    let mut script = eleven_in_flight(Flavour::Reno);
    script.at(200).ack(1).silent().ack(1).silent().ack(1).sends([1]).window(8, 5);
    script.ack(1).ack(1).ack(1).silent().ack(1).sends([12]).ack(1).sends([13]);
    // 11 arrived: cwnd 5.5 with 12 and 13 in flight, so three more may be sent.
    script.at(300).ack(12).sends([14, 15, 16]).window(5, 5);
    // The next loss needs three duplicates again.
    script.ack(12).ack(12).silent().ack(12).sends([12]);
}

/// Reno halves the window once for each of two losses in it.
///
/// Verifies: [RFC5681 §3.2 step 6]
#[test]
fn reno_halves_twice_for_two_losses() {
    let mut script = eleven_in_flight(Flavour::Reno);
    // 1 and 5 are lost: nine duplicates, which allow 12, 13 and 14.
    script.at(200).ack(1).ack(1).ack(1).sends([1]).ack(1).ack(1).ack(1).ack(1).ack(1).ack(1);
    script.sends([12, 13, 14]).window(14, 5);
    // The first new ACK ends fast recovery: 10 in flight, cwnd 5.5.
    script.at(300).ack(5).silent().window(5, 5).timer(1_300);
    // 12, 13 and 14 arrive: flight 10 → 5, cwnd 5 + 3 = 8
    script.at(310).ack(5).ack(5).silent().ack(5).sends([5]).window(8, 5);
    assert_eq!(script.sender.stats().fast_retransmits, 2);
    // All up to 14 is acknowledged: nothing is in flight, so a whole ssthresh is sent at once.
    script.at(400).ack(15).sends(15..20).window(5, 5);
    assert_eq!(script.sender.stats().timeouts, 0);
}

/// Script in which segments 1, 3 and 5 are lost: eight duplicates, which allow 12 and 13, and then ACK 3.
fn three_lost(flavour: Flavour) -> Script {
    let mut script = eleven_in_flight(flavour);
    script.at(200).ack(1).ack(1).ack(1).sends([1]);
    script.ack(1).ack(1).ack(1).ack(1).ack(1).sends([12, 13]).at(300).ack(3);
    script
}

/// Three losses in a window cost Reno a time-out, and NewReno two round trips after the fast retransmit.
///
/// Verifies: [RFC5681 §3.2], [RFC6582 §3.2]
#[test]
fn three_losses_cost_reno_a_timeout_and_newreno_two_round_trips() {
    // cwnd 5.5 with 11 in flight; 12 and 13 arrive, and then nothing.
    let mut reno = three_lost(Flavour::Reno);
    reno.silent().at(310).ack(3).ack(3).silent().at(1_300).expire().sends([3]).window(1, 5);
    assert_eq!(reno.sender.stats().timeouts, 1);

    // 13.5 − 2 + 1 = 12.5: 11 in flight and one new
    let mut newreno = three_lost(Flavour::NewReno);
    newreno.sends([3, 14]).at(310).ack(3).sends([15]).ack(3).sends([16]).at(400).ack(5);
    // 14.5 − 2 + 1 = 13.5: 12 in flight
    newreno.sends([5, 17]).at(500).ack(14).sends([18]).window(5, 5);
    assert_eq!(newreno.sender.stats().timeouts, 0);
    assert_eq!(newreno.sender.stats().retransmissions, 3);
}

/// After a time-out Reno, too, ignores duplicates caused by its retransmissions.
#[test]
fn reno_starts_nothing_from_duplicates_after_a_timeout() {
    let config = SenderConfig { flavour: Flavour::Reno, initial_window: 8, ..plain() };
    let mut script = Script::new(config);
    script.sends(0..8).at(1_000).expire().sends([0]);
    script.at(1_100).ack(0).ack(0).ack(0).ack(0).silent();
    script.at(1_200).ack(8).sends([8, 9]).ack(8).ack(8).ack(8).silent();
    assert_eq!(script.sender.stats().fast_retransmits, 0);
}

/// After a loss Westwood's window is what the path carried.
///
/// Verifies: [westwood-2001 §3]
#[test]
fn westwood_keeps_what_the_path_carries() {
    // An ACK of a segment every 10 ms is 100 000 octet/s; times 100 ms, 10 segments.
    let config = SenderConfig {
        flavour: Flavour::Westwood,
        initial_window: 20,
        recovery_timer: RecoveryTimer::SlowButSteady,
        initial_ssthresh: Some(20),
        ..plain()
    };
    let mut script = Script::new(config);
    script.drain();
    for number in 1..=500 {
        script.at(90 + 10 * number).ack(number).drain();
    }
    let before = script.sender.cwnd();
    script.ack(500).ack(500).silent().ack(500);
    // Round trips grow with the window, but the smallest was 100 ms. NewReno would keep half of cwnd.
    assert!(before > 30);
    script.sends([500]);
    assert_eq!(script.sender.ssthresh(), 9);
    assert_eq!(script.sender.cwnd(), 9 + 3);
}

/// The window of Vegas grows while there is no queue, and shrinks with a long one.
///
/// Verifies: [brakmo-1995 §3.2]
#[test]
fn vegas_follows_the_round_trip() {
    let config = SenderConfig {
        flavour: Flavour::Vegas,
        initial_window: 10,
        initial_ssthresh: Some(5),
        timestamps: false,
        ..plain()
    };
    let mut script = Script::new(config);
    script.sends(0..10).at(100).ack(1).sends([10, 11]).window(11, 5);
    // The round ends with the first ACK beyond what had been sent at its start: 10.
    script.at(110).ack(10).window(11, 5);
    script.drain();
    // The one timed segment, 10, was sent at 100: 100 ms again → 12
    script.at(200).ack(11).window(12, 5);
    script.drain();
}

/// CUBIC reduces its window to seven tenths, by SACK and after a time-out.
///
/// Verifies: [RFC9438 §4.6]
#[test]
fn cubic_keeps_seven_tenths() {
    let config = SenderConfig { flavour: Flavour::Cubic, initial_window: 10, ..plain() };
    let mut script = Script::new(config);
    script.sends(0..10).at(100).receive(sack(0, &[(1, 4)])).sends([0]).window(7, 7);
    let timed_out = SenderConfig { flavour: Flavour::Cubic, initial_window: 10, ..plain() };
    let mut script = Script::new(timed_out);
    script.sends(0..10).at(1_000).expire().sends([0]).window(1, 7);
}

/// After a control law has set the window, the cubic function starts from that window.
#[test]
fn cubic_starts_again_from_a_given_window() {
    let config = SenderConfig {
        flavour: Flavour::Cubic,
        initial_window: 20,
        initial_ssthresh: Some(20),
        ..plain()
    };
    let mut script = Script::new(config);
    script.sends(0..20).at(100).ack(1).sends([20]).window(20, 20).sender.set_cwnd(5);
    script.sender.set_window_limit(WindowLimit::None);
    // Below the threshold of 20, slow start: 6
    script.ack(2).silent().window(6, 20);
    script.sender.set_cwnd(40);
    script.drain();
    // Above the threshold a new stage starts at 40; an ACK adds a fraction of a segment.
    script.at(200).ack(3).window(40, 20).sender.set_cwnd(25);
    script.at(210).ack(4).window(25, 20);
}
