//! Loss detection by RACK-TLP: the segments sent and their times.

use std::num::NonZeroU32;

use airfair_transport::tcp::{
    Arithmetic, Flags, Flavour, LossRecovery, Receiver, ReceiverConfig, RtoConfig, Segment,
    SenderConfig, Timestamps, Transfer,
};
use airfair_units::{Bytes, Duration};

use crate::script::{Script, ack, ms, plain};
use crate::selective::{sack, selective};

/// Configuration of a RACK sender with `segments` to send in one window.
fn rack(segments: u32) -> SenderConfig {
    SenderConfig {
        loss_recovery: LossRecovery::Rack,
        initial_window: segments,
        transfer: Transfer::Bytes(Bytes::new(1_000 * u64::from(segments))),
        ..selective()
    }
}

/// A lost retransmission is sent again without a time-out. The example is the RFC's, with a window of six
/// segments, so that no tail needs a probe.
///
/// Verifies: [RFC8985 §3.4], [RFC8985 §6.2]
#[test]
fn a_lost_retransmission_is_found_by_its_time() {
    let mut script = Script::new(rack(6));
    // 1, 2 and 3 are lost, and their first retransmissions, too.
    script.sends(0..6).at(100).ack(1);
    // 4 and 5 arrive. 1 to 3 were sent a round trip ago; they count as lost after a quarter more: 100 + 25 ms
    script.receive(sack(1, &[(4, 5)])).receive(sack(1, &[(4, 6)])).silent().timer(125);
    // Three are in the network; ssthresh is 2; one retransmission is allowed.
    script.at(125).expire().sends([1]).window(2, 2);
    // 1 arrives: two segments have left the network, and PRR allows one more than that, up to ssthresh.
    script.at(225).receive(sack(2, &[(4, 6)])).sends([2, 3]);
    // 2 is lost again; 3, sent with it, arrives: in recovery RACK does not wait.
    script.at(325).receive(sack(2, &[(3, 6)])).sends([2]);
    script.at(425).ack(6).silent().timer_is_off();
    let stats = *script.sender.stats();
    assert_eq!((stats.retransmissions, stats.fast_retransmits, stats.timeouts), (4, 1, 0));
    assert!(script.sender.is_finished());
}

/// If the last segment is lost, a probe after two round trips reveals the loss.
///
/// Verifies: [RFC8985 §3.4], [RFC8985 §7]
#[test]
fn a_lost_tail_is_probed_after_two_round_trips() {
    let mut script = Script::new(rack(4));
    script.sends(0..4).at(100).ack(1).timer(300);
    script.at(300).expire().sends([3]).timer(1_000);
    // 3 was sent 300 ms after 1 and 2. One segment has arrived, so one is sent.
    script.at(400).receive(sack(1, &[(3, 4)])).sends([1]);
    script.at(500).receive(sack(2, &[(3, 4)])).sends([2]);
    script.at(600).ack(4).timer_is_off();
    let stats = *script.sender.stats();
    assert_eq!((stats.tail_probes, stats.retransmissions, stats.timeouts), (1, 3, 0));
}

/// A tail loss probe is new data if there is any.
///
/// Verifies: [RFC8985 §7.3]
#[test]
fn a_probe_is_new_data_if_there_is_any() {
    let config = SenderConfig { transfer: Transfer::Endless, ..rack(4) };
    let mut script = Script::new(config);
    script.sends(0..4).at(100).ack(1).sends([4, 5]).timer(300);
    script.at(300).expire().sends([6]);
    // The answer shows that nothing was lost.
    script.at(310).ack(7);
    assert_eq!((script.sender.cwnd(), script.sender.stats().retransmissions), (6, 0));
}

/// A loss that a tail loss probe has repaired reduces the window.
///
/// Verifies: [RFC8985 §7.4.2]
#[test]
fn a_loss_that_a_probe_has_repaired_reduces_the_window() {
    let config = SenderConfig {
        assumed_window: Bytes::new(4_000),
        transfer: Transfer::Endless,
        rto: RtoConfig { min: Duration::from_millis(200), ..RtoConfig::default() },
        ..rack(4)
    };
    let mut script = Script::new(config);
    let narrow = |number| Segment { window: 4_000, ..ack(number) };
    script.sends(0..4).at(100).receive(narrow(3)).sends([4, 5, 6]);
    // 4 and 5 arrive but their ACKs do not; 6 is lost. The window is full, so the probe is 6 again.
    script.at(300).expire().sends([6]);
    script.at(400).receive(narrow(7)).sends([7, 8, 9, 10]);
    let before = script.sender.cwnd();
    // The ACK is beyond the data sent before the probe, and no duplicate was reported.
    script.at(500).receive(narrow(8));
    // Half of 5.
    assert_eq!((before, script.sender.ssthresh()), (5, 2));
}

