//! Forwarding of Ethernet frames that come from a namespace: unicast, broadcast, answered or
//! filtered.
//!
//! The access point answers for all addresses that it knows, as many access points do to save
//! airtime. So ARP requests [RFC826] and neighbour solicitations [RFC4861 §4.3] never cross the
//! cell. Messages about multicast groups and routers are filtered, as by an access point with IGMP
//! and MLD snooping.  [RFC4541]
//!
//! The default route of each namespace leads to a [gateway] at the access point, which has no network
//! behind it: it answers each packet with an ICMP error.

mod gateway;
mod icmp;

use std::net::Ipv4Addr;

use crate::headers::HEADER;
use crate::plan::{Address, GATEWAY, Node};
use icmp::{ICMPV6, IPV4, IPV6, address, checksum, ethernet};

/// Greatest length of an Ethernet frame: header, VLAN tag and 1500 octets.
pub(crate) const MAX_FRAME: usize = HEADER + 4 + 1500;

const ARP: u16 = 0x0806;
const IGMP: u8 = 2;
/// Number of the IPv6 hop-by-hop options header, which precedes a Multicast Listener Discovery
/// message.
const HOP_BY_HOP: u8 = 0;

/// Forwarding decision for a frame that a node has sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Forwarding {
    /// Forward the frame to the node with this index.
    To(usize),
    /// Forward the frame to all other nodes.
    ToAll,
    /// Return this frame to the sender as the answer to its frame.
    Answer(Vec<u8>),
    /// Discard the frame, whose destination is outside of the cell, and return this error to the
    /// sender; `None` for a packet that must not be answered.
    Outside(Option<Vec<u8>>),
    /// Discard the frame silently: no other node needs it.
    Filtered,
    /// Discard the frame: no node has its destination address.
    Unknown,
    /// Discard the frame: it is malformed or too long.
    Garbage,
}

/// Forwarding decision for a frame that the node with index `from` has sent.
pub(crate) fn classify(frame: &[u8], from: usize, nodes: &[Node]) -> Forwarding {
    if frame.len() <= HEADER || frame.len() > MAX_FRAME {
        return Forwarding::Garbage;
    }
    let ethertype = u16::from_be_bytes([frame[12], frame[13]]);
    let packet = &frame[HEADER..];
    let special = match ethertype {
        ARP => Some(arp(packet, from, nodes)),
        IPV6 => ipv6(packet, from, nodes),
        IPV4 => (packet.get(9) == Some(&IGMP)).then_some(Forwarding::Filtered),
        _ => None,
    };
    special.unwrap_or_else(|| {
        if frame[0] & 1 == 1 {
            return Forwarding::ToAll;
        }
        if frame[..6] == GATEWAY.mac() {
            return Forwarding::Outside(gateway::unreachable(ethertype, packet, &nodes[from]));
        }
        let to = nodes.iter().position(|node| frame[..6] == node.mac());
        to.filter(|to| *to != from).map_or(Forwarding::Unknown, Forwarding::To)
    })
}

/// Answers an ARP request for the address of another node, and filters all other ARP packets.
fn arp(packet: &[u8], from: usize, nodes: &[Node]) -> Forwarding {
    // Ethernet, IPv4, address lengths of 6 and 4 octets, operation request.
    if packet.len() < 28 || packet[..8] != [0, 1, 8, 0, 6, 4, 0, 1] {
        return if packet.len() < 28 { Forwarding::Garbage } else { Forwarding::Filtered };
    }
    let wanted = Ipv4Addr::new(packet[24], packet[25], packet[26], packet[27]);
    let Some(owner) = owner(nodes, from, |node| node.v4() == wanted) else {
        return Forwarding::Filtered;
    };
    let mut answer = vec![0, 1, 8, 0, 6, 4, 0, 2];
    answer.extend(owner.mac());
    answer.extend(&packet[24..28]);
    answer.extend(&packet[8..18]);
    Forwarding::Answer(ethernet(nodes[from].mac(), owner.mac(), ARP, &answer))
}

