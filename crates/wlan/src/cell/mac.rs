//! MAC of the members of a cell: what they send, what they receive, and what becomes of it.

use std::collections::VecDeque;
use std::slice;

use airfair_units::{Bytes, Duration, Time};

use super::member::Member;
use super::monitored::Monitor;
use super::multi_user::schedule::MultiUserMac;
use super::overheard::HeardFrames;
use super::recipients::Recipients;
use super::reports::{Departure, RateChange};
use crate::air::access::Verdict;
use crate::air::sequence::{Content, Sequence};
use crate::air::turns::{Participant, TurnKind};
use crate::air::{Air, Mac};
use crate::airtime::Protection;
use crate::block_ack::Bitmap;
use crate::frame::{Frame, FrameKind, Mpdu, Msdu, Ppdu, RandomUnits, Rest, User};
use crate::link_rate::Chain;
use crate::node::NodeId;
use crate::phy::{TxVector, Width};
use crate::queue::headers::Headers;
use crate::queue::{InService, TransmitQueue};
use crate::record::{DropCause, Record};
use crate::roster::ContenderId;
use crate::sizes::{self, ACK_SIZE, QOS_DATA_OVERHEAD};

/// MAC of all members of a cell. `P` is the payload that the owner attaches to each packet.
#[derive(Clone, Debug)]
pub(crate) struct CellMac<P> {
    pub(super) members: Vec<Member>,
    /// Transmit queue of each contender.
    pub(super) queues: Vec<TransmitQueue<P>>,
    /// For each hop, the sequence number that its receiver has received last from a contender that is not the first of
    /// its member. [`Member`] has the numbers of first contenders.
    pub(super) received: Vec<Option<u16>>,
    pub(super) recipients: Recipients<P>,
    pub(super) deliveries: Vec<Msdu<P>>,
    pub(super) departures: Vec<Departure<P>>,
    /// True if delivered packets are reported as departures, too, for an owner that waits for room.
    pub(super) reports_delivered: bool,
    pub(super) rate_changes: VecDeque<RateChange>,
    /// True if any link has rate control.
    pub(super) adapts: bool,
    /// True if the access point's queue shares time between stations, and so needs airtime charges.
    pub(super) shares_time: bool,
    /// Multi-user frames of the access point, if it has any.
    pub(super) multi_user: Option<Box<MultiUserMac>>,
    pub(super) heard: HeardFrames<P>,
    /// Monitor of frames and channel access for a trace, if there is one.
    pub(super) monitor: Option<Box<Monitor<P>>>,
}

impl<P: Copy + Headers> Mac<P> for CellMac<P> {
    #[expect(clippy::inline_always, reason = "the sequence stays where it is made")]
    #[inline(always)]
    fn begin(&mut self, air: &mut Air<P>, now: Time, id: ContenderId) -> Sequence {
        if self.multi_user.is_some()
            && id.member().is_ap()
            && air.has_whole_width(NodeId::AP)
            && let Some(sequence) = self.plan_multi_user(air, now, id, now)
        {
            return sequence;
        }
        self.adapt_to_sending(air, now, id);
        if let Some(to) = self.queues[id.index()].link_in_service() {
            return self.plan_link(air, now, (id, to), now);
        }
        self.plan(air, id)
    }

    #[expect(clippy::inline_always, reason = "nothing for a packet")]
    #[inline(always)]
    fn send(&mut self, id: ContenderId, sequence: &Sequence) {
        if sequence.content != Content::Packet {
            self.send_batch(id, sequence.responder());
        }
    }

    #[expect(clippy::inline_always, reason = "few instructions for a packet")]
    #[inline(always)]
    fn fill(
        &mut self,
        id: ContenderId,
        sequence: &Sequence,
        mpdus: &mut Vec<Mpdu<P>>,
    ) -> Option<Box<Rest<P>>> {
        let Some(served) = self.queues[id.index()].packet_mut() else {
            let joined = self.fill_batch(id, sequence.responder(), mpdus);
            return (!joined.is_empty()).then(|| Box::new(Rest::Joined(joined)));
        };
        mpdus.extend_from_slice(slice::from_ref(&served.mpdu));
        served.mpdu.retry = true;
        None
    }

