//! Links with a block ack agreement, as their transmitter keeps them: what has been in service and is not done.
//!
//! ```text
//!   sub-queues ── serve, fill ──► window ── sent ──► on the air ──► done
//!        ▲                          ▲                     │
//!        └─ receiver to be served   └───────── lost ──────┘
//!           again
//! ```

use airfair_units::{Bytes, Duration, Time};

use super::TransmitQueue;
use super::headers::Headers;
use crate::aggregation::{
    AMSDU_SUBFRAME_HEADER, Agreement, AmpduLength, QOS_DATA_OVERHEAD, padded,
};
use crate::block_ack::{Bitmap, Done, Fate, Originator, Outgoing, Sequence};
use crate::config::NodeId;
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
    /// Each with the queue that it came from.
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

/// What has come back to the transmitter of an exchange.
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
    /// The packet in service, if it does not fit the window yet.
    held: Option<Queued<P>>,
    /// The queue from which it is to be served again.
    again: Option<usize>,
    pub(crate) batch: Batch,
    /// Its frames with the vector that it had last.
    pub(crate) frames: Option<Frames>,
}

impl<P: Copy> Link<P> {
    fn new(agreement: Agreement) -> Self {
        let originator = Originator::new(agreement.originator(), Sequence::default());
        let (held, again, frames) = (None, None, None);
        Self { agreement, originator, held, again, batch: Batch::default(), frames }
    }

    /// True if it has anything to send.
    fn has_waiting(&self) -> bool {
        self.originator.waiting() > 0 || self.held.is_some() || self.originator.request().is_some()
    }

    /// Takes a packet, which waits its turn if the window has no room.
    pub(super) fn push(&mut self, msdu: Msdu<P>, queue: usize) {
        let queued = Queued::new(msdu, queue);
        if self.originator.has_room() {
            self.originator.push(queued);
        } else {
            debug_assert!(self.held.is_none(), "one packet is in service");
            self.held = Some(queued);
        }
    }

