//! Accurate ECN: ACKs that count marks.  [RFC9768]

use airfair_transport::ecn::Ecn;
use airfair_transport::tcp::{
    DelayedAck, EcnFeedback, Flags, Flavour, LossRecovery, OctetCounters, Receiver, ReceiverConfig,
    SackBlocks, Segment, SenderConfig, Transfer,
};
use airfair_units::{Bytes, Duration};
use proptest::prelude::*;

use crate::pair::{Delivery, Pair, To};
use crate::script::{SEGMENT, Script, ack, ms, octet, plain};

fn accurate() -> SenderConfig {
    SenderConfig {
        ecn: true,
        ecn_feedback: Some(EcnFeedback::Accurate),
        initial_ssthresh: Some(20),
        initial_window: 16,
        ..plain()
    }
}

/// An ACK of everything below segment `number`, with this ACE field and, perhaps, this number of marked octets.
fn counted(number: u64, ace: u8, marked: Option<u32>) -> Segment {
    let mut segment = Segment { flags: Flags::ACK.with_ace(ace), ..ack(number) };
    if let Some(ce) = marked {
        // The option with 4000 octets of ECT(0), as a receiver sets it.
        segment.sack = with_counters(4_000, ce);
    }
    segment
}

/// The `AccECN` option of a receiver that has received so many octets with ECT(0) and with a mark.
fn with_counters(ect: u32, ce: u32) -> SackBlocks {
    let mut receiver = receiver(EcnFeedback::Accurate, 1_000);
    for (octets, ecn) in [(ect - 1, Ecn::ECT_0), (ce, Ecn::CE)] {
        let seq = receiver.delivered().get() + 1;
        let flags = Flags::ACK.with_ecn(ecn);
        let data = Segment { seq, ack: 1, payload: octets, flags, ..Segment::EMPTY };
        receiver.handle_segment(ms(0), &data);
    }
    // The last ACK has all counters.
    let flags = Flags::ACK.and(Flags::FIN);
    let seq = receiver.delivered().get() + 1;
    receiver.handle_segment(ms(0), &Segment { seq, ack: 1, flags, ..Segment::EMPTY });
    receiver.poll_transmit(ms(0)).expect("an ACK").sack
}

fn receiver(ecn_feedback: EcnFeedback, segments: u32) -> Receiver {
    let delayed_ack = Some(DelayedAck { segments, ..DelayedAck::default() });
    Receiver::new(ReceiverConfig {
        handshake: false,
        ecn_feedback,
        delayed_ack,
        ..ReceiverConfig::default()
    })
}

/// ACKs that a receiver sends for segment `number` with this codepoint.
fn acks(receiver: &mut Receiver, number: u64, ecn: Ecn) -> Vec<Segment> {
    let payload = u32::try_from(SEGMENT).expect("a small number");
    let flags = Flags::ACK.with_ecn(ecn);
    let data = Segment { seq: octet(number), ack: 1, payload, flags, ..Segment::EMPTY };
    receiver.handle_segment(ms(0), &data);
    std::iter::from_fn(|| receiver.poll_transmit(ms(0))).collect()
}

/// A SYN has AE, CWR and ECE. The SYN-ACK has CWR alone, because the SYN was not ECN-capable, and the initial counters;
/// the ACK of the SYN-ACK reports the same. Data has the initial count of 5, AE and ECE, and never CWR.
///
/// Verifies: [RFC9768 §3.1.1], [RFC9768 §3.2.2.1], [RFC9768 §3.1.5]
#[test]
fn both_ends_agree_on_accurate_feedback_in_the_handshake() {
    for feedback in [EcnFeedback::Ace, EcnFeedback::Accurate] {
        let config = SenderConfig { handshake: true, ecn_feedback: Some(feedback), ..accurate() };
        let mut script = Script::new(config);
        let syn = script.drain()[0];
        assert_eq!(syn.flags, Flags::SYN.with_ace(7));
        let config = ReceiverConfig { ecn_feedback: feedback, ..ReceiverConfig::default() };
        let mut receiver = Receiver::new(config);
        receiver.handle_segment(ms(50), &syn);
        let syn_ack = receiver.poll_transmit(ms(50)).expect("a SYN-ACK");
        assert_eq!(syn_ack.flags, Flags::SYN_ACK.and(Flags::CWR));
        let first = OctetCounters { is_order_1: false, ect: 1, ce: Some(0) };
        let has_option = feedback == EcnFeedback::Accurate;
        assert_eq!(syn_ack.sack.counters(), has_option.then_some(first));
        assert_eq!(syn_ack.options, if has_option { 16 } else { 8 });
        script.at(100).receive(syn_ack);
        let sent = script.drain();
        assert_eq!((sent[0].payload, sent[0].flags), (0, Flags::ACK.and(Flags::CWR)));
        let data = Flags::ACK.with_ace(5).with_ecn(Ecn::ECT_0);
        assert!(sent[1..].iter().all(|it| it.flags == data), "{sent:?}");
        // A reduced window is not reported.
        script.at(200).receive(counted(8, 6, None)).receive(ack(16));
        assert!(script.drain().iter().all(|it| it.flags == data));
        assert!(script.sender.stats().marks_answered > 0);
    }
}

