//! TCP small queues: the sender keeps only a little data in the transmit queue of its own host.  [linux-tsq]
//!
//! Segments in that queue count against the window but are not in the network yet. A sender that fills the
//! queue delays all other flows in it, and lengthens its own round trip.

use airfair_units::{Bytes, Time};

use super::{CwndUsage, Sender, SmallQueue, State};
use crate::control::Arithmetic;
use crate::tcp::segment::{HEADERS, TIMESTAMPS_OPTION};

/// Number of bursts, each a segment or a pair of segments sent together, that a sender may have in its host's
/// transmit queue, however low the pacing rate is.
const LEAST_BURSTS: u64 = 2;
/// Octets that a sender may have in its host's transmit queue, however high the pacing rate is, or while that
/// is unknown. `tcp_limit_output_bytes` [linux-tsq]
const MOST_OCTETS: u64 = 4 << 20;

impl Sender {
    /// True if TCP small queues are in use. The owner must then call
    /// [`handle_departure`](Self::handle_departure).
    pub fn has_small_queue(&self) -> bool {
        self.small_queue.is_some()
    }

    /// Records that a packet of `size` octets has left the transmit queue of the sender's host, or was
    /// refused there. Returns true if the sender was waiting and may send again.
    pub fn handle_departure(&mut self, size: Bytes) -> bool {
        let Some(queue) = &mut self.small_queue else { return false };
        queue.held = queue.held.saturating_sub(size.get());
        let (held, is_waiting) = (queue.held, queue.is_waiting);
        is_waiting && held <= self.small_queue_limit()
    }

    /// Octets that have to leave the transmit queue of the sender's host before the sender continues; `None`
    /// if the sender is not waiting for that.
    pub fn awaited_departures(&self) -> Option<Bytes> {
        let queue = self.small_queue.as_ref().filter(|queue| queue.is_waiting)?;
        Some(Bytes::new(queue.held.saturating_sub(self.small_queue_limit())))
    }

    /// True if the next segment must wait until others have left the transmit queue of the sender's host.
    /// `tcp_small_queue_check` [linux-tsq]
    #[inline]
    pub(super) fn waits_for_departures(&mut self, now: Time) -> bool {
        let Some(queue) = &mut self.small_queue else { return false };
        queue.is_waiting = false;
        let held = queue.held;
        held > 0 && self.must_wait(now, held)
    }

    #[inline(never)]
    fn must_wait(&mut self, now: Time, held: u64) -> bool {
        // With at most one segment in flight the next may always be sent. Two segments that are one in Linux
        // are not separated.
        let is_free = self.state != State::Open
            || self.is_ack_due
            || self.flight_octets() <= self.segment
            || self.is_second_of_two(now);
        let waits = !is_free && held > self.small_queue_limit();
        if let Some(queue) = &mut self.small_queue {
            queue.is_waiting = waits;
        }
        waits
    }

    /// Octets that the host's transmit queue may hold when the sender adds a segment; twice as many during
    /// loss recovery.
    fn small_queue_limit(&self) -> u64 {
        let options = if self.config.timestamps { u64::from(TIMESTAMPS_OPTION) } else { 0 };
        let is_in_twos = self.rack_tlp.is_some() && self.config.arithmetic == Arithmetic::Linux;
        let burst = (self.segment + HEADERS + options) * if is_in_twos { 2 } else { 1 };
        let paced = self
            .config
            .small_queue
            .map_or(Some(0), |time| Some(self.pacing_rate()?.octets_in(time)));
        let limit =
            paced.map_or(MOST_OCTETS, |octets| octets.max(LEAST_BURSTS * burst).min(MOST_OCTETS));
        let is_repair = self.is_retransmission_due
            || self.next < self.sent_end
            || self.recovery.is_repairing(self.unacknowledged);
        if is_repair { 2 * limit } else { limit }
    }

    /// Records that a packet of `size` octets enters the transmit queue of the sender's host.
    #[inline]
    pub(super) fn note_queued(&mut self, size: Bytes) {
        let is_full = || self.in_network().get() + self.segment > self.congestion.cwnd();
        let is_full = self.small_queue.is_some() && is_full();
        let flight = self.flight_octets();
        let Some(SmallQueue { held, usage, .. }) = &mut self.small_queue else { return };
        *held += size.get();
        if self.unacknowledged >= usage.end || is_full || (!usage.is_full && flight > usage.most) {
            *usage = CwndUsage { is_full, most: flight, end: self.next };
        }
    }

    /// True if cwnd has limited the sender within the last window of data or, in slow start, if cwnd is less
    /// than twice what was outstanding.  `tcp_is_cwnd_limited` [linux-tsq]
    #[inline]
    pub(super) fn was_cwnd_limited(&self) -> bool {
        let Some(SmallQueue { usage, .. }) = &self.small_queue else { return false };
        let may_double =
            || self.congestion.is_in_slow_start() && self.congestion.cwnd() < 2 * usage.most;
        usage.is_full || may_double()
    }
}
