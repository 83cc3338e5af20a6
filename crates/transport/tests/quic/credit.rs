//! Flow control.

use airfair_transport::limit::Limit;
use airfair_transport::quic::{Data, Receiver, ReceiverConfig, Sender, SenderConfig};
use airfair_units::Bytes;

use crate::script::*;

/// A receiver that allows 5000 octets: the sender fills them with 1171 + 3 · 1169 + 322 octets, and goes on with the limit
/// of the first ACK, when 2340 octets are read: to 7340, by 1169 + 1169 + 2 octets.
///
/// Verifies: [RFC9000 §4.1], [RFC9000 §19.9]
#[test]
fn a_receiver_limits_the_data() {
    let window = Bytes::new(5_000);
    let mut receiver = Receiver::new(ReceiverConfig { window, ..ReceiverConfig::default() });
    let mut sender = opened(SenderConfig { initial_max_data: window, ..unpaced() });
    assert_eq!(sender.limit(), Some(Limit::ReceiveWindow));
    assert_eq!(sender.in_flight(), Bytes::new(4 * 1_200 + 353));
    for data in &first_packets()[..2] {
        receiver.handle_data(ms(50), data);
    }
    let ack = receiver.poll_transmit(ms(50)).expect("an ACK");
    assert_eq!(ack.max_data, FIRST + SECOND + 5_000);
    sender.handle_ack(ms(100), &ack);
    let sent = send(&mut sender, 100);
    let payloads: Vec<_> = sent.iter().map(|it| it.payload).collect();
    assert_eq!((payloads, sent[2].end()), (vec![1_169, 1_169, 2], 7_340));
    // A window that flow control leaves unused does not grow.
    assert_eq!((sender.cwnd(), sender.limit()), (10, Some(Limit::ReceiveWindow)));
}

/// If all packets with a new limit are lost, the sender asks for it with `DATA_BLOCKED`, when a probe time-out has passed without
/// anything in flight: 100 + 4 · 50 + 25 ms after its last acknowledgment. Otherwise the connection would wait for ever.
///
/// Verifies: [RFC9000 §4.1]
#[test]
fn a_sender_without_credit_asks_for_it() {
    let window = Bytes::new(5_000);
    let mut receiver = Receiver::new(ReceiverConfig { window, ..ReceiverConfig::default() });
    let mut sender = Sender::new(SenderConfig { initial_max_data: window, ..unpaced() });
    sender.open(ms(0));
    for data in send(&mut sender, 0) {
        receiver.handle_data(ms(50), &data);
        let _ = receiver.poll_transmit(ms(50));
    }
    // This acknowledges all, and has no limit.
    assert!(ack(&mut sender, 100, 0..5).is_empty());
    assert_eq!((sender.in_flight(), sender.next_timeout()), (Bytes::ZERO, Some(ms(425))));
    sender.handle_timeout(ms(425));
    let probes = send(&mut sender, 425);
    assert_eq!(
        probes.iter().map(|it| (it.offset, it.payload)).collect::<Vec<_>>(),
        [(5_000, 0); 2]
    );
    for probe in &probes {
        receiver.handle_data(ms(475), probe);
    }
    let answer = receiver.poll_transmit(ms(475)).expect("an ACK");
    sender.handle_ack(ms(525), &answer);
    assert!(!send(&mut sender, 525).is_empty());
}

/// Less than an eighth of the window is no reason to raise the limit: of 50 000 octets that is 6250, and six packets have
/// 1171 + 5 · 1169.
///
/// Verifies: [RFC9000 §4.2]
#[test]
fn a_limit_does_not_rise_with_each_packet() {
    let window = Bytes::new(50_000);
    let mut receiver = Receiver::new(ReceiverConfig { window, ..ReceiverConfig::default() });
    let mut limits = Vec::new();
    for data in first_packets() {
        receiver.handle_data(ms(1), &data);
        limits.extend(receiver.poll_transmit(ms(1)).map(|ack| ack.max_data));
    }
    let limit = FIRST + 5 * SECOND + 50_000;
    assert_eq!(limits, [0, 0, limit, limit, limit]);
}

/// The ten packets of the initial window.
fn first_packets() -> Vec<Data> {
    let mut sender = Sender::new(unpaced());
    sender.open(ms(0));
    send(&mut sender, 0)
}
