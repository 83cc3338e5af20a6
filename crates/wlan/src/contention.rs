//! Contention for the channel: whose back-off is done first, at a cost that does not grow with those who wait.
//!
//! Every contender, a member with one of its access categories, goes by the rules of the DCF or EDCA alone
//! ([`crate::dcf`]). Contenders that know the same of the medium share one
//! [`MediumState`], and so one count of slots: their *group*. A contender with `b` slots of back-off left when the
//! group has counted `s` waits in a heap under `s + b`, and while the medium is busy nothing is touched. Who comes to
//! know something else (it transmits, or is addressed and so not bound by the NAV, or does not sense or decode what its
//! group does) goes on *alone*, with a state of its own; whose state agrees with the group's again after a busy period
//! returns. A plain cell stays one group with few who are alone.
//!
//! Contenders of a class (`hearing`) are a group, and so are all that have their class to themselves and wait equally
//! long. Such a group takes each frame for one that it decodes, and its exceptions go on alone: who does not sense a frame
//! when it starts, who does not decode it when that makes a difference. Where the next frame of an exchange follows
//! after a SIFS and all sense both, it makes none.
//!
//! Contenders of one member hear and send the same: they agree in carrier, NAV and frames on the air, and differ in when
//! slots count and how many have. What is asked of a member is asked of its first.
//!
//! Two shortcuts save time and change no record. If all members sense both a frame and the frame that follows it a SIFS
//! later, nobody can transmit in between: [`Contention::hold`] holds the medium, and the rules decide at the end of the
//! exchange. If all members always sense each other, the next frame of an exchange is put on the air together with the
//! end of the last one, and its sender stays in its group. Undisturbed exchanges (`cell::undisturbed`) go further.
//!
//! If who hears whom may change, each member is a class of its own. A frame then costs a few more instructions for each
//! member that senses it, and tens for each that does not or that is alone. Property tests compare groups by class with
//! groups and exceptions, cells with a monitor with cells without, and both with a model that advances by microseconds
//! (`tests/ticks`).

mod busy;
mod group;
mod reach;

use airfair_units::{Decibels, Duration, Time};

use self::group::{Alone, Countdown, Group, Seat, Want, groups, place};
use self::reach::{Reach, least};
use crate::cell::ChannelAccess;
use crate::config::{CellConfig, NodeId};
use crate::dcf::{InterframeSpaces, MediumState, Waits};
use crate::hearing::{Audibility, ClassId, Hearing};
use crate::phy::{Generation, Timing, TxVector};
use crate::roster::{ContenderId, Roster};

/// Countdowns and carrier sense of all contenders of a channel.
#[derive(Debug)]
pub(crate) struct Contention {
    slot: Duration,
    waits: Waits,
    roster: Roster,
    hearing: Hearing,
    /// Spaces of each class.
    spaces: Vec<InterframeSpaces>,
    groups: Vec<Group>,
    /// The contender of each class that is of a group of several classes; none where all of them are of one class.
    sole: Vec<Option<ContenderId>>,
    /// By member.
    reaches: Vec<Reach>,
    /// By contender.
    seats: Vec<Seat>,
    countdowns: Vec<Countdown>,
    /// Contenders that are alone, in no order but that those who always are come first: so many.
    alone: Vec<Alone>,
    always_alone: usize,
    /// Contenders that want to transmit without a back-off.
    immediate: Vec<ContenderId>,
    /// Contenders whose immediate access the frames that start have forestalled: they must draw a back-off.
    forestalled: Vec<ContenderId>,
    /// Contenders whose member awaits a response in vain, and until when: to them the medium is as good as busy.
    held: Vec<(ContenderId, Time)>,
    /// The one member that transmits, where all sense it and nobody else does: it goes by its group's state, since
    /// what it knows better makes a difference only if another frame comes or its own fails.
    speaker: Option<NodeId>,
    /// What each frame is to everyone at least, for good.
    least: Audibility,
    /// True if what a frame is to others never depends on when and how it is sent.
    is_fixed: bool,
    sifs: Duration,
    /// Frames on the air, and those among them that not everyone senses.
    on_air: usize,
    partial: usize,
    /// True if the next frame of an exchange has yet to take the place of the last.
    is_held: bool,
    /// Transmitters of frames that start now, with whether the frame is DSSS.
    starting: Vec<(NodeId, TxVector)>,
    /// By how much a frame must be stronger than all that overlap it to survive.
    capture: Option<Decibels>,
}

