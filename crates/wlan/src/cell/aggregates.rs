//! Exchanges under a block ack agreement: A-MPDU–BlockAck, a single MPDU with its ACK, and BlockAckReq–BlockAck.
//! [80211-2020 §10.12, §10.25]

use std::num::NonZeroU16;
use std::slice;

use airfair_laws::Direction;
use airfair_units::{Bytes, Duration, Time};

use super::{Cell, Departure, ReportedDepartures};
use crate::aggregation::{Agreement, BlockAckWindow, amsdu_size};
use crate::airtime::{Airtime, Protection};
use crate::block_ack::{Bitmap, PacketOutcome, REORDER_TIMEOUT, Reception, Recipient, Sequence};
use crate::contender::{Access, Content, Exchange, Step, Verdict};
use crate::frame::{Frame, FrameKind, Mpdu, Msdu};
use crate::link_rate::Chain;
use crate::node::NodeId;
use crate::phy::TxVector;
use crate::phy::mode::Format;
use crate::queue::headers::Headers;
use crate::queue::{Batch, Frames, Queued, Response, Room};
use crate::record::{CategoryEvent, DropCause, Record};
use crate::roster::ContenderId;
use crate::sizes;
use crate::sizes::ACK_SIZE;
use crate::sizes::{BLOCK_ACK_REQUEST_SIZE, DELIMITER, QOS_DATA_OVERHEAD};

/// Recipient of the block ack agreement of one link.
type BoxedRecipient<P> = Box<Recipient<Received<P>>>;

/// Size and duration of a data frame that a member may send, and duration of the response to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Carrier {
    /// Number of packets in the frame.
    pub packets: u32,
    /// Size of the PSDU.
    pub psdu: Bytes,
    /// Duration of the frame.
    pub data: Duration,
    /// Duration of the response.
    pub response: Duration,
}

impl Carrier {
    /// Data frame with this vector that carries up to `most` packets of `msdu` octets: as many as the limits of an
    /// aggregate under `agreement` allow, in A-MSDUs if these are used.
    pub fn of(
        airtime: &Airtime,
        agreement: Option<&Agreement>,
        (msdu, most): (Bytes, u32),
        tx: TxVector,
    ) -> Self {
        let frame = |packets, psdu, response| {
            let data = airtime.frame(psdu, tx);
            Self { packets, psdu, data, response }
        };
        let alone = || frame(1, sizes::psdu(msdu, tx), airtime.ack(tx));
        let Some(agreement) = agreement else { return alone() };
        let joined = agreement.most_joined(msdu).min(most).max(1);
        let one = match joined {
            1 => msdu,
            _ => amsdu_size((0..joined).map(|_| msdu)),
        };
        let response = airtime.frame(agreement.window.response_size(), airtime.response(tx));
        let room = room(airtime, agreement, (tx, response, Duration::MAX));
        let most = usize::try_from(most / joined).unwrap_or(usize::MAX).min(room.mpdus.into());
        let mpdus = std::iter::repeat_n(one + QOS_DATA_OVERHEAD, most);
        let filled = agreement.limits.fill(room.octets, mpdus);
        if filled.mpdus() < 2 {
            return alone();
        }
        frame(joined * u32::from(filled.mpdus()), filled.octets(), response)
    }
}

/// Room of an aggregate with this vector, so that it and its response fit into the rest of a TXOP.
fn room(
    airtime: &Airtime,
    agreement: &Agreement,
    (tx, response, rest): (TxVector, Duration, Duration),
) -> Room {
    let (limits, mpdus) = (&agreement.limits, agreement.most_mpdus());
    let octets = match tx {
        TxVector::Mode(mode) => {
            limits.room(mode, airtime.band(), response, rest).unwrap_or(Bytes::ZERO)
        }
        _ => limits.max_bytes,
    };
    Room { octets, mpdus }
}

/// An MPDU in a reorder buffer: its packet, or those of its A-MSDU.
#[derive(Clone, Debug)]
pub(super) struct Received<P> {
    first: Msdu<P>,
    others: Vec<Msdu<P>>,
}

impl<P: Copy> Received<P> {
    fn of(queued: &Queued<P>) -> Self {
        Self { first: queued.msdu, others: queued.others().copied().collect() }
    }

