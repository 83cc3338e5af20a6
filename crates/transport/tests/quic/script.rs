//! A sender without pacing and a receiver, at times that a test chooses.

use airfair_transport::ecn::Ecn;
use airfair_transport::quic::{Ack, Data, Receiver, ReceiverConfig, Sender, SenderConfig};
use airfair_units::{Duration, Time};

/// Payload of the first packet: 1200 − 29 octets. That of packets from octet 64 on is 2 octets less, and from octet
/// 16 384 on 4 octets less.
pub(crate) const FIRST: u64 = 1_171;
pub(crate) const SECOND: u64 = 1_169;

pub(crate) fn at(us: u64) -> Time {
    Time::ZERO + Duration::from_micros(us)
}

pub(crate) fn ms(ms: u64) -> Time {
    at(1_000 * ms)
}

/// Settings without pacing, so that the window alone decides.
pub(crate) fn unpaced() -> SenderConfig {
    SenderConfig { pacing: false, ..SenderConfig::default() }
}

/// An open sender that has sent its initial window at time zero.
pub(crate) fn opened(config: SenderConfig) -> Sender {
    let mut sender = Sender::new(config);
    sender.open(Time::ZERO);
    send(&mut sender, 0);
    sender
}

/// Packets that the sender sends at a time.
pub(crate) fn send(sender: &mut Sender, at_ms: u64) -> Vec<Data> {
    std::iter::from_fn(|| sender.poll_transmit(ms(at_ms))).collect()
}

/// Numbers of the packets that the sender sends at a time.
pub(crate) fn numbers(sender: &mut Sender, at_ms: u64) -> Vec<u64> {
    send(sender, at_ms).iter().map(|data| data.number).collect()
}

/// ACK of these packets without delay, as a receiver would send it that acknowledges each packet at once.
pub(crate) fn ack_of(numbers: impl IntoIterator<Item = u64>) -> Ack {
    let mut receiver = Receiver::new(ReceiverConfig { ack_every: 1, ..ReceiverConfig::default() });
    let mut ack = None;
    for number in numbers {
        let data = Data { number, offset: 0, payload: 1, number_length: 2, ecn: Ecn::NOT_ECT };
        receiver.handle_data(Time::ZERO, &data);
        ack = receiver.poll_transmit(Time::ZERO);
    }
    ack.expect("a packet")
}

/// Lets the sender receive an ACK of these packets at a time, and returns what it sends.
pub(crate) fn ack(
    sender: &mut Sender,
    at_ms: u64,
    packets: impl IntoIterator<Item = u64>,
) -> Vec<Data> {
    sender.handle_ack(ms(at_ms), &ack_of(packets));
    send(sender, at_ms)
}
