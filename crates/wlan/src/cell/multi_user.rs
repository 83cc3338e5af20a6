//! Multi-user frames of an access point: what it sends to several stations together, when it triggers them, and what
//! becomes of both.  [80211ax-2021 §26.4.4, §26.5]
//!
//! A [law](airfair_laws::multi_user) chooses the stations and their resource units, in either direction. The turns of
//! an exchange and their lengths are planned here, and [`air::multi_user`](crate::air::multi_user) performs them.

use airfair_laws::Direction;
use airfair_laws::multi_user::{
    self as law, Action, Backlog, Candidate, Observation, Order, Policy, Served, Split,
};
use airfair_units::{Bytes, Duration, Time};

use super::aggregates::rest_of_txop;
use super::mac::CellMac;
use super::mu_edca::MuEdcaTimers;
use crate::aggregation::{Agreement, padded};
use crate::air::access::Verdict;
use crate::air::multi_user::{MultiUserExchange, Participant, Turn, TurnKind};
use crate::air::sequence::{Content, Sequence};
use crate::air::{Air, Mac};
use crate::airtime::Protection;
use crate::block_ack::Bitmap;
use crate::config::CellConfig;
use crate::edca::AccessCategory;
use crate::frame::{FrameKind, Mpdu, User};
use crate::link_rate::{Chain, LinkEvent};
use crate::multi_user::{MultiUserAck, Ofdma, Scheduler};
use crate::node::NodeId;
use crate::phy::mode::{Parameters, PpduKind, Unit};
use crate::phy::ppdu::MAX_PPDU_DURATION;
use crate::phy::{Mode, TxVector, Width};
use crate::queue::headers::Headers;
use crate::queue::{Charge, Response, Room, Waits};
use crate::roster::{ContenderId, Roster};
use crate::sizes::{self, BLOCK_ACK_REQUEST_SIZE, DELIMITER};

/// Time for which a report of a station's backlog is valid.  [ns3-multi-user §`BsrLifetime`]
const REPORT_LIFETIME: Duration = Duration::from_millis(20);

/// Law of one direction with its state.
#[derive(Clone, Debug)]
struct Schedule {
    params: law::Params,
    state: law::State,
}

impl Schedule {
    fn new(ofdma: &Ofdma, scheduler: Scheduler, members: u16) -> Self {
        let policy = match scheduler {
            Scheduler::RoundRobin => Policy::RoundRobin,
            Scheduler::ProportionalFair => Policy::ProportionalFair,
            Scheduler::LargestBacklog => Policy::LargestBacklog,
            Scheduler::Deadline => Policy::Deadline,
        };
        let params = law::Params { policy, max_users: ofdma.users, ..law::Params::default() };
        Self { params, state: law::State::new(members) }
    }
}

/// Multi-user frames of an access point: its laws, and what it knows of the stations.
#[derive(Clone, Debug)]
pub(super) struct MultiUserMac {
    ofdma: Ofdma,
    down: Option<Schedule>,
    up: Option<Schedule>,
    /// Divisions of the cell's width into equal units, from the most to the whole, and the unit of each.
    splits: Vec<Split>,
    units: Vec<Unit>,
    /// Contender of the access point that sends trigger frames.
    contender: ContenderId,
    /// True if the access point is to trigger the stations at its next access.
    is_due: bool,
    /// Time at which a trigger becomes due unless the access point has access before.
    due_at: Option<Time>,
    /// True if the stations have been polled for their backlogs since the last trigger for data.
    is_polled: bool,
    /// Backlog of each member as it has reported it last, with the time of the report.
    reports: Vec<(Backlog, Option<Time>)>,
    /// Channel access of stations after they have been triggered; `None` if it stays the same.
    edca: Option<MuEdcaTimers>,
    /// Buffers that are reused.
    order: Order,
    candidates: Vec<Candidate>,
    /// Indices of the candidates that have a unit.
    granted: Vec<usize>,
    waits: Vec<Waits>,
    served: Vec<Served>,
}

