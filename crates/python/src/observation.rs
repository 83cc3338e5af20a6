//! Observations of worlds, as arrays.

use airfair_sim::observe::{self, Objects};
use airfair_units::Time;
use numpy::PyArray1;
use pyo3::prelude::*;

/// Activity of a world during one step, as arrays in the order of the scenario.
#[pyclass(frozen, module = "airfair._core")]
pub(crate) struct Observation {
    pub(crate) seen: observe::Observation,
    /// Number of flows, stations, cells and directions of links.
    pub(crate) counts: [usize; 4],
}

impl Observation {
    /// Values of a column, one for each flow, station, cell or direction of a link.
    fn column<'py>(&self, py: Python<'py>, name: &str) -> Bound<'py, PyArray1<f64>> {
        let mut from = 0;
        for (objects, column, _) in observe::columns() {
            let length = self.counts[objects as usize];
            if column == name {
                return PyArray1::from_slice(py, &self.seen.values[from..from + length]);
            }
            from += length;
        }
        unreachable!("a property for each column, and no other")
    }
}

/// Gives an observation a property for each column.
macro_rules! columns {
    ($($name:ident),* $(,)?) => {
        #[pymethods]
        impl Observation {
            /// Time at the end of the step [s].
            #[getter]
            fn at_s(&self) -> f64 {
                (self.seen.at - Time::ZERO).as_secs_f64()
            }

            /// Length of the step [s].
            #[getter]
            fn length_s(&self) -> f64 {
                self.seen.length.as_secs_f64()
            }

            fn __repr__(&self) -> String {
                format!("<Observation of {} s up to {} s>", self.length_s(), self.at_s())
            }

            $(
                #[getter]
                fn $name<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
                    self.column(py, stringify!($name))
                }
            )*
        }
    };
}

columns! {
    goodput_bps,
    delay_ms,
    rtt_ms,
    cwnd_segments,
    packets_sent,
    packets_received,
    packets_dropped,
    retransmissions,
    timeouts,
    airtime_share,
    queue_packets,
    rate_up_bps,
    rate_down_bps,
    frames,
    retries,
    collisions,
    dropped,
    channel_busy_share,
    channel_collisions,
    access_point_queue_packets,
    access_point_frames,
    access_point_retries,
    access_point_collisions,
    access_point_dropped,
    link_queue_packets,
    link_dropped,
}

/// All columns of an observation, in order: objects ("flows", "stations", "cells" or "links"), name
/// and meaning.
#[pyfunction]
pub(crate) fn observation_columns() -> Vec<(&'static str, &'static str, &'static str)> {
    let word = |objects| match objects {
        Objects::Flows => "flows",
        Objects::Stations => "stations",
        Objects::Cells => "cells",
        Objects::Links => "links",
    };
    observe::columns().map(|(objects, name, meaning)| (word(objects), name, meaning)).collect()
}
