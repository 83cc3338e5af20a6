//! The sending TCP endpoint.  [RFC9293 §3.10], [RFC5681], [RFC6298 §5], [RFC6582], [RFC6675]

mod ecn;
mod input;
mod limit;
mod model;
mod output;
mod pacing;
mod rack_tlp;
mod refusal;
mod small_queue;
mod writing;

use airfair_laws::window_limit::WindowLimit;
use airfair_laws::{accecn, dctcp, prague};
use airfair_units::{Bytes, Duration, Time};

use super::config::SenderConfig;
use super::congestion::Congestion;
use super::flavour::Flavour;
use super::pacing::Pacer;
use super::rack_tlp::RackTlp;
use super::recovery::Recovery;
use super::rtt::RttEstimator;
use super::sack::Scoreboard;
use super::segment::FIRST_OCTET;
use super::source::{Source, Writer};
use super::stats::SenderStats;
use crate::control::events::{PendingEvents, SenderEvent};
use crate::stream::Transfer;

/// Number of SYN time-outs that leave the initial window as configured; after more of them it is one segment.
/// [RFC6928 §2]
const SYN_TIMEOUTS_TOLERATED: u32 = 1;

/// State of the connection at its sender.
///
/// ```text
///  Closed ──open──► SynSent ──SYN-ACK──► Open ──ACK of the FIN──► Finished
///     └──────── open, no handshake ────────▲   (of the last octet, without handshake)
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Closed,
    /// The SYN was sent, or will be at the next poll.
    SynSent,
    /// The connection is open: data may be sent, and the FIN may have been sent.
    Open,
    /// All data, and the FIN if there is one, is acknowledged.
    Finished,
}

/// Consequence for a segment that the transmit queue of the sender's own host refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RefusalOutcome {
    /// The sender has taken back the data of the refused segment, as if it had not been polled.
    TakenBack,
    /// The refused segment counts as sent and lost.
    Lost,
}

/// State that a sender keeps to handle a refusal of a segment by its own host.
#[derive(Clone, Debug, Default)]
struct Refusals {
    /// True from a refusal until the next ACK or time-out, because the queue is still full. Nothing is sent
    /// meanwhile.
    is_waiting: bool,
    /// `high_seq` of Linux: an ACK at or above this number ends the window reduction.
    reduction_end: u64,
    /// Value of `sent_end` before the last segment, which shows whether that segment was new.
    sent_end: u64,
    /// Value of `limited_octets` before the last segment.
    limited_octets: u64,
}

/// State of explicit congestion notification at a sender.
#[derive(Clone, Debug)]
struct EcnState {
    /// True from a reduction of the window until CWR is sent with new data.
    owes_cwr: bool,
    /// Answer to marks.
    answer: Answer,
    /// True while an ACK that reports marks is processed, by which Prague must not grow.
    is_echo: bool,
    /// Decoder of accurate ECN, if the receiver reports marks in this way.
    accurate: Option<Decoder>,
}

/// Decoder of the receiver's accurate feedback, and marked octets that are not acknowledged yet.
#[derive(Clone, Copy, Debug, Default)]
struct Decoder {
    state: accecn::State,
    /// Marked octets that the receiver has reported, but not acknowledged.
    ahead: u64,
}

/// Answer of a sender to marks.
#[derive(Clone, Copy, Debug)]
enum Answer {
    /// A mark is answered as a loss.  [RFC3168 §6.1.2]
    AsLoss,
    /// The share of marks is answered once per window of data.  [RFC8257 §3.3]
    ByShare(dctcp::State),
    /// The share of marks is answered once per virtual round trip.  [draft-prague §2]
    Prague(prague::State),
}

impl EcnState {
    fn new(config: &SenderConfig) -> Self {
        let answer = match config.flavour {
            Flavour::Dctcp => Answer::ByShare(dctcp::State::default()),
            Flavour::Prague => Answer::Prague(prague::State::default()),
            _ => Answer::AsLoss,
        };
        let accurate = config.ecn_feedback().is_accurate().then(Decoder::default);
        Self { owes_cwr: false, answer, is_echo: false, accurate }
    }
}

/// Accounting of a sender's packets in the transmit queue of its own host.
#[derive(Clone, Debug, Default)]
struct SmallQueue {
    /// Octets of the sender's packets in its host's transmit queue or in service, headers included.
    held: u64,
    /// True if the sender waits for its packets to leave the host's transmit queue.
    is_waiting: bool,
    usage: CwndUsage,
}

/// Largest use of cwnd, kept until the data sent at that time is acknowledged. A sender that pauses for its
/// host queue between two ACKs thus still counts as limited by cwnd.  `tcp_cwnd_validate` [linux-tsq]
#[derive(Clone, Debug, Default)]
struct CwndUsage {
    /// True if cwnd has limited the sender within the last window of data.
    is_full: bool,
    /// Largest number of octets that were outstanding within the last window of data.
    most: u64,
    /// One past the last octet sent when `most`, the largest number of outstanding octets, was recorded.
    end: u64,
}

