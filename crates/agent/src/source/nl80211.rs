//! Source of samples: stations in the kernel's nl80211, over generic netlink.
//!
//! Unknown attributes are skipped.

pub mod radio;

use std::io::ErrorKind;

use airfair_netlink::{Family, FamilySocket, Message, attributes, value_of};
use anyhow::{Context, Result, anyhow, bail};

use crate::os::{Protocol, open_netlink};
use crate::sample::{DirectionCounters, LinkCounters, Sample, Source};

/// Command of nl80211 that requests interfaces. Other commands of `linux/nl80211.h` follow.
const GET_INTERFACE: u8 = 5;
const GET_WIPHY: u8 = 1;
const GET_STATION: u8 = 17;
const SET_STATION: u8 = 18;
const GET_SURVEY: u8 = 50;

/// Index of the feature bit of drivers with airtime weights
/// (`NL80211_EXT_FEATURE_AIRTIME_FAIRNESS`).
const AIRTIME_FAIRNESS: usize = 33;

/// Attributes of nl80211 (`NL80211_ATTR_`).
mod attribute {
    pub(super) const INDEX: u16 = 3;
    pub(super) const NAME: u16 = 4;
    pub(super) const KIND: u16 = 5;
    pub(super) const MAC: u16 = 6;
    pub(super) const STATION: u16 = 21;
    pub(super) const SURVEY: u16 = 84;
    pub(super) const SPLIT_DUMP: u16 = 174;
    pub(super) const FEATURES: u16 = 217;
    pub(super) const AIRTIME_WEIGHT: u16 = 274;
}

/// Attributes with counters of a station (`NL80211_STA_INFO_`).
mod station {
    pub(super) const RX_BYTES: u16 = 2;
    pub(super) const TX_BYTES: u16 = 3;
    pub(super) const TX_RATE: u16 = 8;
    pub(super) const RX_PACKETS: u16 = 9;
    pub(super) const TX_PACKETS: u16 = 10;
    pub(super) const TX_RETRIES: u16 = 11;
    pub(super) const RX_RATE: u16 = 14;
    pub(super) const RX_BYTES_64: u16 = 23;
    pub(super) const TX_BYTES_64: u16 = 24;
    pub(super) const EXPECTED: u16 = 27;
    pub(super) const RX_DURATION: u16 = 32;
    pub(super) const TX_DURATION: u16 = 39;
    pub(super) const AIRTIME_WEIGHT: u16 = 40;
}

/// Attributes of a channel survey (`NL80211_SURVEY_INFO_`), whose times are in ms.
mod survey {
    pub(super) const IN_USE: u16 = 3;
    pub(super) const TIME_BUSY: u16 = 5;
}

/// Attributes of a rate (`NL80211_RATE_INFO_`), which is in units of 100 kb/s.
mod rate {
    pub(super) const OF_16_BITS: u16 = 1;
    pub(super) const OF_32_BITS: u16 = 5;
}

/// Interface type of a station (`NL80211_IFTYPE_STATION`).
const STATION: u32 = 2;
/// Interface type of an access point (`NL80211_IFTYPE_AP`).
const ACCESS_POINT: u32 = 3;

/// Wireless interface of this machine.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Interface {
    index: u32,
    name: String,
    is_access_point: bool,
}

/// Source of samples: stations that the kernel knows by nl80211, at one interface or at all.
#[derive(Debug)]
pub struct Nl80211 {
    socket: FamilySocket,
    only: Option<String>,
    /// True to read the surveys of channels too.
    surveys: bool,
}

impl Nl80211 {
    /// Opens nl80211 for the interface `only` or for all. `surveys` adds the use of the channel,
    /// which is slow with some drivers because they ask their firmware.
    ///
    /// # Errors
    /// Returns an error if the kernel has no nl80211.
    pub fn open(only: Option<String>, surveys: bool) -> Result<Self> {
        let socket = open_netlink(Protocol::Generic).context("generic netlink")?;
        let socket = FamilySocket::find(socket, "nl80211").map_err(|error| {
            let unknown = error.kind() == ErrorKind::NotFound;
            let why = if unknown { "unknown to the kernel".to_owned() } else { error.to_string() };
            anyhow!(
                "nl80211: {why}; this machine has no Wi-Fi to watch; watch an emulation (--emulator SOCKET) or \
                 replay a recording"
            )
        })?;
        Ok(Self { socket, only, surveys })
    }

