//! The receiving TCP endpoint: reassembly and acknowledgments.  [RFC9293 §3.10.7], [RFC5681 §4.2]

use airfair_units::{Bytes, Duration, Time};

use super::accurate::MarkCounters;
use super::config::{EcnFeedback, ReceiverConfig, UNSCALED_WINDOW, syn_options};
use super::reassembly::{Placement, Reassembly};
use super::receiver_rtt::ReceiverRtt;
use super::sack_list::SackList;
use super::segment::{FIRST_OCTET, Flags, SackBlocks, Segment, TIMESTAMPS_OPTION, Timestamps};
use super::stats::ReceiverStats;
use super::tuning::AutoTuning;
use crate::ecn::Ecn;

/// State of the connection at its receiver. `Established` lasts beyond the FIN, because late copies still
/// need an ACK.
///
/// ```text
///  Listen ──SYN──► SynReceived ──any ACK──► Established
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// The receiver waits for a SYN; no segment has arrived.
    Listen,
    /// A SYN has arrived, but no ACK of the SYN-ACK.
    SynReceived,
    /// The connection is established, and data is accepted.
    Established,
}

/// State of the ACK that the receiver sends next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum AckState {
    /// There is nothing new to acknowledge, so no ACK is sent.
    Idle,
    /// The ACK is delayed.  [RFC5681 §4.2]
    Held {
        /// Number of segments that the delayed ACK would acknowledge.
        segments: u32,
        /// Latest time at which the delayed ACK is sent.
        deadline: Time,
    },
    /// The ACK is due, and waits until this time for segments that arrive together.  [linux-coalescing]
    Coalescing(Time),
    /// The ACK is to be sent now.
    Due,
}

/// Receives the data of one TCP connection.
///
/// The application reads at once, so the window is always the whole buffer, unless a
/// [limit](Self::set_window_limit) is set. A lost SYN-ACK is repaired by the sender's next SYN; the receiver
/// has no retransmission timer.
#[derive(Clone, Debug)]
pub struct Receiver {
    config: ReceiverConfig,
    /// Receive window before the limit of the control scheme is applied [octets].
    window: u64,
    /// Window limit that the control scheme has set [octets].
    limit: u64,
    /// One past the highest octet that the sender was ever allowed to send.
    right_edge: u64,
    /// Mask of the low bits of a window that window scaling cuts off.
    unscaled_bits: u64,
    /// Receive buffer auto-tuning; `None` if the window is the whole buffer from the start.
    tuning: Option<AutoTuning>,
    /// Round-trip estimator of the receiver; present with auto-tuning, or once the owner has asked for
    /// estimates.
    round_trip: Option<Box<ReceiverRtt>>,
    state: State,
    arrived: Reassembly,
    /// Sequence number of the FIN; `None` until it is received.
    fin: Option<u64>,
    ack_state: AckState,
    /// Number of ACKs left that are not delayed. Every ACK sent counts, as in Linux.  [linux-quickack]
    quick_acks: u32,
    sack: SackList,
    /// `TS.Recent`: the timestamp to echo in the next ACK; 0 before the first.
    recent_timestamp: u32,
    /// `Last.ACK.sent`: acknowledgment number of the last ACK.
    last_ack_sent: u64,
    /// One past the highest octet that the receiver has received.
    highest: u64,
    /// Control bits of the next ACK: ACK, with ECN-Echo from a mark until the sender has answered it [RFC3168 §6.1.3],
    /// or with the ACE field.
    ack_flags: Flags,
    /// Number of an ACK that is sent before the next one, for the data before a change of marks; 0 for none.
    early_ack: u64,
    /// True if the SYN has asked for ECN.
    has_ecn: bool,
    /// Counters of accurate ECN, if it is in use.
    accurate: Option<Box<MarkCounters>>,
    stats: ReceiverStats,
}

