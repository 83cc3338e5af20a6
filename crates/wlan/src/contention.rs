//! Contention for the channel: whose back-off is done first, at a cost that does not grow with those who wait.
//!
//! Every member goes by the rules of the DCF alone ([`crate::dcf`]). Members of a class (`hearing`) that know the
//! same of the medium share one [`MediumState`], and so one count of slots: their *group*. A contender with `b`
//! slots of back-off left when the group has counted `s` waits in a heap under `s + b`, and while the medium is
//! busy nothing is touched. Who comes to know something else (it transmits, or is addressed and so not bound by
//! the NAV, or has not decoded what its group has) goes on *alone*, with a state of its own; whose state agrees
//! with the group's again after a busy period returns. A plain cell stays one group with few who are alone.

mod busy;

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use airfair_units::{Dbm, Decibels, Duration, Time};

use crate::config::{CellConfig, NodeId};
use crate::contender::ContenderId;
use crate::dcf::{InterframeSpaces, MediumState, Waits};
use crate::frame::{Frame, FrameKind};
use crate::hearing::{Audibility, ClassId, Hearing};
use crate::phy::Timing;

/// Wish of a contender for the channel.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Want {
    /// It rests, or is in an exchange.
    #[default]
    Nothing,
    /// To transmit at that time, if its medium stays idle until then.
    Immediate(Time),
    /// To transmit when its back-off is done.
    Backoff,
}

/// Members of a class that know the same.
#[derive(Debug)]
struct Group {
    class: ClassId,
    medium: MediumState,
    /// Contenders, by the slot at which they are due. One that has gone leaves its entry behind.
    due: BinaryHeap<Reverse<Turn>>,
}

/// Slot at which a contender is due, and its number, in one word: turns are compared often.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Turn(u64);

impl Turn {
    /// Slots of 9 µs for 80 years.
    const SLOTS: u64 = 1 << 48;

    #[inline]
    fn new(due: u64, id: ContenderId) -> Self {
        assert!(due < Self::SLOTS, "a slot within 80 years");
        Self(due << 16 | id.index() as u64)
    }

    #[inline]
    fn due(self) -> u64 {
        self.0 >> 16
    }

    #[inline]
    #[expect(clippy::cast_possible_truncation, reason = "its lower half holds the number")]
    fn id(self) -> ContenderId {
        ContenderId::only(NodeId(self.0 as u16))
    }
}

/// Countdown of one contender.
#[derive(Debug, Default)]
struct Countdown {
    want: Want,
    /// Slot of its member's count at which its back-off is done.
    due: u64,
    /// Slot under which it has an entry in the heap of its member's group.
    queued: Option<u64>,
}

/// One member: its knowledge of the medium, and its frame on the air.
#[derive(Debug)]
struct Member {
    class: ClassId,
    /// Index of the group that it belongs to; nothing if it has its class to itself, and so is always alone.
    group: Option<usize>,
    /// Its own state of the medium while it is alone.
    alone: Option<MediumState>,
    /// True if a frame of its own is on the air; what that is to each class, and the power that it arrives with
    /// at each member, where frames are captured.
    sends: bool,
    audibility: Vec<Audibility>,
    power: Vec<Dbm>,
}

/// Countdowns and carrier sense of all members of a channel.
#[derive(Debug)]
pub(crate) struct Contention {
    slot: Duration,
    waits: Waits,
    hearing: Hearing,
    /// Spaces of each class.
    spaces: Vec<InterframeSpaces>,
    groups: Vec<Group>,
    members: Vec<Member>,
    /// By contender.
    countdowns: Vec<Countdown>,
    /// Members that are alone, those first that always are; so many.
    alone: Vec<NodeId>,
    always_alone: usize,
    /// Contenders that want to transmit without a back-off.
    immediate: Vec<ContenderId>,
    /// Contenders whose immediate access the frames that start have forestalled: they must draw a back-off.
    forestalled: Vec<ContenderId>,
    /// The one member that transmits, where all sense it and nobody else does: it goes by its group's state, since
    /// what it knows better makes a difference only if another frame comes or its own fails.
    speaker: Option<NodeId>,
    /// True if every member senses every other, for good, and if it decodes it.
    all_sense: bool,
    all_decode: bool,
    /// True if what a frame is to others never depends on when and how it is sent.
    is_fixed: bool,
    sifs: Duration,
    /// Frames on the air.
    on_air: usize,
    /// Transmitters of frames that start now, with whether the frame is DSSS.
    starting: Vec<(NodeId, bool)>,
    /// By how much a frame must be stronger than all that overlap it to survive.
    capture: Option<Decibels>,
}

