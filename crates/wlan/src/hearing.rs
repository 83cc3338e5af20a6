//! Audibility: the members that sense and decode each member's frames.
//!
//! Contenders that sense and decode the same frames, and wait equally long after them, form one *class*. A plain
//! cell has one class; where who hears whom may change, each contender is a class of its own.

use std::collections::BTreeMap;

use crate::config::{CellConfig, NodeId};
use crate::dcf::InterframeSpaces;
use crate::phy::{Generation, Timing};
use crate::roster::{ContenderId, Roster};

/// Meaning of one member's frames to another: nothing, energy, or a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Audibility {
    /// Too faint to be noticed: carrier sense stays idle.
    Nothing,
    /// Noise that keeps the medium busy.
    Senses,
    /// A frame, unless another one disturbs it.
    Decodes,
}

/// Contenders that hear alike and have the same AIFSN.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct ClassId(u16);

impl ClassId {
    pub(crate) fn new(index: usize) -> Self {
        Self(u16::try_from(index).expect("no more classes than contenders"))
    }

    pub(crate) fn index(self) -> usize {
        usize::from(self.0)
    }
}

/// Properties that make contenders hear and wait alike.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
struct Likeness {
    /// Members whose frames are too faint, ascending.
    hidden: Vec<NodeId>,
    /// Members whose frames are noise.
    noise: Vec<NodeId>,
    /// Frames of later generations are noise. A station of OFDM reads the length of HT, VHT and HE in L-SIG, and no header
    /// behind: to the DCF that is noise as well.  [80211-2020 §19.3.9.3.5]
    understands: Generation,
    aifsn: u8,
    counts_at_start: bool,
}

impl Likeness {
    /// What each frame is to it at least.
    fn least(&self, newest: Generation) -> Audibility {
        if !self.hidden.is_empty() {
            Audibility::Nothing
        } else if !self.noise.is_empty() || self.understands < newest {
            Audibility::Senses
        } else {
            Audibility::Decodes
        }
    }
}

/// Likeness of each contender.
fn likenesses(config: &CellConfig, roster: &Roster) -> Vec<Likeness> {
    let members = members(config);
    let likeness = |id: ContenderId| {
        let access = config.access(id.member(), roster.category(id));
        let (aifsn, counts_at_start) = (access.aifsn, access.counts_at_start);
        Likeness { aifsn, counts_at_start, ..members[id.member().index()].clone() }
    };
    roster.all().map(likeness).collect()
}

/// What makes members hear alike, the access point's first.
fn members(config: &CellConfig) -> Vec<Likeness> {
    let newest = config.rules.standard.generation();
    let mut of = vec![Likeness { understands: newest, ..Likeness::default() }];
    of.extend(config.stations.iter().map(|station| Likeness {
        hidden: station.hidden_from.clone(),
        noise: station.senses_only.clone(),
        understands: station.standard.generation().min(newest),
        ..Likeness::default()
    }));
    // Hiding is mutual, and the access point has no list of its own.
    for (index, station) in config.stations.iter().enumerate() {
        for other in &station.hidden_from {
            of[other.index()].hidden.push(NodeId::station(index));
        }
    }
    for likeness in &mut of {
        likeness.hidden.sort_unstable();
        likeness.hidden.dedup();
    }
    of
}

/// How a class waits, and the frames that it understands.
#[derive(Clone, Copy, Debug)]
struct Class {
    aifsn: u8,
    counts_at_start: bool,
    understands: Generation,
}

impl Class {
    fn of(likeness: &Likeness) -> Self {
        let Likeness { aifsn, counts_at_start, understands, .. } = *likeness;
        Self { aifsn, counts_at_start, understands }
    }
}

/// Audibility of each member's frames to each class: who hides from whom counts, not how many might.
fn rows(members: usize, classes: &[&Likeness]) -> Vec<Vec<Audibility>> {
    let mut rows = vec![vec![Audibility::Decodes; classes.len()]; members];
    for (index, class) in classes.iter().enumerate() {
        class.noise.iter().for_each(|from| rows[from.index()][index] = Audibility::Senses);
        class.hidden.iter().for_each(|from| rows[from.index()][index] = Audibility::Nothing);
    }
    rows
}

