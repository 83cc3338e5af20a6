//! Start and end of frames: changes of the members' knowledge of the medium, and contenders that go on alone because
//! of them.

use airfair_units::{Decibels, Duration, Time};

use super::group::Alone;
use super::reach::least;
use super::{Capture, Contention};
use crate::air::dcf::{CarrierSense, Ended, MediumState, Reception};
use crate::air::hearing::{Audibility, ClassId};
use crate::frame::{Frame, FrameKind, Ppdu};
use crate::node::NodeId;
use crate::phy::{Generation, TxVector};
use crate::radio::milliwatts;
use crate::roster::ContenderId;

impl Contention {
    /// Announces a frame that starts now. When all frames that start now are announced,
    /// [`begin_busy`](Self::begin_busy) starts them.
    #[inline]
    pub(crate) fn announce(&mut self, frame: &Frame) {
        let is_sent = &mut self.reaches[frame.from.index()].is_sent;
        assert!(!std::mem::replace(is_sent, true), "a member sends one frame at a time");
        self.starting.push((frame.from, frame.tx));
    }

    /// Announces a turn: frames that `fellows` send together with the one of `frame`. Carrier sense takes them as one
    /// frame, which a contender senses or decodes if it does so with any of them.
    #[cold]
    pub(crate) fn announce_turn(&mut self, frame: &Frame, fellows: impl Iterator<Item = NodeId>) {
        let leader = frame.from;
        self.announce(frame);
        for fellow in fellows {
            let is_sent = &mut self.reaches[fellow.index()].is_sent;
            assert!(!std::mem::replace(is_sent, true), "a member sends one frame at a time");
            self.fellows.push((leader, fellow));
        }
    }

    /// Widens the reach of the frames of leaders that start now by that of their fellows.
    #[cold]
    fn join_reaches(&mut self) {
        for &(leader, fellow) in &self.fellows {
            if self.starting.iter().any(|(from, _)| *from == leader) {
                let mut row = Vec::new();
                self.hearing.copy_audibility(fellow, self.turn_generation(leader), &mut row);
                let reach = &mut self.reaches[leader.index()];
                for (audibility, of_fellow) in reach.row.iter_mut().zip(row) {
                    *audibility = of_fellow.max(*audibility);
                }
                reach.limit();
            }
        }
    }

    /// Generation of the PPDUs of the turn of `leader` that starts now.
    fn turn_generation(&self, leader: NodeId) -> Generation {
        let of_leader = self.starting.iter().find(|(from, _)| *from == leader);
        of_leader.map_or(Generation::Dsss, |(_, tx)| tx.generation())
    }

    /// True for a member of another cell, which has no contender here.
    #[inline]
    fn is_foreign(&self, member: NodeId) -> bool {
        member.0 >= self.roster.members()
    }

    /// True if a member sends the frame of `from`, or is a fellow in its turn.
    #[inline]
    pub(super) fn is_sender(fellows: &[(NodeId, NodeId)], member: NodeId, from: NodeId) -> bool {
        member == from || fellows.contains(&(from, member))
    }

    /// Ends the turn of `leader`, whose reach is its own again.
    #[cold]
    fn end_turn(&mut self, leader: NodeId) {
        for (_, fellow) in self.fellows.extract_if(.., |(of, _)| *of == leader) {
            self.reaches[fellow.index()].is_sent = false;
        }
        let reach = &mut self.reaches[leader.index()];
        self.hearing.copy_audibility(leader, Generation::Dsss, &mut reach.row);
        reach.least = least(&reach.row);
    }

    /// Starts all frames that were announced for now: every member that sends or senses one finds the medium busy.
    #[inline]
    pub(crate) fn begin_busy(&mut self, now: Time) {
        if self.is_held {
            return self.go_on();
        }
        if !self.is_fixed {
            self.find_audibility();
        }
        if !self.fellows.is_empty() {
            self.join_reaches();
        }
        if let Some(level) = self.detection.filter(|_| self.starting.len() > 1) {
            self.miss_together(level);
        }
        self.on_air += self.starting.len();
        if !self.all_sense_all() {
            let starting = self.starting.iter();
            self.partial += starting.filter(|(from, _)| !self.is_sensed_by_all(*from)).count();
        }
        match self.starting[..] {
            [] => return,
            [(from, _)] if self.is_undisturbed() && self.fellows.is_empty() => {
                self.begin_one(now, from);
            }
            _ => self.begin_several(now),
        }
        self.starting.clear();
        self.forestall();
    }

