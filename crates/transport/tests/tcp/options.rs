//! Timestamps and selective acknowledgments in segments.

use std::num::NonZeroU32;

use airfair_transport::tcp::{
    Flags, Flavour, Receiver, ReceiverConfig, Segment, SenderConfig, SenderEvent, Timestamps,
};
use airfair_units::{Bytes, Duration};

use crate::script::{Script, ack, ms, octet, plain};

fn receiver(sack: bool, timestamps: bool) -> Receiver {
    Receiver::new(ReceiverConfig {
        handshake: false,
        buffer: Bytes::new(50_000),
        sack,
        timestamps,
        ..ReceiverConfig::default()
    })
}

fn data(number: u64) -> Segment {
    let (seq, flags) = (octet(number), Flags::ACK);
    Segment { seq, ack: 1, window: 65_535, payload: 1_000, flags, ..Segment::EMPTY }
}

fn stamped(number: u64, value: u32) -> Segment {
    let value = NonZeroU32::new(value).expect("a value");
    Segment { timestamps: Some(Timestamps { value, echo: 0 }), options: 12, ..data(number) }
}

/// ACK after the segments `numbers` have arrived: length of the options, and ranges of segment numbers.
fn after(receiver: &mut Receiver, numbers: &[u64]) -> (u16, Vec<(u64, u64)>) {
    let mut last = None;
    for number in numbers {
        receiver.handle_segment(ms(1), &data(*number));
        last = receiver.poll_transmit(ms(1));
    }
    let ack = last.expect("an ACK at once");
    let number = |octet: u64| (octet - 1) / 1_000;
    (ack.options, ack.sack.iter(ack.ack).map(|(start, end)| (number(start), number(end))).collect())
}

/// An ACK has room for four SACK blocks without timestamps, and for three with them.
///
/// Verifies: [RFC2018 §3], [RFC2018 §4]
#[test]
fn blocks_take_their_room_in_the_header() {
    let mut alone = receiver(true, false);
    assert_eq!(after(&mut alone, &[2]), (12, vec![(2, 3)]));
    assert_eq!(after(&mut alone, &[4]), (20, vec![(4, 5), (2, 3)]));
    let all = vec![(10, 11), (8, 9), (6, 7), (4, 5)];
    assert_eq!(after(&mut alone, &[6, 8, 10]), (36, all.clone()));
    // 12 for the timestamps and 28 for three blocks are the 40 octets of a header.
    assert_eq!(after(&mut receiver(true, true), &[4, 6, 8, 10]), (40, all[..3].to_vec()));
    assert_eq!(after(&mut receiver(false, true), &[4, 6]), (12, vec![]));
    assert_eq!(after(&mut receiver(false, false), &[4, 6]), (0, vec![]));
}

/// A duplicate segment is reported in one ACK only, before the ranges beyond gaps.
///
/// Verifies: [RFC2883 §4]
#[test]
fn a_segment_that_comes_twice_is_reported_once() {
    let mut receiver = receiver(true, false);
    assert_eq!(after(&mut receiver, &[0, 1, 0]), (12, vec![(0, 1)]));
    assert_eq!(after(&mut receiver, &[3, 5]), (20, vec![(5, 6), (3, 4)]));
    // The duplicate is in a range beyond the gap, so that range follows.
    assert_eq!(after(&mut receiver, &[3]), (28, vec![(3, 4), (3, 4), (5, 6)]));
    assert_eq!(after(&mut receiver, &[2]), (12, vec![(5, 6)]));
    // Without a gap there are no blocks.
    assert_eq!(after(&mut receiver, &[4]), (0, vec![]));
}

/// SYN and SYN-ACK contain the options for SACK and timestamps if these are configured.
///
/// Verifies: [RFC9293 §3.2], [RFC2018 §2], [RFC7323 §3.2]
#[test]
fn the_syn_has_the_permitted_options() {
    for (flavour, timestamps, options) in
        [(Flavour::NewReno, false, 8), (Flavour::Sack, false, 12), (Flavour::Sack, true, 20)]
    {
        let sender = SenderConfig { handshake: true, flavour, timestamps, ..plain() };
        let sack = sender.uses_sack();
        let syn = Script::new(sender).drain()[0];
        assert_eq!((syn.options, syn.timestamps.is_some()), (options, timestamps));
        let mut receiver =
            Receiver::new(ReceiverConfig { sack, timestamps, ..ReceiverConfig::default() });
        receiver.handle_segment(ms(5), &syn);
        let answer = receiver.poll_transmit(ms(5)).expect("a SYN-ACK");
        assert_eq!((answer.flags, answer.options), (Flags::SYN_ACK, options));
        assert_eq!(answer.timestamps.map(|stamps| stamps.echo), timestamps.then_some(1));
    }
}

/// An ACK echoes the timestamp of the first segment that it acknowledges or, beyond a gap, of the last one
/// before the gap.
///
/// Verifies: [RFC7323 §4.3]
#[test]
fn the_echo_is_of_the_segment_that_the_ack_is_about() {
    let mut receiver = receiver(false, true);
    let mut echo = |number, value| {
        receiver.handle_segment(ms(1), &stamped(number, value));
        receiver.poll_transmit(ms(1)).map(|ack| ack.timestamps.expect("timestamps").echo)
    };
    // A delayed ACK echoes the first of the two.
    assert_eq!([echo(0, 10), echo(1, 20)], [None, Some(10)]);
    // Beyond a gap, the ACK echoes the last segment in order, which was 0.
    assert_eq!([echo(3, 40), echo(4, 50)], [Some(10), Some(10)]);
    // When the gap is filled, the ACK echoes the segment that filled it.
    assert_eq!(echo(2, 60), Some(60));
    // An old copy changes nothing.
    assert_eq!(echo(0, 11), Some(60));
}

/// With timestamps every ACK for new data gives a round-trip sample, also after a retransmission.
///
/// Verifies: [RFC7323 §4.1], [RFC7323 §3.2]
#[test]
fn every_ack_for_new_data_measures_a_round_trip() {
    let mut script = Script::new(SenderConfig { timestamps: true, ..plain() });
    let sent = script.drain();
    assert!(sent.iter().all(|segment| segment.options == 12 && segment.size().get() == 1_052));
    let stamp = |at_ms: u64| u32::try_from(at_ms * 1_000 + 1).unwrap();
    let echoing = |number, at_ms| {
        let value = NonZeroU32::new(7).expect("seven");
        Segment { timestamps: Some(Timestamps { value, echo: stamp(at_ms) }), ..ack(number) }
    };
    assert_eq!(sent[0].timestamps, Some(Timestamps { value: NonZeroU32::MIN, echo: 0 }));
    let sample = |ms| SenderEvent::RttSample(Duration::from_millis(ms));
    script.at(100).receive(echoing(1, 0)).events([SenderEvent::Established, sample(100)]);
    assert_eq!(script.drain()[0].timestamps.map(|stamps| stamps.echo), Some(7));
    script.at(130).receive(echoing(2, 0)).events([sample(130)]);
    // Duplicates give no samples; the copy of 2 was sent at 150.
    script.at(150).receive(echoing(2, 0)).receive(echoing(2, 0)).receive(echoing(2, 0));
    script.drain();
    script.events([SenderEvent::FastRetransmit, SenderEvent::Retransmission]);
    script.at(210).receive(echoing(4, 150)).events([sample(60)]);
    // Without an echo there is no sample, and no other measurement.
    script.at(220).ack(5).events([]);
    assert_eq!(script.sender.stats().rtt_samples, 3);
}