    fn packets(&self) -> impl Iterator<Item = &Msdu<P>> {
        std::iter::once(&self.first).chain(&self.others)
    }

    fn deliver(self, deliveries: &mut Vec<Msdu<P>>) {
        deliveries.push(self.first);
        deliveries.extend(self.others);
    }
}

/// Recipients of the block ack agreements of a cell, by hop; empty if no link has an agreement.
#[derive(Clone, Debug)]
pub(super) struct Recipients<P> {
    hops: Vec<Option<BoxedRecipient<P>>>,
    /// Time at which the first reorder buffer times out.
    pub(super) next_timeout: Option<Time>,
}

impl<P> Default for Recipients<P> {
    fn default() -> Self {
        Self { hops: Vec::new(), next_timeout: None }
    }
}

impl<P: Copy> Recipients<P> {
    fn set(&mut self, hop: usize, window: BlockAckWindow) {
        if hop >= self.hops.len() {
            self.hops.resize_with(hop + 1, Default::default);
        }
        let recipient = Recipient::new(window.mpdus(), REORDER_TIMEOUT, Sequence::default());
        self.hops[hop] = Some(Box::new(recipient));
    }

    /// Recipient of the frames on this hop, which must have a block ack agreement.
    fn of(&mut self, hop: usize) -> &mut Recipient<Received<P>> {
        self.hops[hop].as_deref_mut().expect("a link with an agreement")
    }

    /// True if any link of the cell has a block ack agreement.
    #[inline]
    pub(super) fn are_used(&self) -> bool {
        !self.hops.is_empty()
    }

    fn plan(&mut self) {
        let all = self.hops.iter().flatten();
        self.next_timeout = all.filter_map(|recipient| recipient.next_timeout()).min();
    }
}

/// MPDUs of an aggregate in which noise has made errors: bit `i` is set for the MPDU with index `i` in the aggregate.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Errors([u64; 4]);

impl Errors {
    pub(super) fn set(&mut self, place: usize) {
        self.0[place / 64] |= 1 << (place % 64);
    }

    pub(super) fn has(self, place: usize) -> bool {
        self.0[place / 64] >> (place % 64) & 1 == 1
    }

    fn is_none(self) -> bool {
        self.0 == [0; 4]
    }

    pub(super) fn of<P>(mpdus: &[Mpdu<P>]) -> Self {
        let mut errors = Self::default();
        let errored = mpdus.iter().enumerate().filter(|(_, mpdu)| mpdu.errored);
        errored.for_each(|(place, _)| errors.set(place));
        errors
    }

    pub(super) fn count(self) -> u32 {
        self.0.iter().map(|word| word.count_ones()).sum()
    }
}

/// Delivers the packet of an MPDU, or the packets of its A-MSDU.
#[inline]
fn deliver<P: Copy>(queued: &Queued<P>, deliveries: &mut Vec<Msdu<P>>) {
    // Copied once; `push` would copy the value twice.
    deliveries.extend_from_slice(slice::from_ref(&queued.msdu));
    deliveries.extend(queued.others());
}

/// Size of the PSDU of a batch. A single MPDU has a delimiter if every PPDU of its format is an A-MPDU.  [80211-2020
/// §10.12.8]
fn psdu(batch: &Batch, tx: TxVector) -> Bytes {
    let is_bare = match tx {
        TxVector::Mode(mode) => mode.format() == Format::Ht,
        _ => true,
    };
    if batch.mpdus() == 1 && is_bare { batch.octets() - DELIMITER } else { batch.octets() }
}

impl<P: Copy + Headers> Cell<P> {
    /// Sets a block ack agreement for data frames between a station and the access point, in one direction.
    pub fn agree(&mut self, station: NodeId, direction: Direction, agreement: Agreement) {
        let (from, to) = match direction {
            Direction::Up => (station, NodeId::AP),
            Direction::Down => (NodeId::AP, station),
        };
        for id in self.roster.of(from) {
            self.contenders[id.index()].queue.agree(to, agreement);
            self.recipients.set(self.roster.hop(id, to), agreement.window);
        }
    }

