//! The originator: which MPDUs are outstanding, which go out again, and which are given up.

use std::collections::VecDeque;

use super::{Bitmap, Sequence};

/// What an originator does when no response comes to an aggregate.  [80211-2020 §10.25.6.5]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum AfterSilence {
    /// It sends the MPDUs again, as most drivers do.
    #[default]
    Retransmission,
    /// It asks with a `BlockAckReq`: the MPDUs may have come.
    Request,
}

/// Limits of an originator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// MPDUs from the first outstanding one to the last.
    pub window: u16,
    /// Most transmissions of an MPDU, and most requests in a row.
    pub attempts: u16,
    /// What follows silence.
    pub after_silence: AfterSilence,
    /// True if a recipient that waits for what was given up is told so: it has no buffer where each MPDU goes alone.
    pub asks: bool,
}

/// End of a packet at its originator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// The recipient has acknowledged it.
    Acknowledged,
    /// All its attempts have failed.
    RetryLimit,
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

/// An MPDU that may go out now, or is on the air.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outgoing<P> {
    /// Its number.
    pub sequence: Sequence,
    /// The packet.
    pub packet: P,
    /// True if it has been on the air before.
    pub retry: bool,
}

/// Progress of one packet.
///
/// ```text
///   Waiting ─── sent ───► OnAir ─── acknowledged ───► Acknowledged
///      ▲                   │ │
///      └──── lost ─────────┘ └── attempts used up ──► GivenUp
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Progress {
    Waiting,
    OnAir,
    Acknowledged,
    GivenUp,
}

/// MPDUs that have come of those on the air, as far as their originator knows.
#[derive(Clone, Copy)]
enum Come<'a> {
    Those(&'a Bitmap),
    All,
    None,
}

impl Come<'_> {
    #[inline]
    fn has(self, sequence: Sequence) -> bool {
        match self {
            Self::Those(come) => come.has(sequence),
            Self::All => true,
            Self::None => false,
        }
    }

    /// How many in a row have come, from this number on.
    fn row(self, first: Sequence) -> u16 {
        match self {
            Self::Those(come) => come.row(first),
            Self::All => u16::MAX,
            Self::None => 0,
        }
    }
}

#[derive(Clone, Debug)]
struct Outstanding<P> {
    packet: P,
    progress: Progress,
    attempts: u16,
}

/// Originator of one block ack agreement.
#[derive(Clone, Debug)]
pub struct Originator<P> {
    limits: Limits,
    /// Number of the first packet outstanding, `WinStartO`.
    start: Sequence,
    outstanding: VecDeque<Outstanding<P>>,
    /// Packets among them that wait, and that are on the air.
    waiting: u16,
    on_air: u16,
    /// True if the recipient has to be asked what has come.
    asks: bool,
    /// True if the recipient may wait for a packet before the window, which was given up.
    has_moved: bool,
    /// Responses in a row that have not come.
    silences: u16,
}

impl<P> Originator<P> {
    /// Nothing is outstanding; `start` is the number of the first packet.
    pub fn new(limits: Limits, start: Sequence) -> Self {
        let (outstanding, waiting, on_air) = (VecDeque::new(), 0, 0);
        let (asks, has_moved, silences) = (false, false, 0);
        Self { limits, start, outstanding, waiting, on_air, asks, has_moved, silences }
    }

    /// Sets the most transmissions of an MPDU: they depend on its protection.
    pub fn set_attempts(&mut self, attempts: u16) {
        self.limits.attempts = attempts;
    }

    /// Number of the first packet outstanding.
    pub fn start(&self) -> Sequence {
        self.start
    }

    /// True if the window has room for one more packet.
    #[inline]
    pub fn has_room(&self) -> bool {
        self.outstanding.len() < usize::from(self.limits.window)
    }

    /// Takes a packet, and numbers it.
    ///
    /// # Panics
    /// If the window [has no room](Self::has_room).
    #[inline]
    pub fn push(&mut self, packet: P) -> Sequence {
        assert!(self.has_room(), "a packet beyond the window");
        let sequence = sequence(self.start, self.outstanding.len());
        self.outstanding.push_back(Outstanding {
            packet,
            progress: Progress::Waiting,
            attempts: 0,
        });
        self.waiting += 1;
        sequence
    }

    /// The packet that was taken last, if it has not been on the air.
    pub fn newest(&mut self) -> Option<&mut P> {
        let last = self.outstanding.back_mut()?;
        let is_new = last.attempts == 0 && last.progress == Progress::Waiting;
        is_new.then_some(&mut last.packet)
    }

    /// Packets that may go out, in the order of their numbers: those that were lost, and new ones.
    pub fn batch(&self) -> impl Iterator<Item = Outgoing<&P>> {
        let (start, count) = (self.start, usize::from(self.waiting));
        let all = self.outstanding.iter().enumerate();
        let waiting = all.filter(|(_, it)| it.progress == Progress::Waiting).take(count);
        waiting.map(move |(place, it)| Outgoing {
            sequence: sequence(start, place),
            packet: &it.packet,
            retry: it.attempts > 0,
        })
    }

    /// How many packets may go out.
    pub fn waiting(&self) -> usize {
        usize::from(self.waiting)
    }

    /// The first `count` of the [batch](Self::batch) are on the air, or all of it.
    pub fn send(&mut self, count: u16) {
        let count = count.min(self.waiting);
        let waiting = self.outstanding.iter_mut().filter(|it| it.progress == Progress::Waiting);
        for it in waiting.take(usize::from(count)) {
            it.attempts = it.attempts.saturating_add(1);
            it.progress = Progress::OnAir;
        }
        self.waiting -= count;
        self.on_air += count;
    }

