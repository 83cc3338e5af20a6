//! MAC addresses of requesting stations, from the kernel's neighbour table.

use std::collections::BTreeMap;
use std::net::IpAddr;

use airfair_netlink::{Message, value_of};

use crate::os::{Protocol, open_netlink};

/// Message type that requests the neighbour table (`RTM_GETNEIGH`).
const GET_NEIGHBOUR: u16 = 30;
/// Length of `struct ndmsg`, the fixed part of a message about a neighbour [octets].
const HEADER: usize = 12;
/// Attribute with the IP address of a neighbour (`NDA_DST`).
const ADDRESS: u16 = 1;
/// Attribute with the MAC address of a neighbour (`NDA_LLADDR`).
const ON_THE_AIR: u16 = 2;

/// MAC addresses of the neighbours at an interface, by IP address; empty if the kernel returns an
/// error.
pub(super) fn at(index: u32) -> BTreeMap<IpAddr, String> {
    let all = open_netlink(Protocol::Route)
        .and_then(|socket| socket.ask(Message::dump(GET_NEIGHBOUR).put(&[0; HEADER])));
    all.unwrap_or_default().iter().filter_map(|message| neighbour(message, index)).collect()
}

/// Reads a neighbour at the interface `index` from a message: four octets, the interface's index,
/// four more octets, and attributes.
fn neighbour(message: &[u8], index: u32) -> Option<(IpAddr, String)> {
    let (header, attributes) = message.split_at_checked(HEADER)?;
    if header[4..8] != index.to_ne_bytes() {
        return None;
    }
    let address = value_of(attributes, ADDRESS)?;
    let four = <[u8; 4]>::try_from(address).map(IpAddr::from);
    let address = four.or_else(|_| <[u8; 16]>::try_from(address).map(IpAddr::from)).ok()?;
    let octets: &[u8; 6] = value_of(attributes, ON_THE_AIR)?.try_into().ok()?;
    let octets: Vec<String> = octets.iter().map(|octet| format!("{octet:02x}")).collect();
    Some((address, octets.join(":")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_neighbour_is_read_and_others_are_not() {
        let header = [[0; 4], 7_u32.to_ne_bytes(), [0; 4]].concat();
        let mut message = Message::unacknowledged(28);
        message.put(&header).attribute(ADDRESS, &[10, 0, 0, 2]);
        // Without the netlink header of 16 octets.
        assert_eq!(neighbour(&message.finish(0)[16..], 7), None);
        message.attribute(ON_THE_AIR, &[2, 0, 0, 0, 1, 0xab]);
        let message = &message.finish(0)[16..];
        let found = ([10, 0, 0, 2].into(), "02:00:00:00:01:ab".to_owned());
        assert_eq!(neighbour(message, 7), Some(found));
        assert_eq!(neighbour(message, 8), None);
        for end in 0..message.len() {
            let _ = neighbour(&message[..end], 7);
        }
    }
}
