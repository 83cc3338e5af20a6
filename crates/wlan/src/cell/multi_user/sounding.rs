//! Soundings: how an access point measures the channels to stations that are to share a PPDU.  [80211ax-2021 §26.7.3]

use airfair_laws::multi_user::MOST_STREAMS;
use airfair_units::{Bytes, Duration};

use super::super::mac::CellMac;
use super::downlink::slowest_response;
use super::schedule::MultiUserMac;
use crate::air::Air;
use crate::air::turns::{MultiUserExchange, Participant, Turn, TurnKind};
use crate::node::NodeId;
use crate::phy::TxVector;
use crate::phy::ppdu::{MAX_PPDU_DURATION, PacketPadding};
use crate::queue::headers::Headers;
use crate::roster::ContenderId;
use crate::sizes::TriggerVariant;
use crate::sounding;

impl<P: Copy + Headers> CellMac<P> {
    /// Plans a sounding of the first of these stations, as many as their reports fit into one PPDU and into the rest of the
    /// TXOP. Returns false if none fits.
    pub(super) fn plan_sounding(
        &self,
        air: &Air<P>,
        (mu, exchange): (&mut MultiUserMac, &mut MultiUserExchange),
        (id, stations, rest): (ContenderId, &[NodeId], Duration),
    ) -> bool {
        let is_planned = (1..=stations.len()).rev().any(|count| {
            exchange.begin(id);
            self.fill_sounding(air, (mu, exchange), &stations[..count]).is_some()
                && exchange.content().1 <= MAX_PPDU_DURATION
                && exchange.length(&air.airtime) <= rest
        });
        if !is_planned {
            exchange.begin(id);
        }
        is_planned
    }

    /// Adds the stations of a sounding and its turns. `None` if a station has no mode for its report.
    fn fill_sounding(
        &self,
        air: &Air<P>,
        (mu, exchange): (&mut MultiUserMac, &mut MultiUserExchange),
        stations: &[NodeId],
    ) -> Option<()> {
        let airtime = &air.airtime;
        let (unit, rows) = (mu.unit_for(stations.len()), mu.sharing.as_ref()?.streams);
        for to in stations {
            let tx = self.members[to.index()].rate_down.get();
            let answer = TxVector::Mode(mu.answer_on_unit(tx, unit)?);
            let columns = tx.streams().min(MOST_STREAMS).min(rows);
            let report = sounding::report_psdu(sounding::report(mu.width, (rows, columns)));
            exchange.add(Participant::new(ContenderId::first(*to), answer, (answer, report)));
        }
        let tx = slowest_response(airtime, &exchange.participants)?;
        let frame = |kind, psdu| Turn { kind, tx, psdu, duration: airtime.frame(psdu, tx) };
        let announcement = sounding::announcement(stations.len());
        exchange.turns.push(frame(TurnKind::Announcement, announcement));
        let ndp = sounding::ndp(mu.width, rows, mu.guard).ok()?;
        exchange.turns.push(Turn {
            kind: TurnKind::Sounding,
            tx: TxVector::Mode(ndp),
            psdu: Bytes::ZERO,
            duration: sounding::ndp_duration(ndp, airtime.band()),
        });
        let trigger = TriggerVariant::BeamformingReport.size(stations.len(), mu.format);
        exchange.turns.push(frame(TurnKind::Trigger, trigger));
        let answers = || exchange.participants.iter().map(|it| it.answer);
        let sizes: Vec<Bytes> = answers().map(|(_, size)| size).collect();
        let tx = exchange.participants.first()?.answer.0;
        let together = mu.ppdu(answers().filter_map(|(tx, _)| tx.mode()))?;
        let duration = together.duration(&sizes, airtime.band(), PacketPadding::default());
        let psdu = sizes.into_iter().sum();
        exchange.turns.push(Turn { kind: TurnKind::Feedback, tx, psdu, duration });
        Some(())
    }
}
