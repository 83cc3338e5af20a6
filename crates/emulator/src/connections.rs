//! Connections of real programs: their numbers for queue disciplines and schemes, and receive
//! windows written into their ACKs.
//!
//! A window is only lowered. It stays at least one segment and at least the data in flight, so that
//! no data already sent falls outside the window. It is rounded up to the unit of the window scale.
//! The scale comes from the two SYNs; a connection whose SYNs were not seen is left alone.
//! [RFC7323 §2]  Deviates: [D-160]

use airfair_sim::packet::TcpFlags as Flags;
use std::collections::BTreeMap;

use airfair_sim::packet::{Connection, ExternalTcp};
use airfair_units::Bytes;

use crate::headers::{Headers, SocketAddress, Tcp};

/// Most connections known at a time. A new one replaces the connection that has been silent
/// longest.
const MOST: usize = 1_024;
/// Maximum segment size of an end whose SYN has no such option.  [RFC9293 §3.7.1]
const DEFAULT_LARGEST: u16 = 536;

/// Key of a connection: IP protocol and both ends, the lower one first.
type Key = (u8, SocketAddress, SocketAddress);

/// Table of the connections of real programs, by protocol and ends.
#[derive(Debug)]
pub(crate) struct Connections {
    places: BTreeMap<Key, usize>,
    known: Vec<Entry>,
    /// Number of the first connection. The smaller numbers belong to the flows.
    first: u16,
    packets: u64,
}

#[derive(Debug)]
struct Entry {
    key: Key,
    /// Value of `Connections::packets` when the last packet of this connection was recorded.
    seen: u64,
    sides: [SenderState; 2],
}

/// Sequence state of one end of a TCP connection.
#[derive(Clone, Copy, Debug, Default)]
struct SenderState {
    syn: Option<SynOptions>,
    /// Sequence number after the last octet of data that this end has sent.
    next: Option<u32>,
    /// Last sequence number that this end has sent, extended to 64 bits.
    seq: u64,
    /// Last acknowledgment number that this end has sent, extended to 64 bits.
    ack: u64,
}

/// Options of a TCP SYN that limit windows and segments.
#[derive(Clone, Copy, Debug)]
struct SynOptions {
    scale: Option<u8>,
    largest: u16,
}

fn key(headers: &Headers) -> (Key, bool) {
    let Headers { protocol, from, to, .. } = *headers;
    if to < from { ((protocol, to, from), true) } else { ((protocol, from, to), false) }
}

impl Connections {
    /// Makes an empty table. Its connections are numbered from `flows` on, after the flows.
    pub(crate) fn after(flows: usize) -> Self {
        let first = u16::try_from(flows).expect("flows and connections have numbers of 16 bits");
        assert!(usize::from(u16::MAX - first) >= MOST, "each connection has a number");
        Self { places: BTreeMap::new(), known: Vec::new(), first, packets: 0 }
    }

    /// Records a packet that a real program has sent. Returns the packet's connection, and the
    /// fields of its TCP header that the simulated network needs. Packets without ports, such as
    /// fragments, belong to no connection.
    pub(crate) fn note(&mut self, headers: &Headers) -> (Option<Connection>, Option<ExternalTcp>) {
        if headers.from.1 == 0 && headers.to.1 == 0 {
            return (None, None);
        }
        let (key, is_other) = key(headers);
        let place = self.place(key);
        self.packets += 1;
        let known = &mut self.known[place];
        known.seen = self.packets;
        let tcp = headers.tcp.map(|tcp| known.take(&tcp, is_other));
        let place = u16::try_from(place).expect("fewer than MOST");
        (Some(Connection { number: self.first + place, is_other }), tcp)
    }

    fn place(&mut self, key: Key) -> usize {
        if let Some(place) = self.places.get(&key) {
            return *place;
        }
        let fresh = Entry { key, seen: 0, sides: [SenderState::default(); 2] };
        let place = if self.known.len() < MOST {
            self.known.push(fresh);
            self.known.len() - 1
        } else {
            let oldest = self.known.iter().enumerate().min_by_key(|(_, known)| known.seen);
            let place = oldest.expect("there are some").0;
            let old = std::mem::replace(&mut self.known[place], fresh);
            self.places.remove(&old.key);
            place
        };
        self.places.insert(key, place);
        place
    }

