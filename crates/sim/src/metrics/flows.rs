//! Accumulation of the records of one flow.

use airfair_transport::live::{Live, Model};
use airfair_units::{Duration, Time};

use super::calls::PictureAccount;
use super::jitter::Jitter;
use super::measured_time::MeasuredTime;
use super::playout;
use super::quantiles::Histogram;
use crate::outcome::{
    CallOutcome, CategoryOutcome, FlowOutcome, FlowStep, LiveOutcome, MarkOutcome, MessageOutcome,
    StationOutcome, WaitsOutcome,
};
use crate::packet::Side;
use crate::record::{FlowRecord, Limited, Place, SenderWindow, SentAt};
use crate::scenario::{Endpoint, Flow, Transport};

#[derive(Clone, Debug, Default)]
pub(super) struct FlowAccount {
    outcome: FlowOutcome,
    rtt: Histogram,
    delay: Histogram,
    jitter: Jitter,
    messages: Histogram,
    chunks: MessageOutcome,
    /// Frames of a live application that were lost, and that came after its deadline.
    missed: LiveOutcome,
    /// Delay above which a frame of a live application comes too late.
    deadline: Duration,
    marks: MarkOutcome,
    /// Pictures of a video call; `None` for other flows.
    pictures: Option<Box<PictureAccount>>,
    started: Option<Time>,
    finished: Option<Time>,
    last_delivery: Time,
    /// Current step of the time series, if the scenario records one.
    step: FlowStep,
    has_steps: bool,
}

impl FlowAccount {
    pub(super) fn new(flow: &Flow, has_steps: bool) -> Self {
        let deadline = flow.transport.live().map_or(Duration::MAX, |live| live.deadline);
        let has_pictures = flow.transport.video_call().is_some();
        let pictures = has_pictures.then(Box::default);
        Self { deadline, pictures, has_steps, ..Self::default() }
    }

    /// Counts a record. A packet counts if it was sent within the measured time, no matter when it arrives or is
    /// lost.
    #[expect(clippy::inline_always, reason = "the kind of a record is known where it is made")]
    #[inline(always)]
    pub(super) fn count(&mut self, now: Time, record: FlowRecord, measured_time: MeasuredTime) {
        match record {
            FlowRecord::Started => self.started = Some(now),
            FlowRecord::Finished => self.finished = Some(now),
            FlowRecord::Received(SentAt(sent)) => {
                if self.has_steps {
                    self.step.delays += 1;
                    self.step.delay_sum += now - sent;
                }
                if measured_time.contains(sent) {
                    self.outcome.packets_received += 1;
                    self.delay.add(now - sent);
                    self.jitter.add(now - sent);
                }
            }
            FlowRecord::Repeated(SentAt(sent)) => {
                self.outcome.packets_repeated += u64::from(measured_time.contains(sent));
            }
            FlowRecord::Marked(SentAt(sent)) => {
                self.marks.packets += u64::from(measured_time.contains(sent));
            }
            FlowRecord::Lost(side, SentAt(sent)) => {
                let count = match side {
                    Side::Sender => &mut self.outcome.packets_dropped,
                    Side::Receiver => &mut self.outcome.acks_dropped,
                };
                *count += u64::from(measured_time.contains(sent));
            }
            FlowRecord::Delivered(amount) => {
                self.last_delivery = now;
                self.step.delivered += amount;
                if measured_time.contains(now) {
                    self.outcome.delivered += amount;
                }
            }
            FlowRecord::RoundTrip(rtt) => {
                if self.has_steps {
                    self.step.rtts += 1;
                    self.step.rtt_sum += rtt;
                }
                if measured_time.contains(now) {
                    self.rtt.add(rtt);
                }
            }
            FlowRecord::Target(rate) => {
                if let Some(pictures) = &mut self.pictures {
                    pictures.change_target(now, rate, measured_time);
                }
            }
            _ if !measured_time.contains(now) => {}
            FlowRecord::Sent => self.outcome.packets_sent += 1,
            FlowRecord::Message(delay) => {
                self.messages.add(delay);
                self.missed.late += u64::from(delay > self.deadline);
                if let Some(pictures) = &mut self.pictures {
                    pictures.show(now);
                }
            }
            FlowRecord::MessageLost => self.missed.lost += 1,
            FlowRecord::Chunk(rate, stalled) => {
                self.chunks.chunks += 1;
                self.chunks.rates_bps += rate.bps();
                self.chunks.stalls += u64::from(!stalled.is_zero());
                self.chunks.stalled += stalled;
            }
            FlowRecord::MarkAnswered => self.marks.answered += 1,
            FlowRecord::Refused => self.outcome.packets_refused += 1,
            FlowRecord::Retransmission => self.outcome.retransmissions += 1,
            FlowRecord::Timeout => self.outcome.timeouts += 1,
            FlowRecord::FastRetransmit => self.outcome.fast_retransmits += 1,
        }
    }

