//! The two ends of a flow, for every kind of transport.

use std::iter;

use airfair_laws::window_limit::WindowLimit;
use airfair_transport::control::SenderEvent;
use airfair_transport::ecn::Ecn;
use airfair_transport::live::SpeakerEvent;
use airfair_transport::tcp::RefusalOutcome;
use airfair_transport::{quic, stream, tcp, tfrc, udp};
use airfair_units::{Bytes, DataRate, Duration, Time};

use crate::packet::{Body, Side};
use crate::random::Purpose;
use crate::record::{FlowRecord, SenderWindow};
use crate::scenario::{Tfrc, Transport};

/// Largest number of packets that a TFRC source of live media buffers. A frame that does not fit is dropped as a whole.
const LIVE_BUFFER_PACKETS: u64 = 50;

/// Sending end of a flow, by transport.
#[derive(Clone, Debug)]
pub(crate) enum Source {
    Tcp(Box<tcp::Sender>),
    Quic(Box<quic::Sender>),
    Tfrc(Box<tfrc::Sender>),
    Udp(udp::Sender),
    /// End of an external flow. The program that owns the simulated world, such as the emulator, injects and receives
    /// the packets of both ends.
    External(Gate),
}

/// State of a real program's transport at one end of an external flow, whose packets come from outside of the simulated
/// network. The code that drives the simulation reports it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outside {
    /// State of a TCP. Schemes limit its window.
    Tcp(OutsideTcp),
    /// State of a TFRC sender or receiver. Schemes limit its rate.
    Tfrc {
        /// Smoothed round-trip time; `None` before the first estimate.
        round_trip: Option<Duration>,
    },
}

/// State of a real program's TCP at one end of an external flow, whose packets come from outside of the simulated
/// network. The code that drives the simulation reports it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OutsideTcp {
    /// Congestion window [segments].
    pub cwnd: u32,
    /// Size of the largest segment.
    pub segment: Bytes,
    /// Smoothed round-trip time; `None` before the first estimate.
    pub smoothed_round_trip: Option<Duration>,
    /// Least round-trip time so far; `None` before the first estimate.
    pub least_round_trip: Option<Duration>,
}

/// Entry of an external flow's packets into the world, with the limits that schemes set.
#[derive(Clone, Debug, Default)]
pub(crate) struct Gate {
    /// Transport of a flow over the kernel's sockets, which is known before its connection is open.
    kind: Option<TransportKind>,
    /// Size of the packet that the host's queue has refused, for each end; `None` while the end does not wait for room.
    refused: [Option<Bytes>; 2],
    /// Last reported state of the real program's transport at each end; `None` if the code that drives the simulation
    /// reports nothing.
    outside: [Option<Outside>; 2],
    limits: [WindowLimit; 2],
    rates: [Option<DataRate>; 2],
}

/// Transport whose window or rate a law may limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TransportKind {
    Tcp,
    Tfrc,
}

fn place(side: Side) -> usize {
    usize::from(side == Side::Receiver)
}

impl Gate {
    /// Gate of a flow over the kernel's sockets.
    fn of_kernel(kind: TransportKind) -> Self {
        Self { kind: Some(kind), ..Self::default() }
    }

    /// Transport at one end; `None` if the owner of the flow has not named it.
    fn kind(&self, side: Side) -> Option<TransportKind> {
        let reported = || match self.outside(side)? {
            Outside::Tcp(_) => Some(TransportKind::Tcp),
            Outside::Tfrc { .. } => Some(TransportKind::Tfrc),
        };
        self.kind.or_else(reported)
    }

    /// Stores the state of the real program's TCP or TFRC at one end of the flow, which the code that drives the
    /// simulation reports.
    pub(crate) fn tell(&mut self, side: Side, outside: Outside) {
        self.outside[place(side)] = Some(outside);
    }

    /// Last reported state of the real program's TCP or TFRC at one end of the flow. The code that drives the
    /// simulation reports it; `None` if it never has.
    pub(crate) fn outside(&self, side: Side) -> Option<&Outside> {
        self.outside[place(side)].as_ref()
    }

