//! Who senses and who decodes whom.
//!
//! Where every member senses every frame, a frame that it cannot decode is noise to it. Members that
//! decode and miss the same frames, and wait equally long after them, freeze and resume their back-off
//! together, so they form one *lane* of contention: [`Hearing`]. A plain cell has one lane; its cost
//! does not grow with its stations.
//!
//! Where some are hidden from others, or may come to be, a [`Relation`] says for each frame what it is
//! to each member.

use crate::config::{CellConfig, NodeId, StationConfig};
use crate::phy::Standard;

/// What the frames of one member are to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Reach {
    /// Too faint to be noticed: carrier sense stays idle.
    Nothing,
    /// Noise that keeps the medium busy.
    Senses,
    /// A frame, unless another one disturbs it.
    Decodes,
}

/// A set of members that hear the channel alike and have the same AIFSN.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct LaneId(u16);

impl LaneId {
    /// The access point's lane; there is always one.
    #[cfg(test)]
    pub(crate) const FIRST: Self = Self(0);

    pub(crate) fn index(self) -> usize {
        usize::from(self.0)
    }
}

/// What a lane cannot decode, and how long it waits.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Likeness {
    /// Members whose frames are noise, ascending.
    noise: Vec<NodeId>,
    /// Whether OFDM frames are noise: an 802.11b receiver.
    is_deaf_to_ofdm: bool,
    aifsn: u8,
}

/// The relation "decodes" of a cell whose members all sense each other.
#[derive(Clone, Debug)]
pub(crate) struct Hearing {
    lane_of: Vec<LaneId>,
    lanes: Vec<Likeness>,
}

impl Hearing {
    pub(crate) fn new(config: &CellConfig) -> Self {
        let mut hearing = Self { lane_of: Vec::new(), lanes: Vec::new() };
        let aifsn = config.ap_access.aifsn;
        hearing.add(Likeness { noise: Vec::new(), is_deaf_to_ofdm: false, aifsn });
        for station in &config.stations {
            let is_deaf_to_ofdm =
                config.rules.standard == Standard::G && station.standard == Standard::B;
            let (noise, aifsn) = (station.senses_only.clone(), station.access.aifsn);
            hearing.add(Likeness { noise, is_deaf_to_ofdm, aifsn });
        }
        hearing
    }

    fn add(&mut self, likeness: Likeness) {
        assert!(likeness.aifsn > 0, "an AIFSN of at least 1: a SIFS alone is for responses");
        let known = self.lanes.iter().position(|lane| *lane == likeness);
        let lane = known.unwrap_or_else(|| {
            self.lanes.push(likeness);
            self.lanes.len() - 1
        });
        self.lane_of.push(LaneId(u16::try_from(lane).expect("no more lanes than members")));
    }

    pub(crate) fn lane_of(&self, node: NodeId) -> LaneId {
        self.lane_of[node.index()]
    }

    pub(crate) fn lanes(&self) -> impl Iterator<Item = LaneId> + use<> {
        (0..u16::try_from(self.lanes.len()).expect("no more lanes than members")).map(LaneId)
    }

    /// AIFSN of each lane, in their order.
    pub(crate) fn aifsns(&self) -> impl Iterator<Item = u8> {
        self.lanes.iter().map(|lane| lane.aifsn)
    }

    /// Whether members of `lane` decode an undisturbed frame of `from`.
    pub(crate) fn decodes(&self, lane: LaneId, from: NodeId, is_dsss: bool) -> bool {
        let lane = &self.lanes[lane.index()];
        (is_dsss || !lane.is_deaf_to_ofdm) && lane.noise.binary_search(&from).is_err()
    }
}

/// What the frames of each member are to each other one. It may change during a run; a frame on the air
/// keeps the reach that it started with.
#[derive(Clone, Debug)]
pub(crate) struct Relation {
    /// One row for each transmitter, with a place for each listener.
    rows: Vec<Vec<Reach>>,
    is_deaf_to_ofdm: Vec<bool>,
}

impl Relation {
    pub(crate) fn new(config: &CellConfig) -> Self {
        let is_b =
            |s: &StationConfig| config.rules.standard == Standard::G && s.standard == Standard::B;
        let members = config.stations.len() + 1;
        let mut relation = Self {
            rows: vec![vec![Reach::Decodes; members]; members],
            is_deaf_to_ofdm: std::iter::once(false)
                .chain(config.stations.iter().map(is_b))
                .collect(),
        };
        for (index, station) in config.stations.iter().enumerate() {
            let id = NodeId::station(index);
            for other in &station.senses_only {
                relation.set(id, *other, Reach::Senses);
            }
        }
        // Hiding is mutual, and the access point has no list of its own.
        for (index, station) in config.stations.iter().enumerate() {
            let id = NodeId::station(index);
            for other in &station.hidden_from {
                relation.set(id, *other, Reach::Nothing);
                relation.set(*other, id, Reach::Nothing);
            }
        }
        relation
    }

    /// What frames of `from` are to `listener` from now on.
    pub(crate) fn set(&mut self, listener: NodeId, from: NodeId, reach: Reach) {
        self.rows[from.index()][listener.index()] = reach;
    }

    /// What frames of `from` are to each member from now on.
    pub(crate) fn set_row(&mut self, from: NodeId, row: &[Reach]) {
        self.rows[from.index()].copy_from_slice(row);
    }

    /// What a frame of `from` is to each member: asked once, when it starts.
    pub(crate) fn reach(&self, from: NodeId, is_dsss: bool) -> impl Iterator<Item = Reach> {
        let row = self.rows[from.index()].iter().zip(&self.is_deaf_to_ofdm);
        row.map(move |(reach, is_deaf)| match reach {
            Reach::Decodes if *is_deaf && !is_dsss => Reach::Senses,
            other => *other,
        })
    }
}
