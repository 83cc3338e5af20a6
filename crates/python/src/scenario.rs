//! Scenarios, which Python can read but not change.

use airfair_sim::scenario as sim;
use airfair_units::Duration;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};

use crate::exceptions::{RunError, ScenarioError};
use crate::panics;

/// Valid, immutable scenario.
#[pyclass(frozen, weakref, module = "airfair._core")]
pub(crate) struct Scenario {
    pub(crate) inner: sim::Scenario,
}

#[pymethods]
impl Scenario {
    /// Parses a TOML text after applying `overrides`, pairs of a key's path and its value; raises
    /// `ScenarioError` with all mistakes.
    ///
    /// `read` is called with the name of each file that the scenario refers to. It returns the
    /// contents, or an error message. With `emulated` the scenario may be without flows.
    #[staticmethod]
    #[pyo3(signature = (text, overrides = Vec::new(), read = None, *, emulated = false))]
    fn parse(
        py: Python<'_>,
        text: &[u8],
        overrides: Vec<(String, String)>,
        read: Option<Py<PyAny>>,
        emulated: bool,
    ) -> PyResult<Self> {
        let driver = if emulated { sim::Driver::Emulation } else { sim::Driver::Run };
        let mut raised = None;
        let mut file = |name: &str| match &read {
            Some(read) => Python::attach(|py| read_file(py, read, name)).unwrap_or_else(|error| {
                raised = Some(error);
                Err("it could not be read".to_owned())
            }),
            None => Err("a scenario that is not a file cannot refer to a file".to_owned()),
        };
        let parsed = py
            .detach(|| panics::caught(|| sim::Scenario::load(text, &overrides, &mut file, driver)));
        if let Some(error) = raised {
            return Err(error);
        }
        match parsed.map_err(RunError::new_err)? {
            Ok(inner) => Ok(Self { inner }),
            Err(problems) => {
                let problems: Vec<String> = problems.iter().map(ToString::to_string).collect();
                let error = ScenarioError::new_err(problems.join("\n"));
                error.value(py).setattr("problems", problems)?;
                Err(error)
            }
        }
    }

    /// Defaults of 802.11n and later that take effect in a TOML text with these overrides. Each is
    /// a dictionary: `section` and `key`; `value`, and the value `legacy` of 802.11b, a and g, both
    /// as TOML; `reason`; `cell` and `standard` of the newest cell because of which the default
    /// applies. The list is empty if the text cannot be parsed.
    #[staticmethod]
    #[pyo3(signature = (text, overrides = Vec::new(), *, emulated = false))]
    fn applied_defaults(
        py: Python<'_>,
        text: &[u8],
        overrides: Vec<(String, String)>,
        emulated: bool,
    ) -> PyResult<Vec<Py<PyDict>>> {
        let driver = if emulated { sim::Driver::Emulation } else { sim::Driver::Run };
        let Ok(text) = std::str::from_utf8(text) else { return Ok(Vec::new()) };
        let applied = py.detach(|| {
            panics::caught(|| sim::Scenario::applied_defaults(text, &overrides, driver))
        });
        let as_dict = |it: sim::AppliedDefault| {
            let dict = PyDict::new(py);
            dict.set_item("section", it.section)?;
            dict.set_item("key", it.key)?;
            dict.set_item("value", it.value)?;
            dict.set_item("legacy", it.legacy)?;
            dict.set_item("reason", it.reason)?;
            dict.set_item("cell", it.cell)?;
            dict.set_item("standard", it.standard)?;
            Ok(dict.unbind())
        };
        applied.map_err(RunError::new_err)?.into_iter().map(as_dict).collect()
    }

    /// The scenario as TOML, with all defaults.
    fn to_toml(&self) -> String {
        self.inner.to_toml()
    }

    /// Title: the subject in one line.
    #[getter]
    fn title(&self) -> &str {
        &self.inner.title
    }

    /// Seed of the random streams.
    #[getter]
    fn seed(&self) -> u64 {
        self.inner.seed
    }

    /// Number of independent runs of the scenario.
    #[getter]
    fn replications(&self) -> u32 {
        self.inner.replications
    }

    /// Simulated time of one run [s].
    #[getter]
    fn duration_s(&self) -> f64 {
        self.inner.duration.as_secs_f64()
    }

    /// Simulated time of one run [ns].
    #[getter]
    fn duration_ns(&self) -> u64 {
        self.inner.duration.as_nanos()
    }

    /// Length of the warm-up, which results leave out [s].
    #[getter]
    fn warmup_s(&self) -> f64 {
        self.inner.warmup.as_secs_f64()
    }

    /// Step of the time series [s]; `None` if no time series is recorded.
    #[getter]
    fn series_step_s(&self) -> Option<f64> {
        self.inner.series_step.map(Duration::as_secs_f64)
    }

    /// Step of the time series [ns]; `None` if no time series is recorded.
    #[getter]
    fn series_step_ns(&self) -> Option<u64> {
        self.inner.series_step.map(Duration::as_nanos)
    }

    /// Names of the cells; a cell's access point and its channel have the same name.
    #[getter]
    fn cells(&self) -> Vec<&str> {
        self.inner.cells.iter().map(|cell| cell.name.as_str()).collect()
    }

    /// Channels that several cells share, each with the names of its cells.
    #[getter]
    fn shared_channels(&self) -> Vec<(String, Vec<&str>)> {
        let names = |cells: Vec<usize>| {
            cells.into_iter().map(|cell| self.inner.cells[cell].name.as_str()).collect()
        };
        let shared = self.inner.shared_channels().into_iter();
        shared.map(|(channel, cells)| (channel, names(cells))).collect()
    }