    pub(crate) fn limit_window(&mut self, side: Side, limit: WindowLimit) {
        self.limits[place(side)] = limit;
    }

    /// Sets or removes the limit of one end's payload rate. Returns true if this changes the limit.
    pub(crate) fn limit_rate(&mut self, side: Side, limit: Option<DataRate>) -> bool {
        std::mem::replace(&mut self.rates[place(side)], limit) != limit
    }

    /// Window that one end may have [octets], at least one segment, under the limit that a scheme has set. `None`
    /// without a limit, and for an end that has not reported TCP's state.
    pub(crate) fn window(&self, side: Side) -> Option<Bytes> {
        let Outside::Tcp(outside) = self.outside(side)? else { return None };
        let segments = |count: u32| outside.segment * u64::from(count.max(1));
        match self.limits[place(side)] {
            WindowLimit::None => None,
            WindowLimit::Segments(count) => Some(segments(count)),
            WindowLimit::Octets(window) => Some(window.max(outside.segment)),
            WindowLimit::DividedBy(divisor) => Some(segments(outside.cwnd / divisor.max(1))),
        }
    }

    /// Notes that the host's queue has refused a packet of this size from one end. Returns true if the end did not
    /// wait for room yet.
    pub(crate) fn refuse(&mut self, side: Side, packet: Bytes) -> bool {
        let refused = &mut self.refused[place(side)];
        refused.replace(packet).is_none()
    }

    /// Notes that an end no longer waits for room in its host's queue.
    pub(crate) fn open(&mut self, side: Side) {
        self.refused[place(side)] = None;
    }
}

/// Receiving end of a flow, by transport.
#[derive(Clone, Debug)]
pub(crate) enum Sink {
    Tcp(Box<tcp::Receiver>),
    Quic(Box<quic::Receiver>),
    Tfrc(Box<tfrc::Receiver>),
    Udp(udp::Sink),
    /// Receiving end of an external flow. [`Source::External`] has the state of both ends.
    External,
}

/// Both ends of a flow with this transport.
pub(crate) fn endpoints(transport: &Transport) -> (Source, Sink) {
    match transport {
        Transport::Tcp(tcp) if tcp.is_kernels => {
            (Source::External(Gate::of_kernel(TransportKind::Tcp)), Sink::External)
        }
        Transport::Tfrc(tfrc) if tfrc.is_kernels => {
            (Source::External(Gate::of_kernel(TransportKind::Tfrc)), Sink::External)
        }
        Transport::Tcp(tcp) => (
            Source::Tcp(Box::new(match tcp.source.source(tcp.sender.segment) {
                None => tcp::Sender::new(tcp.sender),
                Some(source) => tcp::Sender::with_source(tcp.sender, source),
            })),
            Sink::Tcp(Box::new(tcp::Receiver::new(tcp.receiver))),
        ),
        Transport::Quic(quic) => (
            Source::Quic(Box::new(match quic.source.source(quic.sender.payload()) {
                None => quic::Sender::new(quic.sender),
                Some(source) => quic::Sender::with_source(quic.sender, source),
            })),
            Sink::Quic(Box::new(quic::Receiver::new(quic.receiver))),
        ),
        Transport::Tfrc(settings) => tfrc_endpoints(settings),
        &Transport::Udp { payload, rate } => {
            let config = udp::SenderConfig { payload, rate };
            (Source::Udp(udp::Sender::new(config)), Sink::Udp(udp::Sink::of(&rate)))
        }
        Transport::External => (Source::External(Gate::default()), Sink::External),
    }
}

fn tfrc_endpoints(settings: &Tfrc) -> (Source, Sink) {
    let &Tfrc { profile, segment, ref traffic, .. } = settings;
    let (traffic, buffer) = (traffic.clone(), buffer(settings));
    let sender =
        tfrc::SenderConfig { traffic, buffer, ..tfrc::SenderConfig::new(profile, segment) };
    let receiver = tfrc::ReceiverConfig::new(profile);
    let sender = tfrc::Sender::new(sender);
    (Source::Tfrc(Box::new(sender)), Sink::Tfrc(Box::new(tfrc::Receiver::new(receiver))))
}

