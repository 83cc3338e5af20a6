//! Undo of window reductions after a spurious recovery: nothing was lost, segments were only late.
//! [RFC3522], [RFC3708], [linux-undo]
//!
//! Two signs prove it: an ACK echoes a timestamp from before the first retransmission, so it answers the
//! original; or every retransmission was reported as a duplicate.

use airfair_units::{Bytes, Time};

use super::segment::{Segment, Timestamps};

/// State that the sender keeps to undo the window reduction of one recovery.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Undo {
    /// Congestion window before the recovery, to be restored.
    pub(crate) cwnd: Bytes,
    /// Slow start threshold to restore.
    pub(crate) ssthresh: Bytes,
    /// `retrans_stamp`: timestamp of the first retransmission.
    first_retransmission: Option<u32>,
    /// `undo_retrans`: retransmissions not reported as duplicates; `None` before the first.
    unreported: Option<u32>,
}

impl Undo {
    /// Starts with cwnd and ssthresh from before the recovery. The restored ssthresh is at least three
    /// quarters of cwnd.  `tcp_current_ssthresh` [linux-undo]
    pub(crate) fn new((cwnd, ssthresh): (Bytes, Bytes)) -> Self {
        let quarters = Bytes::new(cwnd.get() / 2 + cwnd.get() / 4);
        Self {
            cwnd,
            ssthresh: ssthresh.max(quarters),
            first_retransmission: None,
            unreported: None,
        }
    }

    /// Counts a retransmission of the recovery, and keeps the time of the first.
    pub(crate) fn on_retransmitted(&mut self, now: Time) {
        self.first_retransmission.get_or_insert(Timestamps::clock(now).get());
        self.unreported = Some(self.unreported.unwrap_or(0) + 1);
    }

    /// Processes an ACK. Returns true if it proves that the recovery was needless. The echo is of the segment
    /// that filled the gap, so an ACK without new data proves nothing by its echo.  `tcp_may_undo`
    /// [linux-undo]
    pub(crate) fn on_ack(
        &mut self,
        segment: &Segment,
        is_new: bool,
        is_duplicate_reported: bool,
    ) -> bool {
        if is_duplicate_reported {
            self.unreported = self.unreported.map(|count| count.saturating_sub(1));
        }
        let echo = segment.timestamps.map(|it| it.echo).filter(|echo| is_new && *echo != 0);
        let answers_original = match (self.first_retransmission, echo) {
            (Some(first), Some(echo)) => Timestamps::is_before(echo, first),
            _ => false,
        };
        answers_original || self.unreported == Some(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use airfair_units::Duration;
    use std::num::NonZeroU32;

    const BEFORE: Undo = Undo {
        cwnd: Bytes::new(8_000),
        ssthresh: Bytes::new(6_000),
        first_retransmission: None,
        unreported: None,
    };

    fn at(us: u64) -> Time {
        Time::ZERO + Duration::from_micros(us)
    }

    /// An ACK that echoes the timestamp of `us` µs.
    fn echo(us: u64) -> Segment {
        let echo = Timestamps::clock(at(us)).get();
        let timestamps = Some(Timestamps { value: NonZeroU32::MIN, echo });
        Segment { timestamps, ..Segment::EMPTY }
    }

    /// An ACK of new data proves a retransmission needless only if it echoes a timestamp from before the
    /// first one.
    ///
    /// Verifies: [RFC3522 §3.2], [linux-undo]
    #[test]
    fn an_echo_from_before_the_first_retransmission_proves_it_needless() {
        let mut undo = BEFORE;
        assert!(!undo.on_ack(&echo(100), true, false), "nothing was sent again");
        undo.on_retransmitted(at(500));
        undo.on_retransmitted(at(600));
        assert!(!undo.on_ack(&echo(500), true, false) && !undo.on_ack(&echo(600), true, false));
        assert!(undo.on_ack(&echo(499), true, false));
        assert!(
            !undo.on_ack(&echo(499), false, false),
            "it is the echo of what came before the gap"
        );
        assert!(!undo.on_ack(&Segment::EMPTY, true, false), "no timestamps");
    }

    /// A recovery was needless once as many duplicates are reported as segments were retransmitted.
    ///
    /// Verifies: [RFC3708 §2], [linux-undo]
    #[test]
    fn as_many_duplicates_as_retransmissions_prove_them_needless() {
        let mut undo = BEFORE;
        undo.on_retransmitted(at(500));
        undo.on_retransmitted(at(500));
        assert!(!undo.on_ack(&Segment::EMPTY, true, true));
        assert!(undo.on_ack(&Segment::EMPTY, true, true));
    }

    /// The restored ssthresh is at least three quarters of cwnd.
    ///
    /// Verifies: [linux-undo]
    #[test]
    fn the_threshold_is_three_quarters_of_the_window_at_least() {
        let ssthresh = |ssthresh| Undo::new((Bytes::new(8_000), Bytes::new(ssthresh))).ssthresh;
        assert_eq!((ssthresh(1_000), ssthresh(7_000)), (Bytes::new(6_000), Bytes::new(7_000)));
    }
}
