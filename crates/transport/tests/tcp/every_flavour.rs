//! Pairs of endpoints in every flavour with every option: properties that hold for any behaviour of the wire.

use airfair_transport::tcp::{
    Arithmetic, Flavour, LossRecovery, ReceiverConfig, SenderConfig, SlowStart, Transfer,
};
use airfair_units::{Bytes, Duration, Time};
use proptest::prelude::*;

use crate::network::{any_control, any_delivery, any_receiver, any_sender};
use crate::pair::{Delivery, Pair, To};
use crate::script::ms;

const DELAY: Duration = Duration::from_millis(20);

prop_compose! {
    pub(crate) fn any_flavour()(
        sender in any_sender(),
        flavour in prop::sample::select(&Flavour::ALL[..]),
        sack in prop::option::of(any::<bool>()),
        (proportional_reduction, timestamps) in any::<(bool, bool)>(),
        loss_recovery in prop::sample::select(&[LossRecovery::Duplicates, LossRecovery::Rack][..]),
        arithmetic in prop::sample::select(&[Arithmetic::Rfc, Arithmetic::Linux][..]),
        slow_start in prop::sample::select(
            &[None, Some(SlowStart::Standard), Some(SlowStart::HyStart), Some(SlowStart::HyStartPlusPlus)][..],
        ),
        pacing: bool,
    ) -> SenderConfig {
        SenderConfig {
            flavour,
            sack,
            proportional_reduction,
            timestamps,
            loss_recovery,
            arithmetic,
            slow_start,
            pacing,
            ..sender
        }
    }
}

/// Configuration of a receiver like `receiver` that agrees with `sender`.
pub(crate) fn matching(sender: &SenderConfig, receiver: ReceiverConfig) -> ReceiverConfig {
    ReceiverConfig {
        handshake: sender.handshake,
        sack: sender.uses_sack(),
        timestamps: sender.timestamps,
        ..receiver
    }
}

pub(crate) fn by_number(deliveries: Vec<Delivery>) -> impl FnMut(To, u64) -> Delivery {
    move |_, number| {
        let fate = usize::try_from(number).ok().and_then(|index| deliveries.get(index));
        fate.copied().unwrap_or(Delivery::Arrives(DELAY))
    }
}

/// Transfers 64 segments of which those in `lost` are lost, with windows of 32 and round trips of 40 ms.
/// Returns the number of retransmissions, the number of time-outs, and the time of the end.
fn holes(flavour: Flavour, lost: &[u64]) -> (u64, u64, Time) {
    let transfer = Transfer::Bytes(Bytes::new(64_000));
    let sender = SenderConfig {
        flavour,
        segment: Bytes::new(1_000),
        transfer,
        initial_window: 32,
        handshake: false,
        assumed_window: Bytes::new(1 << 20),
        ..SenderConfig::default()
    };
    let receiver =
        matching(&sender, ReceiverConfig { delayed_ack: None, ..ReceiverConfig::default() });
    let fate =
        |_, number| if lost.contains(&number) { Delivery::Lost } else { Delivery::Arrives(DELAY) };
    let mut pair = Pair::new(sender, receiver, fate);
    pair.run();
    let stats = *pair.sender.stats();
    (stats.retransmissions, stats.timeouts, pair.now)
}

/// Five losses in a window cost Reno a time-out, NewReno five round trips, and SACK one round trip.
///
/// Verifies: [RFC5681 §3.2], [RFC6582 §3.2], [RFC6675 §5]
#[test]
fn many_losses_in_a_window_cost_each_flavour_differently() {
    let lost = [3, 7, 11, 15, 19];
    let (retransmissions, timeouts, reno) = holes(Flavour::Reno, &lost);
    assert!(timeouts >= 1 && retransmissions >= 5, "{retransmissions} {timeouts}");
    let (retransmissions, timeouts, newreno) = holes(Flavour::NewReno, &lost);
    assert_eq!((retransmissions, timeouts), (5, 0));
    let (retransmissions, timeouts, sack) = holes(Flavour::Sack, &lost);
    assert_eq!((retransmissions, timeouts), (5, 0));
    // Five round trips compared to one. NewReno repairs one loss per round trip and meanwhile sends half a
    // window of new data.
    assert!(sack + Duration::from_millis(2 * 40) <= newreno && newreno < reno);
    for flavour in [Flavour::WestwoodPlus, Flavour::Cubic] {
        assert_eq!(holes(flavour, &lost).0, 5, "{flavour:?}");
    }
}

