//! `--set PATH=VALUE`: values from the command line, which replace values of the file before it is checked.

use super::document::{Node, Value, parse_value};
use super::error::{Mistakes, ScenarioError, join, listed, nearest};

/// Sections whose tables have names that the user chooses.
const NAMED: [&str; 6] = ["bss", "station", "host", "router", "link", "flow"];

/// Writes each `(path, value)` into the tree of the file. Mistakes in overrides come after those of the file, at offset
/// `end`.
pub(super) fn apply(
    root: &mut Node,
    overrides: &[(String, String)],
    end: usize,
    mistakes: &mut Mistakes,
) {
    for (i, (path, value)) in overrides.iter().enumerate() {
        let at = end + 1 + i;
        if let Err(error) = set(root, path, parse_value(value.trim(), at)) {
            mistakes.add(at, error);
        }
    }
}

fn set(root: &mut Node, path: &str, value: Node) -> Result<(), ScenarioError> {
    let segments: Vec<&str> = path.split('.').map(str::trim).collect();
    let error = |path: &str, found: String, problem: &str, allowed: &str| ScenarioError {
        path: path.to_owned(),
        found,
        problem: problem.to_owned(),
        allowed: allowed.to_owned(),
    };
    if segments.iter().any(|segment| segment.is_empty()) || segments.len() > 8 {
        let allowed = "dotted keys such as bss.home.rts_threshold";
        return Err(error("--set", format!("{path:?}"), "not a path", allowed));
    }
    let (at, mut value, mut target, mut walked) = (value.at, Some(value), root, String::new());
    for (depth, segment) in segments.iter().enumerate() {
        let found = target.shown();
        let Value::Table(entries) = &mut target.value else {
            let problem = format!("a value, and not a table with the key {segment:?}");
            return Err(error(&walked, found, &problem, "a new value for the whole key"));
        };
        let known = entries.iter().any(|(name, _)| name == segment);
        if !known && depth == 1 && NAMED.contains(&segments[0]) {
            // A misspelt name here would add a new station instead of changing one.
            let names = entries.iter().map(|(name, _)| name.as_str());
            let hint = did_you_mean(nearest(segment, names.clone().take(500)));
            let problem = format!("the file has no {walked} of this name{hint}");
            let path = join(&walked, segment);
            return Err(error(&path, String::new(), &problem, &listed(names)));
        }
        walked = join(&walked, segment);
        target = entry(entries, segment, at);
        if depth + 1 == segments.len() {
            *target = value.take().expect("the last segment comes once");
        }
    }
    Ok(())
}

/// Node under the key `name` in `entries`. If there is none, it is added as an empty table.
pub(super) fn entry<'t>(
    entries: &'t mut Vec<(String, Node)>,
    name: &str,
    at: usize,
) -> &'t mut Node {
    let index = entries.iter().position(|(known, _)| known == name).unwrap_or_else(|| {
        entries.push((name.to_owned(), Node { at, value: Value::Table(Vec::new()) }));
        entries.len() - 1
    });
    &mut entries[index].1
}

/// Clause that suggests the nearest known word.
pub(super) fn did_you_mean(nearest: Option<&str>) -> String {
    nearest.map_or_else(String::new, |word| format!(", did you mean \"{word}\"?"))
}
