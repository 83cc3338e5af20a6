//! The originator: which MPDUs are outstanding, which go out again, and which are given up.

use std::collections::VecDeque;

use airfair_units::{Duration, Time};

use super::{Bitmap, Sequence};

/// What an originator does when no `BlockAck` comes.  [80211-2020 §10.25.6.5]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum AfterSilence {
    /// It asks with a `BlockAckReq`: the MPDUs may have come.
    #[default]
    Request,
    /// It sends the MPDUs again.
    Retransmission,
}

/// Limits of an originator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// MPDUs from the first outstanding one to the last.
    pub window: u16,
    /// Most transmissions of an MPDU, and most requests in a row.
    pub attempts: u16,
    /// Time after which an MPDU that waits is given up.
    pub lifetime: Duration,
    /// What follows silence.
    pub after_silence: AfterSilence,
}

/// End of a packet at its originator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// The recipient has acknowledged it.
    Acknowledged,
    /// All its attempts have failed.
    RetryLimit,
    /// It has waited too long.
    Expired,
}

/// A packet that the originator is done with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Done<P> {
    /// The packet.
    pub packet: P,
    /// Its number.
    pub sequence: Sequence,
    /// Its end.
    pub fate: Fate,
}

/// An MPDU that may go out now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outgoing<'a, P> {
    /// Its number.
    pub sequence: Sequence,
    /// The packet.
    pub packet: &'a P,
    /// True if it has been on the air before.
    pub retry: bool,
}

/// Progress of one packet.
///
/// ```text
///   Waiting ─── sent ───► OnAir ─── acknowledged ───► Acknowledged
///      ▲  │                │ │
///      │  └─ expired ──────┼─┼────────────────────────► GivenUp
///      └──── lost ─────────┘ └── attempts used up ───────►
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Progress<P> {
    Waiting(P),
    OnAir(P),
    Acknowledged,
    GivenUp,
}

#[derive(Clone, Copy, Debug)]
struct Outstanding<P> {
    progress: Progress<P>,
    attempts: u16,
    expires: Time,
}

/// Originator of one block ack agreement.
#[derive(Clone, Debug)]
pub struct Originator<P> {
    limits: Limits,
    /// Number of the first packet outstanding, `WinStartO`.
    start: Sequence,
    outstanding: VecDeque<Outstanding<P>>,
    done: VecDeque<Done<P>>,
    /// True if the recipient has to be asked what has come.
    asks: bool,
    /// True if the recipient may wait for a packet before the window, which was given up.
    has_moved: bool,
    /// Responses in a row that have not come.
    silences: u16,
}

impl<P: Copy> Originator<P> {
    /// Nothing is outstanding; `start` is the number of the first packet.
    pub fn new(limits: Limits, start: Sequence) -> Self {
        let (outstanding, done) = (VecDeque::new(), VecDeque::new());
        Self { limits, start, outstanding, done, asks: false, has_moved: false, silences: 0 }
    }

    /// Number of the first packet outstanding.
    pub fn start(&self) -> Sequence {
        self.start
    }

    /// True if the window has room for one more packet.
    pub fn has_room(&self) -> bool {
        self.outstanding.len() < usize::from(self.limits.window)
    }

    /// Takes a packet, and numbers it.
    ///
    /// # Panics
    /// If the window [has no room](Self::has_room).
    pub fn push(&mut self, now: Time, packet: P) -> Sequence {
        assert!(self.has_room(), "a packet beyond the window");
        let sequence = self.sequence(self.outstanding.len());
        let expires = now + self.limits.lifetime;
        let progress = Progress::Waiting(packet);
        self.outstanding.push_back(Outstanding { progress, attempts: 0, expires });
        sequence
    }

    fn sequence(&self, place: usize) -> Sequence {
        self.start + u16::try_from(place).expect("a place in the window")
    }

