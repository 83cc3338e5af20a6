//! A link with a block ack agreement, as its transmitter keeps it: what has been in service and is not done.

use airfair_units::{Bytes, Duration};

use crate::aggregation::{
    AMSDU_SUBFRAME_HEADER, Agreement, AmpduLength, QOS_DATA_OVERHEAD, padded,
};
use crate::block_ack::{Bitmap, Done, Originator, Outgoing, Sequence};
use crate::frame::Msdu;
use crate::phy::TxVector;

/// A packet that has left its queue, or the first of an A-MSDU.
#[derive(Clone, Debug)]
pub(crate) struct Queued<P> {
    pub(crate) msdu: Msdu<P>,
    /// The queue that it came from.
    queue: usize,
    /// True if its receiver has it, or will not miss it.
    pub(crate) has_arrived: bool,
    /// The others of the A-MSDU, if it is one.
    joined: Option<Box<Joined<P>>>,
}

/// Packets of an A-MSDU behind its first one.
#[derive(Clone, Debug)]
struct Joined<P> {
    /// Octets of the A-MSDU.
    octets: Bytes,
    /// Packets, each with the queue that it came from.
    packets: Vec<(Msdu<P>, usize)>,
}

impl<P> Queued<P> {
    fn new(msdu: Msdu<P>, queue: usize) -> Self {
        Self { msdu, queue, has_arrived: false, joined: None }
    }

    /// Octets of the MPDU behind its header: the packet's, or the A-MSDU's.
    #[inline]
    pub(crate) fn size(&self) -> Bytes {
        self.amsdu().unwrap_or(self.msdu.size)
    }

    /// Octets of the A-MSDU, if it is one.
    #[inline]
    pub(crate) fn amsdu(&self) -> Option<Bytes> {
        self.joined.as_ref().map(|joined| joined.octets)
    }

    /// Octets as an A-MSDU with a packet of this size behind the others.  [80211-2020 §9.3.2.2.2]
    fn size_with(&self, size: Bytes) -> Bytes {
        let before = self.amsdu().unwrap_or(AMSDU_SUBFRAME_HEADER + self.msdu.size);
        padded(before) + AMSDU_SUBFRAME_HEADER + size
    }

    fn join(&mut self, msdu: Msdu<P>, queue: usize) {
        let octets = self.size_with(msdu.size);
        let none = || Box::new(Joined { octets, packets: Vec::new() });
        let joined = self.joined.get_or_insert_with(none);
        joined.octets = octets;
        joined.packets.push((msdu, queue));
    }

    /// Packets behind the first one, each with the queue that it came from.
    #[inline]
    fn joined(&self) -> &[(Msdu<P>, usize)] {
        self.joined.as_deref().map_or(&[], |joined| &joined.packets)
    }

    /// The queue of each of its packets.
    #[inline]
    pub(super) fn queues(&self) -> impl Iterator<Item = usize> {
        std::iter::once(self.queue).chain(self.joined().iter().map(|(_, queue)| *queue))
    }

    /// Its packets, each with the queue that it came from.
    pub(super) fn queues_mut(&mut self) -> impl Iterator<Item = (&Msdu<P>, &mut usize)> {
        let joined = self.joined.iter_mut().flat_map(|joined| &mut joined.packets);
        let others = joined.map(|(msdu, queue)| (&*msdu, queue));
        std::iter::once((&self.msdu, &mut self.queue)).chain(others)
    }

    /// Packets behind the first one.
    #[inline]
    pub(crate) fn others(&self) -> impl Iterator<Item = &Msdu<P>> {
        self.joined().iter().map(|(msdu, _)| msdu)
    }

    /// Packets of the MPDU.
    #[inline]
    pub(crate) fn packets(&self) -> impl Iterator<Item = &Msdu<P>> {
        std::iter::once(&self.msdu).chain(self.others())
    }
}

/// Response to the transmitter of an exchange.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Response<'a> {
    BlockAck(&'a Bitmap),
    /// The ACK of an MPDU that was sent alone.
    Ack,
    Silence,
    /// No CTS, as often as an RTS is sent: what it was to protect is given up.
    NoCts,
}

/// MPDUs of the next PPDU of a link: the first of those that wait.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Batch {
    length: AmpduLength,
    /// True if any of them has been on the air.
    pub(crate) retry: bool,
    /// Packets behind the first ones of their A-MSDUs.
    pub(crate) joined: u16,
}

impl Batch {
    /// Octets as an A-MPDU.
    pub(crate) fn octets(&self) -> Bytes {
        self.length.octets()
    }

    pub(crate) fn mpdus(&self) -> u16 {
        self.length.mpdus()
    }
}

/// Limits of a PPDU.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Room {
    pub(crate) octets: Bytes,
    pub(crate) mpdus: u16,
}

/// Frames of a link as long as its vector stays the same.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Frames {
    pub(crate) tx: TxVector,
    /// Vector of its control frames.
    pub(crate) control: TxVector,
    /// Time on the air of a `BlockAck`.
    pub(crate) block_ack: Duration,
    /// Limits of an aggregate without a TXOP.
    pub(crate) room: Room,
}