    /// True if a frame of `from` that starts now stays alone on the air, and all other members receive it from start
    /// to end. The same then holds for the frames that follow it after a SIFS.
    #[inline]
    pub(crate) fn stays_undisturbed(&self, from: NodeId) -> bool {
        self.all_sense_all() && self.is_fixed && self.on_air == 0 && self.is_like_others(from)
    }

    /// True if `to` decodes the frame of `from` that [stays undisturbed](Self::stays_undisturbed), and `from` decodes
    /// the response.
    #[inline]
    pub(crate) fn is_answered(&self, from: NodeId, to: NodeId) -> bool {
        self.all_decode_all()
            || (self.reaches(to, from) && self.reaches(from, to) && self.is_like_others(to))
    }

    /// Starts a frame that [stays undisturbed](Self::stays_undisturbed).
    #[inline]
    pub(crate) fn begin_undisturbed(&mut self, now: Time, from: NodeId) {
        self.on_air = 1;
        self.begin_one(now, from);
        self.forestall();
    }

    /// True if all members sense the frame of `from` on the air. With capture that does not suffice for the callers, so
    /// the result is false.
    #[inline]
    fn is_sensed_by_all(&self, from: NodeId) -> bool {
        self.reaches[from.index()].least > Audibility::Nothing && self.capture.is_none()
    }

    /// Determines how the contenders of each class, which hear the same frames, hear the frames that start now.
    fn find_audibility(&mut self) {
        for &(from, tx) in &self.starting {
            let reach = &mut self.reaches[from.index()];
            self.hearing.copy_audibility(from, tx.generation(), &mut reach.row);
            reach.limit();
        }
    }

    /// Starts a frame of `from` on a silent medium; all members sense it.
    #[inline]
    fn begin_one(&mut self, now: Time, from: NodeId) {
        self.grouped_transmitter = self.in_group(from);
        let Self { groups, alone, slot, .. } = self;
        for group in &mut *groups {
            group.medium.begin_frames(now, false, 1, *slot);
        }
        for alone in alone {
            let sends = alone.id.member() == from;
            alone.begin(now, sends, u32::from(!sends), *slot);
        }
    }

    /// Transmitting member `from`, if it uses the state of the medium that its group, contenders with one count of
    /// slots, shares; `None` if the member has a state of its own.
    #[inline]
    fn in_group(&self, from: NodeId) -> Option<NodeId> {
        if self.is_foreign(from) {
            return None;
        }
        let first = ContenderId::first(from);
        let goes_alone = self.memberships[first.index()].alone.is_some()
            && (self.roster.is_plain() || self.all_go_alone(from));
        (!goes_alone).then_some(from)
    }

    #[inline(never)]
    fn all_go_alone(&self, member: NodeId) -> bool {
        self.roster.of(member).all(|id| self.memberships[id.index()].alone.is_some())
    }

    /// Gives the transmitting member its own state of the medium, if it used the one that its group, contenders with
    /// one count of slots, shares.
    fn settle(&mut self) {
        if let Some(member) = self.grouped_transmitter.take() {
            self.part_member(member, |alone| alone.medium.continue_with(true));
        }
    }

    /// Starts several frames, or one that overlaps another, or one that some members may not sense.
    #[cold]
    fn begin_several(&mut self, now: Time) {
        self.settle();
        let starting = std::mem::take(&mut self.starting);
        let mut common = 0;
        for &(from, _) in &starting {
            let is_common = self.reaches[from.index()].least > Audibility::Nothing;
            if !self.is_foreign(from) {
                self.part_member(from, |alone| alone.starts = is_common);
            }
            for place in 0..self.fellows.len() {
                if let (leader, fellow) = self.fellows[place]
                    && leader == from
                    && !self.is_foreign(fellow)
                {
                    self.part_member(fellow, |alone| alone.starts = is_common);
                }
            }
            common += u32::from(is_common);
            self.part_exceptions(from, Audibility::Nothing);
        }
        if self.waits.is_ns3() {
            self.note_first(now, &starting);
        }
        if common > 0 {
            self.begin_common(now, common);
        }
        for &(from, _) in &starting {
            if self.reaches[from.index()].least == Audibility::Nothing {
                self.begin_partial(now, from);
            }
        }
        if let Some(rule) = self.capture {
            self.follow(&starting, rule);
            if self.waits.is_ns3() {
                self.alone.iter_mut().for_each(|alone| alone.medium.note_captured(now));
            }
        }
        self.starting = starting;
    }

