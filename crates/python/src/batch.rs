//! Many runs on all cores, one queue for all of them.

#![expect(
    clippy::disallowed_types,
    reason = "this crate touches the operating system: the waiting thread wakes by the wall clock"
)]

use std::mem;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Mutex, MutexGuard};
use std::thread;

use airfair_sim::outcome;
use airfair_sim::run::{self as sim, Control};
use pyo3::create_exception;
use pyo3::exceptions::{PyKeyboardInterrupt, PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::panics;
use crate::scenario::Scenario;
use crate::trace::Tracing;

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

    /// Everything in it, or all but histograms, as only this very build of airfair reads it.
    #[pyo3(signature = (*, histograms = true))]
    fn to_bytes<'py>(&self, py: Python<'py>, histograms: bool) -> PyResult<Bound<'py, PyBytes>> {
        if histograms {
            return octets(py, &self.inner);
        }
        octets(py, &self.inner.clone().without_histograms())
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
    /// Files that it writes meanwhile.
    tracing: Option<&'a Tracing>,
}

/// Jobs as Python hands them over: each a scenario, a seed, and a replication.
type Jobs = Vec<(Py<Scenario>, u64, u32)>;

/// A job that came to its end: its place among the jobs, and its outcome or the sentence of a broken promise.
type Finished = (usize, Result<outcome::Outcome, String>);

/// Runs jobs, each a (scenario, seed, replication), on `threads` threads (all cores by default).
///
/// They start in order. About ten times per second `progress` gets the simulated share of the work that
/// is done. Ctrl-C ends what runs and returns what was finished; any other exception of `progress`
/// ends what runs and is raised. With `tracing`, a job's place and its files, that job writes them meanwhile.
#[pyfunction]
#[pyo3(signature = (jobs, *, threads = None, progress = None, tracing = None))]
pub(crate) fn run(
    py: Python<'_>,
    jobs: Jobs,
    threads: Option<usize>,
    progress: Option<Py<PyAny>>,
    tracing: Option<(usize, Py<Tracing>)>,
) -> PyResult<Batch> {
    let mut outcomes: Vec<Option<Py<Outcome>>> = jobs.iter().map(|_| None).collect();
    let keep = |py: Python<'_>, finished: Vec<(usize, outcome::Outcome)>| {
        for (index, inner) in finished {
            outcomes[index] = Some(Py::new(py, Outcome { inner })?);
        }
        Ok(())
    };
    let interrupted = run_all(py, &jobs, (threads, tracing.as_ref()), progress.as_ref(), keep)?;
    Ok(Batch { outcomes, interrupted })
}

/// Runs jobs as `run` does and keeps nothing: `done` gets what has finished, a list of pairs of a job's place
/// and the octets of its outcome, without histograms of delays.
///
/// It is called about ten times per second, where there is something, and once more at the end, be it Ctrl-C or a
/// run that fails. Returns true if Ctrl-C stopped some.
#[pyfunction]
#[pyo3(signature = (jobs, done, *, threads = None, progress = None))]
pub(crate) fn stream(
    py: Python<'_>,
    jobs: Jobs,
    done: Py<PyAny>,
    threads: Option<usize>,
    progress: Option<Py<PyAny>>,
) -> PyResult<bool> {
    let hand_over = |py: Python<'_>, finished: Vec<(usize, outcome::Outcome)>| {
        let pairs = finished.into_iter().map(|(index, outcome)| {
            let kept = outcome.without_histograms();
            Ok((index, octets(py, &kept)?))
        });
        done.call1(py, (pairs.collect::<PyResult<Vec<_>>>()?,))?;
        Ok(())
    };
    run_all(py, &jobs, (threads, None), progress.as_ref(), hand_over)
}