impl Receiver {
    /// Creates a receiver that waits for its sender.
    pub fn new(config: ReceiverConfig) -> Self {
        assert!(!config.buffer.is_zero(), "a receive buffer without room");
        let largest = config.window().get();
        let tuning = config.tunes_window.then(|| AutoTuning::new(largest));
        let window = tuning.map_or(largest, |tuning| tuning.window());
        let accurate = MarkCounters::new(config.ecn_feedback).map(Box::new);
        Self {
            config,
            window,
            limit: u64::MAX,
            right_edge: if config.handshake { 0 } else { FIRST_OCTET + window },
            unscaled_bits: config.window_unit() - 1,
            tuning,
            round_trip: config.tunes_window.then(Box::default),
            state: if config.handshake { State::Listen } else { State::Established },
            arrived: Reassembly::new(FIRST_OCTET),
            fin: None,
            ack_state: AckState::Idle,
            quick_acks: config.quick_acks,
            sack: SackList::default(),
            recent_timestamp: 0,
            last_ack_sent: FIRST_OCTET,
            highest: FIRST_OCTET,
            ack_flags: accurate.as_ref().map_or(Flags::ACK, |it| it.flags()),
            early_ack: 0,
            has_ecn: false,
            accurate,
            stats: ReceiverStats::default(),
        }
    }

    /// Processes a segment from the sender of the connection.
    pub fn handle_segment(&mut self, now: Time, segment: &Segment) {
        self.update_recent_timestamp(segment);
        match self.state {
            State::Listen if !segment.flags.has(Flags::SYN) => {}
            State::Listen => {
                self.state = State::SynReceived;
                self.ack_state = AckState::Due;
                self.has_ecn = segment.flags.has(Flags::ECN);
            }
            // A repeated SYN means that our SYN-ACK was lost or is still on its way.
            State::SynReceived | State::Established if segment.flags.has(Flags::SYN) => {
                self.ack_state = AckState::Due;
            }
            State::SynReceived | State::Established => {
                self.state = State::Established;
                if segment.payload > 0 || segment.flags.has(Flags::FIN) {
                    self.handle_payload(now, segment);
                }
            }
        }
    }

    /// Sends a delayed ACK if its deadline has been reached. Earlier calls change nothing.
    pub fn handle_timeout(&mut self, now: Time) {
        if self.next_timeout().is_some_and(|deadline| now >= deadline) {
            self.ack_state = AckState::Due;
        }
    }

    /// Time at which the owner has to call [`handle_timeout`](Self::handle_timeout).
    #[inline]
    pub fn next_timeout(&self) -> Option<Time> {
        match self.ack_state {
            AckState::Held { deadline, .. } | AckState::Coalescing(deadline) => Some(deadline),
            AckState::Idle | AckState::Due => None,
        }
    }

