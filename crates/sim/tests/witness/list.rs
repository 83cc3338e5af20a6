//! The list of runs whose measures are compared.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use airfair_sim::scenario::{Driver, Scenario};
use airfair_units::Duration;
use proptest::strategy::{Strategy, ValueTree as _};
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use toml::Table;

use crate::luck::Luck;
use crate::{cells, digest, driven, grids, key_values, quic, small_cells};

/// Longest duration of a run of one of the project's scenario files.
const SHORT: Duration = Duration::from_millis(1_500);
/// Content of the trace file of each `mobility = { model = "trace" }`.
const WALK: &str = "time_s,x_m,y_m\n0,2,0\n0.05,60,10\n0.1,300,0\n1,10,10\n";

/// The way in which a run is made: without a trace, with one, or driven step by step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Plain,
    /// Run with a recorder that takes a trace.
    Traced,
    /// Run whose owner steps the world, injects packets and changes settings.
    Driven,
}

/// A run whose results are compared with those in `runs.txt`, with its scenario.
#[derive(Clone, Debug)]
pub(crate) struct Run {
    /// Unique name of the run, without spaces.
    pub(crate) name: String,
    /// Seed of the run. If the scenario is random, it is generated from this seed as well.
    pub(crate) seed: u64,
    /// Text of the run's scenario: keys in alphabetical order, without title.
    pub(crate) text: String,
    pub(crate) scenario: Scenario,
    pub(crate) kind: Kind,
}

impl Run {
    /// Creates a run of the scenario in `text`; `None` if the keys in it do not fit each other.
    pub(crate) fn new(name: String, seed: u64, text: &str, kind: Kind) -> Option<Self> {
        let mut table: Table =
            text.parse().unwrap_or_else(|error| panic!("{name}: {error}\n{text}"));
        table.remove("title");
        let text = toml::to_string(&table).expect("it was TOML");
        let scenario = read(&text, kind)?;
        Some(Self { name, seed, text, scenario, kind })
    }

    /// Hash of the text of the run's scenario.
    pub(crate) fn scenario_hash(&self) -> u32 {
        digest::of(self.text.as_bytes()).short()
    }
}

/// What has generated the run `name`: the first part of the name, such as `cell` for a random cell in `cell-7`.
pub(crate) fn generator(name: &str) -> &str {
    name.split(['-', ':']).next().expect("split gives one piece at least")
}

/// Scenario of a text; `None` if it has mistakes.
fn read(text: &str, kind: Kind) -> Option<Scenario> {
    let driver = if kind == Kind::Driven { Driver::Emulation } else { Driver::Run };
    let mut walk = |_: &str| Ok(WALK.as_bytes().to_vec());
    Scenario::load(text.as_bytes(), &[], &mut walk, driver).ok()
}

/// The runs whose results the witness compares with a file: of the scenario files, of each key, and of random cells.
#[derive(Debug)]
pub(crate) struct List {
    pub(crate) runs: Vec<Run>,
    /// Names of the values of keys with which no scenario is valid, so that no run has them.
    pub(crate) unfit: Vec<String>,
}

/// All runs that are compared with `runs.txt`, which the tests share.
pub(crate) static LIST: LazyLock<List> = LazyLock::new(|| {
    let (of_keys, unfit) = key_values::runs();
    let mut runs = bundled();
    runs.extend(of_keys);
    runs.extend(grids::runs());
    runs.extend((0..360).filter_map(cell));
    runs.extend((0..250).filter_map(small_cell));
    runs.extend((0..400).filter_map(driven));
    runs.extend((0..120).filter_map(multi_user));
    runs.extend((0..80).filter_map(small_multi_user));
    runs.extend((0..60).filter_map(random_access));
    runs.extend((0..40).filter_map(small_random_access));
    runs.extend((0..720).filter_map(renewed_cell).take(120));
    runs.extend((0..80).filter_map(mu_mimo));
    runs.extend((0..60).filter_map(small_mu_mimo));
    runs.extend((0..40).filter_map(small_fair));
    runs.extend((0..40).filter_map(small_grants));
    runs.extend((0..40).filter_map(small_fair_multi_user));
    runs.extend((0..110).filter_map(small_eifs));
    runs.extend(quic::runs());
    List { runs, unfit }
});

/// Run of a random cell of the fuzzer `fuzz_cells`, shortened.
fn cell(seed: u64) -> Option<Run> {
    let text = shorter(&cells::cell(&mut Luck::of_seed(seed)));
    Run::new(format!("cell-{seed}"), seed, &text, Kind::Plain)
}

/// Run of a random cell with multi-user frames of the fuzzer `fuzz_cells`, shortened.
fn multi_user(seed: u64) -> Option<Run> {
    let text = shorter(&cells::multi_user_cell(&mut Luck::of_seed(seed)));
    Run::new(format!("multi_user-{seed}"), seed, &text, Kind::Plain)
}

/// Run of a random cell with random access to resource units of the fuzzer `fuzz_cells`, shortened.
fn random_access(seed: u64) -> Option<Run> {
    let text = shorter(&cells::random_access_cell(&mut Luck::of_seed(seed)));
    Run::new(format!("random_access-{seed}"), seed, &text, Kind::Plain)
}

/// Run of a random cell with MU-MIMO of the fuzzer `fuzz_cells`, shortened.
fn mu_mimo(seed: u64) -> Option<Run> {
    let text = shorter(&cells::mu_mimo_cell(&mut Luck::of_seed(seed)));
    Run::new(format!("mu_mimo-{seed}"), seed, &text, Kind::Plain)
}

