//! The TCP receiver in scripted tests.

use airfair_transport::tcp::{DelayedAck, Flags, Receiver, ReceiverConfig, Segment};
use airfair_units::{Bytes, Duration};

use crate::script::{SEGMENT, ms, octet};

/// Data segment `number`, of 1000 octets.
fn data(number: u64) -> Segment {
    let flags = Flags::ACK;
    Segment {
        seq: octet(number),
        ack: 1,
        window: 65_535,
        payload: 1_000,
        flags,
        options: 0,
        ..Segment::EMPTY
    }
}

fn fin(number: u64) -> Segment {
    Segment { payload: 0, flags: Flags::FIN_ACK, ..data(number) }
}

fn plain() -> ReceiverConfig {
    ReceiverConfig { handshake: false, buffer: Bytes::new(20_000), ..ReceiverConfig::default() }
}

/// Lets a segment arrive at `at` ms. Returns the number of segments that the ACK sent at once acknowledges;
/// `None` without an ACK.
fn after(receiver: &mut Receiver, at: u64, segment: Segment) -> Option<u64> {
    receiver.handle_segment(ms(at), &segment);
    acked(receiver, at)
}

fn acked(receiver: &mut Receiver, at: u64) -> Option<u64> {
    let ack = receiver.poll_transmit(ms(at))?;
    assert_eq!(receiver.poll_transmit(ms(at)), None, "one ACK at a time");
    assert_eq!((ack.seq, ack.payload, ack.flags, ack.options), (1, 0, Flags::ACK, 0));
    assert_eq!(ack.window, 20_000);
    assert_eq!(receiver.next_timeout(), None);
    Some((ack.ack - 1) / SEGMENT)
}

/// Every second segment is acknowledged at once, and a single one 200 ms after its arrival.
///
/// Verifies: [RFC5681 §4.2], [RFC9293 §3.8.6.3]
#[test]
fn every_second_segment_is_acknowledged_at_once_and_an_odd_one_in_time() {
    let mut receiver = Receiver::new(plain());
    assert_eq!(after(&mut receiver, 0, data(0)), None);
    assert_eq!(receiver.next_timeout(), Some(ms(200)));
    assert_eq!(after(&mut receiver, 50, data(1)), Some(2));
    // The delay counts from the first segment held back.
    assert_eq!(after(&mut receiver, 60, data(2)), None);
    assert_eq!(receiver.next_timeout(), Some(ms(260)));
    receiver.handle_timeout(ms(259));
    assert_eq!(acked(&mut receiver, 259), None);
    receiver.handle_timeout(ms(260));
    assert_eq!(acked(&mut receiver, 260), Some(3));
    receiver.handle_timeout(ms(260));
    assert_eq!(acked(&mut receiver, 260), None);
    assert_eq!(receiver.delivered(), Bytes::new(3_000));
}

#[test]
fn the_count_and_the_time_of_delayed_acks_are_choices() {
    let timeout = Duration::from_millis(40);
    let delayed = DelayedAck { segments: 3, timeout, coalescing: None };
    let mut receiver = Receiver::new(ReceiverConfig { delayed_ack: Some(delayed), ..plain() });
    let acks = [0, 1, 2, 3, 4, 5].map(|k| after(&mut receiver, k, data(k)));
    assert_eq!(acks, [None, None, Some(3), None, None, Some(6)]);
    assert_eq!(after(&mut receiver, 10, data(6)), None);
    assert_eq!(after(&mut receiver, 20, data(7)), None);
    assert_eq!(receiver.next_timeout(), Some(ms(50)));

    let mut receiver = Receiver::new(ReceiverConfig { delayed_ack: None, ..plain() });
    assert_eq!([0, 1, 2].map(|k| after(&mut receiver, k, data(k))), [Some(1), Some(2), Some(3)]);
}

/// A receiver with coalescing, whose ACKs of every second segment wait for 2 ms.
fn coalescing() -> ReceiverConfig {
    let coalescing = Some(Duration::from_millis(2));
    ReceiverConfig {
        delayed_ack: Some(DelayedAck { coalescing, ..DelayedAck::default() }),
        ..plain()
    }
}

/// An ACK that is due waits, and acknowledges all segments that arrive meanwhile. A single segment waits as
/// without coalescing.
///
/// Verifies: [linux-coalescing]
#[test]
fn an_ack_waits_for_the_segments_that_arrive_together() {
    let mut receiver = Receiver::new(coalescing());
    let acks = [0, 1, 2, 2].map(|k| after(&mut receiver, k, data(k)));
    assert_eq!(
        acks,
        [None, None, None, Some(3)],
        "a copy of the third segment needs an ACK at once"
    );
    let mut receiver = Receiver::new(coalescing());
    for (time, number) in [(10, 0), (10, 1), (11, 2), (11, 3)] {
        assert_eq!(after(&mut receiver, time, data(number)), None);
        let due = if number == 0 { 210 } else { 12 };
        assert_eq!(receiver.next_timeout(), Some(ms(due)), "it counts from the second segment");
    }
    receiver.handle_timeout(ms(12));
    assert_eq!(acked(&mut receiver, 12), Some(4));
    assert_eq!(receiver.next_timeout(), None);
    assert_eq!(receiver.stats().acks_sent, 1);
}

