//! Answers of a QUIC sender to marks.  [RFC9002 §7.1]

use airfair_units::Time;

use super::Sender;
use crate::control::SenderEvent;
use crate::quic::packet::Ack;
use crate::quic::sent::SentPacket;

impl Sender {
    /// Processes the counts of marks of an acknowledgment, which newly acknowledges the packets `news`. If it reports more
    /// marks, the newest of the packets begins a recovery period, as a lost one would.  `ProcessECN` [RFC9002 §B.7]
    #[cold]
    #[inline(never)]
    pub(super) fn handle_marks(
        &mut self,
        now: Time,
        ack: &Ack,
        (news, newest_at): (&[SentPacket], Time),
        is_newest: bool,
    ) {
        let Some(state) = &mut self.ecn else { return };
        // Counts of an acknowledgment that does not increase the largest number may be old ones.  [RFC9000 §13.4.2.1]
        if !is_newest {
            return;
        }
        let Some(has_more) = state.take(ack.marks, (news.len() as u64, self.sent.next())) else {
            self.ecn = None;
            return;
        };
        if has_more && self.begin_recovery(now, newest_at) {
            self.stats.marks_answered += 1;
            self.events.push(SenderEvent::MarkAnswered);
        }
    }
}