impl Contention {
    pub(crate) fn new(
        config: &CellConfig,
        timing: &Timing,
        (hearing, roster): (Hearing, Roster),
    ) -> Self {
        let spaces: Vec<InterframeSpaces> = hearing.spaces(timing).collect();
        let (groups, group_of) = groups(hearing.class_of(), &spaces);
        let seat =
            |(class, group): (&ClassId, Option<u16>)| Seat { class: *class, group, alone: None };
        let mut seats: Vec<Seat> = hearing.class_of().iter().zip(group_of).map(seat).collect();
        let reach = |from| {
            let mut row = Vec::new();
            hearing.copy_audibility(from, Generation::Dsss, &mut row);
            Reach { is_sent: false, least: least(&row), row, power: Vec::new() }
        };
        let reaches = (0..).map(NodeId).take(config.stations.len() + 1).map(reach).collect();
        let mut sole = Vec::new();
        if groups.iter().any(|group| group.class.is_none()) {
            sole.resize(spaces.len(), None);
            for (id, seat) in roster.all().zip(&seats) {
                let is_sole =
                    seat.group.is_some_and(|group| groups[usize::from(group)].class.is_none());
                sole[seat.class.index()] = is_sole.then_some(id);
            }
        }
        let mut alone = Vec::new();
        for (id, seat) in roster.all().zip(&mut seats) {
            if seat.group.is_none() {
                seat.alone = Some(place(alone.len()));
                let medium = MediumState::new(spaces[seat.class.index()]);
                alone.push(Alone::new(id, seat.class, medium));
            }
        }
        let countdowns = seats.iter().map(|_| Countdown::default()).collect();
        Self {
            slot: timing.slot,
            waits: Waits::new(&config.rules, timing),
            least: hearing.least(),
            is_fixed: hearing.is_fixed(),
            sifs: timing.sifs,
            hearing,
            roster,
            spaces,
            groups,
            sole,
            reaches,
            seats,
            always_alone: alone.len(),
            alone,
            countdowns,
            immediate: Vec::new(),
            forestalled: Vec::new(),
            held: Vec::new(),
            speaker: None,
            on_air: 0,
            partial: 0,
            is_held: false,
            starting: Vec::new(),
            capture: None,
        }
    }

    /// The medium as `id` knows it.
    #[inline]
    fn medium(&self, id: ContenderId) -> &MediumState {
        match self.seats[id.index()] {
            Seat { alone: Some(place), .. } => &self.alone[usize::from(place)].medium,
            Seat { group: Some(group), .. } => &self.groups[usize::from(group)].medium,
            Seat { .. } => unreachable!("whoever has no group is alone"),
        }
    }

    /// The medium as a member knows it, but for when slots count.
    #[inline]
    fn medium_of(&self, member: NodeId) -> &MediumState {
        let medium = self.medium(ContenderId::first(member));
        debug_assert!(
            self.speaker == Some(member)
                || self.roster.of(member).all(|id| self.medium(id).hears_as(medium)),
            "contenders of a member hear the same"
        );
        medium
    }

    /// From now on `id` goes on alone.
    #[inline]
    fn part(&mut self, id: ContenderId) -> &mut Alone {
        let Self { groups, seats, countdowns, alone, slot, .. } = self;
        let seat = &mut seats[id.index()];
        match *seat {
            Seat { alone: Some(place), .. } => &mut alone[usize::from(place)],
            Seat { group: Some(group), .. } => {
                let alone = seat.part(id, &groups[usize::from(group)], alone);
                alone.plan(countdowns, *slot);
                alone
            }
            Seat { .. } => unreachable!("whoever has no group is alone"),
        }
    }

    /// From now on each contender of a member goes on alone.
    #[inline]
    fn part_member(&mut self, member: NodeId, mut each: impl FnMut(&mut Alone)) {
        each(self.part(ContenderId::first(member)));
        if !self.roster.is_plain() {
            self.roster.of(member).skip(1).for_each(|id| each(self.part(id)));
        }
    }

    /// Those who are alone and whose state agrees with their group's return to it.
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
        let Self { groups, seats, countdowns, alone, always_alone, .. } = self;
        if groups.iter().all(|group| !group.medium.is_idle()) {
            return;
        }
        let mut index = *always_alone;
        while let Some(Alone { id, medium: own, .. }) = alone.get(index) {
            let id = *id;
            let group = seats[id.index()].group.map(|group| &mut groups[usize::from(group)]);
            let group = group.filter(|group| own.agrees_with(&group.medium, now));
            let Some(group) = group else {
                index += 1;
                continue;
            };
            seats[id.index()].alone = None;
            let countdown = &mut countdowns[id.index()];
            countdown.due = own.translate(countdown.due, &group.medium);
            if countdown.want == Want::Backoff {
                countdown.queue(id, group);
            }
            alone.swap_remove(index);
            if let Some(moved) = alone.get(index) {
                seats[moved.id.index()].alone = Some(place(index));
            }
        }
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
            let is_idle = self.medium(*id).is_idle();
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

    /// True if carrier sense of `id` is idle.
    #[inline]
    pub(crate) fn is_idle(&self, id: NodeId) -> bool {
        self.medium_of(id).is_idle()
    }

    /// Time at which the medium of `id` has been idle for a `space` if it stays so, where the space before a
    /// back-off is an AIFS; nothing if it is busy.
    pub(crate) fn idle_for(&self, id: NodeId, space: Duration) -> Option<Time> {
        let id = ContenderId::first(id);
        let class = self.seats[id.index()].class;
        self.medium(id).idle_for(space, self.spaces[class.index()])
    }