    /// Time for which the channel of an interface was busy [ns]; `None` if the driver has no
    /// survey.
    fn busy(&self, index: u32) -> Option<u64> {
        let ask = || list(&self.socket, GET_SURVEY, Some(index));
        let found = self.surveys.then(ask)?.ok()?;
        found.iter().find_map(|message| busy(message))
    }

    fn look(&self, now: u64) -> Result<Sample> {
        let interfaces = self.interfaces()?;
        if let (Some(only), true) = (&self.only, interfaces.is_empty()) {
            bail!("{only}: {NEITHER}");
        }
        let mut sample = Sample { at_ns: now, ..Sample::default() };
        for interface in interfaces {
            // An interface that has been removed meanwhile has no stations.
            let found = list(&self.socket, GET_STATION, Some(interface.index))?;
            sample.links.extend(found.iter().filter_map(|message| link(message, &interface)));
            sample.weights.extend(found.iter().filter_map(|message| weight(message)));
            sample.busy_ns = sample.busy_ns.or(self.busy(interface.index));
        }
        Ok(sample)
    }

    fn interfaces(&self) -> Result<Vec<Interface>> {
        let found = list(&self.socket, GET_INTERFACE, None)?;
        let all = found.iter().filter_map(|message| interface(message));
        let only = self.only.as_deref();
        Ok(all.filter(|it| only.is_none_or(|name| it.name == name)).collect())
    }
}

/// True if an interface is that of an access point, false if it is that of a station.
///
/// # Errors
/// Returns an error if the kernel has no nl80211, or if there is no such interface.
pub fn is_access_point(interface: &str) -> Result<bool> {
    let socket = Nl80211::open(Some(interface.to_owned()), false)?;
    let found = socket.interfaces()?;
    let first = found.first();
    let first = first.with_context(|| format!("{interface}: {NEITHER}"))?;
    Ok(first.is_access_point)
}

/// Error text for an interface that is missing or is not a wireless one.
const NEITHER: &str = "not a wireless interface of a station or an access point";

impl Source for Nl80211 {
    fn sample(&mut self, now: u64) -> Result<Option<Sample>> {
        self.look(now).map(Some)
    }
}

/// Attributes of each message of a list: of all interfaces, or of the one with this index.
fn list(socket: &FamilySocket, command: u8, index: Option<u32>) -> Result<Vec<Vec<u8>>> {
    let mut message = socket.family.dump(command);
    if let Some(index) = index {
        message.attribute(attribute::INDEX, &index.to_ne_bytes());
    }
    Ok(socket.ask(&mut message)?)
}

/// Reads an unsigned number of any width from the value of an attribute.
fn number(value: &[u8]) -> Option<u64> {
    Some(match *value {
        [a] => u64::from(a),
        [a, b] => u64::from(u16::from_ne_bytes([a, b])),
        [a, b, c, d] => u64::from(u32::from_ne_bytes([a, b, c, d])),
        _ => u64::from_ne_bytes(value.try_into().ok()?),
    })
}

fn interface(message: &[u8]) -> Option<Interface> {
    let (mut index, mut name, mut kind) = (None, None, None);
    for (it, value) in attributes(message) {
        match it {
            attribute::INDEX => index = number(value),
            attribute::NAME => {
                name = Some(String::from_utf8_lossy(value.strip_suffix(b"\0")?).into_owned());
            }
            attribute::KIND => kind = number(value),
            _ => {}
        }
    }
    let is_access_point = match u32::try_from(kind?).ok()? {
        STATION => false,
        ACCESS_POINT => true,
        _ => return None,
    };
    Some(Interface { index: u32::try_from(index?).ok()?, name: name?, is_access_point })
}

/// Formats the octets of a MAC address as text.
fn address(octets: &[u8]) -> String {
    let octets: Vec<String> = octets.iter().map(|octet| format!("{octet:02x}")).collect();
    octets.join(":")
}

