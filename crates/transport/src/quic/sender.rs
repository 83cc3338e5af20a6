//! The sending QUIC endpoint.  [RFC9002], [RFC9000 §13.3]

mod ecn;
mod input;
mod limit;
mod model;
mod output;

use airfair_units::{Bytes, DataRate, Duration, Time};

use super::config::SenderConfig;
use super::ecn::EcnState;
use super::handshake::{Client, Handshake, Progress};
use super::outgoing::Outgoing;
use super::rtt::RttEstimator;
use super::sent::{LostPacket, SentPacket, SentPackets};
use super::stats::SenderStats;
use crate::control::congestion::Congestion;
use crate::control::events::{PendingEvents, SenderEvent};
use crate::control::pacing::Pacer;
use crate::stream::ranges::Range;
use crate::stream::reassembly::Reassembly;
use crate::stream::source::Writer;
use crate::stream::{Completed, Source, Transfer};

/// State of the connection at its sender.
///
/// ```text
///  Closed ──open──► Connecting ──all datagrams of the server──► Open ──all data acknowledged──► Finished
///     └──────────── open, no handshake ─────────────────────────▲
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Closed,
    /// The handshake is under way.
    Connecting,
    Open,
    /// All data is acknowledged.
    Finished,
}

/// Recovery from a loss.  [RFC9002 §7.3.2]
#[derive(Clone, Copy, Debug, Default)]
struct Recovery {
    /// Start of the last recovery period; packets sent until then neither shrink nor widen the window.
    /// `congestion_recovery_start_time` [RFC9002 §B.2]
    since: Option<Time>,
    /// True until a packet that was sent in the period is acknowledged.
    is_under_way: bool,
    /// One past the largest packet number at the last persistent congestion, until that is acknowledged.
    collapse_end: Option<u64>,
    /// True if one packet may be sent beyond the window, at the start of a recovery period.
    is_free: bool,
}

/// Sends the data of one QUIC connection. The sender never gives up.
#[derive(Clone, Debug)]
pub struct Sender {
    config: SenderConfig,
    /// Payload of a full UDP datagram [octets].
    datagram: u64,
    state: State,
    outgoing: Outgoing,
    /// Octets of the stream that are acknowledged.
    acknowledged: Reassembly,
    /// The application, unless all data is available from the start.
    writer: Option<Box<Writer>>,
    congestion: Congestion,
    recovery: Recovery,
    /// State of explicit congestion notification; `None` without it, and once its validation has failed.
    ecn: Option<EcnState>,
    /// The handshake, if configured.
    client: Option<Box<Client>>,
    sent: SentPackets,
    rtt: RttEstimator,
    /// Time at which loss detection runs again.
    loss_at: Option<Time>,
    /// Deadline of loss detection or of the probe time-out.
    timer: Option<Time>,
    /// Time since which nothing is in flight, and credit is missing.
    blocked_at: Option<Time>,
    /// `pto_count`: probe time-outs in a row.
    timeouts_in_a_row: u32,
    /// Number of probes to be sent, whatever window and pacing.
    probes: u32,
    /// True if the application or flow control left a part of the window unused when the sender stopped.
    is_underused: bool,
    /// State of pacing; present if it is in use.
    pacer: Option<Box<Pacer>>,
    /// Memory for packets that an acknowledgment acknowledges.
    news: Vec<SentPacket>,
    /// Packets that the last input has shown to be lost.
    lost: Vec<LostPacket>,
    events: PendingEvents,
    stats: SenderStats,
}