impl MultiUserMac {
    /// Multi-user frames of a cell with this configuration; `None` if it has none.
    pub(super) fn new(config: &CellConfig, roster: &Roster) -> Option<Box<Self>> {
        let ofdma = config.rules.multi_user.ofdma?;
        let members = roster.members();
        let schedule = |of: Option<Scheduler>| of.map(|it| Schedule::new(&ofdma, it, members));
        let (splits, units) = splits(config.rules.channel.width);
        Some(Box::new(Self {
            ofdma,
            down: schedule(ofdma.down),
            up: schedule(ofdma.up),
            splits,
            units,
            contender: roster.find(NodeId::AP, AccessCategory::default),
            is_due: false,
            due_at: ofdma
                .trigger_every
                .filter(|_| ofdma.up.is_some())
                .map(|every| Time::ZERO + every),
            is_polled: false,
            edca: MuEdcaTimers::new(config, roster),
            reports: vec![(Backlog::Unknown, None); members.into()],
            order: Order::default(),
            candidates: Vec::new(),
            granted: Vec::new(),
            waits: vec![Waits::default(); members.into()],
            served: Vec::new(),
        }))
    }

    /// Lets the law of one direction choose among the candidates. Returns the unit that each granted station gets.
    fn choose(&mut self, direction: Direction) -> Option<Unit> {
        let schedule = match direction {
            Direction::Down => self.down.as_ref()?,
            Direction::Up => self.up.as_ref()?,
        };
        let seen = Observation { candidates: &self.candidates, splits: &self.splits };
        let action = law::step(&schedule.params, &schedule.state, &seen, &mut self.order);
        self.granted.clear();
        match action {
            Action::MultiUser(split) => {
                self.granted.extend(self.order.assignments().map(|it| usize::from(it.candidate)));
                let place = self.splits.iter().position(|it| *it == split)?;
                Some(self.units[place])
            }
            Action::SingleUser(station) if direction == Direction::Up => {
                self.granted.extend(self.candidates.iter().position(|it| it.station == station));
                Some(Unit::Full)
            }
            Action::SingleUser(_) | Action::Nothing => None,
        }
    }

    /// Backlog of a station as far as the access point knows it now.
    fn report_of(&self, now: Time, station: NodeId) -> Backlog {
        match self.reports[station.index()] {
            (backlog, Some(at)) if now.saturating_since(at) <= REPORT_LIFETIME => backlog,
            _ => Backlog::Unknown,
        }
    }

    /// Accounts for an exchange that has ended. `has_triggered` is true if some station may be triggered.
    fn settle(&mut self, now: Time, exchange: &MultiUserExchange, has_triggered: bool) {
        let duration = exchange.turns[0].duration;
        match exchange.turns.get(1).map(|turn| turn.kind) {
            None => self.is_due = false,
            Some(TurnKind::Reports) => {
                self.is_polled = true;
                let stations =
                    exchange.participants.iter().map(|it| self.report_of(now, it.station()));
                self.is_due = stations.into_iter().any(|it| it != Backlog::Octets(Bytes::ZERO));
            }
            Some(TurnKind::Uplink) => {
                let duration = exchange.turns[1].duration;
                if let Some(up) = &mut self.up {
                    law::settle(&up.params, &mut up.state, duration, &self.served);
                }
                (self.is_due, self.is_polled) = (false, false);
            }
            _ => {
                if let Some(down) = &mut self.down {
                    law::settle(&down.params, &mut down.state, duration, &self.served);
                }
                self.is_due = self.up.is_some() && has_triggered;
            }
        }
        self.note_access(now);
    }

    /// Notes that an exchange of the access point has ended.
    pub(super) fn note_access(&mut self, now: Time) {
        if let (Some(every), Some(_)) = (self.ofdma.trigger_every, &self.up) {
            self.due_at = Some(now + every);
        }
    }

    /// Size of the trigger frame in each part of the data, with its delimiter and the padding before it.
    fn trigger_in_data(&self) -> Bytes {
        match self.ofdma.ack {
            MultiUserAck::AggregatedMuBar => sizes::mu_bar(1) + DELIMITER,
            _ => Bytes::ZERO,
        }
    }

    /// Vector of a station's `BlockAck` in a unit: at MCS 5 at most, with one stream.  [ns3-multi-user §`GetBlockAck`]
    fn answer_on_unit(&self, tx: TxVector, unit: Unit) -> Option<TxVector> {
        let TxVector::Mode(mode) = tx else { return None };
        let of = mode.parameters();
        let of = Parameters { mcs: of.mcs.min(5), streams: 1, ..of };
        self.on_unit(Mode::new(of).ok().map(TxVector::Mode)?, unit, PpduKind::Triggered)
    }

    /// True if contender `id` has stations to trigger.
    pub(super) fn is_due(&self, id: ContenderId) -> bool {
        self.is_due && id == self.contender
    }

    /// Time at which a trigger becomes due, unless one is.
    fn due_at(&self) -> Option<Time> {
        self.due_at.filter(|_| !self.is_due)
    }

