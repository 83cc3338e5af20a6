//! Recipient of a block ack agreement: scoreboard and reorder buffer.

use std::collections::VecDeque;

use airfair_units::{Duration, Time};

use super::{Bitmap, Sequence};

/// Time for which a buffered packet waits for missing earlier ones, as in Linux (`HT_RX_REORDER_BUF_TIMEOUT`).
/// [linux-mac80211-rx]
pub const REORDER_TIMEOUT: Duration = Duration::from_millis(100);

/// Handling of a received packet by the recipient of a block ack agreement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reception {
    /// The packet is the next one and the buffer is empty: it is passed on at once.
    InOrder,
    /// The packet is buffered and [released](Recipient::poll_released) in order.
    Kept,
    /// The packet is a duplicate, or later packets were already released without it.
    Refused,
}

/// Recipient of one block ack agreement.
#[derive(Clone, Debug)]
pub struct Recipient<P> {
    window: u16,
    timeout: Duration,
    /// Content of the next `BlockAck`: `WinStartR` and the bits behind it, kept for the whole agreement.  [80211-2020
    /// §10.25.6.3]
    scoreboard: Bitmap,
    /// Consecutive sequence numbers that arrived last and are not in the scoreboard yet.
    run: Run,
    /// Sequence number of the next packet to release, `WinStartB`.  [80211-2020 §10.25.6.6]
    next: Sequence,
    /// Packets from `next` on, each with its time of arrival; `None` for a missing one.
    buffer: VecDeque<Option<(P, Time)>>,
    released: VecDeque<P>,
}

/// Consecutive sequence numbers.
#[derive(Clone, Copy, Debug, Default)]
struct Run {
    first: Sequence,
    count: u16,
}

impl<P> Recipient<P> {
    /// Creates a recipient that has received nothing. `start` is the sequence number of the first packet.
    ///
    /// # Panics
    /// If the window is zero, or larger than a bitmap.
    pub fn new(window: u16, timeout: Duration, start: Sequence) -> Self {
        assert!((1..=Bitmap::MOST).contains(&window), "a window of 1 to 1024 MPDUs");
        let (buffer, released) = (VecDeque::new(), VecDeque::new());
        let (scoreboard, run) = (Bitmap::for_window(window, start), Run::default());
        Self { window, timeout, scoreboard, run, next: start, buffer, released }
    }

    /// Handles a received MPDU without errors. `packet` makes the packet if the recipient buffers it.
    #[inline]
    pub fn receive(
        &mut self,
        now: Time,
        sequence: Sequence,
        packet: impl FnOnce() -> P,
    ) -> Reception {
        if self.receive_row(sequence, 1) {
            return Reception::InOrder;
        }
        self.note_row(sequence, 1);
        self.receive_otherwise(now, sequence, packet)
    }

    /// Handles up to a window of consecutive MPDUs received without errors. Returns true if they are the next ones and
    /// the buffer is empty: the caller then passes their packets on, with the same effect as [`receive`](Self::receive)
    /// for each MPDU. Otherwise nothing has changed.
    #[inline]
    pub fn receive_row(&mut self, first: Sequence, count: u16) -> bool {
        debug_assert!(count <= self.window, "a row within the window");
        if first != self.next || !self.buffer.is_empty() || !self.released.is_empty() {
            return false;
        }
        self.note_row(first, count);
        self.next = first + count;
        true
    }

    fn receive_otherwise(
        &mut self,
        now: Time,
        sequence: Sequence,
        packet: impl FnOnce() -> P,
    ) -> Reception {
        if sequence.precedes(self.next) {
            return Reception::Refused;
        }
        let place = sequence.after(self.next);
        if place >= self.window {
            self.advance(sequence + (Sequence::COUNT + 1 - self.window));
        }
        let is_new = self.keep(now, sequence, packet);
        self.release();
        if is_new { Reception::Kept } else { Reception::Refused }
    }

    /// Notes `count` consecutive received sequence numbers for the scoreboard.
    #[inline]
    fn note_row(&mut self, first: Sequence, count: u16) {
        if first != self.run.first + self.run.count || self.run.count + count > self.window {
            self.keep_score();
            self.run.first = first;
        }
        self.run.count += count;
    }

