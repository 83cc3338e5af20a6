//! The world: wait for the clock, take the next event, let the touched machine act, forward what it
//! sends, re-arm it.

mod agents;
mod air;

use std::collections::VecDeque;

use airfair_units::{DataRate, Time};
use airfair_wlan::{NodeId, Phase};

use crate::clock::Clock;
use crate::coupling::{Action, Passage, Seen};
use crate::endpoint::{Alarm, Sink, Source};
use crate::link::{Arrival, Link, LinkId, Refusal};
use crate::packet::{Body, FlowId, Packet, Side};
use crate::queue::EventQueue;
use crate::record::{
    CellId, FlowRecord, LinkRecord, Record, Recorder, Sample, SenderWindow, SentAt,
};

pub(crate) use air::Radio;

/// One step of a packet's way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Hop {
    /// Over the air, from one member of a cell to another.
    Air { cell: CellId, from: NodeId, to: NodeId },
    /// Over a wired link.
    Wire(LinkId),
}

impl Hop {
    /// The same hop in the other direction.
    pub(crate) fn reversed(self) -> Self {
        match self {
            Self::Air { cell, from, to } => Self::Air { cell, from: to, to: from },
            Self::Wire(link) => Self::Wire(link.reversed()),
        }
    }
}

/// Something that happens at a time known beforehand. What happens on the air is the cell's business.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Event {
    Start(FlowId),
    Stop(FlowId),
    /// A timer of an endpoint.
    Alarm(FlowId, Side),
    /// The next packet reaches the end of a link.
    Arrival(LinkId),
    /// A link has sent a packet of a saturated flow.
    LinkFree(FlowId),
    /// A station's rate changes.
    Rate(usize),
    /// An access point is to send a beacon.
    Beacon(CellId),
    /// An agent at a member of a cell has asked for this time.
    Wake(CellId, NodeId),
}

/// A change of a station's rate.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RateChange {
    pub(crate) at: Time,
    pub(crate) cell: CellId,
    pub(crate) station: NodeId,
    pub(crate) up: bool,
    pub(crate) rate: DataRate,
}

/// A flow under way.
#[derive(Debug)]
pub(crate) struct Flow {
    pub(crate) source: Source,
    pub(crate) sink: Sink,
    /// Hops from the sender to the receiver.
    pub(crate) forth: Vec<Hop>,
    /// Hops back.
    pub(crate) back: Vec<Hop>,
    pub(crate) is_saturated: bool,
    /// Whether the sender keeps what its own host's queue refuses.
    pub(crate) keeps_refused: bool,
    pub(crate) source_alarm: Alarm,
    pub(crate) sink_alarm: Alarm,
}

/// All that is simulated.
#[derive(Debug)]
pub(crate) struct World<R, C> {
    pub(crate) now: Time,
    pub(crate) clock: C,
    pub(crate) queue: EventQueue<Event>,
    pub(crate) cells: Vec<Radio>,
    pub(crate) links: Vec<Link>,
    pub(crate) flows: Vec<Flow>,
    pub(crate) rate_changes: Vec<RateChange>,
    /// True if an agent is told of frames.
    pub(crate) observes: bool,
    /// What the agent that has just been told of something does.
    pub(crate) actions: Vec<Action>,
    /// Flows whose senders an agent has touched, and which may have something to send.
    pub(crate) touched: VecDeque<FlowId>,
    /// Saturated sources that wait for room in their first queue, a packet each.
    pub(crate) owed: VecDeque<FlowId>,
    pub(crate) recorder: R,
    pub(crate) events: u64,
}

/// Packets that a saturated source keeps in its transmit queue: one in service and one waiting.
const SATURATED_BACKLOG: usize = 2;

impl<R: Recorder, C: Clock> World<R, C> {
    /// Lets everything happen that happens before `end`.
    #[cfg(test)]
    pub(crate) fn run_until(&mut self, end: Time) {
        while !self.run_some(end, u64::MAX) {}
    }

    /// Lets at most so many events happen that happen before `end`; true once there are no more.
    pub(crate) fn run_some(&mut self, end: Time, most: u64) -> bool {
        let last = self.events.saturating_add(most);
        while self.events < last {
            let scheduled = self.queue.peek();
            let on_air = self.next_on_air();
            let keys = [scheduled, on_air.map(|(key, _)| key)];
            let next = keys.into_iter().flatten().min().filter(|next| next.0 < end);
            let Some(next) = next else {
                self.now = end;
                return true;
            };
            self.clock.wait_until(next.0);
            self.now = next.0;
            self.events += 1;
            // Equal keys: what was scheduled before the instant comes before what the air decides in it.
            match on_air {
                Some((key, index)) if scheduled != Some(next) => {
                    self.cells[index].cell.handle_event(key.0, key.1);
                }
                _ => {
                    let event = self.queue.pop().expect("the event just seen");
                    self.handle(event);
                }
            }
            self.drain_cells();
        }
        false
    }