/// Audibility of each member's frames to each class. It may change during a run where each contender is a class of
/// its own; a frame on the air keeps the audibility that it started with.
#[derive(Clone, Debug)]
pub(crate) struct Hearing {
    class_of: Vec<ClassId>,
    classes: Vec<Class>,
    /// One row for each transmitter, with a place for each class.
    rows: Vec<Vec<Audibility>>,
    can_change: bool,
    /// True if any class does not understand what others do.
    has_deaf: bool,
    /// What each frame is to everyone at least, while nothing changes.
    least: Audibility,
}

impl Hearing {
    /// A relation that stays as it is.
    pub(crate) fn fixed(config: &CellConfig, roster: &Roster) -> Self {
        let contenders = likenesses(config, roster);
        let mut known = BTreeMap::new();
        let mut distinct: Vec<&Likeness> = Vec::new();
        let mut class_of = Vec::new();
        for likeness in &contenders {
            let class = *known.entry(likeness).or_insert_with(|| {
                distinct.push(likeness);
                ClassId::new(distinct.len() - 1)
            });
            class_of.push(class);
        }
        Self::of(config, class_of, &distinct, false)
    }

    /// A relation that may change.
    pub(crate) fn changing(config: &CellConfig, roster: &Roster) -> Self {
        let contenders = likenesses(config, roster);
        let each = (0..contenders.len()).map(ClassId::new).collect();
        Self::of(config, each, &contenders.iter().collect::<Vec<_>>(), true)
    }

    fn of(
        config: &CellConfig,
        class_of: Vec<ClassId>,
        classes: &[&Likeness],
        can_change: bool,
    ) -> Self {
        let newest = classes.iter().map(|class| class.understands).max().unwrap_or_default();
        Self {
            rows: rows(config.stations.len() + 1, classes),
            classes: classes.iter().map(|class| Class::of(class)).collect(),
            class_of,
            can_change,
            has_deaf: classes.iter().any(|class| class.understands < newest),
            least: classes
                .iter()
                .map(|class| class.least(newest))
                .min()
                .unwrap_or(Audibility::Decodes),
        }
    }

    /// Class of each contender.
    pub(crate) fn class_of(&self) -> &[ClassId] {
        &self.class_of
    }

    /// Interframe spaces of each class.
    pub(crate) fn spaces(&self, timing: &Timing) -> impl Iterator<Item = InterframeSpaces> {
        let spaces =
            |class: &Class| InterframeSpaces::new(timing, class.aifsn, class.counts_at_start);
        self.classes.iter().map(spaces)
    }

    /// True if the relation may change, and so each contender is a class of its own.
    pub(crate) fn can_change(&self) -> bool {
        self.can_change
    }

    /// What each frame is to everyone at least, for good.
    pub(crate) fn least(&self) -> Audibility {
        if self.can_change { Audibility::Nothing } else { self.least }
    }

    /// True if now every member senses the frames of `from`.
    pub(crate) fn all_sense(&self, from: NodeId) -> bool {
        !self.rows[from.index()].contains(&Audibility::Nothing)
    }

    /// True if what a frame is to each class never depends on when and how it is sent.
    pub(crate) fn is_fixed(&self) -> bool {
        !self.can_change && !self.has_deaf
    }

    /// Sets what frames of `from` are to `listener` from now on.
    pub(crate) fn set(
        &mut self,
        roster: &Roster,
        listener: NodeId,
        from: NodeId,
        audibility: Audibility,
    ) {
        for id in roster.of(listener) {
            self.rows[from.index()][id.index()] = audibility;
        }
    }

    /// Sets what frames of `from` are to each member from now on.
    pub(crate) fn set_row(&mut self, roster: &Roster, from: NodeId, row: &[Audibility]) {
        let (members, others) = self.rows[from.index()].split_at_mut(row.len());
        members.copy_from_slice(row);
        for (audibility, id) in others.iter_mut().zip(roster.others()) {
            *audibility = row[id.member().index()];
        }
    }

    /// Writes the audibility of a frame of `from`, of this generation, to each class into `row`: asked once, when it
    /// starts.
    pub(crate) fn copy_audibility(
        &self,
        from: NodeId,
        generation: Generation,
        row: &mut Vec<Audibility>,
    ) {
        row.clear();
        row.extend_from_slice(&self.rows[from.index()]);
        if generation == Generation::Dsss || !self.has_deaf {
            return;
        }
        for (audibility, class) in row.iter_mut().zip(&self.classes) {
            if class.understands < generation {
                *audibility = Audibility::Senses.min(*audibility);
            }
        }
    }
}
