//! Downlink: data for several stations in one PPDU, and the turns that acknowledge them.  [80211ax-2021 §26.4.4]

use airfair_laws::Direction;
use airfair_laws::multi_user::{self as law, Backlog, Candidate, Delivery, Urgency};
use airfair_units::{Bytes, Duration, Time};

use super::super::mac::CellMac;
use super::schedule::MultiUserMac;
use crate::aggregation::padded;
use crate::air::Air;
use crate::air::turns::{MultiUserExchange, Participant, Turn, TurnKind};
use crate::airtime::{Airtime, Protection};
use crate::edca::AccessCategory;
use crate::multi_user::MultiUserAck;
use crate::node::NodeId;
use crate::phy::mode::Parameters;
use crate::phy::multi_user::MultiUser;
use crate::phy::ppdu::{MAX_PPDU_DURATION, PacketPadding};
use crate::phy::{Mode, PpduKind, TxVector, Unit};
use crate::queue::headers::Headers;
use crate::queue::{Room, Waits};
use crate::roster::ContenderId;
use crate::sizes::{
    BLOCK_ACK_REQUEST_SIZE, CTS_SIZE, DELIMITER, QOS_DATA_OVERHEAD, TriggerVariant,
};

/// Stations that may share the next PPDU, in the order of the law.
pub(super) struct Receivers {
    /// Mode of the part of each station.
    pub(super) parts: Vec<(NodeId, Mode)>,
    /// Unit of each station's answer if they answer together.
    pub(super) answer: Unit,
}

impl MultiUserMac {
    /// True if a part with this mode may carry the largest packet that waits for a station.
    pub(super) fn holds_a_packet(&self, airtime: &Airtime, station: u16, mode: Mode) -> bool {
        let largest = self.waits[usize::from(station)].largest;
        let octets = largest + QOS_DATA_OVERHEAD + DELIMITER + self.trigger_in_data();
        airtime.frame(padded(octets), TxVector::Mode(mode)) < MAX_PPDU_DURATION
    }

    /// Size of the trigger frame in each part of the data, with its delimiter; zero if there is none.
    fn trigger_in_data(&self) -> Bytes {
        match self.ofdma.ack {
            MultiUserAck::AggregatedMuBar => {
                TriggerVariant::BlockAckRequest.size(1, self.format) + DELIMITER
            }
            MultiUserAck::Bar | MultiUserAck::MuBar => Bytes::ZERO,
        }
    }

    /// Mode of a station's `BlockAck` or report in a unit: at MCS 5 at most, with one stream, as in ns-3.  [ns3-multi-user
    /// §`GetBlockAckTxVector`]
    pub(super) fn answer_on_unit(&self, tx: TxVector, unit: Unit) -> Option<Mode> {
        let TxVector::Mode(mode) = tx else { return None };
        let of = mode.parameters();
        let of = Parameters { mcs: of.mcs.min(5), streams: 1, ..of };
        self.on_unit(Mode::new(of).ok().map(TxVector::Mode)?, unit, PpduKind::Triggered)
    }
}

impl<P: Copy + Headers> CellMac<P> {
    /// Plans data for several stations. Returns false if the next frame is for one station.
    pub(super) fn plan_downlink(
        &mut self,
        air: &mut Air<P>,
        now: Time,
        (mu, exchange): (&mut MultiUserMac, &mut MultiUserExchange),
        (id, rest, is_first): (ContenderId, Duration, bool),
    ) -> bool {
        if !self.list_receivers(air, now, mu, id) {
            return false;
        }
        // Channels are measured at the start of a TXOP only.
        let mut may_sound = is_first;
        let receivers = loop {
            let chosen = self.choose_receivers(air, now, (mu, exchange), (id, rest, may_sound));
            let Some(receivers) = chosen else { return false };
            let Some(stations) = mu.stations_to_sound(now, &receivers) else { break receivers };
            if self.plan_sounding(air, (mu, exchange), (id, &stations, rest)) {
                return true;
            }
            may_sound = false;
        };
        self.admit_receivers(air, (mu, exchange), (id, &receivers));
        let users = exchange.participants.len();
        plan_answers(air, mu, exchange);
        if is_first {
            plan_protection(air, mu, exchange);
        }
        let around = around_data(&air.airtime, exchange);
        let longest = rest.saturating_sub(around).min(MAX_PPDU_DURATION);
        let Some(data) = self.fill_parts(air, now, (mu, exchange), (id, longest)) else {
            return false;
        };
        if exchange.participants.len() < users {
            // CoDel has dropped all packets of a station.
            exchange.turns.clear();
            plan_answers(air, mu, exchange);
        }
        let calls = |turn: &Turn| {
            matches!(turn.kind, TurnKind::CtsToSelf | TurnKind::Call | TurnKind::Clears)
        };
        let place = exchange.turns.iter().take_while(|turn| calls(turn)).count();
        exchange.turns.insert(place, data);
        true
    }