/// Parses the text of a MAC address.
fn octets(address: &str) -> Option<Vec<u8>> {
    let octets: Option<Vec<u8>> =
        address.split(':').map(|it| u8::from_str_radix(it, 16).ok()).collect();
    octets.filter(|it| it.len() == 6)
}

/// MAC address and airtime weight of a station; `None` if the driver has no weights.
fn weight(message: &[u8]) -> Option<(String, u16)> {
    let weight = value_of(value_of(message, attribute::STATION)?, station::AIRTIME_WEIGHT)?;
    let mac = value_of(message, attribute::MAC)?;
    Some((address(mac), u16::try_from(number(weight)?).ok()?))
}

/// True if a part of a device's description has the feature bit of airtime weights.
fn has_weights(message: &[u8]) -> bool {
    let mut all = attributes(message).filter(|(kind, _)| *kind == attribute::FEATURES);
    let (octet, bit) = (AIRTIME_FAIRNESS / 8, AIRTIME_FAIRNESS % 8);
    all.any(|(_, features)| features.get(octet).is_some_and(|it| it >> bit & 1 == 1))
}

/// Netlink socket for reading and setting airtime weights.
#[derive(Debug)]
pub struct AirtimeWeightSocket {
    socket: FamilySocket,
}

impl AirtimeWeightSocket {
    /// Opens a netlink socket for airtime weights.
    ///
    /// # Errors
    /// Returns an error if the kernel has no nl80211.
    pub fn open() -> Result<Self> {
        let Nl80211 { socket, .. } = Nl80211::open(None, false)?;
        Ok(Self { socket })
    }

    /// True if the driver of an interface supports airtime weights; without `index`, the driver of
    /// any interface.
    ///
    /// # Errors
    /// Returns an error if the kernel does not answer.
    pub fn supports_weights(&self, index: Option<u32>) -> Result<bool> {
        let mut message = self.socket.family.dump(GET_WIPHY);
        message.attribute(attribute::SPLIT_DUMP, &[]);
        if let Some(index) = index {
            message.attribute(attribute::INDEX, &index.to_ne_bytes());
        }
        let found = self.socket.ask(&mut message)?;
        Ok(found.iter().any(|message| has_weights(message)))
    }

    /// Airtime weight of a station at an interface; `None` if the station has left.
    ///
    /// # Errors
    /// Returns an error if the kernel does not answer.
    pub fn weight(&self, index: u32, station: &str) -> Result<Option<u16>> {
        let found = list(&self.socket, GET_STATION, Some(index))?;
        let mut all = found.iter().filter_map(|message| weight(message));
        Ok(all.find(|(address, _)| address == station).map(|(_, weight)| weight))
    }

    /// Sets the airtime weight of a station.
    ///
    /// # Errors
    /// Returns an error if the driver refuses, or if the station has left.
    pub fn set(&self, index: u32, station: &str, weight: u16) -> Result<()> {
        let mut message = weighted(&self.socket.family, index, station, weight)?;
        Ok(self.socket.ask(&mut message).map(drop)?)
    }
}

/// Builds the request that sets the airtime weight of a station.
fn weighted(family: &Family, index: u32, station: &str, weight: u16) -> Result<Message> {
    let mac = octets(station).with_context(|| format!("{station:?} is not an address"))?;
    let mut message = family.request(SET_STATION);
    message.attribute(attribute::INDEX, &index.to_ne_bytes());
    message.attribute(attribute::MAC, &mac);
    message.attribute(attribute::AIRTIME_WEIGHT, &weight.to_ne_bytes());
    Ok(message)
}

/// Counters of a station's link, from a message of nl80211. What this machine sends goes down if it
/// is the access point, and up if it is the station.
fn link(message: &[u8], interface: &Interface) -> Option<LinkCounters> {
    let (mut mac, mut sent, mut received) =
        (None, DirectionCounters::default(), DirectionCounters::default());
    for (kind, value) in attributes(message) {
        match kind {
            attribute::MAC => mac = Some(value),
            attribute::STATION => counters(value, &mut sent, &mut received),
            _ => {}
        }
    }
    let mac = address(mac?);
    let (up, down) = if interface.is_access_point { (received, sent) } else { (sent, received) };
    Some(LinkCounters { name: format!("{} {mac}", interface.name), up, down })
}

