//! A channel that several cells share: frames that other cells hear, and frames of other cells.
//!
//! Each cell has an [`Air`] with its own members, and hears [foreign members](crate::ForeignMember) as transmitters without
//! a queue. A [neighbourhood](crate::Neighbourhood) passes each frame on at its start and at its end. To this end the
//! start of frames has two steps: all cells put the frames on the air that start now, and then all members find the
//! medium busy. So members of different cells whose back-offs end in the same slot collide.
//!
//! In cells with a radio, the powers of frames decide who hears them, and add up to the [interference](super::interference)
//! in the frames that they overlap.

use airfair_units::{Dbm, Time};

use super::channel::Air;
use super::emission::{Emission, Span};
use super::interference::Interference;
use super::mac::Mac;
use super::noise::Noise;
use super::spatial_reuse::SpatialReuse;
use super::spectrum::Channels;
use super::target_power;
use super::turns::TurnKind;
use crate::frame::{Frame, Ppdu};
use crate::moment::{Moment, Phase};
use crate::node::NodeId;
use crate::phy::{TxVector, Width};
use crate::radio::Source;
use crate::roster::ContenderId;

impl<P: Copy> Air<P> {
    /// Lets other cells hear the frames of this one.
    pub(crate) fn share(&mut self) {
        self.emissions = Some(Box::default());
        self.contention.share();
        if matches!(self.noise, Noise::Propagation(_)) && !self.foreign.is_empty() {
            self.interference = Some(Box::<Interference>::default());
        }
    }

    /// Notes that a frame starts, which `fellows` send together with its transmitter. `width` returns the width of the
    /// PPDUs of its exchange.
    #[inline]
    pub(super) fn emit(
        &mut self,
        now: Time,
        (frame, width): (&Frame, impl FnOnce(&Self) -> Width),
        fellows: impl Iterator<Item = NodeId>,
    ) {
        if self.emissions.is_some() {
            let width = match frame.tx {
                TxVector::Ofdm(_) if !frame.kind.is_apart() => width(self),
                tx => tx.width(),
            };
            self.emit_to_others(now, (frame, width), fellows);
        }
    }

    #[cold]
    fn emit_to_others(
        &mut self,
        now: Time,
        (frame, width): (&Frame, Width),
        fellows: impl Iterator<Item = NodeId>,
    ) {
        let (reuse, target) = (self.reuse.as_deref(), self.target.as_deref());
        let mut source = |from: NodeId| match &mut self.noise {
            Noise::Propagation(propagation) => {
                let reduction = target_power::reduction((reuse, target), from);
                Some(propagation.source(now, from, reduction))
            }
            Noise::Links { .. } => None,
        };
        let (of_frame, of_fellows) = (source(frame.from), fellows.map(|it| (it, source(it))));
        let emission = Emission {
            frame: *frame,
            width,
            source: of_frame,
            fellows: of_fellows.collect(),
            colour: reuse.map(SpatialReuse::colour),
        };
        if let Some(interference) = &mut self.interference {
            let is_duplicate = frame.tx.mode().is_none();
            let channels = self.spectrum.as_ref().map(|it| it.of_own(width, is_duplicate));
            let channels = channels.unwrap_or(Channels::WHOLE);
            for (from, _) in emission.senders() {
                let powers = self.contention.powers(from).iter().copied();
                interference.add((frame.from, channels), (now, now + frame.duration), powers);
            }
        }
        if let Some(emissions) = &mut self.emissions {
            let (from, end) = (frame.from, now + frame.duration);
            emissions.starting.push(Span { from, start: now, end });
            emissions.started.push(emission);
        }
    }

    /// Notes that frames end.
    #[inline]
    pub(super) fn end_emissions(&mut self, ended: &[Ppdu<P>]) {
        if let Some(emissions) = &mut self.emissions {
            for ppdu in ended {
                emissions.end(ppdu.frame.from);
            }
            emissions.in_part.clear();
        }
    }

    /// Notes a frame of other cells that has started now. Its transmitters have their numbers in this cell, whose members
    /// sense it after aCCATime. Returns true if they do so at once.
    ///
    /// Slots of cells that do not hear the same frames are not aligned, so a back-off may end while the PHY does not know
    /// yet that a frame has started. Deviates: [D-275]
    pub(crate) fn hear(&mut self, now: Time, emission: Emission) -> bool {
        if self.cca_time.is_zero() {
            self.is_starting = true;
            self.sense(now, &emission);
            return true;
        }
        let at = now + self.cca_time;
        if let Some(emissions) = &mut self.emissions {
            emissions.pending.push_back((at, emission));
        }
        self.next = self.next.min(Moment::new(at, Phase::Start));
        false
    }

    /// Next time at which members sense a frame of other cells that has started.
    pub(super) fn next_sensed(&self) -> Option<Time> {
        let emissions = self.emissions.as_ref()?;
        emissions.pending.front().map(|(at, _)| *at)
    }

    /// True if frames of the cell are on the air, and their members do not know yet that the medium is busy: the frames
    /// of all cells start before the members of any cell find it busy.
    #[cold]
    pub(super) fn awaits_other_cells(&mut self) -> bool {
        let has_started = self.emissions.as_ref().is_some_and(|it| !it.started.is_empty());
        self.is_starting = has_started && !self.is_starting;
        self.is_starting
    }

