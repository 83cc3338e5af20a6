//! Intervals between losses, which decide for how long a loss counts.  [RFC8698 §4.2]

/// Weights of the intervals, from the last one.  [RFC5348 §5.4]
const WEIGHTS: [f64; 8] = [1.0, 1.0, 1.0, 1.0, 0.8, 0.6, 0.4, 0.2];

/// Numbers of packets between losses.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Losses {
    /// Packets since the last loss, and the intervals before it.
    intervals: [f64; 9],
    /// Number of losses so far, up to eight.
    count: usize,
    /// True if the packet before was lost.
    is_gap: bool,
}

impl Losses {
    /// Adds a packet. Packets that are lost in a row are one loss.
    pub(super) fn add(mut self, has_arrived: bool) -> Self {
        if !has_arrived {
            return Self { is_gap: true, ..self };
        }
        if self.is_gap {
            self.intervals.rotate_right(1);
            self.intervals[0] = 0.0;
            self.count = (self.count + 1).min(WEIGHTS.len());
        }
        self.intervals[0] += 1.0;
        Self { is_gap: false, ..self }
    }

    /// `loss_int`: average interval, with the current one if that makes it longer.  [RFC5348 §5.4]
    fn average(&self) -> f64 {
        let weights = &WEIGHTS[..self.count];
        let sum = |intervals: &[f64]| -> f64 {
            weights.iter().zip(intervals).map(|(weight, interval)| weight * interval).sum()
        };
        let [with, without] = [&self.intervals[..], &self.intervals[1..]].map(sum);
        with.max(without) / weights.iter().sum::<f64>()
    }

    /// Weight of the warped delay: one for `expiry` average intervals after a loss, and then down to zero over one more.
    pub(super) fn weight(&self, expiry: f64) -> f64 {
        if self.count == 0 {
            return 0.0;
        }
        (expiry + 1.0 - self.intervals[0] / self.average()).clamp(0.0, 1.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(packets: &[(usize, bool)]) -> Losses {
        let each =
            packets.iter().flat_map(|(count, arrived)| std::iter::repeat_n(*arrived, *count));
        each.fold(Losses::default(), Losses::add)
    }

    /// 100 packets, a loss, 50 packets, two lost in a row, 10 packets. The average is (50 + 100) / 2 = 75, and with the current
    /// 10 instead of the 100 it would be 30. After 400 packets it is (400 + 50) / 2 = 225.
    ///
    /// Verifies: [RFC5348 §5.4]
    #[test]
    fn the_average_has_the_current_interval_if_that_makes_it_longer() {
        let of = |last| after(&[(100, true), (1, false), (50, true), (2, false), (last, true)]);
        assert!((of(10).average() - 75.0).abs() < 1e-9);
        assert!((of(400).average() - 225.0).abs() < 1e-9);
    }

    /// Nine losses after 10 packets each, the oldest of which no longer count: the average is 10 with any weights.
    #[test]
    fn eight_intervals_count() {
        let mut packets = vec![(9_999, true)];
        packets.extend([(1, false), (10, true)].repeat(9));
        assert!((after(&packets).average() - 10.0).abs() < 1e-9);
    }

    /// Without a loss nothing is warped. A loss after 10 packets: while the current interval is the only one besides, the average
    /// grows with it, so the weight stays one.
    ///
    /// Verifies: [RFC8698 §4.2]
    #[test]
    fn a_loss_expires_after_some_intervals() {
        assert!(after(&[(100, true)]).weight(7.0).abs() < 1e-12);
        let one = after(&[(10, true), (1, false), (1_000, true)]);
        assert!((one.weight(7.0) - 1.0).abs() < 1e-12);
        // Eight losses after 10 packets each. With c packets since, the average is (c + 50 - …)/6: its weights are those of the
        // last seven intervals beside c: (c + 10 · 5) / 6. c / average = 7 is never reached, because 6 c / (c + 50) < 6.
        let mut packets = [(10, true), (1, false)].repeat(8);
        packets.push((100_000, true));
        let many = after(&packets);
        assert!((many.average() - 100_050.0 / 6.0).abs() < 1e-6);
        assert!((many.weight(7.0) - 1.0).abs() < 1e-12);
        // With an expiry of 5 intervals: 6 − 6 · 100 / 150 = 2, so one; of 4.5 and 1000 packets: 5.5 − 6 · 1000 / 1050 < 0.
        packets[16] = (1_000, true);
        assert!(after(&packets).weight(4.0).abs() < 1e-12);
        packets[16] = (100, true);
        assert!((after(&packets).weight(3.5) - 0.5).abs() < 1e-9);
    }
}
