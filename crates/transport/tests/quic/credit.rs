//! Flow control.

use airfair_transport::limit::Limit;
use airfair_transport::quic::{Receiver, ReceiverConfig, SenderConfig};
use airfair_units::Bytes;

use crate::script::*;

/// A receiver that allows 5000 octets: the sender fills them with 1171 + 3 · 1169 + 322 octets, and goes on with the limit
/// of the ACK of the third packet, when 3509 octets are read, more than half of the window.
///
/// Verifies: [RFC9000 §4.1], [RFC9000 §19.9]
#[test]
fn a_receiver_limits_the_data() {
    let window = Bytes::new(5_000);
    let mut receiver = Receiver::new(ReceiverConfig { window, ..ReceiverConfig::default() });
    let mut sender = airfair_transport::quic::Sender::new(SenderConfig {
        initial_max_data: window,
        ..unpaced()
    });
    sender.open(ms(0));
    let sent = send(&mut sender, 0);
    let payloads: Vec<_> = sent.iter().map(|it| it.payload).collect();
    assert_eq!(payloads, [1_171, 1_169, 1_169, 1_169, 322]);
    assert_eq!(sender.limit(), Some(Limit::ReceiveWindow));
    for data in &sent[..2] {
        receiver.handle_data(ms(50), data);
    }
    let first = receiver.poll_transmit(ms(50)).expect("an ACK");
    assert_eq!(first.max_data, 0);
    sender.handle_ack(ms(100), &first);
    assert!(send(&mut sender, 100).is_empty());
    // A window that flow control leaves unused does not grow.
    assert_eq!(sender.cwnd(), 10);
    for data in &sent[2..4] {
        receiver.handle_data(ms(51), data);
    }
    let second = receiver.poll_transmit(ms(51)).expect("an ACK");
    assert_eq!(second.max_data, FIRST + 2 * SECOND + 5_000);
    sender.handle_ack(ms(101), &second);
    assert_eq!(send(&mut sender, 101).last().map(airfair_transport::quic::Data::end), Some(8_509));
}