/// Octets that a TFRC sender buffers for its application; `None` without a bound.
fn buffer(settings: &Tfrc) -> Option<Bytes> {
    // A live source drops data that it could not send within a few seconds, because the data comes too late to be
    // played.
    let live = settings.segment * LIVE_BUFFER_PACKETS;
    match &settings.traffic {
        tfrc::Traffic::Greedy => None,
        tfrc::Traffic::Constant(_) | tfrc::Traffic::OnOff { .. } => Some(live),
        tfrc::Traffic::Frames { frames, .. } => {
            // The largest frame comes on top: a frame larger than the buffer could never be sent.
            let largest = frames.iter().map(|frame| frame.size).max();
            Some(live + largest.unwrap_or(Bytes::ZERO))
        }
    }
}

impl Source {
    /// Transport at one end of the flow, as far as a law can limit it; `None` for UDP, for QUIC, whose windows are
    /// encrypted, and for packets of programs.
    pub(crate) fn kind(&self, side: Side) -> Option<TransportKind> {
        match self {
            Self::Tcp(_) => Some(TransportKind::Tcp),
            Self::Tfrc(_) => Some(TransportKind::Tfrc),
            Self::Quic(_) | Self::Udp(_) => None,
            Self::External(gate) => gate.kind(side),
        }
    }

    /// Congestion window and slow start threshold; `None` for a transport without a window.
    pub(crate) fn window(&self) -> Option<SenderWindow> {
        let (cwnd, ssthresh) = match self {
            Self::Tcp(sender) => (sender.cwnd(), sender.ssthresh()),
            Self::Quic(sender) => (sender.cwnd(), sender.ssthresh()),
            Self::Tfrc(_) | Self::Udp(_) | Self::External(_) => return None,
        };
        Some(SenderWindow { cwnd, ssthresh })
    }

    /// True if messages of the source are counted when they are complete.
    #[inline]
    pub(crate) fn has_messages(&self) -> bool {
        match self {
            Self::Tcp(sender) => sender.has_source(),
            Self::Udp(sender) => sender.is_live(),
            Self::Quic(sender) => sender.has_source(),
            Self::Tfrc(_) | Self::External(_) => false,
        }
    }

    /// Next message that is complete, once this many octets have been delivered.
    pub(crate) fn poll_completed(
        &mut self,
        now: Time,
        delivered: Bytes,
    ) -> Option<stream::Completed> {
        match self {
            Self::Tcp(sender) => sender.poll_completed(now, delivered),
            Self::Quic(sender) => sender.poll_completed(now, delivered),
            Self::Tfrc(_) | Self::Udp(_) | Self::External(_) => None,
        }
    }

    /// Keys the random numbers of a congestion control or of a live application that needs them.
    pub(crate) fn key_randomness(&mut self, seed: impl FnOnce(Purpose) -> u64) {
        match self {
            Self::Tcp(sender) if sender.needs_seed() => sender.set_seed(seed(Purpose::Probing)),
            Self::Quic(sender) if sender.needs_seed() => sender.set_seed(seed(Purpose::Probing)),
            Self::Udp(sender) if sender.is_live() => sender.set_seed(seed(Purpose::Application)),
            _ => {}
        }
    }

    /// Accounts for the loss of a packet of the source. Returns true if a message is lost with it.
    pub(crate) fn handle_loss(&mut self, body: &Body) -> bool {
        match (self, body) {
            (Self::Udp(sender), Body::Datagram(datagram)) => sender.handle_loss(datagram.seq),
            _ => false,
        }
    }

