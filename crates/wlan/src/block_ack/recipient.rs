//! The recipient: scoreboard, and a buffer that puts packets back into order.

use std::collections::VecDeque;

use airfair_units::{Duration, Time};

use super::{Bitmap, Sequence};

/// Time for which a packet waits for those before it, as Linux has it (`HT_RX_REORDER_BUF_TIMEOUT`).  [linux-mac80211-rx]
pub const REORDER_TIMEOUT: Duration = Duration::from_millis(100);

/// Fate of a packet that has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reception {
    /// It is the next one, and nothing waits: it is handed on at once.
    InOrder,
    /// It is handed on [in its turn](Recipient::poll_released), with others.
    Kept,
    /// It has come before, or what came behind it has been handed on without it.
    Refused,
}

/// Recipient of one block ack agreement.
#[derive(Clone, Debug)]
pub struct Recipient<P> {
    window: u16,
    timeout: Duration,
    /// What `BlockAck`s say: `WinStartR` and the bits behind it, kept for the whole agreement.  [80211-2020 §10.25.6.3]
    scoreboard: Bitmap,
    /// Numbers in a row that came last, which the scoreboard has not taken yet.
    run: Run,
    /// Number of the next packet to hand on, `WinStartB`.  [80211-2020 §10.25.6.6]
    next: Sequence,
    /// Packets from there on, each with the time at which it came; nothing where one is missing.
    buffer: VecDeque<Option<(P, Time)>>,
    released: VecDeque<P>,
}

/// Numbers in a row.
#[derive(Clone, Copy, Debug, Default)]
struct Run {
    first: Sequence,
    count: u16,
}

impl<P> Recipient<P> {
    /// Nothing has come; `start` is the number of the first packet.
    ///
    /// # Panics
    /// If the window is none, or larger than a bitmap.
    pub fn new(window: u16, timeout: Duration, start: Sequence) -> Self {
        assert!((1..=256).contains(&window), "a window of 1 to 256 MPDUs");
        let (buffer, released) = (VecDeque::new(), VecDeque::new());
        let (scoreboard, run) = (Bitmap::new(start), Run::default());
        Self { window, timeout, scoreboard, run, next: start, buffer, released }
    }

    /// An MPDU has come without an error.
    #[inline]
    pub fn receive(
        &mut self,
        now: Time,
        sequence: Sequence,
        packet: impl FnOnce() -> P,
    ) -> Reception {
        self.note(sequence);
        if sequence == self.next && self.buffer.is_empty() && self.released.is_empty() {
            self.next = self.next + 1;
            return Reception::InOrder;
        }
        self.receive_otherwise(now, sequence, packet)
    }

    /// MPDUs numbered in a row have come without an error, at most a window of them. True if they are the next ones and
    /// nothing waits: they are handed on at once, as [`receive`](Self::receive) would have them one by one. Else nothing
    /// has changed.
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

    /// A number has come, in a row with those before it, mostly.
    #[inline]
    fn note(&mut self, sequence: Sequence) {
        self.note_row(sequence, 1);
    }

    /// Numbers in a row have come.
    #[inline]
    fn note_row(&mut self, first: Sequence, count: u16) {
        if first != self.run.first + self.run.count || self.run.count + count > self.window {
            self.keep_score();
            self.run.first = first;
        }
        self.run.count += count;
    }

    /// The scoreboard takes the numbers that came last.  [80211-2020 §10.25.6.3]
    fn keep_score(&mut self) {
        let Run { first, count } = std::mem::take(&mut self.run);
        let (start, last) = (self.scoreboard.start(), first + (Sequence::COUNT + count - 1));
        if first.precedes(start) || last.precedes(start) {
            return (0..count).for_each(|it| self.keep_score_of(first + it, 1));
        }
        self.keep_score_of(first, count);
    }

    /// The scoreboard takes numbers in a row.
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

    /// Keeps a packet at its place; false if it is there.
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

    /// Hands on all that is in order.
    fn release(&mut self) {
        while let Some((packet, _)) = self.buffer.front_mut().and_then(Option::take) {
            self.released.push_back(packet);
            self.step();
        }
    }

    /// The window begins at `start`: what comes before it is handed on, and what is missing there is not waited for.
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

    /// A `BlockAckReq` has come: nothing before its starting number is sent any more.  [80211-2020 §10.25.6.6.3]
    pub fn handle_request(&mut self, start: Sequence) {
        self.keep_score();
        if !start.precedes(self.scoreboard.start()) {
            self.scoreboard.advance(start);
        }
        self.advance(start);
        self.release();
    }

    /// The `BlockAck` that answers now.
    pub fn block_ack(&mut self) -> Bitmap {
        self.keep_score();
        self.scoreboard
    }

    /// Time at which the packet that came first has waited long enough.
    pub fn next_timeout(&self) -> Option<Time> {
        self.buffer.iter().flatten().map(|(_, came)| *came + self.timeout).min()
    }

    /// Hands on packets that have waited long enough, with all before them.
    pub fn handle_timeout(&mut self, now: Time) {
        let is_due = |it: &Option<(P, Time)>| {
            it.as_ref().is_some_and(|(_, came)| *came + self.timeout <= now)
        };
        if let Some(place) = self.buffer.iter().rposition(is_due) {
            self.advance(self.next + u16::try_from(place).expect("a place in the window"));
            self.release();
        }
    }

    /// A packet that is in order.
    #[inline]
    pub fn poll_released(&mut self) -> Option<P> {
        self.released.pop_front()
    }

    /// True if packets wait for others.
    #[inline]
    pub fn is_waiting(&self) -> bool {
        !self.buffer.is_empty()
    }

    /// Packets that wait for others.
    pub fn buffered(&self) -> impl Iterator<Item = &P> {
        self.buffer.iter().flatten().map(|(packet, _)| packet)
    }
}
