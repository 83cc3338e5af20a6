//! Loss event rate p from the lengths of loss intervals.  [RFC5348 §5.3 to §5.5]
//!
//! The receiver's part of the law has one state transition, [`LossIntervals::complete`], and p is a function
//! of the state, so there is no `step`.

/// n: number of completed loss intervals in the average.  [RFC5348 §5.4]
pub const INTERVALS: usize = 8;

/// Weights of the loss intervals from the newest to the oldest.  [RFC5348 §5.4]
pub const WEIGHTS: [f64; INTERVALS] = [1.0, 1.0, 1.0, 1.0, 0.8, 0.6, 0.4, 0.2];

/// History discounting: reduction of the weights of older intervals after a long time without loss.
/// [RFC5348 §5.5]
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Discounting {
    /// No history discounting.
    Off,
    /// History discounting with this smallest factor: 0.25 in the RFC, 0.5 in ns-2 (`minDiscountRatio_`).
    Threshold(f64),
}

/// Lengths of the intervals between loss events [packets].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LossIntervals {
    /// `I_1`, `I_2` …: completed loss intervals, the newest first.
    completed: [f64; INTERVALS],
    /// `DF_1`, `DF_2` …: discount factors of the completed loss intervals.
    discounts: [f64; INTERVALS],
    count: usize,
}

impl Default for LossIntervals {
    fn default() -> Self {
        Self { completed: [0.0; INTERVALS], discounts: [1.0; INTERVALS], count: 0 }
    }
}

impl LossIntervals {
    /// True before the first loss event, when the loss event rate p is 0.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Lengths and discount factors of the completed loss intervals, the newest first.
    fn known(&self) -> impl Iterator<Item = (f64, f64)> {
        self.completed.iter().copied().zip(self.discounts).take(self.count)
    }

    /// Completes an interval of `length` packets, at least 1, at a loss event.  [RFC5348 §5.3]
    ///
    /// The current discount factor `DF` becomes permanent for the older intervals.  [RFC5348 §5.5],
    /// [RFC3448 §5.5, erratum 1459]
    #[must_use]
    pub fn complete(mut self, length: f64, discounting: Discounting) -> Self {
        let discount = self.discount(length, discounting);
        for older in &mut self.discounts {
            *older *= discount;
        }
        self.completed.rotate_right(1);
        self.discounts.rotate_right(1);
        self.completed[0] = length.max(1.0);
        self.discounts[0] = 1.0;
        self.count = (self.count + 1).min(INTERVALS);
        self
    }

    /// `DF`: discount factor for a current loss interval of this length: 2·`I_mean`/`I_0`, between the
    /// threshold and 1. [RFC5348 §5.5]
    fn discount(&self, current: f64, discounting: Discounting) -> f64 {
        let Discounting::Threshold(threshold) = discounting else { return 1.0 };
        if self.is_empty() {
            return 1.0;
        }
        let (total, weight) = self.completed_sum();
        let mean = total / weight;
        if current > 2.0 * mean { (2.0 * mean / current).max(threshold) } else { 1.0 }
    }

    /// `I_tot1` and `W_tot1`: weighted sum of the completed intervals, and sum of the weights.
    fn completed_sum(&self) -> (f64, f64) {
        let (mut total, mut weight) = (0.0, 0.0);
        for (base, (length, discount)) in WEIGHTS.iter().zip(self.known()) {
            let share = base * discount;
            total += length * share;
            weight += share;
        }
        (total, weight)
    }

