//! Actuators: they put decisions into effect in the kernel, and undo them.
//!
//! Actuators fail open. Orders in the kernel run out [`LIFETIME`] after the agent's last sign of
//! life. When the agent ends for any reason except SIGKILL, it undoes its changes. After SIGKILL
//! `restore` undoes them.

#[cfg(feature = "bpf")]
mod bpf;
#[cfg(feature = "bpf")]
mod clamp;
#[cfg(feature = "bpf")]
pub mod classes;
#[cfg(feature = "bpf")]
mod clsact;
#[cfg(feature = "bpf")]
mod each;
#[cfg(feature = "bpf")]
pub mod forward;
#[cfg(feature = "bpf")]
mod limited;
#[cfg(feature = "bpf")]
mod passes;
#[cfg(feature = "bpf")]
mod queueing;
#[cfg(feature = "bpf")]
mod sender;
#[cfg(feature = "bpf")]
mod station;
#[cfg(feature = "bpf")]
mod weights;

use std::collections::BTreeMap;

use airfair_units::Duration;
use anyhow::Result;

use crate::configuration::Configuration;
use crate::decision::Decision;
use crate::sample::{Connection, QueueCounters};
use crate::source::nl80211::AirtimeWeightSocket;

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

/// Opens the actuator for the configured scheme.
///
/// # Errors
/// Returns an error if the kernel, the interface or this build does not support it.
#[cfg(feature = "bpf")]
pub fn open(configuration: &Configuration) -> Result<Box<dyn Actuator>> {
    use crate::configuration::{LEAST_WINDOW, Role, Scheme};

    match configuration.scheme {
        Scheme::Occupancy if configuration.occupancy.role == Role::Station => Ok(Box::new(
            each::PerConnectionClamps::load(configuration, configuration.occupancy.least_window)?,
        )),
        Scheme::Occupancy => forwarded(configuration, configuration.occupancy.least_window),
        Scheme::SharedWindows => {
            forwarded(configuration, configuration.shared_windows.least_window)
        }
        Scheme::ArfAware => Ok(Box::new(station::Station::load(configuration)?)),
        Scheme::ArfWindow => {
            Ok(Box::new(each::PerConnectionClamps::load(configuration, LEAST_WINDOW)?))
        }
        Scheme::DataAck => Ok(Box::new(classes::Classes::load(configuration)?)),
        Scheme::AirtimeWeights => Ok(Box::new(weights::Weights::load(configuration)?)),
    }
}

/// Opens an actuator that changes nothing. It reads a station's connections where the scheme needs
/// them.
///
/// # Errors
/// Returns an error if the kernel, the interface or this build does not support it.
pub fn dry_run(configuration: &Configuration) -> Result<Box<dyn Actuator>> {
    #[cfg(feature = "bpf")]
    if configuration.scheme == crate::configuration::Scheme::ArfWindow {
        return Ok(Box::new(each::ConnectionReader::load(configuration)?));
    }
    let _ = configuration;
    Ok(Box::new(DryRun::default()))
}

#[cfg(feature = "bpf")]
fn forwarded(configuration: &Configuration, least: u32) -> Result<Box<dyn Actuator>> {
    let Some(interface) = &configuration.interface else {
        anyhow::bail!("interface: missing; name the interface whose connections are watched");
    };
    Ok(Box::new(forward::Forwarded::load(interface, least)?))
}

#[cfg(not(feature = "bpf"))]
#[expect(missing_docs, reason = "see above")]
#[expect(clippy::missing_errors_doc, reason = "see above")]
pub fn open(_configuration: &Configuration) -> Result<Box<dyn Actuator>> {
    anyhow::bail!(WITHOUT_BPF)
}

/// Undoes everything that dead agents have left behind.
///
/// # Errors
/// Returns an error if the kernel or this build does not support it.
#[cfg(feature = "bpf")]
pub fn restore() -> Result<PassCounts> {
    let passed = sender::restore();
    let (filters, interfaces) = (forward::restore()?, classes::restore()?);
    let stations = weights::restore()?.stations;
    passed.map(|passed| PassCounts { filters, interfaces, stations, ..passed })
}

#[cfg(not(feature = "bpf"))]
#[expect(missing_docs, reason = "see above")]
#[expect(clippy::missing_errors_doc, reason = "see above")]
pub fn restore() -> Result<PassCounts> {
    anyhow::bail!(WITHOUT_BPF)
}

#[cfg(not(feature = "bpf"))]
const WITHOUT_BPF: &str = "this airfair-agent was built without BPF and cannot change the kernel; build it with `make agent`; observe, run \
    --dry-run and replay work";

/// Capabilities of this build and this kernel, one sentence each.
pub fn available() -> Vec<String> {
    let has_btf = std::path::Path::new(BTF).exists();
    let windows = match (cfg!(feature = "bpf"), has_btf) {
        (false, _) => "no, because this build is without BPF (make agent)",
        (true, false) => "no, because this kernel has no type information (CONFIG_DEBUG_INFO_BTF)",
        (true, true) => "yes, as root",
    };
    let has_weights =
        AirtimeWeightSocket::open().and_then(|drivers| drivers.supports_weights(None));
    let weights = match has_weights {
        Ok(true) => "yes, as root",
        Ok(false) => "no, because no driver here has them",
        Err(_) => "no, because there is no Wi-Fi",
    };
    vec![
        format!("Windows of this machine's own senders can be limited: {windows}."),
        format!("Windows of connections through this machine can be limited: {windows}."),
        format!("Airtime weights of an access point's stations can be set: {weights}."),
    ]
}

/// File in which the kernel describes its types.
const BTF: &str = "/sys/kernel/btf/vmlinux";
