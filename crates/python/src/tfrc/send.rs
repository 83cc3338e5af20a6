//! TFRC sender on a real host.

use std::net::SocketAddr;

use airfair_transport::tfrc::{Profile, Sender, SenderConfig, Traffic, wire};
use airfair_units::{Bytes, DataRate, Duration, Time};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use super::host::{Host, Meter};
use super::limits::RateLimits;

/// Timer granularity of an ordinary host. A packet may be sent half of it early.  [RFC5348 §8.3]
const GRANULARITY: Duration = Duration::from_millis(1);
/// Minimum no-feedback timer, equal to Linux's minimum TCP retransmission time-out. With a shorter
/// timer, a host that wakes up late would take its own lateness for congestion.
const LEAST_NO_FEEDBACK: Duration = Duration::from_millis(200);
/// Largest number of packets sent before socket, timers and Ctrl-C are checked.
const BURST: usize = 64;
/// Time after which a flow ends that has not had any feedback.
const PATIENCE: Duration = Duration::from_secs(10);

/// TFRC sender with the address of its receiver.
pub(super) struct Outgoing {
    sender: Sender,
    limits: Option<RateLimits>,
    peer: SocketAddr,
    payload: u64,
    /// Arrival time of the last feedback packet.
    heard: Option<Time>,
    refused: u64,
    meter: Meter,
}

pub(super) fn config(
    profile: Profile,
    segment: u64,
    rate: Option<DataRate>,
) -> PyResult<SenderConfig> {
    if !(1..=65_000).contains(&segment) {
        return Err(PyValueError::new_err(format!(
            "--segment {segment} B: allowed is 1 B to 65000 B, which fits in a datagram"
        )));
    }
    let segment = Bytes::new(segment);
    Ok(SenderConfig {
        traffic: rate.map_or(Traffic::Greedy, Traffic::Constant),
        buffer: rate.map(|_| segment * 50),
        granularity: GRANULARITY,
        least_no_feedback: LEAST_NO_FEEDBACK,
        ..SenderConfig::new(profile, segment)
    })
}

impl Outgoing {
    pub(super) fn new(
        config: SenderConfig,
        (highest, limits): (DataRate, Option<RateLimits>),
        peer: SocketAddr,
    ) -> Self {
        let mut sender = Sender::new(config);
        sender.set_rate_limit(Time::ZERO, Some(highest));
        let meter = Meter::default();
        Self { sender, limits, peer, payload: 0, heard: None, refused: 0, meter }
    }

    /// Sends until the end of the run, until Ctrl-C, or until there has been no feedback for too
    /// long.
    pub(super) fn run(&mut self, host: &mut Host) -> PyResult<()> {
        self.sender.open(host.now());
        let mut datagram = Vec::new();
        loop {
            let now = host.now();
            let is_alone = self.heard.is_none() && now >= Time::ZERO + PATIENCE;
            if is_alone || host.is_over(now) {
                return Ok(());
            }
            self.sender.handle_timeout(now);
            self.keep_to_limit(now)?;
            self.burst(now, host, &mut datagram);
            host.report_progress(now, |host, state| self.write_state(now, host, state))?;
            if let Some((octets, from)) = host.receive(self.sender.next_timeout()) {
                let packet = wire::decode(octets);
                self.handle(host.now(), packet.ok(), from);
            }
        }
    }

    /// Applies the last rate limit that was read from standard input.  [occupancy-tfrc §III-D]
    fn keep_to_limit(&mut self, now: Time) -> PyResult<()> {
        if let Some(limit) = self.limits.as_mut().map(RateLimits::poll).transpose()?.flatten() {
            self.sender.set_rate_limit(now, Some(limit));
        }
        Ok(())
    }

    /// Sends packets that are due now, up to [`BURST`].
    fn burst(&mut self, now: Time, host: &mut Host, datagram: &mut Vec<u8>) {
        for _ in 0..BURST {
            let Some(data) = self.sender.poll_transmit(now) else { return };
            datagram.clear();
            datagram.extend_from_slice(&wire::encode_data(&data));
            datagram.resize(wire::DATA_HEADER + data.payload as usize, 0);
            if host.send(datagram, self.peer).is_err() {
                return;
            }
            self.payload += u64::from(data.payload);
            // The socket may have blocked.
            if host.is_due() {
                return;
            }
        }
    }

    fn handle(&mut self, now: Time, packet: Option<wire::Packet>, from: SocketAddr) {
        let before = self.sender.stats();
        match packet {
            Some(wire::Packet::Feedback(feedback)) if from == self.peer => {
                self.sender.handle_feedback(now, &feedback);
            }
            _ => self.refused += 1,
        }
        if self.sender.stats().feedbacks > before.feedbacks {
            self.heard = Some(now);
        }
    }

    /// Writes the state of the flow for the live display into `state`.
    fn write_state(&mut self, now: Time, host: &Host, state: &Bound<'_, PyDict>) -> PyResult<()> {
        let silence = now.saturating_since(self.heard.unwrap_or(Time::ZERO));
        state.set_item("rate_bps", self.meter.rate(now, self.payload))?;
        state.set_item("allowed_bps", self.sender.pacing_rate() * 8.0)?;
        state.set_item("rtt_s", self.sender.smoothed_rtt())?;
        state.set_item("loss_event_rate", self.sender.loss_event_rate())?;
        state.set_item("answered", self.heard.is_some())?;
        state.set_item("silence_s", silence.as_secs_f64())?;
        state.set_item("network_error", host.sent.error.as_deref())
    }

    /// Writes the counters of the flow into `result`.
    pub(super) fn write_result(&self, host: &Host, result: &Bound<'_, PyDict>) -> PyResult<()> {
        let stats = self.sender.stats();
        result.set_item("packets_sent", host.sent.packets)?;
        result.set_item("bytes_sent", self.payload)?;
        result.set_item("unsent", host.sent.unsent)?;
        result.set_item("network_error", host.sent.error.as_deref())?;
        result.set_item("feedbacks", stats.feedbacks)?;
        result.set_item("overtaken", stats.stale)?;
        result.set_item("no_feedback_timeouts", stats.no_feedback_timeouts)?;
        result.set_item("rtt_ms", self.sender.smoothed_rtt().map(|rtt| rtt * 1e3))?;
        result.set_item("loss_event_rate", self.sender.loss_event_rate())?;
        result.set_item("refused", self.refused + stats.strangers + stats.implausible)
    }
}
