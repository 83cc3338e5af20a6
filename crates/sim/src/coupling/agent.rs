//! The agents of all schemes, and the choice of the agents of a cell by its scenario.

use airfair_units::Time;
use airfair_wlan::NodeId;
use airfair_wlan::airtime::Airtime;

use super::home::Home;
use super::{
    Action, CustomAgent, LocalEnd, Seen, View, access_point, arf_aware, arf_window, fair, granting,
    keeping, rate_cap, uplink_share,
};
use crate::packet::{FlowId, Side};
use crate::scenario::{Endpoint, Flow, Queue, Scenario, Scheme};

/// A scheme that runs at a station or an access point.
#[derive(Clone, Debug)]
pub(crate) enum Agent {
    /// Agent that divides a TCP sender's window while its station is below its highest rate.  [arf-aware-tcp §3]
    ArfAware(arf_aware::Agent),
    /// Agent that limits windows of TCP connections by the measured occupancy of the channel.  [arf-window §III]
    ArfWindow(Box<arf_window::Agent>),
    /// Sets the weights of an access point's queue, or lowers the windows in ACKs, by the TCP connections through the
    /// access point.  [updown-fairness §IV], [pilosof-2003 §V]
    AccessPoint(Box<access_point::Agent>),
    /// Agent of an access point that grants shares of the channel.  [occupancy-tfrc §III-B]
    Granting(Box<granting::Agent>),
    /// Agent that keeps a station's flows to the station's share of the channel.  [occupancy-tfrc §III-C]
    Keeping(Box<keeping::Agent>),
    /// Agent that limits the rate of a station's senders to a fixed share of the rate of its link.
    RateCap(rate_cap::Agent),
    /// Agent of an access point that drops data of stations that use the channel for more than their share.
    UplinkShare(Box<uplink_share::Agent>),
    /// Agent of an access point that gives its stations equal airtime.
    Fair(Box<fair::Agent>),
    /// Agent from outside of this crate.
    Custom(Box<dyn CustomAgent>),
}

impl Agent {
    fn of_access_point(home: &Home) -> Vec<Self> {
        let granting = granting::Agent::at(home).map(Box::new).map(Self::Granting);
        let access_point = access_point::Agent::at(home).map(Box::new).map(Self::AccessPoint);
        let uplink_share = uplink_share::Agent::at(home).map(Box::new).map(Self::UplinkShare);
        let fair = fair::Agent::at(home).map(Box::new).map(Self::Fair);
        granting.into_iter().chain(uplink_share).chain(access_point).chain(fair).collect()
    }

    /// Passes a new queue of the access point to the agent that sets the queue's weights, and adds such an agent if
    /// the queue needs one. `of_cell` are the agents of the cell, indexed by member.
    pub(crate) fn follow_queue(of_cell: &mut Vec<Vec<Self>>, queue: &Queue) {
        let own = of_cell.first_mut().and_then(|agents| {
            agents
                .iter_mut()
                .find_map(|it| if let Self::AccessPoint(it) = it { Some(it) } else { None })
        });
        if let Some(agent) = own {
            agent.follow_queue(queue);
        } else if queue.counts_flows {
            let agent = Self::AccessPoint(Box::new(access_point::Agent::new(queue, false)));
            if of_cell.is_empty() {
                of_cell.push(Vec::new());
            }
            of_cell[NodeId::AP.index()].push(agent);
        }
    }

    /// The agents of a station, in the order in which they receive events.
    fn of_station(home: &Home) -> Vec<Self> {
        let keeping = keeping::Agent::at(home).map(Box::new).map(Self::Keeping);
        let arf_window = arf_window::Agent::at(home).into_iter().map(Box::new).map(Self::ArfWindow);
        let arf_aware = arf_aware::Agent::at(home).map(Self::ArfAware);
        let rate_cap = rate_cap::Agent::at(home).map(Self::RateCap);
        keeping.into_iter().chain(arf_window).chain(arf_aware).chain(rate_cap).collect()
    }

    /// Passes an event to the agent, and appends the agent's actions to `actions`.
    pub(crate) fn handle(
        &mut self,
        now: Time,
        seen: &Seen,
        view: &View,
        actions: &mut Vec<Action>,
    ) {
        match self {
            Self::ArfAware(agent) => agent.handle(now, seen, view, actions),
            Self::ArfWindow(agent) => agent.handle(now, seen, view, actions),
            Self::AccessPoint(agent) => agent.handle(now, seen, actions),
            Self::Granting(agent) => agent.handle(now, seen, view, actions),
            Self::Keeping(agent) => agent.handle(seen, view, actions),
            Self::RateCap(agent) => agent.handle(now, seen, view, actions),
            Self::UplinkShare(agent) => agent.handle(now, seen, actions),
            Self::Fair(agent) => agent.handle(now, seen, view, actions),
            Self::Custom(agent) => handle_custom(agent.as_mut(), (now, seen), view, actions),
        }
    }
}

/// Passes an event to an agent from outside of this crate.
///
/// # Panics
/// If the agent asks for an action that is not allowed.
#[cold]
#[inline(never)]
fn handle_custom(
    agent: &mut dyn CustomAgent,
    (now, seen): (Time, &Seen),
    view: &View,
    actions: &mut Vec<Action>,
) {
    let first = actions.len();
    agent.handle(now, seen, view, actions);
    for action in &actions[first..] {
        let checked = view.check(now, seen, action);
        assert!(checked.is_ok(), "{agent:?} asks for {action:?}: {checked:?}");
    }
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
