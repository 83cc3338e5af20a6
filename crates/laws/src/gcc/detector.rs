//! Over-use detector, whose threshold adapts.  [draft-gcc §5.4]

use airfair_units::{Duration, Time};

use super::arrival::ms;

/// `overuse_time_th`: time for which the estimate must be above the threshold.  [draft-gcc §5.6]
const OVER_USE: Duration = Duration::from_millis(10);
/// `del_var_th(0)`: first threshold [ms].  [draft-gcc §5.6]
const FIRST: f64 = 12.5;
/// Lowest and highest threshold [ms].  [draft-gcc §5.4]
const LEAST: f64 = 6.0;
const MOST: f64 = 600.0;
/// `K_u`: growth of the threshold for each ms above it [1/ms].  [draft-gcc §5.6]
const UP: f64 = 0.01;
/// `K_d`: fall of the threshold for each ms below it [1/ms].  [draft-gcc §5.6]
const DOWN: f64 = 0.000_18;
/// Excess over the threshold above which it does not move [ms].  [draft-gcc §5.4]
const SPIKE: f64 = 15.0;
/// Longest time between groups that counts for the threshold [ms].  Deviates: [D-341]
const LONGEST: f64 = 100.0;
/// Largest number of groups by which the estimate is multiplied.  Deviates: [D-341]
const GROUPS: u32 = 60;

/// State of the channel.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Signal {
    /// Delays neither grow nor fall.
    #[default]
    Normal,
    /// Delays grow: the channel is used beyond its capacity.
    OverUse,
    /// Delays fall: queues on the path are emptied.
    UnderUse,
}

/// State of the detector.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct State {
    /// `del_var_th`: threshold [ms].
    threshold: f64,
    /// Number of groups so far, up to [`GROUPS`].
    groups: u32,
    /// Last estimate of the variation, m(i) [ms].
    last: f64,
    /// Time at which the last group arrived.
    at: Option<Time>,
    /// Time at which the first of the groups arrived since which the estimate is above the threshold.
    over_since: Option<Time>,
    signal: Signal,
}

impl Default for State {
    fn default() -> Self {
        let signal = Signal::Normal;
        Self { threshold: FIRST, groups: 0, last: 0.0, at: None, over_since: None, signal }
    }
}

impl State {
    /// State of the channel.
    pub(super) fn signal(self) -> Signal {
        self.signal
    }
}

/// Compares the estimate [ms] after a group that arrived at `at` with the threshold, which then adapts.
pub(super) fn step(state: State, estimate: f64, at: Time) -> State {
    let groups = (state.groups + 1).min(GROUPS);
    let compared = f64::from(groups) * estimate;
    let over_since = (compared > state.threshold).then(|| state.over_since.unwrap_or(at));
    let signal = match over_since {
        Some(since) if at.saturating_since(since) < OVER_USE => Signal::Normal,
        Some(_) if estimate < state.last => Signal::Normal,
        Some(_) => Signal::OverUse,
        None if compared < -state.threshold => Signal::UnderUse,
        None => Signal::Normal,
    };
    let elapsed = state.at.map_or(0.0, |last| ms(at.saturating_since(last)).min(LONGEST));
    let threshold = adapt(state.threshold, compared.abs(), elapsed);
    State { threshold, groups, last: estimate, at: Some(at), over_since, signal }
}

/// Threshold after `elapsed` [ms] with an estimate of this magnitude.
fn adapt(threshold: f64, magnitude: f64, elapsed: f64) -> f64 {
    if magnitude - threshold > SPIKE {
        return threshold;
    }
    let gain = if magnitude < threshold { DOWN } else { UP };
    (threshold + elapsed * gain * (magnitude - threshold)).clamp(LEAST, MOST)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(ms: u64) -> Time {
        Time::ZERO + Duration::from_millis(ms)
    }

    /// 20 ms above a threshold of 12.5 ms for 10 ms: 12.5 + 10 · 0.01 · 7.5 = 13.25 ms; 2.5 ms below it: 12.5 − 10 · 0.00018 ·
    /// 10 = 12.482 ms. More than 15 ms above it nothing moves, and the bounds hold.
    ///
    /// Verifies: [draft-gcc §5.4]
    #[test]
    fn the_threshold_follows_the_estimate() {
        assert!((adapt(12.5, 20.0, 10.0) - 13.25).abs() < 1e-12);
        assert!((adapt(12.5, 2.5, 10.0) - 12.482).abs() < 1e-12);
        assert!((adapt(12.5, 27.5, 10.0) - 14.0).abs() < 1e-12);
        assert!((adapt(12.5, 27.6, 10.0) - 12.5).abs() < 1e-12);
        assert!((adapt(6.0, 0.0, 100.0) - 6.0).abs() < 1e-12);
        assert!((adapt(599.0, 613.0, 100.0) - 600.0).abs() < 1e-12);
    }

    /// After sixty groups without variation the threshold is the least, and 0.2 ms a group are 60 · 0.2 = 12 ms. Over-use is
    /// signalled once this has lasted for 10 ms, not with a falling estimate, and −12 ms are under-use at once.
    ///
    /// Verifies: [draft-gcc §5.4]
    #[test]
    fn over_use_lasts_for_ten_milliseconds_and_does_not_fall() {
        let quiet = (0..60).fold(State::default(), |state, k| step(state, 0.0, at(1_000 * k)));
        assert!(quiet.threshold < 12.0, "{}", quiet.threshold);
        let first = step(quiet, 0.2, at(60_000));
        let early = step(first, 0.21, at(60_009));
        let late = step(early, 0.21, at(60_010));
        let falling = step(early, 0.209, at(60_010));
        let normal = step(late, 0.0, at(60_015));
        let again = step(normal, 0.25, at(60_020));
        let signals = [first, early, late, falling, normal, again].map(State::signal);
        let usual = Signal::Normal;
        assert_eq!(signals, [usual, usual, Signal::OverUse, usual, usual, usual]);
        assert_eq!(step(quiet, -0.2, at(60_000)).signal(), Signal::UnderUse);
        // The first group counts once: 12 ms are below the first threshold of 12.5 ms, 13 ms above.
        let alone = |estimate| step(State::default(), estimate, at(0)).over_since.is_some();
        assert_eq!([alone(12.0), alone(13.0)], [false, true]);
    }
}
