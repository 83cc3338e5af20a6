//! Flows: what their ends send, and where it goes.

use airfair_transport::tcp::RefusalOutcome;
use airfair_units::Time;
use airfair_wlan::Phase;
use airfair_wlan::edca::AccessCategory;

use super::room::{Full, WithoutRoom};
use super::small_queues::{Departures, SmallQueue};
use super::{Event, Fate, Hop, World};
use crate::clock::Clock;
use crate::endpoint::{Alarm, Intake, Sink, Source};
use crate::packet::{Body, FlowId, Packet, Side};
use crate::record::{FlowRecord, Recorder, SentAt};

/// A flow under way.
#[derive(Debug)]
pub(crate) struct Flow {
    pub(crate) source: Source,
    pub(crate) sink: Sink,
    /// Hops from the sender to the receiver.
    pub(crate) forth: Vec<Hop>,
    /// Hops back.
    pub(crate) back: Vec<Hop>,
    /// Category of its packets on the air.
    pub(crate) category: AccessCategory,
    pub(crate) without_room: WithoutRoom,
    /// Meaning of departures from the queue of its sender's host.
    pub(crate) departures: Departures,
    /// Departures from that queue, if its sender counts them.
    pub(crate) small_queue: Option<Box<SmallQueue>>,
    pub(crate) source_alarm: Alarm,
    pub(crate) sink_alarm: Alarm,
}

impl Flow {
    /// True if it wants to know of each packet that leaves a queue of a cell.
    pub(crate) fn wants_departures(&self) -> bool {
        let is_over_air = matches!(self.forth[0], Hop::Air { .. });
        self.without_room.waits() || (self.departures == Departures::Counted && is_over_air)
    }

    /// Hops of the packets that one end sends.
    pub(super) fn route(&self, origin: Side) -> &[Hop] {
        match origin {
            Side::Sender => &self.forth,
            Side::Receiver => &self.back,
        }
    }
}

impl<R: Recorder, C: Clock> World<R, C> {
    pub(super) fn start(&mut self, id: FlowId) {
        self.emit(id, FlowRecord::Started);
        self.flows[id.index()].source.open(self.now);
        match self.flows[id.index()].without_room {
            WithoutRoom::Wait => {
                self.fill_backlog(id);
                if R::LIMITS {
                    self.look_behind(id);
                }
            }
            WithoutRoom::Lose | WithoutRoom::Keep | WithoutRoom::Return => self.drain_source(id),
        }
    }

