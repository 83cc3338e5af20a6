//! Sequences under a block ack agreement: A-MPDU–BlockAck, a single MPDU with its ACK, and BlockAckReq–BlockAck.
//! [80211-2020 §10.12, §10.25]

use std::num::NonZeroU16;
use std::slice;

use airfair_units::{Bytes, Duration, Time};

use super::carrier::room;
use super::mac::CellMac;
use super::recipients::Received;
use super::reports::Departure;
use crate::air::access::Verdict;
use crate::air::sequence::{Content, Sequence};
use crate::air::{Air, Mac};
use crate::airtime::{Airtime, Protection};
use crate::block_ack::{self, Bitmap, PacketOutcome, Reception, Recipient};
use crate::frame::{FrameKind, Mpdu, Msdu, Ppdu};
use crate::link_rate::Chain;
use crate::node::NodeId;
use crate::phy::TxVector;
use crate::phy::mode::Format;
use crate::queue::headers::Headers;
use crate::queue::{Batch, Frames, Queued, Response, Room};
use crate::record::{CategoryEvent, DropCause, Record};
use crate::roster::ContenderId;
use crate::sizes::{ACK_SIZE, BLOCK_ACK_REQUEST_SIZE, DELIMITER};

/// Delivers the packet of an MPDU, or the packets of its A-MSDU.
#[inline]
fn deliver<'a, P: Copy + 'a>(
    first: &Msdu<P>,
    others: impl Iterator<Item = &'a Msdu<P>>,
    deliveries: &mut Vec<Msdu<P>>,
) {
    // Copied once; `push` would copy the value twice.
    deliveries.extend_from_slice(slice::from_ref(first));
    deliveries.extend(others);
}

/// Receiver of an aggregate, and the places for what it delivers and records.
struct Receiver<'a, P> {
    recipient: &'a mut Recipient<Received<P>>,
    deliveries: &'a mut Vec<Msdu<P>>,
    records: &'a mut Vec<Record>,
}

impl<P: Copy> Receiver<'_, P> {
    /// Handles an MPDU without error that member `to` has received: its sequence number, and its packets. Returns true
    /// if the packets have arrived now. `had_arrived` is true if they had arrived before.
    #[inline]
    fn receive<'m>(
        &mut self,
        now: Time,
        (sequence, first, others): (
            block_ack::Sequence,
            &Msdu<P>,
            impl Iterator<Item = &'m Msdu<P>> + Clone,
        ),
        had_arrived: bool,
    ) -> bool
    where
        P: 'm,
    {
        let Self { recipient, deliveries, records } = self;
        let reception = recipient.receive(now, sequence, || Received::of(first, others.clone()));
        match reception {
            Reception::InOrder => {
                deliver(first, others, deliveries);
                return true;
            }
            Reception::Refused if had_arrived => records.push(Record::Duplicate { node: first.to }),
            Reception::Refused | Reception::Kept => {}
        }
        while let Some(received) = recipient.poll_released() {
            received.deliver(deliveries);
        }
        reception == Reception::Kept
    }
}

/// Size of the PSDU of a batch. A single MPDU has a delimiter if every PPDU of its format is an A-MPDU.  [80211-2020
/// §10.12.8]
pub(super) fn psdu(batch: &Batch, tx: TxVector) -> Bytes {
    let is_bare = match tx {
        TxVector::Mode(mode) => mode.format() == Format::Ht,
        _ => true,
    };
    if batch.mpdus() == 1 && is_bare { batch.octets() - DELIMITER } else { batch.octets() }
}

