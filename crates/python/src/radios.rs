//! The medium of the kernel's own Wi-Fi.

use airfair_emulator::hwsim::{Error, Hwsim, View};
use airfair_units::Duration;
use pyo3::exceptions::{PyOSError, PyRuntimeError, PyValueError};
use pyo3::prelude::*;

use crate::scenario::Scenario;

/// The medium of a scenario behind the radios of `mac80211_hwsim`.
#[pyclass(frozen, module = "airfair._core")]
pub(crate) struct Radios {
    inner: std::sync::Mutex<Option<(Hwsim, View)>>,
}

#[pymethods]
impl Radios {
    /// Becomes their medium; raises `OSError` where there is nothing to be that of.
    #[new]
    #[pyo3(signature = (scenario, *, seed, duration_ns = None))]
    fn new(
        py: Python<'_>,
        scenario: &Scenario,
        seed: u64,
        duration_ns: Option<u64>,
    ) -> PyResult<Self> {
        let duration = duration_ns.map(Duration::from_nanos);
        let scenario = scenario.inner.clone();
        let medium = py.detach(|| Hwsim::start(scenario, seed, duration)).map_err(raised)?;
        Ok(Self { inner: std::sync::Mutex::new(Some((medium, View::default()))) })
    }

    /// Names of each radio and of the member of the cell that it is.
    #[getter]
    fn members(&self) -> PyResult<Vec<(String, String)>> {
        self.with(|(medium, _)| {
            let names = medium.radios().iter().map(|it| (it.name.clone(), it.member.clone()));
            Ok(names.collect())
        })
    }

    /// True once it is over by itself.
    #[getter]
    fn is_over(&self) -> PyResult<bool> {
        self.with(|(medium, _)| Ok(medium.is_over()))
    }

    /// A line on what has happened since the last one.
    fn line(&self) -> PyResult<String> {
        self.with(|(medium, last)| {
            let view = medium.view();
            let line = view.line(last, medium.radios());
            *last = view;
            Ok(line)
        })
    }

    /// Ends it: its accounts in words; raises `OSError` if the radios had gone before.
    fn end(&self, py: Python<'_>) -> PyResult<String> {
        let (medium, _) = self.lock().take().ok_or_else(over)?;
        let radios = medium.radios().to_vec();
        py.detach(|| medium.end()).map(|view| view.summary(&radios)).map_err(raised)
    }
}

impl Radios {
    fn lock(&self) -> std::sync::MutexGuard<'_, Option<(Hwsim, View)>> {
        self.inner.lock().expect("nobody panics while it holds the lock")
    }

    fn with<T>(&self, ask: impl FnOnce(&mut (Hwsim, View)) -> PyResult<T>) -> PyResult<T> {
        ask(self.lock().as_mut().ok_or_else(over)?)
    }
}

fn over() -> PyErr {
    PyRuntimeError::new_err("the medium has ended")
}

fn raised(error: Error) -> PyErr {
    match error {
        Error::Scenario(problem) => PyValueError::new_err(problem),
        other => PyOSError::new_err(other.to_string()),
    }
}
