//! Service of links with block ack agreements.

use airfair_units::{Bytes, Time};

use super::TransmitQueue;
use super::headers::Headers;
use super::link::{Batch, BlockAckLink, Queued, Response, Room};
use super::links::note;
use super::scheduler::Scheduler;
use super::sub_queue::{Picked, Waits};
use crate::aggregation::Agreement;
use crate::block_ack::PacketOutcome;
use crate::frame::Msdu;
use crate::node::NodeId;

impl<P: Copy + Headers> TransmitQueue<P> {
    /// Sets a block ack agreement with a receiver.
    pub(crate) fn agree(&mut self, to: NodeId, agreement: Agreement) {
        self.links.get_or_insert_default().set(to, agreement);
    }

    /// Link to a receiver with a block ack agreement.
    ///
    /// # Panics
    /// If there is no agreement with the receiver.
    #[inline]
    pub(crate) fn link(&mut self, to: NodeId) -> &mut BlockAckLink<P> {
        let link = self.links.as_mut().and_then(|links| links.get(to));
        link.expect("a link with an agreement")
    }

    /// True if a scheduler of multi-user frames may choose the receivers of a frame.
    pub(crate) fn serves_several(&self) -> bool {
        self.config.discipline.serves_several()
    }

    /// Link to a receiver; `None` without a block ack agreement.
    pub(crate) fn link_of(&self, to: NodeId) -> Option<&BlockAckLink<P>> {
        self.links.as_ref()?.to.get(to.index())?.as_deref()
    }

    /// Octets of the packets that wait and are not on the air.
    pub(crate) fn octets_waiting(&self) -> Bytes {
        let ahead = self.driver.iter().flat_map(|driver| driver.packets());
        let ahead: Bytes = ahead.map(|(msdu, _)| msdu.size).sum();
        let links = self.links.iter().flat_map(|links| links.to.iter().flatten());
        let windows = links.flat_map(|link| link.originator.batch());
        let windows: Bytes = windows.map(|it| it.packet.size()).sum();
        let queues: Bytes = self.queues.iter().map(|queue| queue.bytes).sum();
        ahead + windows + queues
    }

    /// Batch of MPDUs of the next PPDU to a receiver with a block ack agreement.
    #[inline]
    pub(crate) fn batch(&self, to: NodeId) -> Batch {
        let link = self.links.as_ref().and_then(|links| links.to[to.index()].as_ref());
        link.map_or_else(Batch::default, |link| link.batch)
    }

    /// Block ack agreement with a receiver, if there is one.
    pub(crate) fn agreement(&self, to: NodeId) -> Option<&Agreement> {
        let link = self.links.as_ref()?.to.get(to.index())?.as_ref()?;
        Some(&link.agreement)
    }

    /// Receiver in service, if it has a block ack agreement.
    #[inline]
    pub(crate) fn link_in_service(&self) -> Option<NodeId> {
        self.links.as_ref().and_then(|links| links.in_service)
    }

    /// MPDUs whose packets have left their queues and that are neither acknowledged nor given up.
    pub(crate) fn under_way(&self) -> impl Iterator<Item = &Queued<P>> {
        self.links.iter().flat_map(|links| links.iter())
    }

    /// True if packets for this receiver must wait, because its block ack window is full.
    #[inline]
    pub(super) fn is_full(&self, to: NodeId) -> bool {
        let link = self.links.as_ref().and_then(|links| links.to.get(to.index())?.as_ref());
        link.is_some_and(|link| !link.originator.has_room())
    }

    /// Puts a receiver with an agreement into service in the turn of queue `index`. A turn for which the receiver still
    /// waits, because of lost MPDUs or a `BlockAckReq`, is cancelled, since they are sent now.
    fn begin_service(&mut self, to: NodeId, index: usize) {
        let Some(links) = &mut self.links else { return };
        (links.in_service, self.serving) = (Some(to), index);
        if let Some(again) = links.get(to).and_then(|link| link.again.take()) {
            self.cancel_again(to, again);
        }
    }

    /// Cancels the turn of queue `again` for which receiver `to` still waits, because another frame has its lost MPDUs.
    #[cold]
    fn cancel_again(&mut self, to: NodeId, again: usize) {
        self.queues.remove_again(again, to);
        self.scheduler.cancel_empty_turn(&self.queues, again);
    }

    /// Puts a packet into service whose receiver has a block ack agreement and a window with room. Returns false
    /// without an agreement.
    #[inline(never)]
    pub(super) fn serve_aggregated(&mut self, msdu: Msdu<P>, queue: usize) -> bool {
        let Some(links) = &mut self.links else { return false };
        let Some(link) = links.get(msdu.to) else { return false };
        link.push(msdu, queue);
        links.note(queue);
        self.begin_service(msdu.to, queue);
        true
    }

