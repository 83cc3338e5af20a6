//! Stations: groups made by `count`, and pairs of stations that do not decode or sense each other.

use std::collections::BTreeSet;
use std::ops::Range;

use airfair_units::DataRate;
use airfair_wlan::Channel;
use airfair_wlan::phy::Standard;
use airfair_wlan::phy::rate_name::LinkFormat;

use super::access::{self, OwnAccess, Windows};
use super::context::Context;
use super::declare::Keys;
use super::error::{Address, Mistakes, ScenarioError, Spoilt, listed, nearest};
use super::keys::{MAX_STATIONS, Written};
use super::kind::{MAX_NAME, Words};
use super::names::{Names, Target};
use super::overrides::did_you_mean;
use super::radio::{GroupTrajectory, no_radio, trajectory};
use super::rates::{Ends, OneWay, rates};
use super::reader::{Entry, Fields};
use super::size::{Budget, MAX_RATE_STEPS, MAX_RELATED, MAX_WAYPOINTS};
use super::{Station, capabilities, keys, neighbours, printed, queues};

/// A section `[station.NAME]`: a station, or a group of equal ones.
pub(super) struct Group<'n> {
    fields: Fields<'n>,
    cell: Option<usize>,
    standard: Option<Standard>,
    access: OwnAccess,
    rates: Option<[OneWay; 2]>,
    trajectory: Result<Option<GroupTrajectory>, Spoilt>,
    count: Option<usize>,
    /// Member of the group without its name, rates and position.
    station: Option<Station>,
}

/// Reads all sections `[station.NAME]`: each is a station or, with `count`, a group of equal ones. Relations between
/// sections are read later.
pub(super) fn groups<'n>(
    entry: Entry<'n>,
    context: &Context,
    mistakes: &mut Mistakes,
) -> Vec<Group<'n>> {
    entry.named().into_iter().map(|fields| group(fields, context, mistakes)).collect()
}

/// Mistake for a section that is missing.
pub(super) fn missing(section: &str) -> ScenarioError {
    ScenarioError {
        path: section.to_owned(),
        found: String::new(),
        problem: "missing section".to_owned(),
        allowed: format!("[{section}.NAME]"),
    }
}

fn group<'n>(fields: Fields<'n>, context: &Context, mistakes: &mut Mistakes) -> Group<'n> {
    let cell = cell_of(fields.get("bss"), context, mistakes);
    let bss = cell.map(|cell| &context.cells[cell]);
    let air = bss.and_then(|bss| bss.standard.zip(bss.channel));
    let standard = standard(fields.get("standard"), air, mistakes);
    let link = capabilities::link(&fields, air.zip(standard), mistakes);
    let open = bss.map(|bss| bss.open).unwrap_or_default();
    let band = air.map(|(_, channel)| channel.band);
    let link = link.map(|link| printed::link_for(&fields, open, band?, link));
    let ends = standard.zip(link.as_ref().ok().copied());
    let ends = ends.zip(band).map(|((standard, link), band)| Ends { standard, link, band });
    let rates = rates(fields.get("rate"), ends, context.duration, mistakes);
    queues::check_discipline(fields.get("queue"), false, mistakes);
    let usual = bss.zip(standard).map(|(bss, standard)| bss.access(standard));
    let access = access::of_station(&fields, usual, mistakes);
    let has_radio = bss.and_then(|bss| bss.has_radio);
    for key in ["senses_only", "hidden_from", "errors"] {
        no_radio(fields.get(key), has_radio, mistakes);
    }
    if bss.is_some_and(|bss| bss.is_alone) {
        neighbours::needs_channel(fields.get("hears"), mistakes);
    } else {
        no_radio(fields.get("hears"), has_radio, mistakes);
    }
    let trajectory = trajectory(&fields, has_radio, &context.traces, mistakes);
    let count = fields.get("count").integer();
    let station = || {
        let errors = bss?.errors.unwrap_or_default();
        let link = link.as_ref().ok().copied()?;
        let station = Station::new(fields.name, cell?, standard?, link, errors);
        let station = Station { access: usual?, ..station };
        Keys::read(&fields, station, |keys, it| keys::station(keys, it, Written::default()))
    };
    let station = station();
    Group { fields, cell, standard, access, rates, trajectory, count, station }
}

