//! Multi-user exchanges: turns of an access point and of several stations, a SIFS apart.  [80211ax-2021 §26.4.4, §26.5]
//!
//! ```text
//!   down, acknowledged one by one       data ─ answer 0 ─ request 1 ─ answer 1 ─ …
//!   down, acknowledged together         data ─ trigger ─ answers
//!   down, with triggers in the data     data ─ answers
//!   up                                  trigger ─ data ─ block ack for all
//!   poll                                trigger ─ reports
//! ```
//!
//! A turn is one [`Ppdu`] with a part for each user: the receivers of the access point's PPDU, or the transmitters of
//! PPDUs that start together on purpose. Carrier sense takes a turn as one frame, so its PPDUs do not collide with each
//! other. If an answer is missing, the access point goes on with its next own turn at the response time-out.

use airfair_units::{Bytes, Duration, Time};

use super::access::{Deadline, FrameAhead, Unanswered};
use super::channel::Air;
use super::mac::Mac;
use super::noise::Noise;
use crate::airtime::Airtime;
use crate::block_ack::Bitmap;
use crate::frame::{Frame, FrameKind, Ppdu, Rest, Trigger, TriggerVariant, User};
use crate::node::NodeId;
use crate::phy::TxVector;
use crate::roster::ContenderId;
use crate::sizes;

/// Kind of a turn, with the place of the participant that it concerns alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TurnKind {
    /// Data of the access point for all participants.
    Data,
    /// `BlockAckReq` to one participant.
    Request(usize),
    /// `BlockAck` of one participant.
    Answer(usize),
    /// Trigger frame to all participants.
    Trigger,
    /// `BlockAck`s of participants, together.
    Answers,
    /// Data of participants, together.
    Uplink,
    /// Buffer reports of participants, together.
    Reports,
    /// `BlockAck` of the access point for all participants.
    MultiBlockAck,
}

impl TurnKind {
    /// Kind of the turn's frame.
    pub(crate) fn frame(self) -> FrameKind {
        match self {
            Self::Data => FrameKind::MultiUser,
            Self::Request(_) => FrameKind::BlockAckRequest,
            Self::Answer(_) => FrameKind::BlockAck,
            Self::Trigger => FrameKind::Trigger,
            Self::Answers | Self::Uplink | Self::Reports => FrameKind::TriggerBased,
            Self::MultiBlockAck => FrameKind::MultiBlockAck,
        }
    }

    /// True if the access point sends the turn.
    fn is_down(self) -> bool {
        matches!(self, Self::Data | Self::Request(_) | Self::Trigger | Self::MultiBlockAck)
    }
}

/// One turn of a multi-user exchange.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Turn {
    pub(crate) kind: TurnKind,
    /// Vector of the PPDU; of the first part if its parts differ.
    pub(crate) tx: TxVector,
    /// Size of the PSDU; the sum over all parts if it has parts.
    pub(crate) psdu: Bytes,
    pub(crate) duration: Duration,
}

/// Station that takes part in a multi-user exchange.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Participant {
    /// Contender of the station whose packets it sends if it is triggered.
    pub(crate) contender: ContenderId,
    /// Vector and size of its part of the data, in either direction.
    pub(crate) data: (TxVector, Bytes),
    /// Vector and size of its `BlockAck`, or of that of the access point for it.
    pub(crate) answer: (TxVector, Bytes),
    /// Place of its resource unit among the equal units of the width.
    pub(crate) place: u16,
    /// True if the station has decoded the last turn of the access point and answers it.
    pub(crate) hears: bool,
    /// True if the access point has decoded the station's answer.
    pub(crate) is_answered: bool,
    /// True if the station has sent data and does not know its fate.
    pub(crate) waits: bool,
    /// True if the access point has decoded all MPDUs of the station's data.
    pub(crate) is_whole: bool,
}

impl Participant {
    /// Participant with the vectors and sizes of its data and of its answer.
    pub(crate) fn new(contender: ContenderId, data: TxVector, answer: (TxVector, Bytes)) -> Self {
        let (hears, is_answered, waits, is_whole) = (false, false, false, false);
        let data = (data, Bytes::ZERO);
        Self { contender, data, answer, place: 0, hears, is_answered, waits, is_whole }
    }

