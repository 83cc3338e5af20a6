//! A scenario as a whole.

use std::collections::BTreeSet;

use airfair_units::Duration;
use airfair_wlan::edca::AccessCategory;

use super::{Bss, Flow, Link, Station};

/// A network with its flows, its duration and its replications.
#[derive(Clone, Debug, PartialEq)]
pub struct Scenario {
    /// Title: the subject of the scenario in one line.
    pub title: String,
    /// Simulated time of one run.
    pub duration: Duration,
    /// Warm-up: the part at the start of a run that results ignore.
    pub warmup: Duration,
    /// Step of the time series; `None` for no time series.
    pub series_step: Option<Duration>,
    /// Seed of all random streams; each replication derives its own streams from it.
    pub seed: u64,
    /// Number of independent runs.
    pub replications: u32,
    /// Cells, in order of appearance.
    pub cells: Vec<Bss>,
    /// Wireless stations, in order of appearance.
    pub stations: Vec<Station>,
    /// Names of the wired hosts, in order of appearance.
    pub hosts: Vec<String>,
    /// Names of the wired nodes that only forward, in order of appearance.
    pub routers: Vec<String>,
    /// Wired links: each host's own link, in the order of the hosts, and then the others in order of appearance.
    pub links: Vec<Link>,
    /// Flows, in order of appearance.
    pub flows: Vec<Flow>,
}

impl Default for Scenario {
    /// Empty scenario with a duration of zero.
    fn default() -> Self {
        Self {
            title: "untitled".to_owned(),
            duration: Duration::ZERO,
            warmup: Duration::ZERO,
            series_step: Some(Duration::from_secs(1)),
            seed: 1,
            replications: 1,
            cells: Vec::new(),
            stations: Vec::new(),
            hosts: Vec::new(),
            routers: Vec::new(),
            links: Vec::new(),
            flows: Vec::new(),
        }
    }
}

impl Scenario {
    /// Access categories of the scenario's flows that go over the air, ascending.
    pub fn categories(&self) -> Vec<AccessCategory> {
        let on_air = self.flows.iter().filter(|flow| flow.is_on_air());
        let used: BTreeSet<AccessCategory> = on_air.map(Flow::category).collect();
        used.into_iter().collect()
    }
}
