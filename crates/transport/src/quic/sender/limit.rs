//! The reason why a QUIC sender sends nothing more now.

use super::{Sender, State};
use crate::limit::Limit;

impl Sender {
    /// Reason why [`poll_transmit`](Self::poll_transmit) returns nothing; `None` unless the connection is open.
    #[must_use]
    pub fn limit(&self) -> Option<Limit> {
        if self.state != State::Open {
            return None;
        }
        Some(match self.next_range() {
            None if self.outgoing.has_more() => Limit::ReceiveWindow,
            None => Limit::Application,
            // Pacing spreads the window over a round trip, unless a model of the path sets the rate.
            Some(_) if self.is_paced_by_model() => Limit::Rate,
            Some(_) => Limit::CongestionWindow,
        })
    }

    fn is_paced_by_model(&self) -> bool {
        let is_waiting = self.pacer.as_ref().is_some_and(|it| it.deadline().is_some());
        is_waiting && self.config.controller.has_model()
    }
}
