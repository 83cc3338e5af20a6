//! From the text to the scenario: syntax, then each key by itself, then what must fit together.

use airfair_units::{Duration, Time};
use airfair_wlan::phy::Standard;

use super::error::{Mistakes, ScenarioError};
use super::keys::{MAX_HOSTS, ROOT};
use super::names::Names;
use super::reader::{Entry, Fields, Given, read};
use super::{Host, Link, Queue, Scenario, cell, document, flows, overrides, stations};

/// Largest scenario file [octets].
const MAX_FILE: usize = 4 << 20;
/// Most steps of a time series in one run; each takes memory for every flow.
const MAX_SERIES_STEPS: u64 = 10_000_000;

/// What the parts of a scenario must know of each other. `None`: spoilt by a mistake, check nothing.
pub(super) struct Context {
    /// Simulated time of one run.
    pub(super) duration: Option<Duration>,
    /// Names of the cells.
    pub(super) cells: Vec<String>,
    /// Whether `cells` is all that the user meant.
    pub(super) cells_complete: bool,
    /// The cell's amendment.
    pub(super) standard: Option<Standard>,
    /// Whether 8 octets of LLC/SNAP precede each packet.
    pub(super) llc_snap: Option<bool>,
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

    let cells = root.take("bss");
    let cells_complete = !cells.bad;
    let mut cells = cell::only(cells, mistakes);
    let mut context = Context {
        duration,
        cells: cells.iter().map(|cell| cell.name.to_owned()).collect(),
        cells_complete,
        standard: None,
        llc_snap: None,
    };
    let draft = (!cells.is_empty()).then(|| cell::draft(cells.swap_remove(0), &mut context));

    let groups = root.take("station");
    let mut names = Names::new(&groups);
    let groups = stations::groups(groups, &context, mistakes);
    let hosts = root.take("host");
    names.doubt(&hosts);
    let expanded = stations::expand(groups, &mut names, mistakes);
    let hosts = self::hosts(hosts, &context, &mut names, mistakes);
    let stations = stations::hearing(expanded, &names, mistakes);
    let bss = draft.and_then(|draft| cell::finish(draft, &stations, mistakes));
    let flows = flows::flows(root.take("flow"), &context, &names, mistakes);

    Some(Scenario {
        title: title?,
        duration: duration?,
        warmup: warmup?,
        series_step: series.given.is_some().then_some(series.duration())?,
        seed: seed?,
        replications: replications?,
        bss: bss?,
        stations: stations.complete()?,
        hosts: hosts?,
        flows: flows?,
    })
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

fn hosts(
    entry: Entry,
    context: &Context,
    names: &mut Names,
    mistakes: &mut Mistakes,
) -> Option<Vec<Host>> {
    let spoilt = entry.bad;
    let (at, list) = (entry.at, entry.named());
    if list.len() > MAX_HOSTS {
        let (path, found) = ("host".to_owned(), format!("{} hosts", list.len()));
        let (problem, allowed) = ("too many".to_owned(), format!("at most {MAX_HOSTS}"));
        mistakes.add(at, ScenarioError { path, found, problem, allowed });
        names.distrust();
        return None;
    }
    let hosts: Vec<Option<Host>> = list
        .into_iter()
        .enumerate()
        .map(|(index, mut fields)| {
            names.host(&fields, index, mistakes);
            let link = link(fields.take("link").table()?, context, mistakes)?;
            Some(Host { name: fields.name.to_owned(), link })
        })
        // Not straight into an Option: that would stop at the first mistake.
        .collect();
    hosts.into_iter().collect::<Option<Vec<Host>>>().filter(|_| !spoilt)
}

fn link(mut fields: Fields, context: &Context, mistakes: &mut Mistakes) -> Option<Link> {
    cell::reference(&fields.take("to"), context, mistakes);
    let (rate, delay) = (fields.take("rate").rate(), fields.take("delay").duration());
    let queue = queue(fields.take("queue"));
    Some(Link { rate: rate?, delay: delay?, queue: queue? })
}

/// A transmit queue.
pub(super) fn queue(entry: Entry) -> Option<Queue> {
    let mut fields = entry.table()?;
    fields.take("discipline").word()?;
    Some(Queue { packets: fields.take("packets").integer()? })
}

/// The point that lies `duration` after the start of the run.
pub(super) fn point(duration: Duration) -> Time {
    Time::ZERO + duration
}

/// The entries of a list; none if it is bad.
pub(super) fn items(entry: Entry) -> Vec<Entry> {
    if let Some(Given::List(items)) = entry.given { items } else { Vec::new() }
}
