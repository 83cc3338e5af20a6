//! Ideal rate selection with knowledge of the channel: the rate with the smallest mean time per delivered
//! frame.
//!
//! Source: the metric of [bicket-2005 §5], with known losses instead of sampled ones. No real station knows
//! the loss at rates that it does not use, so this is no rate control but the bound to compare it with. It
//! knows the present loss of a frame of ordinary size, but not collisions. It has no state, so there is no
//! `step`.

use airfair_units::{Duration, Probability};

/// A rate to choose from, by the time and the loss of a frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Choice {
    /// Time of a frame of ordinary size at the rate, including its ACK and the gaps.
    pub time: Duration,
    /// Probability that a frame at the rate is lost.
    pub loss: Probability,
}

/// Index of the best of `choices`, which are in ascending order of rate: the one with the smallest mean time
/// per delivered frame t/(1 - p). Among equals the highest rate; the lowest if no frame gets through at any
/// rate.
pub fn best(choices: impl Iterator<Item = Choice>) -> usize {
    let mut best = (0, f64::INFINITY);
    for (index, Choice { time, loss }) in choices.enumerate() {
        let cost = time.as_secs_f64() / (1.0 - loss.get());
        if cost.is_finite() && cost <= best.1 {
            best = (index, cost);
        }
    }
    best.0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn best_of(choices: &[(u64, f64)]) -> usize {
        best(choices.iter().map(|&(ms, loss)| Choice {
            time: Duration::from_millis(ms),
            loss: Probability::literal(loss),
        }))
    }

    /// The best rate has the smallest mean time per delivered frame: of 10/1 = 10 ms, 6/0.8 = 7.5 ms and
    /// 4/0.5 = 8 ms, the second.
    ///
    /// Verifies: [bicket-2005 §5]
    #[test]
    fn the_least_time_for_a_frame_that_gets_through() {
        assert_eq!(best_of(&[(10, 0.0), (6, 0.2), (4, 0.5)]), 1);
        assert_eq!(best_of(&[(10, 0.0), (6, 0.2), (4, 0.4)]), 2);
    }

    #[test]
    fn where_nothing_gets_through_the_lowest_and_among_equals_the_highest() {
        assert_eq!(best_of(&[(10, 1.0), (6, 1.0), (4, 1.0)]), 0);
        assert_eq!(best_of(&[(8, 0.0), (4, 0.5), (9, 1.0)]), 1);
    }
}
