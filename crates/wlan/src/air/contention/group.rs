//! Contenders, and the groups in which they count down.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

use airfair_units::{Duration, Time};

use crate::air::dcf::{InterframeSpaces, MediumState};
use crate::air::hearing::ClassId;
use crate::roster::ContenderId;

/// Channel access that a contender waits for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum PendingAccess {
    /// No access: the contender is idle, or in an exchange.
    #[default]
    None,
    /// Transmission without a back-off at this time, if the medium stays idle until then.
    Immediate(Time),
    /// Transmission at the end of the back-off.
    Backoff,
}

/// Contenders that count slots together, because they have equal knowledge of the medium.
#[derive(Clone, Debug)]
pub(super) struct Group {
    /// Class of the group's contenders, which sense and decode the same frames. `None` if they are of several classes:
    /// then they wait equally long, and the group treats every frame as decoded. A contender that does not sense or
    /// decode a frame counts slots alone, outside of the group, as soon as its channel access would differ from the
    /// group's.
    pub(super) class: Option<ClassId>,
    pub(super) spaces: InterframeSpaces,
    pub(super) medium: MediumState,
    /// Heap of the group's contenders, by the number in the group's count of slots at which their back-off ends. A
    /// contender that has left the group may have an outdated entry.
    pub(super) due: BinaryHeap<Reverse<Turn>>,
}

/// Slot at which a contender's back-off ends, with the contender's index, in one integer, because turns are compared
/// often.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Turn(u64);

impl Turn {
    /// Bound of the slots at which a back-off may end, which have 48 bits of the integer: 80 years of slots of 9 µs.
    /// The other 16 bits hold the contender's index.
    const SLOTS: u64 = 1 << 48;

    #[inline]
    pub(super) fn new(due: u64, id: ContenderId) -> Self {
        assert!(due < Self::SLOTS, "a slot within 80 years");
        Self(due << 16 | id.index() as u64)
    }

    #[inline]
    pub(super) fn due(self) -> u64 {
        self.0 >> 16
    }

    #[inline]
    #[expect(clippy::cast_possible_truncation, reason = "its lower part holds the place")]
    pub(super) fn contender(self) -> u16 {
        self.0 as u16
    }
}

/// Countdown of one contender's back-off.
#[derive(Clone, Debug, Default)]
pub(super) struct Countdown {
    pub(super) pending: PendingAccess,
    /// Slot at which the back-off ends, in the count that the contender's group shares, or in its own count if it is
    /// alone.
    pub(super) due: u64,
    /// Slot under which the contender is in the heap of its group, which orders contenders by the slot at which their
    /// back-off ends; `None` if it is not in the heap.
    pub(super) queued: Option<u64>,
}

/// Class (contenders that hear the same frames) and group (contenders that share one count of slots) of one contender.
#[derive(Clone, Debug)]
pub(super) struct Membership {
    pub(super) class: ClassId,
    /// Index of the contender's group, whose contenders share one count of slots; `None` if no other contender waits
    /// equally long, so that the contender always counts alone.
    pub(super) group: Option<u16>,
    /// Index of the contender in the list of those that count slots alone; `None` while it counts with its group.
    pub(super) alone: Option<u16>,
}

/// A contender that counts slots alone, with its own state of the medium, and not with a group.
#[derive(Clone, Debug)]
pub(super) struct Alone {
    pub(super) id: ContenderId,
    pub(super) class: ClassId,
    pub(super) spaces: InterframeSpaces,
    /// Medium as the contender knows it.
    pub(super) medium: MediumState,
    /// True if a frame of the contender's member is about to start.
    pub(super) starts: bool,
    /// Time at which the back-off ends if the medium stays idle; [`Time::MAX`] without a back-off. The time is kept
    /// because it is asked for more often than it changes.
    pub(super) access: Time,
}

impl Membership {
    /// Makes contender `id` count slots alone from now on, with a copy of its group's state of the medium. `all` is the
    /// list of contenders that count alone.
    pub(super) fn part<'a>(
        &mut self,
        id: ContenderId,
        group: &Group,
        all: &'a mut Vec<Alone>,
    ) -> &'a mut Alone {
        self.alone = Some(place(all.len()));
        all.push(Alone::new(id, self.class, group.spaces, group.medium));
        all.last_mut().expect("the one just added")
    }
}

impl Alone {
    pub(super) fn new(
        id: ContenderId,
        class: ClassId,
        spaces: InterframeSpaces,
        medium: MediumState,
    ) -> Self {
        Self { id, class, spaces, medium, starts: false, access: Time::MAX }
    }

    /// Calculates the time at which the contender's back-off ends.
    #[inline]
    pub(super) fn plan(&mut self, countdowns: &[Countdown], slot: Duration) {
        let Countdown { pending, due, .. } = countdowns[self.id.index()];
        let access =
            if pending == PendingAccess::Backoff { self.medium.time_of(due, slot) } else { None };
        self.access = access.unwrap_or(Time::MAX);
    }
}

impl Group {
    /// The contender of the group whose back-off ends first, with the slot at which it ends. Removes outdated entries
    /// from the group's heap: of contenders that have left the group, or wait for another slot or for none.
    #[inline]
    pub(super) fn first(
        &mut self,
        memberships: &[Membership],
        countdowns: &mut [Countdown],
    ) -> Option<(u64, u16)> {
        while let Some(&Reverse(turn)) = self.due.peek() {
            let (due, index) = (turn.due(), turn.contender());
            let countdown = &mut countdowns[usize::from(index)];
            let is_here = memberships[usize::from(index)].alone.is_none();
            if countdown.pending == PendingAccess::Backoff && is_here && countdown.due == due {
                return Some((due, index));
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
    /// Adds the contender to the heap of its group, which orders contenders by the slot at which their back-off ends,
    /// unless the contender's entry in the heap is still valid.
    #[inline]
    pub(super) fn queue(&mut self, id: ContenderId, group: &mut Group) {
        if self.queued != Some(self.due) {
            self.queued = Some(self.due);
            group.due.push(Reverse(Turn::new(self.due, id)));
        }
    }
}

/// Groups of contenders, which share one count of slots, and the group of each contender, if any. Contenders of one
/// class, which hear the same frames, form a group. So do all those that are alone in their class and wait equally
/// long.
pub(super) fn groups(
    class_of: &[ClassId],
    spaces: &[InterframeSpaces],
) -> (Vec<Group>, Vec<Option<u16>>) {
    let mut sizes = vec![0; spaces.len()];
    for class in class_of {
        sizes[class.index()] += 1;
    }
    let key = |class: &ClassId| {
        let shared = Some(*class).filter(|class| sizes[class.index()] > 1);
        (shared, spaces[class.index()])
    };
    let mut members_of = BTreeMap::new();
    for class in class_of {
        *members_of.entry(key(class)).or_insert(0) += 1;
    }
    members_of.retain(|_, members| *members > 1);
    let group_of = |class: &ClassId| members_of.keys().position(|it| *it == key(class)).map(place);
    let group_of = class_of.iter().map(group_of).collect();
    let group = |&(class, spaces): &(Option<ClassId>, InterframeSpaces)| {
        let medium = MediumState::new(spaces);
        Group { class, spaces, medium, due: BinaryHeap::new() }
    };
    (members_of.keys().map(group).collect(), group_of)
}

/// Converts the index of a contender or a group in a list to 16 bits.
pub(super) fn place(index: usize) -> u16 {
    u16::try_from(index).expect("no more than contenders")
}
