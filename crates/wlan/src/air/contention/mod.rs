//! Contention for the channel: finds the contender whose back-off ends next. The cost does not grow with the number
//! of contenders that wait.
//!
//! Every contender, a member with one of its access categories, follows the rules of the DCF or EDCA
//! (`air::dcf`). Contenders with equal knowledge of the medium share one [`MediumState`], and so one count of
//! slots: their *group*. A contender that has `b` slots of back-off left when the group has counted `s` slots waits
//! in a heap under `s + b`. While the medium is busy, nothing is updated. A contender whose knowledge becomes
//! different goes on *alone*, with its own state: it transmits, or it is addressed and so not bound by the NAV, or it
//! does not sense or decode a frame that its group does. When the two states agree again after a busy period, it
//! returns to the group. A plain cell is one group, and few contenders are alone.
//!
//! The contenders of a class, which sense and decode the same frames (`air::hearing`), form a group. All contenders that
//! have a class of their own and wait equally long also form a group. Such a group treats each frame as decoded, and
//! exceptions go on alone: contenders that do not sense a frame when it starts, and contenders that do not decode it,
//! once this makes a difference. It makes no difference if the next frame of an exchange follows after a SIFS and all
//! members sense both.
//!
//! Contenders of one member hear and send the same frames. Their carrier sense, NAV and frames on the air agree, and
//! they differ only in their counts of slots. A question about a member is answered for its first contender.
//!
//! Two shortcuts save time and change no record. If all members sense both a frame and the frame that follows it a SIFS
//! later, nobody can transmit in between: [`Contention::hold`] holds the medium, and the rules decide at the end of the
//! exchange. If all members always sense each other, the next frame of an exchange is put on the air together with the
//! end of the last one, and its sender stays in its group. Undisturbed exchanges (`air::undisturbed`) go further.
//!
//! If who hears whom may change, each member is a class of its own. A frame then costs a few more instructions for each
//! member that senses it, and tens for each that does not or that is alone. Property tests compare groups by class with
//! groups and exceptions, cells with a monitor with cells without, and both with a model that advances by microseconds
//! (`tests/ticks`).

mod audibility;
mod busy;
mod group;
mod reach;

use airfair_units::{Dbm, Decibels, Duration, Time};

use self::group::{Alone, Countdown, Group, Membership, PendingAccess, groups, place};
use self::reach::{Reach, least};
use crate::air::access::ChannelAccess;
use crate::air::dcf::{InterframeSpaces, MediumState, Waits};
use crate::air::hearing::{Audibility, ClassId, Hearing};
use crate::config::CellConfig;
use crate::node::NodeId;
use crate::phy::{Generation, Timing, TxVector};
use crate::roster::{ContenderId, Roster};

/// Countdowns and carrier sense of all contenders of a channel.
#[derive(Clone, Debug)]
pub(crate) struct Contention {
    slot: Duration,
    waits: Waits,
    roster: Roster,
    hearing: Hearing,
    groups: Vec<Group>,
    /// For each class that belongs to a group of several classes: its only contender. A class is the contenders that
    /// hear the same frames, a group those that share one count of slots. Empty if all contenders are of one class.
    only_of_class: Vec<Option<ContenderId>>,
    /// Reach of the last frame of each member: which contenders sense or decode the frame.
    reaches: Vec<Reach>,
    /// Class and group of each contender. A class hears the same frames, and a group shares one count of slots.
    memberships: Vec<Membership>,
    countdowns: Vec<Countdown>,
    /// Contenders that count slots with a [`MediumState`] of their own instead of their group's. The first
    /// `always_alone` of them have no group.
    alone: Vec<Alone>,
    always_alone: usize,
    /// Contenders that are to transmit without a back-off.
    immediate: Vec<ContenderId>,
    /// Contenders without a back-off that have found the medium busy, and so must draw one.
    forestalled: Vec<ContenderId>,
    /// Contenders that treat the medium as busy, with the end of this wait: their member waits for a response that will
    /// not come, or its MU EDCA timer runs.
    held: Vec<(ContenderId, Time)>,
    /// The transmitting member, if it still counts slots with its group, the contenders that share one state of the
    /// medium. It does so while all members sense its frame and no other frame is on the air. That it knows its own
    /// frame matters only if another frame starts, or if its own is not answered.
    grouped_transmitter: Option<NodeId>,
    /// Worst audibility (nothing, energy or decoded) that any frame has for any contender, over the whole run.
    least: Audibility,
    /// True if the audibility of a frame depends neither on time nor on its vector, and no other cell is on the channel.
    is_fixed: bool,
    /// True if other cells hear this one, or it hears them: each frame then starts and ends on its own.
    is_shared: bool,
    sifs: Duration,
    /// Number of frames on the air; `partial` counts those that some member does not sense.
    on_air: usize,
    partial: usize,
    /// True while the medium is held for the next frame of an exchange.
    is_held: bool,
    /// Transmitters of frames that start now, with the frames' vectors.
    starting: Vec<(NodeId, TxVector)>,
    /// Members that send a turn together with its leader, each behind the leader.
    fellows: Vec<(NodeId, NodeId)>,
    /// Rule by which members follow one of several frames; `None` if no frame survives an overlap.
    capture: Option<Capture>,
    /// Power from which members sense frames whose preambles they have missed; `None` if they sense them as all others.
    detection: Option<Dbm>,
}

