//! The two ends of a flow, whatever the transport.

use std::iter;

use airfair_transport::{tcp, tfrc, udp};
use airfair_units::{Bytes, Time};

use crate::packet::Body;
use crate::record::FlowRecord;
use crate::scenario::{Tcp, Tfrc, TfrcProfile, TfrcSource, Transport, UdpRate};

/// Packets of a TFRC source that may wait; what comes then is dropped, a frame as a whole.
const LIVE_BUFFER_PACKETS: u64 = 50;

/// The end that sends data.
#[derive(Debug)]
pub(crate) enum Source {
    Tcp(Box<tcp::Sender>),
    Tfrc(Box<tfrc::Sender>),
    Udp(udp::Source),
}

/// The end that receives it.
#[derive(Debug)]
pub(crate) enum Sink {
    Tcp(Box<tcp::Receiver>),
    Tfrc(Box<tfrc::Receiver>),
    Udp(udp::Sink),
}

/// Both ends of a connection with these settings.
pub(crate) fn endpoints(transport: &Transport) -> (Source, Sink) {
    match transport {
        Transport::Tcp(tcp) => (
            Source::Tcp(Box::new(tcp::Sender::new(sender_config(tcp)))),
            Sink::Tcp(Box::new(tcp::Receiver::new(receiver_config(tcp)))),
        ),
        Transport::Tfrc(settings) => tfrc_endpoints(settings),
        Transport::Udp { payload, rate } => {
            let rate = match *rate {
                UdpRate::Saturated => udp::Rate::Saturated,
                UdpRate::Constant(rate) => udp::Rate::Constant(rate),
            };
            let config = udp::SourceConfig { payload: *payload, rate };
            (Source::Udp(udp::Source::new(config)), Sink::Udp(udp::Sink::new()))
        }
    }
}

fn sender_config(tcp: &Tcp) -> tcp::SenderConfig {
    tcp::SenderConfig {
        flavour: tcp.flavour,
        sack: Some(tcp.sack),
        proportional_reduction: tcp.prr,
        timestamps: tcp.timestamps,
        deflation: tcp.deflation,
        recovery_timer: tcp.recovery_timer,
        segment: tcp.segment,
        source: tcp.size.map_or(tcp::Source::Endless, tcp::Source::Bytes),
        handshake: tcp.handshake,
        window_scaling: tcp.window_scaling,
        assumed_window: tcp.receive_window,
        initial_window: tcp.initial_window,
        initial_ssthresh: tcp.initial_ssthresh,
        limited_transmit: tcp.limited_transmit,
        byte_counting: tcp.byte_counting,
        grow_beyond_receive_window: tcp.grow_beyond_receive_window,
        rto: tcp::RtoConfig {
            min: tcp.min_rto,
            granularity: tcp.tick,
            ..tcp::RtoConfig::default()
        },
    }
}

fn receiver_config(tcp: &Tcp) -> tcp::ReceiverConfig {
    let delayed_ack = tcp
        .delayed_ack
        .map(|delayed| tcp::DelayedAck { segments: delayed.segments, timeout: delayed.timeout });
    tcp::ReceiverConfig {
        buffer: tcp.receive_window,
        window_scaling: tcp.window_scaling,
        handshake: tcp.handshake,
        delayed_ack,
        quick_acks: tcp.quick_acks,
        sack: sender_config(tcp).uses_sack(),
        timestamps: tcp.timestamps,
    }
}

fn tfrc_endpoints(settings: &Tfrc) -> (Source, Sink) {
    let profile = match settings.profile {
        TfrcProfile::Rfc5348 => tfrc::Profile::Rfc5348,
        TfrcProfile::Rfc3448 => tfrc::Profile::Rfc3448,
        TfrcProfile::Ns2 => tfrc::Profile::Ns2,
    };
    let (source, buffer) = application(settings);
    let sender =
        tfrc::SenderConfig { source, buffer, ..tfrc::SenderConfig::new(profile, settings.segment) };
    let receiver = tfrc::ReceiverConfig::new(profile);
    let sender = tfrc::Sender::new(sender);
    (Source::Tfrc(Box::new(sender)), Sink::Tfrc(Box::new(tfrc::Receiver::new(receiver))))
}

