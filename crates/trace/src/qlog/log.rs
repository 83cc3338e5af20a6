//! Log of one sender.

use std::fmt::Write as _;
use std::io::Write;

use airfair_sim::packet::{Body, Packet, TcpFlags};
use airfair_sim::scenario::{Endpoint, Scenario, Transport};
use airfair_sim::trace::{LostPacket, SenderState};
use airfair_transport::quic;
use airfair_transport::tcp::Segment;
use airfair_units::{Bytes, Duration, Time};

use super::lines::{About, Lines, Name, Version, milliseconds};
use super::quic::{of_ack, of_data};
use crate::outlet::Written;

const SENT: Name = ["quic:packet_sent", "transport:packet_sent"];
const RECEIVED: Name = ["quic:packet_received", "transport:packet_received"];
const LOST: Name = ["quic:packet_lost", "recovery:packet_lost"];
const METRICS: Name = ["quic:recovery_metrics_updated", "recovery:metrics_updated"];
const STATE: Name = ["quic:congestion_state_updated", "recovery:congestion_state_updated"];

/// Packet that the sender has sent since the log was settled last.
#[derive(Clone, Copy, Debug)]
enum Sent {
    Segment {
        segment: Segment,
        is_retransmission: bool,
    },
    Data {
        number: u64,
        payload: u32,
        size: Bytes,
    },
    Quic(quic::Data),
    /// Datagram of QUIC's handshake.
    Handshake(quic::Handshake),
}

/// Recovery of a TCP sender from a loss.
#[derive(Clone, Copy, Debug)]
struct Recovery {
    /// Octet or packet number after the highest one sent when the recovery began, whose acknowledgement ends it.
    until: u64,
    /// True if a retransmission time-out has begun it.
    is_timeout: bool,
}

/// Metrics of a sender, as last written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Metrics {
    state: SenderState,
    latest: Option<Duration>,
    timeouts: u32,
}

/// Log of the sender of a flow.
#[derive(Debug)]
pub(super) struct Log<W> {
    lines: Lines<W>,
    now: Time,
    /// True while the time is in the traced interval.
    is_open: bool,
    sent: Vec<Sent>,
    /// Octet after the highest one that TCP has sent, or number after the largest one of QUIC.
    highest: u64,
    recovery: Option<Recovery>,
    metrics: Metrics,
    written: Metrics,
    congestion: Option<&'static str>,
    /// True once a TFRC receiver has reported a loss event.
    has_losses: bool,
    /// Packets that the sender has received.
    received: u64,
    /// Number of the last TFRC packet, without wraps.
    last: Option<u64>,
    is_quic: bool,
}

impl<W: Write> Log<W> {
    pub(super) fn new(
        scenario: &Scenario,
        index: usize,
        comment: &str,
        (version, to): (Version, W),
    ) -> Self {
        let flow = &scenario.flows[index];
        let kind = match flow.transport {
            Transport::Tcp(_) => {
                "TCP. The number of a packet is the offset of its data divided by the size of a segment, so a \
                 retransmission has the number of its original. The opening has packets of type initial and handshake. \
                 A packet counts as lost when it is sent again"
            }
            Transport::Quic(_) => {
                "QUIC. Sent packets have the numbers of the sender, received packets those of the receiver"
            }
            _ => {
                "TFRC. The number of a packet is its sequence number without wraps. The sender does not know which \
                 packets are lost"
            }
        };
        let is_quic = matches!(flow.transport, Transport::Quic(_));
        let counted = if is_quic { "" } else { "Received packets are counted. " };
        let description = format!(
            "{comment}. Sender of the flow {}, {kind}. {counted}Lengths are those of IP \
             packets, times are simulated [ms].",
            flow.name
        );
        let sender = match flow.from {
            Endpoint::Station(station) => (scenario.stations[station].name.as_str(), false),
            Endpoint::Host(host) => (scenario.hosts[host].as_str(), true),
        };
        let about = About { title: &flow.name, description: &description, sender };
        Self {
            lines: Lines::new(version, &about, to),
            now: Time::ZERO,
            is_open: false,
            sent: Vec::new(),
            highest: 0,
            recovery: None,
            metrics: Metrics::default(),
            written: Metrics::default(),
            congestion: None,
            has_losses: false,
            received: 0,
            last: None,
            is_quic,
        }
    }

    pub(super) fn finish(self) -> Written<W> {
        self.lines.finish()
    }

    pub(super) fn pass(&mut self, now: Time, is_open: bool) {
        (self.now, self.is_open) = (now, is_open);
    }

    pub(super) fn note_round_trip(&mut self, measured: Duration) {
        self.metrics.latest = Some(measured);
    }

    pub(super) fn note_timeout(&mut self) {
        self.metrics.timeouts += 1;
        // A probe time-out of QUIC begins no recovery.
        if !self.is_quic {
            self.recovery = Some(Recovery { until: self.highest, is_timeout: true });
        }
    }

