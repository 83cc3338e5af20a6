//! Keys of QUIC flows.

use airfair_transport::control::SlowStart;
use airfair_transport::quic::{
    Controller, LEAST_DATAGRAM, MOST_CRYPTO, MOST_DATAGRAM, ReceiverConfig, SenderConfig,
};
use airfair_units::{Bytes, Duration};

use super::super::Quic;
use super::super::declare::Keys;
use super::super::kind::{Kind, words};
use super::ranges::{bytes, integer, time};
use super::workloads;

words!(Controller { NewReno = "newreno", Cubic = "cubic", Bbr1 = "bbr1", Bbr = "bbr" });

/// TLS messages of a server, from those without certificate on.
const CRYPTO: Kind = Kind::Bytes { min: Bytes::new(200), max: MOST_CRYPTO };
const DATAGRAM: Kind = Kind::Bytes { min: LEAST_DATAGRAM, max: MOST_DATAGRAM };
/// Credit of a sender: from one packet to a gigabyte.
const CREDIT: Kind = bytes(1_500, 1_000_000_000);
/// Longest delay that QUIC's transport parameter can tell: 2¹⁴ ms.  [RFC9000 §18.2]
const ACK_DELAY: Kind = time(Duration::from_millis(1), Duration::from_millis(16_383));

pub(super) fn quic(keys: &mut Keys, it: &mut Quic) {
    let Quic { sender, receiver, source } = it;
    keys.of("a QUIC transport");
    sending(keys, sender);
    connecting(keys, sender, receiver);
    workloads::size(keys, &mut sender.transfer);
    workloads::source(keys, source);
    receiving(keys, receiver);
    it.agree();
}

fn sending(keys: &mut Keys, sender: &mut SenderConfig) {
    keys.word("flavour", &mut sender.controller, "\"cubic\"").says(
        "Congestion control: NewReno as RFC 9002 has it, CUBIC, or version 1 or 3 of BBR. Losses are detected as RFC 9002 \
         has it for all of them.",
    );
    let is_other = sender.slow_start != SlowStart::Standard;
    keys.word("slow_start", &mut sender.slow_start, "\"hystart++\"").written_if(is_other).says(
        "End of slow start of `newreno` and `cubic`. `standard`: a loss. `hystart`: also a long train of ACKs or grown \
         round trips. `hystart++`: grown round trips, and then five rounds of slower growth (RFC 9406).",
    );
    keys.key("pacing", &mut sender.pacing, Kind::Flag, "false").says(
        "Packets leave at 1.25 windows per round trip (RFC 9002, section 7.7), in bursts of a millisecond or two packets. \
         `bbr1` and `bbr` always pace, at a rate of their own.",
    );
    let has_ecn = sender.ecn;
    keys.key("ecn", &mut sender.ecn, Kind::Flag, "true").written_if(has_ecn).says(
        "Explicit congestion notification (RFC 9000, section 13.4): queues with `ecn` mark the connection's packets instead \
         of dropping them, ACK frames count the marks, and the sender answers a mark as it answers a loss.",
    );
    keys.key("datagram", &mut sender.datagram, DATAGRAM, "\"1452 B\"").says(
        "UDP payload of a full packet. Of it, 33 octets are usually QUIC's header, frame header and authentication tag; \
         headers of IP and UDP come on top, 28 octets.",
    );
    keys.key("initial_window", &mut sender.initial_window, integer(1, 1_000), "2")
        .says("Initial window [packets].");
}

fn connecting(keys: &mut Keys, sender: &mut SenderConfig, receiver: &mut ReceiverConfig) {
    let has_handshake = sender.handshake;
    keys.key("handshake", &mut sender.handshake, Kind::Flag, "true").written_if(has_handshake).says(
        "The connection opens with the handshake of TLS 1.3, which takes a round trip. Without it data is sent at once, as \
         with 0-RTT.",
    );
    let usual = ReceiverConfig::default().crypto;
    let is_other = receiver.crypto != usual;
    keys.key("server_crypto", &mut receiver.crypto, CRYPTO, "\"5 kB\"").written_if(is_other).says(
        "TLS messages of the receiver in the handshake, with its certificates. Up to 3402 octets fit into the three \
         datagrams that it may send before it knows that the sender's address is right; more take a further round trip.",
    );
}

fn receiving(keys: &mut Keys, receiver: &mut ReceiverConfig) {
    keys.key("receive_window", &mut receiver.window, CREDIT, "\"1 MB\"").says(
        "Data that the receiver allows ahead of what its application has read (`MAX_DATA`). The application reads at \
         once.",
    );
    keys.key("ack_every", &mut receiver.ack_every, integer(1, 1_000), "10").says(
        "Number of packets after which the receiver acknowledges at once: 2 in RFC 9000, more with QUIC's extension for \
         ACK frequency. A packet out of order is always acknowledged at once.",
    );
    keys.key("max_ack_delay", &mut receiver.max_ack_delay, ACK_DELAY, "\"5 ms\"")
        .says("Longest delay of an acknowledgement.");
}
