//! The account of one flow.

use airfair_units::{Bytes, Duration, Time};

use super::Window;
use super::quantiles::Histogram;
use crate::outcome::{FlowOutcome, StationOutcome};
use crate::packet::Side;
use crate::record::FlowRecord;
use crate::scenario::{Endpoint, Flow, Scenario};

#[derive(Clone, Debug)]
pub(super) struct FlowAccount {
    outcome: FlowOutcome,
    rtt: Histogram,
    started: Time,
    series_step: Option<Duration>,
}

impl FlowAccount {
    pub(super) fn new(series_step: Option<Duration>) -> Self {
        Self {
            outcome: FlowOutcome::default(),
            rtt: Histogram::default(),
            started: Time::ZERO,
            series_step,
        }
    }

    pub(super) fn count(&mut self, now: Time, record: &FlowRecord, window: Window) {
        if let FlowRecord::Delivered(amount) = record {
            self.add_to_series(now, *amount);
        }
        match record {
            FlowRecord::Started => self.started = now,
            FlowRecord::Finished => self.outcome.completion = Some(now - self.started),
            _ if !window.contains(now) => {}
            FlowRecord::Sent => self.outcome.packets_sent += 1,
            FlowRecord::Received => self.outcome.packets_received += 1,
            FlowRecord::Lost(Side::Sender) => self.outcome.packets_dropped += 1,
            FlowRecord::Lost(Side::Receiver) => self.outcome.acks_dropped += 1,
            FlowRecord::Delivered(amount) => self.outcome.delivered += *amount,
            FlowRecord::Refused => {
                self.outcome.packets_sent -= 1;
                self.outcome.packets_refused += 1;
            }
            FlowRecord::Repeated => self.outcome.packets_repeated += 1,
            FlowRecord::Retransmission => self.outcome.retransmissions += 1,
            FlowRecord::Timeout => self.outcome.timeouts += 1,
            FlowRecord::FastRetransmit => self.outcome.fast_retransmits += 1,
            FlowRecord::RoundTrip(rtt) => self.rtt.add(*rtt),
        }
    }

    fn add_to_series(&mut self, now: Time, amount: Bytes) {
        let Some(step) = self.series_step else { return };
        let bin =
            usize::try_from((now - Time::ZERO).whole_steps(step)).expect("a series in memory");
        if bin >= self.outcome.series.len() {
            self.outcome.series.resize(bin + 1, Bytes::ZERO);
        }
        self.outcome.series[bin] += amount;
    }

    pub(super) fn finish(
        mut self,
        flow: &Flow,
        scenario: &Scenario,
        stations: &[StationOutcome],
    ) -> FlowOutcome {
        self.outcome.rtt = self.rtt.quantiles();
        if let Endpoint::Station(index) = flow.from {
            self.outcome.mean_link_rate = stations[index].mean_rate_up;
        }
        if let Some(step) = self.series_step {
            let bins = scenario.duration.as_nanos().div_ceil(step.as_nanos());
            let bins = usize::try_from(bins).expect("a series in memory");
            self.outcome.series.resize(bins, Bytes::ZERO);
        }
        self.outcome
    }
}