    /// Notes the frame to which each contender is synchronised before the frames of `starting` start, and cancels the
    /// EIFS of their senders, as ns-3 does.
    #[cold]
    fn note_first(&mut self, now: Time, starting: &[(NodeId, TxVector)]) {
        let starts =
            |id: NodeId| starting.iter().any(|(from, _)| Self::is_sender(&self.fellows, id, *from));
        let is_fellow = |id: NodeId| self.fellows.iter().any(|(_, fellow)| *fellow == id);
        let all = (0..).map(NodeId).zip(&self.reaches).filter(|(_, reach)| reach.is_sent);
        let all = all.map(|(id, _)| id).filter(|id| !starts(*id) && !is_fellow(*id));
        let on_air: Vec<NodeId> = all.collect();
        for from in &on_air {
            self.part_exceptions(*from, Audibility::Senses);
        }
        let Self { groups, reaches, alone, fellows, .. } = self;
        let only = |class: Option<ClassId>| {
            let hears = |from: NodeId| {
                class.map_or(Audibility::Decodes, |it| reaches[from.index()].row[it.index()])
            };
            let sensed = on_air.iter().find(|from| hears(**from) != Audibility::Nothing);
            sensed.copied().filter(|from| hears(*from) == Audibility::Decodes)
        };
        for group in groups {
            group.medium.note_first(now, || only(group.class));
        }
        for alone in alone {
            let id = alone.id.member();
            alone.medium.note_first(now, || only(Some(alone.class)));
            if starting.iter().any(|(from, _)| Self::is_sender(fellows, id, *from)) {
                alone.medium.cancel_eifs(now);
            }
        }
    }

    /// Starts this number of frames, which all members sense.
    fn begin_common(&mut self, now: Time, frames: u32) {
        for group in &mut self.groups {
            group.medium.begin_frames(now, false, frames, self.slot);
        }
        for alone in &mut self.alone {
            let sends = std::mem::take(&mut alone.starts);
            alone.begin(now, sends, frames - u32::from(sends), self.slot);
        }
    }

    /// Starts a frame of `from` that some members do not sense.
    fn begin_partial(&mut self, now: Time, from: NodeId) {
        let Self { groups, reaches, alone, slot, fellows, .. } = self;
        let row = &reaches[from.index()].row;
        let senses = |class: ClassId| row[class.index()] != Audibility::Nothing;
        for group in groups.iter_mut().filter(|group| group.class.is_none_or(senses)) {
            group.medium.begin_frames(now, false, 1, *slot);
        }
        for alone in alone {
            let sends = Self::is_sender(fellows, alone.id.member(), from);
            if sends || senses(alone.class) {
                alone.begin(now, sends, u32::from(!sends), *slot);
            }
        }
    }

    /// Updates the frame to which each member is synchronised, by the rule of [`Capture`]. Among frames that start
    /// together, a member takes the strongest.
    fn follow(&mut self, starting: &[(NodeId, TxVector)], rule: Capture) {
        for id in (0..self.roster.members()).map(NodeId) {
            let medium = self.medium_of(id);
            match medium.carrier() {
                CarrierSense::Frame | CarrierSense::Overlap => {}
                CarrierSense::Energy if !self.reaches[id.index()].is_sent => {}
                CarrierSense::Energy if medium.followed().is_some() => {
                    self.part_member(id, |alone| alone.medium.follow(None));
                    continue;
                }
                CarrierSense::Energy | CarrierSense::Idle | CarrierSense::Own => continue,
            }
            let power = |from: NodeId| self.reaches[from.index()].power[id.index()];
            let heard =
                || starting.iter().map(|(from, _)| *from).filter(|from| self.senses(id, *from));
            // All other frames that the member senses have just started.
            let is_first = heard().count() == usize::try_from(medium.on_air()).unwrap_or(0);
            let first =
                if is_first { heard().max_by_key(|from| power(*from)) } else { medium.followed() };
            let exceeds = |from: &NodeId, margin: Decibels| {
                let all = (0..).map(NodeId).zip(&self.reaches);
                let is_other = |other| !Self::is_sender(&self.fellows, other, *from) && other != id;
                let others = all.filter(|(other, it)| it.is_sent && is_other(*other));
                let noise: f64 = others.map(|(other, _)| milliwatts(power(other))).sum();
                milliwatts(power(*from) - margin) >= noise
            };
            let followed = match rule {
                Capture::Margin(margin) => first.filter(|from| exceeds(from, margin)),
                Capture::Interference(_) if is_first => first,
                Capture::Interference(margin) => {
                    let strongest = heard().max_by_key(|from| power(*from));
                    let later = strongest.filter(|from| margin.is_some_and(|it| exceeds(from, it)));
                    later.or(first)
                }
            };
            self.part_member(id, |alone| alone.medium.follow(followed));
        }
    }