/// A mark after other segments is acknowledged at once, and so is every second mark. Where nothing is marked ACKs are
/// delayed as usual. Each ACK has the number of marks modulo eight, beginning with 5.
///
/// Verifies: [RFC9768 §3.2.2.5.1], [RFC9768 §3.2.2]
#[test]
fn the_receiver_acknowledges_changes_and_every_second_mark() {
    let mut receiver = receiver(EcnFeedback::Ace, 4);
    let mut seen = |number, ecn| {
        let acks = acks(&mut receiver, number, ecn);
        assert!(acks.iter().all(|it| it.sack.counters().is_none() && it.options == 0));
        acks.iter().map(|it| ((it.ack - 1) / SEGMENT, it.flags.ace())).collect::<Vec<_>>()
    };
    let expected = [
        (Ecn::ECT_0, vec![]),
        (Ecn::ECT_0, vec![]),
        (Ecn::ECT_0, vec![]),
        (Ecn::ECT_0, vec![(4, 5)]),
        // The first mark is a change.
        (Ecn::CE, vec![(5, 6)]),
        // One mark since the last ACK, then two.
        (Ecn::CE, vec![]),
        (Ecn::CE, vec![(7, 0)]),
        (Ecn::CE, vec![]),
        // The end of the marks causes no ACK.
        (Ecn::ECT_0, vec![]),
        (Ecn::CE, vec![(10, 2)]),
        (Ecn::ECT_0, vec![]),
        (Ecn::ECT_0, vec![]),
        (Ecn::ECT_0, vec![]),
        (Ecn::ECT_0, vec![(14, 2)]),
    ];
    for (number, (ecn, acks)) in (0..).zip(expected) {
        assert_eq!(seen(number, ecn), acks, "{number}");
    }
}

/// The option has the octets of the sender's codepoint, and from the first mark on those with a mark. Its eight octets
/// count in the size of the packet. An ACK without new octets repeats the counters.
///
/// Verifies: [RFC9768 §3.2.3], [RFC9768 §3.2.3.3]
#[test]
fn the_option_counts_octets() {
    for (ecn, is_order_1) in [(Ecn::ECT_0, false), (Ecn::ECT_1, true)] {
        let mut receiver = receiver(EcnFeedback::Accurate, 1);
        let mut after = |number, ecn| {
            let acks = acks(&mut receiver, number, ecn);
            assert_eq!((acks.len(), acks[0].options, acks[0].size().get()), (1, 8, 48));
            acks[0].sack.counters().expect("the option")
        };
        assert_eq!(after(0, ecn), OctetCounters { is_order_1, ect: 1_001, ce: None });
        assert_eq!(after(1, Ecn::CE), OctetCounters { is_order_1, ect: 1_001, ce: Some(1_000) });
        assert_eq!(after(2, ecn), OctetCounters { is_order_1, ect: 2_001, ce: Some(1_000) });
        assert_eq!(
            after(0, Ecn::NOT_ECT),
            OctetCounters { is_order_1, ect: 2_001, ce: Some(1_000) }
        );
    }
}

/// Beside timestamps and the option, two SACK blocks have room: 12 + 8 + 4 + 16 = 40 octets.
///
/// Verifies: [RFC9768 §3.2.3.3]
#[test]
fn the_option_leaves_room_for_two_blocks() {
    for (timestamps, blocks, options) in [(true, 2, 40), (false, 3, 36)] {
        let config = ReceiverConfig {
            handshake: false,
            ecn_feedback: EcnFeedback::Accurate,
            sack: true,
            timestamps,
            ..ReceiverConfig::default()
        };
        let mut receiver = Receiver::new(config);
        let sent = [1, 3, 5, 7, 9].map(|number| acks(&mut receiver, number, Ecn::ECT_0));
        let last = sent[4][0];
        assert_eq!((last.sack.iter(last.ack).count(), last.options), (blocks, options));
        assert_eq!(last.sack.counters().map(|it| it.ect), Some(5_001));
    }
}

