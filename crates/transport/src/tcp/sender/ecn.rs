//! Explicit congestion notification at the sender.  [RFC3168 §6.1]
//!
//! Only new data is sent as ECT(0), or as ECT(1) by Prague: retransmissions, SYN, FIN and ACKs are not. Both ends of a connection without
//! handshake take part from the start.

use airfair_laws::{dctcp, prague};
use airfair_units::{Bytes, Time};

use super::{Answer, Sender};
use crate::control::SenderEvent;
use crate::ecn::Ecn;
use crate::tcp::segment::{Flags, Segment};

impl Sender {
    /// Sets the ECN field, and control bits for ECN, of a segment that leaves.
    #[cold]
    #[inline(never)]
    pub(super) fn set_codepoint(&mut self, segment: &mut Segment) {
        let Some(ecn) = &mut self.ecn else { return };
        if segment.flags.has(Flags::SYN) {
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

    /// Processes the echoes of an ACK. The window is reduced as after a loss [RFC3168 §6.1.2], or in proportion to the
    /// share of marked octets [RFC8257 §3.3], [draft-prague §2].
    #[cold]
    #[inline(never)]
    pub(super) fn handle_marks(&mut self, now: Time, segment: &Segment) {
        let is_echo = segment.flags.has(Flags::ECE);
        let acked = Bytes::new(segment.ack - self.unacknowledged);
        let marked = if is_echo { acked } else { Bytes::ZERO };
        let next = self.next.max(segment.ack);
        let ack = dctcp::Ack { acked, marked, unacknowledged: segment.ack, next };
        let Some(mut ecn) = self.ecn.take() else { return };
        ecn.is_echo = is_echo;
        let answer = match ecn.answer {
            Answer::ByShare(share) => Answer::ByShare(dctcp::step(share, ack)),
            Answer::Prague(state) => {
                Answer::Prague(prague::step(state, now, self.rtt.smoothed(), ack))
            }
            Answer::AsLoss => Answer::AsLoss,
        };
        ecn.answer = answer;
        self.ecn = Some(ecn);
        if is_echo && self.answer_marks(now, answer) {
            self.stats.marks_answered += 1;
            self.events.push(SenderEvent::MarkAnswered);
        }
    }

    /// Reduces the window because of an echo, unless it has been reduced a short time ago. Returns true if it has been
    /// reduced.
    fn answer_marks(&mut self, now: Time, answer: Answer) -> bool {
        let (cwnd, segment) = (Bytes::new(self.congestion.cwnd()), self.config.segment);
        match answer {
            Answer::AsLoss => return self.reduce_window(now),
            Answer::ByShare(share) => {
                if !self.begin_reduction() {
                    return false;
                }
                self.congestion.reduce_to(dctcp::reduced(cwnd, share.alpha, segment));
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
