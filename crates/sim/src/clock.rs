//! Clocks, which set the pace of a run: as fast as possible, or by wall-clock time.

use airfair_units::{Duration, Time};

/// Pace of a run: the world asks its clock before it moves on to the next event.
pub trait Clock {
    /// Waits until `at`, or until there is input from outside. `at` is the time of the next event, or the end of the
    /// period that the owner of the world wants to run.
    ///
    /// Successive values of `at` never decrease. A clock that is late returns [`Woken::Late`] even if there is input,
    /// so that the world catches up before it receives more work.
    fn wait_until(&mut self, at: Time) -> Woken;
}

/// Reason for which a clock waits no longer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Woken {
    /// The awaited time has been reached.
    Due,
    /// The awaited time had already passed when the clock was asked to wait, by this duration.
    Late(Duration),
    /// Input from outside has come before the awaited time: the run returns to its caller.
    Input,
}

/// Clock that never waits, so that a run goes as fast as possible.
#[derive(Clone, Copy, Debug, Default)]
pub struct FreeRunning;

impl Clock for FreeRunning {
    #[inline]
    fn wait_until(&mut self, _at: Time) -> Woken {
        Woken::Due
    }
}