    /// Returns the next ACK to send, if one is due.
    #[inline]
    pub fn poll_transmit(&mut self, now: Time) -> Option<Segment> {
        if self.ack_state != AckState::Due {
            return None;
        }
        self.stats.acks_sent += 1;
        if self.early_ack != 0 {
            return Some(self.take_early_ack(now));
        }
        self.ack_state = AckState::Idle;
        let mut ack = Segment {
            seq: FIRST_OCTET,
            ack: self.arrived.next(),
            window: self.advertise(),
            flags: self.ack_flags,
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
                // Beside timestamps, three blocks fit into the 40 octets of TCP options [RFC2018 §3].
                let room = SackBlocks::ROOM - usize::from(self.config.timestamps);
                ack.sack = self.sack.blocks(&self.arrived, room);
                ack.options += ack.sack.option();
            }
            if let Some(accurate) = &mut self.accurate {
                accurate.put(&mut ack);
            }
            return Some(ack);
        }
        Some(self.syn_ack(ack))
    }

    /// Makes the SYN-ACK of the connection out of an ACK.
    #[cold]
    fn syn_ack(&mut self, ack: Segment) -> Segment {
        let ReceiverConfig { window_scaling, sack, timestamps, .. } = self.config;
        // The window of a SYN is never scaled [RFC7323 §2.2].
        let window = self.config.buffer.min(UNSCALED_WINDOW).get();
        self.right_edge = ack.ack + window;
        let mut syn_ack = Segment {
            seq: 0,
            window,
            flags: if self.has_ecn { Flags::SYN_ACK.and(Flags::ECE) } else { Flags::SYN_ACK },
            options: syn_options(window_scaling, sack, timestamps),
            ..ack
        };
        if let Some(accurate) = &self.accurate {
            accurate.put_first(&mut syn_ack);
        }
        syn_ack
    }

    /// Limits the window in addition to the buffer, from the next ACK on; a limit counts as one octet at
    /// least. The right edge of the window never moves back, so a smaller limit takes effect when enough data
    /// has arrived. [RFC9293 §3.8.6.2.1]
    pub fn set_window_limit(&mut self, limit: Option<Bytes>) {
        self.limit = limit.map_or(u64::MAX, |limit| limit.get().max(1));
    }

    /// Size of the receive buffer.
    pub fn buffer(&self) -> Bytes {
        self.config.buffer
    }

    /// Starts the estimation of round trips, which [`round_trip`](Self::round_trip) returns.
    pub fn estimate_round_trip(&mut self) {
        self.round_trip.get_or_insert_default();
    }

    /// Round-trip time as the receiver estimates it; `None` without a sample, or if the estimation was not
    /// started. [linux-rcv-rtt]
    pub fn round_trip(&self) -> Option<Duration> {
        self.round_trip.as_ref()?.get()
    }

    /// Smallest round-trip time sampled by the receiver; `None` as for [`round_trip`](Self::round_trip).
    pub fn least_round_trip(&self) -> Option<Duration> {
        self.round_trip.as_ref()?.least()
    }

    /// Window of the next ACK. The right edge moves to the limit but never back; the window is rounded up to
    /// what the header can express, because rounding down would move the edge back.  [RFC7323 §2.4]
    #[inline]
    fn advertise(&mut self) -> u64 {
        let next = self.arrived.next();
        let wanted = next + self.window.min(self.limit);
        let window =
            (self.right_edge.max(wanted) - next + self.unscaled_bits) & !self.unscaled_bits;
        self.right_edge = next + window;
        window
    }

    /// Application data delivered in order since the start [octets].
    #[inline]
    pub fn delivered(&self) -> Bytes {
        let next = self.arrived.next();
        Bytes::new(self.fin.map_or(next, |fin| next.min(fin)) - FIRST_OCTET)
    }

    /// True once all data of the connection and the FIN have arrived.
    pub fn is_finished(&self) -> bool {
        self.fin.is_some_and(|fin| self.arrived.next() > fin)
    }

    /// Counters of the receiver since its creation.
    pub fn stats(&self) -> &ReceiverStats {
        &self.stats
    }

    /// Updates `TS.Recent` from a segment that begins at or below the last acknowledgment sent. A delayed ACK
    /// thus echoes the first segment that it acknowledges, and an ACK at a gap the last segment before the
    /// gap. [RFC7323 §4.3]
    fn update_recent_timestamp(&mut self, segment: &Segment) {
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
            self.ack_state = AckState::Due;
            return;
        }
        if segment.flags.has(Flags::FIN) {
            self.fin = Some(segment.payload_end());
        }
        let next = self.arrived.next();
        let is_below = segment.seq < next;
        if is_below {
            self.sack.on_duplicate(segment.seq, end.min(next));
        }
        if segment.flags.ecn().is_capable() && end > next {
            self.note_codepoint(segment, next);
        }
        let placement = self.arrived.insert(segment.seq, end);
        if let Some(round_trip) = &mut self.round_trip {
            round_trip.on_data(now, segment, self.arrived.next(), self.right_edge);
        }
        let is_growing = self.tune(now, segment);
        if self.tuning.is_some() && end <= next {
            // The sender repeats data, so an ACK was lost or late and the sender is waiting.
            // [linux-quickack]
            self.quick_acks = self.config.quick_acks;
        }
        let is_urgent = segment.flags.has(Flags::FIN) || is_growing;
        match placement {
            Placement::InOrder { is_filling: false } if !is_urgent => {
                self.ack_state = self.after_one_in_order(now, segment.flags.has(Flags::PSH));
                return;
            }
            Placement::InOrder { .. } => {}
            Placement::OutOfOrder => {
                self.stats.out_of_order += has_payload;
                self.sack.on_beyond(segment.seq);
            }
            Placement::Duplicate => {
                self.stats.duplicates += has_payload;
                if !is_below {
                    self.sack.on_duplicate(segment.seq, end);
                    self.sack.on_beyond(segment.seq);
                }
            }
        }
        // For data out of order, a duplicate, or data that fills a gap, the ACK must be sent at once
        // [RFC5681 §4.2].
        self.ack_state = AckState::Due;
    }

    /// Processes the ECN field of a segment with new data: marks are echoed until CWR arrives.  [RFC3168 §6.1.3]
    #[cold]
    #[inline(never)]
    fn note_codepoint(&mut self, segment: &Segment, next: u64) {
        let is_marked = segment.flags.ecn() == Ecn::CE;
        self.stats.marked += u64::from(is_marked);
        if let Some(accurate) = &mut self.accurate {
            if accurate.note(segment) {
                self.ack_state = AckState::Due;
            }
            self.ack_flags = accurate.flags();
        } else if self.config.ecn_feedback == EcnFeedback::Exact {
            if is_marked != self.ack_flags.has(Flags::ECE) {
                self.change_echo(is_marked, next);
            }
        } else if is_marked {
            self.ack_flags = Flags::ACK.and(Flags::ECE);
        } else if segment.flags.has(Flags::CWR) {
            self.ack_flags = Flags::ACK;
        }
    }

    /// Changes the echo at once: a delayed ACK up to `next` is sent with the former echo, and the segment of the change is
    /// acknowledged with the new one.  [RFC8257 §3.2]
    fn change_echo(&mut self, is_marked: bool, next: u64) {
        if matches!(self.ack_state, AckState::Held { .. } | AckState::Coalescing(_)) {
            self.early_ack = next;
        }
        self.ack_state = AckState::Due;
        self.ack_flags = if is_marked { Flags::ACK.and(Flags::ECE) } else { Flags::ACK };
    }

    /// ACK of the data before a change of marks. Such data was in order, so there are no SACK blocks.
    #[cold]
    fn take_early_ack(&mut self, now: Time) -> Segment {
        let ack = std::mem::take(&mut self.early_ack);
        let was_marked = !self.ack_flags.has(Flags::ECE);
        let has = self.config.timestamps;
        let (value, echo) = (Timestamps::clock(now), self.recent_timestamp);
        Segment {
            seq: FIRST_OCTET,
            ack,
            window: (self.right_edge - ack + self.unscaled_bits) & !self.unscaled_bits,
            flags: if was_marked { Flags::ACK.and(Flags::ECE) } else { Flags::ACK },
            options: if has { TIMESTAMPS_OPTION } else { 0 },
            timestamps: has.then_some(Timestamps { value, echo }),
            ..Segment::EMPTY
        }
    }

    /// Lets the auto-tuned window grow with a data segment. Returns true if it has grown.
    fn tune(&mut self, now: Time, segment: &Segment) -> bool {
        let Some(tuning) = &mut self.tuning else { return false };
        let is_growing = tuning.grow(segment.payload.into());
        self.window = tuning.window();
        let ends = (self.arrived.next() - FIRST_OCTET, self.highest - FIRST_OCTET);
        let round_trip = self.round_trip.as_ref().and_then(|it| it.get());
        tuning.on_read(now, ends, round_trip);
        is_growing
    }

    /// State of the ACK after a segment in order, which does not have to be acknowledged at once. A segment with PSH
    /// need not wait for a second one [linux-push].
    fn after_one_in_order(&self, now: Time, is_pushed: bool) -> AckState {
        let Some(delayed) = self.config.delayed_ack else {
            return AckState::Due;
        };
        if self.quick_acks > 0 {
            return AckState::Due;
        }
        let (held, deadline) = match self.ack_state {
            AckState::Due | AckState::Coalescing(_) => return self.ack_state,
            AckState::Held { segments, deadline } => (segments, deadline),
            AckState::Idle => (0, now + delayed.timeout),
        };
        let segments = held + 1;
        if !is_pushed && segments < delayed.segments {
            return AckState::Held { segments, deadline };
        }
        delayed.coalescing.map_or(AckState::Due, |wait| AckState::Coalescing(now + wait))
    }
}
