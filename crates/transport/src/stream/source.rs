//! Applications of TCP senders: what they write, when they write it, and the messages for which their users wait.
//!
//! A message is what a user notices as a whole: a frame, an answer, a page, a chunk of a video. It is complete when its
//! last octet has been delivered. The application at the receiver asks for the next one; its request travels as the ACK of
//! the last octet does, and takes no octets of its own.  Deviates: [D-350]

use std::collections::VecDeque;

use airfair_units::{Bytes, DataRate, Duration, Time};

use crate::application::{Application, Traffic};

/// Application of a TCP sender.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// Data that comes whether the network takes it or not. Each frame is a message; with a constant rate each packet of
    /// the segment size is one.
    Offered {
        /// Data that comes, and when.
        traffic: Traffic,
        /// Octets that may wait to be sent, beyond which a frame is dropped as a whole; `None` without a limit.
        buffer: Option<Bytes>,
    },
    /// Objects in this order, again and again. Each is requested after the one before it has arrived.
    Requested(Vec<Object>),
    /// Chunks of a video, as its player requests them.
    Video(Video),
}

/// Object that the receiver requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Object {
    /// Time from the arrival of the object before it to the request. The first object is requested at the start.
    pub pause: Duration,
    /// Size of the object, at least one octet.
    pub size: Bytes,
    /// True if a message ends with the object, false if the next object belongs to the same message.
    pub ends_message: bool,
}

/// Video in chunks, of which a player chooses the rate by the play time in its buffer, as BBA-0 does: the lowest rate up to
/// a reservoir, the highest one a cushion above it, and a linear rise in between.  [bba §4]
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Video {
    /// Play time of a chunk, more than zero.
    pub chunk: Duration,
    /// Rates of the video, ascending; at least one.
    pub rates: Vec<DataRate>,
    /// Play time of the player's buffer: the player requests a chunk when there is room for it.
    pub buffer: Duration,
    /// Play time below which the player requests the lowest rate.
    pub reservoir: Duration,
    /// Play time from the end of the reservoir to that with the highest rate.
    pub cushion: Duration,
}

/// Message that has arrived as a whole, or chunk of a video.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Completed {
    /// Time from the request of the message, or from its generation, to the delivery of its last octet.
    pub delay: Duration,
    /// Rate of the chunk, and time for which the player has had nothing to play before it; `None` for other messages.
    pub chunk: Option<(DataRate, Duration)>,
}

/// Data that the application has written.
#[derive(Clone, Copy, Debug)]
struct Written {
    /// One past its last octet.
    end: u64,
    /// Time of its request or generation.
    since: Time,
    ends_message: bool,
    rate: Option<DataRate>,
}

/// Request of the application at the receiver.
#[derive(Clone, Copy, Debug)]
struct Request {
    /// Time from the arrival of the data before it to the request.
    pause: Duration,
    object: Object,
    rate: Option<DataRate>,
}

/// State of the application of a TCP sender, and of its peer at the receiver.
#[derive(Clone, Debug)]
pub(crate) struct Writer {
    source: Source,
    offered: Option<Application>,
    /// Data that has been written and has not arrived.
    written: VecDeque<Written>,
    /// Request that has not reached the sender.
    request: Option<Request>,
    /// Time at which the sender writes the requested object.
    due: Option<Time>,
    /// Time at which the current message was requested.
    since: Time,
    /// Number of objects requested.
    requested: usize,
    player: Player,
    /// Time of the last segment with data.
    pub(crate) last_sent: Time,
}

/// State of a video player.
#[derive(Clone, Copy, Debug, Default)]
struct Player {
    /// Play time in the buffer at the time `at`.
    buffered: Duration,
    at: Time,
    is_playing: bool,
}

impl Writer {
    pub(crate) fn new(source: Source, segment: Bytes) -> Self {
        let offered = match &source {
            Source::Offered { traffic, buffer } => {
                Some(Application::new(traffic.clone(), segment, *buffer))
            }
            Source::Requested(objects) => {
                assert!(!objects.is_empty(), "no objects");
                assert!(objects.iter().all(|it| !it.size.is_zero()), "an object of no size");
                None
            }
            Source::Video(video) => {
                assert!(!video.rates.is_empty() && !video.chunk.is_zero(), "an empty video");
                None
            }
        };
        Self {
            source,
            offered,
            written: VecDeque::new(),
            request: None,
            due: None,
            since: Time::ZERO,
            requested: 0,
            player: Player::default(),
            last_sent: Time::ZERO,
        }
    }

    /// Starts the application when the flow opens.
    pub(crate) fn open(&mut self, now: Time) {
        self.since = now;
        self.player.at = now;
        if let Some(offered) = &mut self.offered {
            offered.open(now);
        } else {
            self.request(now);
            self.due = self.request.map(|it| now + it.pause);
        }
    }