    fn block_ack(&mut self, air: &Air<P>, id: ContenderId, kind: FrameKind) -> Option<Bitmap> {
        let to = air.sequence(id).responder();
        match kind {
            FrameKind::BlockAck => Some(self.recipients.of(air.roster.hop(id, to)).block_ack()),
            _ => self.queues[id.index()].link(to).originator.request().map(Bitmap::new),
        }
    }

    fn sizes(&mut self, id: ContenderId, to: NodeId) -> impl Iterator<Item = Bytes> {
        let on_air = self.queues[id.index()].link(to).on_air();
        on_air.map(|it| it.packet.size() + QOS_DATA_OVERHEAD)
    }

    #[inline]
    fn record_content(&mut self, ppdu: &Ppdu<P>, records: &mut Vec<Record>) {
        if self.recipients.are_used()
            && !ppdu.mpdus.is_empty()
            && let Some(to) = ppdu.frame.to
            && self.queues[ppdu.initiator.index()].packet().is_none()
        {
            self.record_aggregate(ppdu.initiator, to, records);
        }
    }

    fn overhear(&mut self, air: &Air<P>, now: Time, ppdu: &Ppdu<P>) {
        self.overhear_ppdu(air, now, ppdu);
    }

    fn overhear_foreign(&mut self, air: &Air<P>, now: Time, frame: &Frame) {
        self.overhear_frame_of_neighbour(air, now, frame);
    }

    fn overhear_undisturbed(&mut self, air: &Air<P>, now: Time, id: ContenderId, frame: &Frame) {
        self.overhear_in_service(air, now, id, frame);
    }

    fn monitor(&mut self, air: &mut Air<P>, now: Time, ended: &[Ppdu<P>]) {
        self.keep_monitored(air, now, ended);
    }

    #[expect(clippy::inline_always, reason = "few instructions for a packet")]
    #[inline(always)]
    fn deliver(&mut self, air: &mut Air<P>, now: Time, ppdu: &Ppdu<P>, to: NodeId) {
        let id = ppdu.initiator;
        match air.sequence(id).content {
            Content::Packet => {
                self.charge_received(air, now, id, to);
                self.deliver_packet(air, ppdu, to);
            }
            Content::Request => self.take_request(air, id, ppdu),
            _ => {
                self.charge_received(air, now, id, to);
                self.deliver_aggregate(air, now, (id, to), ppdu.contents());
            }
        }
    }

    #[inline]
    fn deliver_undisturbed(
        &mut self,
        air: &mut Air<P>,
        now: Time,
        (id, to): (ContenderId, NodeId),
    ) {
        let Some(served) = self.queues[id.index()].packet_mut() else {
            return self.deliver_in_one_go(air, now, id, to);
        };
        let (sequence, retry) =
            (served.mpdu.sequence, std::mem::replace(&mut served.mpdu.retry, true));
        self.charge_received(air, now, id, to);
        if self.is_new(air, (id, to), (sequence, retry))
            && let Some(served) = self.queues[id.index()].packet_mut()
        {
            served.has_arrived = true;
            self.deliveries.push(served.mpdu.msdu);
        }
    }

    #[inline]
    fn answered(
        &mut self,
        air: &mut Air<P>,
        now: Time,
        id: ContenderId,
        block_ack: Option<&Bitmap>,
    ) -> Option<Sequence> {
        if self.multi_user.is_some() && id.member().is_ap() {
            return self.end_access(air, now, id, block_ack);
        }
        self.settle_exchange(air, now, id, block_ack);
        let has_time = !air.accesses[id.index()].limits.txop.is_zero();
        if has_time && self.has_content(id) { self.continue_txop(air, now, id) } else { None }
    }

