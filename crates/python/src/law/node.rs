//! Node of a world, as a law in Python sees it.

use std::sync::{Arc, Mutex, MutexGuard};

use airfair_sim::coupling::{Action, LocalEnd, TransportEnd, View};
use airfair_sim::packet::Side;
use airfair_sim::world::WindowLimit;
use airfair_units::{Bytes, DataRate, Duration, Time};
use airfair_wlan::{Listen, Stream, Weights};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use rand_core::Rng;

use super::cell::{Cell, Report};
use crate::settings::{SettingError, narrow};
use crate::world::By;

/// State of the transport at one end of a flow.
#[derive(Clone, Copy, Debug, Default)]
struct EndState {
    is_tcp: bool,
    cwnd: Option<u32>,
    round_trip: Option<Duration>,
    least_round_trip: Option<Duration>,
    /// Buffer of a TCP receiver.
    buffer: Option<Bytes>,
}

/// Values that a node sees during one call of a law, and the actions that the law asks for.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scope {
    now: Time,
    ends: Vec<EndState>,
    actions: Vec<Action>,
    /// Number of calls so far, by which a packet knows whether it is the one that passes.
    calls: u64,
    has_packet: bool,
    /// Times of the law's timers that are not over, in ascending order.
    alarms: Vec<Time>,
}

impl Scope {
    /// Fills the scope for a call at `now`.
    pub(super) fn enter(
        &mut self,
        now: Time,
        (view, ends): (&View<'_>, &[LocalEnd]),
        has_packet: bool,
    ) {
        (self.now, self.has_packet) = (now, has_packet);
        self.calls += 1;
        self.ends.clear();
        self.ends.extend(ends.iter().map(|end| match view.end(*end) {
            None => EndState { is_tcp: view.is_tcp(*end), ..EndState::default() },
            Some(transport) => EndState {
                is_tcp: transport.is_tcp(),
                // The kernel's TCP has a congestion window at both ends.
                cwnd: transport.cwnd().filter(|_| end.side == Side::Sender),
                round_trip: transport.round_trip(),
                least_round_trip: transport.least_round_trip(),
                buffer: match transport {
                    TransportEnd::TcpReceiver(_) => Some(transport.buffer()),
                    _ => None,
                },
            },
        }));
        self.actions.clear();
    }

    /// Ends the call of a law's method. Returns the actions that the law has asked for.
    pub(super) fn leave(&mut self) -> Vec<Action> {
        self.has_packet = false;
        std::mem::take(&mut self.actions)
    }

    /// Removes the timer for `now`. Returns false if the law has set none.
    pub(super) fn take_alarm(&mut self, now: Time) -> bool {
        let is_due = self.alarms.first() == Some(&now);
        if is_due {
            self.alarms.remove(0);
        }
        is_due
    }

    /// Number of the current call.
    pub(super) fn call(&self) -> u64 {
        self.calls
    }

    /// Asks for an action on the packet that passes in the call with this number.
    pub(super) fn act_on_packet(&mut self, call: u64, action: Action) -> PyResult<()> {
        if !self.has_packet || call != self.calls {
            return Err(SettingError::new_err(
                "the packet has gone on; allowed while `packet` handles it",
            ));
        }
        self.actions.push(action);
        Ok(())
    }

    /// Time of the call.
    pub(super) fn now(&self) -> Time {
        self.now
    }

    fn wake(&mut self, at: Time) {
        if let Err(place) = self.alarms.binary_search(&at) {
            self.alarms.insert(place, at);
            self.actions.push(Action::Wake(at));
        }
    }
}

/// Locks the scope that a node, its ends of flows and its packets share.
pub(super) fn locked(scope: &Mutex<Scope>) -> MutexGuard<'_, Scope> {
    scope.lock().expect("nobody panics with it")
}

/// Time `by` after `now`, or the latest time of all. The world refuses times that no run reaches.
pub(super) fn later(now: Time, by: Duration) -> Time {
    Time::from_nanos(now.as_nanos().saturating_add(by.as_nanos()))
}

/// Station or access point at which a law runs.
#[pyclass(module = "airfair._core")]
#[derive(Debug)]
pub(crate) struct Node {
    pub(super) name: String,
    scope: Arc<Mutex<Scope>>,
    random: Random,
    /// Cell of the node; `None` before the start of the run.
    cell: Option<Py<Cell>>,
    senders: Option<Py<PyTuple>>,
    receivers: Option<Py<PyTuple>>,
}

