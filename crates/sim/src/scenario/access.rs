//! Checks of the channel access of stations and access points, and of the access categories of flows.

use airfair_wlan::edca::{AccessCategory, Defaults};
use airfair_wlan::phy::Standard;

use super::declare::Keys;
use super::error::{Address, Mistakes, ScenarioError};
use super::reader::{Entry, Fields};
use super::{Access, AccessParameters, Endpoint, Scenario, keys};

/// Checks that each station of a flow outside best effort has a standard with access categories.
pub(super) fn check_flows(scenario: &Scenario, addresses: &[Address], mistakes: &mut Mistakes) {
    for (flow, address) in scenario.flows.iter().zip(addresses) {
        if flow.category() == AccessCategory::BestEffort {
            continue;
        }
        let key = if flow.dscp.is_some() { "dscp" } else { "access_category" };
        for end in [flow.from, flow.to] {
            let Endpoint::Station(index) = end else { continue };
            let station = &scenario.stations[index];
            if station.standard.format().is_some() {
                continue;
            }
            let Address { at, path } = address.below(key);
            let found = match flow.dscp {
                Some(dscp) => dscp.to_string(),
                None => format!("\"{}\"", flow.access_category),
            };
            let (name, standard) = (&station.name, station.standard);
            let problem = format!("station {name} has {standard}, which has no access categories");
            let allowed = "best effort, or a station of 802.11n or later".to_owned();
            mistakes.add(at, ScenarioError { path, found, problem, allowed });
        }
    }
}

/// Channel access of one member of a cell, with the address of its keys in the file.
#[derive(Clone, Debug)]
pub(super) struct OwnAccess {
    pub(super) parameters: Option<Access>,
    at: usize,
    path: String,
}

pub(super) fn of_access_point(fields: &Fields, standard: Option<Standard>) -> OwnAccess {
    own(fields, standard.map(Access::of).unwrap_or_default())
}

/// Reads the channel access of a station. `default` applies to keys that the station does not set.
pub(super) fn of_station(
    fields: &Fields,
    default: Option<Access>,
    mistakes: &mut Mistakes,
) -> OwnAccess {
    check_space(fields.get("edca"), mistakes);
    let own = own(fields, default.unwrap_or_default());
    // The cell's `edca` table is checked with the cell, and not again with each station.
    OwnAccess { parameters: own.parameters.filter(|_| fields.get("edca").is_set()), ..own }
}

/// Channel access that a cell sets for its stations, by their standard.
pub(super) fn of_stations(edca: &Entry, mistakes: &mut Mistakes) -> Vec<(Standard, Access)> {
    check_space(edca, mistakes);
    let Some(settings) = edca.fields() else { return Vec::new() };
    let read = |standard| {
        Keys::read(settings, Access::of(standard), keys::edca).map(|access| (standard, access))
    };
    Standard::ALL.into_iter().filter_map(read).collect()
}

/// Checks the contention windows that a cell sets for its stations against the windows `cell` of the cell itself.
pub(super) fn check_cell(
    edca: &Entry,
    standard: Option<Standard>,
    cell: Windows,
    mistakes: &mut Mistakes,
) {
    let Some((settings, standard)) = edca.fields().zip(standard) else { return };
    let parameters = Keys::read(settings, Access::of(standard), keys::edca);
    OwnAccess { parameters, at: edca.at, path: edca.path.clone() }.check(cell, mistakes);
}

/// Checks that the interframe space of a station is at least a DIFS.
fn check_space(edca: &Entry, mistakes: &mut Mistakes) {
    let Some(settings) = edca.fields() else { return };
    let aifsn = settings.get("aifsn");
    if aifsn.integer() == Some(1_u8) {
        let problem = "only an access point may wait less than a DIFS";
        mistakes.add(aifsn.at, aifsn.mistake(problem, "2 to 15"));
    }
}

fn own(fields: &Fields, default: Access) -> OwnAccess {
    let edca = fields.get("edca");
    let parameters = Keys::read(fields, default, keys::access);
    OwnAccess { parameters, at: edca.at, path: edca.path.clone() }
}

/// Smallest and largest contention window of a cell [slots].
pub(super) type Windows = (u16, u16);

/// Checks that the smallest contention window, under the key `min`, is at most the largest, under the key `max`.
pub(super) fn check_order(
    min: &Entry,
    max: &Entry,
    (smallest, largest): Windows,
    mistakes: &mut Mistakes,
) {
    if smallest <= largest {
        return;
    }
    let (entry, problem, allowed) = if max.is_set() {
        (max, format!("smaller than cw_min, {smallest}"), format!("at least {smallest}"))
    } else {
        (min, format!("larger than cw_max, {largest}"), format!("at most {largest}"))
    };
    mistakes.add(entry.at, entry.mistake(problem, allowed));
}

impl OwnAccess {
    /// Checks a member's contention windows; windows that it does not set are the cell's.
    pub(super) fn check(&self, cell: Windows, mistakes: &mut Mistakes) {
        let Some(Access { best_effort, background, video, voice }) = self.parameters else {
            return;
        };
        self.check_one(&self.path, best_effort, cell, mistakes);
        let (smallest, largest) = cell;
        let of = |category| {
            let default = Defaults::Standard.parameters(category, cell, false);
            (default.cw_min.unwrap_or(smallest), default.cw_max.unwrap_or(largest))
        };
        for (key, own, category) in [
            ("background", background, AccessCategory::Background),
            ("video", video, AccessCategory::Video),
            ("voice", voice, AccessCategory::Voice),
        ] {
            self.check_one(&format!("{}.{key}", self.path), own, of(category), mistakes);
        }
    }

    fn check_one(&self, path: &str, own: AccessParameters, cell: Windows, mistakes: &mut Mistakes) {
        if own.cw_min.or(own.cw_max).is_none() {
            return;
        }
        let (smallest, largest) = (own.cw_min.unwrap_or(cell.0), own.cw_max.unwrap_or(cell.1));
        if smallest > largest {
            let problem = "the smallest contention window is larger than the largest".to_owned();
            let found = format!("cw_min {smallest}, cw_max {largest}");
            let whose = if path == self.path { "cell" } else { "standard" };
            let allowed = format!("cw_min at most cw_max; the default of each is the {whose}'s");
            let path = path.to_owned();
            mistakes.add(self.at, ScenarioError { path, found, problem, allowed });
        }
    }
}