impl<P: Copy + Headers> CellMac<P> {
    /// Plans the sequence of contender `id` with receiver `to`, which begins now or, in a TXOP, a SIFS later.
    #[inline(never)]
    pub(super) fn plan_link(
        &mut self,
        air: &mut Air<P>,
        now: Time,
        (id, to): (ContenderId, NodeId),
        txop_start: Time,
    ) -> Sequence {
        let airtime = &air.airtime;
        let tx = air.narrowed(id.member(), self.rate_to(id, to).get());
        let Frames { control, block_ack, room, .. } = self.frames(airtime, (id, to), tx);
        let (window, start) = {
            let link = self.queues[id.index()].link(to);
            (link.agreement.window, link.originator.request())
        };
        let answer = (window.response_size(), block_ack);
        if start.is_some() {
            return Sequence {
                content: Content::Request,
                to: Some(to),
                protection: Protection::None,
                tx: control,
                psdu: BLOCK_ACK_REQUEST_SIZE,
                data: airtime.frame(BLOCK_ACK_REQUEST_SIZE, control),
                response: answer,
                retry: false,
            };
        }
        let rest = rest_of_txop(air, now, id, txop_start);
        let mpdus = if self.rate_to(id, to).sends_alone() { 1 } else { room.mpdus };
        let room_within = |mac: &Self, rest| {
            let agreement = mac.queues[id.index()].agreement(to).expect("a link with an agreement");
            Room { mpdus, ..self::room(&air.airtime, agreement, (tx, block_ack, rest)) }
        };
        let room =
            if rest < Duration::MAX { room_within(self, rest) } else { Room { mpdus, ..room } };
        let mut batch = self.prepare(now, id, to, room);
        let is_first = now == txop_start;
        let protection = if is_first {
            air.airtime.protection_of(psdu(&batch, tx), tx)
        } else {
            Protection::None
        };
        if let (Protection::RtsCts(guard), true) = (protection, rest < Duration::MAX) {
            let room = room_within(self, rest.saturating_sub(air.airtime.call(guard)));
            self.report_dropped(air, id);
            batch = self.prepare(now, id, to, room);
        }
        self.report_dropped(air, id);
        let (is_alone, psdu) = (batch.mpdus() == 1, psdu(&batch, tx));
        Sequence {
            content: if is_alone { Content::Mpdu } else { Content::Aggregate },
            to: Some(to),
            protection,
            tx,
            psdu,
            data: air.airtime.frame(psdu, tx),
            response: if is_alone { (ACK_SIZE, air.airtime.ack(tx)) } else { answer },
            retry: batch.retry,
        }
    }

    /// Vectors, durations and limits of frames of contender `id` to `to`. They are recalculated if the vector `tx` of the
    /// data has changed.
    pub(super) fn frames(
        &mut self,
        airtime: &Airtime,
        (id, to): (ContenderId, NodeId),
        tx: TxVector,
    ) -> Frames {
        let link = self.queues[id.index()].link(to);
        if let Some(frames) = link.frames.filter(|frames| frames.tx == tx) {
            return frames;
        }
        let control = airtime.response(tx);
        let block_ack = airtime.frame(link.agreement.window.response_size(), control);
        let room = room(airtime, &link.agreement, (tx, block_ack, Duration::MAX));
        let frames = Frames { tx, control, block_ack, room };
        link.frames = Some(frames);
        frames
    }

    /// Makes the batch of MPDUs for the next aggregate of contender `id`.
    fn prepare(&mut self, now: Time, id: ContenderId, to: NodeId, room: Room) -> Batch {
        let queue = &mut self.queues[id.index()];
        queue.prepare(now, to, &room);
        queue.batch(to)
    }

    /// Handles packets that the queue of contender `id` has dropped while it made a batch.
    pub(super) fn report_dropped(&mut self, air: &mut Air<P>, id: ContenderId) {
        if self.queues[id.index()].has_dropped() {
            self.take_dropped(air, id);
            self.record_queue(air, id);
        }
    }

    /// Marks the batch of MPDUs for the next PPDU from contender `id` to `to` as on the air.
    pub(super) fn send_batch(&mut self, id: ContenderId, to: NodeId) {
        let link = self.queues[id.index()].link(to);
        link.originator.send(link.batch.mpdus());
    }

