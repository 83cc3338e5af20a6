//! Anonymous samples for reports: addresses are replaced by those that are reserved for documents.
//!
//! Every text of a JSON value is searched, names of keys too, so that no new field is forgotten. An
//! address has the same replacement throughout a report. Ports, counters, times, names of
//! interfaces and names of stations of an emulation stay.

use std::collections::BTreeMap;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

use anyhow::{Context, Result};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

/// First three octets of the IPv4 addresses for documentation.  [RFC5737 §3]
const NETWORKS: [[u8; 3]; 3] = [[192, 0, 2], [198, 51, 100], [203, 0, 113]];
/// First octets of the MAC addresses for documentation, of which there are 256.  [RFC7042 §2.1.2]
const MAC: &str = "00:00:5e:00:53";

/// Replaces addresses by those for documentation, each always by the same.
#[derive(Clone, Debug, Default)]
pub struct Anonymiser {
    macs: BTreeMap<String, String>,
    fours: BTreeMap<Ipv4Addr, Ipv4Addr>,
    sixes: BTreeMap<Ipv6Addr, Ipv6Addr>,
}

impl Anonymiser {
    /// Replaces all addresses in a value.
    ///
    /// # Errors
    /// Returns an error if there are more addresses than are reserved for documentation.
    pub fn apply<T: Serialize + DeserializeOwned>(&mut self, to: &T) -> Result<T> {
        let value = self.value(serde_json::to_value(to)?)?;
        Ok(serde_json::from_value(value)?)
    }

    fn value(&mut self, value: Value) -> Result<Value> {
        Ok(match value {
            Value::String(text) => Value::String(self.text(&text)?),
            Value::Array(all) => {
                Value::Array(all.into_iter().map(|it| self.value(it)).collect::<Result<_>>()?)
            }
            Value::Object(all) => {
                let entry = |(key, it): (String, Value)| Ok((self.text(&key)?, self.value(it)?));
                Value::Object(all.into_iter().map(entry).collect::<Result<Map<_, _>>>()?)
            }
            other => other,
        })
    }

    fn text(&mut self, text: &str) -> Result<String> {
        let words: Result<Vec<String>> = text.split(' ').map(|it| self.word(it)).collect();
        Ok(words?.join(" "))
    }

    fn word(&mut self, word: &str) -> Result<String> {
        if is_mac(word) {
            return self.mac(&word.to_ascii_lowercase());
        }
        if let Ok(address) = word.parse::<IpAddr>() {
            return Ok(self.address(address)?.to_string());
        }
        if let Ok(ends) = word.parse::<SocketAddr>() {
            return Ok(SocketAddr::new(self.address(ends.ip())?, ends.port()).to_string());
        }
        Ok(word.to_owned())
    }

    fn mac(&mut self, mac: &str) -> Result<String> {
        if let Some(known) = self.macs.get(mac) {
            return Ok(known.clone());
        }
        let next = u8::try_from(self.macs.len()).ok();
        let next = next.context("a report can tell 256 stations apart, and there are more")?;
        let new = format!("{MAC}:{next:02x}");
        self.macs.insert(mac.to_owned(), new.clone());
        Ok(new)
    }

    fn address(&mut self, address: IpAddr) -> Result<IpAddr> {
        Ok(match address {
            IpAddr::V4(four) => {
                let count = self.fours.len();
                match self.fours.get(&four) {
                    Some(known) => *known,
                    None => *self.fours.entry(four).or_insert(documentation_address(count)?),
                }
                .into()
            }
            IpAddr::V6(six) => {
                // 2001:db8::/32, whose second half counts.  [RFC3849 §2]
                let count = u128::try_from(self.sixes.len()).unwrap_or(u128::MAX) + 1;
                let new = Ipv6Addr::from((0x2001_0db8 << 96) | count);
                (*self.sixes.entry(six).or_insert(new)).into()
            }
        })
    }
}

/// IPv4 address for documentation with this number, from the hosts 1 to 254 of each network.
fn documentation_address(number: usize) -> Result<Ipv4Addr> {
    let network = NETWORKS.get(number / 254);
    let [a, b, c] =
        network.context("a report can tell 762 addresses of IPv4 apart, and there are more")?;
    let host = u8::try_from(number % 254 + 1)?;
    Ok(Ipv4Addr::new(*a, *b, *c, host))
}

/// True for six octets with colons or hyphens between them.
fn is_mac(word: &str) -> bool {
    let octets: Vec<&str> = word.split([':', '-']).collect();
    octets.len() == 6
        && octets.iter().all(|it| it.len() == 2 && it.chars().all(|c| c.is_ascii_hexdigit()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::{Connection, DirectionCounters, LinkCounters, Sample, Sent};

    #[test]
    fn addresses_are_replaced_and_all_else_stays() {
        let mut it = Anonymiser::default();
        for (text, expected) in [
            ("wlan0 02:12:34:56:78:9a", "wlan0 00:00:5e:00:53:00"),
            ("02:12:34:56:78:9b", "00:00:5e:00:53:01"),
            ("02:12:34:56:78:9A", "00:00:5e:00:53:00"),
            ("10.1.2.3:443", "192.0.2.1:443"),
            ("10.1.2.3", "192.0.2.1"),
            ("10.1.2.4:1", "192.0.2.2:1"),
            ("[fe80::12]:80", "[2001:db8::1]:80"),
            ("fe80::12", "2001:db8::1"),
            ("gateway", "gateway"),
            ("100 ms", "100 ms"),
            ("2:1", "2:1"),
            ("slow", "slow"),
        ] {
            assert_eq!(it.text(text).unwrap(), expected, "{text}");
        }
    }

    /// No address of a sample is left, in any field, and each has one replacement.
    #[test]
    fn a_sample_keeps_no_address() {
        let mac = "02:12:34:56:78:9a";
        let way = DirectionCounters { bytes: 7, ..DirectionCounters::default() };
        let sample = Sample {
            at_ns: 5,
            links: vec![LinkCounters { name: format!("wlan0 {mac}"), up: way.clone(), down: way }],
            weights: [(mac.to_owned(), 256)].into(),
            connections: vec![Connection {
                station: mac.into(),
                ends: ["10.1.2.3:40000".parse().unwrap(), "[fe80::1]:443".parse().unwrap()],
                up: Sent::default(),
                down: Sent::default(),
                own: None,
            }],
            ..Sample::default()
        };
        let anonymous = Anonymiser::default().apply(&sample).unwrap();
        let text = serde_json::to_string(&anonymous).unwrap();
        for address in ["12:34", "10.1.2.3", "fe80"] {
            assert!(!text.contains(address), "{text}");
        }
        assert_eq!(anonymous.links[0].name, format!("wlan0 {}", anonymous.connections[0].station));
        assert!(anonymous.weights.contains_key(&anonymous.connections[0].station));
        assert_eq!(anonymous.connections[0].ends[0].port(), 40_000);
        assert_eq!((anonymous.at_ns, anonymous.links[0].up.bytes), (5, 7));
    }

    #[test]
    fn more_addresses_than_are_reserved_are_an_error() {
        let mut it = Anonymiser::default();
        for i in 0..256 {
            it.text(&format!("02:00:00:00:{:02x}:{:02x}", i / 256, i % 256)).unwrap();
        }
        let said = it.text("02:00:00:00:ff:ff").unwrap_err().to_string();
        assert!(said.contains("256 stations"), "{said}");
        assert_eq!(documentation_address(761).unwrap(), Ipv4Addr::new(203, 0, 113, 254));
        assert!(documentation_address(762).is_err());
    }
}