/// Rule by which a member stays synchronised to one of several frames.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Capture {
    /// The first frame, or the strongest of those that start together, if it exceeds the sum of the others by a margin.
    Margin(Decibels),
    /// The first frame, or the strongest of those that start together, whose errors follow from the interference. A
    /// later frame takes its place if it exceeds the sum of the others by a margin, if there is one.
    Interference(Option<Decibels>),
}

impl Contention {
    pub(crate) fn new(
        config: &CellConfig,
        timing: &Timing,
        (hearing, roster): (Hearing, Roster),
    ) -> Self {
        let spaces: Vec<InterframeSpaces> = hearing.spaces(timing).collect();
        let (groups, group_of) = groups(hearing.class_of(), &spaces);
        let membership = |(class, group): (&ClassId, Option<u16>)| Membership {
            class: *class,
            group,
            alone: None,
        };
        let mut memberships: Vec<Membership> =
            hearing.class_of().iter().zip(group_of).map(membership).collect();
        let reach = |from| {
            let mut row = Vec::new();
            hearing.copy_audibility(from, Generation::Dsss, &mut row);
            Reach { is_sent: false, is_energy: false, least: least(&row), row, power: Vec::new() }
        };
        let reaches = (0..).map(NodeId).take(config.transmitters()).map(reach).collect();
        let mut only_of_class = Vec::new();
        if groups.iter().any(|group| group.class.is_none()) {
            only_of_class.resize(spaces.len(), None);
            for (id, membership) in roster.all().zip(&memberships) {
                let is_only = membership
                    .group
                    .is_some_and(|group| groups[usize::from(group)].class.is_none());
                only_of_class[membership.class.index()] = is_only.then_some(id);
            }
        }
        let mut alone = Vec::new();
        for (id, membership) in roster.all().zip(&mut memberships) {
            if membership.group.is_none() {
                membership.alone = Some(place(alone.len()));
                let spaces = spaces[membership.class.index()];
                alone.push(Alone::new(id, membership.class, spaces, MediumState::new(spaces)));
            }
        }
        let countdowns = memberships.iter().map(|_| Countdown::default()).collect();
        Self {
            slot: timing.slot,
            waits: Waits::new(&config.rules, timing),
            least: if config.foreign.is_empty() { hearing.least() } else { Audibility::Nothing },
            is_fixed: hearing.is_fixed() && config.foreign.is_empty(),
            is_shared: false,
            sifs: timing.sifs,
            hearing,
            roster,
            groups,
            only_of_class,
            reaches,
            memberships,
            always_alone: alone.len(),
            alone,
            countdowns,
            immediate: Vec::new(),
            forestalled: Vec::new(),
            held: Vec::new(),
            grouped_transmitter: None,
            on_air: 0,
            partial: 0,
            is_held: false,
            starting: Vec::new(),
            fellows: Vec::new(),
            capture: None,
            detection: None,
        }
    }

    /// Medium as contender `id` knows it.
    #[inline]
    fn medium(&self, id: ContenderId) -> &MediumState {
        match self.memberships[id.index()] {
            Membership { alone: Some(place), .. } => &self.alone[usize::from(place)].medium,
            Membership { group: Some(group), .. } => &self.groups[usize::from(group)].medium,
            Membership { .. } => unreachable!("whoever has no group is alone"),
        }
    }