    /// Time at which [`handle_timeout`](Self::handle_timeout) has something to do.
    pub(super) fn next_timeout(&self) -> Option<Time> {
        let edca = self.edca.as_ref().and_then(MuEdcaTimers::next_timeout);
        self.due_at().into_iter().chain(edca).min()
    }

    /// Vector of a station's part of a PPDU with this unit, at the MCS and streams of `tx`; `None` if the station is no
    /// HE or EHT station.
    fn on_unit(&self, tx: TxVector, unit: Unit, kind: PpduKind) -> Option<TxVector> {
        let TxVector::Mode(mode) = tx else { return None };
        let mut of = mode.parameters();
        if kind == PpduKind::Triggered {
            let guard = self.ofdma.up_guard_interval;
            of = Parameters::of(of.format, of.mcs, of.streams, of.width, guard);
        }
        Mode::new(Parameters { unit, kind, ..of }).ok().map(TxVector::Mode)
    }
}

/// Size of a station's entry in a `BlockAck` for several stations: with a bitmap, or without one if all MPDUs have
/// arrived.  [80211ax-2021 §9.3.1.8.6]
fn entry_size(response: Bytes, is_whole: bool) -> Bytes {
    if is_whole { Bytes::new(2) } else { Bytes::new(4) + response - Bytes::new(24) }
}

impl<P: Copy + Headers> CellMac<P> {
    /// Plans a multi-user exchange of contender `id` of the access point; `None` if the next frame is for one user.
    #[cold]
    pub(super) fn plan_multi_user(
        &mut self,
        air: &mut Air<P>,
        now: Time,
        id: ContenderId,
        txop_start: Time,
    ) -> Option<Sequence> {
        let (mut mu, mut exchange) = (self.multi_user.take()?, air.multi_user.take()?);
        let rest = rest_of_txop(air, now, id, txop_start);
        exchange.begin(id);
        let is_planned = if mu.is_due(id) {
            self.plan_uplink(air, now, (&mut mu, &mut exchange), (rest, now == txop_start))
        } else {
            self.plan_downlink(air, now, (&mut mu, &mut exchange), (id, rest))
        };
        let first = exchange.turns.first().filter(|_| is_planned).copied();
        let sequence = first.map(|Turn { tx, psdu, duration, .. }| Sequence {
            content: Content::MultiUser,
            to: None,
            protection: Protection::None,
            tx,
            psdu,
            data: duration,
            response: (Bytes::ZERO, exchange.length(&air.airtime) - duration),
            retry: false,
        });
        if sequence.is_none() {
            exchange.end();
        }
        (self.multi_user, air.multi_user) = (Some(mu), Some(exchange));
        sequence
    }

    // ------------------------------------------------------------------------------------------------- downlink

    /// Plans data for several stations. Returns false if the next frame is for one station.
    fn plan_downlink(
        &mut self,
        air: &mut Air<P>,
        now: Time,
        (mu, exchange): (&mut MultiUserMac, &mut MultiUserExchange),
        (id, rest): (ContenderId, Duration),
    ) -> bool {
        let Some(unit) = self.choose_receivers(air, now, mu, id) else { return false };
        for candidate in &mu.granted {
            let to = NodeId(mu.candidates[*candidate].station);
            let tx = self.rate_to(id, to).get();
            let frames = self.frames(&air.airtime, id, to);
            let (Some(data), Some(answer)) =
                (mu.on_unit(tx, unit, PpduKind::Multi), mu.answer_on_unit(tx, unit))
            else {
                continue;
            };
            let size = self.queues[id.index()].link(to).agreement.window.response_size();
            let answer = match mu.ofdma.ack {
                MultiUserAck::Bar => (frames.control, size),
                _ => (answer, size + DELIMITER),
            };
            exchange.add(Participant::new(ContenderId::first(to), data, answer));
        }
        self.plan_answers(air, mu, exchange);
        let sig = signal_field(exchange);
        let sifs = air.airtime.timing.sifs;
        let around: Duration = exchange.turns.iter().map(|turn| sifs + turn.duration).sum();
        let longest = rest.saturating_sub(around).min(MAX_PPDU_DURATION).saturating_sub(sig);
        let (mut psdu, mut data) = (Bytes::ZERO, Duration::ZERO);
        for place in 0..exchange.participants.len() {
            let participant = exchange.participants[place];
            let (to, tx) = (participant.station(), participant.data.0);
            let room = self.room_of_part(air, (id, to), tx, longest);
            let trigger = mu.trigger_in_data();
            let octets = room.octets.saturating_sub(padded(trigger));
            let room = Room { octets, ..room };
            let queue = &mut self.queues[id.index()];
            queue.prepare_part(now, to, &room);
            let batch = queue.batch(to);
            self.report_dropped(air, id);
            let octets = match (batch.mpdus(), trigger.is_zero()) {
                (0, _) => Bytes::ZERO,
                (_, true) => batch.octets(),
                (_, false) => padded(batch.octets()) + trigger,
            };
            exchange.participants[place].data.1 = octets;
            data = data.max(air.airtime.frame(octets, tx));
            psdu += octets;
        }
        exchange.participants.retain(|it| !it.data.1.is_zero());
        if exchange.participants.is_empty() {
            return false;
        }
        let tx = exchange.participants[0].data.0;
        exchange.block_acks.truncate(exchange.participants.len());
        exchange.turns.clear();
        self.plan_answers(air, mu, exchange);
        exchange.turns.insert(0, Turn { kind: TurnKind::Data, tx, psdu, duration: sig + data });
        true
    }

