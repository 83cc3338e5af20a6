//! RACK: loss detection by time.  [RFC8985 §5 and §6]
//!
//! Each segment keeps the time of its last transmission. A segment is lost if another one, sent sufficiently
//! later, has arrived. RACK thus also detects lost retransmissions, which duplicate ACKs cannot.
//!
//! ```text
//!                 sent ──► outstanding ── sacked ──► sacked ──┐
//!                              │  ▲                           ├──► acknowledged
//!  a round trip and the window │  │ sent again                │
//!      of reordering after it  ▼  │                           │
//!                             lost ───────────────────────────┘
//! ```

use std::collections::VecDeque;

use airfair_laws::newreno::DUPLICATE_THRESHOLD;
use airfair_units::{Duration, Time};

use super::delivery::RateSampler;
use super::ranges::Range;
use super::sack::reports_duplicate;
use super::segment::Segment;

/// Number of recoveries without a reported duplicate after which the reordering window is reset.
/// [RFC8985 §6.2 step 4]
const PERSISTENCE: u32 = 16;

/// State of a sent segment that is not acknowledged cumulatively.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum SegmentState {
    /// The segment is in the network, as far as the sender knows.
    Outstanding,
    /// The segment arrived out of order, and a SACK block reported it.
    Sacked,
    /// The segment is lost and was not retransmitted since.
    Lost,
}

/// A sent segment that is not acknowledged cumulatively.
#[derive(Clone, Copy, Debug)]
struct SentSegment {
    /// One past the last octet of the segment.
    end: u64,
    /// `xmit_ts`: time of the segment's last transmission.
    at: Time,
    /// True if the segment has been retransmitted.
    is_retransmitted: bool,
    state: SegmentState,
}

/// Key by which transmissions are ordered: time, then end of the segment [octets].  `RACK_sent_after`
/// [RFC8985 §6.2 step 2]
type TransmissionOrder = (Time, u64);

/// Changes that an ACK reports about the sent segments.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct RackUpdate {
    /// Octets that the ACK acknowledges or sacks for the first time.
    pub(crate) delivered: u64,
    /// Longest round trip of the newly delivered segments that were sent once, for the time-out; `None` if
    /// one of those acknowledged was retransmitted.
    pub(crate) longest: Option<Duration>,
    /// Shortest round trip of the newly delivered segments that were sent once, for congestion control.
    pub(crate) shortest: Option<Duration>,
    /// True if the first SACK block reports a duplicate.  [RFC2883 §4]
    pub(crate) is_duplicate_reported: bool,
}

/// Result of one run of RACK's loss detection.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Losses {
    /// Octets that this run of RACK's loss detection has marked as lost and that were not marked before.
    pub(crate) octets: u64,
    /// Time until more segments count as lost unless they arrive, for RACK's reordering timer; `None` if
    /// there are no such segments.
    pub(crate) wait: Option<Duration>,
}

/// Observed reordering, which sets the reordering window.  [RFC8985 §6.2 steps 3 and 4]
#[derive(Clone, Copy, Debug)]
struct Reordering {
    /// `RACK.reordering_seen`: true once reordering was observed.
    is_seen: bool,
    /// `RACK.reo_wnd_mult`: size of the reordering window [quarters of the smallest round trip].
    quarters: u32,
    /// `RACK.reo_wnd_persist`: number of recoveries until the reordering window is reset.
    persistence: u32,
    /// `RACK.dsack_round`: one past the highest octet sent when the reordering window was last widened. An
    /// ACK from there on ends the round trip.
    round_end: Option<u64>,
}

impl Reordering {
    const NONE: Self =
        Self { is_seen: false, quarters: 1, persistence: PERSISTENCE, round_end: None };

    /// Widens the reordering window, at most once per round trip, if the ACK reports a duplicate: the
    /// retransmission was not needed, so the window was too small. The ACK is up to `ack`, and octets up to
    /// `next` were sent.
    fn on_ack(&mut self, ack: u64, next: u64, is_duplicate_reported: bool) {
        self.round_end = self.round_end.filter(|end| ack < *end);
        if is_duplicate_reported && self.round_end.is_none() {
            self.round_end = Some(next);
            self.quarters += 1;
            self.persistence = PERSISTENCE;
        }
    }

