//! Checks of an access point that gives its stations equal airtime.

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
        let problem =
            format!("not possible with {key}: the airtime of its frames is not charged yet");
        mistakes.add(entry.at, entry.mistake(problem, format!("false, or a cell without {key}")));
    }
    if let Some(fields) = fields {
        fields.get("unused").check_inner_fraction(mistakes);
    }
}