/// Of a window of 16 segments, 8 remain after an ACK that counts a mark. Further marks in the same window of data change
/// nothing. Sixteen marks in ACKs about four segments are all counted.
///
/// Verifies: [RFC9768 §3.2.2.5.2], [RFC3168 §6.1.2]
#[test]
fn the_sender_counts_marks_and_answers_once_per_window_of_data() {
    for has_option in [false, true] {
        let mut script = Script::new(accurate());
        assert_eq!(script.drain().len(), 16);
        for (number, ace) in [(4, 1), (8, 5), (12, 1), (16, 5)] {
            let octets = u32::try_from(number * SEGMENT).expect("a small number");
            script.at(100 + number).receive(counted(number, ace, has_option.then_some(octets)));
            script.window(8, 8);
        }
        assert_eq!(script.sender.stats().marks_reported, 16);
        assert_eq!(script.sender.stats().marks_answered, 1);
        // The same count again reports nothing, nor does an ACK without progress, which may be an old one.
        script.receive(counted(16, 4, None)).window(8, 8);
        assert_eq!(script.sender.stats().marks_reported, 16);
    }
}

/// An ACK about 14 segments, after one about two, and a field that has increased by 2: without the option 10 segments
/// count as marked, with it as many as the octets are.
///
/// Verifies: [RFC9768 §3.2.2.5.2]
#[test]
fn the_option_tells_the_sender_how_often_the_field_has_cycled() {
    for (marked, expected) in [(None, 10), (Some(2_000), 2), (Some(10_000), 10)] {
        let mut script = Script::new(accurate());
        script.drain();
        script.at(100).receive(counted(2, 5, marked.map(|_| 0))).receive(counted(16, 7, marked));
        assert_eq!(script.sender.stats().marks_reported, expected, "{marked:?}");
    }
}

/// DCTCP reads marked octets, and not whole ACKs: an ACK about six segments reports two marks. The first ACK moves the
/// estimate to 15/16, so that the two marks take 15/32 of 64 segments. In the window of 64 segments a 32nd was marked:
/// 15/16 − 15/256 + 1/512 = 451/512. The next mark takes half of it, 14,974 of 34,000 octets.
///
/// Verifies: [RFC8257 §3.3], [RFC9768 §3.2.3]
#[test]
fn dctcp_reads_the_share_of_marked_octets() {
    for feedback in [EcnFeedback::Ace, EcnFeedback::Accurate] {
        let config = SenderConfig {
            flavour: Flavour::Dctcp,
            sack: Some(false),
            ecn_feedback: Some(feedback),
            initial_window: 64,
            initial_ssthresh: Some(64),
            ..accurate()
        };
        let has_option = feedback == EcnFeedback::Accurate;
        let ack = |number, ace, marked| counted(number, ace, has_option.then_some(marked));
        let mut script = Script::new(config);
        script.drain();
        script.at(100).receive(ack(1, 5, 0)).window(64, 64);
        script.receive(ack(7, 7, 2_000)).window(34, 34);
        // ACKs about seven segments at most are not ambiguous.
        for number in (14..=63).step_by(7).chain([64]) {
            script.receive(ack(number, 7, 2_000));
        }
        assert!(!script.drain().is_empty());
        script.at(200).receive(ack(65, 7, 2_000)).window(34, 34);
        script.receive(ack(66, 0, 3_000));
        assert_eq!(script.sender.usable_window(), Bytes::new(19_026));
        assert_eq!(script.sender.stats().marks_reported, 3);
    }
}

/// ACK 0 with a SACK block of the segments 1 to `end`.
fn sacked(end: u64, ace: u8, marked: Option<u32>) -> Segment {
    let mut segment = counted(0, ace, marked);
    segment.sack.push(1, octet(1), octet(end + 1));
    segment
}

