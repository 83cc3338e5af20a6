//! Headers of real packets, as far as queue disciplines and schemes need them: addresses, ports, the
//! ECN field and TCP.
//!
//! Packets that are truncated or that use other protocols have fewer headers or none here. They are
//! carried unchanged.

use std::net::IpAddr;

use airfair_sim::packet::{Ecn, TcpFlags as Flags};

const IPV4: [u8; 2] = [0x08, 0x00];
const IPV6: [u8; 2] = [0x86, 0xdd];
pub(crate) const TCP: u8 = 6;
pub(crate) const UDP: u8 = 17;
/// Length of an Ethernet header [octets].
pub(crate) const HEADER: usize = 14;
/// Length of a UDP header [octets].
pub(crate) const UDP_HEADER: usize = 8;
const HOP_BY_HOP: u8 = 0;
const ROUTING: u8 = 43;
const DESTINATION: u8 = 60;
/// Most IPv6 extension headers that are skipped. A packet with more counts as an unknown protocol.
const MOST_EXTENSIONS: usize = 8;
/// Largest shift of the TCP window scale option.  [RFC7323 §2.3]
const MOST_SCALE: u8 = 14;

/// IP address and port.
pub(crate) type SocketAddress = (IpAddr, u16);

/// Headers of an IP packet that queue disciplines and schemes need.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Headers {
    /// IP protocol number of the payload.
    pub(crate) protocol: u8,
    /// Source address and port of the packet. The port is 0 for a fragment or a protocol without
    /// ports.
    pub(crate) from: SocketAddress,
    /// Destination address and port of the packet. The port is 0 for a fragment or a protocol
    /// without ports.
    pub(crate) to: SocketAddress,
    /// Differentiated services code point of the packet.
    pub(crate) dscp: u8,
    /// Explicit congestion notification (ECN) field of the packet.
    pub(crate) ecn: Ecn,
    /// TCP header of the packet, if complete.
    pub(crate) tcp: Option<Tcp>,
    /// Offset of the UDP header in the frame, and offset of the end of the datagram.
    pub(crate) udp: Option<(usize, usize)>,
}

/// Fields of a TCP header, and its offset in the frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Tcp {
    /// Offset of the TCP header in the Ethernet frame [octets].
    pub(crate) at: usize,
    pub(crate) seq: u32,
    pub(crate) ack: u32,
    /// Window field of the TCP header, not scaled.
    pub(crate) window: u16,
    /// Length of the segment's data [octets].
    pub(crate) payload: u32,
    /// Control bits of the TCP header. RST counts as FIN, because both end a connection.
    pub(crate) flags: Flags,
    /// Shift in the window scale option of a SYN.
    pub(crate) scale: Option<u8>,
    /// Value of the maximum segment size option of a SYN [octets].
    pub(crate) largest: Option<u16>,
    pub(crate) has_sack: bool,
}

/// Reads the headers of an Ethernet frame; `None` without a complete IP packet.
pub(crate) fn read(frame: &[u8]) -> Option<Headers> {
    let packet = frame.get(HEADER..)?;
    match [frame[12], frame[13]] {
        IPV4 => ipv4(packet),
        IPV6 => ipv6(packet),
        _ => None,
    }
}

fn word(octets: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_be_bytes(octets.get(at..at + 2)?.try_into().ok()?))
}

fn long(octets: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_be_bytes(octets.get(at..at + 4)?.try_into().ok()?))
}

/// Reads the headers of an IPv4 packet.  [RFC791 §3.1]
fn ipv4(packet: &[u8]) -> Option<Headers> {
    let (first, length) = (*packet.first()?, usize::from(word(packet, 2)?));
    let header = usize::from(first & 0xf) * 4;
    if first >> 4 != 4 || header < 20 || length < header || length > packet.len() {
        return None;
    }
    let address = |at| Some(IpAddr::from(<[u8; 4]>::try_from(packet.get(at..at + 4)?).ok()?));
    // More fragments follow, or the fragment offset is not zero.
    let is_fragment = word(packet, 6)? & 0x3fff != 0;
    let ends = (address(12)?, address(16)?);
    let above = (!is_fragment).then_some((header, length));
    Some(headers(packet, packet[9], ends, packet[1], above))
}