impl Sender {
    /// Creates a closed sender. [`open`](Self::open) starts the connection.
    pub fn new(config: SenderConfig) -> Self {
        let available = match config.transfer {
            Transfer::Endless => u64::MAX,
            Transfer::Bytes(amount) => amount.get(),
        };
        Self {
            config,
            datagram: config.datagram.get(),
            state: State::Closed,
            outgoing: Outgoing::new(available, config.initial_max_data.get()),
            acknowledged: Reassembly::new(0),
            writer: None,
            congestion: Congestion::new(&config.control()),
            recovery: Recovery::default(),
            ecn: config.ecn.then(EcnState::default),
            client: config.handshake.then(|| Box::new(Client::new())),
            sent: SentPackets::new(config.controller.has_model()),
            rtt: RttEstimator::new(config.max_ack_delay),
            loss_at: None,
            timer: None,
            blocked_at: None,
            timeouts_in_a_row: 0,
            probes: 0,
            is_underused: false,
            pacer: config.paces().then(Box::default),
            news: Vec::new(),
            lost: Vec::new(),
            events: PendingEvents::default(),
            stats: SenderStats::default(),
        }
    }

    /// Creates a closed sender whose data comes from an application.
    ///
    /// # Panics
    /// If the source has no objects or no rates, or an object or a chunk of no size.
    pub fn with_source(config: SenderConfig, source: Source) -> Self {
        let writer = Some(Box::new(Writer::new(source, config.payload())));
        let outgoing = Outgoing::with_source(config.initial_max_data.get());
        Self { outgoing, writer, ..Self::new(config) }
    }

    /// Opens the connection. A second call changes nothing.
    pub fn open(&mut self, now: Time) {
        if self.state != State::Closed {
            return;
        }
        if let Some(writer) = &mut self.writer {
            writer.open(now);
        }
        if self.client.is_some() {
            self.state = State::Connecting;
        } else {
            self.establish();
        }
    }

    fn establish(&mut self) {
        self.state = State::Open;
        self.events.push(SenderEvent::Established);
        self.finish_if_done();
    }

    /// Returns the next datagram of the handshake, if one is due. The owner polls it before packets.
    #[inline]
    pub fn poll_handshake(&mut self, now: Time) -> Option<Handshake> {
        let client = self.client.as_mut()?;
        if self.state == State::Closed {
            return None;
        }
        // Packets of the handshake are acknowledged without delay.  [RFC9002 §6.2.1]
        let timeout = self.rtt.probe_timeout() - self.config.max_ack_delay;
        client.poll_transmit(now, timeout)
    }

    /// Processes a datagram of the receiver's handshake. The first round trip is measured with it.
    pub fn handle_handshake(&mut self, now: Time, datagram: &Handshake) {
        let Some(client) = self.client.as_mut().filter(|_| self.state == State::Connecting) else {
            return;
        };
        let progress = client.handle(now, datagram);
        let (Progress::Sample(round_trip) | Progress::Complete(round_trip)) = progress else {
            return;
        };
        if let Some(latest) = round_trip {
            self.sample_round_trip(now, latest, Duration::ZERO);
        }
        if matches!(progress, Progress::Complete(_)) {
            self.establish();
        }
    }

    /// Ends an endless source at what it has sent so far. Changes nothing for a transfer of a fixed size, which ends
    /// by itself.
    pub fn close(&mut self, _now: Time) {
        self.outgoing.close();
        if let Some(writer) = &mut self.writer {
            writer.close();
        }
        if self.state == State::Open {
            self.finish_if_done();
        }
    }

    /// Time at which the owner has to call [`handle_timeout`](Self::handle_timeout).
    #[inline]
    pub fn next_timeout(&self) -> Option<Time> {
        if self.state == State::Connecting {
            return self.client.as_ref()?.next_timeout();
        }
        if self.state != State::Open {
            return None;
        }
        let paced = self.pacer.as_ref().and_then(|pacer| pacer.deadline());
        let written = self.writer.as_ref().and_then(|writer| writer.next());
        [self.timer, paced, written].into_iter().flatten().min()
    }

    /// Returns the next event, the most urgent first. Events that the owner does not fetch are counted, not queued.
    #[inline]
    pub fn poll_event(&mut self) -> Option<SenderEvent> {
        self.events.pop()
    }