    /// Lets the law choose the stations of the next PPDU. Returns the unit that each gets; `None` if the next frame is
    /// for one station.
    fn choose_receivers(
        &mut self,
        air: &Air<P>,
        now: Time,
        mu: &mut MultiUserMac,
        id: ContenderId,
    ) -> Option<Unit> {
        let queue = &self.queues[id.index()];
        if mu.down.is_none() || !queue.serves_several() {
            return None;
        }
        let first = queue.link_in_service()?;
        mu.waits.fill(Waits::default());
        self.queues[id.index()].add_backlogs(&mut mu.waits);
        mu.candidates.clear();
        let urgency = match air.roster.category(id) {
            AccessCategory::Voice => law::Urgency::Voice,
            AccessCategory::Video => law::Urgency::Video,
            _ => law::Urgency::Other,
        };
        let others = air.members().filter(|to| *to != first);
        for to in std::iter::once(first).chain(others) {
            let waits = mu.waits[to.index()];
            if waits.octets.is_zero() && to != first {
                continue;
            }
            let tx = self.rate_to(id, to).get();
            let link = self.queues[id.index()].link_of(to);
            let is_asked = link.is_none_or(|link| {
                !link.agreement.has_block_ack() || link.originator.request().is_some()
            });
            mu.candidates.push(Candidate {
                station: to.0,
                is_multi_user: !is_asked && mu.on_unit(tx, Unit::Full, PpduKind::Multi).is_some(),
                backlog: Backlog::Octets(waits.octets),
                rate: tx.rate(),
                urgency,
                waiting: waits.since.map_or(Duration::ZERO, |since| now.saturating_since(since)),
            });
        }
        mu.choose(Direction::Down)
    }

    /// Room of a station's part of a PPDU that lasts at most `longest`.
    fn room_of_part(
        &mut self,
        air: &Air<P>,
        (id, to): (ContenderId, NodeId),
        tx: TxVector,
        longest: Duration,
    ) -> Room {
        let sends_alone = self.rate_to(id, to).sends_alone();
        let Agreement { limits, .. } = self.queues[id.index()].link(to).agreement;
        let most = self.queues[id.index()].link(to).agreement.most_mpdus();
        let octets = match tx {
            TxVector::Mode(mode) => limits.room_within(mode, air.airtime.band(), longest),
            _ => None,
        };
        Room { octets: octets.unwrap_or(Bytes::ZERO), mpdus: if sends_alone { 1 } else { most } }
    }

    /// Adds the turns that acknowledge data for the participants.
    fn plan_answers(&self, air: &Air<P>, mu: &MultiUserMac, exchange: &mut MultiUserExchange) {
        let airtime = &air.airtime;
        let MultiUserExchange { turns, participants, .. } = exchange;
        let lowest = |place: fn(&Participant) -> (TxVector, Bytes)| {
            let all = participants.iter().map(place).map(|(tx, _)| airtime.response(tx));
            all.min_by_key(|tx| tx.rate())
        };
        match mu.ofdma.ack {
            MultiUserAck::Bar => {
                for (place, it) in participants.iter().enumerate() {
                    let (tx, psdu) = it.answer;
                    if place > 0 {
                        let psdu = BLOCK_ACK_REQUEST_SIZE;
                        let duration = airtime.frame(psdu, tx);
                        turns.push(Turn { kind: TurnKind::Request(place), tx, psdu, duration });
                    }
                    let duration = airtime.frame(psdu, tx);
                    turns.push(Turn { kind: TurnKind::Answer(place), tx, psdu, duration });
                }
                return;
            }
            MultiUserAck::MuBar => {
                let Some(tx) = lowest(|it| it.data) else { return };
                let psdu = sizes::mu_bar(participants.len());
                let duration = airtime.frame(psdu, tx);
                turns.push(Turn { kind: TurnKind::Trigger, tx, psdu, duration });
            }
            MultiUserAck::AggregatedMuBar => {}
        }
        let Some(first) = participants.first() else { return };
        let tx = first.answer.0;
        let psdu = participants.iter().map(|it| it.answer.1).sum();
        let duration = participants.iter().map(|it| airtime.frame(it.answer.1, it.answer.0)).max();
        let duration = duration.unwrap_or(Duration::ZERO);
        turns.push(Turn { kind: TurnKind::Answers, tx, psdu, duration });
    }

