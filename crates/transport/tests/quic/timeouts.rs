//! Probe time-outs and persistent congestion.

use airfair_transport::quic::{Sender, SenderConfig};
use airfair_transport::stream::Transfer;
use airfair_units::Bytes;

use crate::script::*;

/// A sender that has measured a round trip of 100 ms by its first two packets, and sent 2 to 5 at 100 ms.
fn measured() -> Sender {
    let mut sender = opened(SenderConfig { initial_window: 2, ..unpaced() });
    let sent: Vec<_> = ack(&mut sender, 100, [0, 1]).iter().map(|data| data.number).collect();
    assert_eq!(sent, [2, 3, 4, 5]);
    sender
}

/// Lets the timer expire, which is due at this time, and returns the numbers of the probes.
fn expire(sender: &mut Sender, at_ms: u64) -> Vec<u64> {
    assert_eq!(sender.next_timeout(), Some(ms(at_ms)));
    sender.handle_timeout(ms(at_ms));
    numbers(sender, at_ms)
}

/// SRTT 100 ms, RTTVAR 50 ms: the time-out is 100 + 4 · 50 + 25 = 325 ms after the last packet, then 650, then 1300.
/// Each sends two probes beyond the window, with new data, and leaves the window as it is.
///
/// Verifies: [RFC9002 §6.2.1], [RFC9002 §6.2.4], [RFC9002 §7.5]
#[test]
fn probe_timeouts_double() {
    let mut sender = measured();
    assert_eq!(expire(&mut sender, 425), [6, 7]);
    assert_eq!(expire(&mut sender, 425 + 650), [8, 9]);
    assert_eq!(expire(&mut sender, 1_075 + 1_300), [10, 11]);
    assert_eq!((sender.cwnd(), sender.stats().timeouts), (4, 3));
    assert_eq!((sender.stats().packets_lost, sender.stats().retransmissions), (0, 0));
    // An ACK of packet 11 ends the back-off. RTTVAR is 37.5 now: 100 + 150 + 25 after the last packet.
    let sent = ack(&mut sender, 2_475, [0, 1, 11]);
    assert!(!sent.is_empty());
    assert_eq!(sender.timeouts_in_a_row(), 0);
}

/// Before a round trip is measured the time-out is 333 + 4 · 166.5 + 25 ms. Without new data the probes repeat the oldest
/// data, under new numbers.
///
/// Verifies: [RFC9002 §6.2.2], [RFC9002 §6.2.4]
#[test]
fn probes_without_new_data_repeat_the_oldest() {
    let transfer = Transfer::Bytes(Bytes::new(FIRST + 2 * SECOND));
    let mut sender = opened(SenderConfig { transfer, ..unpaced() });
    assert_eq!(sender.next_timeout(), Some(ms(1_024)));
    sender.handle_timeout(ms(1_024));
    let probes: Vec<_> = send(&mut sender, 1_024).iter().map(|it| (it.number, it.offset)).collect();
    assert_eq!(probes, [(3, 0), (4, FIRST)]);
    // Packet 3 has the data of packet 0; with 1 and 2 all has arrived.
    ack(&mut sender, 1_100, [1, 2, 3]);
    assert!(sender.is_finished());
}

/// A sender with two samples of 100 ms, that has sent 6 to 13 at 200 ms, and probes at 475, 1025 and 2125 ms: RTTVAR is
/// 37.5 ms, and the time-out 275 ms.
fn silenced() -> Sender {
    let mut sender = measured();
    let sent: Vec<_> = ack(&mut sender, 200, 0..=5).iter().map(|data| data.number).collect();
    assert_eq!(sent, (6..=13).collect::<Vec<_>>());
    for (at, probes) in [(475, [14, 15]), (1_025, [16, 17]), (2_125, [18, 19])] {
        assert_eq!(expire(&mut sender, at), probes);
    }
    sender
}

/// All packets from 200 ms to 1025 ms are lost, which the ACK of packet 19 shows: 6 to 16 are three numbers and more
/// below it, and 17 is old enough. RTTVAR is 28.125 ms then, so that 825 ms is longer than 3 · (100 + 112.5 + 25) ms. The
/// window falls to two packets, and packet 19 lets it grow by one, since ssthresh is half of eight.
///
/// Verifies: [RFC9002 §7.6.1], [RFC9002 §7.6.2]
#[test]
fn losses_over_three_timeouts_are_persistent_congestion() {
    let mut sender = silenced();
    sender.handle_ack(ms(2_225), &ack_of((0..=5).chain([19])));
    assert_eq!((sender.stats().packets_lost, sender.stats().persistent_congestions), (12, 1));
    assert_eq!((sender.cwnd(), sender.ssthresh()), (3, 4));
}

/// If a packet between them has arrived, the same losses are no persistent congestion.
///
/// Verifies: [RFC9002 §7.6.2]
#[test]
fn an_acknowledged_packet_interrupts_persistent_congestion() {
    let mut sender = silenced();
    sender.handle_ack(ms(2_225), &ack_of((0..=5).chain([15, 19])));
    assert_eq!((sender.stats().packets_lost, sender.stats().persistent_congestions), (11, 0));
    assert_eq!((sender.cwnd(), sender.ssthresh()), (4, 4));
}

/// Packets sent before the first round trip was measured are not counted: here all of 0 ms to 2024 ms.
///
/// Verifies: [RFC9002 §7.6.2]
#[test]
fn losses_before_the_first_sample_are_no_persistent_congestion() {
    let mut sender = opened(SenderConfig { initial_window: 2, ..unpaced() });
    for at in [1_024, 1_024 + 2_048, 3_072 + 4_096] {
        assert_eq!(expire(&mut sender, at).len(), 2);
    }
    sender.handle_ack(ms(7_200), &ack_of([7]));
    assert_eq!((sender.stats().packets_lost, sender.stats().persistent_congestions), (6, 0));
}