    /// Packets on the air, in the order of their numbers.
    pub fn on_air(&mut self) -> impl Iterator<Item = Outgoing<&mut P>> {
        let (start, count) = (self.start, usize::from(self.on_air));
        let all = self.outstanding.iter_mut().enumerate();
        let on_air = all.filter(|(_, it)| it.progress == Progress::OnAir).take(count);
        on_air.map(move |(place, it)| Outgoing {
            sequence: sequence(start, place),
            packet: &mut it.packet,
            retry: it.attempts > 1,
        })
    }

    /// The number of the first packet on the air and those behind it, if all of them follow each other from the front of
    /// the window.
    #[inline]
    pub fn row_on_air(&mut self) -> Option<(Sequence, impl ExactSizeIterator<Item = &mut P>)> {
        let is_row = self.is_row_on_air();
        let row = self.outstanding.iter_mut().take(usize::from(self.on_air));
        is_row.then(|| (self.start, row.map(|it| &mut it.packet)))
    }

    /// True if those on the air are the first of the window. They were the first that waited, so that only one that is done
    /// can stand between them.
    fn is_row_on_air(&self) -> bool {
        usize::from(self.on_air + self.waiting) == self.outstanding.len()
    }

    /// A `BlockAck` has come: what was on the air has come, or is lost. Tells of each packet that is done.
    pub fn handle_block_ack(&mut self, come: &Bitmap, tell: impl FnMut(Done<&P>)) {
        self.silences = 0;
        self.asks = false;
        // A recipient that knows of the move begins where the window does, or behind.
        self.has_moved &= come.start().precedes(self.start);
        self.settle(Come::Those(come), tell);
    }

    /// The ACK of an MPDU that was on the air alone has come.
    pub fn handle_ack(&mut self, tell: impl FnMut(Done<&P>)) {
        self.silences = 0;
        self.settle(Come::All, tell);
    }

    /// No response has come to an aggregate, or to a request.
    pub fn handle_silence(&mut self, tell: impl FnMut(Done<&P>)) {
        self.silences = self.silences.saturating_add(1);
        let has_asked = self.on_air == 0;
        let may_ask = has_asked || self.limits.after_silence == AfterSilence::Request;
        if may_ask && self.silences < self.limits.attempts {
            self.asks = !has_asked;
            return;
        }
        // Who has asked in vain so often asks no more: the recipient's time-out moves its window.
        self.has_moved &= !may_ask;
        self.silences = 0;
        self.asks = false;
        self.settle(Come::None, tell);
    }

    /// Gives up the first `count` of the [batch](Self::batch), which have not got as far as the air.
    pub fn give_up(&mut self, count: u16, tell: impl FnMut(Done<&P>)) {
        self.send(count);
        let attempts = std::mem::replace(&mut self.limits.attempts, 0);
        self.settle(Come::None, tell);
        self.limits.attempts = attempts;
    }

    /// What is on the air has come or is lost.
    #[inline]
    fn settle(&mut self, come: Come<'_>, mut tell: impl FnMut(Done<&P>)) {
        let (start, attempts) = (self.start, self.limits.attempts);
        let row = if self.is_row_on_air() { come.row(start).min(self.on_air) } else { 0 };
        let (mut left, mut lost) = (std::mem::take(&mut self.on_air), 0);
        for (place, it) in self.outstanding.iter_mut().enumerate() {
            if left == 0 {
                break;
            }
            let mut fate = Fate::Acknowledged;
            if place >= usize::from(row) {
                if it.progress != Progress::OnAir {
                    continue;
                }
                it.progress = if come.has(sequence(start, place)) {
                    Progress::Acknowledged
                } else if it.attempts >= attempts {
                    fate = Fate::RetryLimit;
                    Progress::GivenUp
                } else {
                    left -= 1;
                    lost += 1;
                    it.progress = Progress::Waiting;
                    continue;
                };
            }
            left -= 1;
            tell(Done { packet: &it.packet, sequence: sequence(start, place), fate });
        }
        self.waiting += lost;
        self.leave(row);
        self.advance();
    }

    /// The first packets leave the window.
    #[inline]
    fn leave(&mut self, count: u16) {
        self.outstanding.drain(..usize::from(count));
        self.start = self.start + count;
    }

    /// The window begins with the first packet that is not done.
    #[inline]
    fn advance(&mut self) {
        let progress = self.outstanding.iter().map(|it| it.progress);
        let is_under_way = |it: &Progress| matches!(it, Progress::Waiting | Progress::OnAir);
        let mut done = 0;
        for it in progress.take_while(|it| !is_under_way(it)) {
            if it == Progress::GivenUp {
                self.has_moved = self.limits.asks;
            }
            done += 1;
        }
        self.leave(done);
    }

    /// Starting number of a `BlockAckReq` that should go out before any data.
    #[inline]
    pub fn request(&self) -> Option<Sequence> {
        (self.asks || self.has_moved).then_some(self.start)
    }

    /// Packets that are not done.
    pub fn outstanding(&self) -> impl Iterator<Item = &P> {
        let is_under_way =
            |it: &&Outstanding<P>| matches!(it.progress, Progress::Waiting | Progress::OnAir);
        self.outstanding.iter().filter(is_under_way).map(|it| &it.packet)
    }

    /// The same, to be changed.
    pub fn outstanding_mut(&mut self) -> impl Iterator<Item = &mut P> {
        let is_under_way =
            |it: &&mut Outstanding<P>| matches!(it.progress, Progress::Waiting | Progress::OnAir);
        self.outstanding.iter_mut().filter(is_under_way).map(|it| &mut it.packet)
    }
}

/// Number of the packet at a place of the window.
#[inline]
fn sequence(start: Sequence, place: usize) -> Sequence {
    start + u16::try_from(place).expect("a place in the window")
}
