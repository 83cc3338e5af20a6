//! Detection of data-limited intervals: whether the application or the rate limited the sender in the
//! interval that a report covers.  [RFC5348 §8.2.1]
//!
//! The RFC keeps two instants and may miss a third. This module keeps runs of packets that only the rate has
//! delayed, which needs as little memory and misses nothing: a greedy sender is a single run.

use std::collections::VecDeque;

/// Largest number of runs kept. A run is a sequence of packets sent one after another, each delayed only by the
/// rate. It ends with the next packet that was not delayed; of more runs, the two oldest are merged.
const RUNS: usize = 64;

/// Send times of packets that only the rate has delayed [µs].
#[derive(Clone, Debug, Default)]
pub(crate) struct Limited {
    /// Send times of the first and last packet of each run, a sequence of packets that only the rate has
    /// delayed, in order [µs].
    runs: VecDeque<(u64, u64)>,
    is_in_run: bool,
    /// Latest time that reports have covered, inclusive.
    covered: Option<u64>,
}

impl Limited {
    /// Records a packet sent at `at`. `is_full` is true if the rate allowed no earlier time.
    pub(crate) fn on_sent(&mut self, at: u64, is_full: bool) {
        match self.runs.back_mut() {
            Some((_, last)) if is_full && self.is_in_run => *last = at,
            _ if is_full => self.runs.push_back((at, at)),
            _ => {}
        }
        self.is_in_run = is_full;
        if self.runs.len() > RUNS
            && let Some((first, _)) = self.runs.pop_front()
        {
            self.runs[0].0 = first;
        }
    }

    /// Marks all packets sent up to `to` as covered by a report. Returns true if the interval was
    /// data-limited: the rate has delayed none of its packets.
    pub(crate) fn cover(&mut self, to: u64) -> bool {
        let from = self.covered;
        let is_new = |last| from.is_none_or(|from| last > from);
        let is_full = self.runs.iter().any(|&(first, last)| first <= to && is_new(last));
        self.covered = Some(to);
        while self.runs.len() > 1 && self.runs[0].1 <= to {
            self.runs.pop_front();
        }
        !is_full
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An interval is data-limited only if the rate has delayed none of its packets.
    ///
    /// Verifies: [RFC5348 §8.2.1]
    #[test]
    fn one_packet_that_waited_makes_the_interval_unlimited() {
        let mut limited = Limited::default();
        for (at, is_full) in
            [(0, true), (10, true), (20, true), (30, false), (40, false), (50, true)]
        {
            limited.on_sent(at, is_full);
        }
        // The intervals [0, 0], (0, 10] and (10, 20] contain rate-limited packets, (20, 30] and (30, 49]
        // none, (49, 50] one.
        for (to, is_limited) in
            [(0, false), (10, false), (20, false), (30, true), (49, true), (50, false)]
        {
            assert_eq!(limited.cover(to), is_limited, "up to {to}");
        }
        assert!(limited.cover(60));
    }

    #[test]
    fn the_memory_is_bounded() {
        let mut limited = Limited::default();
        for at in 1..1_000 {
            limited.on_sent(at, at % 2 == 0);
        }
        assert_eq!(limited.runs.len(), RUNS);
        assert!(!limited.cover(999));
    }
}