    /// Station.
    pub(crate) fn station(&self) -> NodeId {
        self.contender.member()
    }
}

/// Multi-user exchange of an access point. It is kept between exchanges so that its memory is reused.
#[derive(Clone, Debug, Default)]
pub(crate) struct MultiUserExchange {
    /// Contender of the access point that has begun the exchange; `None` between exchanges.
    initiator: Option<ContenderId>,
    pub(crate) turns: Vec<Turn>,
    /// Place of the turn that is on the air, or due.
    at: usize,
    pub(crate) participants: Vec<Participant>,
    /// `BlockAck` of each participant, as the access point has decoded it.
    pub(crate) block_acks: Vec<Option<Bitmap>>,
}

impl MultiUserExchange {
    /// Begins an exchange of contender `id`, which is to be filled.
    pub(crate) fn begin(&mut self, id: ContenderId) {
        (self.initiator, self.at) = (Some(id), 0);
        self.turns.clear();
        self.participants.clear();
        self.block_acks.clear();
    }

    /// Ends the exchange, or gives up a plan.
    pub(crate) fn end(&mut self) {
        self.initiator = None;
    }

    /// Adds a participant, which gets the next resource unit.
    pub(crate) fn add(&mut self, participant: Participant) {
        let place = u16::try_from(self.participants.len()).expect("at most 148 units");
        self.participants.push(Participant { place, ..participant });
        self.block_acks.push(None);
    }

    /// Turn that is on the air, or due.
    fn turn(&self) -> Turn {
        self.turns[self.at]
    }

    /// Time from the end of the current turn to the end of the exchange.
    pub(crate) fn rest(&self, airtime: &Airtime) -> Duration {
        let rest = self.turns[self.at + 1..].iter();
        rest.map(|turn| airtime.timing.sifs + turn.duration).sum()
    }

    /// Time from the start of the exchange to its end.
    pub(crate) fn length(&self, airtime: &Airtime) -> Duration {
        self.turns[0].duration + self.rest(airtime)
    }

    /// Stations that send the current turn if it is not the access point's.
    fn senders(&self) -> impl Iterator<Item = NodeId> {
        let alone = match self.turn().kind {
            TurnKind::Answer(place) => Some(place),
            _ => None,
        };
        let all = self.participants.iter().enumerate();
        let sends = move |(place, it): &(usize, &Participant)| match alone {
            Some(alone) => *place == alone,
            None => it.hears,
        };
        all.filter(sends).map(|(_, it)| it.station())
    }

    /// Trigger in the current turn, with the next turn as its answer.
    fn trigger(&self) -> Option<Trigger> {
        let next = self.turns.get(self.at + 1);
        let variant = match (self.turn().kind, next.map(|turn| turn.kind)) {
            (TurnKind::Trigger, Some(TurnKind::Reports)) => TriggerVariant::BufferReports,
            (TurnKind::Trigger | TurnKind::Data, Some(TurnKind::Answers)) => {
                TriggerVariant::BlockAcks
            }
            (TurnKind::Trigger, _) => TriggerVariant::Basic,
            _ => return None,
        };
        Some(Trigger { variant, duration: next.map_or(Duration::ZERO, |turn| turn.duration) })
    }

    /// Header of the current turn.
    fn header(&self, ap: NodeId, airtime: &Airtime) -> Frame {
        let Turn { kind, tx, psdu, duration } = self.turn();
        let to = match kind {
            TurnKind::Data | TurnKind::Trigger | TurnKind::MultiBlockAck => None,
            TurnKind::Request(place) => Some(self.participants[place].station()),
            _ => Some(ap),
        };
        let from = if kind.is_down() { ap } else { self.senders().next().unwrap_or(ap) };
        let duration_field = self.rest(airtime);
        let kind = kind.frame();
        Frame { kind, from, to, tx, psdu, duration, duration_field, retry: false }
    }