    /// What happens next on any channel, and on which; among equals the first cell's.
    fn next_on_air(&self) -> Option<((Time, Phase), usize)> {
        if let [only] = self.cells.as_slice() {
            return Some((only.cell.next_event()?, 0));
        }
        let keyed = |(index, radio): (usize, &Radio)| Some((radio.cell.next_event()?, index));
        self.cells.iter().enumerate().filter_map(keyed).min()
    }

    fn handle(&mut self, event: Event) {
        match event {
            Event::Start(flow) => self.start(flow),
            Event::Stop(flow) => {
                self.flows[flow.index()].source.close(self.now);
                self.drain_source(flow);
            }
            Event::Alarm(flow, side) => self.ring(flow, side),
            Event::Arrival(link) => self.arrive_by_wire(link),
            Event::LinkFree(flow) => self.send_one(flow),
            Event::Rate(index) => self.change_rate(index),
            Event::Beacon(cell) => self.send_beacon(cell),
            Event::Wake(cell, node) => self.tell(cell, node, &Seen::Timer),
        }
    }

    fn start(&mut self, id: FlowId) {
        self.emit(id, FlowRecord::Started);
        self.flows[id.index()].source.open(self.now);
        if self.flows[id.index()].is_saturated {
            for _ in 0..SATURATED_BACKLOG {
                self.send_one(id);
            }
        } else {
            self.drain_source(id);
        }
    }

    fn ring(&mut self, id: FlowId, side: Side) {
        let flow = &mut self.flows[id.index()];
        match side {
            Side::Sender if flow.source_alarm.ring(self.now) => {
                flow.source.handle_timeout(self.now);
                self.drain_source(id);
            }
            Side::Receiver if flow.sink_alarm.ring(self.now) => {
                flow.sink.handle_timeout(self.now);
                self.drain_sink(id);
            }
            _ => {}
        }
    }

    /// Sends what the source wants to send and re-arms its alarm.
    fn drain_source(&mut self, id: FlowId) {
        while let Some(body) = self.flows[id.index()].source.poll_transmit(self.now) {
            self.send(id, body);
        }
        self.report_sender(id);
        let flow = &mut self.flows[id.index()];
        if let Some(at) = flow.source_alarm.want(flow.source.next_timeout()) {
            self.queue.push(at, Phase::Timeout, Event::Alarm(id, Side::Sender));
        }
    }

    fn drain_sink(&mut self, id: FlowId) {
        while let Some(body) = self.flows[id.index()].sink.poll_transmit(self.now) {
            self.forward_or_lose(Packet::new(self.now, id, Side::Receiver, body));
        }
        let flow = &mut self.flows[id.index()];
        if let Some(at) = flow.sink_alarm.want(flow.sink.next_timeout()) {
            self.queue.push(at, Phase::Timeout, Event::Alarm(id, Side::Receiver));
        }
    }

    fn report_sender(&mut self, id: FlowId) {
        while let Some(record) = self.flows[id.index()].source.poll_record() {
            self.emit(id, record);
        }
    }

    /// One packet of a saturated source.
    fn send_one(&mut self, id: FlowId) {
        let Some(body) = self.flows[id.index()].source.poll_transmit(self.now) else { return };
        let is_accepted = self.send(id, body);
        if !is_accepted && matches!(self.flows[id.index()].forth[0], Hop::Air { .. }) {
            self.owed.push_back(id);
        }
    }

    /// A packet of the sender leaves its host; false if the queue there has no room for it.
    fn send(&mut self, id: FlowId, body: Body) -> bool {
        self.emit(id, FlowRecord::Sent);
        if self.forward(Packet::new(self.now, id, Side::Sender, body)) {
            return true;
        }
        let flow = &mut self.flows[id.index()];
        let is_kept = flow.keeps_refused && flow.source.handle_refusal(self.now, &body);
        let lost = FlowRecord::Lost(Side::Sender, SentAt(self.now));
        self.emit(id, if is_kept { FlowRecord::Refused } else { lost });
        false
    }

    fn forward_or_lose(&mut self, packet: Packet) {
        if !self.forward(packet) {
            self.lose(&packet);
        }
    }

    /// Sends a packet over the hop that it has come to; false if there is no room in the queue.
    fn forward(&mut self, packet: Packet) -> bool {
        let flow = &self.flows[packet.flow.index()];
        let route = if packet.origin == Side::Sender { &flow.forth } else { &flow.back };
        match route[usize::from(packet.hop)] {
            Hop::Air { cell, from, to } => {
                let radio = &mut self.cells[cell.index()];
                if radio.watches_packets && from.is_ap() {
                    let packet = self.pass(cell, Passage::ToQueue, packet);
                    return self.cells[cell.index()].enqueue(self.now, packet, from, to);
                }
                radio.enqueue(self.now, packet, from, to)
            }
            Hop::Wire(link) => self.forward_by_wire(link, packet),
        }
    }

