//! The cell as its owner uses it: packets, events, deliveries and records.

use std::any::Any;
use std::vec::Drain;

use airfair_laws::Direction;
use airfair_units::{Bytes, DataRate, Duration, Time};

use super::mac::CellMac;
use super::multi_user::lent::UserScheduler;
use super::overheard::{Listen, Overheard};
use super::recipients::Received;
use super::reports::{Departure, QueueFull, RateChange};
use crate::aggregation::Agreement;
use crate::air::Air;
use crate::air::access::AccessState;
use crate::air::emission::Emission;
use crate::air::hearing::Audibility;
use crate::airtime::Airtime;
use crate::edca::AccessCategory;
use crate::frame::{Beacon, Frame, Msdu};
use crate::moment::{Moment, Phase};
use crate::node::{Link, NodeId};
use crate::queue::Queued;
use crate::queue::headers::Headers;
use crate::record::{DropCause, Record};
use crate::roster::ContenderId;

/// One 802.11 cell: an access point, its stations and their channel. `P` is the payload that the owner attaches to
/// each packet.
#[derive(Clone, Debug)]
pub struct Cell<P> {
    pub(super) air: Air<P>,
    pub(super) mac: CellMac<P>,
}

impl<P: Copy + Headers> Cell<P> {
    // ------------------------------------------------------------------------------------------------- packets

    /// Queues a packet at its transmitter.
    ///
    /// # Errors
    /// [`QueueFull`] if the queue has no room for the packet, which is also recorded.
    #[inline]
    pub fn enqueue(&mut self, now: Time, msdu: Msdu<&P>) -> Result<(), QueueFull> {
        let Msdu { payload, size, from, to } = msdu;
        self.enqueue_copy(now, payload, Msdu { payload: (), size, from, to })
    }

    /// Queues a packet at its transmitter as `enqueue` does, with the payload separate, so that it is copied only once.
    #[inline(never)]
    fn enqueue_copy(&mut self, now: Time, payload: &P, frame: Msdu<()>) -> Result<(), QueueFull> {
        let Self { air, mac } = self;
        let id = air.roster.find(frame.from, || payload.category());
        if let Some(length) = mac.queues[id.index()].append(now, payload, frame) {
            mac.record_length(air, id, length);
        } else {
            self.push(now, id, frame.with(*payload))?;
        }
        let Self { air, mac } = self;
        mac.seek_access(air, now, id);
        if mac.shares_time {
            mac.plan_release(air);
            air.plan_next(now);
        }
        Ok(())
    }

    /// Queues a packet at contender `id`, whose queue may drop other packets in favour of this one.
    #[inline(never)]
    fn push(&mut self, now: Time, id: ContenderId, msdu: Msdu<P>) -> Result<(), QueueFull> {
        let Self { air, mac } = self;
        let is_let_in = mac.queues[id.index()].push(now, msdu);
        mac.take_dropped(air, id);
        if !is_let_in {
            air.record_drop(id, DropCause::QueueFull);
            return Err(QueueFull);
        }
        mac.record_queue(air, id);
        Ok(())
    }

    /// Queues up to `most` packets that `next` makes for one member and category, as [`enqueue`](Self::enqueue) would.
    /// Stops when the queue has [no room](Self::has_room), or when a packet would do more than join the end of the
    /// queue, for example start channel access. Returns the number of packets queued.
    pub fn refill(
        &mut self,
        now: Time,
        (from, category): (NodeId, AccessCategory),
        most: usize,
        next: impl FnMut() -> Option<Msdu<P>>,
    ) -> usize {
        let Self { air, mac } = self;
        let id = air.roster.find(from, || category);
        let is_contending = air.accesses[id.index()].state != AccessState::Idle;
        if mac.shares_time || !is_contending {
            return 0;
        }
        let others = mac.packets_of(air, from) - mac.queues[id.index()].len();
        mac.queues[id.index()].extend(now, most, next, |length| {
            air.frames.records.push(Record::Queue { node: from, length: length + others });
        })
    }