/// Reads the headers of an IPv6 packet.  [RFC8200 §3]
fn ipv6(packet: &[u8]) -> Option<Headers> {
    let length = 40 + usize::from(word(packet, 4)?);
    if packet[0] >> 4 != 6 || length > packet.len() {
        return None;
    }
    let address = |at| Some(IpAddr::from(<[u8; 16]>::try_from(packet.get(at..at + 16)?).ok()?));
    let (mut next, mut at) = (packet[6], 40);
    for _ in 0..MOST_EXTENSIONS {
        if ![HOP_BY_HOP, ROUTING, DESTINATION].contains(&next) {
            break;
        }
        let octets = packet.get(at..length)?;
        (next, at) = (*octets.first()?, at + 8 + 8 * usize::from(*octets.get(1)?));
    }
    let class = (packet[0] << 4) | (packet[1] >> 4);
    let above = (at <= length).then_some((at, length));
    Some(headers(packet, next, (address(8)?, address(24)?), class, above))
}

/// Headers of an IP packet; `class` is its traffic class, with the code point and the ECN field, and `above` the
/// range of its payload, `None` for a fragment.  [RFC3168 §5]
fn headers(
    packet: &[u8],
    protocol: u8,
    (from, to): (IpAddr, IpAddr),
    class: u8,
    above: Option<(usize, usize)>,
) -> Headers {
    let ports = above.filter(|_| protocol == TCP || protocol == UDP).and_then(|(at, end)| {
        let octets = &packet[at..end];
        Some((word(octets, 0)?, word(octets, 2)?))
    });
    let tcp = above.filter(|_| protocol == TCP).and_then(|(at, end)| tcp(&packet[at..end], at));
    let (source, destination) = ports.unwrap_or_default();
    let udp = above.filter(|(at, end)| protocol == UDP && at + UDP_HEADER <= *end);
    let udp = udp.map(|(at, end)| (HEADER + at, HEADER + end));
    let (dscp, ecn) = (class >> 2, Ecn::of_bits(class));
    Headers { protocol, from: (from, source), to: (to, destination), dscp, ecn, tcp, udp }
}

/// Reads the TCP header of `segment`, which begins at offset `at` of an IP packet.  [RFC9293 §3.1]
fn tcp(segment: &[u8], at: usize) -> Option<Tcp> {
    let header = usize::from(*segment.get(12)? >> 4) * 4;
    if header < 20 || header > segment.len() {
        return None;
    }
    let bits = segment[13];
    let known = [
        (2, Flags::SYN),
        (16, Flags::ACK),
        (1 | 4, Flags::FIN),
        (64, Flags::ECE),
        (128, Flags::CWR),
    ];
    let said = known.into_iter().filter(|(mask, _)| bits & mask != 0);
    // The lowest bit beside the length of the header is AE.  [RFC9768 §3.1]
    let accurate = if segment[12] & 1 != 0 { Flags::AE } else { Flags::NONE };
    let mut found = Tcp {
        at: HEADER + at,
        seq: long(segment, 4)?,
        ack: long(segment, 8)?,
        window: word(segment, 14)?,
        payload: u32::try_from(segment.len() - header).ok()?,
        flags: said.fold(accurate, |flags, (_, flag)| flags.and(flag)),
        scale: None,
        largest: None,
        has_sack: false,
    };
    options(&segment[20..header], &mut found);
    Some(found)
}

