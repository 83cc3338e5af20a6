//! Clamps of windows, by the passes of `bpf/clamp.bpf.c`: of what this machine receives, and of what it sends where the
//! kernel takes no congestion control in BPF.
//!
//! A clamp is an option of a socket, and stays when its program is gone. So the agent has a guardian, a process that does
//! nothing but wait for the agent's death, or for 800 ms without a sign of its life, and then takes all clamps away. Who
//! kills both at once leaves clamps behind, which end with their connections.

use anyhow::{Context, Result};
use libbpf_rs::{Link, MapCore, MapFlags, MapHandle, Object};

use super::passes::{Part, Passes};
use super::{LIFETIME, Passed, bpf};
use crate::configuration::ArfAware;
use crate::os::Guardian;
use crate::output::say;

const OBJECT: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/clamp.bpf.o"));

/// Windows that are clamped.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Ways {
    /// Of what this machine sends.
    pub(super) senders: bool,
    /// Of what it receives.
    pub(super) receivers: bool,
}

/// The clamps of an interface's connections: k-ths of their windows.
pub(super) struct Clamps {
    ways: Ways,
    /// Ratio of the rates; one is no limit.
    k: u32,
    base: Base,
}

/// Passes that clamp and take clamps away, and the guardian.
pub(super) struct Base {
    /// Least window [segments].
    least: u32,
    orders: MapHandle,
    pub(super) passes: Passes,
    loosen: Link,
    /// True while there are senders that were given back.
    is_loosening: bool,
    guardian: Guardian,
    pub(super) object: Object,
}

impl Base {
    /// Loads the passes, of which `clamp` is the one that clamps, and starts the guardian.
    pub(super) fn load(interface: &str, clamp: &str, least: u32) -> Result<Self> {
        let mut object = bpf::load(OBJECT)?;
        let passes = Passes::of(&mut object, interface, [clamp, "unclamp"])?;
        let loosen = bpf::iterator(&mut object, "loosen")?;
        let take_away = || {
            if let Err(error) = bpf::pass(passes.giving_back()) {
                say(&format!("The guardian process could not remove clamps: {error:#}."));
            }
        };
        let guardian = Guardian::begin(LIFETIME, take_away).context("the guardian process")?;
        let orders = bpf::map(&object, "clamp_orders")?;
        Ok(Self { least, orders, passes, loosen, is_loosening: false, guardian, object })
    }

    /// Clamps by such a ratio, in such ways, where the pass needs them.
    pub(super) fn take(&mut self, k: u32, spares_new: bool, ways: Ways) -> Result<()> {
        let ways = u32::from(ways.senders) | u32::from(ways.receivers) << 1;
        let words = [k, self.least, u32::from(spares_new), ways];
        let octets = words.map(u32::to_ne_bytes).concat();
        self.orders.update(&0_u32.to_ne_bytes(), &octets, MapFlags::ANY)?;
        self.live()?;
        self.passes.take()
    }

    /// Gives back what connections had. Senders grow beyond it while the agent lives.
    pub(super) fn give_back(&mut self) -> Result<()> {
        self.is_loosening = true;
        self.passes.give_back()
    }

    /// Says that the agent lives, and has senders grow.
    pub(super) fn rest(&mut self) -> Result<()> {
        if self.is_loosening && self.passes.is_due() {
            self.is_loosening = self.passes.follow(&self.loosen)? > 0;
        }
        self.live()
    }

    fn live(&mut self) -> Result<()> {
        self.guardian.beat().context("the guardian process has ended")
    }
}

impl Clamps {
    pub(super) fn load(interface: &str, settings: &ArfAware, ways: Ways) -> Result<Self> {
        Ok(Self { ways, k: 1, base: Base::load(interface, "clamp", settings.least_window)? })
    }
}

impl Part for Clamps {
    fn divide(&mut self, k: u32) -> Result<()> {
        self.k = k;
        if k > 1 { self.base.take(k, false, self.ways) } else { self.base.give_back() }
    }

    fn beat(&mut self) -> Result<()> {
        if self.k > 1 && self.base.passes.is_due() {
            return self.base.take(self.k, true, self.ways);
        }
        self.base.rest()
    }

    fn passed(&self) -> &Passed {
        self.base.passes.passed()
    }
}

/// However the agent ends, but for SIGKILL, clamps are taken away; else by the guardian.
impl Drop for Base {
    fn drop(&mut self) {
        if let Err(error) = self.passes.give_back() {
            say(&format!(
                "Clamps could not be removed: {error:#}. The guardian process tries again.",
            ));
        }
    }
}
