//! The receiving TFRC endpoint: loss events, receive rate and reports.  [RFC5348 §5 and §6]

use airfair_laws::tfrc::{LossIntervals, inverse_throughput};
use airfair_units::{Bytes, DataRate, Duration, Time};

use super::config::{FirstInterval, ReceiverConfig, Reports};
use super::history::{History, LossEvent, Placement, loss_clock};
use super::packet::{Data, Feedback, saturating_field, saturating_micros, wrapping};
use super::receive_rate::ReceiveRate;
use super::sequence::Unwrapper;
use super::stats::{ReceiverEvent, ReceiverStats};

/// 2³², the inverse of the unit of p in a report.
const UNIT: f64 = 4_294_967_296.0;

/// Time at which a TFRC receiver sends its next report.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Report {
    /// The report is sent with the next packet, because nothing has arrived since the last report, or no
    /// round trip is known.
    WithNextPacket,
    /// The report is sent at this time, when the feedback timer expires.
    At(Time),
    /// The report is to be sent now.
    Due,
}

/// The received packet with the highest number.
#[derive(Clone, Copy, Debug)]
struct Newest {
    number: u64,
    sent_at: u32,
    arrived: Time,
}

/// The sender whose packets are accepted.
#[derive(Clone, Copy, Debug)]
struct Peer {
    ssrc: u32,
    first: u64,
    newest: Newest,
    /// Round-trip estimate of the sender; zero while it has none.
    rtt: Duration,
    /// Latest send timestamp, unwrapped, on the sender's clock [µs].
    sent_micros: u64,
    /// Largest payload received, which is taken for the segment size s [octets].
    segment: u32,
}

/// Receives one TFRC flow.
///
/// There is no `open`: the first packet opens the flow. A receiver without packets sends no reports.
#[derive(Clone, Debug)]
pub struct Receiver {
    config: ReceiverConfig,
    peer: Option<Peer>,
    numbers: Unwrapper,
    history: History,
    /// Number of the first lost packet of the newest loss event.
    last_event: Option<u64>,
    intervals: LossIntervals,
    /// Loss event rate p when it was last computed.
    loss_event_rate: f64,
    rate: ReceiveRate,
    /// Rate in reports instead of the receive rate, set by [`set_rate_limit`](Self::set_rate_limit)
    /// [octets/s].
    rate_limit: Option<f64>,
    report: Report,
    pending_events: u64,
    stats: ReceiverStats,
}

impl Receiver {
    /// Creates a receiver that waits for its sender.
    pub fn new(config: ReceiverConfig) -> Self {
        Self {
            config,
            peer: None,
            numbers: Unwrapper::default(),
            history: History::new(config.later_packets),
            last_event: None,
            intervals: LossIntervals::default(),
            loss_event_rate: 0.0,
            rate: ReceiveRate::default(),
            rate_limit: None,
            report: Report::WithNextPacket,
            pending_events: 0,
            stats: ReceiverStats::default(),
        }
    }

    /// Limits the sender's rate of payload. Reports then contain half of `limit` instead of the receive rate,
    /// and a sender sends at most twice the reported rate. `None` ends the limit.  [occupancy-tfrc §III-D]
    pub fn set_rate_limit(&mut self, limit: Option<DataRate>) {
        self.rate_limit = limit.map(|limit| octets_per_second(limit) / 2.0);
    }

