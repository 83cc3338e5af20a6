//! Measurement of what limits one flow.

use airfair_transport::limit::Limit;
use airfair_units::Time;

use crate::record::LimitedBy;

/// State of the measurement of what limits one flow: a window, its rate, its data, or a queue on its route.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct LimitWatch {
    /// Reason for which the sender stopped sending last; `None` before the flow has started and after it has ended.
    pub(super) sender: Option<Limit>,
    /// Time of the flow's start.
    pub(super) started: Time,
    /// Time up to which the flow's time has been attributed to what limited it.
    pub(super) looked_at: Time,
    /// What limits the flow now, and the time since which it has.
    pub(super) under_way: Option<(LimitedBy, Time)>,
}