    /// Packets that may go out, in the order of their numbers: those that were lost, and new ones.
    pub fn batch(&self) -> impl Iterator<Item = Outgoing<'_, P>> {
        self.outstanding.iter().enumerate().filter_map(|(place, it)| match &it.progress {
            Progress::Waiting(packet) => {
                Some(Outgoing { sequence: self.sequence(place), packet, retry: it.attempts > 0 })
            }
            _ => None,
        })
    }

    /// The first `count` of the [batch](Self::batch) are on the air, or all of it.
    pub fn send(&mut self, count: usize) {
        let waiting = self.outstanding.iter_mut().filter_map(|it| match it.progress {
            Progress::Waiting(packet) => Some((it, packet)),
            _ => None,
        });
        for (it, packet) in waiting.take(count) {
            it.attempts = it.attempts.saturating_add(1);
            it.progress = Progress::OnAir(packet);
        }
    }

    /// A `BlockAck` has come: what was on the air has come, or is lost.
    pub fn handle_block_ack(&mut self, come: &Bitmap) {
        self.silences = 0;
        self.asks = false;
        // A recipient that knows of the move begins where the window does, or behind.
        self.has_moved &= come.start().precedes(self.start);
        self.settle(|sequence| come.has(sequence));
    }

    /// No response has come to an aggregate, or to a request.
    pub fn handle_silence(&mut self) {
        self.silences = self.silences.saturating_add(1);
        let asks = self.limits.after_silence == AfterSilence::Request;
        if asks && self.silences < self.limits.attempts {
            self.asks = true;
        } else {
            self.silences = 0;
            self.asks = false;
            self.settle(|_| false);
        }
    }

    /// What is on the air has come or is lost.
    fn settle(&mut self, has_come: impl Fn(Sequence) -> bool) {
        for place in 0..self.outstanding.len() {
            let Progress::OnAir(packet) = self.outstanding[place].progress else { continue };
            if has_come(self.sequence(place)) {
                self.finish(place, packet, Fate::Acknowledged);
            } else if self.outstanding[place].attempts >= self.limits.attempts {
                self.finish(place, packet, Fate::RetryLimit);
            } else {
                self.outstanding[place].progress = Progress::Waiting(packet);
            }
        }
        self.advance();
    }

    /// Gives up what has waited too long.
    pub fn expire(&mut self, now: Time) {
        for place in 0..self.outstanding.len() {
            let Outstanding { progress, expires, .. } = self.outstanding[place];
            if let Progress::Waiting(packet) = progress
                && expires <= now
            {
                self.finish(place, packet, Fate::Expired);
            }
        }
        self.advance();
    }

    fn finish(&mut self, place: usize, packet: P, fate: Fate) {
        let is_given_up = fate != Fate::Acknowledged;
        self.outstanding[place].progress =
            if is_given_up { Progress::GivenUp } else { Progress::Acknowledged };
        self.done.push_back(Done { packet, sequence: self.sequence(place), fate });
    }

    /// The window begins with the first packet that is not done.
    fn advance(&mut self) {
        while let Some(first) = self.outstanding.front() {
            match first.progress {
                Progress::Waiting(_) | Progress::OnAir(_) => break,
                Progress::Acknowledged => {}
                Progress::GivenUp => self.has_moved = true,
            }
            self.outstanding.pop_front();
            self.start = self.start + 1;
        }
    }

    /// Starting number of a `BlockAckReq` that should go out before any data.
    pub fn request(&self) -> Option<Sequence> {
        (self.asks || self.has_moved).then_some(self.start)
    }

    /// A packet that is done: acknowledged or given up.
    pub fn poll_done(&mut self) -> Option<Done<P>> {
        self.done.pop_front()
    }

    /// Packets that are not done.
    pub fn outstanding(&self) -> usize {
        let is_under_way =
            |it: &&Outstanding<P>| matches!(it.progress, Progress::Waiting(_) | Progress::OnAir(_));
        self.outstanding.iter().filter(is_under_way).count()
    }

    /// Time at which [`expire`](Self::expire) may have something to do.
    pub fn next_expiry(&self) -> Option<Time> {
        let waits = |it: &&Outstanding<P>| matches!(it.progress, Progress::Waiting(_));
        self.outstanding.iter().filter(waits).map(|it| it.expires).min()
    }
}
