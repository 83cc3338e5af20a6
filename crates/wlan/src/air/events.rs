//! Order of events on the air: frames that start, and frames that end.

use airfair_units::Time;

use super::access::{AccessState, Deadline, Exchange, FrameAhead, Unanswered};
use super::channel::Air;
use super::mac::Mac;
use super::noise::Noise;
use super::sequence::{Content, Sequence};
use crate::frame::{Frame, FrameKind, Mpdu, Ppdu, Rest};
use crate::moment::Phase;
use crate::node::NodeId;
use crate::record::CategoryEvent;
use crate::roster::ContenderId;

impl<P: Copy> Air<P> {
    /// Handles the event that [`next_event`](Self::next_event) has announced. A call at another moment has no effect.
    #[inline]
    pub(crate) fn handle_event<M: Mac<P>>(&mut self, mac: &mut M, now: Time, phase: Phase) {
        match phase {
            Phase::End => match self.frames.undisturbed {
                Some(frame) => self.end_undisturbed(mac, now, frame),
                None => self.end_transmissions(mac, now),
            },
            Phase::Timeout => {
                self.time_out(mac, now);
                if self.timer.is_some_and(|at| at <= now) {
                    mac.handle_timeout(self, now);
                }
            }
            Phase::Start => self.start_transmissions(mac, now),
        }
        self.plan_next(now);
    }

    // ------------------------------------------------------------------------------------------------- starts

    fn start_transmissions<M: Mac<P>>(&mut self, mac: &mut M, now: Time) {
        let is_shared = self.emissions.is_some();
        if is_shared {
            self.sense_pending(now);
        }
        let are_on_air = is_shared && self.is_starting;
        if !are_on_air && !self.put_on_air(mac, now) {
            return;
        }
        if is_shared && self.awaits_other_cells() {
            return;
        }
        self.begin_busy(mac, now);
    }

    /// Puts the frames that start now on the air. Returns false if that was an undisturbed exchange, in one go.
    #[expect(clippy::inline_always, reason = "few instructions for each frame")]
    #[inline(always)]
    fn put_on_air<M: Mac<P>>(&mut self, mac: &mut M, now: Time) -> bool {
        let mut winners = std::mem::take(&mut self.winners);
        // Winners come first, because a response that starts now would stop their countdowns.
        self.contention.take_winners(now, &mut winners);
        if self.spectrum.is_some() {
            self.heed_secondary(mac, now, &mut winners);
        }
        if winners.len() > 1 && !self.roster.is_plain() {
            self.collide_internally(now, &mut winners);
        }
        if let [winner] = winners[..]
            && self.stays_undisturbed(now, winner)
        {
            winners.clear();
            self.winners = winners;
            self.begin_undisturbed(mac, now, winner);
            return false;
        }
        while let Some(place) = self.following.iter().position(|next| next.at == now) {
            let FrameAhead { initiator, kind, .. } = self.following.swap_remove(place);
            if self.is_multi_user(initiator) {
                self.start_turn(mac, now, initiator);
                continue;
            }
            let frame = self.frame_of(initiator, self.sequence(initiator), kind);
            self.transmit(mac, now, initiator, frame);
        }
        if self.beacons.due == Some(now) {
            // Winners of the access point give way to its beacon.
            self.beacons.yielding.extend(winners.extract_if(.., |id| id.member().is_ap()));
            let beacon = self.begin_beacon(now);
            self.transmit(mac, now, ContenderId::first(NodeId::AP), beacon);
        }
        for id in winners.drain(..) {
            if let Some(reuse) = &mut self.reuse {
                reuse.begin_txop(id.member());
            }
            let sequence = self.begin_exchange(mac, now, id);
            if sequence.content == Content::MultiUser {
                self.start_turn(mac, now, id);
                continue;
            }
            let frame = self.frame_of(id, &sequence, sequence.first());
            self.transmit(mac, now, id, frame);
        }
        self.winners = winners;
        true
    }

    /// Lets all members that sense frames that start now find the medium busy.
    #[expect(clippy::inline_always, reason = "few instructions for each frame")]
    #[inline(always)]
    fn begin_busy<M: Mac<P>>(&mut self, mac: &mut M, now: Time) {
        self.contention.begin_busy(now);
        self.meet(now);
        self.back_off_forestalled(now);
        while let Some(id) = self.beacons.yielding.pop() {
            self.back_off(now, id);
        }
        self.give_way(mac, now);
    }

