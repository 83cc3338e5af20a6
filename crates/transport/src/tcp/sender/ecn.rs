//! Explicit congestion notification at the sender.  [RFC3168 §6.1]
//!
//! Only new data is sent as ECT(0): retransmissions, SYN, FIN and ACKs are not. Both ends of a connection without
//! handshake take part from the start.

use airfair_units::Time;

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

    /// Processes an ECN-Echo: the window is reduced as after a loss, once per window of data.  [RFC3168 §6.1.2]
    #[cold]
    #[inline(never)]
    pub(super) fn handle_echo(&mut self, now: Time) {
        if self.ecn.is_some() && self.reduce_window(now) {
            self.stats.marks_answered += 1;
            self.events.push(SenderEvent::MarkAnswered);
        }
    }

    /// Notes that the window has been reduced, for whatever reason, of which the receiver is notified.
    /// [RFC3168 §6.1.2]
    pub(super) fn owe_cwr(&mut self) {
        if let Some(ecn) = &mut self.ecn {
            ecn.owes_cwr = true;
        }
    }
}
