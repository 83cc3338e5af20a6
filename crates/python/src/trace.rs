//! Trace files of one run.

use std::fs::{self, File};
use std::io::{self, BufWriter};
use std::mem;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use airfair_sim::outcome::Outcome;
use airfair_sim::record::{CellId, Record};
use airfair_sim::recorder::Recorder;
use airfair_sim::run::{self as sim, Control, RunError};
use airfair_sim::trace::Trace;
#[cfg(target_os = "linux")]
use airfair_trace::Contents;
use airfair_trace::qlog::{Version, logged};
use airfair_trace::{Capture, Qlog, Selection, Timeline, Written, selection};
use airfair_units::Time;
use pyo3::exceptions::PyOSError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::scenario::Scenario;

/// Writers of the trace files that were requested.
struct Writers {
    capture: Option<Capture<BufWriter<File>>>,
    timeline: Option<Timeline<BufWriter<File>>>,
    qlog: Option<Qlog<BufWriter<File>>>,
    now: Time,
}

impl Recorder for Writers {
    const TRACES: bool = true;

    fn record(&mut self, now: Time, record: &Record) {
        self.now = now;
        if let Some(timeline) = &mut self.timeline {
            timeline.record(now, record);
        }
        if let Some(qlog) = &mut self.qlog {
            qlog.record(now, record);
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
        if let Some(qlog) = &mut self.qlog {
            qlog.trace(now, trace);
        }
    }
}

impl Writers {
    /// Writes the ends of the files, and closes them.
    fn close(self) -> Vec<Report> {
        let until = self.now;
        let report = |option, Written { items, error, .. }: Written<_>| Report {
            option,
            items,
            until,
            errno: error.map(|error| number(&error)),
        };
        let capture = self.capture.map(|it| report("pcap", it.finish()));
        let timeline = self.timeline.map(|it| report("timeline", it.finish()));
        let qlog = self.qlog.map(|it| {
            let files = it.finish().into_iter().map(|it| report("qlog", it));
            files.fold(report_of("qlog", until), |all, file| Report {
                items: all.items + file.items,
                errno: all.errno.or(file.errno),
                ..all
            })
        });
        capture.into_iter().chain(timeline).chain(qlog).collect()
    }
}

/// Report of files to which nothing has been written.
fn report_of(option: &'static str, until: Time) -> Report {
    Report { option, items: 0, until, errno: None }
}

/// Account of a trace file that has been closed, or of all files of a directory.
struct Report {
    option: &'static str,
    /// Number of packets or events.
    items: u64,
    /// Time of the run up to which the file goes.
    until: Time,
    /// Number of the error that has cut the file off.
    errno: Option<i32>,
}

/// Trace files of a run.
enum Files {
    Open(Box<Writers>),
    /// A run that is advanced in steps has the writers.
    Lent,
    Closed(Vec<Report>),
}

/// Recorder of a run that is advanced in steps, which writes the trace files. It closes them when it is dropped, so that
/// they are complete however the run ends. A copy writes no files.
pub(crate) struct TraceWriters {
    /// `None` in a copy, and in a run whose files are written already by another one.
    writers: Option<Box<Writers>>,
    files: Arc<Mutex<Files>>,
}

#[cfg(target_os = "linux")]
impl TraceWriters {
    /// Adds the octets of packets from outside to the capture.
    pub(crate) fn with_contents(mut self, contents: Contents) -> Self {
        if let Some(writers) = &mut self.writers {
            writers.capture = writers.capture.take().map(|it| it.with_contents(contents));
        }
        self
    }
}

impl Clone for TraceWriters {
    fn clone(&self) -> Self {
        Self { writers: None, files: Arc::clone(&self.files) }
    }
}

impl Drop for TraceWriters {
    fn drop(&mut self) {
        if let Some(writers) = self.writers.take() {
            *locked(&self.files) = Files::Closed(writers.close());
        }
    }
}

impl Recorder for TraceWriters {
    const TRACES: bool = true;

    fn record(&mut self, now: Time, record: &Record) {
        if let Some(writers) = &mut self.writers {
            writers.record(now, record);
        }
    }

    fn record_cell(&mut self, now: Time, cell: CellId, records: &[airfair_wlan::Record]) {
        if let Some(writers) = &mut self.writers {
            writers.record_cell(now, cell, records);
        }
    }