    /// Delay of the frame of a live application that is complete with the packet that has just arrived.
    pub(crate) fn frame_completed(&mut self, now: Time, body: &Body) -> Option<Duration> {
        match (self, body) {
            (Self::Udp(sender), Body::Datagram(datagram)) => {
                sender.handle_arrival(now, datagram.seq, datagram.ecn == Ecn::CE)
            }
            _ => None,
        }
    }

    pub(crate) fn open(&mut self, now: Time) {
        match self {
            Self::Tcp(sender) => sender.open(now),
            Self::Quic(sender) => sender.open(now),
            Self::Tfrc(sender) => sender.open(now),
            Self::Udp(sender) => sender.open(now),
            Self::External(_) => {}
        }
    }

    pub(crate) fn close(&mut self, now: Time) {
        match self {
            Self::Tcp(sender) => sender.close(now),
            Self::Quic(sender) => sender.close(now),
            Self::Tfrc(sender) => sender.close(now),
            Self::Udp(sender) => sender.close(now),
            Self::External(_) => {}
        }
    }

    pub(crate) fn handle(&mut self, now: Time, body: &Body) {
        match (self, body) {
            (Self::Tcp(sender), Body::Segment(segment)) => sender.handle_segment(now, segment),
            (Self::Quic(sender), Body::QuicAck(ack)) => sender.handle_ack(now, ack),
            (Self::Quic(sender), Body::QuicHandshake(datagram)) => {
                sender.handle_handshake(now, datagram);
            }
            (Self::Tfrc(sender), Body::TfrcFeedback(report)) => sender.handle_feedback(now, report),
            (Self::Udp(sender), Body::Report(report)) => sender.handle_report(now, report),
            _ => unreachable!("both ends of a flow speak one transport"),
        }
    }

    /// Size of the next packet of one end, if the end waits for room in its host's queue.
    pub(crate) fn awaited_size(&self, side: Side) -> Option<Bytes> {
        match self {
            Self::Udp(source) => Some(source.packet_size()),
            Self::External(gate) => gate.refused[place(side)],
            Self::Tcp(_) | Self::Quic(_) | Self::Tfrc(_) => None,
        }
    }

    /// Accounts for a packet of this size that has left the queue of the sender's host. Returns true if the sender
    /// waited for this departure.
    pub(crate) fn handle_departure(&mut self, size: Bytes) -> bool {
        match self {
            Self::Tcp(sender) => sender.handle_departure(size),
            Self::Quic(_) | Self::Tfrc(_) | Self::Udp(_) | Self::External(_) => false,
        }
    }

    /// Octets that must leave the host's queue before the sender continues; `None` for a sender that does not wait for
    /// departures.
    pub(crate) fn awaited_departures(&self) -> Option<Bytes> {
        match self {
            Self::Tcp(sender) => sender.awaited_departures(),
            Self::Quic(_) | Self::Tfrc(_) | Self::Udp(_) | Self::External(_) => None,
        }
    }

    /// Handles the refusal, by the queue of the source's host, of the packet that the source has just sent.
    pub(crate) fn handle_refusal(&mut self, now: Time, body: &Body) -> RefusalOutcome {
        match (self, body) {
            (Self::Tcp(sender), Body::Segment(segment)) => sender.handle_refusal(now, segment),
            _ => RefusalOutcome::Lost,
        }
    }

    pub(crate) fn handle_timeout(&mut self, now: Time) {
        match self {
            Self::Tcp(sender) => sender.handle_timeout(now),
            Self::Quic(sender) => sender.handle_timeout(now),
            Self::Tfrc(sender) => sender.handle_timeout(now),
            Self::Udp(_) | Self::External(_) => {}
        }
    }

    pub(crate) fn next_timeout(&self) -> Option<Time> {
        match self {
            Self::Tcp(sender) => sender.next_timeout(),
            Self::Quic(sender) => sender.next_timeout(),
            Self::Tfrc(sender) => sender.next_timeout(),
            Self::Udp(sender) => sender.next_timeout(),
            Self::External(_) => None,
        }
    }

