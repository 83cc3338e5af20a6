//! The receiving endpoint: reassembly and acknowledgments.  [RFC9293 §3.10.7], [RFC5681 §4.2]

use airfair_units::{Bytes, Duration, Time};

use super::config::{ReceiverConfig, UNSCALED_WINDOW, syn_options};
use super::reassembly::{Placement, Reassembly};
use super::receiver_rtt::ReceiverRtt;
use super::sack_list::SackList;
use super::segment::{FIRST_OCTET, Flags, SackBlocks, Segment, TIMESTAMPS_OPTION, Timestamps};
use super::stats::ReceiverStats;
use super::tuning::Tuning;

/// State of the connection. After the FIN it stays established: late copies still want an ACK.
///
/// ```text
///  Listen ──SYN──► SynReceived ──any ACK──► Established
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// Nothing has come.
    Listen,
    /// A SYN has come, and nothing that answers ours.
    SynReceived,
    /// Data is welcome.
    Established,
}

/// The next ACK.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Acknowledgment {
    /// Nothing new to acknowledge.
    Idle,
    /// Held back.  [RFC5681 §4.2]
    Held {
        /// Segments it would acknowledge.
        segments: u32,
        /// Time at which it goes out at the latest.
        deadline: Time,
    },
    /// To be sent now.
    Due,
}

/// Receives the data of one connection.
///
/// The application reads at once, so the window is always the whole buffer, unless a
/// [limit](Self::set_window_limit) is set. A lost SYN-ACK is repaired by the sender's next SYN; the receiver
/// has no retransmission timer.
#[derive(Debug)]
pub struct Receiver {
    config: ReceiverConfig,
    /// Window in every ACK without a limit [octets].
    window: u64,
    /// Window that a control law wants [octets].
    limit: u64,
    /// One past the highest octet that the sender has been allowed.
    right_edge: u64,
    /// Low bits that the header cannot say of a window.
    unsaid: u64,
    /// Rule by which the window grows; `None` if it is the whole buffer from the start.
    tuning: Option<Tuning>,
    /// If somebody wants to know.
    round_trip: Option<Box<ReceiverRtt>>,
    state: State,
    arrived: Reassembly,
    /// Number of the FIN, once seen.
    fin: Option<u64>,
    acknowledgment: Acknowledgment,
    /// ACKs left of those that are not delayed. All that are sent count, as in Linux.  [linux-quickack]
    quick_acks: u32,
    sack: SackList,
    /// The timestamp to echo: `TS.Recent`; 0 before the first.
    recent_timestamp: u32,
    /// `Last.ACK.sent`.
    last_ack_sent: u64,
    /// One past the highest octet that has come.
    highest: u64,
    stats: ReceiverStats,
}

impl Receiver {
    /// A receiver that waits for its sender.
    pub fn new(config: ReceiverConfig) -> Self {
        assert!(!config.buffer.is_zero(), "a receive buffer without room");
        let largest = config.window().get();
        let tuning = config.tunes_window.then(|| Tuning::new(largest));
        let window = tuning.map_or(largest, |tuning| tuning.window());
        Self {
            config,
            window,
            limit: u64::MAX,
            right_edge: if config.handshake { 0 } else { FIRST_OCTET + window },
            unsaid: config.window_unit() - 1,
            tuning,
            round_trip: config.tunes_window.then(Box::default),
            state: if config.handshake { State::Listen } else { State::Established },
            arrived: Reassembly::new(FIRST_OCTET),
            fin: None,
            acknowledgment: Acknowledgment::Idle,
            quick_acks: config.quick_acks,
            sack: SackList::default(),
            recent_timestamp: 0,
            last_ack_sent: FIRST_OCTET,
            highest: FIRST_OCTET,
            stats: ReceiverStats::default(),
        }
    }

    /// A segment has arrived.
    pub fn handle_segment(&mut self, now: Time, segment: &Segment) {
        self.take_timestamp(segment);
        match self.state {
            State::Listen if !segment.flags.has(Flags::SYN) => {}
            State::Listen => {
                self.state = State::SynReceived;
                self.acknowledgment = Acknowledgment::Due;
            }
            // A repeated SYN means that our answer was lost, or is still on its way.
            State::SynReceived | State::Established if segment.flags.has(Flags::SYN) => {
                self.acknowledgment = Acknowledgment::Due;
            }
            State::SynReceived | State::Established => {
                self.state = State::Established;
                if segment.payload > 0 || segment.flags.has(Flags::FIN) {
                    self.handle_payload(now, segment);
                }
            }
        }
    }

