//! IPv4 headers and the headers of TCP, UDP, and RTP and RTCP of TFRC. Payload has no content in a run, so it
//! is not stored; lengths include it, and checksums assume zeros.

use airfair_sim::packet::{Body, Packet, Side};
use airfair_sim::scenario::{Scenario, Tcp, Transport};
use airfair_transport::{tcp, tfrc};

use super::addresses::{Addresses, Ip, port};

const TCP: u8 = 6;
const UDP: u8 = 17;
/// Experimental protocol number, for packets from outside whose octets the run does not know.  [RFC3692 §2.1]
const EXPERIMENT: u8 = 253;
/// Initial time to live of IPv4 packets, as in most systems.
const TIME_TO_LIVE: u8 = 64;
/// Largest TCP window without scaling [octets].
const UNSCALED: u64 = 65_535;

/// Settings of a TCP connection that are not in every segment.
#[derive(Clone, Copy, Debug, Default)]
struct Connection {
    segment: u16,
    /// Scale factor of the receiver's window, if its SYN has the window scale option.
    scale: Option<u8>,
    has_sack: bool,
}

impl Connection {
    fn of(tcp: &Tcp) -> Self {
        let sends_scale = tcp.sender.window_scaling && tcp.sender.handshake;
        let shift = |buffer: u64| (0..14).find(|shift| buffer >> shift <= UNSCALED).unwrap_or(14);
        Self {
            segment: u16::try_from(tcp.sender.segment.get()).unwrap_or(u16::MAX),
            scale: sends_scale.then(|| shift(tcp.receiver.buffer.get())),
            has_sack: tcp.sender.uses_sack(),
        }
    }
}

/// Encoder of the headers of all flows' packets.
#[derive(Debug)]
pub(super) struct Packets {
    connections: Vec<Connection>,
}

impl Packets {
    pub(super) fn of(scenario: &Scenario) -> Self {
        let connection = |flow: &airfair_sim::scenario::Flow| match &flow.transport {
            Transport::Tcp(tcp) => Connection::of(tcp),
            _ => Connection::default(),
        };
        Self { connections: scenario.flows.iter().map(connection).collect() }
    }

    /// Encodes the headers of a packet, beginning with the IP header.
    pub(super) fn headers(&self, packet: &Packet, addresses: &Addresses) -> Vec<u8> {
        let other = if packet.origin == Side::Sender { Side::Receiver } else { Side::Sender };
        let ends = [packet.origin, other];
        let [from, to] = ends.map(|end| addresses.ip_of_end(packet.flow, end));
        let ports = ends.map(|end| port(packet.flow, end));
        let size = u16::try_from(packet.size().get()).unwrap_or(u16::MAX);
        let (protocol, body) = match &packet.body {
            Body::Segment(segment) => (TCP, self.segment(packet, segment, ports)),
            Body::QuicData(_) | Body::QuicAck(_) => (UDP, datagram(ports, size, &SHORT_HEADER)),
            Body::QuicHandshake(datagram) => {
                (UDP, self::datagram(ports, size, &long_header(datagram.is_initial)))
            }
            Body::TfrcData(data) => (UDP, datagram(ports, size, &tfrc::wire::encode_data(data))),
            Body::TfrcFeedback(feedback) => {
                (UDP, datagram(ports, size, &tfrc::wire::encode_feedback(feedback)))
            }
            Body::Datagram(_) | Body::Report(_) => (UDP, datagram(ports, size, &[])),
            Body::External(_) => (EXPERIMENT, Vec::new()),
        };
        with_checksums((protocol, packet.ecn().bits()), [from, to], size, body)
    }

