//! Clamps of windows, by the passes of `bpf/clamp.bpf.c`: of what this machine receives, and of what it sends where the
//! kernel takes no congestion control in BPF.
//!
//! A clamp is an option of a socket, and stays when its program is gone. So the agent has a guardian, a process that does
//! nothing but wait for the agent's death, or for 800 ms without a sign of its life, and then takes all clamps away. Who
//! kills both at once leaves clamps behind, which end with their connections.

use airfair_units::Duration;
use anyhow::{Context, Result, bail};
use libbpf_rs::{Link, MapCore, MapFlags, MapHandle, Object};

use super::sender::tally;
use super::{Actuator, LIFETIME, Passed, bpf};
use crate::configuration::{ArfAware, Configuration};
use crate::decision::Decision;
use crate::os::{self, Guardian};

const OBJECT: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/clamp.bpf.o"));
/// Time between passes that find new connections, and new addresses.
const PERIOD: Duration = Duration::from_secs(1);

/// Windows that are clamped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ways {
    /// Of what this machine sends.
    pub senders: bool,
    /// Of what it receives.
    pub receivers: bool,
}

/// The clamps of an interface's connections.
pub struct Clamps {
    interface: String,
    settings: ArfAware,
    ways: Ways,
    k: u32,
    passed_at: u64,
    passed: Passed,
    orders: MapHandle,
    addresses: MapHandle,
    clamp: Link,
    unclamp: Link,
    guardian: Guardian,
    _object: Object,
}

impl Clamps {
    /// Loads the passes and starts the guardian.
    ///
    /// # Errors
    /// If the kernel does not permit it, or there is no such interface.
    pub fn load(configuration: &Configuration, ways: Ways) -> Result<Self> {
        let interface = configuration.interface.clone();
        let interface = interface.context("interface: whose connections are to be limited?")?;
        os::addresses(&interface).with_context(|| format!("interface {interface}"))?;
        let mut object = bpf::load(OBJECT)?;
        let clamp = bpf::iterator(&mut object, "clamp")?;
        let unclamp = bpf::iterator(&mut object, "unclamp")?;
        let take_away = || {
            if let Err(error) = bpf::pass(&unclamp) {
                eprintln!("The guardian could not take clamps away: {error:#}.");
            }
        };
        let guardian = Guardian::begin(LIFETIME, take_away).context("the guardian")?;
        Ok(Self {
            interface,
            settings: configuration.arf_aware.clone(),
            ways,
            k: 1,
            passed_at: 0,
            passed: Passed::default(),
            orders: bpf::map(&object, "clamp_orders")?,
            addresses: bpf::map(&object, "addresses")?,
            clamp,
            unclamp,
            guardian,
            _object: object,
        })
    }

    fn take(&mut self, spares_new: bool) -> Result<()> {
        let Ways { senders, receivers } = self.ways;
        let ways = u32::from(senders) | u32::from(receivers) << 1;
        let words = [self.k, self.settings.least_window, u32::from(spares_new), ways];
        let octets = words.map(u32::to_ne_bytes).concat();
        self.orders.update(&0_u32.to_ne_bytes(), &octets, MapFlags::ANY)?;
        // An interface that is gone has no connections.
        let addresses = os::addresses(&self.interface).unwrap_or_default();
        let addresses: Vec<[u8; 16]> = addresses.into_iter().map(bpf::in_six).collect();
        bpf::replace_keys(&self.addresses, &addresses)?;
        self.live()?;
        let begun = os::monotonic_ns();
        self.passed = tally(&bpf::pass(&self.clamp)?);
        self.passed_at = os::monotonic_ns();
        self.passed.took_ns = self.passed_at - begun;
        Ok(())
    }

    fn live(&mut self) -> Result<()> {
        self.guardian.beat().context("the guardian has ended")
    }

    fn give_back(&mut self) -> Result<()> {
        self.passed = tally(&bpf::pass(&self.unclamp)?);
        Ok(())
    }
}

impl Actuator for Clamps {
    fn apply(&mut self, decision: &Decision) -> Result<()> {
        match decision {
            Decision::Limit { k } => {
                self.k = *k;
                self.take(false)
            }
            Decision::Lift => {
                self.k = 1;
                self.give_back()
            }
            Decision::Windows(_) | Decision::Share(_) => {
                bail!("a decision for a forwarder at a station")
            }
        }
    }

    fn beat(&mut self) -> Result<()> {
        if self.k > 1 && os::monotonic_ns() - self.passed_at >= PERIOD.as_nanos() {
            return self.take(true);
        }
        self.live()
    }

    fn passed(&self) -> &Passed {
        &self.passed
    }
}

/// However the agent ends, but for SIGKILL, clamps are taken away; else by the guardian.
impl Drop for Clamps {
    fn drop(&mut self) {
        if let Err(error) = self.give_back() {
            eprintln!("Clamps could not be taken away: {error:#}. The guardian tries again.");
        }
    }
}
