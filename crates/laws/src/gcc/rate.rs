//! Controller of the rate by delay.  [draft-gcc §5.5]

use airfair_units::{Duration, Time};

use super::arrival::ms;
use super::detector::Signal;

/// beta: share of the incoming rate that remains after over-use.  [draft-gcc §5.6]
const DECREASE: f64 = 0.85;
/// Growth per second far from convergence.  [draft-gcc §5.5]
const GROWTH: f64 = 1.08;
/// Least growth of an update near convergence [bit/s].  [draft-gcc §5.5]
const LEAST_GROWTH: f64 = 1_000.0;
/// Largest ratio of an estimate that grows to the incoming rate.  [draft-gcc §5.5]
const AHEAD: f64 = 1.5;
/// Reaction time of estimator and detector [ms].  [draft-gcc §5.5]
const REACTION: f64 = 100.0;
/// Weight of a new rate in the average of the rates at over-use.  [draft-gcc §5.5]
const WEIGHT: f64 = 0.05;
/// Bounds of the variance of these rates over their average [kb/s].  Deviates: [D-341]
const VARIANCE: (f64, f64) = (0.4, 2.5);

/// State of the controller.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// The rate stays until queues have drained.
    Hold,
    /// No congestion is detected.
    Increase,
    /// Congestion is detected.
    Decrease,
}

/// Average of the incoming rates at over-use.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Capacity {
    /// Average [kb/s].
    average: f64,
    /// Variance over the average [kb/s].
    variance: f64,
}

/// State of the controller, with its estimate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct State {
    mode: Mode,
    /// `A_hat`: estimate of the available rate [bit/s].
    estimate: f64,
    /// Time of the last update.
    at: Option<Time>,
    /// Rates at over-use; `None` before the first.
    capacity: Option<Capacity>,
}

/// Input of an update.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Seen {
    pub(super) now: Time,
    pub(super) signal: Signal,
    /// `R_hat` [bit/s]; `None` before it is known.
    pub(super) incoming: Option<f64>,
    pub(super) round_trip: Duration,
}

impl State {
    /// State before the first update.
    pub(super) fn new(start: f64) -> Self {
        Self { mode: Mode::Increase, estimate: start, at: None, capacity: None }
    }

    pub(super) fn mode(&self) -> Mode {
        self.mode
    }

    /// `A_hat` [bit/s].
    pub(super) fn estimate(&self) -> f64 {
        self.estimate
    }

    /// State whose estimate is within limits [bit/s].
    pub(super) fn clamp(self, (least, most): (f64, f64)) -> Self {
        Self { estimate: self.estimate.clamp(least, most), ..self }
    }
}

/// State of the controller after a signal.  [draft-gcc §5.5]
///
/// ```text
///              Hold        Increase    Decrease
/// over-use     Decrease    Decrease    Decrease
/// normal       Increase    Increase    Hold
/// under-use    Hold        Hold        Hold
/// ```
fn next(mode: Mode, signal: Signal) -> Mode {
    match (signal, mode) {
        (Signal::OverUse, _) => Mode::Decrease,
        (Signal::Normal, Mode::Hold | Mode::Increase) => Mode::Increase,
        (Signal::Normal, Mode::Decrease) | (Signal::UnderUse, _) => Mode::Hold,
    }
}

