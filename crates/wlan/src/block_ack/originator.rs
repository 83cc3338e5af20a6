//! Originator of a block ack agreement: the window of outstanding MPDUs, their retransmission, and their end.

use std::collections::VecDeque;

use super::{Bitmap, Sequence};

/// Behaviour of the originator of a block ack agreement if no response to an aggregate arrives.  [80211-2020
/// §10.25.6.5]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum AfterSilence {
    /// The originator sends the MPDUs again, as most drivers do.
    #[default]
    Retransmission,
    /// The originator sends a `BlockAckReq`, since the MPDUs may have arrived.
    Request,
}

/// Configuration of the originator of a block ack agreement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OriginatorConfig {
    /// Size of the block ack window: largest number of MPDUs from the first outstanding one to the last.
    pub window: u16,
    /// Largest number of transmissions of an MPDU, and of consecutive `BlockAckReq`s.
    pub attempts: u16,
    /// Behaviour if no response arrives.
    pub after_silence: AfterSilence,
    /// True if a `BlockAckReq` informs the recipient of MPDUs that were given up. False for a recipient without a
    /// reorder buffer, which gets each MPDU alone.
    pub asks: bool,
}

/// Outcome of a packet at its originator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PacketOutcome {
    /// The recipient has acknowledged the packet.
    Acknowledged,
    /// All attempts for the packet have failed.
    RetryLimit,
}

/// A packet that has left the originator's window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Done<P> {
    /// The packet, as it was pushed.
    pub packet: P,
    /// Sequence number of the packet.
    pub sequence: Sequence,
    /// Outcome of the packet.
    pub outcome: PacketOutcome,
}

/// An MPDU that may be sent now, or is on the air.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outgoing<P> {
    /// Sequence number of the MPDU.
    pub sequence: Sequence,
    /// Packet in the MPDU.
    pub packet: P,
    /// True if the MPDU was sent before.
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

/// MPDUs on the air that have arrived, as the originator learns from a response.
#[derive(Clone, Copy)]
enum Arrived<'a> {
    InBitmap(&'a Bitmap),
    All,
    None,
}