/// A segment with PSH is due alone, and waits too; a gap, the FIN and quick ACKs do not.
///
/// Verifies: [linux-coalescing], [linux-push]
#[test]
fn pushed_data_waits_and_gaps_do_not() {
    let pushed = Segment { flags: Flags::ACK.and(Flags::PSH), ..data(0) };
    let mut receiver = Receiver::new(coalescing());
    assert_eq!(after(&mut receiver, 5, pushed), None);
    assert_eq!(receiver.next_timeout(), Some(ms(7)));
    assert_eq!(after(&mut receiver, 6, data(2)), Some(1), "a gap");
    assert_eq!(after(&mut receiver, 6, data(1)), Some(3), "the gap is filled");
    assert_eq!(after(&mut receiver, 7, data(3)), None);
    assert_eq!(after(&mut receiver, 7, data(4)), None);
    assert_eq!(after(&mut receiver, 7, data(5)), None);
    receiver.handle_segment(ms(7), &fin(6));
    assert_eq!(receiver.poll_transmit(ms(7)).map(|ack| ack.ack), Some(octet(6) + 1), "the FIN");

    let mut receiver = Receiver::new(ReceiverConfig { quick_acks: 2, ..coalescing() });
    let acks = [0, 1, 2, 3].map(|k| after(&mut receiver, k, data(k)));
    assert_eq!(acks, [Some(1), Some(2), None, None]);
}

/// The first `quick_acks` ACKs are not delayed.
///
/// Verifies: [linux-quickack]
#[test]
fn at_the_start_so_many_acks_are_not_delayed() {
    let mut receiver = Receiver::new(ReceiverConfig { quick_acks: 3, ..plain() });
    let acks = [0, 1, 2, 3, 4, 5].map(|k| after(&mut receiver, k, data(k)));
    assert_eq!(acks, [Some(1), Some(2), Some(3), None, Some(5), None]);
    assert_eq!(receiver.next_timeout(), Some(ms(205)));
}

/// Where the receiver tunes its window, a duplicate segment starts quick ACKs again: two ACKs are not delayed,
/// that of the duplicate and that of the next segment.
///
/// Verifies: [linux-quickack]
#[test]
fn where_windows_grow_a_duplicate_begins_quick_acks_again() {
    for (tunes_window, fourth) in [(true, Some(4)), (false, None)] {
        let config = ReceiverConfig { quick_acks: 2, tunes_window, ..plain() };
        let mut receiver = Receiver::new(config);
        let acks = [0, 1, 2, 0, 3].map(|k| after(&mut receiver, k, data(k)));
        assert_eq!(acks, [Some(1), Some(2), None, Some(3), fourth]);
        assert_eq!(receiver.next_timeout().is_none(), tunes_window);
    }
}

/// While the auto-tuned window grows, no ACK is delayed. 66 segments, one per millisecond, are the first
/// window of 64 kB, and thus a round trip. They exceed the data expected in a round trip, so the window may
/// grow with the next ones: each of those is acknowledged, while of the others every second one is.
///
/// Verifies: [linux-rcv-space]
#[test]
fn while_the_window_grows_no_ack_is_delayed() {
    let buffer = Bytes::new(1_000_000);
    let mut receiver = Receiver::new(ReceiverConfig { tunes_window: true, buffer, ..plain() });
    let mut acks = |segments: std::ops::Range<u64>| {
        let windows = segments.filter_map(|number| {
            receiver.handle_segment(ms(number), &data(number));
            receiver.poll_transmit(ms(number)).map(|ack| ack.window)
        });
        let windows: Vec<u64> = windows.collect();
        (windows.len(), windows.last().copied())
    };
    // In units of 16 octets.
    assert_eq!(acks(0..66), (33, Some(65_536)));
    assert_eq!(acks(66..76), (10, Some(75_536)));
}

/// An ACK caused by a gap counts as a quick ACK.
///
/// Verifies: [linux-quickack]
#[test]
fn every_ack_sent_is_one_of_the_quick_ones() {
    let mut receiver = Receiver::new(ReceiverConfig { quick_acks: 3, ..plain() });
    let acks = [0, 2, 1, 3].map(|k| after(&mut receiver, k, data(k)));
    assert_eq!(acks, [Some(1), Some(1), Some(3), None]);
}

