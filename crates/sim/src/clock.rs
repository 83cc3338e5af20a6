//! The pace of a run.

use airfair_units::{Duration, Time};

/// Decides when the world may go on to an event.
pub trait Clock {
    /// Waits for `at`, the time of the next event or the end of what was asked for, or for input.
    ///
    /// Times never decrease. A clock that is late says so, input or not, so that the world catches up before it is
    /// given more to do.
    fn wait_until(&mut self, at: Time) -> Woken;
}

/// The reason why a clock has ended its wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Woken {
    /// The time has come.
    Due,
    /// The time has passed, so long ago.
    Late(Duration),
    /// Someone outside wants something before the time has come: the world hands over to its owner.
    Input,
}

/// As fast as possible.
#[derive(Clone, Copy, Debug, Default)]
pub struct FreeRunning;

impl Clock for FreeRunning {
    #[inline]
    fn wait_until(&mut self, _at: Time) -> Woken {
        Woken::Due
    }
}