    // ------------------------------------------------------------------------------------------------- uplink

    /// Plans a trigger frame for data of several stations, or for their buffer reports. Returns false if no station can
    /// be triggered.
    fn plan_uplink(
        &mut self,
        air: &mut Air<P>,
        now: Time,
        (mu, exchange): (&mut MultiUserMac, &mut MultiUserExchange),
        (rest, is_first): (Duration, bool),
    ) -> bool {
        let polls = mu.ofdma.poll && !mu.is_polled;
        let unit = self.choose_transmitters(air, now, mu, polls).unwrap_or_default();
        for candidate in &mu.granted {
            let station = NodeId(mu.candidates[*candidate].station);
            let contender = air.roster.find(station, AccessCategory::default);
            let tx = self.rate_to(contender, NodeId::AP).get();
            let Some(data) = mu.on_unit(tx, unit, PpduKind::Triggered) else { continue };
            let size =
                self.queues[contender.index()].link(NodeId::AP).agreement.window.response_size();
            let entry = (data, entry_size(size, false));
            exchange.add(Participant::new(contender, data, entry));
        }
        let users = exchange.participants.len();
        let trigger = |psdu| {
            let tx = air.airtime.beacon_vector();
            Turn { kind: TurnKind::Trigger, tx, psdu, duration: air.airtime.frame(psdu, tx) }
        };
        let null = sizes::QOS_NULL + DELIMITER;
        let time = |octets: Bytes| {
            let all = exchange.participants.iter().map(|it| air.airtime.frame(octets, it.data.0));
            all.max().unwrap_or(Duration::ZERO)
        };
        let Some(tx) = exchange.participants.first().map(|it| it.data.0) else {
            // The stations have lost their HE rates since the trigger became due.
            exchange.turns.push(trigger(sizes::basic_trigger(0)));
            return true;
        };
        if polls {
            let duration = time(null);
            let turns = [
                trigger(sizes::bsrp(users)),
                Turn { kind: TurnKind::Reports, tx, psdu: null * users as u64, duration },
            ];
            exchange.turns.extend(turns);
            return is_first || exchange.length(&air.airtime) <= rest;
        }
        let control = air.airtime.response(tx);
        let psdu =
            sizes::multi_station_block_ack(exchange.participants.iter().map(|it| it.answer.1));
        let block_ack = Turn {
            kind: TurnKind::MultiBlockAck,
            tx: control,
            psdu,
            duration: air.airtime.frame(psdu, control),
        };
        let first = trigger(sizes::basic_trigger(users));
        let sifs = air.airtime.timing.sifs;
        let around = first.duration + sifs + sifs + block_ack.duration;
        let longest = MAX_PPDU_DURATION.min(rest.saturating_sub(around));
        let Some(up) = &mu.up else { return false };
        let granted = mu.granted.iter().map(|it| mu.candidates[*it].backlog);
        let duration = law::triggered_duration(&up.params, longest, granted, time).max(time(null));
        let data = Turn { kind: TurnKind::Uplink, tx, psdu: Bytes::ZERO, duration };
        exchange.turns.extend([first, data, block_ack]);
        is_first || exchange.length(&air.airtime) <= rest
    }

    /// True if the access point may trigger this station: it is an HE station with a block ack agreement.
    fn may_be_triggered(&self, mu: &MultiUserMac, contender: ContenderId) -> bool {
        let tx = self.members[contender.member().index()].rate_up.get();
        let link = self.queues[contender.index()].link_of(NodeId::AP);
        link.is_some_and(|link| link.agreement.has_block_ack())
            && mu.on_unit(tx, Unit::Full, PpduKind::Triggered).is_some()
    }