    /// True if a planned exchange of contender `id` ends within the rest of the TXOP. If it does not, the MPDUs of
    /// receivers that are not in service wait for their turn.  [80211-2020 §10.23.2.8]
    pub(super) fn fits_txop(
        &mut self,
        air: &Air<P>,
        now: Time,
        exchange: &MultiUserExchange,
        (id, rest): (ContenderId, Duration),
    ) -> bool {
        let fits = exchange.length(&air.airtime) <= rest;
        for participant in exchange.participants.iter().filter(|_| !fits) {
            self.queues[id.index()].return_part(now, participant.station());
        }
        fits
    }

    /// Lists the stations for which contender `id` has packets as candidates for the next PPDU. Returns false if the next
    /// frame is for one station.
    fn list_receivers(
        &mut self,
        air: &Air<P>,
        now: Time,
        mu: &mut MultiUserMac,
        id: ContenderId,
    ) -> bool {
        let queue = &self.queues[id.index()];
        if mu.down.is_none() || !queue.serves_several() {
            return false;
        }
        let Some(first) = queue.link_in_service() else { return false };
        mu.waits.fill(Waits::default());
        queue.add_backlogs(&mut mu.waits);
        mu.candidates.clear();
        let urgency = match air.roster.category(id) {
            AccessCategory::Voice => Urgency::Voice,
            AccessCategory::Video => Urgency::Video,
            AccessCategory::BestEffort | AccessCategory::Background => Urgency::Other,
        };
        let others = air.members().filter(|to| *to != first);
        for to in std::iter::once(first).chain(others) {
            let waits = mu.waits[to.index()];
            if waits.octets.is_zero() && to != first {
                continue;
            }
            let tx = self.members[to.index()].rate_down.get();
            let may_send = self.queues[id.index()].link_of(to).is_some_and(|link| {
                link.agreement.has_block_ack() && link.originator.request().is_none()
            });
            let may_send = may_send && !queue.holds_bulk(to);
            mu.candidates.push(Candidate {
                station: to.0,
                is_multi_user: may_send && mu.is_able(tx),
                backlog: Backlog::Octets(waits.octets),
                rate: tx.rate(),
                urgency,
                waiting: waits.since.map_or(Duration::ZERO, |since| now.saturating_since(since)),
            });
        }
        true
    }

    /// Lets the law choose the stations of the next PPDU, in units of their own or on streams of their own, by which more
    /// data are delivered per time. The scheduler of the cell's owner chooses units. `None` if the next frame is for one
    /// station.
    fn choose_receivers(
        &mut self,
        air: &Air<P>,
        now: Time,
        (mu, exchange): (&mut MultiUserMac, &mut MultiUserExchange),
        (id, rest, may_sound): (ContenderId, Duration, bool),
    ) -> Option<Receivers> {
        let by_units = self.choose_by_units(air, now, mu);
        if mu.lent.has_chosen {
            return by_units;
        }
        let by_streams = self.choose_by_streams(air, now, mu, may_sound);
        let (Some(units), Some(streams)) = (&by_units, &by_streams) else {
            return by_units.or(by_streams);
        };
        let [of_units, of_streams] = [units, streams]
            .map(|receivers| self.predict(air, (mu, exchange), (id, rest, receivers)));
        if law::is_multi_user_better(of_streams, of_units) { by_streams } else { by_units }
    }

    /// Lets the law choose the stations of the next PPDU, each in a unit of its own.
    fn choose_by_units(&self, air: &Air<P>, now: Time, mu: &mut MultiUserMac) -> Option<Receivers> {
        mu.ofdma.down?;
        let tx = |station: u16| self.members[usize::from(station)].rate_down.get();
        let unit = mu.choose(now, Direction::Down, |mu, unit, candidate| {
            let mode = mu.on_unit(tx(candidate.station), unit, PpduKind::Multi);
            mode.is_some_and(|mode| mu.holds_a_packet(&air.airtime, candidate.station, mode))
        })?;
        let of = |candidate: &usize| {
            let station = mu.candidates[*candidate].station;
            Some((NodeId(station), mu.on_unit(tx(station), unit, PpduKind::Multi)?))
        };
        Some(Receivers { parts: mu.granted.iter().filter_map(of).collect(), answer: unit })
    }

