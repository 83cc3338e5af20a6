//! Members of a cell, and the links between them.

use airfair_laws::Direction;

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

/// Link between a station and the access point, in one direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Link {
    /// Station of the link.
    pub(crate) station: NodeId,
    /// Direction of the frames.
    pub(crate) direction: Direction,
}

impl Link {
    /// Link of frames from one member to another. Between two stations, it is the transmitter's.
    #[inline]
    pub(crate) fn between(from: NodeId, to: NodeId) -> Self {
        if from.is_ap() {
            Self { station: to, direction: Direction::Down }
        } else {
            Self { station: from, direction: Direction::Up }
        }
    }

    /// Transmitter and receiver of frames on the link.
    #[inline]
    pub(crate) fn ends(self) -> (NodeId, NodeId) {
        match self.direction {
            Direction::Up => (self.station, NodeId::AP),
            Direction::Down => (NodeId::AP, self.station),
        }
    }
}
