//! Agents, where layers meet: a scheme is an agent at a station or an access point. What its node sees becomes an
//! observation of a law, and what the law says becomes actions, which the world applies.
//!
//! ```text
//!   frame decoded ─┐                                   ┌─► limit of a window, of a rate; cwnd
//!   rate changed  ─┤           ┌─────┐                 ├─► weights of a queue
//!   packet passes ─┼─► Seen ──►│ law │──► Action ─ world ─► window in a passing ACK, element of a beacon
//!   beacon due    ─┤   View ──►└─────┘                 ├─► report
//!   timer         ─┤                                   ├─► timer
//!   start, end    ─┘                                   └─► what to be told of
//! ```
//!
//! A node sees frames that it decodes or sends only after its agent has asked for them ([`Action::Listen`]), and an
//! access point's agents see packets on the same terms. Agents see a frame before its packet goes on. When a beacon is
//! due, the access point's agents add their elements; then stations' agents count it, and senders go on once the beacon
//! is with the cell.
//! If shares are granted, both sides ask for their own frames and for beacons alone, so that twenty stations cost as much
//! per frame as two.

mod access_point;
mod arf_aware;
mod arf_window;
mod end;
mod granting;
mod hearing;
mod home;
mod keeping;
mod rate_cap;

use airfair_laws::Direction;
use airfair_laws::exchange::{Exchange, Load};
use airfair_laws::window_limit::WindowLimit;
use airfair_units::{Bytes, DataRate, Duration, Time};
use airfair_wlan::airtime::{Airtime, Protection};
use airfair_wlan::{Carrier, Cell, Elements, Listen, NodeId, Overheard, Weights};

pub(crate) use end::{End, LocalEnd};
use home::Home;
pub(crate) use home::agents;

use crate::packet::Packet;
use crate::record::{CellId, Measured};
use crate::scenario::Queue;
use crate::world::Flow;

/// A scheme at work at a station or an access point.
#[derive(Debug)]
pub(crate) enum Agent {
    /// A sender's window divided while its station is slow.  [arf-aware-tcp §3]
    ArfAware(arf_aware::Agent),
    /// Windows from the occupancy of the channel.  [arf-window §III]
    ArfWindow(Box<arf_window::Agent>),
    /// Weights and windows from the connections through an access point.  [updown-fairness §IV],
    /// [pilosof-2003 §V]
    AccessPoint(Box<access_point::Agent>),
    /// An access point that grants shares of the channel.  [occupancy-tfrc §III-B]
    Granting(Box<granting::Agent>),
    /// A station whose flows keep to a share of the channel.  [occupancy-tfrc §III-C]
    Keeping(Box<keeping::Agent>),
    /// A station whose senders have a fixed share of its rate.
    RateCap(rate_cap::Agent),
}

impl Agent {
    /// The agents of an access point.
    fn of_access_point(home: &Home) -> Vec<Self> {
        let granting = granting::Agent::at(home).map(Box::new).map(Self::Granting);
        let access_point = access_point::Agent::at(home).map(Box::new).map(Self::AccessPoint);
        granting.into_iter().chain(access_point).collect()
    }

    /// An access point has another queue: its agent, among those of its cell, sets weights and shares windows by that.
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

    /// The agents of a station, in the order in which they are told.
    fn of_station(home: &Home) -> Vec<Self> {
        let keeping = keeping::Agent::at(home).map(Box::new).map(Self::Keeping);
        let arf_window = arf_window::Agent::at(home).into_iter().map(Box::new).map(Self::ArfWindow);
        let arf_aware = arf_aware::Agent::at(home).map(Self::ArfAware);
        let rate_cap = rate_cap::Agent::at(home).map(Self::RateCap);
        keeping.into_iter().chain(arf_window).chain(arf_aware).chain(rate_cap).collect()
    }

    /// Tells the agent of something, and adds what it does to `actions`.
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
        }
    }
}