/// The answer to the SYN does not count as a quick ACK.
///
/// Verifies: [linux-quickack]
#[test]
fn quick_acks_begin_with_the_data() {
    let config = ReceiverConfig { handshake: true, quick_acks: 1, ..plain() };
    let mut receiver = Receiver::new(config);
    let syn = Segment { seq: 0, ack: 0, payload: 0, flags: Flags::SYN, ..data(0) };
    receiver.handle_segment(ms(0), &syn);
    assert!(receiver.poll_transmit(ms(0)).is_some_and(|answer| answer.flags == Flags::SYN_ACK));
    assert_eq!([0, 1, 2].map(|k| after(&mut receiver, k, data(k))), [Some(1), None, Some(3)]);
}

/// An owner who polls late gets one ACK for everything, and no further one.
#[test]
fn an_ack_that_is_due_stays_due() {
    let mut receiver = Receiver::new(plain());
    for number in 0..3 {
        receiver.handle_segment(ms(0), &data(number));
    }
    assert_eq!(acked(&mut receiver, 0), Some(3));
}

/// Each segment that arrives beyond a gap, or fills one, is acknowledged at once.
///
/// Verifies: [RFC5681 §4.2]
#[test]
fn segments_out_of_order_are_answered_at_once_each() {
    let mut receiver = Receiver::new(plain());
    // The ACK of 0 is delayed until 2 reveals a gap; 1 fills it.
    assert_eq!(after(&mut receiver, 0, data(0)), None);
    let acks = [2, 3, 5].map(|k| after(&mut receiver, k, data(k)));
    assert_eq!(acks, [Some(1); 3]);
    // Fills a part of the gaps: an ACK at once, up to the last gap.
    assert_eq!(after(&mut receiver, 10, data(1)), Some(4));
    // Fills the last gap: an ACK at once.
    assert_eq!(after(&mut receiver, 11, data(4)), Some(6));
    // In order again: the ACK is delayed.
    assert_eq!(after(&mut receiver, 12, data(6)), None);
    let stats = *receiver.stats();
    assert_eq!((stats.segments_received, stats.out_of_order, stats.duplicates), (7, 3, 0));
    assert_eq!(stats.acks_sent, 5);
}

/// Data in order below a gap is acknowledged at once.
///
/// Verifies: [RFC5681 §4.2]
#[test]
fn data_below_a_gap_is_answered_at_once() {
    let mut receiver = Receiver::new(plain());
    assert_eq!(after(&mut receiver, 0, data(5)), Some(0));
    assert_eq!(after(&mut receiver, 1, data(0)), Some(1));
    assert_eq!(after(&mut receiver, 2, data(1)), Some(2));
}

/// A duplicate segment is acknowledged at once and delivers nothing.
///
/// Verifies: [RFC9293 §3.10.7.4]
#[test]
fn a_duplicate_is_answered_at_once() {
    let mut receiver = Receiver::new(plain());
    after(&mut receiver, 0, data(0));
    after(&mut receiver, 0, data(1));
    after(&mut receiver, 0, data(3));
    for again in [0, 1, 3] {
        assert_eq!(after(&mut receiver, 1, data(again)), Some(2));
    }
    assert_eq!((receiver.stats().duplicates, receiver.stats().out_of_order), (3, 1));
    assert_eq!(receiver.delivered(), Bytes::new(2_000));
}

#[test]
fn octets_that_come_twice_are_delivered_once() {
    let mut receiver = Receiver::new(plain());
    after(&mut receiver, 0, data(0));
    // 500 old octets and 500 new ones.
    after(&mut receiver, 1, Segment { seq: 501, ..data(0) });
    assert_eq!(receiver.delivered(), Bytes::new(1_500));
}

/// A segment that exceeds the receive buffer is dropped, and an ACK is sent.
///
/// Verifies: [RFC9293 §3.10.7.4]
#[test]
fn what_does_not_fit_the_buffer_is_dropped_and_answered() {
    let mut receiver = Receiver::new(plain());
    // Octets 19 001 to 20 000 are the last that fit.
    assert_eq!(after(&mut receiver, 0, data(19)), Some(0));
    assert_eq!(after(&mut receiver, 0, data(20)), Some(0));
    let stats = *receiver.stats();
    assert_eq!((stats.out_of_order, stats.beyond_window), (1, 1));
}

