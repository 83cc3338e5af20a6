//! Checks of an access point that gives its stations equal airtime.

use airfair_units::Probability;

use super::error::Mistakes;
use super::reader::{Entry, Fields};

/// Checks the settings of a fair access point, and that its cell has no multi-user frames.
pub(super) fn check(entry: &Entry, cell: &Fields, mistakes: &mut Mistakes) {
    let fields = entry.fields();
    if fields.is_none() && entry.value::<bool>() != Some(true) {
        return;
    }
    let has_several = |key| cell.get(key).fields().is_some();
    if let Some(key) = ["ofdma", "mu_mimo"].into_iter().find(|key| has_several(key)) {
        let problem = format!("the access point cannot account for the frames of {key} yet");
        mistakes.add(entry.at, entry.mistake(problem, format!("false, or no {key}")));
    }
    let Some(unused) = fields.map(|fields| fields.get("unused")) else { return };
    let is_extreme = |it: &Probability| it.is_zero() || *it == Probability::ONE;
    if unused.value::<Probability>().as_ref().is_some_and(is_extreme) {
        mistakes.add(unused.at, unused.mistake("out of range", "more than 0 and less than 1"));
    }
}
