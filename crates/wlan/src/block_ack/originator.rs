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

    /// What is on the air has come or is lost. What has come at the front of the window leaves it at once.
    #[inline]
    fn settle(&mut self, come: Come<'_>, mut tell: impl FnMut(Done<&P>)) {
        let (mut left, mut place) = (std::mem::take(&mut self.on_air), 0);
        while left > 0
            && let Some(it) = self.outstanding.get_mut(place)
        {
            let number = sequence(self.start, place);
            place += 1;
            if it.progress != Progress::OnAir {
                continue;
            }
            left -= 1;
            let fate = if come.has(number) {
                it.progress = Progress::Acknowledged;
                Fate::Acknowledged
            } else if it.attempts >= self.limits.attempts {
                it.progress = Progress::GivenUp;
                Fate::RetryLimit
            } else {
                it.progress = Progress::Waiting;
                self.waiting += 1;
                continue;
            };
            tell(Done { packet: &it.packet, sequence: number, fate });
            if place == 1 && fate == Fate::Acknowledged {
                self.outstanding.pop_front();
                (self.start, place) = (self.start + 1, 0);
            }
        }
        self.advance();
    }

    /// The window begins with the first packet that is not done.
    fn advance(&mut self) {
        while let Some(first) = self.outstanding.front() {
            match first.progress {
                Progress::Waiting | Progress::OnAir => break,
                Progress::Acknowledged => {}
                Progress::GivenUp => self.has_moved = self.limits.asks,
            }
            self.outstanding.pop_front();
            self.start = self.start + 1;
        }
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
}

/// Number of the packet at a place of the window.
#[inline]
fn sequence(start: Sequence, place: usize) -> Sequence {
    start + u16::try_from(place).expect("a place in the window")
}
