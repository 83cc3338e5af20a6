//! Comparison of the list of runs with the file of their measures.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use crate::coverage::features;
use crate::list::{Run, generator};
use crate::measure::{Measured, NAMES};

/// Largest number of runs that the message of a failure names one by one.
const NAMED: usize = 25;

/// Executes `runs` and compares the hashes and figures measured in each with those in the file `runs.txt`. With
/// `AIRFAIR_WITNESS=write` writes the file instead.
///
/// # Panics
/// If what is measured differs from the file, or if the file has other runs than `runs`.
pub(crate) fn check(runs: &[Run]) {
    let found = measure(runs);
    if std::env::var("AIRFAIR_WITNESS").is_ok_and(|it| it == "write") {
        let lines = runs.iter().zip(&found).map(|(run, found)| match found {
            Ok(found) => line(run, found),
            Err(problem) => panic!("{} panicked, nothing is written: {problem}", run.name),
        });
        let text: String = [heading()].into_iter().chain(lines).collect();
        fs::write(file(), text).expect("the folder of the witness is writable");
        return;
    }
    let text = fs::read_to_string(file()).unwrap_or_default();
    let known: BTreeMap<&str, &str> = text
        .lines()
        .filter_map(|line| line.split_once(' '))
        .filter(|(name, _)| *name != "#")
        .collect();
    let differences = Differences::between(runs, &found, known);
    assert!(differences.is_empty(), "{}", differences.report(runs));
    println!("{} runs are as they were", runs.len());
}

fn file() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/witness/runs.txt")
}

fn heading() -> String {
    format!(
        "# Written by `AIRFAIR_WITNESS=write make witness`: a run per line.\n# name seed scenario records outcome {}\n",
        NAMES.join(" ")
    )
}

/// Line for a run in the file `runs.txt`.
fn line(run: &Run, found: &Measured) -> String {
    let Measured { scenario, records, outcome, measures } = found;
    let mut line = format!("{} {} {scenario:06x} {records:016x} {outcome:06x}", run.name, run.seed);
    for measure in measures {
        let _ = write!(line, " {measure}");
    }
    line + "\n"
}

/// Hashes and figures of all runs, in their order, or the message of a run that panicked.
fn measure(runs: &[Run]) -> Vec<Result<Measured, String>> {
    let next = AtomicUsize::new(0);
    let work = || {
        let mut done = Vec::new();
        while let Some((place, run)) = Some(next.fetch_add(1, Ordering::Relaxed))
            .and_then(|place| Some((place, runs.get(place)?)))
        {
            let measured = catch_unwind(AssertUnwindSafe(|| Measured::of(run)));
            done.push((place, measured.map_err(|panic| message(&*panic))));
        }
        done
    };
    let threads = thread::available_parallelism().map_or(1, usize::from);
    let mut found = thread::scope(|scope| {
        let threads: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        let done = threads.into_iter().flat_map(|thread| thread.join().expect("panics are caught"));
        done.collect::<Vec<_>>()
    });
    found.sort_by_key(|(place, _)| *place);
    found.into_iter().map(|(_, found)| found).collect()
}

/// Text of a panic's message.
fn message(panic: &(dyn std::any::Any + Send)) -> String {
    let owned = panic.downcast_ref::<String>().map(String::as_str);
    owned.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("no message").to_owned()
}

/// Differences between the runs as they are now, and what the file `runs.txt` has kept of them.
#[derive(Default)]
struct Differences {
    /// Runs whose records differ from those in `runs.txt`, or that panicked, each by its index and with the first
    /// difference.
    moved: Vec<(usize, String)>,
    /// Runs with the records that are in the file, but with another outcome, by index, each with the first difference.
    outcomes: Vec<(usize, String)>,
    /// Runs whose seed or scenario differs from that in `runs.txt`, so that their results cannot be compared.
    redrawn: Vec<String>,
    /// Runs that are executed now and that the file does not have.
    new: Vec<String>,
    /// Runs that the file has and that are no longer executed.
    gone: Vec<String>,
}

impl Differences {
    fn between(
        runs: &[Run],
        found: &[Result<Measured, String>],
        mut known: BTreeMap<&str, &str>,
    ) -> Self {
        let mut differences = Self::default();
        for (place, (run, found)) in runs.iter().zip(found).enumerate() {
            let known = known.remove(run.name.as_str());
            differences.add(place, run, found, known);
        }
        differences.gone = known.into_keys().map(str::to_owned).collect();
        differences
    }

    fn add(
        &mut self,
        place: usize,
        run: &Run,
        found: &Result<Measured, String>,
        known: Option<&str>,
    ) {
        let Some(known) = known.and_then(Known::read) else {
            self.new.push(run.name.clone());
            return;
        };
        if (known.seed, known.scenario) != (run.seed, run.scenario_hash()) {
            self.redrawn.push(run.name.clone());
            return;
        }
        let found = match found {
            Ok(found) => found,
            Err(problem) => {
                self.moved.push((place, format!("panicked: {problem}")));
                return;
            }
        };
        let pairs = NAMES.iter().zip(known.measures.iter().zip(found.measures));
        let first = pairs
            .filter(|(_, (old, new))| *old != new)
            .map(|(name, (old, new))| format!("{name} {old} -> {new}"))
            .next();
        let first = first
            .unwrap_or_else(|| format!("outcome {:06x} -> {:06x}", known.outcome, found.outcome));
        if known.records != found.records {
            let hashes = format!("records {:016x} -> {:016x}", known.records, found.records);
            self.moved.push((place, format!("{first}; {hashes}")));
        } else if known.outcome != found.outcome || known.measures != found.measures {
            self.outcomes.push((place, first));
        }
    }

