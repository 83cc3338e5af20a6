//! Medium for the kernel's simulated radios.

use airfair_emulator::hwsim::{Error, Hwsim, View};
use airfair_units::Duration;
use pyo3::exceptions::{PyOSError, PyRuntimeError, PyValueError};
use pyo3::prelude::*;

use crate::scenario::Scenario;

/// Medium of a scenario for the radios of `mac80211_hwsim`.
#[pyclass(frozen, module = "airfair._core")]
pub(crate) struct Radios {
    inner: std::sync::Mutex<Option<(Hwsim, View)>>,
}

#[pymethods]
impl Radios {
    /// Becomes the medium of the kernel's simulated radios; raises `OSError` if there are no radios
    /// or if another program is their medium.
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

    /// Name of each radio, and of its member of the cell.
    #[getter]
    fn members(&self) -> PyResult<Vec<(String, String)>> {
        self.with(|(medium, _)| {
            let names = medium.radios().iter().map(|it| (it.name.clone(), it.member.clone()));
            Ok(names.collect())
        })
    }

    /// True once the emulated medium has stopped although nobody closed it, for example after an error.
    #[getter]
    fn is_over(&self) -> PyResult<bool> {
        self.with(|(medium, _)| Ok(medium.is_over()))
    }

    /// One line of text on the airtime and attempts of each radio since the last call.
    fn line(&self) -> PyResult<String> {
        self.with(|(medium, last)| {
            let view = medium.view();
            let line = view.line(last, medium.radios());
            *last = view;
            Ok(line)
        })
    }

    /// Ends the medium and returns the counters of the radios as text; raises `OSError` if the
    /// medium had ended early.
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
