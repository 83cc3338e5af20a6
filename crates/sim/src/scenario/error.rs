//! Mistakes in a scenario: one message each, with an address, in the order of the file.

use std::fmt::{self, Write as _};

use airfair_units::printable::Escaped;
pub use airfair_units::printable::escaped;
pub(super) use airfair_units::printable::is_unprintable;

/// A mistake in a scenario. It prints as one line: address, what was found, the problem, and what is allowed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScenarioError {
    /// Address: a dotted key such as `station.slow.rate[1][1]`, a position such as `line 3, column 8`, or empty for
    /// the file as a whole.
    pub path: String,
    /// The value in the file, as it would be written in the file; empty if there is none.
    pub found: String,
    /// Reason for which the value is not allowed.
    pub problem: String,
    /// Allowed values; empty if there are none.
    pub allowed: String,
}

impl fmt::Display for ScenarioError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut f = Escaped(f);
        if !self.path.is_empty() {
            f.write_str(&self.path)?;
            if !self.found.is_empty() {
                write!(f, " = {}", self.found)?;
            }
            f.write_str(": ")?;
        }
        f.write_str(&self.problem)?;
        if !self.allowed.is_empty() {
            write!(f, "; allowed {}", self.allowed)?;
        }
        Ok(())
    }
}

impl std::error::Error for ScenarioError {}

/// Address of a key or a table in the file.
#[derive(Clone, Debug)]
pub(super) struct Address {
    /// Offset of the key or table in the file.
    pub(super) at: usize,
    pub(super) path: String,
}

impl Address {
    /// Address of the key `key` in the table at this address, even if the file does not contain the key.
    pub(super) fn below(&self, key: &str) -> Self {
        Self { at: self.at, path: format!("{}.{key}", self.path) }
    }
}

/// Marks a value that a mistake hides. The mistake has already been reported.
#[derive(Clone, Copy, Debug)]
pub(super) struct Spoilt;

/// All mistakes in a scenario that were found so far, each with its offset in the file.
#[derive(Debug, Default)]
pub(super) struct Mistakes {
    list: Vec<(usize, ScenarioError)>,
}

/// Largest number of mistakes that are reported for one file.
const MOST_TOLD: usize = 100;
/// Number of mistakes after which expensive checks stop.
const FLOOD: usize = 1_000;

impl Mistakes {
    /// Adds a mistake at offset `at` of the file.
    pub(super) fn add(&mut self, at: usize, error: ScenarioError) {
        self.list.push((at, error));
    }

    pub(super) fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// True from [`FLOOD`] mistakes on, when expensive checks for further ones are not worth their time.
    pub(super) fn is_flooded(&self) -> bool {
        self.list.len() >= FLOOD
    }

    /// All mistakes in the order of the file, up to [`MOST_TOLD`].
    pub(super) fn into_errors(mut self) -> Vec<ScenarioError> {
        self.list.sort_by_key(|(at, _)| *at);
        let is_cut = self.list.len() > MOST_TOLD;
        self.list.truncate(MOST_TOLD);
        let mut errors: Vec<ScenarioError> =
            self.list.into_iter().map(|(_, error)| error).collect();
        if is_cut {
            let problem = format!("more than {MOST_TOLD} mistakes; the others are not shown");
            let [path, found, allowed] = [(); 3].map(|()| String::new());
            errors.push(ScenarioError { path, found, problem, allowed });
        }
        errors
    }
}

/// Address `path.name`. The name is quoted unless it is a bare key, and shortened if it is very long.
pub(super) fn join(path: &str, name: &str) -> String {
    let bare = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    let short: String = name.chars().take(80).collect();
    let segment =
        if !name.is_empty() && short.chars().all(bare) { short } else { format!("{short:?}") };
    if path.is_empty() { segment } else { format!("{path}.{segment}") }
}

/// The candidate closest to `word`, if it is close enough to be a misspelling.
pub(super) fn nearest<'a>(
    word: &str,
    candidates: impl IntoIterator<Item = &'a str>,
) -> Option<&'a str> {
    if word.len() > 80 {
        return None;
    }
    let tolerance = |candidate: &str| (candidate.len().max(word.len()) / 3).max(1);
    candidates
        .into_iter()
        .map(|candidate| (distance(word, candidate), candidate))
        .filter(|(distance, candidate)| *distance <= tolerance(candidate) && *distance < word.len())
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

/// Edit distance of two words, without regard to case: insertions, deletions, substitutions and swaps of neighbours.
fn distance(from: &str, to: &str) -> usize {
    let lower = |text: &str| text.chars().flat_map(char::to_lowercase).collect::<Vec<_>>();
    let (from, to) = (lower(from), lower(to));
    let mut before: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=to.len()).collect();
    for i in 1..=from.len() {
        let mut row = vec![i; to.len() + 1];
        for j in 1..=to.len() {
            let cost = usize::from(from[i - 1] != to[j - 1]);
            row[j] = (last[j] + 1).min(row[j - 1] + 1).min(last[j - 1] + cost);
            if i > 1 && j > 1 && from[i - 1] == to[j - 2] && from[i - 2] == to[j - 1] {
                row[j] = row[j].min(before[j - 2] + 1);
            }
        }
        before = std::mem::replace(&mut last, row);
    }
    last[to.len()]
}

/// Names as a message lists them, at most a dozen.
pub(super) fn listed<'a>(names: impl Iterator<Item = &'a str> + Clone) -> String {
    const MOST: usize = 12;
    let mut list = names.clone().take(MOST).map(|name| format!("\"{name}\"")).collect::<Vec<_>>();
    let count = names.count();
    if count > MOST {
        list.push(format!("… ({count} names)"));
    }
    list.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_would_steer_a_terminal_is_escaped_wherever_it_stands() {
        let hostile = "\u{1b}]0;x\u{7} and \u{202e}, \u{2028}\u{9b}".to_owned();
        let shown = r"\u{1b}]0;x\u{7} and \u{202e}, \u{2028}\u{9b}";
        let [path, found, problem, allowed] = [(); 4].map(|()| hostile.clone());
        let error = ScenarioError { path, found, problem, allowed };
        assert_eq!(error.to_string(), format!("{shown} = {shown}: {shown}; allowed {shown}"));
    }

    #[test]
    fn slips_of_the_pen_are_near_and_other_words_are_not() {
        let keys = ["rate", "queue", "senses_only", "duration"];
        assert_eq!(nearest("raet", keys), Some("rate"));
        assert_eq!(nearest("queues", keys), Some("queue"));
        assert_eq!(nearest("Duration", keys), Some("duration"));
        assert_eq!(nearest("colour", keys), None);
        assert_eq!(nearest("a", ["b"]), None);
    }
}
