//! Windows of this machine's own senders: the congestion control `airfair` of `bpf/sender.bpf.c`.
//!
//! While the link is slow a pass over the sockets gives those of the link that congestion control, which is Reno's with the
//! law's limit; when it is fast again, or the agent ends, another pass gives them back what they had, window and all. At the highest
//! rate no socket has anything of ours.

use anyhow::{Context, Result};
use libbpf_rs::{Link, MapCore, MapFlags, MapHandle, Object};

use super::passes::{self, Part, Passes, padded};
use super::{LIFETIME, Passed, bpf};
use crate::configuration::ArfAware;
use crate::os;
use crate::output::say;

const OBJECT: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/sender.bpf.o"));
/// The same for Linux before 6.4.
const OBJECT_WITHOUT_LINK: &[u8] =
    include_bytes!(concat!(env!("OUT_DIR"), "/sender_without_link.bpf.o"));
const NAME: &str = "airfair";

/// The sockets of an interface.
pub(super) struct Senders {
    settings: ArfAware,
    /// Ratio of the rates; one is no limit.
    k: u32,
    orders: MapHandle,
    passes: Passes,
    _congestion_control: Link,
    _object: Object,
}

impl Senders {
    /// Loads the congestion control and gives back what an agent before has left behind.
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

    /// Puts all connections of the link under the limit, or those alone that a pass has met before.
    fn take(&mut self, spares_new: bool) -> Result<()> {
        self.order(spares_new)?;
        self.passes.take()
    }

    /// Writes `struct orders`.
    fn order(&self, spares_new: bool) -> Result<()> {
        let alive_until = os::monotonic_ns() + LIFETIME.as_nanos();
        let words = [self.k, self.settings.least_window, u32::from(spares_new), 0];
        let octets =
            [&alive_until.to_ne_bytes()[..], &words.map(u32::to_ne_bytes).concat()].concat();
        Ok(self.orders.update(&0_u32.to_ne_bytes(), &octets, MapFlags::ANY)?)
    }
}

impl Part for Senders {
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

    fn passed(&self) -> &Passed {
        self.passes.passed()
    }
}

/// However the agent ends, but for SIGKILL, its sockets are given back.
impl Drop for Senders {
    fn drop(&mut self) {
        if let Err(error) = self.passes.give_back() {
            say(&format!(
                "Connections could not be restored: {error:#}. Their limit ends by itself."
            ));
        }
    }
}

/// Loads the programs. Where `struct_ops` has no links, what a dead agent has left registered is taken away first.
fn load() -> Result<Object> {
    if let Ok(object) = bpf::load(OBJECT) {
        return Ok(object);
    }
    let object = bpf::load(OBJECT_WITHOUT_LINK)?;
    bpf::take_away(NAME);
    Ok(object)
}

/// Gives back all connections here that an agent has left behind.
pub(super) fn restore() -> Result<Passed> {
    let mut object = load()?;
    passes::give_back(&bpf::iterator(&mut object, "give_back")?)
}
