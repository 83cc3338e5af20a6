//! Audibility of frames on the air: which members sense, receive and decode them.

use airfair_units::Dbm;

use super::reach::Reach;
use super::{Capture, Contention};
use crate::air::dcf::CarrierSense;
use crate::air::hearing::{Audibility, ClassId};
use crate::frame::Frame;
use crate::node::NodeId;
use crate::phy::TxVector;
use crate::radio::milliwatts;

impl Contention {
    /// Sets the rule by which members follow one of several frames.
    ///
    /// # Panics
    /// If audibility is constant.
    pub(crate) fn set_capture(&mut self, rule: Capture) {
        assert!(self.can_change(), "capture goes by powers, which are each member's own");
        self.capture = Some(rule);
    }

    /// Sets the power from which members sense frames whose preambles they have missed.  [80211-2020 §17.3.10.6]
    /// Deviates: [D-283]
    ///
    /// # Panics
    /// If audibility is constant.
    pub(crate) fn set_energy_detection(&mut self, level: Option<Dbm>) {
        assert!(
            level.is_none() || self.can_change(),
            "what a member misses depends on other frames"
        );
        self.detection = level;
    }

    /// True if members may miss frames by [`set_energy_detection`](Self::set_energy_detection).
    #[inline]
    pub(crate) fn detects_energy(&self) -> bool {
        self.detection.is_some()
    }

    /// True if members follow one of several frames, so that powers must be known.
    pub(crate) fn needs_powers(&self) -> bool {
        self.capture.is_some()
    }

    /// Received powers of the last frame of `from` at each member.
    pub(crate) fn powers(&self, from: NodeId) -> &[Dbm] {
        &self.reaches[from.index()].power
    }

    /// Sets how each member hears the frame of a foreign member that is about to start.
    pub(crate) fn set_foreign(&mut self, from: NodeId, row: &[Audibility], powers: &[Dbm]) {
        let Self { hearing, roster, .. } = self;
        hearing.set_row(roster, from, row);
        self.set_powers(from, powers.iter().copied());
    }

    /// Hides a frame that is about to start, with these powers, from members that cannot receive its preamble because they
    /// send or receive another frame, unless its energy reaches the threshold or it captures the receiver.
    #[cold]
    pub(crate) fn miss_preambles(&self, row: &mut [Audibility], powers: &[Dbm]) {
        let Some(level) = self.detection else { return };
        for ((id, power), audibility) in (0..).map(NodeId).zip(powers).zip(row) {
            if *power < level && self.misses_preamble(id, *power) {
                *audibility = Audibility::Nothing;
            }
        }
    }

    /// Hides frames that start together from members that cannot receive their preambles because they start one of them,
    /// or receive a stronger one, unless their energy reaches `level`.
    #[cold]
    pub(super) fn miss_together(&mut self, level: Dbm) {
        let members = (0..self.roster.members()).map(NodeId);
        let pairs = members.flat_map(|id| self.starting.iter().map(move |(from, _)| (id, *from)));
        let is_missed = |&(id, from): &(NodeId, NodeId)| {
            let power = |from: NodeId| self.reaches[from.index()].power[id.index()];
            let is_received = |other: NodeId| {
                self.senses(id, other) && (power(other), from.0) > (power(from), other.0)
            };
            let mut others = self.starting.iter().map(|it| it.0).filter(|other| *other != from);
            self.senses(id, from)
                && power(from) < level
                && others
                    .any(|other| Self::is_sender(&self.fellows, id, other) || is_received(other))
        };
        let missed: Vec<_> = pairs.filter(is_missed).collect();
        for (id, from) in missed {
            let classes = self.roster.of(id).map(|it| self.memberships[it.index()].class);
            classes.for_each(|it| self.reaches[from.index()].row[it.index()] = Audibility::Nothing);
            self.reaches[from.index()].limit();
        }
    }

    /// True if member `id` sends, or receives another frame than one with this power that starts now.
    fn misses_preamble(&self, id: NodeId, power: Dbm) -> bool {
        let (medium, sends) = (self.medium_of(id), self.reaches[id.index()].is_sent);
        match medium.carrier() {
            CarrierSense::Idle => false,
            CarrierSense::Own => true,
            CarrierSense::Frame | CarrierSense::Overlap => !self.captures(id, power),
            CarrierSense::Energy => {
                sends || medium.followed().is_some() && !self.captures(id, power)
            }
        }
    }

    /// True if member `id` turns to a frame with this power although it receives another one.
    fn captures(&self, id: NodeId, power: Dbm) -> bool {
        let Some(Capture::Interference(Some(margin))) = self.capture else { return false };
        let is_other = |(from, reach): &(NodeId, &Reach)| reach.is_sent && self.senses(id, *from);
        let others = (0..).map(NodeId).zip(&self.reaches).filter(is_other);
        let noise: f64 = others.map(|(_, it)| milliwatts(it.power[id.index()])).sum();
        milliwatts(power - margin) >= noise
    }

    /// Notes that other cells hear the frames of this one, which so must all be on the air one by one.
    pub(crate) fn share(&mut self) {
        (self.is_fixed, self.is_shared) = (false, true);
    }

    /// Sets if the frame of a foreign member that is about to start is mere energy for all members.
    pub(crate) fn set_energy(&mut self, from: NodeId, is_energy: bool) {
        self.reaches[from.index()].is_energy = is_energy;
    }

