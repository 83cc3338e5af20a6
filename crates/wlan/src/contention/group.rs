//! Contenders and their groups: who is due when, with whom, or alone.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

use airfair_units::{Duration, Time};

use crate::dcf::{InterframeSpaces, MediumState};
use crate::hearing::ClassId;
use crate::roster::ContenderId;

/// Wish of a contender for the channel.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Want {
    /// It rests, or is in an exchange.
    #[default]
    Nothing,
    /// To transmit at that time, if its medium stays idle until then.
    Immediate(Time),
    /// To transmit when its back-off is done.
    Backoff,
}

/// Contenders that know the same.
#[derive(Debug)]
pub(super) struct Group {
    /// Their class, if it is one. Those of several wait equally long, and take every frame for one that they decode:
    /// who does not, goes on alone as soon as that makes a difference.
    pub(super) class: Option<ClassId>,
    pub(super) spaces: InterframeSpaces,
    pub(super) medium: MediumState,
    /// Contenders, by the slot at which they are due. One that has gone leaves its entry behind.
    pub(super) due: BinaryHeap<Reverse<Turn>>,
}

/// Slot at which a contender is due, and its place, in one word: turns are compared often.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Turn(u64);

impl Turn {
    /// Slots of 9 µs for 80 years.
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

/// Countdown of one contender.
#[derive(Debug, Default)]
pub(super) struct Countdown {
    pub(super) want: Want,
    /// Slot of its group's count at which its back-off is done, or of its own if it is alone.
    pub(super) due: u64,
    /// Slot under which it has an entry in the heap of its group.
    pub(super) queued: Option<u64>,
}

/// One contender: where its knowledge of the medium is.
#[derive(Debug)]
pub(super) struct Seat {
    pub(super) class: ClassId,
    /// Index of the group that it belongs to; nothing if nobody else waits equally long, and so it is always alone.
    pub(super) group: Option<u16>,
    /// Its place among those who are alone, if it is.
    pub(super) alone: Option<u16>,
}

/// A contender that goes on alone.
#[derive(Debug)]
pub(super) struct Alone {
    pub(super) id: ContenderId,
    pub(super) class: ClassId,
    /// The medium as it knows it.
    pub(super) medium: MediumState,
    /// True if a frame of its member is about to start.
    pub(super) starts: bool,
    /// Time at which its back-off is done if its medium stays idle, kept as it is asked more often than it changes;
    /// [`Time::MAX`] without one.
    pub(super) access: Time,
}

impl Seat {
    /// Leaves its group and joins those who are alone.
    pub(super) fn part<'a>(
        &mut self,
        id: ContenderId,
        group: &Group,
        all: &'a mut Vec<Alone>,
    ) -> &'a mut Alone {
        self.alone = Some(place(all.len()));
        all.push(Alone::new(id, self.class, group.medium));
        all.last_mut().expect("the one just added")
    }
}

impl Alone {
    pub(super) fn new(id: ContenderId, class: ClassId, medium: MediumState) -> Self {
        Self { id, class, medium, starts: false, access: Time::MAX }
    }

    /// Finds when its back-off is done.
    #[inline]
    pub(super) fn plan(&mut self, countdowns: &[Countdown], slot: Duration) {
        let Countdown { want, due, .. } = countdowns[self.id.index()];
        let access = if want == Want::Backoff { self.medium.time_of(due, slot) } else { None };
        self.access = access.unwrap_or(Time::MAX);
    }
}

impl Group {
    /// The first contender. Entries of those who have gone since are removed.
    #[inline]
    pub(super) fn first(
        &mut self,
        seats: &[Seat],
        countdowns: &mut [Countdown],
    ) -> Option<(u64, u16)> {
        while let Some(&Reverse(turn)) = self.due.peek() {
            let (due, index) = (turn.due(), turn.contender());
            let countdown = &mut countdowns[usize::from(index)];
            let is_here = seats[usize::from(index)].alone.is_none();
            if countdown.want == Want::Backoff && is_here && countdown.due == due {
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
    /// Waits in the heap of its group, where the entry that it has left there may still hold.
    #[inline]
    pub(super) fn queue(&mut self, id: ContenderId, group: &mut Group) {
        if self.queued != Some(self.due) {
            self.queued = Some(self.due);
            group.due.push(Reverse(Turn::new(self.due, id)));
        }
    }
}

/// Groups of contenders of these classes, and the one that each belongs to, if any: that of its class, or, where it has
/// its class to itself, that of all such contenders that wait equally long.
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

/// A place in a list of contenders or of groups.
pub(super) fn place(index: usize) -> u16 {
    u16::try_from(index).expect("no more than contenders")
}
