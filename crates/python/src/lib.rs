//! `airfair._core`: the simulator as a Python module.
//!
//! This crate is thin: it parses scenarios, runs them on all cores and returns columns.
//! `airfair-sim` defines the columns. Means, intervals, files and figures are computed in Python.

#![expect(
    clippy::needless_pass_by_value,
    reason = "PyO3 hands the arguments of Python's functions over as owned values"
)]

mod batch;
mod duration;
#[cfg(target_os = "linux")]
mod emulated_laws;
#[cfg(target_os = "linux")]
mod emulation;
mod exceptions;
mod gym;
mod law;
mod link;
mod observation;
mod panics;
#[cfg(target_os = "linux")]
mod radios;
mod scenario;
mod settings;
mod stepped;
mod tables;
mod tfrc;
mod trace;
mod world;

use pyo3::prelude::*;

/// Simulator core of airfair.
#[pymodule]
mod _core {
    use pyo3::prelude::*;

    #[pymodule_export]
    use crate::batch::{Batch, Outcome, run, stream};
    #[pymodule_export]
    use crate::duration::duration_ns;
    #[cfg(target_os = "linux")]
    #[pymodule_export]
    use crate::emulation::{
        Emulation, emulated, emulation_congestion, emulation_enter, emulation_isolate,
        emulation_try,
    };
    #[pymodule_export]
    use crate::exceptions::{RunError, ScenarioError};
    #[pymodule_export]
    use crate::gym::Worlds;
    #[pymodule_export]
    use crate::law::{Candidate, Cell, FlowEnd, Frame, Node, Packet, UsersDue, UsersServed};
    #[pymodule_export]
    use crate::link::Link;
    #[pymodule_export]
    use crate::observation::{Observation, observation_columns};
    #[cfg(target_os = "linux")]
    #[pymodule_export]
    use crate::radios::Radios;
    #[pymodule_export]
    use crate::scenario::{Scenario, escaped, reference, schema};
    #[pymodule_export]
    use crate::settings::SettingError;
    #[pymodule_export]
    use crate::tables::{delays, series, series_columns, table_columns, tables};
    #[pymodule_export]
    use crate::tfrc::{quantity, tfrc_receive, tfrc_send};
    #[pymodule_export]
    use crate::trace::{Tracing, traceable};
    #[pymodule_export]
    use crate::world::World;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        crate::panics::silence();
        module.add("LARGEST_SCENARIO", airfair_sim::scenario::MAX_FILE)?;
        module.add("LARGEST_TRACE", airfair_sim::scenario::MAX_TRACE)?;
        module.add("LONGEST_FRAME_NS", airfair_trace::selection::LONGEST_FRAME.as_nanos())?;
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
