//! Node of a world, as a law in Python sees it.

use std::sync::{Arc, Mutex};

use airfair_sim::coupling::Action;
use airfair_sim::packet::Side;
use airfair_sim::world::Direction;
use airfair_units::{Bytes, DataRate, Duration, Time};
use airfair_wlan::Weights;
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use super::cell::{Cell, Report};
use super::flow_end::FlowEnd;
use super::listening::{LISTEN, listening};
use super::random::Random;
use super::scope::{Scope, later, locked};
use crate::duration::By;
use crate::settings::{SettingError, narrow};

/// Sizes of packets on the air.
const OCTETS: &str = "0 to 65535 octets";

/// Station or access point at which a law runs.
#[pyclass(module = "airfair._core")]
#[derive(Debug)]
pub(crate) struct Node {
    pub(super) name: String,
    scope: Arc<Mutex<Scope>>,
    random: Random,
    /// Cell of the node; `None` before the start of the run.
    cell: Option<Py<Cell>>,
    ends: Option<Ends>,
}

/// Ends of flows at a node, in the order of the scenario.
#[derive(Debug)]
struct Ends {
    all: Py<PyTuple>,
    senders: Py<PyTuple>,
    receivers: Py<PyTuple>,
}

impl Ends {
    fn new(py: Python<'_>, ends: &[Py<FlowEnd>]) -> PyResult<Self> {
        let at = |side| {
            let ends = ends.iter().filter(|end| end.get().is_at(side)).map(|end| end.clone_ref(py));
            PyTuple::new(py, ends.collect::<Vec<_>>()).map(Bound::unbind)
        };
        let all = PyTuple::new(py, ends)?.unbind();
        Ok(Self { all, senders: at(Side::Sender)?, receivers: at(Side::Receiver)? })
    }
}

impl Node {
    pub(super) fn new(name: &str, scope: Arc<Mutex<Scope>>, random: Random) -> Self {
        let name = name.to_owned();
        Self { name, scope, random, cell: None, ends: None }
    }

    pub(super) fn set_cell(&mut self, cell: Py<Cell>) {
        self.cell = Some(cell);
    }

    pub(super) fn set_ends(&mut self, py: Python<'_>, ends: &[Py<FlowEnd>]) -> PyResult<()> {
        self.ends = Some(Ends::new(py, ends)?);
        Ok(())
    }

    /// Ends that `choose` selects; empty before the start of the run.
    fn ends_of<'py>(
        &self,
        py: Python<'py>,
        choose: impl FnOnce(&Ends) -> &Py<PyTuple>,
    ) -> Bound<'py, PyTuple> {
        self.ends.as_ref().map_or_else(|| PyTuple::empty(py), |ends| choose(ends).bind(py).clone())
    }

    /// Copy of the node with another scope. `note` is called with each end of a flow and its copy.
    pub(super) fn copy(
        &self,
        py: Python<'_>,
        scope: &Arc<Mutex<Scope>>,
        note: &mut impl FnMut(&Bound<'_, PyAny>, Bound<'_, PyAny>) -> PyResult<()>,
    ) -> PyResult<Self> {
        // The cell never changes, so that a copy of a law keeps it.
        if let Some(cell) = &self.cell {
            note(cell.bind(py), cell.bind(py).clone().into_any())?;
        }
        let mut copies = Vec::new();
        for end in self.ends_of(py, |ends| &ends.all) {
            let copy = Py::new(py, end.cast::<FlowEnd>()?.get().copy(scope))?;
            note(&end, copy.bind(py).clone().into_any())?;
            copies.push(copy);
        }
        Ok(Self {
            name: self.name.clone(),
            scope: Arc::clone(scope),
            random: self.random.clone(),
            cell: self.cell.as_ref().map(|cell| cell.clone_ref(py)),
            ends: Some(Ends::new(py, &copies)?),
        })
    }
}

#[pymethods]
impl Node {
    /// Name of the station, or of the access point's cell.
    #[getter]
    fn name(&self) -> &str {
        &self.name
    }

    /// Cell of the node; `None` before the start of the run.
    #[getter]
    fn cell(&self, py: Python<'_>) -> Option<Py<Cell>> {
        self.cell.as_ref().map(|cell| cell.clone_ref(py))
    }

    /// Time of the run [s].
    #[getter]
    fn now_s(&self) -> f64 {
        (locked(&self.scope).now() - Time::ZERO).as_secs_f64()
    }

    /// Time of the run [ns].
    #[getter]
    fn now_ns(&self) -> u64 {
        locked(&self.scope).now().as_nanos()
    }

