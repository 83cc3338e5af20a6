//! Driver's queue: packets that the driver has taken from the queues ahead of the air.
//!
//! ```text
//!   stations' queues ── airtime, AQL ──► ahead, in its order ──► in service ──► done
//! ```
//!
//! One kind of driver forms aggregates when it takes packets, and the hardware sends them unchanged. An example is
//! ath9k, which keeps two. The other kind, such as ath10k and mt76, hands over packets, from which the hardware forms
//! an aggregate when it wins the channel. Packets in the driver's queue are neither dropped nor overtaken, so they
//! delay everything behind them. Airtime queue limits bound this delay.  [linux-ath9k], [linux-ath10k], [linux-mt76],
//! [linux-aql]

use std::collections::VecDeque;

use super::config::Counts;
use crate::frame::Msdu;
use crate::node::NodeId;

/// Queue of the driver: packets that it has taken ahead of the air, in the order in which they are sent.
#[derive(Clone, Debug)]
pub(super) struct Driver<P> {
    /// Largest number of aggregates or packets in the driver, by `counts`.
    most: u16,
    pub(super) counts: Counts,
    /// Packets that the driver has taken, grouped by receiver. Those of the first receiver are in service, if anything
    /// is.
    pub(super) ahead: VecDeque<Ahead<P>>,
    /// Number of packets that the driver holds ahead of the air.
    packets: u32,
    /// Receiver of the packet in service, if an ACK answers this packet.
    pub(super) alone: Option<NodeId>,
}

/// Packets to one receiver that are not in service yet: those of an aggregate, or of a burst that the driver took at
/// once.
#[derive(Clone, Debug)]
pub(super) struct Ahead<P> {
    pub(super) to: NodeId,
    /// Packets to the receiver, each with the queue from which it came. Empty if only lost MPDUs are sent again.
    pub(super) packets: VecDeque<(Msdu<P>, usize)>,
    is_served: bool,
}

impl<P> Ahead<P> {
    pub(super) fn to(to: NodeId) -> Self {
        Self { to, packets: VecDeque::new(), is_served: false }
    }
}

impl<P> Driver<P> {
    /// Creates an empty driver's queue.
    pub(super) fn new((most, counts): (u16, Counts)) -> Self {
        Self { most, counts, ahead: VecDeque::new(), packets: 0, alone: None }
    }

    /// Number of packets that wait in the driver.
    pub(super) fn len(&self) -> u32 {
        self.packets
    }

    /// Number of packets to one receiver that wait in the driver.
    pub(super) fn len_to(&self, to: NodeId) -> usize {
        self.ahead.iter().filter(|ahead| ahead.to == to).map(|ahead| ahead.packets.len()).sum()
    }

    /// Packets that wait in the driver, each with the queue from which it came.
    pub(super) fn packets(&self) -> impl Iterator<Item = &(Msdu<P>, usize)> {
        self.ahead.iter().flat_map(|ahead| &ahead.packets)
    }

    /// Packets that wait in the driver, in their order.
    pub(super) fn into_packets(self) -> Vec<Msdu<P>> {
        self.ahead.into_iter().flat_map(|ahead| ahead.packets).map(|(msdu, _)| msdu).collect()
    }

    /// Tells a new driver of the receiver that is in service already, since before the queue was reconfigured. What is
    /// in service is a packet that an ACK answers (`is_alone`), or an aggregate.
    pub(super) fn begin_with(&mut self, to: NodeId, is_alone: bool) {
        self.ahead.push_front(Ahead { is_served: true, ..Ahead::to(to) });
        self.alone = is_alone.then_some(to);
    }

    /// Number of packets for which the driver has room, while `in_service` of its packets are in service or are sent
    /// again.
    pub(super) fn room(&self, in_service: u32) -> u32 {
        match self.counts {
            Counts::Aggregates if self.ahead.len() < usize::from(self.most) => u32::MAX,
            Counts::Aggregates => 0,
            Counts::Packets => u32::from(self.most).saturating_sub(self.packets + in_service),
        }
    }

    pub(super) fn push(&mut self, ahead: Ahead<P>) {
        self.packets += u32::try_from(ahead.packets.len()).expect("a capacity is less than 2^32");
        match self.ahead.back_mut() {
            Some(last) if self.counts == Counts::Packets && last.to == ahead.to => {
                last.packets.extend(ahead.packets);
            }
            _ => self.ahead.push_back(ahead),
        }
    }

    /// True if the hardware keeps lost MPDUs and sends them again.
    pub(super) fn keeps_lost(&self) -> bool {
        self.counts == Counts::Packets
    }

    /// Schedules lost MPDUs to be sent again to this receiver: with the next packets to it, or after all others if
    /// there are none.
    pub(super) fn keep_lost(&mut self, to: NodeId) {
        let goes =
            |ahead: &Ahead<P>| ahead.to == to && (!ahead.is_served || !ahead.packets.is_empty());
        if !self.ahead.iter().any(goes) {
            self.ahead.push_back(Ahead::to(to));
        }
    }

    /// Puts the first packets in the driver into service. Returns their receiver.
    pub(super) fn begin_service(&mut self) -> Option<NodeId> {
        let first = self.ahead.front_mut()?;
        first.is_served = true;
        Some(first.to)
    }

    /// Takes the first packet in service from the driver, with the queue from which it came.
    pub(super) fn pop(&mut self) -> Option<(Msdu<P>, usize)> {
        let popped = self.ahead.front_mut()?.packets.pop_front()?;
        self.packets -= 1;
        Some(popped)
    }

    /// Offers the driver's packets for receiver `to`, which is in service, to `take`, as long as `take` accepts them:
    /// those of the aggregate in service, or all that the hardware holds.
    pub(super) fn hand_over(&mut self, to: NodeId, mut take: impl FnMut(&Msdu<P>, usize) -> bool) {
        let Self { counts, ahead, packets, .. } = self;
        let places = match counts {
            Counts::Aggregates => 1,
            Counts::Packets => ahead.len(),
        };
        let of_receiver = ahead.iter_mut().take(places).filter(|ahead| ahead.to == to);
        'all: for Ahead { packets: theirs, .. } in of_receiver {
            while let Some((msdu, queue)) = theirs.front() {
                if !take(msdu, *queue) {
                    break 'all;
                }
                theirs.pop_front();
                *packets -= 1;
            }
        }
        if places > 1 {
            ahead.retain(|ahead| ahead.is_served || ahead.to != to || !ahead.packets.is_empty());
        }
    }

    /// Ends the service of the first packets in the driver. Those that did not fit into the frame are sent next.
    pub(super) fn end_service(&mut self) {
        if let Some(first) = self.ahead.front_mut().filter(|first| first.is_served) {
            first.is_served = false;
            if first.packets.is_empty() {
                self.ahead.pop_front();
            }
        }
    }
}