    /// Makes a batch of what waits in the window, and of the packet in service. True if more may join.
    fn begin_batch(&mut self, room: &Room) -> bool {
        self.batch = Batch::default();
        if self.originator.has_room()
            && let Some(held) = self.held.take()
        {
            self.originator.push(held);
        }
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
    fn may_take(&self) -> bool {
        self.held.is_none() && (self.originator.has_room() || self.agreement.amsdu.is_some())
    }

    /// Takes one more packet of this size into the batch, if it fits; tells where.
    fn extend_batch(&mut self, size: Bytes, room: &Room) -> Option<Place> {
        if self.joins(size, room) {
            return Some(Place::LastMpdu);
        }
        let is_added = self.originator.has_room() && self.batch.add(size, room);
        is_added.then_some(Place::OwnMpdu)
    }

    /// Takes one more packet into the batch, in an MPDU of its own, if it fits.
    #[inline]
    fn take(&mut self, msdu: &Msdu<P>, queue: usize, room: &Room) -> bool {
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
    fn put(&mut self, msdu: Msdu<P>, queue: usize, place: Place) {
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
    fn queue(&self) -> Option<usize> {
        let waiting = self.originator.batch().next().map(|it| it.packet.queue);
        waiting.or(self.held.as_ref().map(|it| it.queue))
    }

    /// From this queue it is to be served again.
    pub(super) fn await_service(&mut self, queue: usize) {
        self.again = Some(queue);
    }

    /// Queue of the first packet that is not done.
    pub(super) fn first_queue(&self) -> Option<usize> {
        self.originator.outstanding().chain(&self.held).next().map(|it| it.queue)
    }

    fn settle(&mut self, response: Response<'_>, tell: impl FnMut(Done<&Queued<P>>)) {
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
enum Place {
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

/// The links of one transmitter.
#[derive(Debug)]
pub(super) struct Links<P> {
    /// By receiver; none where frames are acknowledged one by one.
    to: Vec<Option<Box<Link<P>>>>,
    /// Receiver of the aggregate in service, or of what its agreement asks for.
    in_service: Option<NodeId>,
    /// Packets that have left their queues and are not done.
    under_way: u32,
    /// The same of each queue.
    of_queue: Vec<u32>,
}

impl<P> Default for Links<P> {
    fn default() -> Self {
        Self { to: Vec::new(), in_service: None, under_way: 0, of_queue: Vec::new() }
    }
}

impl<P: Copy> Links<P> {
    /// The link to a receiver, if there is an agreement with it.
    #[inline]
    fn get(&mut self, to: NodeId) -> Option<&mut Link<P>> {
        self.to.get_mut(to.index())?.as_deref_mut()
    }

    fn set(&mut self, to: NodeId, agreement: Agreement) {
        if to.index() >= self.to.len() {
            self.to.resize_with(to.index() + 1, || None);
        }
        self.to[to.index()] = Some(Box::new(Link::new(agreement)));
    }

    fn note(&mut self, queue: usize) {
        note(&mut self.of_queue, queue, 1);
        self.under_way += 1;
    }

    /// So many packets of a queue are done.
    #[inline]
    fn forget(&mut self, queue: usize, count: u32) {
        if count > 0 {
            self.of_queue[queue] -= count;
            self.under_way -= count;
        }
    }

    /// Packets that have left queue `index` and are not done.
    pub(super) fn of_queue(&self, index: usize) -> u32 {
        self.of_queue.get(index).copied().unwrap_or(0)
    }

    /// Packets that have left their queues and are not done.
    pub(super) fn under_way(&self) -> u32 {
        self.under_way
    }

    /// All packets that are not done are of queues that `classify` says. No receiver is to be served again.
    pub(super) fn reclassify(&mut self, mut classify: impl FnMut(&Msdu<P>) -> usize) {
        self.of_queue.clear();
        for link in self.to.iter_mut().flatten() {
            link.again = None;
            for queued in link.originator.outstanding_mut().chain(&mut link.held) {
                queued.queue = classify(&queued.msdu);
                note(&mut self.of_queue, queued.queue, 1);
                for (msdu, queue) in queued.joined.iter_mut().flat_map(|it| &mut it.packets) {
                    *queue = classify(msdu);
                    note(&mut self.of_queue, *queue, 1);
                }
            }
        }
    }

    /// Receivers for whom there is anything.
    pub(super) fn receivers(&self) -> Vec<NodeId> {
        let links = (0..).map(NodeId).zip(&self.to);
        let in_use = links.filter(|(to, link)| {
            self.in_service == Some(*to) || link.as_ref().is_some_and(|link| link.has_waiting())
        });
        in_use.map(|(to, _)| to).collect()
    }

    fn iter(&self) -> impl Iterator<Item = &Queued<P>> {
        let links = self.to.iter().flatten();
        links.flat_map(|link| link.originator.outstanding().chain(&link.held))
    }
}

/// So many more packets of queue `index` are under way.
fn note(of_queue: &mut Vec<u32>, index: usize, packets: u32) {
    if index >= of_queue.len() {
        of_queue.resize(index + 1, 0);
    }
    of_queue[index] += packets;
}

impl<P: Copy + Headers> TransmitQueue<P> {
    /// From now on frames to this receiver are aggregated.
    pub(crate) fn agree(&mut self, to: NodeId, agreement: Agreement) {
        self.links.get_or_insert_default().set(to, agreement);
    }

    /// The link to a receiver.
    #[inline]
    pub(crate) fn link(&mut self, to: NodeId) -> &mut Link<P> {
        let link = self.links.as_mut().and_then(|links| links.get(to));
        link.expect("a link with an agreement")
    }

    /// The batch that has been made for a receiver.
    #[inline]
    pub(crate) fn batch(&self, to: NodeId) -> Batch {
        let link = self.links.as_ref().and_then(|links| links.to[to.index()].as_ref());
        link.map_or_else(Batch::default, |link| link.batch)
    }

    /// The agreement with a receiver, if there is one.
    pub(crate) fn agreement(&self, to: NodeId) -> Option<&Agreement> {
        let link = self.links.as_ref()?.to.get(to.index())?.as_ref()?;
        Some(&link.agreement)
    }

    /// Receiver of the aggregate in service, if it is one.
    #[inline]
    pub(crate) fn link_in_service(&self) -> Option<NodeId> {
        self.links.as_ref().and_then(|links| links.in_service)
    }

    /// Packets that have left their queues for an aggregate and are not done.
    pub(crate) fn under_way(&self) -> impl Iterator<Item = &Queued<P>> {
        self.links.iter().flat_map(|links| links.iter())
    }

    /// Puts a packet into service whose receiver takes aggregates.
    #[inline(never)]
    pub(super) fn serve_aggregated(&mut self, msdu: Msdu<P>, queue: usize) -> bool {
        let Some(links) = &mut self.links else { return false };
        let Some(link) = links.get(msdu.to) else { return false };
        link.push(msdu, queue);
        links.note(queue);
        links.in_service = Some(msdu.to);
        self.serving = queue;
        true
    }

    /// Puts a receiver into service again, if queue `index` has one before its packets.
    #[inline(never)]
    pub(super) fn serve_again(&mut self, index: usize) -> bool {
        let Some(to) = self.begin_again(index) else { return false };
        if let Some(links) = &mut self.links {
            links.in_service = Some(to);
        }
        self.serving = index;
        true
    }

    /// The receiver that is to be served again before the packets of queue `index`, if there is one; it is no more.
    pub(super) fn begin_again(&mut self, index: usize) -> Option<NodeId> {
        self.links.as_ref()?;
        let to = self.queues.pop_again(index)?;
        self.link(to).again = None;
        Some(to)
    }

    /// Puts a receiver into service for what has been sent in vain; false if there is nothing.
    pub(super) fn serve_link(&mut self, to: NodeId) -> bool {
        let Some(links) = &mut self.links else { return false };
        let Some(link) = links.get(to).filter(|link| link.has_waiting()) else { return false };
        if let Some(queue) = link.queue() {
            self.serving = queue;
        }
        links.in_service = Some(to);
        true
    }

    /// Limits of the frames of a link as it had them last, if it has an agreement and had any.
    pub(super) fn limits_ahead(&mut self, to: NodeId) -> Option<(Agreement, Room)> {
        let link = self.links.as_mut()?.get(to)?;
        Some((link.agreement, link.frames?.room))
    }

    /// Makes the batch of the next PPDU to the receiver in service: what waits in the window in its order, then packets
    /// that the scheduler lets join.
    /// Deviates: [D-130]
    pub(crate) fn prepare(&mut self, now: Time, to: NodeId, room: &Room) {
        let Self { links: Some(links), queues, scheduler, serving, driver, .. } = self else {
            return;
        };
        let Some(link) = links.to.get_mut(to.index()).and_then(Option::as_deref_mut) else {
            return;
        };
        if let Some(queue) = link.again.take() {
            queues.remove_again(queue, to);
        }
        let (mut goes_on, mut from) = (link.begin_batch(room), 0);
        if let Some(driver) = driver {
            let Some(ahead) = driver.in_service() else { return };
            while goes_on
                && let Some((msdu, queue)) = ahead.front().copied()
                && let Some(put) = link.extend_batch(msdu.size, room)
            {
                ahead.pop_front();
                link.put(msdu, queue, put);
                note(&mut links.of_queue, queue, 1);
                links.under_way += 1;
                goes_on = link.may_take();
            }
            return;
        }
        if goes_on && scheduler.is_single() && link.agreement.amsdu.is_none() {
            // In one queue, those for the same receiver follow each other, mostly.
            let queue = *serving;
            let taken = queues.hand_over(queue, to, |msdu| link.take(msdu, queue, room));
            note(&mut links.of_queue, queue, taken);
            links.under_way += taken;
            goes_on = link.may_take();
        }
        while goes_on
            && let Some((queue, place)) = scheduler.find_more(now, queues, (*serving, from), to)
        {
            let size = queues.size_at(queue, place);
            let Some(put) = link.extend_batch(size, room) else { break };
            let msdu = queues.take(queue, place);
            scheduler.charge_more(queues, queue, size);
            link.put(msdu, queue, put);
            goes_on = link.may_take();
            note(&mut links.of_queue, queue, 1);
            links.under_way += 1;
            from = place;
        }
    }

    /// The exchange with the receiver in service is over: tells of each packet that is done. After silence the same
    /// receiver stays in service, as long as anything waits for it; else the scheduler chooses, and what waits here goes
    /// before what waits in the same queue.
    pub(crate) fn settle(
        &mut self,
        now: Time,
        to: NodeId,
        response: Response<'_>,
        mut tell: impl FnMut(&Queued<P>, Fate),
    ) {
        let is_answered = matches!(response, Response::BlockAck(_) | Response::Ack);
        let Some(links) = &mut self.links else { return };
        let Some(mut link) = links.to[to.index()].take() else { return };
        let before = links.under_way;
        // Packets of one queue, mostly: subtracted one by one, each would wait for the one before.
        let (mut of_queue, mut count) = (self.serving, 0);
        link.settle(response, |done| {
            tell(done.packet, done.fate);
            let joined = done.packet.joined().iter().map(|(_, queue)| *queue);
            for queue in std::iter::once(done.packet.queue).chain(joined) {
                if queue != of_queue {
                    links.forget(of_queue, std::mem::take(&mut count));
                    of_queue = queue;
                }
                count += 1;
            }
        });
        links.forget(of_queue, count);
        if self.driver.is_some() {
            self.scheduler.note_done(to, (before - links.under_way) as usize);
        }
        let has_waiting = link.has_waiting();
        let again = link.queue().unwrap_or(self.serving);
        if has_waiting && is_answered {
            link.again = Some(again);
        }
        links.to[to.index()] = Some(link);
        if has_waiting && !is_answered {
            return;
        }
        links.in_service = None;
        if has_waiting {
            self.push_again(now, to, again);
        }
        self.serve_next(now);
    }

    /// A receiver, whose link knows it, is to be served again before the packets of queue `index`.
    #[inline]
    pub(super) fn push_again(&mut self, now: Time, to: NodeId, index: usize) {
        let was_empty = self.queues.len(index) == 0;
        self.queues.push_again(index, to);
        if was_empty {
            self.scheduler.activate(now, &mut self.queues, index);
        }
    }
}
