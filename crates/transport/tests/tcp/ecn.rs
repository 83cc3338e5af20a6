//! Explicit congestion notification between the two ends.

use airfair_transport::ecn::Ecn;
use airfair_transport::tcp::{
    Arithmetic, DelayedAck, EcnFeedback, Flags, Flavour, LossRecovery, Receiver, ReceiverConfig,
    Segment, SenderConfig, SenderEvent, Transfer,
};
use airfair_units::{Bytes, Duration};

use crate::pair::{Delivery, Pair};
use crate::script::{SEGMENT, Script, ack, ms, octet, plain};

fn with_ecn() -> SenderConfig {
    SenderConfig { ecn: true, initial_ssthresh: Some(20), initial_window: 8, ..plain() }
}

/// An ACK of everything below segment `number` that echoes a mark.
fn echo(number: u64) -> Segment {
    Segment { flags: Flags::ACK.and(Flags::ECE), ..ack(number) }
}

/// ECN fields, and bits CWR, of the segments that are sent now.
fn fields(script: &mut Script) -> Vec<(Ecn, bool)> {
    script.drain().iter().map(|it| (it.flags.ecn(), it.flags.has(Flags::CWR))).collect()
}

/// Of a window of 8 segments, 4 remain after an echo. Further echoes in the same window of data change nothing, and
/// cwnd does not grow in it. The first new segment carries CWR, once.
///
/// Verifies: [RFC3168 §6.1.2]
#[test]
fn a_sender_halves_its_window_once_per_window_of_data() {
    let mut script = Script::new(with_ecn());
    assert_eq!(fields(&mut script), [(Ecn::ECT_0, false); 8]);
    script.at(100).receive(echo(1)).silent().window(4, 4);
    script.at(110).receive(echo(2)).silent().receive(echo(4)).silent().window(4, 4);
    script.receive(echo(6));
    assert_eq!(fields(&mut script), [(Ecn::ECT_0, true), (Ecn::ECT_0, false)]);
    // All that was sent before the echo is acknowledged: the next echo is about the window after it.
    script.receive(ack(8)).window(4, 4).receive(echo(9)).window(2, 2);
    assert_eq!(script.sender.stats().marks_answered, 2);
    assert_eq!(script.sender.stats().retransmissions, 0);
}

/// Linux spreads a reduction over a window of data. Of 8 segments, 4 remain. An ACK with an echo lets a first segment
/// leave; then one leaves for every two that arrive: after n arrivals ⌈4n/8⌉ have left. After the seventh 4 segments are in
/// flight, the new window, and one leaves for each that arrives. The next echo reduces the window
/// again once more is acknowledged than was sent at the first echo. Without RACK, and under the RFCs' arithmetic, the
/// sender is silent until 4 segments are in flight.
///
/// Verifies: [linux-ecn]
#[test]
fn linux_reduces_the_window_by_the_data_that_arrives() {
    let sent = |arithmetic, loss_recovery| {
        let config = SenderConfig { arithmetic, loss_recovery, sack: Some(true), ..with_ecn() };
        let mut script = Script::new(config);
        script.drain();
        script.at(100).receive(echo(1));
        let mut counts = vec![script.drain().len()];
        for number in 2..=8 {
            counts.push(script.at(100 + number).receive(ack(number)).drain().len());
        }
        assert_eq!(script.sender.stats().marks_answered, 1);
        // This ACK acknowledges what was sent at the echo, and no more.
        script.at(110).receive(echo(8));
        let answered = script.sender.stats().marks_answered;
        script.at(120).receive(echo(9)).window(2, 2);
        (counts, answered)
    };
    let spread = sent(Arithmetic::Linux, LossRecovery::Rack);
    assert_eq!(spread, (vec![1, 0, 1, 0, 1, 0, 0, 1], 1));
    let at_once = sent(Arithmetic::Rfc, LossRecovery::Rack);
    assert_eq!(at_once, (vec![0, 0, 0, 0, 1, 1, 1, 1], 2));
}

/// Prague's reduction takes effect at once, under Linux's arithmetic as well: of 8 segments 4 remain, and the sender is
/// silent while 7 are in flight.
#[test]
fn prague_reduces_its_window_at_once() {
    let config = SenderConfig {
        arithmetic: Arithmetic::Linux,
        loss_recovery: LossRecovery::Rack,
        flavour: Flavour::Prague,
        ..with_ecn()
    };
    let mut script = Script::new(config);
    let sent: usize = (0..50).map(|at| script.at(at).drain().len()).sum();
    assert_eq!(sent, 8);
    script.at(100).receive(echo(1)).silent();
    script.at(150).silent();
    assert_eq!(script.sender.stats().marks_answered, 1);
}

