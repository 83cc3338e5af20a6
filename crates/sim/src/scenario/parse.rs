//! Conversion of a text into a scenario: syntax, then each key, then checks across keys.

use std::ops::Range;

use airfair_units::Duration;

use super::beacons;
use super::cell::Draft;
use super::context::Context;
use super::declare::Keys;
use super::error::{Mistakes, ScenarioError};
use super::keys::{self, MAX_CELLS, ROOT};
use super::names::{Names, Target};
use super::neighbours::{List, Owner};
use super::reader::{Entry, Fields, Given, read};
use super::size::{self, MAX_FILE, MAX_FILE_MIB, MAX_PARTS, parts};
use super::stations::{Expanded, missing};
use super::traces::{ReadFile, Traces};
use super::{
    Bss, Driver, Scenario, access, cell, document, eras, flows, links, neighbours, overrides,
    queues, routes, stations, write,
};

impl Scenario {
    /// Parses a scenario from TOML. `overrides` (dotted path, value) replace values of the text. The scenario cannot
    /// refer to waypoint files.
    ///
    /// # Errors
    /// All mistakes, in the order of the file; those of the overrides come last. Syntax errors are reported alone.
    pub fn parse(text: &str, overrides: &[(String, String)]) -> Result<Self, Vec<ScenarioError>> {
        Self::parse_with(text, overrides, &mut no_file, Driver::Run)
    }

    /// Parses a scenario from the bytes of a file, which may be anything. `read` reads the files to which the
    /// scenario refers, and `driver` is the kind of program that will run it.
    ///
    /// # Errors
    /// As [`Scenario::parse`]. A single mistake if the bytes are no text, or too many.
    pub fn load(
        bytes: &[u8],
        overrides: &[(String, String)],
        read: ReadFile,
        driver: Driver,
    ) -> Result<Self, Vec<ScenarioError>> {
        if bytes.len() > MAX_FILE {
            let problem = "too large for a scenario".to_owned();
            return Err(vec![whole_file(
                problem,
                &format!("TOML text of at most {MAX_FILE_MIB} MiB"),
            )]);
        }
        match std::str::from_utf8(bytes) {
            Ok(text) => Self::parse_with(text, overrides, read, driver),
            Err(error) => {
                let at = error.valid_up_to();
                let problem =
                    format!("not text in UTF-8: octet {} at offset {at} is not valid", bytes[at]);
                Err(vec![whole_file(problem, "TOML text in UTF-8")])
            }
        }
    }

    fn parse_with(
        text: &str,
        overrides: &[(String, String)],
        read: ReadFile,
        driver: Driver,
    ) -> Result<Self, Vec<ScenarioError>> {
        if parts(text) > MAX_PARTS {
            let allowed = format!("at most {MAX_PARTS} values, brackets and lines");
            return Err(vec![whole_file(
                "too many values, brackets and lines for a scenario".to_owned(),
                &allowed,
            )]);
        }
        let mut mistakes = Mistakes::default();
        let scenario = document::parse(text, &mut mistakes).and_then(|mut root| {
            overrides::apply(&mut root, overrides, text.len(), &mut mistakes);
            if driver == Driver::Emulation {
                root.permit_missing("flow");
            }
            eras::apply(&mut root, driver);
            let traces = Traces::fetch(&root, read);
            let fields = self::read(&ROOT, &root, &mut mistakes)?;
            scenario(fields, (traces, driver), &mut mistakes)
        });
        match scenario {
            Some(scenario) if mistakes.is_empty() => Ok(scenario),
            _ => {
                assert!(!mistakes.is_empty(), "a scenario was refused without a reason");
                Err(mistakes.into_errors())
            }
        }
    }
}

/// Mistake that concerns the file as a whole.
fn whole_file(problem: String, allowed: &str) -> ScenarioError {
    let allowed = allowed.to_owned();
    ScenarioError { path: String::new(), found: String::new(), problem, allowed }
}

/// Reader of files for a scenario that may not refer to any.
fn no_file(_: &str) -> Result<Vec<u8>, String> {
    Err("a scenario that is not a file cannot refer to a file".to_owned())
}

