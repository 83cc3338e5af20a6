//! Detection of losses, and repair under new numbers.

use airfair_transport::quic::SenderConfig;
use airfair_transport::stream::Transfer;
use airfair_units::Bytes;

use crate::script::*;

/// Packet 0 counts as lost when packet 3 is acknowledged, and not before. Its data leaves in a packet with a new number,
/// beyond the halved window: 10 · 1200 octets were sent, of which 1, 2 and 3 have arrived; each lets the window grow by
/// a packet until the loss, which the ACK of packet 3 reveals before it counts.
///
/// Verifies: [RFC9002 §6.1.1], [RFC9002 §7.3.2], [RFC9000 §13.3]
#[test]
fn a_packet_is_lost_three_numbers_below_an_acknowledged_one() {
    let mut sender = opened(unpaced());
    // ACKs of 1 and of 2 each let two packets leave: one for that which arrived, one for growth.
    assert_eq!(ack(&mut sender, 100, [1]).len(), 2);
    assert_eq!(ack(&mut sender, 100, [1, 2]).len(), 2);
    assert_eq!((sender.cwnd(), sender.stats().packets_lost), (12, 0));
    let sent = ack(&mut sender, 100, [1, 2, 3]);
    // 12 · 1200 / 2 = 7200, while 4 to 13 are in flight. One packet may leave at once: the data of packet 0.
    assert_eq!((sender.cwnd(), sender.ssthresh()), (6, 6));
    let [repeated] = sent[..] else { panic!("one packet: {sent:?}") };
    assert_eq!((repeated.number, repeated.offset, repeated.payload), (14, 0, 1_171));
    assert_eq!((sender.stats().packets_lost, sender.stats().retransmissions), (1, 1));
    assert_eq!(sender.in_flight(), Bytes::new(11 * 1_200));
    // The next packet leaves once less than the window is in flight: with 4 to 9, six packets arrive.
    assert!(ack(&mut sender, 101, 1..=8).is_empty());
    assert_eq!(ack(&mut sender, 101, 1..=9).len(), 1);
}

/// Packet 0 counts as lost 9/8 of a round trip after its transmission, if a later one is acknowledged that is less than
/// three numbers above it: 1.125 · 100 ms.
///
/// Verifies: [RFC9002 §6.1.2]
#[test]
fn a_packet_is_lost_nine_eighths_of_a_round_trip_after_its_transmission() {
    let mut sender = opened(unpaced());
    ack(&mut sender, 100, [1]);
    assert_eq!(sender.next_timeout(), Some(at(112_500)));
    sender.handle_timeout(at(112_499));
    assert_eq!(sender.stats().packets_lost, 0);
    sender.handle_timeout(at(112_500));
    let lost = sender.poll_lost().expect("a lost packet");
    assert_eq!((lost.number, lost.is_by_time, sender.stats().packets_lost), (0, true, 1));
    assert_eq!(sender.poll_lost(), None);
    // No probe time-out has expired.
    assert_eq!(sender.stats().timeouts, 0);
}

/// Losses of packets that were sent before the recovery began do not shrink the window again; one that was sent after
/// it does.
///
/// Verifies: [RFC9002 §7.3.2]
#[test]
fn the_window_shrinks_once_per_recovery() {
    let mut sender = opened(unpaced());
    ack(&mut sender, 100, [3, 4, 5]);
    assert_eq!((sender.stats().packets_lost, sender.stats().recoveries), (3, 1));
    let window = sender.window();
    // 6 is lost too, and was sent at 0.
    ack(&mut sender, 110, [3, 4, 5, 7, 8, 9]);
    assert_eq!((sender.stats().packets_lost, sender.stats().recoveries), (4, 1));
    assert_eq!(sender.window(), window);
    let sent = numbers(&mut sender, 120);
    assert!(sent.is_empty());
    // 10 was the packet at the start of the recovery; 11 to 13 were sent at 110. 10 is lost, at a window of 5 · 1200.
    ack(&mut sender, 210, (3..=5).chain(7..=9).chain(11..=13));
    assert_eq!(sender.stats().recoveries, 1, "10 was sent at 100, when the recovery began");
    assert_eq!(sender.stats().packets_lost, 5);
}

/// In slow start the window grows by what is acknowledged, packet by packet, however many an ACK acknowledges; in
/// avoidance by a packet for each window.
///
/// Verifies: [RFC9002 §7.3.1], [RFC9002 §7.3.3], [RFC9002 §B.5]
#[test]
fn a_window_grows_by_what_is_acknowledged() {
    let mut sender = opened(unpaced());
    assert_eq!(ack(&mut sender, 100, 0..10).len(), 20);
    assert_eq!(sender.cwnd(), 20);
    // A loss halves it to 15 packets: 10 arrive with it, 11 to 19 counted before.
    ack(&mut sender, 200, 0..20);
    assert_eq!(sender.cwnd(), 30);
    ack(&mut sender, 300, (0..20).chain(21..=23));
    assert_eq!((sender.cwnd(), sender.ssthresh()), (15, 15));
}

/// A sender whose application is the limit does not widen its window.
///
/// Verifies: [RFC9002 §7.8]
#[test]
fn a_window_that_is_not_used_does_not_grow() {
    let size = Bytes::new(FIRST + 2 * SECOND);
    let transfer = Transfer::Bytes(size);
    let mut sender = opened(SenderConfig { transfer, ..unpaced() });
    assert_eq!(sender.in_flight(), Bytes::new(3_600));
    ack(&mut sender, 100, 0..2);
    assert_eq!((sender.cwnd(), sender.is_finished()), (10, false));
    ack(&mut sender, 100, 0..3);
    assert_eq!((sender.cwnd(), sender.is_finished()), (10, true));
    assert_eq!(sender.stats().bytes_acked, size);
}

/// An endless flow that is closed sends nothing new, repeats what is lost, and ends when all that it sent is acknowledged.
///
/// Verifies: [RFC9000 §13.3]
#[test]
fn a_closed_sender_repeats_what_is_lost_and_ends() {
    let mut sender = opened(unpaced());
    sender.close(ms(50));
    let sent = ack(&mut sender, 100, 1..10);
    let [repeated] = sent[..] else { panic!("one packet: {sent:?}") };
    assert_eq!((repeated.number, repeated.offset), (10, 0));
    assert!(!sender.is_finished());
    assert!(ack(&mut sender, 200, 1..11).is_empty());
    assert!(sender.is_finished());
    assert_eq!(sender.next_timeout(), None);
    assert_eq!(sender.stats().bytes_acked, Bytes::new(FIRST + 9 * SECOND));
}