impl Contention {
    pub(crate) fn new(config: &CellConfig, timing: &Timing, hearing: Hearing) -> Self {
        let spaces = hearing.aifsns().map(|aifsn| InterframeSpaces::new(timing, aifsn));
        let spaces: Vec<InterframeSpaces> = spaces.collect();
        let of_class = |class: ClassId| hearing.class_of().iter().filter(move |of| **of == class);
        let groups = (0..spaces.len()).map(ClassId::new).filter(|c| of_class(*c).nth(1).is_some());
        let group = |class: ClassId| {
            let medium = MediumState::new(spaces[class.index()]);
            Group { class, medium, due: BinaryHeap::new() }
        };
        let groups: Vec<Group> = groups.map(group).collect();
        let member = |(from, class): (NodeId, &ClassId)| {
            let group = groups.iter().position(|group| group.class == *class);
            Member {
                class: *class,
                group,
                alone: group.is_none().then(|| MediumState::new(spaces[class.index()])),
                sends: false,
                audibility: if hearing.is_fixed() {
                    hearing.audibility(from, true).collect()
                } else {
                    vec![]
                },
                power: Vec::new(),
            }
        };
        let members = (0..).map(NodeId).zip(hearing.class_of());
        let members: Vec<Member> = members.map(member).collect();
        let alone = (0..).map(NodeId).zip(&members);
        let alone = alone.filter(|(_, member)| member.alone.is_some()).map(|(id, _)| id);
        let alone: Vec<NodeId> = alone.collect();
        let countdowns = members.iter().map(|_| Countdown::default()).collect();
        Self {
            slot: timing.slot,
            waits: Waits::new(&config.rules, timing),
            all_sense: hearing.all_sense_all(),
            all_decode: hearing.all_decode_all(),
            is_fixed: hearing.is_fixed(),
            sifs: timing.sifs,
            hearing,
            spaces,
            groups,
            members,
            always_alone: alone.len(),
            alone,
            countdowns,
            immediate: Vec::new(),
            forestalled: Vec::new(),
            speaker: None,
            on_air: 0,
            starting: Vec::new(),
            capture: None,
        }
    }

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
        let known = &mut self.members[from.index()].power;
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
        self.hearing.set(listener, from, audibility);
    }

    /// Sets what `frame`, which is about to start, is to each member. To whom it is addressed it is a frame as
    /// soon as it is sensed: whether it is errored is drawn at its end.
    pub(crate) fn set_row(&mut self, frame: &Frame, row: &[Audibility]) {
        self.hearing.set_row(frame.from, row);
        let mut address = |to: NodeId| {
            if row[to.index()] == Audibility::Senses {
                self.hearing.set(to, frame.from, Audibility::Decodes);
            }
        };
        match frame.to {
            Some(to) => address(to),
            None => (0..).map(NodeId).take(row.len()).for_each(address),
        }
    }

    /// The medium as `id` knows it.
    #[inline]
    fn medium(&self, id: NodeId) -> &MediumState {
        let member = &self.members[id.index()];
        match (&member.alone, member.group) {
            (None, Some(group)) => &self.groups[group].medium,
            (own, _) => own.as_ref().expect("whoever has no group is alone"),
        }
    }

    /// From now on `id` goes on alone.
    #[inline]
    fn part(&mut self, id: NodeId) -> &mut MediumState {
        let member = &mut self.members[id.index()];
        if let (None, Some(group)) = (&member.alone, member.group) {
            self.alone.push(id);
            member.alone = Some(self.groups[group].medium);
        }
        member.alone.as_mut().expect("whoever has no group is alone")
    }

    /// Those who are alone and whose state agrees with their group's return to it.
    #[inline]
    fn reunite(&mut self, now: Time) {
        if self.alone.len() > self.always_alone {
            self.reunite_some(now);
        }
    }

    fn reunite_some(&mut self, now: Time) {
        let Self { groups, members, countdowns, alone, .. } = self;
        alone.retain(|id| {
            let member = &mut members[id.index()];
            let (Some(own), Some(group)) = (member.alone, member.group) else { return true };
            let group = &mut groups[group];
            if !own.agrees_with(&group.medium, now) {
                return true;
            }
            member.alone = None;
            for id in ContenderId::of(*id) {
                let countdown = &mut countdowns[id.index()];
                countdown.due = own.translate(countdown.due, &group.medium);
                if countdown.want == Want::Backoff {
                    countdown.queue(id, group);
                }
            }
            false
        });
    }

    /// Whoever wanted to transmit without a back-off and finds the medium busy must draw one.
    #[inline]
    fn forestall(&mut self) {
        if !self.immediate.is_empty() {
            self.forestall_some();
        }
    }

    fn forestall_some(&mut self) {
        let mut immediate = std::mem::take(&mut self.immediate);
        immediate.retain(|id| {
            let is_idle = self.medium(id.member()).is_idle();
            if !is_idle {
                self.forestalled.push(*id);
            }
            is_idle
        });
        self.immediate = immediate;
    }

    /// A contender that wanted to transmit at the end of the space, and has found the medium busy before:
    /// it must draw a back-off.  [80211-2020 §10.3.4.2]
    #[inline]
    pub(crate) fn pop_forestalled(&mut self) -> Option<ContenderId> {
        self.forestalled.pop()
    }

    /// Audibility at `id` of the frame of `from` that is on the air.
    #[inline]
    fn audibility(&self, id: NodeId, from: NodeId) -> Audibility {
        self.audibility_of(self.members[id.index()].class, from)
    }

    /// Audibility in a class of the frame of `from` that is on the air.
    #[inline]
    fn audibility_of(&self, class: ClassId, from: NodeId) -> Audibility {
        if self.all_decode {
            return Audibility::Decodes;
        }
        self.members[from.index()].audibility[class.index()]
    }

    /// True if `id` senses the frame of `from` that is on the air.
    fn senses(&self, id: NodeId, from: NodeId) -> bool {
        id != from && self.audibility(id, from) != Audibility::Nothing
    }

    /// True if another frame overlaps the one on the air where its receiver is, or anyone whom it is for.
    pub(crate) fn overlapped(&self, frame: &Frame) -> bool {
        let at = |id| self.senses(id, frame.from) && !self.medium(id).receives(frame.from);
        match frame.to {
            Some(to) => at(to),
            None => (0..).map(NodeId).take(self.members.len()).any(at),
        }
    }

    /// True if a frame is alone on the air and everyone senses it.
    #[inline]
    pub(crate) fn is_undisturbed(&self) -> bool {
        self.all_sense && self.on_air == 1
    }

    /// True if a frame that has just started is a response that its addressee cannot make out.
    pub(crate) fn misses(&self, frame: &Frame) -> bool {
        let is_response = matches!(frame.kind, FrameKind::Ack | FrameKind::Cts);
        let senses = |to| self.senses(to, frame.from);
        is_response && (self.overlapped(frame) || !frame.to.is_some_and(senses))
    }

    /// True if a frame of `from` that ends now is decoded by `id`, as far as noise allows.
    #[inline]
    pub(crate) fn decodes(&self, id: NodeId, from: NodeId) -> bool {
        self.medium(id).receives(from) && self.audibility(id, from) == Audibility::Decodes
    }

    /// True if carrier sense of `id` is idle.
    #[inline]
    pub(crate) fn is_idle(&self, id: NodeId) -> bool {
        self.medium(id).is_idle()
    }

    /// Time at which the medium of `id` has been idle for a `space` if it stays so, where the space before a
    /// back-off is an AIFS; nothing if it is busy.
    pub(crate) fn idle_for(&self, id: NodeId, space: Duration) -> Option<Time> {
        let class = self.members[id.index()].class;
        self.medium(id).idle_for(space, self.spaces[class.index()])
    }

    /// True if the virtual carrier sense of `id` is idle.
    #[inline]
    pub(crate) fn nav_is_clear(&self, id: NodeId, now: Time) -> bool {
        self.medium(id).nav_is_clear(now)
    }

    /// Starts a back-off of `backoff` slots. It counts whether or not the contender has something to send.
    #[inline]
    pub(crate) fn draw(&mut self, id: ContenderId, now: Time, backoff: u16) {
        let slot = self.slot;
        let medium = self.medium(id.member());
        // From inside a slot it counts from that slot's end, which is its own affair.
        self.countdowns[id.index()].due = if medium.is_counting(now) {
            self.part(id.member()).draw(now, backoff, slot)
        } else {
            medium.slots_at(now, slot) + u64::from(backoff)
        };
    }

    /// Contends with the back-off that it has drawn.
    #[inline]
    pub(crate) fn contend(&mut self, id: ContenderId) {
        let countdown = &mut self.countdowns[id.index()];
        countdown.want = Want::Backoff;
        let member = &self.members[id.member().index()];
        if let (None, Some(group)) = (&member.alone, member.group) {
            countdown.queue(id, &mut self.groups[group]);
        }
    }

    /// A packet has come to a resting contender: contends with what is left of its last back-off, or at once
    /// after an idle AIFS. The slots left; nothing if a new back-off must be drawn, because the medium is busy.
    /// [80211-2020 §10.3.4.2]
    pub(crate) fn try_access(&mut self, id: ContenderId, now: Time) -> Option<u64> {
        let medium = self.medium(id.member());
        let (counted, at) = (medium.slots_at(now, self.slot), medium.immediate_access(now));
        let due = self.countdowns[id.index()].due;
        if due > counted {
            self.contend(id);
            return Some(due - counted);
        }
        self.countdowns[id.index()].want = Want::Immediate(at?);
        self.immediate.push(id);
        Some(0)
    }

    /// Entries that are looked at one by one at each frame.
    #[cfg(test)]
    pub(crate) fn looked_at(&self) -> usize {
        self.groups.len() + self.alone.len() + self.immediate.len()
    }

    /// Time at which the next contender transmits, if its medium stays idle.
    #[inline]
    pub(crate) fn next_access(&mut self) -> Option<Time> {
        if self.all_sense && self.on_air > 0 { None } else { self.find_access() }
    }

    fn find_access(&mut self) -> Option<Time> {
        let Self { groups, members, countdowns, alone, immediate, slot, .. } = self;
        let mut next = Time::MAX;
        for group in groups.iter_mut().filter(|group| group.medium.is_idle()) {
            if let Some((due, _)) = group.first(members, countdowns) {
                next = next.min(group.medium.time_of(due, *slot).unwrap_or(Time::MAX));
            }
        }
        for id in &*alone {
            let Some(own) = &members[id.index()].alone else { continue };
            for id in ContenderId::of(*id) {
                let countdown = &countdowns[id.index()];
                if countdown.want == Want::Backoff {
                    next = next.min(own.time_of(countdown.due, *slot).unwrap_or(Time::MAX));
                }
            }
        }
        for id in &*immediate {
            if let Want::Immediate(at) = countdowns[id.index()].want {
                next = next.min(at);
            }
        }
        (next < Time::MAX).then_some(next)
    }

    /// Appends those who transmit at `now` to `winners`, by their number; they want nothing any more, and
    /// several of them collide.
    pub(crate) fn take_winners(&mut self, now: Time, winners: &mut Vec<ContenderId>) {
        let Self { groups, members, countdowns, alone, immediate, slot, .. } = self;
        for group in groups.iter_mut().filter(|group| group.medium.is_idle()) {
            while let Some((due, id)) = group.first(members, countdowns)
                && group.medium.time_of(due, *slot) == Some(now)
            {
                group.due.pop();
                let countdown = &mut countdowns[id.index()];
                (countdown.want, countdown.queued) = (Want::Nothing, None);
                winners.push(id);
            }
        }
        for id in &*alone {
            let Some(own) = &members[id.index()].alone else { continue };
            for id in ContenderId::of(*id) {
                let countdown = &mut countdowns[id.index()];
                if countdown.want == Want::Backoff && own.time_of(countdown.due, *slot) == Some(now)
                {
                    countdown.want = Want::Nothing;
                    winners.push(id);
                }
            }
        }
        immediate.retain(|id| {
            let want = &mut countdowns[id.index()].want;
            let wins = *want == Want::Immediate(now);
            if wins {
                *want = Want::Nothing;
                winners.push(*id);
            }
            !wins
        });
        if winners.len() > 1 {
            winners.sort_unstable();
        }
    }
}

impl Group {
    /// The first contender. Entries of those who have gone since are removed.
    #[inline]
    fn first(
        &mut self,
        members: &[Member],
        countdowns: &mut [Countdown],
    ) -> Option<(u64, ContenderId)> {
        while let Some(&Reverse(turn)) = self.due.peek() {
            let (due, id) = (turn.due(), turn.id());
            let countdown = &mut countdowns[id.index()];
            let is_here = members[id.member().index()].alone.is_none();
            if countdown.want == Want::Backoff && is_here && countdown.due == due {
                return Some((due, id));
            }
            if countdown.queued == Some(due) {
                countdown.queued = None;
            }
            self.due.pop();
        }
        None
    }
}

impl Countdown {
    /// Waits in the heap of its member's group, where the entry that it has left there may still hold.
    #[inline]
    fn queue(&mut self, id: ContenderId, group: &mut Group) {
        if self.queued != Some(self.due) {
            self.queued = Some(self.due);
            group.due.push(Reverse(Turn::new(self.due, id)));
        }
    }
}
