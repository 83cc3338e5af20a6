//! Whole TFRC flows over bad paths.

use airfair_transport::tfrc::{Frame, Profile, ReceiverConfig, SenderConfig, Traffic};
use airfair_units::{Bytes, DataRate, Duration, Time};
use proptest::prelude::*;

use crate::path::{Delivery, Packet, Path, ms};

/// If half of the reports are lost, the flow continues at the rate that the others allow.
///
/// Verifies: [RFC5348 §4.4]
#[test]
fn lost_reports_are_survived() {
    let mut count = 0;
    let fate = move |packet: &Packet, number: u64| match packet {
        Packet::Feedback(_) => {
            count += 1;
            if count % 2 == 0 {
                Delivery::Lost
            } else {
                Delivery::Arrives(Duration::from_millis(50))
            }
        }
        Packet::Data(_) if number % 100 == 99 => Delivery::Lost,
        Packet::Data(_) => Delivery::Arrives(Duration::from_millis(50)),
    };
    let sender = SenderConfig::new(Profile::Rfc5348, Bytes::new(1_000));
    let mut path = Path::new(sender, ReceiverConfig::new(Profile::Rfc5348), fate);
    path.run(ms(120_000));
    assert_eq!(path.sender.stats().no_feedback_timeouts, 0);
    // A loss about every 90 packets: X(.011) is about 105 000 octets/s.
    let rate = path.sender.allowed_rate();
    assert!((90_000.0..130_000.0).contains(&rate), "{rate}");
}

/// The path is cut for some seconds: the rate falls, and then recovers.
#[test]
fn a_flow_survives_an_outage() {
    let cut = std::cell::Cell::new(false);
    let fate = |_: &Packet, number: u64| {
        if cut.get() || number % 97 == 96 {
            Delivery::Lost
        } else {
            Delivery::Arrives(Duration::from_millis(50))
        }
    };
    let sender = SenderConfig::new(Profile::Rfc5348, Bytes::new(1_000));
    let mut path = Path::new(sender, ReceiverConfig::new(Profile::Rfc5348), fate);
    path.run(ms(30_000));
    let before = path.sender.allowed_rate();
    cut.set(true);
    path.run(ms(40_000));
    let during = path.sender.allowed_rate();
    assert!(during < before / 20.0, "{during} of {before}");
    cut.set(false);
    path.run(ms(80_000));
    let after = path.sender.allowed_rate();
    assert!(after > before / 2.0, "{after} of {before}");
}

fn any_delivery() -> impl Strategy<Value = Delivery> {
    let delay = || prop_oneof![4 => Just(20u64), 1 => 0u64..400].prop_map(Duration::from_millis);
    prop_oneof![
        2 => Just(Delivery::Lost),
        8 => delay().prop_map(Delivery::Arrives),
        1 => (delay(), delay()).prop_map(|(first, second)| Delivery::ArrivesTwice(first, second)),
    ]
}

fn any_source() -> impl Strategy<Value = Traffic> {
    let frames = prop::collection::vec((0u64..200, 0u64..5_000), 0..20);
    let rate = || (1u64..2_000).prop_map(DataRate::from_kbps);
    prop_oneof![
        Just(Traffic::Greedy),
        rate().prop_map(Traffic::Constant),
        (rate(), 1u64..2_000, 0u64..5_000).prop_map(|(rate, on, off)| Traffic::OnOff {
            rate,
            on: Duration::from_millis(on),
            off: Duration::from_millis(off),
        }),
        frames.prop_map(|frames| Traffic::Frames {
            frames: frames
                .into_iter()
                .map(|(after, size)| Frame {
                    after: Duration::from_millis(after),
                    size: Bytes::new(size),
                })
                .collect(),
            repeat: false,
        }),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    /// For any loss, delay, reordering and duplication in both directions: time advances, timers are never in
    /// the past (both checked in [`Path::step`]), the rate keeps its minimum, and packets count once.
    #[test]
    fn any_history_is_survived(
        profile in prop::sample::select(vec![Profile::Rfc5348, Profile::Rfc3448, Profile::Ns2]),
        traffic in any_source(),
        deliveries in prop::collection::vec(any_delivery(), 1..200),
        initial_seq: u16,
        limits in prop::collection::vec(prop::option::of(1u64..5_000), 0..20),
    ) {
        let sender = SenderConfig {
            traffic,
            initial_seq,
            ..SenderConfig::new(profile, Bytes::new(1_000))
        };
        let lost = std::cell::Cell::new(0);
        let copies = std::cell::Cell::new(0);
        let fate = |packet: &Packet, number: u64| {
            let fate = deliveries[usize::try_from(number).unwrap() % deliveries.len()];
            if let Packet::Data(_) = packet {
                lost.set(lost.get() + u64::from(fate == Delivery::Lost));
                copies.set(copies.get() + u64::from(matches!(fate, Delivery::ArrivesTwice(..))));
            }
            fate
        };
        let mut path = Path::new(sender, ReceiverConfig::new(profile), fate);
        for steps in 0..1_500usize {
            if steps % 50 == 0 && let Some(limit) = limits.get(steps / 50) {
                path.sender.set_rate_limit(path.now, limit.map(DataRate::from_kbps));
            }
            if !path.step() {
                break;
            }
            prop_assert!(path.sender.allowed_rate() >= 15.625);
            prop_assert!(path.sender.allowed_rate().is_finite());
            prop_assert!((0.0..=1.0).contains(&path.receiver.loss_event_rate()));
        }
        let (sent, received) = (path.sender.stats(), path.receiver.stats());
        prop_assert!(received.packets_received + received.late + received.copies <= sent.packets_sent - lost.get() + copies.get());
        prop_assert!(received.packets_received <= sent.packets_sent);
        prop_assert!(received.bytes_received <= sent.bytes_sent);
        prop_assert!(sent.feedbacks + sent.stale <= 2 * received.feedbacks_sent);
        prop_assert_eq!(sent.implausible + sent.strangers + received.strangers, 0);
    }

    /// A time-out before its deadline changes nothing, in any state.
    #[test]
    fn a_spurious_timeout_is_a_no_op(
        traffic in any_source(),
        deliveries in prop::collection::vec(any_delivery(), 1..60),
    ) {
        let sender = SenderConfig { traffic, ..SenderConfig::new(Profile::Rfc5348, Bytes::new(1_000)) };
        let fate = move |_: &Packet, number: u64| deliveries[usize::try_from(number).unwrap() % deliveries.len()];
        let mut path = Path::new(sender, ReceiverConfig::new(Profile::Rfc5348), fate);
        for _ in 0..100 {
            let before = format!("{:?} {:?}", path.sender, path.receiver);
            let early = |timeout: Option<Time>| match timeout {
                Some(at) => at - Duration::from_nanos(1),
                None => path.now,
            };
            let times = (early(path.sender.next_timeout()), early(path.receiver.next_timeout()));
            path.sender.handle_timeout(times.0);
            path.receiver.handle_timeout(times.1);
            prop_assert_eq!(before, format!("{:?} {:?}", path.sender, path.receiver));
            if !path.step() {
                break;
            }
        }
    }
}
