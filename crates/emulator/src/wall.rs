//! Clock of an emulation outside the simulated cell.

use airfair_units::Duration;

/// Wall clock with a sleep that input interrupts.
pub(crate) trait Wall {
    /// Wall time since a fixed, arbitrary moment.
    fn now(&mut self) -> Duration;

    /// Sleeps until `at`; true if input came first or is waiting already.
    fn sleep_until(&mut self, at: Duration) -> bool;
}
