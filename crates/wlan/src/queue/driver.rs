//! The driver's queue: packets that it has taken from the queues ahead of the air.
//!
//! ```text
//!   stations' queues ── airtime, AQL ──► ahead, in its order ──► in service ──► done
//! ```
//!
//! A driver of one kind forms aggregates when it takes packets, as ath9k does, which keeps two; the hardware sends them as they
//! are. A driver of the other kind, as ath10k and mt76, hands over packets, of which the hardware forms an aggregate when it
//! wins the channel. What has been taken is no more dropped or overtaken, so it is delay for everybody behind it. Airtime queue
//! limits bound it.  [linux-ath9k], [linux-ath10k], [linux-mt76], [linux-aql]

use std::collections::VecDeque;

use airfair_units::{Duration, Time};

use super::TransmitQueue;
use super::config::Counts;
use super::headers::Headers;
use super::scheduler::Scheduler;
use crate::aggregation::{AmpduLength, QOS_DATA_OVERHEAD};
use crate::config::NodeId;
use crate::frame::Msdu;

/// Packets that have been taken, in the order in which they go.
#[derive(Debug)]
pub(super) struct Driver<P> {
    /// Most aggregates or packets that it holds.
    most: u16,
    counts: Counts,
    /// The first one is in service, if anything is.
    ahead: VecDeque<Ahead<P>>,
    /// Packets in all of them.
    packets: u32,
    /// Receiver of the packet in service, if that is acknowledged for itself.
    alone: Option<NodeId>,
}

/// Packets to one receiver that have not gone into service: of an aggregate, or of a burst that the driver took at once.
#[derive(Debug)]
struct Ahead<P> {
    to: NodeId,
    /// Packets, each with the queue that it came from; none where MPDUs go again.
    packets: VecDeque<(Msdu<P>, usize)>,
    is_served: bool,
}

impl<P> Ahead<P> {
    fn to(to: NodeId) -> Self {
        Self { to, packets: VecDeque::new(), is_served: false }
    }
}

impl<P> Driver<P> {
    /// A driver that holds nothing.
    pub(super) fn new((most, counts): (u16, Counts)) -> Self {
        Self { most, counts, ahead: VecDeque::new(), packets: 0, alone: None }
    }

    /// Number of packets that wait in it.
    pub(super) fn len(&self) -> u32 {
        self.packets
    }

    /// Number of packets to one receiver that wait in it.
    pub(super) fn len_to(&self, to: NodeId) -> usize {
        self.ahead.iter().filter(|ahead| ahead.to == to).map(|ahead| ahead.packets.len()).sum()
    }

    /// Packets that wait in it, each with the queue that it came from.
    pub(super) fn packets(&self) -> impl Iterator<Item = &(Msdu<P>, usize)> {
        self.ahead.iter().flat_map(|ahead| &ahead.packets)
    }

    /// Packets that wait in it, in their order.
    pub(super) fn into_packets(self) -> Vec<Msdu<P>> {
        self.ahead.into_iter().flat_map(|ahead| ahead.packets).map(|(msdu, _)| msdu).collect()
    }

    /// Takes over a transmitter that already serves this receiver, with a packet that is acknowledged by itself or with an
    /// aggregate.
    pub(super) fn begin_with(&mut self, to: NodeId, is_alone: bool) {
        self.ahead.push_front(Ahead { is_served: true, ..Ahead::to(to) });
        self.alone = is_alone.then_some(to);
    }

    /// Number of packets that it has room for, while `in_service` of its packets are in service or go again.
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

    /// True if MPDUs that were lost stay in the hardware.
    pub(super) fn keeps_lost(&self) -> bool {
        self.counts == Counts::Packets
    }

    /// Lets lost MPDUs to this receiver go again: with the next packets to it, or after all others if there are none.
    pub(super) fn keep_lost(&mut self, to: NodeId) {
        let goes =
            |ahead: &Ahead<P>| ahead.to == to && (!ahead.is_served || !ahead.packets.is_empty());
        if !self.ahead.iter().any(goes) {
            self.ahead.push_back(Ahead::to(to));
        }
    }

    /// Puts the first packets into service, and tells for whom they are.
    fn begin_service(&mut self) -> Option<NodeId> {
        let first = self.ahead.front_mut()?;
        first.is_served = true;
        Some(first.to)
    }

    /// The first packet of those in service.
    fn pop(&mut self) -> Option<(Msdu<P>, usize)> {
        let popped = self.ahead.front_mut()?.packets.pop_front()?;
        self.packets -= 1;
        Some(popped)
    }

    /// Lets `take` have packets for the receiver in service, one after the other, as long as it takes them: those of the
    /// aggregate in service, or all that the hardware holds.
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

    /// Ends the service of the first packets. Packets that did not fit into the frame go next.
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
    /// Puts the next packets into service, after the driver has taken more.
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
            // Where the window is full, what waits in it goes alone, and packets stay with the driver.
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
            // What was to go again has gone with packets before.
            driver.end_service();
        }
        let has_nothing = driver.ahead.is_empty() && self.in_driver() == 0;
        debug_assert!(
            !has_nothing || self.airtime_ahead().is_zero(),
            "a driver that has nothing is expected to need no airtime"
        );
        self.driver = Some(driver);
    }

    /// Lets the driver take what it has room for.
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

    /// Number of packets from the driver that are in service or go again.
    fn in_driver(&self) -> u32 {
        let under_way = self.links.as_ref().map_or(0, |links| links.under_way());
        under_way + u32::from(self.in_service.is_some())
    }

    /// Takes packets for one receiver as the scheduler says, up to `room` of them.
    /// Deviates: [D-155]
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

    /// Takes more packets of one receiver into an aggregate: as many as the last one to it could have had. Limits of airtime
    /// decide if one is begun, and shorten none: each would give back as little as it took, and be followed by one as short.
    fn form_ahead(&mut self, now: Time, ahead: &mut Ahead<P>, first: usize) {
        let to = ahead.to;
        if ahead.packets.is_empty() && !self.scheduler.may_take(to) {
            return;
        }
        let mut length = AmpduLength::new();
        for (msdu, _) in &ahead.packets {
            length = length.with(msdu.size + QOS_DATA_OVERHEAD);
        }
        // Nothing is known of the link before its first frame, and a frame without an agreement has one packet.
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

    /// Takes more packets of one receiver, as many as there is `room` for and as the limits of airtime allow.
    fn take_burst(&mut self, now: Time, ahead: &mut Ahead<P>, first: usize, room: u32) {
        while ahead.packets.len() < room as usize
            && self.scheduler.may_take(ahead.to)
            && let Some((queue, place)) =
                self.scheduler.find_more(now, &mut self.queues, (first, 0), ahead.to)
        {
            self.take_more_ahead(ahead, queue, place);
        }
    }

    /// Takes a packet that was [found](Scheduler::find_more).
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

    /// Airtime that the driver is expected to need for what it has.
    pub(crate) fn airtime_ahead(&self) -> Duration {
        if let Scheduler::Airtime(airtime) = &self.scheduler {
            airtime.ahead()
        } else {
            Duration::ZERO
        }
    }

    /// The same transmitter's other categories have so much in the driver, which counts for the limit of all.  [linux-aql]
    pub(crate) fn note_airtime_of_others(&mut self, ahead: Duration) {
        if let Scheduler::Airtime(airtime) = &mut self.scheduler {
            airtime.note_others(ahead);
        }
    }
}