/// Time for which the channel in use was busy, from a message with a channel survey [ns].
fn busy(message: &[u8]) -> Option<u64> {
    let channel = value_of(message, attribute::SURVEY)?;
    value_of(channel, survey::IN_USE)?;
    Some(number(value_of(channel, survey::TIME_BUSY)?)?.saturating_mul(1_000_000))
}

fn counters(octets: &[u8], sent: &mut DirectionCounters, received: &mut DirectionCounters) {
    for (kind, value) in attributes(octets) {
        match kind {
            station::TX_RATE => sent.rate_bps = bits_per_second(value),
            station::RX_RATE => received.rate_bps = bits_per_second(value),
            _ => counter(kind, number(value).unwrap_or_default(), sent, received),
        }
    }
}

fn counter(kind: u16, value: u64, sent: &mut DirectionCounters, received: &mut DirectionCounters) {
    match kind {
        // The kernel sends the 64-bit counter besides the 32-bit one. The larger value is right.
        station::TX_BYTES | station::TX_BYTES_64 => sent.bytes = sent.bytes.max(value),
        station::RX_BYTES | station::RX_BYTES_64 => received.bytes = received.bytes.max(value),
        station::TX_PACKETS => sent.packets = value,
        station::RX_PACKETS => received.packets = value,
        station::TX_RETRIES => sent.retries = Some(value),
        station::TX_DURATION => sent.airtime_ns = Some(value.saturating_mul(1_000)),
        station::RX_DURATION => received.airtime_ns = Some(value.saturating_mul(1_000)),
        station::EXPECTED => sent.expected_bps = Some(value.saturating_mul(1_000)),
        _ => {}
    }
}