    fn unanswered(&mut self, air: &mut Air<P>, now: Time, id: ContenderId, failed: FrameKind) {
        if air.sequence(id).content == Content::MultiUser {
            return self.settle_multi_user(air, now, id, false);
        }
        if self.multi_user.is_some() && id.member().is_ap() {
            self.note_access(air, now, id);
        }
        if self.shares_time && id.member().is_ap() {
            self.charge_airtime(air, now, id, failed);
        }
        self.adapt_to_silence(air, now, id, failed);
        let sequence = air.sequence(id);
        let (content, to) = (sequence.content, sequence.to);
        let protected_data = failed == FrameKind::Data && sequence.has_rts();
        let chain = self.chain(id);
        match to {
            Some(to) if content != Content::Packet => {
                self.settle_silence(air, now, (id, to), (failed, protected_data, chain));
            }
            _ => {
                if air.accesses[id.index()].fail(protected_data, chain) == Verdict::GiveUp {
                    self.give_up(air, now, id);
                }
            }
        }
    }

    #[cold]
    fn next_width(&self, id: ContenderId) -> Option<Width> {
        let queue = &self.queues[id.index()];
        let to = queue.link_in_service().or_else(|| Some(queue.packet()?.mpdu.msdu.to))?;
        Some(self.vector_to(id, to).width())
    }

    #[inline(never)]
    fn gave_way(&mut self, air: &mut Air<P>, now: Time, id: ContenderId) {
        // No frame was sent and lost, so a retry chain does not advance.
        let chain = match self.chain(id) {
            Chain::None => Chain::None,
            _ => Chain::GoesOn,
        };
        if air.accesses[id.index()].collide(chain) == Verdict::Retry {
            return;
        }
        let queue = &self.queues[id.index()];
        if queue.packet().is_none() {
            // An aggregate, or a trigger frame, is not given up.
            return air.accesses[id.index()].start_afresh();
        }
        self.give_up(air, now, id);
        air.accesses[id.index()].backoff = 0;
    }

    #[inline]
    fn has_content(&self, id: ContenderId) -> bool {
        !self.queues[id.index()].is_empty()
            || self.multi_user.as_ref().is_some_and(|mu| mu.is_due(id))
    }

    /// Releases packets that the access point's queue has held back, and packets whose reorder buffers have timed out.
    #[cold]
    fn handle_timeout(&mut self, air: &mut Air<P>, now: Time) {
        self.release_buffers(now);
        self.release_all(air, now);
        self.handle_multi_user_timeout(air, now);
        self.plan_release(air);
    }

    #[cold]
    fn part(
        &mut self,
        air: &Air<P>,
        id: ContenderId,
        turn: (TurnKind, &Participant),
        spare: Vec<Mpdu<P>>,
    ) -> User<P> {
        self.part_of_turn(air, id, turn, spare)
    }

    #[cold]
    fn triggered(
        &mut self,
        air: &mut Air<P>,
        now: Time,
        asked: (TurnKind, Duration),
        participant: &mut Participant,
    ) {
        self.prepare_triggered(air, now, asked, participant);
    }

    #[cold]
    fn access_at_random(
        &mut self,
        air: &mut Air<P>,
        now: Time,
        units: (RandomUnits, Duration),
        station: NodeId,
    ) -> Option<Participant> {
        self.choose_random_unit(air, now, units, station)
    }

    #[cold]
    fn deliver_part(&mut self, air: &mut Air<P>, now: Time, id: ContenderId, user: &User<P>) {
        self.take_part(air, now, id, user);
    }

    #[cold]
    fn settle_triggered(
        &mut self,
        air: &mut Air<P>,
        now: Time,
        participant: &Participant,
        block_ack: Option<&Bitmap>,
    ) {
        self.settle_triggered_data(air, now, participant, block_ack);
    }
}

