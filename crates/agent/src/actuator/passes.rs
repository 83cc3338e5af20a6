//! Passes over the sockets of an interface: one puts them under a limit, the other one removes the
//! limit.

use airfair_units::Duration;
use anyhow::Result;
use libbpf_rs::{Link, MapHandle, Object};

use super::{PassCounts, bpf};
use crate::os;

/// Windows of senders or of receivers, which are divided by the ratio k of the rates.
pub(super) trait WindowDivider {
    /// Divides the windows by `k`; 1 removes the limit.
    fn divide(&mut self, k: u32) -> Result<()>;

    /// Renews the sign of life, and periodically looks for new connections.
    fn beat(&mut self) -> Result<()>;

    /// Counts of the last pass over the connections.
    fn counts(&self) -> &PassCounts;
}

/// Time between two passes that look for new connections and addresses.
const PERIOD: Duration = Duration::from_secs(1);
/// Length of `struct seen`, which a pass writes for each socket [octets].
const SEEN: usize = 64;

/// Two passes over the sockets of an interface: one sets limits on them, the other one removes the
/// limits.
pub(super) struct Passes {
    interface: String,
    addresses: MapHandle,
    take: Link,
    give_back: Link,
    /// Time at which a pass last set limits [ns].
    taken_at: u64,
    passed: PassCounts,
}

impl Passes {
    /// Makes both passes from the BPF iterators with these names.
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
            passed: PassCounts::default(),
        })
    }

    /// Runs the pass that sets limits, by the orders in the BPF object's map.
    pub(super) fn take(&mut self) -> Result<()> {
        // A missing interface has no connections.
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

    /// Runs the iterator `other` over connections whose limits were removed; returns the number of
    /// connections that it has found.
    pub(super) fn follow(&mut self, other: &Link) -> Result<u64> {
        self.taken_at = os::monotonic_ns();
        Ok(tally(&bpf::pass(other)?).held)
    }

    /// The pass that removes limits, which the guardian process uses.
    pub(super) fn giving_back(&self) -> &Link {
        &self.give_back
    }

    /// True if it is time for the next pass, because there may be new connections.
    pub(super) fn is_due(&self) -> bool {
        os::monotonic_ns() - self.taken_at >= PERIOD.as_nanos()
    }

    pub(super) fn counts(&self) -> &PassCounts {
        &self.passed
    }
}

/// Runs a pass that removes limits, and returns its counts.
pub(super) fn give_back(pass: &Link) -> Result<PassCounts> {
    Ok(tally(&bpf::pass(pass)?))
}

/// Counts the sockets in the output of a pass by what the pass did to each.
fn tally(octets: &[u8]) -> PassCounts {
    let mut passed = PassCounts::default();
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

/// Name of a congestion control as the BPF programs have it.
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
    fn a_pass_counts_the_results_of_all_sockets() {
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
