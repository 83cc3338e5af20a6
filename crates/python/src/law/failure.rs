//! Exceptions of laws, on their way from the agent through the simulator to the caller in Python.

use std::cell::Cell;

use pyo3::prelude::*;

thread_local! {
    static IS_SET: Cell<bool> = const { Cell::new(false) };
    static ERROR: Cell<Option<PyErr>> = const { Cell::new(None) };
}

/// Exception that a law of the world on this thread has raised. A world runs on one thread at a time, and the clock
/// stops it when there is an exception.
pub(crate) struct Failure;

impl Failure {
    /// True if a law has raised an exception that nobody has taken.
    #[inline]
    pub(crate) fn is_set() -> bool {
        IS_SET.get()
    }

    /// Keeps the first exception, with a note that names the law, its node and the time.
    pub(crate) fn set(py: Python<'_>, error: PyErr, note: &str) {
        let _ = error.value(py).call_method1("add_note", (note,));
        if !IS_SET.replace(true) {
            ERROR.set(Some(error));
        }
    }

    /// Takes the exception.
    pub(crate) fn take() -> Option<PyErr> {
        IS_SET.set(false);
        ERROR.take()
    }
}
