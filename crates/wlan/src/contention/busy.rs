//! Frames start and end: what the members come to know of the medium, and who goes on alone for it.

use airfair_units::{Decibels, Duration, Time};

use super::{Contention, Member};
use crate::config::NodeId;
use crate::dcf::{CarrierSense, Ended, MediumState};
use crate::frame::{Frame, Ppdu};
use crate::hearing::{Audibility, ClassId};
use crate::radio::milliwatts;

impl Contention {
    /// A frame starts; [`begin_busy`](Self::begin_busy) follows when all that start at this instant are known.
    #[inline]
    pub(crate) fn announce(&mut self, frame: &Frame) {
        let sends = &mut self.members[frame.from.index()].sends;
        assert!(!std::mem::replace(sends, true), "a member sends one frame at a time");
        self.starting.push((frame.from, frame.tx.is_dsss()));
    }

    /// The frames announced start: whoever sends or senses them finds the medium busy.
    #[inline]
    pub(crate) fn begin_busy(&mut self, now: Time) {
        let others = self.on_air;
        self.on_air += self.starting.len();
        if !self.is_fixed {
            self.find_audibility();
        }
        match self.starting[..] {
            [] => return,
            [(from, _)] if others == 0 && self.all_sense => self.begin_one(now, from),
            _ => self.begin_several(now),
        }
        self.starting.clear();
        if !self.immediate.is_empty() {
            self.forestall();
        }
    }

    /// Finds what the frames that start are to each class.
    fn find_audibility(&mut self) {
        for &(from, is_dsss) in &self.starting {
            let audibility = &mut self.members[from.index()].audibility;
            audibility.clear();
            audibility.extend(self.hearing.audibility(from, is_dsss));
        }
    }

    /// One frame starts on a silent medium, and all sense it.
    #[inline]
    fn begin_one(&mut self, now: Time, from: NodeId) {
        let Self { groups, members, alone, slot, .. } = self;
        self.speaker = members[from.index()].alone.is_none().then_some(from);
        for group in &mut *groups {
            group.medium.begin_frames(now, false, 1, *slot);
        }
        for id in &*alone {
            if let Some(own) = &mut members[id.index()].alone {
                let sends = *id == from;
                own.begin_frames(now, sends, u32::from(!sends), *slot);
            }
        }
    }

    /// Whoever transmits with its group knows better from now on.
    fn settle(&mut self) {
        if let Some(id) = self.speaker.take() {
            self.part(id).continue_with(true);
        }
    }

    /// Several frames start, or one that overlaps another or that some may not sense.
    #[cold]
    fn begin_several(&mut self, now: Time) {
        self.settle();
        let starting = std::mem::take(&mut self.starting);
        for &(from, _) in &starting {
            self.part(from);
        }
        let Self { groups, members, alone, slot, all_sense, .. } = self;
        let sensed = |members: &[Member], class: ClassId, id: Option<NodeId>| {
            let all = starting.iter().filter(|(from, _)| Some(*from) != id);
            let reaches = |from: NodeId| {
                *all_sense || members[from.index()].audibility[class.index()] != Audibility::Nothing
            };
            let sensed = all.filter(|(from, _)| reaches(*from)).count();
            u32::try_from(sensed).expect("one for each member")
        };
        for group in &mut *groups {
            let others = sensed(members, group.class, None);
            if others > 0 {
                group.medium.begin_frames(now, false, others, *slot);
            }
        }
        for &id in &*alone {
            let sends = starting.iter().any(|(from, _)| *from == id);
            let others = sensed(members, members[id.index()].class, Some(id));
            let own = &mut members[id.index()].alone;
            if let Some(own) = own.as_mut().filter(|_| sends || others > 0) {
                own.begin_frames(now, sends, others, *slot);
            }
        }
        if let Some(margin) = self.capture {
            self.follow(&starting, margin);
        }
        self.starting = starting;
    }

