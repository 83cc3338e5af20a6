//! Responsiveness under load: round trips of probes, and of the connections that fill the path between the same ends.
//! [draft-responsiveness §5.3]  Deviates: [D-360]

use airfair_units::Duration;

use super::flows::FlowAccount;
use super::quantiles::Histogram;
use crate::outcome::ProbeOutcome;
use crate::scenario::{Flow, Scenario, Transport, Workload};

/// Responsiveness of each flow with probes.
pub(super) fn probes(scenario: &Scenario, accounts: &[FlowAccount]) -> Vec<ProbeOutcome> {
    let flows = (0..).zip(accounts.iter().zip(&scenario.flows));
    let of = |(number, (account, flow)): (u32, (&FlowAccount, &Flow))| {
        let pause = pause(flow)?;
        let mut loaded = Histogram::default();
        for (other, load) in accounts.iter().zip(&scenario.flows) {
            if fills_path(load) && is_between_same_ends(load, flow) {
                loaded.merge(other.round_trips());
            }
        }
        let foreign = account.waits().trimmed_mean_over_time(pause);
        Some(ProbeOutcome { flow: number, foreign, loaded: loaded.trimmed_mean() })
    };
    flows.filter_map(of).collect()
}

/// Time from the answer to a probe to the next probe; `None` for a flow without probes.
fn pause(flow: &Flow) -> Option<Duration> {
    match &flow.transport {
        Transport::Tcp(tcp) if !tcp.is_kernels => match tcp.source {
            Workload::Responsiveness { think } => Some(think),
            _ => None,
        },
        _ => None,
    }
}

/// True for a TCP connection with all its data there from the start.
fn fills_path(flow: &Flow) -> bool {
    matches!(&flow.transport, Transport::Tcp(tcp) if tcp.source == Workload::Bulk)
}

fn is_between_same_ends(one: &Flow, other: &Flow) -> bool {
    (one.from, one.to) == (other.from, other.to) || (one.from, one.to) == (other.to, other.from)
}