    /// A held ACK may be due. Calls at other times change nothing.
    pub fn handle_timeout(&mut self, now: Time) {
        if self.next_timeout().is_some_and(|deadline| now >= deadline) {
            self.acknowledgment = Acknowledgment::Due;
        }
    }

    /// Time at which [`handle_timeout`](Self::handle_timeout) wants to be called.
    #[inline]
    pub fn next_timeout(&self) -> Option<Time> {
        match self.acknowledgment {
            Acknowledgment::Held { deadline, .. } => Some(deadline),
            Acknowledgment::Idle | Acknowledgment::Due => None,
        }
    }

    /// The next segment to send.
    #[inline]
    pub fn poll_transmit(&mut self, now: Time) -> Option<Segment> {
        if self.acknowledgment != Acknowledgment::Due {
            return None;
        }
        self.acknowledgment = Acknowledgment::Idle;
        self.stats.acks_sent += 1;
        let mut ack = Segment {
            seq: FIRST_OCTET,
            ack: self.arrived.next(),
            window: self.advertise(),
            flags: Flags::ACK,
            ..Segment::EMPTY
        };
        self.last_ack_sent = ack.ack;
        if self.config.timestamps {
            let value = Timestamps::clock(now);
            ack.timestamps = Some(Timestamps { value, echo: self.recent_timestamp });
            ack.options = TIMESTAMPS_OPTION;
        }
        if self.state != State::SynReceived {
            self.quick_acks = self.quick_acks.saturating_sub(1);
            if self.config.sack {
                // Beside timestamps, three blocks fit into the 40 octets of a header [RFC2018 §3].
                let room = SackBlocks::ROOM - usize::from(self.config.timestamps);
                ack.sack = self.sack.blocks(&self.arrived, room);
                ack.options += ack.sack.option();
            }
            return Some(ack);
        }
        let ReceiverConfig { window_scaling, sack, timestamps, .. } = self.config;
        // The window of a SYN is never scaled [RFC7323 §2.2].
        let window = self.config.buffer.min(UNSCALED_WINDOW).get();
        self.right_edge = ack.ack + window;
        Some(Segment {
            seq: 0,
            window,
            flags: Flags::SYN_ACK,
            options: syn_options(window_scaling, sack, timestamps),
            ..ack
        })
    }

    /// Limits the window beside the buffer: from the next ACK on, at least one octet. What the sender has
    /// been allowed before stays allowed: a smaller limit only lets the right edge wait until enough has
    /// arrived.  [RFC9293 §3.8.6.2.1]
    pub fn set_window_limit(&mut self, limit: Option<Bytes>) {
        self.limit = limit.map_or(u64::MAX, |limit| limit.get().max(1));
    }

    /// The receive buffer.
    pub fn buffer(&self) -> Bytes {
        self.config.buffer
    }

    /// From now on [`round_trip`](Self::round_trip) is estimated.
    pub fn estimate_round_trip(&mut self) {
        self.round_trip.get_or_insert_default();
    }

    /// A round trip as this end can estimate it, once it can, if it was asked to.  [linux-rcv-rtt]
    pub fn round_trip(&self) -> Option<Duration> {
        self.round_trip.as_ref()?.get()
    }

    /// The least round trip that this end has seen, likewise.
    pub fn least_round_trip(&self) -> Option<Duration> {
        self.round_trip.as_ref()?.least()
    }

    /// The window of an ACK: the right edge goes to where the limit wants it, and never back. Rounded up to
    /// what the header can say, lest rounding takes it back.  [RFC7323 §2.4]
    #[inline]
    fn advertise(&mut self) -> u64 {
        let next = self.arrived.next();
        let wanted = next + self.window.min(self.limit);
        let window = (self.right_edge.max(wanted) - next + self.unsaid) & !self.unsaid;
        self.right_edge = next + window;
        window
    }

    /// Application data delivered in order since the start [octets].
    #[inline]
    pub fn delivered(&self) -> Bytes {
        let next = self.arrived.next();
        Bytes::new(self.fin.map_or(next, |fin| next.min(fin)) - FIRST_OCTET)
    }

