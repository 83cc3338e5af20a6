//! Columns of results as numpy arrays, which own the data, or as lists.

use airfair_sim::outcome::Outcome as Run;
use airfair_sim::tables::{self as sim, Column, Table, Values};
use numpy::PyArray1;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::batch::Outcome;
use crate::scenario::Scenario;

/// Columns of all tables for `outcomes`, which are runs of `scenario`.
///
/// `flow`, `station`, `access_point`, `channel`, `category` and `link` are indices into the
/// scenario's lists. NaN stands for a missing value. Columns are numpy arrays or, with `lists`,
/// lists. Lists avoid the import of numpy, which takes longer than a short run.
#[pyfunction]
#[pyo3(signature = (scenario, outcomes, *, lists = false))]
pub(crate) fn tables<'py>(
    py: Python<'py>,
    scenario: &Scenario,
    outcomes: Vec<Py<Outcome>>,
    lists: bool,
) -> PyResult<Bound<'py, PyDict>> {
    let tables = PyDict::new(py);
    for table in sim::tables(&scenario.inner.flows, &runs(&outcomes)) {
        tables.set_item(table.name, columns(py, table, lists)?)?;
    }
    Ok(tables)
}

/// Columns of one time series of `outcomes`, which are runs of `scenario`: one row per replication,
/// object and step. `what` names the time series: delivered, window, rtt, delay, airtime, rate,
/// `station_queue`, `access_point_queue` or `link_queue`.
#[pyfunction]
pub(crate) fn series<'py>(
    py: Python<'py>,
    scenario: &Scenario,
    outcomes: Vec<Py<Outcome>>,
    what: &str,
) -> PyResult<Bound<'py, PyDict>> {
    match sim::series(what, &scenario.inner, &runs(&outcomes)) {
        Some(table) => columns(py, table, false),
        None => Err(PyValueError::new_err(format!("series {what:?}: unknown"))),
    }
}

/// Histograms of the one-way delays of each flow's packets, one row per bin. Outcomes from the
/// store of finished runs have none.
#[pyfunction]
pub(crate) fn delays(py: Python<'_>, outcomes: Vec<Py<Outcome>>) -> PyResult<Bound<'_, PyDict>> {
    columns(py, sim::delays(&runs(&outcomes)), false)
}

/// Description of a column: name, unit, meaning, and true if values may be missing.
type ColumnDescription = (String, &'static str, String, bool);

/// Meaning of each table, and its columns: name, unit, meaning, and true if values may be missing.
#[pyfunction]
pub(crate) fn table_columns(py: Python<'_>) -> PyResult<Bound<'_, PyDict>> {
    described(py, sim::tables(&[], &[]).into_iter().chain([sim::delays(&[])]))
}

/// Meaning of each time series, and its columns, as in `table_columns`.
#[pyfunction]
pub(crate) fn series_columns(py: Python<'_>) -> PyResult<Bound<'_, PyDict>> {
    described(py, sim::declared_series())
}

fn described(py: Python<'_>, tables: impl Iterator<Item = Table>) -> PyResult<Bound<'_, PyDict>> {
    let all = PyDict::new(py);
    for table in tables {
        let column = |it: Column| (it.name, it.unit.sign(), it.meaning, it.is_nullable);
        let columns: Vec<ColumnDescription> = table.columns.into_iter().map(column).collect();
        all.set_item(table.name, (table.meaning, columns))?;
    }
    Ok(all)
}

fn runs(outcomes: &[Py<Outcome>]) -> Vec<&Run> {
    outcomes.iter().map(|outcome| &outcome.get().inner).collect()
}

fn columns(py: Python<'_>, table: Table, lists: bool) -> PyResult<Bound<'_, PyDict>> {
    let columns = PyDict::new(py);
    for column in table.columns {
        let name = column.name;
        match (column.values, lists) {
            (Values::U32(values), false) => {
                columns.set_item(name, PyArray1::from_vec(py, values))?;
            }
            (Values::U64(values), false) => {
                columns.set_item(name, PyArray1::from_vec(py, values))?;
            }
            (Values::F64(values), false) => {
                columns.set_item(name, PyArray1::from_vec(py, values))?;
            }
            (Values::U32(values), true) => columns.set_item(name, values)?,
            (Values::U64(values), true) => columns.set_item(name, values)?,
            (Values::F64(values), true) => columns.set_item(name, values)?,
        }
    }
    Ok(columns)
}