    /// Loss event rate p with a current interval `I_0` of `current` packets; 0 before the first loss event.
    /// [RFC5348 §5.4 and §5.5]
    ///
    /// The current interval counts only if it lowers p, because it has not ended with a loss.
    #[must_use]
    pub fn loss_event_rate(&self, current: f64, discounting: Discounting) -> f64 {
        if self.is_empty() {
            return 0.0;
        }
        let discount = self.discount(current, discounting);
        let (mut total, mut weight) = (current * WEIGHTS[0], WEIGHTS[0]);
        // The oldest interval is left out for the current one.
        let newer = self.known().take(self.count - 1);
        for (base, (length, earned)) in WEIGHTS[1..].iter().zip(newer) {
            let share = base * earned * discount;
            total += length * share;
            weight += share;
        }
        let (completed_total, completed_weight) = self.completed_sum();
        let mean = (total / weight).max(completed_total / completed_weight);
        1.0 / mean.max(1.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const RFC: Discounting = Discounting::Threshold(0.25);

    /// Loss intervals of these lengths, completed one after the other, the oldest first.
    fn intervals(lengths: &[f64], discounting: Discounting) -> LossIntervals {
        lengths.iter().fold(LossIntervals::default(), |intervals, &length| {
            intervals.complete(length, discounting)
        })
    }

    #[track_caller]
    fn assert_mean(intervals: LossIntervals, current: f64, discounting: Discounting, mean: f64) {
        let found = 1.0 / intervals.loss_event_rate(current, discounting);
        assert!((found - mean).abs() < 1e-9, "{found} is not {mean}");
    }

    /// The mean of eight loss intervals has the RFC's weights, and the current interval counts only if it
    /// raises the mean.
    ///
    /// Verifies: [RFC5348 §5.4]
    #[test]
    fn eight_intervals_have_the_weights_of_the_rfc() {
        // newest to oldest 80 70 60 50 40 30 20 10:
        // 80+70+60+50 + .8·40 + .6·30 + .4·20 + .2·10 = 320; weights 4 + .8 + .6 + .4 + .2 = 6
        let all = intervals(&[10.0, 20.0, 30.0, 40.0, 50.0, 60.0, 70.0, 80.0], Discounting::Off);
        assert_mean(all, 0.0, Discounting::Off, 320.0 / 6.0);
        // With I_0 = 100: 100+80+70+60 + .8·50 + .6·40 + .4·30 + .2·20 = 390, more than 320
        assert_mean(all, 100.0, Discounting::Off, 65.0);
        // I_0 = 30: the sum is 320, as without it; one packet less does not lower the mean
        assert_mean(all, 30.0, Discounting::Off, 320.0 / 6.0);
        assert_mean(all, 29.0, Discounting::Off, 320.0 / 6.0);
        // A ninth interval of 90 replaces the oldest: 90+80+70+60 + 40 + 24 + 12 + 4 = 380
        assert_mean(all.complete(90.0, Discounting::Off), 0.0, Discounting::Off, 380.0 / 6.0);
    }

    /// With fewer than eight loss intervals the mean is over those that there are.
    ///
    /// Verifies: [RFC5348 §5.4]
    #[test]
    fn fewer_intervals_are_averaged_over_what_there_is() {
        assert!(LossIntervals::default().loss_event_rate(1e6, RFC).abs() < f64::EPSILON);
        let one = intervals(&[50.0], Discounting::Off);
        assert_mean(one, 10.0, Discounting::Off, 50.0);
        // k = 1: the other sum consists of the current interval only.
        assert_mean(one, 60.0, Discounting::Off, 60.0);
        let two = intervals(&[50.0, 30.0], Discounting::Off);
        // max((I_0 + 30)/2, (30 + 50)/2)
        assert_mean(two, 10.0, Discounting::Off, 40.0);
        assert_mean(two, 70.0, Discounting::Off, 50.0);
    }

    /// A current interval of more than twice the mean lowers the weights of the older ones.
    ///
    /// Verifies: [RFC5348 §5.5]
    #[test]
    fn a_long_current_interval_takes_weight_from_the_others() {
        let eight = intervals(&[100.0; 8], RFC);
        // I_0 = 200 is not more than twice the mean: 200 + 5·100 over 6
        assert_mean(eight, 200.0, RFC, 700.0 / 6.0);
        // I_0 = 400: DF = 200/400 = .5; 400 + .5·500 = 650 over 1 + .5·5 = 3.5
        assert_mean(eight, 400.0, RFC, 650.0 / 3.5);
        // I_0 = 1000: 200/1000 = .2, not below .25: 1000 + .25·500 = 1125 over 1 + .25·5 = 2.25
        assert_mean(eight, 1_000.0, RFC, 500.0);
        // ns-2's threshold .5: 1000 + 250 over 3.5
        assert_mean(eight, 1_000.0, Discounting::Threshold(0.5), 1_250.0 / 3.5);
    }

    /// A discount factor stays with the intervals that were completed before the long one.
    ///
    /// Verifies: [RFC5348 §5.5], [RFC3448 §5.5, erratum 1459]
    #[test]
    fn a_discount_stays_with_the_intervals_it_was_earned_over() {
        // 400 after eight of 100: the older intervals keep DF = .5, the 400 has 1
        let nine = intervals(&[100.0; 8], RFC).complete(400.0, RFC);
        // 400 + .5·100·(1+1+1+.8+.6+.4+.2 = 5) = 650 over 1 + 2.5
        assert_mean(nine, 0.0, RFC, 650.0 / 3.5);
        // The next of 400 is more than twice 185.7: DF = 371.43/400 = .92857, multiplied for all older
        // intervals
        let discount = 2.0 * (650.0 / 3.5) / 400.0;
        // Newest 400 (1), 400 (DF), 100 with .5·DF and the weights 1+1+.8+.6+.4+.2 = 4
        let mean =
            (400.0 + discount * (400.0 + 0.5 * 400.0)) / (1.0 + discount * (1.0 + 0.5 * 4.0));
        assert_mean(nine.complete(400.0, RFC), 0.0, RFC, mean);
    }

    proptest! {
        /// For any intervals p is a probability, and a longer current interval never raises it.
        #[test]
        fn p_falls_while_nothing_is_lost(
            lengths in prop::collection::vec(1u32..100_000, 1..20),
            current in 0u32..1_000_000,
            threshold in prop::option::of(1u32..=100),
        ) {
            let discounting = threshold
                .map_or(Discounting::Off, |percent| Discounting::Threshold(f64::from(percent) / 100.0));
            let lengths: Vec<f64> = lengths.into_iter().map(f64::from).collect();
            let intervals = intervals(&lengths, discounting);
            let now = intervals.loss_event_rate(f64::from(current), discounting);
            let later = intervals.loss_event_rate(f64::from(current) * 1.5 + 1.0, discounting);
            prop_assert!(0.0 < now && now <= 1.0);
            prop_assert!(later <= now * (1.0 + 1e-12));
        }
    }
}