    /// Delivery that an exchange with these stations promises, of the packets that wait now.
    fn predict(
        &mut self,
        air: &Air<P>,
        (mu, exchange): (&mut MultiUserMac, &mut MultiUserExchange),
        (id, rest, receivers): (ContenderId, Duration, &Receivers),
    ) -> Delivery {
        exchange.begin(id);
        self.admit_receivers(air, (mu, exchange), (id, receivers));
        plan_answers(air, mu, exchange);
        let around = around_data(&air.airtime, exchange);
        let longest = rest.saturating_sub(around).min(MAX_PPDU_DURATION);
        let stations: Vec<NodeId> =
            exchange.participants.iter().map(Participant::station).collect();
        exchange.begin(id);
        let waits: Vec<Waits> = stations.iter().map(|to| mu.waits[to.index()]).collect();
        let (band, padding) = (air.airtime.band(), PacketPadding::default());
        let Some(ppdu) = mu.ppdu(receivers.parts.iter().map(|(_, mode)| *mode)) else {
            return Delivery::default();
        };
        let most = ppdu.room(longest, band, padding);
        let part = |(place, (to, waits)): (usize, (&NodeId, &Waits))| {
            let octets = most.map_or(Bytes::ZERO, |most| ppdu.largest_psdu(place, most));
            let room = self.room_of_part((id, *to), octets);
            waits.octets.min(room.octets).min(waits.largest * u64::from(room.mpdus))
        };
        let sizes: Vec<Bytes> = stations.iter().zip(&waits).enumerate().map(part).collect();
        let duration = ppdu.duration(&sizes, band, padding) + around;
        Delivery { octets: sizes.into_iter().sum(), duration }
    }

    /// Lets these stations take part in the exchange.
    fn admit_receivers(
        &mut self,
        air: &Air<P>,
        (mu, exchange): (&MultiUserMac, &mut MultiUserExchange),
        (id, receivers): (ContenderId, &Receivers),
    ) {
        for (to, data) in receivers.parts.iter().copied() {
            let tx = self.members[to.index()].rate_down.get();
            let frames = self.frames(&air.airtime, (id, to), tx);
            let Some(answer) = mu.answer_on_unit(tx, receivers.answer) else { continue };
            let size = self.queues[id.index()].link(to).agreement.window.response_size();
            let answer = match mu.ofdma.ack {
                MultiUserAck::Bar => (frames.control, size),
                MultiUserAck::MuBar | MultiUserAck::AggregatedMuBar => {
                    (TxVector::Mode(answer), size + DELIMITER)
                }
            };
            exchange.add(Participant::new(ContenderId::first(to), TxVector::Mode(data), answer));
        }
    }

    /// Makes the part of each participant in a PPDU that lasts at most `longest`. Participants without packets leave.
    /// Returns the turn of the PPDU; `None` if nobody is left.
    fn fill_parts(
        &mut self,
        air: &mut Air<P>,
        now: Time,
        (mu, exchange): (&mut MultiUserMac, &mut MultiUserExchange),
        (id, longest): (ContenderId, Duration),
    ) -> Option<Turn> {
        let (band, padding) = (air.airtime.band(), PacketPadding::default());
        let trigger = mu.trigger_in_data();
        let ppdu = mu.ppdu(exchange.participants.iter().filter_map(|it| it.data.0.mode()))?;
        let most = ppdu.room(longest, band, padding);
        let stations = exchange.participants.iter().map(Participant::station);
        let parts: Vec<(NodeId, Room)> = stations
            .enumerate()
            .map(|(place, to)| {
                let octets = most.map_or(Bytes::ZERO, |most| ppdu.largest_psdu(place, most));
                let room = self.room_of_part((id, to), octets);
                let before = room.octets.saturating_sub(trigger);
                let octets = if trigger.is_zero() { before } else { whole_words(before) };
                (to, Room { octets, ..room })
            })
            .collect();
        self.queues[id.index()].prepare_parts(now, &parts);
        self.report_dropped(air, id);
        for participant in &mut exchange.participants {
            let batch = self.queues[id.index()].batch(participant.station());
            participant.data.1 = match (batch.mpdus(), trigger.is_zero()) {
                (0, _) => Bytes::ZERO,
                (_, true) => batch.octets(),
                (_, false) => padded(batch.octets()) + trigger,
            };
        }
        for left_out in exchange.participants.iter().filter(|it| it.data.1.is_zero()) {
            self.queues[id.index()].return_part(now, left_out.station());
        }
        exchange.participants.retain(|it| !it.data.1.is_zero());
        exchange.block_acks.truncate(exchange.participants.len());
        let tx = exchange.participants.first()?.data.0;
        let sizes: Vec<Bytes> = exchange.participants.iter().map(|it| it.data.1).collect();
        let ppdu = mu.ppdu(exchange.participants.iter().filter_map(|it| it.data.0.mode()))?;
        let duration = ppdu.duration(&sizes, band, padding);
        Some(Turn { kind: TurnKind::Data, tx, psdu: sizes.into_iter().sum(), duration })
    }

