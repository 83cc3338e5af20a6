//! A receiver whose window a control law limits, and its round-trip estimate.

use airfair_transport::tcp::{Flags, Receiver, ReceiverConfig, Segment, SenderConfig, Transfer};
use airfair_transport::tcp::{Timestamps, UNSCALED_WINDOW};
use airfair_units::{Bytes, Duration};
use proptest::prelude::*;

use crate::network::any_delivery;
use crate::pair::{Delivery, Pair};
use crate::script::{ms, octet};

/// Configuration of a receiver that acknowledges every segment at once.
fn plain(buffer: u64) -> ReceiverConfig {
    let buffer = Bytes::new(buffer);
    ReceiverConfig { handshake: false, buffer, delayed_ack: None, ..ReceiverConfig::default() }
}

fn data(number: u64) -> Segment {
    let (seq, payload, flags) = (octet(number), 1_000, Flags::ACK);
    Segment { seq, ack: 1, window: 65_535, payload, flags, ..Segment::EMPTY }
}

/// Lets segment `number` arrive. Returns the window in the segment's ACK.
fn window(receiver: &mut Receiver, number: u64) -> u64 {
    receiver.handle_segment(ms(number), &data(number));
    receiver.poll_transmit(ms(number)).expect("an ACK").window
}

/// A smaller limit takes effect only when enough octets have arrived, because the right edge never moves
/// back.
///
/// A window of 8000 octets is limited to 3000: the right edge stays at 8000 until 5000 octets have arrived,
/// and then moves on 3000 ahead. A wider limit takes effect at once, up to the buffer.
///
/// Verifies: [RFC9293 §3.8.6.2.1]
#[test]
fn a_limit_lets_the_right_edge_wait_and_never_takes_it_back() {
    let mut receiver = Receiver::new(plain(8_000));
    assert_eq!(window(&mut receiver, 0), 8_000);
    receiver.set_window_limit(Some(Bytes::new(3_000)));
    let windows: Vec<_> = (1..8).map(|number| window(&mut receiver, number)).collect();
    assert_eq!(windows, [7_000, 6_000, 5_000, 4_000, 3_000, 3_000, 3_000]);
    receiver.set_window_limit(Some(Bytes::new(5_000)));
    assert_eq!(window(&mut receiver, 8), 5_000);
    receiver.set_window_limit(Some(Bytes::new(90_000)));
    assert_eq!(window(&mut receiver, 9), 8_000);
    receiver.set_window_limit(Some(Bytes::ZERO));
    let last = (10..20).map(|number| window(&mut receiver, number)).last();
    assert_eq!(last, Some(1));
    receiver.set_window_limit(None);
    assert_eq!(window(&mut receiver, 20), 8_000);
}

/// A limited window is rounded up to a multiple of the unit of the window field.
///
/// A buffer of 100 001 octets needs a shift of 1, so 3001 becomes 3002.
///
/// Verifies: [RFC7323 §2.4]
#[test]
fn a_limited_window_is_rounded_up_to_what_the_header_can_express() {
    let mut receiver = Receiver::new(plain(100_001));
    receiver.set_window_limit(Some(Bytes::new(3_001)));
    let last = (0..100).map(|number| window(&mut receiver, number)).last();
    assert_eq!(last, Some(3_002));
}

/// The octets that the SYN-ACK allows, 65 535, stay allowed under any limit.
#[test]
fn the_window_of_a_handshake_stays_allowed() {
    let mut receiver = Receiver::new(ReceiverConfig { handshake: true, ..plain(1 << 20) });
    receiver.set_window_limit(Some(Bytes::new(2_000)));
    let syn = Segment { seq: 0, ack: 0, payload: 0, flags: Flags::SYN, ..data(0) };
    receiver.handle_segment(ms(0), &syn);
    let answer = receiver.poll_transmit(ms(0)).expect("a SYN-ACK");
    assert_eq!(answer.window, UNSCALED_WINDOW.get());
    // 1 + 65 535 − 1001 = 64 535, in units of 32 from this buffer: 64 544
    assert_eq!(window(&mut receiver, 0), 64_544);
}

/// With timestamps the receiver averages the times from its ACKs to the segments that echo them.
///
/// The ACK at 0 ms releases a segment that arrives at 40 ms. The next sample is 48 ms: 40 + 8/8 = 41. A
/// segment with the same echo, and a small one, give no samples.
///
/// Verifies: [linux-rcv-rtt §`tcp_rcv_rtt_measure_ts`]
#[test]
fn timestamps_give_the_receiver_a_mean_round_trip() {
    let mut receiver = Receiver::new(ReceiverConfig { timestamps: true, ..plain(50_000) });
    receiver.estimate_round_trip();
    let mut arrive = |at, number, payload, echo| {
        // The clock is 1 at time zero and counts microseconds.
        let timestamps = Some(Timestamps { value: std::num::NonZeroU32::MIN, echo });
        let segment = Segment { timestamps, payload, ..data(number) };
        receiver.handle_segment(ms(at), &segment);
        receiver.round_trip()
    };
    assert_eq!(arrive(0, 0, 1_000, 0), None);
    assert_eq!(arrive(40, 1, 1_000, 1), Some(Duration::from_millis(40)));
    assert_eq!(arrive(60, 2, 1_000, 1), Some(Duration::from_millis(40)));
    assert_eq!(arrive(88, 3, 1_000, 40_001), Some(Duration::from_millis(41)));
    assert_eq!(arrive(200, 4, 999, 60_001), Some(Duration::from_millis(41)));
    assert_eq!(receiver.least_round_trip(), Some(Duration::from_millis(40)));
}

