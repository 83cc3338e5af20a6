//! Facts that parts of a scenario need from each other while the file is read.

use airfair_units::Duration;
use airfair_wlan::Channel;
use airfair_wlan::phy::Standard;

use super::keys::LLC_SNAP;
use super::printed::Open;
use super::traces::Traces;
use super::{Access, Driver, ErrorModel};

/// Facts that parts of a scenario need from each other. `None` means that a mistake hides the fact; checks that need
/// the fact are then skipped.
pub(super) struct Context {
    /// Simulated time of one run.
    pub(super) duration: Option<Duration>,
    pub(super) cells: Vec<CellContext>,
    /// True if `cells` is complete, because no mistake hides a cell.
    pub(super) cells_complete: bool,
    /// Waypoint files that stations name.
    pub(super) traces: Traces,
    /// Kind of program that runs the scenario.
    pub(super) driver: Driver,
}

/// Facts that other parts of a scenario need from a cell.
pub(super) struct CellContext {
    pub(super) name: String,
    /// Standard of the cell.
    pub(super) standard: Option<Standard>,
    pub(super) channel: Option<Channel>,
    /// True if the cell has a channel of its own, because the key `channel` is not set.
    pub(super) is_alone: bool,
    /// Properties of the channel that the file leaves open, so that the stations' rates decide them.
    pub(super) open: Open,
    /// True if 8 octets of LLC/SNAP precede each packet.
    pub(super) llc_snap: Option<bool>,
    /// Error model of the cell's stations that set none.
    pub(super) errors: Option<ErrorModel>,
    /// True if the cell has a radio, in which powers and distances decide errors.
    pub(super) has_radio: Option<bool>,
    /// Channel access that the cell sets for its stations, by their standard.
    pub(super) access: Vec<(Standard, Access)>,
}

impl CellContext {
    /// Default channel access of a station of this standard.
    pub(super) fn access(&self, standard: Standard) -> Access {
        let own = self.access.iter().find(|(of, _)| *of == standard);
        own.map_or_else(|| Access::of(standard), |(_, access)| *access)
    }
}

impl Context {
    /// Largest length of the LLC/SNAP headers that a packet carries in some cell [octets].
    pub(super) fn llc_snap(&self) -> Option<u64> {
        let with = self.cells.iter().map(|cell| cell.llc_snap).collect::<Option<Vec<bool>>>()?;
        Some(if with.contains(&true) { LLC_SNAP } else { 0 })
    }
}
