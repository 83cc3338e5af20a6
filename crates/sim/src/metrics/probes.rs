//! Responsiveness under load: round trips of probes, and of the connections that fill the path between the same ends.
//! [draft-responsiveness §5.3]  Deviates: [D-360]

use super::flows::FlowAccount;
use super::quantiles::Histogram;
use crate::outcome::ProbeOutcome;
use crate::scenario::{Flow, Scenario, Transport, Workload};

/// Responsiveness of each flow with probes.
pub(super) fn probes(scenario: &Scenario, accounts: &[FlowAccount]) -> Vec<ProbeOutcome> {
    let flows = || (0..).zip(accounts.iter().zip(&scenario.flows));
    let with_probes = flows().filter(|(_, (_, flow))| has_probes(flow));
    let of = |(number, (account, flow)): (u32, (&FlowAccount, &Flow))| {
        let mut loaded = Histogram::default();
        for (other, load) in accounts.iter().zip(&scenario.flows) {
            if fills_path(load) && is_between_same_ends(load, flow) {
                loaded.merge(other.round_trips());
            }
        }
        let foreign = account.waits().trimmed_mean();
        ProbeOutcome { flow: number, foreign, loaded: loaded.trimmed_mean() }
    };
    with_probes.map(of).collect()
}

fn has_probes(flow: &Flow) -> bool {
    matches!(&flow.transport, Transport::Tcp(tcp) if matches!(tcp.source, Workload::Responsiveness { .. }))
}

/// True for a TCP connection with all its data there from the start.
fn fills_path(flow: &Flow) -> bool {
    matches!(&flow.transport, Transport::Tcp(tcp) if tcp.source == Workload::Bulk)
}

fn is_between_same_ends(one: &Flow, other: &Flow) -> bool {
    (one.from, one.to) == (other.from, other.to) || (one.from, one.to) == (other.to, other.from)
}