    /// Counts a recovery that has ended. After [`PERSISTENCE`] of them the reordering window is reset.
    fn on_recovered(&mut self) {
        self.persistence = self.persistence.saturating_sub(1);
        if self.persistence == 0 {
            self.quarters = 1;
        }
    }
}

/// Round-trip times and phase of recovery that RACK's loss detection needs.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RackInput {
    pub(crate) now: Time,
    pub(crate) least: Option<Duration>,
    pub(crate) smoothed: Option<Duration>,
    /// True during a loss recovery, including the one after a time-out.
    pub(crate) is_repairing: bool,
}

/// RACK's state of one sender: its segments that are not acknowledged, in order of sequence numbers.
#[derive(Clone, Debug)]
pub(crate) struct Rack {
    first: u64,
    sent: VecDeque<SentSegment>,
    /// Octets in the network: sent, and neither arrived nor lost.
    in_network: u64,
    /// Octets that are lost and have not been retransmitted.
    lost: u64,
    /// Number of sacked segments in `sent`.
    sacked: u32,
    /// `RACK.xmit_ts` and `RACK.end_seq`: the latest transmission that has arrived.
    latest_delivered: Option<TransmissionOrder>,
    /// `RACK.rtt`: round trip of `latest_delivered`.
    round_trip: Duration,
    /// `RACK.fack`: one past the highest octet that has arrived.
    highest_delivered: u64,
    reordering: Reordering,
    /// Delivery rate sampler, of flavours with a model of the path.
    pub(crate) sampler: Option<Box<RateSampler>>,
}

impl Rack {
    /// Creates RACK's state of a sender whose first octet is `first`, with delivery rate samples if `samples`.
    pub(crate) fn new(first: u64, samples: bool) -> Self {
        Self {
            first,
            sent: VecDeque::new(),
            in_network: 0,
            lost: 0,
            sacked: 0,
            latest_delivered: None,
            round_trip: Duration::ZERO,
            highest_delivered: first,
            reordering: Reordering::NONE,
            sampler: samples.then(Box::default),
        }
    }

    pub(crate) fn in_network(&self) -> u64 {
        self.in_network
    }

    /// True if a segment has arrived out of order.
    pub(crate) fn has_sacked(&self) -> bool {
        self.sacked > 0
    }

    /// True if exactly one segment is not acknowledged.
    pub(crate) fn is_single(&self) -> bool {
        self.sent.len() == 1
    }

    /// Time of the last transmission of the first segment that is not acknowledged.
    pub(crate) fn first_sent(&self) -> Option<Time> {
        self.sent.front().map(|first| first.at)
    }

    /// The last segment that is not acknowledged.
    pub(crate) fn last(&self) -> Option<Range> {
        let index = self.sent.len().checked_sub(1)?;
        Some(self.range(index))
    }

    /// The first segment that is lost and was not retransmitted.
    pub(crate) fn next_lost(&self) -> Option<Range> {
        if self.lost == 0 {
            return None;
        }
        let index = self.sent.iter().position(|segment| segment.state == SegmentState::Lost)?;
        Some(self.range(index))
    }

    /// Records the transmission of `start..end`: a new segment, or a retransmission with the same bounds.
    pub(crate) fn on_sent(&mut self, now: Time, start: u64, end: u64) {
        if start >= self.sent.back().map_or(self.first, |last| last.end) {
            self.sent.push_back(SentSegment {
                end,
                at: now,
                is_retransmitted: false,
                state: SegmentState::Outstanding,
            });
            self.in_network += end - start;
            if let Some(sampler) = &mut self.sampler {
                sampler.on_sent(now, self.sent.len() - 1, end - start, self.in_network);
            }
            return;
        }
        let index = self.index(start);
        let length = self.length(index);
        let segment = &mut self.sent[index];
        debug_assert!(
            segment.end == end && segment.state != SegmentState::Sacked,
            "{start} is not a segment"
        );
        (segment.at, segment.is_retransmitted) = (now, true);
        if segment.state == SegmentState::Lost {
            segment.state = SegmentState::Outstanding;
            self.lost -= length;
            self.in_network += length;
        }
        if let Some(sampler) = &mut self.sampler {
            sampler.on_sent(now, index, length, self.in_network);
        }
    }

    /// Splits the segment that begins with `start` at `end`, because the receiver's window ends there.
    pub(crate) fn split(&mut self, start: u64, end: u64) {
        let index = self.index(start);
        let segment = self.sent[index];
        if end < segment.end {
            self.sent.insert(index, SentSegment { end, ..segment });
            self.sacked += u32::from(segment.state == SegmentState::Sacked);
            if let Some(sampler) = &mut self.sampler {
                sampler.split(index);
            }
        }
    }

