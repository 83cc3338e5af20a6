//! Loss detection by duplicate ACKs, fast recovery, and `recover`.  [RFC5681 §3.2], [RFC6582 §3.2]
//!
//! ```text
//!            third duplicate, ack > recover
//!  Open ───────────────────────────────────────► Fast ──┐ partial ACK, duplicate
//!   ▲ └─┐ duplicate, new ACK, time-out            │  ▲──┘
//!   └───┴─────── ACK ≥ recover, time-out ─────────┘
//! ```

use airfair_laws::newreno::DUPLICATE_THRESHOLD;

/// Phase of loss recovery at a TCP sender.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    /// The sender is not in fast recovery.
    Open {
        /// Number of duplicate ACKs since the last new one.
        duplicates: u32,
    },
    /// The sender is in fast recovery.
    Fast {
        /// True once a partial ACK has arrived in this fast recovery.
        is_partial_seen: bool,
    },
}

/// Meaning of a duplicate ACK for loss recovery.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Duplicate {
    /// The duplicate ACK reveals no loss, or none that is new.
    Counted,
    /// The duplicate ACK reveals a lost segment: fast retransmit.
    Loss,
    /// The duplicate ACK arrived in fast recovery, so a segment has left the network.
    InRecovery,
}

/// Meaning of an ACK for new data for loss recovery.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NewAck {
    /// The ACK for new data arrived outside fast recovery.
    Normal,
    /// The ACK for new data is partial: the next segment is lost, too.
    Partial {
        /// True for the first partial ACK of this fast recovery.
        is_first: bool,
    },
    /// The ACK for new data covers all that was outstanding when the loss was detected, which ends fast
    /// recovery.
    Full,
}

/// Detector of losses by duplicate ACKs, and phase of the recovery.
#[derive(Clone, Debug)]
pub(crate) struct Recovery {
    phase: Phase,
    /// The RFC's `recover` plus 1: one past the highest octet sent when the last loss was detected. 0 before
    /// the first loss, so that the very first segment can be fast-retransmitted too.
    recover: u64,
    /// One past the highest octet sent when the last loss was detected, as `recover`. Unlike `recover` it is
    /// kept when Reno ends fast recovery.
    loss_end: u64,
}

impl Recovery {
    pub(crate) fn new() -> Self {
        Self { phase: Phase::Open { duplicates: 0 }, recover: 0, loss_end: 0 }
    }

    /// Number of duplicate ACKs counted so far outside fast recovery.
    #[inline]
    pub(crate) fn duplicates(&self) -> u32 {
        match self.phase {
            Phase::Open { duplicates } => duplicates,
            Phase::Fast { .. } => 0,
        }
    }

    /// Processes a duplicate of the ACK up to `ack`, when octets below `sent_end` have been sent.
    pub(crate) fn on_duplicate(&mut self, ack: u64, sent_end: u64) -> Duplicate {
        let Phase::Open { duplicates } = &mut self.phase else {
            return Duplicate::InRecovery;
        };
        *duplicates += 1;
        // Duplicates for data sent before the last loss was detected may be caused by its retransmissions.
        if *duplicates != DUPLICATE_THRESHOLD || ack <= self.recover {
            return Duplicate::Counted;
        }
        self.phase = Phase::Fast { is_partial_seen: false };
        (self.recover, self.loss_end) = (sent_end, sent_end);
        Duplicate::Loss
    }

    /// Processes an ACK whose SACK blocks report new octets, which makes it a duplicate even if it also
    /// acknowledges new data, up to `ack`. `is_lost` is true if the scoreboard considers the first octet lost.
    /// [RFC6675 §5 steps 1 and 2]
    pub(crate) fn on_sack_duplicate(
        &mut self,
        ack: u64,
        sent_end: u64,
        is_lost: bool,
    ) -> Duplicate {
        let Phase::Open { duplicates } = &mut self.phase else {
            return Duplicate::InRecovery;
        };
        *duplicates += 1;
        // Unlike without SACK, the segment at `recover` may be retransmitted: the blocks tell new losses from
        // the retransmissions of old ones.  [RFC6675 §5.1]
        if (*duplicates < DUPLICATE_THRESHOLD && !is_lost) || ack < self.recover {
            return Duplicate::Counted;
        }
        self.phase = Phase::Fast { is_partial_seen: false };
        (self.recover, self.loss_end) = (sent_end, sent_end);
        Duplicate::Loss
    }

