//! Explicit congestion notification at the sender.  [RFC3168 §6.1]
//!
//! Only new data is sent as ECT(0): retransmissions, SYN, FIN and ACKs are not. Both ends of a connection without
//! handshake take part from the start.

use airfair_laws::dctcp;
use airfair_units::{Bytes, Time};

use super::Sender;
use crate::ecn::Ecn;
use crate::tcp::segment::{Flags, Segment};
use crate::tcp::stats::SenderEvent;

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
            segment.flags = segment.flags.and(cwr).with_ecn(Ecn::ECT_0);
        }
    }

    /// Processes the echoes of an ACK: the window is reduced once per window of data, as after a loss [RFC3168 §6.1.2],
    /// or in proportion to the share of marked octets [RFC8257 §3.3].
    #[cold]
    #[inline(never)]
    pub(super) fn handle_marks(&mut self, now: Time, segment: &Segment) {
        let is_echo = segment.flags.has(Flags::ECE);
        let alpha = self.measure_marks(segment, is_echo);
        if !is_echo {
            return;
        }
        let is_reduced = match alpha {
            None => self.reduce_window(now),
            Some(alpha) => self.reduce_by_share(alpha),
        };
        if is_reduced {
            self.stats.marks_answered += 1;
            self.events.push(SenderEvent::MarkAnswered);
        }
    }

    /// Counts the octets of an ACK for the estimate of the share of marked ones, and returns it; `None` for a sender
    /// without such an estimate.
    fn measure_marks(&mut self, segment: &Segment, is_echo: bool) -> Option<u32> {
        let acked = Bytes::new(segment.ack - self.unacknowledged);
        let (unacknowledged, next) = (segment.ack, self.next.max(segment.ack));
        let share = self.ecn.as_mut()?.share.as_mut()?;
        let marked = if is_echo { acked } else { Bytes::ZERO };
        *share = dctcp::step(*share, dctcp::Ack { acked, marked, unacknowledged, next });
        Some(share.alpha)
    }

    /// Reduces cwnd by half of the share of marked octets, once per window of data. Returns true if so.
    fn reduce_by_share(&mut self, alpha: u32) -> bool {
        if !self.begin_reduction() {
            return false;
        }
        let cwnd = Bytes::new(self.congestion.cwnd());
        self.congestion.reduce_to(dctcp::reduced(cwnd, alpha, self.config.segment));
        true
    }

    /// Notes that the window has been reduced, for whatever reason, of which the receiver is notified.
    /// [RFC3168 §6.1.2]
    pub(super) fn owe_cwr(&mut self) {
        if let Some(ecn) = &mut self.ecn {
            ecn.owes_cwr = true;
        }
    }
}
