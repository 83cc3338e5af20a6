//! Losses as time tells them.  [RFC8985 §5 and §6]
//!
//! Each segment has the time at which it was last sent. What was sent some time before a segment that has arrived, and has
//! not arrived itself, is lost; so retransmissions are found lost as well, for which counts of duplicates have no word.
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

use super::ranges::Range;
use super::sack::reports_duplicate;
use super::segment::Segment;

/// Recoveries without a duplicate after which a wider window of reordering is given up.  [RFC8985 §6.2 step 4]
const PERSISTENCE: u32 = 16;

/// State of a segment that is not acknowledged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fate {
    /// In the network, as far as anyone knows.
    Outstanding,
    /// Arrived, out of order.
    Sacked,
    /// Lost, and not sent again since.
    Lost,
}

/// A segment that is not acknowledged.
#[derive(Clone, Copy, Debug)]
struct Sent {
    /// One past its last octet.
    end: u64,
    /// Time of the last transmission: `xmit_ts`.
    at: Time,
    /// True once it was sent again.
    is_again: bool,
    fate: Fate,
}

/// Order of transmissions: by time, then by octets.  `RACK_sent_after` [RFC8985 §6.2 step 2]
type Order = (Time, u64);

/// News in an ACK.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct News {
    /// Octets that have arrived, acknowledged or sacked for the first time.
    pub(crate) delivered: u64,
    /// Round trip of the earliest of them that was sent once, unless another was sent again: for the time-out.
    pub(crate) longest: Option<Duration>,
    /// Round trip of the latest of them that was sent once: for congestion control.
    pub(crate) shortest: Option<Duration>,
    /// True if the first block reports a duplicate.  [RFC2883 §4]
    pub(crate) is_duplicate_reported: bool,
}

/// What a look at the times has shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Losses {
    /// Octets found lost.
    pub(crate) octets: u64,
    /// Time until more will be, unless it arrives: the reordering timer.
    pub(crate) wait: Option<Duration>,
}

/// Memory about reordering.  [RFC8985 §6.2 steps 3 and 4]
#[derive(Clone, Copy, Debug)]
struct Reordering {
    /// `RACK.reordering_seen`.
    is_seen: bool,
    /// `RACK.reo_wnd_mult` [quarters of the least round trip].
    quarters: u32,
    /// `RACK.reo_wnd_persist` [recoveries].
    persistence: u32,
    /// `RACK.dsack_round`.
    round_end: Option<u64>,
}

impl Reordering {
    const NONE: Self =
        Self { is_seen: false, quarters: 1, persistence: PERSISTENCE, round_end: None };

    /// An ACK up to `ack`, with octets up to `next` sent: a duplicate says that a retransmission was not needed,
    /// so the window was too small. Once a round trip.
    fn on_ack(&mut self, ack: u64, next: u64, is_duplicate_reported: bool) {
        self.round_end = self.round_end.filter(|end| ack < *end);
        if is_duplicate_reported && self.round_end.is_none() {
            self.round_end = Some(next);
            self.quarters += 1;
            self.persistence = PERSISTENCE;
        }
    }

    /// A recovery has ended.
    fn on_recovered(&mut self) {
        self.persistence = self.persistence.saturating_sub(1);
        if self.persistence == 0 {
            self.quarters = 1;
        }
    }
}

/// Path and phase, as a look at the times needs them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct View {
    pub(crate) now: Time,
    /// Least round trip.
    pub(crate) least: Option<Duration>,
    /// SRTT.
    pub(crate) smoothed: Option<Duration>,
    /// True while a loss is being repaired, after a time-out as well.
    pub(crate) is_repairing: bool,
}

/// The segments of one sender that are not acknowledged, in order.
#[derive(Debug)]
pub(crate) struct Rack {
    /// SND.UNA.
    first: u64,
    sent: VecDeque<Sent>,
    /// Octets in the network.
    in_network: u64,
    /// Octets lost and not sent again.
    lost: u64,
    /// Number of segments sacked.
    sacked: u32,
    /// The last transmission that has arrived: `RACK.xmit_ts` and `RACK.end_seq`.
    newest: Option<Order>,
    /// Its round trip: `RACK.rtt`.
    round_trip: Duration,
    /// One past the highest octet that has arrived: `RACK.fack`.
    highest: u64,
    reordering: Reordering,
}

