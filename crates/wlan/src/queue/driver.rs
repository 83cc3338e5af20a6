//! The driver's queue: aggregates that it has taken from the queues ahead of the air, as ath9k keeps two.
//!
//! ```text
//!   stations' queues ── airtime, AQL ──► aggregates ahead ──► in service ──► done
//! ```
//!
//! What has been taken is no more dropped or overtaken, so it is delay for everybody behind it. Airtime queue limits bound
//! it.  [linux-ath9k], [linux-aql]

use std::collections::VecDeque;

use airfair_units::{Duration, Time};

use super::TransmitQueue;
use super::headers::Headers;
use super::scheduler::Scheduler;
use crate::aggregation::{AmpduLength, QOS_DATA_OVERHEAD};
use crate::config::NodeId;
use crate::frame::Msdu;

/// Aggregates that have been taken, in the order in which they go.
#[derive(Debug)]
pub(super) struct Driver<P> {
    most: usize,
    /// The first one is in service, if anything is.
    aggregates: VecDeque<Ahead<P>>,
    /// Receiver of the packet in service, if that is acknowledged for itself.
    alone: Option<NodeId>,
}

/// An aggregate ahead of the air, or what is left of it.
#[derive(Debug)]
struct Ahead<P> {
    to: NodeId,
    /// Packets, each with the queue that it came from; none where MPDUs go again.
    packets: VecDeque<(Msdu<P>, usize)>,
    is_served: bool,
}

impl<P> Driver<P> {
    /// One that takes so many aggregates, that in service included.
    pub(super) fn new(most: u16) -> Self {
        Self { most: usize::from(most), aggregates: VecDeque::new(), alone: None }
    }

    /// Packets that wait in it, each with the queue that it came from.
    pub(super) fn packets(&self) -> impl Iterator<Item = &(Msdu<P>, usize)> {
        self.aggregates.iter().flat_map(|ahead| &ahead.packets)
    }

    /// Packets that wait in it, in their order.
    pub(super) fn into_packets(self) -> Vec<Msdu<P>> {
        self.aggregates.into_iter().flat_map(|ahead| ahead.packets).map(|(msdu, _)| msdu).collect()
    }

    /// It takes over a transmitter that has something in service for this receiver: a packet that is acknowledged for itself,
    /// or an aggregate.
    pub(super) fn begin_with(&mut self, to: NodeId, is_alone: bool) {
        self.aggregates.push_back(Ahead { to, packets: VecDeque::new(), is_served: true });
        self.alone = is_alone.then_some(to);
    }

    /// Packets of the aggregate in service, which have not joined it yet.
    pub(super) fn in_service(&mut self) -> Option<&mut VecDeque<(Msdu<P>, usize)>> {
        self.aggregates.front_mut().map(|ahead| &mut ahead.packets)
    }

    /// The aggregate in service is done. What did not fit goes next.
    fn end_service(&mut self) {
        if let Some(first) = self.aggregates.front_mut().filter(|first| first.is_served) {
            first.is_served = false;
            if first.packets.is_empty() {
                self.aggregates.pop_front();
            }
        }
    }
}

impl<P: Copy + Headers> TransmitQueue<P> {
    /// Puts the next aggregate into service, after the driver has taken more.
    #[cold]
    pub(super) fn serve_ahead(&mut self, now: Time) {
        let Some(mut driver) = self.driver.take() else { return };
        driver.end_service();
        if let Some(to) = driver.alone.take() {
            self.scheduler.note_done(to, 1);
        }
        loop {
            self.fill(now, &mut driver);
            let Some(first) = driver.aggregates.front_mut() else { break };
            first.is_served = true;
            if let Some((msdu, queue)) = first.packets.pop_front() {
                self.serve(msdu, queue);
                driver.alone = self.in_service.is_some().then_some(msdu.to);
                break;
            }
            if self.serve_link(first.to) {
                break;
            }
            // What was to go again has gone with an aggregate before.
            driver.aggregates.pop_front();
        }
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
        while driver.aggregates.len() < driver.most
            && let Some(ahead) = self.take_ahead(now)
        {
            driver.aggregates.push_back(ahead);
        }
    }

    /// Takes an aggregate as the scheduler says: as long as the last one to the same receiver could have been.
    /// Deviates: [D-155]
    fn take_ahead(&mut self, now: Time) -> Option<Ahead<P>> {
        let first = self.scheduler.choose(now, &mut self.queues)?;
        let (mut packets, mut length) = (VecDeque::new(), AmpduLength::new());
        let to = if let Some(to) = self.begin_again(first) {
            to
        } else {
            let msdu = self.queues.pop(first)?;
            length = length.with(msdu.size + QOS_DATA_OVERHEAD);
            self.note_ahead(&msdu);
            packets.push_back((msdu, first));
            msdu.to
        };
        // Nothing is known of the link before its first frame, and a frame without an agreement has one packet.
        while let Some((most, room)) = self.limits_ahead(to)
            && self.scheduler.may_take(to)
            && let Some((queue, place)) =
                self.scheduler.find_more(now, &mut self.queues, (first, 0), to)
        {
            let size = self.queues.size_at(queue, place);
            length = length.with(size + QOS_DATA_OVERHEAD);
            if length.octets() > room.octets || packets.len() >= most.most_packets(size) {
                break;
            }
            let msdu = self.queues.take(queue, place);
            self.scheduler.charge_more(&mut self.queues, queue, size);
            self.note_ahead(&msdu);
            packets.push_back((msdu, queue));
        }
        Some(Ahead { to, packets, is_served: false })
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

    /// The driver has taken a packet.
    fn note_ahead(&mut self, msdu: &Msdu<P>) {
        let aggregates = self.agreement(msdu.to).is_some();
        self.scheduler.note_taken(msdu.to, msdu.size, aggregates);
    }
}