    /// Enters fast recovery for a loss that was detected without duplicates, with octets up to `sent_end`
    /// sent.
    pub(crate) fn enter(&mut self, sent_end: u64) {
        self.phase = Phase::Fast { is_partial_seen: false };
        (self.recover, self.loss_end) = (sent_end, sent_end);
    }

    /// Ends recovery when an ACK up to `ack` proves that it was needless.
    pub(crate) fn undo(&mut self, ack: u64) {
        self.phase = Phase::Open { duplicates: 0 };
        (self.recover, self.loss_end) = (ack, ack);
    }

    /// True if the sender is in fast recovery.
    #[inline]
    pub(crate) fn is_fast(&self) -> bool {
        matches!(self.phase, Phase::Fast { .. })
    }

    /// True while data sent before the last loss was detected is outstanding, from `unacknowledged` on. That
    /// includes the repair after a time-out.
    pub(crate) fn is_repairing(&self, unacknowledged: u64) -> bool {
        unacknowledged < self.loss_end
    }

    /// `recover` plus 1: one past the highest octet sent when the last loss was detected.
    pub(crate) fn recovery_point(&self) -> u64 {
        self.recover
    }

    /// Ends fast recovery as Reno does with any new ACK: three more duplicates are a new loss. Data sent
    /// again after a time-out stays excluded until it is acknowledged.  [RFC5681 §3.2 step 6]
    pub(crate) fn end_as_reno(&mut self) {
        *self = Self { loss_end: self.loss_end, ..Self::new() };
    }

    /// Processes an ACK for new data up to `ack`.
    #[inline]
    pub(crate) fn on_new_ack(&mut self, ack: u64) -> NewAck {
        match &mut self.phase {
            Phase::Open { duplicates } => {
                *duplicates = 0;
                NewAck::Normal
            }
            Phase::Fast { is_partial_seen } if ack < self.recover => {
                NewAck::Partial { is_first: !std::mem::replace(is_partial_seen, true) }
            }
            Phase::Fast { .. } => {
                self.phase = Phase::Open { duplicates: 0 };
                NewAck::Full
            }
        }
    }

