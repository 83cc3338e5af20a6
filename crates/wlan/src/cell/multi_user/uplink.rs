//! Uplink: trigger frames, and the stations' answers.  [80211ax-2021 §26.5.2, §26.5.5]

use std::iter::{once, repeat_n};

use airfair_laws::Direction;
use airfair_laws::multi_user::{self as law, Backlog, Candidate, Urgency};
use airfair_units::{Bytes, Duration, Time};

use super::super::mac::CellMac;
use super::downlink::slowest_response;
use super::parts::NULL;
use super::schedule::MultiUserMac;
use crate::air::Air;
use crate::air::turns::{MultiUserExchange, Participant, Turn, TurnKind};
use crate::edca::AccessCategory;
use crate::frame::RandomUnits;
use crate::node::NodeId;
use crate::phy::multi_user::MultiUser;
use crate::phy::ppdu::{MAX_PPDU_DURATION, PacketPadding};
use crate::phy::{Band, PpduKind, TxVector, Unit};
use crate::queue::headers::Headers;
use crate::roster::ContenderId;
use crate::sizes::{Acknowledgment, TriggerVariant, multi_sta_block_ack};

/// Part of a PPDU that each unit must be able to carry: an MPDU with a packet of 1500 octets. The access point does not
/// know the packets of the stations.
const ORDINARY_PART: Bytes = Bytes::new(1_544);

impl MultiUserMac {
    /// Largest PSDU of a triggered PPDU that lasts `duration`.
    fn octets_within(&mut self, band: Band, tx: TxVector, duration: Duration) -> Bytes {
        let alone = tx.mode().and_then(|mode| self.ppdu(once(mode)));
        let octets = alone.and_then(|alone| {
            let room = alone.room(duration, band, PacketPadding::default())?;
            Some(alone.largest_psdu(0, room))
        });
        octets.unwrap_or(Bytes::ZERO)
    }
}

impl<P: Copy + Headers> CellMac<P> {
    /// Plans a trigger frame for data of several stations, or for their buffer reports. Returns false if there is no
    /// time for it in the TXOP.
    pub(super) fn plan_uplink(
        &mut self,
        air: &Air<P>,
        now: Time,
        (mu, exchange): (&mut MultiUserMac, &mut MultiUserExchange),
        (rest, is_first): (Duration, bool),
    ) -> bool {
        let polls = mu.polls();
        let unit = self.choose_transmitters(air, now, mu);
        self.admit_transmitters(air, (mu, exchange), unit.unwrap_or_default());
        let named = exchange.participants.len();
        exchange.random = self.offer_random_units(mu, unit, named);
        let random = exchange.random.into_iter().flat_map(RandomUnits::fields).count();
        let variant = if polls { TriggerVariant::BufferStatus } else { TriggerVariant::Basic };
        let psdu = variant.size(named + random, mu.format);
        let tx = air.airtime.beacon_vector();
        let (kind, duration) = (TurnKind::Trigger, air.airtime.frame(psdu, tx));
        exchange.turns.push(Turn { kind, tx, psdu, duration });
        if named + random == 0 {
            // The stations have lost their HE rates since the trigger became due.
            return true;
        }
        let is_planned = if polls {
            plan_reports(air, mu, exchange)
        } else {
            self.plan_triggered_data(air, (mu, exchange), (rest, is_first))
        };
        is_planned && (is_first || exchange.length(&air.airtime) <= rest)
    }

    /// Adds the turns of the stations' data and of the `BlockAck` for them. Returns false if there is no time for a
    /// packet in the TXOP.
    fn plan_triggered_data(
        &self,
        air: &Air<P>,
        (mu, exchange): (&mut MultiUserMac, &mut MultiUserExchange),
        (rest, is_first): (Duration, bool),
    ) -> bool {
        let granted = mu.granted.iter().map(|place| mu.candidates[*place].backlog);
        let granted: Vec<Backlog> =
            granted.chain(exchange.random.map(|_| Backlog::Unknown)).collect();
        let params = mu.up.as_ref().map(|up| up.params);
        let (Some((tx, ppdu)), Some(params)) = (triggered_ppdu(mu, exchange), params) else {
            return false;
        };
        let block_ack = self.plan_block_acks(air, exchange, tx);
        let length = |octets| lasts(air, ppdu, octets);
        let null = length(NULL);
        let around =
            exchange.length(&air.airtime) + air.airtime.timing.sifs * 2 + block_ack.duration;
        let longest = MAX_PPDU_DURATION.min(rest.saturating_sub(around));
        let (band, padding) = (air.airtime.band(), PacketPadding::default());
        let most = ppdu.room(longest, band, padding);
        let longest = most.map_or(null, |most| ppdu.lasting(most, band, padding));
        if !is_first && longest < length(ORDINARY_PART) {
            // Hardly a packet would fit into the rest of the TXOP.
            return false;
        }
        let duration = law::triggered_duration(&params, longest, granted, length).max(null);
        exchange.turns.push(Turn { kind: TurnKind::Uplink, tx, psdu: Bytes::ZERO, duration });
        exchange.turns.push(block_ack);
        true
    }