    fn trace(&mut self, now: Time, trace: Trace<'_>) {
        if let Some(writers) = &mut self.writers {
            writers.trace(now, trace);
        }
    }
}

/// Trace files that are written during a run.
#[pyclass(frozen, module = "airfair._core")]
pub(crate) struct Tracing {
    files: Arc<Mutex<Files>>,
}

#[pymethods]
impl Tracing {
    /// Opens the trace files and discards their earlier contents; raises `OSError` if one cannot be
    /// written. `qlog` is a directory, which is created, for a file of each TCP and TFRC flow in the
    /// version `qlog_version`, "draft" or "0.3".
    ///
    /// `comment` identifies the run in the files. `names` are those of the stations, access points
    /// and monitors to trace, as in `traceable`; all by default. Only the time from `from_ns` to
    /// `until_ns` is traced.
    #[new]
    #[pyo3(signature = (scenario, comment, *, pcap = None, timeline = None, qlog = None, qlog_version = "draft", from_ns = 0, until_ns = None, names = None))]
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
        qlog: Option<PathBuf>,
        qlog_version: &str,
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
        let version = if qlog_version == "0.3" { Version::V03 } else { Version::Draft };
        let qlog = qlog.map(|folder| {
            let flows = logged(scenario, &selection).into_iter();
            let name = |index: usize| format!("{}.sqlog", scenario.flows[index].name);
            fs::create_dir_all(&folder).map_err(|error| refused(py, &folder, &error))?;
            let files = flows.map(|index| create(py, &folder.join(name(index))));
            let files = (version, files.collect::<PyResult<Vec<_>>>()?);
            PyResult::Ok(Qlog::new(scenario, selection.clone(), comment, files))
        });
        let qlog = qlog.transpose()?;
        let writers = Writers {
            capture: pcap.map(|to| Capture::new(scenario, selection.clone(), comment, to)),
            timeline: timeline.map(|to| Timeline::new(scenario, selection, comment, to)),
            qlog,
            now: Time::ZERO,
        };
        Ok(Self { files: Arc::new(Mutex::new(Files::Open(Box::new(writers)))) })
    }

    /// Closes the trace files. Returns one dictionary for each, and one for all of `qlog`: option, items (packets or events),
    /// `until_ns` (time of the run up to which it goes), errno (`None` unless an error cut it off).
    fn finish<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyDict>>> {
        let closed = |report: Report| {
            let row = PyDict::new(py);
            row.set_item("option", report.option)?;
            row.set_item("items", report.items)?;
            row.set_item("until_ns", report.until.as_nanos())?;
            row.set_item("errno", report.errno)?;
            Ok(row)
        };
        let reports = match mem::replace(&mut *locked(&self.files), Files::Lent) {
            Files::Open(writers) => writers.close(),
            Files::Closed(reports) => reports,
            Files::Lent => Vec::new(),
        };
        reports.into_iter().map(closed).collect()
    }
}

impl Tracing {
    /// Recorder that writes the trace files, for a run that is advanced in steps.
    pub(crate) fn lend(&self) -> TraceWriters {
        let mut files = locked(&self.files);
        let writers = match mem::replace(&mut *files, Files::Lent) {
            Files::Open(writers) => Some(writers),
            other => {
                *files = other;
                None
            }
        };
        TraceWriters { writers, files: Arc::clone(&self.files) }
    }

    /// Runs a replication of the scenario, and writes the trace files.
    pub(crate) fn run(
        &self,
        scenario: &airfair_sim::scenario::Scenario,
        seed: u64,
        replication: u32,
        control: &Control,
    ) -> Result<Outcome, RunError> {
        match &mut *locked(&self.files) {
            Files::Open(writers) => {
                sim::run_with(scenario, seed, replication, &mut **writers, control)
            }
            _ => sim::run(scenario, seed, replication, control),
        }
    }
}

fn locked(files: &Mutex<Files>) -> MutexGuard<'_, Files> {
    files.lock().unwrap_or_else(PoisonError::into_inner)
}

fn create(py: Python<'_>, path: &Path) -> PyResult<BufWriter<File>> {
    let opened = File::create(path);
    opened.map(BufWriter::new).map_err(|error| refused(py, path, &error))
}

/// Exception for a file or directory that cannot be written.
fn refused(py: Python<'_>, path: &Path, error: &io::Error) -> PyErr {
    let number = number(error);
    let why = py.import("os").and_then(|os| os.call_method1("strerror", (number,)));
    let why = why.map_or_else(|_| error.to_string(), |why| why.to_string());
    PyOSError::new_err((number, why, path.as_os_str().to_owned()))
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