/// A segment that arrives late by less than a quarter of the round trip is not lost.
///
/// Verifies: [RFC8985 §6.2]
#[test]
fn slight_reordering_is_waited_for() {
    let mut script = Script::new(rack(8));
    script.sends(0..8).at(100).ack(1);
    script.receive(sack(1, &[(2, 3)])).receive(sack(1, &[(2, 4)])).timer(125);
    script.at(120).ack(4).silent();
    assert_eq!(script.sender.stats().retransmissions, 0);
}

/// Until reordering has been seen, a segment is lost at once when three later ones have arrived.
///
/// Verifies: [RFC8985 §6.2]
#[test]
fn three_arrivals_above_a_gap_end_the_waiting() {
    let mut script = Script::new(rack(8));
    script.sends(0..8).at(100).ack(1);
    script.receive(sack(1, &[(2, 3)])).receive(sack(1, &[(2, 4)])).silent();
    script.receive(sack(1, &[(2, 5)])).sends([1]);
}

/// A time-out marks as lost the segments sent a round trip ago or earlier, and no others.
///
/// Verifies: [RFC8985 §6.3]
#[test]
fn a_timeout_leaves_what_was_sent_lately() {
    let config = SenderConfig {
        rto: RtoConfig { min: Duration::from_millis(200), ..RtoConfig::default() },
        ..rack(10)
    };
    let mut script = Script::new(config);
    // A round trip of 100 ms: the time-out is 300 ms, and the probe is before it.
    script.sends(0..10).at(100).ack(1).timer(300);
    script.at(300).expire().sends([9]).timer(300);
    // 1 to 8 are lost; 9 was sent just now, and the first segment is sent beside it. ssthresh is half of
    // nine.
    script.expire().sends([1]).window(2, 4);
    // Both arrive: slow start with the segments known to be lost, without those that were sacked.
    script.at(400).receive(sack(2, &[(9, 10)])).sends([2, 3, 4]);
    script.at(500).receive(sack(5, &[(9, 10)])).sends([5, 6, 7, 8]);
    script.at(600).ack(10);
    assert_eq!((script.sender.stats().timeouts, script.sender.is_finished()), (1, true));
}

/// Linux's arithmetic rounds windows down to whole segments: half of seven is three.
///
/// Verifies: [linux-tcp-cong]
#[test]
fn the_arithmetic_of_linux_is_in_whole_segments() {
    for (arithmetic, cwnd) in [(Arithmetic::Rfc, 3_500), (Arithmetic::Linux, 3_000)] {
        let config = SenderConfig { arithmetic, flavour: Flavour::NewReno, ..rack(7) };
        let mut script = Script::new(SenderConfig { sack: Some(true), ..config });
        script.sends(0..7).at(100).receive(sack(0, &[(1, 4)])).sends([0]);
        assert_eq!(script.sender.usable_window(), Bytes::new(cwnd), "{arithmetic:?}");
    }
}

/// With Linux's arithmetic, and only with it, every second segment of a burst carries PSH.
///
/// Verifies: [linux-tso]
#[test]
fn segments_of_linux_go_out_in_twos() {
    for (arithmetic, expected) in [(Arithmetic::Rfc, 0), (Arithmetic::Linux, 2)] {
        let mut script = Script::new(SenderConfig { arithmetic, ..rack(5) });
        let sent = script.drain();
        let pushed = sent.iter().filter(|it| it.flags.has(Flags::PSH)).map(|it| it.seq);
        assert_eq!(pushed.collect::<Vec<_>>(), [1_001, 3_001][..expected]);
    }
}