/// Neither retransmissions nor ACKs, SYN and FIN can be marked.
///
/// Verifies: [RFC3168 §6.1.1, §6.1.4, §6.1.5]
#[test]
fn only_new_data_can_be_marked() {
    let mut script = Script::new(SenderConfig { handshake: true, ..with_ecn() });
    let syn = script.drain();
    assert_eq!((syn[0].flags.ecn(), syn[0].flags), (Ecn::NOT_ECT, Flags::SYN.and(Flags::ECN)));
    let flags = Flags::SYN_ACK.and(Flags::ECE);
    script.at(100).receive(Segment { seq: 0, ack: 1, flags, ..ack(0) });
    let sent = script.drain();
    assert_eq!((sent[0].payload, sent[0].flags.ecn()), (0, Ecn::NOT_ECT));
    assert!(sent[1..].iter().all(|it| it.flags.ecn() == Ecn::ECT_0));
    script.at(1_100).expire();
    let again = script.drain();
    assert_eq!((again[0].seq, again[0].flags), (1, Flags::ACK));
    // The window was reduced, which the first new segment tells.
    script.at(1_200).receive(ack(8));
    assert_eq!(fields(&mut script)[0], (Ecn::ECT_0, true));
}

/// A segment with CWR that the sender's own host has refused is sent with CWR later.
#[test]
fn a_refused_segment_keeps_its_cwr() {
    let mut script = Script::new(with_ecn());
    script.drain();
    script.at(100).receive(echo(5));
    let refused = script.sender.poll_transmit(ms(100)).expect("there is room");
    assert!(refused.flags.has(Flags::CWR));
    script.sender.handle_refusal(ms(100), &refused);
    script.at(110).receive(ack(6));
    assert_eq!(fields(&mut script)[0], (Ecn::ECT_0, true));
}

/// A sender without ECN takes no notice of an echo, which it has not asked for.
#[test]
fn a_sender_without_ecn_ignores_echoes() {
    let mut script = Script::new(SenderConfig { ecn: false, ..with_ecn() });
    assert_eq!(fields(&mut script), [(Ecn::NOT_ECT, false); 8]);
    script.at(100).receive(echo(1)).window(9, 20);
    let sample = SenderEvent::RttSample(Duration::from_millis(100));
    script.events([SenderEvent::Established, sample]);
}

/// From a mark on each ACK has ECN-Echo, until a segment with CWR arrives. That segment may be marked itself.
///
/// Verifies: [RFC3168 §6.1.3]
#[test]
fn the_receiver_echoes_a_mark_until_the_sender_has_answered() {
    let config = ReceiverConfig {
        handshake: false,
        delayed_ack: Some(DelayedAck::default()),
        ..ReceiverConfig::default()
    };
    let mut receiver = Receiver::new(config);
    let mut echoes = |number: u64, ecn, flags: Flags| {
        let payload = u32::try_from(SEGMENT).expect("a small number");
        let seq = octet(number);
        let flags = flags.with_ecn(ecn);
        let data = Segment { seq, ack: 1, payload, flags, ..Segment::EMPTY };
        receiver.handle_segment(ms(0), &data);
        receiver.poll_transmit(ms(0)).map(|it| it.flags.has(Flags::ECE))
    };
    let (none, cwr) = (Flags::ACK, Flags::ACK.and(Flags::CWR));
    assert_eq!([echoes(0, Ecn::ECT_0, none), echoes(1, Ecn::ECT_0, none)], [None, Some(false)]);
    // The mark is on the first of two segments that one ACK acknowledges.
    assert_eq!([echoes(2, Ecn::CE, none), echoes(3, Ecn::ECT_0, none)], [None, Some(true)]);
    // A marked duplicate of old data is ignored, but acknowledged.
    assert_eq!(echoes(1, Ecn::CE, cwr), Some(true));
    assert_eq!([echoes(4, Ecn::ECT_0, none), echoes(5, Ecn::ECT_0, none)], [None, Some(true)]);
    assert_eq!([echoes(6, Ecn::ECT_0, cwr), echoes(7, Ecn::ECT_0, none)], [None, Some(false)]);
    assert_eq!([echoes(8, Ecn::CE, cwr), echoes(9, Ecn::ECT_0, none)], [None, Some(true)]);
    assert_eq!(receiver.stats().marked, 2);
}

