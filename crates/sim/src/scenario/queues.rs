//! Transmit queues of stations and access points.

use super::error::{Address, Mistakes, ScenarioError};
use super::keys::QUEUE;
use super::reader::Entry;
use super::{Discipline, Endpoint, Queue, Scenario, Transport};

/// Checks that only the queue of an access point shares time between stations, or has weights that follow connections.
pub(super) fn check_discipline(entry: &Entry, is_ap: bool, mistakes: &mut Mistakes) {
    let (Some(queue), Some(fields)) = (QUEUE.variant(entry), entry.fields()) else { return };
    let room = fields.get("packets").integer::<u32>().unwrap_or(queue.config.packets);
    let allowed = format!("less than packets, {room}");
    let mut refuse = |key, problem, allowed| {
        let entry = fields.get(key);
        mistakes.add(entry.at, entry.mistake(problem, allowed));
    };
    let discipline = queue.config.discipline;
    if discipline.shares_time() && !is_ap {
        let problem = "only an access point can share time between stations";
        refuse("discipline", problem, "another discipline");
    }
    let above = fields.has("mark_above").then(|| fields.get("mark_above").integer::<u32>());
    if above.flatten().is_some_and(|above| above >= room) {
        refuse("mark_above", "above the queue", &allowed);
    }
    let is_by_flows =
        matches!(discipline, Discipline::DataAck { .. }) && fields.get("weights").word().is_some();
    if is_by_flows && !is_ap {
        refuse("weights", "only an access point sees the connections up and down", "{ data, ack }");
    }
}

/// Checks that no UDP or external flow goes through a queue with weights for DATA and ACKs. The weights assume
/// senders that follow their ACKs.
pub(super) fn check(scenario: &Scenario, addresses: &[Address], mistakes: &mut Mistakes) {
    for (flow, address) in scenario.flows.iter().zip(addresses) {
        let what = match flow.transport {
            Transport::Udp { .. } => "UDP",
            Transport::External => "external",
            Transport::Tcp(_) | Transport::Quic(_) | Transport::Tfrc(_) => continue,
        };
        let mut refuse = |queue: Queue, path: String| {
            if matches!(queue.config.discipline, Discipline::DataAck { .. }) {
                let problem = format!("{} is {what} and does not adapt to ACKs", address.path);
                let allowed = "no UDP flow through this queue, or another discipline".to_owned();
                let found = "\"data-ack\"".to_owned();
                mistakes.add(address.at, ScenarioError { path, found, problem, allowed });
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