    pub(super) fn note_fast_retransmit(&mut self) {
        self.recovery = Some(Recovery { until: self.highest, is_timeout: false });
    }

    /// Keeps a packet that the sender has sent, until the log is settled: the cause of a retransmission follows it.
    pub(super) fn note_sent(&mut self, packet: &Packet) {
        match packet.body {
            Body::Segment(segment) => {
                let end = segment.seq + u64::from(segment.payload);
                let is_retransmission = segment.payload > 0 && segment.seq < self.highest;
                self.highest = self.highest.max(end);
                self.sent.push(Sent::Segment { segment, is_retransmission });
            }
            Body::TfrcData(data) => {
                let number = self.last.map_or(u64::from(data.seq), |last| {
                    let step = data.seq.wrapping_sub((last & 0xffff) as u16);
                    last + u64::from(step)
                });
                self.last = Some(number);
                self.sent.push(Sent::Data { number, payload: data.payload, size: data.size() });
            }
            Body::QuicHandshake(datagram) => self.sent.push(Sent::Handshake(datagram)),
            Body::QuicData(data) => {
                self.highest = data.number + 1;
                self.sent.push(Sent::Quic(data));
            }
            _ => {}
        }
    }

    /// Writes that a QUIC sender has found a packet to be lost.
    pub(super) fn lose(&mut self, lost: LostPacket) {
        let cause = if lost.is_by_time { "time_threshold" } else { "reordering_threshold" };
        let header = header("1RTT", lost.number);
        self.put(LOST, &format!("{header},\"trigger\":\"{cause}\""));
    }

    /// Writes that the sender has received a packet.
    pub(super) fn receive(&mut self, packet: &Packet) {
        let number = self.received;
        self.received += 1;
        let size = packet.size().get();
        let (kind, frames) = match packet.body {
            Body::QuicAck(ack) => return self.receive_ack(&ack, size),
            Body::QuicHandshake(it) => {
                let data = format!("{},\"raw\":{{\"length\":{size}}}", handshake_header(&it));
                return self.put(RECEIVED, &data);
            }
            Body::Segment(segment) => {
                if self.recovery.is_some_and(|it| segment.ack >= it.until) {
                    self.recovery = None;
                }
                if !self.recovery.is_some_and(|it| it.is_timeout) {
                    self.metrics.timeouts = 0;
                }
                let is_syn = segment.flags.has(TcpFlags::SYN);
                (if is_syn { "initial" } else { "1RTT" }, self.acked(&segment))
            }
            Body::TfrcFeedback(feedback) => {
                self.has_losses |= feedback.loss_event_rate > 0;
                ("1RTT", String::new())
            }
            _ => return,
        };
        let data = format!("{}{frames},\"raw\":{{\"length\":{size}}}", header(kind, number));
        self.put(RECEIVED, &data);
    }

    /// Writes that a QUIC sender has received a packet.
    fn receive_ack(&mut self, ack: &quic::Ack, size: u64) {
        self.metrics.timeouts = 0;
        if self.recovery.is_some_and(|it| ack.largest >= it.until) {
            self.recovery = None;
        }
        let (header, frames) = (header("1RTT", ack.number.into()), of_ack(ack, self.lines.version));
        self.put(RECEIVED, &format!("{header}{frames},\"raw\":{{\"length\":{size}}}"));
    }

    /// Frames of an ACK: the segments that it acknowledges.
    fn acked(&self, ack: &Segment) -> String {
        let segment = self.metrics.state.segment.get();
        if segment == 0 || ack.ack <= 1 {
            return String::new();
        }
        let mut ranges = String::new();
        let blocks = std::iter::once((1, ack.ack)).chain(ack.sack.iter(ack.ack));
        for (start, end) in blocks.filter(|(start, end)| start < end) {
            let (first, last) = ((start - 1) / segment, (end - 1).div_ceil(segment) - 1);
            let comma = if ranges.is_empty() { "" } else { "," };
            let _ = match self.lines.version {
                Version::Draft if first == last => write!(ranges, "{comma}[{first}]"),
                _ => write!(ranges, "{comma}[{first},{last}]"),
            };
        }
        format!(",\"frames\":[{{\"frame_type\":\"ack\",\"acked_ranges\":[{ranges}]}}]")
    }

    /// Writes what the sender has done: lost and sent packets, then changes of its congestion state and metrics.
    pub(super) fn settle(&mut self, state: SenderState) {
        self.metrics.state = state;
        let sent = std::mem::take(&mut self.sent);
        for packet in &sent {
            self.put_sent(packet);
        }
        self.sent = sent;
        self.sent.clear();
        self.put_congestion();
        self.put_metrics();
    }