    /// True if the virtual carrier sense of `id` is idle.
    #[inline]
    pub(crate) fn nav_is_clear(&self, id: NodeId, now: Time) -> bool {
        self.medium_of(id).nav_is_clear(now)
    }

    /// Starts a back-off of `backoff` slots. It counts whether or not the contender has something to send.
    #[inline]
    pub(crate) fn draw(&mut self, id: ContenderId, now: Time, backoff: u16) {
        let slot = self.slot;
        let medium = self.medium(id);
        // From inside a slot it counts from that slot's end, which is its own affair.
        self.countdowns[id.index()].due = if medium.is_counting(now) {
            self.part(id).medium.draw(now, backoff, slot)
        } else {
            medium.slots_at(now, slot) + u64::from(backoff)
        };
    }

    /// Contends with the back-off that it has drawn.
    #[inline]
    pub(crate) fn contend(&mut self, id: ContenderId) {
        let Self { groups, seats, countdowns, alone, slot, .. } = self;
        countdowns[id.index()].want = Want::Backoff;
        match seats[id.index()] {
            Seat { alone: Some(place), .. } => alone[usize::from(place)].plan(countdowns, *slot),
            Seat { group: Some(group), .. } => {
                countdowns[id.index()].queue(id, &mut groups[usize::from(group)]);
            }
            Seat { .. } => unreachable!("whoever has no group is alone"),
        }
    }

    /// A packet has come to a resting contender: contends with what is left of its last back-off, or at once
    /// after an idle AIFS. The slots left; nothing if a new back-off must be drawn, because the medium is busy.
    /// [80211-2020 §10.3.4.2]
    pub(crate) fn try_access(&mut self, id: ContenderId, now: Time) -> Option<u64> {
        let is_held = self.held.iter().any(|(held, until)| *held == id && *until > now);
        let medium = self.medium(id);
        let (counted, at) = (medium.counted_at(now, self.slot), medium.immediate_access(now));
        let due = self.countdowns[id.index()].due;
        if due > counted {
            self.contend(id);
            return Some(due - counted);
        }
        self.countdowns[id.index()].want = Want::Immediate(at.filter(|_| !is_held)?);
        self.immediate.push(id);
        Some(0)
    }

    /// No response comes to `id` before `until`: it is that long in its exchange, and its member's other contenders find
    /// the medium busy.
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

    /// Contenders whose member awaits a response in vain count from then on when they would give up waiting themselves.
    #[inline(never)]
    fn defer_held(&mut self, now: Time) {
        let mut held = std::mem::take(&mut self.held);
        held.retain(|(_, until)| *until > now);
        for (id, until) in &held {
            let spaces = self.spaces[self.seats[id.index()].class.index()];
            let start = self.part(*id).medium.wait_until(*until, spaces);
            let Self { seats, countdowns, alone, slot, .. } = self;
            if let (Want::Immediate(at), Some(start)) = (&mut countdowns[id.index()].want, start) {
                *at = start.max(*at);
            }
            if let Some(place) = seats[id.index()].alone {
                alone[usize::from(place)].plan(countdowns, *slot);
            }
        }
        self.held = held;
    }

    /// Channel access of a contender that contends, as it stands.
    pub(crate) fn countdown(&self, id: ContenderId) -> ChannelAccess {
        let Countdown { want, due, .. } = self.countdowns[id.index()];
        match want {
            Want::Immediate(from) => ChannelAccess::CountingDown { from, slots: 0 },
            Want::Backoff | Want::Nothing => self.medium(id).countdown(due),
        }
    }

    /// Entries that are looked at one by one at each frame.
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
        let Self { groups, seats, countdowns, alone, immediate, slot, .. } = self;
        let mut next = Time::MAX;
        for group in groups.iter_mut().filter(|group| group.medium.is_idle()) {
            if let Some((due, _)) = group.first(seats, countdowns) {
                next = next.min(group.medium.time_of(due, *slot).unwrap_or(Time::MAX));
            }
        }
        for alone in alone {
            next = next.min(alone.access);
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
        let Self { groups, roster, seats, countdowns, alone, immediate, slot, .. } = self;
        for group in groups.iter_mut().filter(|group| group.medium.is_idle()) {
            while let Some((due, index)) = group.first(seats, countdowns)
                && group.medium.time_of(due, *slot) == Some(now)
            {
                group.due.pop();
                let countdown = &mut countdowns[usize::from(index)];
                (countdown.want, countdown.queued) = (Want::Nothing, None);
                winners.push(roster.get(index));
            }
        }
        for alone in alone.iter_mut().filter(|alone| alone.access == now) {
            countdowns[alone.id.index()].want = Want::Nothing;
            winners.push(alone.id);
            alone.plan(countdowns, *slot);
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
