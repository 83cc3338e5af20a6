//! Who decodes whom. Every member senses every frame; a frame that it cannot decode is noise to it.
//!
//! Members that decode and miss the same frames freeze and resume their back-off together, so they
//! form one *lane* of contention. A plain cell has one lane; its cost does not grow with its stations.

use crate::config::{CellConfig, NodeId};
use crate::phy::Standard;

/// A set of members that hear the channel alike.
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

/// What a lane cannot decode.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Deafness {
    /// Members whose frames are noise, ascending.
    members: Vec<NodeId>,
    /// Whether OFDM frames are noise: an 802.11b receiver.
    ofdm: bool,
}

/// The relation "decodes" of one cell.
#[derive(Clone, Debug)]
pub(crate) struct Hearing {
    lane_of: Vec<LaneId>,
    lanes: Vec<Deafness>,
}

impl Hearing {
    pub(crate) fn new(config: &CellConfig) -> Self {
        let mut hearing = Self { lane_of: Vec::new(), lanes: Vec::new() };
        hearing.add(Deafness { members: Vec::new(), ofdm: false });
        for station in &config.stations {
            let ofdm = config.rules.standard == Standard::G && station.standard == Standard::B;
            hearing.add(Deafness { members: station.senses_only.clone(), ofdm });
        }
        hearing
    }

    fn add(&mut self, deafness: Deafness) {
        let known = self.lanes.iter().position(|lane| *lane == deafness);
        let lane = known.unwrap_or_else(|| {
            self.lanes.push(deafness);
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

    /// Whether members of `lane` decode an undisturbed frame of `from`.
    pub(crate) fn decodes(&self, lane: LaneId, from: NodeId, is_dsss: bool) -> bool {
        let deaf = &self.lanes[lane.index()];
        (is_dsss || !deaf.ofdm) && deaf.members.binary_search(&from).is_err()
    }
}
