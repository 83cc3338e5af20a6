//! Cells that share a channel, and members that hear each other across cells.

use std::collections::BTreeSet;

use airfair_wlan::phy::Block;

use super::{Bss, Heard, Member, Scenario};

impl Bss {
    /// Block of spectrum that the cell occupies; `None` if the cell has a channel of its own.
    pub fn block(&self) -> Option<Block> {
        let channel = &self.rules.channel;
        Block::of(channel.band, self.channel?, channel.width).ok()
    }

    /// True if the cell's block of spectrum overlaps that of another cell.
    pub fn overlaps(&self, other: &Self) -> bool {
        self.block().zip(other.block()).is_some_and(|(own, other)| own.overlaps(other))
    }
}

impl Scenario {
    /// Cells in groups: two cells are in one group if their blocks of spectrum overlap, or if a chain of overlapping
    /// blocks connects them. Each cell is in one group. Cells and groups ascend.
    pub fn neighbours(&self) -> Vec<Vec<usize>> {
        let mut groups: Vec<Vec<usize>> = Vec::new();
        for (index, bss) in self.cells.iter().enumerate() {
            let is_near = |group: &Vec<usize>| group.iter().any(|it| self.cells[*it].overlaps(bss));
            let (near, others): (Vec<_>, Vec<_>) = groups.into_iter().partition(is_near);
            let mut joined = near.concat();
            joined.push(index);
            joined.sort_unstable();
            groups = others;
            groups.push(joined);
        }
        groups.sort_unstable();
        groups
    }

    /// Channels that several cells share: the numbers of the cells' primary channels with their band, such as "channels 36,
    /// 40 (5 GHz)", and the cells.
    pub fn shared_channels(&self) -> Vec<(String, Vec<usize>)> {
        let shared = self.neighbours().into_iter().filter(|group| group.len() > 1);
        let named = shared.map(|group| {
            let of_group = || group.iter().map(|it| &self.cells[*it]);
            let numbers: BTreeSet<u8> = of_group().filter_map(|bss| bss.channel).collect();
            let bands = of_group().map(|bss| bss.rules.channel.band.to_string()).take(1);
            let plural = if numbers.len() > 1 { "s" } else { "" };
            let numbers: Vec<String> = numbers.iter().map(ToString::to_string).collect();
            let name =
                format!("channel{plural} {} ({})", numbers.join(", "), bands.collect::<String>());
            (name, group)
        });
        named.collect()
    }

    /// Cell of a member, as an index into [`Scenario::cells`].
    pub fn cell_of(&self, member: Member) -> usize {
        match member {
            Member::AccessPoint(cell) => cell,
            Member::Station(station) => self.stations[station].cell,
        }
    }

    /// True if two members of different cells hear each other: their cells overlap, and the list `hears` of each admits
    /// the other. A member's list is its own, or else that of its cell; without a list it hears all. Members of one
    /// cell are another matter: see [`Station::hidden_from`](super::Station::hidden_from).
    pub fn hears(&self, one: Member, other: Member) -> bool {
        let cells = [one, other].map(|it| self.cell_of(it));
        cells[0] != cells[1]
            && self.cells[cells[0]].overlaps(&self.cells[cells[1]])
            && self.admits(one, other)
            && self.admits(other, one)
    }

    /// Cells of which each cell's members may hear some member by their lists `hears`; `None` for all cells.
    pub(crate) fn admitted_cells(&self) -> Vec<Option<BTreeSet<usize>>> {
        let mut admitted = vec![Some(BTreeSet::new()); self.cells.len()];
        let mut add = |cell: usize, own: &Option<Vec<Heard>>| {
            let Some(list) = own.as_ref().or(self.cells[cell].hears.as_ref()) else {
                admitted[cell] = None;
                return;
            };
            let cells = list.iter().map(|heard| match *heard {
                Heard::Cell(cell) => cell,
                Heard::Member(member) => self.cell_of(member),
            });
            if let Some(known) = &mut admitted[cell] {
                known.extend(cells);
            }
        };
        self.cells.iter().enumerate().for_each(|(cell, bss)| add(cell, &bss.ap.hears));
        self.stations.iter().for_each(|station| add(station.cell, &station.hears));
        admitted
    }

    /// True if the list `hears` of `one` admits `other`.
    pub(crate) fn admits(&self, one: Member, other: Member) -> bool {
        let own = match one {
            Member::AccessPoint(cell) => &self.cells[cell].ap.hears,
            Member::Station(station) => &self.stations[station].hears,
        };
        let list = own.as_ref().or(self.cells[self.cell_of(one)].hears.as_ref());
        list.is_none_or(|list| {
            [Heard::Cell(self.cell_of(other)), Heard::Member(other)]
                .iter()
                .any(|it| list.binary_search(it).is_ok())
        })
    }
}
