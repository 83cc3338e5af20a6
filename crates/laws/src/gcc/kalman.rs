//! Kalman filter of the delay variation.  [draft-gcc §5.3]

/// q: variance of the state noise.  [draft-gcc §5.6]
const STATE_NOISE: f64 = 1e-3;
/// e(0): variance of the error of the first estimate.  [draft-gcc §5.6]
const FIRST_ERROR: f64 = 0.1;
/// chi: coefficient of the filter of the noise, between 0.1 and 0.001.  Deviates: [D-341]
const CHI: f64 = 0.01;
/// First estimate of the variance of the noise [ms²].  Deviates: [D-341]
const FIRST_NOISE: f64 = 50.0;

/// State of the filter.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct State {
    /// `m_hat`: estimate of the mean variation [ms].
    estimate: f64,
    /// e: variance of its error [ms²].
    error: f64,
    /// `var_v_hat`: variance of the noise [ms²].
    noise: f64,
}

impl Default for State {
    fn default() -> Self {
        Self { estimate: 0.0, error: FIRST_ERROR, noise: FIRST_NOISE }
    }
}

impl State {
    /// `m_hat`: estimate of the mean variation [ms].
    pub(super) fn estimate(self) -> f64 {
        self.estimate
    }
}

/// Adds the variation of a group [ms]; groups come at up to this rate [1/s].
pub(super) fn step(state: State, variation: f64, rate: f64) -> State {
    let residual = variation - state.estimate;
    let alpha = libm::pow(1.0 - CHI, 30.0 / rate);
    correct(State { noise: noise(state.noise, residual, alpha), ..state }, residual, STATE_NOISE)
}

/// `var_v_hat` after a residual, of which at most three standard deviations count.
fn noise(noise: f64, residual: f64, alpha: f64) -> f64 {
    let counted = residual.abs().min(3.0 * noise.sqrt());
    (alpha * noise + (1.0 - alpha) * counted * counted).max(1.0)
}

/// Moves the estimate towards a measurement that differs from it by `residual`.
fn correct(state: State, residual: f64, state_noise: f64) -> State {
    let error = state.error + state_noise;
    let gain = error / (state.noise + error);
    State {
        estimate: state.estimate + residual * gain,
        error: (1.0 - gain) * error,
        noise: state.noise,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Ten temperatures of a filter with a state noise of 0.15 and a measurement noise of 0.01, whose first estimate is 10
    /// with an error of 100²: the ninth example of kalmanfilter.net, which the tests of pion have, too.
    #[test]
    fn the_filter_follows_a_rising_temperature() {
        let measured = [50.45, 50.967, 51.6, 52.106, 52.492, 52.819, 53.433, 54.007, 54.523, 54.99];
        let expected = [
            50.449_959, 50.936_547, 51.560_411, 52.073_24, 52.466_566, 52.797_787, 53.395_303,
            53.970_236, 54.489_652, 54.960_137,
        ];
        let mut state = State { estimate: 10.0, error: 1e4, noise: 0.01 };
        for (measured, expected) in measured.into_iter().zip(expected) {
            state = correct(state, measured - state.estimate, 0.15);
            assert!((state.estimate - expected).abs() < 1e-3, "{} {expected}", state.estimate);
        }
    }

    /// At 30 groups a second alpha is 0.99. A residual of 10 ms moves the noise from 50 to 0.99 · 50 + 0.01 · 100 = 50.5;
    /// one of 100 ms counts as 3 · √50, so that the noise is 0.99 · 50 + 0.01 · 450 = 54. Small residuals leave one at
    /// least. The gain of the first step is 0.101 / (50.5 + 0.101) = 0.001996, so that the estimate is 0.01996 ms.
    ///
    /// Verifies: [draft-gcc §5.3]
    #[test]
    fn the_noise_grows_with_residuals_up_to_three_deviations() {
        assert!((noise(50.0, 10.0, 0.99) - 50.5).abs() < 1e-9);
        for residual in [100.0, -100.0] {
            assert!((noise(50.0, residual, 0.99) - 54.0).abs() < 1e-9);
        }
        assert!((noise(1.0, 0.0, 0.99) - 1.0).abs() < 1e-12);
        let after = step(State::default(), 10.0, 30.0);
        assert!((after.estimate - 10.0 * 0.101 / 50.601).abs() < 1e-9);
        assert!((after.error - 0.101 * 50.5 / 50.601).abs() < 1e-9);
        // Groups at 300 a second have a tenth of the weight each: alpha = 0.99^0.1 = 0.998 995 5.
        let fast = step(State::default(), 10.0, 300.0).noise;
        assert!((fast - (50.0 + 50.0 * (1.0 - 0.998_995_5))).abs() < 1e-5);
    }
}