    /// Interframe spaces of contender `id`.
    fn spaces(&self, id: ContenderId) -> InterframeSpaces {
        match self.memberships[id.index()] {
            Membership { alone: Some(place), .. } => self.alone[usize::from(place)].spaces,
            Membership { group: Some(group), .. } => self.groups[usize::from(group)].spaces,
            Membership { .. } => unreachable!("whoever has no group is alone"),
        }
    }

    /// Sets the AIFSN of contender `id`. The contender leaves its group, with which it shared one count of slots, for
    /// good, because the others of the group wait for other times.
    #[cold]
    pub(crate) fn set_aifsn(&mut self, now: Time, id: ContenderId, timing: &Timing, aifsn: u8) {
        let before = self.spaces(id);
        let spaces = before.with_aifsn(timing, aifsn);
        let own = self.part(id);
        own.medium.set_spaces(now, before, spaces);
        own.spaces = spaces;
        let start = own.medium.immediate_access(now);
        let Self { memberships, countdowns, alone, always_alone, only_of_class, slot, .. } = self;
        if let (PendingAccess::Immediate(at), Some(start)) =
            (&mut countdowns[id.index()].pending, start)
            && *at > now
        {
            *at = start;
        }
        let membership = &mut memberships[id.index()];
        let from = usize::from(membership.alone.expect("it has just left its group"));
        if membership.group.take().is_some() {
            alone.swap(from, *always_alone);
            for index in [from, *always_alone] {
                memberships[alone[index].id.index()].alone = Some(place(index));
            }
            *always_alone += 1;
        }
        let place = memberships[id.index()].alone.expect("it is alone");
        alone[usize::from(place)].plan(countdowns, *slot);
        for only in only_of_class.iter_mut().filter(|only| **only == Some(id)) {
            *only = None;
        }
    }

    /// Medium as a member knows it, apart from the count of slots.
    #[inline]
    fn medium_of(&self, member: NodeId) -> &MediumState {
        let medium = self.medium(ContenderId::first(member));
        debug_assert!(
            self.grouped_transmitter == Some(member)
                || self.roster.of(member).all(|id| self.medium(id).hears_as(medium)),
            "contenders of a member hear the same"
        );
        medium
    }

    /// Lets contender `id` leave its group and go on with its own state of the medium from now on.
    #[inline]
    fn part(&mut self, id: ContenderId) -> &mut Alone {
        let Self { groups, memberships, countdowns, alone, slot, .. } = self;
        let membership = &mut memberships[id.index()];
        match *membership {
            Membership { alone: Some(place), .. } => &mut alone[usize::from(place)],
            Membership { group: Some(group), .. } => {
                let alone = membership.part(id, &groups[usize::from(group)], alone);
                alone.plan(countdowns, *slot);
                alone
            }
            Membership { .. } => unreachable!("whoever has no group is alone"),
        }
    }

    /// Lets each contender of a member leave its group, with which it shares one count of slots, and go on with a state
    /// of the medium of its own. Calls `each` with every such contender.
    #[inline]
    fn part_member(&mut self, member: NodeId, mut each: impl FnMut(&mut Alone)) {
        each(self.part(ContenderId::first(member)));
        if !self.roster.is_plain() {
            self.roster.of(member).skip(1).for_each(|id| each(self.part(id)));
        }
    }

    /// Returns contenders that count slots alone to their group if their state of the medium agrees with the group's.
    #[inline]
    fn reunite(&mut self, now: Time) {
        if !self.held.is_empty() {
            self.defer_held(now);
        }
        if self.alone.len() > self.always_alone {
            self.reunite_some(now);
        }
    }

    fn reunite_some(&mut self, now: Time) {
        let Self { groups, memberships, countdowns, alone, always_alone, .. } = self;
        if groups.iter().all(|group| !group.medium.is_idle()) {
            return;
        }
        let mut index = *always_alone;
        while let Some(Alone { id, medium: own, .. }) = alone.get(index) {
            let id = *id;
            let group = memberships[id.index()].group.map(|group| &mut groups[usize::from(group)]);
            let group = group.filter(|group| own.agrees_with(&group.medium, now));
            let Some(group) = group else {
                index += 1;
                continue;
            };
            memberships[id.index()].alone = None;
            let countdown = &mut countdowns[id.index()];
            countdown.due = own.translate(countdown.due, &group.medium);
            if countdown.pending == PendingAccess::Backoff {
                countdown.queue(id, group);
            }
            alone.swap_remove(index);
            if let Some(moved) = alone.get(index) {
                memberships[moved.id.index()].alone = Some(place(index));
            }
        }
    }

