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
mod contract;
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

use anyhow::Result;

use crate::configuration::Configuration;
use crate::os::BTF;
use crate::source::nl80211::AirtimeWeightSocket;

pub use contract::{Actuator, DryRun, LIFETIME, PassCounts};

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
        Scheme::Fair => forwarded(configuration, configuration.fair.least_window),
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
    let forwarded = if cfg!(feature = "bpf") {
        "yes, as root"
    } else {
        "no, because this build is without BPF (make agent)"
    };
    let own = if cfg!(feature = "bpf") && !has_btf {
        "no, because this kernel has no type information (CONFIG_DEBUG_INFO_BTF)"
    } else {
        forwarded
    };
    let has_weights =
        AirtimeWeightSocket::open().and_then(|drivers| drivers.supports_weights(None));
    let weights = match has_weights {
        Ok(true) => "yes, as root",
        Ok(false) => "no, because no driver here has them",
        Err(_) => "no, because there is no Wi-Fi",
    };
    vec![
        format!("Windows of this machine's own senders can be limited: {own}."),
        format!("Windows of connections through this machine can be limited: {forwarded}."),
        format!("Airtime weights of an access point's stations can be set: {weights}."),
    ]
}
