//! RACK-TLP at the sender: loss detection by time, tail loss probes, and proportional rate reduction with
//! both. [RFC8985], [linux-rack]
//!
//! ```text
//!         segment lost            all sent before is acknowledged
//!  Open ─────────────► Recovery ─────────────────────────────► Open
//!   └──── time-out ───────┴───────► Loss ─────────────────────► Open
//! ```
//!
//! `Recovery` is the fast phase of [`Recovery`](super::Recovery); `Loss` is its repair outside the fast
//! phase. A time-out does not move `next` back, because each segment keeps its own state.

use airfair_laws::newreno::{Event, Observation};
use airfair_laws::prr;
use airfair_units::{Bytes, Duration, Time};

use super::model::ModelInput;
use super::{Sender, State};
use crate::control::Arithmetic;
use crate::control::SenderEvent;
use crate::tcp::rack::{RackInput, RackUpdate};
use crate::tcp::rack_tlp::{RackTlp, Timer};
use crate::tcp::ranges::Range;
use crate::tcp::recovery::NewAck;
use crate::tcp::segment::{Flags, Segment};
use crate::tcp::tlp::probe_after;
use crate::tcp::undo::Undo;

impl Sender {
    /// Processes an ACK at a RACK-TLP sender.  [RFC8985 §6.2 and §7.4]
    pub(super) fn handle_ack_rack_tlp(&mut self, now: Time, segment: &Segment) {
        let Some(mut rack_tlp) = self.rack_tlp.take() else { return };
        self.peer_window = segment.window;
        if rack_tlp.rack.sampler.is_some() {
            self.check_application_limit(&mut rack_tlp);
        }
        let before = rack_tlp.rack.in_network();
        let was_fast = self.recovery.is_fast();
        let was_repairing = self.recovery.is_repairing(self.unacknowledged);
        let is_new = segment.ack > self.unacknowledged;
        let input = self.rack_input(now);
        let update = rack_tlp.rack.on_ack(segment, self.sent_end, input);
        self.stats.duplicate_sacks += u64::from(update.is_duplicate_reported);
        self.stats.duplicate_acks += u64::from(!is_new && update.delivered > 0);
        let is_full = self.config.grow_beyond_receive_window
            || before + self.segment > self.congestion.cwnd()
            || self.was_cwnd_limited();
        let is_cwnd_limited = is_full && !self.is_reducing();
        let verdict = self.advance(segment.ack);
        self.sample_rack_tlp(now, segment, is_new, update);
        if rack_tlp.probe.on_ack(segment, update.delivered > 0, update.is_duplicate_reported) {
            self.reduce_window(now);
        }

        let was_spurious = self.undo_if_spurious(&mut rack_tlp, segment, is_new, update);
        let seen = |event, acked| Observation {
            event,
            acked: Bytes::new(acked),
            flight: Bytes::new(before),
        };
        let is_repairing = self.recovery.is_repairing(self.unacknowledged);
        if was_repairing && !is_repairing {
            rack_tlp.rack.on_recovered();
            (rack_tlp.prr, rack_tlp.undo) = (None, None);
        } else if rack_tlp.prr.is_some() && self.has_reduced() {
            // A reduction that answered marks is over.
            rack_tlp.prr = None;
        }
        let is_recovering = was_fast && !was_spurious;
        if is_recovering {
            let is_over = verdict == Some(NewAck::Full);
            let event = if is_over { Event::SackRecovered } else { Event::SackProgress };
            self.show(now, update.shortest, seen(event, 0));
        }
        let losses = rack_tlp.rack.detect(self.rack_input(now));
        if losses.octets > 0 && !is_repairing {
            self.enter_recovery(now, &mut rack_tlp, update.shortest, before);
        } else if !is_recovering && is_new {
            let event = Event::NewAck { is_cwnd_limited };
            self.show(now, update.shortest, seen(event, update.delivered));
        }
        if rack_tlp.rack.sampler.is_some() {
            let (delivered, round_trip) = (update.delivered, update.shortest);
            let input = ModelInput { before, delivered, round_trip, is_cwnd_limited };
            self.run_model(now, &mut rack_tlp, input);
        }
        let is_safe = is_new && losses.octets == 0;
        rack_tlp.reduce(update.delivered, is_safe, self.congestion.cwnd(), self.segment);
        self.arm_after_ack(now, &mut rack_tlp, losses.wait, is_new);
        self.rack_tlp = Some(rack_tlp);
        self.finish_if_done();
    }

