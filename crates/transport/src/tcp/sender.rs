//! The sending endpoint.  [RFC9293 §3.10], [RFC5681], [RFC6298 §5], [RFC6582]

use airfair_laws::arf_aware::WindowLimit;
use airfair_laws::newreno::{DUPLICATE_THRESHOLD, Event};
use airfair_units::{Bytes, Time};

use super::config::{RecoveryTimer, SenderConfig, Source, UNSCALED_WINDOW, syn_options};
use super::congestion::Congestion;
use super::recovery::{Duplicate, NewAck, Recovery};
use super::rtt::RttEstimator;
use super::segment::{FIRST_OCTET, Flags, Segment};
use super::stats::{PendingEvents, SenderEvent, SenderStats};

/// Time-outs of the SYN after which the initial window is one segment.  [RFC6928 §2]
const SYN_TIMEOUTS_TOLERATED: u32 = 1;

/// Where the connection is.
///
/// ```text
///  Closed ──open──► SynSent ──SYN-ACK──► Open ──ACK of the FIN──► Finished
///     └──────── open, no handshake ────────▲   (of the last octet, without handshake)
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// Not opened.
    Closed,
    /// The SYN is out, or about to be.
    SynSent,
    /// Data may flow; the FIN may be out.
    Open,
    /// Everything is acknowledged.
    Finished,
}

/// Sends the data of one connection.
///
/// The FIN goes out alone, once all data is acknowledged. The sender never gives up.
#[derive(Debug)]
pub struct Sender {
    config: SenderConfig,
    /// SMSS [octets].
    segment: u64,
    state: State,
    /// First octet not acknowledged: SND.UNA.
    unacknowledged: u64,
    /// Next octet to send: SND.NXT. A time-out takes it back to `unacknowledged`.
    next: u64,
    /// One past the highest octet ever sent.
    sent_end: u64,
    /// One past the last octet of data, which is the number of the FIN; `u64::MAX` while unknown.
    data_end: u64,
    /// The receiver's window: SND.WND.
    peer_window: u64,
    limit: WindowLimit,
    congestion: Congestion,
    recovery: Recovery,
    /// What limited transmit has sent since the last new ACK [octets].
    limited_octets: u64,
    rtt: RttEstimator,
    /// The retransmission timer: when it expires, if it runs.
    timer: Option<Time>,
    /// Time-outs since the last new ACK.
    timeouts_in_a_row: u32,
    /// An ACK without data is to be sent.
    is_ack_due: bool,
    /// The first unacknowledged segment is to be sent once more, whatever the window.
    is_retransmission_due: bool,
    events: PendingEvents,
    stats: SenderStats,
}

impl Sender {
    /// A sender that waits for [`open`](Self::open).
    pub fn new(config: SenderConfig) -> Self {
        assert!(!config.segment.is_zero(), "a segment without payload");
        assert!(u32::try_from(config.segment.get()).is_ok(), "a segment of 4 GiB");
        Self {
            config,
            segment: config.segment.get(),
            state: State::Closed,
            unacknowledged: 0,
            next: 0,
            sent_end: 0,
            data_end: match config.source {
                Source::Endless => u64::MAX,
                Source::Bytes(amount) => FIRST_OCTET + amount.get(),
            },
            peer_window: config.assumed_window.get(),
            limit: WindowLimit::None,
            congestion: Congestion::new(&config),
            recovery: Recovery::new(),
            limited_octets: 0,
            rtt: RttEstimator::new(config.rto),
            timer: None,
            timeouts_in_a_row: 0,
            is_ack_due: false,
            is_retransmission_due: false,
            events: PendingEvents::default(),
            stats: SenderStats::default(),
        }
    }

    /// Starts the connection; a second call changes nothing.
    pub fn open(&mut self, _now: Time) {
        if self.state != State::Closed {
            return;
        }
        self.state = State::SynSent;
        if !self.config.handshake {
            (self.next, self.sent_end) = (FIRST_OCTET, FIRST_OCTET);
            self.establish();
        }
    }

