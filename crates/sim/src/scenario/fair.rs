//! Checks of an access point that gives its stations equal airtime.

use super::error::Mistakes;
use super::reader::{Entry, Fields};

/// Checks the settings of a fair access point, and that its stations do not share spatial streams.
pub(super) fn check(entry: &Entry, cell: &Fields, mistakes: &mut Mistakes) {
    let fields = entry.fields();
    if fields.is_none() && entry.value::<bool>() != Some(true) {
        return;
    }
    if cell.get("mu_mimo").fields().is_some() {
        let problem = "not possible with mu_mimo: the users of its frames are not chosen yet";
        mistakes.add(entry.at, entry.mistake(problem, "false, or a cell without mu_mimo"));
    }
    if let Some(fields) = fields {
        fields.get("unused").check_inner_fraction(mistakes);
    }
}