/// Reads the sections of a scenario. A section is read even if another one contains mistakes.
fn scenario(
    mut root: Fields,
    (traces, driver): (Traces, Driver),
    mistakes: &mut Mistakes,
) -> Option<Scenario> {
    let settings = Keys::read(&root, Scenario::default(), keys::root);
    let duration = root.get("duration").value::<Duration>();
    check_warmup(root.get("warmup"), duration, mistakes);
    let mut names = Names::new();
    let cells = root.take("bss");
    let groups = root.take("station");
    let has_hosts = root.get("host").is_set() || root.get("host").bad;
    names.doubt(&cells);
    names.doubt(&groups);
    let context =
        Context { duration, cells: Vec::new(), cells_complete: !cells.bad, traces, driver };
    let (mut context, drafts) = cells_of(cells, context, &mut names, mistakes);
    if !check_sections(&groups, has_hosts, &mut context, mistakes) {
        names.distrust();
    }
    let groups = stations::groups(groups, &context, mistakes);
    let expanded = stations::expand(groups, &mut names, mistakes);
    let network = links::declare(&mut root, &mut names, mistakes);
    let wired = network.read(&context, &names, mistakes);
    let lists = lists(&drafts, &expanded, &names, mistakes);
    let stations = stations::hearing(expanded, &names, mistakes);
    let cells: Vec<Option<Bss>> = drafts
        .iter()
        .enumerate()
        .map(|(index, draft)| cell::finish(draft, &stations.of_cell(index), mistakes))
        .collect();
    let flows = flows::flows(root.take("flow"), &context, &names, mistakes);

    let wired = wired?;
    let (flows, flow_paths) = flows?;
    let mut scenario = Scenario {
        cells: cells.into_iter().collect::<Option<_>>()?,
        stations: stations.complete()?,
        hosts: wired.hosts,
        routers: wired.routers,
        links: wired.links,
        flows,
        ..settings?
    };
    let sections: Vec<&Fields> = drafts.iter().map(Draft::fields).collect();
    neighbours::check(&mut scenario, &lists, &sections, mistakes);
    routes::check(&scenario, &flow_paths, mistakes);
    queues::check(&scenario, &flow_paths, mistakes);
    beacons::check_grants(&scenario, &flow_paths, mistakes);
    access::check_flows(&scenario, &flow_paths, mistakes);
    size::check(&scenario, root.get("series"), root.get("replications"), mistakes);
    if mistakes.is_empty() {
        write::check_size(&scenario, mistakes);
    }
    Some(scenario)
}

/// Lists `hears` of cells, access points and stations.
fn lists<'n>(
    drafts: &[Draft<'n>],
    stations: &Expanded<'n>,
    names: &Names,
    mistakes: &mut Mistakes,
) -> Vec<List<'n>> {
    let of_cell = |(cell, draft): (usize, &Draft<'n>)| {
        let list = (Owner::Cell(cell), draft.fields().get("hears").clone());
        let ap = draft.fields().get("ap").fields();
        let ap = ap.map(|ap| (Owner::AccessPoint(cell), ap.get("hears").clone()));
        [Some(list), ap].into_iter().flatten()
    };
    let cells = drafts.iter().enumerate().flat_map(of_cell);
    let of_stations = |(fields, range): (&Fields<'n>, Range<usize>)| {
        (Owner::Stations(range), fields.get("hears").clone())
    };
    neighbours::lists(cells.chain(stations.sections().map(of_stations)), names, mistakes)
}

/// Reads the cells of a scenario as far as stations and flows depend on them.
fn cells_of<'n>(
    entry: Entry<'n>,
    mut context: Context,
    names: &mut Names,
    mistakes: &mut Mistakes,
) -> (Context, Vec<Draft<'n>>) {
    let at = entry.at;
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
        names.declare(fields.name, Target::Cell(index), &fields.address(), mistakes);
        cell::draft(fields, &mut context, mistakes)
    };
    let drafts = cells.into_iter().enumerate().map(draft).collect();
    (context, drafts)
}

/// Checks that stations and cells occur together. Only a network of hosts needs neither.
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

fn check_warmup(entry: &Entry, duration: Option<Duration>, mistakes: &mut Mistakes) {
    let (Some(warmup), Some(duration)) = (entry.value::<Duration>(), duration) else { return };
    if warmup >= duration {
        let allowed = format!("less than the duration of {duration}");
        mistakes.add(entry.at, entry.mistake("no time would remain to be measured", allowed));
    }
}
