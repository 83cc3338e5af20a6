//! Explicit congestion notification at the sender.  [RFC3168 §6.1]
//!
//! Only new data is sent as ECT(0), or as ECT(1) by Prague: retransmissions, SYN, FIN and ACKs are not. Both ends of a connection without
//! handshake take part from the start.

use airfair_laws::{dctcp, prague, prr};
use airfair_units::{Bytes, Time};

use super::{Answer, Sender};
use crate::control::{Arithmetic, SenderEvent};
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
