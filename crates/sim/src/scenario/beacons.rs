//! Beacons, and the shares of the channel that an access point grants in them.

use airfair_laws::occupancy;
use airfair_units::{Bytes, DataRate, Duration};
use airfair_wlan::phy::{Preamble, Standard};

use super::error::{Mistakes, ScenarioError};
use super::flows::Place;
use super::radio::Spoilt;
use super::reader::{Entry, Given};
use super::{Beacons, Control, Endpoint, Flow, Scenario};

/// Rates and frame format in which a cell sends its beacons, unless a mistake hides them.
pub(super) type Air<'r> = Option<(Standard, &'r [DataRate], Preamble)>;

/// The shares that an access point grants; `None`: it grants none.
pub(super) fn grants(
    entry: Entry,
    mistakes: &mut Mistakes,
) -> Result<Option<occupancy::Params>, Spoilt> {
    if let Some(is_on) = entry.flag() {
        return Ok(is_on.then(occupancy::Params::default));
    }
    params(entry, mistakes).map(Some).ok_or(Spoilt)
}

fn params(entry: Entry, mistakes: &mut Mistakes) -> Option<occupancy::Params> {
    let mut fields = entry.table()?;
    let (beacons, patience) = (fields.take("beacons"), fields.take("patience"));
    let satisfied = fields.take("satisfied");
    let ratio = satisfied.probability()?;
    if ratio.is_zero() || ratio.get() >= 1.0 {
        let problem = "out of range";
        mistakes.add(satisfied.at, satisfied.mistake(problem, "more than 0 and less than 1"));
    }
    let (beacons, patience) = (beacons.integer()?, patience.integer()?);
    let spare = match fields.take("spare").word()? {
        "once" => occupancy::Spare::Once,
        _ => occupancy::Spare::Printed,
    };
    Some(occupancy::Params { beacons, satisfied: ratio, spare, patience })
}

/// Beacons; where nothing is said they are sent if they have shares to tell of.
pub(super) fn beacons(
    entry: Entry,
    grants: Option<occupancy::Params>,
    air: Air,
    mistakes: &mut Mistakes,
) -> Result<Option<Beacons>, Spoilt> {
    match &entry.given {
        None if entry.bad => Err(Spoilt),
        None => Ok(grants.map(|_| Beacons::default())),
        Some(Given::Plain(_)) => {
            let is_on = entry.flag().ok_or(Spoilt)?;
            if !is_on && grants.is_some() {
                let problem = "the access point grants shares of the channel in its beacons";
                let allowed = "true, or ap.occupancy = false";
                mistakes.add(entry.at, entry.mistake(problem, allowed));
            }
            Ok(is_on.then(Beacons::default))
        }
        Some(_) => table(entry, (grants.is_some(), air), mistakes).map(Some).ok_or(Spoilt),
    }
}

fn table(entry: Entry, cell: (bool, Air), mistakes: &mut Mistakes) -> Option<Beacons> {
    let mut fields = entry.table()?;
    let (interval, size) = (fields.take("interval"), fields.take("size"));
    let beacons = Beacons { interval: interval.duration()?, size: size.bytes()? };
    check(&interval, beacons, cell, mistakes);
    Some(beacons)
}

/// Checks that a beacon is over before the next one is due.
fn check(entry: &Entry, beacons: Beacons, (grants, air): (bool, Air), mistakes: &mut Mistakes) {
    let Some((standard, basic_rates, preamble)) = air else { return };
    let rate = basic_rates[0];
    let extra = if grants { occupancy::Grant::OCTETS } else { 0 };
    let size = beacons.size + Bytes::new(extra);
    let lasts: Duration = standard.ppdu_duration(size, rate, preamble);
    if beacons.interval <= lasts {
        let problem = format!("not longer than a beacon, which takes {lasts} at {rate}");
        mistakes.add(entry.at, entry.mistake(problem, format!("more than {lasts}")));
    }
}

/// Checks that each flow that is to keep a share has an access point that grants one.
pub(super) fn check_grants(scenario: &Scenario, places: &[Place], mistakes: &mut Mistakes) {
    let keeps = |(flow, _): &(&Flow, &Place)| flow.control == Control::Occupancy;
    for (flow, place) in scenario.flows.iter().zip(places).filter(keeps) {
        for end in [flow.from, flow.to] {
            let Endpoint::Station(index) = end else { continue };
            let bss = &scenario.cells[scenario.stations[index].cell];
            if bss.ap.occupancy.is_some() {
                continue;
            }
            let (path, found) = (format!("{}.control", place.path), "\"occupancy\"".to_owned());
            let problem = format!("the access point of {} grants no shares", bss.name);
            let allowed = format!("bss.{}.ap.occupancy = true, or another control", bss.name);
            mistakes.add(place.at, ScenarioError { path, found, problem, allowed });
            break;
        }
    }
}