    /// Makes contenders that were to transmit without a back-off draw one, since the medium is busy.
    #[inline]
    fn forestall(&mut self) {
        if !self.immediate.is_empty() {
            self.forestall_some();
        }
    }

    fn forestall_some(&mut self) {
        let mut immediate = std::mem::take(&mut self.immediate);
        immediate.retain(|id| {
            let is_idle = self.medium(*id).is_idle();
            if !is_idle {
                self.forestalled.push(*id);
            }
            is_idle
        });
        self.immediate = immediate;
    }

    /// Takes a contender that was to transmit after the interframe space and has found the medium busy. It must draw
    /// a back-off. [80211-2020 §10.3.4.2]
    #[inline]
    pub(crate) fn pop_forestalled(&mut self) -> Option<ContenderId> {
        self.forestalled.pop()
    }

    /// True if physical carrier sense of member `id` is idle.
    #[inline]
    pub(crate) fn is_idle(&self, id: NodeId) -> bool {
        self.medium_of(id).is_idle()
    }

    /// Time at which the medium of member `id` will have been idle for `space`, if it stays idle; `None` if it is
    /// busy. The space before a back-off must be an AIFS.
    pub(crate) fn idle_for(&self, id: NodeId, space: Duration) -> Option<Time> {
        let id = ContenderId::first(id);
        self.medium(id).idle_for(space, self.spaces(id))
    }

    /// True if virtual carrier sense of member `id` is idle.
    #[inline]
    pub(crate) fn nav_is_clear(&self, id: NodeId, now: Time) -> bool {
        self.medium_of(id).nav_is_clear(now)
    }

    /// Starts a back-off of `backoff` slots. It counts down even if the contender has nothing to send.
    #[inline]
    pub(crate) fn draw(&mut self, id: ContenderId, now: Time, backoff: u16) {
        let slot = self.slot;
        let medium = self.medium(id);
        // A back-off drawn inside of a slot counts from the end of the slot, so the contender goes on alone.
        self.countdowns[id.index()].due = if medium.is_counting(now) {
            self.part(id).medium.draw(now, backoff, slot)
        } else {
            medium.slots_at(now, slot) + u64::from(backoff)
        };
    }

    /// Lets contender `id` contend with the back-off that it has drawn last.
    #[inline]
    pub(crate) fn contend(&mut self, id: ContenderId) {
        let Self { groups, memberships, countdowns, alone, slot, .. } = self;
        countdowns[id.index()].pending = PendingAccess::Backoff;
        match memberships[id.index()] {
            Membership { alone: Some(place), .. } => {
                alone[usize::from(place)].plan(countdowns, *slot);
            }
            Membership { group: Some(group), .. } => {
                countdowns[id.index()].queue(id, &mut groups[usize::from(group)]);
            }
            Membership { .. } => unreachable!("whoever has no group is alone"),
        }
    }

    /// Lets contender `id` contend no longer. Its back-off continues.
    #[cold]
    pub(crate) fn withdraw(&mut self, id: ContenderId) {
        self.countdowns[id.index()].pending = PendingAccess::None;
        self.immediate.retain(|it| *it != id);
        self.forestalled.retain(|it| *it != id);
        if let Some(place) = self.memberships[id.index()].alone {
            self.alone[usize::from(place)].plan(&self.countdowns, self.slot);
        }
    }

    /// Starts channel access for a packet of an idle contender: with the rest of its last back-off, or at once after an
    /// idle AIFS. Returns the slots of back-off left. Returns `None` if a new back-off must be drawn, because the
    /// medium is busy.  [80211-2020 §10.3.4.2]
    pub(crate) fn try_access(&mut self, id: ContenderId, now: Time) -> Option<u64> {
        let is_held = self.held.iter().any(|(held, until)| *held == id && *until > now);
        let medium = self.medium(id);
        let (counted, at) = (medium.counted_at(now, self.slot), medium.immediate_access(now));
        let due = self.countdowns[id.index()].due;
        if due > counted {
            self.contend(id);
            return Some(due - counted);
        }
        self.countdowns[id.index()].pending = PendingAccess::Immediate(at.filter(|_| !is_held)?);
        self.immediate.push(id);
        Some(0)
    }

    /// Makes the other contenders of a member treat the medium as busy until `until`, because contender `id` waits
    /// for a response that will not come.
    #[inline]
    pub(crate) fn hold_still(&mut self, now: Time, id: ContenderId, until: Time) {
        if !self.roster.is_plain() {
            self.hold_others(now, id, until);
        }
    }

