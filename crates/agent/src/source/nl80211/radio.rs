//! Description of a wireless interface and its driver, for the doctor.

use airfair_netlink::{attributes, value_of};
use anyhow::Result;

use super::{
    GET_INTERFACE, GET_STATION, GET_WIPHY, Interface, Nl80211, attribute, interface, list, number,
};
use crate::configuration::Role;

/// Bits of features (`NL80211_EXT_FEATURE_`) that the doctor reports.
const TXQS: usize = 28;
const AIRTIME_FAIRNESS: usize = super::AIRTIME_FAIRNESS;
const AQL: usize = 40;

/// Further attributes of nl80211 (`NL80211_ATTR_`).
const TXQ_PARAMETERS: u16 = 37;
const FREQUENCY: u16 = 38;
const TXQ_STATISTICS: u16 = 265;
/// Attribute of a station with a list of traffic classes (`NL80211_STA_INFO_TID_STATS`).
const TID_STATISTICS: u16 = 31;
/// Attribute of a traffic class with the statistics of its queue (`NL80211_TID_STATS_TXQ_STATS`).
const TID_TXQ_STATISTICS: u16 = 6;

/// Description of a wireless interface and its driver.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each is one answer of the driver")]
pub struct Radio {
    /// Name of the interface.
    pub name: String,
    /// Role of the interface.
    pub role: Role,
    /// Frequency of the channel [MHz].
    pub frequency: Option<u64>,
    /// True if the driver shares airtime by weights.
    pub has_weights: bool,
    /// True if the driver limits the airtime in its queues.
    pub has_queue_limits: bool,
    /// True if mac80211 keeps the queues of the driver.
    pub has_queues: bool,
    /// True if the kernel reports statistics of those queues, of the interface or of a station.
    pub has_queue_statistics: bool,
    /// True if the kernel reports the parameters of EDCA.
    pub has_edca: bool,
}

/// Messages of nl80211 about an interface, as attributes without headers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Messages {
    interface: Vec<u8>,
    device: Vec<Vec<u8>>,
    stations: Vec<Vec<u8>>,
}

/// Names and roles of all wireless interfaces of stations and access points.
///
/// # Errors
/// Returns an error if the kernel has no nl80211.
pub fn interfaces() -> Result<Vec<(String, Role)>> {
    let found = Nl80211::open(None, false)?.interfaces()?;
    Ok(found.into_iter().map(|it| (it.name.clone(), role(&it))).collect())
}

/// Describes an interface; `None` if it is no wireless interface of a station or an access point.
///
/// # Errors
/// Returns an error if the kernel has no nl80211 or does not answer.
pub fn describe(name: &str) -> Result<Option<Radio>> {
    let socket = Nl80211::open(Some(name.to_owned()), false)?.socket;
    let all = list(&socket, GET_INTERFACE, None)?;
    let is_it = |message: &Vec<u8>| interface(message).is_some_and(|it| it.name == name);
    let Some(found) = all.into_iter().find(is_it) else { return Ok(None) };
    let index = interface(&found).map(|it| it.index);
    let mut message = socket.family.dump(GET_WIPHY);
    message.attribute(attribute::SPLIT_DUMP, &[]);
    if let Some(index) = index {
        message.attribute(attribute::INDEX, &index.to_ne_bytes());
    }
    let messages = Messages {
        interface: found,
        device: socket.ask(&mut message)?,
        stations: list(&socket, GET_STATION, index)?,
    };
    Ok(Radio::of(&messages))
}

fn role(interface: &Interface) -> Role {
    if interface.is_access_point { Role::AccessPoint } else { Role::Station }
}

impl Radio {
    fn of(messages: &Messages) -> Option<Self> {
        let found = interface(&messages.interface)?;
        let has_feature = |bit| messages.device.iter().any(|it| has_feature(it, bit));
        let of_interface = |kind| value_of(&messages.interface, kind);
        let has_queue_statistics = of_interface(TXQ_STATISTICS).is_some()
            || messages.stations.iter().any(|it| has_queue_statistics(it));
        let has_edca = of_interface(TXQ_PARAMETERS).is_some()
            || messages.device.iter().any(|it| value_of(it, TXQ_PARAMETERS).is_some());
        Some(Self {
            role: role(&found),
            name: found.name,
            frequency: of_interface(FREQUENCY).and_then(number),
            has_weights: has_feature(AIRTIME_FAIRNESS),
            has_queue_limits: has_feature(AQL),
            has_queues: has_feature(TXQS),
            has_queue_statistics,
            has_edca,
        })
    }
}

