//! Transmit queues of stations and access points.

use super::error::{Mistakes, ScenarioError};
use super::flows::Place;
use super::reader::{Entry, Fields};
use super::{
    AirtimeSharing, CoDel, Discipline, Endpoint, Flow, Limit, Overflow, Queue, QueueConfig,
    Scenario, TimeRegulation, Transport, Weights,
};

/// A transmit queue; only an access point sees connections in both directions.
pub(super) fn queue(entry: Entry, is_ap: bool, mistakes: &mut Mistakes) -> Option<Queue> {
    let mut fields = entry.table()?;
    let discipline = fields.take("discipline");
    let name = discipline.word()?;
    let shares_time = matches!(name, "airtime" | "time-regulator");
    if shares_time && !is_ap {
        let problem = "only an access point has stations that share its time";
        mistakes.add(discipline.at, discipline.mistake(problem, "another discipline"));
    }
    let packets = fields.take("packets").integer();
    let ack_filter = fields.take("ack_filter").flag();
    let overflow = match name {
        // It has a rule of its own: the longest queue gives way.
        "fq-codel" | "airtime" => Some(Overflow::Tail),
        _ => overflow(&mut fields),
    };
    let mut counts_flows = false;
    let (limit, discipline) = match name {
        "data-ack" => {
            let limit = limit(&mut fields);
            let weights = fields.take("weights");
            counts_flows = weights.word().is_some();
            if counts_flows && !is_ap {
                let problem = "only an access point sees the connections up and down";
                mistakes.add(weights.at, weights.mistake(problem, "{ data, ack }"));
            }
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
        "airtime" => (Some(Limit::Shared), airtime(&mut fields).map(Discipline::Airtime)),
        "time-regulator" => {
            (limit(&mut fields), regulation(&mut fields).map(Discipline::TimeRegulator))
        }
        _ => (Some(Limit::Shared), Some(Discipline::Fifo)),
    };
    let config = QueueConfig {
        packets: packets?,
        limit: limit?,
        discipline: discipline?,
        overflow: overflow?,
        ack_filter: ack_filter?,
    };
    Some(Queue { config, counts_flows })
}

/// Checks that no UDP flow goes through a queue that tells data from ACKs: its weights assume senders
/// that follow their ACKs.
pub(super) fn check(scenario: &Scenario, places: &[Place], mistakes: &mut Mistakes) {
    let udp = |(flow, _): &(&Flow, &Place)| matches!(flow.transport, Transport::Udp { .. });
    for (flow, place) in scenario.flows.iter().zip(places).filter(udp) {
        let mut refuse = |queue: Queue, path: String| {
            if matches!(queue.config.discipline, Discipline::DataAck(_)) {
                let problem = format!("{} is UDP and has no ACKs that it follows", place.path);
                let allowed = "no UDP flow through this queue, or another discipline".to_owned();
                let found = "\"data-ack\"".to_owned();
                mistakes.add(place.at, ScenarioError { path, found, problem, allowed });
            }
        };
        if let Endpoint::Station(index) = flow.from {
            let station = &scenario.stations[index];
            refuse(station.queue, format!("station.{}.queue.discipline", station.name));
        }
        if let Endpoint::Station(index) = flow.to {
            let bss = &scenario.cells[scenario.stations[index].cell];
            refuse(bss.ap.queue, format!("bss.{}.ap.queue.discipline", bss.name));
        }
    }
}

fn overflow(fields: &mut Fields) -> Option<Overflow> {
    Some(match fields.take("overflow").word()? {
        "longest-flow" => Overflow::LongestFlow,
        _ => Overflow::Tail,
    })
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

fn airtime(fields: &mut Fields) -> Option<AirtimeSharing> {
    let quantum = fields.take("airtime_quantum").duration();
    let charges_uplink = fields.take("charges_uplink").flag();
    let (flow_quantum, queues) = (fields.take("quantum").bytes(), fields.take("queues").integer());
    let (target, interval) = (fields.take("slow_target"), fields.take("slow_interval"));
    let slow_codel = || Some(CoDel { target: target.duration()?, interval: interval.duration()? });
    let slow_below = fields.take("slow_below").rate();
    Some(AirtimeSharing {
        codel: codel(fields)?,
        quantum: quantum?,
        charges_uplink: charges_uplink?,
        flow_quantum: flow_quantum?,
        queues: queues?,
        slow_codel: slow_codel()?,
        slow_below: slow_below?,
    })
}

fn regulation(fields: &mut Fields) -> Option<TimeRegulation> {
    let (bucket, adjustment) = (fields.take("bucket"), fields.take("adjustment"));
    let charges_backoff = fields.take("charges_backoff").flag();
    Some(TimeRegulation {
        bucket: bucket.duration()?,
        adjustment: adjustment.duration()?,
        charges_backoff: charges_backoff?,
    })
}
