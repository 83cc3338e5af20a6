//! Search for a scenario document with which the program fails; common to the fuzzers.

use std::fs;
use std::panic::{self, AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::time::Instant;

use toml::{Table, Value};

use crate::luck::Luck;

/// Result of checking a scenario document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DocumentOutcome {
    Refused,
    /// The document is a valid scenario; `has_run` is false if it would take too long to run.
    Accepted {
        has_run: bool,
    },
}

/// Numbers of random scenario documents that were made, accepted and run in a search for one with which the program
/// fails.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Tally {
    pub(crate) made: u64,
    pub(crate) accepted: u64,
    pub(crate) ran: u64,
}

/// Random choices with the seed in `PROPTEST_RNG_SEED`, or with seed 1.
pub(crate) fn luck() -> Luck {
    Luck::of_seed(seed())
}

fn seed() -> u64 {
    number("PROPTEST_RNG_SEED").unwrap_or(1)
}

/// Number in the environment variable `name`.
fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok().map(|text| text.parse().unwrap_or_else(|_| panic!("{name}={text}")))
}

/// Checks random documents for `AIRFAIR_FUZZ_SECONDS` seconds, or `few` documents if the variable is not set.
///
/// # Panics
/// If a check fails. The document, reduced as far as it still fails, is written to the file that the message names.
pub(crate) fn hunt(
    few: u64,
    mut document: impl FnMut() -> Table,
    check: impl Fn(&str) -> Result<DocumentOutcome, String>,
) -> Tally {
    let (began, seconds) = (Instant::now(), number("AIRFAIR_FUZZ_SECONDS"));
    let (mut tally, mut failed) = (Tally::default(), None);
    while failed.is_none()
        && seconds.map_or(tally.made < few, |seconds| began.elapsed().as_secs() < seconds)
    {
        let document = document();
        tally.made += 1;
        match outcome(&document, &check) {
            Ok(outcome) => {
                tally.accepted += u64::from(outcome != DocumentOutcome::Refused);
                tally.ran += u64::from(outcome == DocumentOutcome::Accepted { has_run: true });
            }
            Err(_) => failed = Some((began.elapsed(), smallest(&document, &check))),
        }
    }
    let Tally { made, accepted, ran } = tally;
    println!("seed {}: {made} scenarios, {accepted} accepted, {ran} run", seed());
    if let Some((after, document)) = failed {
        let name = format!("scenario-{}-{made}.toml", seed());
        let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        let text = toml::to_string(&document).expect("it was written before");
        fs::write(&file, &text).expect("a writable directory for temporary files");
        let problem = outcome(&document, &check).expect_err("it fails");
        panic!("{}, found after {} s: {problem}\n{text}", file.display(), after.as_secs());
    }
    tally
}

/// Result of checking a document, or a description of the failure.
fn outcome(
    document: &Table,
    check: &impl Fn(&str) -> Result<DocumentOutcome, String>,
) -> Result<DocumentOutcome, String> {
    let text = toml::to_string(document).map_err(|error| error.to_string())?;
    panic::set_hook(Box::new(|_| {}));
    let checked = catch_unwind(AssertUnwindSafe(|| check(&text)));
    drop(panic::take_hook());
    checked.unwrap_or_else(|panic| {
        let owned = panic.downcast_ref::<String>().map(String::as_str);
        let sentence = owned.or_else(|| panic.downcast_ref::<&str>().copied());
        Err(format!("panic: {}", sentence.unwrap_or("no sentence")))
    })
}

/// The document without the keys that are not needed for the check to fail.
fn smallest(document: &Table, check: &impl Fn(&str) -> Result<DocumentOutcome, String>) -> Table {
    let mut smallest = document.clone();
    let mut tries = 0;
    'again: loop {
        let mut paths = Vec::new();
        paths_of(&smallest, &mut Vec::new(), &mut paths);
        for path in paths {
            let mut less = smallest.clone();
            remove(&mut less, &path);
            tries += 1;
            if outcome(&less, check).is_err() {
                smallest = less;
                continue 'again;
            }
            if tries > 2_000 {
                return smallest;
            }
        }
        return smallest;
    }
}

fn paths_of(table: &Table, path: &mut Vec<String>, paths: &mut Vec<Vec<String>>) {
    for (key, value) in table {
        path.push(key.clone());
        paths.push(path.clone());
        if let Value::Table(inner) = value {
            paths_of(inner, path, paths);
        }
        path.pop();
    }
}

fn remove(table: &mut Table, path: &[String]) {
    match path {
        [key] => drop(table.remove(key)),
        [key, rest @ ..] => {
            if let Some(Value::Table(inner)) = table.get_mut(key) {
                remove(inner, rest);
            }
        }
        [] => {}
    }
}
