//! Clock that lets a world return to Python.

use airfair_sim::clock::{Clock, Woken};
use airfair_units::Time;

use crate::law::Failure;

/// Number of events between two checks for Ctrl-C: some ten milliseconds.
const EVENTS: u32 = 65_536;

/// Clock that runs as fast as possible, and returns to its caller after [`EVENTS`] events.
#[derive(Clone, Debug)]
pub(crate) struct Interruptible {
    left: u32,
    /// True if laws in Python may raise exceptions, which stop the clock.
    has_laws: bool,
}

impl Clock for Interruptible {
    #[inline]
    fn wait_until(&mut self, _at: Time) -> Woken {
        if self.left == 0 || (self.has_laws && Failure::is_set()) {
            self.left = EVENTS;
            return Woken::Input;
        }
        self.left -= 1;
        Woken::Due
    }
}

impl Interruptible {
    pub(super) fn new(has_laws: bool) -> Self {
        Self { left: EVENTS, has_laws }
    }
}