    /// Enters the sequence numbers that arrived last into the scoreboard.  [80211-2020 §10.25.6.3]
    fn keep_score(&mut self) {
        let Run { first, count } = std::mem::take(&mut self.run);
        let (start, last) = (self.scoreboard.start(), first + (Sequence::COUNT + count - 1));
        if first.precedes(start) || last.precedes(start) {
            return (0..count).for_each(|it| self.keep_score_of(first + it, 1));
        }
        self.keep_score_of(first, count);
    }

    /// Enters consecutive sequence numbers into the scoreboard.
    fn keep_score_of(&mut self, first: Sequence, count: u16) {
        let (start, last) = (self.scoreboard.start(), first + (Sequence::COUNT + count - 1));
        if count == 0 || last.precedes(start) {
            return;
        }
        if last.after(start) >= self.window {
            self.scoreboard.advance(last + (Sequence::COUNT + 1 - self.window));
        }
        self.scoreboard.set_run(first, count);
    }

    /// Buffers a packet in the reorder buffer. Returns false if the buffer contains the packet already.
    fn keep(&mut self, now: Time, sequence: Sequence, packet: impl FnOnce() -> P) -> bool {
        let place = usize::from(sequence.after(self.next));
        if place >= self.buffer.len() {
            self.buffer.resize_with(place + 1, || None);
        }
        let is_new = self.buffer[place].is_none();
        if is_new {
            self.buffer[place] = Some((packet(), now));
        }
        is_new
    }

    /// Moves packets that are in order from the reorder buffer to the released ones.
    fn release(&mut self) {
        while let Some((packet, _)) = self.buffer.front_mut().and_then(Option::take) {
            self.released.push_back(packet);
            self.step();
        }
    }

    /// Moves the window of the reorder buffer to `start`. Buffered packets before `start` are released, and missing
    /// ones are no longer awaited.
    fn advance(&mut self, start: Sequence) {
        while self.next != start && !start.precedes(self.next) {
            if let Some((packet, _)) = self.buffer.front_mut().and_then(Option::take) {
                self.released.push_back(packet);
            }
            self.step();
        }
    }

    fn step(&mut self) {
        self.buffer.pop_front();
        self.next = self.next + 1;
    }

    /// Handles a `BlockAckReq`, after which nothing before its starting sequence number will be sent.  [80211-2020
    /// §10.25.6.6.3]
    pub fn handle_request(&mut self, start: Sequence) {
        self.keep_score();
        if !start.precedes(self.scoreboard.start()) {
            self.scoreboard.advance(start);
        }
        self.advance(start);
        self.release();
    }

    /// Content of a `BlockAck` sent now.
    pub fn block_ack(&mut self) -> Bitmap {
        self.keep_score();
        self.scoreboard.clone()
    }

    /// Time at which the oldest buffered packet has waited for the reorder time-out; `None` without buffered packets.
    pub fn next_timeout(&self) -> Option<Time> {
        self.buffer.iter().flatten().map(|(_, came)| *came + self.timeout).min()
    }

    /// Releases packets that have waited for the reorder time-out, with all earlier ones.
    pub fn handle_timeout(&mut self, now: Time) {
        let is_due = |it: &Option<(P, Time)>| {
            it.as_ref().is_some_and(|(_, came)| *came + self.timeout <= now)
        };
        if let Some(place) = self.buffer.iter().rposition(is_due) {
            self.advance(self.next + u16::try_from(place).expect("a place in the window"));
            self.release();
        }
    }

    /// Takes the next released packet.
    #[inline]
    pub fn poll_released(&mut self) -> Option<P> {
        self.released.pop_front()
    }

    /// True if buffered packets wait for missing ones.
    #[inline]
    pub fn is_waiting(&self) -> bool {
        !self.buffer.is_empty()
    }

    /// Buffered packets that wait for missing ones.
    pub fn buffered(&self) -> impl Iterator<Item = &P> {
        self.buffer.iter().flatten().map(|(packet, _)| packet)
    }
}
