//! Exchanges, frame by frame: reception, the frame that follows, and the end of an exchange.  [80211-2020 §10.3.2,
//! §10.23]

use airfair_units::{Bytes, Time};

use super::access::{AccessState, Deadline, Exchange, FrameAhead, Unanswered};
use super::channel::Air;
use super::mac::Mac;
use super::overlap::Ends;
use super::sequence::Sequence;
use crate::block_ack::Bitmap;
use crate::config::AfterCollision;
use crate::frame::{Frame, FrameKind, Ppdu};
use crate::node::NodeId;
use crate::phy::TxVector;
use crate::record::Record;
use crate::roster::ContenderId;

impl<P: Copy> Air<P> {
    /// Frame of this kind of the sequence of contender `id`.
    #[expect(
        clippy::inline_always,
        reason = "callers need some of its fields, and the compiler drops the others"
    )]
    #[inline(always)]
    pub(crate) fn frame_of(&self, id: ContenderId, sequence: &Sequence, kind: FrameKind) -> Frame {
        let is_retrying = self.accesses[id.index()].is_retrying();
        sequence.frame(kind, id.member(), is_retrying, &self.airtime)
    }

    /// Draws the errors of a frame for its receiver, unless it has collided.
    pub(super) fn add_noise(&mut self, now: Time, ppdu: &mut Ppdu<P>) {
        let Frame { kind, from, tx, psdu, .. } = ppdu.frame;
        match kind {
            FrameKind::Beacon
            | FrameKind::CtsToOther
            | FrameKind::CfEnd
            | FrameKind::Trigger
            | FrameKind::MultiBlockAck
            | FrameKind::NdpAnnouncement => return self.add_noise_for_all(now, ppdu),
            // An NDP has no data.
            FrameKind::Ndp => return,
            _ => {}
        }
        if !ppdu.users().is_empty() {
            return self.add_noise_to_users(now, ppdu);
        }
        // Nobody answers a CTS-to-self, and its sender continues.
        let Some(to) = ppdu.frame.addressee() else { return };
        if !self.noise.is_on(from, to) || ppdu.collided {
            return;
        }
        if ppdu.errored {
            for _ in 0..ppdu.mpdus.len().max(1) {
                self.frames.records.push(Record::Errored { node: from });
            }
            return;
        }
        if !self.receives(to, from) {
            return;
        }
        if self.interference.is_some() {
            let (ends, time) = (Ends { from, to, leader: from }, (ppdu.start, now));
            ppdu.errored = self.add_interference(ends, (tx, psdu, &mut ppdu.mpdus), time);
            return;
        }
        let is_beyond = kind == FrameKind::Data && self.noise.is_beyond(from, to, tx);
        if ppdu.mpdus.is_empty() {
            ppdu.errored = self.errs(now, (from, to), (tx, psdu), is_beyond);
            return;
        }
        let mut errored = true;
        for mpdu in &mut ppdu.mpdus {
            mpdu.errored |= self.errs(now, (from, to), (tx, mpdu.size(tx)), is_beyond);
            errored &= mpdu.errored;
        }
        ppdu.errored = errored;
    }

    /// Draws and records the errors of a frame without MPDUs, or of one MPDU. One that `is_beyond` what gets through is
    /// errored in any case.
    #[expect(clippy::inline_always, reason = "few instructions for each frame")]
    #[inline(always)]
    pub(super) fn errs(
        &mut self,
        now: Time,
        (from, to): (NodeId, NodeId),
        (tx, psdu): (TxVector, Bytes),
        is_beyond: bool,
    ) -> bool {
        let errored = is_beyond || self.noise.errs(now, (from, to), tx, psdu);
        if errored {
            self.frames.records.push(Record::Errored { node: from });
        }
        errored
    }

    /// Draws the errors of a frame to all members, for each member that could decode it.
    #[cold]
    fn add_noise_for_all(&mut self, now: Time, ppdu: &mut Ppdu<P>) {
        let Frame { from, tx, psdu, .. } = ppdu.frame;
        for to in self.members().filter(|to| *to != from) {
            if !self.noise.is_on(from, to) || !self.contention.decodes(to, from) {
                continue;
            }
            let errored = if self.interference.is_some() {
                let ends = Ends { from, to, leader: from };
                self.errs_in_interference(now, ends, (tx, psdu), (ppdu.start, now))
            } else {
                self.noise.errs(now, (from, to), tx, psdu)
            };
            if errored {
                self.missed.push(to);
                ppdu.errored = true;
            }
        }
    }

    /// Handles a frame that has just left the air, and continues its exchange.
    pub(crate) fn receive<M: Mac<P>>(&mut self, mac: &mut M, now: Time, ppdu: &Ppdu<P>) {
        let Ppdu { frame, initiator, .. } = *ppdu;
        if let Some(id) = self.in_exchange(frame.from)
            && let AccessState::Exchange(exchange) = &mut self.accesses[id.index()].state
        {
            exchange.own_end = now;
        }
        if ppdu.missed {
            return;
        }
        if !frame.kind.is_apart() && self.is_multi_user(initiator) {
            return self.receive_turn(mac, now, ppdu);
        }
        let is_lost = ppdu.collided || ppdu.errored;
        let receiver = frame.to.filter(|to| !is_lost && self.receives(*to, frame.from));
        match (frame.kind, receiver) {
            (FrameKind::Beacon, _) => self.receive_by_all(mac, now, ppdu),
            (FrameKind::CtsToOther | FrameKind::CfEnd, _) => {}
            (FrameKind::Rts, Some(to)) if !self.contention.nav_is_clear(to, now) => {
                self.await_in_vain(now, ppdu);
            }
            // A CTS-to-self has no response: its sender continues, and does not know of a collision.
            (FrameKind::CtsToSelf, _) | (FrameKind::Rts | FrameKind::Cts, Some(_)) => {
                self.follow(now, initiator, frame.kind);
            }
            (FrameKind::Data | FrameKind::BlockAckRequest, Some(to)) => {
                mac.deliver(self, now, ppdu, to);
                self.follow(now, initiator, frame.kind);
            }
            (FrameKind::Ack | FrameKind::BlockAck, Some(_)) => {
                if self.succeed(mac, now, initiator, ppdu.block_ack()) {
                    let first = self.sequence(initiator).first();
                    self.follow_with(now, initiator, first);
                }
            }
            (FrameKind::Rts | FrameKind::Data | FrameKind::BlockAckRequest, None) => {
                self.await_in_vain(now, ppdu);
            }
            (FrameKind::Ack | FrameKind::BlockAck | FrameKind::Cts, None) => {
                self.fail(mac, now, initiator, frame.kind.answers());
            }
            (
                FrameKind::MultiUser
                | FrameKind::Trigger
                | FrameKind::TriggerBased
                | FrameKind::MultiBlockAck
                | FrameKind::NdpAnnouncement
                | FrameKind::Ndp
                | FrameKind::BeamformingReport,
                _,
            ) => unreachable!("turns of multi-user exchanges are received as such"),
        }
    }

    /// Handles a frame to all members that has just left the air, and ends the exchange of the contender that has won the
    /// channel for it. An access point's beacon belongs to no exchange.
    fn receive_by_all<M: Mac<P>>(&mut self, mac: &mut M, now: Time, ppdu: &Ppdu<P>) {
        if !matches!(self.accesses[ppdu.initiator.index()].state, AccessState::Exchange(_)) {
            return;
        }
        let from = ppdu.frame.from;
        for to in self.members().filter(|to| *to != from) {
            if self.contention.decodes(to, from) && !ppdu.is_errored_for(to, &self.missed) {
                mac.deliver(self, now, ppdu, to);
            }
        }
        self.succeed(mac, now, ppdu.initiator, None);
    }

    /// Schedules the frame that follows the one of kind `last` in the exchange of contender `id`, a SIFS later.
    pub(super) fn follow(&mut self, now: Time, id: ContenderId, last: FrameKind) {
        let next = self.sequence(id).next(last).expect("a frame that another one follows");
        self.follow_with(now, id, next);
    }

    /// Schedules the next frame of the exchange of contender `id`, a SIFS later.
    pub(super) fn follow_with(&mut self, now: Time, id: ContenderId, next: FrameKind) {
        let at = now + self.airtime.timing.sifs;
        self.following.push(FrameAhead { initiator: id, kind: next, at });
    }

    /// Handles a frame to which no response will come. Its sender learns this at the time-out, except under a model in
    /// which collisions are noticed at once.
    fn await_in_vain(&mut self, now: Time, ppdu: &Ppdu<P>) {
        let (id, kind) = (ppdu.initiator, ppdu.frame.kind);
        let at_once = ppdu.collided && self.after_collision != AfterCollision::Standard;
        let timeout = now + self.response_timeout;
        let until = if at_once { Deadline::Idle } else { Deadline::At(timeout) };
        self.unanswered.push(Unanswered { initiator: id, failed: kind, until });
        if !at_once {
            self.contention.hold_still(now, id, timeout);
        }
    }

    /// Handles the response time-outs that are due.
    pub(crate) fn time_out<M: Mac<P>>(&mut self, mac: &mut M, now: Time) {
        self.fail_where(mac, now, |_, _, until| until == Deadline::At(now));
    }

    /// Fails collided exchanges under Bianchi's model, as soon as the medium of the sender is idle.
    pub(super) fn fail_collided<M: Mac<P>>(&mut self, mac: &mut M, now: Time) {
        if self.after_collision != AfterCollision::Standard {
            self.fail_where(mac, now, |air, id, until| {
                until == Deadline::Idle && air.contention.is_idle(id.member())
            });
        }
    }

    fn fail_where<M: Mac<P>>(
        &mut self,
        mac: &mut M,
        now: Time,
        knows: impl Fn(&Self, ContenderId, Deadline) -> bool,
    ) {
        let due =
            |air: &Self| air.unanswered.iter().position(|it| knows(air, it.initiator, it.until));
        while let Some(place) = due(self) {
            let Unanswered { initiator, failed, .. } = self.unanswered.swap_remove(place);
            if self.is_multi_user(initiator) {
                self.time_out_turn(mac, now, initiator);
            } else {
                self.fail(mac, now, initiator, failed);
            }
        }
    }

    /// Ends the sequence of contender `id` successfully. Returns true if its TXOP continues with another one a SIFS
    /// later.
    pub(super) fn succeed<M: Mac<P>>(
        &mut self,
        mac: &mut M,
        now: Time,
        id: ContenderId,
        block_ack: Option<&Bitmap>,
    ) -> bool {
        if let Some(sequence) = mac.answered(self, now, id, block_ack) {
            let exchange = self.accesses[id.index()].exchange_mut();
            let txop_start = exchange.txop_start;
            *exchange = Exchange { sequence, txop_start, own_end: Time::ZERO };
            return true;
        }
        let access = &mut self.accesses[id.index()];
        let has_next = mac.has_content(id);
        let backoff = if has_next || self.post_backoff { access.draw_backoff() } else { 0 };
        access.backoff = u64::from(backoff);
        self.contention.draw(id, now, backoff);
        self.go_on(id, has_next);
        false
    }

    /// Handles the missing response to the frame `failed` of contender `id`.
    pub(super) fn fail<M: Mac<P>>(
        &mut self,
        mac: &mut M,
        now: Time,
        id: ContenderId,
        failed: FrameKind,
    ) {
        mac.unanswered(self, now, id, failed);
        self.accesses[id.index()].backoff = 0;
        self.contend_anew(mac, now, id);
    }

    /// Draws a new back-off for contender `id` after a failure. The contender then contends, or becomes idle if it has
    /// nothing to send.
    pub(super) fn contend_anew<M: Mac<P>>(&mut self, mac: &mut M, now: Time, id: ContenderId) {
        self.draw(now, id);
        self.go_on(id, mac.has_content(id));
    }

    /// Lets contender `id` contend for its next packet with the back-off already drawn, or become idle.
    #[inline]
    fn go_on(&mut self, id: ContenderId, has_content: bool) {
        if has_content {
            self.accesses[id.index()].state = AccessState::Contending;
            self.contention.contend(id);
        } else {
            self.accesses[id.index()].state = AccessState::Idle;
        }
    }
}