    /// True if the access point may trigger any station.
    fn may_trigger(&self, air: &Air<P>, mu: &MultiUserMac) -> bool {
        let stations = air.members().filter(|it| !it.is_ap());
        let contenders = stations.map(|it| air.roster.find(it, AccessCategory::default));
        contenders.into_iter().any(|it| self.may_be_triggered(mu, it))
    }

    /// Makes a trigger due if its time has come, and ends MU EDCA timers.
    #[cold]
    pub(super) fn handle_multi_user_timeout(&mut self, air: &mut Air<P>, now: Time) {
        let Some(mut mu) = self.multi_user.take() else { return };
        if let Some(edca) = &mut mu.edca {
            edca.handle_timeout(air, now);
        }
        let is_now = mu.due_at().is_some_and(|at| at <= now);
        if is_now {
            mu.note_access(now);
            mu.is_due = self.may_trigger(air, &mu);
        }
        let contender = mu.contender;
        self.multi_user = Some(mu);
        if is_now {
            self.seek_access(air, now, contender);
        }
    }

    /// Lets the law choose the stations of the next triggered PPDU. Returns the unit that each gets.
    fn choose_transmitters(
        &mut self,
        air: &Air<P>,
        now: Time,
        mu: &mut MultiUserMac,
        polls: bool,
    ) -> Option<Unit> {
        mu.candidates.clear();
        mu.granted.clear();
        for station in air.members().filter(|it| !it.is_ap()) {
            let contender = air.roster.find(station, AccessCategory::default);
            if !self.may_be_triggered(mu, contender) {
                continue;
            }
            let tx = self.rate_to(contender, NodeId::AP).get();
            let backlog = if polls { Backlog::Unknown } else { mu.report_of(now, station) };
            mu.candidates.push(Candidate {
                station: station.0,
                is_multi_user: true,
                backlog,
                rate: tx.rate(),
                urgency: law::Urgency::Other,
                waiting: Duration::ZERO,
            });
        }
        let is_empty = |it: &Candidate| it.backlog == Backlog::Octets(Bytes::ZERO);
        if mu.candidates.iter().all(is_empty) {
            // The reports may be outdated, or a trigger is the only way to learn.
            mu.candidates.iter_mut().for_each(|it| it.backlog = Backlog::Unknown);
        }
        mu.choose(Direction::Up)
    }

    /// Lets a station prepare its part of triggered PPDUs, which last `duration`. Returns true: it answers in any case,
    /// if only with a buffer report.
    #[cold]
    pub(super) fn prepare_triggered(
        &mut self,
        air: &mut Air<P>,
        now: Time,
        (asked, duration): (TurnKind, Duration),
        participant: &mut Participant,
    ) -> bool {
        if asked != TurnKind::Uplink {
            return true;
        }
        let station = participant.station();
        let ready = |id: &ContenderId| {
            let queue = &self.queues[id.index()];
            queue.link_in_service().is_some()
                && queue.link_of(NodeId::AP).is_some_and(|link| link.originator.request().is_none())
        };
        let Some(id) = air.roster.of(station).rev().find(ready) else { return true };
        let room = self.room_of_part(air, (id, NodeId::AP), participant.data.0, duration);
        let queue = &mut self.queues[id.index()];
        queue.prepare_part(now, NodeId::AP, &room);
        let batch = queue.batch(NodeId::AP);
        self.report_dropped(air, id);
        let fits = batch.mpdus() > 0 && batch.octets() <= room.octets;
        if fits {
            participant.contender = id;
            participant.data.1 = batch.octets();
        }
        participant.waits = fits;
        true
    }

