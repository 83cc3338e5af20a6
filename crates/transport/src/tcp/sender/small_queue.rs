//! TCP small queues: a sender keeps little in the queue of its own host.  [linux-tsq]
//!
//! Segments that wait there have left the window and are not in the network yet. A sender that fills that queue delays all
//! others behind it, and its own round trip with them.

use airfair_units::{Bytes, Duration, Time};

use super::{Sender, State};
use crate::tcp::config::Arithmetic;
use crate::tcp::segment::{HEADERS, TIMESTAMPS_OPTION};

/// Bursts that may wait, however low the pacing rate is.
const LEAST_BURSTS: u64 = 2;
/// Octets that may wait, however high it is, or as long as it is not known.  `tcp_limit_output_bytes` [linux-tsq]
const MOST_OCTETS: u64 = 4 << 20;

/// Account of a sender's packets in the queue of its own host.
#[derive(Debug, Default)]
pub(super) struct SmallQueue {
    /// Octets that wait there or are in service, headers included.
    held: u64,
    /// True if the sender waits for some of them to leave.
    is_waiting: bool,
    usage: Usage,
}

/// Memory of how much of cwnd was in use, as long as what was sent then is not acknowledged: a sender that waits for its own
/// host between two ACKs is limited by cwnd all the same.  `tcp_cwnd_validate` [linux-tsq]
#[derive(Debug, Default)]
struct Usage {
    /// True if cwnd has limited the sender.
    is_full: bool,
    /// Most octets that were outstanding.
    most: u64,
    /// One past the last octet sent when that was noted.
    end: u64,
}

impl Sender {
    /// True if it keeps little in the queue of its own host, and wants to know what leaves it.
    pub fn has_small_queue(&self) -> bool {
        self.small_queue.is_some()
    }

    /// A packet of so many octets has left the queue of its own host, or was refused there. True if the sender has
    /// waited for that.
    pub fn handle_departure(&mut self, size: Bytes) -> bool {
        let Some(queue) = &mut self.small_queue else { return false };
        queue.held = queue.held.saturating_sub(size.get());
        let (held, is_waiting) = (queue.held, queue.is_waiting);
        is_waiting && held <= self.small_queue_limit()
    }

    /// Octets that have to leave the queue of its own host before the sender goes on; none if it does not wait for that.
    pub fn awaited_departures(&self) -> Option<Bytes> {
        let queue = self.small_queue.as_ref().filter(|queue| queue.is_waiting)?;
        Some(Bytes::new(queue.held.saturating_sub(self.small_queue_limit())))
    }

    /// True if the next segment has to wait until others have left the queue of its own host.
    /// `tcp_small_queue_check` [linux-tsq]
    #[inline]
    pub(super) fn waits_for_departures(&mut self, now: Time) -> bool {
        let Some(queue) = &mut self.small_queue else { return false };
        queue.is_waiting = false;
        let held = queue.held;
        held > 0 && self.holds_back(now, held)
    }

    #[inline(never)]
    fn holds_back(&mut self, now: Time, held: u64) -> bool {
        // Where one segment is in flight at most the next one may go in any case, and two that are one in Linux are not torn
        // apart.
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

    /// Most octets in the queue of its own host with which another segment may go there. Twice as many in a repair.
    fn small_queue_limit(&self) -> u64 {
        let options = if self.config.timestamps { u64::from(TIMESTAMPS_OPTION) } else { 0 };
        let is_in_twos = self.by_time.is_some() && self.config.arithmetic == Arithmetic::Linux;
        let burst = (self.segment + HEADERS + options) * if is_in_twos { 2 } else { 1 };
        let paced = self.config.small_queue.map_or(Some(0), |time| self.paced(time));
        let limit =
            paced.map_or(MOST_OCTETS, |octets| octets.max(LEAST_BURSTS * burst).min(MOST_OCTETS));
        let is_repair = self.is_retransmission_due
            || self.next < self.sent_end
            || self.recovery.is_repairing(self.unacknowledged);
        if is_repair { 2 * limit } else { limit }
    }

    /// Octets that pacing would send in this time: at twice the rate of cwnd in each round trip as long as cwnd is below half
    /// of ssthresh, else at a fifth more than it. None before a round trip is known.  `tcp_update_pacing_rate` [linux-tsq]
    fn paced(&self, time: Duration) -> Option<u64> {
        let round_trip = u128::from(self.rtt.smoothed()?.as_nanos().max(1));
        let window = u128::from(self.congestion.cwnd().max(self.flight_octets()));
        let tenths = if self.congestion.is_below_half_of_ssthresh() { 20 } else { 12 };
        let octets = window * tenths * u128::from(time.as_nanos()) / (10 * round_trip);
        Some(u64::try_from(octets).unwrap_or(u64::MAX))
    }

    /// A packet of so many octets goes to the queue of its own host.
    #[inline]
    pub(super) fn note_queued(&mut self, size: Bytes) {
        let is_full = || self.in_network().get() + self.segment > self.congestion.cwnd();
        let is_full = self.small_queue.is_some() && is_full();
        let flight = self.flight_octets();
        let Some(SmallQueue { held, usage, .. }) = &mut self.small_queue else { return };
        *held += size.get();
        if self.unacknowledged >= usage.end || is_full || (!usage.is_full && flight > usage.most) {
            *usage = Usage { is_full, most: flight, end: self.next };
        }
    }

    /// True if cwnd has limited the sender of late, or has, in slow start, not doubled beyond what was outstanding.
    /// `tcp_is_cwnd_limited` [linux-tsq]
    #[inline]
    pub(super) fn was_cwnd_limited(&self) -> bool {
        let Some(SmallQueue { usage, .. }) = &self.small_queue else { return false };
        let may_double =
            || self.congestion.is_in_slow_start() && self.congestion.cwnd() < 2 * usage.most;
        usage.is_full || may_double()
    }
}