/// Reads TCP options into `found`, up to the end of the list or the first malformed option.
fn options(mut left: &[u8], found: &mut Tcp) {
    while let Some(&kind) = left.first() {
        let length = match (kind, left.get(1)) {
            (0, _) => return,
            (1, _) => 1,
            (_, Some(&length)) if length >= 2 && usize::from(length) <= left.len() => length.into(),
            _ => return,
        };
        match (kind, length) {
            (2, 4) => found.largest = word(left, 2),
            (3, 3) => found.scale = Some(left[2].min(MOST_SCALE)),
            (5, 10..) => found.has_sack = true,
            _ => {}
        }
        left = &left[length..];
    }
}

/// Checksum after one 16-bit word that it covers has changed from `old` to `new`.  [RFC1624 eq. 3]
pub(crate) fn mended(sum: u16, old: u16, new: u16) -> u16 {
    let total = u32::from(!sum) + u32::from(!old) + u32::from(new);
    let folded = (total & 0xffff) + (total >> 16);
    let folded = (folded & 0xffff) + (folded >> 16);
    !u16::try_from(folded).expect("carries are folded")
}

/// Writes a window into the TCP header at offset `at` of an Ethernet frame, and updates the
/// checksum.
pub(crate) fn write_window(frame: &mut [u8], at: usize, window: u16) {
    let old = u16::from_be_bytes([frame[at + 14], frame[at + 15]]);
    let sum = mended(u16::from_be_bytes([frame[at + 16], frame[at + 17]]), old, window);
    frame[at + 14..at + 16].copy_from_slice(&window.to_be_bytes());
    frame[at + 16..at + 18].copy_from_slice(&sum.to_be_bytes());
}

