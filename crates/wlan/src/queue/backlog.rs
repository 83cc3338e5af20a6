//! Number of packets that wait behind the packets in service.

use super::TransmitQueue;
use super::bucket;
use super::config::Discipline;
use super::headers::Headers;
use super::scheduler::Scheduler;
use crate::node::NodeId;

impl<P: Copy + Headers> TransmitQueue<P> {
    /// Number of packets that wait in the queue of a data packet of `flow` to `to`, and of packets to the same
    /// receiver that wait in the driver.
    pub fn backlog(&self, to: NodeId, flow: u64) -> usize {
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
            Discipline::Airtime(rule) => match &self.scheduler {
                Scheduler::Airtime(airtime) => airtime.find(to.index(), bucket(flow, rule.queues)),
                _ => None,
            },
        };
        let in_queue = queue.map_or(0, |queue| self.queues.packets(queue));
        in_queue + self.driver.as_ref().map_or(0, |driver| driver.len_to(to))
    }
}