    /// True if the audibility of members for each other may change during the run.
    #[inline]
    pub(crate) fn can_change(&self) -> bool {
        self.hearing.can_change()
    }

    /// Sets the received powers of the frame of `from` that is about to start.
    pub(crate) fn set_powers(&mut self, from: NodeId, powers: impl Iterator<Item = Dbm>) {
        let known = &mut self.reaches[from.index()].power;
        known.clear();
        known.extend(powers);
    }

    /// Sets the audibility of frames of `from` for `listener`, from the next frame on.
    ///
    /// # Panics
    /// If audibility is constant.
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

    /// Sets the audibility of `frame`, which is about to start, from `row`, which has one audibility for each member.
    /// The addressee counts as decoding the frame if it senses it, because errors are drawn at the end of the frame.
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

    /// Audibility of the frame of `from` on the air at contender `id`.
    #[inline]
    pub(super) fn audibility(&self, id: NodeId, from: NodeId) -> Audibility {
        self.audibility_of(self.memberships[id.index()].class, from)
    }

    /// Audibility of the frame of `from` on the air for the contenders of a class, which all hear the same frames.
    #[inline]
    pub(super) fn audibility_of(&self, class: ClassId, from: NodeId) -> Audibility {
        if self.all_decode_all() {
            return Audibility::Decodes;
        }
        self.reaches[from.index()].row[class.index()]
    }

    /// Takes contenders out of a group that shares one count of slots but does not hear the same frames, if the
    /// audibility of the frame of `from` is at most `most` for them. Their group treats the frame as decoded, so they
    /// count slots alone.
    #[inline]
    pub(super) fn part_exceptions(&mut self, from: NodeId, most: Audibility) {
        // Without classes of one contender there is no group of several classes.
        if !self.only_of_class.is_empty() && self.reaches[from.index()].least <= most {
            self.part_each_exception(from, most);
        }
    }

    #[cold]
    pub(super) fn part_each_exception(&mut self, from: NodeId, most: Audibility) {
        let Self { groups, only_of_class, memberships, reaches, countdowns, alone, slot, .. } =
            self;
        let row = reaches[from.index()].row.iter().zip(only_of_class);
        for id in row.filter(|(audibility, _)| **audibility <= most).filter_map(|(_, id)| *id) {
            let membership = &mut memberships[id.index()];
            if let (None, Some(group)) = (membership.alone, membership.group) {
                membership.part(id, &groups[usize::from(group)], alone).plan(countdowns, *slot);
            }
        }
    }

    /// True if member `id` senses the frame of `from` on the air.
    pub(crate) fn senses(&self, id: NodeId, from: NodeId) -> bool {
        id != from && self.audibility(id, from) != Audibility::Nothing
    }

    /// True if member `id` senses frames of `from` as the cells were made.
    pub(crate) fn hears(&self, id: NodeId, from: NodeId) -> bool {
        self.hearing.hears(self.memberships[id.index()].class, from)
    }

    /// True if another frame overlaps `frame` at its receiver or, without a single receiver, at any member.
    pub(crate) fn overlapped(&self, frame: &Frame) -> bool {
        let at = |id| self.overlapped_at(id, frame.from);
        match frame.to {
            Some(to) => at(to),
            None => (0..self.roster.members()).map(NodeId).any(at),
        }
    }

    /// True if another frame overlaps the frame of `from` at member `id`.
    #[inline]
    pub(crate) fn overlapped_at(&self, id: NodeId, from: NodeId) -> bool {
        self.senses(id, from) && !self.medium_of(id).receives(from)
    }

    /// True if all members sense each other, over the whole run.
    #[inline]
    pub(crate) fn all_sense_all(&self) -> bool {
        self.least > Audibility::Nothing
    }

    /// True if all members decode each other, over the whole run.
    #[inline]
    pub(super) fn all_decode_all(&self) -> bool {
        self.least == Audibility::Decodes
    }

    /// True if all members sense all frames of `from`, over the whole run.
    #[inline]
    pub(crate) fn all_sense(&self, from: NodeId) -> bool {
        !self.can_change() && self.hearing.all_sense(from)
    }

    /// True if one frame is alone on the air, and all members sense it.
    #[inline]
    pub(crate) fn is_undisturbed(&self) -> bool {
        self.partial == 0 && self.on_air == 1
    }

    /// True if `frame`, which has just started, is a response that its addressee cannot receive.
    pub(crate) fn misses(&self, frame: &Frame) -> bool {
        let senses = |to| self.senses(to, frame.from);
        frame.kind.is_response() && (self.overlapped(frame) || !frame.to.is_some_and(senses))
    }

    /// True if member `id` decodes the frame of `from` that ends now, unless noise destroys it.
    #[inline]
    pub(crate) fn decodes(&self, id: NodeId, from: NodeId) -> bool {
        self.medium_of(id).receives(from) && self.reaches(id, from)
    }

    /// True if member `id` decodes a frame of `from` with this vector that is about to start, unless something destroys
    /// it.
    #[cold]
    pub(crate) fn will_reach(&self, id: NodeId, from: NodeId, tx: TxVector) -> bool {
        let class = self.memberships[id.index()].class.index();
        self.hearing.audibility_for(class, from, tx.generation()) == Audibility::Decodes
    }

    /// True if member `id`, once it has received a frame of `from` from its start, decodes the frame unless noise
    /// destroys it.
    #[inline]
    pub(crate) fn reaches(&self, id: NodeId, from: NodeId) -> bool {
        self.audibility(id, from) == Audibility::Decodes
    }
}