    /// Undoes the window reduction of a recovery if the ACK proves that nothing was lost. Returns true if so.
    /// `tcp_try_undo_loss`, `tcp_try_undo_partial` [linux-undo]
    fn undo_if_spurious(
        &mut self,
        rack_tlp: &mut RackTlp,
        segment: &Segment,
        is_new: bool,
        update: RackUpdate,
    ) -> bool {
        let Some(undo) = &mut rack_tlp.undo else { return false };
        if !undo.on_ack(segment, is_new, update.is_duplicate_reported) {
            return false;
        }
        self.congestion.undo((undo.cwnd, undo.ssthresh));
        self.recovery.undo(segment.ack);
        rack_tlp.rack.undo_losses();
        true
    }

    /// Advances SND.UNA to `ack`. Returns the meaning of the ACK for recovery; `None` if it acknowledges
    /// nothing new.
    fn advance(&mut self, ack: u64) -> Option<NewAck> {
        if ack == self.unacknowledged {
            return None;
        }
        let data = |octet: u64| octet.min(self.data_end);
        self.stats.bytes_acked += Bytes::new(data(ack) - data(self.unacknowledged));
        self.unacknowledged = ack;
        self.next = self.next.max(ack);
        self.timeouts_in_a_row = 0;
        Some(self.recovery.on_new_ack(ack))
    }

    /// Samples the round trip: of the earliest newly delivered segment, else by the timestamp echo.
    /// `tcp_ack_update_rtt` [linux-rack]
    fn sample_rack_tlp(&mut self, now: Time, segment: &Segment, is_new: bool, update: RackUpdate) {
        let echoed = || segment.timestamps.filter(|_| is_new)?.round_trip(now);
        if let Some(timestamps) = segment.timestamps {
            self.peer_timestamp = timestamps.value.get();
        }
        if let Some(round_trip) = update.longest.or_else(echoed) {
            self.note_round_trip(round_trip, segment.ack);
        }
    }

    fn rack_input(&self, now: Time) -> RackInput {
        RackInput {
            now,
            least: self.rtt.least(),
            smoothed: self.rtt.smoothed(),
            is_repairing: self.recovery.is_repairing(self.unacknowledged),
        }
    }

    /// Enters recovery after a loss. `flight` is the number of octets in the network before the loss.
    fn enter_recovery(
        &mut self,
        now: Time,
        rack_tlp: &mut RackTlp,
        round_trip: Option<Duration>,
        flight: u64,
    ) {
        rack_tlp.undo = Some(Undo::new(self.congestion.save_for_undo()));
        // Proportional rate reduction divides by the outstanding data in RFC 6937, and by cwnd in Linux. If a
        // law has set cwnd below the new threshold, the ratio is limited to one.  [RFC6937 §3], [linux-rack]
        let whole = match self.config.arithmetic {
            Arithmetic::Rfc => self.flight_octets(),
            Arithmetic::Linux => self.congestion.cwnd(),
        };
        let seen =
            Observation { event: Event::SackLoss, acked: Bytes::ZERO, flight: Bytes::new(flight) };
        self.show_loss(now, round_trip, seen);
        self.recovery.enter(self.sent_end);
        let whole = whole.max(self.congestion.cwnd());
        let has_model = self.config.flavour.has_model();
        rack_tlp.prr = (!has_model).then(|| prr::State::new(Bytes::new(whole)));
        rack_tlp.answers_marks = false;
        rack_tlp.probe.end();
        self.stats.fast_retransmits += 1;
        self.events.push(SenderEvent::FastRetransmit);
        self.owe_cwr();
    }

