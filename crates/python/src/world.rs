//! Worlds that Python steps, observes and changes.

use airfair_sim::clock::{Clock, Woken};
use airfair_sim::observe::{self, Objects, Observed};
use airfair_sim::random::Streams;
use airfair_sim::run::{self, Simulation};
use airfair_units::{Duration, Time};
use numpy::PyArray1;
use pyo3::exceptions::{PyAttributeError, PyValueError};
use pyo3::prelude::*;

use crate::batch::{Outcome, RunError};
use crate::panics;
use crate::scenario::Scenario;
use crate::trace::{Tracing, Writers};

/// Number of events between two checks for Ctrl-C: some ten milliseconds.
const EVENTS: u32 = 65_536;

/// Clock that runs as fast as possible, and returns to its caller after [`EVENTS`] events.
#[derive(Clone, Debug)]
struct Interruptible {
    left: u32,
}

impl Clock for Interruptible {
    #[inline]
    fn wait_until(&mut self, _at: Time) -> Woken {
        if self.left == 0 {
            self.left = EVENTS;
            return Woken::Input;
        }
        self.left -= 1;
        Woken::Due
    }
}

/// Run of a scenario, with the writers of trace files or without.
enum Stepped {
    Plain(Box<Simulation<Observed<()>, Interruptible>>),
    Traced(Box<Simulation<Observed<Writers>, Interruptible>>),
}

/// Evaluates an expression for the simulation of either kind.
macro_rules! with {
    ($stepped:expr, $simulation:ident => $value:expr) => {
        match $stepped {
            Stepped::Plain($simulation) => $value,
            Stepped::Traced($simulation) => $value,
        }
    };
}

/// One replication of a scenario, which the owner advances in steps.
#[pyclass(module = "airfair._core")]
pub(crate) struct World {
    scenario: Py<Scenario>,
    seed: u64,
    replication: u32,
    /// `None` once the run is over and its outcome has been taken.
    stepped: Option<Stepped>,
    tracing: Option<Py<Tracing>>,
}

#[pymethods]
impl World {
    /// Builds the world of a scenario at time 0. `tracing` are open trace files, which the run
    /// writes.
    #[new]
    #[pyo3(signature = (scenario, *, seed, replication, tracing = None))]
    fn new(
        py: Python<'_>,
        scenario: Py<Scenario>,
        seed: u64,
        replication: u32,
        tracing: Option<Py<Tracing>>,
    ) -> PyResult<Self> {
        let inner = &scenario.get().inner;
        let writers = tracing.as_ref().and_then(|tracing| tracing.get().take());
        let build = || {
            let streams = Streams::new(seed, replication);
            let clock = Interruptible { left: EVENTS };
            match writers {
                None => Stepped::Plain(Box::new(Simulation::new(
                    inner,
                    streams,
                    Observed::new(inner, ()),
                    clock,
                ))),
                Some(writers) => Stepped::Traced(Box::new(Simulation::new(
                    inner,
                    streams,
                    Observed::new(inner, writers),
                    clock,
                ))),
            }
        };
        let stepped = Some(py.detach(|| panics::caught(build)).map_err(RunError::new_err)?);
        Ok(Self { scenario, seed, replication, stepped, tracing })
    }

    /// Time of the world [ns]: everything before it has happened.
    #[getter]
    fn now_ns(&self) -> PyResult<u64> {
        Ok(with!(self.stepped()?, it => it.now()).as_nanos())
    }

    /// Advances the world by a duration [ns], or to the end of the scenario if that is earlier, and
    /// returns what happened since the last observation.
    fn advance(&mut self, py: Python<'_>, by_ns: u64) -> PyResult<Observation> {
        if by_ns == 0 {
            return Err(PyValueError::new_err("a step must be longer than 0 s"));
        }
        let stepped = self.stepped.as_mut().ok_or_else(over)?;
        let until = with!(stepped, it => it.now()) + Duration::from_nanos(by_ns);
        loop {
            let advanced = py.detach(|| panics::caught(|| with!(stepped, it => it.advance(until))));
            match advanced {
                Ok(Ok(())) => break,
                Ok(Err(run::RunError::Cancelled)) => py.check_signals()?,
                Err(sentence) => {
                    self.stepped = None;
                    return Err(RunError::new_err(sentence));
                }
            }
        }
        let seen = with!(stepped, it => it.world().observe());
        Ok(Observation { seen, counts: self.counts() })
    }

