//! Transmit queue: the path of a packet from its arrival at a transmitter to channel access.
//!
//! ```text
//!              ┌───────┐
//!           ┌─►│ queue ├──┐
//!  packet   │  └───────┘  │ scheduler
//!  ────► classifier  …    ├───────────► in service ──► channel access
//!           │  ┌───────┐  │
//!           └─►│ queue ├──┘
//!              └───────┘
//! ```
//!
//! | module | content |
//! | --- | --- |
//! | [`config`] | configuration |
//! | [`headers`] | headers that a classifier reads |
//! | `sub_queue` | queues behind the classifier |
//! | `scheduler`, `fair`, `hosts` | choice of the queue that is served next |
//! | `codel`, `codel_drops` | CoDel |
//! | `dual` | `DualPI2` |
//! | `airtime`, `own_queues` | airtime fairness between stations; queues of one station |
//! | `driver`, `ahead` | driver's queue ahead of the air, and its service |
//! | `regulator` | stations that wait when they have used their share of the channel |
//! | `backlog` | number of waiting packets of one flow |
//! | `link`, `links`, `service` | block ack windows of receivers: packets that were in service and are not done |
//! | `charge` | airtime charges |
//! | `reconfigure` | change of the configuration while packets are queued |
//!
//! Where stations share time, the cell reports to the access point's queue the time that each exchange has used
//! (`cell::airtime_charge`). A queue that holds packets back returns the time at which to ask it again
//! ([`TransmitQueue::next_release`]); that is one more event of the cell. A packet that is dropped after it was let in
//! (by `CoDel`, in favour of a shorter flow, or for a newer ACK) leaves as a departure that is lost, so that every packet
//! is accounted for.

mod ahead;
mod airtime;
mod backlog;
mod charge;
mod codel;
mod codel_drops;
pub mod config;
mod driver;
mod dual;
mod fair;
pub mod headers;
mod hosts;
mod link;
mod links;
mod own_queues;
mod reconfigure;
mod regulator;
mod scheduler;
mod service;
mod sub_queue;
#[cfg(test)]
mod tests;

use std::cmp::Reverse;
use std::collections::BTreeMap;

use airfair_units::Time;

use crate::frame::{Mpdu, Msdu};
use crate::node::NodeId;
use crate::record::DropCause;

pub use charge::Charge;
use config::{Discipline, Limit, Overflow, QueueConfig, Weights};
use driver::Driver;
use fair::bucket;
use headers::{Class, Headers};
pub(crate) use link::{Batch, Frames, Queued, Response, Room};
use links::BlockAckLinks;
use own_queues::Key;
use scheduler::Scheduler;
use sub_queue::SubQueues;
pub(crate) use sub_queue::Waits;

/// A packet in service. All frames that carry it have the same sequence number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InService<P> {
    /// Next frame that carries the packet.
    pub mpdu: Mpdu<P>,
    /// True if the packet has reached its receiver, even if the ACK was lost.
    pub has_arrived: bool,
}

/// Transmit queue of one member.
#[derive(Clone, Debug)]
pub struct TransmitQueue<P> {
    config: QueueConfig,
    in_service: Option<InService<P>>,
    /// Sequence number that the next packet in service gets.  [80211-2020 §10.3.2.14]
    sequence: u16,
    /// Queue from which the packet in service came.
    serving: usize,
    queues: SubQueues<P>,
    scheduler: Scheduler,
    /// Links with block ack agreements, by receiver; `None` if no receiver has an agreement.
    links: Option<Box<BlockAckLinks<P>>>,
    /// Driver's queue; `None` if only the packet in service is taken ahead of the air.
    driver: Option<Box<Driver<P>>>,
}