    /// Processes an expiry of the retransmission timer, with octets up to `sent_end` sent.
    /// [RFC6582 §3.2 step 4]
    pub(crate) fn on_timeout(&mut self, sent_end: u64) {
        self.phase = Phase::Open { duplicates: 0 };
        (self.recover, self.loss_end) = (sent_end, sent_end);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RECOVER: u64 = 100;

    /// A sender that three duplicate ACKs have brought into fast recovery, for data sent up to `RECOVER`.
    fn in_recovery() -> Recovery {
        let mut recovery = Recovery::new();
        for _ in 0..2 {
            assert_eq!(recovery.on_duplicate(10, RECOVER), Duplicate::Counted);
        }
        assert_eq!(recovery.on_duplicate(10, RECOVER), Duplicate::Loss);
        recovery
    }

    /// Each phase of recovery answers each input as in the transition table.
    ///
    /// Verifies: [RFC5681 §3.2]
    #[test]
    fn every_phase_answers_every_input() {
        let open = |duplicates| Phase::Open { duplicates };
        let fast = |is_partial_seen| Phase::Fast { is_partial_seen };
        let phases = [open(0), open(1), open(2), open(3), fast(false), fast(true)];
        let recovery = |phase| Recovery { phase, recover: RECOVER, loss_end: RECOVER };

        // A duplicate of an ACK above `recover`.
        let after = phases.map(|phase| {
            let mut recovery = recovery(phase);
            (recovery.on_duplicate(RECOVER + 1, 200), recovery.phase, recovery.recover)
        });
        assert_eq!(
            after,
            [
                (Duplicate::Counted, open(1), RECOVER),
                (Duplicate::Counted, open(2), RECOVER),
                (Duplicate::Loss, fast(false), 200),
                (Duplicate::Counted, open(4), RECOVER),
                (Duplicate::InRecovery, fast(false), RECOVER),
                (Duplicate::InRecovery, fast(true), RECOVER),
            ]
        );
        // An ACK below `recover`.
        let after = phases.map(|phase| {
            let mut recovery = recovery(phase);
            (recovery.on_new_ack(RECOVER - 1), recovery.phase)
        });
        assert_eq!(after[..4], [(NewAck::Normal, open(0)); 4]);
        assert_eq!(after[4], (NewAck::Partial { is_first: true }, fast(true)));
        assert_eq!(after[5], (NewAck::Partial { is_first: false }, fast(true)));
        // An ACK of all up to `recover`.
        let after = phases.map(|phase| {
            let mut recovery = recovery(phase);
            (recovery.on_new_ack(RECOVER), recovery.phase)
        });
        assert_eq!(after[..4], [(NewAck::Normal, open(0)); 4]);
        assert_eq!(after[4..], [(NewAck::Full, open(0)); 2]);
        // A time-out.
        let after = phases.map(|phase| {
            let mut recovery = recovery(phase);
            recovery.on_timeout(300);
            (recovery.phase, recovery.recover)
        });
        assert_eq!(after, [(open(0), 300); 6]);
    }

    /// Duplicate ACKs start a fast retransmit only if the ACK covers at least one octet beyond `recover`.
    ///
    /// Verifies: [RFC6582 §3.2 step 2]
    #[test]
    fn duplicates_of_what_was_sent_before_the_last_loss_start_nothing() {
        for (ack, third) in [(RECOVER, Duplicate::Counted), (RECOVER + 1, Duplicate::Loss)] {
            let mut recovery = in_recovery();
            assert_eq!(recovery.on_new_ack(ack), NewAck::Full);
            recovery.on_duplicate(ack, 200);
            recovery.on_duplicate(ack, 200);
            assert_eq!(recovery.on_duplicate(ack, 200), third);
        }
    }

    /// With a SACK scoreboard the third duplicate ACK starts recovery, or an earlier one if the scoreboard
    /// shows a loss.
    ///
    /// Verifies: [RFC6675 §5 steps 1 and 2, §5.1]
    #[test]
    fn with_a_scoreboard_its_verdict_is_as_good_as_three_duplicates() {
        let mut recovery = Recovery::new();
        assert_eq!(recovery.on_sack_duplicate(10, RECOVER, false), Duplicate::Counted);
        assert_eq!(recovery.on_sack_duplicate(10, RECOVER, false), Duplicate::Counted);
        assert_eq!(recovery.on_sack_duplicate(10, RECOVER, false), Duplicate::Loss);
        assert_eq!(recovery.on_sack_duplicate(10, RECOVER, true), Duplicate::InRecovery);
        let mut recovery = Recovery::new();
        assert_eq!(recovery.on_sack_duplicate(10, RECOVER, true), Duplicate::Loss);
        // Nothing starts below what a time-out has sent again.
        recovery.on_timeout(200);
        for _ in 0..4 {
            assert_eq!(recovery.on_sack_duplicate(199, 300, true), Duplicate::Counted);
        }
        // The first segment above it may be lost like any other.
        assert_eq!(recovery.on_sack_duplicate(200, 300, false), Duplicate::Loss);
    }

    #[test]
    fn reno_forgets_the_recovery_point() {
        let mut recovery = in_recovery();
        recovery.on_new_ack(20);
        recovery.end_as_reno();
        assert_eq!(recovery.duplicates(), 0);
        for expected in [Duplicate::Counted, Duplicate::Counted, Duplicate::Loss] {
            assert_eq!(recovery.on_duplicate(20, 200), expected);
        }
    }

    #[test]
    fn the_very_first_segment_can_be_fast_retransmitted() {
        let mut recovery = Recovery::new();
        recovery.on_duplicate(1, 50);
        recovery.on_duplicate(1, 50);
        assert_eq!(recovery.on_duplicate(1, 50), Duplicate::Loss);
    }
}
