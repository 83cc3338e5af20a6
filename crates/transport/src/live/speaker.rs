//! Frames of a live application on their way: the datagrams of each, and which of them have arrived.

use std::collections::VecDeque;

use airfair_units::{Bytes, DataRate, Duration, Time};

use super::control::Controlled;
use super::frames::Frames;
use super::kinds::Live;
use super::pacer::Part;
use super::reporter::Report;
use crate::ecn::Ecn;

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
    /// Control of the rate; `None` if nobody controls it.
    control: Option<Box<Controlled>>,
    events: VecDeque<SpeakerEvent>,
}

/// Event of a call whose rate is controlled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SpeakerEvent {
    /// Round-trip time that a report shows.
    RoundTrip(Duration),
    /// New target rate of the pictures.
    Target(DataRate),
}

/// Payload of a datagram.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Piece {
    /// Octets, with the header.
    pub(crate) payload: u32,
    /// True in the last datagram of a frame: RTP's marker.  [RFC3551 §4.1]
    pub(crate) is_last: bool,
    /// ECN field of the packet.
    pub(crate) ecn: Ecn,
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
        let control = live.model.controlled().and_then(Controlled::new).map(Box::new);
        let (under_way, events) = (VecDeque::new(), VecDeque::new());
        Self { live, room, seed: 0, frames: None, unsent: 0, under_way, control, events }
    }

    /// Keys the random numbers.
    pub(crate) fn set_seed(&mut self, seed: u64) {
        self.seed = seed;
    }

    pub(crate) fn open(&mut self, now: Time) {
        self.frames = Some(Frames::new(&self.live, self.seed, now));
        if let Some(control) = &self.control {
            self.events.push_back(SpeakerEvent::Target(control.target()));
        }
    }

    pub(crate) fn close(&mut self) {
        (self.frames, self.unsent) = (None, 0);
        if let Some(control) = &mut self.control {
            control.pacer().clear();
        }
    }

    /// Time at which the application makes its next frame, or of the next burst of the pacer.
    #[inline]
    pub(crate) fn next(&self) -> Option<Time> {
        let frame = self.frames.as_ref()?.next();
        let burst = self.control.as_ref().and_then(|it| it.next());
        Some(burst.map_or(frame, |it| it.min(frame)))
    }

    /// Next event of a call whose rate is controlled.
    pub(crate) fn poll_event(&mut self) -> Option<SpeakerEvent> {
        self.events.pop_front()
    }

    /// Handles a report of the receiver.
    pub(crate) fn handle_report(&mut self, now: Time, report: &Report) {
        let Some(control) = &mut self.control else { return };
        let change = control.handle_report(now, report);
        self.events.extend(change.round_trip.map(SpeakerEvent::RoundTrip));
        self.events.extend(change.target.map(SpeakerEvent::Target));
    }

    /// Part of a frame in the next datagram of a call whose rate is controlled.
    fn poll_paced(&mut self, now: Time, seq: u64) -> Option<Part> {
        let (control, frames) = (self.control.as_mut()?, self.frames.as_mut()?);
        while frames.next() <= now {
            let since = frames.next();
            frames.set_rate(control.video_rate());
            let octets = frames.make().get();
            let first = seq + control.pacer().datagrams();
            let missing = octets.div_ceil(self.room);
            control.pacer().push(octets, self.room);
            self.under_way.push_back(Frame { first, since, missing });
        }
        control.poll(now, self.room)
    }

    /// Part of a frame in the next datagram, which has the number `seq`, if one is due.
    pub(crate) fn poll(&mut self, now: Time, seq: u64) -> Option<Piece> {
        let part = match &self.control {
            Some(_) => self.poll_paced(now, seq)?,
            None => self.poll_at_once(now, seq)?,
        };
        let payload = part.octets + self.live.model.header();
        let payload = u32::try_from(payload).expect("at most the payload of a datagram");
        Some(Piece { payload, is_last: part.is_last, ecn: self.live.model.ecn() })
    }

    /// Part of a frame in the next datagram of an application whose frames leave at once.
    fn poll_at_once(&mut self, now: Time, seq: u64) -> Option<Part> {
        if self.unsent == 0 {
            let frames = self.frames.as_mut().filter(|it| it.next() <= now)?;
            let since = frames.next();
            self.unsent = frames.make().get();
            let missing = self.unsent.div_ceil(self.room);
            self.under_way.push_back(Frame { first: seq, since, missing });
        }
        let octets = self.unsent.min(self.room);
        self.unsent -= octets;
        Some(Part { octets, is_last: self.unsent == 0 })
    }

    /// Accounts for the first arrival of the datagram with the number `seq`. Returns the delay of its frame, if the frame
    /// is complete now.
    pub(crate) fn handle_arrival(
        &mut self,
        now: Time,
        seq: u64,
        is_marked: bool,
    ) -> Option<Duration> {
        if let Some(control) = &mut self.control {
            control.arrive(now, seq, is_marked);
        }
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
