//! State that an agent may inspect, and checks of the actions that it asks for.

use airfair_laws::Direction;
use airfair_laws::exchange::{Exchange, Load};
use airfair_laws::window_limit::WindowLimit;
use airfair_units::{Duration, Time};
use airfair_wlan::aggregation::Agreement;
use airfair_wlan::airtime::Airtime;
use airfair_wlan::{Cell, LONGEST_NAV, NodeId};

use super::{Action, Link, LocalEnd, Seen, TransportEnd, link};
use crate::endpoint::{Source, TransportKind};
use crate::flow::Flow;
use crate::not_allowed::NotAllowed;
use crate::packet::{FlowId, Packet, Side};
use crate::record::{CellId, Member};
use crate::settable::Settable;

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
            Action::SetWeights(weights) => self.members[self.node.index()].check_weights(*weights),
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
            Action::Hold(station, _) | Action::Grant(station, _) => {
                let is_there = station.index() < self.members.len() && !station.is_ap();
                allowed(self.node.is_ap() && is_there, NotAllowed::IsStation)?;
                let is_long = matches!(action, Action::Grant(_, time) if *time > LONGEST_NAV);
                allowed(!is_long, NotAllowed::OutOfRange("at most 32.767 ms"))
            }
            Action::WatchPackets | Action::EndGrant => {
                allowed(self.node.is_ap(), NotAllowed::IsStation)
            }
            Action::ScheduleUsers => {
                allowed(self.node.is_ap(), NotAllowed::IsStation)?;
                allowed(self.air.has_multi_user(), NotAllowed::NoMultiUser)
            }
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

    /// True if bulk for a station waits at the access point, if that has queues for each station.
    pub fn has_bulk(&self, station: NodeId) -> bool {
        self.air.has_bulk(station)
    }

    /// True if the access point sends PPDUs for several stations, or triggers them.
    pub(crate) fn has_multi_user(&self) -> bool {
        self.air.has_multi_user()
    }

    /// True if the access point triggers stations.
    pub(crate) fn has_triggers(&self) -> bool {
        self.air.has_triggers()
    }

    /// Time for which the access point's carrier sense has found the medium idle.
    pub fn idle(&self, now: Time) -> Duration {
        self.air.idle(now)
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
    /// node and its access point, at their rate or the link's next lower one: a part of a PPDU of several users may have
    /// a rate that the link alone does not have.  [arf-window eq. 10], [occupancy-tfrc eq. 9]
    pub fn exchange(&self, access: Duration, load: Load) -> Exchange {
        let tx = self.airtime().vector_near(self.node, load.rate).expect("a rate of the link");
        link::exchange(self.airtime(), self.agreement(load.direction), tx, (access, &load))
    }
}
