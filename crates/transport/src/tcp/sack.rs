//! The SACK scoreboard: which octets have arrived beyond the acknowledgment, are lost or are in the network,
//! and which to send next.  [RFC6675]
//!
//! ```text
//!  unacknowledged                lost end       high rxt                          next
//!     │░░░░░░░│▓▓▓▓│░░░░░░░░░░│▓▓▓▓│░░░░░░░│▓▓▓▓│·······│▓▓▓▓│·················│
//!     ▓ sacked   ░ retransmitted   · in the network, as far as the sender knows
//! ```

use airfair_laws::newreno::DUPLICATE_THRESHOLD;
use airfair_laws::prr;
use airfair_units::Bytes;

use super::ranges::{Range, RangeSet};
use super::segment::Segment;

/// Changes that the SACK blocks of an ACK report.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SackUpdate {
    /// Octets that the SACK blocks report for the first time.
    pub(crate) sacked: u64,
    /// Octets acknowledged for the first time, cumulatively or selectively: `DeliveredData`.
    pub(crate) delivered: u64,
    /// True if the first block reports a duplicate segment.  [RFC2883 §4]
    pub(crate) is_duplicate_reported: bool,
}

#[derive(Clone, Debug)]
pub(crate) struct Scoreboard {
    /// SMSS: payload of a full segment [octets].
    segment: u64,
    /// Sacked octets beyond `unacknowledged`.
    ranges: RangeSet,
    /// Number of sacked octets in `ranges`.
    sacked: u64,
    /// SND.UNA after the last ACK: first octet not acknowledged.
    unacknowledged: u64,
    /// End of the lost part: all octets below it are lost, unless they are sacked.  `IsLost` [RFC6675 §4]
    lost_end: u64,
    /// `HighRxt` plus 1: one past the highest octet retransmitted in this recovery.
    high_retransmitted: u64,
    /// `RescueRxt` plus 1: an ACK above this number allows the rescue retransmission.
    rescued: u64,
    /// `pipe`: estimate of the octets in the network during recovery.  `SetPipe` [RFC6675 §4]
    pipe: u64,
    /// State of proportional rate reduction in recovery, if it is used.
    prr: Option<prr::State>,
    /// Window of proportional rate reduction after the last ACK [octets].
    prr_window: u64,
}

impl Scoreboard {
    pub(crate) fn new(segment: u64) -> Self {
        Self {
            segment,
            ranges: RangeSet::default(),
            sacked: 0,
            unacknowledged: 0,
            lost_end: 0,
            high_retransmitted: 0,
            rescued: 0,
            pipe: 0,
            prr: None,
            prr_window: 0,
        }
    }

    /// Updates the scoreboard with an ACK, when octets up to `sent_end` have been sent.  `Update`
    /// [RFC6675 §4], [RFC2883 §4.2]
    #[inline]
    pub(crate) fn on_ack(&mut self, ack: u64, sent_end: u64, segment: &Segment) -> SackUpdate {
        let acked = ack - self.unacknowledged;
        self.unacknowledged = ack;
        if segment.sack.is_empty() && self.ranges.is_empty() {
            return SackUpdate { sacked: 0, delivered: acked, is_duplicate_reported: false };
        }
        let known = self.ranges.remove_below(ack);
        self.sacked -= known;
        let mut sacked = 0;
        for (start, end) in segment.sack.iter(segment.ack) {
            let start = start.max(ack);
            if start < end && end <= sent_end {
                sacked += self.ranges.insert(start, end);
            }
        }
        self.sacked += sacked;
        self.lost_end = self.lost_end();
        let delivered = acked - known + sacked;
        SackUpdate { sacked, delivered, is_duplicate_reported: reports_duplicate(segment) }
    }

    /// Octets that an ACK acknowledges or sacks for the first time, when octets up to `sent_end` have been sent. The
    /// scoreboard is not changed.
    pub(crate) fn would_deliver(&self, sent_end: u64, segment: &Segment) -> u64 {
        if segment.sack.is_empty() && self.ranges.is_empty() {
            return segment.ack - self.unacknowledged;
        }
        self.clone().on_ack(segment.ack, sent_end, segment).delivered
    }

    /// Forgets all SACK information after a time-out, because the receiver may have discarded the data.
    /// [RFC2018 §5.1]
    pub(crate) fn on_timeout(&mut self) {
        self.ranges.clear();
        self.sacked = 0;
        self.lost_end = 0;
        self.prr = None;
    }

