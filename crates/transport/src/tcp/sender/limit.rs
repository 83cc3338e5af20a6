//! The reason why a TCP sender sends nothing more now.

use super::{Sender, State};
use crate::limit::Limit;

impl Sender {
    /// Reason why [`poll_transmit`](Self::poll_transmit) returns nothing; `None` unless the connection is
    /// open or being opened. If several windows are full, the smallest counts.
    #[must_use]
    pub fn limit(&self) -> Option<Limit> {
        match self.state {
            State::Closed | State::Finished => return None,
            State::SynSent => return Some(Limit::Handshake),
            State::Open => {}
        }
        if self.refusals.is_waiting {
            return Some(Limit::HostQueue);
        }
        if self.next >= self.available {
            return Some(Limit::Application);
        }
        let cwnd = self.congestion.cwnd();
        let usable = self.limited(cwnd);
        Some(if self.peer_window <= usable {
            Limit::ReceiveWindow
        } else if usable < cwnd / self.segment * self.segment {
            Limit::Control
        } else {
            Limit::CongestionWindow
        })
    }
}
