//! Receivers of queues of flows that have equal shares: the host isolation of CAKE.  [cake §IV]

use crate::node::NodeId;

/// Receivers of the queues that a scheduler lists.
#[derive(Clone, Debug, Default)]
pub(super) struct Hosts {
    /// Receiver of each queue. A queue that several receivers share by their hashes has the first one's share.
    of: Vec<usize>,
    /// Number of listed queues of each receiver.
    load: Vec<i64>,
}

impl Hosts {
    /// Notes that queue `index` is listed, with packets for this receiver.
    pub(super) fn enter(&mut self, index: usize, to: Option<NodeId>) {
        let host = to.map_or(0, NodeId::index);
        if index >= self.of.len() {
            self.of.resize(index + 1, 0);
        }
        if host >= self.load.len() {
            self.load.resize(host + 1, 0);
        }
        self.of[index] = host;
        self.load[host] += 1;
    }

    /// Notes that queue `index` is no longer listed.
    pub(super) fn leave(&mut self, index: usize) {
        self.load[self.of[index]] -= 1;
    }

    /// Part of a quantum of octets that a listed queue has: that of its receiver, divided by the receiver's queues.
    pub(super) fn share(&self, quantum: i64, index: usize) -> i64 {
        (quantum / self.load[self.of[index]]).max(1)
    }
}