impl Arrived<'_> {
    #[inline]
    fn has(self, sequence: Sequence) -> bool {
        match self {
            Self::InBitmap(bitmap) => bitmap.has(sequence),
            Self::All => true,
            Self::None => false,
        }
    }

    /// Number of consecutive MPDUs that have arrived, from this sequence number on.
    fn row(self, first: Sequence) -> u16 {
        match self {
            Self::InBitmap(bitmap) => bitmap.row(first),
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
    limits: OriginatorConfig,
    /// Sequence number of the first outstanding packet, `WinStartO`.
    start: Sequence,
    outstanding: VecDeque<Outstanding<P>>,
    /// Number of outstanding packets that wait to be sent; `on_air` counts those on the air.
    waiting: u16,
    on_air: u16,
    /// True if a `BlockAckReq` must find out which MPDUs have arrived.
    asks: bool,
    /// True if the originator has given up a packet for which the recipient may still wait.
    has_moved: bool,
    /// Number of consecutive frames without a response.
    silences: u16,
}

impl<P> Originator<P> {
    /// Creates an originator without outstanding packets. `start` is the sequence number of the first packet.
    pub fn new(limits: OriginatorConfig, start: Sequence) -> Self {
        let (outstanding, waiting, on_air) = (VecDeque::new(), 0, 0);
        let (asks, has_moved, silences) = (false, false, 0);
        Self { limits, start, outstanding, waiting, on_air, asks, has_moved, silences }
    }

    /// Sets the largest number of transmissions of an MPDU, which depends on its protection.
    pub fn set_attempts(&mut self, attempts: u16) {
        self.limits.attempts = attempts;
    }

    /// Sequence number of the first outstanding packet.
    pub fn start(&self) -> Sequence {
        self.start
    }

    /// True if the window has room for one more packet.
    #[inline]
    pub fn has_room(&self) -> bool {
        self.outstanding.len() < usize::from(self.limits.window)
    }

    /// Adds a packet to the window. Returns its sequence number.
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

    /// The packet added last, if it was not sent yet.
    pub fn newest(&mut self) -> Option<&mut P> {
        let last = self.outstanding.back_mut()?;
        let is_new = last.attempts == 0 && last.progress == Progress::Waiting;
        is_new.then_some(&mut last.packet)
    }

    /// Packets that may be sent, in the order of their sequence numbers: lost ones, and new ones.
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

    /// Number of packets that may be sent.
    pub fn waiting(&self) -> usize {
        usize::from(self.waiting)
    }

    /// Marks the first `count` packets of the [batch](Self::batch), or all of it, as on the air.
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

    /// Packets on the air, in the order of their sequence numbers.
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

    /// Packet in the window with this sequence number.
    pub fn get_mut(&mut self, sequence: Sequence) -> Option<&mut P> {
        let place = usize::from(sequence.after(self.start));
        self.outstanding.get_mut(place).map(|it| &mut it.packet)
    }

    /// Sequence number of the first packet on the air, with all packets on the air, if they are consecutive and begin
    /// at the front of the window.
    #[inline]
    pub fn row_on_air(&mut self) -> Option<(Sequence, impl ExactSizeIterator<Item = &mut P>)> {
        let is_row = self.is_row_on_air();
        let row = self.outstanding.iter_mut().take(usize::from(self.on_air));
        is_row.then(|| (self.start, row.map(|it| &mut it.packet)))
    }

    /// True if the packets on the air are consecutive from the front of the window. They were the first that waited,
    /// so only packets that are done could be between them.
    fn is_row_on_air(&self) -> bool {
        usize::from(self.on_air + self.waiting) == self.outstanding.len()
    }

    /// Number of packets on the air, and number of those that a `BlockAck` acknowledges.
    pub fn acknowledged(&mut self, bitmap: &Bitmap) -> (u16, u16) {
        let (sent, row) = (self.on_air, self.row(Arrived::InBitmap(bitmap)));
        if row == sent {
            return (sent, row);
        }
        let count = self.on_air().filter(|it| bitmap.has(it.sequence)).count();
        (sent, u16::try_from(count).expect("at most a window"))
    }

    /// Number of packets that have arrived from the first in the window on, if all packets on the air are consecutive from
    /// there.
    fn row(&self, arrived: Arrived<'_>) -> u16 {
        if self.is_row_on_air() { arrived.row(self.start).min(self.on_air) } else { 0 }
    }

    /// Handles a `BlockAck`: each packet on the air has arrived or is lost. Calls `tell` for each packet that leaves
    /// the window.
    pub fn handle_block_ack(&mut self, bitmap: &Bitmap, tell: impl FnMut(Done<&P>)) {
        self.silences = 0;
        self.asks = false;
        // If the bitmap begins at the window or behind it, the recipient knows that the window has moved.
        self.has_moved &= bitmap.start().precedes(self.start);
        self.settle(Arrived::InBitmap(bitmap), tell);
    }

    /// Handles the ACK of an MPDU that was on the air alone. Calls `tell` if its packet leaves the window.
    pub fn handle_ack(&mut self, tell: impl FnMut(Done<&P>)) {
        self.silences = 0;
        self.settle(Arrived::All, tell);
    }

    /// Handles a missing response to an aggregate or to a `BlockAckReq`. Calls `tell` for each packet that leaves the
    /// window.
    pub fn handle_silence(&mut self, tell: impl FnMut(Done<&P>)) {
        self.silences = self.silences.saturating_add(1);
        let has_asked = self.on_air == 0;
        let may_ask = has_asked || self.limits.after_silence == AfterSilence::Request;
        if may_ask && self.silences < self.limits.attempts {
            self.asks = !has_asked;
            return;
        }
        // After so many unanswered requests the originator stops to ask. The recipient's time-out moves its window.
        self.has_moved &= !may_ask;
        self.silences = 0;
        self.asks = false;
        self.settle(Arrived::None, tell);
    }

    /// Gives up the first `count` packets of the [batch](Self::batch), which were not sent. Calls `tell` for each
    /// packet that leaves the window.
    pub fn give_up(&mut self, count: u16, tell: impl FnMut(Done<&P>)) {
        self.send(count);
        let attempts = std::mem::replace(&mut self.limits.attempts, 0);
        self.settle(Arrived::None, tell);
        self.limits.attempts = attempts;
    }

    /// Settles the packets on the air, which have arrived or are lost. Calls `tell` for each packet that leaves the
    /// window.
    #[inline]
    fn settle(&mut self, arrived: Arrived<'_>, mut tell: impl FnMut(Done<&P>)) {
        let (start, attempts) = (self.start, self.limits.attempts);
        let row = self.row(arrived);
        let (mut left, mut lost) = (std::mem::take(&mut self.on_air), 0);
        for (place, it) in self.outstanding.iter_mut().enumerate() {
            if left == 0 {
                break;
            }
            let mut outcome = PacketOutcome::Acknowledged;
            if place >= usize::from(row) {
                if it.progress != Progress::OnAir {
                    continue;
                }
                it.progress = if arrived.has(sequence(start, place)) {
                    Progress::Acknowledged
                } else if it.attempts >= attempts {
                    outcome = PacketOutcome::RetryLimit;
                    Progress::GivenUp
                } else {
                    left -= 1;
                    lost += 1;
                    it.progress = Progress::Waiting;
                    continue;
                };
            }
            left -= 1;
            tell(Done { packet: &it.packet, sequence: sequence(start, place), outcome });
        }
        self.waiting += lost;
        self.leave(row);
        self.advance();
    }

    /// Removes the first `count` packets from the window.
    #[inline]
    fn leave(&mut self, count: u16) {
        self.outstanding.drain(..usize::from(count));
        self.start = self.start + count;
    }

    /// Moves the window to the first packet that is not done.
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

    /// Starting sequence number of a `BlockAckReq` that must precede any data; `None` if no `BlockAckReq` is needed.
    #[inline]
    pub fn request(&self) -> Option<Sequence> {
        (self.asks || self.has_moved).then_some(self.start)
    }

    /// Packets that were pushed and are neither acknowledged nor given up.
    pub fn outstanding(&self) -> impl Iterator<Item = &P> {
        let is_under_way =
            |it: &&Outstanding<P>| matches!(it.progress, Progress::Waiting | Progress::OnAir);
        self.outstanding.iter().filter(is_under_way).map(|it| &it.packet)
    }

    /// Packets that were pushed and are neither acknowledged nor given up, mutable.
    pub fn outstanding_mut(&mut self) -> impl Iterator<Item = &mut P> {
        let is_under_way =
            |it: &&mut Outstanding<P>| matches!(it.progress, Progress::Waiting | Progress::OnAir);
        self.outstanding.iter_mut().filter(is_under_way).map(|it| &mut it.packet)
    }
}

/// Sequence number of the packet at index `place` of a window that begins at `start`.
#[inline]
fn sequence(start: Sequence, place: usize) -> Sequence {
    start + u16::try_from(place).expect("a place in the window")
}