    /// True if a participant is to answer the current turn, and hears it.
    fn is_answered_next(&self) -> bool {
        match self.turns.get(self.at + 1).map(|turn| turn.kind) {
            Some(TurnKind::Answer(place)) => self.participants[place].hears,
            Some(TurnKind::MultiBlockAck) => {
                self.participants.iter().any(|it| it.is_answered && it.waits)
            }
            Some(next) => next.is_down() || self.participants.iter().any(|it| it.hears),
            None => false,
        }
    }
}

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
        let place = match turn.kind {
            TurnKind::Request(place) | TurnKind::Answer(place) => Some(place),
            _ => None,
        };
        let is_in = |at: usize, it: &Participant| match place {
            Some(place) => at == place,
            None => turn.kind.is_down() || it.hears,
        };
        let mut users = Vec::with_capacity(exchange.participants.len());
        for (at, participant) in exchange.participants.iter().enumerate() {
            if is_in(at, participant) {
                let spare = self.spare_mpdus();
                let user = mac.part(self, id, (turn.kind, participant), spare);
                let is_up = matches!(turn.kind, TurnKind::Uplink | TurnKind::MultiBlockAck);
                let category = self.roster.category(if is_up { participant.contender } else { id });
                let (place, answer) = (participant.place, participant.answer.0);
                users.push(User { place, category, answer, ..user });
            }
        }
        if turn.kind == TurnKind::MultiBlockAck {
            // Which stations need a bitmap is known only now.
            let entries = users.iter().map(|user| user.psdu);
            let psdu = sizes::multi_station_block_ack(entries);
            let turn = &mut exchange.turns[exchange.at];
            (turn.psdu, turn.duration) = (psdu, self.airtime.frame(psdu, turn.tx));
        }
        let frame = exchange.header(id.member(), &self.airtime);
        mac.begin_frame(id, &frame);
        let mut senders = exchange.senders();
        let leader = senders.next().filter(|_| !turn.kind.is_down());
        for from in leader.into_iter().chain(senders.filter(|_| !turn.kind.is_down())) {
            self.set_row_of(now, &Frame { from, ..frame });
        }
        if turn.kind.is_down() {
            self.set_row_of(now, &frame);
            self.contention.announce(&frame);
        } else {
            self.contention.announce_turn(&frame, exchange.senders().skip(1));
        }
        let rest = match place {
            Some(_) => users.pop().and_then(|user| user.block_ack).map(Rest::BlockAck),
            None => Some(Rest::Users(users, exchange.trigger())),
        };
        self.frames.put(Ppdu::new(now, (id, frame), (Vec::new(), rest.map(Box::new))));
        self.multi_user = Some(exchange);
    }

    /// Sets the audibility of a frame that is about to start, in a cell with a radio.
    pub(super) fn set_row_of(&mut self, now: Time, frame: &Frame) {
        if let Noise::Propagation(propagation) = &mut self.noise
            && self.contention.can_change()
        {
            self.contention.set_row(frame, propagation.audibility(now, frame.from, frame.tx));
            if propagation.capture().is_some() {
                self.contention.set_powers(frame.from, propagation.powers(now, frame.from));
            }
        }
    }

    /// Draws the errors of the parts of a PPDU, each for its receiver.
    #[cold]
    pub(super) fn add_noise_to_users(&mut self, now: Time, ppdu: &mut Ppdu<P>) {
        if ppdu.collided {
            return;
        }
        let (leader, ap, is_down) = self.ends_of(ppdu);
        for user in ppdu.users_mut() {
            let (from, to) = if is_down { (ap, user.station) } else { (user.station, ap) };
            if !self.noise.is_on(from, to) || !self.decodes_part(to, (leader, from)) {
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
                mpdu.errored = self.errs(now, (from, to), part, is_beyond);
                user.errored &= mpdu.errored;
            }
        }
    }

    /// Transmitter to which listeners of a turn are synchronised, access point, and true if the access point sends.
    fn ends_of(&self, ppdu: &Ppdu<P>) -> (NodeId, NodeId, bool) {
        let ap = ppdu.initiator.member();
        (ppdu.frame.from, ap, ppdu.frame.from == ap)
    }

    /// True if member `to` decodes the part of `from` in a turn that leaves the air, unless noise destroys it. Listeners
    /// are synchronised to `leader`.
    pub(crate) fn decodes_part(&self, to: NodeId, (leader, from): (NodeId, NodeId)) -> bool {
        self.contention.receives(to, leader) && self.contention.reaches(to, from)
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
            TurnKind::Data => self.deliver_down(mac, now, &mut exchange, ppdu),
            TurnKind::Trigger => self.hear_trigger(mac, now, &mut exchange, ppdu),
            TurnKind::Answers | TurnKind::Uplink | TurnKind::Reports => {
                self.hear_together(mac, now, &mut exchange, ppdu);
            }
            TurnKind::MultiBlockAck => self.hear_block_acks(mac, now, &mut exchange, ppdu),
        }
        let goes_on = exchange.is_answered_next();
        let has_next = exchange.at + 1 < exchange.turns.len();
        if goes_on {
            exchange.at += 1;
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

    /// Continues a multi-user exchange with the next turn of the access point after an answer that is missing, if the
    /// medium is idle, or ends it.
    #[cold]
    pub(super) fn go_on_without<M: Mac<P>>(&mut self, mac: &mut M, now: Time, id: ContenderId) {
        let is_idle = self.contention.is_idle(id.member());
        let exchange = self.multi_user.as_mut().expect("a multi-user exchange in progress");
        let ahead = exchange.turns.iter().enumerate().skip(exchange.at + 1);
        let request = ahead.map(|(at, turn)| (at, turn.kind)).find(|(_, kind)| kind.is_down());
        if let (true, Some((at, kind @ TurnKind::Request(_)))) = (is_idle, request) {
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
                mac.settle_triggered(self, now, participant.contender, None);
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
        let (leader, ap, _) = self.ends_of(ppdu);
        for (participant, user) in exchange.participants.iter_mut().zip(ppdu.users()) {
            let is_decoded = self.decodes_part(user.station, (leader, ap));
            participant.hears = is_decoded && !ppdu.collided && !user.errored;
            if participant.hears {
                mac.deliver_part(self, now, ppdu.initiator, user);
            }
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
        let from = ppdu.frame.from;
        let Some(Turn { kind: asked, duration, .. }) = exchange.turns.get(exchange.at + 1).copied()
        else {
            return;
        };
        for participant in &mut exchange.participants {
            let station = participant.station();
            let is_decoded = !ppdu.collided
                && self.contention.decodes(station, from)
                && !ppdu.is_errored_for(station, &self.missed);
            // To an MU-BAR, a station answers even if it has not decoded the data.
            participant.hears = is_decoded
                && self.in_exchange(station).is_none()
                && mac.triggered(self, now, (asked, duration), participant);
        }
    }

    /// Handles the `BlockAck` of one participant.
    fn hear_answer(&mut self, exchange: &mut MultiUserExchange, place: usize, ppdu: &Ppdu<P>) {
        let (from, ap) = (ppdu.frame.from, ppdu.initiator.member());
        let is_decoded = !ppdu.collided && !ppdu.errored && self.contention.decodes(ap, from);
        if is_decoded {
            exchange.participants[place].is_answered = true;
            exchange.block_acks[place] = ppdu.block_ack().copied();
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
        let (leader, ap, _) = self.ends_of(ppdu);
        let senders = exchange.participants.iter_mut().zip(&mut exchange.block_acks);
        let senders = senders.filter(|(participant, _)| participant.hears);
        for ((participant, block_ack), user) in senders.zip(ppdu.users()) {
            let is_decoded = !ppdu.missed && self.decodes_part(ap, (leader, user.station));
            participant.is_answered = is_decoded && !ppdu.collided && !user.errored;
            participant.is_whole = user.mpdus.iter().all(|mpdu| !mpdu.errored);
            if participant.is_answered {
                *block_ack = user.block_ack;
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
        let from = ppdu.frame.from;
        for (participant, user) in exchange.participants.iter_mut().zip(ppdu.users()) {
            let station = participant.station();
            let is_decoded = !ppdu.collided
                && self.contention.decodes(station, from)
                && !ppdu.is_errored_for(station, &self.missed);
            if is_decoded && std::mem::take(&mut participant.waits) {
                mac.settle_triggered(self, now, participant.contender, user.block_ack.as_ref());
            }
        }
    }
}
