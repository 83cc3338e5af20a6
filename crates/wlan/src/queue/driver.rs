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

use airfair_units::{Duration, Time};

use super::TransmitQueue;
use super::config::Counts;
use super::headers::Headers;
use super::scheduler::Scheduler;
use crate::aggregation::AmpduLength;
use crate::frame::Msdu;
use crate::node::NodeId;
use crate::sizes::QOS_DATA_OVERHEAD;

/// Queue of the driver: packets that it has taken ahead of the air, in the order in which they are sent.
#[derive(Clone, Debug)]
pub(super) struct Driver<P> {
    /// Largest number of aggregates or packets in the driver, by `counts`.
    most: u16,
    counts: Counts,
    /// Packets that the driver has taken, grouped by receiver. Those of the first receiver are in service, if anything
    /// is.
    ahead: VecDeque<Ahead<P>>,
    /// Number of packets that the driver holds ahead of the air.
    packets: u32,
    /// Receiver of the packet in service, if an ACK answers this packet.
    alone: Option<NodeId>,
}

/// Packets to one receiver that are not in service yet: those of an aggregate, or of a burst that the driver took at
/// once.
#[derive(Clone, Debug)]
struct Ahead<P> {
    to: NodeId,
    /// Packets to the receiver, each with the queue from which it came. Empty if only lost MPDUs are sent again.
    packets: VecDeque<(Msdu<P>, usize)>,
    is_served: bool,
}

