//! Whom a frame reaches, and how well.

use airfair_units::{Dbm, Decibels};

use super::Contention;
use crate::config::NodeId;
use crate::frame::{Frame, FrameKind};
use crate::hearing::{Audibility, ClassId};

/// A member's frame, the one on the air or the last.
#[derive(Debug)]
pub(super) struct Reach {
    /// True if it is on the air.
    pub(super) is_sent: bool,
    /// Audibility at whom it is least audible.
    pub(super) least: Audibility,
    /// Audibility to each class.
    pub(super) row: Vec<Audibility>,
    /// Power that it arrives with at each member, where frames are captured.
    pub(super) power: Vec<Dbm>,
}

/// The least of a frame's audibilities.
pub(super) fn least(row: &[Audibility]) -> Audibility {
    row.iter().copied().min().unwrap_or(Audibility::Decodes)
}

impl Contention {
    /// Lets a frame survive that is so much stronger than all that overlap it.
    ///
    /// # Panics
    /// If who hears whom is given for good.
    pub(crate) fn set_capture(&mut self, margin: Decibels) {
        assert!(self.can_change(), "capture goes by powers, which are each member's own");
        self.capture = Some(margin);
    }

    /// True if the audibility may change.
    #[inline]
    pub(crate) fn can_change(&self) -> bool {
        self.hearing.can_change()
    }

    /// Sets the powers that the frame of `from`, which is about to start, arrives with.
    pub(crate) fn set_powers(&mut self, from: NodeId, powers: impl Iterator<Item = Dbm>) {
        let known = &mut self.reaches[from.index()].power;
        known.clear();
        known.extend(powers);
    }

    /// Sets what frames of `from` that start from now on are to `listener`.
    ///
    /// # Panics
    /// If who hears whom is given for good.
    pub(crate) fn set_audibility(
        &mut self,
        listener: NodeId,
        from: NodeId,
        audibility: Audibility,
    ) {
        assert!(
            self.can_change(),
            "who senses whom was given for good: make the cell with `Cell::with_relation`"
        );
        self.hearing.set(&self.roster, listener, from, audibility);
    }

    /// Sets what `frame`, which is about to start, is to each member. To whom it is addressed it is a frame as
    /// soon as it is sensed: whether it is errored is drawn at its end.
    pub(crate) fn set_row(&mut self, frame: &Frame, row: &[Audibility]) {
        let Self { hearing, roster, .. } = self;
        hearing.set_row(roster, frame.from, row);
        let mut address = |to: NodeId| {
            if row[to.index()] == Audibility::Senses {
                hearing.set(roster, to, frame.from, Audibility::Decodes);
            }
        };
        match frame.to {
            Some(to) => address(to),
            None => (0..).map(NodeId).take(row.len()).for_each(address),
        }
    }

    /// Audibility at `id` of the frame of `from` that is on the air.
    #[inline]
    pub(super) fn audibility(&self, id: NodeId, from: NodeId) -> Audibility {
        self.audibility_of(self.seats[id.index()].class, from)
    }

    /// Audibility in a class of the frame of `from` that is on the air.
    #[inline]
    pub(super) fn audibility_of(&self, class: ClassId, from: NodeId) -> Audibility {
        if self.all_decode_all() {
            return Audibility::Decodes;
        }
        self.reaches[from.index()].row[class.index()]
    }

    /// Contenders of groups of several classes at which the frame of `from` that is on the air is at most so audible go on
    /// alone: a group takes it for one that it decodes.
    #[inline]
    pub(super) fn part_exceptions(&mut self, from: NodeId, most: Audibility) {
        // No group is of several classes where no class has a member for itself.
        if !self.sole.is_empty() && self.reaches[from.index()].least <= most {
            self.part_each_exception(from, most);
        }
    }

    #[cold]
    pub(super) fn part_each_exception(&mut self, from: NodeId, most: Audibility) {
        let Self { groups, sole, seats, reaches, countdowns, alone, slot, .. } = self;
        let row = reaches[from.index()].row.iter().zip(sole);
        for id in row.filter(|(audibility, _)| **audibility <= most).filter_map(|(_, id)| *id) {
            let seat = &mut seats[id.index()];
            if let (None, Some(group)) = (seat.alone, seat.group) {
                seat.part(id, &groups[usize::from(group)], alone).plan(countdowns, *slot);
            }
        }
    }

    /// True if `id` senses the frame of `from` that is on the air.
    pub(super) fn senses(&self, id: NodeId, from: NodeId) -> bool {
        id != from && self.audibility(id, from) != Audibility::Nothing
    }

    /// True if another frame overlaps the one on the air where its receiver is, or anyone whom it is for.
    pub(crate) fn overlapped(&self, frame: &Frame) -> bool {
        let at = |id| self.senses(id, frame.from) && !self.medium_of(id).receives(frame.from);
        match frame.to {
            Some(to) => at(to),
            None => (0..).map(NodeId).take(self.reaches.len()).any(at),
        }
    }

    /// True if every member senses every other, for good.
    #[inline]
    pub(crate) fn all_sense_all(&self) -> bool {
        self.least > Audibility::Nothing
    }

    /// True if every member decodes every other, for good.
    #[inline]
    pub(super) fn all_decode_all(&self) -> bool {
        self.least == Audibility::Decodes
    }

    /// True if everyone senses all frames of `from`, for good.
    #[inline]
    pub(crate) fn all_sense(&self, from: NodeId) -> bool {
        !self.can_change() && self.hearing.all_sense(from)
    }

    /// True if a frame is alone on the air and everyone senses it.
    #[inline]
    pub(crate) fn is_undisturbed(&self) -> bool {
        self.partial == 0 && self.on_air == 1
    }

    /// True if a frame that has just started is a response that its addressee cannot make out.
    pub(crate) fn misses(&self, frame: &Frame) -> bool {
        let is_response =
            matches!(frame.kind, FrameKind::Ack | FrameKind::BlockAck | FrameKind::Cts);
        let senses = |to| self.senses(to, frame.from);
        is_response && (self.overlapped(frame) || !frame.to.is_some_and(senses))
    }

    /// True if a frame of `from` that ends now is decoded by `id`, as far as noise allows.
    #[inline]
    pub(crate) fn decodes(&self, id: NodeId, from: NodeId) -> bool {
        self.medium_of(id).receives(from) && self.reaches(id, from)
    }

    /// True if a frame of `from` is decoded by whoever, as `id`, is in step with it, as far as noise allows.
    #[inline]
    pub(crate) fn reaches(&self, id: NodeId, from: NodeId) -> bool {
        self.audibility(id, from) == Audibility::Decodes
    }
}