    /// `BlockAck` for all participants, as long as if each needs a bitmap, and each random unit the longest one.
    fn plan_block_acks(&self, air: &Air<P>, exchange: &MultiUserExchange, tx: TxVector) -> Turn {
        let window = |id: ContenderId| {
            let link = self.queues[id.index()].link_of(NodeId::AP);
            link.map_or(64, |link| link.agreement.window.mpdus())
        };
        let named = exchange.participants.iter().map(|it| window(it.contender));
        let of_any = || {
            let stations = air.members().filter(|it| !it.is_ap());
            stations.map(|it| window(air.roster.find(it, AccessCategory::default))).max()
        };
        let random = exchange
            .random
            .into_iter()
            .flat_map(|it| repeat_n(of_any().unwrap_or_default(), it.units.into()));
        let psdu = multi_sta_block_ack(named.chain(random).map(Acknowledgment::Bitmap));
        let slowest = slowest_response(&air.airtime, &exchange.participants);
        let random = exchange.random.map(|it| air.airtime.response(it.tx));
        let tx = slowest.into_iter().chain(random).min_by_key(|tx| tx.rate()).unwrap_or(tx);
        Turn { kind: TurnKind::MultiBlockAck, tx, psdu, duration: air.airtime.frame(psdu, tx) }
    }

    /// True if the access point may trigger this station: it has the format of the cell and a block ack agreement.
    pub(super) fn may_be_triggered(&self, mu: &MultiUserMac, contender: ContenderId) -> bool {
        let tx = self.members[contender.member().index()].rate_up.get();
        let link = self.queues[contender.index()].link_of(NodeId::AP);
        link.is_some_and(|link| link.agreement.has_block_ack()) && mu.is_able(tx)
    }

    /// True if the access point may trigger any station.
    pub(super) fn may_trigger(&self, air: &Air<P>, mu: &MultiUserMac) -> bool {
        let mut stations = air.members().filter(|it| !it.is_ap());
        stations.any(|it| self.may_be_triggered(mu, air.roster.find(it, AccessCategory::default)))
    }

    /// Lets the law choose the stations of the next triggered PPDU. Returns the unit that each gets; `None` for none.
    fn choose_transmitters(
        &mut self,
        air: &Air<P>,
        now: Time,
        mu: &mut MultiUserMac,
    ) -> Option<Unit> {
        mu.candidates.clear();
        mu.granted.clear();
        for station in air.members().filter(|it| !it.is_ap()) {
            let contender = air.roster.find(station, AccessCategory::default);
            if !self.may_be_triggered(mu, contender) {
                continue;
            }
            let backlog = match mu.report_of(now, station) {
                _ if mu.polls() => Backlog::Unknown,
                Backlog::Unknown if mu.random.is_some() => Backlog::Octets(Bytes::ZERO),
                known => known,
            };
            mu.candidates.push(Candidate {
                station: station.0,
                is_multi_user: true,
                backlog,
                rate: self.members[station.index()].rate_up.get().rate(),
                urgency: Urgency::Other,
                waiting: Duration::ZERO,
            });
        }
        let is_empty = |it: &Candidate| it.backlog == Backlog::Octets(Bytes::ZERO);
        if mu.random.is_none() && mu.candidates.iter().all(is_empty) {
            // The reports may be outdated, and an answer brings new ones.
            mu.candidates.iter_mut().for_each(|it| it.backlog = Backlog::Unknown);
        }
        mu.choose(now, Direction::Up, |mu, unit, candidate| {
            let tx = self.members[usize::from(candidate.station)].rate_up.get();
            let mode = mu.on_unit(tx, unit, PpduKind::Triggered);
            mode.is_some_and(|mode| {
                air.airtime.frame(ORDINARY_PART, TxVector::Mode(mode)) < MAX_PPDU_DURATION
            })
        })
    }

