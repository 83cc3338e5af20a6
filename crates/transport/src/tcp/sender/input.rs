//! Input of a TCP sender: ACKs and time-outs.

use airfair_laws::newreno::{Event, Observation};
use airfair_laws::window::Path;
use airfair_units::{Bytes, Duration, Time};

use super::{SYN_TIMEOUTS_TOLERATED, Sender, State};
use crate::control::SenderEvent;
use crate::tcp::config::RecoveryTimer;
use crate::tcp::flavour::Flavour;
use crate::tcp::recovery::{Duplicate, NewAck};
use crate::tcp::sack::SackUpdate;
use crate::tcp::segment::{FIRST_OCTET, Flags, Segment};

impl Sender {
    /// Processes a segment from the receiver.
    pub fn handle_segment(&mut self, now: Time, segment: &Segment) {
        self.refusals.is_waiting = false;
        match self.state {
            State::SynSent => self.handle_syn_ack(now, segment),
            // The SYN-ACK was repeated, so our ACK of it was lost.
            State::Open if segment.flags.has(Flags::SYN) => self.is_ack_due = true,
            State::Open if segment.flags.has(Flags::ACK) => self.handle_ack(now, segment),
            State::Closed | State::Open | State::Finished => {}
        }
    }

    /// Processes an expiry of the sender's timer. Calls before the deadline change nothing.
    ///
    /// After a retransmission time-out everything outstanding counts as lost, and sending resumes at the
    /// first unacknowledged octet; with RACK each segment is judged by its time. [RFC6298 §5.4 to §5.6],
    /// [RFC5681 §3.1], [RFC6582 §3.2 step 4], [RFC8985 §6.3]
    pub fn handle_timeout(&mut self, now: Time) {
        if self.timer.is_none_or(|deadline| now < deadline) {
            return;
        }
        self.refusals.is_waiting = false;
        if self.state == State::Open && self.is_nothing_outstanding() {
            // The timer was set for a local retry: a refusal by the sender's own host is no sign about the
            // network.
            self.timer = None;
            return;
        }
        if self.state == State::Open && self.rack_tlp.is_some() {
            self.handle_timeout_rack_tlp(now);
            return;
        }
        self.stats.timeouts += 1;
        self.events.push(SenderEvent::Timeout);
        if self.state == State::Open {
            let is_repeated = self.timeouts_in_a_row > 0;
            let flight = self.flight_for_ssthresh();
            let is_in_recovery = self.recovery.is_repairing(self.unacknowledged);
            let event = Event::Timeout { is_repeated, is_in_recovery };
            self.show_loss(now, None, observation(event, 0, flight));
            self.recovery.on_timeout(self.sent_end);
            self.owe_cwr();
            if let Some(scoreboard) = &mut self.scoreboard {
                scoreboard.on_timeout();
            }
        }
        self.timeouts_in_a_row += 1;
        self.limited_octets = 0;
        self.next = self.unacknowledged;
        self.rtt.back_off();
        self.timer = Some(now + self.rtt.rto());
    }