    /// Appends copies of the MPDUs on the air from contender `id` to `to`. Returns the packets of their A-MSDUs after the
    /// first ones.
    #[inline(never)]
    pub(super) fn fill_batch(
        &mut self,
        id: ContenderId,
        to: NodeId,
        mpdus: &mut Vec<Mpdu<P>>,
    ) -> Vec<Msdu<P>> {
        let link = self.queues[id.index()].link(to);
        mpdus.reserve(link.batch.mpdus().into());
        let mut joined = Vec::with_capacity(link.batch.joined.into());
        mpdus.extend(link.on_air().map(|it| {
            joined.extend(it.packet.others());
            let octets = |it: Bytes| NonZeroU16::new(u16::try_from(it.get()).ok()?);
            Mpdu {
                msdu: it.packet.msdu,
                amsdu: it.packet.amsdu().and_then(octets),
                joined: it.packet.others_count(),
                sequence: it.sequence.get(),
                retry: it.retry,
                errored: false,
            }
        }));
        joined
    }

    /// Records the MPDUs of a data frame under an agreement that has left the air, and the packets in its A-MSDUs.
    pub(super) fn record_aggregate(&self, id: ContenderId, to: NodeId, records: &mut Vec<Record>) {
        let (node, batch) = (id.member(), self.queues[id.index()].batch(to));
        let (mpdus, octets) = (batch.mpdus(), batch.octets());
        records.push(Record::Aggregate { node, to, mpdus, octets });
        if batch.joined > 0 {
            records.push(Record::Joined { node, packets: batch.joined });
        }
    }

    /// Handles the aggregate of an undisturbed exchange: records it, and delivers it.
    #[inline(never)]
    pub(super) fn deliver_in_one_go(
        &mut self,
        air: &mut Air<P>,
        now: Time,
        id: ContenderId,
        to: NodeId,
    ) {
        let errors = std::mem::take(&mut air.errors);
        self.record_aggregate(id, to, &mut air.frames.records);
        for _ in 0..errors.count() {
            air.frames.records.push(Record::Errored { node: id.member() });
        }
        self.charge_received(air, now, id, to);
        let hop = air.roster.hop(id, to);
        if !(errors.is_none() && self.deliver_row(hop, id, to)) {
            let Self { queues, recipients, deliveries, .. } = self;
            let mut receiver = Receiver {
                recipient: recipients.of(hop),
                deliveries,
                records: &mut air.frames.records,
            };
            for (place, mpdu) in queues[id.index()].link(to).on_air().enumerate() {
                if !errors.has(place) {
                    let (packet, had_arrived) = (&*mpdu.packet, mpdu.packet.has_arrived);
                    let content = (mpdu.sequence, &packet.msdu, packet.others());
                    mpdu.packet.has_arrived |= receiver.receive(now, content, had_arrived);
                }
            }
        }
        self.await_missing(air, hop);
    }

