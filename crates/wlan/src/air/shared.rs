//! A channel that several cells share: frames that other cells hear, and frames of other cells.
//!
//! Each cell has an [`Air`] with its own members, and hears [foreign members](crate::ForeignMember) as transmitters without
//! a queue. A [neighbourhood](crate::Neighbourhood) passes each frame on at its start and at its end. To this end the
//! start of frames has two steps: all cells put the frames on the air that start now, and then all members find the
//! medium busy. So members of different cells whose back-offs end in the same slot collide.
//!
//! In cells with a radio, the powers of frames decide who hears them, and add up to the [interference](super::interference)
//! in the frames that they overlap.

use airfair_units::Time;

use super::channel::Air;
use super::interference::Interference;
use super::mac::Mac;
use super::noise::Noise;
use super::spectrum::Channels;
use crate::frame::{Frame, FrameKind, Ppdu};
use crate::node::NodeId;
use crate::phy::{TxVector, Width};
use crate::radio::Source;
use crate::roster::ContenderId;

/// Frame of one cell as other cells hear it.
#[derive(Clone, Debug)]
pub(crate) struct Emission {
    pub(crate) frame: Frame,
    /// Width of its PPDU, or of its duplicates.
    pub(crate) width: Width,
    /// Place and power of its transmitter, in a cell with a radio.
    pub(crate) source: Option<Source>,
    /// Members that send the frame together with the one in its header; of most frames there are none.
    pub(crate) fellows: Vec<(NodeId, Option<Source>)>,
}

impl Emission {
    /// Transmitters of the frame, the one in its header first.
    pub(crate) fn senders(&self) -> impl Iterator<Item = (NodeId, Option<Source>)> {
        std::iter::once((self.frame.from, self.source)).chain(self.fellows.iter().copied())
    }
}

/// Frames of a cell that other cells may hear.
#[derive(Clone, Debug, Default)]
pub(crate) struct Emissions {
    /// Frames that start now.
    pub(crate) started: Vec<Emission>,
    pub(crate) on_air: Vec<Emission>,
    /// Frames that end now.
    pub(crate) ended: Vec<Emission>,
}

impl Emissions {
    /// Notes that the frame of member `from` ends.
    fn end(&mut self, from: NodeId) {
        let place = self.on_air.iter().position(|it| it.frame.from == from);
        self.ended.push(self.on_air.swap_remove(place.expect("the frame is on the air")));
    }
}

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
                TxVector::Ofdm(_) if frame.kind != FrameKind::Beacon => width(self),
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
        let mut source = |from: NodeId| match &mut self.noise {
            Noise::Propagation(propagation) => Some(propagation.source(now, from)),
            Noise::Links { .. } => None,
        };
        let (of_frame, of_fellows) = (source(frame.from), fellows.map(|it| (it, source(it))));
        let fellows = of_fellows.collect();
        let emission = Emission { frame: *frame, width, source: of_frame, fellows };
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
            emissions.started.push(emission);
        }
    }

    /// Notes that frames end.
    #[inline]
    pub(super) fn end_emissions(&mut self, ended: &[Ppdu<P>]) {
        if let Some(emissions) = &mut self.emissions {
            ended.iter().for_each(|ppdu| emissions.end(ppdu.frame.from));
        }
    }

    /// Announces a frame of other cells that starts now. Its transmitters have their numbers in this cell.
    pub(crate) fn hear(&mut self, now: Time, emission: &Emission) {
        let frame = &emission.frame;
        self.has_put_on_air = true;
        let place = self.place_of(frame.from);
        let channels = self.spectrum.as_ref().map(|it| it.of_foreign(place, emission.width));
        let channels = channels.unwrap_or(Channels::WHOLE);
        for (from, source) in emission.senders() {
            if let Some(source) = source {
                self.hear_power(now, (frame, channels), (from, &source));
            }
        }
        if let Some(spectrum) = &self.spectrum {
            if !spectrum.has_primary(channels) {
                return self.hear_beside(now, emission, channels);
            }
            self.contention.set_energy(frame.from, !spectrum.decodes(place, frame));
        }
        if emission.fellows.is_empty() {
            self.contention.announce(frame);
        } else {
            self.contention.announce_turn(frame, emission.fellows.iter().map(|it| it.0));
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
        (frame, channels): (&Frame, Channels),
        (from, source): (NodeId, &Source),
    ) {
        let place = self.place_of(from);
        let Noise::Propagation(propagation) = &mut self.noise else { return };
        let mut powers = propagation.foreign_powers(now, place, source).to_vec();
        if let Some(interference) = &mut self.interference {
            let time = (now, now + frame.duration);
            interference.add((frame.from, channels), time, powers.iter().copied());
        }
        if let Some(loss) = channels.loss() {
            for power in &mut powers {
                *power = *power - loss;
            }
        }
        let row: Vec<_> = propagation.foreign_audibility(frame.tx, &powers).collect();
        self.contention.set_foreign(from, &row, &powers);
    }

    /// Ends a frame of another cell.
    pub(crate) fn cease<M: Mac<P>>(&mut self, mac: &mut M, now: Time, frame: Frame) {
        if self.spectrum.as_mut().is_some_and(|it| it.end_beside(frame.from)) {
            return;
        }
        self.frames.end_foreign(now, frame.from);
        let from = ContenderId::first(frame.from);
        let ppdu: Ppdu<P> = Ppdu::new(now - frame.duration, (from, frame), (Vec::new(), None));
        self.contention.end_busy(now, &[ppdu], &[]);
        self.fail_collided(mac, now);
        self.plan_next(now);
    }
}