    /// Stores the window of the sender at the end of a step of the time series.
    pub(super) fn look(&mut self, sender: SenderWindow) {
        let is_open = self.started.is_some() && self.finished.is_none();
        self.step.window = is_open.then_some(sender);
    }

    /// Adds a period in which the flow had one limit: its sender, or a queue on its route.
    pub(super) fn limit(&mut self, limited: Limited, measured_time: MeasuredTime) {
        let time = measured_time.clip(limited.from, limited.to);
        if !time.is_zero() {
            self.outcome.limits.add(limited.by, time);
        }
    }

    /// Counts a packet of the sender that was lost in this queue or on the hop behind it.
    pub(super) fn lose_at(&mut self, place: Place) {
        self.outcome.limits.lose(place);
    }

    /// Closes the current step of the flow's time series, and returns it.
    pub(super) fn close_step(&mut self) -> FlowStep {
        std::mem::take(&mut self.step)
    }

    pub(super) fn finish(
        self,
        flow: &Flow,
        measured_time: MeasuredTime,
        stations: &[StationOutcome],
    ) -> FlowOutcome {
        let rate_of = |end| match end {
            Endpoint::Station(index) => stations[index].mean_rate_up,
            Endpoint::Host(_) => None,
        };
        FlowOutcome {
            active: self.active(flow, measured_time),
            rtt: self.rtt.quantiles(),
            delay: self.delay.quantiles(),
            delays: self.delay.bins(),
            jitter: self.jitter.mean(),
            mean_link_rate: rate_of(flow.from),
            completion: self.finished.zip(self.started).map(|(end, start)| end - start),
            ..self.outcome
        }
    }

    /// Adds the flow's figures to those of its access category.
    pub(super) fn add_to(&self, (category, delays): (&mut CategoryOutcome, &mut Histogram)) {
        category.delivered += self.outcome.delivered;
        delays.merge(&self.delay);
    }

    /// Messages of this flow of the scenario.
    pub(super) fn messages(&self, flow: u32) -> MessageOutcome {
        MessageOutcome { flow, delay: self.messages.quantiles(), ..self.chunks.clone() }
    }

    /// Frames of this flow of the scenario that its live application missed, and the opinion of a call.
    pub(super) fn live(&self, flow: u32, live: &Live) -> LiveOutcome {
        let opinion = match live.model {
            Model::Call(call) => playout::opinion(call.codec, &self.messages, self.missed.lost),
            Model::Game(_) | Model::VideoCall(_) | Model::Desktop(_) => None,
        };
        LiveOutcome { flow, opinion, ..self.missed }
    }

    /// Pictures of this flow of the scenario; `None` if it is no video call.
    pub(super) fn call(
        &self,
        flow: u32,
        stop: Option<Time>,
        measured_time: MeasuredTime,
    ) -> Option<CallOutcome> {
        Some(CallOutcome { flow, ..self.pictures.as_ref()?.finish(stop, measured_time) })
    }

    /// Histogram for this flow of the scenario of the times for which its user waits.
    pub(super) fn waits_outcome(&self, flow: u32) -> WaitsOutcome {
        WaitsOutcome { flow, bins: self.messages.bins() }
    }

    /// Times for which the flow's user waits.
    pub(super) fn waits(&self) -> &Histogram {
        &self.messages
    }

    /// Round-trip times that the flow's sender measured.
    pub(super) fn round_trips(&self) -> &Histogram {
        &self.rtt
    }

    /// Marks of this flow of the scenario.
    pub(super) fn marks(&self, flow: u32) -> MarkOutcome {
        MarkOutcome { flow, received: self.outcome.packets_received, ..self.marks }
    }

    /// Part of the flow's life within the measured time.
    fn active(&self, flow: &Flow, measured_time: MeasuredTime) -> Duration {
        let Some(started) = self.started else { return Duration::ZERO };
        let stopped = match flow.transport {
            // A simulated TCP or QUIC goes on after its stop until all sent data is acknowledged.
            Transport::Tcp(_) | Transport::Quic(_) if !flow.transport.is_kernels() => None,
            Transport::Tcp(_)
            | Transport::Quic(_)
            | Transport::Tfrc(_)
            | Transport::Udp { .. }
            | Transport::External => flow.stop,
        };
        let ended = self.finished.or(stopped).map(|end| end.max(self.last_delivery));
        measured_time.clip(started, ended.unwrap_or(measured_time.to))
    }
}
