//! The way of a packet from its arrival at a transmitter to its channel access.
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
//! | module | concept |
//! | --- | --- |
//! | [`config`] | what there is to choose |
//! | [`headers`] | what a classifier reads |
//! | `sub_queue` | the queues |
//! | `scheduler` | who leaves first |
//! | `codel` | who is dropped for waiting too long |
//! | `airtime` | stations that share airtime |
//! | `driver` | what the driver has taken ahead of the air |
//! | `regulator` | stations that wait when they have used their share of the channel |
//! | `backlog` | packets of one flow that wait |
//! | `link`, `links` | windows of those who take aggregates: what has been in service and is not done |
//! | `reconfigure` | all of it, while packets are there |
//!
//! Where stations share time, the cell reports to the access point's queue the time that each exchange has used
//! (`cell::airtime_charge`). A queue that holds packets back returns the time at which to ask it again
//! ([`TransmitQueue::next_release`]); that is one more event of the cell. A packet that is dropped after it was let in
//! (by `CoDel`, in favour of a shorter flow, or for a newer ACK) leaves as a departure that is lost, so that every packet
//! is accounted for.

mod airtime;
mod backlog;
mod codel;
pub mod config;
mod driver;
pub mod headers;
mod link;
mod links;
mod reconfigure;
mod regulator;
mod scheduler;
mod sub_queue;
#[cfg(test)]
mod tests;

use std::cmp::Reverse;
use std::collections::BTreeMap;

use airfair_laws::Direction;
use airfair_units::{DataRate, Duration, Time};

use crate::config::NodeId;
use crate::frame::{Mpdu, Msdu};
use crate::record::DropCause;

use config::{Discipline, Limit, Overflow, QueueConfig, Weights};
use driver::Driver;
use headers::{Class, Headers};
pub(crate) use link::{Batch, Frames, Queued, Response, Room};
use links::Links;
use scheduler::Scheduler;
use sub_queue::SubQueues;

/// Airtime charge: the time that an exchange between the access point and a station has used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Charge {
    /// The station.
    pub station: NodeId,
    /// Direction of the data.
    pub direction: Direction,
    /// Rate of the data frame.
    pub rate: DataRate,
    /// All frames, and the gaps between them.
    pub airtime: Duration,
    /// The gap before the first frame.
    pub gap: Duration,
    /// The mean back-off of a first attempt, where there was one.
    pub backoff: Duration,
}

/// A packet in service: the frames that carry it are of one sequence number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InService<P> {
    /// The next frame that carries it.
    pub mpdu: Mpdu<P>,
    /// True if it has reached its receiver, whatever became of the ACK.
    pub has_arrived: bool,
}

/// The transmit queue of one member.
#[derive(Debug)]
pub struct TransmitQueue<P> {
    config: QueueConfig,
    in_service: Option<InService<P>>,
    /// Sequence number of the next packet in service.  [80211-2020 §10.3.2.14]
    sequence: u16,
    /// The queue that the packet in service came from.
    serving: usize,
    queues: SubQueues<P>,
    scheduler: Scheduler,
    /// None where no receiver takes aggregates.
    links: Option<Box<Links<P>>>,
    /// None where nothing is taken ahead of the air but the packet in service.
    driver: Option<Box<Driver<P>>>,
}

impl<P: Copy + Headers> TransmitQueue<P> {
    /// An empty queue.
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

    /// Packets that wait or are in service.
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