    /// Part of a turn for or from one participant.
    #[cold]
    pub(super) fn part_of_turn(
        &mut self,
        air: &Air<P>,
        id: ContenderId,
        (kind, participant): (TurnKind, &Participant),
        spare: Vec<Mpdu<P>>,
    ) -> User<P> {
        let station = participant.station();
        let hop = || air.roster.hop(id, station);
        let frame = kind.frame();
        match kind {
            TurnKind::Data => self.data_part((id, station), participant, spare),
            TurnKind::Uplink if participant.waits => {
                let from = participant.contender;
                let mut user = self.data_part((from, NodeId::AP), participant, spare);
                user.backlog = Some(self.backlog_of(air, station));
                user
            }
            TurnKind::Uplink | TurnKind::Reports => {
                let null = (participant.data.0, sizes::QOS_NULL + DELIMITER);
                User {
                    backlog: Some(self.backlog_of(air, station)),
                    ..User::new(station, frame, null)
                }
            }
            TurnKind::Answer(_) | TurnKind::Answers => {
                let block_ack = Some(self.recipients.of(hop()).block_ack());
                User { block_ack, ..User::new(station, FrameKind::BlockAck, participant.answer) }
            }
            TurnKind::Request(_) => {
                let start = self.queues[id.index()].link(station).originator.start();
                let block_ack = Some(Bitmap::new(start));
                User { block_ack, ..User::new(station, frame, participant.answer) }
            }
            TurnKind::Trigger => {
                // Only an MU-BAR follows data.
                let link = self.queues[id.index()].link_of(station);
                let asked = link.filter(|_| !participant.data.1.is_zero());
                let block_ack = asked.map(|link| Bitmap::new(link.originator.start()));
                User { block_ack, ..User::new(station, frame, participant.answer) }
            }
            TurnKind::MultiBlockAck => {
                let hop = air.roster.hop(participant.contender, NodeId::AP);
                let has_data = participant.waits && participant.is_answered;
                let size = self.queues[participant.contender.index()]
                    .link(NodeId::AP)
                    .agreement
                    .window
                    .response_size();
                let entry =
                    if has_data { entry_size(size, participant.is_whole) } else { Bytes::ZERO };
                let block_ack = has_data.then(|| self.recipients.of(hop).block_ack());
                User { block_ack, ..User::new(station, frame, (participant.answer.0, entry)) }
            }
        }
    }

    /// Data from contender `id` to `to`, which count as sent from now on.
    fn data_part(
        &mut self,
        (id, to): (ContenderId, NodeId),
        participant: &Participant,
        mut mpdus: Vec<Mpdu<P>>,
    ) -> User<P> {
        self.send_batch(id, to);
        let joined = self.fill_batch(id, to, &mut mpdus);
        let user = User::new(participant.station(), FrameKind::Data, participant.data);
        User { mpdus, joined, ..user }
    }

    /// Octets that wait in a station and are not on the air.
    fn backlog_of(&self, air: &Air<P>, station: NodeId) -> Bytes {
        air.roster.of(station).map(|id| self.queues[id.index()].octets_waiting()).sum()
    }

    /// Handles the part of a turn that its receiver has decoded.
    #[cold]
    pub(super) fn take_part(
        &mut self,
        air: &mut Air<P>,
        now: Time,
        id: ContenderId,
        user: &User<P>,
    ) {
        let to = if id.member().is_ap() { user.station } else { NodeId::AP };
        if let (Some(backlog), Some(mu)) = (user.backlog, &mut self.multi_user) {
            let report = Backlog::reported(Backlog::Octets(backlog).report());
            mu.reports[user.station.index()] = (report, Some(now));
        }
        if !user.mpdus.is_empty() {
            self.deliver_aggregate(air, now, (id, to), user.contents());
        }
    }

    // ------------------------------------------------------------------------------------------------- settlement

    /// Settles the data that a station was triggered to send.
    #[cold]
    pub(super) fn settle_triggered_data(
        &mut self,
        air: &mut Air<P>,
        now: Time,
        id: ContenderId,
        block_ack: Option<&Bitmap>,
    ) {
        self.settle_users_data(air, now, (id, NodeId::AP), block_ack);
        self.leave_service(air, now, id);
        if !self.has_content(id) {
            air.withdraw(id);
        }
        if let (Some(_), Some(mu)) = (block_ack, &mut self.multi_user)
            && let Some(edca) = &mut mu.edca
        {
            edca.start(air, now, id);
            self.plan_release(air);
        }
    }

    /// Settles the data from contender `id` to `to` in a multi-user exchange. Returns the octets that have arrived.
    fn settle_users_data(
        &mut self,
        air: &mut Air<P>,
        now: Time,
        (id, to): (ContenderId, NodeId),
        block_ack: Option<&Bitmap>,
    ) -> Bytes {
        let octets = self.queues[id.index()].batch(to).octets();
        let sent = self.queues[id.index()].batch(to).mpdus();
        let acknowledged = block_ack.map_or(0, |come| self.acknowledged(id, to, come).1);
        self.adapt_link(air, now, (id, to), LinkEvent::Block { sent, acknowledged });
        let planned = self.rate_to(id, to).longest_chain();
        let attempts = air.accesses[id.index()].limits.mpdu_attempts(false, planned);
        self.queues[id.index()].link(to).originator.set_attempts(attempts);
        let response = block_ack.map_or(Response::Silence, Response::BlockAck);
        self.settle_part(air, now, (id, to), response);
        self.queues[id.index()].release(now);
        Bytes::new(octets.get() * u64::from(acknowledged) / u64::from(sent.max(1)))
    }

