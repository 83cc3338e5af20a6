//! The station or access point at which an agent runs, as the scenario describes it.

use airfair_wlan::NodeId;
use airfair_wlan::airtime::Airtime;

use super::{Agent, LocalEnd};
use crate::packet::{FlowId, Side};
use crate::scenario::{AccessPoint, Endpoint, Flow, Scenario, Scheme};

/// Station or access point at which an agent runs.
pub(super) struct Home<'s> {
    pub(super) node: NodeId,
    /// Access point of the cell. If the agent runs at the access point, this is the agent's own node.
    pub(super) access_point: &'s AccessPoint,
    pub(super) airtime: &'s Airtime,
    /// Ends of flows at this station, in the order of the flows; empty for an access point.
    pub(super) ends: &'s [(LocalEnd, &'s Flow)],
}

/// Agents of the members of a cell, indexed by member. The list is empty if no member has an agent.
pub(crate) fn agents(scenario: &Scenario, cell: usize, airtime: &Airtime) -> Vec<Vec<Agent>> {
    let access_point = &scenario.cells[cell].ap;
    let home = |node, ends| Home { node, access_point, airtime, ends };
    let mut agents = vec![Agent::of_access_point(&home(NodeId::AP, &[]))];
    // Without any scheme there is no need to look through all stations.
    if scenario.flows.iter().any(|flow| flow.control != Scheme::None) {
        let ends = ends(scenario);
        let stations = scenario.stations.iter().zip(&ends).filter(|(it, _)| it.cell == cell);
        for (index, (_, ends)) in stations.enumerate() {
            agents.push(Agent::of_station(&home(NodeId::station(index), ends)));
        }
    }
    if agents.iter().all(Vec::is_empty) { Vec::new() } else { agents }
}

/// Ends of flows at each station, indexed as `scenario.stations`.
fn ends(scenario: &Scenario) -> Vec<Vec<(LocalEnd, &Flow)>> {
    let mut ends = vec![Vec::new(); scenario.stations.len()];
    for (index, flow) in scenario.flows.iter().enumerate() {
        for (end, side) in [(flow.from, Side::Sender), (flow.to, Side::Receiver)] {
            if let Endpoint::Station(station) = end {
                ends[station].push((LocalEnd { flow: FlowId::new(index), side }, flow));
            }
        }
    }
    ends
}
