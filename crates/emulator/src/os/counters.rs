//! Drop counters of the interfaces in a network namespace.
//!
//! The counters are read from a file in `/proc`. Reading this file takes no lock
//! that is held while interfaces are added or removed, so the engine does not wait.

use std::fs::File;
use std::io::Result;
use std::os::unix::fs::FileExt;

/// Drop counters of all interfaces in a network namespace.
#[derive(Debug)]
pub(super) struct Counters(File);

impl Counters {
    /// Opens the drop counters of this thread's network namespace.
    pub(super) fn of_this_thread() -> Result<Self> {
        Ok(Self(File::open("/proc/thread-self/net/dev")?))
    }

    /// Calls `each` with the name of each interface and the number of packets that it dropped on
    /// transmission. Does not call it if the file cannot be read.
    pub(super) fn read(&self, buffer: &mut Vec<u8>, each: impl FnMut(&str, u64)) {
        let mut length = 0;
        while let Ok(more @ 1..) = self.0.read_at(&mut buffer[length..], length as u64) {
            length += more;
            if length == buffer.len() {
                buffer.resize(2 * length, 0);
            }
        }
        dropped(&String::from_utf8_lossy(&buffer[..length]), each);
    }
}

/// Parses the counter file, and calls `each` with interface names and transmit drops.
fn dropped(text: &str, mut each: impl FnMut(&str, u64)) {
    /// Index of the column with transmit drops: 8 columns for reception precede, and octets,
    /// packets and errors of transmission.
    const PLACE: usize = 11;
    for line in text.lines() {
        let Some((name, numbers)) = line.split_once(':') else { continue };
        let number = numbers.split_ascii_whitespace().nth(PLACE).and_then(|it| it.parse().ok());
        if let Some(number) = number {
            each(name.trim(), number);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = "\
Inter-|   Receive                                                |  Transmit
 face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets errs drop fifo colls carrier compressed
    lo:       0       0    0    0    0     0          0         0        0       0    0    0    0     0       0          0
 wlan0: 3126266    3003    1    2    3     4          5         6      266       3    7 1523    8     9      10         11
eth0:1 2 3 4 5 6 7 8 9 10 11 12
 cut: 1 2 3
";

    /// The transmit drops of each interface are read from the kernel's file, which has the columns
    /// bytes, packets, errors, drops and four more for reception, and the same columns for
    /// transmission.
    #[test]
    fn drops_of_each_interface_are_read_from_the_kernels_file() {
        let mut found = Vec::new();
        dropped(FILE, |name, count| found.push((name.to_owned(), count)));
        let expected = [("lo", 0), ("wlan0", 1523), ("eth0", 12)];
        assert_eq!(found, expected.map(|(name, count)| (name.to_owned(), count)));
    }
}
