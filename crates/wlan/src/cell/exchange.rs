//! Exchanges, frame by frame: the sequences RTS–CTS–DATA–ACK, CTS-to-self–DATA–ACK and DATA–ACK. [80211-2020 §10.3.2,
//! §10.23]

use airfair_units::{Duration, Time};

use super::{Cell, Departure, Errors, ReportedDepartures};
use crate::airtime::Protection;
use crate::config::AfterCollision;
use crate::contender::{Access, Content, Deadline, Exchange, Step, Verdict};
use crate::frame::{Frame, FrameKind, Msdu, Ppdu};
use crate::node::NodeId;
use crate::phy::TxVector;
use crate::queue::InService;
use crate::queue::headers::Headers;
use crate::record::{DropCause, Record};
use crate::roster::ContenderId;
use crate::sizes;
use crate::sizes::{ACK_SIZE, CTS_SIZE, RTS_SIZE};

impl<P: Copy + Headers> Cell<P> {
    /// Begins the exchange of a contender that has just won the channel.
    pub(super) fn begin_exchange(&mut self, now: Time, id: ContenderId) -> Exchange {
        self.adapt_to_sending(now, id);
        if let Some(to) = self.contenders[id.index()].queue.link_in_service() {
            return self.begin_link_exchange(now, id, to);
        }
        let plan = self.plan(id, now);
        self.contenders[id.index()].access = Access::Exchange(plan);
        plan
    }

    /// First frame of the exchange `plan` of contender `id`.
    pub(super) fn first_frame(&self, id: ContenderId, plan: &Exchange) -> Frame {
        let sifs = self.airtime.timing.sifs;
        let rest = plan.data + sifs + plan.ack;
        let (to, retry) = (Some(plan.to), self.contenders[id.index()].is_retrying());
        let frame = |(kind, psdu), tx, duration, duration_field| Frame {
            kind,
            from: id.member(),
            to,
            tx,
            psdu,
            duration,
            duration_field,
            retry,
        };
        match plan.protection {
            Protection::None => self.data_frame(id, plan),
            Protection::RtsCts(tx) => {
                let (duration, cts) = (self.airtime.rts(tx), self.airtime.cts(tx));
                frame((FrameKind::Rts, RTS_SIZE), tx, duration, sifs + cts + sifs + rest)
            }
            Protection::CtsToSelf(tx) => {
                frame((FrameKind::CtsToSelf, CTS_SIZE), tx, self.airtime.cts(tx), sifs + rest)
            }
        }
    }

    /// Plans the exchange for the packet in service of contender `id`, in a TXOP that began at `txop_start`.
    #[expect(clippy::inline_always, reason = "it is large, and stays where it is made")]
    #[inline(always)]
    fn plan(&self, id: ContenderId, txop_start: Time) -> Exchange {
        let contender = &self.contenders[id.index()];
        let Msdu { size, to, .. } = contender.serving().mpdu.msdu;
        let member = id.member();
        let link = if member.is_ap() {
            &self.members[to.index()].rate_down
        } else {
            &self.members[member.index()].rate_up
        };
        let tx = link.get();
        let psdu = sizes::psdu(size, tx);
        Exchange {
            step: Step::OnAir,
            content: Content::Packet,
            to,
            tx,
            data: self.airtime.frame(psdu, tx),
            ack: self.airtime.ack(tx),
            protection: self.airtime.protection_of(psdu, tx),
            txop_start,
            own_end: Time::ZERO,
        }
    }

    /// Data frame of the exchange of contender `id`. Its duration field covers only its own ACK, even if the TXOP
    /// continues.  [80211-2020 §9.2.5.2]
    #[expect(clippy::inline_always, reason = "it is large, and a part of what is made of it")]
    #[inline(always)]
    pub(super) fn data_frame(&self, id: ContenderId, exchange: &Exchange) -> Frame {
        let Exchange { content, to, tx, data, ack, .. } = *exchange;
        if content != Content::Packet {
            return self.link_frame(id, exchange);
        }
        let mpdu = self.contenders[id.index()].serving().mpdu;
        Frame {
            kind: FrameKind::Data,
            from: id.member(),
            to: Some(to),
            tx,
            psdu: sizes::psdu(mpdu.msdu.size, tx),
            duration: data,
            duration_field: self.airtime.timing.sifs + ack,
            retry: mpdu.retry,
        }
    }