    /// Processes an expiry of a RACK-TLP sender's timer, according to the timer's purpose.
    pub(super) fn handle_timeout_rack_tlp(&mut self, now: Time) {
        let Some(mut rack_tlp) = self.rack_tlp.take() else { return };
        match rack_tlp.timer {
            Timer::Retransmission => self.time_out_rack_tlp(now, &mut rack_tlp),
            Timer::Reordering => self.handle_reordering_timeout(now, &mut rack_tlp),
            Timer::Probe if rack_tlp.probe.is_open() => self.rearm(now, &mut rack_tlp),
            Timer::Probe => {
                rack_tlp.is_probe_due = true;
                self.rearm(now, &mut rack_tlp);
            }
        }
        self.rack_tlp = Some(rack_tlp);
    }

    /// Processes a retransmission time-out at a RACK-TLP sender.  [RFC8985 §6.3], `tcp_enter_loss` [linux-rack]
    fn time_out_rack_tlp(&mut self, now: Time, rack_tlp: &mut RackTlp) {
        self.stats.timeouts += 1;
        self.events.push(SenderEvent::Timeout);
        let is_repeated = self.timeouts_in_a_row > 0;
        let is_in_recovery = self.recovery.is_fast();
        rack_tlp.undo.get_or_insert(Undo::new(self.congestion.save_for_undo()));
        let flight = Bytes::new(rack_tlp.rack.in_network());
        let event = Event::Timeout { is_repeated, is_in_recovery };
        self.show_loss(now, None, Observation { event, acked: Bytes::ZERO, flight });
        rack_tlp.rack.on_timeout(self.rack_input(now));
        self.recovery.on_timeout(self.sent_end);
        self.owe_cwr();
        // Segments sent recently are not lost, and the window must have room for the first segment beside
        // them.
        self.congestion.raise_cwnd(rack_tlp.rack.in_network() + self.segment);
        rack_tlp.prr = None;
        rack_tlp.probe.end();
        self.timeouts_in_a_row += 1;
        self.rtt.back_off();
        self.timer = Some(now + self.rtt.rto());
    }

    /// Runs loss detection again when the reordering timer expires.  `tcp_rack_reo_timeout` [linux-rack]
    fn handle_reordering_timeout(&mut self, now: Time, rack_tlp: &mut RackTlp) {
        let before = rack_tlp.rack.in_network();
        let losses = rack_tlp.rack.detect(self.rack_input(now));
        if losses.octets > 0 && !self.recovery.is_repairing(self.unacknowledged) {
            self.enter_recovery(now, rack_tlp, None, before);
            rack_tlp.reduce(self.segment, false, self.congestion.cwnd(), self.segment);
        }
        match losses.wait {
            Some(wait) => self.timer = Some(now + wait),
            None => self.rearm(now, rack_tlp),
        }
    }

    /// Sets the timer after an ACK: for reordering, for a probe, or for the time-out.  `tcp_ack` [linux-rack]
    fn arm_after_ack(
        &mut self,
        now: Time,
        rack_tlp: &mut RackTlp,
        wait: Option<Duration>,
        is_new: bool,
    ) {
        let timeout = now + self.rtt.rto();
        if self.unacknowledged == self.sent_end {
            (self.timer, rack_tlp.timer) = (None, Timer::Retransmission);
        } else if let Some(wait) = wait {
            (self.timer, rack_tlp.timer) = (Some((now + wait).min(timeout)), Timer::Reordering);
        } else if is_new {
            if self.may_probe(rack_tlp) {
                self.arm_probe(now, rack_tlp, self.rtt.rto());
            } else if rack_tlp.timer == Timer::Retransmission {
                self.timer = Some(timeout);
            } else {
                self.rearm(now, rack_tlp);
            }
        }
    }

