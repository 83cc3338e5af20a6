//! Reach of a frame: its audibility at each member.

use airfair_units::Dbm;

use crate::air::hearing::Audibility;

/// Audibility and power of one member's frame that is on the air, or of its last one.
#[derive(Clone, Debug)]
pub(super) struct Reach {
    /// True if the frame is on the air.
    pub(super) is_sent: bool,
    /// True if nobody decodes the frame, which has another primary channel or more channels than the cell.
    pub(super) is_energy: bool,
    /// Worst audibility of the frame for any class: contenders that hear the same frames.
    pub(super) least: Audibility,
    /// Audibility of the member's last frame for each class of contenders; a class hears the same frames.
    pub(super) row: Vec<Audibility>,
    /// Received power of the frame at each member, in cells with capture.
    pub(super) power: Vec<Dbm>,
}

impl Reach {
    /// Best audibility of the frame for any class.
    pub(super) fn most(&self) -> Audibility {
        if self.is_energy { Audibility::Senses } else { Audibility::Decodes }
    }

    /// Limits the audibility of a frame that nobody decodes.
    pub(super) fn limit(&mut self) {
        let most = self.most();
        if most < Audibility::Decodes {
            self.row.iter_mut().for_each(|it| *it = most.min(*it));
        }
        self.least = least(&self.row);
    }
}

/// Worst of the audibilities in `row`, which has one for each class: contenders that hear the same frames.
pub(super) fn least(row: &[Audibility]) -> Audibility {
    row.iter().copied().min().unwrap_or(Audibility::Decodes)
}