    /// Ends frames: members that sensed or sent them defer. `missed` are the members for which a beacon is errored.
    #[inline]
    pub(crate) fn end_busy<P>(&mut self, now: Time, ended: &[Ppdu<P>], missed: &[NodeId]) {
        self.on_air -= ended.len();
        if !self.all_sense_all() {
            self.partial -=
                ended.iter().filter(|ppdu| !self.is_sensed_by_all(ppdu.frame.from)).count();
        }
        match ended {
            [] => return,
            [ppdu] if self.on_air == 0 && self.is_heard_alone(ppdu) => {
                if ppdu.frame.duration_field.is_zero() {
                    self.end_exchange(now, Ended::of(ppdu, now));
                } else {
                    self.settle();
                    self.end_frame(now, ppdu, missed);
                }
            }
            [_, .., last]
                if self.are_sensed_by_all(ended)
                    && self.fellows.is_empty()
                    && !self.waits.is_ns3() =>
            {
                self.end_collision(now, ended, last);
            }
            _ => {
                self.settle();
                for ppdu in ended {
                    self.end_frame(now, ppdu, missed);
                }
            }
        }
        if !self.fellows.is_empty() {
            for ppdu in ended {
                self.end_turn(ppdu.frame.from);
            }
        }
        self.reunite(now);
    }

    /// Ends a frame of another cell.
    #[cold]
    pub(crate) fn end_foreign<P>(&mut self, now: Time, ppdu: &Ppdu<P>) {
        let from = ppdu.frame.from;
        self.on_air -= 1;
        if !self.all_sense_all() {
            self.partial -= usize::from(!self.is_sensed_by_all(from));
        }
        self.settle();
        self.end_frame(now, ppdu, &[]);
        if !self.fellows.is_empty() {
            self.end_turn(from);
        }
        self.reunite(now);
    }

    /// True if a frame that a member has not decoded delays the member no longer than until the next frame of the
    /// exchange, which follows after a SIFS: because all members decode each other, or because the next frame ends an
    /// EIFS.
    #[inline]
    pub(crate) fn forgets_frames(&self) -> bool {
        self.all_decode_all() || !self.waits.outlasts_frames()
    }

    /// Ends an undisturbed exchange with the frame of `to`, which has followed that of `from` after a SIFS. No
    /// member's state was needed in between, so both frames are handled at once.
    pub(crate) fn end_undisturbed(&mut self, now: Time, from: NodeId, first_end: Time, to: NodeId) {
        self.hold(first_end, from);
        self.continue_with(to);
        self.on_air = 0;
        self.end_exchange(now, Ended::last(to));
        self.reunite(now);
    }

    /// Ends an undisturbed exchange, and holds the medium for the next exchange of the same TXOP.
    pub(crate) fn hold_undisturbed(
        &mut self,
        now: Time,
        from: NodeId,
        first_end: Time,
        to: NodeId,
    ) {
        self.hold(first_end, from);
        self.take_over(to);
        self.hold(now, to);
    }

    /// True if all members sense each of the `ended` frames.
    fn are_sensed_by_all<P>(&self, ended: &[Ppdu<P>]) -> bool {
        self.all_sense_all() || ended.iter().all(|ppdu| self.is_sensed_by_all(ppdu.frame.from))
    }

    /// True if all members but the transmitter have received the only frame on the air from its start, it is errored for
    /// none, and its transmitter has sensed no other.
    #[inline]
    fn is_heard_alone<P>(&self, ppdu: &Ppdu<P>) -> bool {
        let from = ppdu.frame.from;
        let is_alike = self.grouped_transmitter.is_none() || self.is_like_others(from);
        // Only frames of other cells can overlap the transmitter's frame and no other member's.
        let knows_no_other = |alone: &Alone| match alone.medium.carrier() {
            CarrierSense::Own => alone.id.member() == from,
            _ => alone.medium.receives(from),
        };
        !ppdu.errored
            && is_alike
            && self.is_sensed_by_all(from)
            && self.groups.iter().all(|group| group.medium.receives(from))
            && self.alone.iter().all(knows_no_other)
    }

