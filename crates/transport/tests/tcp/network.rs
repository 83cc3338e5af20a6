//! Pairs of endpoints: properties that hold for any behaviour of the wire.

use airfair_transport::tcp::{
    Deflation, DelayedAck, ReceiverConfig, RecoveryTimer, SenderConfig, Transfer, WindowLimit,
};
use airfair_units::{Bytes, Duration};
use proptest::prelude::*;

use crate::pair::{ControlSettings, Delivery, Pair, To};
use crate::script::ms;

const DELAY: Duration = Duration::from_millis(20);

fn finite(segments: u64) -> SenderConfig {
    let transfer = Transfer::Bytes(Bytes::new(segments * 1_000));
    SenderConfig { segment: Bytes::new(1_000), transfer, ..SenderConfig::default() }
}

/// A transfer without loss takes a round trip for the handshake and one for each window of 10, 20, 40 …
/// segments.
#[test]
fn slow_start_takes_as_many_round_trips_as_doublings() {
    let every = ReceiverConfig { delayed_ack: None, ..ReceiverConfig::default() };
    // SYN 1, 10 + 20 + 40 = 70 segments 3, FIN 1; half a round trip is 20 ms.
    for (segments, round_trips) in [(0, 2), (10, 3), (30, 4), (70, 5), (71, 6)] {
        let mut pair = Pair::new(finite(segments), every, |_, _| Delivery::Arrives(DELAY));
        pair.run();
        assert_eq!(pair.now, ms(40 * round_trips), "{segments} segments");
        assert_eq!(pair.receiver.delivered(), Bytes::new(1_000 * segments));
        assert_eq!(pair.sender.stats().retransmissions, 0);
    }
}

/// A window of 5 segments and a round trip of 40 ms give a throughput of 125 segments per second.
#[test]
fn a_window_per_round_trip_is_the_throughput() {
    let receiver = ReceiverConfig {
        buffer: Bytes::new(5_000),
        delayed_ack: None,
        handshake: false,
        ..ReceiverConfig::default()
    };
    let sender = SenderConfig {
        transfer: Transfer::Endless,
        handshake: false,
        assumed_window: Bytes::new(5_000),
        ..finite(0)
    };
    let mut pair = Pair::new(sender, receiver, |_, _| Delivery::Arrives(DELAY));
    while pair.now < ms(1_000) {
        pair.step();
    }
    // Arrivals at 20, 60 … 980 ms: 25 times 5.
    assert_eq!(pair.receiver.delivered(), Bytes::new(125_000));
}

/// Function for a [`Pair`] that loses the segments with these numbers, counted over both directions.
fn losing(lost: &[u64]) -> impl FnMut(To, u64) -> Delivery {
    move |_, number| if lost.contains(&number) { Delivery::Lost } else { Delivery::Arrives(DELAY) }
}

/// A connection completes if any one or any two of its segments are lost, including SYN, FIN and ACKs.
#[test]
fn any_two_losses_are_repaired() {
    let whole = |lost: &[u64]| {
        let mut pair = Pair::new(finite(24), ReceiverConfig::default(), losing(lost));
        pair.run();
        assert_eq!(pair.receiver.delivered(), Bytes::new(24_000), "{lost:?}");
        assert!(pair.sender.is_finished() && pair.receiver.is_finished(), "{lost:?}");
        pair.sender.stats().timeouts
    };
    assert_eq!(whole(&[]), 0);
    for first in 0..48 {
        assert!(whole(&[first]) <= 1, "losing {first}");
        for second in first + 1..48 {
            assert!(whole(&[first, second]) <= 2, "losing {first} and {second}");
        }
    }
}

/// Many losses in one window cost NewReno a round trip each, and no time-out.
///
/// Verifies: [RFC6582 §3.2]
#[test]
fn one_hole_per_round_trip_is_repaired_without_a_timeout() {
    let sender = SenderConfig {
        initial_window: 32,
        recovery_timer: RecoveryTimer::SlowButSteady,
        ..finite(64)
    };
    // SYN, SYN-ACK and ACK are 0 to 2; segment k of the first window is 3 + k.
    let lost = [5, 9, 13, 17, 21];
    let mut pair = Pair::new(sender, ReceiverConfig::default(), losing(&lost));
    pair.run();
    let stats = *pair.sender.stats();
    assert_eq!((stats.retransmissions, stats.fast_retransmits, stats.timeouts), (5, 1, 0));
    assert_eq!(pair.receiver.delivered(), Bytes::new(64_000));
}