    /// True if the first octet is lost: three sacked ranges, or more than two segments, are above it.
    /// `IsLost` [RFC6675 §4]
    pub(crate) fn is_first_lost(&self) -> bool {
        self.lost_end > self.unacknowledged
    }

    /// Starts a recovery with the scoreboard, when octets below `next` have been sent.  [RFC6675 §5 step 4]
    pub(crate) fn enter(&mut self, next: u64, has_prr: bool) {
        self.high_retransmitted = self.unacknowledged;
        self.rescued = 0;
        let flight = Bytes::new(next - self.unacknowledged);
        self.prr = has_prr.then(|| prr::State::new(flight));
    }

    /// Ends proportional rate reduction, because cwnd was set from outside the law. The rest of the recovery
    /// uses that cwnd.
    pub(crate) fn end_prr(&mut self) {
        self.prr = None;
    }

    /// Updates `pipe` and the window after an ACK in recovery, including the ACK that started it.
    /// [RFC6675 §5 steps B and C], [RFC6937 §3]
    pub(crate) fn on_ack_in_recovery(&mut self, next: u64, delivered: u64, cwnd: u64) {
        self.high_retransmitted = self.high_retransmitted.max(self.unacknowledged);
        let unsacked = next - self.unacknowledged - self.sacked;
        let lost_end = self.lost_end.max(self.unacknowledged);
        let lost = lost_end - self.unacknowledged - self.ranges.count_below(lost_end);
        let again = self.high_retransmitted
            - self.unacknowledged
            - self.ranges.count_below(self.high_retransmitted);
        self.pipe = unsacked - lost + again;
        let Some(state) = self.prr else { return };
        let seen = prr::Observation {
            delivered: Bytes::new(delivered),
            pipe: Bytes::new(self.pipe),
            ssthresh: Bytes::new(cwnd),
            segment: Bytes::new(self.segment),
        };
        let (state, allowance) = prr::step(state, &seen);
        self.prr = Some(state);
        self.prr_window = self.pipe + allowance.get();
    }

    #[inline]
    pub(crate) fn pipe(&self) -> u64 {
        self.pipe
    }

    /// Window that limits `pipe` during recovery: that of proportional rate reduction if it is in use, else
    /// `cwnd` [octets].
    pub(crate) fn window(&self, cwnd: u64) -> u64 {
        if self.prr.is_some() { self.prr_window } else { cwnd }
    }

    /// Number of octets below `next` that are in the network, outside recovery.
    #[inline]
    pub(crate) fn outstanding(&self, next: u64) -> u64 {
        next - self.unacknowledged - self.ranges.count_below(next)
    }

    /// First gap between sacked ranges, at or after `from` and below `sent_end`, cut to one segment.
    pub(crate) fn gap(&self, from: u64, sent_end: u64) -> Option<Range> {
        let gap = self.ranges.gap(from, sent_end)?;
        Some(Range { start: gap.start, end: gap.end.min(gap.start + self.segment) })
    }

    /// First lost octets that have not been retransmitted.  `NextSeg` rule 1 [RFC6675 §4]
    pub(crate) fn next_lost(&self) -> Option<Range> {
        self.gap(self.high_retransmitted, self.lost_end)
    }

    /// First octets below the highest sacked range that were not retransmitted, lost or not. `NextSeg` rule 3
    /// [RFC6675 §4]
    pub(crate) fn next_unsacked(&self) -> Option<Range> {
        self.gap(self.high_retransmitted, self.ranges.last()?.start)
    }

    /// Rescue retransmission of the last octets not sacked, once per recovery.  `NextSeg` rule 4 [RFC6675 §4]
    pub(crate) fn rescue(&mut self, sent_end: u64, recovery_point: u64) -> Option<Range> {
        if self.unacknowledged <= self.rescued {
            return None;
        }
        let (end, floor) = match *self.ranges {
            [.., last] if last.end < sent_end => (sent_end, last.end),
            [.., before, last] => (last.start, before.end),
            [last] => (last.start, self.unacknowledged),
            [] => (sent_end, self.unacknowledged),
        };
        self.rescued = recovery_point;
        Some(Range { start: floor.max(end.saturating_sub(self.segment)), end })
    }