/// Runs jobs while `take` gets the outcomes of what has finished and `progress` the share that is done. Returns true
/// if Ctrl-C stopped some; then, and where a run fails, `take` has got all that was finished.
fn run_all(
    py: Python<'_>,
    jobs: &Jobs,
    (threads, tracing): (Option<usize>, Option<&(usize, Py<Tracing>)>),
    progress: Option<&Py<PyAny>>,
    mut take: impl FnMut(Python<'_>, Vec<(usize, outcome::Outcome)>) -> PyResult<()> + Send,
) -> PyResult<bool> {
    if threads == Some(0) {
        return Err(PyValueError::new_err("threads = 0: allowed is 1 or more"));
    }
    let jobs: Vec<Job<'_>> = jobs
        .iter()
        .enumerate()
        .map(|(place, (scenario, seed, replication))| {
            let scenario = &scenario.get().inner;
            let tracing = tracing.filter(|(traced, _)| *traced == place).map(|(_, it)| it.get());
            Job { scenario, seed: *seed, replication: *replication, tracing }
        })
        .collect();
    let threads = threads
        .or_else(|| thread::available_parallelism().ok().map(usize::from))
        .map_or(1, |threads| threads.min(jobs.len()));

    let control = Control::default();
    let total: f64 = jobs.iter().map(|job| job.scenario.duration.as_secs_f64()).sum();
    let mut failure: Option<(usize, String)> = None;
    let mut sort = |py: Python<'_>, finished: Vec<Finished>| {
        let mut outcomes = Vec::with_capacity(finished.len());
        for (index, fate) in finished {
            match fate {
                Ok(outcome) => outcomes.push((index, outcome)),
                Err(_) if failure.as_ref().is_some_and(|(first, _)| *first < index) => {}
                Err(sentence) => failure = Some((index, sentence)),
            }
        }
        if outcomes.is_empty() { Ok(()) } else { take(py, outcomes) }
    };
    let watch = |finished: Vec<Finished>| {
        #[expect(clippy::cast_precision_loss, reason = "a progress bar")]
        let done = control.simulated_ns.load(Ordering::Relaxed) as f64 * 1e-9;
        Python::attach(|py| {
            sort(py, finished)?;
            if let Some(progress) = progress {
                progress.call1(py, ((done / total).min(1.0),))?;
            }
            py.check_signals()
        })
    };
    let (rest, watched) = py.detach(|| work(&jobs, threads, &control, watch));

    let interrupted = match watched {
        Err(error) if error.is_instance_of::<PyKeyboardInterrupt>(py) => true,
        Err(error) => return Err(error),
        Ok(()) => false,
    };
    sort(py, rest)?;
    if let Some((index, sentence)) = failure {
        let Job { scenario, seed, replication, .. } = &jobs[index];
        let title = &scenario.title;
        return Err(RunError::new_err(format!(
            "{title:?}, seed {seed}, replication {replication}: {sentence}"
        )));
    }
    Ok(interrupted)
}

/// Runs `jobs` on `threads` threads while the calling thread calls `watch` at every [`WAKE`] with what has finished
/// since; an error of `watch` or of a job cancels the rest. Returns what `watch` has not got.
fn work(
    jobs: &[Job<'_>],
    threads: usize,
    control: &Control,
    mut watch: impl FnMut(Vec<Finished>) -> PyResult<()>,
) -> (Vec<Finished>, PyResult<()>) {
    let finished: Mutex<Vec<Finished>> = Mutex::default();
    let next = AtomicUsize::new(0);
    let work = || {
        while !control.cancel.load(Ordering::Relaxed) {
            let index = next.fetch_add(1, Ordering::Relaxed);
            let Some(job) = jobs.get(index) else { break };
            let Some(fate) = run_one(job, control) else { break };
            if fate.is_err() {
                control.cancel.store(true, Ordering::Relaxed);
            }
            locked(&finished).push((index, fate));
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
            let since = mem::take(&mut *locked(&finished));
            if let Err(error) = watch(since) {
                control.cancel.store(true, Ordering::Relaxed);
                return Err(error);
            }
        }
        Ok(())
    });
    (mem::take(&mut *locked(&finished)), watched)
}

fn locked(finished: &Mutex<Vec<Finished>>) -> MutexGuard<'_, Vec<Finished>> {
    finished.lock().expect("no thread panics while it holds the lock")
}

/// Runs one job; a panic becomes its sentence, and nothing comes of one that is cancelled.
fn run_one(job: &Job<'_>, control: &Control) -> Option<Result<outcome::Outcome, String>> {
    let &Job { scenario, seed, replication, tracing } = job;
    let run = || match tracing {
        Some(tracing) => tracing.run(scenario, seed, replication, control),
        None => sim::run(scenario, seed, replication, control),
    };
    match panics::caught(run) {
        Ok(Ok(outcome)) => Some(Ok(outcome)),
        Ok(Err(sim::RunError::Cancelled)) => None,
        Err(sentence) => Some(Err(sentence)),
    }
}

/// Octets of an outcome, as only this very build of airfair reads them.
fn octets<'py>(py: Python<'py>, outcome: &outcome::Outcome) -> PyResult<Bound<'py, PyBytes>> {
    let octets = postcard::to_allocvec(outcome)
        .map_err(|error| PyValueError::new_err(format!("an outcome: {error}")))?;
    Ok(PyBytes::new(py, &octets))
}