/// The text of a random cell with a duration of 400 ms. A flow must not stop after the end.
fn shorter(text: &str) -> String {
    let (_, behind) = text.split_once('\n').expect("the duration is the first line");
    let text = format!("duration = \"400 ms\"\n{behind}");
    ["500 ms", "1000 ms", "2000 ms"]
        .iter()
        .fold(text, |text, stop| text.replace(&format!("stop = \"{stop}\""), "stop = \"end\""))
}

/// Run of a random cell of 802.11be of the fuzzer `fuzz_cells`, shortened.
fn renewed_cell(seed: u64) -> Option<Run> {
    let mut luck = Luck::of_seed(seed);
    let text = cells::cell(&mut luck);
    let text = shorter(&cells::renewed(&mut luck, &text));
    let name = format!("be-{seed}");
    text.contains("802.11be").then(|| Run::new(name, seed, &text, Kind::Plain)).flatten()
}

/// Run of a random cell of the fuzzer `fuzz_traces`.
fn small_cell(seed: u64) -> Option<Run> {
    traced(format!("small-{seed}"), seed, &small_cells::cells())
}

/// Run of a random cell with multi-user frames of the fuzzer `fuzz_traces`.
fn small_multi_user(seed: u64) -> Option<Run> {
    traced(format!("small_multi_user-{seed}"), seed, &small_cells::multi_user_cells())
}

/// Run of a random cell with random access to resource units of the fuzzer `fuzz_traces`.
fn small_random_access(seed: u64) -> Option<Run> {
    let cells = small_cells::random_access_cells();
    traced(format!("small_random_access-{seed}"), seed, &cells)
}

/// Run of a random cell with MU-MIMO of the fuzzer `fuzz_traces`.
fn small_mu_mimo(seed: u64) -> Option<Run> {
    traced(format!("small_mu_mimo-{seed}"), seed, &small_cells::mu_mimo_cells())
}

/// Run of a random cell with a fair access point of the fuzzer `fuzz_traces`.
fn small_fair(seed: u64) -> Option<Run> {
    traced(format!("small_fair-{seed}"), seed, &small_cells::fair_cells())
}

/// Run of a random cell with an access point that grants time of the fuzzer `fuzz_traces`.
fn small_grants(seed: u64) -> Option<Run> {
    traced(format!("small_grants-{seed}"), seed, &small_cells::granting_cells())
}

/// Run of a random cell with multi-user frames and a fair access point of the fuzzer `fuzz_traces`.
fn small_fair_multi_user(seed: u64) -> Option<Run> {
    let cells = small_cells::fair_multi_user_cells();
    traced(format!("small_fair_multi_user-{seed}"), seed, &cells)
}

/// Run of a random cell of the fuzzer `fuzz_traces` without EIFS, or with that of ns-3.
fn small_eifs(seed: u64) -> Option<Run> {
    let word = if seed.is_multiple_of(2) { "none" } else { "ns-3" };
    let cells = small_cells::cells().prop_map(move |(text, of)| {
        let text = text.replace("eifs = \"ns-2\"\n", "");
        (text.replace("[bss.c]\n", &format!("[bss.c]\neifs = \"{word}\"\n")), of)
    });
    traced(format!("small_eifs-{seed}"), seed, &cells)
}

/// Run of a cell that `seed` draws from `cells`, with a trace.
fn traced(name: String, seed: u64, cells: &impl Strategy<Value = (String, u64)>) -> Option<Run> {
    let mut octets = [0; 32];
    octets[..8].copy_from_slice(&seed.to_le_bytes());
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &octets);
    let mut runner = TestRunner::new_with_rng(Config::default(), rng);
    let (text, _) = cells.new_tree(&mut runner).expect("a cell").current();
    let (_, text) = small_cells::fitting(&text)?;
    Run::new(name, seed, &text, Kind::Traced)
}

fn driven(seed: u64) -> Option<Run> {
    let text = driven::text(&mut Luck::of_seed(seed));
    Run::new(format!("driven-{seed}"), seed, &text, Kind::Driven)
}

/// Runs of the scenario files of the project, shortened.
fn bundled() -> Vec<Run> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let golden = root.join("crates/sim/tests/golden");
    let folders = [root.join("scenarios"), golden.join("modern"), golden];
    let mut files: Vec<PathBuf> = folders.iter().flat_map(|folder| files_in(folder)).collect();
    files.extend(files_in(&root.join("experiments")).iter().flat_map(|paper| files_in(paper)));
    files.iter().filter_map(|file| shortened(file)).collect()
}

/// Run of the first part of the scenario in a file; `None` if the file is not a scenario.
fn shortened(file: &Path) -> Option<Run> {
    let text = fs::read_to_string(file)
        .ok()
        .filter(|_| file.extension().is_some_and(|it| it == "toml"))?;
    let part = |path: &Path| path.file_stem().and_then(|it| it.to_str()).map(str::to_owned);
    let name = format!("file-{}/{}", part(file.parent()?)?, part(file)?);
    let run = Run::new(name, 1, &text, Kind::Plain)?;
    let duration = SHORT.min(run.scenario.duration);
    let scenario = Scenario { duration, warmup: Duration::ZERO, ..run.scenario };
    Some(Run { scenario, ..run })
}

fn files_in(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten();
    let mut files: Vec<PathBuf> =
        entries.map(|entry| entry.expect("a readable directory").path()).collect();
    files.sort();
    files
}