impl<P: Copy + Headers> CellMac<P> {
    /// Settles the answered content of contender `id`.
    #[inline]
    fn settle_exchange(
        &mut self,
        air: &mut Air<P>,
        now: Time,
        id: ContenderId,
        block_ack: Option<&Bitmap>,
    ) {
        if self.shares_time && id.member().is_ap() {
            self.charge_airtime(air, now, id, FrameKind::Ack);
        }
        match self.queues[id.index()].link_in_service() {
            None => {
                self.adapt_to_answer(air, now, id, None);
                self.leave_queue(air, now, id);
            }
            Some(to) => self.settle_answered(air, now, (id, to), block_ack),
        }
    }

    /// Settles the answered content of contender `id` of an access point with multi-user frames. Returns the sequence
    /// with which the TXOP continues.
    #[cold]
    fn end_access(
        &mut self,
        air: &mut Air<P>,
        now: Time,
        id: ContenderId,
        block_ack: Option<&Bitmap>,
    ) -> Option<Sequence> {
        let is_multi_user = air.sequence(id).content == Content::MultiUser;
        if is_multi_user {
            self.settle_multi_user(air, now, id, true);
        } else {
            let Sequence { to, data, .. } = *air.sequence(id);
            self.settle_exchange(air, now, id, block_ack);
            self.settle_single_user(air, now, id, (to.unwrap_or_default(), data));
        }
        let access = &air.accesses[id.index()];
        let exchange = air.multi_user.as_ref().filter(|_| is_multi_user);
        let has_timed_out = exchange.is_some_and(|it| it.has_timed_out);
        // Data may follow a sounding also without a TXOP limit.  [80211-2020 §10.23.2.9]
        let has_sounded = exchange.is_some_and(|it| it.is_sounding());
        let has_time = !access.limits.txop.is_zero();
        let is_over = has_timed_out || !(has_time || has_sounded);
        if is_over || !self.has_content(id) {
            return None;
        }
        // After an exchange for one user, another kind of exchange needs a new access.
        if is_multi_user {
            let start = access.exchange().txop_start;
            if let Some(sequence) = self.plan_multi_user(air, now, id, start) {
                return Some(sequence);
            }
        }
        if has_time && !self.queues[id.index()].is_empty() {
            self.continue_txop(air, now, id)
        } else {
            None
        }
    }

    /// Vector of data of contender `id` to member `to`.
    #[inline]
    fn vector_to(&self, id: ContenderId, to: NodeId) -> TxVector {
        let (from, members) = (id.member(), &self.members);
        let link = if from.is_ap() {
            &members[to.index()].rate_down
        } else {
            &members[from.index()].rate_up
        };
        link.get()
    }

    /// Plans the sequence for the packet in service of contender `id`.
    #[expect(clippy::inline_always, reason = "it is large, and stays where it is made")]
    #[inline(always)]
    fn plan(&self, air: &Air<P>, id: ContenderId) -> Sequence {
        let served = self.queues[id.index()].packet().expect("a packet in service");
        let Mpdu { msdu: Msdu { size, to, .. }, retry, .. } = served.mpdu;
        let tx = air.narrowed(id.member(), self.vector_to(id, to));
        let airtime = &air.airtime;
        let psdu = sizes::psdu(size, tx);
        Sequence {
            content: Content::Packet,
            to: Some(to),
            protection: airtime.protection_of(psdu, tx),
            tx,
            psdu,
            data: airtime.frame(psdu, tx),
            response: (ACK_SIZE, airtime.ack(tx)),
            retry,
        }
    }

    /// Sequence with which the TXOP of contender `id` continues: the next packet or aggregate, if its exchange, starting
    /// a SIFS later, ends within the TXOP. No protection precedes it, since the channel is held already.  [80211-2020
    /// §10.23.2.8]
    #[inline(never)]
    fn continue_txop(&mut self, air: &mut Air<P>, now: Time, id: ContenderId) -> Option<Sequence> {
        self.adapt_to_sending(air, now, id);
        let txop_start = air.accesses[id.index()].exchange().txop_start;
        let sequence = match self.queues[id.index()].link_in_service() {
            None => Sequence { protection: Protection::None, ..self.plan(air, id) },
            Some(to) => self.plan_link(air, now, (id, to), txop_start),
        };
        let sifs = air.airtime.timing.sifs;
        let end = now + sifs + sequence.length(&air.airtime);
        (end <= txop_start + air.accesses[id.index()].limits.txop).then_some(sequence)
    }

