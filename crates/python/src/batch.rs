//! Many runs on all cores, one queue for all of them.

#![expect(
    clippy::disallowed_types,
    reason = "this crate touches the operating system: the waiting thread wakes by the wall clock"
)]

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;

use airfair_sim::outcome;
use airfair_sim::run::{self as sim, Control};
use pyo3::create_exception;
use pyo3::exceptions::{PyKeyboardInterrupt, PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::panics;
use crate::scenario::Scenario;

create_exception!(airfair._core, RunError, PyRuntimeError, "A run failed.");

/// Period in which the waiting thread shows progress and looks for Ctrl-C.
const WAKE: std::time::Duration = std::time::Duration::from_millis(100);

/// Measurements of one run; `tables` turns them into columns.
#[pyclass(frozen, module = "airfair._core")]
pub(crate) struct Outcome {
    pub(crate) inner: outcome::Outcome,
}

#[pymethods]
impl Outcome {
    /// Which replication, from 0.
    #[getter]
    fn replication(&self) -> u32 {
        self.inner.replication
    }

    /// Seed that it ran with.
    #[getter]
    fn seed(&self) -> u64 {
        self.inner.seed
    }

    /// Measured time: the run without its warm-up [ns].
    #[getter]
    fn elapsed_ns(&self) -> u64 {
        self.inner.elapsed.as_nanos()
    }

    /// Events processed.
    #[getter]
    fn events(&self) -> u64 {
        self.inner.events
    }

    /// Hash of every record: equal runs have equal hashes.
    #[getter]
    fn record_hash(&self) -> u64 {
        self.inner.record_hash
    }

    /// Everything in it, as only this very build of airfair reads it.
    fn to_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let octets = postcard::to_allocvec(&self.inner)
            .map_err(|error| PyValueError::new_err(format!("an outcome: {error}")))?;
        Ok(PyBytes::new(py, &octets))
    }

    /// The outcome that `to_bytes` wrote; raises `ValueError` for anything else.
    #[staticmethod]
    fn from_bytes(octets: &[u8]) -> PyResult<Self> {
        match postcard::take_from_bytes(octets) {
            Ok((inner, [])) => Ok(Self { inner }),
            Ok(_) => Err(PyValueError::new_err("an outcome: more octets than it has")),
            Err(error) => Err(PyValueError::new_err(format!("an outcome: {error}"))),
        }
    }
}

/// Runs that `run` finished.
#[pyclass(frozen, module = "airfair._core")]
pub(crate) struct Batch {
    outcomes: Vec<Option<Py<Outcome>>>,
    interrupted: bool,
}

#[pymethods]
impl Batch {
    /// One per job, in the jobs' order; `None` for a job that Ctrl-C or a signal stopped.
    #[getter]
    fn outcomes(&self, py: Python<'_>) -> Vec<Option<Py<Outcome>>> {
        self.outcomes.iter().map(|outcome| outcome.as_ref().map(|o| o.clone_ref(py))).collect()
    }

    /// True if Ctrl-C stopped some.
    #[getter]
    fn interrupted(&self) -> bool {
        self.interrupted
    }
}

/// One run to do.
struct Job<'a> {
    scenario: &'a airfair_sim::scenario::Scenario,
    seed: u64,
    replication: u32,
}

/// Fate of a job: an outcome, nothing (cancelled), or the sentence of a broken promise.
type Slot = Option<Result<outcome::Outcome, String>>;

