//! Validation of a path for explicit congestion notification: counts of marks that an acknowledgment may report.
//! [RFC9000 §13.4.2]

use super::packet::EcnCounts;

/// State of explicit congestion notification at a sender. All packets are sent with ECT(0) as long as there is this
/// state.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct EcnState {
    /// Largest counts that the receiver has reported.
    reported: EcnCounts,
}

impl EcnState {
    /// Takes the counts of an acknowledgment, of which `acknowledged` packets of the `sent` ones are new. Returns true if
    /// it reports more marks, and `None` if the counts are impossible, because the network or the receiver does not
    /// handle the ECN field.
    pub(super) fn take(
        &mut self,
        now: EcnCounts,
        (acknowledged, sent): (u64, u64),
    ) -> Option<bool> {
        let before = std::mem::replace(&mut self.reported, now);
        is_valid(before, now, (acknowledged, sent)).then_some(now.ce > before.ce)
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
