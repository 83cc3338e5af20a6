//! End of a flow at a node, as a law in Python sees and limits it.

use std::sync::{Arc, Mutex};

use airfair_sim::coupling::{Action, LocalEnd};
use airfair_sim::packet::Side;
use airfair_sim::world::WindowLimit;
use airfair_units::{Bytes, DataRate, Duration};
use pyo3::prelude::*;

use super::scope::{EndState, Scope, locked};
use crate::settings::{SettingError, narrow};

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

    /// Copy of the end for a node with another scope.
    pub(super) fn copy(&self, scope: &Arc<Mutex<Scope>>) -> Self {
        Self::new(self.flow.clone(), (self.index, self.end), scope)
    }

    /// True if this is the sender or the receiver, as `side` says.
    pub(super) fn is_at(&self, side: Side) -> bool {
        self.end.side == side
    }

    fn state(&self) -> EndState {
        locked(&self.scope).end(self.index)
    }

    fn ask(&self, action: Action) {
        locked(&self.scope).ask(action);
    }
}

#[pymethods]
impl FlowEnd {
    /// Name of the flow.
    #[getter]
    fn flow(&self) -> &str {
        &self.flow
    }

    /// End at the node: "sender" or "receiver".
    #[getter]
    fn side(&self) -> &'static str {
        side_word(self.end.side)
    }

    /// True if the transport is TCP.
    #[getter]
    fn is_tcp(&self) -> bool {
        self.state().is_tcp
    }

    /// True if the transport is TFRC.
    #[getter]
    fn is_tfrc(&self) -> bool {
        self.state().is_tfrc
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

    /// Smoothed round-trip time [ns]; `None` before the first estimate.
    #[getter]
    fn rtt_ns(&self) -> Option<u64> {
        self.state().round_trip.map(Duration::as_nanos)
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

/// Word for an end of a flow.
pub(super) fn side_word(side: Side) -> &'static str {
    match side {
        Side::Sender => "sender",
        Side::Receiver => "receiver",
    }
}

fn allowed(what: &str) -> PyErr {
    SettingError::new_err(format!("allowed are {what}"))
}
