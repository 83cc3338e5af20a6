//! Channel access of stations and access points.

use airfair_wlan::phy::Standard;

use super::declare::Keys;
use super::error::{Mistakes, ScenarioError};
use super::reader::Fields;
use super::{AccessParameters, keys};

/// A member's own channel access, and where the file says so.
#[derive(Clone, Debug)]
pub(super) struct OwnAccess {
    pub(super) parameters: Option<AccessParameters>,
    at: usize,
    path: String,
}

/// The channel access of a station or an access point.
pub(super) fn own(
    fields: &Fields,
    standard: Option<Standard>,
    is_ap: bool,
    mistakes: &mut Mistakes,
) -> OwnAccess {
    let edca = fields.get("edca");
    if let Some(settings) = edca.fields().filter(|_| !is_ap) {
        let aifsn = settings.get("aifsn");
        if aifsn.integer() == Some(1_u8) {
            let problem = "only an access point may wait less than a DIFS";
            mistakes.add(aifsn.at, aifsn.mistake(problem, "2 to 15"));
        }
    }
    let default = standard.map(AccessParameters::of).unwrap_or_default();
    let parameters = Keys::read(fields, default, keys::access);
    OwnAccess { parameters, at: edca.at, path: edca.path.clone() }
}

/// Windows of a cell [slots], the smallest first.
pub(super) type Windows = (u16, u16);

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
