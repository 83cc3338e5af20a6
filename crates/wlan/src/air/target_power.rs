//! Power of stations that answer a trigger frame: the access point is to receive the target power that the trigger
//! announces.  [80211ax-2021 §27.3.15.2]
//!
//! A station knows the path loss from the received power of the trigger and from the access point's power in it. So it
//! sends with
//!
//! ```text
//!   P = path loss + target power,  at most its usual power
//! ```
//!
//! The path loss is the same in both directions. It is that of the time at which the answer starts. CTS frames after an
//! MU-RTS have no target.  Deviates: [D-265]

use airfair_units::{Dbm, Decibels, Time};

use super::spatial_reuse::SpatialReuse;
use crate::config::Rules;
use crate::frame::{Frame, FrameKind, TriggerPower};
use crate::node::NodeId;
use crate::radio::Propagation;

/// Target power of a cell's triggers, and what stations make of it.
#[derive(Clone, Debug)]
pub(crate) struct TargetPower {
    target: Dbm,
    /// Decibels by which the last frame of each member had less power than usual; as long as the highest such member.
    reductions: Vec<Decibels>,
}

impl TargetPower {
    /// Target power by the rules of a cell; `None` if its triggers ask for the usual power.
    pub(crate) fn new(rules: &Rules) -> Option<Self> {
        let target = rules.multi_user.ofdma?.target_rssi?;
        Some(Self { target, reductions: Vec::new() })
    }

    /// Powers that triggers of an access point with this power announce.
    pub(super) fn announced(&self, access_point: Dbm) -> TriggerPower {
        TriggerPower { access_point, target: self.target }
    }

    /// Sets and returns the decibels by which a frame that starts now has less than the usual power.
    pub(super) fn reduce(
        &mut self,
        now: Time,
        frame: &Frame,
        propagation: &mut Propagation,
    ) -> Decibels {
        let Frame { kind, from, tx, .. } = *frame;
        let is_answer = kind == FrameKind::TriggerBased && tx.mode().is_some();
        let usual = is_answer.then(|| propagation.signal(now, from, tx).0);
        let reduction =
            usual.map_or(Decibels::ZERO, |usual| (usual - self.target).max(Decibels::ZERO));
        if self.reductions.len() <= from.index() {
            self.reductions.resize(from.index() + 1, Decibels::ZERO);
        }
        self.reductions[from.index()] = reduction;
        reduction
    }
}

/// Decibels by which the last frame of `from` had less power than usual, by either rule.
pub(super) fn reduction(
    (reuse, target): (Option<&SpatialReuse>, Option<&TargetPower>),
    from: NodeId,
) -> Decibels {
    let by_reuse = reuse.map_or(Decibels::ZERO, |it| it.reduction(from));
    let by_target = target.and_then(|it| it.reductions.get(from.index())).copied();
    by_reuse.max(by_target.unwrap_or_default())
}