    /// True if the contenders that hear the same frames as member `id` decode its frames. If they do not, the state of
    /// the member while it transmits differs from that of its group.
    #[inline]
    fn is_like_others(&self, id: NodeId) -> bool {
        self.reaches(id, id)
    }

    /// True if the NAV that a frame sets needs no attention until the exchange is over: the NAV ends with the next
    /// frame, which lasts `next`, or all members decode each other.
    #[inline]
    fn binds_until<P>(&self, ppdu: &Ppdu<P>, next: Duration) -> bool {
        let nav = ppdu.frame.duration_field;
        let is_over = nav.is_zero() || nav == self.sifs + next;
        // The NAV of triggered frames also covers a block ack, which does not follow if none has brought data.
        let is_triggered = ppdu.frame.kind == FrameKind::TriggerBased;
        let is_known = self.all_decode_all() && !is_triggered;
        ppdu.frame.addressee().is_some() && (is_over || is_known)
    }

    /// True if the medium can be held, so that no member counts slots, until the next frame of the exchange, which
    /// follows after a SIFS and lasts `next`. For this, all members must sense both frames, and the first one must
    /// leave all members in equal states.
    #[inline]
    pub(crate) fn can_hold<P>(&self, ended: &[Ppdu<P>], next: Duration) -> bool {
        match ended {
            [ppdu] if self.on_air == 1 && !self.is_shared => {
                self.is_heard_alone(ppdu) && self.binds_until(ppdu, next)
            }
            _ => false,
        }
    }

    /// Ends the only frame on the air, but lets no member count slots until the next frame replaces it:
    /// [now](Self::replace), or when it [starts](Self::wait_for_next).
    #[inline]
    pub(crate) fn hold(&mut self, now: Time, from: NodeId) {
        self.reaches[from.index()].is_sent = false;
        // Under ns-3's rule a frame that all decode cancels each EIFS.
        if self.waits.outlasts_frames()
            && (self.waits.is_ns3() || self.reaches[from.index()].least < Audibility::Decodes)
        {
            self.hold_each(now, from);
        }
    }

    /// Replaces the frame that ends by the `next` frame, which starts a SIFS later.
    #[inline]
    pub(crate) fn replace(&mut self, next: &Frame) {
        self.reaches[next.from.index()].is_sent = true;
        if !self.is_fixed {
            self.starting.push((next.from, next.tx));
            self.find_audibility();
            self.starting.clear();
        }
        self.take_over(next.from);
    }

    /// Lets no member count slots until the next frame of the exchange starts.
    pub(crate) fn wait_for_next(&mut self) {
        self.is_held = true;
    }

    /// Starts the next frame of the exchange, for which all members have deferred.
    fn go_on(&mut self) {
        let Some(&(from, _)) = self.starting.first() else { return };
        self.is_held = false;
        if !self.is_fixed {
            self.find_audibility();
        }
        self.starting.clear();
        self.take_over(from);
    }

    /// Lets the frame of `from` follow the frame of the exchange that has ended. No member has counted slots between
    /// the two.
    #[inline]
    fn take_over(&mut self, from: NodeId) {
        self.grouped_transmitter = self.in_group(from);
        self.continue_with(from);
    }

    /// Lets the frame of `from` follow for each contender with a state of its own.
    #[inline]
    fn continue_with(&mut self, from: NodeId) {
        for alone in &mut self.alone {
            alone.medium.continue_with(alone.id.member() == from);
        }
    }

    /// Applies the EIFS of members that have not decoded the frame of `from` that ends, as far as it outlasts the next
    /// frame, and cancels earlier ones of members that have.
    fn hold_each(&mut self, now: Time, from: NodeId) {
        self.part_exceptions(from, Audibility::Senses);
        let Self { groups, reaches, alone, waits, .. } = self;
        let row = &reaches[from.index()].row;
        let is_read_by = |class: ClassId| row[class.index()] == Audibility::Decodes;
        for group in groups {
            group.medium.hold(now, group.class.is_none_or(is_read_by), waits);
        }
        for alone in alone {
            let decoded = is_read_by(alone.class) || alone.id.member() == from;
            alone.medium.hold(now, decoded, waits);
        }
    }

