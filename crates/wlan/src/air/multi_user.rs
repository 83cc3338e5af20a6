//! Multi-user exchanges: turns of an access point and of several stations, a SIFS apart.  [80211ax-2021 §26.4.4, §26.5]
//!
//! ```text
//!   down, acknowledged one by one       data ─ answer 0 ─ request 1 ─ answer 1 ─ …
//!   down, acknowledged together         data ─ trigger ─ answers
//!   down, with triggers in the data     data ─ answers
//!   up                                  trigger ─ data ─ block ack for all
//!   poll                                trigger ─ reports
//!   sounding                            announcement ─ NDP ─ trigger ─ feedback
//! ```
//!
//! A trigger for data may offer resource units to all stations. Those that access them at random take part from the end
//! of the trigger on. Stations in the same unit collide, and do not disturb the others.  [80211ax-2021 §26.5.4]
//!
//! A turn is one [`Ppdu`] with a part for each user: the receivers of the access point's PPDU, or the transmitters of
//! PPDUs that start together on purpose. Carrier sense takes a turn as one frame, so its PPDUs do not collide with each
//! other. If an answer is missing, the access point goes on with its next own turn at the response time-out.

use airfair_units::{Bytes, Dbm, Decibels, Duration, Time};

use super::access::{Deadline, FrameAhead, Unanswered};
use super::channel::Air;
use super::mac::Mac;
use super::noise::Noise;
use super::overlap::Ends;
use super::turns::{MultiUserExchange, Turn, TurnKind};
use crate::frame::{Frame, FrameKind, Ppdu, RandomUnits, Rest, Trigger, User};
use crate::node::NodeId;
use crate::record::Record;
use crate::roster::ContenderId;
use crate::sizes::{self, TriggerVariant};

impl<P: Copy> Air<P> {
    /// True if contender `id` is in a multi-user exchange.
    #[inline]
    pub(crate) fn is_multi_user(&self, id: ContenderId) -> bool {
        self.multi_user.as_ref().is_some_and(|it| it.initiator == Some(id))
    }

    /// Starts the turn of a multi-user exchange of contender `id` that is due.
    #[cold]
    pub(super) fn start_turn<M: Mac<P>>(&mut self, mac: &mut M, now: Time, id: ContenderId) {
        let mut exchange = self.multi_user.take().expect("a multi-user exchange in progress");
        let turn = exchange.turn();
        exchange.has_sent |= turn.kind == TurnKind::Data;
        let mut users = self.parts_of_turn(mac, id, &exchange);
        if turn.kind == TurnKind::MultiBlockAck {
            // Which stations need a bitmap is known only now.
            let entries = users.iter().map(|user| user.psdu);
            let psdu = sizes::multi_sta_block_ack([]) + entries.sum();
            let turn = &mut exchange.turns[exchange.at];
            (turn.psdu, turn.duration) = (psdu, self.airtime.frame(psdu, turn.tx));
        }
        let frame = exchange.header(id.member(), &self.airtime);
        mac.begin_frame(id, &frame);
        self.announce_parts(now, &exchange, &frame, &mut users);
        let rest = match turn.kind {
            TurnKind::CtsToSelf => None,
            TurnKind::Request(_) | TurnKind::Answer(_) => {
                users.pop().and_then(|user| user.block_ack).map(Rest::BlockAck)
            }
            _ => Some(Rest::Users(users, self.trigger_of(&exchange))),
        };
        self.frames.put(Ppdu::new(now, (id, frame), (Vec::new(), rest.map(Box::new))));
        self.disturb();
        self.multi_user = Some(exchange);
    }

    /// Trigger in the turn of a multi-user exchange that is due, with the target power of the cell.
    fn trigger_of(&self, exchange: &MultiUserExchange) -> Option<Trigger> {
        let trigger = exchange.trigger()?;
        let (Some(target), Noise::Propagation(propagation)) = (&self.target, &self.noise) else {
            return Some(trigger);
        };
        let power = Some(target.announced(propagation.transmit_power()));
        Some(Trigger { power: power.filter(|_| trigger.variant != TriggerVariant::Rts), ..trigger })
    }