impl Node {
    pub(super) fn new(name: &str, scope: Arc<Mutex<Scope>>, random: Random) -> Self {
        let name = name.to_owned();
        Self { name, scope, random, cell: None, senders: None, receivers: None }
    }

    pub(super) fn set_cell(&mut self, cell: Py<Cell>) {
        self.cell = Some(cell);
    }

    pub(super) fn set_ends(&mut self, senders: Bound<'_, PyTuple>, receivers: Bound<'_, PyTuple>) {
        (self.senders, self.receivers) = (Some(senders.unbind()), Some(receivers.unbind()));
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
        let mut copied = |ends: &Option<Py<PyTuple>>| -> PyResult<Option<Py<PyTuple>>> {
            let Some(ends) = ends else { return Ok(None) };
            let mut copies = Vec::new();
            for end in ends.bind(py) {
                let copy = Py::new(py, end.cast::<FlowEnd>()?.borrow().copy(scope))?;
                note(&end, copy.bind(py).clone().into_any())?;
                copies.push(copy);
            }
            note(ends.bind(py), PyTuple::new(py, &copies)?.into_any())?;
            Ok(Some(PyTuple::new(py, copies)?.unbind()))
        };
        Ok(Self {
            name: self.name.clone(),
            scope: Arc::clone(scope),
            random: self.random.clone(),
            cell: self.cell.as_ref().map(|cell| cell.clone_ref(py)),
            senders: copied(&self.senders)?,
            receivers: copied(&self.receivers)?,
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
        (locked(&self.scope).now - Time::ZERO).as_secs_f64()
    }

    /// Time of the run [ns].
    #[getter]
    fn now_ns(&self) -> u64 {
        locked(&self.scope).now.as_nanos()
    }

    /// Senders of flows at the node, in the order of the scenario; empty at an access point.
    #[getter]
    fn senders<'py>(&self, py: Python<'py>) -> Bound<'py, PyTuple> {
        self.senders.as_ref().map_or_else(|| PyTuple::empty(py), |it| it.bind(py).clone())
    }

    /// Receivers of flows at the node, in the order of the scenario; empty at an access point.
    #[getter]
    fn receivers<'py>(&self, py: Python<'py>) -> Bound<'py, PyTuple> {
        self.receivers.as_ref().map_or_else(|| PyTuple::empty(py), |it| it.bind(py).clone())
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
        let at = later(scope.now, by.duration()?);
        scope.wake(at);
        Ok(())
    }

    /// Calls the law's `timer` at a time of the run [ns].
    fn wake_at_ns(&self, at_ns: u64) -> PyResult<()> {
        let mut scope = locked(&self.scope);
        let at = Time::from_nanos(at_ns);
        if at < scope.now {
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
        locked(&self.scope).actions.push(Action::SetWeights(weights));
        Ok(())
    }

    /// Asks for other events from now on: "own" or "all" frames, or at an access point "packets".
    fn listen(&self, to: &str) -> PyResult<()> {
        let action = match to {
            "own" => Action::Listen(Listen::Own),
            "all" => Action::Listen(Listen::All),
            "packets" => Action::WatchPackets,
            _ => {
                return Err(SettingError::new_err(format!(
                    "listen({to:?}): allowed are \"own\", \"all\" and \"packets\""
                )));
            }
        };
        locked(&self.scope).actions.push(action);
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
        let measured = report.measured(scope.now)?;
        scope.actions.push(Action::Report(measured));
        Ok(())
    }

    fn __repr__(&self) -> String {
        format!("<Node {:?} at {} s>", self.name, self.now_s())
    }
}

/// Random numbers of a node for its laws.
#[derive(Clone, Debug)]
pub(crate) struct Random {
    stream: Stream,
}

impl Random {
    pub(crate) fn new(stream: Stream) -> Self {
        Self { stream }
    }

    fn uniform(&mut self) -> f64 {
        const BITS: u32 = 53;
        #[expect(clippy::cast_precision_loss, reason = "53 bits are exact")]
        let real = |bits: u64| bits as f64;
        real(self.stream.next_u64() >> (64 - BITS)) / real(1 << BITS)
    }

    fn below(&mut self, below: u64) -> PyResult<u64> {
        if below == 0 {
            return Err(PyValueError::new_err("random_below(0): allowed is 1 and more"));
        }
        let wide = u128::from(self.stream.next_u64()) * u128::from(below);
        Ok(u64::try_from(wide >> 64).expect("less than `below`"))
    }
}