    /// An endless source ends with what it has sent so far; once that is acknowledged, the FIN goes out.
    /// A source of so many bytes ends by itself, and this changes nothing.
    pub fn close(&mut self, _now: Time) {
        if self.data_end != u64::MAX {
            return;
        }
        self.data_end = self.sent_end.max(FIRST_OCTET);
        if self.state == State::Open {
            self.finish_if_done();
        }
    }

    /// A segment from the receiver has arrived.
    pub fn handle_segment(&mut self, now: Time, segment: &Segment) {
        match self.state {
            State::SynSent => self.handle_syn_ack(now, segment),
            // A SYN-ACK once more: our ACK of it was lost.
            State::Open if segment.flags.syn => self.is_ack_due = true,
            State::Open if segment.flags.ack => self.handle_ack(now, segment),
            State::Closed | State::Open | State::Finished => {}
        }
    }

    /// The retransmission timer may have expired. Calls at other times change nothing.
    ///
    /// All that is outstanding counts as lost, and sending resumes at the first unacknowledged octet.
    /// [RFC6298 §5.4 to §5.6], [RFC5681 §3.1], [RFC6582 §3.2 step 4]
    pub fn handle_timeout(&mut self, now: Time) {
        if self.timer.is_none_or(|deadline| now < deadline) {
            return;
        }
        self.stats.timeouts += 1;
        self.events.push(SenderEvent::Timeout);
        if self.state == State::Open {
            let is_repeated = self.timeouts_in_a_row > 0;
            self.congestion.observe(Event::Timeout { is_repeated }, 0, self.flight_for_ssthresh());
            self.recovery.on_timeout(self.sent_end);
        }
        self.timeouts_in_a_row += 1;
        self.limited_octets = 0;
        self.next = self.unacknowledged;
        self.rtt.back_off();
        self.timer = Some(now + self.rtt.rto());
    }

    /// When [`handle_timeout`](Self::handle_timeout) wants to be called.
    #[inline]
    pub fn next_timeout(&self) -> Option<Time> {
        self.timer
    }

    /// The next segment to send.
    pub fn poll_transmit(&mut self, now: Time) -> Option<Segment> {
        match self.state {
            State::Closed | State::Finished => None,
            State::SynSent => (self.next == 0).then(|| self.transmit_syn(now)),
            State::Open if self.is_ack_due => {
                self.is_ack_due = false;
                Some(header(self.next))
            }
            State::Open if self.is_retransmission_due => {
                self.is_retransmission_due = false;
                let sent = self.sent_end.min(self.data_end) - self.unacknowledged;
                Some(self.transmit(now, self.unacknowledged, sent.min(self.segment)))
            }
            State::Open => self.poll_next(now),
        }
    }

    /// What has happened, most urgent first; events not fetched are counted, not queued.
    #[inline]
    pub fn poll_event(&mut self) -> Option<SenderEvent> {
        self.events.pop()
    }

    /// Limits the window beside cwnd and the receiver's; counts of 0 mean 1.
    pub fn set_window_limit(&mut self, limit: WindowLimit) {
        self.limit = limit;
    }

    /// Gives cwnd a value, 1 at least [segments].
    pub fn set_cwnd(&mut self, segments: u32) {
        self.congestion.set_cwnd_segments(segments);
    }

    /// Congestion window, rounded down [segments].
    pub fn cwnd(&self) -> u32 {
        self.congestion.cwnd_segments()
    }

    /// Slow start threshold, rounded down; `u32::MAX` if there is none yet [segments].
    pub fn ssthresh(&self) -> u32 {
        self.congestion.ssthresh_segments()
    }

    /// Octets sent and neither acknowledged nor given up after a time-out: `FlightSize`.  [RFC5681 §2]
    #[inline]
    pub fn flight(&self) -> Bytes {
        Bytes::new(self.flight_octets())
    }

    /// What may be in flight: the smallest of cwnd under the window limit and the receiver's window
    /// [octets].
    pub fn usable_window(&self) -> Bytes {
        Bytes::new(self.usable_octets())
    }

    /// Whether everything, the FIN included, is acknowledged.
    pub fn is_finished(&self) -> bool {
        self.state == State::Finished
    }

    /// Totals so far.
    pub fn stats(&self) -> &SenderStats {
        &self.stats
    }

