//! Explicit congestion notification at the sender.  [RFC3168 §6.1]
//!
//! Only new data is sent as ECT(0), or as ECT(1) by Prague: retransmissions, SYN, FIN and ACKs are not. Both ends of a connection without
//! handshake take part from the start.

use airfair_laws::newreno::{Event, Observation};
use airfair_laws::{accecn, dctcp, prague, prr};
use airfair_units::{Bytes, Duration, Time};

use super::{Answer, Decoder, EcnState, Sender};
use crate::control::{Arithmetic, SenderEvent};
use crate::ecn::Ecn;
use crate::tcp::accurate::{INITIAL_ACE, NOT_ECT_ARRIVED};
use crate::tcp::segment::{Flags, Segment};

impl Sender {
    /// Sets the ECN field, and control bits for ECN, of a segment that leaves.
    #[cold]
    #[inline(never)]
    pub(super) fn set_codepoint(&mut self, segment: &mut Segment) {
        let Some(ecn) = &mut self.ecn else { return };
        if ecn.accurate.is_some() {
            segment.flags = segment.flags.with_ace(ace_of(segment));
            ecn.owes_cwr = false;
        } else if segment.flags.has(Flags::SYN) {
            segment.flags = segment.flags.and(Flags::ECN);
        }
        if segment.payload > 0 && segment.seq == self.refusals.sent_end {
            let cwr = if std::mem::take(&mut ecn.owes_cwr) { Flags::CWR } else { Flags::NONE };
            // ECT(1) tells a queue that the sender is scalable.  [RFC9331 §4.1]
            let is_low = matches!(ecn.answer, Answer::Prague(_));
            let field = if is_low { Ecn::ECT_1 } else { Ecn::ECT_0 };
            segment.flags = segment.flags.and(cwr).with_ecn(field);
        }
    }

    /// Processes the marks that an ACK reports. The window is reduced as after a loss [RFC3168 §6.1.2], or in proportion to the
    /// share of marked octets [RFC8257 §3.3], [draft-prague §2].
    #[cold]
    #[inline(never)]
    pub(super) fn handle_marks(&mut self, now: Time, segment: &Segment) {
        let acked = Bytes::new(segment.ack - self.unacknowledged);
        let (is_echo, marked) = if self.config.ecn_feedback().is_accurate() {
            self.read_counters(segment, acked)
        } else {
            let is_echo = segment.flags.has(Flags::ECE);
            (is_echo, if is_echo { acked } else { Bytes::ZERO })
        };
        let next = self.next.max(segment.ack);
        let ack = dctcp::Ack { acked, marked, unacknowledged: segment.ack, next };
        let Some(mut ecn) = self.ecn.take() else { return };
        ecn.is_echo = is_echo;
        let answer = match ecn.answer {
            Answer::ByShare(share) => Answer::ByShare(match self.config.arithmetic {
                Arithmetic::Rfc => dctcp::step(share, ack),
                Arithmetic::Linux => dctcp::step_in_segments(share, ack, self.config.segment),
            }),
            Answer::Prague(state) => {
                Answer::Prague(prague::step(state, now, self.rtt.smoothed(), ack))
            }
            Answer::AsLoss => Answer::AsLoss,
        };
        ecn.answer = answer;
        self.ecn = Some(ecn);
        let before = self.congestion.cwnd();
        if is_echo && self.answer_marks(now, answer, segment.ack) {
            self.spread_reduction(before, answer);
            self.stats.marks_answered += 1;
            self.events.push(SenderEvent::MarkAnswered);
        }
    }

    /// Reads the counters of accurate ECN in an ACK that acknowledges `acked` octets. Returns true if it reports marks,
    /// and the number of acknowledged octets that count as marked: marks of octets that SACK reports count when these are
    /// acknowledged. An ACK without progress may be an old one, and is not read.  [RFC9768 §3.2.2.5.2]
    fn read_counters(&mut self, segment: &Segment, acked: Bytes) -> (bool, Bytes) {
        let delivered = Bytes::new(self.would_deliver(segment));
        let size = self.config.segment;
        let Some(decoder) = self.ecn.as_mut().and_then(|it| it.accurate.as_mut()) else {
            return (false, Bytes::ZERO);
        };
        if delivered.is_zero() {
            return (false, Bytes::ZERO);
        }
        let octets = segment.sack.counters().map(|it| it.ce.unwrap_or(0));
        let ack = accecn::Ack { ace: segment.flags.ace(), octets, delivered };
        let (state, marks) = accecn::step(size, decoder.state, ack);
        let all = decoder.ahead + marks.octets.get();
        let marked = all.min(acked.get());
        *decoder = Decoder { state, ahead: all - marked };
        self.stats.marks_reported += marks.packets;
        (marks.packets > 0, Bytes::new(marked))
    }

    /// Octets that an ACK acknowledges or reports as received for the first time.
    fn would_deliver(&self, segment: &Segment) -> u64 {
        match (&self.rack_tlp, &self.scoreboard) {
            (Some(rack_tlp), _) => rack_tlp.rack.would_deliver(segment),
            (None, Some(scoreboard)) => scoreboard.would_deliver(self.sent_end, segment),
            (None, None) => segment.ack - self.unacknowledged,
        }
    }

