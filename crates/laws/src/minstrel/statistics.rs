//! Minstrel's success statistics of every rate, and the rates selected from them.

use airfair_units::Duration;

use super::params::Params;

/// Success probability of 100 %, in units so fine that rounding does not matter.  [linux-minstrel]
pub(super) const CERTAIN: u16 = 18_000;
/// 95 %: success probability that a rate needs to be the probable rate.
const ROBUST: u16 = CERTAIN / 100 * 95;
/// 10 %: success probability below which Minstrel counts a rate as useless.
const USEFUL: u16 = CERTAIN / 100 * 10;
/// Largest number of samples per update interval whose retry chain begins at a rate below 10 % or above 95 %.
const SAMPLES: u8 = 4;

/// Minstrel's statistics of a rate.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct RateStatistics {
    /// Smoothed success probability of the rate [1/18 000].
    pub(super) probability: u16,
    /// Number of attempts at the rate in the current update interval.
    pub(super) attempts: u32,
    /// Number of acknowledged attempts at the rate in the current update interval.
    pub(super) successes: u32,
    /// Samples left in the update interval that may have the rate as first stage; `None` if not limited.
    pub(super) samples_left: Option<u8>,
}

/// Rates that Minstrel has selected, as indexes into the list of rates.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Choice {
    pub(super) best: u8,
    pub(super) second: u8,
    pub(super) probable: u8,
}

/// Statistics of a rate at the end of an update interval.  [linux-minstrel §`minstrel_update_stats`]
pub(super) fn refreshed(params: &Params, rate: RateStatistics) -> RateStatistics {
    let probability = if rate.attempts == 0 { rate.probability } else { smoothed(params, rate) };
    let is_settled = !(USEFUL..=ROBUST).contains(&probability);
    RateStatistics {
        probability,
        attempts: 0,
        successes: 0,
        samples_left: is_settled.then_some(SAMPLES),
    }
}

/// New success probability of a rate after an interval with attempts [1/18 000], rounded down twice as in
/// Linux.
fn smoothed(params: &Params, rate: RateStatistics) -> u16 {
    let fresh = u64::from(rate.successes) * u64::from(CERTAIN) / u64::from(rate.attempts);
    let weight = u64::from(params.ewma);
    let rest = 100_u64.checked_sub(weight).expect("a weight of 100 % at most");
    let sum = fresh * rest + u64::from(rate.probability) * weight;
    u16::try_from(sum / 100).expect("a probability")
}

/// Throughput of a rate at which a frame takes `time` [frames/s · 18 000].
fn throughput(rate: RateStatistics, time: Duration) -> u64 {
    if rate.probability < USEFUL {
        return 0;
    }
    u64::from(rate.probability) * 1_000_000_000 / time.as_nanos()
}

/// Selects the rates for the retry chain. Among equals the slower rate; the lowest if no rate delivers
/// anything.
pub(super) fn choose(times: &[Duration], rates: &[RateStatistics]) -> Choice {
    let count = times.len();
    let carried = |level: usize| throughput(rates[level], times[level]);
    let is_robust = |level: usize| rates[level].probability >= ROBUST;
    let best = largest(count, carried);
    let second = largest(count, |level| if level == best { 0 } else { carried(level) });
    let probable = if (0..count).any(is_robust) {
        largest(count, |level| if is_robust(level) { carried(level) } else { 0 })
    } else {
        largest(count, |level| u64::from(rates[level].probability))
    };
    Choice { best: place(best), second: place(second), probable: place(probable) }
}

/// Index of the largest `worth` among `count` rates, the first if there are several.
fn largest(count: usize, worth: impl Fn(usize) -> u64) -> usize {
    (1..count).fold(0, |top, level| if worth(level) > worth(top) { level } else { top })
}

/// Index of a rate in the list of rates, which is short.
pub(super) fn place(level: usize) -> u8 {
    u8::try_from(level).expect("a few rates")
}

/// True if a frame takes less time at the rate `level` than at the rate `than`.
pub(super) fn is_faster(times: &[Duration], level: u8, than: u8) -> bool {
    times[usize::from(level)] < times[usize::from(than)]
}