    /// Resolves internal collisions: of several winners of one member, the highest category transmits. All winners of
    /// the access point give way to a beacon instead.  [80211-2020 §10.23.2.4]
    #[inline(never)]
    fn collide_internally(&mut self, now: Time, winners: &mut Vec<ContenderId>) {
        let has_beacon = self.beacons.due == Some(now);
        for place in (1..winners.len()).rev() {
            let (lower, member) = (winners[place - 1], winners[place].member());
            if lower.member() == member && !(has_beacon && member.is_ap()) {
                self.yielding.push(winners.remove(place - 1));
            }
        }
    }

    /// Handles winners of the channel that have given way to another category of their member, as after a collision.
    /// Their frame was not on the air. They do not count down in the slot that begins now.
    #[inline]
    pub(super) fn give_way<M: Mac<P>>(&mut self, mac: &mut M, now: Time) {
        while let Some(id) = self.yielding.pop() {
            self.record_category(id, CategoryEvent::InternalCollision);
            mac.gave_way(self, now, id);
            self.contend_anew(mac, now, id);
        }
    }

    /// Begins the exchange of a contender that has just won the channel.
    #[expect(clippy::inline_always, reason = "the sequence stays where it is made")]
    #[inline(always)]
    pub(crate) fn begin_exchange<M: Mac<P>>(
        &mut self,
        mac: &mut M,
        now: Time,
        id: ContenderId,
    ) -> Sequence {
        let sequence = mac.begin(self, now, id);
        let exchange = Exchange { sequence, txop_start: now, own_end: Time::ZERO };
        self.accesses[id.index()].state = AccessState::Exchange(exchange);
        sequence
    }

    /// Puts a frame on the air that starts now.
    pub(crate) fn transmit<M: Mac<P>>(
        &mut self,
        mac: &mut M,
        now: Time,
        id: ContenderId,
        frame: Frame,
    ) {
        if self.contention.can_change() {
            self.set_row_of(now, &frame);
        }
        self.contention.announce(&frame);
        self.emit(now, (&frame, |air: &Self| air.sequence(id).tx.width()), std::iter::empty());
        let ppdu = self.ppdu(mac, now, id, frame);
        self.frames.put(ppdu);
        if self.spectrum.is_some() {
            self.disturb();
        }
    }

    /// PPDU of a frame of the exchange of contender `id`. The content counts as sent from now on.
    pub(crate) fn ppdu<M: Mac<P>>(
        &mut self,
        mac: &mut M,
        start: Time,
        id: ContenderId,
        frame: Frame,
    ) -> Ppdu<P> {
        mac.begin_frame(id, &frame);
        let (mut mpdus, mut rest) = (Vec::new(), None);
        match frame.kind {
            FrameKind::Data => {
                mpdus = self.spare_mpdus();
                let sequence = self.sequence(id);
                mac.send(id, sequence);
                rest = mac.fill(id, sequence, &mut mpdus);
            }
            FrameKind::BlockAck | FrameKind::BlockAckRequest => {
                let content = mac.block_ack(self, id, frame.kind);
                rest = content.map(|bitmap| Box::new(Rest::BlockAck(bitmap)));
            }
            _ => {}
        }
        Ppdu::new(start, (id, frame), (mpdus, rest))
    }

    /// Empty buffer for the MPDUs of a PPDU.
    pub(super) fn spare_mpdus(&mut self) -> Vec<Mpdu<P>> {
        self.spare.pop().unwrap_or_default()
    }

    /// Handles frames that have started: those that overlap at their receiver collide. An initiator that misses the
    /// start of its response waits for its time-out.
    fn meet(&mut self, now: Time) {
        if self.contention.is_undisturbed() {
            return;
        }
        if self.emissions.is_some() && self.interference.is_none() {
            self.collide_in_part(now);
        } else {
            self.frames.collide(|ppdu| self.contention.overlapped(&ppdu.frame));
        }
        for ppdu in self.frames.started(now) {
            if !self.contention.misses(&ppdu.frame) {
                continue;
            }
            ppdu.missed = true;
            let id = ppdu.initiator;
            if let AccessState::Exchange(exchange) = &self.accesses[id.index()].state {
                let timeout = exchange.own_end + self.response_timeout;
                let (failed, until) = (ppdu.frame.kind.answers(), Deadline::At(timeout));
                self.unanswered.push(Unanswered { initiator: id, failed, until });
                self.contention.hold_still(now, id, timeout);
            }
        }
    }