    /// Next event of the sending transport that is recorded for the flow.
    pub(crate) fn poll_record(&mut self) -> Option<FlowRecord> {
        match self {
            Self::Tcp(sender) => iter::from_fn(|| sender.poll_event()).find_map(sender_record),
            Self::Quic(sender) => iter::from_fn(|| sender.poll_event()).find_map(sender_record),
            Self::Tfrc(sender) => iter::from_fn(|| sender.poll_event()).find_map(tfrc_record),
            Self::Udp(sender) => sender.poll_event().map(call_record),
            Self::External(_) => None,
        }
    }

    /// Next packet that the source sends, converted by `make`.
    #[inline]
    pub(crate) fn poll_transmit<T>(
        &mut self,
        now: Time,
        make: impl FnOnce(Body) -> T,
    ) -> Option<T> {
        match self {
            Self::Tcp(sender) => sender.poll_transmit_as(now, |it| make(Body::Segment(it))),
            Self::Quic(sender) => Some(make(match sender.poll_handshake(now) {
                Some(datagram) => Body::QuicHandshake(datagram),
                None => Body::QuicData(sender.poll_transmit(now)?),
            })),
            Self::Tfrc(sender) => Some(make(Body::TfrcData(sender.poll_transmit(now)?))),
            Self::Udp(sender) => Some(make(Body::Datagram(sender.poll_transmit(now)?))),
            Self::External(_) => None,
        }
    }
}

/// Record of an event of a TCP or QUIC sender; `None` for an event that is not recorded for the flow.
fn sender_record(event: SenderEvent) -> Option<FlowRecord> {
    match event {
        SenderEvent::RttSample(rtt) => Some(FlowRecord::RoundTrip(rtt)),
        SenderEvent::FastRetransmit => Some(FlowRecord::FastRetransmit),
        SenderEvent::Timeout => Some(FlowRecord::Timeout),
        SenderEvent::Retransmission => Some(FlowRecord::Retransmission),
        SenderEvent::MarkAnswered => Some(FlowRecord::MarkAnswered),
        SenderEvent::Finished => Some(FlowRecord::Finished),
        SenderEvent::Established => None,
    }
}

/// Record of a TFRC sender's event; `None` for an event that is not recorded for the flow. An expiry of the
/// no-feedback timer is recorded as a time-out.
fn tfrc_record(event: tfrc::SenderEvent) -> Option<FlowRecord> {
    match event {
        tfrc::SenderEvent::RttSample(rtt) => Some(FlowRecord::RoundTrip(rtt)),
        tfrc::SenderEvent::NoFeedback => Some(FlowRecord::Timeout),
        tfrc::SenderEvent::Finished => Some(FlowRecord::Finished),
        tfrc::SenderEvent::RateChange => None,
    }
}

/// Record of an event of a call whose rate is controlled.
fn call_record(event: SpeakerEvent) -> FlowRecord {
    match event {
        SpeakerEvent::RoundTrip(time) => FlowRecord::RoundTrip(time),
        SpeakerEvent::Target(rate) => FlowRecord::Target(rate),
    }
}

/// Result of the arrival of a packet at the receiving end.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Intake {
    /// Application data that the packet has made available in order.
    pub(crate) delivered: Bytes,
    /// True for a data segment below the highest octet received so far.
    pub(crate) is_repeated: bool,
    /// True if a queue has marked the packet.
    pub(crate) is_marked: bool,
}

