//! Transmit queues of stations and access points.

use airfair_wlan::{Discipline, Limit, Overflow, QueueConfig};

/// Transmit queue of a station or an access point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Queue {
    /// Capacity and discipline of the queue. Weights for DATA and ACKs are those at the start of a run.
    pub config: QueueConfig,
    /// True if the weights for DATA and ACKs follow the number of TCP connections.  [updown-fairness §IV]
    pub counts_flows: bool,
}

impl Default for Queue {
    fn default() -> Self {
        Self::new(50, Limit::Shared, Discipline::Fifo)
    }
}

impl Queue {
    /// Creates a drop-tail queue without ACK filter.
    pub const fn new(packets: u32, limit: Limit, discipline: Discipline) -> Self {
        let (overflow, ack_filter) = (Overflow::Tail, false);
        let config = QueueConfig { packets, limit, discipline, overflow, ack_filter };
        Self { config, counts_flows: false }
    }
}