    /// Ends a frame that sets no NAV. Its transmitter and the members that have decoded it defer for an AIFS. An EIFS
    /// may follow for the others.
    #[inline]
    fn end_exchange(&mut self, now: Time, ended: Ended) {
        self.grouped_transmitter = None;
        let from = ended.from;
        self.part_exceptions(from, Audibility::Senses);
        self.end_for_each(now, from, |audibility, id, _| {
            let decoded = id == Some(from) || audibility == Audibility::Decodes;
            let reception = if decoded { Reception::Decoded } else { Reception::Energy };
            Some(Ended { reception, ..ended })
        });
    }

    /// Ends frames that all members sense and that overlapped, so that no member has decoded any.
    #[cold]
    fn end_collision<P>(&mut self, now: Time, ended: &[Ppdu<P>], last: &Ppdu<P>) {
        for ppdu in ended {
            self.reaches[ppdu.frame.from.index()].is_sent = false;
        }
        let count = u32::try_from(ended.len()).expect("one for each member");
        let ended = Ended { count, reception: Reception::Failed, ..Ended::of(last, now) };
        self.end_for_each(now, last.frame.from, |_, _, _| Some(ended));
    }

    fn end_frame<P>(&mut self, now: Time, ppdu: &Ppdu<P>, missed: &[NodeId]) {
        let Frame { kind, from, to, duration_field, .. } = ppdu.frame;
        // The NAV does not bind the addressee, and an error affects only the receiver.
        let addressee = ppdu.frame.addressee().filter(|_| !duration_field.is_zero());
        if let Some(id) = to.filter(|_| ppdu.errored).or(addressee) {
            self.part_member(id, |_| {});
        }
        if ppdu.errored && (to.is_none() || kind == FrameKind::CtsToOther) {
            for id in missed {
                self.part_member(*id, |_| {});
            }
        }
        // A group that does not receive the frame itself needs no exceptions.
        if self.groups.iter().any(|it| it.class.is_none() && it.medium.receives(from)) {
            self.part_exceptions(from, Audibility::Senses);
        }
        let ended = Ended::of(ppdu, now);
        let fellows = std::mem::take(&mut self.fellows);
        self.end_for_each(now, from, |audibility, id, medium| {
            let is_own = id.is_some_and(|id| Self::is_sender(&fellows, id, from));
            let heard = medium.receives(from) && !is_own;
            let is_errored = id.is_some_and(|id| ppdu.is_errored_for(id, missed));
            let is_bound = id.is_none() || id != ppdu.frame.addressee();
            let reserved_until = ended.reserved_until.filter(|_| is_bound);
            let reception = match audibility {
                Audibility::Decodes if heard && !is_errored => Reception::Decoded,
                Audibility::Decodes => Reception::Failed,
                Audibility::Senses | Audibility::Nothing => Reception::Energy,
            };
            (is_own || audibility != Audibility::Nothing).then_some(Ended {
                reception,
                reserved_until,
                ..ended
            })
        });
        self.fellows = fellows;
    }

    /// Ends a frame of `from` for each group, whose contenders share one state of the medium, and for each contender
    /// with a state of its own. `seen` returns how the frame's end is perceived with this state, or `None` if the frame
    /// is not sensed. Its arguments are the audibility of the frame, the member of a contender with its own state, and
    /// this state.
    #[inline]
    fn end_for_each(
        &mut self,
        now: Time,
        from: NodeId,
        seen: impl Fn(Audibility, Option<NodeId>, &MediumState) -> Option<Ended>,
    ) {
        let all_decode = self.all_decode_all();
        let Self { groups, reaches, countdowns, alone, waits, slot, .. } = self;
        reaches[from.index()].is_sent = false;
        let row = &reaches[from.index()].row;
        let audibility_of =
            |class: ClassId| if all_decode { Audibility::Decodes } else { row[class.index()] };
        for group in &mut *groups {
            let audibility = group.class.map_or(Audibility::Decodes, audibility_of);
            if let Some(ended) = seen(audibility, None, &group.medium) {
                group.medium.end_frames(now, &ended, group.spaces, waits);
            }
        }
        for alone in alone {
            let member = Some(alone.id.member());
            if let Some(ended) = seen(audibility_of(alone.class), member, &alone.medium) {
                alone.medium.end_frames(now, &ended, alone.spaces, waits);
                if alone.medium.is_idle() {
                    alone.plan(countdowns, *slot);
                }
            }
        }
    }
}

impl Alone {
    /// Handles the start of frames for a lone contender: the member's own (`sends`), and `others` that it senses.
    #[inline]
    fn begin(&mut self, now: Time, sends: bool, others: u32, slot: Duration) {
        self.medium.begin_frames(now, sends, others, slot);
        self.access = Time::MAX;
    }
}