    /// Adds `length` octets sent in recovery to `pipe`.
    pub(crate) fn on_sent(&mut self, length: u64) {
        self.pipe += length;
        if let Some(state) = &mut self.prr {
            state.sent += Bytes::new(length);
        }
    }

    /// Subtracts from `pipe` the `length` octets of a segment that the sender's own host refused in recovery.
    pub(crate) fn on_taken_back(&mut self, length: u64) {
        self.pipe -= length;
        if let Some(state) = &mut self.prr {
            state.sent -= Bytes::new(length);
        }
    }

    /// Records a retransmission up to `end`. The first one of a recovery also delays the rescue
    /// retransmission. [RFC6675 §5 step 4.3]
    pub(crate) fn on_retransmitted(&mut self, end: u64, is_first: bool) {
        self.high_retransmitted = end;
        if is_first {
            self.rescued = end;
        }
    }

    /// End of the lost part by `IsLost` [RFC6675 §4]: start of the third sacked range from the top, or start
    /// of the range from which on more than two segments are sacked, whichever is higher.
    fn lost_end(&self) -> u64 {
        let mut octets = 0;
        for (count, range) in (1..).zip(self.ranges.iter().rev()) {
            octets += range.end - range.start;
            if count >= DUPLICATE_THRESHOLD
                || octets > u64::from(DUPLICATE_THRESHOLD - 1) * self.segment
            {
                return range.start;
            }
        }
        0
    }
}

/// True if the first SACK block reports a duplicate: it is below the acknowledgment or inside the second
/// block.  [RFC2883 §4.2]
pub(crate) fn reports_duplicate(segment: &Segment) -> bool {
    let mut blocks = segment.sack.iter(segment.ack);
    let Some((start, end)) = blocks.next() else { return false };
    end <= segment.ack || blocks.next().is_some_and(|(from, to)| from <= start && end <= to)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tcp::segment::SackBlocks;

    fn ack(ack: u64, ranges: &[(u64, u64)]) -> Segment {
        let mut sack = SackBlocks::NONE;
        for (start, end) in ranges {
            sack.push(ack, *start, *end);
        }
        Segment { ack, sack, ..Segment::EMPTY }
    }

    fn take(board: &mut Scoreboard, number: u64, ranges: &[(u64, u64)]) -> (u64, u64) {
        let update = board.on_ack(number, 10_000, &ack(number, ranges));
        (update.sacked, update.delivered)
    }

    /// Octets that were sacked before do not count as delivered again when an ACK covers them.
    ///
    /// Verifies: [RFC6937 §3]
    #[test]
    fn an_ack_delivers_only_octets_not_sacked_before() {
        let mut board = Scoreboard::new(1_000);
        assert_eq!(take(&mut board, 1_000, &[]), (0, 1_000));
        assert_eq!(take(&mut board, 1_000, &[(3_000, 5_000)]), (2_000, 2_000));
        assert_eq!(take(&mut board, 1_000, &[(2_500, 4_000)]), (500, 500));
        // 3500 more are acknowledged, of which 2000 were sacked before; 1000 beyond are sacked.
        assert_eq!(take(&mut board, 4_500, &[(6_000, 7_000)]), (1_000, 3_500 - 2_000 + 1_000));
        assert_eq!(take(&mut board, 9_000, &[]), (0, 4_500 - 500 - 1_000));
        assert_eq!(board.outstanding(10_000), 1_000);
    }

    /// Octets count as lost below three sacked ranges, however small, or below more than two sacked segments.
    ///
    /// Verifies: [RFC6675 §4]
    #[test]
    fn octets_below_three_ranges_or_two_segments_are_lost() {
        let mut board = Scoreboard::new(1_000);
        take(&mut board, 1, &[(2_000, 2_100), (3_000, 3_100)]);
        assert!(!board.is_first_lost());
        take(&mut board, 1, &[(4_000, 4_100)]);
        assert_eq!((board.is_first_lost(), board.lost_end), (true, 2_000));
        take(&mut board, 1, &[(6_000, 8_000)]);
        // Exactly 2000 octets are sacked from 6000 on, and 2100 from 4000 on.
        assert_eq!(board.lost_end, 4_000);
        take(&mut board, 1, &[(8_000, 8_001)]);
        assert_eq!(board.lost_end, 6_000);
    }
}