    /// Processes the answer to the SYN.  [RFC9293 §3.10.7.3]
    fn handle_syn_ack(&mut self, now: Time, segment: &Segment) {
        if segment.flags.without(Flags::ACE) != Flags::SYN_ACK || segment.ack != self.sent_end {
            return;
        }
        self.peer_window = segment.window;
        self.sample_round_trip(now, segment);
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

    pub(super) fn establish(&mut self) {
        self.unacknowledged = FIRST_OCTET;
        self.next = FIRST_OCTET;
        if let Some(scoreboard) = &mut self.scoreboard {
            scoreboard.on_ack(FIRST_OCTET, FIRST_OCTET, &Segment::EMPTY);
        }
        self.state = State::Open;
        self.events.push(SenderEvent::Established);
        self.finish_if_done();
    }

    fn handle_ack(&mut self, now: Time, segment: &Segment) {
        let is_same_window = segment.window == self.peer_window;
        if segment.ack < self.unacknowledged || segment.ack > self.sent_end {
            return;
        }
        if self.ecn.is_some() {
            self.handle_marks(now, segment);
        }
        if self.rack_tlp.is_some() {
            self.handle_ack_rack_tlp(now, segment);
            return;
        }
        self.peer_window = segment.window;
        let update = self.read_blocks(segment);
        if segment.ack > self.unacknowledged {
            self.handle_new_ack(now, segment, update);
            return;
        }
        if let Some(update) = update {
            // [RFC6675 §2]: a duplicate is an ACK whose blocks report new octets.
            if update.sacked > 0 {
                self.handle_sack_duplicate(now, update);
            }
            return;
        }
        // [RFC5681 §2]: a duplicate has outstanding data, no payload, neither SYN nor FIN, the same ACK
        // number and the same window.
        let is_outstanding = self.sent_end > self.unacknowledged;
        if is_outstanding
            && segment.payload == 0
            && !segment.flags.has(Flags::FIN)
            && is_same_window
        {
            self.handle_duplicate_ack(now);
        }
    }

    /// Updates the SACK scoreboard with the SACK blocks of an ACK; `None` without a scoreboard.
    #[inline]
    fn read_blocks(&mut self, segment: &Segment) -> Option<SackUpdate> {
        let update = self.scoreboard.as_mut()?.on_ack(segment.ack, self.sent_end, segment);
        self.stats.duplicate_sacks += u64::from(update.is_duplicate_reported);
        Some(update)
    }

    fn handle_duplicate_ack(&mut self, now: Time) {
        self.stats.duplicate_acks += 1;
        let (event, flight) = match self.recovery.on_duplicate(self.unacknowledged, self.sent_end) {
            Duplicate::Counted => (Event::Duplicate, self.flight_octets()),
            Duplicate::InRecovery => (Event::FurtherDuplicate, self.flight_octets()),
            Duplicate::Loss => {
                self.note_fast_retransmit();
                let flight = self.flight_for_ssthresh();
                self.show_loss(now, None, observation(Event::ThirdDuplicate, 0, flight));
                return;
            }
        };
        self.observe(now, event, 0, flight);
    }

    /// Processes a duplicate ACK at a sender with a SACK scoreboard.  [RFC6675 §5]
    fn handle_sack_duplicate(&mut self, now: Time, update: SackUpdate) {
        self.stats.duplicate_acks += 1;
        let Some(scoreboard) = &mut self.scoreboard else { return };
        let is_lost = scoreboard.is_first_lost();
        let verdict = self.recovery.on_sack_duplicate(self.unacknowledged, self.sent_end, is_lost);
        match verdict {
            Duplicate::Counted => self.observe(now, Event::Duplicate, 0, self.flight_octets()),
            Duplicate::InRecovery => {
                self.observe(now, Event::SackProgress, 0, self.flight_octets());
            }
            Duplicate::Loss => {
                scoreboard.enter(self.next, self.config.proportional_reduction);
                self.note_fast_retransmit();
                let flight = self.flight_for_ssthresh();
                self.show_loss(now, None, observation(Event::SackLoss, 0, flight));
            }
        }
        self.count_pipe(update);
    }

    fn note_fast_retransmit(&mut self) {
        self.stats.fast_retransmits += 1;
        self.events.push(SenderEvent::FastRetransmit);
        self.is_retransmission_due = true;
        self.owe_cwr();
    }

    /// Updates `pipe` after an ACK in a recovery with a SACK scoreboard.
    fn count_pipe(&mut self, update: SackUpdate) {
        if let Some(scoreboard) = &mut self.scoreboard
            && self.recovery.is_fast()
        {
            let cwnd = self.congestion.cwnd();
            scoreboard.on_ack_in_recovery(self.next, update.delivered, cwnd);
        }
    }

    fn handle_new_ack(&mut self, now: Time, segment: &Segment, update: Option<SackUpdate>) {
        let ack = segment.ack;
        let acked = ack.min(self.data_end) - self.unacknowledged.min(self.data_end);
        // cwnd limits the sender if one more segment would not fit.
        let is_full = self.config.grow_beyond_receive_window
            || self.flight_octets() + self.segment > self.congestion.cwnd()
            || self.was_cwnd_limited();
        let is_cwnd_limited = is_full && !self.is_reducing();
        self.unacknowledged = ack;
        self.next = self.next.max(ack);
        self.limited_octets = 0;
        self.timeouts_in_a_row = 0;
        self.is_retransmission_due = false;
        self.stats.bytes_acked += Bytes::new(acked);
        let round_trip = self.sample_round_trip(now, segment);

        let (event, restarts_timer) = self.judge_new_ack(ack, is_cwnd_limited);
        let seen = observation(event, acked, self.flight_octets());
        self.show(now, round_trip, seen);
        if let Some(update) = update {
            self.count_pipe(update);
            // An ACK whose blocks report new octets is a duplicate, even if it acknowledges new data.  [RFC6675 §5]
            if update.sacked > 0 && !self.recovery.is_fast() {
                self.handle_sack_duplicate(now, update);
            }
        }
        if self.unacknowledged == self.sent_end {
            self.timer = None;
        } else if restarts_timer {
            self.timer = Some(now + self.rtt.rto());
        }
        self.finish_if_done();
    }

    /// Returns the event that an ACK for new data is to the window law, and true if the ACK restarts the
    /// retransmission timer.
    #[inline]
    fn judge_new_ack(&mut self, ack: u64, is_cwnd_limited: bool) -> (Event, bool) {
        let verdict = self.recovery.on_new_ack(ack);
        if verdict == NewAck::Normal {
            return (Event::NewAck { is_cwnd_limited }, true);
        }
        if self.scoreboard.is_some() {
            let is_over = verdict == NewAck::Full;
            return (if is_over { Event::SackRecovered } else { Event::SackProgress }, true);
        }
        if self.config.flavour == Flavour::Reno {
            self.recovery.end_as_reno();
            return (Event::FullAck, true);
        }
        match verdict {
            NewAck::Normal | NewAck::Full => (Event::FullAck, true),
            NewAck::Partial { is_first } => {
                self.is_retransmission_due = true;
                let steady = self.config.recovery_timer == RecoveryTimer::SlowButSteady;
                (Event::PartialAck, is_first || steady)
            }
        }
    }

    /// Measures a round trip by the ACK's timestamp echo, or by the segment being timed.  [RFC7323 §4.1],
    /// [RFC6298 §3]
    #[inline]
    fn sample_round_trip(&mut self, now: Time, segment: &Segment) -> Option<Duration> {
        let flight = segment.ack..self.sent_end;
        let round_trip = if self.config.timestamps {
            let timestamps = segment.timestamps?;
            self.peer_timestamp = timestamps.value.get();
            self.rtt.on_echo(timestamps.round_trip(now)?, flight)
        } else {
            self.rtt.on_ack(now, flight)?
        };
        self.stats.rtt_samples += 1;
        self.events.push(SenderEvent::RttSample(round_trip));
        Some(round_trip)
    }

    /// Records a round trip that RACK has measured by an ACK of all octets below `ack`.
    pub(super) fn note_round_trip(&mut self, round_trip: Duration, ack: u64) {
        let round_trip = self.rtt.on_echo(round_trip, ack..self.sent_end);
        self.stats.rtt_samples += 1;
        self.events.push(SenderEvent::RttSample(round_trip));
    }

    /// Passes an event without a round-trip sample to the window law.
    pub(super) fn observe(&mut self, now: Time, event: Event, acked: u64, flight: u64) {
        self.show(now, None, observation(event, acked, flight));
    }

    /// Passes an event to the window law, with measurements of the path if the law needs them.
    #[inline]
    pub(super) fn show(&mut self, now: Time, round_trip: Option<Duration>, seen: Observation) {
        if !self.congestion.needs_path() {
            self.congestion.observe(&seen);
            return;
        }
        let path = self.path(now, round_trip);
        self.congestion.observe_path(seen, path);
    }

    /// Current measurements of the path for a window law.
    #[inline]
    pub(super) fn path(&self, now: Time, round_trip: Option<Duration>) -> Path {
        Path {
            now,
            round_trip,
            smoothed_round_trip: self.rtt.smoothed(),
            unacknowledged: self.unacknowledged,
            next: self.next,
        }
    }

    pub(super) fn finish_if_done(&mut self) {
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
}

#[inline]
fn observation(event: Event, acked: u64, flight: u64) -> Observation {
    Observation { event, acked: Bytes::new(acked), flight: Bytes::new(flight) }
}