impl Sink {
    #[inline]
    pub(crate) fn handle(&mut self, now: Time, body: &Body) -> Intake {
        match (self, body) {
            (Self::Tcp(receiver), Body::Segment(segment)) => {
                let (delivered, repeated) = (receiver.delivered(), receiver.stats().below_highest);
                receiver.handle_segment(now, segment);
                Intake {
                    delivered: receiver.delivered() - delivered,
                    is_repeated: receiver.stats().below_highest > repeated,
                    is_marked: segment.flags.ecn() == Ecn::CE,
                }
            }
            (Self::Quic(receiver), Body::QuicData(data)) => {
                let (delivered, repeated) = (receiver.delivered(), receiver.stats().below_highest);
                receiver.handle_data(now, data);
                Intake {
                    delivered: receiver.delivered() - delivered,
                    is_repeated: receiver.stats().below_highest > repeated,
                    is_marked: data.ecn == Ecn::CE,
                }
            }
            (Self::Quic(receiver), Body::QuicHandshake(datagram)) => {
                receiver.handle_handshake(datagram);
                Intake { delivered: Bytes::ZERO, is_repeated: false, is_marked: false }
            }
            (Self::Tfrc(receiver), Body::TfrcData(data)) => {
                let before = receiver.stats().bytes_received;
                receiver.handle_data(now, data);
                let delivered = receiver.stats().bytes_received - before;
                Intake { delivered, is_repeated: false, is_marked: false }
            }
            (Self::Udp(sink), Body::Datagram(datagram)) => {
                sink.note_arrival(now, datagram);
                let delivered = sink.handle_datagram(datagram);
                Intake { delivered, is_repeated: false, is_marked: datagram.ecn == Ecn::CE }
            }
            _ => unreachable!("both ends of a flow speak one transport"),
        }
    }

    /// Octets that have been delivered in order to the application of TCP or QUIC; `None` for other transports.
    pub(crate) fn delivered(&self) -> Option<Bytes> {
        match self {
            Self::Tcp(receiver) => Some(receiver.delivered()),
            Self::Quic(receiver) => Some(receiver.delivered()),
            Self::Tfrc(_) | Self::Udp(_) | Self::External => None,
        }
    }

    /// True if this receiving end ever sends a packet: ACKs of TCP or QUIC, TFRC's feedback, or reports on a call.
    #[inline]
    pub(crate) fn answers(&self) -> bool {
        match self {
            Self::Tcp(_) | Self::Quic(_) | Self::Tfrc(_) => true,
            Self::Udp(sink) => sink.reports(),
            Self::External => false,
        }
    }

    pub(crate) fn handle_timeout(&mut self, now: Time) {
        match self {
            Self::Tcp(receiver) => receiver.handle_timeout(now),
            Self::Quic(receiver) => receiver.handle_timeout(now),
            Self::Tfrc(receiver) => receiver.handle_timeout(now),
            Self::Udp(_) | Self::External => {}
        }
    }

    pub(crate) fn next_timeout(&self) -> Option<Time> {
        match self {
            Self::Tcp(receiver) => receiver.next_timeout(),
            Self::Quic(receiver) => receiver.next_timeout(),
            Self::Tfrc(receiver) => receiver.next_timeout(),
            Self::Udp(sink) => sink.next_timeout(),
            Self::External => None,
        }
    }

    pub(crate) fn poll_transmit(&mut self, now: Time) -> Option<Body> {
        match self {
            Self::Tcp(receiver) => receiver.poll_transmit(now).map(Body::Segment),
            Self::Quic(receiver) => match receiver.poll_handshake() {
                Some(datagram) => Some(Body::QuicHandshake(datagram)),
                None => receiver.poll_transmit(now).map(Body::QuicAck),
            },
            Self::Tfrc(receiver) => receiver.poll_transmit(now).map(Body::TfrcFeedback),
            Self::Udp(sink) => sink.poll_report(now).map(Body::Report),
            Self::External => None,
        }
    }
}

/// Timer of a transport or an agent, with at most one effective event in the event queue. If the timer is postponed,
/// its earlier event stays in the queue and does nothing when it comes; so each ACK can postpone a timer at no cost.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Alarm {
    set_for: Option<Time>,
}

impl Alarm {
    /// Sets the timer to `wanted`. Returns the time at which the caller must schedule an event; `None` if `wanted` is
    /// `None`, or if an event at or before this time is scheduled already.
    pub(crate) fn want(&mut self, wanted: Option<Time>) -> Option<Time> {
        let wanted = wanted?;
        if self.set_for.is_some_and(|set_for| set_for <= wanted) {
            return None;
        }
        self.set_for = Some(wanted);
        Some(wanted)
    }