/// Updates the estimate.
pub(super) fn step(state: State, seen: Seen) -> State {
    let mode = next(state.mode, seen.signal);
    let at = Some(seen.now);
    match mode {
        Mode::Hold => State { mode, at, ..state },
        Mode::Decrease => {
            // The rate that arrives is not known in the first half second; then the estimate itself counts.
            let reached = seen.incoming.unwrap_or(state.estimate);
            let capacity = Some(learn(state.capacity, reached / 1e3));
            State { mode, estimate: state.estimate.min(DECREASE * reached), at, capacity }
        }
        Mode::Increase => {
            let elapsed = state.at.map_or(0.0, |last| ms(seen.now.saturating_since(last)));
            let capacity = match (state.capacity, seen.incoming) {
                (Some(it), Some(rate)) if is_above(it, rate / 1e3) => None,
                (it, _) => it,
            };
            let estimate = grown(State { capacity, ..state }, seen, elapsed);
            let bound = seen.incoming.map_or(f64::MAX, |rate| AHEAD * rate);
            // An application that sends little does not lower the estimate.  Deviates: [D-341]
            let estimate = state.estimate.max(estimate.min(bound));
            State { mode, estimate, at, capacity }
        }
    }
}

/// Estimate that has grown for `elapsed` [ms].
fn grown(state: State, seen: Seen, elapsed: f64) -> f64 {
    let is_close = state
        .capacity
        .zip(seen.incoming)
        .is_some_and(|(it, rate)| (rate / 1e3 - it.average).abs() <= 3.0 * deviation(it));
    if !is_close {
        return state.estimate * libm::pow(GROWTH, (elapsed / 1e3).min(1.0));
    }
    let response = REACTION + ms(seen.round_trip);
    let alpha = 0.5 * (elapsed / response).min(1.0);
    state.estimate + (alpha * packet(state.estimate)).max(LEAST_GROWTH)
}

/// `expected_packet_size_bits`: size of the packets of 30 frames a second at this rate [bits].
fn packet(rate: f64) -> f64 {
    let frame = rate / 30.0;
    frame / libm::ceil(frame / (1_200.0 * 8.0))
}

/// Adds a rate at over-use [kb/s].
fn learn(capacity: Option<Capacity>, rate: f64) -> Capacity {
    let (least, most) = VARIANCE;
    let Some(Capacity { average, variance }) = capacity else {
        return Capacity { average: rate, variance: least };
    };
    let average = (1.0 - WEIGHT) * average + WEIGHT * rate;
    let error = average - rate;
    let variance = (1.0 - WEIGHT) * variance + WEIGHT * error * error / average.max(1.0);
    Capacity { average, variance: variance.clamp(least, most) }
}

/// Standard deviation of the rates at over-use [kb/s].
fn deviation(capacity: Capacity) -> f64 {
    (capacity.variance * capacity.average).sqrt()
}