    /// Parts of the turn that is due in a multi-user exchange of contender `id`.
    fn parts_of_turn<M: Mac<P>>(
        &mut self,
        mac: &mut M,
        id: ContenderId,
        exchange: &MultiUserExchange,
    ) -> Vec<User<P>> {
        let turn = exchange.turn();
        let is_up = matches!(turn.kind, TurnKind::Uplink | TurnKind::MultiBlockAck);
        let has_data = matches!(turn.kind, TurnKind::Data | TurnKind::Uplink);
        let mut users = Vec::with_capacity(exchange.participants.len());
        for participant in exchange.concerned() {
            let spare = if has_data { self.spare_mpdus() } else { Vec::new() };
            let user = mac.part(self, id, (turn.kind, participant), spare);
            let category = self.roster.category(if is_up { participant.contender } else { id });
            let (place, answer) = (participant.place, participant.answer.0);
            let is_random = participant.is_random && turn.kind == TurnKind::Uplink;
            let user = User { place, category, answer, is_random, ..user };
            users.push(match turn.kind {
                TurnKind::Clears => User { tx: turn.tx, psdu: turn.psdu, ..user },
                _ => user,
            });
        }
        users
    }

    /// Lets members sense a turn from its start on, and marks its parts that the access point will not receive.
    fn announce_parts(
        &mut self,
        now: Time,
        exchange: &MultiUserExchange,
        frame: &Frame,
        users: &mut [User<P>],
    ) {
        let Some(ap) = frame.to.filter(|_| !exchange.turn().kind.is_down()) else {
            self.set_row_of(now, frame);
            self.emit(now, (frame, |_: &Self| exchange.width()), std::iter::empty());
            return self.contention.announce(frame);
        };
        for from in exchange.senders() {
            self.set_row_of(now, &Frame { from, ..*frame });
        }
        for user in users.iter_mut() {
            user.is_out_of_reach = !self.contention.will_reach(ap, user.station, user.tx);
        }
        self.collide_in_units(users);
        self.emit(now, (frame, |_: &Self| exchange.width()), exchange.senders().skip(1));
        self.contention.announce_turn(frame, exchange.senders().skip(1));
    }

    /// Marks the parts in resource units that other stations have chosen as well, and that reach the access point.
    /// Deviates: [D-235]
    fn collide_in_units(&mut self, users: &mut [User<P>]) {
        for at in 0..users.len() {
            let User { station, place, is_random, .. } = users[at];
            let overlaps =
                |it: &User<P>| it.station != station && it.place == place && !it.is_out_of_reach;
            users[at].collided = is_random && users.iter().any(overlaps);
        }
        if users.iter().any(|user| user.collided) {
            self.frames.records.push(Record::Collision);
        }
    }

    /// Sets the audibility of a frame that is about to start, in a cell with a radio.
    #[inline]
    pub(super) fn set_row_of(&mut self, now: Time, frame: &Frame) {
        if let Noise::Propagation(propagation) = &mut self.noise
            && self.contention.can_change()
        {
            let power = propagation.transmit_power();
            let by_reuse = self.reuse.as_mut().map(|it| it.reduce(now, frame, power));
            let by_target = self.target.as_mut().map(|it| it.reduce(now, frame, propagation));
            let reduction = by_reuse.max(by_target).unwrap_or_default();
            if reduction > Decibels::ZERO || self.contention.detects_energy() {
                let powers = propagation.powers(now, frame.from).map(|power| power - reduction);
                let powers: Vec<Dbm> = powers.collect();
                let mut row: Vec<_> = propagation.audibility_at(frame.tx, &powers).collect();
                self.contention.miss_preambles(&mut row, &powers);
                self.contention.set_row(frame, &row);
                return self.contention.set_powers(frame.from, powers.into_iter());
            }
            self.contention.set_row(frame, propagation.audibility(now, frame.from, frame.tx));
            if self.contention.needs_powers() {
                self.contention.set_powers(frame.from, propagation.powers(now, frame.from));
            }
        }
    }

    /// Decibels by which a frame of `from` in its own TXOP would have less power than usual, if it started now.
    pub(crate) fn next_reduction(&self, from: NodeId) -> Decibels {
        match (&self.reuse, &self.noise) {
            (Some(reuse), Noise::Propagation(it)) => reuse.limit(from, it.transmit_power(), false),
            _ => Decibels::ZERO,
        }
    }

