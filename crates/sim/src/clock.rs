//! The pace of a run.

use airfair_units::Time;

/// Decides when the world may go on to an event.
pub trait Clock {
    /// Returns when it is time for `at`.
    fn wait_until(&mut self, at: Time);
}

/// As fast as possible.
#[derive(Clone, Copy, Debug, Default)]
pub struct FreeRunning;

impl Clock for FreeRunning {
    fn wait_until(&mut self, _at: Time) {}
}
