//! Neighbours: checks of the channels of cells, and of the lists of members that hear each other across cells.

use std::collections::BTreeSet;
use std::ops::Range;

use airfair_wlan::Channel;
use airfair_wlan::phy::{Band, Block, NoSuchBlock, Standard};

use super::error::{Address, Mistakes, listed};
use super::names::{HeardName, Names};
use super::reader::{Entry, Fields};
use super::size::{Budget, MAX_RELATED};
use super::{Bss, Heard, Member, Scenario};

/// Checks the key `channel` of a cell, and that the keys that need it do not occur without it.
pub(super) fn check_channel(
    fields: &Fields,
    standard: Option<Standard>,
    channel: Option<Channel>,
    mistakes: &mut Mistakes,
) {
    let entry = fields.get("channel");
    if !entry.is_set() {
        let ap = fields.get("ap").fields().map(|ap| ap.get("hears"));
        let others = [fields.get("width_rule"), fields.get("hears")].into_iter().chain(ap);
        others.for_each(|other| needs_channel(other, mistakes));
        return;
    }
    let Some(((primary, channel), standard)) = entry.integer().zip(channel).zip(standard) else {
        return;
    };
    let (band, width) = (channel.band, channel.width);
    let is_here = |it: &u8| standard == Standard::B || (band, *it) != (Band::Ghz2, 14);
    let allowed: Vec<u8> = Block::primaries(band, width).filter(is_here).collect();
    if !allowed.contains(&primary) {
        let problem = format!("no primary channel of {width} at {band} for {standard}");
        let allowed = NoSuchBlock { band, primary, width, allowed }.allowed_channels();
        mistakes.add(entry.at, entry.mistake(problem, allowed));
    }
}

/// Checks the keys of a cell's BSS colour and of spatial reuse.
pub(super) fn check_spatial_reuse(
    fields: &Fields,
    standard: Option<Standard>,
    has_radio: Option<bool>,
    mistakes: &mut Mistakes,
) {
    let (colour, level) = (fields.get("colour"), fields.get("obss_pd"));
    let is_set = |entry: &Entry| entry.is_set() && !entry.bad;
    if let Some(standard) = standard.filter(|it| *it < Standard::Ax) {
        for entry in [colour, level].into_iter().filter(|it| is_set(it)) {
            let problem = format!("{standard} does not have this setting");
            mistakes.add(entry.at, entry.mistake(problem, "with 802.11ax or later"));
        }
    } else if is_set(level) {
        let lacks = [("colour", !colour.is_set()), ("radio", has_radio == Some(false))];
        for (key, _) in lacks.into_iter().filter(|(_, is_missing)| *is_missing) {
            let problem = format!("the cell has no {key}");
            let allowed = format!("together with the key {key} of the cell");
            mistakes.add(level.at, level.mistake(problem, allowed));
        }
    }
}

/// Reports the key of `entry` if it is set, because its cell has no key `channel`.
pub(super) fn needs_channel(entry: &Entry, mistakes: &mut Mistakes) {
    if entry.is_set() && !entry.bad {
        let problem = "the cell has a channel of its own";
        mistakes.add(entry.at, entry.mistake(problem, "together with the key channel of the cell"));
    }
}

/// Members whose list a list `hears` is.
#[derive(Clone, Debug)]
pub(super) enum Owner {
    /// Members of a cell that have no list of their own.
    Cell(usize),
    AccessPoint(usize),
    Stations(Range<usize>),
}

/// List `hears` of the file.
pub(super) struct List<'n> {
    owner: Owner,
    /// Items of the list, each with the members that it names.
    items: Vec<(Entry<'n>, Vec<Heard>)>,
}

/// Lists `hears` of the file. Names are resolved and otherwise unchecked.
pub(super) fn lists<'n>(
    entries: impl Iterator<Item = (Owner, Entry<'n>)>,
    names: &Names,
    mistakes: &mut Mistakes,
) -> Vec<List<'n>> {
    let mut budget = Budget::new("members that others hear", MAX_RELATED);
    let mut lists = Vec::new();
    for (owner, entry) in entries.filter(|(_, entry)| entry.is_set()) {
        let owners = if let Owner::Stations(range) = &owner { range.len() } else { 1 };
        let (mut items, mut seen) = (Vec::new(), BTreeSet::new());
        for item in entry.items().iter().filter(|item| seen.insert(item.text())) {
            let Some(name) = names.heard(item, mistakes) else { continue };
            let heard = heard(name);
            let address = Address { at: item.at, path: item.path.clone() };
            if budget.spend(owners, heard.len(), address, mistakes).is_ok() {
                items.push((item.clone(), heard));
            }
        }
        lists.push(List { owner, items });
    }
    lists
}

