//! End of multi-user exchanges: what has arrived, the credits of the law, and charges of airtime.

use airfair_laws::Direction;
use airfair_laws::multi_user::{self as law, Backlog, Served};
use airfair_units::{Bytes, Duration, Time};

use super::super::mac::CellMac;
use super::lent::UsersServed;
use super::schedule::{MultiUserMac, Schedule};
use crate::air::access::Verdict;
use crate::air::turns::{MultiUserExchange, Participant, TurnKind};
use crate::air::{Air, Mac};
use crate::block_ack::Bitmap;
use crate::link_rate::{Chain, LinkEvent};
use crate::node::NodeId;
use crate::queue::headers::Headers;
use crate::queue::{Charge, Response};
use crate::roster::ContenderId;

impl MultiUserMac {
    /// Accounts for an exchange that has ended. `may_trigger` is true if some station may be triggered.
    fn settle(&mut self, now: Time, exchange: &MultiUserExchange, may_trigger: bool) {
        let (kind, duration) = exchange.content();
        if kind == TurnKind::Feedback {
            return;
        }
        if kind == TurnKind::Reports {
            let mut stations = exchange.participants.iter().map(Participant::station);
            self.is_due =
                stations.any(|it| self.report_of(now, it) != Backlog::Octets(Bytes::ZERO));
            self.is_polled = true;
            return;
        }
        let schedule = if exchange.is_down() { &mut self.down } else { &mut self.up };
        if let Some(Schedule { params, state }) =
            schedule.as_mut().filter(|_| !self.served.is_empty())
        {
            law::settle(params, state, duration, &self.served);
        }
        let direction = if exchange.is_down() { Direction::Down } else { Direction::Up };
        let served = &self.served;
        self.lent.note_served(now, &UsersServed { direction, duration, served, is_single: false });
        self.is_due = exchange.is_down() && may_trigger;
        self.is_polled &= exchange.is_down();
    }
}

/// Share of a participant in a PPDU: the tones of its unit or, if several share all tones, its streams.
fn tones_or_streams(exchange: &MultiUserExchange, of: &Participant) -> u16 {
    let tx = of.data.0;
    let whole = tx.mode().filter(|_| exchange.participants.len() == 1);
    let share = whole.map_or(tx.share(), |mode| mode.unit().tones(mode.width()));
    u16::try_from(share).expect("a few thousand")
}

/// Time of the last access of contender `id`, whose exchange ends: the start of the exchange or, if more exchanges may
/// follow in its TXOP, that of the next one.
fn last_access<P>(air: &Air<P>, now: Time, id: ContenderId) -> Time {
    let access = &air.accesses[id.index()];
    if access.limits.txop.is_zero() {
        access.exchange().txop_start
    } else {
        now + air.airtime.timing.sifs
    }
}

impl<P: Copy + Headers> CellMac<P> {
    /// Settles the data that a station was triggered to send.
    #[cold]
    pub(crate) fn settle_triggered_data(
        &mut self,
        air: &mut Air<P>,
        now: Time,
        participant: &Participant,
        block_ack: Option<&Bitmap>,
    ) {
        let &Participant { contender: id, is_random, .. } = participant;
        if is_random {
            self.settle_random_unit(id.member(), block_ack.is_some());
        }
        // The access point has chosen the rate in a random unit, from which rate control learns nothing.
        self.settle_users_data(air, now, (id, NodeId::AP), (block_ack, !is_random));
        self.leave_service(air, now, id);
        if !self.has_content(id) {
            air.withdraw(id);
        }
        // MU EDCA follows a trigger that names the station.
        let edca = self.multi_user.as_mut().filter(|_| !is_random).and_then(|mu| mu.edca.as_mut());
        if let (Some(_), Some(edca)) = (block_ack, edca) {
            edca.start(air, now, id);
            self.plan_release(air);
        }
    }

    /// Settles the data from contender `id` to `to` in a multi-user exchange, from which rate control may learn. Returns
    /// the octets that have arrived.
    fn settle_users_data(
        &mut self,
        air: &mut Air<P>,
        now: Time,
        (id, to): (ContenderId, NodeId),
        (block_ack, learns): (Option<&Bitmap>, bool),
    ) -> Bytes {
        let batch = self.queues[id.index()].batch(to);
        let (octets, sent) = (batch.octets(), batch.mpdus());
        let acknowledged = block_ack.map_or(0, |come| self.acknowledged(id, to, come).1);
        if learns {
            self.adapt_link(air, now, (id, to), LinkEvent::Block { sent, acknowledged });
        }
        let planned = self.rate_to(id, to).longest_chain();
        let attempts = air.accesses[id.index()].limits.mpdu_attempts(false, planned);
        self.queues[id.index()].link(to).originator.set_attempts(attempts);
        let response = block_ack.map_or(Response::Silence, Response::BlockAck);
        self.settle_part(air, now, (id, to), response);
        self.queues[id.index()].release(now);
        Bytes::new(octets.get() * u64::from(acknowledged) / u64::from(sent.max(1)))
    }