    /// Passes the MPDUs of an aggregate of contender `id` that have no error to the recipient, and delivers packets that
    /// are in order.
    #[inline(never)]
    pub(super) fn deliver_aggregate<'m>(
        &mut self,
        air: &mut Air<P>,
        now: Time,
        (id, to): (ContenderId, NodeId),
        contents: impl Iterator<Item = (&'m Mpdu<P>, &'m [Msdu<P>])> + Clone,
    ) where
        P: 'm,
    {
        let hop = air.roster.hop(id, to);
        if contents.clone().all(|(mpdu, _)| !mpdu.errored) && self.deliver_row(hop, id, to) {
            return self.await_missing(air, hop);
        }
        let Self { queues, recipients, deliveries, .. } = self;
        let originator = &mut queues[id.index()].link(to).originator;
        let mut receiver = Receiver {
            recipient: recipients.of(hop),
            deliveries,
            records: &mut air.frames.records,
        };
        for (mpdu, others) in contents.filter(|(mpdu, _)| !mpdu.errored) {
            let sequence = block_ack::Sequence::new(mpdu.sequence);
            // Only the account of packets that are lost or delivered looks at the transmitter's queue.
            let Some(queued) = originator.get_mut(sequence) else { continue };
            let content = (sequence, &mpdu.msdu, others.iter());
            queued.has_arrived |= receiver.receive(now, content, queued.has_arrived);
        }
        self.await_missing(air, hop);
    }

    /// Plans the time-out of the recipient's reorder buffer, in which packets may wait for missing ones.
    fn await_missing(&mut self, air: &mut Air<P>, hop: usize) {
        if self.recipients.of(hop).is_waiting() || self.recipients.next_timeout.is_some() {
            self.recipients.plan();
            self.plan_release(air);
        }
    }

    /// Delivers the MPDUs on the air from contender `id` if all have arrived in order. Returns false if this is not the
    /// case.
    #[inline]
    fn deliver_row(&mut self, hop: usize, id: ContenderId, to: NodeId) -> bool {
        let Self { queues, recipients, deliveries, .. } = self;
        let originator = &mut queues[id.index()].link(to).originator;
        let Some((first, row)) = originator.row_on_air() else { return false };
        let count = u16::try_from(row.len()).expect("at most a window");
        if !recipients.of(hop).receive_row(first, count) {
            return false;
        }
        deliveries.reserve(row.len());
        for queued in row {
            queued.has_arrived = true;
            deliver(&queued.msdu, queued.others(), deliveries);
        }
        true
    }

    /// Passes a `BlockAckReq` to the recipient, which no longer waits for MPDUs before its starting sequence number.
    pub(super) fn take_request(&mut self, air: &mut Air<P>, id: ContenderId, ppdu: &Ppdu<P>) {
        let (Some(request), Some(to)) = (ppdu.block_ack(), ppdu.frame.to) else { return };
        let recipient = self.recipients.of(air.roster.hop(id, to));
        recipient.handle_request(request.start());
        while let Some(received) = recipient.poll_released() {
            received.deliver(&mut self.deliveries);
        }
        self.recipients.plan();
        self.plan_release(air);
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

    /// Number of MPDUs on the air from contender `id` to `to`, and number of those that a `BlockAck` acknowledges.
    #[inline(never)]
    pub(super) fn acknowledged(
        &mut self,
        id: ContenderId,
        to: NodeId,
        come: &Bitmap,
    ) -> (u16, u16) {
        self.queues[id.index()].link(to).originator.acknowledged(come)
    }

    /// Ends the sequence of contender `id` with `to`, which was answered. `block_ack` is the content of a `BlockAck` on
    /// the air; in an undisturbed exchange, it is asked of the recipient.
    #[inline(never)]
    pub(super) fn settle_answered(
        &mut self,
        air: &mut Air<P>,
        now: Time,
        (id, to): (ContenderId, NodeId),
        block_ack: Option<&Bitmap>,
    ) {
        let sequence = air.sequence(id);
        let (content, is_protected) = (sequence.content, sequence.has_rts());
        let own = match block_ack {
            None if content != Content::Mpdu => self.block_ack(air, id, FrameKind::BlockAck),
            _ => None,
        };
        let come = block_ack.or(own.as_ref());
        self.adapt_to_answer(air, now, id, come);
        let planned = self.rate_to(id, to).longest_chain();
        let access = &mut air.accesses[id.index()];
        let attempts = access.limits.mpdu_attempts(is_protected, planned);
        access.start_afresh();
        self.queues[id.index()].link(to).originator.set_attempts(attempts);
        self.settle(air, now, (id, to), come.map_or(Response::Ack, Response::BlockAck));
    }

    /// Handles the missing response to a frame of contender `id` of kind `failed`. The contention window doubles, and
    /// is reset after as many failures as a frame may have.
    #[inline(never)]
    pub(super) fn settle_silence(
        &mut self,
        air: &mut Air<P>,
        now: Time,
        (id, to): (ContenderId, NodeId),
        (failed, protected_data, chain): (FrameKind, bool, Chain),
    ) {
        let planned = match chain {
            Chain::None => None,
            _ => self.rate_to(id, to).longest_chain(),
        };
        let access = &mut air.accesses[id.index()];
        let attempts = access.limits.mpdu_attempts(protected_data, planned);
        self.queues[id.index()].link(to).originator.set_attempts(attempts);
        let gives_up = access.fail(protected_data, chain) == Verdict::GiveUp;
        if gives_up {
            access.start_afresh();
        }
        match (failed, gives_up) {
            (FrameKind::Rts, false) => {}
            (FrameKind::Rts, true) => self.settle(air, now, (id, to), Response::NoCts),
            _ => self.settle(air, now, (id, to), Response::Silence),
        }
    }

    /// Ends the service of the MPDUs of contender `id` that a response acknowledges, or that are given up.
    fn settle(
        &mut self,
        air: &mut Air<P>,
        now: Time,
        (id, to): (ContenderId, NodeId),
        response: Response<'_>,
    ) {
        let Self { queues, departures, reports_delivered, .. } = self;
        queues[id.index()].settle(now, to, response, |queued, outcome| {
            take_done(air, (id, to), (queued, outcome), (departures, *reports_delivered));
        });
        self.leave_service(air, now, id);
    }

    /// Ends the service of MPDUs as [`settle`](Self::settle) does, of a receiver that need not be in service. The caller
    /// ends the service of contender `id`.
    #[cold]
    pub(super) fn settle_part(
        &mut self,
        air: &mut Air<P>,
        now: Time,
        (id, to): (ContenderId, NodeId),
        response: Response<'_>,
    ) {
        let Self { queues, departures, reports_delivered, .. } = self;
        queues[id.index()].settle_part(now, to, response, |queued, outcome| {
            take_done(air, (id, to), (queued, outcome), (departures, *reports_delivered));
        });
    }
}

