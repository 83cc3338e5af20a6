//! Checks of a cell's radio, and of the positions of its stations.

use airfair_units::{Duration, Length};
use airfair_wlan::radio::{Decoder, RandomWaypointError};

use super::declare::Keys;
use super::error::{Mistakes, ScenarioError, Spoilt};
use super::keys::{MOBILITY, range_rate};
use super::kind::Words;
use super::legacy_rates::not_a_rate;
use super::reader::{Entry, Fields};
use super::traces::Traces;
use super::{CellRates, Motion, NotThere, Radio, Trajectory, keys};

/// Checks the key `radio` of a cell. True if the cell has a radio; `None` if a mistake hides it.
pub(super) fn check(
    entry: &Entry,
    rates: Option<CellRates>,
    mistakes: &mut Mistakes,
) -> Option<bool> {
    if entry.word().is_some() {
        return Some(false);
    }
    let fields = entry.fields()?;
    let range = fields.get("range");
    let ranges = check_ranges(range, rates, mistakes);
    for (key, from) in [("tx_power", 1), ("propagation", 2)] {
        let entry = fields.get(key);
        if entry.is_set() && !entry.bad && ranges.unwrap_or(0) >= from {
            let problem = "computed from range, which is set";
            mistakes.add(entry.at, entry.mistake(problem, "one of the two"));
        }
    }
    let reception = fields.get("reception");
    let decoder = Decoder::of(reception.word()?);
    if decoder == Decoder::Qualnet4 && !rates?.are_80211a() {
        let problem = "QualNet's powers and sensitivities exist for 802.11a only";
        mistakes.add(reception.at, reception.mistake(problem, "\"snr\", \"sensitivity\""));
        return None;
    }
    ranges?;
    let radio = Keys::read(fields, Radio::new(rates?.band), keys::radio)?;
    if let Err(error) = radio.solved(rates?) {
        let problem = error.to_string();
        mistakes.add(range.at, range.mistake(problem, "ranges that one transmit power can have"));
        return None;
    }
    Some(true)
}

/// Number of rates for which the radio's key `range` gives the distance that they reach; `None` if one contains a
/// mistake. `rates` are those that the cell has.
fn check_ranges(entry: &Entry, rates: Option<CellRates>, mistakes: &mut Mistakes) -> Option<usize> {
    if entry.bad {
        return None;
    }
    let items = entry.items();
    let mut pairs = Vec::new();
    for item in items {
        let Some(pair) = item.places() else { continue };
        let Some((rate, rates)) = range_rate(&pair[0]).zip(rates) else { continue };
        match rates.vector(rate) {
            Ok(vector) => pairs.extend(pair[1].value::<Length>().map(|range| (vector, range))),
            Err(NotThere::Legacy) => mistakes.add(item.at, not_a_rate(item, rates.legacy)),
            Err(NotThere::Mode(bad)) => {
                mistakes.add(item.at, item.mistake(bad.problem(), bad.allowed()));
            }
        }
    }
    if entry.is_set() && !(1..=2).contains(&items.len()) {
        let allowed = "the ranges of one rate or of two";
        mistakes.add(entry.at, entry.mistake("not one or two rates", allowed));
        return None;
    }
    pairs.sort_unstable_by_key(|(vector, range)| (vector.rate(), *range));
    if let [(low, far), (high, near)] = pairs[..] {
        let entry = items.last().expect("two items");
        let is_twice = low.rate() == high.rate();
        let told = is_twice.then(|| ("given twice".to_owned(), "each rate once".to_owned()));
        let too_far = || {
            let problem = format!("{high} has no shorter range than {low}");
            (near >= far).then(|| (problem, format!("less than {far} for {high}")))
        };
        if let Some((problem, allowed)) = told.or_else(too_far) {
            mistakes.add(entry.at, entry.mistake(problem, allowed));
            return None;
        }
    }
    Some(pairs.len()).filter(|count| *count == items.len())
}

/// Reports a key that decides which stations hear each other in a cell with a radio, where powers and distances
/// decide.
pub(super) fn no_radio(entry: &Entry, has_radio: Option<bool>, mistakes: &mut Mistakes) {
    if has_radio == Some(true) && entry.is_set() && !entry.bad {
        let problem = "the cell has a radio, which decides this";
        mistakes.add(entry.at, entry.mistake(problem, "one of the two"));
    }
}

/// Reports the position of an access point or a station in a cell without a radio.
pub(super) fn no_position(entry: &Entry, has_radio: Option<bool>, mistakes: &mut Mistakes) {
    if has_radio == Some(false) && entry.is_set() && !entry.bad && entry.word().is_none() {
        let problem = "its cell has no radio, so positions have no effect";
        mistakes.add(entry.at, entry.mistake(problem, "bss.NAME.radio = { … } as well"));
    }
}

/// Trajectories of the members of a group.
#[derive(Debug)]
pub(super) struct GroupTrajectory {
    at: At,
    motion: Motion,
}

#[derive(Debug)]
enum At {
    Point([Length; 2]),
    /// Positions evenly spaced on a circle with this radius around the access point.
    Circle(Length),
}

impl GroupTrajectory {
    /// Number of waypoints of one member of the group.
    pub(super) fn waypoints(&self) -> usize {
        if let Motion::Waypoints(points) = &self.motion { points.len() } else { 0 }
    }

    /// Trajectory of the `i`-th of the `count` members of the group, from 1.
    pub(super) fn member(&self, i: usize, count: usize) -> Trajectory {
        let position = match self.at {
            At::Point(point) => point,
            At::Circle(radius) => on_circle(radius, i - 1, count),
        };
        Trajectory { position, motion: self.motion.clone() }
    }
}

