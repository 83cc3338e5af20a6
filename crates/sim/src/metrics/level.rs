//! The mean and the maximum over time of a level, such as a queue's length.

use airfair_units::Time;

use super::Window;

#[derive(Clone, Debug, Default)]
pub(super) struct Level {
    current: u32,
    since: Time,
    max: u32,
    /// Sum of level · time [ns].
    area: u128,
}

impl Level {
    /// The level is `level` from now on.
    pub(super) fn set(&mut self, now: Time, level: u32, window: Window) {
        self.charge(now, window);
        self.current = level;
        if now < window.to {
            // What the warm-up leaves behind counts as soon as the window opens.
            self.max = if now < window.from { level } else { self.max.max(level) };
        }
    }

    fn charge(&mut self, now: Time, window: Window) {
        let counted = window.clip(self.since, now).as_nanos();
        self.area += u128::from(self.current) * u128::from(counted);
        self.since = now;
    }

    pub(super) fn max(&self) -> u32 {
        self.max
    }

    #[expect(clippy::cast_precision_loss, reason = "a mean to 15 digits")]
    pub(super) fn mean(mut self, window: Window) -> f64 {
        self.charge(window.to, window);
        self.area as f64 / (window.to - window.from).as_nanos() as f64
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
}
