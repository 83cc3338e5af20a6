//! Many runs on all cores, from one queue.

#![expect(
    clippy::disallowed_types,
    reason = "this crate touches the operating system: the waiting thread wakes by the wall clock"
)]

use std::mem;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, Mutex, MutexGuard};
use std::thread;

use airfair_sim::outcome;
use airfair_sim::run::{self as sim, Control};
use pyo3::exceptions::{PyKeyboardInterrupt, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::exceptions::RunError;
use crate::panics;
use crate::scenario::Scenario;
use crate::trace::Tracing;

/// Period in which the waiting thread reports progress and checks for Ctrl-C.
const WAKE: std::time::Duration = std::time::Duration::from_millis(100);

/// Time that cancelled runs get to end before their threads are abandoned.
const GRACE: std::time::Duration = std::time::Duration::from_millis(50);

/// Measurements of one run; the function `tables` turns them into columns.
#[pyclass(frozen, module = "airfair._core")]
pub(crate) struct Outcome {
    pub(crate) inner: outcome::Outcome,
}

#[pymethods]
impl Outcome {
    /// Number of the replication, from 0.
    #[getter]
    fn replication(&self) -> u32 {
        self.inner.replication
    }

    /// Seed of the run's random streams.
    #[getter]
    fn seed(&self) -> u64 {
        self.inner.seed
    }

    /// Measured time: the run without its warm-up [ns].
    #[getter]
    fn elapsed_ns(&self) -> u64 {
        self.inner.elapsed.as_nanos()
    }

    /// Number of events that the simulator has processed.
    #[getter]
    fn events(&self) -> u64 {
        self.inner.events
    }

    /// Hash of all records of the run. Equal runs have equal hashes.
    #[getter]
    fn record_hash(&self) -> u64 {
        self.inner.record_hash
    }

    /// Outcome as bytes, with or without histograms of delays. Only the same build of airfair can
    /// read the bytes.
    #[pyo3(signature = (*, histograms = true))]
    fn to_bytes<'py>(&self, py: Python<'py>, histograms: bool) -> PyResult<Bound<'py, PyBytes>> {
        if histograms {
            return octets(py, &self.inner);
        }
        octets(py, &self.inner.clone().without_histograms())
    }

    /// Restores an outcome from the bytes of `to_bytes`; raises `ValueError` for any other bytes.
    #[staticmethod]
    fn from_bytes(octets: &[u8]) -> PyResult<Self> {
        match postcard::take_from_bytes(octets) {
            Ok((inner, [])) => Ok(Self { inner }),
            Ok(_) => Err(PyValueError::new_err("an outcome: more octets than it has")),
            Err(error) => Err(PyValueError::new_err(format!("an outcome: {error}"))),
        }
    }
}

/// Result of the function `run`: outcomes of the jobs.
#[pyclass(frozen, module = "airfair._core")]
pub(crate) struct Batch {
    outcomes: Vec<Option<Py<Outcome>>>,
    interrupted: bool,
}

#[pymethods]
impl Batch {
    /// Outcomes in the order of the jobs; `None` for a job that Ctrl-C or a signal stopped.
    #[getter]
    fn outcomes(&self, py: Python<'_>) -> Vec<Option<Py<Outcome>>> {
        self.outcomes.iter().map(|outcome| outcome.as_ref().map(|o| o.clone_ref(py))).collect()
    }

    /// True if Ctrl-C stopped some jobs.
    #[getter]
    fn interrupted(&self) -> bool {
        self.interrupted
    }
}

/// Job of a batch: one run of a scenario.
struct Job {
    scenario: Py<Scenario>,
    seed: u64,
    replication: u32,
    /// Trace files that the job writes during the run.
    tracing: Option<Py<Tracing>>,
}

/// Jobs of a batch, shared by the worker threads.
struct Work {
    jobs: Vec<Job>,
    control: Control,
    /// Index of the next job to start.
    next: AtomicUsize,
    /// Finished jobs that have not been collected yet.
    finished: Mutex<Vec<Finished>>,
}

/// Jobs from Python: scenario, seed and replication.
type Jobs = Vec<(Py<Scenario>, u64, u32)>;

/// Finished job: its index, and its outcome or the message of a panic.
type Finished = (usize, Result<outcome::Outcome, String>);

/// Runs jobs, each a (scenario, seed, replication), on `threads` threads (all cores by default).
///
/// Jobs start in order. About ten times per second `progress` is called with the simulated share of
/// the work. Ctrl-C stops the runs and returns the finished outcomes; any other exception of
/// `progress` stops the runs and is raised. `tracing` is a pair: the index of a job, and the trace
/// files that this job writes.
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

/// Runs jobs like `run`, but keeps no outcomes: `done` is called with finished jobs, a list of
/// pairs of a job's index and its outcome as bytes, without histograms of delays.
///
/// `done` is called about ten times per second if jobs have finished, and once more at the end,
/// also after Ctrl-C or a failed run. Returns true if Ctrl-C stopped some jobs.
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