fn bits_per_second(octets: &[u8]) -> Option<u64> {
    let of = |kind| value_of(octets, kind).and_then(number);
    let hundred_kbps = of(rate::OF_32_BITS).or_else(|| of(rate::OF_16_BITS))?;
    Some(hundred_kbps.saturating_mul(100_000))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn attribute(kind: u16, value: &[u8]) -> Vec<u8> {
        // Without the netlink header of 16 octets.
        Message::unacknowledged(0).attribute(kind, value).finish(0)[16..].to_vec()
    }

    fn wlan0() -> Interface {
        Interface { index: 3, name: "wlan0".into(), is_access_point: false }
    }

    fn station() -> Vec<u8> {
        let tx_rate = [
            attribute(rate::OF_16_BITS, &110_u16.to_ne_bytes()),
            attribute(rate::OF_32_BITS, &110_u32.to_ne_bytes()),
        ]
        .concat();
        let counters = [
            attribute(station::TX_BYTES, &5_u32.to_ne_bytes()),
            attribute(station::TX_BYTES_64, &(5 + (1_u64 << 32)).to_ne_bytes()),
            attribute(station::TX_PACKETS, &7_u32.to_ne_bytes()),
            attribute(station::TX_RETRIES, &2_u32.to_ne_bytes()),
            attribute(station::TX_RATE | 0x8000, &tx_rate),
            attribute(station::RX_BYTES, &9_u32.to_ne_bytes()),
            attribute(station::RX_DURATION, &12_u64.to_ne_bytes()),
            attribute(station::EXPECTED, &4_500_u32.to_ne_bytes()),
        ]
        .concat();
        [
            attribute(attribute::MAC, &[2, 0, 0, 0, 1, 0xab]),
            attribute(attribute::STATION | 0x8000, &counters),
        ]
        .concat()
    }

    #[test]
    fn a_stations_counters_are_those_of_its_link() {
        let found = link(&station(), &wlan0()).unwrap();
        assert_eq!(found.name, "wlan0 02:00:00:00:01:ab");
        let sent = DirectionCounters {
            bytes: 5 + (1 << 32),
            packets: 7,
            retries: Some(2),
            airtime_ns: None,
            rate_bps: Some(11_000_000),
            expected_bps: Some(4_500_000),
        };
        assert_eq!(found.up, sent);
        assert_eq!(
            found.down,
            DirectionCounters {
                bytes: 9,
                airtime_ns: Some(12_000),
                ..DirectionCounters::default()
            }
        );
        let at_access_point =
            link(&station(), &Interface { is_access_point: true, ..wlan0() }).unwrap();
        assert_eq!(at_access_point.down, sent);
    }

    /// The request that sets a weight has the octets of one made by hand: 16 octets of netlink
    /// header with length, family and REQUEST | ACK; command 18, version 1; interface 3; MAC address with two
    /// octets of padding; weight with two octets of padding.
    #[test]
    fn a_weight_is_asked_for_by_the_stations_address() {
        let family = Family { id: 28, groups: Vec::new() };
        let mut message = weighted(&family, 3, "02:00:00:00:01:ab", 512).unwrap();
        let mut expected = vec![48, 0, 0, 0, 28, 0, 5, 0, 0, 0, 0, 0, 0, 0, 0, 0, 18, 1, 0, 0];
        expected.extend([8, 0, 3, 0, 3, 0, 0, 0]);
        expected.extend([10, 0, 6, 0, 2, 0, 0, 0, 1, 0xab, 0, 0]);
        expected.extend([6, 0, 18, 1, 0, 2, 0, 0]);
        assert_eq!(message.finish(0), expected);
        assert!(weighted(&family, 3, "02:00:00:00:01", 512).is_err());
    }

    #[test]
    fn weights_are_available_if_the_driver_reports_them() {
        let weighed = attribute(station::AIRTIME_WEIGHT, &512_u16.to_ne_bytes());
        let message = [
            attribute(attribute::MAC, &[2, 0, 0, 0, 1, 0xab]),
            attribute(attribute::STATION | 0x8000, &weighed),
        ];
        assert_eq!(weight(&message.concat()), Some(("02:00:00:00:01:ab".into(), 512)));
        assert_eq!(weight(&station()), None);
        // Bit 33 is the second bit of the fifth octet.
        assert!(has_weights(&attribute(attribute::FEATURES, &[0, 0, 0, 0, 2])));
        assert!(!has_weights(&attribute(attribute::FEATURES, &[0xff, 0xff, 0xff, 0xff, 1])));
        assert!(!has_weights(&attribute(attribute::FEATURES, &[0xff])));
    }

    #[test]
    fn a_busy_channel_is_the_one_in_use() {
        let channel = |inner: &[Vec<u8>]| attribute(attribute::SURVEY | 0x8000, &inner.concat());
        let time = attribute(survey::TIME_BUSY, &250_u64.to_ne_bytes());
        assert_eq!(
            busy(&channel(&[attribute(survey::IN_USE, &[]), time.clone()])),
            Some(250_000_000)
        );
        assert_eq!(busy(&channel(&[time])), None);
        assert_eq!(
            busy(&channel(&[attribute(survey::IN_USE, &[])])),
            None,
            "a driver that measures none"
        );
        assert_eq!(busy(&station()), None);
    }

    #[test]
    fn interfaces_of_other_kinds_are_left_out() {
        let message = |kind: u32| {
            [
                attribute(attribute::INDEX, &3_u32.to_ne_bytes()),
                attribute(attribute::NAME, b"wlan0\0"),
                attribute(attribute::KIND, &kind.to_ne_bytes()),
            ]
            .concat()
        };
        assert_eq!(interface(&message(STATION)), Some(wlan0()));
        assert!(interface(&message(ACCESS_POINT)).unwrap().is_access_point);
        assert_eq!(interface(&message(6)), None);
    }

    #[test]
    fn a_message_cut_anywhere_is_borne() {
        let whole = station();
        for end in 0..whole.len() {
            link(&whole[..end], &wlan0());
            interface(&whole[..end]);
        }
        for place in 0..whole.len() {
            let mut wrong = whole.clone();
            wrong[place] ^= 0xff;
            link(&wrong, &wlan0());
        }
    }

    #[test]
    fn where_there_is_no_wifi_that_is_said() {
        if let Err(error) = Nl80211::open(None, false) {
            assert!(format!("{error:#}").contains("no Wi-Fi to watch"), "{error:#}");
        }
    }
}