impl<P> Ahead<P> {
    fn to(to: NodeId) -> Self {
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
    fn room(&self, in_service: u32) -> u32 {
        match self.counts {
            Counts::Aggregates if self.ahead.len() < usize::from(self.most) => u32::MAX,
            Counts::Aggregates => 0,
            Counts::Packets => u32::from(self.most).saturating_sub(self.packets + in_service),
        }
    }

    fn push(&mut self, ahead: Ahead<P>) {
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
    fn begin_service(&mut self) -> Option<NodeId> {
        let first = self.ahead.front_mut()?;
        first.is_served = true;
        Some(first.to)
    }

    /// Takes the first packet in service from the driver, with the queue from which it came.
    fn pop(&mut self) -> Option<(Msdu<P>, usize)> {
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
    fn end_service(&mut self) {
        if let Some(first) = self.ahead.front_mut().filter(|first| first.is_served) {
            first.is_served = false;
            if first.packets.is_empty() {
                self.ahead.pop_front();
            }
        }
    }
}

impl<P: Copy + Headers> TransmitQueue<P> {
    /// Puts the next packets in the driver into service, after the driver has taken more.
    #[cold]
    pub(super) fn serve_ahead(&mut self, now: Time) {
        let Some(mut driver) = self.driver.take() else { return };
        driver.end_service();
        if let Some(to) = driver.alone.take() {
            self.scheduler.note_done(to, 1);
        }
        loop {
            self.fill(now, &mut driver);
            let Some(to) = driver.begin_service() else { break };
            // If the block ack window is full, its packets are sent alone, and new packets stay in the driver.
            if !self.is_full(to)
                && let Some((msdu, queue)) = driver.pop()
            {
                self.serve(msdu, queue);
                driver.alone = self.in_service.is_some().then_some(to);
                break;
            }
            if self.serve_link(to) {
                break;
            }
            // The MPDUs that were to be sent again have been sent together with earlier packets.
            driver.end_service();
        }
        let has_nothing = driver.ahead.is_empty() && self.in_driver() == 0;
        debug_assert!(
            !has_nothing || self.airtime_ahead().is_zero(),
            "a driver that has nothing is expected to need no airtime"
        );
        self.driver = Some(driver);
    }

    /// Lets the driver take packets from the queues, up to its room.
    #[cold]
    pub(super) fn fill_ahead(&mut self, now: Time) {
        if let Some(mut driver) = self.driver.take() {
            self.fill(now, &mut driver);
            self.driver = Some(driver);
        }
    }

    fn fill(&mut self, now: Time, driver: &mut Driver<P>) {
        let in_service = self.in_driver();
        while let room @ 1.. = driver.room(in_service)
            && let Some(ahead) = self.take_ahead(now, driver.counts, room)
        {
            driver.push(ahead);
        }
    }

    /// Number of packets of the driver that are in service or are sent again.
    fn in_driver(&self) -> u32 {
        let under_way = self.links.as_ref().map_or(0, |links| links.under_way());
        under_way + u32::from(self.in_service.is_some())
    }

    /// Takes packets for one receiver from the queues to the driver, in the order of the scheduler, up to `room` of
    /// them.  Deviates: [D-155]
    fn take_ahead(&mut self, now: Time, counts: Counts, room: u32) -> Option<Ahead<P>> {
        let first = self.scheduler.choose(now, &mut self.queues)?;
        let mut ahead = if let Some(to) = self.begin_again(first) {
            Ahead::to(to)
        } else {
            let msdu = self.queues.pop(first)?;
            let mut ahead = Ahead::to(msdu.to);
            self.add_ahead(&mut ahead, msdu, first);
            ahead
        };
        match counts {
            Counts::Aggregates => self.form_ahead(now, &mut ahead, first),
            Counts::Packets => self.take_burst(now, &mut ahead, first, room),
        }
        Some(ahead)
    }

    /// Takes further packets of one receiver to the driver for an aggregate, as many as its last aggregate could have
    /// had. Airtime limits decide whether an aggregate is begun, and never shorten one: a short one would release
    /// little airtime, so that the next would be as short.
    fn form_ahead(&mut self, now: Time, ahead: &mut Ahead<P>, first: usize) {
        let to = ahead.to;
        if ahead.packets.is_empty() && !self.scheduler.may_take(to) {
            return;
        }
        let mut length = AmpduLength::new();
        for (msdu, _) in &ahead.packets {
            length = length.with(msdu.size + QOS_DATA_OVERHEAD);
        }
        // Before the first frame nothing is known of the link, and a frame without an agreement has one packet.
        while let Some((most, room)) = self.limits_ahead(to)
            && let Some((queue, place)) =
                self.scheduler.find_more(now, &mut self.queues, (first, 0), to)
        {
            let size = self.queues.size_at(queue, place);
            length = length.with(size + QOS_DATA_OVERHEAD);
            if length.octets() > room.octets || ahead.packets.len() >= most.most_packets(size) {
                break;
            }
            self.take_more_ahead(ahead, queue, place);
        }
    }

    /// Takes further packets of one receiver to the driver, up to `room` and the airtime limits.
    fn take_burst(&mut self, now: Time, ahead: &mut Ahead<P>, first: usize, room: u32) {
        while ahead.packets.len() < room as usize
            && self.scheduler.may_take(ahead.to)
            && let Some((queue, place)) =
                self.scheduler.find_more(now, &mut self.queues, (first, 0), ahead.to)
        {
            self.take_more_ahead(ahead, queue, place);
        }
    }

    /// Takes a packet that the scheduler has [found](Scheduler::find_more) from its queue to the driver.
    fn take_more_ahead(&mut self, ahead: &mut Ahead<P>, queue: usize, place: usize) {
        let msdu = self.queues.take(queue, place);
        self.scheduler.charge_more(&mut self.queues, queue, msdu.size);
        self.add_ahead(ahead, msdu, queue);
    }

    fn add_ahead(&mut self, ahead: &mut Ahead<P>, msdu: Msdu<P>, queue: usize) {
        let aggregates = self.agreement(msdu.to).is_some();
        self.scheduler.note_taken(msdu.to, msdu.size, aggregates);
        ahead.packets.push_back((msdu, queue));
    }

    /// Expected airtime of the packets of this transmit queue that the driver holds.
    pub(crate) fn airtime_ahead(&self) -> Duration {
        if let Scheduler::Airtime(airtime) = &self.scheduler {
            airtime.ahead()
        } else {
            Duration::ZERO
        }
    }

    /// Sets the expected airtime of packets of the transmitter's other access categories in the driver, which counts
    /// for the airtime limit of all stations.  [linux-aql]
    pub(crate) fn note_airtime_of_others(&mut self, ahead: Duration) {
        if let Scheduler::Airtime(airtime) = &mut self.scheduler {
            airtime.note_others(ahead);
        }
    }
}
