//! Delivery of events to agents, and application of their actions.

use std::mem;

use airfair_laws::window_limit::WindowLimit;
use airfair_units::{DataRate, Time};
use airfair_wlan::{Elements, NodeId, Phase};

use super::{Bss, Event, Output, World};
use crate::clock::Clock;
use crate::coupling::{Action, Agent, CustomAgent, LocalEnd, Passage, Seen, View};
use crate::endpoint::{Sink, Source};
use crate::flow::Flow;
use crate::packet::{Packet, Side};
use crate::record::{CellId, Member, Place, Record};
use crate::recorder::Recorder;

/// Frame or packet that an agent may modify in the current event.
enum Subject<'w> {
    None,
    /// The packet that the access point forwards.
    Packet(&'w mut Packet, &'w mut PacketFate),
    /// Elements of the beacon that is due.
    Beacon(&'w mut Elements),
}

/// Fate of a packet that the agents of an access point see.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum PacketFate {
    GoesOn,
    Dropped,
    /// The packet goes on at this time.
    Delayed(Time),
}

impl<R: Recorder, C: Clock> World<R, C> {
    /// Notifies all agents of the start of the run.
    pub(crate) fn start_agents(&mut self) {
        self.tell_all(&Seen::Start);
    }

    /// Notifies all agents of the end of the run.
    pub(super) fn end_agents(&mut self) {
        self.tell_all(&Seen::End);
    }

    fn tell_all(&mut self, seen: &Seen) {
        for cell in (0..self.cells.len()).map(CellId::new) {
            for node in (0..).map(NodeId).take(self.cells[cell.index()].agents.len()) {
                self.tell(cell, node, seen);
            }
        }
    }

    /// Notifies the agents at a node of an event, one after the other. The actions of one agent are applied, and its
    /// senders have sent what they may, before the next agent is notified.
    pub(crate) fn tell(&mut self, cell: CellId, node: NodeId, seen: &Seen) {
        let agents = self.cells[cell.index()].agents.get(node.index());
        for index in 0..agents.map_or(0, Vec::len) {
            self.ask(cell, node, index, seen);
            self.apply_all(cell, node, Subject::None);
            self.drain_touched();
        }
    }

    /// Shows a packet from or to a station to the agents of the station's access point. Returns the packet as they
    /// leave it; `None` if one of them has dropped or delayed it.
    #[inline(never)]
    pub(super) fn pass(
        &mut self,
        (cell, station): (CellId, NodeId),
        passage: Passage,
        mut packet: Packet,
    ) -> Option<Packet> {
        let mut fate = PacketFate::GoesOn;
        for index in 0..self.cells[cell.index()].agents[NodeId::AP.index()].len() {
            let seen = Seen::Packet { passage, station, packet: &packet };
            self.ask(cell, NodeId::AP, index, &seen);
            self.apply_all(cell, NodeId::AP, Subject::Packet(&mut packet, &mut fate));
            if fate == PacketFate::Dropped {
                break;
            }
        }
        match fate {
            PacketFate::GoesOn => return Some(packet),
            PacketFate::Dropped => self.drop_by_scheme(cell, &packet),
            PacketFate::Delayed(until) => self.hold(until, passage, packet),
        }
        None
    }

    /// Accounts for a packet that an agent of a cell's access point has dropped.
    #[cold]
    fn drop_by_scheme(&mut self, cell: CellId, packet: &Packet) {
        self.cells[cell.index()].cell.record_scheme_drop(NodeId::AP, packet.category);
        self.lose_at(packet, Some(Place::Air { cell, member: NodeId::AP.0 }));
    }