/// True if the rate [kb/s] is so far above those at over-use that these no longer count.
fn is_above(capacity: Capacity, rate: f64) -> bool {
    rate > capacity.average + 3.0 * deviation(capacity)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(ms: u64, signal: Signal, incoming: f64) -> Seen {
        let now = Time::ZERO + Duration::from_millis(ms);
        Seen { now, signal, incoming: Some(incoming), round_trip: Duration::from_millis(100) }
    }

    fn estimates(start: f64, all: &[Seen]) -> Vec<f64> {
        let mut state = State::new(start);
        let each = all.iter().map(|seen| {
            state = step(state, *seen);
            state.estimate
        });
        each.collect()
    }

    fn close(values: &[f64], expected: &[f64]) {
        assert_eq!(values.len(), expected.len());
        for (value, expected) in values.iter().zip(expected) {
            assert!((value - expected).abs() < 0.5, "{values:?} {expected:?}");
        }
    }

    /// Verifies: [draft-gcc §5.5]
    #[test]
    fn each_signal_leads_from_each_state_to_another() {
        use Mode::{Decrease, Hold, Increase};
        let row = |signal| [Hold, Increase, Decrease].map(|mode| next(mode, signal));
        assert_eq!(row(Signal::OverUse), [Decrease; 3]);
        assert_eq!(row(Signal::Normal), [Increase, Increase, Hold]);
        assert_eq!(row(Signal::UnderUse), [Hold; 3]);
    }

    /// 1 Mb/s grows by 8 % in a second, by 1.08^0.1 = 1.007 726 in 100 ms, and by 8 % in ten seconds, too.
    ///
    /// Verifies: [draft-gcc §5.5]
    #[test]
    fn far_from_convergence_the_rate_grows_by_eight_percent_a_second() {
        let normal = |ms| seen(ms, Signal::Normal, 9e6);
        let grown = estimates(1e6, &[normal(0), normal(1_000), normal(1_100), normal(11_100)]);
        close(&grown, &[1e6, 1.08e6, 1_088_344.3, 1_175_411.8]);
    }

    /// Over-use at 1 Mb/s leaves 850 kb/s. The next normal signal waits, and the one after it adds half of a packet of 850 000 /
    /// 30 / 3 = 9444.4 bits, because 200 ms have passed since the last update and the response time is 100 ms and the round
    /// trip of 100 ms. Then 20 ms add a tenth of a half packet of (854 722 / 30 / 3) = 9496.9 bits, which is less than 1000 bits.
    ///
    /// Verifies: [draft-gcc §5.5]
    #[test]
    fn near_convergence_the_rate_grows_by_half_a_packet_per_response_time() {
        let all = [
            seen(0, Signal::OverUse, 1e6),
            seen(200, Signal::Normal, 1e6),
            seen(400, Signal::Normal, 1e6),
            seen(420, Signal::Normal, 1e6),
        ];
        close(&estimates(2e6, &all), &[850_000.0, 850_000.0, 854_722.2, 855_722.2]);
    }

    /// Over-use at 1 Mb/s has a deviation of √(0.4 · 1000) = 20 kb/s: at 1.061 Mb/s the rate is above three of them, so that it
    /// grows by 8 % again, and 1 Mb/s is no longer close. At 1.059 Mb/s it is close, as at 0.941 Mb/s; 0.939 Mb/s is not.
    ///
    /// Verifies: [draft-gcc §5.5]
    #[test]
    fn three_deviations_are_close() {
        let after = |incoming: &[f64]| {
            let mut all = vec![seen(0, Signal::OverUse, 1e6), seen(0, Signal::Normal, 1e6)];
            all.extend(
                incoming.iter().zip(1..).map(|(it, k)| seen(1_000 * k, Signal::Normal, *it)),
            );
            estimates(2e6, &all)[2..].to_vec()
        };
        let half = 850e3 / 30.0 / 3.0 / 2.0;
        close(&after(&[1.059e6]), &[850e3 + half]);
        close(&after(&[0.941e6]), &[850e3 + half]);
        close(&after(&[0.939e6]), &[850e3 * 1.08]);
        close(&after(&[1.061e6, 1e6]), &[850e3 * 1.08, 850e3 * 1.08 * 1.08]);
    }

    /// The estimate grows up to 1.5 times what arrives, and never falls by this. Over-use does not raise it.
    ///
    /// Verifies: [draft-gcc §5.5]
    #[test]
    fn the_rate_stays_near_what_arrives() {
        let normal = |ms, incoming| seen(ms, Signal::Normal, incoming);
        let all = [normal(0, 7e5), normal(1_000, 7e5), normal(2_000, 2e5)];
        close(&estimates(1e6, &all), &[1e6, 1.05e6, 1.05e6]);
        close(&estimates(1e6, &[seen(0, Signal::OverUse, 5e6)]), &[1e6]);
    }

    /// 1000 kb/s and then 900: the average is 995, the error 95, and the variance 0.95 · 0.4 + 0.05 · 9025 / 995 = 0.8335.
    /// 100 kb/s would make it 46, of which 2.5 remain.
    #[test]
    fn rates_at_over_use_are_averaged() {
        let first = learn(None, 1_000.0);
        let second = learn(Some(first), 900.0);
        assert!((second.average - 995.0).abs() < 1e-9 && (second.variance - 0.833_5).abs() < 1e-4);
        assert!((learn(Some(first), 100.0).variance - 2.5).abs() < 1e-12);
    }
}