impl Rack {
    /// Nothing is sent below `first`.
    pub(crate) fn new(first: u64) -> Self {
        Self {
            first,
            sent: VecDeque::new(),
            in_network: 0,
            lost: 0,
            sacked: 0,
            newest: None,
            round_trip: Duration::ZERO,
            highest: first,
            reordering: Reordering::NONE,
        }
    }

    /// Octets in the network: sent, and neither arrived nor lost.
    pub(crate) fn in_network(&self) -> u64 {
        self.in_network
    }

    /// True if something has arrived out of order.
    pub(crate) fn has_sacked(&self) -> bool {
        self.sacked > 0
    }

    /// True if one segment alone is not acknowledged.
    pub(crate) fn is_single(&self) -> bool {
        self.sent.len() == 1
    }

    /// Time of the last transmission of the first segment.
    pub(crate) fn first_sent(&self) -> Option<Time> {
        self.sent.front().map(|first| first.at)
    }

    /// The last segment.
    pub(crate) fn last(&self) -> Option<Range> {
        let index = self.sent.len().checked_sub(1)?;
        Some(self.range(index))
    }

    /// The first segment that is lost and was not sent again.
    pub(crate) fn next_lost(&self) -> Option<Range> {
        if self.lost == 0 {
            return None;
        }
        let index = self.sent.iter().position(|segment| segment.fate == Fate::Lost)?;
        Some(self.range(index))
    }

    /// Octets `start..end` go out: a new segment, or one as it was sent before.
    pub(crate) fn on_sent(&mut self, now: Time, start: u64, end: u64) {
        if start >= self.sent.back().map_or(self.first, |last| last.end) {
            self.sent.push_back(Sent { end, at: now, is_again: false, fate: Fate::Outstanding });
            self.in_network += end - start;
            return;
        }
        let index = self.index(start);
        let length = self.length(index);
        let segment = &mut self.sent[index];
        debug_assert!(
            segment.end == end && segment.fate != Fate::Sacked,
            "{start} is not a segment"
        );
        (segment.at, segment.is_again) = (now, true);
        if segment.fate == Fate::Lost {
            segment.fate = Fate::Outstanding;
            self.lost -= length;
            self.in_network += length;
        }
    }

    /// The segment that begins with `start` becomes two, of which the first ends at `end`: its receiver has room for no
    /// more.
    pub(crate) fn split(&mut self, start: u64, end: u64) {
        let index = self.index(start);
        let segment = self.sent[index];
        if end < segment.end {
            self.sent.insert(index, Sent { end, ..segment });
            self.sacked += u32::from(segment.fate == Fate::Sacked);
        }
    }

    /// The last segment, which was new, did not go out.
    pub(crate) fn on_taken_back(&mut self) {
        if let Some(last) = self.last() {
            self.in_network -= last.end - last.start;
            self.sent.pop_back();
        }
    }

    /// The segment that begins with `start` was sent again, and did not go out.
    pub(crate) fn on_refused(&mut self, start: u64) {
        let index = self.index(start);
        if index < self.sent.len() {
            self.lose(index);
        }
    }

    /// Takes an ACK, with octets up to `next` sent.  [RFC8985 §6.2 steps 2 to 4]
    pub(crate) fn on_ack(&mut self, segment: &Segment, next: u64, view: View) -> News {
        let is_duplicate_reported = reports_duplicate(segment);
        let mut news = News { is_duplicate_reported, ..News::default() };
        let mut has_again = false;
        while let Some(first) = self.sent.front().copied().filter(|it| it.end <= segment.ack) {
            has_again |= first.is_again && first.fate != Fate::Sacked;
            let is_earlier_copy = first.is_again && segment.echoes_before(first.at);
            self.arrive(0, view, is_earlier_copy, &mut news);
            self.first = first.end;
            self.sent.pop_front();
            self.sacked -= 1;
        }
        self.trim(segment.ack, &mut news);
        for (start, end) in segment.sack.iter(segment.ack) {
            let from = self.index(start.max(segment.ack));
            let behind = self.sent.partition_point(|it| it.end <= end);
            for index in from..behind {
                // The echo is that of what came before the gap, and says nothing.
                self.arrive(index, view, false, &mut news);
            }
        }
        if has_again {
            news.longest = None;
        }
        self.reordering.on_ack(segment.ack, next, is_duplicate_reported);
        news
    }