/// Each SYN is answered with a SYN-ACK until another segment arrives; after that, with an ordinary ACK.
///
/// Verifies: [RFC9293 §3.10.7.2], [RFC7323 §2.2]
#[test]
fn a_syn_is_answered_every_time_until_something_else_comes() {
    let buffer = Bytes::new(100_000);
    let mut receiver = Receiver::new(ReceiverConfig { handshake: true, buffer, ..plain() });
    let syn = Segment { seq: 0, ack: 0, payload: 0, flags: Flags::SYN, ..data(0) };
    // Before the SYN the receiver sends nothing.
    receiver.handle_segment(ms(0), &data(0));
    assert_eq!(receiver.poll_transmit(ms(0)), None);
    let syn_ack = Segment { seq: 0, ack: 1, options: 8, flags: Flags::SYN_ACK, ..syn };
    for at in [1, 2] {
        receiver.handle_segment(ms(at), &syn);
        // The SYN-ACK is not scaled: 65 535
        assert_eq!(receiver.poll_transmit(ms(at)), Some(Segment { window: 65_535, ..syn_ack }));
        assert_eq!(receiver.poll_transmit(ms(at)), None);
    }
    receiver.handle_segment(ms(3), &Segment { payload: 0, ..data(0) });
    assert_eq!((receiver.poll_transmit(ms(3)), receiver.next_timeout()), (None, None));
    // A late copy of the SYN gets an ordinary ACK with the scaled window: 50 000·2
    receiver.handle_segment(ms(4), &syn);
    let ack = Segment {
        seq: 1,
        ack: 1,
        window: 100_000,
        payload: 0,
        flags: Flags::ACK,
        options: 0,
        ..Segment::EMPTY
    };
    assert_eq!(receiver.poll_transmit(ms(4)), Some(ack));
}

/// The ACK of the handshake is lost, and data completes the handshake.
#[test]
fn data_completes_the_handshake() {
    let mut receiver = Receiver::new(ReceiverConfig { handshake: true, ..plain() });
    let syn = Segment { seq: 0, ack: 0, payload: 0, flags: Flags::SYN, ..data(0) };
    receiver.handle_segment(ms(0), &syn);
    receiver.poll_transmit(ms(0));
    assert_eq!(after(&mut receiver, 1, data(0)), None);
    assert_eq!(after(&mut receiver, 2, data(1)), Some(2));
}

/// Without window scaling the window is 65 535 octets, and the SYN-ACK has 4 octets of options.
///
/// Verifies: [RFC7323 §2.2]
#[test]
fn without_scaling_the_window_is_65535_and_the_syn_shorter() {
    let config = ReceiverConfig {
        handshake: true,
        window_scaling: false,
        buffer: Bytes::new(1 << 20),
        ..plain()
    };
    let mut receiver = Receiver::new(config);
    let syn = Segment { seq: 0, ack: 0, payload: 0, flags: Flags::SYN, ..data(0) };
    receiver.handle_segment(ms(0), &syn);
    let syn_ack = receiver.poll_transmit(ms(0)).unwrap();
    assert_eq!((syn_ack.options, syn_ack.window), (4, 65_535));
    receiver.handle_segment(ms(1), &data(0));
    receiver.handle_segment(ms(1), &data(1));
    assert_eq!(receiver.poll_transmit(ms(1)).unwrap().window, 65_535);
}

/// A FIN is acknowledged at once, each time that it arrives, and does not count as data.
///
/// Verifies: [RFC9293 §3.10.7.4]
#[test]
fn a_fin_is_answered_at_once_and_is_no_data() {
    let mut receiver = Receiver::new(plain());
    receiver.handle_segment(ms(0), &data(0));
    receiver.handle_timeout(ms(200));
    assert_eq!(acked(&mut receiver, 200), Some(1));
    receiver.handle_segment(ms(201), &fin(1));
    assert_eq!(receiver.poll_transmit(ms(201)).unwrap().ack, octet(1) + 1);
    assert_eq!((receiver.delivered(), receiver.is_finished()), (Bytes::new(1_000), true));
    // The FIN is repeated in case the ACK was lost.
    receiver.handle_segment(ms(202), &fin(1));
    assert_eq!(receiver.poll_transmit(ms(202)).unwrap().ack, octet(1) + 1);
    assert_eq!(receiver.stats().segments_received, 1);
    assert_eq!(receiver.stats().duplicates, 0);
}

/// A FIN that arrives before the last data waits for that data.
#[test]
fn a_fin_out_of_order_waits() {
    let mut receiver = Receiver::new(plain());
    let last = Segment { flags: Flags::FIN_ACK, ..data(1) };
    assert_eq!(after(&mut receiver, 0, last), Some(0));
    assert!(!receiver.is_finished());
    receiver.handle_segment(ms(1), &data(0));
    assert_eq!(receiver.poll_transmit(ms(1)).unwrap().ack, octet(2) + 1);
    assert_eq!((receiver.delivered(), receiver.is_finished()), (Bytes::new(2_000), true));
}
