//! Frames of a live application on their way: the datagrams of each, and which of them have arrived.

use std::collections::VecDeque;

use airfair_units::{Bytes, Duration, Time};

use super::frames::Frames;
use super::kinds::Live;

/// Sender of a live application's frames, which also knows what becomes of each.
#[derive(Clone, Debug)]
pub(crate) struct Speaker {
    live: Live,
    /// Application octets that a datagram can carry beside its header.
    room: u64,
    seed: u64,
    /// Source of the frames; `None` while the sender is closed.
    frames: Option<Frames>,
    /// Octets of the frame that is being sent.
    unsent: u64,
    /// Frames under way, in the order of their numbers. Those that have arrived or are lost leave it from the front.
    under_way: VecDeque<Frame>,
}

/// A frame that is being sent.
#[derive(Clone, Copy, Debug)]
struct Frame {
    /// Number of its first datagram.
    first: u64,
    /// Time at which the application made it.
    since: Time,
    /// Number of its datagrams that have not arrived; zero once one of them is lost.
    missing: u64,
}

impl Speaker {
    /// Sender of frames in datagrams of at most `payload`.
    pub(crate) fn new(live: Live, payload: Bytes) -> Self {
        let room = payload.get().saturating_sub(live.model.header()).max(1);
        Self { live, room, seed: 0, frames: None, unsent: 0, under_way: VecDeque::new() }
    }

    /// Keys the random numbers.
    pub(crate) fn set_seed(&mut self, seed: u64) {
        self.seed = seed;
    }

    pub(crate) fn open(&mut self, now: Time) {
        self.frames = Some(Frames::new(&self.live, self.seed, now));
    }

    pub(crate) fn close(&mut self) {
        (self.frames, self.unsent) = (None, 0);
    }

    /// Time at which the application makes its next frame.
    #[inline]
    pub(crate) fn next(&self) -> Option<Time> {
        Some(self.frames.as_ref()?.next())
    }

    /// Payload of the next datagram, which has the number `seq`, if one is due [octets].
    pub(crate) fn poll(&mut self, now: Time, seq: u64) -> Option<u32> {
        if self.unsent == 0 {
            let frames = self.frames.as_mut().filter(|it| it.next() <= now)?;
            let since = frames.next();
            self.unsent = frames.make().get();
            let missing = self.unsent.div_ceil(self.room);
            self.under_way.push_back(Frame { first: seq, since, missing });
        }
        let octets = self.unsent.min(self.room);
        self.unsent -= octets;
        let payload = octets + self.live.model.header();
        Some(u32::try_from(payload).expect("at most the payload of a datagram"))
    }

    /// Accounts for the first arrival of the datagram with the number `seq`. Returns the delay of its frame, if the frame
    /// is complete now.
    pub(crate) fn handle_arrival(&mut self, now: Time, seq: u64) -> Option<Duration> {
        let frame = self.frame(seq)?;
        frame.missing = frame.missing.checked_sub(1)?;
        let (is_complete, delay) = (frame.missing == 0, now - frame.since);
        self.forget();
        is_complete.then_some(delay)
    }

    /// Accounts for the loss of the datagram with the number `seq`. Returns true if it is the first loss of its frame.
    pub(crate) fn handle_loss(&mut self, seq: u64) -> bool {
        let Some(frame) = self.frame(seq) else { return false };
        let is_first = frame.missing > 0;
        frame.missing = 0;
        self.forget();
        is_first
    }

    /// Frame under way to which the datagram with the number `seq` belongs.
    fn frame(&mut self, seq: u64) -> Option<&mut Frame> {
        let after = self.under_way.partition_point(|frame| frame.first <= seq);
        self.under_way.get_mut(after.checked_sub(1)?)
    }

    /// Forgets the frames at the front that have arrived or are lost, but for the one that is being sent.
    fn forget(&mut self) {
        let kept = usize::from(self.unsent > 0);
        while self.under_way.len() > kept
            && self.under_way.front().is_some_and(|frame| frame.missing == 0)
        {
            self.under_way.pop_front();
        }
    }
}