    /// True if there is nothing to send, or nothing that may go.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.in_service.is_none() && self.link_in_service().is_none()
    }

    /// True if there is room for one more packet of data to `to` without another giving way.
    #[inline]
    pub fn has_room_for(&self, to: NodeId) -> bool {
        if self.config.limit == Limit::Shared {
            return self.len() < self.config.packets;
        }
        match &self.config.discipline {
            Discipline::RoundRobin
            | Discipline::DeficitRoundRobin { .. }
            | Discipline::TimeRegulator(_) => self.has_room(to.index()),
            Discipline::Fifo | Discipline::CoDel(_) | Discipline::DataAck { .. } => {
                self.has_room(0)
            }
            Discipline::FqCoDel { .. } | Discipline::Airtime(_) => self.len() < self.config.packets,
        }
    }

    /// The packet in service, if there is one that is acknowledged for itself.
    #[inline]
    pub fn packet(&self) -> Option<&InService<P>> {
        self.in_service.as_ref()
    }

    /// The packet in service.
    #[inline]
    pub fn packet_mut(&mut self) -> Option<&mut InService<P>> {
        self.in_service.as_mut()
    }

    /// Receiver of what is in service.
    #[inline]
    pub fn receiver(&self) -> Option<NodeId> {
        let packet = self.in_service.as_ref().map(|served| served.mpdu.msdu.to);
        packet.or_else(|| self.link_in_service())
    }

    /// Packets that wait for service.
    pub fn waiting(&self) -> impl Iterator<Item = &Msdu<P>> {
        let packets = self.queues.iter().flat_map(|queue| &queue.packets);
        let ahead = self.driver.iter().flat_map(|driver| driver.packets().map(|(msdu, _)| msdu));
        packets.map(|waiting| &waiting.msdu).chain(ahead)
    }

    /// Lets a packet in, straight into service if nothing else is; false if there is no room for it.
    /// Others may be dropped in its place: see [`poll_dropped`](Self::poll_dropped).
    pub fn push(&mut self, now: Time, msdu: Msdu<P>) -> bool {
        let Msdu { ref payload, size, from, to } = msdu;
        let frame = Msdu { payload: (), size, from, to };
        self.append(now, payload, frame).is_some() || self.push_otherwise(now, msdu)
    }

    /// Lets a packet in that only joins the end of the one queue that there is, and tells the length with it; `None`, and
    /// it is not in, where [`push`](Self::push) has more to do.
    #[expect(
        clippy::inline_always,
        reason = "each call on a packet's way costs twenty instructions"
    )]
    #[inline(always)]
    pub(crate) fn append(&mut self, now: Time, payload: &P, frame: Msdu<()>) -> Option<u32> {
        if !self.only_appends() {
            return None;
        }
        let length = self.len() + 1;
        if length > self.config.packets {
            return None;
        }
        self.queues.append(0, payload, frame, now);
        Some(length)
    }

    #[inline(never)]
    fn push_otherwise(&mut self, now: Time, msdu: Msdu<P>) -> bool {
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

    /// Lets up to `most` packets in, one after the other, as long as each only joins the end of the one queue that there
    /// is: nothing goes into service, and no packet gives way. Tells how many have come, and after each the length.
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

    /// True if a packet for which there is room only joins the end of the one queue that there is: others wait or are in
    /// service, and nobody looks at what comes.
    #[inline]
    fn only_appends(&self) -> bool {
        let is_one = matches!(self.config.discipline, Discipline::Fifo | Discipline::CoDel(_));
        is_one && !self.is_empty() && !self.config.ack_filter && self.driver.is_none()
    }

    /// True if a packet that comes while nothing is in service need not be asked for whom it is.
    fn serves_at_once(&self) -> bool {
        !matches!(self.scheduler, Scheduler::Regulated(_)) && self.driver.is_none()
    }

    /// Puts a packet that had to wait into service, if nothing is and one may go now.
    #[cold]
    pub fn release(&mut self, now: Time) {
        if self.is_empty() && self.queues.waiting > 0 {
            self.serve_next(now);
        }
    }

    /// Time at which [`release`](Self::release) may have something to do, if packets wait and none may go.
    pub fn next_release(&self) -> Option<Time> {
        match &self.scheduler {
            Scheduler::Regulated(regulator) if self.is_empty() => regulator.next_release(),
            _ => None,
        }
    }

    /// True if stations share the channel here, whatever the category of their exchanges.
    #[inline]
    pub fn shares_channel(&self) -> bool {
        matches!(self.scheduler, Scheduler::Regulated(_))
    }

    /// An exchange of the access point with a station, either way, has taken its time.
    pub fn charge(&mut self, now: Time, charge: &Charge) {
        match &mut self.scheduler {
            Scheduler::Airtime(airtime) => airtime.charge(now, charge),
            Scheduler::Regulated(regulator) => regulator.charge(now, charge),
            _ => {}
        }
    }

    /// The packet of this sequence number is done, acknowledged or given up: takes it out of the batch, in which the
    /// next one follows. Nothing if it is not in service.
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
        let frame =
            Mpdu { msdu, amsdu: None, sequence: self.sequence, retry: false, errored: false };
        self.sequence = (self.sequence + 1) & 0x0fff;
        (self.in_service, self.serving) =
            (Some(InService { mpdu: frame, has_arrived: false }), queue);
    }

    /// True if a packet was dropped after it had been let in.
    #[inline]
    pub fn has_dropped(&self) -> bool {
        !self.queues.dropped.is_empty()
    }

    /// A packet that was dropped after it had been let in.
    pub fn poll_dropped(&mut self) -> Option<(Msdu<P>, DropCause)> {
        self.queues.dropped.pop_front()
    }

    /// Sets the weights of data and ACKs, if there are such.
    pub fn set_weights(&mut self, weights: Weights) {
        if let Scheduler::Weighted(weighted) = &mut self.scheduler {
            weighted.set(weights);
        }
    }

    /// The queue of a packet.
    fn classify(&mut self, msdu: &Msdu<P>, now: Time) -> usize {
        match self.config.discipline {
            Discipline::Fifo | Discipline::CoDel(_) => 0,
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
        airtime.classify(now, msdu.to.index(), |queues| bucket(msdu.payload.flow(), queues))
    }

    /// True if one more packet may join `queue`. Where the longest queue gives way, there is always room.
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

    /// Drops the oldest packet of the flow with most packets in `queue`, the new one included; false if
    /// there is no older one. O(packets · log flows).
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

    /// Drops the ACK of the same flow that a new one makes redundant.  [cake §IV-D]
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

/// Queue that a flow is hashed to: the finaliser of `SplitMix64`, the same everywhere.
fn bucket(flow: u64, queues: u16) -> usize {
    let word = flow.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    usize::try_from((word ^ (word >> 31)) % u64::from(queues.max(1))).expect("a small number")
}
