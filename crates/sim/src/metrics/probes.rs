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
    match workload(flow)? {
        Workload::Responsiveness { think } => Some(*think),
        _ => None,
    }
}

/// True for a connection of TCP or QUIC with all its data there from the start.
fn fills_path(flow: &Flow) -> bool {
    workload(flow) == Some(&Workload::Bulk)
}

/// Application of a simulated connection of TCP or QUIC.
fn workload(flow: &Flow) -> Option<&Workload> {
    match &flow.transport {
        Transport::Tcp(tcp) => Some(&tcp.source).filter(|_| !tcp.is_kernels),
        Transport::Quic(quic) => Some(&quic.source),
        Transport::Tfrc(_) | Transport::Udp { .. } | Transport::External => None,
    }
}

fn is_between_same_ends(one: &Flow, other: &Flow) -> bool {
    (one.from, one.to) == (other.from, other.to) || (one.from, one.to) == (other.to, other.from)
}