    fn put_sent(&mut self, packet: &Sent) {
        let (header, offset, payload, size) = match *packet {
            Sent::Quic(data) => {
                let (header, frames) =
                    (header("1RTT", data.number), of_data(&data, self.lines.version));
                let size = data.size().get();
                return self.put(SENT, &format!("{header}{frames},\"raw\":{{\"length\":{size}}}"));
            }
            Sent::Handshake(it) => {
                let (header, size) = (handshake_header(&it), it.size().get());
                return self.put(SENT, &format!("{header},\"raw\":{{\"length\":{size}}}"));
            }
            Sent::Segment { segment, is_retransmission } => {
                let offset = segment.seq.saturating_sub(1);
                let number = offset / self.metrics.state.segment.get().max(1);
                let header = header(kind(&segment), number);
                if is_retransmission {
                    let is_timeout = self.recovery.is_some_and(|it| it.is_timeout);
                    let trigger = if is_timeout { ",\"trigger\":\"pto_expired\"" } else { "" };
                    self.put(LOST, &format!("{header}{trigger}"));
                }
                (header, offset, segment.payload, segment.size())
            }
            Sent::Data { number, payload, size } => (header("1RTT", number), 0, payload, size),
        };
        let frame = match packet {
            Sent::Segment { .. } => format!("\"stream\",\"stream_id\":0,\"offset\":{offset}"),
            Sent::Data { .. } | Sent::Quic(_) | Sent::Handshake(_) => "\"datagram\"".to_owned(),
        };
        let length = match self.lines.version {
            Version::Draft => format!("\"raw\":{{\"payload_length\":{payload}}}"),
            Version::V03 => format!("\"length\":{payload}"),
        };
        let frames = match payload {
            0 => String::new(),
            _ => format!(",\"frames\":[{{\"frame_type\":{frame},{length}}}]"),
        };
        let data = format!("{header}{frames},\"raw\":{{\"length\":{}}}", size.get());
        self.put(SENT, &data);
    }

    fn put_congestion(&mut self) {
        let SenderState { cwnd, ssthresh, .. } = self.metrics.state;
        let is_slow = match (cwnd, ssthresh) {
            (Some(cwnd), Some(ssthresh)) => cwnd < ssthresh,
            (Some(_), None) => true,
            (None, _) => !self.has_losses,
        };
        let new = match self.recovery {
            Some(Recovery { is_timeout: false, .. }) if cwnd.is_some() => "recovery",
            _ if is_slow => "slow_start",
            _ => "congestion_avoidance",
        };
        if !self.is_open || self.congestion == Some(new) {
            return;
        }
        let old = self.congestion.map_or_else(String::new, |old| format!("\"old\":\"{old}\","));
        self.congestion = Some(new);
        self.put(STATE, &format!("{old}\"new\":\"{new}\""));
    }

    /// Writes the metrics that have changed since they were written.
    fn put_metrics(&mut self) {
        let (now, before) = (self.metrics, self.written);
        if !self.is_open || now == before {
            return;
        }
        let ms = |it: Option<Duration>| it.map(|it| milliseconds(it.as_nanos()));
        let octets = |it: Option<Bytes>| it.map(|it| it.get().to_string());
        let rate = |it: &Metrics| it.state.pacing.map(|it| it.bps().to_string());
        let timeouts = |it: &Metrics| Some(it.timeouts.to_string());
        let values = |it: &Metrics| {
            let state = &it.state;
            [
                ("min_rtt", ms(state.least)),
                ("smoothed_rtt", ms(state.smoothed)),
                ("latest_rtt", ms(it.latest)),
                ("pto_count", timeouts(it)),
                ("congestion_window", octets(state.cwnd)),
                ("bytes_in_flight", octets(state.in_network)),
                ("ssthresh", octets(state.ssthresh)),
                ("pacing_rate", rate(it)),
            ]
        };
        let changed = values(&now).into_iter().zip(values(&before)).filter(|(now, it)| now != it);
        let mut data = String::new();
        for ((name, value), _) in changed {
            if let Some(value) = value {
                let comma = if data.is_empty() { "" } else { "," };
                let _ = write!(data, "{comma}\"{name}\":{value}");
            }
        }
        self.written = now;
        if !data.is_empty() {
            self.put(METRICS, &data);
        }
    }

    fn put(&mut self, names: Name, data: &str) {
        if self.is_open {
            self.lines.event(self.now, names, data);
        }
    }
}

/// Type of a packet that a TCP sender sends.
fn kind(segment: &Segment) -> &'static str {
    if segment.flags.has(TcpFlags::SYN) {
        "initial"
    } else if segment.is_pure_ack() {
        "handshake"
    } else {
        "1RTT"
    }
}

/// Header of the first packet of a datagram of QUIC's handshake.
fn handshake_header(datagram: &quic::Handshake) -> String {
    let kind = if datagram.is_initial { "initial" } else { "handshake" };
    header(kind, datagram.number.into())
}

fn header(kind: &str, number: u64) -> String {
    format!("\"header\":{{\"packet_type\":\"{kind}\",\"packet_number\":{number}}}")
}
