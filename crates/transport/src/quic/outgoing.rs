//! Data that a QUIC sender has to send: new, and lost.  [RFC9000 §13.3]

use std::collections::VecDeque;

use crate::stream::ranges::Range;

/// Data of the stream that waits to be sent.
#[derive(Clone, Debug)]
pub(super) struct Outgoing {
    /// Next octet that has never been sent.
    pub(super) next: u64,
    /// One past the last octet that the application has written; `u64::MAX` if it always has more.
    pub(super) available: u64,
    /// One past the last octet of the stream; `u64::MAX` while the end is unknown.
    end: u64,
    /// Limit of the receiver, `MAX_DATA`.
    max_data: u64,
    /// Data of lost packets, which is sent again in the same pieces.
    pub(super) lost: VecDeque<Range>,
}

impl Outgoing {
    pub(super) fn new(available: u64, max_data: u64) -> Self {
        Self { next: 0, available, end: available, max_data, lost: VecDeque::new() }
    }

    /// Creates the state of a sender to which an application writes.
    pub(super) fn with_source(max_data: u64) -> Self {
        Self { available: 0, ..Self::new(u64::MAX, max_data) }
    }

    /// Ends the stream at what has been sent, unless its end is known.
    pub(super) fn close(&mut self) {
        if self.end == u64::MAX {
            (self.available, self.end) = (self.next, self.next);
        }
    }

    /// True if `acknowledged` octets are all of the stream.
    pub(super) fn is_last(&self, acknowledged: u64) -> bool {
        acknowledged == self.end
    }

    /// True if there is more data than the receiver allows.
    pub(super) fn exceeds_credit(&self) -> bool {
        self.available > self.max_data
    }

    pub(super) fn raise_max_data(&mut self, limit: u64) {
        self.max_data = self.max_data.max(limit);
    }

    pub(super) fn push_lost(&mut self, range: Range) {
        self.lost.push_back(range);
    }

    pub(super) fn has_lost(&self) -> bool {
        !self.lost.is_empty()
    }

    /// New data that may be sent.
    pub(super) fn new_data(&self) -> Option<Range> {
        let end = self.available.min(self.max_data);
        (self.next < end).then_some(Range { start: self.next, end })
    }
}