    /// The answer to the SYN.  [RFC9293 §3.10.7.3]
    fn handle_syn_ack(&mut self, now: Time, segment: &Segment) {
        if segment.flags != Flags::SYN_ACK || segment.ack != self.sent_end {
            return;
        }
        self.peer_window = segment.window;
        self.sample_round_trip(now, segment.ack);
        if self.timeouts_in_a_row > 0 {
            self.rtt.on_established_after_timeout();
        }
        if self.timeouts_in_a_row > SYN_TIMEOUTS_TOLERATED {
            self.congestion.set_cwnd_segments(1);
        }
        self.timeouts_in_a_row = 0;
        self.timer = None;
        self.is_ack_due = true;
        self.establish();
    }

    fn establish(&mut self) {
        self.unacknowledged = FIRST_OCTET;
        self.next = FIRST_OCTET;
        self.state = State::Open;
        self.events.push(SenderEvent::Established);
        self.finish_if_done();
    }

    fn handle_ack(&mut self, now: Time, segment: &Segment) {
        let is_same_window = segment.window == self.peer_window;
        if segment.ack < self.unacknowledged || segment.ack > self.sent_end {
            return;
        }
        self.peer_window = segment.window;
        if segment.ack > self.unacknowledged {
            self.handle_new_ack(now, segment.ack);
            return;
        }
        // [RFC5681 §2]: outstanding data, no payload, neither SYN nor FIN, the same ACK, the same window.
        let is_outstanding = self.sent_end > self.unacknowledged;
        if is_outstanding && segment.payload == 0 && !segment.flags.fin && is_same_window {
            self.handle_duplicate_ack();
        }
    }

    fn handle_duplicate_ack(&mut self) {
        self.stats.duplicate_acks += 1;
        match self.recovery.on_duplicate(self.unacknowledged, self.sent_end) {
            Duplicate::Counted => {}
            Duplicate::InRecovery => {
                self.congestion.observe(Event::FurtherDuplicate, 0, self.flight_octets());
            }
            Duplicate::Loss => {
                self.stats.fast_retransmits += 1;
                self.events.push(SenderEvent::FastRetransmit);
                self.congestion.observe(Event::ThirdDuplicate, 0, self.flight_for_ssthresh());
                self.is_retransmission_due = true;
            }
        }
    }

    fn handle_new_ack(&mut self, now: Time, ack: u64) {
        let acked = ack.min(self.data_end) - self.unacknowledged.min(self.data_end);
        // Full: not one more segment would fit.
        let is_cwnd_limited = self.config.grow_beyond_receive_window
            || self.flight_octets() + self.segment > self.congestion.cwnd();
        self.unacknowledged = ack;
        self.next = self.next.max(ack);
        self.limited_octets = 0;
        self.timeouts_in_a_row = 0;
        self.is_retransmission_due = false;
        self.stats.bytes_acked += Bytes::new(acked);
        self.sample_round_trip(now, ack);

        let (event, restarts_timer) = match self.recovery.on_new_ack(ack) {
            NewAck::Normal => (Event::NewAck { is_cwnd_limited }, true),
            NewAck::Full => (Event::FullAck, true),
            NewAck::Partial { is_first } => {
                self.is_retransmission_due = true;
                let steady = self.config.recovery_timer == RecoveryTimer::SlowButSteady;
                (Event::PartialAck, is_first || steady)
            }
        };
        self.congestion.observe(event, acked, self.flight_octets());
        if self.unacknowledged == self.sent_end {
            self.timer = None;
        } else if restarts_timer {
            self.timer = Some(now + self.rtt.rto());
        }
        self.finish_if_done();
    }

    fn sample_round_trip(&mut self, now: Time, ack: u64) {
        if let Some(rtt) = self.rtt.on_ack(now, ack) {
            self.stats.rtt_samples += 1;
            self.events.push(SenderEvent::RttSample(rtt));
        }
    }

    fn finish_if_done(&mut self) {
        let is_done = if self.config.handshake {
            self.unacknowledged > self.data_end
        } else {
            self.unacknowledged == self.data_end
        };
        if is_done {
            self.state = State::Finished;
            self.timer = None;
            self.events.push(SenderEvent::Finished);
        }
    }

    #[inline]
    fn flight_octets(&self) -> u64 {
        self.next - self.unacknowledged
    }