/// Index of the cell that a station names.
fn cell_of(entry: &Entry, context: &Context, mistakes: &mut Mistakes) -> Option<usize> {
    let names = || context.cells.iter().map(|cell| cell.name.as_str());
    let all = || listed(names());
    if entry.bad || !context.cells_complete {
        return None;
    }
    let Some(name) = entry.text() else {
        if names().count() > 1 {
            let error = entry.mistake("missing, and there are several cells", all());
            mistakes.add(entry.at, error);
        }
        return (names().count() == 1).then_some(0);
    };
    let index = names().position(|cell| cell == name);
    if index.is_none() {
        let hint = did_you_mean(nearest(name, names()));
        mistakes.add(entry.at, entry.mistake(format!("no such cell{hint}"), all()));
    }
    index
}

/// Standard of a station: the cell's, or an older one of the band.
fn standard(
    entry: &Entry,
    cell: Option<(Standard, Channel)>,
    mistakes: &mut Mistakes,
) -> Option<Standard> {
    if !entry.is_set() && !entry.bad {
        return cell.map(|(standard, _)| standard);
    }
    let own = Standard::of(entry.word()?);
    let (standard, channel) = cell?;
    let fits = capabilities::standards(standard, channel.band);
    if !fits.contains(&own) {
        let allowed: Vec<String> = fits.iter().map(|it| format!("\"{it}\"")).collect();
        let band = if standard.bands().len() > 1 {
            format!(" at {}", channel.band)
        } else {
            String::new()
        };
        let problem = format!("not possible in an {standard} cell{band}");
        mistakes.add(entry.at, entry.mistake(problem, allowed.join(", ")));
        return None;
    }
    Some(own)
}

/// All stations, with the groups from which they come.
pub(super) struct Expanded<'n> {
    groups: Vec<(Group<'n>, usize)>,
    stations: Vec<Option<Station>>,
}

/// Makes the stations of each group and declares their names.
pub(super) fn expand<'n>(
    groups: Vec<Group<'n>>,
    names: &mut Names,
    mistakes: &mut Mistakes,
) -> Expanded<'n> {
    let total: usize = groups.iter().map(|group| group.count.unwrap_or(1)).sum();
    if total > MAX_STATIONS {
        let (path, found) = ("station".to_owned(), format!("{total} stations"));
        let (problem, allowed) = ("too many".to_owned(), format!("at most {MAX_STATIONS}"));
        mistakes.add(groups[0].fields.at, ScenarioError { path, found, problem, allowed });
        names.distrust();
        return Expanded { groups: Vec::new(), stations: Vec::new() };
    }
    let mut expanded = Expanded { groups: Vec::new(), stations: Vec::new() };
    let mut waypoints = Budget::new("waypoints", MAX_WAYPOINTS);
    let mut steps = Budget::new("steps of rates", MAX_RATE_STEPS);
    for mut group in groups {
        let count = group.count.unwrap_or(1);
        let address = group.fields.address();
        let room = waypoints.spend(count, group.waypoints(), address.below("mobility"), mistakes);
        if let Err(spoilt) = room {
            group.trajectory = Err(spoilt);
        }
        if steps.spend(count, group.rate_steps(), address.below("rate"), mistakes).is_err() {
            group.rates = None;
        }
        let first = expanded.stations.len();
        members(&group, first, names, mistakes);
        for i in 1..=group.count.unwrap_or(1) {
            expanded.stations.push(group.station(i));
        }
        expanded.groups.push((group, first));
    }
    expanded
}