    /// Ends the application.
    pub(crate) fn close(&mut self) {
        (self.offered, self.request, self.due) = (None, None, None);
    }

    /// Time at which the application writes next.
    #[inline]
    pub(crate) fn next(&self) -> Option<Time> {
        self.due.or_else(|| self.offered.as_ref()?.next())
    }

    /// Returns the end of the data that the application has written by `now`, which was `end` before. All of it up to
    /// `acknowledged` is acknowledged, and all up to `sent` is sent.
    pub(crate) fn write(&mut self, now: Time, end: u64, (acknowledged, sent): (u64, u64)) -> u64 {
        let mut end = end;
        if let Some(offered) = &mut self.offered {
            offered.set_backlog(end.saturating_sub(sent));
            offered.advance(now);
            while let Some(piece) = offered.take(now) {
                end += piece.octets;
                let (since, ends_message) = (piece.since, piece.is_frame_end);
                self.written.push_back(Written { end, since, ends_message, rate: None });
            }
            return end;
        }
        let Some(Request { pause, object, rate }) = self.request else { return end };
        let due = match self.due {
            Some(due) => due,
            None if acknowledged >= end => now + pause,
            None => return end,
        };
        self.due = Some(due);
        if due <= now {
            (self.request, self.due) = (None, None);
            end += object.size.get();
            let (since, ends_message) = (self.since, object.ends_message);
            self.written.push_back(Written { end, since, ends_message, rate });
        }
        end
    }

    /// Takes note of data that has arrived up to `end`, and returns the next message that is complete.
    pub(crate) fn complete(&mut self, now: Time, end: u64) -> Option<Completed> {
        while let Some(first) = self.written.front().copied().filter(|it| it.end <= end) {
            self.written.pop_front();
            let chunk = first.rate.map(|rate| (rate, self.play(now)));
            if self.offered.is_none() && self.is_open() {
                self.request(now);
                if first.ends_message {
                    self.since = now + self.request.map_or(Duration::ZERO, |it| it.pause);
                }
            }
            if first.ends_message {
                return Some(Completed { delay: now - first.since, chunk });
            }
        }
        None
    }

    fn is_open(&self) -> bool {
        self.requested > 0
    }

    /// Requests the next object, after a pause that begins now.
    fn request(&mut self, now: Time) {
        self.requested += 1;
        self.request = match &self.source {
            Source::Offered { .. } => None,
            Source::Requested(objects) => {
                let object = objects[(self.requested - 1) % objects.len()];
                let pause = if self.requested == 1 { Duration::ZERO } else { object.pause };
                Some(Request { pause, object, rate: None })
            }
            Source::Video(video) => Some(self.player.request(now, video)),
        };
    }

    /// Plays until `now`, when a chunk arrives. Returns the time for which there was nothing to play.
    fn play(&mut self, now: Time) -> Duration {
        let Source::Video(video) = &self.source else { return Duration::ZERO };
        let stalled = self.player.play(now);
        self.player.buffered += video.chunk;
        self.player.is_playing = true;
        stalled
    }
}

impl Player {
    /// Plays until `now`, and returns the time for which the buffer was empty. Time before the first chunk does not count.
    fn play(&mut self, now: Time) -> Duration {
        let passed = now - self.at;
        self.at = now;
        if !self.is_playing {
            return Duration::ZERO;
        }
        let stalled = passed.saturating_sub(self.buffered);
        self.buffered = self.buffered.saturating_sub(passed);
        stalled
    }

    /// Request of the next chunk, as soon as the buffer has room for it.
    fn request(&mut self, now: Time, video: &Video) -> Request {
        debug_assert!(self.at == now, "the player has played until now");
        let pause = (self.buffered + video.chunk).saturating_sub(video.buffer);
        let rate = video.rate(self.buffered.saturating_sub(pause));
        let octets = u128::from(rate.bps()) * u128::from(video.chunk.as_nanos()) / 8_000_000_000;
        let size = Bytes::new(u64::try_from(octets).expect("a chunk below 2^64 octets").max(1));
        let object = Object { pause, size, ends_message: true };
        Request { pause, object, rate: Some(rate) }
    }
}

impl Video {
    /// Rate of the next chunk with this play time in the buffer.  [bba §4]
    fn rate(&self, buffered: Duration) -> DataRate {
        let (lowest, highest) = (self.rates[0], self.rates[self.rates.len() - 1]);
        let above = buffered.saturating_sub(self.reservoir).min(self.cushion);
        let span = u128::from(highest.bps() - lowest.bps());
        let cushion = u128::from(self.cushion.as_nanos()).max(1);
        let wanted = u128::from(lowest.bps()) + span * u128::from(above.as_nanos()) / cushion;
        let fits = |rate: &&DataRate| u128::from(rate.bps()) <= wanted;
        self.rates.iter().rev().find(fits).copied().unwrap_or(lowest)
    }
}
