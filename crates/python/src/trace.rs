//! Trace files of one run.

use std::fs::File;
use std::io::{self, BufWriter};
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard};

use airfair_sim::outcome::Outcome;
use airfair_sim::record::{CellId, Record, Recorder};
use airfair_sim::run::{self as sim, Control, RunError};
use airfair_sim::trace::Trace;
use airfair_trace::{Capture, Selection, Timeline, Written, selection};
use airfair_units::Time;
use pyo3::exceptions::PyOSError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::scenario::Scenario;

/// Writers of the trace files that were requested.
pub(crate) struct Writers {
    capture: Option<Capture<BufWriter<File>>>,
    timeline: Option<Timeline<BufWriter<File>>>,
    now: Time,
}

impl Recorder for Writers {
    const TRACES: bool = true;

    fn record(&mut self, now: Time, record: &Record) {
        self.now = now;
        if let Some(timeline) = &mut self.timeline {
            timeline.record(now, record);
        }
    }

    fn record_cell(&mut self, now: Time, cell: CellId, records: &[airfair_wlan::Record]) {
        self.now = now;
        if let Some(timeline) = &mut self.timeline {
            timeline.record_cell(now, cell, records);
        }
    }

    fn trace(&mut self, now: Time, trace: Trace<'_>) {
        self.now = now;
        if let Some(capture) = &mut self.capture {
            capture.trace(now, trace);
        }
        if let Some(timeline) = &mut self.timeline {
            timeline.trace(now, trace);
        }
    }
}

/// Trace files that are written during a run.
#[pyclass(frozen, module = "airfair._core")]
pub(crate) struct Tracing {
    writers: Mutex<Option<Writers>>,
}

#[pymethods]
impl Tracing {
    /// Opens the trace files and discards their earlier contents; raises `OSError` if one cannot be
    /// written.
    ///
    /// `comment` identifies the run in the files. `names` are those of the stations, access points
    /// and monitors to trace, as in `traceable`; all by default. Only the time from `from_ns` to
    /// `until_ns` is traced.
    #[new]
    #[pyo3(signature = (scenario, comment, *, pcap = None, timeline = None, from_ns = 0, until_ns = None, names = None))]
    #[expect(
        clippy::too_many_arguments,
        reason = "a function with named options, as Python has them"
    )]
    fn new(
        py: Python<'_>,
        scenario: &Scenario,
        comment: &str,
        pcap: Option<PathBuf>,
        timeline: Option<PathBuf>,
        from_ns: u64,
        until_ns: Option<u64>,
        names: Option<Vec<String>>,
    ) -> PyResult<Self> {
        let scenario = &scenario.inner;
        let chosen =
            |name: &str| names.as_ref().is_none_or(|names| names.iter().any(|it| it == name));
        let until = until_ns.map_or(Time::MAX, Time::from_nanos);
        let selection = Selection::of(scenario, chosen).between(Time::from_nanos(from_ns), until);
        let open = |path: Option<PathBuf>| path.map(|path| create(py, &path)).transpose();
        let (pcap, timeline) = (open(pcap)?, open(timeline)?);
        let writers = Writers {
            capture: pcap.map(|to| Capture::new(scenario, selection.clone(), comment, to)),
            timeline: timeline.map(|to| Timeline::new(scenario, selection, comment, to)),
            now: Time::ZERO,
        };
        Ok(Self { writers: Mutex::new(Some(writers)) })
    }

    /// Closes the trace files. Returns one dictionary for each: option, items (packets or events),
    /// `until_ns` (time of the run up to which it goes), errno (`None` unless an error cut it off).
    fn finish<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyDict>>> {
        let Some(writers) = self.locked().take() else { return Ok(Vec::new()) };
        let until = writers.now.as_nanos();
        let mut reports = Vec::new();
        let captured = writers.capture.map(|it| ("pcap", it.finish()));
        let timeline = writers.timeline.map(|it| ("timeline", it.finish()));
        for (option, written) in captured.into_iter().chain(timeline) {
            let Written { items, error, .. } = written;
            let report = PyDict::new(py);
            report.set_item("option", option)?;
            report.set_item("items", items)?;
            report.set_item("until_ns", until)?;
            report.set_item("errno", error.map(|error| number(&error)))?;
            reports.push(report);
        }
        Ok(reports)
    }
}

impl Tracing {
    /// Takes the writers of the trace files, for a run that owns them; `None` if another run has taken them.
    pub(crate) fn take(&self) -> Option<Writers> {
        self.locked().take()
    }

    /// Gives the writers of the trace files back after the run.
    pub(crate) fn put_back(&self, writers: Writers) {
        *self.locked() = Some(writers);
    }

    fn locked(&self) -> MutexGuard<'_, Option<Writers>> {
        self.writers.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    /// Runs a replication of the scenario, and writes the trace files.
    pub(crate) fn run(
        &self,
        scenario: &airfair_sim::scenario::Scenario,
        seed: u64,
        replication: u32,
        control: &Control,
    ) -> Result<Outcome, RunError> {
        match &mut *self.locked() {
            Some(writers) => sim::run_with(scenario, seed, replication, writers, control),
            None => sim::run(scenario, seed, replication, control),
        }
    }
}

fn create(py: Python<'_>, path: &PathBuf) -> PyResult<BufWriter<File>> {
    let opened = File::create(path);
    opened.map(BufWriter::new).map_err(|error| {
        let number = number(&error);
        let why = py.import("os").and_then(|os| os.call_method1("strerror", (number,)));
        let why = why.map_or_else(|_| error.to_string(), |why| why.to_string());
        PyOSError::new_err((number, why, path.clone().into_os_string()))
    })
}

/// Error number of the operating system.
fn number(error: &io::Error) -> i32 {
    const INPUT_OUTPUT: i32 = 5;
    error.raw_os_error().unwrap_or(INPUT_OUTPUT)
}

/// Names of all that can be traced: the monitor of each cell, its access point and its stations.
#[pyfunction]
pub(crate) fn traceable(scenario: &Scenario) -> Vec<String> {
    selection::names(&scenario.inner)
}
