//! Passes over the sockets of an interface: one puts them under a limit, the other one removes the
//! limit.

use airfair_units::Duration;
use anyhow::Result;
use libbpf_rs::{Link, MapHandle, Object};

use super::bpf;
use super::contract::PassCounts;
use crate::os;

/// Means to limit the windows of senders or of receivers: each window is divided by the ratio k,
/// the highest rate of the station's link divided by its present rate.
pub(super) trait WindowDivider {
    /// Divides the windows by `k`; 1 removes the limit.
    fn divide(&mut self, k: u32) -> Result<()>;

    /// Renews the sign that the agent is alive, without which the limit ends, and periodically
    /// looks for new connections.
    fn beat(&mut self) -> Result<()>;

    /// Numbers of sockets that the last pass over the sockets limited, left alone, or failed on.
    fn counts(&self) -> &PassCounts;
}

/// Time between two runs of the BPF iterator that looks for new connections and addresses among the
/// sockets.
const PERIOD: Duration = Duration::from_secs(1);
/// Length of `struct seen`, which the BPF iterator writes for each socket that it visits [octets].
const SEEN: usize = 64;

/// Two passes, runs of a BPF iterator over the sockets of an interface: one sets limits on the
/// sockets' windows, the other one removes the limits.
pub(super) struct Passes {
    interface: String,
    addresses: MapHandle,
    take: Link,
    give_back: Link,
    /// Time at which the BPF iterator that sets limits last ran over the sockets [ns].
    taken_at: u64,
    passed: PassCounts,
}

impl Passes {
    /// Makes the pass over the sockets that sets limits and the one that removes limits, from the
    /// BPF iterators with these two names.
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

    /// Runs the BPF iterator that sets limits on the sockets, by the agent's instructions in the
    /// BPF object's map.
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

    /// Runs `other`, a BPF iterator that lets senders grow again after their limits were removed.
    /// Returns the number of connections that it has found.
    pub(super) fn follow(&mut self, other: &Link) -> Result<u64> {
        self.taken_at = os::monotonic_ns();
        Ok(tally(&bpf::pass(other)?).held)
    }

    /// BPF link of the iterator that removes the limits from all sockets. The guardian process,
    /// which waits for the agent's death, runs it too.
    pub(super) fn giving_back(&self) -> &Link {
        &self.give_back
    }

    /// True if it is time for the next pass over the sockets, because there may be new connections.
    pub(super) fn is_due(&self) -> bool {
        os::monotonic_ns() - self.taken_at >= PERIOD.as_nanos()
    }

    pub(super) fn counts(&self) -> &PassCounts {
        &self.passed
    }
}

/// Runs `pass`, a BPF iterator that removes the limits from all sockets. Returns the numbers of
/// sockets by what the iterator did to each.
pub(super) fn give_back(pass: &Link) -> Result<PassCounts> {
    Ok(tally(&bpf::pass(pass)?))
}

/// Counts the sockets in `octets`, the output of a BPF iterator, by what the iterator did to each
/// socket.
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