    /// Lets members sense the frames of other cells that they can sense from now on, before frames of the cell start.
    #[cold]
    pub(super) fn sense_pending(&mut self, now: Time) {
        while !self.is_starting && self.next_sensed() == Some(now) {
            let pending = self.emissions.as_mut().and_then(|it| it.pending.pop_front());
            if let Some((_, emission)) = pending {
                self.sense(now, &emission);
            }
        }
    }

    /// Announces a frame of other cells that members sense from now on.
    fn sense(&mut self, now: Time, emission: &Emission) {
        let frame = &emission.frame;
        let place = self.place_of(frame.from);
        let channels = self.spectrum.as_ref().map(|it| it.of_foreign(place, emission.width));
        let channels = channels.unwrap_or(Channels::WHOLE);
        if self.spectrum.as_ref().is_some_and(|it| !it.has_primary(channels)) {
            return self.hear_beside(now, emission, channels);
        }
        for (from, source) in emission.senders() {
            if let Some(source) = source {
                self.hear_power(now, (frame, channels, emission.colour), (from, &source));
            }
        }
        if let Some(spectrum) = &self.spectrum {
            self.contention.set_energy(frame.from, !spectrum.decodes(place, frame));
        }
        if emission.fellows.is_empty() {
            self.contention.announce(frame);
        } else {
            self.contention.announce_turn(frame, emission.fellows.iter().map(|it| it.0));
        }
        if let Some(emissions) = &mut self.emissions {
            let (from, end) = (frame.from, now - self.cca_time + frame.duration);
            emissions.starting.push(Span { from, start: now, end });
        }
        let heard = emission.senders().find(|it| self.contention.hears(NodeId::AP, it.0));
        if let Some((heard, _)) = heard {
            self.frames.begin_foreign(now, (frame.from, self.foreign[self.place_of(heard)]));
        }
    }

    /// Place of a foreign member among all of them.
    fn place_of(&self, foreign: NodeId) -> usize {
        foreign.index() - usize::from(self.roster.members())
    }

    /// Sets how members hear a foreign member's frame by its power, which interferes with other frames.
    fn hear_power(
        &mut self,
        now: Time,
        (frame, channels, colour): (&Frame, Channels, Option<u8>),
        (from, source): (NodeId, &Source),
    ) {
        let powers = self.receive_power(now, (frame, channels), (from, source));
        let Noise::Propagation(propagation) = &mut self.noise else { return };
        let mut row: Vec<_> = propagation.audibility_at(frame.tx, &powers).collect();
        self.contention.miss_preambles(&mut row, &powers);
        if let Some(reuse) = &mut self.reuse {
            reuse.ignore(now, (frame.from, colour), &powers, &mut row);
        }
        self.contention.set_foreign(from, &row, &powers);
    }

    /// Received power at each member, within the cell's block, of a foreign member's frame, which interferes with other
    /// frames. There is none in a cell without a radio.
    pub(super) fn receive_power(
        &mut self,
        now: Time,
        (frame, channels): (&Frame, Channels),
        (from, source): (NodeId, &Source),
    ) -> Vec<Dbm> {
        let place = self.place_of(from);
        let Noise::Propagation(propagation) = &mut self.noise else { return Vec::new() };
        let powers = propagation.foreign_powers(now, place, source);
        if let Some(interference) = &mut self.interference {
            let start = now - self.cca_time;
            let time = (start, start + frame.duration);
            interference.add((frame.from, channels), time, powers.iter().copied());
        }
        let loss = channels.loss().unwrap_or_default();
        powers.iter().map(|power| *power - loss).collect()
    }

    /// Ends a frame of another cell.
    pub(crate) fn cease<M: Mac<P>>(&mut self, mac: &mut M, now: Time, frame: Frame) {
        if self.spectrum.as_mut().is_some_and(|it| it.end_beside(frame.from)) {
            return;
        }
        self.frames.end_foreign(now, frame.from);
        if self.observers.listen {
            mac.overhear_foreign(self, now, &frame);
        }
        if let Some(reuse) = &mut self.reuse {
            reuse.end(frame.from);
        }
        if self.multi_user.is_some() && !frame.duration_field.is_zero() {
            self.set_basic_navs(&frame, now + frame.duration_field);
        }
        let from = ContenderId::first(frame.from);
        let ppdu: Ppdu<P> = Ppdu::new(now - frame.duration, (from, frame), (Vec::new(), None));
        self.contention.end_foreign(now, &ppdu);
        self.fail_collided(mac, now);
        self.plan_next(now);
    }

    /// Sets the basic NAV of the stations that have decoded a frame of another cell.  [80211ax-2021 §26.2.4]
    fn set_basic_navs(&mut self, frame: &Frame, until: Time) {
        let decodes = |id: &NodeId| self.contention.decodes(*id, frame.from);
        let members = (1..self.roster.members()).map(NodeId).filter(decodes);
        if let Some(emissions) = &mut self.emissions {
            members.for_each(|id| emissions.reserve(id, until));
        }
    }

    /// True if virtual carrier sense lets a station answer a trigger of its access point by a turn of this kind. In a cell
    /// with neighbours its basic NAV must have ended, unless it sends nothing but a `BlockAck`; in other cells it looks at
    /// its NAV before a CTS alone.  [80211ax-2021 §26.5.2.5] Deviates: [D-293]
    pub(super) fn may_answer(&self, now: Time, station: NodeId, answer: TurnKind) -> bool {
        match (&self.emissions, answer) {
            (_, TurnKind::Answers) => true,
            (Some(emissions), _) => emissions.basic_nav_is_clear(station, now),
            (None, TurnKind::Clears) => self.contention.nav_is_clear(station, now),
            (None, _) => true,
        }
    }
}