    /// Packets in reorder buffers, which wait for earlier ones.
    pub fn buffered(&self) -> impl Iterator<Item = &Msdu<P>> {
        let kept = self.recipients.hops.iter().flatten().flat_map(|it| it.buffered());
        kept.flat_map(Received::packets)
    }

    /// Largest number of packets of this size in a frame from one member to another.
    pub fn most_packets(&self, from: NodeId, to: NodeId, size: Bytes) -> usize {
        self.agreement(from, to).map_or(1, |agreement| agreement.most_packets(size))
    }

    /// Rules for aggregates from one member to another; `None` if frames carry one packet each.
    pub fn agreement(&self, from: NodeId, to: NodeId) -> Option<&Agreement> {
        self.contenders[ContenderId::first(from).index()].queue.agreement(to)
    }

    /// Begins the exchange of contender `id`, which has just won the channel and whose receiver has a block ack
    /// agreement.
    #[inline(never)]
    pub(super) fn begin_link_exchange(
        &mut self,
        now: Time,
        id: ContenderId,
        to: NodeId,
    ) -> Exchange {
        let plan = self.plan_link(now, id, to, now);
        self.contenders[id.index()].access = Access::Exchange(plan);
        plan
    }

    /// Plans the exchange of contender `id` with receiver `to`, which begins now or, in a TXOP, a SIFS later.
    pub(super) fn plan_link(
        &mut self,
        now: Time,
        id: ContenderId,
        to: NodeId,
        txop_start: Time,
    ) -> Exchange {
        let Frames { tx, control, block_ack, room } = self.frames(id, to);
        let step = Step::OnAir;
        if self.contenders[id.index()].queue.link(to).originator.request().is_some() {
            let data = self.airtime.frame(BLOCK_ACK_REQUEST_SIZE, control);
            let (content, protection) = (Content::Request, Protection::None);
            let (tx, ack, own_end) = (control, block_ack, Time::ZERO);
            return Exchange { step, content, to, tx, data, ack, protection, txop_start, own_end };
        }
        let rest = self.rest_of_txop(now, id, txop_start);
        let mpdus = if self.link_rate_to(id, to).sends_alone() { 1 } else { room.mpdus };
        let room = Room { mpdus, ..room };
        let room_within =
            |cell: &Self, rest| Room { mpdus, ..cell.room(id, to, (tx, block_ack, rest)) };
        let room = if rest < Duration::MAX { room_within(self, rest) } else { room };
        let mut batch = self.prepare(now, id, to, room);
        let is_first = now == txop_start;
        let protection = if is_first { self.protect(&batch, tx) } else { Protection::None };
        if let (Protection::RtsCts(guard), true) = (protection, rest < Duration::MAX) {
            let sifs = self.airtime.timing.sifs;
            let call = self.airtime.rts(guard) + sifs + self.airtime.cts(guard) + sifs;
            let room = room_within(self, rest.saturating_sub(call));
            batch = self.prepare(now, id, to, room);
        }
        let is_alone = batch.mpdus() == 1;
        let content = if is_alone { Content::Mpdu } else { Content::Aggregate };
        let ack = if is_alone { self.airtime.ack(tx) } else { block_ack };
        let data = self.airtime.frame(psdu(&batch, tx), tx);
        Exchange { step, content, to, tx, data, ack, protection, txop_start, own_end: Time::ZERO }
    }

    /// Vectors, durations and limits of frames of contender `id` to `to`. They are recalculated if the vector of the
    /// link has changed.
    fn frames(&mut self, id: ContenderId, to: NodeId) -> Frames {
        let tx = self.link_rate_to(id, to).get();
        if let Some(frames) = self.contenders[id.index()].queue.link(to).frames
            && frames.tx == tx
        {
            return frames;
        }
        let window = self.contenders[id.index()].queue.link(to).agreement.window;
        let control = self.airtime.response(tx);
        let block_ack = self.airtime.frame(window.response_size(), control);
        let room = self.room(id, to, (tx, block_ack, Duration::MAX));
        let frames = Frames { tx, control, block_ack, room };
        self.contenders[id.index()].queue.link(to).frames = Some(frames);
        frames
    }

    fn protect(&self, batch: &Batch, tx: TxVector) -> Protection {
        self.airtime.protection_of(psdu(batch, tx), tx)
    }