/// One end of a flow at the node of a law: its sender or its receiver.
#[pyclass(frozen, module = "airfair._core")]
#[derive(Debug)]
pub(crate) struct FlowEnd {
    flow: String,
    /// Index among the ends of flows at the node.
    index: usize,
    end: LocalEnd,
    scope: Arc<Mutex<Scope>>,
}

impl FlowEnd {
    pub(super) fn new(
        flow: String,
        (index, end): (usize, LocalEnd),
        scope: &Arc<Mutex<Scope>>,
    ) -> Self {
        Self { flow, index, end, scope: Arc::clone(scope) }
    }

    fn copy(&self, scope: &Arc<Mutex<Scope>>) -> Self {
        Self::new(self.flow.clone(), (self.index, self.end), scope)
    }

    fn state(&self) -> EndState {
        locked(&self.scope).ends.get(self.index).copied().unwrap_or_default()
    }

    fn ask(&self, action: Action) {
        locked(&self.scope).actions.push(action);
    }
}

#[pymethods]
impl FlowEnd {
    /// Name of the flow.
    #[getter]
    fn flow(&self) -> &str {
        &self.flow
    }

    /// True if the transport is TCP.
    #[getter]
    fn is_tcp(&self) -> bool {
        self.state().is_tcp
    }

    /// Congestion window [segments]; `None` unless this is a TCP sender.
    #[getter]
    fn cwnd(&self) -> Option<u32> {
        self.state().cwnd
    }

    /// Smoothed round-trip time [s]; `None` before the first estimate.
    #[getter]
    fn rtt_s(&self) -> Option<f64> {
        self.state().round_trip.map(Duration::as_secs_f64)
    }

    /// Least round-trip time of TCP [s]; `None` before the first estimate.
    #[getter]
    fn least_rtt_s(&self) -> Option<f64> {
        self.state().least_round_trip.map(Duration::as_secs_f64)
    }

    /// Buffer of a TCP receiver [octets], which bounds its window; `None` at other ends.
    #[getter]
    fn buffer(&self) -> Option<u64> {
        self.state().buffer.map(Bytes::get)
    }

    /// Limits the window of TCP in octets, in segments, or to its congestion window divided by a
    /// number, at least one segment. Without a value, the limit is removed.
    #[pyo3(signature = (*, octets = None, segments = None, divide_by = None))]
    fn limit_window(
        &self,
        octets: Option<i64>,
        segments: Option<i64>,
        divide_by: Option<i64>,
    ) -> PyResult<()> {
        const ALLOWED: &str = "1 to 4294967295";
        let positive = |value: i64| if value < 1 { Err(allowed(ALLOWED)) } else { Ok(value) };
        let limit = match (octets, segments, divide_by) {
            (None, None, None) => {
                self.ask(Action::Lift(self.end));
                return Ok(());
            }
            (Some(octets), None, None) => {
                WindowLimit::Octets(Bytes::new(narrow(positive(octets)?, ALLOWED)?))
            }
            (None, Some(segments), None) => {
                WindowLimit::Segments(narrow(positive(segments)?, ALLOWED)?)
            }
            (None, None, Some(by)) => WindowLimit::DividedBy(narrow(positive(by)?, ALLOWED)?),
            _ => return Err(allowed("one of octets, segments and divide_by")),
        };
        self.ask(Action::LimitWindow(self.end, limit));
        Ok(())
    }

    /// Sets the congestion window of a TCP sender [segments].
    fn set_cwnd(&self, segments: i64) -> PyResult<()> {
        self.ask(Action::SetCwnd(self.end, narrow(segments, "0 to 4294967295 segments")?));
        Ok(())
    }

    /// Limits the rate of TFRC [bit/s].
    fn limit_rate(&self, bps: f64) -> PyResult<()> {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a float that is too large or negative saturates"
        )]
        let bps = bps.round() as u64;
        if bps == 0 {
            return Err(allowed("1 b/s and more"));
        }
        self.ask(Action::LimitRate(self.end, DataRate::from_bps(bps)));
        Ok(())
    }

    /// Removes all limits of the transport at this end.
    fn lift(&self) {
        self.ask(Action::Lift(self.end));
    }

    /// Makes a TCP receiver estimate its round-trip time from now on.
    fn estimate_rtt(&self) {
        self.ask(Action::EstimateRoundTrip(self.end));
    }

    fn __repr__(&self) -> String {
        format!("<FlowEnd of {:?}>", self.flow)
    }
}

fn allowed(what: &str) -> PyErr {
    SettingError::new_err(format!("allowed are {what}"))
}