    /// Keeps members that were in step with a frame so; one that hears several start together takes the strongest,
    /// if it is strong enough.
    fn follow(&mut self, starting: &[(NodeId, bool)], margin: Decibels) {
        for id in (0..).map(NodeId).take(self.members.len()) {
            let medium = self.medium(id);
            if !matches!(medium.carrier(), CarrierSense::Frame | CarrierSense::Overlap) {
                continue;
            }
            let power = |from: NodeId| self.members[from.index()].power[id.index()];
            let heard =
                || starting.iter().map(|(from, _)| *from).filter(|from| self.senses(id, *from));
            // The others that it senses have all just started.
            let is_first = heard().count() == usize::try_from(medium.on_air()).unwrap_or(0);
            let first =
                if is_first { heard().max_by_key(|from| power(*from)) } else { medium.followed() };
            let survives = |from: &NodeId| {
                let all = (0..).map(NodeId).zip(&self.members);
                let others = all.filter(|(other, it)| it.sends && other != from && *other != id);
                let noise: f64 = others.map(|(other, _)| milliwatts(power(other))).sum();
                milliwatts(power(*from) - margin) >= noise
            };
            let followed = first.filter(survives);
            self.part(id).follow(followed);
        }
    }

    /// Frames have ended: everyone who sensed or sent them defers. `missed` are those for whom a beacon is
    /// errored.
    #[inline]
    pub(crate) fn end_busy<P>(&mut self, now: Time, ended: &[Ppdu<P>], missed: &[NodeId]) {
        self.on_air -= ended.len();
        match ended {
            [] => return,
            [sole] if self.all_sense && self.on_air == 0 && self.is_heard_alone(sole) => {
                if sole.frame.duration_field.is_zero() {
                    self.end_exchange(now, sole);
                } else {
                    self.settle();
                    self.end_frame(now, sole, missed);
                }
            }
            [.., last] if self.all_sense && ended.len() > 1 => self.end_collision(now, ended, last),
            _ => {
                self.settle();
                for ppdu in ended {
                    self.end_frame(now, ppdu, missed);
                }
            }
        }
        if !self.alone.is_empty() && !self.can_change() {
            self.reunite(now);
        }
    }

    /// True if everyone but its sender has been in step with the only frame on the air, and it is errored
    /// for nobody.
    #[inline]
    fn is_heard_alone<P>(&self, sole: &Ppdu<P>) -> bool {
        let from = sole.frame.from;
        let others = self.alone.iter().filter(|id| **id != from);
        let own = others.filter_map(|id| self.members[id.index()].alone.as_ref());
        let mut states = self.groups.iter().map(|group| &group.medium).chain(own);
        // A sender that its own class does not decode is not like it.
        let is_alike =
            self.speaker.is_none_or(|id| self.audibility(id, from) == Audibility::Decodes);
        !sole.errored && is_alike && states.all(|it| it.receives(from))
    }

    /// True if the NAV of a frame binds nobody beyond the end of the `next`, or binds the same members until the
    /// same time as what comes after it does.
    #[inline]
    fn binds_until<P>(&self, sole: &Ppdu<P>, next: Duration) -> bool {
        let nav = sole.frame.duration_field;
        let is_over = nav.is_zero() || nav == self.sifs + next;
        sole.frame.addressee().is_some() && (is_over || self.all_decode)
    }

    /// True if the medium is as good as busy until the `next` frame of an exchange, which follows the one that ends
    /// after a SIFS: everyone senses both, and nobody can make another difference of the first.
    #[inline]
    pub(crate) fn can_hold<P>(&self, ended: &[Ppdu<P>], next: Duration) -> bool {
        match ended {
            [sole] if self.all_sense && self.on_air == 1 => {
                self.is_heard_alone(sole) && self.binds_until(sole, next)
            }
            _ => false,
        }
    }

    /// The `next` frame takes the place of the one that ends. Nobody counts in between.
    #[inline]
    pub(crate) fn hold<P>(&mut self, now: Time, sole: &Ppdu<P>, next: &Frame) {
        let (from, to) = (sole.frame.from, next.from);
        self.members[from.index()].sends = false;
        if !self.all_decode && self.waits.is_nav() {
            self.hold_undecoded(now, from);
        }
        self.members[to.index()].sends = true;
        self.speaker = self.members[to.index()].alone.is_none().then_some(to);
        let Self { members, alone, .. } = self;
        for id in &*alone {
            if let Some(own) = &mut members[id.index()].alone {
                own.continue_with(*id == to);
            }
        }
        if !self.is_fixed {
            self.starting.push((to, next.tx.is_dsss()));
            self.find_audibility();
            self.starting.clear();
        }
    }