    /// Puts an agent from outside at a member of a cell, after the agents that the member has. The world is at its
    /// start.
    ///
    /// # Panics
    /// If the world has begun to advance.
    pub fn add_agent(&mut self, at: Member, agent: Box<dyn CustomAgent>) {
        assert!(self.now == Time::ZERO && self.events == 0, "agents start with the run");
        let bss = &mut self.cells[at.cell.index()];
        bss.agents.resize_with(bss.members.len(), Vec::new);
        let of_node = &mut bss.agents[at.node.index()];
        of_node.push(Agent::Custom(agent));
        let index = of_node.len() - 1;
        self.ask(at.cell, at.node, index, &Seen::Start);
        self.apply_all(at.cell, at.node, Subject::None);
        self.drain_touched();
    }

    /// Collects the elements of a beacon that is due, and notifies the stations' agents that it is due. Senders that
    /// agents have acted on send later, with [`drain_touched`](Self::drain_touched), when the beacon is on its way.
    pub(super) fn compose_beacon(&mut self, cell: CellId) -> Elements {
        let mut elements = Elements::default();
        for node in (0..).map(NodeId).take(self.cells[cell.index()].agents.len()) {
            for index in 0..self.cells[cell.index()].agents[node.index()].len() {
                let before = elements;
                self.ask(cell, node, index, &Seen::BeaconDue(&before));
                self.apply_all(cell, node, Subject::Beacon(&mut elements));
            }
        }
        elements
    }

    /// Passes overheard frames to agents until an agent has actions, starting at the position `at` in the lists of
    /// frames and agents. Returns the agent's node and the next position.
    fn tell_frames(
        &mut self,
        cell: CellId,
        at: (usize, usize),
    ) -> Option<(NodeId, (usize, usize))> {
        let (mut place, mut first) = at;
        let Self { now, cells, flows, actions, .. } = self;
        let Bss { cell: air, agents, members, .. } = &mut cells[cell.index()];
        while let Some(frame) = air.overheard(place) {
            let node = frame.listener;
            let view = View { cell, node, air, flows, members };
            for (index, agent) in (first..).zip(&mut agents[node.index()][first..]) {
                agent.handle(*now, &Seen::Frame(&frame), &view, actions);
                if !actions.is_empty() {
                    return Some((node, (place, index + 1)));
                }
            }
            (place, first) = (place + 1, 0);
        }
        None
    }

    /// Passes all overheard frames of a cell to agents. The actions of one agent are applied before the next agent is
    /// notified.
    pub(super) fn tell_all_frames(&mut self, cell: CellId) {
        let mut at = (0, 0);
        while let Some((node, next)) = self.tell_frames(cell, at) {
            self.apply_all(cell, node, Subject::None);
            self.drain_touched();
            at = next;
        }
    }

    /// Passes an event to one agent and collects its actions, without applying them.
    fn ask(&mut self, cell: CellId, node: NodeId, index: usize, seen: &Seen) {
        let Bss { cell: air, agents, members, .. } = &mut self.cells[cell.index()];
        let view = View { cell, node, air, flows: &self.flows, members };
        agents[node.index()][index].handle(self.now, seen, &view, &mut self.actions);
    }

    /// Applies the actions that an agent at a node has requested.
    fn apply_all(&mut self, cell: CellId, node: NodeId, mut subject: Subject) {
        if self.actions.is_empty() {
            return;
        }
        let mut actions = mem::take(&mut self.actions);
        for action in actions.drain(..) {
            self.apply(cell, node, action, &mut subject);
        }
        self.actions = actions;
    }

