//! The cell as one state machine: members, channel, and the order of events on the air.

mod aggregates;
mod airtime_charge;
mod beacons;
mod build;
mod categories;
mod channel;
mod exchange;
mod monitor;
mod noise;
mod overhear;
mod rates;
mod settings;
#[cfg(test)]
mod tests;
mod undisturbed;

use std::collections::VecDeque;
use std::vec::Drain;

use airfair_laws::Direction;
use airfair_units::{DataRate, Duration, Time};

use crate::airtime::Airtime;
use crate::config::{AfterCollision, NodeId};
use crate::contender::{Access, Contender, Content, Deadline, Exchange, Member, Step};
use crate::contention::Contention;
use crate::edca::AccessCategory;
use crate::frame::{Frame, FrameKind, Mpdu, Msdu, Ppdu};
use crate::hearing::Audibility;
use crate::moment::{Moment, Phase};
use crate::queue::Queued;
use crate::queue::headers::Headers;
use crate::record::{CategoryEvent, DropCause, Record};
use crate::roster::{ContenderId, Roster};

pub use aggregates::Carrier;
use aggregates::{Errors, Recipients};
use beacons::Beacons;
use channel::Channel;
use monitor::Monitor;
pub use monitor::{ChannelAccess, FrameOutcome, Monitored, Signal};
use noise::Noise;
use overhear::HeardFrames;
pub use overhear::{Listen, Overheard};
use undisturbed::{Audience, Undisturbed};

/// A packet that has left the queue of its transmitter, delivered or lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Departure<P> {
    /// The packet, as it was queued.
    pub msdu: Msdu<P>,
    /// True if the packet was given up without having reached its receiver.
    pub lost: bool,
}

/// Error: the transmit queue of a member is full, or has refused a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QueueFull;

/// Change of the rate of data frames from or to a station, by rate control.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RateChange {
    /// Station whose link with the access point has the new rate.
    pub station: NodeId,
    /// Direction of the data frames that have the new rate.
    pub direction: Direction,
    /// Rate of the data frames after the change.
    pub rate: DataRate,
}

/// Departures of packets that are reported to the owner of the cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ReportedDepartures {
    All,
    Losses,
}

/// Reports about frames that leave the air, in addition to their usual records. Each level includes the ones before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum FrameReports {
    Nobody,
    /// Each frame that leaves the air is reported to the members that have asked to overhear it.
    Listeners,
    /// As [`Listeners`](Self::Listeners), and the access category of each frame is recorded.
    Categories,
}

/// One 802.11 cell: an access point, its stations and their channel. `P` is the payload that the owner attaches to
/// each packet.
#[derive(Clone, Debug)]
pub struct Cell<P> {
    airtime: Airtime,
    response_timeout: Duration,
    after_collision: AfterCollision,
    post_backoff: bool,
    contention: Contention,
    beacons: Beacons,
    /// Next event of the cell, which is kept because it is asked for more often than it changes.
    next: Moment,
    channel: Channel<P>,
    roster: Roster,
    members: Vec<Member>,
    contenders: Vec<Contender<P>>,
    noise: Noise,
    audience: Audience,
    /// Current exchange, if no other member can disturb it.
    undisturbed: Option<Undisturbed>,
    /// Initiators of exchanges whose next frame is due after a SIFS; `unanswered` has those that wait for a time-out.
    following: Vec<ContenderId>,
    unanswered: Vec<ContenderId>,
    winners: Vec<ContenderId>,
    /// Contenders that have won the channel and given way to another category of their member.
    yielding: Vec<ContenderId>,
    ended: Vec<Ppdu<P>>,
    /// Spare buffers for the MPDUs of the next PPDUs.
    spare: Vec<Vec<Mpdu<P>>>,
    deliveries: Vec<Msdu<P>>,
    departures: Vec<Departure<P>>,
    rate_changes: VecDeque<RateChange>,
    /// True if any link has rate control.
    adapts: bool,
    /// True if the access point's queue shares time between stations, and so needs airtime charges.
    shares_time: bool,
    /// Time at which the access point's queue may release a packet, or at which a reorder buffer times out.
    release: Option<Time>,
    /// For each hop, the sequence number that its receiver has received last from a contender that is not the first of
    /// its member. [`Member`] has the numbers of first contenders.
    received: Vec<Option<u16>>,
    recipients: Recipients<P>,
    /// Errors of the MPDUs of the undisturbed aggregate that leaves the air.
    errors: Errors,
    reported_departures: ReportedDepartures,
    frame_reports: FrameReports,
    /// Frames that each member has asked to overhear; empty if no member has.
    scopes: Vec<Option<Listen>>,
    listeners: Vec<NodeId>,
    heard: HeardFrames<P>,
    /// Monitor of frames and channel access for a trace, if there is one.
    monitor: Option<Box<Monitor<P>>>,
}

