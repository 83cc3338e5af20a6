//! Findings about nl80211, the wireless interface and its driver.

use std::path::Path;

use anyhow::Result;

use super::finding::{Answer, Findings, Subject};
use super::seen::{Place, SeenCounters};
use crate::configuration::Role;
use crate::sample::Source;
use crate::source::nl80211::{Nl80211, radio};

/// Directory of the wireless devices. It shows without a request if the kernel has nl80211: a
/// request would let the kernel load the module.
const DEVICES: &str = "/sys/class/ieee80211";

/// Examines the wireless interface with this name, or the first one. Returns the place at which an
/// agent would run; `None` if there is no wireless interface.
pub fn examine(name: Option<&str>, to: &mut Findings) -> Option<Place> {
    if !Path::new(DEVICES).exists() {
        to.add(Subject::Nl80211, false, "the kernel has no Wi-Fi, or its driver is not loaded");
        to.remedy("load the driver, or try an emulation (--emulator)");
        return None;
    }
    match described(name) {
        Ok(Ok((radio, seen))) => {
            to.add(Subject::Nl80211, true, "");
            report(&radio, &seen, to);
            Some(Place { name: radio.name, role: radio.role })
        }
        Ok(Err(why)) => {
            to.add(Subject::Nl80211, true, "");
            to.add(Subject::Interface, false, why);
            to.remedy("name an interface of a station or an access point by --interface");
            None
        }
        Err(error) => {
            to.add(Subject::Nl80211, Answer::Unknown, format!("{error:#}"));
            None
        }
    }
}

/// Description of an interface with the counters of a sample, or the reason for which there is none.
fn described(name: Option<&str>) -> Result<Result<(radio::Radio, SeenCounters), String>> {
    let all = radio::interfaces()?;
    let Some(name) = name.or(all.first().map(|it| &*it.0)) else {
        return Ok(Err("there is no interface of a station or an access point".into()));
    };
    let Some(radio) = radio::describe(name)? else {
        let names: Vec<&str> = all.iter().map(|it| &*it.0).collect();
        let others = if names.is_empty() { "there is none".into() } else { names.join(", ") };
        let what = "no wireless interface of a station or an access point";
        return Ok(Err(format!("{name} is {what}; such are: {others}")));
    };
    let mut seen = SeenCounters::default();
    if let Some(sample) = Nl80211::open(Some(name.to_owned()), true)?.sample(0)? {
        seen.add(&sample);
    }
    Ok(Ok((radio, seen)))
}

/// Appends the findings about an interface and its driver.
fn report(radio: &radio::Radio, seen: &SeenCounters, to: &mut Findings) {
    let role = if radio.role == Role::AccessPoint { "an access point" } else { "a station" };
    let channel = radio.frequency.map(|it| format!(" at {it} MHz")).unwrap_or_default();
    let count = seen.links();
    let links = if count == 1 { "1 link".to_owned() } else { format!("{count} links") };
    to.add(Subject::Interface, true, format!("{} is {role}{channel}; {links}", radio.name));
    seen.report(to);
    let weights = radio.has_weights || seen.has_weights();
    let detail = if weights { "" } else { "the driver does not share airtime by weights" };
    to.add(Subject::AirtimeWeights, weights, detail);
    to.remedy("use a radio with ath9k, ath10k or mt76");
    let detail = match (radio.has_queue_statistics, radio.has_queues) {
        (true, _) => "",
        (false, true) => "mac80211 keeps the queues, but reports no statistics here",
        (false, false) => "the driver keeps its own queues",
    };
    to.add(Subject::QueueStatistics, radio.has_queue_statistics, detail);
    let detail = if radio.has_queue_limits { "airtime in the driver is limited" } else { "" };
    to.add(Subject::AirtimeQueueLimits, radio.has_queue_limits, detail);
    let detail = "nl80211 reports no TXOP or AIFS; hostapd has them in its configuration";
    to.add(Subject::Edca, radio.has_edca, if radio.has_edca { "" } else { detail });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::{DirectionCounters, LinkCounters, Sample};

    #[test]
    fn a_driver_is_reported_with_its_counters() {
        let radio = radio::Radio {
            name: "wlan0".into(),
            role: Role::AccessPoint,
            frequency: Some(2_412),
            has_weights: false,
            has_queue_limits: false,
            has_queues: true,
            has_queue_statistics: true,
            has_edca: false,
        };
        let mut seen = SeenCounters::default();
        let way = DirectionCounters { rate_bps: Some(1), ..DirectionCounters::default() };
        let link = LinkCounters { name: "it".into(), up: way.clone(), down: way };
        seen.add(&Sample { links: vec![link], ..Sample::default() });
        let mut findings = Findings::default();
        report(&radio, &seen, &mut findings);
        let answer = |subject| findings.answer(subject);
        let interface = findings.of(Subject::Interface).expect("reported");
        assert_eq!(interface.detail, "wlan0 is an access point at 2412 MHz; 1 link");
        assert_eq!(answer(Subject::Rates), Answer::Yes);
        assert_eq!(answer(Subject::AirtimeWeights), Answer::No);
        assert_eq!(answer(Subject::QueueStatistics), Answer::Yes);
        assert_eq!(answer(Subject::Edca), Answer::No);
    }

    /// Without Wi-Fi, the doctor reports this and ends without an error.
    #[test]
    fn a_machine_without_wifi_is_reported() {
        let mut findings = Findings::default();
        let place = examine(Some("no-such-one"), &mut findings);
        assert_eq!(place, None);
        assert_ne!(findings.of(Subject::Nl80211), None);
    }
}