    /// Processes a data packet that has arrived.  [RFC5348 §6.1]
    pub fn handle_data(&mut self, now: Time, data: &Data) {
        let known = self.peer.map(|peer| peer.ssrc).or(self.config.sender);
        if known.is_some_and(|ssrc| ssrc != data.ssrc) {
            self.stats.strangers += 1;
            return;
        }
        let number = self.numbers.unwrap(data.seq);
        let mut peer = self.peer.unwrap_or_else(|| first_contact(now, number, data));
        let sent_micros = unwrap_micros(peer.sent_micros, data.sent_at);
        let sent = Time::from_nanos(sent_micros.saturating_mul(1_000));
        if number >= peer.newest.number {
            peer.newest = Newest { number, sent_at: data.sent_at, arrived: now };
            peer.rtt = Duration::from_micros(data.rtt.into());
            peer.sent_micros = sent_micros;
        }
        let clock = loss_clock(self.config.loss_time, now, sent);
        match self.history.insert(number, clock, peer.rtt) {
            // The time and the round trip in a late or duplicate packet are out of date.
            Placement::Late => {
                self.stats.late += 1;
                return;
            }
            Placement::Copy => {
                self.stats.copies += 1;
                return;
            }
            Placement::Reordered => self.stats.reordered += 1,
            Placement::New => {}
        }
        peer.segment = peer.segment.max(data.payload);
        self.peer = Some(peer);
        self.stats.packets_received += 1;
        self.stats.bytes_received += Bytes::new(data.payload.into());
        self.rate.on_arrival(now, data.payload, peer.rtt);
        let has_news = self.history.has_events() && self.learn(now, &peer);
        if has_news || self.is_time_to_report(now, &peer) {
            self.report = Report::Due;
        }
    }

    /// Processes new loss events. Returns true if they require a report at once.
    /// [RFC5348 §6.1 steps 3 and 4]
    fn learn(&mut self, now: Time, peer: &Peer) -> bool {
        let before = self.loss_event_rate;
        let mut previous = None;
        for event in self.history.take_events() {
            self.stats.loss_events += 1;
            self.pending_events += 1;
            let length = match previous.or(self.last_event) {
                None => self.first_interval(now, peer, event),
                Some(start) => packets(event.number - start),
            };
            self.intervals = self.intervals.complete(length, self.config.discounting);
            previous = Some(event.number);
        }
        self.last_event = previous.or(self.last_event);
        self.loss_event_rate = self.current_loss_event_rate();
        self.config.reports == Reports::OnArrival || self.loss_event_rate > before
    }

    /// Length of the interval before the first loss, for which the equation yields the receive rate.
    /// [RFC5348 §6.3.1]
    ///
    /// Without a round-trip estimate the equation cannot be used, and the packets are counted instead.
    fn first_interval(&mut self, now: Time, peer: &Peer, event: LossEvent) -> f64 {
        if peer.rtt.is_zero() {
            return packets(event.number - peer.first);
        }
        let segment = f64::from(peer.segment.max(1));
        let recent = self.rate.last_round_trip(now, peer.rtt);
        let target = match self.config.first_interval {
            FirstInterval::LastRoundTrip => recent,
            FirstInterval::LargestSoFar => {
                let least = 0.5 * segment / peer.rtt.as_secs_f64();
                recent.max(self.rate.largest()).max(least)
            }
        };
        1.0 / inverse_throughput(&self.config.equation, segment, peer.rtt.as_secs_f64(), target)
    }

    /// Loss event rate p now, including the current interval.  [RFC5348 §5.3, §5.4]
    fn current_loss_event_rate(&self) -> f64 {
        let (Some(peer), Some(start)) = (&self.peer, self.last_event) else { return 0.0 };
        let since = packets(peer.newest.number.saturating_sub(start));
        let current = since + if self.config.counts_newest { 1.0 } else { 0.0 };
        self.intervals.loss_event_rate(current, self.config.discounting)
    }

    /// True if the arrival of a packet without a new loss requires a report.  [RFC5348 §6.1]
    fn is_time_to_report(&self, now: Time, peer: &Peer) -> bool {
        match (self.report, self.config.reports) {
            (Report::WithNextPacket | Report::Due, _) => true,
            (Report::At(_), Reports::EachRoundTrip) => peer.rtt.is_zero(),
            (Report::At(_), Reports::OnArrival) => {
                let last = self.rate.reported_at();
                peer.rtt.is_zero()
                    || last.is_some_and(|last| now.saturating_since(last) >= peer.rtt)
            }
        }
    }

