//! The traced part of a run.

use airfair_sim::record::{CellId, Member};
use airfair_sim::scenario::Scenario;
use airfair_units::{Duration, Time};
use airfair_wlan::NodeId;

/// Upper limit of the duration of a frame. A frame on the air at the end of the traced interval leaves the
/// air within this time after the end.
pub const LONGEST_FRAME: Duration = Duration::from_millis(50);

/// Suffix of a monitor's name after the name of its cell. Names in scenarios contain no colon.
pub const MONITOR: &str = ":monitor";

/// The traced interval of time, and the traced stations, access points and monitors.
#[derive(Clone, Debug)]
pub struct Selection {
    from: Time,
    until: Time,
    members: Vec<Vec<bool>>,
    monitors: Vec<bool>,
}

impl Selection {
    /// Selects the whole run and all members and monitors of `scenario`.
    pub fn all(scenario: &Scenario) -> Self {
        Self::of(scenario, |_| true)
    }

    /// Selects the stations, access points (by the names of their cells) and monitors for whose names
    /// `chosen` is true.
    pub fn of(scenario: &Scenario, chosen: impl Fn(&str) -> bool) -> Self {
        let cells = 0..scenario.cells.len();
        let names = |cell| members(scenario, cell).map(|(_, name)| chosen(name)).collect();
        let monitor = |cell| chosen(&monitor(scenario, cell));
        Self {
            from: Time::ZERO,
            until: Time::MAX,
            members: cells.clone().map(names).collect(),
            monitors: cells.map(monitor).collect(),
        }
    }

    /// Limits the selection to times from `from` until before `until`.
    #[must_use]
    pub fn between(self, from: Time, until: Time) -> Self {
        Self { from, until, ..self }
    }

    /// Start of the traced interval.
    pub fn from(&self) -> Time {
        self.from
    }

    /// End of the traced interval, exclusive.
    pub fn until(&self) -> Time {
        self.until
    }

    /// True if `member`, a station or an access point, is traced.
    pub fn has(&self, member: Member) -> bool {
        self.members[member.cell.index()][member.node.index()]
    }

    /// True if the monitor of `cell` is traced.
    pub fn has_monitor(&self, cell: CellId) -> bool {
        self.monitors[cell.index()]
    }

    /// True if `at` is in the traced interval.
    pub fn contains(&self, at: Time) -> bool {
        self.from <= at && at < self.until
    }

    /// True if the traced interval overlaps `from` to `to`.
    pub fn overlaps(&self, from: Time, to: Time) -> bool {
        from < self.until && to > self.from
    }
}

/// Name of the monitor of cell number `cell`.
pub fn monitor(scenario: &Scenario, cell: usize) -> String {
    format!("{}{MONITOR}", scenario.cells[cell].name)
}

/// Names of everything that can be traced: for each cell its monitor, its access point and its stations.
pub fn names(scenario: &Scenario) -> Vec<String> {
    let of_cell = |cell| {
        let members = members(scenario, cell).map(|(_, name)| name.to_owned());
        std::iter::once(monitor(scenario, cell)).chain(members).collect::<Vec<_>>()
    };
    (0..scenario.cells.len()).flat_map(of_cell).collect()
}

/// Access point and stations of cell number `cell`, with their names.
pub fn members(scenario: &Scenario, cell: usize) -> impl Iterator<Item = (NodeId, &str)> {
    let stations = scenario.stations.iter().filter(move |station| station.cell == cell);
    let names = stations.map(|station| station.name.as_str());
    (0..).map(NodeId).zip(std::iter::once(scenario.cells[cell].name.as_str()).chain(names))
}
