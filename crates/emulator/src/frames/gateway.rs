//! ICMP errors of the gateway for packets to destinations outside of the cell: the network is
//! unreachable.  [RFC792], [RFC4443 §3.1]

use std::net::{Ipv4Addr, Ipv6Addr};

use super::icmp::{ICMPV6, IPV4, IPV6, address, checksum, ethernet, internet_checksum};
use crate::plan::{GATEWAY, Node};

const ICMP: u8 = 1;
/// Octets of an IPv4 packet that its error contains behind the packet's header.  [RFC792]
const QUOTED: usize = 8;
/// Octets of an IPv6 packet that its error contains: the error then fits the least MTU.  [RFC4443 §2.4]
const QUOTED_V6: usize = 1280 - 40 - 8;

/// Frame with the error for a packet of `node`; `None` for a packet that must not be answered: an
/// ICMP error, a later fragment, a packet without an address of one host, or a malformed one.  [RFC1122
/// §3.2.2]
pub(super) fn unreachable(ethertype: u16, packet: &[u8], node: &Node) -> Option<Vec<u8>> {
    let answer = match ethertype {
        IPV4 => v4(packet)?,
        IPV6 => v6(packet)?,
        _ => return None,
    };
    Some(ethernet(node.mac(), GATEWAY.mac(), ethertype, &answer))
}

fn v4(packet: &[u8]) -> Option<Vec<u8>> {
    let header = usize::from(packet.first()? & 0xf) * 4;
    if packet[0] >> 4 != 4 || header < 20 || packet.len() < header {
        return None;
    }
    let is_later_fragment = u16::from_be_bytes([packet[6], packet[7]]) & 0x1fff != 0;
    // Of ICMP, only requests and their replies are no errors: types 8 and 0, and 13 and up.
    let is_error =
        packet[9] == ICMP && packet.get(header).is_none_or(|kind| matches!(kind, 1..=7 | 9..=12));
    let source = Ipv4Addr::new(packet[12], packet[13], packet[14], packet[15]);
    let is_one_host = !source.is_unspecified() && !source.is_multicast() && !source.is_broadcast();
    if is_later_fragment || is_error || !is_one_host {
        return None;
    }
    // Destination unreachable: network unreachable.
    let mut message = vec![3, 0, 0, 0, 0, 0, 0, 0];
    message.extend(&packet[..packet.len().min(header + QUOTED)]);
    let sum = internet_checksum(&message);
    message[2..4].copy_from_slice(&sum.to_be_bytes());
    let length = u16::try_from(20 + message.len()).expect("a short packet");
    let mut answer = vec![0x45, 0];
    answer.extend(length.to_be_bytes());
    answer.extend([0, 0, 0, 0, 64, ICMP, 0, 0]);
    answer.extend(GATEWAY.v4().octets());
    answer.extend(source.octets());
    let sum = internet_checksum(&answer);
    answer[10..12].copy_from_slice(&sum.to_be_bytes());
    answer.extend(message);
    Some(answer)
}

