//! From the text to the scenario: syntax, then each key by itself, then what must fit together.

use airfair_units::{Duration, Time};
use airfair_wlan::phy::Standard;

use super::beacons;
use super::cell::Draft;
use super::error::{Mistakes, ScenarioError};
use super::keys::{LLC_SNAP, MAX_CELLS, ROOT};
use super::names::{Names, Target};
use super::reader::{Entry, Fields, Given, read};
use super::stations::missing;
use super::{
    Bss, ErrorModel, Scenario, cell, document, flows, links, overrides, queues, routes, stations,
};

/// Largest scenario file [octets].
const MAX_FILE: usize = 4 << 20;
/// Most steps of a time series in one run; each takes memory for every flow.
const MAX_SERIES_STEPS: u64 = 10_000_000;

/// What the parts of a scenario must know of each other. `None`: spoilt by a mistake, check nothing.
pub(super) struct Context {
    /// Simulated time of one run.
    pub(super) duration: Option<Duration>,
    /// The cells.
    pub(super) cells: Vec<CellContext>,
    /// Whether `cells` is all that the user meant.
    pub(super) cells_complete: bool,
}

/// What others must know of a cell.
pub(super) struct CellContext {
    /// Name.
    pub(super) name: String,
    /// Amendment.
    pub(super) standard: Option<Standard>,
    /// Whether 8 octets of LLC/SNAP precede each packet.
    pub(super) llc_snap: Option<bool>,
    /// What spoils the frames of each station that says nothing itself.
    pub(super) errors: Option<ErrorModel>,
    /// Whether powers and distances decide that.
    pub(super) has_radio: Option<bool>,
}

impl Context {
    /// Octets of LLC/SNAP that a packet may have to carry.
    pub(super) fn llc_snap(&self) -> Option<u64> {
        let with = self.cells.iter().map(|cell| cell.llc_snap).collect::<Option<Vec<bool>>>()?;
        Some(if with.contains(&true) { LLC_SNAP } else { 0 })
    }
}

impl Scenario {
    /// Reads a scenario from TOML, with `overrides` (dotted path, value) laid over it first.
    ///
    /// # Errors
    /// All mistakes, in the order of the file; those of the overrides come last.
    pub fn parse(text: &str, overrides: &[(String, String)]) -> Result<Self, Vec<ScenarioError>> {
        let mut mistakes = Mistakes::default();
        let scenario = document::parse(text, &mut mistakes).and_then(|mut root| {
            overrides::apply(&mut root, overrides, text.len(), &mut mistakes);
            read(&ROOT, &root, &mut mistakes).and_then(|fields| scenario(fields, &mut mistakes))
        });
        match scenario {
            Some(scenario) if mistakes.is_empty() => Ok(scenario),
            _ => {
                assert!(!mistakes.is_empty(), "a scenario was refused without a reason");
                Err(mistakes.into_errors())
            }
        }
    }

    /// Reads a scenario from the bytes of a file, which may be anything.
    ///
    /// # Errors
    /// As [`Scenario::parse`]; one mistake if this is no text or too long to be a scenario.
    pub fn load(bytes: &[u8], overrides: &[(String, String)]) -> Result<Self, Vec<ScenarioError>> {
        let whole_file = |problem: String, allowed: &str| {
            let allowed = allowed.to_owned();
            vec![ScenarioError { path: String::new(), found: String::new(), problem, allowed }]
        };
        if bytes.len() > MAX_FILE {
            let problem = "too large for a scenario".to_owned();
            return Err(whole_file(problem, "a TOML text of at most 4 MiB"));
        }
        match std::str::from_utf8(bytes) {
            Ok(text) => Self::parse(text, overrides),
            Err(error) => {
                let at = error.valid_up_to();
                let problem =
                    format!("not a text: octet {} at offset {at} is not UTF-8", bytes[at]);
                Err(whole_file(problem, "a TOML text in UTF-8"))
            }
        }
    }
}

