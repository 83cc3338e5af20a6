//! Output of a TCP sender: selection and timing of the segments to send.

use airfair_laws::newreno::DUPLICATE_THRESHOLD;
use airfair_units::{Bytes, Time};

use super::{Sender, State};
use crate::control::SenderEvent;
use crate::tcp::config::{UNSCALED_WINDOW, syn_options};
use crate::tcp::ranges::Range;
use crate::tcp::segment::{FIRST_OCTET, Flags, SackBlocks, Segment, TIMESTAMPS_OPTION, Timestamps};

impl Sender {
    /// Returns the next segment to send, if one may be sent now.
    pub fn poll_transmit(&mut self, now: Time) -> Option<Segment> {
        self.poll_transmit_as(now, |segment| segment)
    }

    /// As [`poll_transmit`](Self::poll_transmit), but returns the segment as `make` converts it. Converting
    /// it in place avoids a copy of octets that were just written, which would stall the processor.
    #[inline]
    pub fn poll_transmit_as<T>(&mut self, now: Time, make: impl FnOnce(Segment) -> T) -> Option<T> {
        if self.writer.is_some() {
            self.take_written(now);
        }
        if self.refusals.is_waiting || self.waits_for_departures(now) {
            if let Some(pacer) = &mut self.pacer {
                pacer.stop_waiting();
            }
            return None;
        }
        if self.pacer.is_some() && self.waits_for_pacing(now) {
            return None;
        }
        self.note_before_transmit();
        let has_board = self.scoreboard.is_some() || self.rack_tlp.is_some();
        let is_plain =
            !(self.is_ack_due || self.is_retransmission_due || has_board || self.ecn.is_some());
        if self.state == State::Open && is_plain {
            let left = self.available.saturating_sub(self.next);
            let length = self.next_length(self.flight_octets(), left)?;
            let segment = self.transmit(now, self.next, length);
            self.note_queued(segment.size());
            self.note_paced(now, segment.payload);
            return Some(make(segment));
        }
        let mut segment = self.poll_otherwise(now)?;
        if self.ecn.is_some() {
            self.set_codepoint(&mut segment);
        }
        self.note_queued(segment.size());
        self.note_paced(now, segment.payload);
        Some(make(segment))
    }

    /// Returns the next segment in every state and mode of the sender: the SYN, a due ACK, a due
    /// retransmission, data by SACK or RACK, or data in order.
    #[inline(never)]
    fn poll_otherwise(&mut self, now: Time) -> Option<Segment> {
        match self.state {
            State::Closed | State::Finished => None,
            State::SynSent => (self.next == 0).then(|| self.transmit_syn(now)),
            State::Open if self.is_ack_due => {
                self.is_ack_due = false;
                Some(self.header(now, self.next))
            }
            State::Open if self.is_retransmission_due => {
                self.is_retransmission_due = false;
                Some(self.retransmit_first(now))
            }
            State::Open if self.scoreboard.is_some() => self.poll_selective(now),
            State::Open if self.rack_tlp.is_some() => self.poll_rack_tlp(now),
            State::Open => {
                self.poll_next(now, self.flight_octets(), self.available.saturating_sub(self.next))
            }
        }
    }

    /// Retransmits the first unacknowledged segment, whatever the window.
    fn retransmit_first(&mut self, now: Time) -> Segment {
        let sent_end = self.sent_end.min(self.data_end);
        let start = self.unacknowledged;
        let mut end = sent_end.min(start + self.segment);
        if let Some(scoreboard) = &mut self.scoreboard
            && self.recovery.is_fast()
        {
            end = scoreboard.gap(start, end).map_or(end, |gap| gap.end);
            scoreboard.on_retransmitted(end, true);
            scoreboard.on_sent(end - start);
        }
        self.transmit(now, start, end - start)
    }

    /// Number of octets that the first and second duplicate ACK allow beyond cwnd.  [RFC3042 §2]
    #[inline]
    fn limited_transmit_octets(&self) -> u64 {
        let duplicates = self.recovery.duplicates();
        // Limited transmit is for new data, and what follows a time-out is old. A scoreboard counts by itself
        // what has left the network.
        if duplicates == 0
            || !self.config.limited_transmit
            || self.next != self.sent_end
            || self.scoreboard.is_some()
        {
            return 0;
        }
        u64::from(duplicates.min(DUPLICATE_THRESHOLD - 1)) * self.segment
    }

    /// Next segment of a sender with a SACK scoreboard, where the octets in the network count against the
    /// window.
    fn poll_selective(&mut self, now: Time) -> Option<Segment> {
        if self.recovery.is_fast() {
            return self.poll_recovery(now);
        }
        let scoreboard = self.scoreboard.as_ref()?;
        let mut left = self.available.saturating_sub(self.next);
        if self.next < self.sent_end {
            // After a time-out, data that has arrived meanwhile is skipped  [RFC6675 §5.1].
            if let Some(Range { start, end }) = scoreboard.gap(self.next, self.sent_end) {
                self.next = start;
                left = left.min(end - start);
            } else {
                self.next = self.sent_end;
                left = self.available.saturating_sub(self.next);
            }
        }
        let has_duplicates = self.recovery.duplicates() > 0 && self.next == self.sent_end;
        if has_duplicates && !self.config.limited_transmit {
            return self.poll_next(now, self.flight_octets(), left);
        }
        let before = self.next;
        let sent = self.poll_next(now, scoreboard.outstanding(self.next), left);
        if has_duplicates {
            // Octets sent because of a duplicate [RFC6675 §5 step 3] do not count for ssthresh.
            self.limited_octets += self.next - before;
        }
        sent
    }

