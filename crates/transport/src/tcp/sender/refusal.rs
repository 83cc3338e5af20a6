//! Segments that the sender's own host refuses.  [linux-cwr]
//!
//! A full transmit queue is congestion that costs no segment: new data stays at the head of the send
//! queue, and the window is reduced without a retransmission.

use airfair_units::{Bytes, Time};

use super::{Sender, State};
use crate::tcp::segment::Segment;

/// Fate of a segment that did not leave its sender's host.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unsent {
    /// Its sender has it again, as if it had not been polled.
    TakenBack,
    /// It counts as sent, and as lost.
    Lost,
}

/// Memory of a sender about refusals.
#[derive(Debug, Default)]
pub(super) struct Refusals {
    /// Nothing goes out before the next ACK or time-out: the queue is still full.
    pub(super) is_waiting: bool,
    /// An ACK from here on ends the reduction of the window: Linux's `high_seq`.
    reduction_end: u64,
    /// `sent_end` before the last segment: what begins there was new.
    sent_end: u64,
    /// `limited_octets` before the last segment.
    limited_octets: u64,
}

impl Sender {
    /// The transmit queue of the sender's own host is full, and `segment`, which
    /// [`poll_transmit`](Self::poll_transmit) has just returned, did not leave.  [linux-cwr]
    ///
    /// New data is taken back, as if it had not been polled; anything else counts as lost and is left to
    /// the timer. cwnd is reduced once per window, and not while losses are being repaired. Nothing is
    /// sent before the next ACK or time-out; with nothing in flight the timer runs all the same, and its
    /// expiry is then a local retry and no time-out.
    pub fn handle_refusal(&mut self, now: Time, segment: &Segment) -> Unsent {
        self.stats.refusals += 1;
        self.refusals.is_waiting = true;
        let is_new = segment.payload > 0 && segment.seq == self.refusals.sent_end;
        if is_new {
            self.take_back(segment);
        }
        self.handle_refusal_by_time(segment, is_new);
        if self.state == State::Open {
            self.reduce_window(now);
            if self.is_nothing_outstanding() {
                self.timer = Some(now + self.rtt.rto());
                self.wait_for_own_host();
            }
        }
        if is_new { Unsent::TakenBack } else { Unsent::Lost }
    }

    /// A segment is about to be chosen, and may be refused.
    #[inline]
    pub(super) fn note_before_transmit(&mut self) {
        self.refusals.sent_end = self.sent_end;
        self.refusals.limited_octets = self.limited_octets;
    }

    /// True while cwnd is being reduced because of a refusal. A loss takes over: slow start after a
    /// time-out may grow.
    #[inline]
    pub(super) fn is_reducing(&self) -> bool {
        self.unacknowledged < self.refusals.reduction_end
            && !self.recovery.is_repairing(self.unacknowledged)
    }

    /// True if all that was sent is acknowledged. On an open connection, a timer that still runs is then
    /// that of a local retry.
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

    pub(super) fn reduce_window(&mut self, now: Time) {
        let first = self.unacknowledged;
        if first < self.refusals.reduction_end || self.recovery.is_repairing(first) {
            return;
        }
        // With nothing in flight the window ends with the first ACK, whatever is refused until then.
        self.refusals.reduction_end = self.sent_end.max(first + 1);
        let path = self.path(now, None);
        self.congestion.reduce(path);
    }
}