fn v6(packet: &[u8]) -> Option<Vec<u8>> {
    let source: Ipv6Addr = address(packet, 8)?;
    // Types below 128 are errors.  [RFC4443 §2.1]
    let is_error = packet[6] == ICMPV6 && packet.get(40).is_none_or(|kind| *kind < 128);
    if packet[0] >> 4 != 6 || is_error || source.is_unspecified() || source.is_multicast() {
        return None;
    }
    // Destination unreachable: no route.
    let mut message = vec![1, 0, 0, 0, 0, 0, 0, 0];
    message.extend(&packet[..packet.len().min(QUOTED_V6)]);
    let sum = checksum(GATEWAY.v6(), source, &message);
    message[2..4].copy_from_slice(&sum.to_be_bytes());
    let length = u16::try_from(message.len()).expect("a short packet");
    let mut answer = vec![0x60, 0, 0, 0];
    answer.extend(length.to_be_bytes());
    answer.extend([ICMPV6, 64]);
    answer.extend(GATEWAY.v6().octets());
    answer.extend(source.octets());
    answer.extend(message);
    Some(answer)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::headers::HEADER;
    use airfair_sim::scenario::Endpoint;
    use proptest::prelude::*;

    fn sender() -> Node {
        Node { name: "a".to_owned(), end: Endpoint::Station(0), number: 1, is_joined: false }
    }

    /// UDP packet from station a to 1.1.1.1 or `2606::1`, with `payload` octets.
    fn packet(ethertype: u16, payload: u8) -> Vec<u8> {
        let udp = [0x9c, 0x40, 0, 53, 0, 8 + payload, 0, 0];
        let mut packet = if ethertype == IPV4 {
            let mut packet = vec![0x45, 0, 0, 28 + payload, 0, 1, 0, 0, 64, 17, 0, 0];
            packet.extend([10, 11, 0, 1, 1, 1, 1, 1]);
            packet
        } else {
            let mut packet = vec![0x60, 0, 0, 0, 0, 8 + payload, 17, 64];
            packet.extend(sender().v6().octets());
            packet.extend([0x26, 6, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1]);
            packet
        };
        packet.extend(udp);
        packet.resize(packet.len() + usize::from(payload), 7);
        packet
    }

    fn answer(ethertype: u16, packet: &[u8]) -> Option<Vec<u8>> {
        unreachable(ethertype, packet, &sender())
    }

    /// The error for a UDP packet to 1.1.1.1 has type 3 and code 0, and quotes the IP and UDP
    /// headers: 20 + 8 + 20 + 8 = 56 octets.
    ///
    /// Verifies: [RFC792]
    #[test]
    fn an_ipv4_packet_to_the_outside_is_answered() {
        let sent = packet(IPV4, 100);
        let answer = answer(IPV4, &sent).expect("an answer");
        assert_eq!((&answer[..6], &answer[6..12]), (&sender().mac()[..], &GATEWAY.mac()[..]));
        let back = &answer[HEADER..];
        assert_eq!((back.len(), &back[2..4]), (56, &[0, 56][..]));
        assert_eq!((&back[12..16], &back[16..20]), (&[10, 11, 255, 254][..], &sent[12..16]));
        assert_eq!((&back[20..22], &back[28..]), (&[3, 0][..], &sent[..28]));
        // The sum over octets with a valid checksum is all ones, of which the complement is zero.
        assert_eq!((internet_checksum(&back[..20]), internet_checksum(&back[20..])), (0, 0));
    }

    /// Verifies: [RFC4443 §3.1]
    #[test]
    fn an_ipv6_packet_to_the_outside_is_answered() {
        let sent = packet(IPV6, 1);
        let answer = answer(IPV6, &sent).expect("an answer");
        let back = &answer[HEADER..];
        assert_eq!((back.len(), back[5]), (40 + 8 + sent.len(), 57));
        assert_eq!((&back[40..42], &back[48..]), (&[1, 0][..], &sent[..]));
        assert_eq!(checksum(GATEWAY.v6(), sender().v6(), &back[40..]), 0);
    }

    #[test]
    fn errors_and_later_fragments_are_not_answered() {
        let mut error = packet(IPV4, 0);
        (error[9], error[20]) = (ICMP, 3);
        assert_eq!(answer(IPV4, &error), None);
        error[20] = 8;
        assert!(answer(IPV4, &error).is_some(), "an echo request is no error");
        let mut fragment = packet(IPV4, 0);
        fragment[7] = 1;
        assert_eq!(answer(IPV4, &fragment), None);
        let mut error = packet(IPV6, 0);
        (error[6], error[40]) = (ICMPV6, 1);
        assert_eq!(answer(IPV6, &error), None);
        assert_eq!(answer(0x88b5, &packet(IPV4, 0)), None);
    }

    proptest! {
        #[test]
        fn no_packet_panics(
            six: bool,
            octets in proptest::collection::vec(any::<u8>(), 40..200),
            first in 0_u8..16,
        ) {
            let (ethertype, version) = if six { (IPV6, 0x60) } else { (IPV4, 0x40) };
            let octets = [&[version | first][..], &octets].concat();
            let _ = answer(ethertype, &octets);
        }
    }
}
