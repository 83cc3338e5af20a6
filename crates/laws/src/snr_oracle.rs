//! The rate that somebody would choose who knew the channel: the least time for a frame that gets through.
//!
//! Source: the metric of [bicket-2005 §5], with losses that are known instead of sampled. No station knows the
//! loss of rates that it does not use, so this is no scheme but the bound that schemes are measured against. It
//! knows the loss of a frame of ordinary size now; who collides with it, it does not know. It remembers nothing, so
//! that there is no `step`.

use airfair_units::{Duration, Probability};

/// One rate that could be used.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Choice {
    /// Time of a frame of ordinary size, its ACK and the gaps included.
    pub time: Duration,
    /// Probability that it is lost.
    pub loss: Probability,
}

/// Place of the best of `choices`, in ascending order of rate: t/(1 - p) is least. Among equals the higher
/// rate; the lowest where nothing gets through.
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

    /// Verifies: [bicket-2005 §5]
    ///
    /// 10/1 = 10 ms, 6/0.8 = 7.5 ms, 4/0.5 = 8 ms for a frame that gets through.
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