    /// Settles a multi-user exchange of contender `id` of the access point.  Deviates: [D-234]
    #[cold]
    pub(crate) fn settle_multi_user(
        &mut self,
        air: &mut Air<P>,
        now: Time,
        id: ContenderId,
        is_answered: bool,
    ) {
        let (Some(mut mu), Some(exchange)) = (self.multi_user.take(), air.multi_user.take()) else {
            return;
        };
        if self.shares_time && !exchange.is_sounding() {
            self.charge_users(air, now, id, &exchange);
        }
        mu.served.clear();
        // The receiver in service comes last, because its settlement serves the next one, which may be one of the others.
        let last = self.queues[id.index()].link_in_service();
        let is_last = |of: &Participant| last == Some(of.station());
        let all = || {
            let all = exchange.participants.iter().zip(&exchange.block_acks);
            all.filter(|(of, _)| of.is_known())
        };
        let others = all().filter(|(of, _)| !is_last(of));
        let in_service = all().filter(|(of, _)| is_last(of));
        for (participant, block_ack) in others.chain(in_service) {
            let station = participant.station();
            let octets = match (exchange.is_down(), exchange.has_sent) {
                (true, true) => {
                    self.settle_users_data(air, now, (id, station), (block_ack.as_ref(), true))
                }
                (true, false) => {
                    self.queues[id.index()].return_part(now, station);
                    Bytes::ZERO
                }
                (false, _) if participant.is_answered => participant.data.1,
                (false, _) => Bytes::ZERO,
            };
            let tones = tones_or_streams(&exchange, participant);
            mu.served.push(Served { station: station.0, tones, octets });
        }
        let access = &mut air.accesses[id.index()];
        let is_over = is_answered
            || exchange.names_nobody()
            || access.fail(false, Chain::None) == Verdict::GiveUp;
        if is_over {
            access.start_afresh();
        }
        if let Some(sharing) = &mut mu.sharing {
            sharing.settle(now, &exchange, is_over);
        }
        let may_trigger = mu.up.is_some() && self.may_trigger(air, &mu);
        mu.settle(now, &exchange, may_trigger);
        mu.note_access(now, last_access(air, now, id));
        // Another category of the access point may send the trigger.
        let triggers = mu.is_due.then_some(mu.contender).filter(|it| *it != id);
        (self.multi_user, air.multi_user) = (Some(mu), Some(exchange));
        self.leave_service(air, now, id);
        if let Some(contender) = triggers {
            self.seek_access(air, now, contender);
        }
        self.plan_release(air);
    }

    /// Notes an exchange of the access point with one station, which ends.
    #[cold]
    pub(crate) fn note_access(&mut self, air: &mut Air<P>, now: Time, id: ContenderId) {
        let access = last_access(air, now, id);
        if let Some(mu) = &mut self.multi_user {
            mu.note_access(now, access);
            self.plan_release(air);
        }
    }

    /// Accounts for an exchange of the access point with one station, whose data of this duration have arrived.
    #[cold]
    pub(crate) fn settle_single_user(
        &mut self,
        air: &mut Air<P>,
        now: Time,
        id: ContenderId,
        (to, data): (NodeId, Duration),
    ) {
        let schedule = self.multi_user.as_mut().and_then(|mu| mu.down.as_mut());
        if let Some(Schedule { params, state }) = schedule {
            let served = Served { station: to.0, tones: 1, octets: Bytes::ZERO };
            law::settle(params, state, data, &[served]);
        }
        if let Some(mu) = &mut self.multi_user {
            mu.note_single_user(now, to, data);
        }
        self.note_access(air, now, id);
    }

    /// Charges the time of a multi-user exchange to its stations, to each its share of the tones or streams. Random units
    /// are charged to the stations that the access point has decoded in them, and otherwise to nobody.
    fn charge_users(
        &mut self,
        air: &Air<P>,
        now: Time,
        id: ContenderId,
        exchange: &MultiUserExchange,
    ) {
        let direction = if exchange.is_down() { Direction::Down } else { Direction::Up };
        let share_of = |it: &Participant| it.data.0.share();
        let named = exchange.participants.iter().filter(|it| !it.is_random);
        let random = exchange.random.map_or(0, |it| u64::from(it.units) * it.tx.share());
        let all = random + named.map(share_of).sum::<u64>();
        let length = exchange.length(&air.airtime);
        for participant in exchange.participants.iter().filter(|it| it.is_known()) {
            let share = |of: Duration| of * share_of(participant) / all;
            let charge = Charge {
                station: participant.station(),
                direction,
                rate: participant.data.0.rate(),
                airtime: share(length),
                gap: share(air.airtime.timing.difs),
                backoff: share(air.airtime.mean_backoff()),
            };
            self.queues[id.index()].charge(now, &charge);
        }
    }
}
