//! Packets of one flow that wait behind the packets in service.

use super::TransmitQueue;
use super::bucket;
use super::config::Discipline;
use super::headers::Headers;
use super::scheduler::Scheduler;
use crate::config::NodeId;

impl<P: Copy + Headers> TransmitQueue<P> {
    /// True if packets wait, and are not in service yet, that a packet of data of the flow `flow` to `to` would have to wait
    /// for: in the queue that the classifier would choose for it, or in the driver.
    pub fn has_backlog(&self, to: NodeId, flow: u64) -> bool {
        let queue = match &self.config.discipline {
            Discipline::Fifo | Discipline::CoDel(_) | Discipline::DataAck(_) => Some(0),
            Discipline::RoundRobin
            | Discipline::DeficitRoundRobin { .. }
            | Discipline::TimeRegulator(_) => Some(to.index()),
            Discipline::FqCoDel { queues, .. } => Some(bucket(flow, *queues)),
            Discipline::Airtime(rule) => match &self.scheduler {
                Scheduler::Airtime(airtime) => airtime.find(to.index(), bucket(flow, rule.queues)),
                _ => None,
            },
        };
        queue.is_some_and(|queue| self.queues.packets(queue) > 0)
            || self.driver.as_ref().is_some_and(|it| it.packets().any(|(msdu, _)| msdu.to == to))
    }
}
