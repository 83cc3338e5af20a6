//! Passes over the sockets of an interface: one that takes them under a limit, and one that gives them back.

use airfair_units::Duration;
use anyhow::Result;
use libbpf_rs::{Link, MapHandle, Object};

use super::{Passed, bpf};
use crate::os;

/// Windows of one kind, which passes divide and give back.
pub(super) trait Part {
    /// Divides them by `k`; one gives them back.
    fn divide(&mut self, k: u32) -> Result<()>;

    /// Says that the agent lives, and looks for new connections once in a while.
    fn beat(&mut self) -> Result<()>;

    /// Connections, as the last pass has found them.
    fn passed(&self) -> &Passed;
}

/// Time between passes that find new connections, and new addresses.
const PERIOD: Duration = Duration::from_secs(1);
/// Octets that a pass writes of a socket, `struct seen`.
const SEEN: usize = 64;

/// Both passes of an object, and what the last one has found.
pub(super) struct Passes {
    interface: String,
    addresses: MapHandle,
    take: Link,
    give_back: Link,
    /// Time of the last pass that took [ns].
    taken_at: u64,
    passed: Passed,
}

impl Passes {
    /// The passes of such names, over connections of an interface.
    pub(super) fn of(
        object: &mut Object,
        interface: &str,
        [take, give_back]: [&str; 2],
    ) -> Result<Self> {
        Ok(Self {
            interface: interface.to_owned(),
            addresses: bpf::map(object, "addresses")?,
            take: bpf::iterator(object, take)?,
            give_back: bpf::iterator(object, give_back)?,
            taken_at: 0,
            passed: Passed::default(),
        })
    }

    /// Passes over all sockets, by the orders that the object has.
    pub(super) fn take(&mut self) -> Result<()> {
        // An interface that is gone has no connections.
        let addresses = os::addresses(&self.interface).unwrap_or_default();
        let unwatched = bpf::watch(&self.addresses, addresses)?;
        let begun = os::monotonic_ns();
        self.passed = tally(&bpf::pass(&self.take)?);
        self.taken_at = os::monotonic_ns();
        self.passed.took_ns = self.taken_at - begun;
        self.passed.unwatched = unwatched;
        Ok(())
    }

    pub(super) fn give_back(&mut self) -> Result<()> {
        self.passed = give_back(&self.give_back)?;
        Ok(())
    }

    /// Has another pass go over connections that were given back: how many it has found.
    pub(super) fn follow(&mut self, other: &Link) -> Result<u64> {
        self.taken_at = os::monotonic_ns();
        Ok(tally(&bpf::pass(other)?).held)
    }

    /// The pass that gives back, for whoever has to do it in this place.
    pub(super) fn giving_back(&self) -> &Link {
        &self.give_back
    }

    /// True once there may be connections that the last pass has not met.
    pub(super) fn is_due(&self) -> bool {
        os::monotonic_ns() - self.taken_at >= PERIOD.as_nanos()
    }

    pub(super) fn passed(&self) -> &Passed {
        &self.passed
    }
}

/// Reads a pass that gives back: connections that it has met.
pub(super) fn give_back(pass: &Link) -> Result<Passed> {
    Ok(tally(&bpf::pass(pass)?))
}

/// Adds up what a pass has written.
fn tally(octets: &[u8]) -> Passed {
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

/// A name of a congestion control as the programs have it.
pub(super) fn padded(name: &str) -> [u8; 16] {
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
