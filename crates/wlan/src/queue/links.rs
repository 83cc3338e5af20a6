//! Links of a transmitter with block ack agreements, and their service.
//!
//! ```text
//!   sub-queues ── serve, fill ──► window ── sent ──► on the air ──► done
//!        ▲                          ▲                     │
//!        └─ receiver to be served   └───────── lost ──────┘
//!           again
//! ```
//!
//! A packet leaves its queue only when the window of its receiver has room for it.

use super::link::{BlockAckLink, Queued};
use crate::aggregation::Agreement;
use crate::frame::Msdu;
use crate::node::NodeId;

/// Links of one transmitter with block ack agreements.
#[derive(Clone, Debug)]
pub(super) struct BlockAckLinks<P> {
    /// Link of each receiver; `None` without an agreement.
    pub(super) to: Vec<Option<Box<BlockAckLink<P>>>>,
    /// Receiver of the aggregate or `BlockAckReq` in service, if there is one.
    pub(super) in_service: Option<NodeId>,
    /// Number of packets that have left their queues and are neither acknowledged nor given up.
    pub(super) under_way: u32,
    /// Number of packets that have left each queue and are neither acknowledged nor given up.
    pub(super) of_queue: Vec<u32>,
}

impl<P> Default for BlockAckLinks<P> {
    fn default() -> Self {
        Self { to: Vec::new(), in_service: None, under_way: 0, of_queue: Vec::new() }
    }
}

impl<P: Copy> BlockAckLinks<P> {
    /// Link to a receiver; `None` without a block ack agreement.
    #[inline]
    pub(super) fn get(&mut self, to: NodeId) -> Option<&mut BlockAckLink<P>> {
        self.to.get_mut(to.index())?.as_deref_mut()
    }

    pub(super) fn set(&mut self, to: NodeId, agreement: Agreement) {
        if to.index() >= self.to.len() {
            self.to.resize_with(to.index() + 1, || None);
        }
        self.to[to.index()] = Some(Box::new(BlockAckLink::new(agreement)));
    }

    pub(super) fn note(&mut self, queue: usize) {
        note(&mut self.of_queue, queue, 1);
        self.under_way += 1;
    }

    /// Accounts for `count` packets of a queue that were acknowledged or given up.
    #[inline]
    pub(super) fn forget(&mut self, queue: usize, count: u32) {
        if count > 0 {
            self.of_queue[queue] -= count;
            self.under_way -= count;
        }
    }

    /// Number of packets that have left queue `index` and are neither acknowledged nor given up.
    pub(super) fn of_queue(&self, index: usize) -> u32 {
        self.of_queue.get(index).copied().unwrap_or(0)
    }

    /// Number of packets that have left their queues and are neither acknowledged nor given up.
    pub(super) fn under_way(&self) -> u32 {
        self.under_way
    }

    /// Assigns all packets that are neither acknowledged nor given up to the queues that `classify` returns. All turns
    /// for lost MPDUs and `BlockAckReq`s, for which receivers waited, are cancelled.
    pub(super) fn reclassify(&mut self, mut classify: impl FnMut(&Msdu<P>) -> usize) {
        self.of_queue.clear();
        for link in self.to.iter_mut().flatten() {
            link.again = None;
            for (msdu, queue) in link.originator.outstanding_mut().flat_map(Queued::queues_mut) {
                *queue = classify(msdu);
                note(&mut self.of_queue, *queue, 1);
            }
        }
    }

    /// Receivers with an agreement for which something waits or is in service.
    pub(super) fn receivers(&self) -> Vec<NodeId> {
        let links = (0..).map(NodeId).zip(&self.to);
        let in_use = links.filter(|(to, link)| {
            self.in_service == Some(*to) || link.as_ref().is_some_and(|link| link.has_waiting())
        });
        in_use.map(|(to, _)| to).collect()
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &Queued<P>> {
        self.to.iter().flatten().flat_map(|link| link.originator.outstanding())
    }
}

/// Accounts for further packets that have left queue `index`.
pub(super) fn note(of_queue: &mut Vec<u32>, index: usize, packets: u32) {
    if index >= of_queue.len() {
        of_queue.resize(index + 1, 0);
    }
    of_queue[index] += packets;
}
