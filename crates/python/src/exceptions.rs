//! Exceptions that the package raises.

use pyo3::create_exception;
use pyo3::exceptions::{PyRuntimeError, PyValueError};

create_exception!(airfair._core, RunError, PyRuntimeError, "A run failed.");

create_exception!(
    airfair._core,
    ScenarioError,
    PyValueError,
    "A scenario has mistakes; `problems` has one line for each."
);
