//! Downlink: data for several stations in one PPDU, and the turns that acknowledge them.  [80211ax-2021 §26.4.4]

use airfair_laws::Direction;
use airfair_laws::multi_user::{Backlog, Candidate, Urgency};
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

impl MultiUserMac {
    /// Size of the trigger frame in each part of the data, with its delimiter; zero if there is none.
    fn trigger_in_data(&self) -> Bytes {
        match self.ofdma.ack {
            MultiUserAck::AggregatedMuBar => {
                TriggerVariant::BlockAckRequest.size(1, self.format) + DELIMITER
            }
            MultiUserAck::Bar | MultiUserAck::MuBar => Bytes::ZERO,
        }
    }

    /// Mode of a station's `BlockAck` in a unit: at MCS 5 at most, with one stream, as in ns-3.  [ns3-multi-user
    /// §`GetBlockAckTxVector`]
    fn answer_on_unit(&self, tx: TxVector, unit: Unit) -> Option<Mode> {
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
        let Some(unit) = self.choose_receivers(air, now, mu, id) else { return false };
        self.admit_receivers(air, (mu, exchange), (id, unit));
        let users = exchange.participants.len();
        plan_answers(air, mu, exchange);
        if is_first {
            plan_protection(air, mu, exchange);
        }
        let sifs = air.airtime.timing.sifs;
        let around: Duration = exchange.turns.iter().map(|turn| sifs + turn.duration).sum();
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
            mu.candidates.push(Candidate {
                station: to.0,
                is_multi_user: may_send && mu.is_able(tx),
                backlog: Backlog::Octets(waits.octets),
                rate: tx.rate(),
                urgency,
                waiting: waits.since.map_or(Duration::ZERO, |since| now.saturating_since(since)),
            });
        }
        mu.choose(now, Direction::Down, |mu, unit, candidate| {
            let to = usize::from(candidate.station);
            let tx = self.members[to].rate_down.get();
            let largest =
                mu.waits[to].largest + QOS_DATA_OVERHEAD + DELIMITER + mu.trigger_in_data();
            let mode = mu.on_unit(tx, unit, PpduKind::Multi);
            mode.is_some_and(|mode| {
                air.airtime.frame(padded(largest), TxVector::Mode(mode)) < MAX_PPDU_DURATION
            })
        })
    }

    /// Lets the stations that have a unit take part in the exchange.
    fn admit_receivers(
        &mut self,
        air: &Air<P>,
        (mu, exchange): (&MultiUserMac, &mut MultiUserExchange),
        (id, unit): (ContenderId, Unit),
    ) {
        for candidate in &mu.granted {
            let to = NodeId(mu.candidates[*candidate].station);
            let tx = self.members[to.index()].rate_down.get();
            let frames = self.frames(&air.airtime, id, to);
            let (Some(data), Some(answer)) =
                (mu.on_unit(tx, unit, PpduKind::Multi), mu.answer_on_unit(tx, unit))
            else {
                continue;
            };
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
