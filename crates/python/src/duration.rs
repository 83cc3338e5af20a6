//! Durations from Python: a text with a unit, or a number of seconds.

use airfair_units::Duration;
use pyo3::Borrowed;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyString;

/// Duration from Python, such as the length of a step.
pub(crate) enum By {
    /// Text with a unit.
    Text(String),
    /// Number of seconds.
    Seconds(f64),
}

impl<'py> FromPyObject<'_, 'py> for By {
    type Error = PyErr;

    /// Looks at the type first: a failed conversion would build an exception, which takes longer than a step.
    fn extract(by: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        if by.is_instance_of::<PyString>() {
            return by.extract().map(Self::Text);
        }
        by.extract().map(Self::Seconds)
    }
}

impl By {
    pub(crate) fn duration(&self) -> PyResult<Duration> {
        const SECOND: f64 = 1e9;
        let error = |found: &dyn std::fmt::Display| {
            PyValueError::new_err(format!("a duration of {found}: allowed are 1 ns and more"))
        };
        match self {
            Self::Text(text) => match text.parse::<Duration>() {
                Ok(Duration::ZERO) => Err(error(text)),
                Ok(duration) => Ok(duration),
                Err(why) => Err(PyValueError::new_err(format!("duration {text:?}: {why}"))),
            },
            Self::Seconds(seconds) => {
                #[expect(
                    clippy::cast_possible_truncation,
                    clippy::cast_sign_loss,
                    reason = "a float that is too large or negative saturates"
                )]
                let ns = (*seconds * SECOND).round() as u64;
                if ns == 0 {
                    let found = if seconds.is_nan() { "nan" } else { &seconds.to_string() };
                    return Err(error(&format!("{found} s")));
                }
                Ok(Duration::from_nanos(ns))
            }
        }
    }
}

/// Number of nanoseconds of a duration such as "10 ms".
#[pyfunction]
pub(crate) fn duration_ns(text: &str) -> PyResult<u64> {
    let parsed = text.parse::<Duration>().map(Duration::as_nanos);
    parsed.map_err(|error| PyValueError::new_err(format!("{text:?}: {error}")))
}