    /// Next segment in recovery with a scoreboard: lost data, new data, data that may be lost, then the
    /// rescue retransmission.  `NextSeg` [RFC6675 §4, §5 step C]
    fn poll_recovery(&mut self, now: Time) -> Option<Segment> {
        let cwnd = self.congestion.cwnd();
        let scoreboard = self.scoreboard.as_ref()?;
        let room = self.limited(scoreboard.window(cwnd)).checked_sub(scoreboard.pipe())?;
        if let Some(lost) = scoreboard.next_lost() {
            return self.retransmit(now, lost, room);
        }
        let length = self.available.saturating_sub(self.next).min(self.segment);
        if length > 0 && self.flight_octets() + length <= self.peer_window {
            if length > room {
                return None;
            }
            self.scoreboard.as_mut()?.on_sent(length);
            return Some(self.transmit(now, self.next, length));
        }
        if let Some(unsacked) = scoreboard.next_unsacked() {
            return self.retransmit(now, unsacked, room);
        }
        if room < self.segment {
            return None;
        }
        let (sent_end, point) = (self.sent_end, self.recovery.recovery_point());
        let scoreboard = self.scoreboard.as_mut()?;
        let Range { start, end } = scoreboard.rescue(sent_end, point)?;
        scoreboard.on_sent(end - start);
        Some(self.transmit(now, start, end - start))
    }

    /// Retransmits the octets of `gap` if the window has `room` for them; `None` if it has not.
    fn retransmit(&mut self, now: Time, gap: Range, room: u64) -> Option<Segment> {
        let length = gap.end - gap.start;
        if length > room {
            return None;
        }
        let scoreboard = self.scoreboard.as_mut()?;
        scoreboard.on_retransmitted(gap.end, false);
        scoreboard.on_sent(length);
        Some(self.transmit(now, gap.start, length))
    }

    /// Sends the next segment in order, if the window allows. `left` octets of data remain, of which
    /// the segment takes a full payload at most.
    pub(super) fn poll_next(&mut self, now: Time, outstanding: u64, left: u64) -> Option<Segment> {
        let length = self.next_length(outstanding, left)?;
        Some(self.transmit(now, self.next, length))
    }

    /// Length of the next segment if it may be sent: new data, old data after a time-out, or 0 for the FIN at
    /// the end.
    #[inline]
    fn next_length(&mut self, outstanding: u64, left: u64) -> Option<u64> {
        if left == 0 {
            let is_fin_due = self.next == self.data_end && self.unacknowledged == self.data_end;
            return is_fin_due.then_some(0);
        }
        let length = left.min(self.segment);
        let (window, peer) = (self.limited(self.congestion.cwnd()), self.peer_window);
        // Data that has arrived out of order also occupies the receiver's buffer.
        let is_in_peer_window = self.flight_octets() + length <= peer;
        if outstanding + length <= window && is_in_peer_window {
            return Some(length);
        }
        let extra = self.limited_transmit_octets();
        let extended = self.limited(self.congestion.cwnd() + extra);
        if extra > 0 && outstanding + length <= extended && is_in_peer_window {
            self.limited_octets += length;
            return Some(length);
        }
        // A window smaller than a segment must neither stop the connection nor produce small segments.
        let usable = window.min(peer).min(length);
        (self.flight_octets() == 0 && usable > 0).then_some(usable)
    }

    fn transmit_syn(&mut self, now: Time) -> Segment {
        self.record_sent(now, 0, FIRST_OCTET);
        let (window_scaling, timestamps) = (self.config.window_scaling, self.config.timestamps);
        Segment {
            ack: 0,
            flags: Flags::SYN,
            options: syn_options(window_scaling, self.config.uses_sack(), timestamps),
            ..self.header(now, 0)
        }
    }

    /// Sends `length` octets from `seq` on, or the FIN if `length` is 0.
    #[expect(clippy::inline_always, reason = "the segment is written once, where it is sent from")]
    #[inline(always)]
    pub(super) fn transmit(&mut self, now: Time, seq: u64, length: u64) -> Segment {
        let header = self.header(now, seq);
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
        if seq + length == self.available && self.writer.is_some() {
            return Segment { payload, flags: Flags::ACK.and(Flags::PSH), ..header };
        }
        Segment { payload, ..header }
    }

    /// Records the transmission of `seq..end`: measures the round trip of new data, and starts the timer if
    /// it does not run.  [RFC6298 §3 and §5.1]
    #[inline]
    fn record_sent(&mut self, now: Time, seq: u64, end: u64) {
        // A timer that runs with nothing outstanding was set for the local retry that happens now.
        let is_timer_free = self.timer.is_none() || self.is_nothing_outstanding();
        if seq < self.sent_end {
            self.rtt.on_retransmitted();
        } else {
            self.rtt.on_sent(now, end);
        }
        self.next = self.next.max(end);
        self.sent_end = self.sent_end.max(end);
        if is_timer_free {
            self.timer = Some(now + self.rtt.rto());
        }
        if self.rack_tlp.is_some() {
            self.note_sent_rack_tlp(now, seq, end);
        }
    }

    /// A segment without payload. It acknowledges the receiver's SYN, the only octet that the receiver sends.
    #[inline]
    fn header(&self, now: Time, seq: u64) -> Segment {
        let echo = self.peer_timestamp;
        let has = self.config.timestamps;
        Segment {
            seq,
            ack: FIRST_OCTET,
            window: UNSCALED_WINDOW.get(),
            payload: 0,
            flags: Flags::ACK,
            options: if has { TIMESTAMPS_OPTION } else { 0 },
            sack: SackBlocks::NONE,
            timestamps: has.then(|| Timestamps { value: Timestamps::clock(now), echo }),
        }
    }
}