fn members(group: &Group, first: usize, names: &mut Names, mistakes: &mut Mistakes) {
    let Fields { name, path, at, .. } = &group.fields;
    let address = &group.fields.address();
    let Some(count) = group.count else {
        names.declare(name, Target::Unknown, address, mistakes);
        names.distrust();
        return;
    };
    if count == 1 {
        return names.declare(name, Target::Station(first), address, mistakes);
    }
    if group.member(count).len() > MAX_NAME && name.len() <= MAX_NAME {
        let (path, found) = (path.clone(), String::new());
        let problem = "the name is too long for a group, whose members are numbered".to_owned();
        let allowed = format!("{MAX_NAME} characters, the number included");
        mistakes.add(*at, ScenarioError { path, found, problem, allowed });
    }
    names.declare(name, Target::Group { first, count }, address, mistakes);
    for i in 1..=count {
        names.declare(&group.member(i), Target::Station(first + i - 1), address, mistakes);
    }
}

impl<'n> Expanded<'n> {
    /// Keys of each group, with the indices of its stations.
    pub(super) fn sections(&self) -> impl Iterator<Item = (&Fields<'n>, Range<usize>)> {
        self.groups
            .iter()
            .map(|(group, first)| (&group.fields, *first..first + group.count.unwrap_or(1)))
    }
}

impl Group<'_> {
    /// Number of waypoints of one member of the group.
    fn waypoints(&self) -> usize {
        self.trajectory.as_ref().ok().and_then(Option::as_ref).map_or(0, GroupTrajectory::waypoints)
    }

    /// Number of steps in the rate schedules of one member of the group, up and down.
    fn rate_steps(&self) -> usize {
        self.rates.iter().flatten().map(|(schedule, _)| schedule.len() - 1).sum()
    }

    /// Name of the `i`-th member of the group, from 1.
    fn member(&self, i: usize) -> String {
        if self.count.is_some_and(|count| count > 1) {
            format!("{}{i}", self.fields.name)
        } else {
            self.fields.name.to_owned()
        }
    }

    fn station(&self, i: usize) -> Option<Station> {
        let [(rate_up, law_up), (rate_down, law_down)] = self.rates.clone()?;
        let trajectory = |group: &GroupTrajectory| group.member(i, self.count.unwrap_or(1));
        Some(Station {
            name: self.member(i),
            rate_up,
            rate_down,
            adaptation: [law_up, law_down],
            trajectory: self.trajectory.as_ref().ok()?.as_ref().map(trajectory),
            ..self.station.clone()?
        })
    }
}

/// All stations, each with the stations that it does not decode or sense, and the facts about them that their cells
/// need.
pub(super) struct Hearing {
    stations: Vec<Option<Station>>,
    members: Vec<Member>,
}

/// Facts about a station that its cell needs.
struct Member {
    name: String,
    cell: Option<usize>,
    standard: Option<Standard>,
    link: Option<LinkFormat>,
    access: OwnAccess,
}

/// Resolves the keys `senses_only` and `hidden_from` of all stations, and makes both relations symmetric.
pub(super) fn hearing(expanded: Expanded, names: &Names, mistakes: &mut Mistakes) -> Hearing {
    let Expanded { groups, mut stations } = expanded;
    let cells: Vec<Option<usize>> =
        stations.iter().map(|station| station.as_ref().map(|station| station.cell)).collect();
    let deaf = relation(&groups, &cells, "senses_only", names, mistakes);
    let hidden = relation(&groups, &cells, "hidden_from", names, mistakes);
    for (station, (deaf, hidden)) in stations.iter_mut().zip(deaf.into_iter().zip(hidden)) {
        let Some(station) = station else { continue };
        if let Some(both) = deaf.iter().find(|other| hidden.binary_search(other).is_ok()) {
            let (group, _) = groups.iter().rfind(|(_, first)| first <= both).expect("its group");
            let (path, found) = (group.fields.path.clone(), String::new());
            let problem = format!("both senses_only and hidden_from relate it to {}", station.name);
            let allowed = "one of the two".to_owned();
            mistakes.add(group.fields.at, ScenarioError { path, found, problem, allowed });
        }
        (station.senses_only, station.hidden_from) = (deaf, hidden);
    }
    let member = |(group, _): (Group, usize)| Member {
        name: group.fields.name.to_owned(),
        cell: group.cell,
        standard: group.standard,
        link: group.station.as_ref().and_then(|station| station.link).map(|link| link.format),
        access: group.access,
    };
    Hearing { stations, members: groups.into_iter().map(member).collect() }
}