/// Without timestamps the receiver's round trip is the shortest time in which a window of data arrives.
///
/// Three segments are a window: after the first segment, 3000 octets take 3 · 10 ms, and later 3 · 5 ms. The
/// smallest sample counts.
///
/// Verifies: [linux-rcv-rtt §`tcp_rcv_rtt_measure`]
#[test]
fn without_timestamps_a_window_takes_a_round_trip() {
    let mut receiver = Receiver::new(plain(3_000));
    assert_eq!(receiver.round_trip(), None);
    receiver.estimate_round_trip();
    let times = [0, 10, 20, 30, 35, 40, 45, 55, 65, 75];
    let seen = (0..).zip(times).map(|(number, at)| {
        receiver.handle_segment(ms(at), &data(number));
        assert!(receiver.poll_transmit(ms(at)).is_some(), "an ACK for each");
        receiver.round_trip().map(|round_trip| round_trip.as_nanos() / 1_000_000)
    });
    let thirty = [None, None, None, Some(30), Some(30), Some(30)];
    assert_eq!(seen.collect::<Vec<_>>(), [&thirty[..], &[Some(15); 4]].concat());
    assert_eq!(receiver.least_round_trip(), receiver.round_trip());
}

/// A limit that becomes smaller does not shorten the receiver's round-trip estimate.
///
/// Six segments per round trip of 60 ms. The window is limited to two while six are on their way: the right
/// edge stays, and only data beyond it was sent after a later ACK. Two segments, the limit, arrive in 20 ms.
///
/// Verifies: [linux-rcv-rtt §`tcp_rcv_rtt_measure`]
#[test]
fn a_limit_that_falls_does_not_shorten_the_round_trip() {
    let mut receiver = Receiver::new(plain(6_000));
    receiver.estimate_round_trip();
    let mut seen = Vec::new();
    for number in 0..14 {
        if number == 6 {
            receiver.set_window_limit(Some(Bytes::new(2_000)));
        }
        let at = 10 * number;
        receiver.handle_segment(ms(at), &data(number));
        while receiver.poll_transmit(ms(at)).is_some() {}
        seen.push(receiver.round_trip().map(|round_trip| round_trip.as_nanos() / 1_000_000));
    }
    assert_eq!(seen[6..], [Some(60); 8]);
}

proptest! {
    /// For any limits, and any data within the allowed window in any order, the right edge never moves back,
    /// and nothing that was allowed is refused.
    #[test]
    fn what_was_allowed_stays_allowed(
        (buffer, delays) in (2_000u64..300_000, any::<bool>()),
        steps in prop::collection::vec((prop::option::of(0u64..400_000), 0u64..1_000_000, 1u32..1_500), 1..200),
    ) {
        let config = plain(buffer);
        let delayed_ack = if delays { ReceiverConfig::default().delayed_ack } else { None };
        let mut receiver = Receiver::new(ReceiverConfig { delayed_ack, ..config });
        // The part of the buffer that the header can express, before any ACK.
        let shift = (0..15).find(|shift| buffer >> shift <= 65_535).expect("far below 2^30");
        let (mut edge, mut next) = (1 + (buffer >> shift << shift), 1);
        for (at, (limit, place, payload)) in steps.into_iter().enumerate() {
            if place % 3 == 0 {
                receiver.set_window_limit(limit.map(Bytes::new));
            }
            // Half of the segments are in order, the others anywhere up to the edge.
            let payload = payload.min(u32::try_from(edge - next).unwrap_or(1));
            let room = edge - next - u64::from(payload);
            let seq = if place % 2 == 0 || room == 0 { next } else { next + place % room };
            if payload > 0 {
                receiver.handle_segment(ms(at as u64), &Segment { seq, payload, ..data(0) });
            }
            if let Some(ack) = receiver.poll_transmit(ms(at as u64)) {
                prop_assert!(ack.ack >= next && ack.ack + ack.window >= edge);
                prop_assert!((1..=buffer).contains(&ack.window));
                (next, edge) = (ack.ack, ack.ack + ack.window);
            }
        }
        prop_assert_eq!(receiver.stats().beyond_window, 0);
    }

    /// A transfer ends for any behaviour of the wire and any window limits.
    #[test]
    fn no_limit_stops_a_transfer(
        octets in 0u64..60_000,
        deliveries in prop::collection::vec(any_delivery(), 0..60),
        limits in prop::collection::vec(prop::option::of(0u64..20_000), 0..60),
    ) {
        let transfer = Transfer::Bytes(Bytes::new(octets));
        let sender = SenderConfig { segment: Bytes::new(1_000), transfer, ..SenderConfig::default() };
        let fate = |_, number: u64| {
            let number = usize::try_from(number).unwrap_or(usize::MAX);
            deliveries.get(number).copied().unwrap_or(Delivery::Arrives(Duration::from_millis(20)))
        };
        let receiver = ReceiverConfig { buffer: Bytes::new(30_000), ..ReceiverConfig::default() };
        let mut pair = Pair::new(sender, receiver, fate);
        for limit in limits.into_iter().chain([Some(2_000)]) {
            pair.receiver.set_window_limit(limit.map(Bytes::new));
            pair.step();
            pair.step();
        }
        pair.run();
        prop_assert!(pair.sender.is_finished());
        prop_assert_eq!(pair.receiver.delivered(), Bytes::new(octets));
        prop_assert_eq!(pair.receiver.stats().beyond_window, 0);
    }
}
