//! Explicit congestion notification at a QUIC sender: validation of the path, and answers to marks.  [RFC9000 §13.4],
//! [RFC9002 §7.1]

use airfair_units::Time;

use super::Sender;
use crate::control::SenderEvent;
use crate::quic::packet::{Ack, EcnCounts};
use crate::quic::sent::SentPacket;

/// State of explicit congestion notification at a sender. All packets are sent with ECT(0) as long as there is this
/// state.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct EcnState {
    /// Largest counts that the receiver has reported.
    reported: EcnCounts,
}

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
        if !is_valid(state.reported, ack.marks, (news.len() as u64, self.sent.next())) {
            self.ecn = None;
            return;
        }
        let has_more = ack.marks.ce > state.reported.ce;
        state.reported = ack.marks;
        if has_more && self.begin_recovery(now, newest_at) {
            self.stats.marks_answered += 1;
            self.events.push(SenderEvent::MarkAnswered);
        }
    }
}

/// True if the counts `now` can follow the counts `before`: they have increased by as many packets as were newly
/// acknowledged at least, and are not about more packets than were sent.  [RFC9000 §13.4.2.1]
fn is_valid(before: EcnCounts, now: EcnCounts, (acknowledged, sent): (u64, u64)) -> bool {
    now.ect >= before.ect
        && now.ce >= before.ce
        && now.all() - before.all() >= acknowledged
        && now.all() <= sent
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Counts that are missing, shrink, leave out an acknowledged packet, or are about more packets than were sent mean
    /// that the network or the receiver does not handle the ECN field.
    ///
    /// Verifies: [RFC9000 §13.4.2.1]
    #[test]
    fn counts_must_cover_the_acknowledged_packets() {
        let counts = |ect, ce| EcnCounts { ect, ce };
        let before = counts(4, 1);
        let is_valid = |ect, ce| is_valid(before, counts(ect, ce), (3, 10));
        assert!(is_valid(7, 1) && is_valid(4, 4) && is_valid(6, 2));
        // Reordered acknowledgments may count packets that are acknowledged later.
        assert!(is_valid(8, 2));
        assert!(!is_valid(0, 0) && !is_valid(6, 1) && !is_valid(9, 0) && !is_valid(3, 5));
        assert!(is_valid(8, 2) && !is_valid(8, 3));
    }
}
