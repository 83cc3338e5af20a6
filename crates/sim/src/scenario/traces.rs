//! Mobility traces: files of waypoints to which a scenario refers by name. The caller reads the files.

use std::collections::BTreeMap;

use airfair_units::{Duration, Length, Time};

use super::document::{Node, Value};
use super::error::is_unprintable;
use super::keys::{FAR, MAX_DURATION};
use super::kind::MAX_TITLE;

/// Reads a file that a scenario names. Returns its octets, or the reason for which it cannot be read.
pub type ReadFile<'r> = &'r mut dyn FnMut(&str) -> Result<Vec<u8>, String>;

/// Names of a trace file's columns, which are its header.
const COLUMNS: [&str; 3] = ["time_s", "x_m", "y_m"];
/// Size of the largest trace file [octets].
pub const MAX_TRACE: usize = 4 << 20;
/// Largest total size of all trace files of a scenario [octets].
const MAX_TRACES: usize = 16 << 20;

/// Waypoints of a station in order of time.
pub(super) type Waypoints = Vec<(Time, [Length; 2])>;

/// Traces that a scenario names. A trace that could not be read has a message instead.
#[derive(Debug, Default)]
pub(super) struct Traces {
    by_name: BTreeMap<String, Result<Waypoints, String>>,
}

impl Traces {
    /// Reads each trace that the stations of a scenario name, once.
    pub(super) fn fetch(root: &Node, read: ReadFile) -> Self {
        let (mut traces, mut left) = (Self::default(), MAX_TRACES);
        for file in stations(root).filter_map(file) {
            if !traces.by_name.contains_key(file) {
                let trace = read(file).and_then(|octets| {
                    left = left.checked_sub(octets.len()).ok_or_else(|| {
                        format!("the traces have more than {} MiB together", MAX_TRACES >> 20)
                    })?;
                    waypoints(&octets)
                });
                traces.by_name.insert(file.to_owned(), trace);
            }
        }
        traces
    }

    /// Waypoints in the file `name`.
    ///
    /// # Errors
    /// A message, if the file could not be read.
    pub(super) fn get(&self, name: &str) -> Result<&Waypoints, &str> {
        self.by_name[name].as_ref().map_err(String::as_str)
    }
}

/// Rules for the content of a trace, as the end of a message.
pub(super) fn allowed() -> String {
    format!(
        "a header {} and a line of three numbers for each waypoint, times ascending from 0 to {} s, places \
         within {} km",
        COLUMNS.join(","),
        MAX_DURATION.as_nanos() / 1_000_000_000,
        FAR / 1_000,
    )
}

fn stations(root: &Node) -> impl Iterator<Item = &Node> {
    let all = member(root, "station").map(entries).unwrap_or_default();
    all.iter().map(|(_, station)| station)
}

/// File that a station's mobility names.
fn file(station: &Node) -> Option<&str> {
    let mobility = member(station, "mobility")?;
    let text = |key| match &member(mobility, key)?.value {
        Value::Text(text) => Some(text.as_str()),
        _ => None,
    };
    text("file").filter(|name| text("model") == Some("trace") && is_name(name))
}

/// True if a text can be the name of a trace file.
fn is_name(text: &str) -> bool {
    text.chars().count() <= MAX_TITLE && !text.chars().any(is_unprintable)
}

fn entries(node: &Node) -> &[(String, Node)] {
    if let Value::Table(entries) = &node.value { entries } else { &[] }
}

fn member<'n>(node: &'n Node, key: &str) -> Option<&'n Node> {
    entries(node).iter().find(|(name, _)| name == key).map(|(_, value)| value)
}

/// Parses a trace. Messages name the line and never quote it, because the file may contain anything.
fn waypoints(octets: &[u8]) -> Result<Waypoints, String> {
    if octets.len() > MAX_TRACE {
        return Err(format!("larger than {} MiB", MAX_TRACE >> 20));
    }
    let octets = octets.strip_prefix(b"\xef\xbb\xbf").unwrap_or(octets);
    let lines = octets.split(|octet| *octet == b'\n').map(<[u8]>::trim_ascii);
    let mut rows = (1..).zip(lines).filter(|(_, line)| !line.is_empty());
    let header = rows.next().and_then(|(_, line)| values(line));
    if header != Some(COLUMNS) {
        return Err(format!("line 1: not the columns {}", COLUMNS.join(",")));
    }
    let mut points: Waypoints = Vec::new();
    for (number, line) in rows {
        let point = waypoint(line).map_err(|problem| format!("line {number}: {problem}"))?;
        if points.last().is_some_and(|last| point.0 <= last.0) {
            return Err(format!("line {number}: not later than the waypoint before"));
        }
        points.push(point);
    }
    if points.is_empty() { Err("no waypoints".to_owned()) } else { Ok(points) }
}

/// The three values of a line of a trace, without the quotes that some programs write.
fn values(line: &[u8]) -> Option<[&str; 3]> {
    let all: Vec<&str> = std::str::from_utf8(line)
        .ok()?
        .split(',')
        .map(|value| value.trim().trim_matches('"'))
        .collect();
    all.try_into().ok()
}

fn waypoint(line: &[u8]) -> Result<(Time, [Length; 2]), String> {
    let values = values(line).ok_or("not three values")?;
    let mut numbers = [0.0_f64; 3];
    for ((number, value), column) in numbers.iter_mut().zip(values).zip(COLUMNS) {
        *number = value.parse().map_err(|_| format!("{column} is not a number"))?;
    }
    let [seconds, x, y] = numbers;
    let within = |metres: f64| metres.abs() <= f64::from(FAR);
    if !(0.0..=MAX_DURATION.as_secs_f64()).contains(&seconds) || !within(x) || !within(y) {
        return Err("out of range".to_owned());
    }
    let time = Time::ZERO + Duration::from_nanos(rounded(seconds * 1e9));
    Ok((time, [Length::rounded(x), Length::rounded(y)]))
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "checked: within the longest run"
)]
fn rounded(nanoseconds: f64) -> u64 {
    libm::round(nanoseconds) as u64
}