    /// Ends of flows at the node, in the order of the scenario; empty at an access point.
    #[getter]
    fn ends<'py>(&self, py: Python<'py>) -> Bound<'py, PyTuple> {
        self.ends_of(py, |ends| &ends.all)
    }

    /// Senders of flows at the node, in the order of the scenario; empty at an access point.
    #[getter]
    fn senders<'py>(&self, py: Python<'py>) -> Bound<'py, PyTuple> {
        self.ends_of(py, |ends| &ends.senders)
    }

    /// Receivers of flows at the node, in the order of the scenario; empty at an access point.
    #[getter]
    fn receivers<'py>(&self, py: Python<'py>) -> Bound<'py, PyTuple> {
        self.ends_of(py, |ends| &ends.receivers)
    }

    /// Channel time of a packet to or from the access point [ns], at a station. The packet has `octets`, LLC/SNAP
    /// included, and is one of up to `most` equal packets that share an exchange at this rate [bit/s] after a channel
    /// access of `access_ns`. Without `most`, the exchange has as many packets as the limits of an aggregate allow.
    #[expect(clippy::too_many_arguments, reason = "options have names in Python")]
    #[pyo3(signature = (octets, rate, direction, *, most = None, access_ns = 0))]
    fn packet_time_ns(
        &self,
        octets: i64,
        rate: i64,
        direction: &str,
        most: Option<i64>,
        access_ns: i64,
    ) -> PyResult<u64> {
        let no_rate = || allowed_in(&format!("packet_time_ns: rate = {rate}"), "rates of the link");
        let msdu: u16 = narrow(octets, OCTETS)?;
        let bps = u64::try_from(rate).ok().filter(|bps| *bps > 0).ok_or_else(no_rate)?;
        let most: u32 =
            most.map_or(Ok(u32::MAX), |most| narrow(most, "1 to 4294967295 packets"))?;
        let access = Duration::from_nanos(narrow(access_ns, "0 ns and more")?);
        if most == 0 {
            return Err(allowed_in("packet_time_ns: most = 0", "1 and more packets"));
        }
        let direction = match direction {
            "up" => Direction::Up,
            "down" => Direction::Down,
            _ => {
                return Err(allowed_in(
                    &format!("direction = {direction:?}"),
                    "\"up\" and \"down\"",
                ));
            }
        };
        let scope = locked(&self.scope);
        let link = scope.link().ok_or_else(|| {
            SettingError::new_err(
                "packet_time_ns: allowed at a station, from the start of the run on",
            )
        })?;
        let packet = (direction, Bytes::new(msdu.into()), DataRate::from_bps(bps));
        link.packet_time(access, packet, most).map(Duration::as_nanos).ok_or_else(no_rate)
    }

    /// Random number, uniform in [0, 1), from the node's stream for laws.
    fn random(&mut self) -> f64 {
        self.random.uniform()
    }

    /// Random integer, uniform in 0, …, `below` - 1, from the node's stream for laws.
    fn random_below(&mut self, below: u64) -> PyResult<u64> {
        self.random.below(below)
    }

    /// Calls the law's `timer` after a duration, such as "100 ms" or a number of seconds.
    fn wake_in(&self, by: By) -> PyResult<()> {
        let mut scope = locked(&self.scope);
        let at = later(scope.now(), by.duration()?);
        scope.wake(at);
        Ok(())
    }

    /// Calls the law's `timer` at a time of the run [ns].
    fn wake_at_ns(&self, at_ns: u64) -> PyResult<()> {
        let mut scope = locked(&self.scope);
        let at = Time::from_nanos(at_ns);
        if at < scope.now() {
            return Err(SettingError::new_err(format!(
                "wake_at_ns({at_ns}): allowed are times from now on"
            )));
        }
        scope.wake(at);
        Ok(())
    }

    /// Sets the weights of DATA and of pure ACKs in the node's queue [packets per round].
    fn set_weights(&self, data: i64, acks: i64) -> PyResult<()> {
        const ALLOWED: &str = "1 and more packets per round";
        let weights = Weights { data: narrow(data, ALLOWED)?, ack: narrow(acks, ALLOWED)? };
        locked(&self.scope).ask(Action::SetWeights(weights));
        Ok(())
    }

    /// Asks for other events from now on: "own" or "all" frames, frames of "neighbours", or at
    /// an access point "packets" or "users".
    fn listen(&self, to: &str) -> PyResult<()> {
        let action = listening(to).ok_or_else(|| {
            SettingError::new_err(format!("listen({to:?}): allowed are {LISTEN}"))
        })?;
        locked(&self.scope).ask(action);
        Ok(())
    }

    /// Records a station's measurement of its channel from `from_ns` to `to_ns`: the durations of
    /// the answered exchanges of the station itself and of others, the parts of both that lie
    /// before `from_ns`, and the number of active stations.
    #[expect(clippy::too_many_arguments, reason = "options have names in Python")]
    #[pyo3(signature = (from_ns, to_ns, *, own_ns, others_ns, active, early_ns = (0, 0)))]
    fn report(
        &self,
        from_ns: u64,
        to_ns: u64,
        own_ns: u64,
        others_ns: u64,
        active: u32,
        early_ns: (u64, u64),
    ) -> PyResult<()> {
        let report = Report { from_ns, to_ns, own_ns, others_ns, active, early_ns };
        let mut scope = locked(&self.scope);
        let measured = report.measured(scope.now())?;
        scope.ask(Action::Report(measured));
        Ok(())
    }

    fn __repr__(&self) -> String {
        format!("<Node {:?} at {} s>", self.name, self.now_s())
    }
}

fn allowed_in(place: &str, what: &str) -> PyErr {
    SettingError::new_err(format!("{place}: allowed are {what}"))
}
