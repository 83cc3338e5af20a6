//! Reach of a frame: its audibility at each member.

use airfair_units::Dbm;

use crate::air::hearing::Audibility;

/// Audibility and power of one member's frame that is on the air, or of its last one.
#[derive(Clone, Debug)]
pub(super) struct Reach {
    /// True if the frame is on the air.
    pub(super) is_sent: bool,
    /// Worst audibility of the frame for any class: contenders that hear the same frames.
    pub(super) least: Audibility,
    /// Audibility of the member's last frame for each class of contenders; a class hears the same frames.
    pub(super) row: Vec<Audibility>,
    /// Received power of the frame at each member, in cells with capture.
    pub(super) power: Vec<Dbm>,
}

/// Worst of the audibilities in `row`, which has one for each class: contenders that hear the same frames.
pub(super) fn least(row: &[Audibility]) -> Audibility {
    row.iter().copied().min().unwrap_or(Audibility::Decodes)
}