/// A link to one receiver.
#[derive(Debug)]
pub(crate) struct Link<P> {
    pub(crate) agreement: Agreement,
    pub(crate) originator: Originator<Queued<P>>,
    /// The queue from which it is to be served again.
    pub(super) again: Option<usize>,
    pub(crate) batch: Batch,
    /// Frames of the link as long as its vector stays the same.
    pub(crate) frames: Option<Frames>,
}

impl<P: Copy> Link<P> {
    pub(super) fn new(agreement: Agreement) -> Self {
        let originator = Originator::new(agreement.originator(), Sequence::default());
        let (again, frames) = (None, None);
        Self { agreement, originator, again, batch: Batch::default(), frames }
    }

    /// True if it has anything to send.
    pub(super) fn has_waiting(&self) -> bool {
        self.originator.waiting() > 0 || self.originator.request().is_some()
    }

    /// Takes a packet, for which the window has room.
    pub(super) fn push(&mut self, msdu: Msdu<P>, queue: usize) {
        self.originator.push(Queued::new(msdu, queue));
    }

    /// Makes a batch of what waits in the window. True if more may join.
    pub(super) fn begin_batch(&mut self, room: &Room) -> bool {
        self.batch = Batch::default();
        let Self { originator, batch, .. } = self;
        for Outgoing { packet, retry, .. } in originator.batch() {
            if !batch.add(packet.size(), room) {
                return false;
            }
            batch.retry |= retry;
            batch.joined += count(packet.joined());
        }
        self.may_take()
    }

    /// True if one more packet may go, in an MPDU of its own or in the last one.
    pub(super) fn may_take(&self) -> bool {
        self.originator.has_room() || self.agreement.amsdu.is_some()
    }

    /// Takes one more packet of this size into the batch, if it fits; tells where.
    pub(super) fn extend_batch(&mut self, size: Bytes, room: &Room) -> Option<Place> {
        if self.joins(size, room) {
            return Some(Place::LastMpdu);
        }
        let is_added = self.originator.has_room() && self.batch.add(size, room);
        is_added.then_some(Place::OwnMpdu)
    }

    /// Takes one more packet into the batch, in an MPDU of its own, if it fits.
    #[inline]
    pub(super) fn take(&mut self, msdu: &Msdu<P>, queue: usize, room: &Room) -> bool {
        let fits = self.originator.has_room() && self.batch.add(msdu.size, room);
        if fits {
            self.originator.push(Queued::new(*msdu, queue));
        }
        fits
    }

    /// The last MPDU takes one more packet of this size, if it has not been on the air and that fits.
    /// Deviates: [D-154]
    fn joins(&mut self, size: Bytes, room: &Room) -> bool {
        let Some(most) = self.agreement.amsdu else { return false };
        let Some(last) = self.originator.newest() else { return false };
        let amsdu = last.size_with(size);
        let length = self.batch.length.grown(amsdu - last.size());
        let fits = amsdu <= most && length.octets() <= room.octets;
        if fits {
            self.batch.length = length;
            self.batch.joined += 1;
        }
        fits
    }

    /// Puts a packet where it has been [taken into the batch](Self::extend_batch).
    pub(super) fn put(&mut self, msdu: Msdu<P>, queue: usize, place: Place) {
        match place {
            Place::OwnMpdu => self.push(msdu, queue),
            Place::LastMpdu => {
                let last = self.originator.newest().expect("the MPDU that it joins");
                last.join(msdu, queue);
            }
        }
    }

    /// The packets that are on the air.
    pub(crate) fn on_air(&mut self) -> impl Iterator<Item = Outgoing<&mut Queued<P>>> {
        self.originator.on_air()
    }

    /// Queue of what waits, for the scheduler's account.
    pub(super) fn queue(&self) -> Option<usize> {
        self.originator.batch().next().map(|it| it.packet.queue)
    }

    /// Queue of the first packet that is not done.
    pub(super) fn first_queue(&self) -> Option<usize> {
        self.originator.outstanding().next().map(|it| it.queue)
    }

    pub(super) fn settle(&mut self, response: Response<'_>, tell: impl FnMut(Done<&Queued<P>>)) {
        let mpdus = std::mem::take(&mut self.batch).mpdus();
        match response {
            Response::BlockAck(come) => self.originator.handle_block_ack(come, tell),
            Response::Ack => self.originator.handle_ack(tell),
            Response::Silence => self.originator.handle_silence(tell),
            Response::NoCts => self.originator.give_up(mpdus, tell),
        }
    }
}

/// Place of a packet in an aggregate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// Behind others in the last MPDU, an A-MSDU.
    LastMpdu,
    OwnMpdu,
}

fn count<T>(packets: &[T]) -> u16 {
    u16::try_from(packets.len()).expect("an A-MSDU has hundreds at most")
}

impl Batch {
    /// Adds an MPDU with so much behind its header if it fits; the first one fits anyway.
    #[inline]
    fn add(&mut self, payload: Bytes, room: &Room) -> bool {
        let next = self.length.with(payload + QOS_DATA_OVERHEAD);
        let fits = next.mpdus() <= room.mpdus && next.octets() <= room.octets;
        if fits || next.mpdus() == 1 {
            self.length = next;
            return true;
        }
        false
    }
}