/// Sends the data of one TCP connection.
///
/// The FIN is sent alone, after all data is acknowledged. The sender never gives up.
#[derive(Clone, Debug)]
pub struct Sender {
    config: SenderConfig,
    /// SMSS: payload of a full segment [octets].
    segment: u64,
    state: State,
    /// SND.UNA: first octet not acknowledged.
    unacknowledged: u64,
    /// SND.NXT: next octet to send. A time-out sets it back to `unacknowledged`.
    next: u64,
    /// One past the highest octet ever sent.
    sent_end: u64,
    /// One past the last octet of data, which is the sequence number of the FIN; `u64::MAX` while the end is
    /// unknown.
    data_end: u64,
    /// One past the last octet that the application has written; `u64::MAX` if it always has more.
    available: u64,
    /// The application, unless all data is available from the start.
    writer: Option<Box<Writer>>,
    /// SND.WND: the receiver's window.
    peer_window: u64,
    limit: WindowLimit,
    congestion: Congestion,
    recovery: Recovery,
    /// SACK scoreboard; present with selective acknowledgments, unless RACK detects losses.
    scoreboard: Option<Scoreboard>,
    /// State of RACK-TLP loss detection; present if RACK detects losses.
    rack_tlp: Option<Box<RackTlp>>,
    /// Octets sent by limited transmit since the last new ACK.
    limited_octets: u64,
    rtt: RttEstimator,
    /// Last timestamp received, to be echoed; 0 before the first.
    peer_timestamp: u32,
    /// Deadline of the retransmission timer, if the timer runs.
    timer: Option<Time>,
    /// Number of consecutive time-outs since the last new ACK.
    timeouts_in_a_row: u32,
    /// True if an ACK without data is to be sent.
    is_ack_due: bool,
    /// True if the first unacknowledged segment is to be retransmitted, whatever the window.
    is_retransmission_due: bool,
    refusals: Refusals,
    /// State of TCP small queues; present if they are in use.
    small_queue: Option<SmallQueue>,
    /// State of pacing; present if it is in use.
    pacer: Option<Box<Pacer>>,
    /// State of explicit congestion notification; present if it is in use.
    ecn: Option<Box<EcnState>>,
    events: PendingEvents,
    stats: SenderStats,
}

impl Sender {
    /// Creates a closed sender. [`open`](Self::open) starts the connection.
    pub fn new(config: SenderConfig) -> Self {
        assert!(!config.segment.is_zero(), "a segment without payload");
        assert!(u32::try_from(config.segment.get()).is_ok(), "a segment of 4 GiB");
        let data_end = match config.transfer {
            Transfer::Endless => u64::MAX,
            Transfer::Bytes(amount) => FIRST_OCTET + amount.get(),
        };
        Self {
            config,
            segment: config.segment.get(),
            state: State::Closed,
            unacknowledged: 0,
            next: 0,
            sent_end: 0,
            data_end,
            available: data_end,
            writer: None,
            peer_window: config.assumed_window.get(),
            limit: WindowLimit::None,
            congestion: Congestion::new(&config.control()),
            recovery: Recovery::new(),
            scoreboard: (config.uses_sack() && !config.has_rack())
                .then(|| Scoreboard::new(config.segment.get())),
            rack_tlp: config.has_rack().then(|| Box::new(RackTlp::new(config.flavour.has_model()))),
            limited_octets: 0,
            rtt: if config.times_each_segment() {
                RttEstimator::new(config.rto, config.arithmetic).time_each()
            } else {
                RttEstimator::new(config.rto, config.arithmetic)
            },
            peer_timestamp: 0,
            timer: None,
            timeouts_in_a_row: 0,
            is_ack_due: false,
            is_retransmission_due: false,
            refusals: Refusals::default(),
            small_queue: config.small_queue.map(|_| SmallQueue::default()),
            pacer: config.paces().then(Box::default),
            ecn: config.has_ecn().then(|| Box::new(EcnState::new(&config))),
            events: PendingEvents::default(),
            stats: SenderStats::default(),
        }
    }

    /// Creates a closed sender whose data comes from an application.
    ///
    /// # Panics
    /// If the source has no objects or no rates, or an object or a chunk of no size.
    pub fn with_source(config: SenderConfig, source: Source) -> Self {
        let writer = Some(Box::new(Writer::new(source, config.segment)));
        let config = SenderConfig { transfer: Transfer::Endless, ..config };
        Self { available: FIRST_OCTET, writer, ..Self::new(config) }
    }

    /// Opens the connection. A second call changes nothing.
    pub fn open(&mut self, now: Time) {
        if self.state != State::Closed {
            return;
        }
        if let Some(writer) = &mut self.writer {
            writer.open(now);
        }
        self.state = State::SynSent;
        if !self.config.handshake {
            (self.next, self.sent_end) = (FIRST_OCTET, FIRST_OCTET);
            self.establish();
        }
    }

