//! Service of the driver's queue: packets that the driver takes from the queues ahead of the air.

use airfair_units::{Duration, Time};

use super::TransmitQueue;
use super::config::Counts;
use super::driver::{Ahead, Driver};
use super::headers::Headers;
use super::scheduler::Scheduler;
use crate::aggregation::AmpduLength;
use crate::frame::Msdu;
use crate::sizes::QOS_DATA_OVERHEAD;

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