    /// Handles a frame that has just left the air, and continues its exchange.
    pub(super) fn receive(&mut self, now: Time, ppdu: &Ppdu<P>) {
        let Ppdu { frame, initiator, .. } = *ppdu;
        if let Some(id) = self.in_exchange(frame.from)
            && let Access::Exchange(exchange) = &mut self.contenders[id.index()].access
        {
            exchange.own_end = now;
        }
        let Some(to) = frame.to else { return };
        if ppdu.missed {
            return;
        }
        let is_lost = ppdu.collided || ppdu.errored;
        let decoded = !is_lost && self.contention.decodes(to, frame.from);
        match frame.kind {
            FrameKind::Data if decoded => {
                self.charge_received(now, initiator, to);
                let content = self.exchange(initiator).content;
                if content == Content::Packet {
                    self.deliver(ppdu, to);
                } else {
                    self.deliver_batch(now, initiator, to, Errors::of(&ppdu.mpdus));
                }
                self.follow(now, initiator, content.response());
            }
            FrameKind::BlockAckRequest if decoded => {
                self.take_request(initiator, to);
                self.follow(now, initiator, FrameKind::BlockAck);
            }
            FrameKind::Rts if decoded && self.contention.nav_is_clear(to, now) => {
                self.follow(now, initiator, FrameKind::Cts);
            }
            FrameKind::Data | FrameKind::Rts | FrameKind::BlockAckRequest => {
                self.await_in_vain(now, ppdu);
            }
            FrameKind::Cts if decoded => self.follow(now, initiator, FrameKind::Data),
            // A CTS-to-self has no response: its sender continues, and does not know of a collision.
            FrameKind::CtsToSelf => self.follow(now, initiator, FrameKind::Data),
            FrameKind::Ack | FrameKind::BlockAck if decoded => {
                if self.succeed(now, initiator) {
                    self.follow(now, initiator, self.exchange(initiator).content.kind());
                }
            }
            FrameKind::Ack | FrameKind::BlockAck | FrameKind::Cts => {
                self.fail(now, initiator, frame.kind.answers());
            }
            FrameKind::Beacon => unreachable!("it is for nobody in particular"),
        }
    }

    /// Schedules the next frame of the exchange of contender `id`, a SIFS later.
    pub(super) fn follow(&mut self, now: Time, id: ContenderId, kind: FrameKind) {
        let at = now + self.airtime.timing.sifs;
        let Access::Exchange(exchange) = &mut self.contenders[id.index()].access else { return };
        exchange.step = Step::Following(kind, at);
        self.following.push(id);
    }

    /// Next frame of the exchange of contender `id`.
    pub(super) fn next_frame(&mut self, id: ContenderId) -> Frame {
        let Access::Exchange(exchange) = &mut self.contenders[id.index()].access else {
            unreachable!("it is in an exchange")
        };
        let Step::Following(kind, _) = std::mem::replace(&mut exchange.step, Step::OnAir) else {
            unreachable!("a frame follows")
        };
        let exchange = *exchange;
        match (kind, exchange.protection) {
            (FrameKind::Cts, Protection::RtsCts(tx)) => self.response(id, &exchange, kind, tx),
            (FrameKind::Ack | FrameKind::BlockAck, _) => {
                self.response(id, &exchange, kind, exchange.tx)
            }
            _ => self.data_frame(id, &exchange),
        }
    }

