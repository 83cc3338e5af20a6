//! `CoDel`: a queue whose delay stays above a target drops at its head, more often the longer this lasts.  [RFC8289
//! §5]

use airfair_units::{Bytes, Duration, Time};

use super::config::CoDel;

/// Backlog up to which there is never a standing queue: one packet of Ethernet's MTU with LLC/SNAP. `maxpacket`
/// [RFC8289 §5.2]
const LARGEST_PACKET: Bytes = Bytes::new(1_508);
/// Number of intervals after the end of dropping within which dropping resumes at its former rate.  [RFC8289 §5.5]
const MEMORY_INTERVALS: u64 = 16;

/// State of CoDel for one queue.  [RFC8289 §5.2]
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct State {
    /// Time at which the delay will have been above the target for an interval.
    pub(super) first_above: Option<Time>,
    /// Time of the next drop.
    pub(super) drop_next: Time,
    /// Drops since dropping began.
    pub(super) count: u32,
    /// Value of `count` when dropping began last.
    last_count: u32,
    pub(super) is_dropping: bool,
}

impl State {
    /// Time of the next drop, counted from `from`. The gap between drops shrinks with the square root of their number.
    /// [RFC8289 §5.5]
    pub(super) fn control_law(&self, from: Time, interval: Duration) -> Time {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            clippy::cast_precision_loss,
            reason = "less than 2^53 ns, and rounded down"
        )]
        let gap = (interval.as_nanos() as f64 / f64::from(self.count).sqrt()) as u64;
        from + Duration::from_nanos(gap)
    }

    /// True if CoDel may drop a packet that has waited since `since`, with `left` octets behind it. `dodequeue`
    /// [RFC8289 §5.4]
    pub(super) fn may_drop(&mut self, rule: &CoDel, now: Time, since: Time, left: Bytes) -> bool {
        if now.saturating_since(since) < rule.target || left <= LARGEST_PACKET {
            self.first_above = None;
            return false;
        }
        let first = *self.first_above.get_or_insert(now + rule.interval);
        now >= first
    }

    /// Begins to drop packets, at the former rate if dropping has ended recently.  [RFC8289 §5.5]
    pub(super) fn begin(&mut self, rule: &CoDel, now: Time) {
        self.is_dropping = true;
        let more = self.count - self.last_count;
        let is_recent = now.saturating_since(self.drop_next) < rule.interval * MEMORY_INTERVALS;
        self.count = if more > 1 && is_recent { more } else { 1 };
        self.drop_next = self.control_law(now, rule.interval);
        self.last_count = self.count;
    }
}