/// The wire is cut for some seconds: the connection waits and then continues.
///
/// Verifies: [RFC6298 §5.5]
#[test]
fn a_connection_survives_an_outage() {
    let cut = std::cell::Cell::new(false);
    let fate = |_, _| if cut.get() { Delivery::Lost } else { Delivery::Arrives(DELAY) };
    let mut pair = Pair::new(finite(500), ReceiverConfig::default(), fate);
    while pair.now < ms(150) {
        pair.step();
    }
    cut.set(true);
    // Retransmissions about 1, 3 and 7 s later are lost, too.
    while pair.sender.stats().timeouts < 3 {
        pair.step();
    }
    cut.set(false);
    pair.run();
    assert_eq!(pair.receiver.delivered(), Bytes::new(500_000));
    // The fourth is delivered, 15 s after the cut.
    assert_eq!(pair.sender.stats().timeouts, 4);
    assert!(pair.sender.is_finished() && (ms(15_000)..ms(18_000)).contains(&pair.now));
}

pub(crate) fn any_delivery() -> impl Strategy<Value = Delivery> {
    // Delays from 1 to 400 ms in one flow reorder everything and expire timers spuriously.
    let delay = || prop_oneof![4 => Just(20u64), 1 => 1u64..400].prop_map(Duration::from_millis);
    prop_oneof![
        2 => Just(Delivery::Lost),
        8 => delay().prop_map(Delivery::Arrives),
        1 => (delay(), delay()).prop_map(|(first, second)| Delivery::ArrivesTwice(first, second)),
    ]
}

prop_compose! {
    pub(crate) fn any_sender()(
        octets in 0u64..60_000,
        segment in prop_oneof![Just(1_000u64), 300u64..1_500],
        initial_window in 1u32..12,
        initial_ssthresh in prop::option::of(1u32..12),
        (handshake, limited_transmit, byte_counting) in any::<(bool, bool, bool)>(),
        (grow_beyond_receive_window, to_flight, impatient) in any::<(bool, bool, bool)>(),
        small_queue in prop::option::of(1u64..20),
    ) -> SenderConfig {
        SenderConfig {
            segment: Bytes::new(segment),
            transfer: Transfer::Bytes(Bytes::new(octets)),
            handshake,
            assumed_window: Bytes::new(4_000),
            initial_window,
            initial_ssthresh,
            limited_transmit,
            byte_counting,
            grow_beyond_receive_window,
            deflation: if to_flight { Deflation::ToFlight } else { Deflation::ToThreshold },
            recovery_timer: if impatient {
                RecoveryTimer::Impatient
            } else {
                RecoveryTimer::SlowButSteady
            },
            small_queue: small_queue.map(Duration::from_millis),
            ..SenderConfig::default()
        }
    }
}

prop_compose! {
    pub(crate) fn any_receiver()(
        buffer in prop_oneof![200u64..3_000, Just(1u64 << 20)],
        delayed in prop::option::of((1u32..4, 1u64..500, prop::option::of(1u64..50))),
    ) -> ReceiverConfig {
        let delayed_ack = delayed.map(|(segments, timeout, coalescing)| DelayedAck {
            segments,
            timeout: Duration::from_millis(timeout),
            coalescing: coalescing.map(Duration::from_millis),
        });
        ReceiverConfig { buffer: Bytes::new(buffer), delayed_ack, ..ReceiverConfig::default() }
    }
}

pub(crate) fn any_control() -> impl Strategy<Value = ControlSettings> {
    let limit = prop_oneof![
        Just(WindowLimit::None),
        (0u32..6).prop_map(WindowLimit::Segments),
        (0u32..6).prop_map(WindowLimit::DividedBy),
        (0u64..9_000).prop_map(|octets| WindowLimit::Octets(Bytes::new(octets))),
    ];
    (limit, prop::option::of(0u32..20))
}
