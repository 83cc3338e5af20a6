//! Line of ends that wait for room in one queue.

use std::collections::VecDeque;

use crate::endpoint::Alarm;
use crate::packet::{FlowId, Side};

/// Ends that wait for room in one queue.
#[derive(Clone, Debug, Default)]
pub(crate) struct WaitingEnds {
    /// Ends of flows that wait for room, in the order in which they are served; once for each packet to send.
    pub(super) ends: VecDeque<(FlowId, Side)>,
    /// Next time at which a wired link may have room for the first waiting end.
    pub(super) alarm: Alarm,
}