    /// Serves the receiver of queue `index`, whose turn it is, without taking a packet from the queue, and returns
    /// true; returns false if a packet must be taken. MPDUs that were lost are sent first, and a packet stays in its
    /// queue if the block ack window has no room.
    #[inline(never)]
    pub(super) fn serve_without_packet(&mut self, now: Time, index: usize) -> bool {
        let to = if let Some(to) = self.begin_again(index) {
            to
        } else {
            let first = self.queues.first_receiver(index);
            let Some(to) = first.filter(|to| self.is_full(*to)) else { return false };
            self.scheduler.take_back(now, &mut self.queues, index);
            to
        };
        self.begin_service(to, index);
        true
    }

    /// Takes the receiver whose lost MPDUs or `BlockAckReq` are to be sent in the turn of queue `index`, before the
    /// queue's packets, for service; `None` if there is none.
    pub(super) fn begin_again(&mut self, index: usize) -> Option<NodeId> {
        self.links.as_ref()?;
        let to = self.queues.pop_again(index)?;
        self.link(to).again = None;
        Some(to)
    }

    /// Puts a receiver into service for lost MPDUs or a `BlockAckReq`. Returns false if there is nothing to send to it.
    pub(super) fn serve_link(&mut self, to: NodeId) -> bool {
        let Some(links) = &mut self.links else { return false };
        let Some(link) = links.get(to).filter(|link| link.has_waiting()) else { return false };
        let queue = link.queue().unwrap_or(self.serving);
        self.begin_service(to, queue);
        true
    }

    /// Block ack agreement with a receiver, and limits of the last frame to it; `None` without an agreement or a frame.
    pub(super) fn limits_ahead(&mut self, to: NodeId) -> Option<(Agreement, Room)> {
        let link = self.links.as_mut()?.get(to)?;
        Some((link.agreement, link.frames?.room))
    }

    /// Makes the batch of MPDUs of the next PPDU to the receiver in service: MPDUs that wait in the window, and then
    /// packets that the scheduler lets join.  Deviates: [D-130]
    pub(crate) fn prepare(&mut self, now: Time, to: NodeId, room: &Room) {
        self.prepare_from(now, self.serving, to, room);
    }

    /// Makes the batches of MPDUs of the next PPDU to several receivers, which need not be in service, as
    /// [`prepare`](Self::prepare) does. They are [settled](Self::settle_part) one by one.
    #[cold]
    pub(crate) fn prepare_parts(&mut self, now: Time, parts: &[(NodeId, Room)]) {
        for (to, _) in parts {
            if let Some(again) = self.link(*to).again.take() {
                self.cancel_again(*to, again);
            }
        }
        if self.scheduler.is_single() && self.driver.is_none() && self.joins_none(parts) {
            return self.pick_parts(parts);
        }
        for (to, room) in parts {
            let queue = self.scheduler.queue_of_part(*to);
            self.prepare_from(now, queue, *to, room);
        }
    }

    /// True if no link to these receivers has A-MSDUs.
    fn joins_none(&mut self, parts: &[(NodeId, Room)]) -> bool {
        parts.iter().all(|(to, _)| self.link(*to).agreement.amsdu.is_none())
    }

    /// Makes the batches of several receivers from a single queue, in one pass.
    fn pick_parts(&mut self, parts: &[(NodeId, Room)]) {
        let Self { links: Some(links), queues, .. } = self else { return };
        let mut open = 0;
        let mut goes_on = vec![false; links.to.len()];
        for (to, room) in parts {
            goes_on[to.index()] = links.get(*to).is_some_and(|link| link.begin_batch(room));
            open += usize::from(goes_on[to.index()]);
        }
        let taken = queues.pick(0, |msdu| {
            if open == 0 {
                return Picked::Done;
            }
            // Receivers without an agreement may have no place in the list.
            if !goes_on.get(msdu.to.index()).is_some_and(|goes_on| *goes_on) {
                return Picked::Passed;
            }
            let room = parts.iter().find(|(to, _)| *to == msdu.to).map(|(_, room)| room);
            let link = links.to[msdu.to.index()].as_mut();
            let fits = link.zip(room).is_some_and(|(link, room)| link.take(msdu, 0, room));
            if !fits {
                goes_on[msdu.to.index()] = false;
                open -= 1;
            }
            if fits { Picked::Taken } else { Picked::Passed }
        });
        note(&mut links.of_queue, 0, taken);
        links.under_way += taken;
    }