    /// Handles an event that was scheduled for this timer. Returns false if an event at an earlier time has replaced
    /// this event.
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

    /// A limit of one eleventh turns a cwnd of 130 segments of 1448 octets into a window of 11 segments. Every limited
    /// window has at least one segment.
    #[test]
    fn the_window_of_an_end_outside_is_limited_in_whole_segments() {
        let mut gate = Gate::default();
        gate.limit_window(Side::Sender, WindowLimit::DividedBy(11));
        assert_eq!(gate.window(Side::Sender), None, "nothing is known of it");
        let segment = Bytes::new(1_448);
        let outside = OutsideTcp { cwnd: 130, segment, ..OutsideTcp::default() };
        gate.tell(Side::Sender, Outside::Tcp(outside));
        assert_eq!(gate.window(Side::Sender), Some(segment * 11));
        for (limit, segments) in [
            (WindowLimit::DividedBy(131), Some(1)),
            (WindowLimit::Segments(4), Some(4)),
            (WindowLimit::Segments(0), Some(1)),
            (WindowLimit::Octets(Bytes::new(9)), Some(1)),
            (WindowLimit::None, None),
        ] {
            gate.limit_window(Side::Sender, limit);
            assert_eq!(gate.window(Side::Sender), segments.map(|it| segment * it), "{limit:?}");
        }
        assert_eq!(gate.window(Side::Receiver), None);
    }

    /// Sender and receiver both use SACK with flavours that need it, and both do not with the others.
    ///
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
            (tcp.sender.uses_sack(), tcp.receiver.sack)
        };
        for flavour in ["sack", "westwood+", "cubic"] {
            assert_eq!(selective(flavour), (true, true), "{flavour}");
        }
        for flavour in ["reno", "newreno", "westwood", "vegas"] {
            assert_eq!(selective(flavour), (false, false), "{flavour}");
        }
    }

    #[test]
    fn both_ends_agree_on_what_both_must_know() {
        let text = "duration = \"1 s\"\n[bss.c]\nstandard = \"802.11b\"\n[station.s]\n[host.h]\n\
                    [flow.f]\nfrom = \"s\"\nto = \"h\"\n\
                    transport = { kind = \"tcp\", handshake = false, timestamps = true, \
                    window_scaling = true, receive_window = \"1 MB\" }\n";
        let scenario = Scenario::parse(text, &[]).expect("a scenario without mistakes");
        let Transport::Tcp(tcp) = &scenario.flows[0].transport else { unreachable!("TCP") };
        let (sender, receiver) = (tcp.sender, tcp.receiver);
        assert_eq!((sender.handshake, receiver.handshake), (false, false));
        assert_eq!((sender.timestamps, receiver.timestamps), (true, true));
        assert_eq!((sender.window_scaling, receiver.window_scaling), (true, true));
        assert_eq!([sender.assumed_window, receiver.buffer], [Bytes::new(1_000_000); 2]);
    }

    /// First `count` messages of the sender, and the receiver's answer to the last of them.
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
            iter::from_fn(|| source.poll_transmit(Time::ZERO, |body| body)).take(count).collect();
        for body in &sent {
            sink.handle(Time::ZERO, body);
        }
        (sent, sink.poll_transmit(Time::ZERO).expect("an answer"))
    }

    /// Verifies: [RFC7323 §3.2]: 20 octets IP, 20 TCP and 12 option; the option takes nothing from the segment's
    /// payload.
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
        let config = settings.sender;
        assert!(config.uses_sack() && config.proportional_reduction);
        assert_eq!(config.rto.granularity, airfair_units::Duration::from_millis(10));
        assert_eq!(config.recovery_timer, tcp::RecoveryTimer::SlowButSteady);
        assert_eq!(config.deflation, tcp::Deflation::ToThreshold);
        assert!(settings.receiver.sack);
    }
}