    /// Value for the window field of a TCP header that lowers the window to `limit`, but not below
    /// one segment or the data in flight; `None` to leave the header as it is.
    pub(crate) fn window(&self, headers: &Headers, limit: Bytes) -> Option<u16> {
        let (key, is_other) = key(headers);
        let (known, tcp) = (&self.known[*self.places.get(&key)?], headers.tcp.as_ref()?);
        let (own, peer) = (known.sides[usize::from(is_other)], known.sides[usize::from(!is_other)]);
        let (syn, scale) = (own.syn?, known.scale(is_other)?);
        if tcp.flags.has(Flags::SYN) || !tcp.flags.has(Flags::ACK) {
            return None;
        }
        let ahead = peer.next.map_or(0, |next| next.wrapping_sub(tcp.ack).cast_signed().max(0));
        let under_way = u64::from(ahead.unsigned_abs());
        let wanted = limit.get().max(syn.largest.into()).max(under_way);
        let written = wanted.div_ceil(1 << scale);
        u16::try_from(written).ok().filter(|written| *written < tcp.window)
    }
}

impl Entry {
    /// Shift of the windows that one end advertises; `None` if a SYN was not seen.  [RFC7323 §2.2]
    fn scale(&self, is_other: bool) -> Option<u8> {
        let [own, peers] = [is_other, !is_other].map(|end| self.sides[usize::from(end)].syn);
        Some(peers?.scale.and(own?.scale).unwrap_or(0))
    }

    fn take(&mut self, tcp: &Tcp, is_other: bool) -> ExternalTcp {
        if tcp.flags.has(Flags::SYN) && !tcp.flags.has(Flags::ACK) {
            // New SYN with the ports of an earlier connection.
            self.sides = [SenderState::default(); 2];
        }
        let side = &mut self.sides[usize::from(is_other)];
        if tcp.flags.has(Flags::SYN) {
            let largest = tcp.largest.unwrap_or(DEFAULT_LARGEST);
            side.syn = Some(SynOptions { scale: tcp.scale, largest });
        }
        if tcp.payload > 0 {
            let end = tcp.seq.wrapping_add(tcp.payload);
            let is_further = |next: u32| end.wrapping_sub(next).cast_signed() > 0;
            side.next = Some(side.next.filter(|next| !is_further(*next)).unwrap_or(end));
        }
        side.seq = unwrapped(side.seq, tcp.seq);
        side.ack = unwrapped(side.ack, tcp.ack);
        let (seq, ack) = (side.seq, side.ack);
        // The window of a SYN is not scaled.
        let scale = if tcp.flags.has(Flags::SYN) { Some(0) } else { self.scale(is_other) };
        let window = scale.map(|scale| u32::from(tcp.window) << scale);
        let (payload, flags) = (tcp.payload, tcp.flags);
        ExternalTcp { seq, ack, payload, flags, is_selective: tcp.has_sack, window, limit: None }
    }
}

/// Extends a 32-bit sequence number to the number nearest to `near` that has the low 32 bits
/// `bits`. The result is never below 2^31, so that numbers before the first one are not negative.
#[expect(clippy::cast_possible_truncation, reason = "32 bits are what is known")]
fn unwrapped(near: u64, bits: u32) -> u64 {
    let near = near.max(1 << 32);
    near.wrapping_add_signed(bits.wrapping_sub(near as u32).cast_signed().into())
}

#[cfg(test)]
mod tests {
    use super::*;

    use airfair_sim::packet::Ecn;
    use proptest::prelude::*;
    use std::net::Ipv4Addr;

    const MOST_SHIFT: u8 = 14;

    const STATION: SocketAddress = (std::net::IpAddr::V4(Ipv4Addr::new(10, 11, 0, 1)), 40_000);
    const SERVER: SocketAddress = (std::net::IpAddr::V4(Ipv4Addr::new(10, 11, 16, 1)), 80);

    fn tcp(seq: u32, ack: u32, window: u16, payload: u32, flags: Flags) -> Tcp {
        let (at, scale, largest, has_sack) = (34, None, None, false);
        Tcp { at, seq, ack, window, payload, flags, scale, largest, has_sack }
    }

    fn packet(from: SocketAddress, to: SocketAddress, tcp: Tcp) -> Headers {
        let ecn = Ecn::NOT_ECT;
        Headers { protocol: 6, from, to, dscp: 0, ecn, tcp: Some(tcp), udp: None }
    }

    fn syn(flags: Flags, scale: Option<u8>) -> Tcp {
        Tcp { scale, largest: Some(1_460), ..tcp(0, 0, 64_240, 0, flags) }
    }

