//! Ethernet frames, addresses and checksums of messages that the access point sends itself.

use std::net::Ipv6Addr;

use crate::headers::HEADER;
use crate::plan::Mac;

/// `EtherType` of IPv4.
pub(super) const IPV4: u16 = 0x0800;
/// `EtherType` of IPv6.
pub(super) const IPV6: u16 = 0x86dd;
/// Protocol number of ICMPv6.
pub(super) const ICMPV6: u8 = 58;

/// IPv6 address at an offset of a packet; `None` behind its end.
pub(super) fn address(packet: &[u8], at: usize) -> Option<Ipv6Addr> {
    let octets: [u8; 16] = packet.get(at..at + 16)?.try_into().ok()?;
    Some(octets.into())
}

/// Ethernet frame with a packet.
pub(super) fn ethernet(to: Mac, from: Mac, ethertype: u16, packet: &[u8]) -> Vec<u8> {
    let mut frame = Vec::with_capacity(HEADER + packet.len());
    frame.extend(to);
    frame.extend(from);
    frame.extend(ethertype.to_be_bytes());
    frame.extend(packet);
    frame
}

/// ICMPv6 checksum of a message.  [RFC8200 §8.1]
pub(super) fn checksum(from: Ipv6Addr, to: Ipv6Addr, message: &[u8]) -> u16 {
    let length = u32::try_from(message.len()).expect("a short message");
    let pseudo = from.octets().into_iter().chain(to.octets()).chain(length.to_be_bytes());
    let all: Vec<u8> = pseudo.chain([0, 0, 0, ICMPV6]).chain(message.iter().copied()).collect();
    internet_checksum(&all)
}

/// Checksum of the Internet protocols.  [RFC1071]
pub(super) fn internet_checksum(octets: &[u8]) -> u16 {
    let word = |pair: &[u8]| u32::from(pair[0]) << 8 | u32::from(*pair.get(1).unwrap_or(&0));
    let mut sum: u32 = octets.chunks(2).map(word).sum();
    while sum > 0xffff {
        sum = (sum & 0xffff) + (sum >> 16);
    }
    !u16::try_from(sum).expect("carries are folded")
}
