//! Parameters of Minstrel.

use airfair_units::Duration;

/// Parameters of Minstrel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Params {
    /// Time between two updates of the rates' statistics.
    pub interval: Duration,
    /// Weight of the old success probability in the smoothed one [%].
    pub ewma: u8,
    /// Fraction of frames that sample another rate [%].
    pub lookaround: u8,
    /// Longest time that one stage of the retry chain may take.
    pub segment: Duration,
}

impl Default for Params {
    /// The values of Linux: interval 100 ms, weight 75 %, sampling 10 %, stage 6 ms.  [linux-minstrel]
    fn default() -> Self {
        let (interval, segment) = (Duration::from_millis(100), Duration::from_millis(6));
        Self { interval, ewma: 75, lookaround: 10, segment }
    }
}