    /// Duration of the next frame of the exchange of contender `id`.
    pub(super) fn next_duration(&self, id: ContenderId) -> Duration {
        let exchange = self.exchange(id);
        match (exchange.step, exchange.protection) {
            (Step::Following(FrameKind::Cts, _), Protection::RtsCts(tx)) => self.airtime.cts(tx),
            (Step::Following(FrameKind::Ack | FrameKind::BlockAck, _), _) => exchange.ack,
            _ => exchange.data,
        }
    }

    /// Transmitter and vector of the next frame of the exchange of contender `id`.
    pub(super) fn next_sender(&self, id: ContenderId) -> (NodeId, TxVector) {
        let exchange = self.exchange(id);
        match (exchange.step, exchange.protection) {
            (Step::Following(FrameKind::Cts, _), Protection::RtsCts(tx)) => {
                (exchange.to, self.airtime.response(tx))
            }
            (Step::Following(FrameKind::Ack | FrameKind::BlockAck, _), _) => {
                (exchange.to, self.airtime.response(exchange.tx))
            }
            _ => (id.member(), exchange.tx),
        }
    }

    /// Exchange of contender `id`.
    ///
    /// # Panics
    /// If it is in no exchange.
    pub(super) fn exchange(&self, id: ContenderId) -> &Exchange {
        let Access::Exchange(exchange) = &self.contenders[id.index()].access else {
            unreachable!("it is in an exchange")
        };
        exchange
    }

    /// Response to a frame with vector `tx`, from the receiver of the exchange of contender `id`.
    pub(super) fn response(
        &self,
        id: ContenderId,
        exchange: &Exchange,
        kind: FrameKind,
        tx: TxVector,
    ) -> Frame {
        let Exchange { to: from, data, ack, .. } = *exchange;
        let sifs = self.airtime.timing.sifs;
        let (psdu, duration, duration_field) = match kind {
            FrameKind::Cts => (CTS_SIZE, self.airtime.cts(tx), sifs + data + sifs + ack),
            FrameKind::BlockAck => (self.block_ack_size(id, from), ack, Duration::ZERO),
            _ => (ACK_SIZE, ack, Duration::ZERO),
        };
        let (tx, retry) = (self.airtime.response(tx), false);
        Frame { kind, from, to: Some(id.member()), tx, psdu, duration, duration_field, retry }
    }

    /// Delivers the packets of a data frame that the receiver has not had before.  [80211-2020 §10.3.2.14]
    fn deliver(&mut self, ppdu: &Ppdu<P>, to: NodeId) {
        let id = ppdu.initiator;
        for mpdu in ppdu.mpdus.iter().filter(|mpdu| !mpdu.errored) {
            if self.is_new(id, to, mpdu.sequence, mpdu.retry) {
                self.contenders[id.index()].note_arrival(mpdu.sequence);
                self.deliveries.push(mpdu.msdu);
            }
        }
    }

    /// True if `to` has not had the packet of contender `id` with this sequence number before. Stores the number.
    #[inline]
    pub(super) fn is_new(
        &mut self,
        id: ContenderId,
        to: NodeId,
        sequence: u16,
        retry: bool,
    ) -> bool {
        let from = id.member();
        // One end of each hop is the access point, so one cache per station and direction is enough.
        let cache = if !id.is_first() {
            self.received(id, to)
        } else if from.is_ap() {
            &mut self.members[to.index()].last_received_down
        } else {
            &mut self.members[from.index()].last_received_up
        };
        if retry && *cache == Some(sequence) {
            self.channel.records.push(Record::Duplicate { node: to });
            return false;
        }
        *cache = Some(sequence);
        true
    }

    /// Charges the airtime of a packet that the access point has received, if its queue shares time between stations.
    #[inline]
    pub(super) fn charge_received(&mut self, now: Time, sender: ContenderId, to: NodeId) {
        if self.shares_time && to.is_ap() {
            self.charge_airtime(now, sender, FrameKind::Ack);
        }
    }

