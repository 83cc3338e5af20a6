//! Segments that the sender's own host refuses.  [linux-cwr]
//!
//! A full transmit queue means congestion, but no segment is lost: new data stays at the head of the send
//! queue, and cwnd is reduced without a retransmission.

use airfair_units::{Bytes, Time};

use super::{RefusalOutcome, Sender, State};
use crate::tcp::segment::{Flags, Segment};

impl Sender {
    /// Handles a refusal by the transmit queue of the sender's own host: `segment`, which
    /// [`poll_transmit`](Self::poll_transmit) has just returned, did not leave.  [linux-cwr]
    ///
    /// New data is taken back as if it had not been polled; anything else counts as lost and is left to the
    /// timer. cwnd is reduced once per window, and not during loss recovery. Nothing is sent before the next
    /// ACK or time-out. With nothing in flight the timer still runs; its expiry is then a local retry and
    /// does not count as a time-out.
    pub fn handle_refusal(&mut self, now: Time, segment: &Segment) -> RefusalOutcome {
        self.stats.refusals += 1;
        self.refusals.is_waiting = true;
        let is_new = segment.payload > 0 && segment.seq == self.refusals.sent_end;
        if is_new {
            self.take_back(segment);
        }
        if segment.flags.has(Flags::CWR) {
            self.owe_cwr();
        }
        self.handle_refusal_rack_tlp(segment, is_new);
        if self.state == State::Open {
            self.reduce_window(now);
            if self.is_nothing_outstanding() {
                self.timer = Some(now + self.rtt.rto());
                self.use_retransmission_timer();
            }
        }
        if is_new { RefusalOutcome::TakenBack } else { RefusalOutcome::Lost }
    }

    /// Saves the state that the sender needs if its own host refuses the next segment.
    #[inline]
    pub(super) fn note_before_transmit(&mut self) {
        self.refusals.sent_end = self.sent_end;
        self.refusals.limited_octets = self.limited_octets;
    }

    /// True while cwnd is reduced, and does not grow, because the sender's own host refused a segment. A loss
    /// ends this state: in slow start after a time-out cwnd may grow.
    #[inline]
    pub(super) fn is_reducing(&self) -> bool {
        (self.unacknowledged < self.refusals.reduction_end
            && !self.recovery.is_repairing(self.unacknowledged))
            || (self.ecn.is_some() && self.is_growth_marked())
    }

    /// True if a window of data has been acknowledged since the window was reduced, beyond the repair of a loss.
    #[inline]
    pub(super) fn has_reduced(&self) -> bool {
        self.unacknowledged > self.refusals.reduction_end
            && !self.recovery.is_repairing(self.unacknowledged)
    }

    /// True if all that was sent is acknowledged. On an open connection, a timer that still runs then is for
    /// a local retry.
    #[inline]
    pub(super) fn is_nothing_outstanding(&self) -> bool {
        self.unacknowledged == self.sent_end
    }

    fn take_back(&mut self, segment: &Segment) {
        let length = u64::from(segment.payload);
        (self.next, self.sent_end) = (segment.seq, segment.seq);
        self.limited_octets = self.refusals.limited_octets;
        self.stats.segments_sent -= 1;
        self.stats.bytes_sent -= Bytes::new(length);
        self.rtt.on_taken_back(segment.payload_end());
        if let Some(scoreboard) = &mut self.scoreboard
            && self.recovery.is_fast()
        {
            scoreboard.on_taken_back(length);
        }
    }

    /// Reduces cwnd without a loss, once per window of data and not during loss recovery. Returns true if it has
    /// been reduced.
    pub(super) fn reduce_window(&mut self, now: Time) -> bool {
        let begins = self.begin_reduction(self.unacknowledged);
        if begins {
            let path = self.path(now, None);
            self.congestion.reduce(path);
        }
        begins
    }

    /// Begins a reduction of the window, unless there has been one in this window of data or a loss is being repaired.
    /// Returns true if it begins. `first` is the first octet that is not acknowledged.
    pub(super) fn begin_reduction(&mut self, first: u64) -> bool {
        if first < self.refusals.reduction_end || self.recovery.is_repairing(self.unacknowledged) {
            return false;
        }
        // With nothing in flight the reduction lasts until the first ACK, whatever is refused until then.
        self.refusals.reduction_end = self.sent_end.max(first + 1);
        self.owe_cwr();
        true
    }
}