    /// Time left in the TXOP of contender `id` for an exchange that begins now, or a SIFS later after another one.
    fn rest_of_txop(&self, now: Time, id: ContenderId, txop_start: Time) -> Duration {
        let limit = self.contenders[id.index()].limits.txop;
        if limit.is_zero() {
            return Duration::MAX;
        }
        let start = if now == txop_start { now } else { now + self.airtime.timing.sifs };
        (txop_start + limit).saturating_since(start)
    }

    /// Limits of an aggregate of contender `id` with vector `tx`, if its response lasts `response` and the TXOP has
    /// `rest` left.
    fn room(
        &self,
        id: ContenderId,
        to: NodeId,
        (tx, response, rest): (TxVector, Duration, Duration),
    ) -> Room {
        let agreement = self.contenders[id.index()].queue.agreement(to);
        room(&self.airtime, agreement.expect("a link with an agreement"), (tx, response, rest))
    }

    /// Makes the batch of MPDUs for the next aggregate of contender `id`, and handles packets that its queue has
    /// dropped meanwhile.
    fn prepare(&mut self, now: Time, id: ContenderId, to: NodeId, room: Room) -> Batch {
        self.contenders[id.index()].queue.prepare(now, to, &room);
        if self.contenders[id.index()].queue.has_dropped() {
            self.take_dropped(id);
            self.record_queue(id);
        }
        self.contenders[id.index()].queue.batch(to)
    }

    /// Data frame or `BlockAckReq` of the exchange of contender `id`.
    #[inline(never)]
    pub(super) fn link_frame(&self, id: ContenderId, exchange: &Exchange) -> Frame {
        let Exchange { to, tx, data, ack, content, .. } = *exchange;
        let batch = self.contenders[id.index()].queue.batch(to);
        let (kind, psdu, retry) = match content {
            Content::Request => (FrameKind::BlockAckRequest, BLOCK_ACK_REQUEST_SIZE, false),
            _ => (FrameKind::Data, psdu(&batch, tx), batch.retry),
        };
        let duration_field = self.airtime.timing.sifs + ack;
        Frame {
            kind,
            from: id.member(),
            to: Some(to),
            tx,
            psdu,
            duration: data,
            duration_field,
            retry,
        }
    }

    /// Marks the batch of MPDUs for the next PPDU from contender `id` to `to` as on the air.
    pub(super) fn begin_batch(&mut self, id: ContenderId, to: NodeId) {
        let link = self.contenders[id.index()].queue.link(to);
        link.originator.send(link.batch.mpdus());
    }

    /// Copies of the MPDUs on the air from contender `id`, a queue of a member, to `to`: the content of a PPDU.
    pub(super) fn list_batch(&mut self, id: ContenderId, to: NodeId) -> Vec<Mpdu<P>> {
        let mut mpdus = self.spare.pop().unwrap_or_default();
        let on_air = self.contenders[id.index()].queue.link(to).on_air();
        mpdus.extend(on_air.map(|it| Mpdu {
            msdu: it.packet.msdu,
            amsdu: it.packet.amsdu().and_then(|it| NonZeroU16::new(u16::try_from(it.get()).ok()?)),
            sequence: it.sequence.get(),
            retry: it.retry,
            errored: false,
        }));
        mpdus
    }

    /// Records the MPDUs of a data frame under an agreement that has left the air, and the packets in its A-MSDUs.
    pub(super) fn record_aggregate(&mut self, id: ContenderId, to: NodeId) {
        let (node, batch) = (id.member(), self.contenders[id.index()].queue.batch(to));
        let (mpdus, octets) = (batch.mpdus(), batch.octets());
        self.channel.records.push(Record::Aggregate { node, to, mpdus, octets });
        if batch.joined > 0 {
            self.channel.records.push(Record::Joined { node, packets: batch.joined });
        }
    }

    /// Passes the MPDUs of an aggregate that have no error to the recipient, and delivers packets that are in order.
    /// `errors` marks the MPDUs that noise has destroyed.
    #[inline(never)]
    pub(super) fn deliver_batch(&mut self, now: Time, id: ContenderId, to: NodeId, errors: Errors) {
        if !(errors.is_none() && self.deliver_row(id, to)) {
            self.deliver_one_by_one(now, id, to, errors);
        }
        let recipient = self.recipients.of(self.roster.hop(id, to));
        if recipient.is_waiting() || self.recipients.next_timeout.is_some() {
            self.recipients.plan();
            self.plan_release();
        }
    }

