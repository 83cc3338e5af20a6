//! A channel that several cells share: frames that other cells hear, and frames of other cells.
//!
//! Each cell has an [`Air`] with its own members, and hears [foreign members](crate::ForeignMember) as transmitters without
//! a queue. A [neighbourhood](crate::Neighbourhood) passes each frame on at its start and at its end. To this end the
//! start of frames has two steps: all cells put the frames on the air that start now, and then all members find the
//! medium busy. So members of different cells whose back-offs end in the same slot collide.

use airfair_units::Time;

use super::channel::Air;
use super::mac::Mac;
use crate::frame::{Frame, Ppdu};
use crate::node::NodeId;
use crate::roster::ContenderId;

/// Frame of one cell as other cells hear it.
#[derive(Clone, Debug)]
pub(crate) struct Emission {
    pub(crate) frame: Frame,
    /// Members that send the frame together with the one in its header; of most frames there are none.
    pub(crate) fellows: Vec<NodeId>,
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
    }

    /// Notes that a frame starts, which `fellows` send together with its transmitter.
    #[inline]
    pub(super) fn emit(&mut self, frame: &Frame, fellows: impl Iterator<Item = NodeId>) {
        if let Some(emissions) = &mut self.emissions {
            emissions.started.push(Emission { frame: *frame, fellows: fellows.collect() });
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
        let Emission { frame, fellows } = emission;
        if fellows.is_empty() {
            self.contention.announce(frame);
        } else {
            self.contention.announce_turn(frame, fellows.iter().copied());
        }
        let all = std::iter::once(frame.from).chain(fellows.iter().copied());
        if let Some(heard) = all.into_iter().find(|it| self.contention.hears(NodeId::AP, *it)) {
            let place = heard.index() - usize::from(self.roster.members());
            self.frames.begin_foreign(now, (frame.from, self.foreign[place]));
        }
    }

    /// Ends a frame of another cell.
    pub(crate) fn cease<M: Mac<P>>(&mut self, mac: &mut M, now: Time, frame: Frame) {
        self.frames.end_foreign(now, frame.from);
        let from = ContenderId::first(frame.from);
        let ppdu: Ppdu<P> = Ppdu::new(now - frame.duration, (from, frame), (Vec::new(), None));
        self.contention.end_busy(now, &[ppdu], &[]);
        self.fail_collided(mac, now);
        self.plan_next(now);
    }
}
