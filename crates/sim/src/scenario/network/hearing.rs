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