    /// Handles a frame to which no response will come. Its sender learns this at the time-out, except under a model in
    /// which collisions are noticed at once.
    fn await_in_vain(&mut self, now: Time, ppdu: &Ppdu<P>) {
        let (id, kind) = (ppdu.initiator, ppdu.frame.kind);
        let at_once = ppdu.collided && self.after_collision != AfterCollision::Standard;
        let timeout = now + self.response_timeout;
        let Access::Exchange(exchange) = &mut self.contenders[id.index()].access else { return };
        let until = if at_once { Deadline::Idle } else { Deadline::At(timeout) };
        exchange.step = Step::Unanswered(kind, until);
        self.unanswered.push(id);
        if !at_once {
            self.contention.hold_still(now, id, timeout);
        }
    }

    /// Response for which the exchange of contender `id` waits in vain, and its deadline.
    fn awaited(&self, id: ContenderId) -> (FrameKind, Deadline) {
        match self.contenders[id.index()].access {
            Access::Exchange(Exchange { step: Step::Unanswered(failed, until), .. }) => {
                (failed, until)
            }
            _ => unreachable!("it is listed as unanswered"),
        }
    }

    /// Time of the next response time-out.
    pub(super) fn next_timeout(&self) -> Option<Time> {
        let timeout = |id: &ContenderId| match self.awaited(*id) {
            (_, Deadline::At(at)) => Some(at),
            (_, Deadline::Idle) => None,
        };
        self.unanswered.iter().filter_map(timeout).min()
    }

    /// Handles the response time-outs that are due.
    pub(super) fn time_out(&mut self, now: Time) {
        self.fail_where(now, |_, _, until| until == Deadline::At(now));
    }

    /// Fails collided exchanges under Bianchi's model, as soon as the medium of the sender is idle.
    pub(super) fn fail_collided(&mut self, now: Time) {
        if self.after_collision != AfterCollision::Standard {
            self.fail_where(now, |cell, id, until| {
                until == Deadline::Idle && cell.contention.is_idle(id.member())
            });
        }
    }

    fn fail_where(&mut self, now: Time, knows: impl Fn(&Self, ContenderId, Deadline) -> bool) {
        let due = |cell: &Self| {
            cell.unanswered.iter().position(|id| knows(cell, *id, cell.awaited(*id).1))
        };
        while let Some(place) = due(self) {
            let id = self.unanswered.swap_remove(place);
            let (failed, _) = self.awaited(id);
            self.fail(now, id, failed);
        }
    }

    /// Ends the exchange of contender `id` successfully. Returns true if its TXOP continues with another exchange a
    /// SIFS later.
    pub(super) fn succeed(&mut self, now: Time, id: ContenderId) -> bool {
        if self.shares_time && id.member().is_ap() {
            self.charge_airtime(now, id, FrameKind::Ack);
        }
        self.adapt_to_answer(now, id);
        match self.contenders[id.index()].queue.link_in_service() {
            None => self.leave_queue(now, id),
            Some(to) => self.settle_answered(now, id, to),
        }
        if self.continue_txop(now, id) {
            return true;
        }
        let contender = &mut self.contenders[id.index()];
        let has_next = !contender.queue.is_empty();
        let backoff = if has_next || self.post_backoff { contender.draw_backoff() } else { 0 };
        contender.backoff = u64::from(backoff);
        self.contention.draw(id, now, backoff);
        self.go_on(id);
        false
    }

    /// Continues the TXOP of contender `id` with the next packet, if the packet's exchange, starting a SIFS later, ends
    /// within the TXOP. No protection precedes the packet, since the channel is held already.  [80211-2020 §10.23.2.8]
    fn continue_txop(&mut self, now: Time, id: ContenderId) -> bool {
        let contender = &self.contenders[id.index()];
        let Access::Exchange(last) = contender.access else { return false };
        if contender.limits.txop.is_zero() || contender.queue.is_empty() {
            return false;
        }
        self.adapt_to_sending(now, id);
        let plan = match self.contenders[id.index()].queue.link_in_service() {
            None => Exchange { protection: Protection::None, ..self.plan(id, last.txop_start) },
            Some(to) => self.plan_link(now, id, to, last.txop_start),
        };
        let contender = &self.contenders[id.index()];
        let sifs = self.airtime.timing.sifs;
        let end = now + sifs + plan.data + sifs + plan.ack;
        let fits = end <= plan.txop_start + contender.limits.txop;
        if fits {
            self.contenders[id.index()].access = Access::Exchange(plan);
        }
        fits
    }