impl<P: Copy + Headers> TransmitQueue<P> {
    /// Creates an empty queue.
    pub fn new(config: QueueConfig) -> Self {
        let scheduler = Scheduler::new(config.discipline);
        Self {
            config,
            in_service: None,
            sequence: 0,
            serving: 0,
            queues: SubQueues::new(),
            scheduler,
            links: None,
            driver: config.discipline.hardware_queue().map(|rule| Box::new(Driver::new(rule))),
        }
    }

    /// Number of packets in the transmit queue, waiting or in service.
    #[inline]
    pub fn len(&self) -> u32 {
        let packets = self.queues.waiting + u32::from(self.in_service.is_some());
        if self.links.is_none() && self.driver.is_none() {
            return packets;
        }
        let under_way = self.links.as_ref().map_or(0, |links| links.under_way());
        let ahead = self.driver.as_ref().map_or(0, |driver| driver.len());
        packets + under_way + ahead - self.queues.again
    }

    /// True if nothing is in service: the transmit queue has no packets, or none that may be sent.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.in_service.is_none() && self.link_in_service().is_none()
    }

    /// True if the transmit queue has room for a data packet to `to` without dropping another packet.
    #[inline]
    pub fn has_room_for(&self, to: NodeId) -> bool {
        if self.config.limit == Limit::Shared {
            return self.len() < self.config.packets;
        }
        match &self.config.discipline {
            Discipline::RoundRobin
            | Discipline::DeficitRoundRobin { .. }
            | Discipline::TimeRegulator(_) => self.has_room(to.index()),
            Discipline::Fifo
            | Discipline::MarkingFifo { .. }
            | Discipline::CoDel(_)
            | Discipline::DataAck { .. } => self.has_room(0),
            Discipline::FqCoDel { .. } | Discipline::Airtime(_) | Discipline::DualPi2(_) => {
                self.len() < self.config.packets
            }
        }
    }

    /// Packet in service, if an ACK answers it.
    #[inline]
    pub fn packet(&self) -> Option<&InService<P>> {
        self.in_service.as_ref()
    }

    /// Packet in service, mutable, if an ACK answers it.
    #[inline]
    pub fn packet_mut(&mut self) -> Option<&mut InService<P>> {
        self.in_service.as_mut()
    }

    /// Receiver of the packet or aggregate in service.
    #[inline]
    pub fn receiver(&self) -> Option<NodeId> {
        let packet = self.in_service.as_ref().map(|served| served.mpdu.msdu.to);
        packet.or_else(|| self.link_in_service())
    }

    /// Packets in the transmit queue that wait for service.
    pub fn waiting(&self) -> impl Iterator<Item = &Msdu<P>> {
        let packets = self.queues.iter().flat_map(|queue| &queue.packets);
        let ahead = self.driver.iter().flat_map(|driver| driver.packets().map(|(msdu, _)| msdu));
        packets.map(|waiting| &waiting.msdu).chain(ahead)
    }

    /// Adds a packet to the transmit queue, straight into service if nothing else is. Returns false if there is no room
    /// for it. Other packets may be dropped instead: see [`poll_dropped`](Self::poll_dropped).
    pub fn push(&mut self, now: Time, msdu: Msdu<P>) -> bool {
        let Msdu { ref payload, size, from, to } = msdu;
        let frame = Msdu { payload: (), size, from, to };
        self.append(now, payload, frame).is_some() || self.push_otherwise(now, msdu)
    }

    /// Adds a packet, if it only joins the end of a queue. Returns the length with the packet; or `None`,
    /// without adding the packet, if [`push`](Self::push) has more to do.
    #[expect(
        clippy::inline_always,
        reason = "each call on a packet's way costs twenty instructions"
    )]
    #[inline(always)]
    pub(crate) fn append(&mut self, now: Time, payload: &P, frame: Msdu<()>) -> Option<u32> {
        if !self.only_appends() {
            return self.append_in_turn(now, payload, frame);
        }
        let length = self.len() + 1;
        if length > self.config.packets {
            return None;
        }
        self.queues.append(0, payload, frame, now);
        Some(length)
    }

    /// Adds a packet as [`append`](Self::append) does, under a scheduler that serves receivers in turn.
    #[inline(never)]
    fn append_in_turn(&mut self, now: Time, payload: &P, frame: Msdu<()>) -> Option<u32> {
        let queue = frame.to.index();
        let joins = matches!(self.config.discipline, Discipline::RoundRobin)
            && self.queues.packets(queue) > 0
            && !self.is_empty()
            && !self.config.ack_filter
            && self.driver.is_none();
        if !joins || !self.has_room(queue) {
            return None;
        }
        self.queues.append(queue, payload, frame, now);
        Some(self.len())
    }

    #[inline(never)]
    fn push_otherwise(&mut self, now: Time, mut msdu: Msdu<P>) -> bool {
        let queue = self.classify(&msdu, now);
        let is_idle = self.is_empty();
        if is_idle && self.serves_at_once() {
            self.serve(msdu, queue);
            return true;
        }
        let was_empty = self.queues.len(queue) == 0;
        if self.config.ack_filter {
            self.filter(queue, &msdu.payload);
        }
        if !self.has_room(queue) && !self.make_room(queue, &msdu.payload) {
            return false;
        }
        if let Discipline::MarkingFifo { mark_above } = self.config.discipline
            && self.len() > mark_above
        {
            msdu.payload.mark();
        }
        self.queues.push(queue, msdu, now);
        if was_empty {
            self.scheduler.activate(now, &mut self.queues, queue);
        }
        if self.len() > self.config.packets {
            self.shed();
        }
        if is_idle {
            self.release(now);
        } else if self.driver.is_some() {
            self.fill_ahead(now);
        }
        true
    }

    /// Adds up to `most` packets that `next` makes, one after the other, as long as each only joins the end of the
    /// single queue: none goes into service, and none is dropped. Calls `tell` with the length after each packet.
    /// Returns the number of packets added.
    pub fn extend(
        &mut self,
        now: Time,
        most: usize,
        mut next: impl FnMut() -> Option<Msdu<P>>,
        mut tell: impl FnMut(u32),
    ) -> usize {
        if !self.only_appends() {
            return 0;
        }
        let before = self.len();
        let most = u32::try_from(most).unwrap_or(u32::MAX);
        let most = most.min(self.config.packets.saturating_sub(before));
        let mut length = before;
        self.queues.extend(0, now, || {
            let msdu = if length < before + most { next()? } else { return None };
            length += 1;
            tell(length);
            Some(msdu)
        });
        (length - before) as usize
    }

    /// True if a packet for which there is room only joins the end of the single queue: something is in service, and no
    /// filter or driver needs to look at the packet.
    #[inline]
    fn only_appends(&self) -> bool {
        let is_one = matches!(self.config.discipline, Discipline::Fifo | Discipline::CoDel(_));
        is_one && !self.is_empty() && !self.config.ack_filter && self.driver.is_none()
    }

    /// True if a packet that arrives while nothing is in service may be served at once, whatever its receiver.
    fn serves_at_once(&self) -> bool {
        !matches!(self.scheduler, Scheduler::Regulated(_)) && self.driver.is_none()
    }

    /// Puts a waiting packet into service, if nothing is in service and one may be sent now.
    #[cold]
    pub fn release(&mut self, now: Time) {
        if self.is_empty() && self.queues.waiting > 0 {
            self.serve_next(now);
        }
    }

    /// Time at which [`release`](Self::release) may succeed, if packets wait and none may be sent now.
    pub fn next_release(&self) -> Option<Time> {
        match &self.scheduler {
            Scheduler::Regulated(regulator) if self.is_empty() => regulator.next_release(),
            _ => None,
        }
    }

    /// True if stations share the channel by a regulator, regardless of the categories of their exchanges.
    #[inline]
    pub fn shares_channel(&self) -> bool {
        matches!(self.scheduler, Scheduler::Regulated(_))
    }

    /// Charges the airtime of an exchange of the access point with a station, in either direction.
    pub fn charge(&mut self, now: Time, charge: &Charge) {
        match &mut self.scheduler {
            Scheduler::Airtime(airtime) => airtime.charge(now, charge),
            Scheduler::Regulated(regulator) => regulator.charge(now, charge),
            _ => {}
        }
    }

    /// Removes the packet with this sequence number from service, since it was acknowledged or given up, and serves the
    /// next one. Returns `None` if the packet is not in service.
    #[inline]
    pub fn finish(&mut self, now: Time, sequence: u16) -> Option<InService<P>> {
        let served = self.in_service.take_if(|served| served.mpdu.sequence == sequence)?;
        self.serve_next(now);
        Some(served)
    }

    #[inline]
    fn serve_next(&mut self, now: Time) {
        if self.driver.is_some() {
            return self.serve_ahead(now);
        }
        let Some(queue) = self.scheduler.choose(now, &mut self.queues) else { return };
        if self.links.is_some() && self.serve_without_packet(now, queue) {
            return;
        }
        if let Some(msdu) = self.queues.pop(queue) {
            self.serve(msdu, queue);
        }
    }

    #[inline]
    fn serve(&mut self, msdu: Msdu<P>, queue: usize) {
        if self.links.is_some() && self.serve_aggregated(msdu, queue) {
            return;
        }
        let frame = Mpdu {
            msdu,
            amsdu: None,
            joined: 0,
            sequence: self.sequence,
            retry: false,
            errored: false,
        };
        self.sequence = (self.sequence + 1) & 0x0fff;
        (self.in_service, self.serving) =
            (Some(InService { mpdu: frame, has_arrived: false }), queue);
    }

    /// True if there is a packet for [`poll_dropped`](Self::poll_dropped).
    #[inline]
    pub fn has_dropped(&self) -> bool {
        !self.queues.dropped.is_empty()
    }

    /// Takes the next packet that was dropped after it had been added, with the reason.
    pub fn poll_dropped(&mut self) -> Option<(Msdu<P>, DropCause)> {
        self.queues.dropped.pop_front()
    }

    /// Sets the weights of DATA and pure ACKs; no effect if the discipline has no weights.
    pub fn set_weights(&mut self, weights: Weights) {
        if let Scheduler::Weighted(weighted) = &mut self.scheduler {
            weighted.set(weights);
        }
    }

    /// True if the discipline gives each station a share of airtime per turn, which a weight can change.
    pub fn has_airtime_weights(&self) -> bool {
        matches!(self.config.discipline, Discipline::Airtime(rule) if rule.quantum.is_some())
    }

    /// Sets the weight of a station's airtime; no effect if the discipline does not share airtime.
    pub fn set_airtime_weight(&mut self, station: NodeId, weight: u16) {
        if let Scheduler::Airtime(airtime) = &mut self.scheduler {
            airtime.set_weight(station.index(), weight);
        }
    }

    /// True if bulk for a station waits; false if the discipline has no queues of its own for each station.
    pub fn has_bulk(&self, station: NodeId) -> bool {
        match &self.scheduler {
            Scheduler::Airtime(airtime) => airtime.has_bulk(&self.queues, station.index()),
            _ => false,
        }
    }

    /// True if bulk for a station waits because of [`hold`](Self::hold).
    pub(crate) fn holds_bulk(&self, station: NodeId) -> bool {
        match &self.scheduler {
            Scheduler::Airtime(airtime) => airtime.holds_bulk(&self.queues, station.index()),
            _ => false,
        }
    }

    /// Makes bulk for a station wait, or go on; no effect if the discipline has no queues of its own for each station.
    pub fn hold(&mut self, station: NodeId, is_held: bool) {
        if let Scheduler::Airtime(airtime) = &mut self.scheduler {
            airtime.hold(station.index(), is_held);
        }
    }

    /// Index of the queue to which a packet belongs.
    fn classify(&mut self, msdu: &Msdu<P>, now: Time) -> usize {
        match self.config.discipline {
            Discipline::Fifo | Discipline::MarkingFifo { .. } | Discipline::CoDel(_) => 0,
            Discipline::DualPi2(_) => {
                if msdu.payload.is_low_latency() {
                    dual::LOW
                } else {
                    dual::CLASSIC
                }
            }
            Discipline::DataAck { .. } => match msdu.payload.class() {
                Class::Data => 0,
                Class::PureAck { .. } => 1,
            },
            Discipline::RoundRobin
            | Discipline::DeficitRoundRobin { .. }
            | Discipline::TimeRegulator(_) => msdu.to.index(),
            Discipline::FqCoDel { queues, .. } => bucket(msdu.payload.flow(), queues),
            Discipline::Airtime(_) => self.classify_by_station(msdu, now),
        }
    }

    #[inline(never)]
    fn classify_by_station(&mut self, msdu: &Msdu<P>, now: Time) -> usize {
        let Scheduler::Airtime(airtime) = &mut self.scheduler else {
            unreachable!("the scheduler is the discipline's")
        };
        let payload = &msdu.payload;
        let key = Key { flow: payload.flow(), is_low_latency: payload.is_low_latency() };
        airtime.classify(now, msdu.to.index(), key)
    }

    /// True if one more packet may join `queue`. If the longest queue drops a packet instead, there is always room.
    fn has_room(&self, queue: usize) -> bool {
        let room = self.config.packets;
        match (&self.config.discipline, self.config.limit) {
            (Discipline::FqCoDel { .. } | Discipline::Airtime(_), _) => true,
            (_, Limit::Shared) => self.len() < room,
            (_, Limit::Each) => {
                let is_served = self.in_service.is_some() && self.serving == queue;
                let under_way = self.links.as_ref().map_or(0, |links| links.of_queue(queue));
                let before = self.queues.packets(queue) + under_way as usize;
                before + usize::from(is_served) < room as usize
            }
        }
    }

    /// Drops the oldest packet of the flow with the most packets in `queue`, the new packet included. Returns false
    /// if that flow has no older packet. O(packets · log flows).
    fn make_room(&mut self, queue: usize, new: &P) -> bool {
        if self.config.overflow == Overflow::Tail {
            return false;
        }
        let mut flows = BTreeMap::from([(new.flow(), (1, None))]);
        for (place, waiting) in self.queues.get(queue).packets.iter().enumerate() {
            let (count, first) = flows.entry(waiting.msdu.payload.flow()).or_insert((0, None));
            *count += 1;
            first.get_or_insert(place);
        }
        let longest = flows.into_values().max_by_key(|(count, first)| (*count, Reverse(*first)));
        let Some((_, Some(place))) = longest else { return false };
        self.queues.remove(queue, place, DropCause::QueueFull);
        true
    }

    /// Drops the first packet of the longest queue.  [RFC8290 §4.1.3]
    fn shed(&mut self) {
        let Some(longest) = self.scheduler.fattest(&self.queues) else { return };
        self.queues.remove(longest, 0, DropCause::QueueFull);
    }

    /// Drops a pure ACK in `queue` that the new packet of the same flow makes redundant.  [cake §IV-D]
    fn filter(&mut self, queue: usize, new: &P) {
        let Class::PureAck { number, is_selective: false } = new.class() else { return };
        let is_redundant = |payload: &P| match payload.class() {
            Class::PureAck { number: older, is_selective: false } => {
                payload.flow() == new.flow() && older < number
            }
            _ => false,
        };
        let packets = &self.queues.get(queue).packets;
        let redundant = packets.iter().rposition(|waiting| is_redundant(&waiting.msdu.payload));
        if let Some(place) = redundant {
            self.queues.remove(queue, place, DropCause::AckFiltered);
        }
    }
}