    /// Table with one connection, for which the station has announced the first window scale and
    /// the server the second.
    fn opened(scales: [Option<u8>; 2]) -> Connections {
        let mut connections = Connections::after(10);
        connections.note(&packet(STATION, SERVER, syn(Flags::SYN, scales[0])));
        connections.note(&packet(SERVER, STATION, syn(Flags::SYN_ACK, scales[1])));
        connections
    }

    /// Headers of an ACK from the station with this acknowledgment number and window field 1000.
    fn ack(number: u32) -> Headers {
        packet(STATION, SERVER, tcp(1, number, 1_000, 0, Flags::ACK))
    }

    /// A lowered window is rounded up to the unit of the window scale. With a scale of 7, 10 000
    /// octets are 78.1 units of 128, rounded up to 79. If only one end has announced a scale,
    /// windows are not scaled.
    ///
    /// Verifies: [RFC7323 §2.2]
    #[test]
    fn a_window_is_rounded_up_to_its_unit() {
        let limit = Bytes::new(10_000);
        let connections = opened([Some(7), Some(9)]);
        assert_eq!(connections.window(&ack(1), limit), Some(79));
        let answer = packet(SERVER, STATION, tcp(1, 1, 1_000, 0, Flags::ACK));
        assert_eq!(connections.window(&answer, limit), Some(20));
        for scales in [[Some(7), None], [None, Some(7)], [None; 2]] {
            let connections = opened(scales);
            assert_eq!(connections.window(&ack(1), Bytes::new(999)), None, "less than a segment");
            let wide = packet(STATION, SERVER, tcp(1, 1, 60_000, 0, Flags::ACK));
            assert_eq!(connections.window(&wide, limit), Some(10_000));
        }
    }

    /// A window is never lowered below one segment of 1460 octets or the 5000 octets in flight, and
    /// never raised.
    #[test]
    fn a_window_never_shrinks_below_the_data_in_flight() {
        let mut connections = opened([Some(7), Some(7)]);
        assert_eq!(connections.window(&ack(1), Bytes::new(1)), Some(12));
        for seq in [1, 2_501, 1] {
            let data = tcp(seq, 1, 1_000, 2_500, Flags::ACK);
            connections.note(&packet(SERVER, STATION, data));
        }
        assert_eq!(connections.window(&ack(1), Bytes::new(1)), Some(40));
        assert_eq!(connections.window(&ack(2_501), Bytes::new(1)), Some(20));
        assert_eq!(connections.window(&ack(5_001), Bytes::new(1)), Some(12));
        assert_eq!(connections.window(&ack(9_000), Bytes::new(1)), Some(12));
        assert_eq!(connections.window(&ack(5_001), Bytes::new(1_000 << 7)), None);
        let (_, tcp_of_ack) = connections.note(&ack(5_001));
        assert_eq!(tcp_of_ack.and_then(|it| it.window), Some(1_000 << 7), "as advertised");
        let numbers = tcp_of_ack.map(|it| (it.seq, it.ack));
        assert_eq!(numbers, Some(((1 << 32) + 1, (1 << 32) + 5_001)));
        let closed = packet(STATION, SERVER, tcp(1, 5_001, 0, 0, Flags::ACK));
        assert_eq!(connections.window(&closed, Bytes::new(1)), None);
    }

    #[test]
    fn connections_without_a_seen_handshake_are_left_alone() {
        let mut connections = Connections::after(0);
        let (_, tcp_of_ack) = connections.note(&ack(1));
        assert_eq!(tcp_of_ack.map(|it| it.window), Some(None), "of an unknown scale");
        assert_eq!(connections.window(&ack(1), Bytes::new(1)), None);
        connections.note(&packet(SERVER, STATION, syn(Flags::SYN_ACK, Some(7))));
        assert_eq!(connections.window(&ack(1), Bytes::new(1)), None);
        let connections = opened([Some(7); 2]);
        let syn = packet(STATION, SERVER, syn(Flags::SYN, Some(7)));
        assert_eq!(connections.window(&syn, Bytes::new(1)), None, "a SYN has no scale yet");
    }