    /// True if the queue of `from` for a category has room for one more data packet to `to` without dropping another.
    #[expect(
        clippy::inline_always,
        reason = "each call on a packet's way costs twenty instructions"
    )]
    #[inline(always)]
    pub fn has_room(&self, from: NodeId, to: NodeId, category: AccessCategory) -> bool {
        let id = self.air.roster.find(from, || category);
        self.mac.queues[id.index()].has_room_for(to)
    }

    /// Number of packets behind which a packet of `flow` from `from` to `to` would wait, without those in service.
    pub fn backlog(
        &self,
        (from, to): (NodeId, NodeId),
        category: AccessCategory,
        flow: u64,
    ) -> usize {
        let id = self.air.roster.find(from, || category);
        self.mac.queues[id.index()].backlog(to, flow)
    }

    /// Number of packets in the transmit queues of a member, those in service included.
    pub fn queue_length(&self, member: NodeId) -> u32 {
        self.mac.packets_of(&self.air, member)
    }

    /// Packets in transmit queues that have not reached the receiver of their hop.
    pub fn undelivered(&self) -> impl Iterator<Item = &Msdu<P>> {
        self.mac.queues.iter().flat_map(|queue| {
            let in_service = queue.packet().filter(|served| !served.has_arrived);
            let in_service = in_service.map(|served| &served.mpdu.msdu);
            let under_way = queue.under_way().filter(|queued| !queued.has_arrived);
            let under_way = under_way.flat_map(Queued::packets);
            in_service.into_iter().chain(under_way).chain(queue.waiting())
        })
    }

    /// Packets in reorder buffers, which wait for earlier ones.
    pub fn buffered(&self) -> impl Iterator<Item = &Msdu<P>> {
        let kept = self.mac.recipients.hops.iter().flatten().flat_map(|it| it.buffered());
        kept.flat_map(Received::packets)
    }

    // ------------------------------------------------------------------------------------------------- links

    /// Durations of frames in this cell, which all members know.
    pub fn airtime(&self) -> &Airtime {
        &self.air.airtime
    }

    /// Rate of data frames from a station to the access point or in the other direction; `None` for the access point,
    /// which has a rate for each station.
    pub fn rate(&self, station: NodeId, direction: Direction) -> Option<DataRate> {
        let member = &self.mac.members[station.index()];
        let rate = match direction {
            Direction::Up => &member.rate_up,
            Direction::Down => &member.rate_down,
        };
        (!station.is_ap()).then(|| rate.get().rate())
    }

    /// Sets a block ack agreement for data frames between a station and the access point, in one direction.
    pub fn agree(&mut self, station: NodeId, direction: Direction, agreement: Agreement) {
        let (from, to) = Link { station, direction }.ends();
        for id in self.air.roster.of(from) {
            self.mac.queues[id.index()].agree(to, agreement);
            self.mac.recipients.set(self.air.roster.hop(id, to), agreement.window);
        }
    }

    /// Rules for aggregates from one member to another; `None` if frames carry one packet each.
    pub fn agreement(&self, from: NodeId, to: NodeId) -> Option<&Agreement> {
        self.mac.queues[ContenderId::first(from).index()].agreement(to)
    }

    /// Largest number of packets of this size in a frame from one member to another.
    pub fn most_packets(&self, from: NodeId, to: NodeId, size: Bytes) -> usize {
        self.agreement(from, to).map_or(1, |agreement| agreement.most_packets(size))
    }

    /// Sets the audibility of frames of `from` for `listener`, from the next frame on. Frames on the air keep the
    /// audibility at their start. An 802.11b receiver can at most sense OFDM frames.
    ///
    /// # Panics
    /// If audibility is constant. It may change if the cell was made [`with_relation`](Self::with_relation), or
    /// [`with_propagation`](Self::with_propagation) with members that may get out of range.
    pub fn set_audibility(&mut self, listener: NodeId, from: NodeId, audibility: Audibility) {
        self.air.contention.set_audibility(listener, from, audibility);
    }

    // ------------------------------------------------------------------------------------------------- events

    /// Moment at which the cell needs the next call of [`handle_event`](Self::handle_event); [`Moment::NEVER`] if it
    /// needs none.
    #[inline]
    pub fn next_event(&self) -> Moment {
        self.air.next_event()
    }

    /// Handles the event that [`next_event`](Self::next_event) has announced. A call at another moment has no effect.
    pub fn handle_event(&mut self, now: Time, phase: Phase) {
        self.air.handle_event(&mut self.mac, now, phase);
    }

    /// Notes a frame of another cell that has started now. Returns true if members sense it at once.
    pub(crate) fn hear(&mut self, now: Time, emission: Emission) -> bool {
        self.air.hear(now, emission)
    }

    /// Ends a frame of another cell.
    pub(crate) fn cease(&mut self, now: Time, frame: Frame) {
        self.air.cease(&mut self.mac, now, frame);
    }

    /// Takes the cell's frames that start now.
    pub(crate) fn take_started(&mut self) -> Vec<Emission> {
        self.air.emissions.as_mut().map_or_else(Vec::new, |it| std::mem::take(&mut it.started))
    }

    /// Notes that frames have started, to end them in the cells that hear them.
    pub(crate) fn keep_started(&mut self, mut started: Vec<Emission>) {
        if let Some(emissions) = &mut self.air.emissions {
            emissions.on_air.append(&mut started);
            emissions.started = started;
        }
    }

    /// Takes one of the cell's frames that end now.
    pub(crate) fn take_ended(&mut self) -> Option<Emission> {
        self.air.emissions.as_mut()?.ended.pop()
    }

    /// Lets other cells hear the frames of this cell, through a [`Neighbourhood`](crate::Neighbourhood).
    pub fn share(&mut self) {
        self.air.share();
    }

    /// Lends a scheduler to the cell for its next event, in which it chooses the users of the access point's PPDUs.
    ///
    /// # Panics
    /// If the cell [has no multi-user frames](Self::has_multi_user).
    #[cold]
    pub fn lend(&mut self, scheduler: Box<dyn UserScheduler>) {
        let mu = self.mac.multi_user.as_mut().expect("a cell with multi-user frames");
        mu.lend(scheduler);
    }

    /// Takes back the scheduler that was lent; `None` if it is of another type.
    #[cold]
    pub fn take_back<S: UserScheduler>(&mut self) -> Option<Box<S>> {
        let lent: Box<dyn Any> = self.mac.multi_user.as_mut()?.take_back()?;
        lent.downcast().ok()
    }

    /// Makes bulk for a station wait at the access point, or go on. Packets of flows that have no queue there go on; so
    /// do all if the access point's discipline has no queues of its own for each station.
    #[cold]
    pub fn hold(&mut self, now: Time, station: NodeId, is_held: bool) {
        for id in self.air.roster.of(NodeId::AP) {
            self.mac.queues[id.index()].hold(station, is_held);
        }
        if !is_held {
            self.mac.release_all(&mut self.air, now);
        }
    }

    /// True if bulk for a station waits at the access point; false if its discipline has no queues of its own for each
    /// station.
    pub fn has_bulk(&self, station: NodeId) -> bool {
        let mut ids = self.air.roster.of(NodeId::AP);
        ids.any(|id| self.mac.queues[id.index()].has_bulk(station))
    }

    /// Time for which the access point's carrier sense has found the medium idle.
    pub fn idle(&self, now: Time) -> Duration {
        self.air.frames.idle(now)
    }

    /// True if the access point sends PPDUs for several stations, or triggers them.
    pub fn has_multi_user(&self) -> bool {
        self.mac.multi_user.is_some()
    }

    /// True if the access point triggers stations.
    pub fn has_triggers(&self) -> bool {
        self.mac.multi_user.as_ref().is_some_and(|mu| mu.has_triggers())
    }

    /// Sends a beacon as soon as the access point's medium has been idle for a PIFS and the access point's own exchange
    /// is over. The beacon replaces an earlier one that still waits.
    pub fn send_beacon(&mut self, now: Time, beacon: Beacon) {
        self.air.send_beacon(now, beacon);
    }

    /// Grants the medium to a station for a time, as soon as the access point's medium has been idle for a PIFS: members
    /// that decode the CTS to the station keep quiet.
    ///
    /// # Panics
    /// If the time exceeds 32.767 ms, the largest value of a duration field.
    #[cold]
    pub fn grant(&mut self, now: Time, station: NodeId, duration: Duration) {
        self.air.grant(now, station, duration);
    }

    /// Ends a grant with a CF-End, as soon as the access point's medium has been idle for a PIFS.
    #[cold]
    pub fn end_grant(&mut self, now: Time) {
        self.air.end_grant(now);
    }

    /// Accounts for the airtime up to `now`, at the end of a run.
    pub fn flush(&mut self, now: Time) {
        self.air.frames.charge(now);
    }

    // ------------------------------------------------------------------------------------------------- reports

    /// True if there is a delivery, a departure or a changed rate to fetch.
    #[inline]
    pub fn has_news(&self) -> bool {
        let mac = &self.mac;
        !(mac.deliveries.is_empty() && mac.departures.is_empty() && mac.rate_changes.is_empty())
    }

    /// Takes the packets that have reached the receiver of their hop. `into` must be empty; its memory is reused.
    #[inline]
    pub fn take_deliveries(&mut self, into: &mut Vec<Msdu<P>>) {
        std::mem::swap(&mut self.mac.deliveries, into);
    }

    /// True if there is a departure to fetch.
    #[inline]
    pub fn has_departures(&self) -> bool {
        !self.mac.departures.is_empty()
    }

    /// Takes the packets that have left their queues. After [`tell_losses_alone`](Self::tell_losses_alone), these are
    /// only the lost ones.
    #[inline]
    pub fn take_departures(&mut self, into: &mut Vec<Departure<P>>) {
        std::mem::swap(&mut self.mac.departures, into);
    }

    /// Reports only lost packets as departures from now on, for an owner that does not wait for room.
    pub fn tell_losses_alone(&mut self) {
        self.mac.reports_delivered = false;
    }

    /// Takes the next change of a rate by rate control.
    pub fn poll_rate_change(&mut self) -> Option<RateChange> {
        self.mac.rate_changes.pop_front()
    }

    /// Records that a scheme at `node`, which the owner of the cell runs, has dropped a packet of this category.
    pub fn record_scheme_drop(&mut self, node: NodeId, category: AccessCategory) {
        let id = self.air.roster.find(node, || category);
        self.air.record_drop(id, DropCause::Scheme);
    }

    /// Takes the records since the last call.
    #[inline]
    pub fn drain_records(&mut self) -> Drain<'_, Record> {
        self.air.frames.records.drain(..)
    }

    /// Passes the records since the last call to `take`, all at once, if there are any.
    #[inline]
    pub fn hand_records(&mut self, take: impl FnOnce(&[Record])) {
        let records = &mut self.air.frames.records;
        if !records.is_empty() {
            take(records);
            records.clear();
        }
    }

    /// Records the events of each access category from now on.
    pub fn tell_categories(&mut self) {
        self.air.observers_mut().categories = true;
        self.air.frames.tell_categories(self.air.roster.categories());
    }

    /// Reports frames that `node` decodes or sends from now on, as far as `scope` includes them: see
    /// [`overheard`](Self::overheard).
    pub fn listen(&mut self, node: NodeId, scope: Listen) {
        self.air.observers_mut().listen = true;
        self.mac.heard.listen(node, scope, self.mac.members.len());
    }

    /// Overheard frame with index `place`, counted since [`forget_overheard`](Self::forget_overheard).
    #[inline]
    pub fn overheard(&self, place: usize) -> Option<Overheard<'_, P>> {
        self.mac.heard.get(place)
    }

    /// True if there is an overheard frame that was not yet forgotten.
    #[inline]
    pub fn has_overheard(&self) -> bool {
        !self.mac.heard.is_empty()
    }

    /// Removes all overheard frames.
    #[inline]
    pub fn forget_overheard(&mut self) {
        self.mac.heard.clear();
    }
}