    /// Draws the errors of the parts of a PPDU, each for its receiver.
    #[cold]
    pub(super) fn add_noise_to_users(&mut self, now: Time, ppdu: &mut Ppdu<P>) {
        let (leader, ap, is_down) = ends_of(ppdu);
        let start = ppdu.start;
        for user in ppdu.users_mut() {
            let (from, to) = if is_down { (ap, user.station) } else { (user.station, ap) };
            let is_decoded = self.decodes_part(to, leader, user);
            if !self.noise.is_on(from, to) || !is_decoded {
                continue;
            }
            if self.interference.is_some() || self.target.is_some() {
                let (ends, time) = (Ends { from, to, leader }, (start, now));
                let content = (user.tx, user.psdu, &mut user.mpdus[..]);
                user.errored = self.add_interference(ends, content, time);
                continue;
            }
            let is_data = user.kind == FrameKind::Data;
            let is_beyond = is_data && self.noise.is_beyond(from, to, user.tx);
            if user.mpdus.is_empty() {
                user.errored = self.errs(now, (from, to), (user.tx, user.psdu), is_beyond);
                continue;
            }
            user.errored = true;
            for mpdu in &mut user.mpdus {
                let part = (user.tx, mpdu.size(user.tx));
                mpdu.errored |= self.errs(now, (from, to), part, is_beyond);
                user.errored &= mpdu.errored;
            }
        }
    }

    /// True if member `to`, which is synchronised to `leader`, decodes a part of the turn that leaves the air, unless
    /// noise destroys it. What the access point senses of a turn is not what it decodes of each station.
    fn decodes_part(&self, to: NodeId, leader: NodeId, user: &User<P>) -> bool {
        self.receives(to, leader) && !user.is_out_of_reach && !user.collided
    }

    /// Handles the turn of a multi-user exchange that has just left the air, and continues the exchange.
    #[cold]
    pub(super) fn receive_turn<M: Mac<P>>(&mut self, mac: &mut M, now: Time, ppdu: &Ppdu<P>) {
        let id = ppdu.initiator;
        let mut exchange = self.multi_user.take().expect("a multi-user exchange in progress");
        let kind = exchange.turn().kind;
        match kind {
            TurnKind::Answer(place) => self.hear_answer(&mut exchange, place, ppdu),
            TurnKind::Request(place) => {
                let to = exchange.participants[place].station();
                let hears =
                    !ppdu.collided && !ppdu.errored && self.contention.decodes(to, ppdu.frame.from);
                exchange.participants[place].hears = hears;
            }
            TurnKind::CtsToSelf => {}
            TurnKind::Announcement | TurnKind::Sounding => self.hear_sounding(&mut exchange, ppdu),
            TurnKind::Data => self.deliver_down(mac, now, &mut exchange, ppdu),
            TurnKind::Trigger | TurnKind::Call => self.hear_trigger(mac, now, &mut exchange, ppdu),
            TurnKind::Clears
            | TurnKind::Answers
            | TurnKind::Uplink
            | TurnKind::Reports
            | TurnKind::Feedback => {
                self.hear_together(mac, now, &mut exchange, ppdu);
            }
            TurnKind::MultiBlockAck => self.hear_block_acks(mac, now, &mut exchange, ppdu),
        }
        let goes_on = exchange.goes_on();
        let has_next = exchange.at + 1 < exchange.turns.len();
        if goes_on {
            exchange.at += 1;
            if kind == TurnKind::Clears {
                exchange.participants.iter_mut().for_each(|it| it.is_answered = false);
            }
        }
        self.multi_user = Some(exchange);
        if goes_on {
            self.follow_with(now, id, kind.frame());
        } else if kind.is_down() && has_next {
            self.await_turn_in_vain(now, id, ppdu);
        } else {
            self.go_on_without(mac, now, id);
        }
    }

    /// Waits for the response time-out, since no participant answers the turn that has ended.
    fn await_turn_in_vain(&mut self, now: Time, id: ContenderId, ppdu: &Ppdu<P>) {
        let timeout = now + self.response_timeout;
        let (failed, until) = (ppdu.frame.kind, Deadline::At(timeout));
        self.unanswered.push(Unanswered { initiator: id, failed, until });
        self.contention.hold_still(now, id, timeout);
    }

