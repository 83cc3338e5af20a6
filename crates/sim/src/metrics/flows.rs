//! The account of one flow.

use airfair_units::{Duration, Time};

use super::Window;
use super::jitter::Jitter;
use super::quantiles::Histogram;
use crate::outcome::{CategoryOutcome, FlowOutcome, FlowStep, StationOutcome};
use crate::packet::Side;
use crate::record::{FlowRecord, Limited, Place, SenderWindow, SentAt};
use crate::scenario::{Endpoint, Flow, Transport};

#[derive(Clone, Debug, Default)]
pub(super) struct FlowAccount {
    outcome: FlowOutcome,
    rtt: Histogram,
    delay: Histogram,
    jitter: Jitter,
    started: Option<Time>,
    finished: Option<Time>,
    last_delivery: Time,
    /// The step of a series that is under way, if the scenario records any.
    step: FlowStep,
    has_steps: bool,
}

impl FlowAccount {
    pub(super) fn new(has_steps: bool) -> Self {
        Self { has_steps, ..Self::default() }
    }

    /// Packets count if they were sent within the window, whenever they come to their end.
    #[expect(clippy::inline_always, reason = "the kind of a record is known where it is made")]
    #[inline(always)]
    pub(super) fn count(&mut self, now: Time, record: FlowRecord, window: Window) {
        match record {
            FlowRecord::Started => self.started = Some(now),
            FlowRecord::Finished => self.finished = Some(now),
            FlowRecord::Received(SentAt(sent)) => {
                if self.has_steps {
                    self.step.delays += 1;
                    self.step.delay_sum += now - sent;
                }
                if window.contains(sent) {
                    self.outcome.packets_received += 1;
                    self.delay.add(now - sent);
                    self.jitter.add(now - sent);
                }
            }
            FlowRecord::Repeated(SentAt(sent)) => {
                self.outcome.packets_repeated += u64::from(window.contains(sent));
            }
            FlowRecord::Lost(side, SentAt(sent)) => {
                let count = match side {
                    Side::Sender => &mut self.outcome.packets_dropped,
                    Side::Receiver => &mut self.outcome.acks_dropped,
                };
                *count += u64::from(window.contains(sent));
            }
            FlowRecord::Delivered(amount) => {
                self.last_delivery = now;
                self.step.delivered += amount;
                if window.contains(now) {
                    self.outcome.delivered += amount;
                }
            }
            FlowRecord::RoundTrip(rtt) => {
                if self.has_steps {
                    self.step.rtts += 1;
                    self.step.rtt_sum += rtt;
                }
                if window.contains(now) {
                    self.rtt.add(rtt);
                }
            }
            _ if !window.contains(now) => {}
            FlowRecord::Sent => self.outcome.packets_sent += 1,
            FlowRecord::Refused => self.outcome.packets_refused += 1,
            FlowRecord::Retransmission => self.outcome.retransmissions += 1,
            FlowRecord::Timeout => self.outcome.timeouts += 1,
            FlowRecord::FastRetransmit => self.outcome.fast_retransmits += 1,
        }
    }

    /// The sender's window at the end of a step of a series.
    pub(super) fn look(&mut self, sender: SenderWindow) {
        let is_open = self.started.is_some() && self.finished.is_none();
        self.step.window = is_open.then_some(sender);
    }

    /// A time has passed in which one thing limited it.
    pub(super) fn limit(&mut self, limited: Limited, window: Window) {
        let time = window.clip(limited.from, limited.to);
        if !time.is_zero() {
            self.outcome.limits.add(limited.by, time);
        }
    }

    /// A packet of its sender was lost.
    pub(super) fn lose_at(&mut self, place: Place) {
        self.outcome.limits.lose(place);
    }

    /// A step of a series has ended.
    pub(super) fn close_step(&mut self) -> FlowStep {
        std::mem::take(&mut self.step)
    }

    pub(super) fn finish(
        self,
        flow: &Flow,
        window: Window,
        stations: &[StationOutcome],
    ) -> FlowOutcome {
        let rate_of = |end| match end {
            Endpoint::Station(index) => stations[index].mean_rate_up,
            Endpoint::Host(_) => None,
        };
        FlowOutcome {
            active: self.active(flow, window),
            rtt: self.rtt.quantiles(),
            delay: self.delay.quantiles(),
            delays: self.delay.bins(),
            jitter: self.jitter.mean(),
            mean_link_rate: rate_of(flow.from),
            completion: self.finished.zip(self.started).map(|(end, start)| end - start),
            ..self.outcome
        }
    }

    /// Adds what it measured to the account of its access category.
    pub(super) fn add_to(&self, (category, delays): (&mut CategoryOutcome, &mut Histogram)) {
        category.delivered += self.outcome.delivered;
        delays.merge(&self.delay);
    }

    /// The flow's life within the window.
    fn active(&self, flow: &Flow, window: Window) -> Duration {
        let Some(started) = self.started else { return Duration::ZERO };
        let stopped = match flow.transport {
            // It goes on until all that was sent is acknowledged.
            Transport::Tcp(_) if !flow.transport.is_kernels() => None,
            Transport::Tcp(_)
            | Transport::Tfrc(_)
            | Transport::Udp { .. }
            | Transport::External => flow.stop,
        };
        let ended = self.finished.or(stopped).map(|end| end.max(self.last_delivery));
        window.clip(started, ended.unwrap_or(window.to))
    }
}
