//! Audibility: relations of sensing and decoding between the members of a cell.
//!
//! Contenders that sense and decode the same frames and have the same AIFSN form a *class*. A plain cell has one
//! class. If audibility may change, each contender has its own class.

use std::collections::BTreeMap;

use super::dcf::InterframeSpaces;
use crate::config::CellConfig;
use crate::node::NodeId;
use crate::phy::{Generation, Timing};
use crate::roster::{ContenderId, Roster};

/// Perception of one member's frames at another member: not at all, as energy, or as a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Audibility {
    /// The frames are too weak to be sensed: carrier sense stays idle.
    Nothing,
    /// The frames are energy that keeps the medium busy.
    Senses,
    /// The frames are decoded, unless other frames disturb them.
    Decodes,
}

/// Class of contenders that sense and decode the same frames and have the same AIFSN.
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

/// Properties that all contenders of one class have in common: how they hear frames, and how long they wait.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
struct ClassProperties {
    /// Members whose frames the contenders of the class do not sense, ascending.
    hidden: Vec<NodeId>,
    /// Members whose frames are mere energy for the contenders of the class: sensed, and not decoded.
    noise: Vec<NodeId>,
    /// Newest PPDUs that the contenders of the class decode, from DSSS to HE; newer ones are energy. An OFDM station
    /// reads the length of HT, VHT and HE PPDUs in L-SIG but no MAC header, so the DCF treats them as energy too.
    /// [80211-2020 §19.3.9.3.5]
    understands: Generation,
    aifsn: u8,
    counts_at_start: bool,
}

impl ClassProperties {
    /// Worst audibility (nothing, energy or decoded) that any frame of the cell has for these contenders. `newest` is
    /// the newest kind of PPDUs in the cell, from DSSS to HE.
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

/// Properties of each contender, by which contenders form classes.
fn class_properties(config: &CellConfig, roster: &Roster) -> Vec<ClassProperties> {
    let members = members(config);
    let properties = |id: ContenderId| {
        let access = config.access(id.member(), roster.category(id));
        let (aifsn, counts_at_start) = (access.aifsn, access.counts_at_start);
        ClassProperties { aifsn, counts_at_start, ..members[id.member().index()].clone() }
    };
    roster.all().map(properties).collect()
}

/// How each member hears the frames of the others, the access point first. The parameters of channel access are left at
/// their defaults.
fn members(config: &CellConfig) -> Vec<ClassProperties> {
    let newest = config.rules.standard.generation();
    let mut of = vec![ClassProperties { understands: newest, ..ClassProperties::default() }];
    of.extend(config.stations.iter().map(|station| ClassProperties {
        hidden: station.hidden_from.clone(),
        noise: station.senses_only.clone(),
        understands: station.standard.generation().min(newest),
        ..ClassProperties::default()
    }));
    // Hiding is mutual, and the access point has no list of its own.
    for (index, station) in config.stations.iter().enumerate() {
        for other in &station.hidden_from {
            of[other.index()].hidden.push(NodeId::station(index));
        }
    }
    for (index, foreign) in config.foreign.iter().enumerate() {
        for member in &foreign.hidden_from {
            of[member.index()].hidden.push(NodeId::station(config.stations.len() + index));
        }
    }
    for properties in &mut of {
        properties.hidden.sort_unstable();
        properties.hidden.dedup();
    }
    of
}

/// Channel access of contenders that hear the same frames (a class), and the newest PPDUs that they decode.
#[derive(Clone, Copy, Debug)]
struct Class {
    aifsn: u8,
    counts_at_start: bool,
    understands: Generation,
}

impl Class {
    fn of(properties: &ClassProperties) -> Self {
        let ClassProperties { aifsn, counts_at_start, understands, .. } = *properties;
        Self { aifsn, counts_at_start, understands }
    }
}

/// Audibility of each member's frames for each class of contenders, which hear the same frames. The time to compute it
/// grows with the number of pairs that do not decode each other, and not with that of all pairs.
fn rows(members: usize, classes: &[&ClassProperties]) -> Vec<Vec<Audibility>> {
    let mut rows = vec![vec![Audibility::Decodes; classes.len()]; members];
    for (index, class) in classes.iter().enumerate() {
        class.noise.iter().for_each(|from| rows[from.index()][index] = Audibility::Senses);
        class.hidden.iter().for_each(|from| rows[from.index()][index] = Audibility::Nothing);
    }
    rows
}

/// Audibility of each member's frames for each class of contenders. It may change during a run if each contender has
/// its own class. A frame on the air keeps the audibility at its start.
#[derive(Clone, Debug)]
pub(crate) struct Hearing {
    class_of: Vec<ClassId>,
    classes: Vec<Class>,
    /// Audibility of each transmitter's frames, one row for each, with one entry for each class: contenders that hear
    /// the same frames.
    rows: Vec<Vec<Audibility>>,
    can_change: bool,
    /// True if some class, contenders that hear the same frames, does not decode the PPDUs of members of newer
    /// standards, in this cell or in others on the channel.
    has_deaf: bool,
    /// Lowest audibility (not sensed, sensed or decoded) of any member's frames for any class of contenders, which hear
    /// the same frames. Not used if `can_change` is true.
    least: Audibility,
}

impl Hearing {
    /// Creates the relations of who senses and decodes whom for a cell in which they stay constant during the run.
    pub(crate) fn fixed(config: &CellConfig, roster: &Roster) -> Self {
        let contenders = class_properties(config, roster);
        let mut known = BTreeMap::new();
        let mut distinct: Vec<&ClassProperties> = Vec::new();
        let mut class_of = Vec::new();
        for properties in &contenders {
            let class = *known.entry(properties).or_insert_with(|| {
                distinct.push(properties);
                ClassId::new(distinct.len() - 1)
            });
            class_of.push(class);
        }
        Self::of(config, class_of, &distinct, false)
    }