/// Items of a list for a name in it.
fn heard(name: HeardName) -> Vec<Heard> {
    match name {
        HeardName::Cell(cell) => vec![Heard::Cell(cell)],
        HeardName::AccessPoint(cell) => vec![Heard::Member(Member::AccessPoint(cell))],
        HeardName::Stations(range) => {
            range.map(|index| Heard::Member(Member::Station(index))).collect()
        }
    }
}

impl List<'_> {
    /// Puts the list into the scenario.
    fn apply(&self, scenario: &mut Scenario) {
        let mut all: Vec<Heard> = self.items.iter().flat_map(|(_, heard)| heard).copied().collect();
        all.sort_unstable();
        all.dedup();
        match &self.owner {
            Owner::Cell(cell) => scenario.cells[*cell].hears = Some(all),
            Owner::AccessPoint(cell) => scenario.cells[*cell].ap.hears = Some(all),
            Owner::Stations(range) => {
                let stations = &mut scenario.stations[range.clone()];
                for station in stations {
                    station.hears = Some(all.clone());
                }
            }
        }
    }
}

/// Puts the lists into the scenario, and checks what depends on several cells. `sections` holds the keys of each cell.
pub(super) fn check(
    scenario: &mut Scenario,
    lists: &[List],
    sections: &[&Fields],
    mistakes: &mut Mistakes,
) {
    for list in lists {
        list.apply(scenario);
    }
    if scenario.cells.iter().any(|bss| bss.channel.is_some() && bss.block().is_none()) {
        // Which cells overlap is not known.
        return;
    }
    check_overlaps(scenario, sections, mistakes);
    check_radios(scenario, sections, mistakes);
    check_energy_detection(scenario, sections, mistakes);
    let members = Members::of(scenario);
    for list in lists {
        members.check(list, mistakes);
    }
}

/// Checks that no two blocks overlap without a common channel of 20 MHz.
fn check_overlaps(scenario: &Scenario, sections: &[&Fields], mistakes: &mut Mistakes) {
    let mut has_dsss: Vec<bool> =
        scenario.cells.iter().map(|bss| bss.rules.standard == Standard::B).collect();
    for station in &scenario.stations {
        has_dsss[station.cell] |= station.standard == Standard::B;
    }
    let blocks: Vec<Option<Block>> = scenario.cells.iter().map(Bss::block).collect();
    let in_part = |index: usize, block: Block, other: usize| {
        let has_dsss = has_dsss[index] || has_dsss[other];
        blocks[other].is_some_and(|other| block.overlaps_in_part(other, has_dsss))
    };
    for (index, section) in sections.iter().enumerate() {
        let Some(block) = blocks[index] else { continue };
        let Some(other) = (0..index).find(|other| in_part(index, block, *other)) else { continue };
        let channel = &scenario.cells[index].rules.channel;
        let fits = |primary: &u8| {
            let block = Block::of(channel.band, *primary, channel.width);
            block.is_ok_and(|block| !(0..index).any(|other| in_part(index, block, other)))
        };
        let fitting: Vec<String> = Block::primaries(channel.band, channel.width)
            .filter(|primary| *primary != 14 && fits(primary))
            .map(|primary| primary.to_string())
            .collect();
        let allowed = if fitting.is_empty() {
            "none beside these cells".to_owned()
        } else {
            fitting.join(", ")
        };
        let (entry, name) = (section.get("channel"), &scenario.cells[other].name);
        let problem = format!("overlaps a channel of cell {name} in part, which is not modelled");
        mistakes.add(entry.at, entry.mistake(problem, allowed));
    }
}

/// Checks that of the cells with overlapping blocks all have a radio, or none.
fn check_radios(scenario: &Scenario, sections: &[&Fields], mistakes: &mut Mistakes) {
    let cells = &scenario.cells;
    for (bss, section) in cells.iter().zip(sections).filter(|(bss, _)| bss.radio.is_some()) {
        let lacks = |other: &&Bss| other.radio.is_none() && other.overlaps(bss);
        let Some(other) = cells.iter().find(lacks) else { continue };
        let entry = section.get("radio");
        let problem = format!("cell {} on an overlapping channel has none", other.name);
        let allowed = "a radio in all cells with overlapping channels, or in none of them";
        mistakes.add(entry.at, entry.mistake(problem, allowed));
    }
}

