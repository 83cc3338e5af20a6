//! Agents, in which the layers meet. An agent runs a scheme at one station or access point. It turns what its node
//! sees into an observation of the scheme's law, and turns the law's result into actions. The world applies the
//! actions.
//!
//! ```text
//!   frame decoded ─┐                                   ┌─► limit of a window, of a rate; cwnd
//!   rate changed  ─┤           ┌─────┐                 ├─► weights of a queue
//!   packet passes ─┼─► Seen ──►│ law │──► Action ─ world ─► window in a passing ACK, element of a beacon
//!   beacon due    ─┤   View ──►└─────┘                 ├─► report
//!   timer         ─┤                                   ├─► timer
//!   start, end    ─┘                                   └─► subscription to frames or packets
//! ```
//!
//! A node sees frames that it decodes or sends only after its agent has asked for them ([`Action::Listen`]), and an
//! access point's agents see packets only after they have asked for them ([`Action::WatchPackets`]). Agents see a
//! frame before the packets in it are forwarded. When a beacon is due, the access point's agents add their elements;
//! then the stations' agents count the beacon, and senders go on once the cell has the beacon. If an access point
//! grants shares, its agent and those of its stations ask for their own frames and for beacons alone, so that twenty
//! stations cost as much per frame as two.

mod access_point;
mod arf_aware;
mod arf_window;
mod custom;
mod end;
mod event;
mod granting;
mod hearing;
mod home;
mod keeping;
mod link;
mod rate_cap;
mod uplink_share;

use airfair_laws::Direction;
use airfair_laws::exchange::{Exchange, Load};
use airfair_laws::window_limit::WindowLimit;
use airfair_units::{Duration, Time};
use airfair_wlan::aggregation::Agreement;
use airfair_wlan::airtime::Airtime;
use airfair_wlan::{Cell, NodeId};

pub use custom::CustomAgent;
pub use end::{LocalEnd, TransportEnd};
pub use event::{Action, Passage, Seen};
use home::Home;
pub use link::Link;

use crate::endpoint::{Source, TransportKind};
use crate::not_allowed::NotAllowed;
use crate::packet::{FlowId, Packet, Side};
use crate::record::{CellId, Member};
use crate::scenario::{self, Endpoint, Queue, Scenario, Scheme};
use crate::world::{Flow, Settable, check_weights};

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
    /// Agent from outside of this crate.
    Custom(Box<dyn CustomAgent>),
}

impl Agent {
    fn of_access_point(home: &Home) -> Vec<Self> {
        let granting = granting::Agent::at(home).map(Box::new).map(Self::Granting);
        let access_point = access_point::Agent::at(home).map(Box::new).map(Self::AccessPoint);
        let uplink_share = uplink_share::Agent::at(home).map(Box::new).map(Self::UplinkShare);
        granting.into_iter().chain(uplink_share).chain(access_point).collect()
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
            Self::Custom(agent) => handle_custom(agent.as_mut(), (now, seen), view, actions),
        }
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
fn ends(scenario: &Scenario) -> Vec<Vec<(LocalEnd, &scenario::Flow)>> {
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

/// Latest time for which an agent may ask: a hundred years. The order of events has room for 146.
const LATEST: Time = Time::from_nanos(100 * 365 * 86_400 * 1_000_000_000);

/// Checks a time for which an agent asks at `now`.
fn can_be(now: Time, at: Time) -> Result<(), NotAllowed> {
    if at < now {
        return Err(NotAllowed::InThePast);
    }
    if at > LATEST { Err(NotAllowed::TooLate) } else { Ok(()) }
}

/// State that a node may inspect: its own ends of flows, and its cell.
#[derive(Debug)]
pub struct View<'w> {
    pub(crate) cell: CellId,
    pub(crate) node: NodeId,
    pub(crate) air: &'w Cell<Packet>,
    pub(crate) flows: &'w [Flow],
    /// Possible values of the settings of each member of the cell.
    pub(crate) members: &'w [Settable],
}

impl View<'_> {
    /// Ends of flows at the node, in the order of the flows: the sender's end before the receiver's.
    pub fn ends(&self) -> impl Iterator<Item = LocalEnd> {
        let flows = (0..self.flows.len()).map(FlowId::new);
        let ends = flows
            .flat_map(|flow| [Side::Sender, Side::Receiver].map(|side| LocalEnd { flow, side }));
        ends.filter(|end| self.is_here(*end))
    }

    /// True if this end of a flow is at the node.
    fn is_here(&self, end: LocalEnd) -> bool {
        self.flows[end.flow.index()].ends_at(end.side, self.cell, self.node)
    }