    fn segment(&self, packet: &Packet, segment: &tcp::Segment, ports: [u16; 2]) -> Vec<u8> {
        let connection = self.connections[packet.flow.index()];
        let is_receiver = packet.origin == Side::Receiver;
        let [syn, ack] = [tcp::Flags::SYN, tcp::Flags::ACK].map(|it| segment.flags.has(it));
        let scale = if is_receiver { connection.scale } else { connection.scale.map(|_| 0) };
        let mut octets = ports.map(u16::to_be_bytes).concat();
        octets.extend(low(segment.seq).to_be_bytes());
        octets.extend(low(if ack { segment.ack } else { 0 }).to_be_bytes());
        // The third bit of the ACE field is the lowest one of this octet.  [RFC9768 §3.2.2]
        let is_ae = u8::from(segment.flags.has(tcp::Flags::AE));
        octets.push((5 + segment.options.to_le_bytes()[0] / 4) << 4 | is_ae);
        octets.push(segment.flags.bits());
        // The window of a SYN is never scaled.  [RFC7323 §2.2]
        let shift = if syn { 0 } else { scale.unwrap_or(0) };
        let window = u16::try_from(segment.window >> shift).unwrap_or(u16::MAX);
        octets.extend(window.to_be_bytes());
        octets.extend([0; 4]);
        let mut options = Vec::new();
        if syn {
            put_syn_options(&mut options, connection, scale, segment.timestamps);
        } else {
            put_options(&mut options, segment);
        }
        if let Some(counters) = segment.sack.counters() {
            put_counters(&mut options, counters);
        }
        options.resize(segment.options.into(), NO_OPERATION);
        octets.extend(options);
        octets
    }
}

/// First octets of a QUIC packet that are not encrypted: the fixed bit, and an identifier of zeros.  [RFC9000 §17.3.1]
const SHORT_HEADER: [u8; 9] = [0x40, 0, 0, 0, 0, 0, 0, 0, 0];

/// First octets of a QUIC packet of the handshake that are not encrypted: fixed bits with the type of the packet, version
/// 1, and both identifiers, of zeros, with their lengths; then the length of the token in an Initial packet.
/// [RFC9000 §17.2]
fn long_header(is_initial: bool) -> Vec<u8> {
    let mut octets = vec![if is_initial { 0xc0 } else { 0xe0 }, 0, 0, 0, 1];
    for _ in 0..2 {
        octets.push(8);
        octets.extend([0; 8]);
    }
    octets.resize(octets.len() + usize::from(is_initial), 0);
    octets
}

const NO_OPERATION: u8 = 1;

/// Appends the TCP options of a SYN: MSS, SACK permitted, timestamps, window scale.  [RFC9293 §3.2],
/// [RFC7323], [RFC2018 §2]
fn put_syn_options(
    options: &mut Vec<u8>,
    connection: Connection,
    scale: Option<u8>,
    timestamps: Option<tcp::Timestamps>,
) {
    options.extend([2, 4]);
    options.extend(connection.segment.to_be_bytes());
    if connection.has_sack {
        options.extend([4, 2]);
    }
    if let Some(timestamps) = timestamps {
        put_timestamps(options, timestamps);
    }
    if let Some(scale) = scale {
        options.extend([NO_OPERATION, 3, 3, scale]);
    }
}

/// Appends the TCP options of a segment other than a SYN: timestamps and SACK blocks, with padding before
/// them. [RFC7323 §3.2], [RFC2018 §3]
fn put_options(options: &mut Vec<u8>, segment: &tcp::Segment) {
    if let Some(timestamps) = segment.timestamps {
        options.extend([NO_OPERATION; 2]);
        put_timestamps(options, timestamps);
    }
    if !segment.sack.is_empty() {
        let blocks: Vec<u8> = segment
            .sack
            .iter(segment.ack)
            .flat_map(|(start, end)| [low(start), low(end)].map(u32::to_be_bytes).concat())
            .collect();
        let length = u8::try_from(2 + blocks.len()).expect("at most four blocks");
        options.extend([NO_OPERATION, NO_OPERATION, 5, length]);
        options.extend(blocks);
    }
}

