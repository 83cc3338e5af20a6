//! Signals that end a program.

use std::io::Result;
use std::os::fd::{AsFd, OwnedFd};

use airfair_units::Duration;

use super::calls;

/// SIGINT and SIGTERM as a file that can be waited for. The signals do not end the process.
#[derive(Debug)]
pub struct Signals(OwnedFd);

impl Signals {
    /// Blocks SIGINT and SIGTERM for this thread and the threads that it starts from now on.
    ///
    /// # Errors
    /// Returns the error of the operating system.
    pub fn take() -> Result<Self> {
        calls::signals().map(Self)
    }

    /// Waits at most `longest` for SIGINT or SIGTERM; true if one of them has arrived.
    ///
    /// # Errors
    /// Returns the error of the operating system.
    pub fn wait(&self, longest: Duration) -> Result<bool> {
        calls::await_input(self.0.as_fd(), longest)
    }
}
