//! Transmit queues of stations and access points.

use super::reader::{Entry, Fields};
use super::{CoDel, Discipline, Limit, Queue, QueueConfig, Weights};

/// A transmit queue.
pub(super) fn queue(entry: Entry) -> Option<Queue> {
    let mut fields = entry.table()?;
    let name = fields.take("discipline").word()?;
    let packets = fields.take("packets").integer();
    let ack_filter = fields.take("ack_filter").flag();
    let mut counts_flows = false;
    let (limit, discipline) = match name {
        "data-ack" => {
            let limit = limit(&mut fields);
            let weights = fields.take("weights");
            counts_flows = weights.word().is_some();
            let weights = if counts_flows { Some(Weights::default()) } else { pair(weights) };
            (limit, weights.map(Discipline::DataAck))
        }
        "round-robin" => (limit(&mut fields), Some(Discipline::RoundRobin)),
        "deficit-round-robin" => {
            let quantum = fields.take("quantum").bytes();
            let discipline = quantum.map(|quantum| Discipline::DeficitRoundRobin { quantum });
            (limit(&mut fields), discipline)
        }
        "codel" => (Some(Limit::Shared), codel(&mut fields).map(Discipline::CoDel)),
        "fq-codel" => (Some(Limit::Shared), fq_codel(&mut fields)),
        _ => (Some(Limit::Shared), Some(Discipline::Fifo)),
    };
    let (packets, limit, ack_filter) = (packets?, limit?, ack_filter?);
    let config = QueueConfig { packets, limit, discipline: discipline?, ack_filter };
    Some(Queue { config, counts_flows })
}

fn limit(fields: &mut Fields) -> Option<Limit> {
    Some(match fields.take("limit").word()? {
        "shared" => Limit::Shared,
        _ => Limit::Each,
    })
}

fn pair(weights: Entry) -> Option<Weights> {
    let mut fields = weights.table()?;
    let (data, ack) = (fields.take("data").integer(), fields.take("ack").integer());
    Some(Weights { data: data?, ack: ack? })
}

fn codel(fields: &mut Fields) -> Option<CoDel> {
    let (target, interval) = (fields.take("target"), fields.take("interval"));
    Some(CoDel { target: target.duration()?, interval: interval.duration()? })
}

fn fq_codel(fields: &mut Fields) -> Option<Discipline> {
    let (quantum, queues) = (fields.take("quantum").bytes(), fields.take("queues").integer());
    Some(Discipline::FqCoDel { codel: codel(fields)?, quantum: quantum?, queues: queues? })
}