    /// What limited transmit sends does not count for ssthresh.  [RFC5681 §3.2 step 2]
    fn flight_for_ssthresh(&self) -> u64 {
        self.flight_octets() - self.limited_octets
    }

    #[inline]
    fn usable_octets(&self) -> u64 {
        self.limited(self.congestion.cwnd()).min(self.peer_window)
    }

    /// `window` under the window limit [octets].
    #[inline]
    fn limited(&self, window: u64) -> u64 {
        match self.limit {
            WindowLimit::None => window,
            WindowLimit::Segments(segments) => {
                window.min(u64::from(segments.max(1)) * self.segment)
            }
            WindowLimit::DividedBy(divisor) => {
                let segments = window / self.segment / u64::from(divisor.max(1));
                segments.max(1) * self.segment
            }
        }
    }

    /// What the first and second duplicate ACK allow beyond cwnd.  [RFC3042 §2]
    #[inline]
    fn limited_transmit_octets(&self) -> u64 {
        let duplicates = self.recovery.duplicates();
        // Only new data: what comes after a time-out is old.
        if duplicates == 0 || !self.config.limited_transmit || self.next != self.sent_end {
            return 0;
        }
        u64::from(duplicates.min(DUPLICATE_THRESHOLD - 1)) * self.segment
    }

    /// The next octets in order: new data, after a time-out old data, at the end the FIN.
    fn poll_next(&mut self, now: Time) -> Option<Segment> {
        let left = self.data_end.saturating_sub(self.next);
        if left == 0 {
            let is_fin_due = self.next == self.data_end && self.unacknowledged == self.data_end;
            return is_fin_due.then(|| self.transmit(now, self.next, 0));
        }
        let flight = self.flight_octets();
        let length = left.min(self.segment);
        let usable = self.usable_octets();
        if flight + length <= usable {
            return Some(self.transmit(now, self.next, length));
        }
        let extra = self.limited_transmit_octets();
        let extended = self.limited(self.congestion.cwnd() + extra).min(self.peer_window);
        if extra > 0 && flight + length <= extended {
            self.limited_octets += length;
            return Some(self.transmit(now, self.next, length));
        }
        // A window smaller than a segment must not stop the connection, nor invite small segments.
        (flight == 0 && usable > 0).then(|| self.transmit(now, self.next, usable))
    }

    fn transmit_syn(&mut self, now: Time) -> Segment {
        self.record_sent(now, 0, FIRST_OCTET);
        Segment {
            ack: 0,
            flags: Flags::SYN,
            options: syn_options(self.config.window_scaling),
            ..header(0)
        }
    }

    /// Octets from `seq` on, or the FIN if there are none.
    fn transmit(&mut self, now: Time, seq: u64, length: u64) -> Segment {
        let header = header(seq);
        if length == 0 {
            self.record_sent(now, seq, seq + 1);
            return Segment { flags: Flags::FIN_ACK, ..header };
        }
        self.stats.segments_sent += 1;
        self.stats.bytes_sent += Bytes::new(length);
        if seq < self.sent_end {
            self.stats.retransmissions += 1;
            self.events.push(SenderEvent::Retransmission);
        }
        self.record_sent(now, seq, seq + length);
        let payload = u32::try_from(length).expect("a segment is shorter than 4 GiB");
        Segment { payload, ..header }
    }

    /// Numbers `seq..end` go out: time them if they are new, and see that the timer runs.
    /// [RFC6298 §3 and §5.1]
    #[inline]
    fn record_sent(&mut self, now: Time, seq: u64, end: u64) {
        if seq < self.sent_end {
            self.rtt.on_retransmitted();
        } else {
            self.rtt.on_sent(now, end);
        }
        self.next = self.next.max(end);
        self.sent_end = self.sent_end.max(end);
        if self.timer.is_none() {
            self.timer = Some(now + self.rtt.rto());
        }
    }
}

/// A segment without payload. The receiver sends one octet, its SYN, and no data.
fn header(seq: u64) -> Segment {
    Segment {
        seq,
        ack: FIRST_OCTET,
        window: UNSCALED_WINDOW.get(),
        payload: 0,
        flags: Flags::ACK,
        options: 0,
    }
}