    /// Settles a multi-user exchange of contender `id` of the access point.
    #[cold]
    pub(super) fn settle_multi_user(
        &mut self,
        air: &mut Air<P>,
        now: Time,
        id: ContenderId,
        is_answered: bool,
    ) {
        let (Some(mut mu), Some(exchange)) = (self.multi_user.take(), air.multi_user.take()) else {
            return;
        };
        if self.shares_time {
            self.charge_users(air, now, id, &exchange);
        }
        mu.served.clear();
        let is_down = exchange.turns[0].kind == TurnKind::Data;
        let tones = |it: &Participant| u16::try_from(it.data.0.tones()).unwrap_or(u16::MAX);
        for (participant, block_ack) in exchange.participants.iter().zip(&exchange.block_acks) {
            let station = participant.station();
            let octets = match is_down {
                true => self.settle_users_data(air, now, (id, station), block_ack.as_ref()),
                false => participant.data.1,
            };
            mu.served.push(Served { station: station.0, tones: tones(participant), octets });
        }
        let access = &mut air.accesses[id.index()];
        if is_answered || access.fail(false, Chain::None) == Verdict::GiveUp {
            access.start_afresh();
        }
        let has_triggered = mu.up.is_some() && self.may_trigger(air, &mu);
        mu.settle(now, &exchange, has_triggered);
        (self.multi_user, air.multi_user) = (Some(mu), Some(exchange));
        self.leave_service(air, now, id);
        self.plan_release(air);
    }

    /// Notes that an exchange of the access point has ended, after which the time to its next trigger counts.
    pub(super) fn note_access(&mut self, air: &mut Air<P>, now: Time) {
        if let Some(mu) = &mut self.multi_user {
            mu.note_access(now);
            self.plan_release(air);
        }
    }

    /// Charges the time of a multi-user exchange to its stations, to each its share of the width.
    fn charge_users(
        &mut self,
        air: &mut Air<P>,
        now: Time,
        id: ContenderId,
        exchange: &MultiUserExchange,
    ) {
        let direction = match exchange.turns[0].kind {
            TurnKind::Data => Direction::Down,
            _ => Direction::Up,
        };
        let width: u64 = exchange.participants.iter().map(|it| it.data.0.tones()).sum();
        let (timing, backoff) = (&air.airtime.timing, air.airtime.mean_backoff());
        for participant in &exchange.participants {
            let share = |of: Duration| of * participant.data.0.tones() / width;
            let charge = Charge {
                station: participant.station(),
                direction,
                rate: participant.data.0.rate(),
                airtime: share(exchange.length(&air.airtime)),
                gap: share(timing.difs),
                backoff: share(backoff),
            };
            self.queues[id.index()].charge(now, &charge);
        }
    }
}

/// Duration of HE-SIG-B in the PPDU of an exchange.
fn signal_field(exchange: &MultiUserExchange) -> Duration {
    let users = exchange.participants.len() as u64;
    let modes = exchange.participants.iter().filter_map(|it| match it.data.0 {
        TxVector::Mode(mode) => Some(mode),
        _ => None,
    });
    let Some(mode) = modes.min_by_key(|mode| mode.mcs()) else { return Duration::ZERO };
    let width = mode.width();
    let (channels, common) = match width {
        Width::Mhz20 => (1, 18),
        Width::Mhz40 => (2, 18),
        Width::Mhz80 => (2, 27),
        _ => (2, 43),
    };
    let of_channel = users.div_ceil(channels);
    let bits = common + of_channel / 2 * 52 + of_channel % 2 * 31;
    let per_symbol = [26, 52, 78, 104, 156, 208][usize::from(mode.mcs().min(5))];
    Duration::from_micros(4) * bits.div_ceil(per_symbol)
}

/// Divisions of a width into equal units, from the most to the whole, and the unit of each. The central units of 26
/// tones stay empty.
fn splits(width: Width) -> (Vec<Split>, Vec<Unit>) {
    use Unit::{Tones2x996, Tones26, Tones52, Tones106, Tones242, Tones484, Tones996};
    let all = [Tones26, Tones52, Tones106, Tones242, Tones484, Tones996, Tones2x996];
    let of = |unit: &Unit| {
        let tones = u16::try_from(unit.tones(width)).unwrap_or(u16::MAX);
        (Split { units: unit.places(width), tones }, *unit)
    };
    all.iter().map(of).filter(|(split, _)| split.units > 0).unzip()
}