#[expect(clippy::cast_precision_loss, reason = "a few thousand stations")]
fn on_circle(radius: Length, i: usize, count: usize) -> [Length; 2] {
    let angle = 2.0 * std::f64::consts::PI * i as f64 / count as f64;
    let radius = radius.as_metres();
    [Length::rounded(radius * libm::cos(angle)), Length::rounded(radius * libm::sin(angle))]
}

/// Reads the trajectories of a group, if its cell has a radio.
pub(super) fn trajectory(
    fields: &Fields,
    has_radio: Option<bool>,
    traces: &Traces,
    mistakes: &mut Mistakes,
) -> Result<Option<GroupTrajectory>, Spoilt> {
    let (position, mobility) = (fields.get("position"), fields.get("mobility"));
    if !has_radio.ok_or(Spoilt)? {
        no_position(position, has_radio, mistakes);
        no_position(mobility, has_radio, mistakes);
        return if position.bad || mobility.bad { Err(Spoilt) } else { Ok(None) };
    }
    on_radio(position, mobility, traces, mistakes).map(Some).ok_or(Spoilt)
}

fn on_radio(
    position: &Entry,
    mobility: &Entry,
    traces: &Traces,
    mistakes: &mut Mistakes,
) -> Option<GroupTrajectory> {
    let is_set = position.is_set();
    let motion = motion(mobility, traces, mistakes)?;
    let needs_none = motion.says_where_it_starts();
    if needs_none && is_set && !position.bad {
        let problem = "mobility already sets the position at the start";
        mistakes.add(position.at, position.mistake(problem, "one of the two"));
        return None;
    }
    if !needs_none && !is_set && !position.bad {
        let problem = "missing, but its cell has a radio";
        let allowed = "a pair such as [\"10 m\", \"0 m\"], or { circle = \"10 m\" }";
        mistakes.add(position.at, position.mistake(problem, allowed));
        return None;
    }
    let at = if needs_none { At::Point(first_point(&motion)) } else { at(position)? };
    let trajectory = GroupTrajectory { at, motion };
    if let Err(error) = trajectory.member(1, 1).checked() {
        use RandomWaypointError as E;
        let (key, allowed) = match error {
            E::NoRegion => ("corners", "two corners that differ"),
            E::NegativeSpeed | E::NoSpeed => {
                ("max_speed", "more than 0 m/s, and at least min_speed")
            }
            E::NoSteadyState => {
                ("begin", "\"uniform\" or \"position\", or a min_speed above 0 m/s")
            }
            E::StartOutside => ("begin", "a position inside of the region"),
        };
        let mistake = mobility.mistake(error.to_string(), allowed);
        let path = format!("{}.{key}", mobility.path);
        mistakes.add(mobility.at, ScenarioError { path, ..mistake });
        return None;
    }
    Some(trajectory)
}

fn first_point(motion: &Motion) -> [Length; 2] {
    match motion {
        Motion::Waypoints(points) => points.first().map_or([Length::ZERO; 2], |first| first.1),
        _ => [Length::ZERO; 2],
    }
}

fn at(entry: &Entry) -> Option<At> {
    match entry.fields() {
        Some(fields) => fields.get("circle").value().map(At::Circle),
        None => keys::point(entry).map(At::Point),
    }
}

fn motion(entry: &Entry, traces: &Traces, mistakes: &mut Mistakes) -> Option<Motion> {
    let (moving, fields) = (MOBILITY.variant(entry)?, entry.fields());
    match (moving.motion, fields) {
        (Motion::Waypoints(_), Some(fields)) if moving.is_in_file => {
            let file = fields.get("file");
            match traces.get(file.text()?) {
                Ok(points) => return Some(Motion::Waypoints(points.clone())),
                Err(problem) => {
                    mistakes.add(file.at, file.mistake(problem, super::traces::allowed()));
                    return None;
                }
            }
        }
        (Motion::Waypoints(_), Some(fields)) => check_waypoints(fields.get("points"), mistakes)?,
        (Motion::RandomWaypoint { .. }, Some(fields)) => check_area(fields, mistakes)?,
        _ => {}
    }
    Some(MOBILITY.read(entry)?.motion)
}

fn check_waypoints(entry: &Entry, mistakes: &mut Mistakes) -> Option<()> {
    if entry.bad {
        return None;
    }
    if entry.items().is_empty() {
        mistakes.add(entry.at, entry.mistake("no waypoints", "one at least"));
        return None;
    }
    let mut last = None;
    for item in entry.items() {
        let time = item.places()?[0].value::<Duration>()?;
        if let Some(last) = last.filter(|last| time <= *last) {
            let allowed = format!("after {last}");
            mistakes.add(item.at, item.mistake("not later than the waypoint before", allowed));
            return None;
        }
        last = Some(time);
    }
    Some(())
}

fn check_area(fields: &Fields, mistakes: &mut Mistakes) -> Option<()> {
    let (radius, corners) = (fields.get("radius"), fields.get("corners"));
    if radius.bad || corners.bad {
        return None;
    }
    let (problem, allowed) = match (radius.is_set(), corners.is_set()) {
        (true, true) => ("set together with radius", "one of radius and corners"),
        (false, false) => ("neither radius nor corners", "one of radius and corners"),
        (false, true) if corners.items().len() != 2 => ("not two corners", "two opposite corners"),
        _ => return Some(()),
    };
    mistakes.add(corners.at, corners.mistake(problem, allowed));
    None
}