/// A wire that marks one packet of each window instead of losing it costs no retransmission, and the sender keeps its
/// window as small as with losses, under each flavour that answers marks.
#[test]
fn marks_take_the_place_of_losses() {
    for flavour in Flavour::ALL.into_iter().filter(|it| !it.has_model()) {
        for loss_recovery in [LossRecovery::Duplicates, LossRecovery::Rack] {
            let transfer = Transfer::Bytes(Bytes::new(2_000_000));
            let sender = SenderConfig { flavour, loss_recovery, transfer, ecn: true, ..plain() };
            let receiver = ReceiverConfig {
                handshake: false,
                ecn_feedback: sender.ecn_feedback(),
                sack: sender.uses_sack(),
                ..ReceiverConfig::default()
            };
            let arrives = Delivery::Arrives(Duration::from_millis(20));
            let mut pair = Pair::new(sender, receiver, move |_, _| arrives);
            pair.mark_beyond(30);
            pair.run();
            let stats = *pair.sender.stats();
            let name = format!("{flavour:?}, {loss_recovery:?}");
            assert!(pair.sender.is_finished(), "{name}");
            assert_eq!((stats.retransmissions, stats.timeouts), (0, 0), "{name}");
            assert!(stats.marks_answered >= 2 || flavour == Flavour::Vegas, "{name}: {stats:?}");
            assert!(pair.receiver.stats().marked >= stats.marks_answered, "{name}");
        }
    }
}

/// DCTCP starts with an estimate of one, which moves to 15/16 with the first ACK. The first echo thus takes 15/32 of a
/// window of 64 segments: 34 are left.
///
/// Verifies: [RFC8257 §3.3]
#[test]
fn dctcp_reduces_its_window_by_half_of_its_estimate() {
    let config = SenderConfig {
        flavour: Flavour::Dctcp,
        sack: Some(false),
        initial_window: 64,
        initial_ssthresh: Some(64),
        ..plain()
    };
    let mut script = Script::new(config);
    assert_eq!(fields(&mut script), [(Ecn::ECT_0, false); 64]);
    script.at(100).ack(1).window(64, 64).receive(echo(2)).window(34, 34);
    script.receive(echo(3)).window(34, 34);
    assert_eq!(script.sender.stats().marks_answered, 1);
}

/// Lets segment `number` with an ECN field arrive. Returns the number of segments that each ACK acknowledges, and
/// whether it echoes a mark.
fn echoes(receiver: &mut Receiver, number: u64, ecn: Ecn) -> Vec<(u64, bool)> {
    let payload = u32::try_from(SEGMENT).expect("a small number");
    let flags = Flags::ACK.and(Flags::CWR).with_ecn(ecn);
    let data = Segment { seq: octet(number), ack: 1, payload, flags, ..Segment::EMPTY };
    receiver.handle_segment(ms(0), &data);
    let sent = std::iter::from_fn(|| receiver.poll_transmit(ms(0)));
    sent.map(|it| ((it.ack - 1) / SEGMENT, it.flags.has(Flags::ECE))).collect()
}

/// A receiver that echoes exactly sends a delayed ACK when the marks change: first for the data before the change, and
/// then for the segment of the change. CWR has no effect.
///
/// Verifies: [RFC8257 §3.2]
#[test]
fn an_exact_receiver_acknowledges_each_change_of_marks() {
    let config = ReceiverConfig {
        handshake: false,
        ecn_feedback: EcnFeedback::Exact,
        ..ReceiverConfig::default()
    };
    let mut receiver = Receiver::new(config);
    let mut acks = |number, ecn| echoes(&mut receiver, number, ecn);
    assert_eq!(acks(0, Ecn::ECT_0), []);
    assert_eq!(acks(1, Ecn::ECT_0), [(2, false)]);
    assert_eq!(acks(2, Ecn::ECT_0), []);
    assert_eq!(acks(3, Ecn::CE), [(3, false), (4, true)]);
    assert_eq!(acks(4, Ecn::CE), []);
    assert_eq!(acks(5, Ecn::CE), [(6, true)]);
    assert_eq!(acks(6, Ecn::ECT_0), [(7, false)]);
}

