//! Window clamps on sockets, set by the iterators of `bpf/clamp.bpf.c`: for received data, and for
//! sent data where the kernel does not support congestion control in BPF.
//!
//! A clamp is a socket option, which outlives the program that has set it. So the agent starts a
//! guardian, a process that waits for the agent's death or for 800 ms without a sign of life, and
//! then removes all clamps. If both are killed at once, clamps stay until their connections end.

use anyhow::{Context, Result};
use libbpf_rs::{Link, MapCore, MapFlags, MapHandle, Object};

use super::bpf;
use super::contract::{LIFETIME, PassCounts};
use super::passes::{Passes, WindowDivider};
use crate::configuration::ArfAware;
use crate::os::Guardian;
use crate::output::say;

const OBJECT: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/clamp.bpf.o"));

/// Kinds of windows that a pass over the sockets clamps.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct ClampedWindows {
    /// True to clamp the windows for data that this machine sends.
    pub(super) senders: bool,
    /// True to clamp the windows for data that this machine receives.
    pub(super) receivers: bool,
}

/// Window clamps on all connections of an interface, at 1/k of their windows.
pub(super) struct Clamps {
    ways: ClampedWindows,
    /// Ratio k by which windows are divided; 1 for no limit.
    k: u32,
    base: Clamper,
}

/// BPF iterators that set and remove window clamps on sockets, and the guardian process.
pub(super) struct Clamper {
    /// Minimum window that a clamp leaves [segments].
    least: u32,
    orders: MapHandle,
    pub(super) passes: Passes,
    loosen: Link,
    /// True while senders whose clamp was removed are still growing their windows.
    is_loosening: bool,
    guardian: Guardian,
    pub(super) object: Object,
}

impl Clamper {
    /// Loads the BPF iterators and starts the guardian process; `clamp` is the name of the iterator
    /// that sets clamps, `least` the minimum window [segments].
    pub(super) fn load(interface: &str, clamp: &str, least: u32) -> Result<Self> {
        let mut object = bpf::load_with_types(OBJECT)?;
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

    /// Sets clamps at 1/`k` of the windows of all watched sockets, for the kinds of windows in
    /// `ways`. With `spares_new`, a connection that no earlier pass over the sockets has met is
    /// left alone until the next pass.
    pub(super) fn take(&mut self, k: u32, spares_new: bool, ways: ClampedWindows) -> Result<()> {
        let ways = u32::from(ways.senders) | u32::from(ways.receivers) << 1;
        let words = [k, self.least, u32::from(spares_new), ways];
        let octets = words.map(u32::to_ne_bytes).concat();
        self.orders.update(&0_u32.to_ne_bytes(), &octets, MapFlags::ANY)?;
        self.live()?;
        self.passes.take()
    }

    /// Removes all clamps from the sockets. A sender may then return at once to the window that it
    /// had before the clamp. Beyond that window, [`rest`](Self::rest) lets it grow by one segment
    /// per round trip, while the agent lives.
    pub(super) fn give_back(&mut self) -> Result<()> {
        self.is_loosening = true;
        self.passes.give_back()
    }

    /// Tells the guardian process that the agent lives, while no window is limited. Lets this
    /// machine's senders whose clamp was removed enlarge their windows again.
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
    pub(super) fn load(interface: &str, settings: &ArfAware, ways: ClampedWindows) -> Result<Self> {
        Ok(Self { ways, k: 1, base: Clamper::load(interface, "clamp", settings.least_window)? })
    }
}

impl WindowDivider for Clamps {
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

    fn counts(&self) -> &PassCounts {
        self.base.passes.counts()
    }
}

/// Removes the clamps when the agent ends. After SIGKILL the guardian process removes them.
impl Drop for Clamper {
    fn drop(&mut self) {
        if let Err(error) = self.passes.give_back() {
            say(&format!(
                "Clamps could not be removed: {error:#}. The guardian process tries again.",
            ));
        }
    }
}