    /// Removes the last segment, which was new and which the sender's own host refused.
    pub(crate) fn on_taken_back(&mut self) {
        if let Some(last) = self.last() {
            self.in_network -= last.end - last.start;
            self.sent.pop_back();
            if let Some(sampler) = &mut self.sampler {
                sampler.pop_back();
            }
        }
    }

    /// Marks the retransmission that begins with `start` as lost again, because the sender's own host refused
    /// it.
    pub(crate) fn on_refused(&mut self, start: u64) {
        let index = self.index(start);
        if index < self.sent.len() {
            self.mark_lost(index);
        }
    }

    /// Processes an ACK, when all octets below `next` have been sent.  [RFC8985 §6.2 steps 2 to 4]
    pub(crate) fn on_ack(&mut self, segment: &Segment, next: u64, input: RackInput) -> RackUpdate {
        let is_duplicate_reported = reports_duplicate(segment);
        let mut update = RackUpdate { is_duplicate_reported, ..RackUpdate::default() };
        let mut has_retransmitted = false;
        while let Some(first) = self.sent.front().copied().filter(|it| it.end <= segment.ack) {
            has_retransmitted |= first.is_retransmitted && first.state != SegmentState::Sacked;
            let is_earlier_copy = first.is_retransmitted && segment.echoes_before(first.at);
            self.arrive(0, input, is_earlier_copy, &mut update);
            self.first = first.end;
            self.sent.pop_front();
            if let Some(sampler) = &mut self.sampler {
                sampler.pop_front();
            }
            self.sacked -= 1;
        }
        self.trim(segment.ack, &mut update);
        for (start, end) in segment.sack.iter(segment.ack) {
            let from = self.index(start.max(segment.ack));
            let behind = self.sent.partition_point(|it| it.end <= end);
            for index in from..behind {
                // With a gap, the timestamp echo is of the segment before the gap and proves nothing about
                // this one.
                self.arrive(index, input, false, &mut update);
            }
        }
        if has_retransmitted {
            update.longest = None;
        }
        self.reordering.on_ack(segment.ack, next, is_duplicate_reported);
        update
    }

    /// Octets that an ACK acknowledges or sacks for the first time. The state is not changed.
    pub(crate) fn would_deliver(&self, segment: &Segment) -> u64 {
        let mut start = self.first;
        let mut delivered = 0;
        for sent in &self.sent {
            if start >= segment.ack && segment.sack.is_empty() {
                break;
            }
            let is_in = |(from, to): (u64, u64)| from <= start && sent.end <= to;
            if sent.state != SegmentState::Sacked {
                let is_sacked = segment.sack.iter(segment.ack).any(is_in);
                let end = if is_sacked { sent.end } else { sent.end.min(segment.ack) };
                delivered += end.saturating_sub(start);
            }
            start = sent.end;
        }
        delivered
    }

    /// Marks as lost each segment sent before the latest delivered one, if a round trip and the reordering
    /// window have passed since its transmission.  [RFC8985 §6.2 step 5]
    pub(crate) fn detect(&mut self, input: RackInput) -> Losses {
        let mut losses = Losses::default();
        let Some(latest_delivered) = self.latest_delivered else { return losses };
        let threshold = self.round_trip + self.reordering_window(input);
        for index in 0..self.sent.len() {
            let segment = self.sent[index];
            if segment.state != SegmentState::Outstanding
                || (segment.at, segment.end) >= latest_delivered
            {
                continue;
            }
            let waited = input.now - segment.at;
            if waited < threshold {
                losses.wait = losses.wait.max(Some(threshold - waited));
            } else {
                losses.octets += self.length(index);
                self.mark_lost(index);
            }
        }
        losses
    }

    /// Marks as lost, after a time-out, the first segment and each one sent a round trip and the reordering
    /// window ago.  [RFC8985 §6.3]
    pub(crate) fn on_timeout(&mut self, input: RackInput) {
        let threshold = self.round_trip + self.reordering_window(input);
        for index in 0..self.sent.len() {
            let SentSegment { at, state, .. } = self.sent[index];
            if state == SegmentState::Outstanding && (index == 0 || input.now - at >= threshold) {
                self.mark_lost(index);
            }
        }
    }

