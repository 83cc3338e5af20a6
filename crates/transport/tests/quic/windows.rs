//! Pacing, and the laws that TCP has as well.

use airfair_transport::limit::Limit;
use airfair_transport::quic::{Controller, Sender, SenderConfig};
use airfair_transport::stream::Source;
use airfair_transport::tfrc::Traffic;
use airfair_units::{Bytes, DataRate};

use crate::script::*;

/// After the initial window, packets leave at 1.25 windows per round trip: at a window of 20 packets and 100 ms that is a
/// packet per 4 ms, two together.
///
/// Verifies: [RFC9002 §7.7]
#[test]
fn packets_leave_at_five_quarters_of_the_window_per_round_trip() {
    let mut sender = opened(SenderConfig::default());
    assert_eq!(sender.in_flight(), Bytes::new(12_000));
    assert_eq!(sender.pacing(), None);
    sender.handle_ack(ms(100), &ack_of(0..10));
    assert_eq!((sender.cwnd(), sender.pacing()), (20, Some(kbps(2_400))));
    let mut times = Vec::new();
    let mut now = ms(100);
    while let Some(next) = (sender.stats().packets_sent < 30).then_some(now) {
        let count = std::iter::from_fn(|| sender.poll_transmit(next)).count();
        times.push(((next.as_nanos() - 100_000_000) / 1_000_000, count));
        now = sender.next_timeout().expect("a packet waits");
    }
    let expected: Vec<_> = (0..10).map(|it| (8 * it, 2)).collect();
    assert_eq!(times, expected);
}

/// CUBIC takes seven tenths of the window at a loss, `NewReno` half.
///
/// Verifies: [RFC9438 §4.6], [RFC9002 §7.3.2]
#[test]
fn each_law_has_its_reduction() {
    for (controller, left) in [(Controller::NewReno, 10), (Controller::Cubic, 14)] {
        let mut sender = opened(SenderConfig { controller, ..unpaced() });
        ack(&mut sender, 100, 0..10);
        assert_eq!(sender.cwnd(), 20);
        ack(&mut sender, 200, (0..10).chain(11..=13));
        assert_eq!(sender.cwnd(), left, "{controller:?}");
    }
}

/// An application with 100 kb/s leaves the window unused, which stays as it is.
///
/// Verifies: [RFC9002 §7.8]
#[test]
fn a_slow_application_does_not_widen_the_window() {
    let traffic = Traffic::Constant(kbps(100));
    let mut sender = Sender::with_source(unpaced(), Source::Offered { traffic, buffer: None });
    sender.open(ms(0));
    for number in 0..50u64 {
        // A packet of 1167 octets every 93.36 ms.
        let now = number * 94;
        assert_eq!(numbers(&mut sender, now), [number], "at {now} ms");
        sender.handle_ack(ms(now + 20), &ack_of(0..=number));
    }
    assert_eq!(sender.cwnd(), 10);
}

/// While pacing is what delays packets, the window counts as used, and grows: ten packets of a window of 20 arrive. If
/// flow control would leave a part of it unused, it does not: 20 000 octets of data are less than the second window.
///
/// Verifies: [RFC9002 §7.8]
#[test]
fn pacing_leaves_no_window_unused() {
    for (initial_max_data, cwnd, limit) in
        [(10_000_000, 24, Limit::CongestionWindow), (20_000, 20, Limit::ReceiveWindow)]
    {
        let initial_max_data = Bytes::new(initial_max_data);
        let mut sender = opened(SenderConfig { initial_max_data, ..SenderConfig::default() });
        // 10 to 13 leave at 100 and 108 ms, and arrive.
        sender.handle_ack(ms(100), &ack_of(0..10));
        assert_eq!(numbers(&mut sender, 100), [10, 11]);
        assert_eq!(numbers(&mut sender, 108), [12, 13]);
        assert_eq!(sender.limit(), Some(limit));
        sender.handle_ack(ms(110), &ack_of(0..14));
        assert_eq!(sender.cwnd(), cwnd, "{initial_max_data:?}");
    }
}

fn kbps(kbps: u64) -> DataRate {
    DataRate::from_bps(kbps * 1_000)
}
