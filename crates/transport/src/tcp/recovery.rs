//! Losses as ACKs tell them: duplicates, fast recovery, `recover`.  [RFC5681 §3.2], [RFC6582 §3.2]
//!
//! ```text
//!            third duplicate, ack > recover
//!  Open ───────────────────────────────────────► Fast ──┐ partial ACK, duplicate
//!   ▲ └─┐ duplicate, new ACK, time-out            │  ▲──┘
//!   └───┴─────── ACK ≥ recover, time-out ─────────┘
//! ```

use airfair_laws::newreno::DUPLICATE_THRESHOLD;

/// Phase of the repair of a loss.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    /// No.
    Open {
        /// Duplicate ACKs since the last new one.
        duplicates: u32,
    },
    /// Yes: fast recovery.
    Fast {
        /// True once a partial ACK has come.
        is_partial_seen: bool,
    },
}

/// Meaning of a duplicate ACK.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Duplicate {
    /// Nothing yet, or nothing new.
    Counted,
    /// A segment is lost: fast retransmit.
    Loss,
    /// A segment has left the network while another is being repaired.
    InRecovery,
}

/// Meaning of an ACK for new data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NewAck {
    /// Nothing was being repaired.
    Normal,
    /// The next hole shows.
    Partial {
        /// True of the first in this fast recovery.
        is_first: bool,
    },
    /// All that was outstanding at the loss has arrived.
    Full,
}

/// Tells losses from ACKs.
#[derive(Debug)]
pub(crate) struct Recovery {
    phase: Phase,
    /// One past the highest octet sent when the last loss was detected (the RFC's `recover` plus 1);
    /// 0 before the first loss, so that the very first segment can be fast-retransmitted too.
    recover: u64,
    /// The same, and Reno does not forget it.
    loss_end: u64,
}

impl Recovery {
    pub(crate) fn new() -> Self {
        Self { phase: Phase::Open { duplicates: 0 }, recover: 0, loss_end: 0 }
    }

    /// Duplicate ACKs that wait for a third, outside fast recovery.
    #[inline]
    pub(crate) fn duplicates(&self) -> u32 {
        match self.phase {
            Phase::Open { duplicates } => duplicates,
            Phase::Fast { .. } => 0,
        }
    }

    /// A duplicate of `ack`, with octets up to `sent_end` sent.
    pub(crate) fn on_duplicate(&mut self, ack: u64, sent_end: u64) -> Duplicate {
        let Phase::Open { duplicates } = &mut self.phase else {
            return Duplicate::InRecovery;
        };
        *duplicates += 1;
        // Duplicates of what was sent before the last loss was detected may come from its repair.
        if *duplicates != DUPLICATE_THRESHOLD || ack <= self.recover {
            return Duplicate::Counted;
        }
        self.phase = Phase::Fast { is_partial_seen: false };
        (self.recover, self.loss_end) = (sent_end, sent_end);
        Duplicate::Loss
    }