    /// Processes an expiry of the feedback timer. Calls before the deadline change nothing.  [RFC5348 §6.2]
    pub fn handle_timeout(&mut self, now: Time) {
        if let Report::At(at) = self.report
            && at <= now
        {
            self.report = if self.rate.has_news() { Report::Due } else { Report::WithNextPacket };
        }
    }

    /// Time at which the owner has to call [`handle_timeout`](Self::handle_timeout).
    #[inline]
    pub fn next_timeout(&self) -> Option<Time> {
        match self.report {
            Report::At(at) => Some(at),
            Report::WithNextPacket | Report::Due => None,
        }
    }

    /// Returns the next report to send, if one is due.  [RFC5348 §6.2 and §3.2.2]
    #[inline]
    pub fn poll_transmit(&mut self, now: Time) -> Option<Feedback> {
        if self.report != Report::Due {
            return None;
        }
        Some(self.report_now(now))
    }

    fn report_now(&mut self, now: Time) -> Feedback {
        let peer = self.peer.expect("a report is about something");
        self.loss_event_rate = self.current_loss_event_rate();
        let receive_rate = self.rate.rate(now, peer.rtt);
        self.rate.on_report(now, receive_rate);
        self.report = if peer.rtt.is_zero() {
            Report::WithNextPacket
        } else {
            let wait = match self.config.reports {
                Reports::EachRoundTrip => peer.rtt,
                Reports::OnArrival => peer.rtt * 3 / 2,
            };
            Report::At(now + wait)
        };
        self.stats.feedbacks_sent += 1;
        Feedback {
            reporter: self.config.reporter,
            ssrc: peer.ssrc,
            sent_at: peer.newest.sent_at,
            delay: saturating_micros(now.saturating_since(peer.newest.arrived)),
            receive_rate: saturating_field(self.rate_limit.unwrap_or(receive_rate)),
            loss_event_rate: saturating_field(self.loss_event_rate * UNIT),
        }
    }

    /// Returns the next event. Events that the owner does not fetch are counted, not queued.
    pub fn poll_event(&mut self) -> Option<ReceiverEvent> {
        self.pending_events = self.pending_events.checked_sub(1)?;
        Some(ReceiverEvent::LossEvent)
    }

    /// The sender's round-trip estimate; `None` before it has one.
    pub fn round_trip(&self) -> Option<Duration> {
        self.peer.map(|peer| peer.rtt).filter(|rtt| !rtt.is_zero())
    }

    /// Loss event rate p of the packets received so far.
    pub fn loss_event_rate(&self) -> f64 {
        self.current_loss_event_rate()
    }

    /// Counters of the receiver since its creation.
    pub fn stats(&self) -> ReceiverStats {
        ReceiverStats { lost: self.history.lost(), ..self.stats }
    }
}

fn first_contact(now: Time, number: u64, data: &Data) -> Peer {
    Peer {
        ssrc: data.ssrc,
        first: number,
        newest: Newest { number, sent_at: data.sent_at, arrived: now },
        rtt: Duration::from_micros(data.rtt.into()),
        // One turn of the clock ahead, so that earlier timestamps stay positive.
        sent_micros: (1 << 32) + u64::from(data.sent_at),
        segment: 0,
    }
}

/// Unwraps a timestamp to the value nearest to the newest one.
fn unwrap_micros(newest: u64, sent_at: u32) -> u64 {
    let ahead = sent_at.wrapping_sub(wrapping(newest));
    newest.saturating_add_signed(i64::from(ahead.cast_signed()))
}

#[expect(clippy::cast_precision_loss, reason = "a rate below 2^53 bit/s")]
fn octets_per_second(rate: DataRate) -> f64 {
    rate.bps() as f64 / 8.0
}

/// Number of packets as a length of a loss interval.
#[expect(clippy::cast_precision_loss, reason = "far less than 2^53 packets")]
fn packets(count: u64) -> f64 {
    count as f64
}