    /// Lets the stations that have a unit take part in the exchange.
    fn admit_transmitters(
        &self,
        air: &Air<P>,
        (mu, exchange): (&MultiUserMac, &mut MultiUserExchange),
        unit: Unit,
    ) {
        for candidate in &mu.granted {
            let station = NodeId(mu.candidates[*candidate].station);
            let contender = air.roster.find(station, AccessCategory::default);
            let tx = self.members[station.index()].rate_up.get();
            let unit = match (unit, tx) {
                // A station that is alone has all of its own width.
                (Unit::Full, TxVector::Mode(mode)) => Unit::filling(mode.width()),
                _ => unit,
            };
            let Some(data) = mu.on_unit(tx, unit, PpduKind::Triggered) else { continue };
            let data = TxVector::Mode(data);
            exchange.add(Participant::new(contender, data, (data, Bytes::ZERO)));
        }
    }

    /// Lets a station prepare its part of triggered PPDUs, which last `duration`. It answers in any case, if only with a
    /// buffer report.
    #[cold]
    pub(crate) fn prepare_triggered(
        &mut self,
        air: &mut Air<P>,
        now: Time,
        (asked, duration): (TurnKind, Duration),
        participant: &mut Participant,
    ) {
        if asked != TurnKind::Uplink {
            return;
        }
        let Some(id) = self.contender_with_data(air, participant.station()) else { return };
        let Some(mu) = &mut self.multi_user else { return };
        let octets = mu.octets_within(air.airtime.band(), participant.data.0, duration);
        let room = self.room_of_part((id, NodeId::AP), octets);
        let queue = &mut self.queues[id.index()];
        queue.prepare(now, NodeId::AP, &room);
        let batch = queue.batch(NodeId::AP);
        self.report_dropped(air, id);
        participant.waits = batch.mpdus() > 0 && batch.octets() <= room.octets;
        if participant.waits {
            participant.contender = id;
            participant.data.1 = batch.octets();
        }
    }

    /// Contender of a station that has data for the access point, of the highest category that has some.
    pub(super) fn contender_with_data(&self, air: &Air<P>, station: NodeId) -> Option<ContenderId> {
        air.roster.of(station).rev().find(|id| {
            let queue = &self.queues[id.index()];
            let link = queue.link_of(NodeId::AP);
            queue.link_in_service().is_some()
                && link.is_some_and(|link| link.originator.request().is_none())
        })
    }
}

/// Adds the turn of the stations' buffer reports. Returns false if their vectors do not go together.
fn plan_reports<P>(air: &Air<P>, mu: &mut MultiUserMac, exchange: &mut MultiUserExchange) -> bool {
    let Some((tx, ppdu)) = triggered_ppdu(mu, exchange) else { return false };
    let (kind, duration) = (TurnKind::Reports, lasts(air, ppdu, NULL));
    let octets = NULL * exchange.participants.len() as u64;
    exchange.turns.push(Turn { kind, tx, psdu: octets, duration });
    true
}

/// PPDU of all participants and random units, with the vector of the first; `None` if their vectors do not go together.
fn triggered_ppdu<'a>(
    mu: &'a mut MultiUserMac,
    exchange: &MultiUserExchange,
) -> Option<(TxVector, &'a MultiUser)> {
    let named = exchange.participants.iter().map(|it| it.data.0);
    let random = exchange.random.into_iter().flat_map(|it| repeat_n(it.tx, it.units.into()));
    let vectors = named.chain(random);
    Some((vectors.clone().next()?, mu.ppdu(vectors.filter_map(TxVector::mode))?))
}

/// Duration of a triggered PPDU in which each part has so many octets.
fn lasts<P>(air: &Air<P>, ppdu: &MultiUser, octets: Bytes) -> Duration {
    let sizes = vec![octets; ppdu.modes().len()];
    ppdu.duration(&sizes, air.airtime.band(), PacketPadding::default())
}
