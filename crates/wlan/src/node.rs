//! Members of a cell.

/// Member of a cell: the access point or a station.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeId(pub u16);

impl NodeId {
    /// The access point.
    pub const AP: Self = Self(0);

    /// The `index`-th station, from 0.
    ///
    /// # Panics
    /// If `index` is above 65 534.
    pub fn station(index: usize) -> Self {
        Self(u16::try_from(index + 1).expect("at most 65 534 stations"))
    }

    /// True for the access point.
    pub fn is_ap(self) -> bool {
        self == Self::AP
    }

    /// Index in tables with one entry per member.
    pub fn index(self) -> usize {
        usize::from(self.0)
    }
}