    /// Delivers the MPDUs on the air from contender `id` if all have arrived in order. Returns false if this is not the
    /// case.
    #[inline]
    fn deliver_row(&mut self, id: ContenderId, to: NodeId) -> bool {
        let Self { roster, contenders, recipients, deliveries, .. } = self;
        let originator = &mut contenders[id.index()].queue.link(to).originator;
        let Some((first, row)) = originator.row_on_air() else { return false };
        let count = u16::try_from(row.len()).expect("at most a window");
        if !recipients.of(roster.hop(id, to)).receive_row(first, count) {
            return false;
        }
        deliveries.reserve(row.len());
        for queued in row {
            queued.has_arrived = true;
            deliver(queued, deliveries);
        }
        true
    }

    #[inline(never)]
    fn deliver_one_by_one(&mut self, now: Time, id: ContenderId, to: NodeId, errors: Errors) {
        let Self { roster, contenders, recipients, channel, deliveries, .. } = self;
        let recipient = recipients.of(roster.hop(id, to));
        for (place, mpdu) in contenders[id.index()].queue.link(to).on_air().enumerate() {
            if errors.has(place) {
                continue;
            }
            match recipient.receive(now, mpdu.sequence, || Received::of(mpdu.packet)) {
                Reception::InOrder => {
                    mpdu.packet.has_arrived = true;
                    deliver(mpdu.packet, deliveries);
                    continue;
                }
                Reception::Kept => mpdu.packet.has_arrived = true,
                Reception::Refused if mpdu.packet.has_arrived => {
                    channel.records.push(Record::Duplicate { node: to });
                }
                Reception::Refused => {}
            }
            while let Some(received) = recipient.poll_released() {
                received.deliver(deliveries);
            }
        }
    }

    /// Passes a `BlockAckReq` to the recipient, which no longer waits for MPDUs before its starting sequence number.
    pub(super) fn take_request(&mut self, id: ContenderId, to: NodeId) {
        let link = self.contenders[id.index()].queue.link(to);
        let Some(start) = link.originator.request() else { return };
        let recipient = self.recipients.of(self.roster.hop(id, to));
        recipient.handle_request(start);
        while let Some(received) = recipient.poll_released() {
            received.deliver(&mut self.deliveries);
        }
        self.recipients.plan();
        self.plan_release();
    }

    /// Delivers packets whose reorder buffers have timed out.
    pub(super) fn release_buffers(&mut self, now: Time) {
        if self.recipients.next_timeout.is_none_or(|at| at > now) {
            return;
        }
        for recipient in self.recipients.hops.iter_mut().flatten() {
            recipient.handle_timeout(now);
            while let Some(received) = recipient.poll_released() {
                received.deliver(&mut self.deliveries);
            }
        }
        self.recipients.plan();
    }

    /// Size of the `BlockAck` with which `to` answers contender `id`.
    pub(super) fn block_ack_size(&self, id: ContenderId, to: NodeId) -> Bytes {
        let agreement = self.contenders[id.index()].queue.agreement(to);
        agreement.map_or(ACK_SIZE, |agreement| agreement.window.response_size())
    }

    /// Content of the `BlockAck` with which `to` answers contender `id`.
    pub(super) fn block_ack(&mut self, id: ContenderId, to: NodeId) -> Bitmap {
        self.recipients.of(self.roster.hop(id, to)).block_ack()
    }

    /// Number of MPDUs on the air from contender `id` to `to`, and number of those that the `BlockAck` acknowledges.
    #[inline(never)]
    pub(super) fn acknowledged(&mut self, id: ContenderId, to: NodeId) -> (u16, u16) {
        let come = self.block_ack(id, to);
        let on_air = self.contenders[id.index()].queue.link(to).on_air();
        on_air.fold((0, 0), |(sent, acknowledged), mpdu| {
            (sent + 1, acknowledged + u16::from(come.has(mpdu.sequence)))
        })
    }