    /// Ends an endless source at what it has sent so far; the FIN follows once all of that is acknowledged.
    /// Changes nothing for a transfer of a fixed size, which ends by itself.
    pub fn close(&mut self, _now: Time) {
        if self.data_end != u64::MAX {
            return;
        }
        self.data_end = self.sent_end.max(FIRST_OCTET);
        self.available = self.data_end;
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
        let own = if self.pacer.is_some() { self.next_paced_timeout() } else { self.timer };
        match &self.writer {
            None => own,
            Some(writer) => {
                let next = writer.next().filter(|_| self.state == State::Open);
                own.into_iter().chain(next).min()
            }
        }
    }

    /// Returns the next event, the most urgent first. Events that the owner does not fetch are counted, not
    /// queued.
    #[inline]
    pub fn poll_event(&mut self) -> Option<SenderEvent> {
        self.events.pop()
    }

    /// Limits the window in addition to cwnd and the receiver's window. A limit or divisor of 0 counts as 1.
    pub fn set_window_limit(&mut self, limit: WindowLimit) {
        self.limit = limit;
    }

    /// Sets cwnd, to 1 at least [segments].
    pub fn set_cwnd(&mut self, segments: u32) {
        self.congestion.set_cwnd_segments(segments);
        if let Some(scoreboard) = &mut self.scoreboard {
            scoreboard.end_prr();
        }
        if let Some(rack_tlp) = &mut self.rack_tlp {
            rack_tlp.end_prr();
        }
    }

    /// Congestion window of the sender, rounded down [segments].
    pub fn cwnd(&self) -> u32 {
        self.congestion.cwnd_segments()
    }

    /// Slow start threshold, rounded down; `u32::MAX` if there is none yet [segments].
    pub fn ssthresh(&self) -> u32 {
        self.congestion.ssthresh_segments()
    }

    /// `FlightSize`: octets sent and not acknowledged. After a time-out it counts from the first
    /// unacknowledged octet anew.  [RFC5681 §2]
    #[inline]
    pub fn flight(&self) -> Bytes {
        Bytes::new(self.flight_octets())
    }

    /// Estimate of the octets in the network: `pipe` with selective acknowledgments [RFC6675 §4], otherwise
    /// the flight.
    pub fn in_network(&self) -> Bytes {
        Bytes::new(match &self.scoreboard {
            Some(scoreboard) if self.recovery.is_fast() => scoreboard.pipe(),
            Some(scoreboard) => scoreboard.outstanding(self.next),
            None => match &self.rack_tlp {
                Some(rack_tlp) => rack_tlp.in_network(),
                None => self.flight_octets(),
            },
        })
    }

    /// Octets that the sender may have in the network: cwnd under the limit of
    /// [`set_window_limit`](Self::set_window_limit).
    pub fn usable_window(&self) -> Bytes {
        Bytes::new(self.limited(self.congestion.cwnd()))
    }

    /// Smoothed round-trip time, SRTT; `None` before the first sample.  [RFC6298 §2]
    pub fn smoothed_round_trip(&self) -> Option<Duration> {
        self.rtt.smoothed()
    }

    /// Smallest round-trip time measured; `None` before the first sample.
    pub fn least_round_trip(&self) -> Option<Duration> {
        self.rtt.least()
    }

    /// The receiver's window, `SND.WND`.  [RFC9293 §3.3.1]
    pub fn receive_window(&self) -> Bytes {
        Bytes::new(self.peer_window)
    }

    /// Payload of a full segment, SMSS.
    pub fn segment_size(&self) -> Bytes {
        Bytes::new(self.segment)
    }

    /// True once all data, including the FIN, is acknowledged.
    pub fn is_finished(&self) -> bool {
        self.state == State::Finished
    }

    /// Counters of the sender since its creation.
    pub fn stats(&self) -> &SenderStats {
        &self.stats
    }

    #[inline]
    fn flight_octets(&self) -> u64 {
        self.next - self.unacknowledged
    }

    /// Flight from which ssthresh is computed: octets of limited transmit do not count.
    /// [RFC5681 §3.2 step 2]
    fn flight_for_ssthresh(&self) -> u64 {
        self.flight_octets() - self.limited_octets
    }

    /// `window` after the window limit of the control scheme is applied, in whole segments if limited
    /// [octets].
    #[inline]
    fn limited(&self, window: u64) -> u64 {
        match self.limit {
            WindowLimit::None => window,
            WindowLimit::Segments(segments) => {
                window.min(u64::from(segments.max(1)) * self.segment)
            }
            WindowLimit::Octets(octets) => {
                window.min((octets.get() / self.segment).max(1) * self.segment)
            }
            WindowLimit::DividedBy(divisor) => {
                let segments = window / self.segment / u64::from(divisor.max(1));
                segments.max(1) * self.segment
            }
        }
    }
}