    #[inline(never)]
    fn hold_others(&mut self, now: Time, id: ContenderId, until: Time) {
        let others = self.roster.of(id.member()).filter(|other| *other != id);
        self.held.extend(others.map(|other| (other, until)));
        self.defer_held(now);
    }

    /// Makes contender `id` treat the medium as busy until `until`.
    #[cold]
    pub(crate) fn hold_until(&mut self, now: Time, id: ContenderId, until: Time) {
        self.held.retain(|(held, _)| *held != id);
        self.held.push((id, until));
        self.defer_held(now);
    }

    /// Lets contenders whose member has waited in vain for a response count from the end of this wait.
    #[inline(never)]
    fn defer_held(&mut self, now: Time) {
        let mut held = std::mem::take(&mut self.held);
        held.retain(|(_, until)| *until > now);
        for (id, until) in &held {
            let own = self.part(*id);
            let start = own.medium.wait_until(*until, own.spaces);
            let Self { memberships, countdowns, alone, slot, .. } = self;
            if let (PendingAccess::Immediate(at), Some(start)) =
                (&mut countdowns[id.index()].pending, start)
            {
                *at = start.max(*at);
            }
            if let Some(place) = memberships[id.index()].alone {
                alone[usize::from(place)].plan(countdowns, *slot);
            }
        }
        self.held = held;
    }

    /// State of the channel access of a contender that contends.
    pub(crate) fn countdown(&self, id: ContenderId) -> ChannelAccess {
        let Countdown { pending, due, .. } = self.countdowns[id.index()];
        match pending {
            PendingAccess::Immediate(from) => ChannelAccess::CountingDown { from, slots: 0 },
            PendingAccess::Backoff | PendingAccess::None => self.medium(id).countdown(due),
        }
    }

    /// Number of entries that are inspected one by one at each frame: groups of contenders that share one count of
    /// slots, contenders that count slots alone, and contenders that are to transmit without a back-off.
    #[cfg(test)]
    pub(crate) fn looked_at(&self) -> usize {
        self.groups.len() + self.alone.len() + self.immediate.len()
    }

    /// Time at which the next contender transmits, if its medium stays idle.
    #[inline]
    pub(crate) fn next_access(&mut self) -> Option<Time> {
        if self.on_air > self.partial { None } else { self.find_access() }
    }

    fn find_access(&mut self) -> Option<Time> {
        let Self { groups, memberships, countdowns, alone, immediate, slot, .. } = self;
        let mut next = Time::MAX;
        for group in groups.iter_mut().filter(|group| group.medium.is_idle()) {
            if let Some((due, _)) = group.first(memberships, countdowns) {
                next = next.min(group.medium.time_of(due, *slot).unwrap_or(Time::MAX));
            }
        }
        for alone in alone {
            next = next.min(alone.access);
        }
        for id in &*immediate {
            if let PendingAccess::Immediate(at) = countdowns[id.index()].pending {
                next = next.min(at);
            }
        }
        (next < Time::MAX).then_some(next)
    }

    /// Appends the contenders that transmit at `now` to `winners`, in order. They contend no longer, and several of
    /// them collide.
    pub(crate) fn take_winners(&mut self, now: Time, winners: &mut Vec<ContenderId>) {
        let Self { groups, roster, memberships, countdowns, alone, immediate, slot, .. } = self;
        for group in groups.iter_mut().filter(|group| group.medium.is_idle()) {
            while let Some((due, index)) = group.first(memberships, countdowns)
                && group.medium.time_of(due, *slot) == Some(now)
            {
                group.due.pop();
                let countdown = &mut countdowns[usize::from(index)];
                (countdown.pending, countdown.queued) = (PendingAccess::None, None);
                winners.push(roster.get(index));
            }
        }
        for alone in alone.iter_mut().filter(|alone| alone.access == now) {
            countdowns[alone.id.index()].pending = PendingAccess::None;
            winners.push(alone.id);
            alone.plan(countdowns, *slot);
        }
        immediate.retain(|id| {
            let pending = &mut countdowns[id.index()].pending;
            let wins = *pending == PendingAccess::Immediate(now);
            if wins {
                *pending = PendingAccess::None;
                winners.push(*id);
            }
            !wins
        });
        if winners.len() > 1 {
            winners.sort_unstable();
        }
    }
}