    /// Ends the exchange of contender `id` with `to`, which was answered.
    #[inline(never)]
    pub(super) fn settle_answered(&mut self, now: Time, id: ContenderId, to: NodeId) {
        let Exchange { content, protection, .. } = *self.exchange(id);
        let is_protected = matches!(protection, Protection::RtsCts(_));
        let planned = self.link_rate_to(id, to).longest_chain();
        let contender = &mut self.contenders[id.index()];
        let attempts = contender.limits.mpdu_attempts(is_protected, planned);
        contender.queue.link(to).originator.set_attempts(attempts);
        contender.start_afresh();
        if content == Content::Mpdu {
            return self.settle(now, id, to, Response::Ack);
        }
        let come = self.block_ack(id, to);
        self.settle(now, id, to, Response::BlockAck(&come));
    }

    /// Handles the missing response to a frame of contender `id` of kind `failed`. The contention window doubles, and
    /// is reset after as many failures as a frame may have.
    #[inline(never)]
    pub(super) fn settle_silence(
        &mut self,
        now: Time,
        id: ContenderId,
        to: NodeId,
        (failed, protected_data): (FrameKind, bool),
    ) {
        let chain = self.chain(id);
        let planned = match chain {
            Chain::None => None,
            _ => self.link_rate_to(id, to).longest_chain(),
        };
        let contender = &mut self.contenders[id.index()];
        let attempts = contender.limits.mpdu_attempts(protected_data, planned);
        contender.queue.link(to).originator.set_attempts(attempts);
        let gives_up = contender.fail(protected_data, chain) == Verdict::GiveUp;
        if gives_up {
            contender.start_afresh();
        }
        match (failed, gives_up) {
            (FrameKind::Rts, false) => {}
            (FrameKind::Rts, true) => self.settle(now, id, to, Response::NoCts),
            _ => self.settle(now, id, to, Response::Silence),
        }
    }

    fn settle(&mut self, now: Time, id: ContenderId, to: NodeId, response: Response<'_>) {
        let category = self.told_category(id);
        let Self { contenders, departures, channel, reported_departures, .. } = self;
        let contender = &mut contenders[id.index()];
        let (tells_all, node) = (*reported_departures == ReportedDepartures::All, id.member());
        contender.queue.settle(now, to, response, |queued, outcome| {
            let cause = match outcome {
                PacketOutcome::RetryLimit => Some((node, DropCause::RetryLimit)),
                PacketOutcome::Acknowledged if !queued.has_arrived => {
                    Some((to, DropCause::TooLate))
                }
                PacketOutcome::Acknowledged => None,
            };
            if let Some((node, cause)) = cause {
                for _ in queued.packets() {
                    channel.records.push(Record::Dropped { node, cause });
                    let event = |it| Record::Category(it, CategoryEvent::Dropped);
                    channel.records.extend(category.map(event));
                }
            }
            if tells_all || !queued.has_arrived {
                let departure =
                    |msdu: &Msdu<P>| Departure { msdu: *msdu, lost: !queued.has_arrived };
                departures.push(departure(&queued.msdu));
                departures.extend(queued.others().map(departure));
            }
        });
        if contender.queue.is_empty() {
            channel.end_waiting(now);
        }
        if self.shares_time {
            self.plan_release();
        }
        self.take_dropped(id);
        self.record_queue(id);
    }

    /// Draws and notes the errors of the MPDUs of the aggregate of contender `id`, which leaves the air. Returns true
    /// if all MPDUs have errors.
    #[inline(never)]
    pub(super) fn errs_everywhere(&mut self, now: Time, id: ContenderId, to: NodeId) -> bool {
        let from = id.member();
        let station = if from.is_ap() { to } else { from };
        let tx = self.exchange(id).tx;
        let (mut errors, mut mpdus) = (Errors::default(), 0);
        for (place, mpdu) in self.contenders[id.index()].queue.link(to).on_air().enumerate() {
            let size = mpdu.packet.size() + QOS_DATA_OVERHEAD;
            if self.noise.errs(now, station, tx, size) {
                errors.set(place);
            }
            mpdus += 1;
        }
        let everywhere = errors.count() == mpdus;
        // A PPDU has its own error flags.
        self.errors = if everywhere { Errors::default() } else { errors };
        everywhere
    }
}
