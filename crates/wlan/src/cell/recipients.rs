//! Recipients of the block ack agreements of a cell.  [80211-2020 §10.25]

use airfair_units::Time;

use crate::aggregation::BlockAckWindow;
use crate::block_ack::{REORDER_TIMEOUT, Recipient, Sequence};
use crate::frame::Msdu;

/// Recipient of the block ack agreement of one link.
type BoxedRecipient<P> = Box<Recipient<Received<P>>>;

/// An MPDU in a reorder buffer: its packet, or those of its A-MSDU.
#[derive(Clone, Debug)]
pub(super) struct Received<P> {
    first: Msdu<P>,
    others: Vec<Msdu<P>>,
}

impl<P: Copy> Received<P> {
    pub(super) fn of<'a>(first: &Msdu<P>, others: impl Iterator<Item = &'a Msdu<P>>) -> Self
    where
        P: 'a,
    {
        Self { first: *first, others: others.copied().collect() }
    }

    pub(super) fn packets(&self) -> impl Iterator<Item = &Msdu<P>> {
        std::iter::once(&self.first).chain(&self.others)
    }

    pub(super) fn deliver(self, deliveries: &mut Vec<Msdu<P>>) {
        deliveries.push(self.first);
        deliveries.extend(self.others);
    }
}

/// Recipients of the block ack agreements of a cell, by hop; empty if no link has an agreement.
#[derive(Clone, Debug)]
pub(super) struct Recipients<P> {
    pub(super) hops: Vec<Option<BoxedRecipient<P>>>,
    /// Time at which the first reorder buffer times out.
    pub(super) next_timeout: Option<Time>,
}

impl<P> Default for Recipients<P> {
    fn default() -> Self {
        Self { hops: Vec::new(), next_timeout: None }
    }
}

impl<P: Copy> Recipients<P> {
    pub(super) fn set(&mut self, hop: usize, window: BlockAckWindow) {
        if hop >= self.hops.len() {
            self.hops.resize_with(hop + 1, Default::default);
        }
        let recipient = Recipient::new(window.mpdus(), REORDER_TIMEOUT, Sequence::default());
        self.hops[hop] = Some(Box::new(recipient));
    }

    /// Recipient of the frames on this hop, which must have a block ack agreement.
    pub(super) fn of(&mut self, hop: usize) -> &mut Recipient<Received<P>> {
        self.hops[hop].as_deref_mut().expect("a link with an agreement")
    }

    /// True if any link of the cell has a block ack agreement.
    #[inline]
    pub(super) fn are_used(&self) -> bool {
        !self.hops.is_empty()
    }

    pub(super) fn plan(&mut self) {
        let all = self.hops.iter().flatten();
        self.next_timeout = all.filter_map(|recipient| recipient.next_timeout()).min();
    }
}