    /// Looks which segments have been under way for too long.  [RFC8985 §6.2 step 5]
    pub(crate) fn detect(&mut self, view: View) -> Losses {
        let mut losses = Losses::default();
        let Some(newest) = self.newest else { return losses };
        let patience = self.round_trip + self.window(view);
        for index in 0..self.sent.len() {
            let segment = self.sent[index];
            if segment.fate != Fate::Outstanding || (segment.at, segment.end) >= newest {
                continue;
            }
            let waited = view.now - segment.at;
            if waited < patience {
                losses.wait = losses.wait.max(Some(patience - waited));
            } else {
                losses.octets += self.length(index);
                self.lose(index);
            }
        }
        losses
    }

    /// A time-out: the first segment is lost, and all that were sent a round trip ago.  [RFC8985 §6.3]
    pub(crate) fn on_timeout(&mut self, view: View) {
        let patience = self.round_trip + self.window(view);
        for index in 0..self.sent.len() {
            let Sent { at, fate, .. } = self.sent[index];
            if fate == Fate::Outstanding && (index == 0 || view.now - at >= patience) {
                self.lose(index);
            }
        }
    }

    /// Nothing was lost after all.
    pub(crate) fn take_back_losses(&mut self) {
        for segment in self.sent.iter_mut().filter(|segment| segment.fate == Fate::Lost) {
            segment.fate = Fate::Outstanding;
        }
        self.in_network += std::mem::take(&mut self.lost);
    }

    /// A recovery has ended.
    pub(crate) fn on_recovered(&mut self) {
        self.reordering.on_recovered();
    }

    /// `RACK.reo_wnd`.  [RFC8985 §6.2 step 4]
    fn window(&self, view: View) -> Duration {
        let is_patient =
            self.reordering.is_seen || !(view.is_repairing || self.sacked >= DUPLICATE_THRESHOLD);
        let Some(least) = view.least.filter(|_| is_patient) else { return Duration::ZERO };
        let window = least * u64::from(self.reordering.quarters) / 4;
        view.smoothed.map_or(window, |smoothed| window.min(smoothed))
    }

    /// The segment at `index` has arrived; an earlier copy of it than the last one, where the ACK's echo tells so.
    /// [RFC8985 §6.2 steps 2 and 3]
    fn arrive(&mut self, index: usize, view: View, is_earlier_copy: bool, news: &mut News) {
        let length = self.length(index);
        let segment = self.sent[index];
        match segment.fate {
            Fate::Sacked => return,
            Fate::Outstanding => self.in_network -= length,
            Fate::Lost => self.lost -= length,
        }
        self.sent[index].fate = Fate::Sacked;
        self.sacked += 1;
        news.delivered += length;
        let round_trip = view.now - segment.at;
        if segment.is_again {
            // An answer sooner than any before is one to an earlier copy.
            if is_earlier_copy || view.least.is_some_and(|least| round_trip < least) {
                return;
            }
        } else {
            news.longest = news.longest.max(Some(round_trip));
            news.shortest = Some(news.shortest.map_or(round_trip, |it| it.min(round_trip)));
            self.reordering.is_seen |= segment.end < self.highest;
        }
        self.highest = self.highest.max(segment.end);
        let order = (segment.at, segment.end);
        if self.newest.is_none_or(|newest| order > newest) {
            (self.newest, self.round_trip) = (Some(order), round_trip);
        }
    }

    /// An ACK up to `ack` in the middle of the first segment, whose receiver had room for a part.
    fn trim(&mut self, ack: u64, news: &mut News) {
        let Some(first) = self.sent.front().filter(|_| ack > self.first) else {
            self.first = self.first.max(ack);
            return;
        };
        let part = ack - self.first;
        match first.fate {
            Fate::Outstanding => self.in_network -= part,
            Fate::Lost => self.lost -= part,
            Fate::Sacked => {}
        }
        if first.fate != Fate::Sacked {
            news.delivered += part;
        }
        self.first = ack;
    }

    fn lose(&mut self, index: usize) {
        if self.sent[index].fate == Fate::Outstanding {
            let length = self.length(index);
            self.sent[index].fate = Fate::Lost;
            self.in_network -= length;
            self.lost += length;
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