impl<P: Copy + Headers> Cell<P> {
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
        let id = self.roster.find(frame.from, || payload.category());
        if let Some(length) = self.contenders[id.index()].queue.append(now, payload, frame) {
            self.record_length(id, length);
        } else {
            self.push(now, id, frame.with(*payload))?;
        }
        self.seek_access(now, id);
        if self.shares_time {
            self.plan_release();
            self.plan_next(now);
        }
        Ok(())
    }

    /// Queues a packet at contender `id`, whose queue may drop other packets in favour of this one.
    #[inline(never)]
    fn push(&mut self, now: Time, id: ContenderId, msdu: Msdu<P>) -> Result<(), QueueFull> {
        let is_let_in = self.contenders[id.index()].queue.push(now, msdu);
        self.take_dropped(id);
        if !is_let_in {
            self.record_drop(id, DropCause::QueueFull);
            return Err(QueueFull);
        }
        self.record_queue(id);
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
        let id = self.roster.find(from, || category);
        let is_contending = self.contenders[id.index()].access != Access::Idle;
        if self.shares_time || !is_contending {
            return 0;
        }
        let others = self.packets_of(from) - self.contenders[id.index()].queue.len();
        let Self { contenders, channel, .. } = self;
        contenders[id.index()].queue.extend(now, most, next, |length| {
            channel.records.push(Record::Queue { node: from, length: length + others });
        })
    }

    /// Starts channel access for contender `id`, if it is idle and has something to send.
    #[inline]
    fn seek_access(&mut self, now: Time, id: ContenderId) {
        let contender = &self.contenders[id.index()];
        if contender.access == Access::Idle && !contender.queue.is_empty() {
            self.begin_access(now, id);
        }
    }

    #[inline(never)]
    fn begin_access(&mut self, now: Time, id: ContenderId) {
        self.channel.begin_waiting(now);
        let left = self.contention.try_access(id, now);
        self.contenders[id.index()].backoff = left.unwrap_or(0);
        if left.is_none() {
            self.back_off(now, id);
        }
        self.contenders[id.index()].access = Access::Contending;
        self.plan_next(now);
    }

    /// True if the queue of `from` for a category has room for one more data packet to `to` without dropping another.
    #[expect(
        clippy::inline_always,
        reason = "each call on a packet's way costs twenty instructions"
    )]
    #[inline(always)]
    pub fn has_room(&self, from: NodeId, to: NodeId, category: AccessCategory) -> bool {
        let id = self.roster.find(from, || category);
        self.contenders[id.index()].queue.has_room_for(to)
    }

    /// Number of packets behind which a packet of `flow` from `from` to `to` would wait, without those in service.
    pub fn backlog(
        &self,
        (from, to): (NodeId, NodeId),
        category: AccessCategory,
        flow: u64,
    ) -> usize {
        let id = self.roster.find(from, || category);
        self.contenders[id.index()].queue.backlog(to, flow)
    }

    /// Number of packets in the transmit queues of a member, those in service included.
    pub fn queue_length(&self, member: NodeId) -> u32 {
        self.packets_of(member)
    }

    /// Rate of data frames from a station to the access point or in the other direction; `None` for the access point,
    /// which has a rate for each station.
    pub fn rate(&self, station: NodeId, direction: Direction) -> Option<DataRate> {
        let member = &self.members[station.index()];
        let rate = match direction {
            Direction::Up => &member.rate_up,
            Direction::Down => &member.rate_down,
        };
        (!station.is_ap()).then(|| rate.get().rate())
    }

    /// Moment at which the cell needs the next call of [`handle_event`](Self::handle_event); [`Moment::NEVER`] if it
    /// needs none.
    #[inline]
    pub fn next_event(&self) -> Moment {
        self.next
    }

    /// Determines the next event of the cell.
    #[inline]
    fn plan_next(&mut self, now: Time) {
        self.next = match self.undisturbed {
            // During the exchange, only events that do not need the air can come first.
            Some(exchange) if self.unanswered.is_empty() && self.release.is_none() => {
                Moment::new(exchange.end(), Phase::End)
            }
            _ => self.find_next(),
        };
        if self.beacons.waiting.is_some() {
            self.await_beacon(now);
        }
    }

    #[inline(never)]
    fn find_next(&mut self) -> Moment {
        let mut next = Moment::of(self.channel.next_end(), Phase::End);
        if !self.unanswered.is_empty() {
            next = next.min(Moment::of(self.next_timeout(), Phase::Timeout));
        }
        if self.release.is_some() {
            next = next.min(Moment::of(self.release, Phase::Timeout));
        }
        if !self.following.is_empty() {
            next = next.min(Moment::of(self.next_response(), Phase::Start));
        }
        next.min(Moment::of(self.contention.next_access(), Phase::Start))
    }

    /// Time at which the next frame of any exchange follows another one after a SIFS.
    fn next_response(&self) -> Option<Time> {
        self.following.iter().map(|id| self.due(*id)).min()
    }

    /// Time at which the next frame of the exchange of contender `id` is due.
    fn due(&self, id: ContenderId) -> Time {
        match self.contenders[id.index()].access {
            Access::Exchange(Exchange { step: Step::Following(_, at), .. }) => at,
            _ => unreachable!("it is listed as following"),
        }
    }

    /// Handles the event that [`next_event`](Self::next_event) has announced. A call at another moment has no effect.
    pub fn handle_event(&mut self, now: Time, phase: Phase) {
        match phase {
            Phase::End => match self.undisturbed {
                Some(exchange) => self.end_undisturbed(now, exchange),
                None => self.end_transmissions(now),
            },
            Phase::Timeout => {
                self.time_out(now);
                if self.release.is_some_and(|release| release <= now) {
                    self.release(now);
                }
            }
            Phase::Start => self.start_transmissions(now),
        }
        self.plan_next(now);
    }

    /// Sets the audibility of frames of `from` for `listener`, from the next frame on. Frames on the air keep the
    /// audibility at their start. An 802.11b receiver can at most sense OFDM frames.
    ///
    /// # Panics
    /// If audibility is constant. It may change if the cell was made [`with_relation`](Self::with_relation), or
    /// [`with_propagation`](Self::with_propagation) with members that may get out of range.
    pub fn set_audibility(&mut self, listener: NodeId, from: NodeId, audibility: Audibility) {
        self.contention.set_audibility(listener, from, audibility);
    }

    /// True if there is a delivery, a departure or a changed rate to fetch.
    #[inline]
    pub fn has_news(&self) -> bool {
        !(self.deliveries.is_empty() && self.departures.is_empty() && self.rate_changes.is_empty())
    }

    /// Takes the packets that have reached the receiver of their hop. `into` must be empty; its memory is reused.
    #[inline]
    pub fn take_deliveries(&mut self, into: &mut Vec<Msdu<P>>) {
        std::mem::swap(&mut self.deliveries, into);
    }

    /// True if there is a departure to fetch.
    #[inline]
    pub fn has_departures(&self) -> bool {
        !self.departures.is_empty()
    }

    /// Takes the packets that have left their queues. After [`tell_losses_alone`](Self::tell_losses_alone), these are
    /// only the lost ones.
    #[inline]
    pub fn take_departures(&mut self, into: &mut Vec<Departure<P>>) {
        std::mem::swap(&mut self.departures, into);
    }

    /// Reports only lost packets as departures from now on, for an owner that does not wait for room.
    pub fn tell_losses_alone(&mut self) {
        self.reported_departures = ReportedDepartures::Losses;
    }

    /// Takes the next change of a rate by rate control.
    pub fn poll_rate_change(&mut self) -> Option<RateChange> {
        self.rate_changes.pop_front()
    }

    /// Takes the records since the last call.
    #[inline]
    pub fn drain_records(&mut self) -> Drain<'_, Record> {
        self.channel.records.drain(..)
    }

    /// Passes the records since the last call to `take`, all at once, if there are any.
    #[inline]
    pub fn hand_records(&mut self, take: impl FnOnce(&[Record])) {
        if !self.channel.records.is_empty() {
            take(&self.channel.records);
            self.channel.records.clear();
        }
    }

    /// Packets in transmit queues that have not reached the receiver of their hop.
    pub fn undelivered(&self) -> impl Iterator<Item = &Msdu<P>> {
        self.contenders.iter().flat_map(|contender| {
            let queue = &contender.queue;
            let in_service = queue.packet().filter(|served| !served.has_arrived);
            let in_service = in_service.map(|served| &served.mpdu.msdu);
            let under_way = queue.under_way().filter(|queued| !queued.has_arrived);
            let under_way = under_way.flat_map(Queued::packets);
            in_service.into_iter().chain(under_way).chain(queue.waiting())
        })
    }

    /// Accounts for the airtime up to `now`, at the end of a run.
    pub fn flush(&mut self, now: Time) {
        self.channel.charge(now);
    }

    fn start_transmissions(&mut self, now: Time) {
        let mut winners = std::mem::take(&mut self.winners);
        // Winners come first, because a response that starts now would stop their countdowns.
        self.contention.take_winners(now, &mut winners);
        if winners.len() > 1 && !self.roster.is_plain() {
            self.collide_internally(now, &mut winners);
        }
        if let [winner] = winners[..]
            && self.stays_undisturbed(now, winner)
        {
            winners.clear();
            self.winners = winners;
            return self.begin_undisturbed(now, winner);
        }
        while let Some(place) = self.following.iter().position(|id| self.due(*id) == now) {
            let initiator = self.following.swap_remove(place);
            let frame = self.next_frame(initiator);
            self.transmit(now, initiator, frame);
        }
        let yields = self.beacons.due == Some(now);
        if yields {
            self.yield_to_beacon(&mut winners);
            self.start_beacon(now);
        }
        for id in winners.drain(..) {
            let plan = self.begin_exchange(now, id);
            let frame = self.first_frame(id, &plan);
            self.transmit(now, id, frame);
        }
        self.winners = winners;
        self.contention.begin_busy(now);
        self.meet(now);
        self.back_off_forestalled(now);
        if yields {
            self.back_off_yielding(now);
        }
        self.fail_internally(now);
    }

    fn transmit(&mut self, now: Time, id: ContenderId, frame: Frame) {
        if let Noise::Propagation(propagation) = &mut self.noise
            && self.contention.can_change()
        {
            self.contention.set_row(&frame, propagation.audibility(now, frame.from, frame.tx));
            if propagation.capture().is_some() {
                self.contention.set_powers(frame.from, propagation.powers(now, frame.from));
            }
        }
        self.contention.announce(&frame);
        let ppdu = self.ppdu(now, id, frame);
        self.channel.put(ppdu);
    }

    /// PPDU of a frame of the exchange of contender `id`. A data frame carries the packet in service, which counts as
    /// sent from now on.
    fn ppdu(&mut self, start: Time, id: ContenderId, frame: Frame) -> Ppdu<P> {
        let mut mpdus = Vec::new();
        if frame.kind == FrameKind::Data {
            if let Some(served) = self.contenders[id.index()].queue.packet_mut() {
                mpdus = self.spare.pop().unwrap_or_default();
                mpdus.push(served.mpdu);
                served.mpdu.retry = true;
            } else if let Some(to) = frame.to {
                self.begin_batch(id, to);
                mpdus = self.list_batch(id, to);
            }
        }
        Ppdu::new(start, (id, frame), mpdus)
    }

    /// Handles frames that have started: those that overlap at their receiver collide. An initiator that misses the
    /// start of its response waits for its time-out.
    fn meet(&mut self, now: Time) {
        if self.contention.is_undisturbed() {
            return;
        }
        self.channel.collide(|frame| self.contention.overlapped(frame));
        for ppdu in self.channel.started(now) {
            let Frame { kind, .. } = ppdu.frame;
            if !self.contention.misses(&ppdu.frame) {
                continue;
            }
            ppdu.missed = true;
            let id = ppdu.initiator;
            if let Access::Exchange(exchange) = &mut self.contenders[id.index()].access {
                let timeout = exchange.own_end + self.response_timeout;
                exchange.step = Step::Unanswered(kind.answers(), Deadline::At(timeout));
                self.unanswered.push(id);
                self.contention.hold_still(now, id, timeout);
            }
        }
    }

    /// Draws back-offs for contenders that were to transmit without one and have found the medium busy.
    #[inline]
    fn back_off_forestalled(&mut self, now: Time) {
        while let Some(id) = self.contention.pop_forestalled() {
            self.back_off(now, id);
        }
    }

    /// Draws a back-off for contender `id`, which has found the medium busy, and contends.
    fn back_off(&mut self, now: Time, id: ContenderId) {
        let contender = &mut self.contenders[id.index()];
        let backoff = contender.draw_backoff();
        contender.backoff += u64::from(backoff);
        self.contention.draw(id, now, backoff);
        self.contention.contend(id);
    }

    fn end_transmissions(&mut self, now: Time) {
        let mut ended = std::mem::take(&mut self.ended);
        self.channel.take_ended(now, &mut ended);
        for ppdu in &mut ended {
            self.channel.record_sent(ppdu);
            if self.recipients.are_used()
                && !ppdu.mpdus.is_empty()
                && let Some(to) = ppdu.frame.to
                && self.exchange(ppdu.initiator).content != Content::Packet
            {
                self.record_aggregate(ppdu.initiator, to);
            }
            self.add_noise(now, ppdu);
            if self.frame_reports != FrameReports::Nobody {
                self.overhear_ppdu(now, ppdu);
                self.record_of_category(ppdu.initiator, &ppdu.frame, ppdu.collided);
            }
        }
        if self.audience == Audience::Monitor {
            self.keep_monitored(now, &ended);
        }
        // Responses are decided before the NAV of the frames that they answer is set.
        for ppdu in &ended {
            self.receive(now, ppdu);
        }
        self.end_busy(now, &ended);
        self.fail_collided(now);
        for mut ppdu in ended.drain(..).filter(|ppdu| !ppdu.mpdus.is_empty()) {
            ppdu.mpdus.clear();
            self.spare.push(ppdu.mpdus);
        }
        self.ended = ended;
    }

    /// Ends the busy period of members that sensed the frames in `ended`, unless the medium is held for the next
    /// frame of the exchange, which is then put on the air.
    fn end_busy(&mut self, now: Time, ended: &[Ppdu<P>]) {
        let missed = &self.beacons.missed;
        let Some(initiator) = self.following.first().copied() else {
            return self.contention.end_busy(now, ended, missed);
        };
        let all_sense = self.contention.all_sense_all();
        if !self.contention.can_hold(ended, self.next_duration(initiator))
            || !(all_sense || self.all_sense_next(now, initiator))
        {
            return self.contention.end_busy(now, ended, missed);
        }
        self.contention.hold(now, ended[0].frame.from);
        if !all_sense {
            return self.contention.wait_for_next();
        }
        self.put_next(now, initiator);
    }

    /// Puts the next frame of the exchange of `initiator` on the air, for which the medium is held.
    fn put_next(&mut self, now: Time, initiator: ContenderId) {
        let next = self.next_frame(initiator);
        self.following.clear();
        self.contention.replace(&next);
        let ppdu = self.ppdu(now + self.airtime.timing.sifs, initiator, next);
        self.channel.put_ahead(ppdu);
    }

    /// True if all members sense the next frame of the exchange of `initiator`, which starts a SIFS from now.
    #[cold]
    fn all_sense_next(&self, now: Time, initiator: ContenderId) -> bool {
        let (from, tx) = self.next_sender(initiator);
        match &self.noise {
            Noise::Propagation(propagation) if self.contention.can_change() => {
                propagation.all_sense(now + self.airtime.timing.sifs, from, tx)
            }
            _ => self.contention.all_sense(from),
        }
    }

    #[inline]
    fn record_queue(&mut self, id: ContenderId) {
        self.record_length(id, self.contenders[id.index()].queue.len());
    }

    /// Records the queue length of the member of contender `id`, whose own queue has `length` packets.
    #[inline]
    fn record_length(&mut self, id: ContenderId, length: u32) {
        let node = id.member();
        let length = if self.roster.is_plain() { length } else { self.packets_of(node) };
        self.channel.records.push(Record::Queue { node, length });
    }

    fn record_drop(&mut self, id: ContenderId, cause: DropCause) {
        self.channel.records.push(Record::Dropped { node: id.member(), cause });
        self.record_category(id, CategoryEvent::Dropped);
    }

    /// Records that a scheme at `node`, which the owner of the cell runs, has dropped a packet of this category.
    pub fn record_scheme_drop(&mut self, node: NodeId, category: AccessCategory) {
        self.record_drop(self.roster.find(node, || category), DropCause::Scheme);
    }

    /// Handles packets that the queue of contender `id` has dropped in favour of others.
    #[inline]
    fn take_dropped(&mut self, id: ContenderId) {
        if self.contenders[id.index()].queue.has_dropped() {
            self.record_dropped(id);
        }
    }

    #[cold]
    fn record_dropped(&mut self, id: ContenderId) {
        while let Some((msdu, cause)) = self.contenders[id.index()].queue.poll_dropped() {
            self.record_drop(id, cause);
            self.departures.push(Departure { msdu, lost: true });
        }
    }
}