/// True if a part of a device's description has this feature bit.
fn has_feature(message: &[u8], bit: usize) -> bool {
    let mut all = attributes(message).filter(|(kind, _)| *kind == attribute::FEATURES);
    all.any(|(_, features)| features.get(bit / 8).is_some_and(|it| it >> (bit % 8) & 1 == 1))
}

/// True if a message about a station has statistics of its queues.
fn has_queue_statistics(message: &[u8]) -> bool {
    let Some(classes) = value_of(message, attribute::STATION)
        .and_then(|counters| value_of(counters, TID_STATISTICS))
    else {
        return false;
    };
    attributes(classes).any(|(_, class)| value_of(class, TID_TXQ_STATISTICS).is_some())
}

#[cfg(test)]
mod tests {
    use airfair_netlink::Message;

    use super::*;

    fn message(fill: impl FnOnce(&mut Message)) -> Vec<u8> {
        let mut message = Message::unacknowledged(0);
        fill(&mut message);
        // Without the netlink header of 16 octets.
        message.finish(0)[16..].to_vec()
    }

    /// Messages as those of mac80211 about an access point on channel 1, with one station.
    fn recorded() -> Messages {
        let interface = message(|it| {
            it.attribute(attribute::INDEX, &3_u32.to_ne_bytes()).text(attribute::NAME, "wlan0");
            it.attribute(attribute::KIND, &3_u32.to_ne_bytes());
            it.attribute(FREQUENCY, &2_412_u32.to_ne_bytes());
            it.nested(TXQ_STATISTICS, |of| _ = of.attribute(1, &[0; 4]));
        });
        // Bits 28, 33 and 40 are in the octets 3, 4 and 5.
        let features =
            message(|it| _ = it.attribute(attribute::FEATURES, &[0, 0, 0, 1 << 4, 2, 1]));
        let station = message(|it| {
            it.attribute(attribute::MAC, &[2, 0, 0, 0, 1, 0xab]);
            it.nested(attribute::STATION, |of| {
                of.nested(TID_STATISTICS, |classes| {
                    classes.nested(1, |class| {
                        class.nested(TID_TXQ_STATISTICS, |queue| _ = queue.attribute(1, &[0; 4]));
                    });
                });
            });
        });
        Messages { interface, device: vec![Vec::new(), features], stations: vec![station] }
    }

    #[test]
    fn an_interface_is_described_by_its_messages() {
        let expected = Radio {
            name: "wlan0".into(),
            role: Role::AccessPoint,
            frequency: Some(2_412),
            has_weights: true,
            has_queue_limits: true,
            has_queues: true,
            has_queue_statistics: true,
            has_edca: false,
        };
        assert_eq!(Radio::of(&recorded()), Some(expected.clone()));
        let bare = Messages { device: Vec::new(), ..recorded() };
        let it = Radio::of(&bare).unwrap();
        assert!(!it.has_weights && !it.has_queue_limits && !it.has_queues);
        assert_eq!(Radio::of(&Messages::default()), None);
        // Statistics of the stations' queues count too.
        let octets = recorded().interface;
        let without = octets[..octets.len() - 12].to_vec();
        let mut it = Messages { interface: without, ..recorded() };
        assert!(Radio::of(&it).unwrap().has_queue_statistics);
        it.stations.clear();
        assert!(!Radio::of(&it).unwrap().has_queue_statistics);
    }

    #[test]
    fn messages_cut_anywhere_are_borne() {
        let whole = recorded();
        for end in 0..whole.interface.len() {
            let interface = whole.interface[..end].to_vec();
            let _ = Radio::of(&Messages { interface, ..whole.clone() });
        }
        for end in 0..whole.stations[0].len() {
            has_queue_statistics(&whole.stations[0][..end]);
        }
    }
}