    /// Applies one action. Actions take effect nowhere else.
    fn apply(&mut self, cell: CellId, node: NodeId, action: Action, subject: &mut Subject) {
        let bss = &mut self.cells[cell.index()];
        match (action, subject) {
            (Action::LimitWindow(end, limit), _) => self.limit_window(end, limit),
            (Action::SetCwnd(end, cwnd), _) => {
                match &mut self.touch(end).source {
                    Source::Tcp(sender) => sender.set_cwnd(cwnd),
                    // A program's cwnd cannot be set. Its window was limited in another way, and its cwnd is
                    // unchanged.
                    // Deviates: [D-160]
                    Source::External(_) => {}
                    _ => unreachable!("only a TCP sender has a cwnd"),
                }
            }
            (Action::LimitRate(end, rate), _) => self.limit_rate(end, Some(rate)),
            (Action::Lift(end), _) => self.lift(end),
            (Action::EstimateRoundTrip(end), _) => {
                if let Sink::Tcp(receiver) = &mut self.flows[end.flow.index()].sink {
                    receiver.estimate_round_trip();
                }
            }
            (Action::SetWeights(weights), _) => bss.cell.set_weights(node, weights),
            (Action::RewriteWindow(window), Subject::Packet(packet, _)) => {
                packet.limit_window(window);
            }
            (Action::DropPacket, Subject::Packet(_, fate)) => **fate = PacketFate::Dropped,
            (Action::DelayPacket(until), Subject::Packet(_, fate)) => {
                **fate = PacketFate::Delayed(until);
            }
            (Action::AddElements(added), Subject::Beacon(elements)) => {
                elements.append(&added).expect("a beacon has room for what agents say");
            }
            (Action::Grant(station, time), _) => bss.cell.grant(self.now, station, time),
            (Action::EndGrant, _) => bss.cell.end_grant(self.now),
            (Action::Hold(station, is_held), _) => bss.cell.hold(self.now, station, is_held),
            (Action::Report(measured), _) => {
                self.recorder.record(self.now, &Record::Measured(cell, node, measured));
            }
            (Action::Wake(at), _) => {
                self.queue.push(at, Phase::Timeout, Event::Wake(cell, node));
            }
            (Action::Listen(scope), _) => {
                bss.cell.listen(node, scope);
                self.observes = true;
            }
            (Action::WatchPackets, _) => bss.watches_packets = true,
            (Action::ScheduleUsers, _) => bss.schedules_users = true,
            (Action::RewriteWindow(_) | Action::DropPacket | Action::DelayPacket(_), _) => {
                unreachable!("no packet passes")
            }
            (Action::AddElements(_), _) => unreachable!("no beacon is due"),
        }
    }

    pub(super) fn limit_window(&mut self, end: LocalEnd, limit: WindowLimit) {
        self.touch(end).limit_window(end.side, limit);
    }

    pub(super) fn limit_rate(&mut self, end: LocalEnd, rate: Option<DataRate>) {
        let now = self.now;
        let flow = self.touch(end);
        match (end.side, &mut flow.source, &mut flow.sink) {
            (side, Source::External(gate), _) => {
                if gate.limit_rate(side, rate) {
                    self.put_out(Output::RateLimit(end.flow, side, rate));
                }
            }
            (Side::Sender, Source::Tfrc(sender), _) => sender.set_rate_limit(now, rate),
            (Side::Receiver, _, Sink::Tfrc(receiver)) => receiver.set_rate_limit(rate),
            _ => unreachable!("only TFRC has a rate"),
        }
    }

    pub(super) fn lift(&mut self, end: LocalEnd) {
        let flow = self.touch(end);
        match (end.side, &mut flow.source, &mut flow.sink) {
            (side, Source::External(gate), _) => {
                gate.limit_window(side, WindowLimit::None);
                self.limit_rate(end, None);
            }
            (Side::Sender, Source::Tcp(sender), _) => sender.set_window_limit(WindowLimit::None),
            (Side::Receiver, _, Sink::Tcp(receiver)) => receiver.set_window_limit(None),
            _ => self.limit_rate(end, None),
        }
    }

    /// State of the flow whose end `end` an action changes. If the end is the sender, it sends in the next call of
    /// [`drain_touched`](Self::drain_touched), because it may send more now.
    fn touch(&mut self, end: LocalEnd) -> &mut Flow {
        if end.side == Side::Sender && self.touched.back() != Some(&end.flow) {
            self.touched.push_back(end.flow);
        }
        &mut self.flows[end.flow.index()]
    }

    /// Lets all senders that agents have acted on send what they may.
    pub(super) fn drain_touched(&mut self) {
        while let Some(flow) = self.touched.pop_front() {
            self.drain_source(flow);
        }
    }
}
