//! When a receiver acknowledges.

use airfair_transport::ecn::Ecn;
use airfair_transport::quic::{Data, Receiver, ReceiverConfig};
use airfair_units::Bytes;

use crate::script::*;

fn data(number: u64) -> Data {
    let offset = if number == 0 { 0 } else { FIRST + (number - 1) * SECOND };
    let payload = if number == 0 { FIRST } else { SECOND };
    Data {
        number,
        offset,
        payload: u32::try_from(payload).expect("a packet"),
        number_length: 2,
        ecn: Ecn::NOT_ECT,
    }
}

/// Lets the receiver receive a packet. Returns the ranges of its ACK, if it sends one.
fn receive(receiver: &mut Receiver, at_ms: u64, number: u64) -> Option<Vec<(u64, u64)>> {
    receiver.handle_data(ms(at_ms), &data(number));
    let ack = receiver.poll_transmit(ms(at_ms))?;
    assert_eq!(receiver.poll_transmit(ms(at_ms)), None);
    Some(ack.ranges().collect())
}

/// Every second packet is acknowledged, a single one after 25 ms, and a packet out of order at once.
///
/// Verifies: [RFC9000 §13.2.1], [RFC9000 §13.2.2]
#[test]
fn every_second_packet_is_acknowledged() {
    let mut receiver = Receiver::new(ReceiverConfig::default());
    assert_eq!(receive(&mut receiver, 0, 0), None);
    assert_eq!(receiver.next_timeout(), Some(ms(25)));
    assert_eq!(receive(&mut receiver, 10, 1), Some(vec![(0, 1)]));
    assert_eq!(receiver.next_timeout(), None);
    assert_eq!(receive(&mut receiver, 20, 2), None);
    receiver.handle_timeout(ms(44));
    assert_eq!(receiver.poll_transmit(ms(44)), None);
    receiver.handle_timeout(ms(45));
    let ack = receiver.poll_transmit(ms(45)).expect("an ACK");
    assert_eq!((ack.number, ack.delay().as_nanos()), (1, 25_000_000));
    // 3 is missing, then late.
    assert_eq!(receive(&mut receiver, 50, 4), Some(vec![(4, 4), (0, 2)]));
    assert_eq!(receive(&mut receiver, 60, 3), Some(vec![(0, 4)]));
    assert_eq!(receiver.delivered(), Bytes::new(FIRST + 4 * SECOND));
}

/// With an ACK for every tenth packet, nine wait, but no longer than 25 ms, and a gap still makes it speak at once.
///
/// Verifies: [draft-ack-frequency §4]
#[test]
fn acknowledgements_can_be_fewer() {
    let config = ReceiverConfig { ack_every: 10, ..ReceiverConfig::default() };
    let mut receiver = Receiver::new(config);
    for number in 0..9 {
        assert_eq!(receive(&mut receiver, number, number), None);
    }
    assert_eq!(receiver.next_timeout(), Some(ms(25)));
    assert_eq!(receive(&mut receiver, 9, 9), Some(vec![(0, 9)]));
    assert_eq!(receive(&mut receiver, 10, 10), None);
    assert_eq!(receive(&mut receiver, 11, 12), Some(vec![(12, 12), (0, 10)]));
}

/// Data that comes twice, in packets with different numbers, counts once; a packet that comes twice is discarded.
///
/// Verifies: [RFC9000 §2.2], [RFC9000 §12.3]
#[test]
fn repeated_data_counts_once() {
    let mut receiver = Receiver::new(ReceiverConfig::default());
    receive(&mut receiver, 0, 0);
    receiver.handle_data(ms(1), &Data { number: 1, ..data(0) });
    receiver.handle_data(ms(2), &data(0));
    assert_eq!(receiver.delivered(), Bytes::new(FIRST));
    let stats = receiver.stats();
    assert_eq!((stats.packets_received, stats.duplicates, stats.below_highest), (3, 1, 1));
}
