//! Limits of sizes that add up or multiply over the whole scenario, checked before they take memory.

use airfair_units::Duration;

use super::error::{Address, Mistakes, ScenarioError, Spoilt};
use super::reader::Entry;
use super::{Capacity, Flow, Queue, Quic, Scenario, Tcp, Tfrc, TfrcTraffic, Transport, Workload};

/// Largest number of parts of a scenario file, each of which takes memory. Parts are separated by commas, brackets,
/// equals signs and lines.
pub(super) const MAX_PARTS: usize = 4_000_000;
/// Largest scenario file [MiB].
pub(super) const MAX_FILE_MIB: usize = 24;
/// Largest scenario file [octets].
pub const MAX_FILE: usize = MAX_FILE_MIB << 20;
/// Largest number of waypoints, over all stations.
pub(super) const MAX_WAYPOINTS: usize = 50_000;
/// Largest number of steps in rate schedules, over all stations.
pub(super) const MAX_RATE_STEPS: usize = 50_000;
/// Largest number of pairs of stations that do not decode each other, over all stations; each pair counts twice.
pub(super) const MAX_RELATED: usize = 1_000_000;
/// Largest number of frames of media sources before they repeat, over all flows.
pub(super) const MAX_ALL_FRAMES: usize = 500_000;
/// Largest number of values of time series, over all items and replications. A value takes up to 64 octets.
const MAX_SERIES: u64 = 20_000_000;
/// Largest number of rows of results: flows, stations and directions of links, over all replications.
const MAX_ROWS: u64 = 2_000_000;
/// Largest number of packets for which all queues together have room.
const MAX_ROOM: u64 = 10_000_000;
/// Size of the smallest packet in a queue that counts octets [octets].
const SMALL_PACKET: u64 = 40;

/// Count of items, such as waypoints, over all sections of a file, which may have only so many of them. The first
/// excess over `most` is reported as a mistake.
pub(super) struct Budget {
    noun: &'static str,
    most: usize,
    spent: usize,
}

impl Budget {
    /// Creates a budget of `most` items; `noun` names the items in the plural, for a message.
    pub(super) const fn new(noun: &'static str, most: usize) -> Self {
        Self { noun, most, spent: 0 }
    }

    /// Adds `count` times `each` stations, flows and other items of a scenario to those counted so far.
    ///
    /// # Errors
    /// [`Spoilt`] if more items are spent than the budget has.
    pub(super) fn spend(
        &mut self,
        count: usize,
        each: usize,
        address: Address,
        mistakes: &mut Mistakes,
    ) -> Result<(), Spoilt> {
        let was_told = self.spent > self.most;
        self.spent = self.spent.saturating_add(count.saturating_mul(each));
        let has_room = self.spent <= self.most;
        if !was_told && !has_room {
            let problem = format!("{} {}, too many", self.spent, self.noun);
            let allowed = format!("at most {} in all", self.most);
            let Address { at, path } = address;
            mistakes.add(at, ScenarioError { path, found: String::new(), problem, allowed });
        }
        if has_room { Ok(()) } else { Err(Spoilt) }
    }
}

/// Number of parts of a scenario file, estimated before parsing by its commas, equals signs, brackets and lines.
pub(super) fn parts(text: &str) -> usize {
    text.bytes().filter(|octet| b",=[]{}\n".contains(octet)).count()
}

/// Number of frames of a flow's media source before they repeat.
pub(super) fn frames(flow: &Flow) -> usize {
    match &flow.transport {
        Transport::Tfrc(Tfrc { traffic: TfrcTraffic::Frames { frames, .. }, .. }) => frames.len(),
        Transport::Tcp(Tcp { source: Workload::Frames { sizes, .. }, .. })
        | Transport::Quic(Quic { source: Workload::Frames { sizes, .. }, .. }) => sizes.len(),
        _ => 0,
    }
}