    /// Handles the missing response to the RTS or data frame `failed` of contender `id`.
    fn fail(&mut self, now: Time, id: ContenderId, failed: FrameKind) {
        let Access::Exchange(plan) = self.contenders[id.index()].access else { return };
        if self.shares_time && id.member().is_ap() {
            self.charge_airtime(now, id, failed);
        }
        self.adapt_to_silence(now, id, failed);
        let protected_data =
            failed == FrameKind::Data && matches!(plan.protection, Protection::RtsCts(_));
        if plan.content == Content::Packet {
            let chain = self.chain(id);
            if self.contenders[id.index()].fail(protected_data, chain) == Verdict::GiveUp {
                self.record_drop(id, DropCause::RetryLimit);
                self.leave_queue(now, id);
            }
        } else {
            self.settle_silence(now, id, plan.to, (failed, protected_data));
        }
        self.contenders[id.index()].backoff = 0;
        self.draw_anew(now, id);
    }

    /// Draws a new back-off for contender `id` after a failure. The contender then contends, or becomes idle if its
    /// queue is empty.
    pub(super) fn draw_anew(&mut self, now: Time, id: ContenderId) {
        let contender = &mut self.contenders[id.index()];
        let backoff = contender.draw_backoff();
        contender.backoff += u64::from(backoff);
        self.contention.draw(id, now, backoff);
        self.go_on(id);
    }

    #[inline]
    pub(super) fn leave_queue(&mut self, now: Time, id: ContenderId) {
        let contender = &mut self.contenders[id.index()];
        let InService { mpdu, has_arrived } = contender.serving();
        if self.reported_departures == ReportedDepartures::All || !has_arrived {
            self.departures.push(Departure { msdu: mpdu.msdu, lost: !has_arrived });
        }
        contender.finish(now);
        if contender.queue.is_empty() {
            self.channel.end_waiting(now);
        }
        if self.shares_time {
            self.plan_release();
        }
        self.take_dropped(id);
        self.record_queue(id);
    }

    /// Lets contender `id` contend for its next packet with the back-off already drawn, or become idle.
    #[inline]
    fn go_on(&mut self, id: ContenderId) {
        let contender = &mut self.contenders[id.index()];
        if contender.queue.is_empty() {
            contender.access = Access::Idle;
        } else {
            contender.access = Access::Contending;
            self.contention.contend(id);
        }
    }
}

#[cfg(test)]
mod tests {
    use airfair_units::Bytes;

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
            let plan = cell.begin_exchange(Time::ZERO, ContenderId::first(id));
            let frame = cell.first_frame(ContenderId::first(id), &plan);
            cell.ppdu(Time::ZERO, ContenderId::first(id), frame)
        };
        let (first, again) = (send(&mut cell), send(&mut cell));
        assert!(!first.mpdus[0].retry && again.mpdus[0].retry);
        assert!(!first.frame.retry && again.frame.retry);
        cell.deliver(&first, NodeId::AP);
        cell.deliver(&again, NodeId::AP);
        cell.contenders[id.index()].finish(Time::ZERO);
        // The next frame is new even if its first copy was lost and this is a retry.
        send(&mut cell);
        let next = send(&mut cell);
        cell.deliver(&next, NodeId::AP);
        let mut delivered = Vec::new();
        cell.take_deliveries(&mut delivered);
        assert_eq!(delivered.iter().map(|msdu| msdu.payload).collect::<Vec<_>>(), [7, 8]);
        let duplicate = Record::Duplicate { node: NodeId::AP };
        let records: Vec<Record> = cell.drain_records().collect();
        assert_eq!(records.iter().filter(|record| **record == duplicate).count(), 1);
    }
}