/// What the application sends, and how much of it may wait.
fn application(settings: &Tfrc) -> (tfrc::Source, Option<Bytes>) {
    // What a live source cannot send in a few seconds is of no use to its audience.
    let live = settings.segment * LIVE_BUFFER_PACKETS;
    match &settings.source {
        TfrcSource::Greedy => (tfrc::Source::Greedy, None),
        &TfrcSource::Constant(rate) => (tfrc::Source::Constant(rate), Some(live)),
        &TfrcSource::OnOff { rate, on, off } => (tfrc::Source::OnOff { rate, on, off }, Some(live)),
        TfrcSource::Frames { interval, sizes } => {
            let frame = |&size| tfrc::Frame { after: *interval, size };
            let frames = sizes.iter().map(frame).collect();
            // Room for the largest on top: else a frame of more than so many packets never goes out.
            let largest = sizes.iter().copied().max().unwrap_or(Bytes::ZERO);
            (tfrc::Source::Frames { frames, repeat: true }, Some(live + largest))
        }
    }
}

impl Source {
    pub(crate) fn open(&mut self, now: Time) {
        match self {
            Self::Tcp(sender) => sender.open(now),
            Self::Tfrc(sender) => sender.open(now),
            Self::Udp(source) => source.open(now),
        }
    }

    pub(crate) fn close(&mut self, now: Time) {
        match self {
            Self::Tcp(sender) => sender.close(now),
            Self::Tfrc(sender) => sender.close(now),
            Self::Udp(source) => source.close(now),
        }
    }

    pub(crate) fn handle(&mut self, now: Time, body: &Body) {
        match (self, body) {
            (Self::Tcp(sender), Body::Segment(segment)) => sender.handle_segment(now, segment),
            (Self::Tfrc(sender), Body::TfrcFeedback(report)) => sender.handle_feedback(now, report),
            _ => unreachable!("both ends of a flow speak one transport"),
        }
    }

    /// The queue of its own host has refused what it has just sent; whether it takes that back.
    pub(crate) fn handle_refusal(&mut self, now: Time, body: &Body) -> bool {
        match (self, body) {
            (Self::Tcp(sender), Body::Segment(segment)) => sender.handle_refusal(now, segment),
            _ => false,
        }
    }

    pub(crate) fn handle_timeout(&mut self, now: Time) {
        match self {
            Self::Tcp(sender) => sender.handle_timeout(now),
            Self::Tfrc(sender) => sender.handle_timeout(now),
            Self::Udp(_) => {}
        }
    }

    pub(crate) fn next_timeout(&self) -> Option<Time> {
        match self {
            Self::Tcp(sender) => sender.next_timeout(),
            Self::Tfrc(sender) => sender.next_timeout(),
            Self::Udp(source) => source.next_timeout(),
        }
    }

    /// Something that a flow's account wants to know.
    pub(crate) fn poll_record(&mut self) -> Option<FlowRecord> {
        match self {
            Self::Tcp(sender) => iter::from_fn(|| sender.poll_event()).find_map(tcp_record),
            Self::Tfrc(sender) => iter::from_fn(|| sender.poll_event()).find_map(tfrc_record),
            Self::Udp(_) => None,
        }
    }

    pub(crate) fn poll_transmit(&mut self, now: Time) -> Option<Body> {
        match self {
            Self::Tcp(sender) => sender.poll_transmit(now).map(Body::Segment),
            Self::Tfrc(sender) => sender.poll_transmit(now).map(Body::TfrcData),
            Self::Udp(source) => source.poll_transmit(now).map(Body::Datagram),
        }
    }
}

