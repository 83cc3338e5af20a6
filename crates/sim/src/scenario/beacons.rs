//! Beacons, and the shares of the channel that an access point grants in them.

use airfair_laws::occupancy;
use airfair_units::{Bytes, DataRate, Duration};
use airfair_wlan::phy::{Preamble, Standard, TxVector};

use super::error::{Address, Mistakes, ScenarioError};
use super::reader::Entry;
use super::{Endpoint, Flow, Scenario, Scheme};

/// Standard, legacy rates and preamble that decide the duration of a cell's beacons; `None` if a mistake hides them.
pub(super) type Air<'r> = Option<(Standard, &'r [DataRate], Preamble)>;

/// True if an access point grants shares of the channel. Checks its settings.
pub(super) fn grants(entry: &Entry, mistakes: &mut Mistakes) -> bool {
    let Some(fields) = entry.fields() else { return entry.value::<bool>() == Some(true) };
    fields.get("satisfied").check_inner_fraction(mistakes);
    true
}

/// Checks that an access point that grants shares sends beacons, that their phase is less than an interval, and that
/// each beacon ends before the next one is due.
pub(super) fn check(entry: &Entry, grants: bool, air: Air, mistakes: &mut Mistakes) {
    if entry.value::<bool>() == Some(false) && grants {
        let problem = "needed by ap.occupancy, which grants shares of the channel in beacons";
        let allowed = "true, or ap.occupancy = false";
        mistakes.add(entry.at, entry.mistake(problem, allowed));
    }
    let Some(fields) = entry.fields() else { return };
    let (interval, size, phase) = (fields.get("interval"), fields.get("size"), fields.get("phase"));
    if let Some((time, late)) = interval.value::<Duration>().zip(phase.value::<Duration>())
        && late >= time
    {
        let problem = format!("not less than the interval of {time}");
        mistakes.add(phase.at, phase.mistake(problem, format!("less than {time}")));
    }
    if let (Some(time), Some(size), Some((standard, basic_rates, preamble))) =
        (interval.value::<Duration>(), size.value::<Bytes>(), air)
    {
        let rate = basic_rates[0];
        let extra = if grants { occupancy::Grant::OCTETS } else { 0 };
        let Some(tx) = TxVector::of(rate, preamble) else { return };
        let lasts = standard.ppdu_duration(size + Bytes::new(extra), tx);
        if time <= lasts {
            let problem = format!("not longer than a beacon, which takes {lasts} at {rate}");
            mistakes.add(interval.at, interval.mistake(problem, format!("more than {lasts}")));
        }
    }
}

/// Checks that each flow under the scheme `occupancy` has an access point that grants shares of the channel.
pub(super) fn check_grants(scenario: &Scenario, addresses: &[Address], mistakes: &mut Mistakes) {
    let keeps = |(flow, _): &(&Flow, &Address)| flow.control == Scheme::Occupancy;
    for (flow, address) in scenario.flows.iter().zip(addresses).filter(keeps) {
        for end in [flow.from, flow.to] {
            let Endpoint::Station(index) = end else { continue };
            let bss = &scenario.cells[scenario.stations[index].cell];
            if bss.ap.occupancy.is_some() {
                continue;
            }
            let (path, found) = (format!("{}.control", address.path), "\"occupancy\"".to_owned());
            let problem = format!("the access point of {} grants no shares", bss.name);
            let allowed = format!("bss.{}.ap.occupancy = true, or another control", bss.name);
            mistakes.add(address.at, ScenarioError { path, found, problem, allowed });
            break;
        }
    }
}
