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
            // Pacing spreads over a round trip what flow control or the application allows.
            Some(_) if !self.is_underused && self.is_paced_by_model() => Limit::Rate,
            Some(_) if !self.is_underused => Limit::CongestionWindow,
            _ if self.outgoing.exceeds_credit() => Limit::ReceiveWindow,
            _ => Limit::Application,
        })
    }

    fn is_paced_by_model(&self) -> bool {
        let is_waiting = self.pacer.as_ref().is_some_and(|it| it.deadline().is_some());
        is_waiting && self.config.controller.has_model()
    }
}