/// In every flavour a transfer completes if any one or any two of its segments are lost.
#[test]
fn any_two_losses_are_repaired_in_every_flavour() {
    for flavour in Flavour::ALL {
        for first in 0..40 {
            for second in first..40 {
                let (_, timeouts, _) = holes(flavour, &[first, second]);
                assert!(timeouts <= 2, "{flavour:?} losing {first} and {second}");
            }
        }
    }
}

/// Reordering by less than three segments is no loss in any flavour.
#[test]
fn slight_reordering_costs_nothing() {
    for flavour in Flavour::ALL {
        let transfer = Transfer::Bytes(Bytes::new(100_000));
        let sender = SenderConfig {
            flavour,
            segment: Bytes::new(1_000),
            transfer,
            ..SenderConfig::default()
        };
        let receiver = matching(&sender, ReceiverConfig::default());
        // Every eighth segment arrives after the next one or two.
        let fate = |to, number| match (to, number % 8) {
            (To::Receiver, 3) => Delivery::Arrives(DELAY + Duration::from_nanos(1)),
            _ => Delivery::Arrives(DELAY),
        };
        let mut pair = Pair::new(sender, receiver, fate);
        pair.run();
        assert!(pair.sender.is_finished());
        assert_eq!(pair.sender.stats().timeouts, 0, "{flavour:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1_024, ..ProptestConfig::default() })]

    /// For any behaviour of the wire all octets arrive once, in order, and the connection ends. [`Pair`]
    /// checks time, cwnd and the octets in the network at every step.
    #[test]
    fn everything_arrives_once_and_the_connection_ends(
        sender in any_flavour(),
        receiver in any_receiver(),
        deliveries in prop::collection::vec(any_delivery(), 0..300),
        controls in prop::collection::vec(any_control(), 0..20),
    ) {
        let Transfer::Bytes(all) = sender.transfer else { unreachable!() };
        let mut pair = Pair::new(sender, matching(&sender, receiver), by_number(deliveries));
        pair.transfer(all, &controls);
        prop_assert_eq!(pair.receiver.is_finished(), sender.handshake);
    }

    /// A time-out before its deadline changes nothing, in any state.
    #[test]
    fn a_spurious_timeout_is_a_no_op(
        sender in any_flavour(),
        deliveries in prop::collection::vec(any_delivery(), 0..60),
    ) {
        let receiver = matching(&sender, ReceiverConfig::default());
        let mut pair = Pair::new(sender, receiver, by_number(deliveries));
        for _ in 0..60 {
            let before = format!("{:?} {:?}", pair.sender, pair.receiver);
            let early = |timeout: Option<Time>| match timeout {
                Some(at) if at == pair.now => None,
                Some(at) => Some(at - Duration::from_nanos(1)),
                None => Some(pair.now),
            };
            let times = (early(pair.sender.next_timeout()), early(pair.receiver.next_timeout()));
            if let Some(at) = times.0 {
                pair.sender.handle_timeout(at);
            }
            if let Some(at) = times.1 {
                pair.receiver.handle_timeout(at);
            }
            prop_assert_eq!(before, format!("{:?} {:?}", pair.sender, pair.receiver));
            if !pair.step() {
                break;
            }
        }
    }

    /// The segments of a sender depend on its inputs only.
    #[test]
    fn the_same_wire_gives_the_same_segments(
        sender in any_flavour(),
        deliveries in prop::collection::vec(any_delivery(), 0..200),
    ) {
        let run = || {
            let receiver = matching(&sender, ReceiverConfig::default());
            let mut pair = Pair::new(sender, receiver, by_number(deliveries.clone()));
            pair.run();
            prop_assert!(pair.now >= ms(0));
            Ok(pair.log)
        };
        prop_assert_eq!(run()?, run()?);
    }
}
