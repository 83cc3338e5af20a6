//! Who decodes whom. Every member senses every frame; a frame that it cannot decode is noise to it.
//!
//! Members that decode and miss the same frames, and wait equally long after them, freeze and resume
//! their back-off together, so they form one *lane* of contention. A plain cell has one lane; its cost
//! does not grow with its stations.

use crate::config::{CellConfig, NodeId};
use crate::phy::Standard;

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

/// The relation "decodes" of one cell.
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