/// Runs jobs, each a (scenario, seed, replication), on `threads` threads (all cores by default).
///
/// They start in order. About ten times per second `progress` gets the simulated share of the work that
/// is done. Ctrl-C ends what runs and returns what was finished; any other exception of `progress`
/// ends what runs and is raised.
#[pyfunction]
#[pyo3(signature = (jobs, *, threads = None, progress = None))]
pub(crate) fn run(
    py: Python<'_>,
    jobs: Vec<(Py<Scenario>, u64, u32)>,
    threads: Option<usize>,
    progress: Option<Py<PyAny>>,
) -> PyResult<Batch> {
    if threads == Some(0) {
        return Err(PyValueError::new_err("threads = 0: allowed is 1 or more"));
    }
    let jobs: Vec<Job<'_>> = jobs
        .iter()
        .map(|(scenario, seed, replication)| {
            let scenario = &scenario.get().inner;
            Job { scenario, seed: *seed, replication: *replication }
        })
        .collect();
    let threads = threads
        .or_else(|| thread::available_parallelism().ok().map(usize::from))
        .map_or(1, |threads| threads.min(jobs.len()));

    let control = Control::default();
    let total: f64 = jobs.iter().map(|job| job.scenario.duration.as_secs_f64()).sum();
    let watch = || {
        #[expect(clippy::cast_precision_loss, reason = "a progress bar")]
        let done = control.simulated_ns.load(Ordering::Relaxed) as f64 * 1e-9;
        Python::attach(|py| {
            if let Some(progress) = &progress {
                progress.call1(py, ((done / total).min(1.0),))?;
            }
            py.check_signals()
        })
    };
    let (slots, watched) = py.detach(|| run_all(&jobs, threads, &control, watch));

    let interrupted = match watched {
        Err(error) if error.is_instance_of::<PyKeyboardInterrupt>(py) => true,
        Err(error) => return Err(error),
        Ok(()) => false,
    };
    let mut outcomes = Vec::with_capacity(slots.len());
    for (slot, job) in slots.into_iter().zip(&jobs) {
        outcomes.push(match slot {
            None => None,
            Some(Ok(inner)) => Some(Py::new(py, Outcome { inner })?),
            Some(Err(sentence)) => {
                let Job { scenario, seed, replication } = job;
                let title = &scenario.title;
                return Err(RunError::new_err(format!(
                    "{title:?}, seed {seed}, replication {replication}: {sentence}"
                )));
            }
        });
    }
    Ok(Batch { outcomes, interrupted })
}

/// Runs `jobs` on `threads` threads while the calling thread calls `watch` at every [`WAKE`]; an error of
/// `watch` or of a job cancels the rest.
fn run_all(
    jobs: &[Job<'_>],
    threads: usize,
    control: &Control,
    mut watch: impl FnMut() -> PyResult<()>,
) -> (Vec<Slot>, PyResult<()>) {
    let slots: Mutex<Vec<Slot>> = Mutex::new((0..jobs.len()).map(|_| None).collect());
    let next = AtomicUsize::new(0);
    let work = || {
        while !control.cancel.load(Ordering::Relaxed) {
            let index = next.fetch_add(1, Ordering::Relaxed);
            let Some(job) = jobs.get(index) else { break };
            let slot = run_one(job, control);
            if matches!(slot, Some(Err(_))) {
                control.cancel.store(true, Ordering::Relaxed);
            }
            slots.lock().expect("no thread panics while it holds the lock")[index] = slot;
        }
    };
    let watched = thread::scope(|scope| {
        let (alive, all_done) = mpsc::channel::<()>();
        for started in 0..threads {
            let (alive, work) = (alive.clone(), &work);
            let spawned = thread::Builder::new().spawn_scoped(scope, move || {
                work();
                drop(alive);
            });
            match spawned {
                Ok(_) => {}
                Err(error) if started == 0 => {
                    return Err(RunError::new_err(format!("no thread could be started: {error}")));
                }
                // Those that run already do the work of all.
                Err(_) => break,
            }
        }
        drop(alive);
        // Nobody sends: the channel tells by closing that the last thread is done.
        while all_done.recv_timeout(WAKE) == Err(RecvTimeoutError::Timeout) {
            if let Err(error) = watch() {
                control.cancel.store(true, Ordering::Relaxed);
                return Err(error);
            }
        }
        Ok(())
    });
    (slots.into_inner().expect("no thread panics while it holds the lock"), watched)
}

/// Runs one job; a panic becomes its sentence.
fn run_one(job: &Job<'_>, control: &Control) -> Slot {
    let run = || sim::run(job.scenario, job.seed, job.replication, control);
    match panics::caught(run) {
        Ok(Ok(outcome)) => Some(Ok(outcome)),
        Ok(Err(sim::RunError::Cancelled)) => None,
        Err(sentence) => Some(Err(sentence)),
    }
}