    /// Counts all lost segments as outstanding again, because the recovery was needless.
    pub(crate) fn undo_losses(&mut self) {
        for segment in self.sent.iter_mut().filter(|segment| segment.state == SegmentState::Lost) {
            segment.state = SegmentState::Outstanding;
        }
        self.in_network += std::mem::take(&mut self.lost);
    }

    pub(crate) fn on_recovered(&mut self) {
        self.reordering.on_recovered();
    }

    /// `RACK.reo_wnd`: reordering window, the time for which a late segment is waited
    /// for.  [RFC8985 §6.2 step 4]
    fn reordering_window(&self, input: RackInput) -> Duration {
        let is_patient =
            self.reordering.is_seen || !(input.is_repairing || self.sacked >= DUPLICATE_THRESHOLD);
        let Some(least) = input.least.filter(|_| is_patient) else { return Duration::ZERO };
        let window = least * u64::from(self.reordering.quarters) / 4;
        input.smoothed.map_or(window, |smoothed| window.min(smoothed))
    }

    /// Records the arrival of the segment at `index`. `is_earlier_copy` is true if the timestamp echo shows
    /// that a copy before the last transmission arrived. [RFC8985 §6.2 steps 2 and 3]
    fn arrive(
        &mut self,
        index: usize,
        input: RackInput,
        is_earlier_copy: bool,
        update: &mut RackUpdate,
    ) {
        let length = self.length(index);
        let segment = self.sent[index];
        match segment.state {
            SegmentState::Sacked => return,
            SegmentState::Outstanding => self.in_network -= length,
            SegmentState::Lost => self.lost -= length,
        }
        self.sent[index].state = SegmentState::Sacked;
        self.sacked += 1;
        update.delivered += length;
        if let Some(sampler) = &mut self.sampler {
            sampler.on_delivered(input.now, index, length, segment.end);
        }
        let round_trip = input.now - segment.at;
        if segment.is_retransmitted {
            // An ACK sooner than the smallest round trip answers an earlier copy.
            if is_earlier_copy || input.least.is_some_and(|least| round_trip < least) {
                return;
            }
        } else {
            update.longest = update.longest.max(Some(round_trip));
            update.shortest = Some(update.shortest.map_or(round_trip, |it| it.min(round_trip)));
            self.reordering.is_seen |= segment.end < self.highest_delivered;
        }
        self.highest_delivered = self.highest_delivered.max(segment.end);
        let order = (segment.at, segment.end);
        if self.latest_delivered.is_none_or(|latest_delivered| order > latest_delivered) {
            (self.latest_delivered, self.round_trip) = (Some(order), round_trip);
        }
    }

    /// Processes an ACK in the middle of the first segment, when the receiver had room for a part of it.
    fn trim(&mut self, ack: u64, update: &mut RackUpdate) {
        let Some(first) = self.sent.front().filter(|_| ack > self.first) else {
            self.first = self.first.max(ack);
            return;
        };
        let part = ack - self.first;
        match first.state {
            SegmentState::Outstanding => self.in_network -= part,
            SegmentState::Lost => self.lost -= part,
            SegmentState::Sacked => {}
        }
        if first.state != SegmentState::Sacked {
            update.delivered += part;
            if let Some(sampler) = &mut self.sampler {
                sampler.on_part_delivered(part);
            }
        }
        self.first = ack;
    }

    fn mark_lost(&mut self, index: usize) {
        if self.sent[index].state == SegmentState::Outstanding {
            let length = self.length(index);
            self.sent[index].state = SegmentState::Lost;
            self.in_network -= length;
            self.lost += length;
            if let Some(sampler) = &mut self.sampler {
                sampler.on_lost(index, length);
            }
        }
    }

    /// Index of the first segment that does not begin below `start`.
    fn index(&self, start: u64) -> usize {
        if start <= self.first {
            return 0;
        }
        let before = self.sent.partition_point(|segment| segment.end < start);
        (before + 1).min(self.sent.len())
    }

    fn range(&self, index: usize) -> Range {
        let start = if index == 0 { self.first } else { self.sent[index - 1].end };
        Range { start, end: self.sent[index].end }
    }

    fn length(&self, index: usize) -> u64 {
        let Range { start, end } = self.range(index);
        end - start
    }
}

#[cfg(test)]
#[path = "rack/tests.rs"]
mod tests;
