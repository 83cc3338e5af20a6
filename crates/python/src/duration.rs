//! Durations from Python: a text with a unit, or a number of seconds.

use airfair_units::{Duration, Time};
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
    /// The duration, which is at least 1 ns.
    pub(crate) fn duration(&self) -> PyResult<Duration> {
        match self.nanos()? {
            0 => Err(PyValueError::new_err(format!(
                "a duration of {}: allowed are 1 ns and more",
                self.found()
            ))),
            ns => Ok(Duration::from_nanos(ns)),
        }
    }

    /// The point in time at this distance from time zero.
    pub(crate) fn time(&self) -> PyResult<Time> {
        match self {
            Self::Seconds(seconds) if seconds.is_nan() || *seconds < 0.0 => {
                Err(PyValueError::new_err(format!(
                    "a time of {}: allowed are 0 s and more",
                    self.found()
                )))
            }
            _ => self.nanos().map(Time::from_nanos),
        }
    }

    fn nanos(&self) -> PyResult<u64> {
        const SECOND: f64 = 1e9;
        match self {
            Self::Text(text) => match text.parse::<Duration>() {
                Ok(duration) => Ok(duration.as_nanos()),
                Err(why) => Err(PyValueError::new_err(format!("duration {text:?}: {why}"))),
            },
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "a float that is too large or negative saturates"
            )]
            Self::Seconds(seconds) => Ok((*seconds * SECOND).round() as u64),
        }
    }

    fn found(&self) -> String {
        match self {
            Self::Text(text) => text.clone(),
            Self::Seconds(seconds) if seconds.is_nan() => "nan s".to_owned(),
            Self::Seconds(seconds) => format!("{seconds} s"),
        }
    }
}

/// Number of nanoseconds of a duration such as "10 ms".
#[pyfunction]
pub(crate) fn duration_ns(text: &str) -> PyResult<u64> {
    let parsed = text.parse::<Duration>().map(Duration::as_nanos);
    parsed.map_err(|error| PyValueError::new_err(format!("{text:?}: {error}")))
}