    /// Creates the relations of who senses and decodes whom for a cell in which they may change during the run, such as
    /// with moving stations.
    pub(crate) fn changing(config: &CellConfig, roster: &Roster) -> Self {
        let contenders = class_properties(config, roster);
        let each = (0..contenders.len()).map(ClassId::new).collect();
        Self::of(config, each, &contenders.iter().collect::<Vec<_>>(), true)
    }

    fn of(
        config: &CellConfig,
        class_of: Vec<ClassId>,
        classes: &[&ClassProperties],
        can_change: bool,
    ) -> Self {
        let newest = classes.iter().map(|class| class.understands).max().unwrap_or_default();
        // Members of other cells may send PPDUs of any generation.
        let newest = if config.foreign.is_empty() { newest } else { Generation::Eht };
        Self {
            rows: rows(config.transmitters(), classes),
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

    pub(crate) fn class_of(&self) -> &[ClassId] {
        &self.class_of
    }

    /// Interframe spaces of each class: contenders that hear the same frames and have the same AIFSN.
    pub(crate) fn spaces(&self, timing: &Timing) -> impl Iterator<Item = InterframeSpaces> {
        let spaces =
            |class: &Class| InterframeSpaces::new(timing, class.aifsn, class.counts_at_start);
        self.classes.iter().map(spaces)
    }

    /// True if audibility may change, so that each contender has its own class.
    pub(crate) fn can_change(&self) -> bool {
        self.can_change
    }

    /// Worst audibility (nothing, energy or decoded) that any frame has for any contender, over the whole run.
    pub(crate) fn least(&self) -> Audibility {
        if self.can_change { Audibility::Nothing } else { self.least }
    }

    /// True if all members currently sense the frames of `from`.
    pub(crate) fn all_sense(&self, from: NodeId) -> bool {
        !self.rows[from.index()].contains(&Audibility::Nothing)
    }

    /// True if the contenders of a class, which hear the same frames, currently sense the frames of `from`.
    pub(crate) fn hears(&self, class: ClassId, from: NodeId) -> bool {
        self.rows[from.index()][class.index()] != Audibility::Nothing
    }

    /// True if the audibility of a frame depends neither on time nor on its vector.
    pub(crate) fn is_fixed(&self) -> bool {
        !self.can_change && !self.has_deaf
    }

    /// Sets the audibility of frames of `from` for `listener`, from now on.
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

    /// Sets the audibility of frames of `from` for each member, from now on.
    pub(crate) fn set_row(&mut self, roster: &Roster, from: NodeId, row: &[Audibility]) {
        let (members, others) = self.rows[from.index()].split_at_mut(row.len());
        members.copy_from_slice(row);
        for (audibility, id) in others.iter_mut().zip(roster.others()) {
            *audibility = row[id.member().index()];
        }
    }

    /// Audibility of a frame of `from` for one class of contenders. `generation` is that of the frame's PPDU.
    pub(crate) fn audibility_for(
        &self,
        class: usize,
        from: NodeId,
        generation: Generation,
    ) -> Audibility {
        let audibility = self.rows[from.index()][class];
        let is_deaf = generation != Generation::Dsss
            && self.has_deaf
            && self.classes[class].understands < generation;
        if is_deaf { Audibility::Senses.min(audibility) } else { audibility }
    }

    /// Writes the audibility of a frame of `from` for each class of contenders, which hear the same frames, into `row`.
    /// `generation` is that of the frame's PPDU. This happens once, at the start of the frame.
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