    /// Handles the response time-out of a multi-user exchange, after which its TXOP ends with it.
    #[cold]
    pub(super) fn time_out_turn<M: Mac<P>>(&mut self, mac: &mut M, now: Time, id: ContenderId) {
        if let Some(exchange) = &mut self.multi_user {
            exchange.has_timed_out = true;
        }
        self.go_on_without(mac, now, id);
    }

    /// Continues a multi-user exchange with the next request after an answer that is missing, or ends it. The medium
    /// must be idle, nobody may owe a response, and somebody must have answered: without a response to its first
    /// frame the access point has not obtained the TXOP.  [80211-2020 §10.23.2.2]
    fn go_on_without<M: Mac<P>>(&mut self, mac: &mut M, now: Time, id: ContenderId) {
        let is_idle = self.contention.is_idle(id.member()) && self.following.is_empty();
        let exchange = self.multi_user.as_mut().expect("a multi-user exchange in progress");
        let may_go_on = is_idle && exchange.participants.iter().any(|it| it.is_answered);
        let ahead = exchange.turns.iter().enumerate().skip(exchange.at + 1);
        let request = ahead.map(|(at, turn)| (at, turn.kind)).find(|(_, kind)| kind.is_down());
        if let (true, Some((at, kind @ TurnKind::Request(_)))) = (may_go_on, request) {
            exchange.at = at;
            self.following.push(FrameAhead { initiator: id, kind: kind.frame(), at: now });
            return;
        }
        self.finish_multi_user(mac, now, id);
    }

    /// Ends a multi-user exchange, which has failed if no participant has answered.
    fn finish_multi_user<M: Mac<P>>(&mut self, mac: &mut M, now: Time, id: ContenderId) {
        let mut exchange = self.multi_user.take().expect("a multi-user exchange in progress");
        for participant in &mut exchange.participants {
            if std::mem::take(&mut participant.waits) {
                mac.settle_triggered(self, now, participant, None);
            }
        }
        let is_answered = exchange.participants.iter().any(|it| it.is_answered);
        exchange.end();
        self.multi_user = Some(exchange);
        if !is_answered {
            return self.fail(mac, now, id, FrameKind::MultiUser);
        }
        if self.succeed(mac, now, id, None) {
            let first = self.sequence(id).first();
            self.follow_with(now, id, first);
        }
    }

    // ------------------------------------------------------------------------------------------------- reception

    /// Delivers data of the access point to the participants that have decoded it. They answer, if an MPDU has no error.
    fn deliver_down<M: Mac<P>>(
        &mut self,
        mac: &mut M,
        now: Time,
        exchange: &mut MultiUserExchange,
        ppdu: &Ppdu<P>,
    ) {
        let (leader, ..) = ends_of(ppdu);
        for (participant, user) in exchange.participants.iter_mut().zip(ppdu.users()) {
            let is_decoded = self.decodes_part(user.station, leader, user);
            participant.hears = is_decoded && !user.errored;
            if participant.hears {
                mac.deliver_part(self, now, ppdu.initiator, user);
            }
        }
    }

    /// Notes which participants have decoded the announcement of an NDP, and then, which have received the NDP as well.
    fn hear_sounding(&self, exchange: &mut MultiUserExchange, ppdu: &Ppdu<P>) {
        let kind = exchange.turn().kind;
        for participant in &mut exchange.participants {
            let expects = kind == TurnKind::Announcement || participant.hears;
            participant.hears = expects && self.decodes_for_all(participant.station(), ppdu);
        }
    }

    /// Lets the stations that have decoded a trigger frame prepare their answers.
    fn hear_trigger<M: Mac<P>>(
        &mut self,
        mac: &mut M,
        now: Time,
        exchange: &mut MultiUserExchange,
        ppdu: &Ppdu<P>,
    ) {
        let Some(Turn { kind: asked, duration, .. }) = exchange.turns.get(exchange.at + 1).copied()
        else {
            return;
        };
        for participant in &mut exchange.participants {
            let station = participant.station();
            // To an MU-BAR, a station answers even if it has not decoded the data.
            let is_clear = self.may_answer(now, station, asked);
            let has_measured = asked != TurnKind::Feedback || participant.hears;
            participant.hears = self.decodes_for_all(station, ppdu)
                && is_clear
                && has_measured
                && self.in_exchange(station).is_none();
            if participant.hears {
                mac.triggered(self, now, (asked, duration), participant);
            }
        }
        if let Some(units) = exchange.random {
            self.hear_random_units(mac, now, exchange, (ppdu, units, duration));
        }
    }