/// Appends the `AccECN` option: octets with the sender's codepoint, and those with a mark.  [RFC9768 §3.2.3]
fn put_counters(
    options: &mut Vec<u8>,
    tcp::OctetCounters { is_order_1, ect, ce }: tcp::OctetCounters,
) {
    let fields = [Some(ect), ce]
        .into_iter()
        .flatten()
        .flat_map(|field| field.to_be_bytes().into_iter().skip(1));
    let fields: Vec<u8> = fields.collect();
    let length = u8::try_from(2 + fields.len()).expect("at most two fields");
    options.extend([if is_order_1 { 174 } else { 172 }, length]);
    options.extend(fields);
}

fn put_timestamps(options: &mut Vec<u8>, timestamps: tcp::Timestamps) {
    options.extend([8, 10]);
    options.extend(timestamps.value.get().to_be_bytes());
    options.extend(timestamps.echo.to_be_bytes());
}

/// Low 32 bits of a sequence number, as in the TCP header.
#[expect(clippy::cast_possible_truncation, reason = "the field wraps")]
fn low(number: u64) -> u32 {
    number as u32
}

/// Encodes a UDP header with the known part of its payload.  [RFC768]
fn datagram(ports: [u16; 2], size: u16, payload: &[u8]) -> Vec<u8> {
    let mut octets = ports.map(u16::to_be_bytes).concat();
    octets.extend((size - 20).to_be_bytes());
    octets.extend([0; 2]);
    octets.extend(payload);
    octets
}

/// Encodes a packet: the IP header with this protocol and ECN field, then `body` with its checksum, TCP's or UDP's.  [RFC791 §3.1],
/// [RFC9293 §3.1]
fn with_checksums(
    (protocol, ecn): (u8, u8),
    addresses: [Ip; 2],
    size: u16,
    mut body: Vec<u8>,
) -> Vec<u8> {
    let [from, to] = addresses;
    let place = match protocol {
        TCP => Some(16),
        UDP => Some(6),
        _ => None,
    };
    if let Some(place) = place {
        let length = (size - 20).to_be_bytes();
        let pseudo = [&from[..], &to, &[0, protocol], &length].concat();
        let sum = match checksum(&[&pseudo[..], &body].concat()) {
            // In UDP, zero means that there is no checksum.  [RFC768]
            0 if protocol == UDP => u16::MAX,
            sum => sum,
        };
        body[place..place + 2].copy_from_slice(&sum.to_be_bytes());
    }
    let mut header = vec![0x45, ecn];
    header.extend(size.to_be_bytes());
    // The identification field may be zero if fragmentation is not allowed.  [RFC6864 §4.1]
    header.extend([0, 0, 0x40, 0, TIME_TO_LIVE, protocol, 0, 0]);
    header.extend([from, to].concat());
    let sum = checksum(&header).to_be_bytes();
    header[10..12].copy_from_slice(&sum);
    header.extend(body);
    header
}

/// The Internet checksum of `octets`.  [RFC1071]
fn checksum(octets: &[u8]) -> u16 {
    let word = |pair: &[u8]| u32::from(pair[0]) << 8 | u32::from(*pair.get(1).unwrap_or(&0));
    let mut sum: u32 = octets.chunks(2).map(word).sum();
    while sum > 0xffff {
        sum = (sum >> 16) + (sum & 0xffff);
    }
    !u16::try_from(sum).expect("16 bits are left")
}

#[cfg(test)]
mod tests {
    use super::*;
    use airfair_sim::packet::{Ecn, FlowId};
    use airfair_transport::quic;
    use airfair_units::Time;
    use airfair_wlan::edca::AccessCategory;

    /// The checksum of an IPv4 header is the complement of the sum of its words: 4500 + 0073 + 0000 + 4000 +
    /// 4011 + c0a8 + 0001 + c0a8 + 00c7 = 2479c; 479c + 2 = 479e; the complement is b861.
    ///
    /// Verifies: [RFC1071]
    #[test]
    fn the_checksum_is_the_complement_of_the_sum_of_words() {
        let header = [
            0x45, 0, 0, 0x73, 0, 0, 0x40, 0, 0x40, 0x11, 0, 0, 0xc0, 0xa8, 0, 1, 0xc0, 0xa8, 0,
            0xc7,
        ];
        assert_eq!(checksum(&header), 0xb861);
        assert_eq!(checksum(&[1]), !0x0100);
    }

