//! Transmitter's side of a link with a block ack agreement: packets that have left their queues and are neither
//! acknowledged nor given up.

use airfair_units::{Bytes, Duration};

use crate::aggregation::{AMSDU_SUBFRAME_HEADER, Agreement, AmpduLength, padded};
use crate::block_ack::{Bitmap, Done, Originator, Outgoing, Sequence};
use crate::frame::Msdu;
use crate::phy::TxVector;
use crate::sizes::QOS_DATA_OVERHEAD;

/// Content of an MPDU in a block ack window: a packet that has left its queue, or an A-MSDU.
#[derive(Clone, Debug)]
pub(crate) struct Queued<P> {
    pub(crate) msdu: Msdu<P>,
    /// Queue from which the first packet of the MPDU came.
    queue: usize,
    /// True if the receiver has the content of the MPDU, or will not wait for it.
    pub(crate) has_arrived: bool,
    /// Further packets, if the MPDU carries an A-MSDU.
    joined: Option<Box<Joined<P>>>,
}

/// Packets of an A-MSDU after its first one.
#[derive(Clone, Debug)]
struct Joined<P> {
    /// Size of the A-MSDU.
    octets: Bytes,
    /// Packets of the A-MSDU after the first one, each with the queue from which it came.
    packets: Vec<(Msdu<P>, usize)>,
}

impl<P> Queued<P> {
    fn new(msdu: Msdu<P>, queue: usize) -> Self {
        Self { msdu, queue, has_arrived: false, joined: None }
    }

    /// Size of the MPDU's payload: the packet, or the A-MSDU.
    #[inline]
    pub(crate) fn size(&self) -> Bytes {
        self.amsdu().unwrap_or(self.msdu.size)
    }

    /// Size of the A-MSDU; `None` for a single packet.
    #[inline]
    pub(crate) fn amsdu(&self) -> Option<Bytes> {
        self.joined.as_ref().map(|joined| joined.octets)
    }

    /// Size of the MPDU's A-MSDU with one more packet of this size.  [80211-2020 §9.3.2.2.2]
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

    /// Packets of the MPDU after the first one, each with the queue from which it came.
    #[inline]
    fn joined(&self) -> &[(Msdu<P>, usize)] {
        self.joined.as_deref().map_or(&[], |joined| &joined.packets)
    }

    /// Queue from which each packet of the MPDU came.
    #[inline]
    pub(super) fn queues(&self) -> impl Iterator<Item = usize> {
        std::iter::once(self.queue).chain(self.joined().iter().map(|(_, queue)| *queue))
    }

    /// Packets of the MPDU, each with the queue from which it came.
    pub(super) fn queues_mut(&mut self) -> impl Iterator<Item = (&Msdu<P>, &mut usize)> {
        let joined = self.joined.iter_mut().flat_map(|joined| &mut joined.packets);
        let others = joined.map(|(msdu, queue)| (&*msdu, queue));
        std::iter::once((&self.msdu, &mut self.queue)).chain(others)
    }

    /// Number of packets of the MPDU after the first one.
    #[inline]
    pub(crate) fn others_count(&self) -> u16 {
        count(self.joined())
    }

    /// Packets of the MPDU after the first one.
    #[inline]
    pub(crate) fn others(&self) -> impl Iterator<Item = &Msdu<P>> + Clone {
        self.joined().iter().map(|(msdu, _)| msdu)
    }

    /// Packets of the MPDU.
    #[inline]
    pub(crate) fn packets(&self) -> impl Iterator<Item = &Msdu<P>> {
        std::iter::once(&self.msdu).chain(self.others())
    }
}

/// Response to the data or request of an exchange, as its transmitter gets it.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Response<'a> {
    BlockAck(&'a Bitmap),
    /// ACK of an MPDU that was sent alone.
    Ack,
    Silence,
    /// No CTS after all attempts with an RTS: the data to be protected is given up.
    NoCts,
}

/// MPDUs of the next PPDU to one receiver: the first ones that wait in its block ack window.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Batch {
    length: AmpduLength,
    /// True if any MPDU of the batch was sent before.
    pub(crate) retry: bool,
    /// Number of packets in the batch after the first ones of their A-MSDUs.
    pub(crate) joined: u16,
}

impl Batch {
    /// Size of the batch as an A-MPDU.
    pub(crate) fn octets(&self) -> Bytes {
        self.length.octets()
    }

    pub(crate) fn mpdus(&self) -> u16 {
        self.length.mpdus()
    }
}