/// Sets the ECN field of the IP header of an Ethernet frame to CE, congestion experienced, and updates
/// the checksum, which IPv4 has alone. Other frames stay as they are.  [RFC3168 §5]
pub(crate) fn write_mark(frame: &mut [u8]) {
    let Some(packet) = frame.get_mut(12..).filter(|it| it.len() >= 2 + 20) else { return };
    let (kind, packet) = packet.split_at_mut(2);
    match [kind[0], kind[1]] {
        IPV4 => {
            let old = u16::from_be_bytes([packet[0], packet[1]]);
            packet[1] |= Ecn::CE.bits();
            let new = u16::from_be_bytes([packet[0], packet[1]]);
            let sum = mended(u16::from_be_bytes([packet[10], packet[11]]), old, new);
            packet[10..12].copy_from_slice(&sum.to_be_bytes());
        }
        // The traffic class takes the lower half of the first octet and the upper half of the second.
        IPV6 => packet[1] |= Ecn::CE.bits() << 4,
        _ => {}
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Ethernet frame with a TCP ACK over IPv4, with these options and a valid checksum.
    pub(crate) fn segment(ports: (u16, u16), dscp: u8, options: &[u8]) -> Vec<u8> {
        let header = 20 + options.len();
        let mut frame = packet(TCP, header, ports, dscp);
        frame.extend([0, 0, 0, 1, 0, 0, 0, 2]);
        frame.extend([u8::try_from(header / 4).expect("a header") << 4, 16, 0x20, 0, 0, 0, 0, 0]);
        frame.extend(options);
        let sum = !sum_of(&frame, HEADER + 20);
        frame[HEADER + 36..HEADER + 38].copy_from_slice(&sum.to_be_bytes());
        frame
    }

    /// Ethernet frame with a UDP datagram over IPv4, with a valid checksum or none.
    pub(crate) fn datagram(ports: (u16, u16), payload: &[u8], with_checksum: bool) -> Vec<u8> {
        let length = UDP_HEADER + payload.len();
        let mut frame = packet(UDP, length, ports, 0);
        frame.extend(u16::try_from(length).expect("short").to_be_bytes());
        frame.extend([0, 0]);
        frame.extend(payload);
        if with_checksum {
            let sum = !sum_of(&frame, HEADER + 20);
            frame[HEADER + 26..HEADER + 28].copy_from_slice(&sum.to_be_bytes());
        }
        frame
    }

    /// True if the TCP or UDP checksum of an Ethernet frame with IPv4 is valid.
    pub(crate) fn is_whole(frame: &[u8]) -> bool {
        sum_of(frame, HEADER + 20) == 0xffff
    }

    /// Ethernet and IPv4 headers of a packet whose payload has `above` octets and begins with these
    /// ports.
    fn packet(protocol: u8, above: usize, (source, destination): (u16, u16), dscp: u8) -> Vec<u8> {
        let length = u16::try_from(20 + above).expect("a short packet");
        let mut frame = vec![2; 12];
        frame.extend(IPV4);
        frame.extend([0x45, dscp << 2]);
        frame.extend(length.to_be_bytes());
        frame.extend([0, 0, 0x40, 0, 64, protocol, 0, 0, 10, 11, 0, 1, 10, 11, 16, 1]);
        frame.extend(source.to_be_bytes());
        frame.extend(destination.to_be_bytes());
        frame
    }

    /// One's complement sum over the IPv4 payload and its pseudo-header: all ones if the checksum
    /// is valid. [RFC9293 §3.1]
    fn sum_of(frame: &[u8], at: usize) -> u16 {
        let above = &frame[at..];
        let length = u16::try_from(above.len()).expect("a packet").to_be_bytes();
        let protocol = [0, frame[HEADER + 9]];
        let pseudo = frame[HEADER + 12..HEADER + 20].iter().chain(&protocol).chain(&length);
        let all: Vec<u8> = pseudo.chain(above).copied().chain([0]).collect();
        let words =
            all.chunks_exact(2).map(|pair| u32::from(u16::from_be_bytes([pair[0], pair[1]])));
        let sum: u32 = words.sum();
        u16::try_from((sum & 0xffff) + (sum >> 16)).unwrap_or_else(|_| {
            let folded = (sum & 0xffff) + (sum >> 16);
            u16::try_from((folded & 0xffff) + (folded >> 16)).expect("carries are folded")
        })
    }

    #[test]
    fn a_header_is_read_behind_options_and_extensions() {
        // MSS 1460, SACK permitted, window scale 7; below a window scale that is too large.
        let options = [2, 4, 5, 0xb4, 4, 2, 1, 3, 3, 7, 0, 0];
        let headers = read(&segment((40_000, 80), 46, &options)).expect("IPv4");
        assert_eq!((headers.protocol, headers.dscp, headers.ecn), (TCP, 46, Ecn::NOT_ECT));
        assert_eq!((headers.from.1, headers.to.1), (40_000, 80));
        let tcp = headers.tcp.expect("TCP");
        assert_eq!((tcp.at, tcp.seq, tcp.ack, tcp.window), (HEADER + 20, 1, 2, 0x2000));
        assert_eq!((tcp.largest, tcp.scale, tcp.payload), (Some(1_460), Some(7), 0));
        assert_eq!((tcp.flags, tcp.has_sack), (Flags::ACK, false));
        let huge = read(&segment((1, 2), 0, &[3, 3, 255, 1])).and_then(|it| it.tcp);
        assert_eq!(huge.and_then(|tcp| tcp.scale), Some(MOST_SCALE));
        // A SACK block is present. The last option is longer than the header.
        let sack = [5, 10, 0, 0, 0, 1, 0, 0, 0, 2, 3, 9];
        let blocked = read(&segment((1, 2), 0, &sack)).and_then(|it| it.tcp).expect("TCP");
        assert_eq!((blocked.has_sack, blocked.scale), (true, None));
        // IPv6 with hop-by-hop options; then the same packet with a payload length that is too
        // short.
        let tcp = &segment((5, 6), 0, &[])[HEADER + 20..];
        let mut six = vec![2; 12];
        six.extend([0x86, 0xdd, 0x6b, 0xa0, 0, 0, 0, 28, HOP_BY_HOP, 64]);
        six.extend([0xfd; 32]);
        six.extend([TCP, 0, 1, 4, 0, 0, 0, 0]);
        six.extend(tcp);
        let headers = read(&six).expect("IPv6");
        assert_eq!((headers.dscp, headers.ecn), (46, Ecn::ECT_0));
        assert_eq!((headers.from.1, headers.to.1), (5, 6));
        assert_eq!(headers.tcp.expect("TCP").at, HEADER + 48);
        six[HEADER + 5] = 27;
        assert_eq!(read(&six).expect("IPv6").tcp, None);
    }

    /// An RST is read as a FIN, and PSH and URG are ignored. Control bits are in octet 13, and AE is the lowest bit of
    /// octet 12.  [RFC9293 §3.1], [RFC9768 §3.1]
    #[test]
    fn a_reset_ends_a_connection_as_a_fin_does() {
        let flags = |bits: u8| {
            let mut frame = segment((1, 2), 0, &[]);
            frame[HEADER + 33] = bits;
            read(&frame).and_then(|it| it.tcp).expect("TCP").flags
        };
        assert_eq!(flags(0x38), Flags::ACK);
        assert_eq!(flags(0x12), Flags::SYN_ACK);
        assert_eq!([flags(1), flags(4)], [Flags::FIN; 2]);
        assert_eq!(flags(0xd0), Flags::ACK.and(Flags::ECN));
        let mut frame = segment((1, 2), 0, &[]);
        (frame[HEADER + 32], frame[HEADER + 33]) = (frame[HEADER + 32] | 1, 0x10);
        let accurate = read(&frame).and_then(|it| it.tcp).expect("TCP").flags;
        assert_eq!(accurate, Flags::ACK.and(Flags::AE));
    }

    #[test]
    fn malformed_packets_have_no_tcp_header() {
        let whole = segment((9, 80), 0, &[1, 1, 1, 1]);
        let with = |at: usize, octet: u8| {
            let mut strange = whole.clone();
            strange[HEADER + at] = octet;
            read(&strange)
        };
        // Headers that are too short, too long or of another version; a length beyond the packet.
        for (at, octet) in [(0, 0x44), (0, 0x4f), (0, 0x55), (3, 200), (3, 19)] {
            assert_eq!(with(at, octet), None, "{at} {octet}");
        }
        // Fragments; TCP data offsets that are too small or beyond the segment.
        for (at, octet) in [(6, 0x20), (7, 1), (32, 0x40), (32, 0xf0)] {
            let found = with(at, octet).expect("IPv4");
            assert_eq!(found.tcp, None, "{at} {octet}");
        }
        for cut in 0..whole.len() {
            assert_eq!(read(&whole[..cut]), None, "{cut}");
        }
    }

    /// The ECN field is in the low bits of the traffic class. A mark sets both, and in IPv4 it corrects the
    /// checksum: 0x45b8 + 0x0028 + 0x4000 + 0x4006 + 0x0a0b + 0x0001 + 0x0a0b + 0x1001 = 0xe9fe, whose
    /// complement is 0x1601; with 0x45bb it is three less.
    ///
    /// Verifies: [RFC3168 §5], [RFC1624 eq. 3]
    #[test]
    fn a_mark_is_written_with_its_checksum() {
        let mut four = segment((7, 8), 46, &[]);
        let words = |frame: &[u8]| -> u32 {
            let octets = frame[HEADER..HEADER + 20].chunks_exact(2);
            octets.map(|it| u32::from(u16::from_be_bytes([it[0], it[1]]))).sum()
        };
        let sum = |frame: &[u8]| (words(frame) & 0xffff) + (words(frame) >> 16);
        let checksum = !u16::try_from(sum(&four)).expect("carries are folded");
        four[HEADER + 10..HEADER + 12].copy_from_slice(&checksum.to_be_bytes());
        assert_eq!((checksum, sum(&four)), (0x1601, 0xffff));
        let before = four.clone();
        write_mark(&mut four);
        assert_eq!(four[HEADER..HEADER + 2], [0x45, 0xbb]);
        assert_eq!(u16::from_be_bytes([four[HEADER + 10], four[HEADER + 11]]), 0x15fe);
        assert_eq!((sum(&four), read(&four).expect("IPv4").ecn), (0xffff, Ecn::CE));
        assert_eq!(four[HEADER + 2..HEADER + 10], before[HEADER + 2..HEADER + 10]);
        assert_eq!(four[HEADER + 12..], before[HEADER + 12..]);
        // A second mark changes nothing.
        let marked = four.clone();
        write_mark(&mut four);
        assert_eq!(four, marked);

        let mut six = vec![2; 12];
        six.extend([0x86, 0xdd, 0x6b, 0xaf, 0xed, 0xcb, 0, 0, 59, 64]);
        six.extend([0xfd; 32]);
        let plain = six.clone();
        write_mark(&mut six);
        assert_eq!(six[HEADER..HEADER + 4], [0x6b, 0xbf, 0xed, 0xcb]);
        assert_eq!(read(&six).map(|it| (it.dscp, it.ecn)), Some((46, Ecn::CE)));
        assert_eq!(six[HEADER + 4..], plain[HEADER + 4..]);
        // No IP packet, or none with a whole header.
        for frame in [&[2; 60][..], &[2; 12], &before[..HEADER + 19]] {
            let mut changed = frame.to_vec();
            write_mark(&mut changed);
            assert_eq!(changed, frame);
        }
    }

    proptest! {
        /// No input causes a panic, and a TCP header that is found lies within the frame.
        #[test]
        fn nothing_that_is_read_is_beyond_the_frame(
            octets in prop::collection::vec(any::<u8>(), 0..200),
            start in prop_oneof![
                Just(vec![]), Just(vec![8, 0, 0x45]), Just(vec![8, 0, 0x4f]), Just(vec![0x86, 0xdd, 0x60]),
            ],
            protocol in prop_oneof![Just(None), Just(Some(TCP)), Just(Some(HOP_BY_HOP)), Just(Some(ROUTING))],
            // Lengths that sometimes fit.
            length in 0..200_u8,
        ) {
            let mut frame = vec![2; 12];
            frame.extend(start);
            frame.extend(octets);
            let is_six = frame.get(12) == Some(&0x86);
            if let (Some(protocol), true) = (protocol, frame.len() > HEADER + 10) {
                frame[HEADER + if is_six { 6 } else { 9 }] = protocol;
                let at = HEADER + if is_six { 4 } else { 2 };
                frame[at..at + 2].copy_from_slice(&[0, length]);
            }
            if let Some(tcp) = read(&frame).and_then(|headers| headers.tcp) {
                prop_assert!(tcp.at + 20 + usize::try_from(tcp.payload).expect("short") <= frame.len());
            }
        }

        /// Writing a window keeps a valid checksum valid and a wrong one equally wrong, and changes
        /// nothing else.
        ///
        /// Verifies: [RFC1624 eq. 3]
        #[test]
        fn a_window_is_written_with_its_checksum(
            ports in any::<(u16, u16)>(), window in any::<u16>(), data in prop::collection::vec(any::<u8>(), 0..9),
            spoilt in any::<bool>(),
        ) {
            let options: Vec<u8> = data.iter().copied().chain([1; 8]).take(data.len() / 4 * 4 + 4).collect();
            let mut frame = segment(ports, 0, &options);
            frame[HEADER + 36] ^= u8::from(spoilt);
            let before = frame.clone();
            let at = read(&frame).and_then(|it| it.tcp).expect("TCP").at;
            let sum = sum_of(&frame, at);
            write_window(&mut frame, at, window);
            prop_assert_eq!(sum_of(&frame, at), sum);
            prop_assert_eq!(sum == 0xffff, !spoilt);
            prop_assert_eq!(read(&frame).and_then(|it| it.tcp).expect("TCP").window, window);
            frame[at + 14..at + 18].copy_from_slice(&before[at + 14..at + 18]);
            prop_assert_eq!(frame, before);
        }
    }
}
