//! Number of packets that wait behind the packets in service.

use super::TransmitQueue;
use super::config::Discipline;
use super::fair::bucket;
use super::headers::Headers;
use super::own_queues::Key;
use super::scheduler::Scheduler;
use crate::node::NodeId;

impl<P: Copy + Headers> TransmitQueue<P> {
    /// Number of packets that wait in the queue of a data packet of `flow` to `to`, and of packets to the same
    /// receiver that wait in the driver.
    pub fn backlog(&self, to: NodeId, flow: u64) -> usize {
        let in_driver = self.driver.as_ref().map_or(0, |driver| driver.len_to(to));
        let queue = match &self.config.discipline {
            Discipline::Fifo
            | Discipline::MarkingFifo { .. }
            | Discipline::CoDel(_)
            | Discipline::DataAck { .. } => Some(0),
            // The flow's packets may be in either queue.
            Discipline::DualPi2(_) => {
                return self.queues.packets(0) + self.queues.packets(1);
            }
            Discipline::RoundRobin
            | Discipline::DeficitRoundRobin { .. }
            | Discipline::TimeRegulator(_) => Some(to.index()),
            Discipline::FqCoDel { queues, .. } => Some(bucket(flow, *queues)),
            Discipline::Airtime(_) => {
                let Scheduler::Airtime(airtime) = &self.scheduler else {
                    unreachable!("the scheduler is the discipline's")
                };
                let key = Key { flow, is_low_latency: false };
                let queues = airtime.find(to.index(), key).into_iter().flatten();
                return queues.map(|it| self.queues.packets(it)).sum::<usize>() + in_driver;
            }
        };
        queue.map_or(0, |queue| self.queues.packets(queue)) + in_driver
    }
}