/// Records an MPDU from contender `id` to `to` that has left its window, and reports the departure of its packets.
#[expect(clippy::inline_always, reason = "few instructions for each MPDU")]
#[inline(always)]
fn take_done<P: Copy>(
    air: &mut Air<P>,
    (id, to): (ContenderId, NodeId),
    (queued, outcome): (&Queued<P>, PacketOutcome),
    (departures, reports_delivered): (&mut Vec<Departure<P>>, bool),
) {
    let cause = match outcome {
        PacketOutcome::RetryLimit => Some((id.member(), DropCause::RetryLimit)),
        PacketOutcome::Acknowledged if !queued.has_arrived => Some((to, DropCause::TooLate)),
        PacketOutcome::Acknowledged => None,
    };
    if let Some((node, cause)) = cause {
        for _ in queued.packets() {
            air.frames.records.push(Record::Dropped { node, cause });
            air.record_category(id, CategoryEvent::Dropped);
        }
    }
    if reports_delivered || !queued.has_arrived {
        let departure = |msdu: &Msdu<P>| Departure { msdu: *msdu, lost: !queued.has_arrived };
        departures.push(departure(&queued.msdu));
        departures.extend(queued.others().map(departure));
    }
}

/// Time left in the TXOP of contender `id` for an exchange that begins now, or a SIFS later after another one.
pub(super) fn rest_of_txop<P>(
    air: &Air<P>,
    now: Time,
    id: ContenderId,
    txop_start: Time,
) -> Duration {
    let limit = air.accesses[id.index()].limits.txop;
    if limit.is_zero() {
        return Duration::MAX;
    }
    let start = if now == txop_start { now } else { now + air.airtime.timing.sifs };
    (txop_start + limit).saturating_since(start)
}
