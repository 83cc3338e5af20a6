//! The hunt for a document that breaks something, which fuzzers share.

use std::fs;
use std::panic::{self, AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::time::Instant;

use toml::{Table, Value};

use crate::luck::Luck;

/// Fate of a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fate {
    Refused,
    /// It is a scenario, which has run or is too long for that.
    Accepted {
        has_run: bool,
    },
}

/// Documents of a hunt that has found nothing.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Tally {
    pub(crate) made: u64,
    pub(crate) accepted: u64,
    pub(crate) ran: u64,
}

/// Luck of the seed that `PROPTEST_RNG_SEED` names, or of the same one each time.
pub(crate) fn luck() -> Luck {
    Luck::of_seed(seed())
}

fn seed() -> u64 {
    number("PROPTEST_RNG_SEED").unwrap_or(1)
}

/// A number in the environment.
fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok().map(|text| text.parse().unwrap_or_else(|_| panic!("{name}={text}")))
}

/// Checks documents for as many seconds as `AIRFAIR_FUZZ_SECONDS` says, or `few` of them.
///
/// # Panics
/// If one fails: it is written, as small as it still fails, to the directory that the message names.
pub(crate) fn hunt(
    few: u64,
    mut document: impl FnMut() -> Table,
    check: impl Fn(&str) -> Result<Fate, String>,
) -> Tally {
    let (began, seconds) = (Instant::now(), number("AIRFAIR_FUZZ_SECONDS"));
    panic::set_hook(Box::new(|_| {}));
    let (mut tally, mut failed) = (Tally::default(), None);
    while failed.is_none()
        && seconds.map_or(tally.made < few, |seconds| began.elapsed().as_secs() < seconds)
    {
        let document = document();
        tally.made += 1;
        match fate(&document, &check) {
            Ok(fate) => {
                tally.accepted += u64::from(fate != Fate::Refused);
                tally.ran += u64::from(fate == Fate::Accepted { has_run: true });
            }
            Err(_) => failed = Some((began.elapsed(), smallest(&document, &check))),
        }
    }
    drop(panic::take_hook());
    let Tally { made, accepted, ran } = tally;
    println!("seed {}: {made} scenarios, {accepted} accepted, {ran} run", seed());
    if let Some((after, document)) = failed {
        let name = format!("scenario-{}-{made}.toml", seed());
        let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        let text = toml::to_string(&document).expect("it was written before");
        fs::write(&file, &text).expect("a writable directory for temporary files");
        let problem = fate(&document, &check).expect_err("it fails");
        panic!("{}, found after {} s: {problem}\n{text}", file.display(), after.as_secs());
    }
    tally
}

/// Fate of a document, or what is wrong with airfair.
fn fate(document: &Table, check: &impl Fn(&str) -> Result<Fate, String>) -> Result<Fate, String> {
    let text = toml::to_string(document).map_err(|error| error.to_string())?;
    let checked = catch_unwind(AssertUnwindSafe(|| check(&text)));
    checked.unwrap_or_else(|panic| {
        let owned = panic.downcast_ref::<String>().map(String::as_str);
        let sentence = owned.or_else(|| panic.downcast_ref::<&str>().copied());
        Err(format!("panic: {}", sentence.unwrap_or("no sentence")))
    })
}

/// The document without whatever it fails without.
fn smallest(document: &Table, check: &impl Fn(&str) -> Result<Fate, String>) -> Table {
    let mut smallest = document.clone();
    let mut tries = 0;
    'again: loop {
        let mut paths = Vec::new();
        paths_of(&smallest, &mut Vec::new(), &mut paths);
        for path in paths {
            let mut less = smallest.clone();
            remove(&mut less, &path);
            tries += 1;
            if fate(&less, check).is_err() {
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
