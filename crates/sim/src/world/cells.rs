//! The cells of a world: the next event on any air, and the cells that have changed since the last one.

use std::ops::{Deref, Index, IndexMut};
use std::slice::IterMut;

use airfair_wlan::{Cell, Moment, Neighbourhood};

use super::bss::Bss;
use crate::packet::Packet;

/// Number of cells up to which looking at all of them is cheaper than noting which have changed.
const FEW: usize = 4;

/// Cells of a world, by index. With more than a few cells, a change through [`IndexMut`] is noted, and the next events
/// are in a tree, so that an event costs time for the cells that it changes.
#[derive(Clone, Debug)]
pub(crate) struct Cells {
    all: Vec<Bss>,
    /// Relation between cells that share a channel; `None` if no cell hears another one.
    neighbourhood: Option<Box<Neighbourhood>>,
    /// True if the cells are few and share no channel.
    are_apart: bool,
    /// Cells that have changed; `is_changed` has an entry for each cell. Not used with few cells.
    changed: Vec<usize>,
    is_changed: Vec<bool>,
    /// Next event of each cell in the second half, and before it the earlier one of two nodes: node `i` has those of
    /// nodes `2i` and `2i + 1`. Empty with few cells.
    tree: Vec<Moment>,
}

impl Cells {
    pub(crate) fn new(mut all: Vec<Bss>, neighbourhood: Option<Neighbourhood>) -> Self {
        for (index, bss) in all.iter_mut().enumerate() {
            if neighbourhood.as_ref().is_some_and(|it| it.is_coupled(index)) {
                bss.cell.share();
            }
        }
        let (mut is_changed, mut tree) = (Vec::new(), Vec::new());
        if all.len() > FEW {
            is_changed = vec![true; all.len()];
            tree = vec![Moment::NEVER; 2 * all.len().next_power_of_two()];
        }
        let changed = (0..is_changed.len()).collect();
        let neighbourhood = neighbourhood.map(Box::new);
        let are_apart = tree.is_empty() && neighbourhood.is_none();
        Self { all, neighbourhood, are_apart, changed, is_changed, tree }
    }

    /// True if a cell shares its channel with another one, of which members hear members of the other.
    pub(crate) fn has_neighbours(&self, index: usize) -> bool {
        self.neighbourhood.as_ref().is_some_and(|it| it.is_coupled(index))
    }

    /// All cells, to change them.
    pub(crate) fn iter_mut(&mut self) -> IterMut<'_, Bss> {
        (0..self.is_changed.len()).for_each(|index| self.note(index));
        self.all.iter_mut()
    }

    /// Cell with this index, to take results from it, which leaves its next event as it is.
    #[inline]
    pub(super) fn emptied(&mut self, index: usize) -> &mut Bss {
        &mut self.all[index]
    }

    /// Notes that a cell changes.
    #[inline]
    fn note(&mut self, index: usize) {
        if let Some(is_changed @ false) = self.is_changed.get_mut(index) {
            *is_changed = true;
            self.changed.push(index);
        }
    }

    /// True if the world has to look at all cells after each event.
    #[inline]
    pub(super) fn are_few(&self) -> bool {
        self.tree.is_empty()
    }

    /// Orders the cells that have changed so far by index.
    pub(super) fn sort_changed(&mut self) {
        self.changed.sort_unstable();
    }

    /// Cell at this place among those that have changed since the last event.
    pub(super) fn changed(&self, place: usize) -> Option<usize> {
        self.changed.get(place).copied()
    }

    /// Next event on any cell's air, and the index of the cell; among equal moments, the first cell.
    #[inline]
    pub(super) fn next_event(&mut self) -> (Moment, usize) {
        if let [only] = self.all.as_slice() {
            return (only.cell.next_event(), 0);
        }
        if self.are_few() {
            let next = |(index, bss): (usize, &Bss)| (bss.cell.next_event(), index);
            return self.all.iter().enumerate().map(next).min().unwrap_or((Moment::NEVER, 0));
        }
        self.find_next()
    }

    #[inline(never)]
    fn find_next(&mut self) -> (Moment, usize) {
        let Self { all, changed, is_changed, tree, .. } = self;
        let leaves = tree.len() / 2;
        for index in changed.drain(..) {
            is_changed[index] = false;
            let mut node = leaves + index;
            tree[node] = all[index].cell.next_event();
            while node > 1 {
                node /= 2;
                tree[node] = tree[2 * node].min(tree[2 * node + 1]);
            }
        }
        let mut node = 1;
        while node < leaves {
            node = 2 * node + usize::from(tree[2 * node] != tree[node]);
        }
        (tree[1], node - leaves)
    }

    /// Handles the next event of a cell, with its effects in the cells that hear it.
    #[inline]
    pub(super) fn handle_event(&mut self, index: usize, next: Moment) {
        let mut cell = index;
        loop {
            self.all[cell].handle_event(next.at(), next.phase());
            if self.are_apart {
                return;
            }
            match self.after(cell, next) {
                Some(due) => cell = due,
                None => return,
            }
        }
    }

    /// Passes on the frames of a cell that has handled the event `next`. Returns the cell that must handle it as well.
    #[inline(never)]
    fn after(&mut self, cell: usize, next: Moment) -> Option<usize> {
        self.note(cell);
        let mut neighbourhood = self.neighbourhood.take()?;
        let due = neighbourhood.after(self, (cell, next));
        self.neighbourhood = Some(neighbourhood);
        due
    }
}

impl airfair_wlan::Cells<Packet> for Cells {
    fn with<T>(&mut self, index: usize, act: impl FnOnce(&mut Cell<Packet>) -> T) -> T {
        act(&mut self[index].cell)
    }
}

impl Deref for Cells {
    type Target = [Bss];

    #[inline]
    fn deref(&self) -> &[Bss] {
        &self.all
    }
}

impl Index<usize> for Cells {
    type Output = Bss;

    #[inline]
    fn index(&self, index: usize) -> &Bss {
        &self.all[index]
    }
}

impl IndexMut<usize> for Cells {
    #[inline]
    fn index_mut(&mut self, index: usize) -> &mut Bss {
        self.note(index);
        &mut self.all[index]
    }
}
