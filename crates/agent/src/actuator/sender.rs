//! Windows of this machine's own senders: the congestion control `airfair` of `bpf/sender.bpf.c`.
//!
//! While the link is slow, a pass over the sockets switches those of the link to this congestion
//! control, which is Reno with the limit of the law. When the link is fast again or the agent ends,
//! another pass switches them back and restores their windows. At the highest rate no socket is
//! changed.

use anyhow::{Context, Result};
use libbpf_rs::{Link, MapCore, MapFlags, MapHandle, Object};

use super::bpf;
use super::contract::{LIFETIME, PassCounts};
use super::passes::{self, Passes, WindowDivider, padded};
use crate::configuration::ArfAware;
use crate::os;
use crate::output::say;

const OBJECT: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/sender.bpf.o"));
/// BPF object of the congestion control for Linux before 6.4, where `struct_ops` has no links.
const OBJECT_WITHOUT_LINK: &[u8] =
    include_bytes!(concat!(env!("OUT_DIR"), "/sender_without_link.bpf.o"));
const NAME: &str = "airfair";

/// Congestion control `airfair` on the sockets of an interface.
pub(super) struct Senders {
    settings: ArfAware,
    /// Ratio k by which windows are divided; 1 for no limit.
    k: u32,
    orders: MapHandle,
    passes: Passes,
    _congestion_control: Link,
    _object: Object,
}

impl Senders {
    /// Loads the congestion control into the kernel, and undoes what an earlier agent has left
    /// behind.
    pub(super) fn load(interface: &str, settings: &ArfAware) -> Result<Self> {
        let mut object = load()?;
        let names: Vec<[u8; 16]> = settings.replaces.iter().map(|name| padded(name)).collect();
        bpf::replace_keys(&bpf::map(&object, "replaceable")?, &names)?;
        let orders = bpf::map(&object, "orders")?;
        let mut passes = Passes::of(&mut object, interface, ["take", "give_back"])?;
        let map = object.maps_mut().find(|map| map.name() == NAME);
        let congestion_control = map.context("the BPF object has no congestion control")?;
        let congestion_control = { congestion_control }.attach_struct_ops().context(
            "the kernel refused the congestion control airfair; if it already has one of that name, another agent is \
             running",
        )?;
        passes.give_back()?;
        Ok(Self {
            settings: settings.clone(),
            k: 1,
            orders,
            passes,
            _congestion_control: congestion_control,
            _object: object,
        })
    }

    /// Switches the connections of the interface to the congestion control `airfair`, which divides
    /// their windows by k. With `spares_new`, a connection that no earlier pass over the sockets
    /// has met is left alone until the next pass.
    fn take(&mut self, spares_new: bool) -> Result<()> {
        self.order(spares_new)?;
        self.passes.take()
    }

    /// Writes the agent's instructions for the congestion control, `struct orders`, into its BPF
    /// map. With `spares_new`, a pass over the sockets leaves alone the connections that no earlier
    /// pass has met.
    fn order(&self, spares_new: bool) -> Result<()> {
        let alive_until = os::monotonic_ns() + LIFETIME.as_nanos();
        let words = [self.k, self.settings.least_window, u32::from(spares_new), 0];
        let octets =
            [&alive_until.to_ne_bytes()[..], &words.map(u32::to_ne_bytes).concat()].concat();
        Ok(self.orders.update(&0_u32.to_ne_bytes(), &octets, MapFlags::ANY)?)
    }
}

impl WindowDivider for Senders {
    fn divide(&mut self, k: u32) -> Result<()> {
        self.k = k;
        if k > 1 {
            return self.take(false);
        }
        self.order(false)?;
        self.passes.give_back()
    }

    fn beat(&mut self) -> Result<()> {
        if self.k > 1 && self.passes.is_due() { self.take(true) } else { self.order(true) }
    }

    fn counts(&self) -> &PassCounts {
        self.passes.counts()
    }
}

/// Restores the congestion control of all sockets when the agent ends. After SIGKILL the limit runs
/// out.
impl Drop for Senders {
    fn drop(&mut self) {
        if let Err(error) = self.passes.give_back() {
            say(&format!(
                "Connections could not be restored: {error:#}. Their limit ends by itself."
            ));
        }
    }
}

/// Loads the BPF object of the congestion control. Where `struct_ops` has no links, first
/// unregisters the congestion control that a dead agent has left behind.
fn load() -> Result<Object> {
    if let Ok(object) = bpf::load_with_types(OBJECT) {
        return Ok(object);
    }
    let object = bpf::load_with_types(OBJECT_WITHOUT_LINK)?;
    bpf::take_away(NAME);
    Ok(object)
}

/// Restores the congestion control of all sockets that dead agents have left behind. Without type
/// information no agent could have registered a congestion control.
pub(super) fn restore() -> Result<PassCounts> {
    if !bpf::has_types() {
        return Ok(PassCounts::default());
    }
    let mut object = load()?;
    passes::give_back(&bpf::iterator(&mut object, "give_back")?)
}