    /// An ACK for nothing new whose SACK blocks say something new; `is_lost` is the scoreboard's verdict
    /// on the first octet.  [RFC6675 §5 steps 1 and 2]
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
        if (*duplicates < DUPLICATE_THRESHOLD && !is_lost) || ack <= self.recover {
            return Duplicate::Counted;
        }
        self.phase = Phase::Fast { is_partial_seen: false };
        (self.recover, self.loss_end) = (sent_end, sent_end);
        Duplicate::Loss
    }

    /// A loss was found by other means than duplicates, with octets up to `sent_end` sent.
    pub(crate) fn enter(&mut self, sent_end: u64) {
        self.phase = Phase::Fast { is_partial_seen: false };
        (self.recover, self.loss_end) = (sent_end, sent_end);
    }

    /// There was nothing to repair, as an ACK up to `ack` tells.
    pub(crate) fn take_back(&mut self, ack: u64) {
        self.phase = Phase::Open { duplicates: 0 };
        (self.recover, self.loss_end) = (ack, ack);
    }

    /// True while a loss is being repaired.
    #[inline]
    pub(crate) fn is_fast(&self) -> bool {
        matches!(self.phase, Phase::Fast { .. })
    }

    /// True if something sent before the last loss was detected is outstanding, from `unacknowledged` on.
    pub(crate) fn is_repairing(&self, unacknowledged: u64) -> bool {
        unacknowledged < self.loss_end
    }

    /// One past the highest octet sent when the last loss was detected.
    pub(crate) fn point(&self) -> u64 {
        self.recover
    }

    /// Reno: any new ACK ends fast recovery, and the next three duplicates are another loss. What a
    /// time-out has sent again stays guarded until then.  [RFC5681 §3.2 step 6]
    pub(crate) fn end_as_reno(&mut self) {
        *self = Self { loss_end: self.loss_end, ..Self::new() };
    }

    /// An ACK for new data up to `ack`.
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

    /// The retransmission timer expired, with octets up to `sent_end` sent.  [RFC6582 §3.2 step 4]
    pub(crate) fn on_timeout(&mut self, sent_end: u64) {
        self.phase = Phase::Open { duplicates: 0 };
        (self.recover, self.loss_end) = (sent_end, sent_end);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RECOVER: u64 = 100;

    /// In fast recovery for what was sent up to `RECOVER`, entered from scratch.
    fn in_recovery() -> Recovery {
        let mut recovery = Recovery::new();
        for _ in 0..2 {
            assert_eq!(recovery.on_duplicate(10, RECOVER), Duplicate::Counted);
        }
        assert_eq!(recovery.on_duplicate(10, RECOVER), Duplicate::Loss);
        recovery
    }

    /// Verifies: [RFC5681 §3.2]: the transition table, every phase with every input.
    #[test]
    fn every_phase_answers_every_input() {
        let open = |duplicates| Phase::Open { duplicates };
        let fast = |is_partial_seen| Phase::Fast { is_partial_seen };
        let phases = [open(0), open(1), open(2), open(3), fast(false), fast(true)];
        let recovery = |phase| Recovery { phase, recover: RECOVER, loss_end: RECOVER };

        // a duplicate of an ACK above `recover`
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
        // an ACK below `recover`
        let after = phases.map(|phase| {
            let mut recovery = recovery(phase);
            (recovery.on_new_ack(RECOVER - 1), recovery.phase)
        });
        assert_eq!(after[..4], [(NewAck::Normal, open(0)); 4]);
        assert_eq!(after[4], (NewAck::Partial { is_first: true }, fast(true)));
        assert_eq!(after[5], (NewAck::Partial { is_first: false }, fast(true)));
        // an ACK of all up to `recover`
        let after = phases.map(|phase| {
            let mut recovery = recovery(phase);
            (recovery.on_new_ack(RECOVER), recovery.phase)
        });
        assert_eq!(after[..4], [(NewAck::Normal, open(0)); 4]);
        assert_eq!(after[4..], [(NewAck::Full, open(0)); 2]);
        // a time-out
        let after = phases.map(|phase| {
            let mut recovery = recovery(phase);
            recovery.on_timeout(300);
            (recovery.phase, recovery.recover)
        });
        assert_eq!(after, [(open(0), 300); 6]);
    }

    /// Verifies: [RFC6582 §3.2 step 2]: more than `recover` means one octet beyond it.
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

    /// Verifies: [RFC6675 §5 steps 1 and 2]: the third duplicate, or the scoreboard before it.
    #[test]
    fn with_a_scoreboard_its_verdict_is_as_good_as_three_duplicates() {
        let mut recovery = Recovery::new();
        assert_eq!(recovery.on_sack_duplicate(10, RECOVER, false), Duplicate::Counted);
        assert_eq!(recovery.on_sack_duplicate(10, RECOVER, false), Duplicate::Counted);
        assert_eq!(recovery.on_sack_duplicate(10, RECOVER, false), Duplicate::Loss);
        assert_eq!(recovery.on_sack_duplicate(10, RECOVER, true), Duplicate::InRecovery);
        let mut recovery = Recovery::new();
        assert_eq!(recovery.on_sack_duplicate(10, RECOVER, true), Duplicate::Loss);
        // not below what a time-out has sent again
        recovery.on_timeout(200);
        for _ in 0..4 {
            assert_eq!(recovery.on_sack_duplicate(200, 300, true), Duplicate::Counted);
        }
        assert_eq!(recovery.on_sack_duplicate(201, 300, false), Duplicate::Loss);
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
