//! Run of a scenario that Python advances in steps, with trace files or without.

use airfair_sim::clock::{Clock, Woken};
use airfair_sim::observe::{Observation, Observed};
use airfair_sim::outcome::Outcome;
use airfair_sim::random::Streams;
use airfair_sim::run::{RunError, Simulation};
use airfair_sim::scenario::Scenario;
use airfair_units::{Duration, Time};
use pyo3::Borrowed;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyString;

use crate::law::Failure;
use crate::trace::TraceWriters;

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

/// Run of a scenario, with the writers of trace files or without.
#[derive(Clone)]
pub(crate) enum Stepped {
    Plain(Box<Simulation<Observed<()>, Interruptible>>),
    Traced(Box<Simulation<Observed<TraceWriters>, Interruptible>>),
}

/// Evaluates an expression for the simulation, with trace files or without.
macro_rules! with {
    ($stepped:expr, $simulation:ident => $value:expr) => {
        match $stepped {
            $crate::world::stepped::Stepped::Plain($simulation) => $value,
            $crate::world::stepped::Stepped::Traced($simulation) => $value,
        }
    };
}
pub(crate) use with;

impl Stepped {
    /// Creates a run of `scenario` at time zero, which may have laws in Python.
    pub(crate) fn new(
        scenario: &Scenario,
        streams: Streams,
        writers: Option<TraceWriters>,
        has_laws: bool,
    ) -> Self {
        let clock = Interruptible { left: EVENTS, has_laws };
        match writers {
            None => {
                let recorder = Observed::new(scenario, ());
                Self::Plain(Box::new(Simulation::new(scenario, streams, recorder, clock)))
            }
            Some(writers) => {
                let recorder = Observed::new(scenario, writers);
                Self::Traced(Box::new(Simulation::new(scenario, streams, recorder, clock)))
            }
        }
    }

    pub(crate) fn now(&self) -> Time {
        with!(self, it => it.now())
    }

    /// Runs until the time `until`, or until the clock returns early: [`RunError::Cancelled`].
    pub(crate) fn advance(&mut self, until: Time) -> Result<(), RunError> {
        with!(self, it => it.advance(until))
    }

    /// Activity since the last observation.
    pub(crate) fn observe(&mut self) -> Observation {
        with!(self, it => it.world().observe())
    }

    /// Ends the run at the current time, and closes its trace files.
    pub(crate) fn finish(self, scenario: &Scenario, seed: u64, replication: u32) -> Outcome {
        let finished = match self {
            Self::Plain(it) => it.finish().map(|it| it.into_parts().0),
            Self::Traced(it) => it.finish().map(|it| it.into_parts().0),
        };
        finished.outcome(scenario, seed, replication)
    }
}

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
