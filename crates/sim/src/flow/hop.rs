//! Hops of a packet's route.

use airfair_wlan::NodeId;

use crate::link::LinkId;
use crate::record::CellId;

/// One hop of a route.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Hop {
    /// Over the air, from one member of a cell to another.
    Air { cell: CellId, from: NodeId, to: NodeId },
    /// Over one direction of a wired link.
    Wire(LinkId),
}

impl Hop {
    /// The same hop in the opposite direction.
    pub(crate) fn reversed(self) -> Self {
        match self {
            Self::Air { cell, from, to } => Self::Air { cell, from: to, to: from },
            Self::Wire(link) => Self::Wire(link.reversed()),
        }
    }
}

/// Refusal of a packet by a queue that is full or that drops the packet early.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Full;