/// Decides on neighbour discovery and group messages of ICMPv6; `None` for any other packet.
fn ipv6(packet: &[u8], from: usize, nodes: &[Node]) -> Option<Forwarding> {
    if packet.len() < 40 {
        return Some(Forwarding::Garbage);
    }
    let (next, payload) = (packet[6], &packet[40..]);
    let kind = match next {
        ICMPV6 => payload.first(),
        // The router alert option takes 8 octets. The message follows.
        HOP_BY_HOP if payload.first() == Some(&ICMPV6) => payload.get(8),
        _ => return None,
    };
    match kind {
        // Multicast Listener Discovery; router solicitation and router advertisement.
        Some(130..=134 | 143) => Some(Forwarding::Filtered),
        Some(135) => Some(neighbour(packet, from, nodes)),
        _ => None,
    }
}

fn neighbour(packet: &[u8], from: usize, nodes: &[Node]) -> Forwarding {
    let (Some(source), Some(wanted)) = (address(packet, 8), address(packet, 48)) else {
        return Forwarding::Garbage;
    };
    let has = |node: &Address| node.v6() == wanted || node.link_local() == wanted;
    let Some(owner) = owner(nodes, from, has) else { return Forwarding::Filtered };
    if source.is_unspecified() {
        return Forwarding::Filtered; // duplicate address detection: addresses are unique by construction
    }
    // Neighbour advertisement with the flags solicited and override, and the link-layer address
    // option.
    let mut message = vec![136, 0, 0, 0, 0x60, 0, 0, 0];
    message.extend(wanted.octets());
    message.extend([2, 1]);
    message.extend(owner.mac());
    let sum = checksum(wanted, source, &message);
    message[2..4].copy_from_slice(&sum.to_be_bytes());
    let length = u8::try_from(message.len()).expect("32 octets");
    let mut answer = vec![0x60, 0, 0, 0, 0, length, ICMPV6, 255];
    answer.extend(wanted.octets());
    answer.extend(source.octets());
    answer.extend(message);
    Forwarding::Answer(ethernet(nodes[from].mac(), owner.mac(), IPV6, &answer))
}

/// Address of another node or of the gateway, by the owner of an IP address; `None` for the sender's
/// own address, and for one that nobody has.
fn owner(nodes: &[Node], from: usize, is: impl Fn(&Address) -> bool) -> Option<Address> {
    let others = nodes.iter().enumerate().filter(|(at, _)| *at != from);
    let others = others.map(|(_, node)| node.address()).chain([GATEWAY]);
    others.into_iter().find(is)
}

#[cfg(test)]
mod tests {
    use std::net::Ipv6Addr;

    use super::*;
    use crate::plan::Mac;
    use airfair_sim::scenario::Endpoint;

    fn nodes() -> Vec<Node> {
        let node = |(name, end, number): (&str, _, _)| Node {
            name: name.to_owned(),
            end,
            number,
            is_joined: false,
        };
        let all = [("a", Endpoint::Station(0), 1), ("b", Endpoint::Station(1), 2)];
        all.into_iter().chain([("server", Endpoint::Host(0), 0x1001)]).map(node).collect()
    }

    fn frame(to: Mac, ethertype: u16, packet: &[u8]) -> Vec<u8> {
        ethernet(to, nodes()[0].mac(), ethertype, packet)
    }

    #[test]
    fn a_frame_goes_to_whom_it_is_addressed() {
        let nodes = nodes();
        // 0x88b5 is a local experimental EtherType: other protocols than IP are carried too.
        for ethertype in [IPV4, IPV6, 0x88b5] {
            let frame = frame(nodes[2].mac(), ethertype, &[0; 60]);
            assert_eq!(classify(&frame, 0, &nodes), Forwarding::To(2));
        }
        assert_eq!(classify(&frame([0xff; 6], IPV4, &[0; 60]), 0, &nodes), Forwarding::ToAll);
        let outside = classify(&frame(GATEWAY.mac(), 0x88b5, &[0; 60]), 0, &nodes);
        assert_eq!(outside, Forwarding::Outside(None));
        assert_eq!(
            classify(&frame([2, 0, 0, 0, 0, 9], IPV4, &[0; 60]), 0, &nodes),
            Forwarding::Unknown
        );
        assert_eq!(
            classify(&frame(nodes[0].mac(), IPV4, &[0; 60]), 0, &nodes),
            Forwarding::Unknown
        );
    }