/// Stations that each station names under `key`, or that name it, ascending.
fn relation(
    groups: &[(Group, usize)],
    cells: &[Option<usize>],
    key: &str,
    names: &Names,
    mistakes: &mut Mistakes,
) -> Vec<Vec<usize>> {
    let mut related: Vec<BTreeSet<usize>> = vec![BTreeSet::new(); cells.len()];
    let mut pairs = Budget::new("stations that others do not decode", MAX_RELATED);
    for (group, first) in groups {
        let own = *first..first + group.count.unwrap_or(1);
        let mut seen = BTreeSet::new();
        for entry in group.fields.get(key).items() {
            let Some(others) = others(entry, names, mistakes) else { continue };
            if cells[others.start].zip(group.cell).is_some_and(|(theirs, own)| theirs != own) {
                let problem = "in another cell";
                mistakes.add(entry.at, entry.mistake(problem, "stations of the same cell"));
                continue;
            }
            if others.start < own.end && own.start < others.end {
                let problem = "the station itself";
                mistakes.add(entry.at, entry.mistake(problem, "names of other stations"));
                continue;
            }
            let address = Address { at: entry.at, path: entry.path.clone() };
            if !seen.insert((others.start, others.end))
                || pairs.spend(2 * own.len(), others.len(), address, mistakes).is_err()
            {
                continue;
            }
            own.clone().for_each(|a| related[a].extend(others.clone()));
            others.for_each(|b| related[b].extend(own.clone()));
        }
    }
    related.into_iter().map(|others| others.into_iter().collect()).collect()
}

/// Stations that an entry names: one station or the members of a group.
fn others(entry: &Entry, names: &Names, mistakes: &mut Mistakes) -> Option<Range<usize>> {
    match names.end(entry, mistakes)? {
        Target::Station(index) => Some(index..index + 1),
        Target::Group { first, count } => Some(first..first + count),
        Target::Host(_) => {
            let problem = "a host, which is not on the air";
            mistakes.add(entry.at, entry.mistake(problem, "names of stations"));
            None
        }
        _ => None,
    }
}

/// Facts about the stations of one cell.
pub(super) struct CellMembers<'h> {
    members: Vec<&'h Member>,
}

impl Hearing {
    /// Stations of the cell `index`. A station whose cell is unknown may be in any cell.
    pub(super) fn of_cell(&self, index: usize) -> CellMembers<'_> {
        let is_here = |member: &&Member| member.cell.is_none_or(|cell| cell == index);
        CellMembers { members: self.members.iter().filter(is_here).collect() }
    }

    /// All stations of the cell; `None` if a mistake hides one.
    pub(super) fn complete(self) -> Option<Vec<Station>> {
        self.stations.into_iter().collect()
    }
}

impl CellMembers<'_> {
    /// Formats of the links between the cell's stations and the access point.
    pub(super) fn links(&self) -> impl Iterator<Item = LinkFormat> {
        self.members.iter().filter_map(|member| member.link)
    }

    /// Checks each station's channel access against the cell's windows.
    pub(super) fn check_access(&self, cell: Windows, mistakes: &mut Mistakes) {
        self.members.iter().for_each(|member| member.access.check(cell, mistakes));
    }

    /// True if the cell has an 802.11b station; `None` if a mistake hides it.
    pub(super) fn b_stations(&self) -> Option<bool> {
        let is_b = |member: &&Member| member.standard.map(|s| s == Standard::B);
        if self.members.iter().any(|member| is_b(member) == Some(true)) {
            return Some(true);
        }
        self.members.iter().all(|member| is_b(member).is_some()).then_some(false)
    }

    /// Name of the first 802.11b station, if 802.11b lacks `rate`.
    pub(super) fn first_without(&self, rate: DataRate) -> Option<&str> {
        let b_station = self.members.iter().find(|member| member.standard == Some(Standard::B));
        let lacks = !Standard::B.rates().contains(&rate);
        b_station.filter(|_| lacks).map(|member| member.name.as_str())
    }
}