    /// Whoever has not decoded the frame that ends keeps of its EIFS what outlasts the next one.
    #[cold]
    fn hold_undecoded(&mut self, now: Time, from: NodeId) {
        for index in 0..self.groups.len() {
            if self.audibility_of(self.groups[index].class, from) != Audibility::Decodes {
                self.groups[index].medium.hold_undecoded(now, &self.waits);
            }
        }
        let waits = self.waits;
        for index in 0..self.alone.len() {
            let id = self.alone[index];
            if id != from && self.audibility(id, from) != Audibility::Decodes {
                self.part(id).hold_undecoded(now, &waits);
            }
        }
    }

    /// A frame ends that binds nobody: its sender defers like all who have decoded it.
    #[inline]
    fn end_exchange<P>(&mut self, now: Time, sole: &Ppdu<P>) {
        self.speaker = None;
        let (ended, from) = (Ended::of(sole, now), sole.frame.from);
        self.end_for_each(now, from, |audibility, id, _| {
            Some(Ended { decoded: id == Some(from) || audibility == Audibility::Decodes, ..ended })
        });
    }

    /// Frames that all sense end together: nobody has decoded any.
    #[cold]
    fn end_collision<P>(&mut self, now: Time, ended: &[Ppdu<P>], last: &Ppdu<P>) {
        for ppdu in ended {
            self.members[ppdu.frame.from.index()].sends = false;
        }
        let count = u32::try_from(ended.len()).expect("one for each member");
        let ended = Ended { count, decoded: false, ..Ended::of(last, now) };
        self.end_for_each(now, last.frame.from, |_, _, _| Some(ended));
    }

    fn end_frame<P>(&mut self, now: Time, ppdu: &Ppdu<P>, missed: &[NodeId]) {
        let Frame { from, to, duration_field, .. } = ppdu.frame;
        // The NAV does not bind its addressee, and what is errored is so for the receiver alone.
        let addressee = ppdu.frame.addressee().filter(|_| !duration_field.is_zero());
        if let Some(id) = if ppdu.errored { to } else { addressee } {
            self.part(id);
        }
        if ppdu.errored && to.is_none() {
            for id in missed {
                self.part(*id);
            }
        }
        let ended = Ended::of(ppdu, now);
        self.end_for_each(now, from, |audibility, id, medium| {
            let is_own = id == Some(from);
            let heard = audibility == Audibility::Decodes && medium.receives(from) && !is_own;
            let is_errored = id.is_some_and(|id| ppdu.is_errored_for(id, missed));
            let is_bound = id.is_none() || id != ppdu.frame.addressee();
            let reserved_until = ended.reserved_until.filter(|_| is_bound);
            let decoded = heard && !is_errored;
            (is_own || audibility != Audibility::Nothing).then_some(Ended {
                decoded,
                reserved_until,
                ..ended
            })
        });
    }

    /// A frame of `from` ends for each group and for each member that is alone, with its number: as what, or not
    /// at all, is told by its audibility there.
    #[inline]
    fn end_for_each(
        &mut self,
        now: Time,
        from: NodeId,
        seen: impl Fn(Audibility, Option<NodeId>, &MediumState) -> Option<Ended>,
    ) {
        let Self { groups, members, alone, waits, spaces, all_decode, .. } = self;
        members[from.index()].sends = false;
        let row = std::mem::take(&mut members[from.index()].audibility);
        let audibility_of =
            |class: ClassId| if *all_decode { Audibility::Decodes } else { row[class.index()] };
        for group in &mut *groups {
            if let Some(ended) = seen(audibility_of(group.class), None, &group.medium) {
                group.medium.end_frames(now, &ended, spaces[group.class.index()], waits);
            }
        }
        for &id in &*alone {
            let Member { class, alone: Some(own), .. } = &mut members[id.index()] else { continue };
            if let Some(ended) = seen(audibility_of(*class), Some(id), own) {
                own.end_frames(now, &ended, spaces[class.index()], waits);
            }
        }
        members[from.index()].audibility = row;
    }
}