    /// Encodes a packet that one end of a flow with ECN sends.
    fn encoded(side: Side, body: Body) -> Vec<u8> {
        let scenario = "duration = \"1 s\"\n[router.r]\n[host.a]\nlink = { to = \"r\" }\n[host.b]\nlink = { to = \"r\" }\n\
                        [flow.f]\nfrom = \"a\"\nto = \"b\"\ntransport = { kind = \"tcp\", ecn = true }\n";
        let scenario = Scenario::parse(scenario, &[]).expect("a scenario without mistakes");
        let packet = Packet::new(Time::ZERO, (FlowId(0), side), AccessCategory::default(), body);
        Packets::of(&scenario).headers(&packet, &Addresses::of(&scenario))
    }

    /// An ACK of accurate ECN has AE in the octet of the header's length, and the option of kind 172 after the others: 1001
    /// octets with ECT(0) and 1000 with a mark are 0003e9 and 0003e8.
    ///
    /// Verifies: [RFC9768 §3.2.2], [RFC9768 §3.2.3]
    #[test]
    fn counts_of_marks_are_in_the_headers() {
        let config = tcp::ReceiverConfig {
            handshake: false,
            ecn_feedback: tcp::EcnFeedback::Accurate,
            delayed_ack: None,
            ..tcp::ReceiverConfig::default()
        };
        let mut receiver = tcp::Receiver::new(config);
        let mut ack = tcp::Segment::EMPTY;
        for (seq, ecn) in [(1, Ecn::ECT_0), (1_001, Ecn::CE)] {
            let flags = tcp::Flags::ACK.with_ecn(ecn);
            let data = tcp::Segment { seq, payload: 1_000, flags, ..tcp::Segment::EMPTY };
            receiver.handle_segment(Time::ZERO, &data);
            ack = receiver.poll_transmit(Time::ZERO).expect("an ACK");
        }
        // The count is 6: AE and CWR.
        let headers = encoded(Side::Receiver, Body::Segment(ack));
        assert_eq!(headers[20 + 12..20 + 14], [7 << 4 | 1, 0x90]);
        assert_eq!(headers[40..], [172, 8, 0, 3, 0xe9, 0, 3, 0xe8]);
    }

    /// The first datagram of QUIC's handshake has a long header: fixed bits and type Initial, version 1, two identifiers of
    /// eight octets, and no token.
    ///
    /// Verifies: [RFC9000 §17.2.2]
    #[test]
    fn a_quic_handshake_has_long_headers() {
        let mut sender = quic::Sender::new(quic::SenderConfig {
            handshake: true,
            ..quic::SenderConfig::default()
        });
        sender.open(Time::ZERO);
        let datagram = sender.poll_handshake(Time::ZERO).expect("the first");
        let headers = encoded(Side::Sender, Body::QuicHandshake(datagram));
        assert_eq!(headers[2..4], 1_228_u16.to_be_bytes());
        assert_eq!(headers[28..34], [0xc0, 0, 0, 0, 1, 8]);
        assert_eq!((headers[42], headers[51], headers.len()), (8, 0, 52));
    }

    /// The ECN field is in the two low bits of the second octet of the IP header, ECE and CWR are bits 6 and 7 of TCP's
    /// control bits.
    ///
    /// Verifies: [RFC3168 §5, §6.1]
    #[test]
    fn marks_and_echoes_are_in_the_headers() {
        let flags = tcp::Flags::ACK.and(tcp::Flags::CWR).with_ecn(Ecn::CE);
        let segment = tcp::Segment { payload: 1_000, flags, ..tcp::Segment::EMPTY };
        let headers = encoded(Side::Sender, Body::Segment(segment));
        assert_eq!((headers[1], headers[20 + 13]), (3, 0x90));
    }
}