    /// A new connection on the same ports as an old one does not inherit its window scale.
    #[test]
    fn the_same_ports_once_more_are_another_connection() {
        let mut connections = opened([Some(7); 2]);
        connections.note(&packet(SERVER, STATION, tcp(1, 1, 1_000, 60_000, Flags::ACK)));
        connections.note(&packet(STATION, SERVER, syn(Flags::SYN, None)));
        let wide = packet(STATION, SERVER, tcp(1, 1, 60_000, 0, Flags::ACK));
        assert_eq!(connections.window(&wide, Bytes::new(10_000)), None, "half open");
        connections.note(&packet(SERVER, STATION, syn(Flags::SYN_ACK, None)));
        assert_eq!(connections.window(&wide, Bytes::new(10_000)), Some(10_000));
    }

    #[test]
    fn both_ways_of_a_connection_have_one_number() {
        let mut connections = opened([Some(7); 2]);
        let (there, _) = connections.note(&ack(1));
        let (back, tcp) = connections.note(&packet(SERVER, STATION, syn(Flags::SYN_ACK, None)));
        let [there, back] = [there, back].map(|it| it.expect("a connection"));
        assert_eq!((there.number, back.number), (10, 10));
        assert_ne!(there.is_other, back.is_other);
        assert_eq!(tcp.map(|tcp| tcp.flags), Some(Flags::SYN_ACK));
        let other = connections.note(&packet((STATION.0, 40_001), SERVER, syn(Flags::SYN, None)));
        assert_eq!(other.0.map(|it| it.number), Some(11));
        let fragment = Headers { from: (STATION.0, 0), to: (SERVER.0, 0), ..ack(1) };
        assert_eq!(connections.note(&Headers { tcp: None, ..fragment }), (None, None));
    }

    /// When the table of connections is full, a new connection replaces the one that has been
    /// silent longest, and takes its number.
    #[test]
    fn there_are_only_so_many() {
        let mut connections = Connections::after(0);
        let from = |port: u16| packet((STATION.0, port), SERVER, tcp(1, 1, 1, 0, Flags::ACK));
        let most = u16::try_from(MOST).expect("a few");
        for port in 1..=most {
            connections.note(&from(port));
        }
        connections.note(&from(1));
        let (fresh, _) = connections.note(&from(most + 1));
        assert_eq!(fresh.map(|it| it.number), Some(1), "that of port 2");
        assert_eq!((connections.known.len(), connections.places.len()), (MOST, MOST));
    }

    /// Sequence numbers are extended beyond 32 bits, forwards and backwards.
    ///
    /// Verifies: [RFC9293 §3.4]
    #[test]
    fn numbers_go_on_where_32_bits_end() {
        let first = unwrapped(0, u32::MAX - 9);
        assert_eq!(unwrapped(first, 90) - first, 100);
        assert_eq!(unwrapped(first + 100, u32::MAX - 9), first);
    }

    fn any_tcp() -> impl Strategy<Value = Tcp> {
        let numbers = (any::<u32>(), any::<u32>(), any::<u16>(), 0..3_000_u32);
        let bits = (any::<bool>(), any::<bool>(), any::<bool>());
        let options = (prop::option::of(0..15_u8), prop::option::of(any::<u16>()));
        (numbers, bits, options).prop_map(|(numbers, (syn, ack, fin), (scale, largest))| {
            let (seq, number, window, payload) = numbers;
            let set = [(syn, Flags::SYN), (ack, Flags::ACK), (fin, Flags::FIN)];
            let set = set.into_iter().filter(|(is_set, _)| *is_set);
            let flags = set.fold(Flags::NONE, |flags, (_, flag)| flags.and(flag));
            Tcp { scale, largest, ..tcp(seq, number, window, payload, flags) }
        })
    }

    proptest! {
        /// For any packets of the two ends, a window is only lowered, and stays at least the limit.
        #[test]
        fn a_window_is_only_lowered(
            sent in prop::collection::vec((any::<bool>(), any_tcp()), 0..20),
            scales in (0..15_u8, 0..15_u8), last in any_tcp(), limit in any::<u64>(),
        ) {
            let mut connections = opened([Some(scales.0), Some(scales.1)]);
            for (is_back, tcp) in sent {
                let ends = if is_back { (SERVER, STATION) } else { (STATION, SERVER) };
                connections.note(&packet(ends.0, ends.1, tcp));
            }
            let packet = packet(STATION, SERVER, last);
            if let Some(window) = connections.window(&packet, Bytes::new(limit)) {
                prop_assert!(window < last.window);
                prop_assert!(u64::from(window) << MOST_SHIFT >= limit);
            }
        }
    }
}
