//! Windows of this machine's own senders: the congestion control `airfair` of `bpf/sender.bpf.c`.
//!
//! While the link is slow a pass over the sockets gives those of the link that congestion control, which is Reno's with the
//! law's limit; when it is fast again, or the agent ends, another pass gives them back what they had, window and all. At the highest
//! rate no socket has anything of ours.

use airfair_units::Duration;
use anyhow::{Context, Result, bail};
use libbpf_rs::{Link, MapCore, MapFlags, MapHandle, Object};

use super::{Actuator, LIFETIME, Passed, bpf};
use crate::configuration::{ArfAware, Configuration};
use crate::decision::Decision;
use crate::os;

const OBJECT: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/sender.bpf.o"));
/// The same for Linux before 6.4.
const OBJECT_WITHOUT_LINK: &[u8] =
    include_bytes!(concat!(env!("OUT_DIR"), "/sender_without_link.bpf.o"));
const NAME: &str = "airfair";
/// Time between passes that find new connections, and new addresses.
const PERIOD: Duration = Duration::from_secs(1);
/// Octets that a pass writes of a socket, `struct seen`.
const SEEN: usize = 64;

/// The sockets of an interface.
pub struct Senders {
    interface: String,
    settings: ArfAware,
    /// Ratio of the rates; one is no limit.
    k: u32,
    /// Time of the last pass [ns].
    passed_at: u64,
    passed: Passed,
    orders: MapHandle,
    addresses: MapHandle,
    take: Link,
    give_back: Link,
    _congestion_control: Link,
    _object: Object,
}

impl Senders {
    /// Loads the congestion control and gives back what an agent before has left behind.
    ///
    /// # Errors
    /// If the kernel does not permit it, or there is no such interface.
    pub fn load(configuration: &Configuration) -> Result<Self> {
        let interface = configuration.interface.clone();
        let interface = interface.context("interface: whose connections are to be limited?")?;
        os::addresses(&interface).with_context(|| format!("interface {interface}"))?;
        let mut object = load()?;
        let orders = bpf::map(&object, "orders")?;
        let addresses = bpf::map(&object, "addresses")?;
        let settings = configuration.arf_aware.clone();
        let names: Vec<[u8; 16]> = settings.replaces.iter().map(|name| padded(name)).collect();
        bpf::replace_keys(&bpf::map(&object, "replaceable")?, &names)?;
        let take = bpf::iterator(&mut object, "take")?;
        let give_back = bpf::iterator(&mut object, "give_back")?;
        let map = object.maps_mut().find(|map| map.name() == NAME);
        let congestion_control = map.context("the BPF object has no congestion control")?;
        let congestion_control = { congestion_control }.attach_struct_ops().context(
            "the kernel does not take the congestion control airfair; if it has one of that name, another agent runs",
        )?;
        let mut senders = Self {
            interface,
            settings,
            k: 1,
            passed_at: 0,
            passed: Passed::default(),
            orders,
            addresses,
            take,
            give_back,
            _congestion_control: congestion_control,
            _object: object,
        };
        senders.give_back()?;
        Ok(senders)
    }

    fn give_back(&mut self) -> Result<()> {
        self.passed = tally(&bpf::pass(&self.give_back)?);
        Ok(())
    }

    /// Puts all connections of the link under the limit, or those alone that a pass has met before.
    fn take(&mut self, spares_new: bool) -> Result<()> {
        self.order(spares_new)?;
        // An interface that is gone has no connections.
        let addresses = os::addresses(&self.interface).unwrap_or_default();
        let addresses: Vec<[u8; 16]> = addresses.into_iter().map(bpf::in_six).collect();
        bpf::replace_keys(&self.addresses, &addresses)?;
        let begun = os::monotonic_ns();
        self.passed = tally(&bpf::pass(&self.take)?);
        self.passed_at = os::monotonic_ns();
        self.passed.took_ns = self.passed_at - begun;
        Ok(())
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

impl Actuator for Senders {
    fn apply(&mut self, decision: &Decision) -> Result<()> {
        match decision {
            Decision::Limit { k } => {
                self.k = *k;
                self.take(false)
            }
            Decision::Lift => {
                self.k = 1;
                self.order(false)?;
                self.give_back()
            }
            Decision::Windows(_) | Decision::Share(_) => {
                bail!("a decision for a forwarder at senders")
            }
        }
    }

    fn beat(&mut self) -> Result<()> {
        if self.k > 1 && os::monotonic_ns() - self.passed_at >= PERIOD.as_nanos() {
            return self.take(true);
        }
        self.order(true)
    }

    fn passed(&self) -> &Passed {
        &self.passed
    }
}

/// However the agent ends, but for SIGKILL, its sockets are given back.
impl Drop for Senders {
    fn drop(&mut self) {
        if let Err(error) = self.give_back() {
            eprintln!(
                "Connections could not be given back: {error:#}. Their limit ends by itself."
            );
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
///
/// # Errors
/// If the kernel does not permit it.
pub fn restore() -> Result<Passed> {
    let mut object = load()?;
    let give_back = bpf::iterator(&mut object, "give_back")?;
    Ok(tally(&bpf::pass(&give_back)?))
}

/// Adds up what a pass has written.
pub(super) fn tally(octets: &[u8]) -> Passed {
    let mut passed = Passed::default();
    for seen in octets.chunks_exact(SEEN) {
        match seen[36] {
            0 => passed.taken += 1,
            1 => passed.held += 1,
            2 => *passed.left.entry(text(&seen[48..])).or_default() += 1,
            3 => passed.given_back += 1,
            _ => passed.failed += 1,
        }
    }
    passed
}

fn text(octets: &[u8]) -> String {
    let end = octets.iter().position(|octet| *octet == 0).unwrap_or(octets.len());
    String::from_utf8_lossy(&octets[..end]).into_owned()
}

fn padded(name: &str) -> [u8; 16] {
    let mut octets = [0; 16];
    let length = name.len().min(15);
    octets[..length].copy_from_slice(&name.as_bytes()[..length]);
    octets
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pass_is_added_up_by_what_became_of_sockets() {
        let seen = |what: u8, law: &str| {
            let mut octets = [0; SEEN];
            octets[36] = what;
            octets[48..].copy_from_slice(&padded(law));
            octets
        };
        let octets =
            [seen(0, "cubic"), seen(1, "airfair"), seen(2, "bbr"), seen(2, "bbr")].concat();
        let passed = tally(&octets);
        assert_eq!((passed.taken, passed.held, passed.failed), (1, 1, 0));
        assert_eq!(passed.left.get("bbr"), Some(&2));
    }
}
