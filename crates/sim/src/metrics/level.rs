//! Mean and maximum over time of a level, such as a queue's length.

use airfair_units::{Duration, Time};

use super::measured_time::MeasuredTime;

#[derive(Clone, Debug, Default)]
pub(super) struct Level {
    current: u64,
    since: Time,
    max: u64,
    /// Integral of the level, such as a queue's length, over time since time 0 [level · ns].
    area: u128,
    /// Value of `area`, the integral of the level over time, at the start of the measured time.
    before: u128,
    /// Value of `area`, the integral of the level over time, at the end of the last finished interval of the time
    /// series.
    closed: u128,
}

impl Level {
    /// Sets the level, such as a queue's length in packets, that holds from `now` on.
    pub(super) fn set(&mut self, now: Time, level: u64, measured_time: MeasuredTime) {
        // Several packets may come and go at one instant.
        if now != self.since {
            self.charge(now, measured_time);
        }
        self.current = level;
        if now < measured_time.to {
            // The level that the warm-up leaves behind counts as soon as the measured time begins.
            self.max = if now < measured_time.from { level } else { self.max.max(level) };
        }
    }

    fn charge(&mut self, now: Time, measured_time: MeasuredTime) {
        let area = |to: Time| {
            u128::from(self.current) * u128::from(to.saturating_since(self.since).as_nanos())
        };
        if self.since < measured_time.from {
            self.before += area(now.min(measured_time.from));
        }
        self.area += area(now);
        self.since = now;
    }

    /// Ends the current step, one interval of the time series, at `now`. Returns the mean level over the step, whose
    /// length is `length`.
    #[expect(clippy::cast_precision_loss, reason = "a mean to 15 digits")]
    pub(super) fn close_step(
        &mut self,
        now: Time,
        length: Duration,
        measured_time: MeasuredTime,
    ) -> f64 {
        self.charge(now, measured_time);
        let area = self.area - std::mem::replace(&mut self.closed, self.area);
        area as f64 / length.as_nanos() as f64
    }

    pub(super) fn max(&self) -> u64 {
        self.max
    }

    #[expect(clippy::cast_precision_loss, reason = "a mean to 15 digits")]
    pub(super) fn mean(mut self, measured_time: MeasuredTime) -> f64 {
        self.charge(measured_time.to, measured_time);
        (self.area - self.before) as f64 / (measured_time.to - measured_time.from).as_nanos() as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mean_weighs_each_level_with_the_time_it_lasted_inside_the_measured_time() {
        let at = Time::from_nanos;
        let measured_time = MeasuredTime { from: at(10), to: at(20) };
        let mut level = Level::default();
        level.set(at(0), 4, measured_time);
        level.set(at(15), 2, measured_time);
        // 5 ns at 4 and 5 ns at 2
        assert_eq!(level.max(), 4);
        assert!((level.mean(measured_time) - 3.0).abs() < 1e-12);
    }

    /// A level has a mean in each step of the time series, in the measured time or not. The level is 4 for 5 ns, then
    /// 2, and steps take 10 ns.
    #[test]
    fn a_level_has_a_mean_in_each_step() {
        let at = Time::from_nanos;
        let measured_time = MeasuredTime { from: at(8), to: at(20) };
        let mut level = Level::default();
        level.set(at(0), 4, measured_time);
        level.set(at(5), 2, measured_time);
        let means =
            [10, 20].map(|end| level.close_step(at(end), Duration::from_nanos(10), measured_time));
        assert!((means[0] - 3.0).abs() < 1e-12 && (means[1] - 2.0).abs() < 1e-12, "{means:?}");
        assert!((level.mean(measured_time) - 2.0).abs() < 1e-12);
    }
}
