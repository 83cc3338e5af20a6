//! Addresses on the air of those who ask, as the kernel knows its neighbours.

use std::collections::BTreeMap;
use std::net::IpAddr;

use crate::netlink::{DUMP, ask, attributes, question};
use crate::os::{Family, Netlink};

/// Question of `linux/rtnetlink.h`, and attributes of `linux/neighbour.h`.
const GET_NEIGHBOUR: u16 = 30;
const ADDRESS: u16 = 1;
const ON_THE_AIR: u16 = 2;

/// Neighbours at an interface, by their addresses; none where the kernel does not tell.
pub(super) fn at(index: u32) -> BTreeMap<IpAddr, String> {
    let all = Netlink::open(Family::Route).map_err(anyhow::Error::from).and_then(|line| {
        // `struct ndmsg`: of whatever family.
        ask(&line, &question(GET_NEIGHBOUR, DUMP, &[0; 12], &[]))
    });
    all.unwrap_or_default().iter().filter_map(|message| neighbour(message, index)).collect()
}

/// A message behind its first four octets: the interface, and what is told of the neighbour behind four more.
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
        // Behind the header of 16 octets and four more.
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
