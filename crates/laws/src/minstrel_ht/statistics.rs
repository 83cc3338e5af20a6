//! Minstrel-HT's success statistics of every rate, and the mean length of aggregates.

use airfair_units::Duration;

use super::rates::GroupedRate;

/// Success probability of 100 %.  [linux-minstrel-ht §`MINSTREL_SCALE`]
pub(super) const CERTAIN: u32 = 4096;
/// 10 %: success probability below which Minstrel-HT counts a rate as useless.
pub(super) const USEFUL: u32 = percent(10);
/// 90 %: success probability above which the throughput does not grow, because collisions change it.
const STEADY: u32 = percent(90);
/// Length of one MPDU in the unit of the mean length of aggregates.
const MPDU: u64 = 4096;

/// `percent` % as a success probability [1/4096], rounded down.
pub(super) const fn percent(percent: u32) -> u32 {
    percent * CERTAIN / 100
}

/// Minstrel-HT's statistics of a rate.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Statistics {
    /// Number of MPDUs sent at the rate in the current update interval.
    pub(super) attempts: u32,
    /// Number of MPDUs sent at the rate in the current update interval and acknowledged.
    pub(super) successes: u32,
    /// Success probability of the rate or, if it was never used, of a faster rate [1/4096].
    pub(super) probability: u32,
    /// Filtered probability before the last update; `None` if the rate was never used.
    last: Option<u32>,
    /// Throughput of the rate, in MPDUs per second [1/4096].
    pub(super) throughput: u64,
}

impl Statistics {
    pub(super) fn count(&mut self, sent: u16, acknowledged: u16) {
        self.attempts = self.attempts.saturating_add(sent.into());
        self.successes = self.successes.saturating_add(acknowledged.into());
    }

    /// Ends an update interval of a rate. A rate that was never used takes `faster`, the highest probability
    /// of the faster rates of its group, if that is higher than its own.
    pub(super) fn refresh(&mut self, faster: u32) {
        if self.attempts > 0 {
            let share = u64::from(CERTAIN) * u64::from(self.successes) / u64::from(self.attempts);
            let fresh = u32::try_from(share).expect("a probability").max(1);
            // The first attempts initialise the filter.
            let (last, before) = self.last.map_or((fresh, fresh), |last| (self.probability, last));
            self.probability = filter(fresh, last, before);
            self.last = Some(last);
        } else if self.last.is_none() {
            self.probability = self.probability.max(faster);
        }
        (self.attempts, self.successes) = (0, 0);
    }
}

/// Second-order low-pass filter with a period of 16 intervals, of a new probability and the last two filtered
/// ones. [linux-minstrel-ht §`minstrel_filter_avg_add`]
fn filter(fresh: u32, last: u32, before: u32) -> u32 {
    // Coefficients 2·a·cos(2π√2/16) and a² with a = exp(-π√2/16), and the rest to 1 [1/4096].
    const OF_LAST: u32 = 5273;
    const OF_BEFORE: u32 = 2350;
    const OF_FRESH: u32 = CERTAIN + OF_BEFORE - OF_LAST;
    let sum = (OF_FRESH * fresh + OF_LAST * last).saturating_sub(OF_BEFORE * before);
    (sum / CERTAIN).clamp(1, CERTAIN)
}

/// Statistics of the lengths of aggregates [MPDUs].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Lengths {
    /// Smoothed mean length of aggregates [MPDU/4096].
    mean: u64,
    /// Sum of the lengths of aggregates in the current update interval [MPDUs].
    sum: u64,
    /// Number of aggregates in the current update interval.
    count: u64,
}

impl Default for Lengths {
    fn default() -> Self {
        Self { mean: MPDU, sum: 0, count: 0 }
    }
}

impl Lengths {
    pub(super) fn count(&mut self, sent: u16) {
        self.sum += u64::from(sent);
        self.count += 1;
    }

    /// Updates the smoothed mean length of aggregates at the end of an update interval. The old mean has the
    /// weight 3/4. [linux-minstrel-ht §`minstrel_ewma`]
    pub(super) fn refresh(&mut self) {
        if let Some(fresh) = (self.sum * MPDU).checked_div(self.count) {
            let change = self.mean.abs_diff(fresh) / 4;
            self.mean = if fresh > self.mean { self.mean + change } else { self.mean - change };
        }
        (self.sum, self.count) = (0, 0);
    }

    /// Mean length of aggregates in whole MPDUs, at least one.
    pub(super) fn mean(&self) -> u64 {
        self.mean / MPDU
    }
}

/// Throughput of a rate [MPDUs/s]. `probability` is the success probability in 1/4096, and `overhead` the
/// overhead of an aggregate, of which each MPDU has its part.
/// [linux-minstrel-ht §`minstrel_ht_get_tp_avg`]
pub(super) fn throughput(probability: u32, rate: GroupedRate, overhead: Duration) -> u64 {
    if probability < USEFUL {
        return 0;
    }
    u64::from(probability.min(STEADY)) * 1_000_000_000 / (overhead + rate.time).as_nanos()
}