    /// Lets the stations that a trigger does not name access its random units, for a PPDU of this duration.
    fn hear_random_units<M: Mac<P>>(
        &mut self,
        mac: &mut M,
        now: Time,
        exchange: &mut MultiUserExchange,
        (ppdu, units, duration): (&Ppdu<P>, RandomUnits, Duration),
    ) {
        let mut senders = Vec::new();
        for station in self.members().filter(|it| !it.is_ap()) {
            let is_named = exchange.participants.iter().any(|it| it.station() == station);
            let hears = !is_named
                && self.decodes_for_all(station, ppdu)
                && self.may_answer(now, station, TurnKind::Uplink)
                && self.in_exchange(station).is_none();
            if hears {
                senders.extend(mac.access_at_random(self, now, (units, duration), station));
            }
        }
        exchange.add_random(senders);
    }

    /// True if a station decodes a frame of the access point to several stations that leaves the air.
    fn decodes_for_all(&self, station: NodeId, ppdu: &Ppdu<P>) -> bool {
        self.contention.decodes(station, ppdu.frame.from)
            && !ppdu.is_errored_for(station, &self.missed)
    }

    /// Handles the `BlockAck` of one participant.
    fn hear_answer(&mut self, exchange: &mut MultiUserExchange, place: usize, ppdu: &Ppdu<P>) {
        let (from, ap) = (ppdu.frame.from, ppdu.initiator.member());
        let is_decoded = !ppdu.collided && !ppdu.errored && self.contention.decodes(ap, from);
        if is_decoded {
            exchange.participants[place].is_answered = true;
            exchange.block_acks[place] = ppdu.block_ack().cloned();
        }
    }

    /// Handles PPDUs that participants have sent together.
    fn hear_together<M: Mac<P>>(
        &mut self,
        mac: &mut M,
        now: Time,
        exchange: &mut MultiUserExchange,
        ppdu: &Ppdu<P>,
    ) {
        let (leader, ap, _) = ends_of(ppdu);
        let senders = exchange.participants.iter_mut().zip(&mut exchange.block_acks);
        let senders = senders.filter(|(participant, _)| participant.hears);
        for ((participant, block_ack), user) in senders.zip(ppdu.users()) {
            let is_decoded = !ppdu.missed && self.decodes_part(ap, leader, user);
            participant.is_answered = is_decoded && !user.errored;
            let come = user.mpdus.iter().filter(|mpdu| !mpdu.errored).count() as u64;
            participant.is_whole = come == user.mpdus.len() as u64;
            if participant.is_answered {
                block_ack.clone_from(&user.block_ack);
                let octets = participant.data.1.get() * come / (user.mpdus.len() as u64).max(1);
                participant.data.1 = Bytes::new(octets);
                mac.deliver_part(self, now, participant.contender, user);
            }
        }
    }

    /// Handles the `BlockAck` of the access point for several stations.
    fn hear_block_acks<M: Mac<P>>(
        &mut self,
        mac: &mut M,
        now: Time,
        exchange: &mut MultiUserExchange,
        ppdu: &Ppdu<P>,
    ) {
        let known = exchange.participants.iter_mut().filter(|it| it.is_known());
        for (participant, user) in known.zip(ppdu.users()) {
            let is_decoded = self.decodes_for_all(participant.station(), ppdu);
            if is_decoded && std::mem::take(&mut participant.waits) {
                mac.settle_triggered(self, now, participant, user.block_ack.as_ref());
            }
        }
    }
}

/// Transmitter to which listeners of a turn are synchronised, access point, and true if the access point sends.
fn ends_of<P>(ppdu: &Ppdu<P>) -> (NodeId, NodeId, bool) {
    let ap = ppdu.initiator.member();
    (ppdu.frame.from, ap, ppdu.frame.from == ap)
}