    /// Reduces the window because of an echo, unless it has been reduced a short time ago. Returns true if it has been
    /// reduced.
    fn answer_marks(&mut self, now: Time, answer: Answer, ack: u64) -> bool {
        let (cwnd, segment) = (Bytes::new(self.congestion.cwnd()), self.config.segment);
        match answer {
            Answer::AsLoss => {
                let begins = self.begin_reduction(self.first_of_answer(ack));
                if begins {
                    let path = self.path(now, None);
                    self.congestion.reduce(path);
                }
                return begins;
            }
            Answer::ByShare(share) => {
                if !self.begin_reduction(self.first_of_answer(ack)) {
                    return false;
                }
                let reduced = match self.config.arithmetic {
                    Arithmetic::Rfc => dctcp::reduced,
                    Arithmetic::Linux => dctcp::reduced_in_segments,
                };
                self.congestion.reduce_to(reduced(cwnd, share.alpha, segment));
            }
            Answer::Prague(state) => {
                let smoothed = self.rtt.smoothed();
                let reduced = prague::reduce(state, now, smoothed, cwnd, segment);
                let Some((state, cwnd)) =
                    reduced.filter(|_| !self.recovery.is_repairing(self.unacknowledged))
                else {
                    return false;
                };
                if let Some(ecn) = &mut self.ecn {
                    ecn.answer = Answer::Prague(state);
                }
                self.congestion.reduce_to(cwnd);
                self.owe_cwr();
            }
        }
        true
    }

    /// Passes a loss or a time-out to the window law. If a mark has reduced the window in this window of data, the loss does
    /// not reduce it again: data is only retransmitted, and after a time-out ssthresh remains. Scalable flavours answer
    /// losses apart from marks, because a mark takes only a part of the window.  [RFC3168 §6.1.2], `tcp_enter_recovery`,
    /// `tcp_enter_loss` [linux-undo]
    #[cold]
    pub(super) fn show_loss(&mut self, now: Time, round_trip: Option<Duration>, seen: Observation) {
        let answers_as_loss = |it: &EcnState| matches!(it.answer, Answer::AsLoss);
        let has_answered = self.ecn.as_deref().is_some_and(answers_as_loss)
            && self.unacknowledged < self.refusals.reduction_end;
        match seen.event {
            Event::Timeout { .. } if has_answered => {
                let ssthresh = self.congestion.ssthresh();
                self.show(now, round_trip, seen);
                self.congestion.set_ssthresh(ssthresh);
            }
            event if has_answered => self.congestion.recover(event),
            _ => self.show(now, round_trip, seen),
        }
    }

    /// Octet that decides whether the last reduction is over, at an ACK up to `ack`. In Linux the ACK must acknowledge
    /// more than was sent at the reduction. `tcp_fastretrans_alert` [linux-ecn]
    fn first_of_answer(&self, ack: u64) -> u64 {
        match self.config.arithmetic {
            Arithmetic::Rfc => self.unacknowledged,
            Arithmetic::Linux => ack.saturating_sub(1),
        }
    }

    /// Lets a reduction last for a window of data, as Linux does: the sender sends in proportion to the data that has
    /// arrived, and not at all until the data in flight has fallen to the new window. `tcp_enter_cwr`,
    /// `tcp_cwnd_reduction` [linux-ecn]
    fn spread_reduction(&mut self, before: u64, answer: Answer) {
        let is_linux = self.config.arithmetic == Arithmetic::Linux;
        if let Some(rack_tlp) = self.rack_tlp.as_mut().filter(|_| is_linux)
            && !matches!(answer, Answer::Prague(_))
        {
            rack_tlp.prr = Some(prr::State::new(Bytes::new(before)));
            rack_tlp.answers_marks = true;
            rack_tlp.window = before;
        }
    }

    /// True if the ACK that is processed echoes marks, by which the window of Prague does not grow.
    pub(super) fn is_growth_marked(&self) -> bool {
        let ecn = self.ecn.as_ref();
        ecn.is_some_and(|it| it.is_echo && matches!(it.answer, Answer::Prague(_)))
    }

    /// Notes that the window has been reduced, for whatever reason, of which the receiver is notified.
    /// [RFC3168 §6.1.2]
    pub(super) fn owe_cwr(&mut self) {
        if let Some(ecn) = &mut self.ecn {
            ecn.owes_cwr = true;
        }
    }
}

/// ACE field of a segment of the sender. A SYN asks for accurate ECN, and the ACK of the SYN-ACK reports that this was not
/// ECN-capable [RFC9768 §3.1.1, §3.2.2.1]. All other segments have the number of marked packets, which remains at its
/// initial value because ACKs are not ECN-capable.
fn ace_of(segment: &Segment) -> u8 {
    match segment.payload {
        _ if segment.flags.has(Flags::SYN) => Flags::ACE.ace(),
        0 if segment.flags == Flags::ACK => NOT_ECT_ARRIVED.ace(),
        _ => INITIAL_ACE,
    }
}
