//! Controller of the rate by loss.  [draft-gcc §6]

/// Share of lost packets below which the estimate grows.  [draft-gcc §6]
const LOW: f64 = 0.02;
/// Share of lost packets above which it falls.  [draft-gcc §6]
const HIGH: f64 = 0.1;
/// Growth of an update.  [draft-gcc §6]
const GROWTH: f64 = 1.05;
/// Number of packets from which a share is taken.  Deviates: [D-341]
const PACKETS: u64 = 20;

/// State of the controller, with its estimate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct State {
    /// `As_hat`: estimate of the available rate [bit/s].
    estimate: f64,
    /// Packets since the last update.
    expected: u64,
    /// Those of them that were lost.
    lost: u64,
}

impl State {
    /// State before the first report.
    pub(super) fn new(start: f64) -> Self {
        Self { estimate: start, expected: 0, lost: 0 }
    }

    /// `As_hat` [bit/s].
    pub(super) fn estimate(&self) -> f64 {
        self.estimate
    }

    /// State whose estimate is within limits [bit/s].
    pub(super) fn clamp(self, (least, most): (f64, f64)) -> Self {
        Self { estimate: self.estimate.clamp(least, most), ..self }
    }
}

/// Adds the packets of a report.
#[expect(clippy::cast_precision_loss, reason = "counts of packets are small")]
pub(super) fn step(state: State, expected: u64, lost: u64) -> State {
    let (expected, lost) = (state.expected + expected, state.lost + lost);
    if expected < PACKETS {
        return State { expected, lost, ..state };
    }
    let share = lost as f64 / expected as f64;
    let factor = if share > HIGH {
        1.0 - 0.5 * share
    } else if share < LOW {
        GROWTH
    } else {
        1.0
    };
    State { estimate: factor * state.estimate, expected: 0, lost: 0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Of 100 packets: with one lost the estimate grows by 5 %, with two and with ten it stays, and with twenty it falls by half
    /// of a fifth.
    ///
    /// Verifies: [draft-gcc §6]
    #[test]
    fn the_share_of_lost_packets_decides() {
        let after = |lost| step(State::new(1e6), 100, lost).estimate;
        for (lost, estimate) in [(1, 1.05e6), (2, 1e6), (10, 1e6), (11, 0.945e6), (20, 0.9e6)] {
            assert!((after(lost) - estimate).abs() < 1e-3, "{lost}: {}", after(lost));
        }
    }

    /// Nineteen packets are too few; the twentieth completes them: 4 of 20 are a fifth.
    #[test]
    fn reports_are_counted_together_up_to_twenty_packets() {
        let early = step(State::new(1e6), 19, 4);
        assert!((early.estimate - 1e6).abs() < 1e-9);
        let late = step(early, 1, 0);
        assert!((late.estimate - 0.9e6).abs() < 1e-3);
        assert_eq!((late.expected, late.lost), (0, 0));
    }
}
