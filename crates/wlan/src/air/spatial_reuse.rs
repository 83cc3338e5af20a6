//! Spatial reuse by OBSS-PD: members ignore weak frames of cells of another colour, and send with less power meanwhile.
//! [80211ax-2021 §26.10.2]
//!
//! A frame is ignored if it has a colour other than that of the cell and arrives with less power than the level of the
//! cell. It neither keeps the medium busy nor sets the NAV, but remains interference. While an ignored frame is on the
//! air, the member's power is at most
//!
//! ```text
//!   P ≤ P_ref - (level - level_min),  level_min = -82 dBm,  P_ref = 21 dBm, or 25 dBm with more than two streams
//! ```

use airfair_units::{Dbm, Decibels};

use super::hearing::Audibility;
use crate::config::Rules;
use crate::node::NodeId;

/// Lowest level of OBSS-PD, at which the power has no limit but the reference.
const LOWEST: Dbm = Dbm::new(-82);
/// Reference power; the second value is for access points with more than two streams.  [80211ax-2021 §26.10.2.4]
const REFERENCE: [Dbm; 2] = [Dbm::new(21), Dbm::new(25)];

/// Spatial reuse in one cell.
#[derive(Clone, Debug)]
pub(crate) struct SpatialReuse {
    colour: u8,
    /// Power below which members ignore frames of another colour; `None` if they ignore none.
    level: Option<Dbm>,
    /// True if the access point has more than two streams.
    has_many_streams: bool,
    /// Ignored frames on the air: their transmitters, with the members that ignore them.
    ignored: Vec<(NodeId, Vec<NodeId>)>,
    /// Decibels by which the last frame of each member has less power than usual; as long as the highest such member.
    reductions: Vec<Decibels>,
}

impl SpatialReuse {
    /// Spatial reuse by the rules of a cell; `None` if the cell has no colour.
    pub(crate) fn new(rules: &Rules) -> Option<Self> {
        let of = rules.spatial_reuse?;
        let has_many_streams = rules.channel.streams > 2;
        let (ignored, reductions) = (Vec::new(), Vec::new());
        Some(Self { colour: of.colour, level: of.level, has_many_streams, ignored, reductions })
    }

    /// Colour of the cell's frames.
    pub(crate) fn colour(&self) -> u8 {
        self.colour
    }

    /// Lets members ignore a frame with this colour and these powers that starts now, as far as they may.
    pub(crate) fn ignore(
        &mut self,
        (from, colour): (NodeId, Option<u8>),
        powers: &[Dbm],
        row: &mut [Audibility],
    ) {
        let Some(level) = self.level.filter(|_| colour.is_some_and(|it| it != self.colour)) else {
            return;
        };
        let mut by = Vec::new();
        for ((member, power), audibility) in (0..).map(NodeId).zip(powers).zip(row) {
            if *power < level && *audibility != Audibility::Nothing {
                *audibility = Audibility::Nothing;
                by.push(member);
            }
        }
        if !by.is_empty() {
            self.ignored.push((from, by));
        }
    }

    /// Ends a frame that some members may have ignored.
    pub(crate) fn end(&mut self, from: NodeId) {
        self.ignored.retain(|(ignored, _)| *ignored != from);
    }

    /// Sets and returns the decibels by which a frame of `from` that starts now has less than the usual `power`.
    pub(crate) fn reduce(&mut self, from: NodeId, power: Dbm) -> Decibels {
        let ignores = self.ignored.iter().any(|(_, by)| by.contains(&from));
        let reference = REFERENCE[usize::from(self.has_many_streams && from.is_ap())];
        let most = self.level.filter(|_| ignores).map(|level| reference - (level - LOWEST));
        let reduction = most.map_or(Decibels::ZERO, |most| (power - most).max(Decibels::ZERO));
        if self.reductions.len() <= from.index() {
            self.reductions.resize(from.index() + 1, Decibels::ZERO);
        }
        self.reductions[from.index()] = reduction;
        reduction
    }

    /// Decibels by which the last frame of `from` had less power than usual.
    pub(crate) fn reduction(&self, from: NodeId) -> Decibels {
        self.reductions.get(from.index()).copied().unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::SpatialReuse as Config;
    use crate::phy::Standard;

    /// At a level of -72 dBm the power is at most 21 - 10 = 11 dBm, 9 dB less than 20 dBm.
    ///
    /// Verifies: [80211ax-2021 §26.10.2.4]
    #[test]
    fn whoever_ignores_a_frame_sends_with_less_power() {
        let mut rules = Rules::of(Standard::Ax);
        rules.channel.streams = 1;
        rules.spatial_reuse = Some(Config { colour: 1, level: Some(Dbm::new(-72)) });
        let mut all = SpatialReuse::new(&rules).expect("a colour");
        let (ap, station, from) = (NodeId::AP, NodeId(1), NodeId(2));
        let powers = [Dbm::new(-71), Dbm::new(-73)];
        let mut row = [Audibility::Decodes; 2];
        for colour in [None, Some(1)] {
            all.ignore((from, colour), &powers, &mut row);
            assert_eq!(row, [Audibility::Decodes; 2], "{colour:?}");
        }
        all.ignore((from, Some(2)), &powers, &mut row);
        assert_eq!(row, [Audibility::Decodes, Audibility::Nothing]);
        let usual = Dbm::new(20);
        assert_eq!(all.reduce(ap, usual), Decibels::ZERO);
        assert_eq!(all.reduce(station, usual), Decibels::new(9));
        assert_eq!(all.reduction(station), Decibels::new(9));
        assert_eq!(all.reduce(station, Dbm::new(5)), Decibels::ZERO);
        all.end(from);
        assert_eq!(all.reduce(station, usual), Decibels::ZERO);
    }
}