    /// Delivers the packet of a data frame, if the receiver has not had it before.  [80211-2020 §10.3.2.14]
    #[expect(clippy::inline_always, reason = "few instructions for a packet")]
    #[inline(always)]
    pub(super) fn deliver_packet(&mut self, air: &mut Air<P>, ppdu: &Ppdu<P>, to: NodeId) {
        let id = ppdu.initiator;
        let Some(mpdu) = ppdu.mpdus.first().filter(|mpdu| !mpdu.errored) else { return };
        if self.is_new(air, (id, to), (mpdu.sequence, mpdu.retry)) {
            let served = self.queues[id.index()].packet_mut();
            if let Some(served) = served.filter(|it| it.mpdu.sequence == mpdu.sequence) {
                served.has_arrived = true;
            }
            self.deliveries.push(mpdu.msdu);
        }
    }

    /// True if `to` has not had the packet of contender `id` with this sequence number before. Stores the number.
    #[expect(clippy::inline_always, reason = "few instructions for each packet")]
    #[inline(always)]
    fn is_new(
        &mut self,
        air: &mut Air<P>,
        (id, to): (ContenderId, NodeId),
        (sequence, retry): (u16, bool),
    ) -> bool {
        let from = id.member();
        // One end of each hop is the access point, so one cache per station and direction is enough.
        let cache = if !id.is_first() {
            &mut self.received[air.roster.hop(id, to)]
        } else if from.is_ap() {
            &mut self.members[to.index()].last_received_down
        } else {
            &mut self.members[from.index()].last_received_up
        };
        if retry && *cache == Some(sequence) {
            air.frames.records.push(Record::Duplicate { node: to });
            return false;
        }
        *cache = Some(sequence);
        true
    }

    /// Drops the packet in service of contender `id`, all of whose attempts have failed.
    fn give_up(&mut self, air: &mut Air<P>, now: Time, id: ContenderId) {
        air.record_drop(id, DropCause::RetryLimit);
        self.leave_queue(air, now, id);
    }

    /// Takes the packet in service of contender `id`, delivered or given up, from its queue.
    #[inline]
    fn leave_queue(&mut self, air: &mut Air<P>, now: Time, id: ContenderId) {
        let queue = &mut self.queues[id.index()];
        let InService { mpdu, has_arrived } = queue.packet().expect("a packet in service");
        if self.reports_delivered || !has_arrived {
            self.departures.push(Departure { msdu: mpdu.msdu, lost: !has_arrived });
        }
        air.accesses[id.index()].start_afresh();
        let sequence = mpdu.sequence;
        queue.finish(now, sequence);
        self.leave_service(air, now, id);
    }

    /// Handles the end of service of a packet or of MPDUs of contender `id`, after which others may be in service.
    #[expect(clippy::inline_always, reason = "few instructions for each exchange")]
    #[inline(always)]
    pub(super) fn leave_service(&mut self, air: &mut Air<P>, now: Time, id: ContenderId) {
        if !self.has_content(id) {
            air.frames.end_waiting(now);
        }
        if self.shares_time {
            self.plan_release(air);
        }
        self.take_dropped(air, id);
        self.record_queue(air, id);
    }

    /// Puts packets that the access point has held back into service, if they may be sent now.
    pub(super) fn release_all(&mut self, air: &mut Air<P>, now: Time) {
        for id in air.roster.of(NodeId::AP) {
            self.release(air, now, id);
        }
    }

    /// Puts a packet that contender `id` has held back into service, if one may be sent now.
    pub(super) fn release(&mut self, air: &mut Air<P>, now: Time, id: ContenderId) {
        self.queues[id.index()].release(now);
        self.take_dropped(air, id);
        self.seek_access(air, now, id);
    }

