//! Cell of a node, and measurements of its channel, as laws in Python see and report them.

use airfair_sim::coupling::View;
use airfair_sim::record::Measured;
use airfair_units::{Duration, Time};
use pyo3::prelude::*;
use pyo3::types::{PyString, PyTuple};

use super::names::Names;
use crate::settings::SettingError;

/// Cell of a node: its members and the timing of its standard.
#[pyclass(frozen, module = "airfair._core", get_all)]
#[derive(Debug)]
pub(crate) struct Cell {
    /// Name of the cell, which is that of its access point.
    access_point: Py<PyString>,
    /// Names of the stations, in the order of the scenario.
    stations: Py<PyTuple>,
    /// Short interframe space [ns].
    sifs_ns: u64,
    /// DCF interframe space [ns].
    difs_ns: u64,
    /// Slot time of the back-off [ns].
    slot_ns: u64,
    /// Smallest contention window of the standard [slots].
    cw_min: u16,
    /// Mean back-off of a first attempt [ns].
    mean_backoff_ns: u64,
}

impl Cell {
    pub(super) fn of(py: Python<'_>, view: &View<'_>, names: &Names) -> PyResult<Self> {
        let members = &names.members[view.member().cell.index()];
        let (access_point, stations) = members.split_first().expect("the access point comes first");
        let airtime = view.airtime();
        let timing = &airtime.timing;
        Ok(Self {
            access_point: access_point.clone_ref(py),
            stations: PyTuple::new(py, stations)?.unbind(),
            sifs_ns: timing.sifs.as_nanos(),
            difs_ns: timing.difs.as_nanos(),
            slot_ns: timing.slot.as_nanos(),
            cw_min: timing.cw_min,
            mean_backoff_ns: airtime.mean_backoff().as_nanos(),
        })
    }
}

/// Measurement of the channel that a law reports.
#[derive(Clone, Copy, Debug)]
pub(super) struct Report {
    pub(super) from_ns: u64,
    pub(super) to_ns: u64,
    pub(super) own_ns: u64,
    pub(super) others_ns: u64,
    pub(super) active: u32,
    pub(super) early_ns: (u64, u64),
}

impl Report {
    /// The measurement as a record, at time `now`.
    ///
    /// # Errors
    /// If the measurement ends in the future or before its start, or if more of it lies before its start than
    /// there is.
    pub(super) fn measured(self, now: Time) -> PyResult<Measured> {
        let Self { from_ns, to_ns, own_ns, others_ns, active, early_ns } = self;
        let is_past = from_ns < to_ns && Time::from_nanos(to_ns) <= now;
        if !is_past {
            return Err(SettingError::new_err(format!(
                "report({from_ns}, {to_ns}): allowed is a time that is over, not empty"
            )));
        }
        if own_ns.max(others_ns) > to_ns {
            return Err(SettingError::new_err(format!(
                "report: own_ns = {own_ns}, others_ns = {others_ns}: allowed is at most {to_ns}, the time so far"
            )));
        }
        if early_ns.0 > own_ns || early_ns.1 > others_ns {
            return Err(SettingError::new_err(format!(
                "report: early_ns = {early_ns:?}: allowed are at most own_ns and others_ns"
            )));
        }
        let [own, others] = [own_ns, others_ns].map(Duration::from_nanos);
        let early = [early_ns.0, early_ns.1].map(Duration::from_nanos);
        let [from, to] = [from_ns, to_ns].map(Time::from_nanos);
        Ok(Measured { from, to, own, others, early, active })
    }
}
