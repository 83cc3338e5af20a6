//! The mean and the maximum over time of a level, such as a queue's length.

use airfair_units::{Duration, Time};

use super::Window;

#[derive(Clone, Debug, Default)]
pub(super) struct Level {
    current: u64,
    since: Time,
    max: u64,
    /// Sum of level · time since time 0 [ns].
    area: u128,
    /// That of the time before the window.
    before: u128,
    /// That of the steps of a series that have ended.
    closed: u128,
}

impl Level {
    /// The level is `level` from now on.
    pub(super) fn set(&mut self, now: Time, level: u64, window: Window) {
        // Several packets come and go at one instant.
        if now != self.since {
            self.charge(now, window);
        }
        self.current = level;
        if now < window.to {
            // What the warm-up leaves behind counts as soon as the window opens.
            self.max = if now < window.from { level } else { self.max.max(level) };
        }
    }

    fn charge(&mut self, now: Time, window: Window) {
        let area = |to: Time| {
            u128::from(self.current) * u128::from(to.saturating_since(self.since).as_nanos())
        };
        if self.since < window.from {
            self.before += area(now.min(window.from));
        }
        self.area += area(now);
        self.since = now;
    }

    /// Mean over a step of a series that was so long; the next one begins.
    #[expect(clippy::cast_precision_loss, reason = "a mean to 15 digits")]
    pub(super) fn close_step(&mut self, now: Time, length: Duration, window: Window) -> f64 {
        self.charge(now, window);
        let area = self.area - std::mem::replace(&mut self.closed, self.area);
        area as f64 / length.as_nanos() as f64
    }

    pub(super) fn max(&self) -> u64 {
        self.max
    }

    #[expect(clippy::cast_precision_loss, reason = "a mean to 15 digits")]
    pub(super) fn mean(mut self, window: Window) -> f64 {
        self.charge(window.to, window);
        (self.area - self.before) as f64 / (window.to - window.from).as_nanos() as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mean_weighs_each_level_with_the_time_it_lasted_inside_the_window() {
        let at = Time::from_nanos;
        let window = Window { from: at(10), to: at(20) };
        let mut level = Level::default();
        level.set(at(0), 4, window);
        level.set(at(15), 2, window);
        // 5 ns at 4 and 5 ns at 2
        assert_eq!(level.max(), 4);
        assert!((level.mean(window) - 3.0).abs() < 1e-12);
    }

    /// 4 for 5 ns and 2 for 5 ns, then 2 throughout; the window makes no difference.
    #[test]
    fn a_level_has_a_mean_in_each_step() {
        let at = Time::from_nanos;
        let window = Window { from: at(8), to: at(20) };
        let mut level = Level::default();
        level.set(at(0), 4, window);
        level.set(at(5), 2, window);
        let means = [10, 20].map(|end| level.close_step(at(end), Duration::from_nanos(10), window));
        assert!((means[0] - 3.0).abs() < 1e-12 && (means[1] - 2.0).abs() < 1e-12, "{means:?}");
        assert!((level.mean(window) - 2.0).abs() < 1e-12);
    }
}
