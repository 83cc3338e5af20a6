//! Names by which Python knows members of cells and flows.

use airfair_sim::scenario::Scenario;
use pyo3::prelude::*;
use pyo3::types::PyString;

/// Names of the members of a cell and of all flows, by which Python knows them.
#[derive(Debug)]
pub(crate) struct Names {
    /// Names of the members of each cell; the access point comes first and has the name of its cell.
    pub(super) members: Vec<Vec<Py<PyString>>>,
    pub(super) flows: Vec<Py<PyString>>,
    /// Number of flows that laws at their ends may limit. In an emulation, flows of programs follow them.
    pub(super) limitable_flows: usize,
}

impl Names {
    /// Names in a scenario.
    pub(crate) fn of(py: Python<'_>, scenario: &Scenario) -> Self {
        let text = |name: &str| PyString::new(py, name).unbind();
        let mut members: Vec<Vec<_>> =
            scenario.cells.iter().map(|cell| vec![text(&cell.name)]).collect();
        for station in &scenario.stations {
            members[station.cell].push(text(&station.name));
        }
        let flows: Vec<_> = scenario.flows.iter().map(|flow| text(&flow.name)).collect();
        let limitable_flows = flows.len();
        Self { members, flows, limitable_flows }
    }

    /// Names in the scenario of an emulation, of which the first `own_flows` flows are not those of programs.
    #[cfg(target_os = "linux")]
    pub(crate) fn of_emulation(py: Python<'_>, scenario: &Scenario, own_flows: usize) -> Self {
        Self { limitable_flows: own_flows, ..Self::of(py, scenario) }
    }
}
