//! Channel access of stations and access points.

use airfair_wlan::phy::{Preamble, Standard};

use super::error::{Mistakes, ScenarioError};
use super::reader::{Entry, Fields};
use super::{AccessParameters, Attempts};

/// A member's own channel access, and where the file says so.
#[derive(Clone, Debug)]
pub(super) struct OwnAccess {
    pub(super) parameters: Option<AccessParameters>,
    at: usize,
    path: String,
}

/// Takes `edca` and `max_attempts` of a station or an access point.
pub(super) fn own(fields: &mut Fields, is_ap: bool, mistakes: &mut Mistakes) -> OwnAccess {
    let limit = fields.take("max_attempts");
    let edca = fields.take("edca");
    let (at, path) = (edca.at, edca.path.clone());
    let parameters = edca.table().and_then(|edca| parameters(edca, &limit, is_ap, mistakes));
    OwnAccess { parameters, at, path }
}

fn parameters(
    mut edca: Fields,
    limit: &Entry,
    is_ap: bool,
    mistakes: &mut Mistakes,
) -> Option<AccessParameters> {
    let aifsn = edca.take("aifsn");
    if !is_ap && aifsn.integer() == Some(1_u8) {
        let error = aifsn.mistake("only an access point may wait less than a DIFS", "2 to 15");
        mistakes.add(aifsn.at, error);
    }
    let window = |entry: Entry| match entry.word() {
        Some(_) => Some(None),
        None => entry.integer().map(Some),
    };
    let (cw_min, cw_max) = (window(edca.take("cw_min")), window(edca.take("cw_max")));
    let attempts = match limit.word() {
        Some("cell") => None,
        Some(_) => Some(Attempts::Unlimited),
        None => Some(Attempts::Max(limit.integer()?)),
    };
    Some(AccessParameters {
        aifsn: aifsn.integer()?,
        cw_min: cw_min?,
        cw_max: cw_max?,
        txop_limit: edca.take("txop_limit").duration()?,
        attempts,
    })
}

/// Windows of a cell [slots], the smallest first.
pub(super) type Windows = (u16, u16);

/// Windows of the cell where nothing else is said.
pub(super) fn windows_of(
    (standard, b_stations, preamble): (Standard, bool, Preamble),
    own: (Option<u16>, Option<u16>),
) -> Windows {
    let timing = standard.timing(b_stations, preamble);
    (own.0.unwrap_or(timing.cw_min), own.1.unwrap_or(timing.cw_max))
}

impl OwnAccess {
    /// Checks a member's windows, those of the cell where it has none.
    pub(super) fn check(&self, cell: Windows, mistakes: &mut Mistakes) {
        let Some(own) = self.parameters else { return };
        if own.cw_min.or(own.cw_max).is_none() {
            return;
        }
        let (smallest, largest) = (own.cw_min.unwrap_or(cell.0), own.cw_max.unwrap_or(cell.1));
        if smallest > largest {
            let problem = "its smallest window is larger than its largest".to_owned();
            let found = format!("cw_min {smallest}, cw_max {largest}");
            let allowed = "cw_min at most cw_max, where the cell's hold unless it has its own";
            let (path, allowed) = (self.path.clone(), allowed.to_owned());
            mistakes.add(self.at, ScenarioError { path, found, problem, allowed });
        }
    }
}