/// Runs jobs, and calls `take` with finished outcomes and `progress` with the simulated share of
/// the work. Returns true if Ctrl-C stopped some jobs. `take` gets all finished outcomes, also
/// after Ctrl-C or a failed run.
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
    let jobs: Vec<Job> = jobs
        .iter()
        .enumerate()
        .map(|(place, (scenario, seed, replication))| {
            let tracing = tracing.filter(|(traced, _)| *traced == place);
            let tracing = tracing.map(|(_, it)| it.clone_ref(py));
            let (seed, replication) = (*seed, *replication);
            Job { scenario: scenario.clone_ref(py), seed, replication, tracing }
        })
        .collect();
    let threads = threads
        .or_else(|| thread::available_parallelism().ok().map(usize::from))
        .map_or(1, |threads| threads.min(jobs.len()));

    let total: f64 = jobs.iter().map(|job| job.scenario().duration.as_secs_f64()).sum();
    let work = Arc::new(Work {
        jobs,
        control: Control::default(),
        next: AtomicUsize::new(0),
        finished: Mutex::default(),
    });
    let mut failure: Option<(usize, String)> = None;
    let mut sort = |py: Python<'_>, finished: Vec<Finished>| {
        let mut outcomes = Vec::with_capacity(finished.len());
        for (index, result) in finished {
            match result {
                Ok(outcome) => outcomes.push((index, outcome)),
                Err(_) if failure.as_ref().is_some_and(|(first, _)| *first < index) => {}
                Err(sentence) => failure = Some((index, sentence)),
            }
        }
        if outcomes.is_empty() { Ok(()) } else { take(py, outcomes) }
    };
    let watch = |finished: Vec<Finished>| {
        #[expect(clippy::cast_precision_loss, reason = "a progress bar")]
        let done = work.control.simulated_ns.load(Ordering::Relaxed) as f64 * 1e-9;
        Python::attach(|py| {
            sort(py, finished)?;
            if let Some(progress) = progress {
                progress.call1(py, ((done / total).min(1.0),))?;
            }
            py.check_signals()
        })
    };
    let watched = py.detach(|| work.watched(threads, watch));

    let interrupted = match watched {
        Err(error) if error.is_instance_of::<PyKeyboardInterrupt>(py) => true,
        Err(error) => return Err(error),
        Ok(()) => false,
    };
    sort(py, work.take())?;
    if let Some((index, sentence)) = failure {
        let job = &work.jobs[index];
        let Job { seed, replication, .. } = job;
        let title = &job.scenario().title;
        return Err(RunError::new_err(format!(
            "{title:?}, seed {seed}, replication {replication}: {sentence}"
        )));
    }
    Ok(interrupted)
}

impl Work {
    /// Runs the jobs on `threads` threads. Meanwhile the calling thread calls `watch` in each
    /// period [`WAKE`] with the jobs finished since. An error of `watch` or of a job cancels the
    /// rest.
    ///
    /// Cancelled runs get the time [`GRACE`] to end. A thread that takes longer is abandoned; its
    /// result is dropped. A run that writes trace files is always waited for.
    fn watched(
        self: &Arc<Self>,
        threads: usize,
        mut watch: impl FnMut(Vec<Finished>) -> PyResult<()>,
    ) -> PyResult<()> {
        let (alive, all_done) = mpsc::channel::<()>();
        for started in 0..threads {
            let (alive, work) = (alive.clone(), Arc::clone(self));
            let spawned = thread::Builder::new().spawn(move || {
                work.run_jobs();
                drop(work);
                drop(alive);
            });
            match spawned {
                Ok(_) => {}
                Err(error) if started == 0 => {
                    return Err(RunError::new_err(format!("no thread could be started: {error}")));
                }
                // The threads that have started do all the work.
                Err(_) => break,
            }
        }
        drop(alive);
        // No message is sent. The channel closes when the last thread has ended.
        while all_done.recv_timeout(WAKE) == Err(RecvTimeoutError::Timeout) {
            if let Err(error) = watch(self.take()) {
                self.control.cancel.store(true, Ordering::Relaxed);
                if self.jobs.iter().any(|job| job.tracing.is_some()) {
                    let _ = all_done.recv();
                } else {
                    let _ = all_done.recv_timeout(GRACE);
                }
                return Err(error);
            }
        }
        Ok(())
    }

    /// Runs one job after another until no job is left.
    fn run_jobs(&self) {
        while !self.control.cancel.load(Ordering::Relaxed) {
            let index = self.next.fetch_add(1, Ordering::Relaxed);
            let Some(job) = self.jobs.get(index) else { break };
            let Some(result) = job.run(&self.control) else { break };
            if result.is_err() {
                self.control.cancel.store(true, Ordering::Relaxed);
            }
            self.locked().push((index, result));
        }
    }

    /// Jobs of the batch that have finished since the last call.
    fn take(&self) -> Vec<Finished> {
        mem::take(&mut *self.locked())
    }

    fn locked(&self) -> MutexGuard<'_, Vec<Finished>> {
        self.finished.lock().expect("no thread panics while it holds the lock")
    }
}

impl Job {
    fn scenario(&self) -> &airfair_sim::scenario::Scenario {
        &self.scenario.get().inner
    }

    /// Runs the job. A panic becomes an error message; a cancelled run returns `None`.
    fn run(&self, control: &Control) -> Option<Result<outcome::Outcome, String>> {
        let (seed, replication) = (self.seed, self.replication);
        let run = || match &self.tracing {
            Some(tracing) => tracing.get().run(self.scenario(), seed, replication, control),
            None => sim::run(self.scenario(), seed, replication, control),
        };
        match panics::caught(run) {
            Ok(Ok(outcome)) => Some(Ok(outcome)),
            Ok(Err(sim::RunError::Cancelled)) => None,
            Err(sentence) => Some(Err(sentence)),
        }
    }
}

/// An outcome as bytes, which only the same build of airfair can read.
fn octets<'py>(py: Python<'py>, outcome: &outcome::Outcome) -> PyResult<Bound<'py, PyBytes>> {
    let octets = postcard::to_allocvec(outcome)
        .map_err(|error| PyValueError::new_err(format!("an outcome: {error}")))?;
    Ok(PyBytes::new(py, &octets))
}