/// An ACK that waits for segments that arrive together is also sent when the marks change, with the former echo.
///
/// Verifies: [RFC8257 §3.2], [linux-coalescing]
#[test]
fn a_change_of_marks_ends_the_wait_of_a_coalescing_receiver() {
    let coalescing = Some(Duration::from_millis(2));
    let config = ReceiverConfig {
        handshake: false,
        ecn_feedback: EcnFeedback::Exact,
        delayed_ack: Some(DelayedAck { coalescing, ..DelayedAck::default() }),
        ..ReceiverConfig::default()
    };
    let mut receiver = Receiver::new(config);
    for number in 0..3 {
        assert_eq!(echoes(&mut receiver, number, Ecn::ECT_0), []);
    }
    assert_eq!(receiver.next_timeout(), Some(ms(2)));
    assert_eq!(echoes(&mut receiver, 3, Ecn::CE), [(3, false), (4, true)]);
}

/// Prague sends ECT(1). Its window halves at the first mark, then not again for 25 ms, and an ACK with a mark does not let
/// it grow.
///
/// Verifies: [draft-prague §2], [RFC9331 §4.1]
#[test]
fn prague_reduces_its_window_once_per_virtual_round_trip() {
    let config = SenderConfig {
        flavour: Flavour::Prague,
        ecn_feedback: Some(EcnFeedback::Exact),
        sack: Some(false),
        initial_window: 64,
        initial_ssthresh: Some(64),
        ..plain()
    };
    let mut script = Script::new(config);
    let sent = fields(&mut script);
    assert!(!sent.is_empty() && sent.iter().all(|it| *it == (Ecn::ECT_1, false)), "{sent:?}");
    script.at(5).receive(echo(1)).window(32, 32);
    script.at(6).receive(echo(2)).window(32, 32);
    let before = script.sender.usable_window();
    script.at(7).receive(echo(3));
    assert_eq!(script.sender.usable_window(), before);
    script.at(8).ack(4);
    assert!(script.sender.usable_window() > before);
    assert_eq!(script.sender.stats().marks_answered, 1);
    script.at(31).receive(echo(5));
    assert_eq!(script.sender.stats().marks_answered, 2);
}

/// A mark halves a window of 16 segments. A loss in the same window of data is repaired, but does not halve it again: after
/// three duplicates cwnd is 8 + 3 segments, with SACK it remains 8, and a time-out leaves ssthresh at 8. DCTCP answers the
/// loss, because a mark takes only a part of its window.
///
/// Verifies: [RFC3168 §6.1.2]
#[test]
fn a_loss_in_a_window_that_a_mark_has_reduced_reduces_it_no_more() {
    let config = SenderConfig { initial_window: 16, ..with_ecn() };
    let reduced = |config: SenderConfig| {
        let mut script = Script::new(config);
        script.drain();
        script.at(100).receive(echo(1)).silent().window(8, 8);
        script
    };
    let mut script = reduced(config);
    script.ack(1).ack(1).window(8, 8).ack(1).sends([1]).window(11, 8);
    // Nothing is in flight after the repair.
    script.at(200).ack(16).window(2, 8);

    // A loss in the next window of data is another one.
    let mut script = reduced(config);
    script.at(200).ack(16).window(8, 8).drain();
    script.at(300).ack(16).ack(16).ack(16).window(4 + 3, 4);

    let mut script = reduced(config);
    script.at(1_100).expire().sends([1]).window(1, 8);

    let sacked = |loss_recovery| SenderConfig { sack: Some(true), loss_recovery, ..config };
    for loss_recovery in [LossRecovery::Duplicates, LossRecovery::Rack] {
        let mut script = reduced(sacked(loss_recovery));
        for number in [2, 3, 4, 5] {
            let mut duplicate = ack(1);
            duplicate.sack.push(octet(1), octet(2), octet(number + 1));
            script.at(200 + number).receive(duplicate);
        }
        assert_eq!(script.drain()[0].seq, octet(1), "{loss_recovery:?}");
        script.window(8, 8);
        assert_eq!(script.sender.stats().fast_retransmits, 1);
    }

    let dctcp = SenderConfig { flavour: Flavour::Dctcp, sack: Some(false), ..config };
    let mut script = Script::new(dctcp);
    script.drain();
    script.at(100).receive(echo(1));
    let after = script.sender.usable_window();
    script.ack(1).ack(1).ack(1);
    assert!(Bytes::new(1_000 * u64::from(script.sender.ssthresh())) < after);
}