/// What a TCP sender's event means to a flow's account.
fn tcp_record(event: tcp::SenderEvent) -> Option<FlowRecord> {
    match event {
        tcp::SenderEvent::RttSample(rtt) => Some(FlowRecord::RoundTrip(rtt)),
        tcp::SenderEvent::FastRetransmit => Some(FlowRecord::FastRetransmit),
        tcp::SenderEvent::Timeout => Some(FlowRecord::Timeout),
        tcp::SenderEvent::Retransmission => Some(FlowRecord::Retransmission),
        tcp::SenderEvent::Finished => Some(FlowRecord::Finished),
        tcp::SenderEvent::Established => None,
    }
}

/// What a TFRC sender's event means to a flow's account: its no-feedback timer is a time-out.
fn tfrc_record(event: tfrc::SenderEvent) -> Option<FlowRecord> {
    match event {
        tfrc::SenderEvent::RttSample(rtt) => Some(FlowRecord::RoundTrip(rtt)),
        tfrc::SenderEvent::NoFeedback => Some(FlowRecord::Timeout),
        tfrc::SenderEvent::Finished => Some(FlowRecord::Finished),
        tfrc::SenderEvent::RateChange => None,
    }
}

impl Sink {
    pub(crate) fn handle(&mut self, now: Time, body: &Body) {
        match (self, body) {
            (Self::Tcp(receiver), Body::Segment(segment)) => receiver.handle_segment(now, segment),
            (Self::Tfrc(receiver), Body::TfrcData(data)) => receiver.handle_data(now, data),
            (Self::Udp(sink), Body::Datagram(datagram)) => sink.handle_datagram(datagram),
            _ => unreachable!("both ends of a flow speak one transport"),
        }
    }

    pub(crate) fn handle_timeout(&mut self, now: Time) {
        match self {
            Self::Tcp(receiver) => receiver.handle_timeout(now),
            Self::Tfrc(receiver) => receiver.handle_timeout(now),
            Self::Udp(_) => {}
        }
    }

    pub(crate) fn next_timeout(&self) -> Option<Time> {
        match self {
            Self::Tcp(receiver) => receiver.next_timeout(),
            Self::Tfrc(receiver) => receiver.next_timeout(),
            Self::Udp(_) => None,
        }
    }

    pub(crate) fn poll_transmit(&mut self, now: Time) -> Option<Body> {
        match self {
            Self::Tcp(receiver) => receiver.poll_transmit(now).map(Body::Segment),
            Self::Tfrc(receiver) => receiver.poll_transmit(now).map(Body::TfrcFeedback),
            Self::Udp(_) => None,
        }
    }

    /// Data segments that came below the highest octet seen.
    pub(crate) fn repeated(&self) -> u64 {
        match self {
            Self::Tcp(receiver) => receiver.stats().below_highest,
            Self::Tfrc(_) | Self::Udp(_) => 0,
        }
    }

    /// Application data that has come out since the start.
    pub(crate) fn delivered(&self) -> Bytes {
        match self {
            Self::Tcp(receiver) => receiver.delivered(),
            Self::Tfrc(receiver) => receiver.stats().bytes_received,
            Self::Udp(sink) => sink.stats().octets,
        }
    }
}

/// The wake-up that the event queue holds for a machine. A later one than wanted is never kept, an
/// earlier one is let pass: re-arming a timer for later, as each ACK does, then costs nothing.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Alarm {
    set_for: Option<Time>,
}

impl Alarm {
    /// The machine wants to be called at `wanted`; returns the time to schedule, if any.
    pub(crate) fn want(&mut self, wanted: Option<Time>) -> Option<Time> {
        let wanted = wanted?;
        if self.set_for.is_some_and(|set_for| set_for <= wanted) {
            return None;
        }
        self.set_for = Some(wanted);
        Some(wanted)
    }