    /// True if a tail loss probe may be scheduled: nothing is sacked and no loss is being repaired.
    /// `tcp_schedule_loss_probe` [linux-rack]
    fn may_probe(&self, rack_tlp: &RackTlp) -> bool {
        self.state == State::Open
            && !rack_tlp.rack.has_sacked()
            && !self.recovery.is_repairing(self.unacknowledged)
    }

    fn arm_probe(&mut self, now: Time, rack_tlp: &mut RackTlp, until_timeout: Duration) {
        let (is_single, delay) = (rack_tlp.rack.is_single(), self.config.rto.min);
        let after = probe_after(self.rtt.smoothed(), is_single, delay, until_timeout);
        (self.timer, rack_tlp.timer) = (Some(now + after), Timer::Probe);
    }

    /// Sets the retransmission timer instead of another one, counted from the last transmission of the first
    /// segment.  `tcp_rearm_rto` [linux-rack]
    fn rearm(&mut self, now: Time, rack_tlp: &mut RackTlp) {
        let timeout = rack_tlp.rack.first_sent().map(|sent| (sent + self.rtt.rto()).max(now));
        (self.timer, rack_tlp.timer) = (timeout, Timer::Retransmission);
    }

    /// Returns the next segment. With Linux's arithmetic the second of two segments sent together carries
    /// PSH, because Linux handles them as one buffer.  `tcp_tso_autosize`, `__tcp_transmit_skb` [linux-tso]
    pub(super) fn poll_rack_tlp(&mut self, now: Time) -> Option<Segment> {
        let segment = self.choose_rack_tlp(now)?;
        if self.config.arithmetic != Arithmetic::Linux {
            return Some(segment);
        }
        let rack_tlp = self.rack_tlp.as_mut()?;
        let push = rack_tlp.first_of_two == Some((now, segment.seq));
        rack_tlp.first_of_two = (!push).then_some((now, segment.payload_end()));
        let flags = if push { segment.flags.and(Flags::PSH) } else { segment.flags };
        Some(Segment { flags, ..segment })
    }

    /// True if the next segment is the second of a pair that is sent together.
    pub(super) fn is_second_of_two(&self, now: Time) -> bool {
        let is_in_twos = self.config.arithmetic == Arithmetic::Linux;
        let first = self.rack_tlp.as_ref().and_then(|rack_tlp| rack_tlp.first_of_two);
        is_in_twos && first == Some((now, self.next))
    }

    /// Selects and sends the next segment: a tail loss probe, a lost segment, or new data.
    fn choose_rack_tlp(&mut self, now: Time) -> Option<Segment> {
        let rack_tlp = self.rack_tlp.as_mut()?;
        rack_tlp.timer_before = (self.timer, rack_tlp.timer);
        // An ACK processed at the same time may have made the probe needless.  [RFC8985 §7.2]
        if std::mem::take(&mut rack_tlp.is_probe_due) && !rack_tlp.rack.has_sacked() {
            return self.send_probe(now);
        }
        let in_network = rack_tlp.rack.in_network();
        let is_prr = rack_tlp.prr.is_some();
        let window = if is_prr { rack_tlp.window } else { self.congestion.cwnd() };
        let lost = rack_tlp.rack.next_lost();
        let window = self.limited(window);
        if let Some(Range { start, end }) = lost {
            let end = end.min(self.peer_edge(start));
            let fits = end > start && (in_network + (end - start) <= window || in_network == 0);
            return fits.then(|| self.retransmit_range(now, start, end));
        }
        let left = self.available.saturating_sub(self.next);
        if !is_prr {
            return self.poll_next(now, in_network, left);
        }
        let length = left.min(self.segment);
        let fits = length > 0
            && in_network + length <= window
            && self.flight_octets() + length <= self.peer_window;
        fits.then(|| self.transmit(now, self.next, length))
    }