    // ------------------------------------------------------------------------------------------------- ends

    pub(super) fn end_transmissions<M: Mac<P>>(&mut self, mac: &mut M, now: Time) {
        let mut ended = std::mem::take(&mut self.ended);
        self.frames.take_ended(now, &mut ended);
        self.missed.clear();
        for ppdu in &mut ended {
            if self.emissions.is_some() {
                self.settle_hits(ppdu);
            }
            self.frames.record_sent(ppdu);
            mac.record_content(ppdu, &mut self.frames.records);
            self.add_noise(now, ppdu);
            if self.observers.listen {
                mac.overhear(self, now, ppdu);
            }
            if self.observers.categories && !ppdu.frame.kind.is_apart() {
                let is_data = ppdu.frame.kind == FrameKind::Data;
                let sent = CategoryEvent::Sent { is_data, collided: ppdu.collided };
                self.record_category(ppdu.initiator, sent);
            }
        }
        self.missed.sort_unstable();
        if self.observers.every_ppdu {
            mac.monitor(self, now, &ended);
        }
        // Responses are decided before the NAV of the frames that they answer is set.
        for ppdu in &ended {
            self.receive(mac, now, ppdu);
        }
        self.end_busy(mac, now, &ended);
        self.end_emissions(&ended);
        self.fail_collided(mac, now);
        for ppdu in &mut ended {
            if !ppdu.mpdus.is_empty() {
                ppdu.mpdus.clear();
                self.spare.push(std::mem::take(&mut ppdu.mpdus));
            }
            if ppdu.rest.is_some() {
                self.spare.extend(ppdu.take_users_mpdus());
            }
        }
        ended.clear();
        self.ended = ended;
    }

    /// Ends the busy period of members that sensed the frames in `ended`, unless the medium is held for the next
    /// frame of the exchange, which is then put on the air.
    fn end_busy<M: Mac<P>>(&mut self, mac: &mut M, now: Time, ended: &[Ppdu<P>]) {
        let missed = &self.missed;
        let ahead = self.following.first().filter(|ahead| !self.is_multi_user(ahead.initiator));
        let Some(ahead) = ahead.copied() else {
            return self.contention.end_busy(now, ended, missed);
        };
        let next = self.sequence(ahead.initiator).duration(ahead.kind, &self.airtime);
        let all_sense = self.contention.all_sense_all();
        if !self.contention.can_hold(ended, next) || !(all_sense || self.all_sense_next(ahead)) {
            return self.contention.end_busy(now, ended, missed);
        }
        self.contention.hold(now, ended[0].frame.from);
        if !all_sense {
            return self.contention.wait_for_next();
        }
        self.put_next(mac, ahead);
    }

    /// Puts the frame `ahead` on the air, for which the medium is held.
    pub(super) fn put_next<M: Mac<P>>(&mut self, mac: &mut M, ahead: FrameAhead) {
        let FrameAhead { initiator, kind, at } = ahead;
        let next = self.frame_of(initiator, self.sequence(initiator), kind);
        self.following.clear();
        self.contention.replace(&next);
        let ppdu = self.ppdu(mac, at, initiator, next);
        self.frames.put_ahead(ppdu);
    }

    /// True if all members sense the frame `ahead`.
    #[cold]
    fn all_sense_next(&self, ahead: FrameAhead) -> bool {
        let FrameAhead { initiator, kind, at } = ahead;
        let sequence = self.sequence(initiator);
        let (from, tx) = sequence.sender(kind, initiator.member(), &self.airtime);
        match &self.noise {
            Noise::Propagation(propagation) if self.contention.can_change() => {
                propagation.all_sense(at, from, tx)
            }
            _ => self.contention.all_sense(from),
        }
    }
}
