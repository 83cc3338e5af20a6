//! Random access of stations to resource units that trigger frames offer to all (UORA).  [80211ax-2021 §26.5.4]
//!
//! A [law](airfair_laws::uora) counts down and chooses the unit of each station. A random unit serves the stations whose
//! backlogs the access point does not know.  Deviates: [D-233]

use airfair_laws::uora::Event;
use airfair_units::{Bytes, Duration, Time};

use super::super::mac::CellMac;
use super::schedule::MultiUserMac;
use super::uora::RandomAccess;
use crate::air::Air;
use crate::air::turns::{Participant, TurnKind};
use crate::edca::AccessCategory;
use crate::frame::RandomUnits;
use crate::node::NodeId;
use crate::phy::mode::Parameters;
use crate::phy::{Mode, PpduKind, TxVector, Unit};
use crate::queue::headers::Headers;
use crate::random::Stream;

impl MultiUserMac {
    /// Mode of a station's part in a random unit of this size; `None` if the station is too narrow for it.
    fn on_random_unit(&self, tx: TxVector, unit: Unit) -> Option<Mode> {
        let unit = if unit == Unit::Full { Unit::filling(self.width) } else { unit };
        self.on_unit(tx, unit, PpduKind::Triggered)
    }
}

impl<P: Copy + Headers> CellMac<P> {
    /// Lets stations access random units of triggers, if the cell has any. Each draws from its own stream.
    #[cold]
    pub(crate) fn let_access_at_random(&mut self, streams: Vec<Stream>) {
        assert_eq!(streams.len() + 1, self.members.len(), "one stream per station");
        if let Some(mu) = self.multi_user.as_mut().filter(|mu| mu.ofdma.random > 0) {
            mu.random = Some(RandomAccess::new(streams));
        }
    }

    /// Random units of a trigger whose named stations have units of this size, and take the first `named` of them; `None`
    /// if the trigger has none. All stations that are wide enough can send with the vector of the units.
    pub(super) fn offer_random_units(
        &self,
        mu: &MultiUserMac,
        unit: Option<Unit>,
        named: usize,
    ) -> Option<RandomUnits> {
        let units = mu.random_units();
        if units == 0 {
            return None;
        }
        let on_unit = |unit| {
            let members = mu.candidates.iter().map(|it| &self.members[usize::from(it.station)]);
            members.map(move |it| mu.on_random_unit(it.rate_up.get(), unit))
        };
        let unit =
            unit.or_else(|| mu.widest(units, |unit| on_unit(unit).all(|it| it.is_some())))?;
        let slowest = on_unit(unit).flatten().map(Mode::parameters).min_by_key(|of| of.mcs)?;
        // A trigger has the number of random units in the place of streams.
        let tx = TxVector::Mode(Mode::new(Parameters { streams: 1, ..slowest }).ok()?);
        let first = u16::try_from(named).expect("at most 148 units");
        Some(RandomUnits { units, first, tx })
    }

    /// Lets a station with data for the access point count down, and send in a random unit if its counter has ended.
    #[cold]
    pub(crate) fn choose_random_unit(
        &mut self,
        air: &mut Air<P>,
        now: Time,
        (RandomUnits { units, first, tx }, duration): (RandomUnits, Duration),
        station: NodeId,
    ) -> Option<Participant> {
        let contender = air.roster.find(station, AccessCategory::default);
        let (mu, rate) = (self.multi_user.as_ref()?, self.members[station.index()].rate_up.get());
        mu.on_random_unit(rate, tx.mode()?.unit())?;
        if !self.may_be_triggered(mu, contender) {
            return None;
        }
        self.contender_with_data(air, station)?;
        let random = self.multi_user.as_mut()?.random.as_mut()?;
        let place = first + random.step(station, |draw| Event::Trigger { units, draw })?;
        let (is_random, hears) = (true, true);
        let of = Participant::new(contender, tx, (tx, Bytes::ZERO));
        let mut participant = Participant { place, is_random, hears, ..of };
        self.prepare_triggered(air, now, (TurnKind::Uplink, duration), &mut participant);
        if !participant.waits {
            // A report asks for no response, and counts as a success.
            self.settle_random_unit(station, true);
        }
        Some(participant)
    }

    /// Lets a station draw a new counter after its part in a random unit was, or was not, acknowledged.
    pub(super) fn settle_random_unit(&mut self, station: NodeId, is_acknowledged: bool) {
        let random = self.multi_user.as_mut().and_then(|mu| mu.random.as_mut());
        let random = random.expect("a station in a random unit");
        random.step(station, |draw| {
            if is_acknowledged { Event::Success { draw } } else { Event::Failure { draw } }
        });
    }
}
