//! Frames start and end: what the members come to know of the medium, and who goes on alone for it.

use airfair_units::{Decibels, Duration, Time};

use super::{Contention, Group, Member};
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
        self.forestall();
    }

    /// True if a frame of `from` that starts now stays alone on the air, and everyone but its sender is in step with it
    /// to its end; so for the frames that follow it after a SIFS.
    #[inline]
    pub(crate) fn stays_undisturbed(&self, from: NodeId) -> bool {
        self.all_sense && self.is_fixed && self.on_air == 0 && self.is_like_others(from)
    }

    /// True if the frame of `from` that [stays undisturbed](Self::stays_undisturbed) is decoded by `to`, and so is the
    /// response.
    #[inline]
    pub(crate) fn is_answered(&self, from: NodeId, to: NodeId) -> bool {
        let decodes = |id, from| self.audibility(id, from) == Audibility::Decodes;
        self.all_decode || (decodes(to, from) && decodes(from, to) && self.is_like_others(to))
    }

    /// A frame that [stays undisturbed](Self::stays_undisturbed) starts.
    #[inline]
    pub(crate) fn begin_undisturbed(&mut self, now: Time, from: NodeId) {
        self.on_air = 1;
        self.begin_one(now, from);
        self.forestall();
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
                    self.end_exchange(now, Ended::of(sole, now));
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
        self.reunite(now);
    }

    /// An undisturbed exchange ends with the frame of `to`, which has followed that of `from` after a SIFS. Nobody has
    /// looked at what the members know between the two, so it is found for both at once.
    pub(crate) fn end_undisturbed(&mut self, now: Time, from: NodeId, first_end: Time, to: NodeId) {
        (self.on_air, self.speaker) = (0, None);
        let Self { hearing, groups, members, alone, waits, spaces, all_decode, .. } = self;
        let (first, last) = (hearing.row(from), hearing.row(to));
        let keeps_eifs = waits.is_nav() && !*all_decode;
        for Group { class, medium, .. } in groups {
            if keeps_eifs && first[class.index()] != Audibility::Decodes {
                medium.hold_undecoded(first_end, waits);
            }
            let decoded = *all_decode || last[class.index()] == Audibility::Decodes;
            medium.end_frames(now, &Ended::last(to, decoded), spaces[class.index()], waits);
        }
        for &id in &*alone {
            let Member { class, alone: Some(own), .. } = &mut members[id.index()] else { continue };
            if keeps_eifs && id != from && first[class.index()] != Audibility::Decodes {
                own.hold_undecoded(first_end, waits);
            }
            own.continue_with(id == to);
            let decoded = *all_decode || id == to || last[class.index()] == Audibility::Decodes;
            own.end_frames(now, &Ended::last(to, decoded), spaces[class.index()], waits);
        }
        self.reunite(now);
    }

    /// True if everyone but its sender has been in step with the only frame on the air, and it is errored
    /// for nobody.
    #[inline]
    fn is_heard_alone<P>(&self, sole: &Ppdu<P>) -> bool {
        let from = sole.frame.from;
        let others = self.alone.iter().filter(|id| **id != from);
        let own = others.filter_map(|id| self.members[id.index()].alone.as_ref());
        let mut states = self.groups.iter().map(|group| &group.medium).chain(own);
        let is_alike = self.speaker.is_none() || self.is_like_others(from);
        !sole.errored && is_alike && states.all(|it| it.receives(from))
    }

    /// True if a member decodes what others of its class send: else one that sends is not like it.
    #[inline]
    fn is_like_others(&self, id: NodeId) -> bool {
        self.audibility(id, id) == Audibility::Decodes
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
        self.hand_over(now, sole.frame.from, next.from);
        if !self.is_fixed {
            self.starting.push((next.from, next.tx.is_dsss()));
            self.find_audibility();
            self.starting.clear();
        }
    }

    /// The only frame on the air is no longer that of `from`, but one of `to`.
    pub(crate) fn hand_over(&mut self, now: Time, from: NodeId, to: NodeId) {
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
    }

    /// Whoever has not decoded the frame that ends keeps of its EIFS what outlasts the next one.
    fn hold_undecoded(&mut self, now: Time, from: NodeId) {
        let Self { groups, members, alone, waits, .. } = self;
        let row = std::mem::take(&mut members[from.index()].audibility);
        for group in groups {
            if row[group.class.index()] != Audibility::Decodes {
                group.medium.hold_undecoded(now, waits);
            }
        }
        for id in alone.iter().filter(|id| **id != from) {
            let Member { class, alone: Some(own), .. } = &mut members[id.index()] else { continue };
            if row[class.index()] != Audibility::Decodes {
                own.hold_undecoded(now, waits);
            }
        }
        members[from.index()].audibility = row;
    }

    /// A frame ends that binds nobody: its sender defers like all who have decoded it.
    #[inline]
    fn end_exchange(&mut self, now: Time, ended: Ended) {
        self.speaker = None;
        let from = ended.from;
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