    /// A scheduled wake-up has come; false if an earlier one has replaced it.
    pub(crate) fn ring(&mut self, now: Time) -> bool {
        let is_current = self.set_for == Some(now);
        if is_current {
            self.set_for = None;
        }
        is_current
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario::Scenario;

    /// Verifies: [RFC2018 §2]
    #[test]
    fn both_ends_agree_on_selective_acknowledgement() {
        let selective = |flavour: &str| {
            let text = format!(
                "duration = \"1 s\"\n[bss.c]\nstandard = \"802.11b\"\n[station.s]\n[host.h]\n\
                 [flow.f]\nfrom = \"s\"\nto = \"h\"\n\
                 transport = {{ kind = \"tcp\", flavour = \"{flavour}\" }}\n"
            );
            let scenario = Scenario::parse(&text, &[]).expect("a scenario without mistakes");
            let Transport::Tcp(tcp) = &scenario.flows[0].transport else { unreachable!("TCP") };
            (sender_config(tcp).uses_sack(), receiver_config(tcp).sack)
        };
        for flavour in ["sack", "westwood+", "cubic"] {
            assert_eq!(selective(flavour), (true, true), "{flavour}");
        }
        for flavour in ["reno", "newreno", "westwood", "vegas"] {
            assert_eq!(selective(flavour), (false, false), "{flavour}");
        }
    }

    /// The sender's first `count` messages, and the receiver's answer to the last of them.
    fn opening(options: &str, count: usize) -> (Vec<Body>, Body) {
        let text = format!(
            "duration = \"1 s\"\n[bss.c]\nstandard = \"802.11b\"\n[station.s]\n[host.h]\n\
             [flow.f]\nfrom = \"s\"\nto = \"h\"\n\
             transport = {{ kind = \"tcp\", handshake = false, {options} }}\n"
        );
        let scenario = Scenario::parse(&text, &[]).expect("a scenario without mistakes");
        let (mut source, mut sink) = endpoints(&scenario.flows[0].transport);
        source.open(Time::ZERO);
        let sent: Vec<Body> =
            iter::from_fn(|| source.poll_transmit(Time::ZERO)).take(count).collect();
        for body in &sent {
            sink.handle(Time::ZERO, body);
        }
        (sent, sink.poll_transmit(Time::ZERO).expect("an answer"))
    }

    /// Verifies: [RFC7323 §3.2]: 20 IP, 20 TCP, 12 option, and all of the segment remains payload.
    #[test]
    fn timestamps_make_every_packet_twelve_octets_longer() {
        let size = |body: &Body| {
            let Body::Segment(segment) = body else { unreachable!("TCP") };
            segment.size().get()
        };
        for (flag, option) in [(false, 0), (true, 12)] {
            let options = format!("segment = \"1000 B\", timestamps = {flag}");
            let (sent, ack) = opening(&options, 2);
            let sizes: Vec<u64> = sent.iter().map(size).collect();
            assert_eq!((sizes, size(&ack)), (vec![1_040 + option; 2], 40 + option));
        }
    }

    #[test]
    fn the_settings_of_a_flow_reach_its_sender() {
        let text = "duration = \"1 s\"\n[bss.c]\nstandard = \"802.11b\"\n[station.s]\n[host.h]\n\
                    [flow.f]\nfrom = \"s\"\nto = \"h\"\n\
                    transport = { kind = \"tcp\", sack = true, prr = true, tick = \"10 ms\", \
                    recovery_timer = \"slow-but-steady\", deflation = \"to-ssthresh\" }\n";
        let scenario = Scenario::parse(text, &[]).expect("a scenario without mistakes");
        let Transport::Tcp(settings) = &scenario.flows[0].transport else { unreachable!("TCP") };
        let config = sender_config(settings);
        assert!(config.uses_sack() && config.proportional_reduction);
        assert_eq!(config.rto.granularity, airfair_units::Duration::from_millis(10));
        assert_eq!(config.recovery_timer, tcp::RecoveryTimer::SlowButSteady);
        assert_eq!(config.deflation, tcp::Deflation::ToThreshold);
        assert!(receiver_config(settings).sack);
    }
}
