//! Change of a queue's configuration while packets wait, are in service, in aggregates, or in the driver.
//!
//! | packets | with the new configuration |
//! | --- | --- |
//! | in service, or in a block ack window | stay there, and count for the queue to which they would belong now |
//! | taken by the driver, and not in service | join the new queues first |
//! | waiting | join the new queues behind these, in the order in which they came |

use airfair_units::Time;

use super::TransmitQueue;
use super::config::{Discipline, QueueConfig};
use super::driver::Driver;
use super::headers::Headers;
use super::own_queues::Key;
use super::scheduler::Scheduler;
use crate::node::NodeId;
use crate::record::DropCause;

impl<P: Copy + Headers> TransmitQueue<P> {
    /// Replaces the configuration of the transmit queue. Waiting packets join the new queues as if they came now. Those
    /// without room are dropped: see [`poll_dropped`](Self::poll_dropped).
    #[cold]
    pub fn reconfigure(&mut self, now: Time, config: QueueConfig) {
        let ahead = self.driver.take().map_or_else(Vec::new, |driver| driver.into_packets());
        let waiting: Vec<_> = ahead.into_iter().chain(self.queues.drain()).collect();
        (self.config, self.scheduler) = (config, Scheduler::new(config.discipline));
        self.driver = config.discipline.hardware_queue().map(|rule| Box::new(Driver::new(rule)));
        self.classify_in_service(now);
        self.classify_links(now);
        let (to, is_alone) = (self.receiver(), self.in_service.is_some());
        if let Some((driver, to)) = self.driver.as_mut().zip(to) {
            driver.begin_with(to, is_alone);
        }
        self.release(now);
        for msdu in waiting {
            if !self.push(now, msdu) {
                self.queues.dropped.push_back((msdu, DropCause::QueueFull));
            }
        }
    }

    /// Assigns the packet in service, if an ACK answers it, to its queue under the new configuration.
    fn classify_in_service(&mut self, now: Time) {
        let Some(msdu) = self.in_service.as_ref().map(|served| served.mpdu.msdu) else { return };
        self.serving = self.classify(&msdu, now);
        if self.driver.is_some() {
            self.scheduler.note_taken(msdu.to, msdu.size, false);
        }
    }

    /// Assigns packets in block ack windows to their queues under the new configuration. A receiver with MPDUs to be
    /// sent again is served before the packets of its queue.
    fn classify_links(&mut self, now: Time) {
        let Some(mut links) = self.links.take() else { return };
        links.reclassify(|msdu| {
            let queue = self.classify(msdu, now);
            if self.driver.is_some() {
                self.scheduler.note_taken(msdu.to, msdu.size, true);
            }
            queue
        });
        let receivers = links.receivers();
        self.links = Some(links);
        for to in receivers {
            let queue = self.link(to).first_queue().unwrap_or_else(|| self.queue_of(now, to));
            if self.link_in_service() == Some(to) {
                self.serving = queue;
            } else {
                self.push_again(now, to, queue);
            }
        }
    }

    /// Queue that serves receiver `to`, for which there are no packets but only a pending `BlockAckReq`.
    fn queue_of(&mut self, now: Time, to: NodeId) -> usize {
        match (self.config.discipline, &mut self.scheduler) {
            (_, Scheduler::Airtime(airtime)) => airtime.classify(now, to.index(), Key::default()),
            (
                Discipline::RoundRobin
                | Discipline::DeficitRoundRobin { .. }
                | Discipline::TimeRegulator(_),
                _,
            ) => to.index(),
            _ => 0,
        }
    }
}