    /// Returns the newest one of the packets that the last input has shown to be lost, each once.
    pub fn poll_lost(&mut self) -> Option<LostPacket> {
        self.lost.pop()
    }

    /// True if an application writes the sender's data over time.
    #[inline]
    pub fn has_source(&self) -> bool {
        self.writer.is_some()
    }

    /// Returns the next message that is complete at the receiver, to which this many octets have been delivered in
    /// order.
    pub fn poll_completed(&mut self, now: Time, delivered: Bytes) -> Option<Completed> {
        self.writer.as_mut()?.complete(now, delivered.get())
    }

    /// True if the control needs random numbers, so that the owner should key them with
    /// [`set_seed`](Self::set_seed).
    pub fn needs_seed(&self) -> bool {
        self.config.controller.has_model()
    }

    /// Keys the random numbers of the control.
    pub fn set_seed(&mut self, seed: u64) {
        self.congestion.set_seed(seed);
    }

    /// Congestion window, rounded down [datagrams].
    pub fn cwnd(&self) -> u32 {
        self.congestion.cwnd_segments()
    }

    /// Slow start threshold, rounded down; `u32::MAX` if there is none yet [datagrams].
    pub fn ssthresh(&self) -> u32 {
        self.congestion.ssthresh_segments()
    }

    /// Slow start threshold; `None` before the first reduction.
    pub fn threshold(&self) -> Option<Bytes> {
        let segments = self.ssthresh();
        (segments < u32::MAX).then(|| Bytes::new(self.congestion.ssthresh()))
    }

    /// Rate at which packets leave while the window allows; `None` without pacing, before the first round trip is
    /// measured, and below 1 bit/s.
    pub fn pacing(&self) -> Option<DataRate> {
        self.pacer.as_ref()?;
        let octets = self.pacing_rate()?.octets_in(Duration::from_secs(1));
        let bits = octets.saturating_mul(8);
        (bits > 0).then(|| DataRate::from_bps(bits))
    }

    /// Congestion window.
    pub fn window(&self) -> Bytes {
        Bytes::new(self.congestion.cwnd())
    }

    /// `bytes_in_flight`: UDP payloads sent, and neither acknowledged nor lost.  [RFC9002 §2]
    pub fn in_flight(&self) -> Bytes {
        Bytes::new(self.sent.in_flight())
    }

    /// Number of probe time-outs in a row, `pto_count`.  [RFC9002 §6.2.1]
    pub fn timeouts_in_a_row(&self) -> u32 {
        self.timeouts_in_a_row
    }

    /// Smoothed round-trip time; `None` before the first sample.  [RFC9002 §5.3]
    pub fn smoothed_round_trip(&self) -> Option<Duration> {
        self.rtt.smoothed()
    }

    /// Smallest round-trip time measured; `None` before the first sample.  [RFC9002 §5.2]
    pub fn least_round_trip(&self) -> Option<Duration> {
        self.rtt.least()
    }

    /// Payload of a full UDP datagram, which is the unit of the window.
    pub fn datagram_size(&self) -> Bytes {
        self.config.datagram
    }

    /// True once all data is acknowledged.
    pub fn is_finished(&self) -> bool {
        self.state == State::Finished
    }

    /// Counters of the sender since its creation.
    pub fn stats(&self) -> &SenderStats {
        &self.stats
    }

    fn finish_if_done(&mut self) {
        if self.outgoing.is_last(self.acknowledged.next()) {
            self.state = State::Finished;
            self.timer = None;
            self.events.push(SenderEvent::Finished);
        }
    }

    /// The first octets of `range` that are not acknowledged; `None` if all are.
    fn unacknowledged(&self, range: Range) -> Option<Range> {
        let start = range.start.max(self.acknowledged.next());
        self.acknowledged.ranges().gap(start, range.end)
    }
}