/// Marks of segments that SACK reports count among the octets of the ACK that acknowledges them. Two of 64 segments were
/// marked before the first one arrived: as above, the next mark takes 451/1024 of 34,000 octets.
///
/// Verifies: [RFC8257 §3.3], [RFC9768 §3.2.3]
#[test]
fn marks_beyond_a_gap_count_when_it_is_filled() {
    for loss_recovery in [LossRecovery::Duplicates, LossRecovery::Rack] {
        let config = SenderConfig {
            flavour: Flavour::Dctcp,
            sack: Some(true),
            loss_recovery,
            initial_window: 64,
            initial_ssthresh: Some(64),
            ..accurate()
        };
        let mut script = Script::new(config);
        script.drain();
        script.at(100).receive(sacked(1, 6, Some(1_000))).receive(sacked(2, 7, Some(2_000)));
        script.window(34, 34);
        for number in (3..=63).step_by(6).chain([64]) {
            script.receive(counted(number, 7, Some(2_000)));
        }
        script.drain();
        script.at(200).receive(counted(65, 7, Some(2_000))).window(34, 34);
        script.receive(counted(66, 0, Some(3_000)));
        assert_eq!(script.sender.usable_window(), Bytes::new(19_026), "{loss_recovery:?}");
        assert_eq!(script.sender.stats().marks_reported, 3);
    }
}

/// An ACK of nine segments of which two were sacked before is about seven new ones, so that the field has not cycled.
///
/// Verifies: [RFC9768 §3.2.2.5.2]
#[test]
fn sacked_segments_are_not_new_when_they_are_acknowledged() {
    for loss_recovery in [LossRecovery::Duplicates, LossRecovery::Rack] {
        let config = SenderConfig { sack: Some(true), loss_recovery, ..accurate() };
        let mut script = Script::new(config);
        script.drain();
        script.at(100).receive(sacked(1, 5, None)).receive(sacked(2, 5, None));
        script.receive(counted(9, 5, None));
        assert_eq!(script.sender.stats().marks_reported, 0, "{loss_recovery:?}");
        // The seven after them and one more are eight.
        let mut whole = Script::new(config);
        whole.drain();
        whole.at(100).receive(counted(2, 5, None)).receive(counted(10, 5, None));
        assert_eq!(whole.sender.stats().marks_reported, 8);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    /// On random networks that mark packets and lose ACKs, and data, the sender counts exactly the marks that the receiver
    /// has reported, if there is the option. Without it the sender counts a multiple of eight more, or less where ACKs are
    /// usually about more than four segments.
    ///
    /// Verifies: [RFC9768 §3.2.2.5.2]
    #[test]
    fn the_senders_count_is_that_of_the_receiver(
        fates in prop::collection::vec((0_u8..100, 1_u64..3), 300),
        losses in (0_u8..60, 0_u8..6),
        beyond in 2_usize..12,
        segments in 1_u32..6,
        flavour in prop::sample::select(vec![Flavour::NewReno, Flavour::Cubic, Flavour::Dctcp, Flavour::Prague]),
        loss_recovery in prop::sample::select(vec![LossRecovery::Duplicates, LossRecovery::Rack]),
        ecn_feedback in prop::sample::select(vec![EcnFeedback::Ace, EcnFeedback::Accurate]),
    ) {
        let sender = SenderConfig {
            flavour,
            loss_recovery,
            sack: Some(true),
            ecn: true,
            ecn_feedback: Some(ecn_feedback),
            transfer: Transfer::Bytes(Bytes::new(400_000)),
            ..plain()
        };
        let receiver = ReceiverConfig {
            handshake: false,
            ecn_feedback,
            sack: true,
            delayed_ack: Some(DelayedAck { segments, ..DelayedAck::default() }),
            ..ReceiverConfig::default()
        };
        let fate = move |to: To, number: u64| {
            let (draw, _) = fates[usize::try_from(number).expect("small") % fates.len()];
            let lost = if to == To::Sender { losses.0 } else { losses.1 };
            // The delay is the same for all, so that the order is kept.
            if draw < lost { Delivery::Lost } else { Delivery::Arrives(Duration::from_millis(10)) }
        };
        let mut pair = Pair::new(sender, receiver, fate);
        pair.mark_beyond(beyond);
        pair.run();
        let (counted, marked) = (pair.sender.stats().marks_reported, pair.receiver.stats().marked);
        prop_assert!(pair.sender.is_finished());
        if ecn_feedback == EcnFeedback::Accurate {
            prop_assert_eq!(counted, marked);
        } else {
            // Data segments of less than a full segment do not occur, so the field is right modulo eight.
            prop_assert_eq!(counted % 8, marked % 8);
            prop_assert!(segments > 4 || losses.0 > 20 || counted >= marked, "{} {}", counted, marked);
        }
    }
}
