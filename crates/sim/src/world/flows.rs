//! Packets of flows: from the sending end over the hops of a route to the receiving end.

use airfair_transport::tcp::RefusalOutcome;
use airfair_units::Time;
use airfair_wlan::Phase;

use super::{Event, ReleaseReason, World};
use crate::clock::Clock;
use crate::endpoint::Intake;
use crate::flow::{Departures, Flow, FlowPhase, Full, Hop, WithoutRoom};
use crate::packet::{Body, FlowId, Packet, Side};
use crate::record::{FlowRecord, Place, SentAt};
use crate::recorder::Recorder;
use crate::trace::Trace;

impl<R: Recorder, C: Clock> World<R, C> {
    /// Starts a flow, unless its owner has started it before.
    pub(super) fn start(&mut self, id: FlowId) {
        if self.flows[id.index()].phase != FlowPhase::Planned {
            return;
        }
        self.flows[id.index()].phase = FlowPhase::Open;
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

    /// Stops a flow: its sender sends no new data.
    pub(super) fn stop(&mut self, id: FlowId) {
        let flow = &mut self.flows[id.index()];
        if flow.phase == FlowPhase::Open {
            flow.phase = FlowPhase::Stopped;
        }
        flow.source.close(self.now);
        self.drain_source(id);
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

    /// Sends the packets that a flow's source has to send, and schedules the source's timer.
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
            // A source that takes refused packets back has been notified of the refusal.
            let sent = self.send_over(first, &packet);
            if R::TRACES && sent.is_ok() {
                self.recorder.trace(now, Trace::Sent(&packet));
            }
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

    /// Sends a packet from its host.
    ///
    /// # Errors
    /// [`Full`] if the host's queue is full and the source has taken the packet back.
    #[inline]
    pub(super) fn send(&mut self, packet: &Packet) -> Result<(), Full> {
        let first = self.flows[packet.flow.index()].route(packet.origin)[0];
        self.send_over(first, packet)
    }

    /// Sends a packet from its host over `hop`, the first hop of its route.
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

    /// Records that a flow's sender has sent a packet: the host's queue has accepted or dropped it, and has not handed
    /// it back to the sender.
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

    /// Sends a packet over its current hop.
    ///
    /// # Errors
    /// [`Full`] if the queue refuses the packet.
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

    /// Forwards a packet that has crossed a hop: to the next hop, or to the end of its flow.
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

    /// Hands a packet that has crossed its last hop to the end of its flow.
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
                let is_new = !intake.delivered.is_zero();
                record_intake(*now, (packet.flow, SentAt(packet.sent_at)), intake, recorder);
                if is_new && flows[packet.flow.index()].source.has_messages() {
                    self.complete_messages(packet);
                }
                if answers {
                    self.drain_sink(packet.flow);
                }
            }
            Side::Receiver => {
                if R::TRACES {
                    self.recorder.trace(self.now, Trace::Received(packet));
                }
                self.flows[packet.flow.index()].source.handle(self.now, &packet.body);
                self.drain_source(packet.flow);
            }
        }
    }

    /// Records the messages of a flow that are complete with the arrival of this packet.
    #[cold]
    fn complete_messages(&mut self, packet: &Packet) {
        let id = packet.flow;
        let Flow { source, sink, .. } = &mut self.flows[id.index()];
        if let Some(delay) = source.frame_completed(self.now, &packet.body) {
            self.recorder.record_flow(self.now, id, FlowRecord::Message(delay));
        }
        let Some(delivered) = sink.delivered() else { return };
        while let Some(message) = source.poll_completed(self.now, delivered) {
            self.recorder.record_flow(self.now, id, FlowRecord::Message(message.delay));
            if let Some((rate, stalled)) = message.chunk {
                self.recorder.record_flow(self.now, id, FlowRecord::Chunk(rate, stalled));
            }
        }
    }

    /// Accounts for a packet that was lost in or behind the queue of its current hop.
    pub(super) fn lose(&mut self, packet: &Packet) {
        self.lose_at(packet, None);
    }

    /// Accounts for a packet that was lost at `at`, or in or behind the queue of its current hop.
    #[inline(never)]
    pub(super) fn lose_at(&mut self, packet: &Packet, at: Option<Place>) {
        self.emit(packet.flow, FlowRecord::Lost(packet.origin, SentAt(packet.sent_at)));
        let source = &mut self.flows[packet.flow.index()].source;
        if packet.origin == Side::Sender && source.handle_loss(&packet.body) {
            self.emit(packet.flow, FlowRecord::MessageLost);
        }
        if R::LIMITS {
            self.tell_loss(packet, at);
        }
        self.release(packet, ReleaseReason::Lost);
    }

    /// Records what happens to a flow, other than the frequent records of packets, which are inlined where they
    /// occur.
    #[inline(never)]
    pub(super) fn emit(&mut self, flow: FlowId, record: FlowRecord) {
        self.recorder.record_flow(self.now, flow, record);
    }
}

/// Records the arrival of a packet at the sink of a flow.
#[inline(always)]
#[expect(clippy::inline_always, reason = "each call on a packet's way costs twenty instructions")]
pub(super) fn record_intake(
    now: Time,
    (id, sent_at): (FlowId, SentAt),
    intake: Intake,
    to: &mut impl Recorder,
) {
    to.record_flow(now, id, FlowRecord::Received(sent_at));
    if intake.is_marked {
        to.record_flow(now, id, FlowRecord::Marked(sent_at));
    }
    if intake.is_repeated {
        to.record_flow(now, id, FlowRecord::Repeated(sent_at));
    }
    if !intake.delivered.is_zero() {
        to.record_flow(now, id, FlowRecord::Delivered(intake.delivered));
    }
}