    fn forward_by_wire(&mut self, id: LinkId, packet: Packet) -> bool {
        let link = &mut self.links[id.index()];
        let was_empty = link.next_arrival().is_none();
        let number = self.queue.reserve();
        let arrival = match link.send(self.now, packet, number) {
            Ok(arrival) => arrival,
            Err(refusal) => {
                let record = match refusal {
                    Refusal::QueueFull => LinkRecord::Dropped,
                    Refusal::Early => LinkRecord::DroppedEarly,
                };
                self.recorder.record(self.now, &Record::Link(id, record));
                return false;
            }
        };
        let queued = link.queued(self.now);
        let departure = link.last_departure();
        // A link's arrivals follow each other, so the queue holds the next one alone.
        if was_empty {
            self.queue.push_reserved(arrival, Phase::End, number, Event::Arrival(id));
        }
        self.recorder.record(self.now, &Record::Link(id, LinkRecord::Queued(queued)));
        let starts_here = packet.origin == Side::Sender && packet.hop == 0;
        if let (true, true, Some(at)) =
            (starts_here, self.flows[packet.flow.index()].is_saturated, departure)
        {
            self.queue.push(at, Phase::End, Event::LinkFree(packet.flow));
        }
        true
    }

    fn arrive_by_wire(&mut self, id: LinkId) {
        let link = &mut self.links[id.index()];
        let arrival = link.receive(self.now).expect("an arrival was announced");
        let queued = link.queued(self.now);
        if let Some((at, number)) = link.next_arrival() {
            self.queue.push_reserved(at, Phase::End, number, Event::Arrival(id));
        }
        match arrival {
            Arrival::Packet(packet) => {
                self.recorder.record(self.now, &Record::Link(id, LinkRecord::Arrived(queued)));
                self.arrive(packet);
            }
            Arrival::Lost(packet) => {
                self.recorder.record(self.now, &Record::Link(id, LinkRecord::Lost(queued)));
                self.lose(&packet);
            }
        }
    }

    /// A packet has crossed a hop: on to the next, or to its endpoint.
    fn arrive(&mut self, mut packet: Packet) {
        packet.hop += 1;
        let now = self.now;
        let flow = &mut self.flows[packet.flow.index()];
        let route = if packet.origin == Side::Sender { &flow.forth } else { &flow.back };
        if usize::from(packet.hop) < route.len() {
            self.forward_or_lose(packet);
            return;
        }
        match packet.origin {
            Side::Sender => {
                let before = (flow.sink.delivered(), flow.sink.repeated());
                flow.sink.handle(now, &packet.body);
                let delivered = flow.sink.delivered() - before.0;
                let is_repeated = flow.sink.repeated() > before.1;
                let sent_at = SentAt(packet.sent_at);
                self.emit(packet.flow, FlowRecord::Received(sent_at));
                if is_repeated {
                    self.emit(packet.flow, FlowRecord::Repeated(sent_at));
                }
                if !delivered.is_zero() {
                    self.emit(packet.flow, FlowRecord::Delivered(delivered));
                }
                self.drain_sink(packet.flow);
            }
            Side::Receiver => {
                flow.source.handle(now, &packet.body);
                self.drain_source(packet.flow);
            }
        }
    }

    /// Accounts for everything up to now, at the end of a run.
    pub(crate) fn flush(&mut self) {
        for radio in &mut self.cells {
            radio.cell.flush(self.now);
        }
        self.drain_cells();
        self.end_agents();
    }

    /// Packets of each flow's sender, sent at `since` or later, that are queued, on the air or on a wire.
    pub(crate) fn in_flight(&self, since: Time) -> Vec<u64> {
        let mut counts = vec![0; self.flows.len()];
        let on_air = self.cells.iter().flat_map(|radio| radio.cell.undelivered());
        let on_air = on_air.map(|msdu| &msdu.payload);
        let on_wires = self.links.iter().flat_map(Link::in_flight);
        let counted = |packet: &&Packet| packet.origin == Side::Sender && packet.sent_at >= since;
        for packet in on_air.chain(on_wires).filter(counted) {
            counts[packet.flow.index()] += 1;
        }
        counts
    }

    /// A step of the time series ends: a look at what nothing tells by itself.
    #[cold]
    pub(crate) fn sample(&mut self) {
        for index in 0..self.flows.len() {
            let Source::Tcp(sender) = &self.flows[index].source else { continue };
            let window = SenderWindow { cwnd: sender.cwnd(), ssthresh: sender.ssthresh() };
            let sample = Sample::Window(FlowId::new(index), window);
            self.recorder.record(self.now, &Record::Sample(sample));
        }
        self.recorder.record(self.now, &Record::Sample(Sample::StepEnd));
    }

    /// A packet goes no further.
    fn lose(&mut self, packet: &Packet) {
        self.emit(packet.flow, FlowRecord::Lost(packet.origin, SentAt(packet.sent_at)));
    }

    fn emit(&mut self, flow: FlowId, record: FlowRecord) {
        self.recorder.record(self.now, &Record::Flow(flow, record));
    }
}