    /// Checks an action that an agent of the node asks for when it handles `seen`.
    ///
    /// # Errors
    /// The reason, if the action is not allowed.
    pub fn check(&self, now: Time, seen: &Seen<'_>, action: &Action) -> Result<(), NotAllowed> {
        let allowed = |is_allowed: bool, refused| if is_allowed { Ok(()) } else { Err(refused) };
        match action {
            Action::LimitWindow(end, limit) => {
                let is_octets = matches!(limit, WindowLimit::Octets(_));
                let is_tcp = self.kind(*end)? == TransportKind::Tcp;
                allowed(is_tcp && (end.side == Side::Sender || is_octets), NotAllowed::NoWindow)
            }
            Action::SetCwnd(end, _) => {
                let is_tcp = self.kind(*end)? == TransportKind::Tcp;
                allowed(is_tcp && end.side == Side::Sender, NotAllowed::NoWindow)?;
                let source = &self.flows[end.flow.index()].source;
                allowed(!matches!(source, Source::External(_)), NotAllowed::KernelsCwnd)
            }
            Action::LimitRate(end, _) => {
                allowed(self.kind(*end)? == TransportKind::Tfrc, NotAllowed::NoRate)
            }
            Action::Lift(end) | Action::EstimateRoundTrip(end) => self.kind(*end).map(|_| ()),
            Action::SetWeights(weights) => {
                let has_weights = self.members[self.node.index()].has_weights;
                allowed(has_weights, NotAllowed::NoWeights)?;
                check_weights(*weights)
            }
            Action::RewriteWindow(_) | Action::DropPacket => {
                allowed(matches!(seen, Seen::Packet { .. }), NotAllowed::NoPacket)
            }
            Action::DelayPacket(until) => match seen {
                Seen::Packet { .. } => can_be(now, *until),
                _ => Err(NotAllowed::NoPacket),
            },
            Action::AddElements(added) => match seen {
                Seen::BeaconDue(before) if self.node.is_ap() => {
                    let mut all = **before;
                    allowed(all.append(added).is_ok(), NotAllowed::BeaconFull)
                }
                _ => Err(NotAllowed::NoBeacon),
            },
            Action::Wake(at) => can_be(now, *at),
            Action::WatchPackets => allowed(self.node.is_ap(), NotAllowed::IsStation),
            Action::Report(_) => allowed(!self.node.is_ap(), NotAllowed::IsAccessPoint),
            Action::Listen(_) => Ok(()),
        }
    }

    /// Transport at an end of a flow, as far as a law can limit it. The kernel's is known before its connection is
    /// open, and [`end`](Self::end) returns its state from then on.
    fn kind(&self, end: LocalEnd) -> Result<TransportKind, NotAllowed> {
        let kind = self.flows[end.flow.index()].source.kind(end.side);
        kind.filter(|_| self.is_here(end)).ok_or(NotAllowed::NotHere)
    }

    /// True if this end of a flow is at the node, and its transport is TCP.
    pub fn is_tcp(&self, end: LocalEnd) -> bool {
        self.kind(end) == Ok(TransportKind::Tcp)
    }

    /// Member of the cell at which the agent runs.
    pub fn member(&self) -> Member {
        Member { cell: self.cell, node: self.node }
    }

    /// Transport at the end `end` of a flow. Returns `None` if the end is at another node, for UDP, which no law
    /// limits, and for a program's transport whose state nobody reports.
    pub fn end(&self, end: LocalEnd) -> Option<TransportEnd<'_>> {
        let Flow { source, sink, .. } = &self.flows[end.flow.index()];
        TransportEnd::of(source, sink, end.side).filter(|_| self.is_here(end))
    }

    /// Durations of frames in the cell.
    pub fn airtime(&self) -> &Airtime {
        self.air.airtime()
    }

    /// Rules for aggregates between the node and its access point in a direction.
    fn agreement(&self, direction: Direction) -> Option<&Agreement> {
        let (from, to) = match direction {
            Direction::Up => (self.node, NodeId::AP),
            Direction::Down => (NodeId::AP, self.node),
        };
        self.air.agreement(from, to)
    }

    /// Link of the station with its access point; `None` at an access point.
    pub fn link(&self) -> Option<Link> {
        let mut link = Link::new(self.node, self.airtime());
        self.update(&mut link);
        (!self.node.is_ap()).then_some(link)
    }

    /// Updates the limits of aggregates of the station's link, which may have changed.
    pub fn update(&self, link: &mut Link) {
        link.agreements = [Direction::Up, Direction::Down].map(|way| self.agreement(way).copied());
    }

    /// Exchange that begins with a channel access of duration `access` and carries the packets of `load` between the
    /// node and its access point.  [arf-window eq. 10], [occupancy-tfrc eq. 9]
    pub fn exchange(&self, access: Duration, load: Load) -> Exchange {
        let tx = self.airtime().vector_on(self.node, load.rate).expect("a rate of the link");
        link::exchange(self.airtime(), self.agreement(load.direction), tx, (access, &load))
    }
}
