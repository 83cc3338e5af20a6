//! Links, which carry objects of Python through a cell.

use std::sync::{Mutex, MutexGuard, TryLockError};

use airfair_link::{Bytes, Duration, End, Event, Packet, Refusal, TimeError};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::batch::Outcome;
use crate::duration::By;
use crate::exceptions::RunError;
use crate::panics;
use crate::scenario::Scenario;

type Inner = airfair_link::Link<Py<PyAny>>;

/// Simulated time between two looks for Ctrl-C.
const SLICE: Duration = Duration::from_millis(10);

/// An event as Python has it: its kind, the index of its flow, true for the receiver's end, and its time [ns]. Then
/// come the packet, its size and the time at which it was sent [ns], unless the event is about room.
type Row = (&'static str, usize, bool, u64, Option<(Py<PyAny>, u64, u64)>);

/// A cell that carries packets of its caller between the ends of external flows.
#[pyclass(frozen, module = "airfair._core")]
pub(crate) struct Link {
    /// The link; `None` after its end.
    inner: Mutex<Option<Inner>>,
}

#[pymethods]
impl Link {
    /// Builds a link at time zero. `between` names two nodes; without it, the packets are those of the
    /// external flows of the scenario.
    #[new]
    #[pyo3(signature = (scenario, *, seed, between = None))]
    fn new(scenario: &Scenario, seed: u64, between: Option<(String, String)>) -> PyResult<Self> {
        let build = || match &between {
            None => Inner::new(&scenario.inner, seed),
            Some((from, to)) => {
                Inner::between(&scenario.inner, seed, [from, to]).map(|(link, _)| link)
            }
        };
        let link = panics::caught(build).map_err(RunError::new_err)?;
        let link = link.map_err(|error| PyValueError::new_err(error.to_string()))?;
        Ok(Self { inner: Mutex::new(Some(link)) })
    }

    /// The scenario of the link, with the flow that it may have added.
    fn scenario(&self) -> PyResult<Scenario> {
        self.with(|link| Ok(Scenario { inner: link.scenario().clone() }))
    }

    /// Time of the link [ns].
    #[getter]
    fn now_ns(&self) -> PyResult<u64> {
        self.with(|link| Ok(link.now().as_nanos()))
    }

    /// Time at which the link wants to be polled [ns]; `None` if nothing happens by itself.
    #[getter]
    fn next_timeout_ns(&self) -> PyResult<Option<u64>> {
        self.with(|link| Ok(link.next_timeout().map(airfair_link::Time::as_nanos)))
    }

    /// Number of packets under way.
    #[getter]
    fn under_way(&self) -> PyResult<usize> {
        self.with(|link| Ok(link.under_way()))
    }

    /// Size of the longest packet of an external flow [octets].
    fn longest_packet(&self, flow: &str) -> PyResult<u64> {
        self.with(|link| Ok(link.longest_packet(end(link, flow, false)?).get()))
    }

    /// Sends a packet from the sender or, if `is_receiver`, the receiver of a flow. Returns false if the
    /// queue of this node is full.
    #[expect(clippy::too_many_arguments, reason = "one call for each packet")]
    fn send(
        &self,
        now: By,
        flow: &str,
        is_receiver: bool,
        size: u64,
        packet: Py<PyAny>,
    ) -> PyResult<bool> {
        let now = now.time()?;
        self.with(|link| {
            let from = end(link, flow, is_receiver)?;
            let sent = panics::caught(|| link.send(now, from, Bytes::new(size), packet));
            match sent.map_err(RunError::new_err)?.map_err(|error| error.reason) {
                Ok(()) => Ok(true),
                Err(Refusal::Full) => Ok(false),
                Err(Refusal::Time(error)) => Err(refused(error)),
                Err(error @ Refusal::Size { .. }) => Err(PyValueError::new_err(error.to_string())),
            }
        })
    }

    /// Runs the link up to `now`, or to the first event if that is earlier, and returns this event.
    fn poll(&self, py: Python<'_>, now: By) -> PyResult<Option<Row>> {
        let now = now.time()?;
        self.with(|link| {
            loop {
                let until = now.min(link.now() + SLICE);
                let polled = py.detach(|| panics::caught(|| link.poll(until)));
                match polled.map_err(RunError::new_err)? {
                    Ok(Some(event)) => return Ok(row(event)),
                    Ok(None) if until == now => return Ok(None),
                    Ok(None) => py.check_signals()?,
                    Err(TimeError::Over { end, .. }) => {
                        return Err(refused(TimeError::Over { asked: now, end }));
                    }
                    Err(error) => return Err(refused(error)),
                }
            }
        })
    }

    /// Ends the link at its current time. Returns its scenario, which lasts up to this time, its outcome,
    /// which is `None` within the warm-up, and the packets that were under way.
    fn finish(&self) -> PyResult<(Scenario, Option<Outcome>, Vec<Row>)> {
        let taken = self.locked()?.take().ok_or_else(over)?;
        let finished = panics::caught(|| taken.finish()).map_err(RunError::new_err)?;
        let mut rows: Vec<Row> = finished.events.into_iter().filter_map(row).collect();
        rows.extend(finished.under_way.into_iter().map(|it| packet("under way", it)));
        let outcome = finished.outcome.map(|inner| Outcome { inner });
        Ok((Scenario { inner: finished.scenario }, outcome, rows))
    }
}

impl Link {
    fn with<T>(&self, work: impl FnOnce(&mut Inner) -> PyResult<T>) -> PyResult<T> {
        work(self.locked()?.as_mut().ok_or_else(over)?)
    }

    /// The link, for one call at a time.
    fn locked(&self) -> PyResult<MutexGuard<'_, Option<Inner>>> {
        match self.inner.try_lock() {
            Ok(inner) => Ok(inner),
            Err(TryLockError::Poisoned(inner)) => Ok(inner.into_inner()),
            Err(TryLockError::WouldBlock) => Err(RunError::new_err(
                "the link is in the middle of a call: allowed is one at a time",
            )),
        }
    }
}

fn over() -> PyErr {
    RunError::new_err("the link is over: its result has been taken")
}

fn end(link: &Inner, flow: &str, is_receiver: bool) -> PyResult<End> {
    let ends = link.ends(flow).map_err(|error| PyValueError::new_err(error.to_string()))?;
    Ok(ends[usize::from(is_receiver)])
}

fn refused(error: TimeError) -> PyErr {
    match error {
        TimeError::Past { .. } => PyValueError::new_err(error.to_string()),
        TimeError::Over { .. } => RunError::new_err(error.to_string()),
    }
}

fn row(event: Event<Py<PyAny>>) -> Option<Row> {
    match event {
        Event::Delivered(it) => Some(packet("delivered", it)),
        Event::Lost(it) => Some(packet("lost", it)),
        Event::Room(end, at) => Some(("room", end.flow(), end.is_receiver(), at.as_nanos(), None)),
        _ => None,
    }
}

fn packet(kind: &'static str, packet: Packet<Py<PyAny>>) -> Row {
    let Packet { payload, size, from, sent_at, left_at } = packet;
    let content = (payload, size.get(), sent_at.as_nanos());
    (kind, from.flow(), from.is_receiver(), left_at.as_nanos(), Some(content))
}
