//! Numbers of stations, by their MAC addresses.

use std::collections::{BTreeMap, BTreeSet};

use crate::estimate::LinkEstimate;

/// Stations of the access point with their numbers in the law.
#[derive(Clone, Debug, Default)]
pub(super) struct Stations {
    numbers: BTreeMap<String, u16>,
    /// Numbers of stations that have left.
    free: Vec<u16>,
}

impl Stations {
    /// Numbers the stations of new links. Returns the numbers of the stations that have left since
    /// the last call, which new stations may get. Beyond 65 535 stations, a station has no number.
    pub(super) fn update(&mut self, links: &[LinkEstimate]) -> Vec<u16> {
        let present: BTreeSet<&str> = links.iter().map(LinkEstimate::address).collect();
        let mut left = Vec::new();
        self.numbers.retain(|address, number| {
            let is_present = present.contains(&**address);
            if !is_present {
                left.push(*number);
            }
            is_present
        });
        self.free.extend(&left);
        for address in present {
            if self.numbers.contains_key(address) {
                continue;
            }
            let next = u16::try_from(self.numbers.len()).ok();
            let Some(number) = self.free.pop().or(next) else { break };
            self.numbers.insert(address.to_owned(), number);
        }
        left
    }

    /// Number of the station with this MAC address; `None` if it has no link.
    pub(super) fn number(&self, address: &str) -> Option<u16> {
        self.numbers.get(address).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn links(addresses: &[&str]) -> Vec<LinkEstimate> {
        let link =
            |it: &&str| LinkEstimate { name: format!("wlan0 {it}"), ..LinkEstimate::default() };
        addresses.iter().map(link).collect()
    }

    /// Of stations a and b, a leaves and c comes: c gets the number of a, and b keeps its own.
    #[test]
    fn a_number_is_used_again_after_its_station_has_left() {
        let mut stations = Stations::default();
        assert!(stations.update(&links(&["a", "b"])).is_empty());
        let [a, b] = ["a", "b"].map(|it| stations.number(it).unwrap());
        assert_eq!(stations.update(&links(&["b", "c"])), [a]);
        assert_eq!([stations.number("a"), stations.number("c")], [None, Some(a)]);
        assert_eq!(stations.number("b"), Some(b));
        assert!(stations.update(&links(&["b", "c", "d"])).is_empty());
        assert_eq!(stations.number("d"), Some(2));
    }
}