/// A receiver acknowledges a segment with PSH at once, and one without it after a delay.
///
/// Verifies: [linux-push]
#[test]
fn a_receiver_answers_a_push_at_once() {
    for flags in [Flags::ACK, Flags::ACK.and(Flags::PSH)] {
        let config = ReceiverConfig { handshake: false, ..ReceiverConfig::default() };
        let mut receiver = Receiver::new(config);
        let segment = Segment { seq: 1, payload: 1_000, flags, ..Segment::EMPTY };
        receiver.handle_segment(ms(1), &segment);
        assert_eq!(receiver.poll_transmit(ms(1)).is_some(), flags.has(Flags::PSH));
    }
}

/// A time-out was too early: the answer is to a segment sent before it, so the window is restored. Whether
/// the answer is sooner or later than the smallest round trip, it proves nothing about the retransmission, so
/// no other segment is lost.
///
/// Verifies: [linux-undo], [RFC3522 §3.2], [RFC8985 §6.2]
#[test]
fn a_timeout_that_came_too_early_is_taken_back() {
    let config = SenderConfig {
        timestamps: true,
        rto: RtoConfig { min: Duration::from_millis(200), ..RtoConfig::default() },
        ..rack(10)
    };
    let echo = |number, sent_ms: u64| {
        let (value, echo) = (NonZeroU32::MIN, u32::try_from(1_000 * sent_ms + 1).expect("short"));
        Segment { timestamps: Some(Timestamps { value, echo }), ..ack(number) }
    };
    for answered in [350, 420] {
        let mut script = Script::new(config);
        script.sends(0..10).at(100).receive(echo(1, 0)).timer(300);
        script.at(300).expire().sends([9]).expire().sends([1]).window(2, 4);
        // 1 to 5 arrive late and answer the originals; nothing else is retransmitted.
        script.at(answered).receive(echo(6, 0)).silent();
        assert!(script.sender.cwnd() >= 11);
        script.at(answered + 10).receive(echo(10, 0));
        let stats = script.sender.stats();
        assert_eq!((stats.retransmissions, script.sender.is_finished()), (2, true));
    }
}

/// The setting of RACK has no effect without selective acknowledgments.
#[test]
fn rack_needs_selective_acknowledgments() {
    let config = SenderConfig { loss_recovery: LossRecovery::Rack, ..plain() };
    let mut script = Script::new(config);
    script.sends(0..4).at(100).ack(1).timer(1_100);
}

/// A RACK sender with a window of ten segments, of which the last was refused: cwnd is 5, and 5 to 8 are in
/// flight at 100 ms.
fn refused_at_the_tail() -> Script {
    let transfer = Transfer::Bytes(Bytes::new(20_000));
    let mut script = Script::new(SenderConfig { transfer, ..rack(10) });
    script.refuses(0..9, 9).window(5, 5).at(100).ack(5);
    script
}

/// A probe that the host refuses counts as not sent: the sender tries another one, and then times out.
///
/// Verifies: `tcp_send_loss_probe` [linux-rack], [linux-cwr]
#[test]
fn a_refused_probe_does_not_count_and_the_timer_stays() {
    let mut script = refused_at_the_tail();
    // The probe is due after two round trips. 9 fits now and is refused, which does not change that.
    script.refuses([], 9).timer(300).at(300).expire().refuses([], 9).timer(1_000);
    // SRTT is (7 · 100 + 400) / 8 = 137.5 ms now, and the probe is due after two of it.
    script.at(400).ack(6).refuses([], 9).timer(675);
    script.at(675).expire().refuses([], 9).timer(1_000);
    script.at(1_000).expire().sends([6]);
    let stats = *script.sender.stats();
    assert_eq!((stats.tail_probes, stats.timeouts, stats.refusals), (0, 1, 5));
}

/// Behind an unanswered probe the timer is the retransmission timer, whatever else is refused meanwhile.
///
/// Verifies: [RFC8985 §7.2], [linux-cwr]
#[test]
fn data_refused_behind_a_probe_does_not_set_the_timer() {
    let mut script = refused_at_the_tail();
    script.refuses([], 9).at(300).expire().sends([9]).timer(1_000);
    script.at(400).ack(6).refuses([], 10).timer(675);
    script.at(675).expire().refuses([], 10).timer(1_000);
    script.at(1_000).expire().sends([6]);
    assert_eq!((script.sender.stats().tail_probes, script.sender.stats().timeouts), (1, 1));
}