    #[test]
    fn malformed_frames_are_rejected() {
        let nodes = nodes();
        for garbage in [&[][..], &[0; HEADER], &[2; MAX_FRAME + 1]] {
            assert_eq!(classify(garbage, 0, &nodes), Forwarding::Garbage);
        }
        for ethertype in [ARP, IPV6] {
            assert_eq!(
                classify(&frame([0xff; 6], ethertype, &[0; 20]), 0, &nodes),
                Forwarding::Garbage
            );
        }
        let mut cut = solicitation("fd11::1", "fd11::2");
        cut.truncate(HEADER + 50);
        assert_eq!(classify(&cut, 0, &nodes), Forwarding::Garbage);
    }

    fn request(wanted: [u8; 4]) -> Vec<u8> {
        let mut packet = vec![0, 1, 8, 0, 6, 4, 0, 1];
        packet.extend(nodes()[0].mac());
        packet.extend([10, 11, 0, 1, 0, 0, 0, 0, 0, 0]);
        packet.extend(wanted);
        frame([0xff; 6], ARP, &packet)
    }

    #[test]
    fn arp_requests_for_existing_nodes_are_answered() {
        let nodes = nodes();
        assert!(matches!(
            classify(&request([10, 11, 255, 254]), 0, &nodes),
            Forwarding::Answer(gateway) if gateway[6..12] == [2, 0xaf, 0, 0, 0xff, 0xfe]
        ));
        let Forwarding::Answer(answer) = classify(&request([10, 11, 16, 1]), 0, &nodes) else {
            panic!("no answer")
        };
        assert_eq!(answer[..6], nodes[0].mac());
        // ARP reply from the server's addresses to those of station a.
        assert_eq!(answer[HEADER + 6..HEADER + 8], [0, 2]);
        assert_eq!(answer[HEADER + 8..HEADER + 14], nodes[2].mac());
        assert_eq!(answer[HEADER + 14..HEADER + 18], [10, 11, 16, 1]);
        assert_eq!(answer[HEADER + 24..], [10, 11, 0, 1]);
        assert_eq!(classify(&request([10, 11, 0, 9]), 0, &nodes), Forwarding::Filtered);
        assert_eq!(classify(&request([10, 11, 0, 1]), 0, &nodes), Forwarding::Filtered);
    }

    fn solicitation(source: &str, wanted: &str) -> Vec<u8> {
        let [source, wanted]: [Ipv6Addr; 2] = [source, wanted].map(|it| it.parse().unwrap());
        let mut packet = vec![0x60, 0, 0, 0, 0, 24, ICMPV6, 255];
        packet.extend(source.octets());
        packet.extend([0xff, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0xff, 0, 0, 2]);
        packet.extend([135, 0, 0, 0, 0, 0, 0, 0]);
        packet.extend(wanted.octets());
        frame([0x33, 0x33, 0xff, 0, 0, 2], IPV6, &packet)
    }

    #[test]
    fn neighbour_advertisements_have_a_valid_checksum() {
        let nodes = nodes();
        for wanted in ["fd11::1001", "fe80::af:ff:fe00:1001"] {
            let Forwarding::Answer(answer) = classify(&solicitation("fd11::1", wanted), 0, &nodes)
            else {
                panic!("no answer for {wanted}")
            };
            let packet = &answer[HEADER..];
            assert_eq!((packet[40], &packet[66..]), (136, &nodes[2].mac()[..]));
            let ends = [8, 24].map(|at| address(packet, at).unwrap());
            // The one's complement sum over a message with a valid checksum is all ones.
            assert_eq!(checksum(ends[0], ends[1], &packet[40..]), 0);
        }
        assert_eq!(classify(&solicitation("::", "fd11::2"), 0, &nodes), Forwarding::Filtered);
        assert_eq!(classify(&solicitation("fd11::1", "fd11::99"), 0, &nodes), Forwarding::Filtered);
    }
}
