//! Actuators: what puts a decision into effect, and takes it back.
//!
//! They fail open. Orders in the kernel end by themselves [`LIFETIME`] after the agent's last sign of life; what was
//! changed is given back when the agent ends, whatever ends it but SIGKILL, and by `restore` behind that.

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
use crate::sample::{Connection, Queue};
use crate::source::nl80211::Weighing;

/// Time after the agent's last sign of life at which its orders end. A poll of 250 ms and a source that takes its 200 ms
/// to fail fit into it; limits lift within a second.
pub const LIFETIME: Duration = Duration::from_millis(800);

/// Connections, as the last pass over them has found them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Passed {
    /// Connections that came under a limit in it.
    pub taken: u64,
    /// Connections that were under it already.
    pub held: u64,
    /// Connections of the link whose congestion control may not be replaced, by that.
    pub left: BTreeMap<String, u64>,
    /// Addresses of the interface whose connections are left alone, as there is no room for so many.
    pub unwatched: u64,
    /// Connections that were given back.
    pub given_back: u64,
    /// Filters that were taken away.
    pub filters: u64,
    /// Interfaces whose classes were taken away.
    pub interfaces: u64,
    /// Stations whose airtime weights were given back.
    pub stations: u64,
    /// Connections of which the kernel has refused the change.
    pub failed: u64,
    /// Time that the pass took [ns].
    pub took_ns: u64,
}

/// What puts decisions into effect.
pub trait Actuator {
    /// Puts a decision into effect.
    ///
    /// # Errors
    /// If the kernel refuses it.
    fn apply(&mut self, decision: &Decision) -> Result<()>;

    /// Says that the agent lives, and does what is to be done once in a while.
    ///
    /// # Errors
    /// If the kernel refuses it.
    fn beat(&mut self) -> Result<()>;

    /// Connections that have moved something since the last call, where the law has to know of them.
    ///
    /// # Errors
    /// If the kernel refuses it.
    fn connections(&mut self) -> Result<Vec<Connection>> {
        Ok(Vec::new())
    }

    /// Its own queues, where it has some.
    ///
    /// # Errors
    /// If the kernel refuses it.
    fn queue(&mut self) -> Result<Option<Queue>> {
        Ok(None)
    }

    /// Connections, as they are now.
    fn passed(&self) -> &Passed;
}

/// An actuator that touches nothing.
#[derive(Debug, Default)]
pub struct Nothing(Passed);

impl Actuator for Nothing {
    fn apply(&mut self, _decision: &Decision) -> Result<()> {
        Ok(())
    }

    fn beat(&mut self) -> Result<()> {
        Ok(())
    }

    fn passed(&self) -> &Passed {
        &self.0
    }
}

/// The actuator that the scheme of a configuration acts through.
///
/// # Errors
/// If the kernel, the interface or this build does not permit it.
#[cfg(feature = "bpf")]
pub fn open(configuration: &Configuration) -> Result<Box<dyn Actuator>> {
    use crate::configuration::{LEAST_WINDOW, Role, Scheme};

    match configuration.scheme {
        Scheme::Occupancy if configuration.occupancy.role == Role::Station => {
            Ok(Box::new(each::Each::load(configuration, configuration.occupancy.least_window)?))
        }
        Scheme::Occupancy => forwarded(configuration, configuration.occupancy.least_window),
        Scheme::SharedWindows => {
            forwarded(configuration, configuration.shared_windows.least_window)
        }
        Scheme::ArfAware => Ok(Box::new(station::Station::load(configuration)?)),
        Scheme::ArfWindow => Ok(Box::new(each::Each::load(configuration, LEAST_WINDOW)?)),
        Scheme::DataAck => Ok(Box::new(classes::Classes::load(configuration)?)),
        Scheme::AirtimeWeights => Ok(Box::new(weights::Weights::load(configuration)?)),
    }
}

/// An actuator that touches nothing, but knows the connections of a station where the scheme needs them.
///
/// # Errors
/// If the kernel, the interface or this build does not permit it.
pub fn look(configuration: &Configuration) -> Result<Box<dyn Actuator>> {
    #[cfg(feature = "bpf")]
    if configuration.scheme == crate::configuration::Scheme::ArfWindow {
        return Ok(Box::new(each::Looking::load(configuration)?));
    }
    let _ = configuration;
    Ok(Box::new(Nothing::default()))
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

/// Gives back all connections here that an agent has left behind: how many.
///
/// # Errors
/// If the kernel or this build does not permit it.
#[cfg(feature = "bpf")]
pub fn restore() -> Result<Passed> {
    let passed = sender::restore();
    let (filters, interfaces) = (forward::restore()?, classes::restore()?);
    let stations = weights::restore()?.stations;
    passed.map(|passed| Passed { filters, interfaces, stations, ..passed })
}

#[cfg(not(feature = "bpf"))]
#[expect(missing_docs, reason = "see above")]
#[expect(clippy::missing_errors_doc, reason = "see above")]
pub fn restore() -> Result<Passed> {
    anyhow::bail!(WITHOUT_BPF)
}

#[cfg(not(feature = "bpf"))]
const WITHOUT_BPF: &str = "this airfair-agent was built without BPF and cannot change the kernel; build it with `make agent`; observe, run \
    --dry-run and replay work";

/// What this build and this kernel have, a sentence each.
pub fn available() -> Vec<String> {
    let has_btf = std::path::Path::new(BTF).exists();
    let windows = match (cfg!(feature = "bpf"), has_btf) {
        (false, _) => "no, because this build is without BPF (make agent)",
        (true, false) => "no, because this kernel has no type information (CONFIG_DEBUG_INFO_BTF)",
        (true, true) => "yes, as root",
    };
    let has_weights = Weighing::open().and_then(|drivers| drivers.is_able(None));
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

/// Where the kernel describes its types.
const BTF: &str = "/sys/kernel/btf/vmlinux";