/// Checks that energy detection is set beside neighbours only, because interference is known there alone: a member that
/// misses a frame has its interference.
fn check_energy_detection(scenario: &Scenario, sections: &[&Fields], mistakes: &mut Mistakes) {
    let cells = || scenario.cells.iter().enumerate();
    for (index, bss) in cells() {
        let is_set = bss.radio.as_ref().is_some_and(|it| it.energy_detection.is_some());
        if is_set && !cells().any(|(other, it)| other != index && it.overlaps(bss)) {
            let Some(radio) = sections[index].get("radio").fields() else { continue };
            let entry = radio.get("energy_detection");
            let problem = "set in a cell without neighbours, in which no interference is computed";
            let allowed = "in cells with overlapping channels, by the key channel";
            mistakes.add(entry.at, entry.mistake(problem, allowed));
        }
    }
}

/// Members of each cell of a scenario.
struct Members<'s> {
    scenario: &'s Scenario,
    of_cells: Vec<Vec<Member>>,
}

impl<'s> Members<'s> {
    fn of(scenario: &'s Scenario) -> Self {
        let cells = 0..scenario.cells.len();
        let mut of_cells: Vec<Vec<Member>> =
            cells.map(|cell| vec![Member::AccessPoint(cell)]).collect();
        for (index, station) in scenario.stations.iter().enumerate() {
            of_cells[station.cell].push(Member::Station(index));
        }
        Self { scenario, of_cells }
    }

    /// Members whose list this owner's is.
    fn owned(&self, owner: &Owner) -> Vec<Member> {
        let Scenario { cells, stations, .. } = self.scenario;
        let has_own = |member: &Member| match *member {
            Member::AccessPoint(cell) => cells[cell].ap.hears.is_some(),
            Member::Station(station) => stations[station].hears.is_some(),
        };
        match owner {
            Owner::Cell(cell) => {
                self.of_cells[*cell].iter().copied().filter(|it| !has_own(it)).collect()
            }
            Owner::AccessPoint(cell) => vec![Member::AccessPoint(*cell)],
            Owner::Stations(range) => range.clone().map(Member::Station).collect(),
        }
    }

    /// Members that an item of a list names.
    fn named<'m>(&'m self, heard: &'m Heard) -> &'m [Member] {
        match heard {
            Heard::Cell(cell) => &self.of_cells[*cell],
            Heard::Member(member) => std::slice::from_ref(member),
        }
    }

    /// Cell of the owner of a list, and the owner's name.
    fn owner(&self, owner: &Owner) -> (usize, String) {
        let Scenario { cells, stations, .. } = self.scenario;
        match owner {
            Owner::Cell(cell) => (*cell, cells[*cell].name.clone()),
            Owner::AccessPoint(cell) => (*cell, format!("{}.ap", cells[*cell].name)),
            Owner::Stations(range) => {
                let station = &stations[range.start];
                (station.cell, station.name.clone())
            }
        }
    }

    /// Members of other cells that a member of this cell may hear, as the end of a message.
    fn neighbours(&self, cell: usize) -> String {
        let cells = &self.scenario.cells;
        let is_near = |(index, bss): &(usize, &Bss)| *index != cell && bss.overlaps(&cells[cell]);
        let near = cells.iter().enumerate().filter(is_near).map(|(_, bss)| bss.name.as_str());
        match listed(near) {
            none if none.is_empty() => "[], because no cell has an overlapping channel".to_owned(),
            names => format!("members of {names}"),
        }
    }

    /// Checks that each item of a list names neighbours, of which at least one also admits an owner of the list.
    fn check(&self, list: &List, mistakes: &mut Mistakes) {
        let cells = &self.scenario.cells;
        let (home, name) = self.owner(&list.owner);
        if cells[home].channel.is_none() || cells[home].radio.is_some() {
            return;
        }
        let owners = self.owned(&list.owner);
        let admits = |it: &Member| owners.iter().any(|owner| self.scenario.admits(*it, *owner));
        for (entry, heard) in &list.items {
            if mistakes.is_flooded() {
                return;
            }
            let members = || heard.iter().flat_map(|it| self.named(it));
            let mut others = members().map(|it| self.scenario.cell_of(*it));
            let is_no_neighbour =
                |cell: &usize| *cell == home || !cells[*cell].overlaps(&cells[home]);
            let (problem, allowed) = if let Some(cell) = others.find(is_no_neighbour) {
                let other = &cells[cell].name;
                let problem = match cells[cell].channel {
                    _ if cell == home => "a member of the same cell".to_owned(),
                    None => format!("cell {other} has a channel of its own"),
                    Some(_) => format!("the channel of cell {other} does not overlap"),
                };
                (problem, self.neighbours(home))
            } else if !owners.is_empty() && !members().any(admits) {
                let problem =
                    format!("one-sided, because the lists `hears` there leave out {name}");
                let allowed = format!("members whose own list has {name}, or that have none");
                (problem, allowed)
            } else {
                continue;
            };
            mistakes.add(entry.at, entry.mistake(problem, allowed));
        }
    }
}