    pub(super) fn ring(&mut self, id: FlowId, side: Side) {
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
    pub(super) fn drain_source(&mut self, id: FlowId) {
        if R::LIMITS {
            self.look_before(id);
        }
        let counts = self.flows[id.index()].departures == Departures::Counted;
        if counts {
            self.settle_departures(id);
        }
        let Flow { category, ref forth, .. } = self.flows[id.index()];
        let (now, first) = (self.now, forth[0]);
        let make = |body| Packet::new(now, (id, Side::Sender), category, body);
        while let Some(packet) = self.flows[id.index()].source.poll_transmit(now, make) {
            // Who keeps what was refused has noticed.
            let _ = self.send_over(first, &packet);
        }
        if counts {
            self.await_departures(id);
        }
        self.report_sender(id);
        if R::LIMITS {
            self.look_behind(id);
        }
        if R::TRACES {
            self.trace_sender(id);
        }
        let flow = &mut self.flows[id.index()];
        if let Some(at) = flow.source_alarm.want(flow.source.next_timeout()) {
            self.queue.push(at, Phase::Timeout, Event::Alarm(id, Side::Sender));
        }
    }

    fn drain_sink(&mut self, id: FlowId) {
        while let Some(body) = self.flows[id.index()].sink.poll_transmit(self.now) {
            let category = self.flows[id.index()].category;
            let packet = Packet::new(self.now, (id, Side::Receiver), category, body);
            self.forward_or_lose(&packet);
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

    /// A packet leaves the host of its source, if the queue there takes it; else the source has it again.
    #[inline]
    pub(super) fn send(&mut self, packet: &Packet) -> Result<(), Full> {
        let first = self.flows[packet.flow.index()].route(packet.origin)[0];
        self.send_over(first, packet)
    }

    /// The same over the first hop of its route.
    #[inline(always)]
    #[expect(
        clippy::inline_always,
        reason = "each call on a packet's way costs twenty instructions"
    )]
    pub(super) fn send_over(&mut self, hop: Hop, packet: &Packet) -> Result<(), Full> {
        if self.forward_over(hop, packet).is_err() {
            match self.handle_refusal(packet) {
                RefusalOutcome::TakenBack => return Err(Full),
                RefusalOutcome::Lost => {
                    self.note_sent(packet);
                    self.lose(packet);
                }
            }
        }
        Ok(())
    }

    /// A packet does not come back to its source: the queue of its host has taken it, or lost it.
    #[inline]
    pub(super) fn note_sent(&mut self, packet: &Packet) {
        if packet.hop == 0 && packet.origin == Side::Sender {
            self.recorder.record_flow(self.now, packet.flow, FlowRecord::Sent);
        }
    }

    pub(super) fn forward_or_lose(&mut self, packet: &Packet) {
        if self.forward(packet).is_err() {
            self.lose(packet);
        }
    }

    /// Sends a packet over the hop that it has come to, if the queue there takes it.
    #[inline]
    pub(super) fn forward(&mut self, packet: &Packet) -> Result<(), Full> {
        let route = self.flows[packet.flow.index()].route(packet.origin);
        self.forward_over(route[usize::from(packet.hop)], packet)
    }

    #[inline]
    fn forward_over(&mut self, hop: Hop, packet: &Packet) -> Result<(), Full> {
        match hop {
            Hop::Air { cell, from, to } => self.forward_by_air((cell, from, to), packet),
            Hop::Wire(link) => self.forward_by_wire(link, packet),
        }
    }

    /// A packet has crossed a hop: on to the one that it has come to, or to its endpoint.
    #[inline]
    pub(super) fn arrive(&mut self, packet: &Packet) {
        let route = self.flows[packet.flow.index()].route(packet.origin);
        match route.get(usize::from(packet.hop)) {
            Some(&hop) => {
                if self.forward_over(hop, packet).is_err() {
                    self.lose(packet);
                }
            }
            None => self.end_way(packet),
        }
    }

    /// A packet has come to its endpoint.
    #[inline(never)]
    fn end_way(&mut self, packet: &Packet) {
        if let Body::External(external) = packet.body {
            return self.hand_over(*packet, external);
        }
        match packet.origin {
            Side::Sender => {
                let Self { now, flows, recorder, .. } = self;
                let sink = &mut flows[packet.flow.index()].sink;
                let (intake, answers) = (sink.handle(*now, &packet.body), sink.answers());
                record_intake(*now, (packet.flow, SentAt(packet.sent_at)), intake, recorder);
                if answers {
                    self.drain_sink(packet.flow);
                }
            }
            Side::Receiver => {
                self.flows[packet.flow.index()].source.handle(self.now, &packet.body);
                self.drain_source(packet.flow);
            }
        }
    }

    /// A packet goes no further.
    #[inline(never)]
    pub(super) fn lose(&mut self, packet: &Packet) {
        self.emit(packet.flow, FlowRecord::Lost(packet.origin, SentAt(packet.sent_at)));
        if R::LIMITS {
            self.tell_loss(packet);
        }
        self.release(packet, Fate::Lost);
    }

    /// Records what happens to a flow less often than packets come and go: those are recorded where they do.
    #[inline(never)]
    pub(super) fn emit(&mut self, flow: FlowId, record: FlowRecord) {
        self.recorder.record_flow(self.now, flow, record);
    }
}

/// Records that the sink of a flow has a packet.
#[inline(always)]
#[expect(clippy::inline_always, reason = "each call on a packet's way costs twenty instructions")]
pub(super) fn record_intake(
    now: Time,
    (id, sent_at): (FlowId, SentAt),
    intake: Intake,
    to: &mut impl Recorder,
) {
    to.record_flow(now, id, FlowRecord::Received(sent_at));
    if intake.is_repeated {
        to.record_flow(now, id, FlowRecord::Repeated(sent_at));
    }
    if !intake.delivered.is_zero() {
        to.record_flow(now, id, FlowRecord::Delivered(intake.delivered));
    }
}