    /// Room of a station's part with at most `octets` octets.
    pub(super) fn room_of_part(&mut self, (id, to): (ContenderId, NodeId), octets: Bytes) -> Room {
        let sends_alone = self.rate_to(id, to).sends_alone();
        let agreement = &self.queues[id.index()].link(to).agreement;
        let mpdus = if sends_alone { 1 } else { agreement.most_mpdus() };
        Room { octets: octets.min(agreement.limits.max_bytes), mpdus }
    }
}

/// Time that the turns before and after the data take, with a SIFS for each.
fn around_data(airtime: &Airtime, exchange: &MultiUserExchange) -> Duration {
    exchange.turns.iter().map(|turn| airtime.timing.sifs + turn.duration).sum()
}

/// Adds the turns that acknowledge data for the participants.
fn plan_answers<P>(air: &Air<P>, mu: &mut MultiUserMac, exchange: &mut MultiUserExchange) {
    let airtime = &air.airtime;
    let MultiUserExchange { turns, participants, .. } = exchange;
    if mu.ofdma.ack == MultiUserAck::Bar {
        for (place, it) in participants.iter().enumerate() {
            let (tx, psdu) = it.answer;
            let turn = |kind, psdu| Turn { kind, tx, psdu, duration: airtime.frame(psdu, tx) };
            if place > 0 {
                turns.push(turn(TurnKind::Request(place), BLOCK_ACK_REQUEST_SIZE));
            }
            turns.push(turn(TurnKind::Answer(place), psdu));
        }
        return;
    }
    if mu.ofdma.ack == MultiUserAck::MuBar {
        let Some(tx) = slowest_response(airtime, participants) else { return };
        let psdu = TriggerVariant::BlockAckRequest.size(participants.len(), mu.format);
        let duration = airtime.frame(psdu, tx);
        turns.push(Turn { kind: TurnKind::Trigger, tx, psdu, duration });
    }
    let Some(first) = participants.first() else { return };
    let tx = first.answer.0;
    let psdu = participants.iter().map(|it| it.answer.1).sum();
    let sizes: Vec<Bytes> = participants.iter().map(|it| it.answer.1).collect();
    let known = mu.ppdu(participants.iter().filter_map(|it| it.answer.0.mode()));
    let lasts =
        |users: &MultiUser| users.duration(&sizes, airtime.band(), PacketPadding::default());
    let duration = known.map_or(Duration::ZERO, lasts);
    turns.push(Turn { kind: TurnKind::Answers, tx, psdu, duration });
}

/// Adds the turns that protect data for the participants: MU-RTS and CTS frames, or a CTS-to-self. The backlog of
/// each station decides, because its part of the PPDU is not known yet.  [80211ax-2021 §26.2.6]
fn plan_protection<P>(air: &Air<P>, mu: &MultiUserMac, exchange: &mut MultiUserExchange) {
    let airtime = &air.airtime;
    let MultiUserExchange { turns, participants, .. } = exchange;
    let of = |it: &Participant| {
        let octets = mu.waits[it.station().index()].octets;
        (octets, airtime.protection_of(octets + QOS_DATA_OVERHEAD, it.data.0))
    };
    let strongest = participants.iter().map(of).max_by_key(|(octets, _)| *octets);
    match strongest.map_or(Protection::None, |(_, protection)| protection) {
        Protection::None => {}
        Protection::CtsToSelf(tx) => {
            let (kind, duration) = (TurnKind::CtsToSelf, airtime.cts(tx));
            turns.insert(0, Turn { kind, tx, psdu: CTS_SIZE, duration });
        }
        Protection::RtsCts(tx) => {
            let psdu = TriggerVariant::Rts.size(participants.len(), mu.format);
            let duration = airtime.frame(psdu, tx);
            turns.insert(0, Turn { kind: TurnKind::Call, tx, psdu, duration });
            let tx = airtime.response(tx);
            let (kind, duration) = (TurnKind::Clears, airtime.cts(tx));
            turns.insert(1, Turn { kind, tx, psdu: CTS_SIZE, duration });
        }
    }
}

/// Largest multiple of four octets that is at most `octets`: a subframe follows it without further padding.
fn whole_words(octets: Bytes) -> Bytes {
    Bytes::new(octets.get() & !3)
}

/// Vector of a control frame for all participants: the slowest of those that answer their data.
pub(super) fn slowest_response(
    airtime: &Airtime,
    participants: &[Participant],
) -> Option<TxVector> {
    participants.iter().map(|it| airtime.response(it.data.0)).min_by_key(|tx| tx.rate())
}