    /// Copy of the world, which continues from the same state. A copy writes no trace files.
    fn copy(&self, py: Python<'_>) -> PyResult<Self> {
        let Stepped::Plain(simulation) = self.stepped()? else {
            return Err(PyValueError::new_err("a world that writes trace files cannot be copied"));
        };
        let simulation = py.detach(|| simulation.clone());
        Ok(Self {
            scenario: self.scenario.clone_ref(py),
            seed: self.seed,
            replication: self.replication,
            stepped: Some(Stepped::Plain(simulation)),
            tracing: None,
        })
    }

    /// Ends the run at the current time and returns its outcome.
    fn finish(&mut self, py: Python<'_>) -> PyResult<Outcome> {
        let scenario = &self.scenario.get().inner;
        let stepped = self.stepped.take().ok_or_else(over)?;
        let (seed, replication) = (self.seed, self.replication);
        let inner = match stepped {
            Stepped::Plain(it) => {
                let finished = it.finish().map(Observed::into_parts);
                finished.map(|(metrics, ())| metrics).outcome(scenario, seed, replication)
            }
            Stepped::Traced(it) => {
                let mut writers = None;
                let finished = it.finish().map(Observed::into_parts).map(|(metrics, also)| {
                    writers = Some(also);
                    metrics
                });
                if let (Some(tracing), Some(writers)) = (&self.tracing, writers) {
                    tracing.get().put_back(writers);
                }
                finished.outcome(scenario, seed, replication)
            }
        };
        let _ = py;
        Ok(Outcome { inner })
    }
}

impl World {
    fn stepped(&self) -> PyResult<&Stepped> {
        self.stepped.as_ref().ok_or_else(over)
    }

    /// Number of flows, stations, cells and directions of links.
    fn counts(&self) -> [usize; 4] {
        let scenario = &self.scenario.get().inner;
        let links = scenario.links.len() * 2;
        [scenario.flows.len(), scenario.stations.len(), scenario.cells.len(), links]
    }
}

/// Activity of a world during one step, as arrays in the order of the scenario.
#[pyclass(frozen, module = "airfair._core")]
pub(crate) struct Observation {
    seen: observe::Observation,
    counts: [usize; 4],
}

#[pymethods]
impl Observation {
    /// Time at the end of the step [s].
    #[getter]
    fn at_s(&self) -> f64 {
        (self.seen.at - Time::ZERO).as_secs_f64()
    }

    /// Length of the step [s].
    #[getter]
    fn length_s(&self) -> f64 {
        self.seen.length.as_secs_f64()
    }

    /// Values of a column, one for each flow, station, cell or direction of a link.
    fn __getattr__<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let mut from = 0;
        for (objects, column, _) in observe::columns() {
            let length = self.counts[objects as usize];
            if column == name {
                return Ok(PyArray1::from_slice(py, &self.seen.values[from..from + length]));
            }
            from += length;
        }
        Err(PyAttributeError::new_err(format!("an observation has no column {name:?}")))
    }
}

/// All columns of an observation, in order: objects ("flows", "stations", "cells" or "links"), name
/// and meaning.
#[pyfunction]
pub(crate) fn observation_columns() -> Vec<(&'static str, &'static str, &'static str)> {
    let word = |objects| match objects {
        Objects::Flows => "flows",
        Objects::Stations => "stations",
        Objects::Cells => "cells",
        Objects::Links => "links",
    };
    let columns = observe::columns().into_iter();
    columns.map(|(objects, name, meaning)| (word(objects), name, meaning)).collect()
}

fn over() -> PyErr {
    RunError::new_err("the world has ended: its result has been taken")
}
