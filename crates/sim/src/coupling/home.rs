//! The station or access point at which an agent runs, as the scenario describes it.

use airfair_wlan::NodeId;
use airfair_wlan::airtime::Airtime;

use super::LocalEnd;
use crate::scenario::{AccessPoint, Flow};

/// Station or access point at which an agent runs.
pub(super) struct Home<'s> {
    pub(super) node: NodeId,
    /// Access point of the cell. If the agent runs at the access point, this is the agent's own node.
    pub(super) access_point: &'s AccessPoint,
    pub(super) airtime: &'s Airtime,
    /// Ends of flows at this station, in the order of the flows; empty for an access point.
    pub(super) ends: &'s [(LocalEnd, &'s Flow)],
}
