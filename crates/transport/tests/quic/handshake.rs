//! Connections with a handshake.  [RFC9000 §7], [RFC9001 §4]

use airfair_transport::quic::{Handshake, Receiver, ReceiverConfig, Sender, SenderConfig};
use airfair_transport::stream::Transfer;
use airfair_units::{Bytes, Duration, Time};

use crate::script::*;

/// Time at which the first data arrives and time at which all is acknowledged [ms], over a path of 20 ms each way on which
/// the datagrams of the handshake with these numbers are lost, the client's and the server's counted together.
fn transfer(crypto: u64, lost: &[usize]) -> (u64, u64, Sender) {
    let transfer = Transfer::Bytes(Bytes::new(1_000));
    let receiver =
        ReceiverConfig { handshake: true, crypto: Bytes::new(crypto), ..ReceiverConfig::default() };
    let mut sender = Sender::new(SenderConfig { handshake: true, transfer, ..unpaced() });
    let mut receiver = Receiver::new(receiver);
    sender.open(ms(0));
    let mut up: Vec<(u64, Handshake)> = Vec::new();
    let mut down = up.clone();
    let (mut data, mut acks, mut first) = (vec![], vec![], None);
    let mut count = 0;
    for now in 0..10_000 {
        for (_, datagram) in up.extract_if(.., |it| it.0 == now) {
            receiver.handle_handshake(&datagram);
        }
        for (_, datagram) in down.extract_if(.., |it| it.0 == now) {
            sender.handle_handshake(ms(now), &datagram);
        }
        for (_, packet) in data.extract_if(.., |it: &mut (u64, _)| it.0 == now) {
            first.get_or_insert(now);
            receiver.handle_data(ms(now), &packet);
        }
        for (_, ack) in acks.extract_if(.., |it: &mut (u64, _)| it.0 == now) {
            sender.handle_ack(ms(now), &ack);
        }
        if sender.next_timeout().is_some_and(|at| at <= ms(now)) {
            sender.handle_timeout(ms(now));
        }
        receiver.handle_timeout(ms(now));
        let mut arrives = || {
            count += 1;
            !lost.contains(&(count - 1))
        };
        while let Some(datagram) = sender.poll_handshake(ms(now)) {
            up.extend(arrives().then_some((now + 20, datagram)));
        }
        data.extend(send(&mut sender, now).into_iter().map(|it| (now + 20, it)));
        while let Some(datagram) = receiver.poll_handshake() {
            down.extend(arrives().then_some((now + 20, datagram)));
        }
        acks.extend(receiver.poll_transmit(ms(now)).map(|it| (now + 20, it)));
        if sender.is_finished() {
            return (first.expect("data"), now, sender);
        }
    }
    panic!("no end: {sender:?}");
}

/// Data leaves a round trip of 40 ms after the start, and with more than 3402 octets of TLS messages two round trips after
/// it. It arrives 20 ms later; its acknowledgment is delayed by 25 ms.
///
/// Verifies: [RFC9000 §8.1], [RFC9001 §4.1]
#[test]
fn a_handshake_takes_a_round_trip_or_two() {
    for (crypto, first) in [(3_000, 60), (3_402, 60), (3_403, 100), (9_000, 100)] {
        let (data, end, sender) = transfer(crypto, &[]);
        assert_eq!((data, end), (first, first + 45), "{crypto}");
        assert_eq!(sender.least_round_trip(), Some(Duration::from_millis(40)));
        assert_eq!(sender.stats().timeouts, 0);
    }
}

/// The client sends its first datagram again after 999 ms, three initial round trips. If the last of three datagrams of the
/// server is lost, it asks after the probe time-out of a first sample of 40 ms, 40 + 4 · 20 ms after its last datagram.
///
/// Verifies: [RFC9002 §6.2.2], [RFC9002 §6.2.1]
#[test]
fn a_lost_datagram_takes_a_probe_time_out() {
    let (data, _, sender) = transfer(3_000, &[0]);
    assert_eq!((data, sender.stats().timeouts), (999 + 60, 1));
    let (data, _, sender) = transfer(3_000, &[3]);
    assert_eq!((data, sender.stats().timeouts), (40 + 120 + 60, 1));
    // If the ACK of the first is lost, nothing is missing.
    assert_eq!(transfer(3_000, &[4]).0, 60);
}

/// Nothing is sent before the handshake is complete, and a connection without it has none.
#[test]
fn data_waits_for_the_handshake() {
    let config = SenderConfig { handshake: true, ..unpaced() };
    let mut sender = Sender::new(config);
    assert_eq!(sender.poll_handshake(ms(0)), None);
    sender.open(ms(0));
    assert!(send(&mut sender, 0).is_empty());
    let first = sender.poll_handshake(ms(0)).expect("a datagram");
    assert_eq!((first.size(), first.is_initial), (Bytes::new(1_228), true));
    assert_eq!(sender.next_timeout(), Some(Time::ZERO + Duration::from_millis(999)));
    let mut sender = opened(unpaced());
    assert_eq!(sender.poll_handshake(ms(0)), None);
}
