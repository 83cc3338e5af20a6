//! A channel that several cells share: frames that other cells hear, and frames of other cells.
//!
//! Each cell has an [`Air`] with its own members, and hears [foreign members](crate::ForeignMember) as transmitters without
//! a queue. A [neighbourhood](crate::Neighbourhood) passes each frame on at its start and at its end. To this end the
//! start of frames has two steps: all cells put the frames on the air that start now, and then all members find the
//! medium busy. So members of different cells whose back-offs end in the same slot collide.
//!
//! In cells with a radio, the powers of frames decide who hears them, and add up to the [interference](super::interference)
//! in the frames that they overlap.

use std::collections::VecDeque;

use airfair_units::{Decibels, Time};

use super::channel::Air;
use super::interference::Interference;
use super::mac::Mac;
use super::noise::Noise;
use super::overlap::Hit;
use super::spatial_reuse::SpatialReuse;
use crate::frame::{Frame, Ppdu};
use crate::moment::{Moment, Phase};
use crate::node::NodeId;
use crate::radio::Source;
use crate::roster::ContenderId;

/// Frame of one cell as other cells hear it.
#[derive(Clone, Debug)]
pub(crate) struct Emission {
    pub(crate) frame: Frame,
    /// Place and power of its transmitter, in a cell with a radio.
    pub(crate) source: Option<Source>,
    /// Colour of its cell.
    pub(crate) colour: Option<u8>,
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
    /// Frames of other cells that have started, with the times at which members sense them, ascending.
    pending: VecDeque<(Time, Emission)>,
    /// Latest end of the frames that have started since the last look for collisions.
    pub(super) latest_end: Time,
    /// Parts of aggregates on the air that other frames overlap.
    pub(super) hits: Vec<Hit>,
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

    /// Notes that a frame starts, which `fellows` send together with its transmitter.
    #[inline]
    pub(super) fn emit(&mut self, now: Time, frame: &Frame, fellows: impl Iterator<Item = NodeId>) {
        if self.emissions.is_some() {
            self.emit_to_others(now, frame, fellows);
        }
    }

    #[cold]
    fn emit_to_others(&mut self, now: Time, frame: &Frame, fellows: impl Iterator<Item = NodeId>) {
        let reuse = self.reuse.as_deref();
        let mut source = |from: NodeId| match &mut self.noise {
            Noise::Propagation(propagation) => {
                let reduction = reuse.map_or(Decibels::ZERO, |it| it.reduction(from));
                Some(propagation.source(now, from, reduction))
            }
            Noise::Links { .. } => None,
        };
        let (of_frame, of_fellows) = (source(frame.from), fellows.map(|it| (it, source(it))));
        let emission = Emission {
            frame: *frame,
            source: of_frame,
            fellows: of_fellows.collect(),
            colour: reuse.map(SpatialReuse::colour),
        };
        if let Some(interference) = &mut self.interference {
            for (from, _) in emission.senders() {
                let powers = self.contention.powers(from).iter().copied();
                interference.add(frame.from, (now, now + frame.duration), powers);
            }
        }
        if let Some(emissions) = &mut self.emissions {
            emissions.latest_end = emissions.latest_end.max(now + frame.duration);
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

    /// Notes a frame of other cells that has started now. Its transmitters have their numbers in this cell, whose members
    /// sense it after aCCATime. Returns true if they do so at once.
    ///
    /// Slots of cells that do not hear the same frames are not aligned, so a back-off may end while the PHY does not know
    /// yet that a frame has started. Deviates: [D-275]
    pub(crate) fn hear(&mut self, now: Time, emission: Emission) -> bool {
        if self.cca_time.is_zero() {
            self.has_put_on_air = true;
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

    /// Lets members sense the frames of other cells that they can sense from now on.
    #[cold]
    pub(super) fn sense_pending(&mut self, now: Time) {
        while self.next_sensed() == Some(now) {
            let pending = self.emissions.as_mut().and_then(|it| it.pending.pop_front());
            if let Some((_, emission)) = pending {
                self.sense(now, &emission);
            }
        }
    }

    /// Announces a frame of other cells that members sense from now on.
    fn sense(&mut self, now: Time, emission: &Emission) {
        let frame = &emission.frame;
        for (from, source) in emission.senders() {
            if let Some(source) = source {
                self.hear_power(now, (frame, emission.colour), (from, &source));
            }
        }
        if emission.fellows.is_empty() {
            self.contention.announce(frame);
        } else {
            self.contention.announce_turn(frame, emission.fellows.iter().map(|it| it.0));
        }
        if let Some(emissions) = &mut self.emissions {
            let end = now - self.cca_time + frame.duration;
            emissions.latest_end = emissions.latest_end.max(end);
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
        (frame, colour): (&Frame, Option<u8>),
        (from, source): (NodeId, &Source),
    ) {
        let place = self.place_of(from);
        let Noise::Propagation(propagation) = &mut self.noise else { return };
        let powers = propagation.foreign_powers(now, place, source).to_vec();
        let mut row: Vec<_> = propagation.audibility_at(frame.tx, &powers).collect();
        if let Some(reuse) = &mut self.reuse {
            reuse.ignore((frame.from, colour), &powers, &mut row);
        }
        self.contention.set_foreign(from, &row, &powers);
        if let Some(interference) = &mut self.interference {
            let start = now - self.cca_time;
            interference.add(frame.from, (start, start + frame.duration), powers.into_iter());
        }
    }

    /// Ends a frame of another cell.
    pub(crate) fn cease<M: Mac<P>>(&mut self, mac: &mut M, now: Time, frame: Frame) {
        self.frames.end_foreign(now, frame.from);
        if let Some(reuse) = &mut self.reuse {
            reuse.end(frame.from);
        }
        let from = ContenderId::first(frame.from);
        let ppdu: Ppdu<P> = Ppdu::new(now - frame.duration, (from, frame), (Vec::new(), None));
        self.contention.end_busy(now, &[ppdu], &[]);
        self.fail_collided(mac, now);
        self.plan_next(now);
    }
}