    #[inline]
    fn prepare_from(&mut self, now: Time, serving: usize, to: NodeId, room: &Room) {
        let Self { links: Some(links), queues, scheduler, driver, .. } = self else { return };
        let Some(link) = links.to.get_mut(to.index()).and_then(Option::as_deref_mut) else {
            return;
        };
        let (mut goes_on, mut from) = (link.begin_batch(room), 0);
        if let Some(driver) = driver {
            driver.hand_over(to, |msdu, queue| {
                goes_on = goes_on && link.may_take();
                let place = if goes_on { link.extend_batch(msdu.size, room) } else { None };
                let Some(place) = place else { return false };
                link.put(*msdu, queue, place);
                note(&mut links.of_queue, queue, 1);
                links.under_way += 1;
                true
            });
            return;
        }
        if goes_on && scheduler.serves_in_order() && link.agreement.amsdu.is_none() {
            // In a single queue, packets for one receiver mostly follow each other.
            let queue = serving;
            let taken = queues.hand_over(queue, to, |msdu| link.take(msdu, queue, room));
            scheduler.cancel_empty_turn(queues, queue);
            note(&mut links.of_queue, queue, taken);
            links.under_way += taken;
            goes_on = link.may_take();
        }
        while goes_on
            && let Some((queue, place)) = scheduler.find_more(now, queues, (serving, from), to)
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

    /// Ends the exchange with the receiver in service, and calls `tell` for each MPDU that was acknowledged or given
    /// up. Without a response, the receiver stays in service as long as anything waits for it. Otherwise the scheduler
    /// chooses, and MPDUs that wait in the window come before packets of the same queue.
    pub(crate) fn settle(
        &mut self,
        now: Time,
        to: NodeId,
        response: Response<'_>,
        tell: impl FnMut(&Queued<P>, PacketOutcome),
    ) {
        let is_answered = matches!(response, Response::BlockAck(_) | Response::Ack);
        let Some((has_waiting, again)) = self.settle_link(to, response, tell) else { return };
        if has_waiting && !is_answered {
            return;
        }
        if let Some(links) = &mut self.links {
            links.in_service = None;
        }
        if has_waiting {
            self.push_again(now, to, again);
        }
        self.serve_next(now);
    }

    /// Ends the exchange with a receiver. Returns true if MPDUs are left for it, with the queue in whose turn they are
    /// sent.
    #[inline]
    fn settle_link(
        &mut self,
        to: NodeId,
        response: Response<'_>,
        mut tell: impl FnMut(&Queued<P>, PacketOutcome),
    ) -> Option<(bool, usize)> {
        let links = self.links.as_mut()?;
        let mut link = links.to[to.index()].take()?;
        let before = links.under_way;
        // Packets of one queue mostly follow each other, and are subtracted together.
        let (mut of_queue, mut count) = (self.serving, 0);
        link.settle(response, |done| {
            tell(done.packet, done.outcome);
            for queue in done.packet.queues() {
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
        let waits = (link.has_waiting(), link.queue().unwrap_or(self.serving));
        links.to[to.index()] = Some(link);
        Some(waits)
    }

    /// Ends the exchange with a receiver that need not be in service, as [`settle`](Self::settle) does. A receiver for
    /// which MPDUs are left waits for its turn.
    #[cold]
    pub(crate) fn settle_part(
        &mut self,
        now: Time,
        to: NodeId,
        response: Response<'_>,
        tell: impl FnMut(&Queued<P>, PacketOutcome),
    ) {
        if self.link_in_service() == Some(to) {
            return self.settle(now, to, response, tell);
        }
        if let Some((true, again)) = self.settle_link(to, response, tell) {
            self.push_again(now, to, again);
        }
    }

    /// Schedules a receiver to be served again that need not be in service, and whose batch was not sent.
    #[cold]
    pub(crate) fn return_part(&mut self, now: Time, to: NodeId) {
        let serving = self.serving;
        if self.link_in_service() == Some(to) {
            return;
        }
        let link = self.link(to);
        link.batch = Batch::default();
        if link.again.is_none() && link.has_waiting() {
            let again = link.queue().unwrap_or(serving);
            self.push_again(now, to, again);
        }
    }

    /// Adds the packets for each receiver that the next PPDU may have to `of`, which is indexed by receiver: those in the
    /// window that are not on the air, and those of the queue. A driver has only its own, not those above it.
    /// O(packets), at each frame of several users.
    #[cold]
    pub(crate) fn add_backlogs(&self, of: &mut [Waits]) {
        if let Scheduler::RoundRobin(_) = &self.scheduler {
            // Each receiver has a queue of its own, in which the first packet is the oldest.
            of.iter_mut().zip(self.queues.iter()).for_each(|(of, queue)| of.add_queue(queue));
        } else if let Some(driver) = &self.driver {
            driver.packets().for_each(|(msdu, _)| of[msdu.to.index()].add(msdu.size));
        } else {
            for waiting in self.queues.iter().flat_map(|queue| &queue.packets) {
                let of = &mut of[waiting.msdu.to.index()];
                of.add(waiting.msdu.size);
                of.note_since(waiting.since);
            }
        }
        let links = self.links.iter().flat_map(|links| links.to.iter().flatten());
        for outgoing in links.flat_map(|link| link.originator.batch()) {
            of[outgoing.packet.msdu.to.index()].add(outgoing.packet.size());
        }
    }

    /// Schedules a receiver to be served again before the packets of queue `index`. A driver whose hardware keeps lost
    /// MPDUs sends them with its next packets.
    #[inline]
    pub(super) fn push_again(&mut self, now: Time, to: NodeId, index: usize) {
        if let Some(driver) = self.driver.as_mut().filter(|driver| driver.keeps_lost()) {
            return driver.keep_lost(to);
        }
        self.link(to).again = Some(index);
        let was_empty = self.queues.len(index) == 0;
        self.queues.push_again(index, to);
        if was_empty {
            self.scheduler.activate(now, &mut self.queues, index);
        }
    }
}