    /// Sends new data as a probe if the receiver has room for it, else the last segment again.
    /// `TLP_send_probe` [RFC8985 §7.3]
    fn send_probe(&mut self, now: Time) -> Option<Segment> {
        let length = self.available.saturating_sub(self.next).min(self.segment);
        let is_new = length > 0 && self.flight_octets() + length <= self.peer_window;
        let probe = if is_new {
            self.transmit(now, self.next, length)
        } else {
            let Range { start, end } = self.rack_tlp.as_ref()?.rack.last()?;
            let end = end.min(self.peer_edge(start));
            if end <= start {
                return None;
            }
            self.retransmit_range(now, start, end)
        };
        self.stats.tail_probes += 1;
        let mut rack_tlp = self.rack_tlp.take()?;
        rack_tlp.probe.on_sent(self.sent_end, !is_new);
        self.rearm(now, &mut rack_tlp);
        self.rack_tlp = Some(rack_tlp);
        Some(probe)
    }

    /// One past the last octet of a segment from `start` on that the receiver's window allows. One octet of
    /// the first segment is always allowed.
    fn peer_edge(&self, start: u64) -> u64 {
        let edge = self.unacknowledged + self.peer_window;
        if start == self.unacknowledged { edge.max(start + 1) } else { edge }
    }

    /// Retransmits the octets `start..end`, which are a segment sent before or the first part of one.
    fn retransmit_range(&mut self, now: Time, start: u64, end: u64) -> Segment {
        if let Some(rack_tlp) = &mut self.rack_tlp {
            rack_tlp.rack.split(start, end);
        }
        let length = if start == self.data_end { 0 } else { end - start };
        self.transmit(now, start, length)
    }

    /// Records in RACK the transmission of the octets `start..end`, and sets the timer.
    pub(super) fn note_sent_rack_tlp(&mut self, now: Time, start: u64, end: u64) {
        if self.state != State::Open {
            return;
        }
        let Some(mut rack_tlp) = self.rack_tlp.take() else { return };
        let is_first = start == self.unacknowledged;
        let is_retransmitted = rack_tlp.rack.last().is_some_and(|last| start < last.end);
        rack_tlp.rack.on_sent(now, start, end);
        if let Some(state) = &mut rack_tlp.prr {
            state.sent += Bytes::new(end - start);
        }
        if let Some(undo) = rack_tlp.undo.as_mut().filter(|_| is_retransmitted) {
            undo.on_retransmitted(now);
        }
        if self.may_probe(&rack_tlp) {
            let sent = rack_tlp.rack.first_sent().unwrap_or(now);
            let until_timeout = (sent + self.rtt.rto()).saturating_since(now);
            self.arm_probe(now, &mut rack_tlp, until_timeout);
        } else if is_first && is_retransmitted && rack_tlp.timer != Timer::Reordering {
            (self.timer, rack_tlp.timer) = (Some(now + self.rtt.rto()), Timer::Retransmission);
        } else if rack_tlp.timer == Timer::Probe {
            self.rearm(now, &mut rack_tlp);
        }
        self.rack_tlp = Some(rack_tlp);
    }

    /// Handles a refusal of the last segment by the sender's own host. New data is taken back and the timer
    /// is restored; a retransmission is marked lost again; a refused probe counts as not sent.
    /// `tcp_send_loss_probe` [linux-rack]
    pub(super) fn handle_refusal_rack_tlp(&mut self, segment: &Segment, is_new: bool) {
        let Some(rack_tlp) = &mut self.rack_tlp else { return };
        if is_new {
            rack_tlp.on_taken_back(u64::from(segment.payload));
            (self.timer, rack_tlp.timer) = rack_tlp.timer_before;
        } else if self.state == State::Open {
            rack_tlp.rack.on_refused(segment.seq);
        }
        self.stats.tail_probes -= u64::from(rack_tlp.probe.on_refused(segment.payload_end()));
    }

    /// Makes the timer the retransmission timer. With nothing in flight it serves as the retry of a refused
    /// segment.
    pub(super) fn use_retransmission_timer(&mut self) {
        if let Some(rack_tlp) = &mut self.rack_tlp {
            rack_tlp.timer = Timer::Retransmission;
        }
    }
}