/// Largest number of octets and MPDUs in a PPDU.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Room {
    pub(crate) octets: Bytes,
    pub(crate) mpdus: u16,
}

/// Vectors, durations and limits of a link's frames, which hold as long as the vector of its data frames does not
/// change.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Frames {
    pub(crate) tx: TxVector,
    /// Vector of the link's control frames.
    pub(crate) control: TxVector,
    /// Duration of a `BlockAck` on the link.
    pub(crate) block_ack: Duration,
    /// Limits of an aggregate without a TXOP limit.
    pub(crate) room: Room,
}

/// Link with a block ack agreement to one receiver.
#[derive(Clone, Debug)]
pub(crate) struct BlockAckLink<P> {
    pub(crate) agreement: Agreement,
    pub(crate) originator: Originator<Queued<P>>,
    /// Index of the queue in whose turn the receiver is served again, for lost MPDUs or a `BlockAckReq` and before the
    /// queue's packets; `None` if it is not to be served again.
    pub(super) again: Option<usize>,
    pub(crate) batch: Batch,
    /// Vectors, durations and limits of the link's frames at its current vector, once calculated.
    pub(crate) frames: Option<Frames>,
}

impl<P: Copy> BlockAckLink<P> {
    pub(super) fn new(agreement: Agreement) -> Self {
        let originator = Originator::new(agreement.originator(), Sequence::default());
        let (again, frames) = (None, None);
        Self { agreement, originator, again, batch: Batch::default(), frames }
    }

    /// True if the link has MPDUs or a `BlockAckReq` to send.
    pub(super) fn has_waiting(&self) -> bool {
        self.originator.waiting() > 0 || self.originator.request().is_some()
    }

    /// Adds a packet from `queue` to the block ack window, which must have room.
    pub(super) fn push(&mut self, msdu: Msdu<P>, queue: usize) {
        self.originator.push(Queued::new(msdu, queue));
    }

    /// Makes a batch of the MPDUs that wait in the block ack window. Returns true if more may join.
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

    /// True if one more packet may join the batch, in its own MPDU or in the last one.
    pub(super) fn may_take(&self) -> bool {
        self.originator.has_room() || self.agreement.amsdu.is_some()
    }

    /// Reserves room for one more packet of this size in the batch, if it fits. Returns the packet's place.
    pub(super) fn extend_batch(&mut self, size: Bytes, room: &Room) -> Option<Place> {
        if self.joins(size, room) {
            return Some(Place::LastMpdu);
        }
        let is_added = self.originator.has_room() && self.batch.add(size, room);
        is_added.then_some(Place::OwnMpdu)
    }

    /// Adds one more packet from `queue` to the batch, in its own MPDU, if it fits. Returns true if it does.
    #[inline]
    pub(super) fn take(&mut self, msdu: &Msdu<P>, queue: usize, room: &Room) -> bool {
        let fits = self.originator.has_room() && self.batch.add(msdu.size, room);
        if fits {
            self.originator.push(Queued::new(*msdu, queue));
        }
        fits
    }

    /// Adds one more packet of this size to the last MPDU of the batch, if that was not sent yet and the packet fits.
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

    /// Stores a packet at the place that [`extend_batch`](Self::extend_batch) has returned.
    pub(super) fn put(&mut self, msdu: Msdu<P>, queue: usize, place: Place) {
        match place {
            Place::OwnMpdu => self.push(msdu, queue),
            Place::LastMpdu => {
                let last = self.originator.newest().expect("the MPDU that it joins");
                last.join(msdu, queue);
            }
        }
    }

    /// MPDUs to the receiver that are on the air, in the order of their sequence numbers.
    pub(crate) fn on_air(&mut self) -> impl Iterator<Item = Outgoing<&mut Queued<P>>> {
        self.originator.on_air()
    }

    /// Queue of the first MPDU that waits, for the scheduler.
    pub(super) fn queue(&self) -> Option<usize> {
        self.originator.batch().next().map(|it| it.packet.queue)
    }

    /// Queue of the first MPDU that is neither acknowledged nor given up.
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

/// Place of a packet in an aggregate: its own MPDU, or the last one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// The packet joins the last MPDU of the aggregate, as one more subframe of its A-MSDU.
    LastMpdu,
    /// The packet gets an MPDU of its own.
    OwnMpdu,
}

fn count<T>(packets: &[T]) -> u16 {
    u16::try_from(packets.len()).expect("an A-MSDU has hundreds at most")
}

impl Batch {
    /// Adds an MPDU with this payload to the batch, if it fits. The first MPDU is always added.
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