/// Checks limits that depend on the whole scenario.
pub(super) fn check(
    scenario: &Scenario,
    series: &Entry,
    replications: &Entry,
    mistakes: &mut Mistakes,
) {
    check_series(scenario, series, mistakes);
    check_rows(scenario, replications, mistakes);
    check_room(scenario, mistakes);
}

fn check_series(scenario: &Scenario, entry: &Entry, mistakes: &mut Mistakes) {
    let Some(step) = scenario.series_step else { return };
    let steps = steps(scenario.duration, step);
    let things = rows(scenario) + scenario.cells.len() as u64;
    let replications = u64::from(scenario.replications);
    let values = steps.saturating_mul(things).saturating_mul(replications);
    if values > MAX_SERIES {
        let runs = if replications > 1 {
            format!(" in {replications} replications")
        } else {
            String::new()
        };
        let problem = format!(
            "{steps} steps of {step} for {things} flows, stations, access points and directions of links{runs} \
             are more than {MAX_SERIES} values"
        );
        let most = MAX_SERIES / things / replications;
        let allowed = match scenario.duration.as_nanos().div_ceil(most.max(1)) {
            longer if most > 0 && Duration::from_nanos(longer) < scenario.duration => {
                let unit: u64 = if longer < 1_000_000_000 { 1_000 } else { 1_000_000_000 };
                let longer = Duration::from_nanos(longer.next_multiple_of(unit));
                format!("\"off\", or a step of {longer} or more")
            }
            _ => "\"off\"".to_owned(),
        };
        mistakes.add(entry.at, entry.mistake(problem, allowed));
    }
}

/// Number of steps of a run; the last step may be short.
fn steps(duration: Duration, step: Duration) -> u64 {
    duration.as_nanos().div_ceil(step.as_nanos())
}

/// Number of rows of results per replication: flows, stations and directions of links.
fn rows(scenario: &Scenario) -> u64 {
    (scenario.flows.len() + scenario.stations.len() + 2 * scenario.links.len()) as u64
}

fn check_rows(scenario: &Scenario, entry: &Entry, mistakes: &mut Mistakes) {
    let rows = rows(scenario);
    if rows * u64::from(scenario.replications) > MAX_ROWS {
        let problem = format!("too many with {rows} flows, stations and directions of links");
        let allowed = format!("at most {}", MAX_ROWS / rows);
        mistakes.add(entry.at, entry.mistake(problem, allowed));
    }
}

fn check_room(scenario: &Scenario, mistakes: &mut Mistakes) {
    let of = |queue: &Queue| u64::from(queue.config.packets);
    let stations = scenario.stations.iter();
    let stations =
        stations.map(|station| (["station", &station.name, "queue"], of(&station.queue)));
    let cells =
        scenario.cells.iter().map(|bss| (["bss", &bss.name, "ap.queue"], of(&bss.ap.queue)));
    let links = scenario.links.iter().enumerate().map(|(index, link)| {
        let room = match link.queue.capacity {
            Capacity::Packets(packets) => u64::from(packets),
            Capacity::Bytes(size) => size.get() / SMALL_PACKET,
        };
        let is_hosts = index < scenario.hosts.len();
        let [section, key] = if is_hosts { ["host", "link.queue"] } else { ["link", "queue"] };
        ([section, &link.name, key], 2 * room)
    });
    let queues: Vec<([&str; 3], u64)> = stations.chain(cells).chain(links).collect();
    let room: u64 = queues.iter().map(|(_, packets)| packets).sum();
    let largest = queues.into_iter().max_by_key(|(_, packets)| *packets);
    if let Some((place, _)) = largest.filter(|_| room > MAX_ROOM) {
        let problem = format!("together with the other queues, room for {room} packets");
        let allowed = format!("room for at most {MAX_ROOM} in all");
        let (path, found) = (place.join("."), String::new());
        mistakes.add(0, ScenarioError { path, found, problem, allowed });
    }
}