/// Something that a node sees.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Seen<'w> {
    /// The run begins.
    Start,
    /// The run ends.
    End,
    /// A frame that the node has decoded or sent; a beacon with its elements is one.
    Frame(&'w Overheard<'w, Packet>),
    /// The station's own frames go at another rate from now on.
    Rate {
        /// That rate.
        rate: DataRate,
        /// The highest of its standard.
        highest_rate: DataRate,
    },
    /// A packet that the access point forwards.
    Packet(Passage, &'w Packet),
    /// The time for a beacon has come.
    BeaconDue,
    /// Time has come that an agent of the node has asked for; an agent that has not asked lets it pass.
    Timer,
}

/// Place where an access point sees a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Passage {
    /// A station has sent it.
    FromStation,
    /// It is about to join the queue to the stations.
    ToQueue,
    /// A station has received it.
    Delivered,
}

/// Action that an agent makes the world take.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Action {
    /// Limits TCP's window: beside cwnd at a sender, in the ACKs of a receiver, where a limit is in octets.
    LimitWindow(LocalEnd, WindowLimit),
    /// Gives TCP's cwnd a value [segments].
    SetCwnd(LocalEnd, u32),
    /// Limits TFRC's rate, what the receiver reports or what the sender sends.
    LimitRate(LocalEnd, DataRate),
    /// Lifts any limit.
    Lift(LocalEnd),
    /// Has a TCP receiver estimate its round trip from now on.
    EstimateRoundTrip(LocalEnd),
    /// Sets the weights of the node's own queue.
    SetWeights(Weights),
    /// Lowers the window that a passing ACK advertises to this at most.
    RewriteWindow(Bytes),
    /// Adds elements to the beacon that is due.
    AddElements(Elements),
    /// Reports a measurement.
    Report(Measured),
    /// Asks to be told when this time has come.
    Wake(Time),
    /// Asks to be told of frames.
    Listen(Listen),
    /// Asks to be told of packets that the access point forwards.
    WatchPackets,
}

/// Knowledge of a node about its own ends of flows and its cell.
#[derive(Debug)]
pub(crate) struct View<'w> {
    pub(crate) cell: CellId,
    pub(crate) node: NodeId,
    pub(crate) air: &'w Cell<Packet>,
    pub(crate) flows: &'w [Flow],
}

impl View<'_> {
    /// An end of a flow, as its transport knows it; none of UDP, which nobody limits, and none that is elsewhere.
    pub(crate) fn end(&self, end: LocalEnd) -> Option<End<'_>> {
        let flow = &self.flows[end.flow.index()];
        End::of(flow, end.side).filter(|_| flow.ends_at(end.side, self.cell, self.node))
    }

    /// Durations of frames in its cell.
    pub(crate) fn airtime(&self) -> &Airtime {
        self.air.airtime()
    }

    /// Exchange that begins with such an access and carries such packets between the node and its access point.
    /// [arf-window eq. 10], [occupancy-tfrc eq. 9]
    pub(crate) fn exchange(&self, access: Duration, load: Load) -> Exchange {
        let Load { direction, msdu, rate, max_packets } = load;
        let (airtime, tx) = (self.airtime(), self.airtime().vector_on(self.node, rate));
        let ends = match direction {
            Direction::Up => (self.node, NodeId::AP),
            Direction::Down => (NodeId::AP, self.node),
        };
        let Carrier { packets, psdu, data, response: ack } =
            self.air.carrier(ends, msdu, max_packets, tx);
        let protection = match airtime.protection_of(psdu, tx) {
            Protection::None => [None; 2],
            Protection::CtsToSelf(tx) => [None, Some(airtime.cts(tx))],
            Protection::RtsCts(tx) => [Some(airtime.rts(tx)), Some(airtime.cts(tx))],
        };
        Exchange { access, protection, data, ack, sifs: airtime.timing.sifs, packets }
    }
}
