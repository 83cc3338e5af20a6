//! Flow control at a receiver: the limit of the data, and when to tell it.  [RFC9000 §4.1, §4.2]
//!
//! The limit rises once an eighth of the window is used. The new limit travels in the next packets of the receiver, and
//! again in each packet while the sender may not know it and comes close to the old one.  Deviates: [D-372]

/// Number of packets with a new limit.
const REPETITIONS: u32 = 3;
/// Part of the window that is used before the limit rises, as a divisor.
const PARTS: u64 = 8;

/// Credit that a receiver gives its sender [octets].
#[derive(Clone, Copy, Debug)]
pub(super) struct Credit {
    window: u64,
    /// Newest limit.
    limit: u64,
    /// Limit before the newest one. Data beyond it proves that the sender knows the newest.
    before: u64,
    /// Number of packets that are still to carry the newest limit.
    left: u32,
}

impl Credit {
    /// Credit of a receiver whose sender knows of `window` octets from the start.
    pub(super) fn new(window: u64) -> Self {
        Self { window, limit: window, before: window, left: 0 }
    }

    /// Records that the application has read all octets before `read`.
    pub(super) fn on_read(&mut self, read: u64) {
        let wanted = read + self.window;
        if wanted - self.limit >= (self.window / PARTS).max(1) {
            (self.before, self.limit, self.left) = (self.limit, wanted, REPETITIONS);
        }
    }

    /// Tells the limit again, because the sender has asked for it.
    pub(super) fn ask(&mut self) {
        self.left = self.left.max(1);
    }

    /// Limit for the next packet, when octets before `highest` have arrived; `None` if the packet needs none.
    pub(super) fn take(&mut self, highest: u64) -> Option<u64> {
        let is_close = self.before < self.limit
            && highest <= self.before
            && self.before - highest < self.window / 4;
        if self.left == 0 && !is_close {
            return None;
        }
        self.left = self.left.saturating_sub(1);
        Some(self.limit)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A window of 1000: after 125 octets the limit is 1125, in three packets, and again from 751 octets on, until
    /// the data of octet 1000 shows that the sender knows it.
    ///
    /// Verifies: [RFC9000 §4.2]
    #[test]
    fn a_limit_is_told_three_times_and_near_the_old_one() {
        let mut credit = Credit::new(1_000);
        credit.on_read(124);
        assert_eq!(credit.take(124), None);
        credit.on_read(125);
        let told: Vec<_> = (0..4).map(|_| credit.take(125)).collect();
        assert_eq!(told, [Some(1_125), Some(1_125), Some(1_125), None]);
        assert_eq!(
            [750, 751, 1_000, 1_001].map(|it| credit.take(it)),
            [None, Some(1_125), Some(1_125), None]
        );
    }
}
