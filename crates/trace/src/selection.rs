//! The part of a run that is traced.

use airfair_sim::record::{CellId, Member};
use airfair_sim::scenario::Scenario;
use airfair_units::{Duration, Time};
use airfair_wlan::NodeId;

/// The longest frame lasts less: one that is on the air at the end of a window has left it by then.
pub const LONGEST_FRAME: Duration = Duration::from_millis(50);

/// Suffix of the name of a cell's monitor, after the name of the cell. No name of a scenario has a colon.
pub const MONITOR: &str = ":monitor";

/// A window of time, and the members of cells that are traced.
#[derive(Clone, Debug)]
pub struct Selection {
    from: Time,
    until: Time,
    members: Vec<Vec<bool>>,
    monitors: Vec<bool>,
}

impl Selection {
    /// Everything in a run of `scenario`.
    pub fn all(scenario: &Scenario) -> Self {
        Self::of(scenario, |_| true)
    }

    /// The stations and access points, which bear the names of their cells, and the monitors that are `chosen` by name.
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

    /// The same between two times, the second of which does not belong to it.
    #[must_use]
    pub fn between(self, from: Time, until: Time) -> Self {
        Self { from, until, ..self }
    }

    /// Start of the window.
    pub fn from(&self) -> Time {
        self.from
    }

    /// End of the window, which does not belong to it.
    pub fn until(&self) -> Time {
        self.until
    }

    /// True if a member is traced.
    pub fn has(&self, member: Member) -> bool {
        self.members[member.cell.index()][member.node.index()]
    }

    /// True if a cell's monitor is.
    pub fn has_monitor(&self, cell: CellId) -> bool {
        self.monitors[cell.index()]
    }

    /// True of an instant in the window.
    pub fn contains(&self, at: Time) -> bool {
        self.from <= at && at < self.until
    }

    /// True if an interval and the window have an instant in common.
    pub fn overlaps(&self, from: Time, to: Time) -> bool {
        from < self.until && to > self.from
    }
}

/// Name of a cell's monitor.
pub fn monitor(scenario: &Scenario, cell: usize) -> String {
    format!("{}{MONITOR}", scenario.cells[cell].name)
}

/// Names of all that can be traced: each cell's monitor, its access point, its stations.
pub fn names(scenario: &Scenario) -> Vec<String> {
    let of_cell = |cell| {
        let members = members(scenario, cell).map(|(_, name)| name.to_owned());
        std::iter::once(monitor(scenario, cell)).chain(members).collect::<Vec<_>>()
    };
    (0..scenario.cells.len()).flat_map(of_cell).collect()
}

/// The access point of a cell and its stations, with their names.
pub fn members(scenario: &Scenario, cell: usize) -> impl Iterator<Item = (NodeId, &str)> {
    let stations = scenario.stations.iter().filter(move |station| station.cell == cell);
    let names = stations.map(|station| station.name.as_str());
    (0..).map(NodeId).zip(std::iter::once(scenario.cells[cell].name.as_str()).chain(names))
}
