//! Members of cells on one channel, and the lists of those that they hear.

/// Member of a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Member {
    /// Access point of a cell, as an index into [`Scenario::cells`](super::Scenario::cells).
    AccessPoint(usize),
    /// Station, as an index into [`Scenario::stations`](super::Scenario::stations).
    Station(usize),
}

/// Item of a list `hears`: members of other cells that the owner of the list hears.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Heard {
    /// All members of a cell, as an index into [`Scenario::cells`](super::Scenario::cells).
    Cell(usize),
    /// One member of a cell.
    Member(Member),
}

/// Rule for the width of a PPDU while a part of the cell's channel is busy.  [80211-2020 §10.23.2.5]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum WidthRule {
    /// The PPDU is narrower: it has the widest idle part of the channel around the primary channel.
    #[default]
    Dynamic,
    /// The member waits until the whole channel is idle.
    Static,
}
