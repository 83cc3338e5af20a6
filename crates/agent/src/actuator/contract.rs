//! Contract of all actuators: their calls, what they report, and how long their orders last.

use std::collections::BTreeMap;

use airfair_units::Duration;
use anyhow::Result;

use crate::decision::Decision;
use crate::sample::{Connection, QueueCounters};

/// Time after the agent's last sign of life at which its orders run out. It is long enough for a
/// poll of 250 ms and a source that fails after 200 ms, and short enough to lift limits within a
/// second.
pub const LIFETIME: Duration = Duration::from_millis(800);

/// Counts of the last pass over all connections, which sets limits on them or removes limits.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PassCounts {
    /// Number of connections that the pass has put under a limit.
    pub taken: u64,
    /// Number of connections that the pass has found under a limit already.
    pub held: u64,
    /// Connections left alone because of their congestion control: their number by its name.
    pub left: BTreeMap<String, u64>,
    /// Number of addresses of the interface for which there was no room; their connections are left
    /// alone.
    pub unwatched: u64,
    /// Number of connections whose limit was removed.
    pub given_back: u64,
    /// Number of traffic filters of dead agents that were removed.
    pub filters: u64,
    /// Number of interfaces whose HTB classes were removed.
    pub interfaces: u64,
    /// Number of stations whose airtime weights were restored.
    pub stations: u64,
    /// Number of connections for which the kernel refused to set or remove a limit.
    pub failed: u64,
    /// Duration of the pass [ns].
    pub took_ns: u64,
}

/// Executor that puts the decisions of a scheme into effect in the kernel.
pub trait Actuator {
    /// Puts a decision into effect.
    ///
    /// # Errors
    /// Returns an error if the kernel refuses.
    fn apply(&mut self, decision: &Decision) -> Result<()>;

    /// Renews the sign of life without which orders in the kernel run out, and does periodic work.
    ///
    /// # Errors
    /// Returns an error if the kernel refuses.
    fn beat(&mut self) -> Result<()>;

    /// Connections with traffic since the last call; empty if the scheme does not need them.
    ///
    /// # Errors
    /// Returns an error if the kernel refuses.
    fn connections(&mut self) -> Result<Vec<Connection>> {
        Ok(Vec::new())
    }

    /// Counters of the agent's own queues; `None` if it has none.
    ///
    /// # Errors
    /// Returns an error if the kernel refuses.
    fn queue(&mut self) -> Result<Option<QueueCounters>> {
        Ok(None)
    }

    /// Counts of the last pass over all connections, which sets limits on them or removes limits.
    fn counts(&self) -> &PassCounts;
}

/// Actuator of a dry run, which changes nothing in the kernel.
#[derive(Debug, Default)]
pub struct DryRun(PassCounts);

impl Actuator for DryRun {
    fn apply(&mut self, _decision: &Decision) -> Result<()> {
        Ok(())
    }

    fn beat(&mut self) -> Result<()> {
        Ok(())
    }

    fn counts(&self) -> &PassCounts {
        &self.0
    }
}