    /// True once all data and the FIN have arrived.
    pub fn is_finished(&self) -> bool {
        self.fin.is_some_and(|fin| self.arrived.next() > fin)
    }

    /// Totals so far.
    pub fn stats(&self) -> &ReceiverStats {
        &self.stats
    }

    /// The timestamp to echo is that of the last segment that reached the left edge of what was acknowledged
    /// last: a held ACK thus echoes the first segment that it acknowledges, and a hole the last one before
    /// it.  [RFC7323 §4.3]
    fn take_timestamp(&mut self, segment: &Segment) {
        let Some(Timestamps { value, .. }) = segment.timestamps else { return };
        let is_newer = value.get().wrapping_sub(self.recent_timestamp).cast_signed() >= 0;
        if segment.seq <= self.last_ack_sent && (is_newer || self.recent_timestamp == 0) {
            self.recent_timestamp = value.get();
        }
    }

    fn handle_payload(&mut self, now: Time, segment: &Segment) {
        let has_payload = u64::from(segment.payload > 0);
        let end = segment.payload_end() + u64::from(segment.flags.has(Flags::FIN));
        self.stats.segments_received += has_payload;
        self.stats.below_highest += u64::from(segment.seq < self.highest) * has_payload;
        self.highest = self.highest.max(end);
        if end > self.arrived.next() + self.config.buffer.get() {
            self.stats.beyond_window += 1;
            self.acknowledgment = Acknowledgment::Due;
            return;
        }
        if segment.flags.has(Flags::FIN) {
            self.fin = Some(segment.payload_end());
        }
        let next = self.arrived.next();
        if segment.seq < next {
            self.sack.on_duplicate(segment.seq, end.min(next));
        }
        let placement = self.arrived.insert(segment.seq, end);
        if let Some(round_trip) = &mut self.round_trip {
            round_trip.on_data(now, segment, self.arrived.next(), self.right_edge);
        }
        let is_growing = self.tune(now, segment);
        if self.tuning.is_some() && end <= next {
            // Its ACK was lost, or is late: the sender waits.  [linux-quickack]
            self.quick_acks = self.config.quick_acks;
        }
        let is_last = segment.flags.has(Flags::FIN) || segment.flags.has(Flags::PSH);
        match placement {
            Placement::InOrder { is_filling: false } if !is_last && !is_growing => {
                self.acknowledgment = self.after_one_in_order(now);
                return;
            }
            Placement::InOrder { .. } => {}
            Placement::OutOfOrder => {
                self.stats.out_of_order += has_payload;
                self.sack.on_beyond(segment.seq);
            }
            Placement::Duplicate => {
                self.stats.duplicates += has_payload;
                if segment.seq >= next {
                    self.sack.on_duplicate(segment.seq, end);
                    self.sack.on_beyond(segment.seq);
                }
            }
        }
        // Out of order, a duplicate, or filling a gap: the sender must know at once [RFC5681 §4.2].
        self.acknowledgment = Acknowledgment::Due;
    }

    /// Lets the window grow, if it does; true if it has.
    fn tune(&mut self, now: Time, segment: &Segment) -> bool {
        let Some(tuning) = &mut self.tuning else { return false };
        let is_growing = tuning.grow(segment.payload.into());
        self.window = tuning.window();
        let ends = (self.arrived.next() - FIRST_OCTET, self.highest - FIRST_OCTET);
        let round_trip = self.round_trip.as_ref().and_then(|it| it.get());
        tuning.on_read(now, ends, round_trip);
        is_growing
    }

    fn after_one_in_order(&self, now: Time) -> Acknowledgment {
        let Some(delayed) = self.config.delayed_ack else {
            return Acknowledgment::Due;
        };
        if self.quick_acks > 0 {
            return Acknowledgment::Due;
        }
        let (held, deadline) = match self.acknowledgment {
            Acknowledgment::Due => return Acknowledgment::Due,
            Acknowledgment::Held { segments, deadline } => (segments, deadline),
            Acknowledgment::Idle => (0, now + delayed.timeout),
        };
        let segments = held + 1;
        if segments >= delayed.segments {
            return Acknowledgment::Due;
        }
        Acknowledgment::Held { segments, deadline }
    }
}
