//! MAC addresses of requesting stations, from the kernel's neighbour table.

use std::collections::BTreeMap;
use std::net::IpAddr;

use crate::netlink::{DUMP, ask, attributes, question};
use crate::os::{Family, Netlink};

/// Message type that requests the neighbour table (`RTM_GETNEIGH`).
const GET_NEIGHBOUR: u16 = 30;
/// Attribute with the IP address of a neighbour (`NDA_DST`).
const ADDRESS: u16 = 1;
/// Attribute with the MAC address of a neighbour (`NDA_LLADDR`).
const ON_THE_AIR: u16 = 2;

/// MAC addresses of the neighbours at an interface, by IP address; empty if the kernel returns an
/// error.
pub(super) fn at(index: u32) -> BTreeMap<IpAddr, String> {
    let all = Netlink::open(Family::Route).map_err(anyhow::Error::from).and_then(|socket| {
        // `struct ndmsg` for all address families.
        ask(&socket, &question(GET_NEIGHBOUR, DUMP, &[0; 12], &[]))
    });
    all.unwrap_or_default().iter().filter_map(|message| neighbour(message, index)).collect()
}

/// Reads a neighbour at the interface `index` from a message without its first four octets:
/// interface index, four more octets, and attributes.
fn neighbour(message: &[u8], index: u32) -> Option<(IpAddr, String)> {
    if message.get(..4)? != index.to_ne_bytes() {
        return None;
    }
    let of = |kind| attributes(message.get(8..)?).find(|it| it.0 == kind).map(|it| it.1);
    let address = of(ADDRESS)?;
    let four = <[u8; 4]>::try_from(address).map(IpAddr::from);
    let address = four.or_else(|_| <[u8; 16]>::try_from(address).map(IpAddr::from)).ok()?;
    let octets: &[u8; 6] = of(ON_THE_AIR)?.try_into().ok()?;
    let octets: Vec<String> = octets.iter().map(|octet| format!("{octet:02x}")).collect();
    Some((address, octets.join(":")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_neighbour_is_read_and_others_are_not() {
        let told = [(ADDRESS, &[10, 0, 0, 2][..]), (ON_THE_AIR, &[2, 0, 0, 0, 1, 0xab])];
        let first = [[0; 4], 7_u32.to_ne_bytes(), [0; 4]].concat();
        // Without the header of 16 octets and the first four of `struct ndmsg`.
        let message = &question(28, 0, &first, &told)[20..];
        let found = ([10, 0, 0, 2].into(), "02:00:00:00:01:ab".to_owned());
        assert_eq!(neighbour(message, 7), Some(found));
        assert_eq!(neighbour(message, 8), None);
        for end in 0..message.len() {
            let _ = neighbour(&message[..end], 7);
        }
        let without = &question(28, 0, &first, &told[..1])[20..];
        assert_eq!(neighbour(without, 7), None);
    }
}