    /// Starts channel access for contender `id`, if it is idle and has something to send.
    #[inline]
    pub(super) fn seek_access(&self, air: &mut Air<P>, now: Time, id: ContenderId) {
        if self.has_content(id) {
            air.seek_access(now, id);
        }
    }

    /// Number of packets in the queues of all access categories of a member.
    #[inline(never)]
    pub(super) fn packets_of(&self, air: &Air<P>, member: NodeId) -> u32 {
        air.roster.of(member).map(|id| self.queues[id.index()].len()).sum()
    }

    #[inline]
    pub(super) fn record_queue(&self, air: &mut Air<P>, id: ContenderId) {
        self.record_length(air, id, self.queues[id.index()].len());
    }

    /// Records the queue length of the member of contender `id`, whose own queue has `length` packets.
    #[inline]
    pub(super) fn record_length(&self, air: &mut Air<P>, id: ContenderId, length: u32) {
        let node = id.member();
        let length = if air.roster.is_plain() { length } else { self.packets_of(air, node) };
        air.frames.records.push(Record::Queue { node, length });
    }

    /// Handles packets that the queue of contender `id` has dropped in favour of others.
    #[inline]
    pub(super) fn take_dropped(&mut self, air: &mut Air<P>, id: ContenderId) {
        if self.queues[id.index()].has_dropped() {
            self.record_dropped(air, id);
        }
    }

    #[cold]
    fn record_dropped(&mut self, air: &mut Air<P>, id: ContenderId) {
        while let Some((msdu, cause)) = self.queues[id.index()].poll_dropped() {
            air.record_drop(id, cause);
            self.departures.push(Departure { msdu, lost: true });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::interface::Cell;
    use super::super::tests::{config, with};
    use super::*;
    use crate::Rules;
    use crate::phy::Standard;

    /// A retry with the sequence number of a packet that was delivered is recorded as a duplicate, and not delivered
    /// again. The test itself sends the frame twice, without losing an ACK.
    ///
    /// Verifies: [80211-2020 §10.3.2.14]
    #[test]
    fn a_frame_that_comes_again_is_not_delivered_again_and_the_next_one_is() {
        let id = NodeId::station(0);
        let mut cell: Cell<u32> = with(&config(Rules::of(Standard::B), 1, &[]));
        for payload in [7, 8] {
            let msdu = Msdu { payload, size: Bytes::new(100), from: id, to: NodeId::AP };
            cell.enqueue(Time::ZERO, msdu.as_ref()).expect("room in the queue");
        }
        let send = |cell: &mut Cell<u32>| {
            let Cell { air, mac } = cell;
            let contender = ContenderId::first(id);
            let sequence = air.begin_exchange(mac, Time::ZERO, contender);
            let frame = air.frame_of(contender, &sequence, sequence.first());
            air.ppdu(mac, Time::ZERO, contender, frame)
        };
        let (first, again) = (send(&mut cell), send(&mut cell));
        assert!(!first.mpdus[0].retry && again.mpdus[0].retry);
        assert!(!first.frame.retry && again.frame.retry);
        cell.mac.deliver_packet(&mut cell.air, &first, NodeId::AP);
        cell.mac.deliver_packet(&mut cell.air, &again, NodeId::AP);
        cell.mac.leave_queue(&mut cell.air, Time::ZERO, ContenderId::first(id));
        // The next frame is new even if its first copy was lost and this is a retry.
        send(&mut cell);
        let next = send(&mut cell);
        cell.mac.deliver_packet(&mut cell.air, &next, NodeId::AP);
        let mut delivered = Vec::new();
        cell.take_deliveries(&mut delivered);
        assert_eq!(delivered.iter().map(|msdu| msdu.payload).collect::<Vec<_>>(), [7, 8]);
        let duplicate = Record::Duplicate { node: NodeId::AP };
        let records: Vec<Record> = cell.drain_records().collect();
        assert_eq!(records.iter().filter(|record| **record == duplicate).count(), 1);
    }
}