/// What must fit together. Each part takes what it needs even if another is spoilt.
fn scenario(mut root: Fields, mistakes: &mut Mistakes) -> Option<Scenario> {
    let title = root.take("title").text().map(str::to_owned);
    let duration = root.take("duration").duration();
    let warmup = warmup(&root.take("warmup"), duration, mistakes);
    let series = root.take("series");
    check_series(&series, duration, mistakes);
    let seed = root.take("seed").integer();
    let replications = root.take("replications").integer();

    let mut names = Names::new();
    let cells = root.take("bss");
    let groups = root.take("station");
    names.doubt(&cells);
    names.doubt(&groups);
    let (mut context, drafts) = cells_of(cells, duration, &mut names, mistakes);
    if !check_sections(&groups, root.says("host"), &mut context, mistakes) {
        names.distrust();
    }
    let groups = stations::groups(groups, &context, mistakes);
    let expanded = stations::expand(groups, &mut names, mistakes);
    let network = links::declare(&mut root, &mut names, mistakes);
    let wired = network.read(&context, &names, mistakes);
    let stations = stations::hearing(expanded, &names, mistakes);
    let cells: Vec<Option<Bss>> = drafts
        .into_iter()
        .enumerate()
        .map(|(index, draft)| cell::finish(draft, &stations.of_cell(index), mistakes))
        .collect();
    let flows = flows::flows(root.take("flow"), &context, &names, mistakes);

    let wired = wired?;
    let (flows, flow_paths) = flows?;
    let scenario = Scenario {
        title: title?,
        duration: duration?,
        warmup: warmup?,
        series_step: series.given.is_some().then_some(series.duration())?,
        seed: seed?,
        replications: replications?,
        cells: cells.into_iter().collect::<Option<_>>()?,
        stations: stations.complete()?,
        hosts: wired.hosts,
        routers: wired.routers,
        links: wired.links,
        flows,
    };
    routes::check(&scenario, &flow_paths, mistakes);
    queues::check(&scenario, &flow_paths, mistakes);
    beacons::check_grants(&scenario, &flow_paths, mistakes);
    Some(scenario)
}

/// The cells, by name first.
fn cells_of<'n>(
    entry: Entry<'n>,
    duration: Option<Duration>,
    names: &mut Names,
    mistakes: &mut Mistakes,
) -> (Context, Vec<Draft<'n>>) {
    let (at, cells_complete) = (entry.at, !entry.bad);
    let mut context = Context { duration, cells: Vec::new(), cells_complete };
    let mut cells = entry.named();
    if cells.len() > MAX_CELLS {
        let (path, found) = ("bss".to_owned(), format!("{} cells", cells.len()));
        let (problem, allowed) = ("too many".to_owned(), format!("at most {MAX_CELLS}"));
        mistakes.add(at, ScenarioError { path, found, problem, allowed });
        context.cells_complete = false;
        names.distrust();
        cells.clear();
    }
    let draft = |(index, fields): (usize, Fields<'n>)| {
        let place = (fields.at, fields.path.clone());
        names.declare(fields.name, Target::Cell(index), (place.0, &place.1), mistakes);
        cell::draft(fields, &mut context, mistakes)
    };
    let drafts = cells.into_iter().enumerate().map(draft).collect();
    (context, drafts)
}

/// Whether the sections go together: a station needs a cell, a cell a station; only a network of hosts
/// needs neither.
fn check_sections(
    stations: &Entry,
    has_hosts: bool,
    context: &mut Context,
    mistakes: &mut Mistakes,
) -> bool {
    let some = matches!(&stations.given, Some(Given::Named(all)) if !all.is_empty());
    let no_cell = context.cells.is_empty() && context.cells_complete && (some || !has_hosts);
    let needs_none = context.cells.is_empty() && has_hosts;
    let no_station = !(some || stations.bad || needs_none);
    if no_cell {
        mistakes.add(0, missing("bss"));
        context.cells_complete = false;
    }
    if no_station {
        mistakes.add(stations.at, missing("station"));
    }
    !no_station
}

fn warmup(entry: &Entry, duration: Option<Duration>, mistakes: &mut Mistakes) -> Option<Duration> {
    let warmup = entry.duration()?;
    if let Some(duration) = duration.filter(|duration| warmup >= *duration) {
        let allowed = format!("less than the duration of {duration}");
        mistakes.add(entry.at, entry.mistake("nothing would be left to count", allowed));
    }
    Some(warmup)
}

fn check_series(entry: &Entry, duration: Option<Duration>, mistakes: &mut Mistakes) {
    let (Some(step), Some(duration)) = (entry.duration(), duration) else { return };
    if duration.whole_steps(step) > MAX_SERIES_STEPS {
        let problem = format!("more than {MAX_SERIES_STEPS} steps in a run");
        mistakes.add(entry.at, entry.mistake(problem, "a longer step, or \"off\""));
    }
}

/// The point that lies `duration` after the start of the run.
pub(super) fn point(duration: Duration) -> Time {
    Time::ZERO + duration
}

/// The entries of a list; none if it is bad.
pub(super) fn items(entry: Entry) -> Vec<Entry> {
    if let Some(Given::List(items)) = entry.given { items } else { Vec::new() }
}