    fn is_empty(&self) -> bool {
        let Self { moved, outcomes, redrawn, new, gone } = self;
        moved.is_empty()
            && outcomes.is_empty()
            && redrawn.is_empty()
            && new.is_empty()
            && gone.is_empty()
    }

    fn report(&self, runs: &[Run]) -> String {
        let mut text = format!("the witness has {} runs, and some differ:\n", runs.len());
        let [moved, outcomes] = [&self.moved, &self.outcomes];
        append(&mut text, "runs moved: the engine makes other records", &named(runs, moved));
        append(
            &mut text,
            "runs have the same records and another outcome: their metrics, trace or outputs moved",
            &named(runs, outcomes),
        );
        append(
            &mut text,
            "runs are of another scenario than in the file: a generator, the example of a key or a scenario file has \
             changed, and these runs say nothing about the engine",
            &self.redrawn,
        );
        append(&mut text, "runs are new: the file does not have them", &self.new);
        append(&mut text, "runs are gone: the list no longer has them", &self.gone);
        let places = || moved.iter().chain(outcomes).map(|(place, _)| *place);
        if let Some(first) = places().next() {
            let places: BTreeSet<usize> = places().collect();
            let _ = writeln!(text, "features of these runs:\n{}", in_common(runs, &places));
            let file = written(&runs[first]);
            let _ = writeln!(text, "scenario of {}: {}", runs[first].name, file.display());
        }
        text + "`AIRFAIR_WITNESS=write make witness` rewrites the file; CONTRIBUTING.md says when to do so.\n"
    }
}

fn named(runs: &[Run], places: &[(usize, String)]) -> Vec<String> {
    places.iter().map(|(place, what)| format!("{}: {what}", runs[*place].name)).collect()
}

fn append(text: &mut String, what: &str, items: &[String]) {
    if items.is_empty() {
        return;
    }
    let mut generators: BTreeMap<&str, usize> = BTreeMap::new();
    for item in items {
        *generators.entry(generator(item)).or_default() += 1;
    }
    let counts: Vec<String> =
        generators.iter().map(|(name, count)| format!("{count} {name}")).collect();
    let _ = writeln!(text, "{} {what} ({}):", items.len(), counts.join(", "));
    for item in items.iter().take(NAMED) {
        let _ = writeln!(text, "  {item}");
    }
    if items.len() > NAMED {
        let _ = writeln!(text, "  and {} more", items.len() - NAMED);
    }
}

/// Features, such as a key of the scenario, that are most typical of the runs in `moved`: those whose results differ
/// from the file `runs.txt`. `moved` contains indices in `runs`.
fn in_common(runs: &[Run], moved: &BTreeSet<usize>) -> String {
    // Runs with a feature: all, and those that moved.
    let mut counts: BTreeMap<String, [usize; 2]> = BTreeMap::new();
    for (place, run) in runs.iter().enumerate() {
        let is_moved = moved.contains(&place);
        for feature in features(run) {
            let count = counts.entry(feature).or_default();
            count[0] += 1;
            count[1] += usize::from(is_moved);
        }
    }
    // The share of the runs with a feature that moved, less that of the runs without, for each run that moved.
    let contrast = |[all, hit]: [usize; 2]| {
        let share = |part: usize, of: usize| 1_000 * part / of.max(1);
        share(hit, all).saturating_sub(share(moved.len() - hit, runs.len() - all)) * hit
    };
    let mut counts: Vec<(String, [usize; 2])> = counts.into_iter().collect();
    counts.sort_by_key(|(_, count)| Reverse(contrast(*count)));
    let lines = counts.iter().take(6).map(|(feature, [all, hit])| {
        let (others, rest) = (moved.len() - hit, runs.len() - all);
        format!("  {feature}: {hit} of {all} runs with it moved, {others} of {rest} without")
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// Writes the scenario of a run to a temporary file, and returns the path of the file.
fn written(run: &Run) -> PathBuf {
    let name = run.name.replace(|c: char| !c.is_ascii_alphanumeric(), "-");
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("witness-{name}.toml"));
    let text = format!("# {}, seed {}\n{}", run.name, run.seed, run.scenario.to_toml());
    fs::write(&path, text).expect("a writable directory for temporary files");
    path
}

/// Hashes and measures that a run had when the file `runs.txt` was written, read from the run's line in it.
struct Known {
    seed: u64,
    scenario: u32,
    records: u64,
    outcome: u32,
    measures: [u64; NAMES.len()],
}

impl Known {
    /// Reads what follows the name of the run on a line of `runs.txt`: seed, hashes and measures, separated by blanks.
    fn read(line: &str) -> Option<Self> {
        let mut words = line.split(' ');
        let seed = words.next()?.parse().ok()?;
        let scenario = u32::from_str_radix(words.next()?, 16).ok()?;
        let records = u64::from_str_radix(words.next()?, 16).ok()?;
        let outcome = u32::from_str_radix(words.next()?, 16).ok()?;
        let measures: Vec<u64> = words.map_while(|word| word.parse().ok()).collect();
        Some(Self { seed, scenario, records, outcome, measures: measures.try_into().ok()? })
    }
}