    /// Names of the wireless stations.
    #[getter]
    fn stations(&self) -> Vec<&str> {
        self.inner.stations.iter().map(|station| station.name.as_str()).collect()
    }

    /// Access categories of flows over the air, the lowest first; empty unless there are several.
    #[getter]
    fn categories(&self) -> Vec<String> {
        let used = self.inner.categories();
        let has_several = used.len() > 1;
        used.iter().filter(|_| has_several).map(ToString::to_string).collect()
    }

    /// Name of the cell of each station, in the order of `stations`.
    #[getter]
    fn station_cells(&self) -> Vec<&str> {
        let cell = |station: &sim::Station| self.inner.cells[station.cell].name.as_str();
        self.inner.stations.iter().map(cell).collect()
    }

    /// Names of the wired hosts.
    #[getter]
    fn hosts(&self) -> Vec<&str> {
        self.inner.hosts.iter().map(String::as_str).collect()
    }

    /// Wired links, one dictionary per direction: name, from, to.
    #[getter]
    fn links<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyDict>>> {
        let describe = |(link, from, to): (&sim::Link, sim::Node, sim::Node)| {
            let row = PyDict::new(py);
            row.set_item("name", &link.name)?;
            row.set_item("from", self.inner.node_name(from))?;
            row.set_item("to", self.inner.node_name(to))?;
            Ok(row)
        };
        self.inner.links.iter().flat_map(both_directions).map(describe).collect()
    }

    /// Flows, one dictionary each: name, from, to, transport, protocol (TCP flavour or transport),
    /// control.
    #[getter]
    fn flows<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyDict>>> {
        let describe = |flow: &sim::Flow| {
            let row = PyDict::new(py);
            row.set_item("name", &flow.name)?;
            row.set_item("from", self.endpoint(flow.from))?;
            row.set_item("to", self.endpoint(flow.to))?;
            row.set_item("transport", transport(&flow.transport))?;
            row.set_item("protocol", protocol(&flow.transport))?;
            row.set_item("control", flow.control.name())?;
            Ok(row)
        };
        self.inner.flows.iter().map(describe).collect()
    }

    /// Name of the application of each flow, in the order of `flows`; `None` for a flow without messages.
    #[getter]
    fn sources(&self) -> Vec<Option<&'static str>> {
        self.inner.flows.iter().map(|flow| flow.transport.source_word()).collect()
    }

    /// Copy of the scenario that ends at `until_ns` at the latest, without warm-up and time series.
    fn cut(&self, until_ns: u64) -> Self {
        let mut inner = self.inner.clone();
        inner.duration = inner.duration.min(Duration::from_nanos(until_ns));
        (inner.warmup, inner.series_step) = (Duration::ZERO, None);
        Self { inner }
    }

    /// Copy of the scenario with another seed. Raises `ValueError` or `OverflowError` for one that a scenario cannot have.
    fn with_seed(&self, seed: i64) -> PyResult<Self> {
        let mut inner = self.inner.clone();
        inner.seed = u64::try_from(seed)?;
        Ok(Self { inner })
    }

    fn __repr__(&self) -> String {
        format!("<Scenario {:?}>", self.inner.title)
    }
}

impl Scenario {
    fn endpoint(&self, endpoint: sim::Endpoint) -> &str {
        match endpoint {
            sim::Endpoint::Station(index) => &self.inner.stations[index].name,
            sim::Endpoint::Host(index) => &self.inner.hosts[index],
        }
    }
}

/// Both directions of a wired link, each with start and end.
fn both_directions(link: &sim::Link) -> [(&sim::Link, sim::Node, sim::Node); 2] {
    let [first, second] = link.ends;
    [(link, first, second), (link, second, first)]
}

/// Name of a transport in the scenario file.
fn transport(transport: &sim::Transport) -> &'static str {
    match transport {
        sim::Transport::Tcp(_) => "tcp",
        sim::Transport::Quic(_) => "quic",
        sim::Transport::Tfrc(_) => "tfrc",
        sim::Transport::Udp { .. } => "udp",
        sim::Transport::External => "external",
    }
}

/// Protocol of a flow in comparisons: TCP flavour, QUIC with its control, or transport.
fn protocol(of: &sim::Transport) -> &'static str {
    match of {
        sim::Transport::Tcp(tcp) => tcp.flavour_word(),
        sim::Transport::Quic(quic) => quic.control_word(),
        other => transport(other),
    }
}

/// Calls Python's `read` with the name of a file; returns the contents or an error message.
fn read_file(py: Python<'_>, read: &Py<PyAny>, name: &str) -> PyResult<Result<Vec<u8>, String>> {
    let content = read.bind(py).call1((name,))?;
    match content.cast::<PyBytes>() {
        Ok(octets) => Ok(Ok(octets.as_bytes().to_vec())),
        Err(_) => Ok(Err(content.extract()?)),
    }
}

/// Text on one line, with control characters escaped.
#[pyfunction]
pub(crate) fn escaped(text: &str) -> String {
    sim::escaped(text)
}

/// JSON Schema of the scenario file.
#[pyfunction]
pub(crate) fn schema() -> String {
    serde_json::to_string_pretty(&sim::schema()).expect("keys of a JSON object must be strings")
}

/// Reference of the scenario file, in Markdown.
#[pyfunction]
pub(crate) fn reference() -> String {
    sim::reference_markdown()
}
