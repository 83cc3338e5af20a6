//! Outcomes as columns, one row per replication and thing: numpy arrays that own what Rust computed, or lists.

use airfair_sim::outcome::{Outcome as Run, Quantiles, RadioOutcome, Series, StationOutcome};
use airfair_sim::scenario as sim;
use airfair_units::{DataRate, Duration};
use numpy::{Element, PyArray1};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::batch::Outcome;
use crate::scenario::Scenario;

/// Columns of each table of `outcomes`, which are runs of `scenario`.
///
/// `flow`, `station`, `access_point`, `channel` and `link` are indices into the scenario's lists. A NaN is a
/// value that does not exist. Columns are numpy arrays; as `lists` they need no numpy, whose import takes
/// longer than a short run.
#[pyfunction]
#[pyo3(signature = (scenario, outcomes, *, lists = false))]
pub(crate) fn tables<'py>(
    py: Python<'py>,
    scenario: &Scenario,
    outcomes: Vec<Py<Outcome>>,
    lists: bool,
) -> PyResult<Bound<'py, PyDict>> {
    let runs: Vec<&Run> = outcomes.iter().map(|outcome| &outcome.get().inner).collect();
    let new = Maker { py, form: if lists { Form::List } else { Form::Array } };
    let tables = PyDict::new(py);
    tables.set_item("runs", run_table(new, &runs)?)?;
    tables.set_item("flows", flow_table(new, &scenario.inner, &runs)?)?;
    tables.set_item("stations", station_table(new, &runs)?)?;
    tables.set_item("airtime", airtime_table(new, &runs)?)?;
    tables.set_item("access_points", access_point_table(new, &runs)?)?;
    tables.set_item("channels", channel_table(new, &runs)?)?;
    tables.set_item("links", link_table(new, &runs)?)?;
    Ok(tables)
}

/// What columns are made of.
#[derive(Clone, Copy)]
enum Form {
    Array,
    List,
}

/// Begins tables.
#[derive(Clone, Copy)]
struct Maker<'py> {
    py: Python<'py>,
    form: Form,
}

/// Rows of one table, each with what identifies it, and the columns made of them.
struct Table<'py, R> {
    rows: Vec<R>,
    form: Form,
    columns: Bound<'py, PyDict>,
}

impl<'py, 'r, T> Table<'py, (&'r Run, u32, &'r T)> {
    /// One row per run and thing, with the thing's index.
    fn of_each(new: Maker<'py>, runs: &[&'r Run], things: impl Fn(&'r Run) -> &'r Vec<T>) -> Self {
        let rows = |run: &&'r Run| {
            let run = *run;
            (0_u32..).zip(things(run)).map(move |(index, thing)| (run, index, thing))
        };
        Self::new(new, runs.iter().flat_map(rows))
    }
}

impl<'py, R> Table<'py, R> {
    fn new(new: Maker<'py>, rows: impl Iterator<Item = R>) -> Self {
        Self { rows: rows.collect(), form: new.form, columns: PyDict::new(new.py) }
    }

    /// Adds a column.
    fn column<T>(&self, name: &str, value: impl Fn(&R) -> T) -> PyResult<()>
    where
        T: Element + IntoPyObject<'py>,
    {
        let values = self.rows.iter().map(value);
        match self.form {
            Form::Array => {
                let array = PyArray1::from_vec(self.columns.py(), values.collect());
                self.columns.set_item(name, array)
            }
            Form::List => self.columns.set_item(name, values.collect::<Vec<T>>()),
        }
    }

    /// Adds the columns of a distribution [ms].
    fn quantiles(&self, name: &str, of: impl Fn(&R) -> &Quantiles) -> PyResult<()> {
        let column = |column, value: fn(&Quantiles) -> Duration| {
            self.column(&format!("{name}_{column}_ms"), |row| match of(row) {
                Quantiles { count: 0, .. } => f64::NAN,
                samples => milliseconds(value(samples)),
            })
        };
        column("mean", |q| q.mean)?;
        column("min", |q| q.min)?;
        column("p50", |q| q.p50)?;
        column("p95", |q| q.p95)?;
        column("p99", |q| q.p99)?;
        column("max", |q| q.max)
    }

    /// Adds the columns of a transmitter.
    fn radio(&self, radio: impl Fn(&R) -> &RadioOutcome) -> PyResult<()> {
        self.column("frames", |r| radio(r).frames)?;
        self.column("rts_frames", |r| radio(r).rts_frames)?;
        self.column("retries", |r| radio(r).retries)?;
        self.column("retry_share", |r| {
            ratio(radio(r).retries, radio(r).frames + radio(r).rts_frames)
        })?;
        self.column("collisions", |r| radio(r).collisions)?;
        self.column("frame_errors", |r| radio(r).frame_errors)?;
        self.column("dropped_retry_limit", |r| radio(r).dropped_retry_limit)?;
        self.column("dropped_queue_full", |r| radio(r).dropped_queue_full)?;
        self.column("dropped_codel", |r| radio(r).dropped_codel)?;
        self.column("dropped_ack_filter", |r| radio(r).dropped_ack_filter)?;
        self.column("duplicates", |r| radio(r).duplicates)?;
        self.column("queue_mean", |r| radio(r).queue_mean)?;
        self.column("queue_max", |r| radio(r).queue_max)
    }
}

fn run_table<'py>(new: Maker<'py>, runs: &[&Run]) -> PyResult<Bound<'py, PyDict>> {
    let table = Table::new(new, runs.iter().copied());
    table.column("replication", |run| run.replication)?;
    table.column("seed", |run| run.seed)?;
    table.column("elapsed_ns", |run| run.elapsed.as_nanos())?;
    table.column("events", |run| run.events)?;
    table.column("record_hash", |run| run.record_hash)?;
    Ok(table.columns)
}

fn flow_table<'py>(
    new: Maker<'py>,
    scenario: &sim::Scenario,
    runs: &[&Run],
) -> PyResult<Bound<'py, PyDict>> {
    let table = Table::of_each(new, runs, |run| &run.flows);
    table.column("replication", |(run, ..)| run.replication)?;
    table.column("flow", |(_, index, _)| *index)?;
    table
        .column("goodput_bps", |(.., flow)| bits_per_second(flow.delivered.bits(), flow.active))?;
    table.column("loss", |(.., flow)| ratio(flow.packets_dropped, flow.packets_sent))?;
    table.column("loss_estimated", |(_, index, flow)| {
        if goes_up(&scenario.flows[*index as usize]) {
            ratio(flow.packets_repeated, flow.packets_received)
        } else {
            ratio(flow.retransmissions, flow.packets_sent)
        }
    })?;
    table.column("throughput_bps", |(run, _, flow)| {
        bits_per_second(flow.delivered.bits(), run.elapsed)
    })?;
    table.column("active_s", |(.., flow)| flow.active.as_secs_f64())?;
    table.column("delivered_bytes", |(.., flow)| flow.delivered.get())?;
    table.column("packets_sent", |(.., flow)| flow.packets_sent)?;
    table.column("packets_refused", |(.., flow)| flow.packets_refused)?;
    table.column("packets_received", |(.., flow)| flow.packets_received)?;
    table.column("packets_repeated", |(.., flow)| flow.packets_repeated)?;
    table.column("packets_dropped", |(.., flow)| flow.packets_dropped)?;
    table.column("packets_in_flight", |(.., flow)| flow.packets_in_flight)?;
    table.column("acks_dropped", |(.., flow)| flow.acks_dropped)?;
    table.column("retransmissions", |(.., flow)| flow.retransmissions)?;
    table.column("timeouts", |(.., flow)| flow.timeouts)?;
    table.column("fast_retransmits", |(.., flow)| flow.fast_retransmits)?;
    table.column("rtt_samples", |(.., flow)| flow.rtt.count)?;
    table.quantiles("rtt", |(.., flow)| &flow.rtt)?;
    table.quantiles("delay", |(.., flow)| &flow.delay)?;
    table.column("jitter_ms", |(.., flow)| flow.jitter.map_or(f64::NAN, milliseconds))?;
    table.column("mean_link_rate_bps", |(.., flow)| {
        flow.mean_link_rate.map_or(f64::NAN, |rate| as_f64(rate.bps()))
    })?;
    table.column("completion_s", |(.., flow)| {
        flow.completion.map_or(f64::NAN, Duration::as_secs_f64)
    })?;
    Ok(table.columns)
}

fn station_table<'py>(new: Maker<'py>, runs: &[&Run]) -> PyResult<Bound<'py, PyDict>> {
    let table = Table::of_each(new, runs, |run| &run.stations);
    table.column("replication", |(run, ..)| run.replication)?;
    table.column("station", |(_, index, _)| *index)?;
    table.column("airtime_share", |(run, _, station)| share(held(station), run.elapsed))?;
    table.column("airtime_data_up_ns", |(.., station)| station.airtime_data_up.as_nanos())?;
    table.column("airtime_data_down_ns", |(.., station)| station.airtime_data_down.as_nanos())?;
    table.column("airtime_control_ns", |(.., station)| station.airtime_control.as_nanos())?;
    table.column("contention_ns", |(.., station)| station.contention.as_nanos())?;
    table.column("measured_airtime_share", |(.., station)| {
        let measured = station.measured;
        if measured.time.is_zero() { f64::NAN } else { share(measured.own, measured.time) }
    })?;
    let bps = |rate: Option<DataRate>| rate.map_or(f64::NAN, |rate| as_f64(rate.bps()));
    table.column("mean_rate_up_bps", |(.., station)| bps(station.mean_rate_up))?;
    table.column("mean_rate_down_bps", |(.., station)| bps(station.mean_rate_down))?;
    table.column("rate_changes", |(.., station)| station.rate_changes)?;
    table.radio(|(.., station)| &station.radio)?;
    Ok(table.columns)
}

/// Shares of the air, as fractions.
fn airtime_table<'py>(new: Maker<'py>, runs: &[&Run]) -> PyResult<Bound<'py, PyDict>> {
    let table = Table::of_each(new, runs, |run| &run.stations);
    table.column("replication", |(run, ..)| run.replication)?;
    table.column("station", |(_, index, _)| *index)?;
    table.column("airtime_share", |(run, _, station)| share(held(station), run.elapsed))?;
    table.column("data_up", |(run, _, station)| share(station.airtime_data_up, run.elapsed))?;
    table.column("data_down", |(run, _, station)| share(station.airtime_data_down, run.elapsed))?;
    table.column("control", |(run, _, station)| share(station.airtime_control, run.elapsed))?;
    table.column("occupancy", |(run, _, station)| {
        share(held(station), run.elapsed) + share(station.contention, run.elapsed)
    })?;
    table.column("frames", |(.., station)| station.radio.frames)?;
    table.column("retries", |(.., station)| station.radio.retries)?;
    table.column("drops", |(.., station)| {
        let radio = &station.radio;
        radio.dropped_retry_limit
            + radio.dropped_queue_full
            + radio.dropped_codel
            + radio.dropped_ack_filter
    })?;
    Ok(table.columns)
}

fn access_point_table<'py>(new: Maker<'py>, runs: &[&Run]) -> PyResult<Bound<'py, PyDict>> {
    let table = Table::of_each(new, runs, |run| &run.access_points);
    table.column("replication", |(run, ..)| run.replication)?;
    table.column("access_point", |(_, index, _)| *index)?;
    table.radio(|(.., access_point)| access_point)?;
    Ok(table.columns)
}

fn channel_table<'py>(new: Maker<'py>, runs: &[&Run]) -> PyResult<Bound<'py, PyDict>> {
    let table = Table::of_each(new, runs, |run| &run.channels);
    table.column("replication", |(run, ..)| run.replication)?;
    table.column("channel", |(_, index, _)| *index)?;
    table.column("elapsed_ns", |(run, ..)| run.elapsed.as_nanos())?;
    table.column("data_ns", |(.., channel)| channel.data.as_nanos())?;
    table.column("control_ns", |(.., channel)| channel.control.as_nanos())?;
    table.column("beacon_ns", |(.., channel)| channel.beacon.as_nanos())?;
    table.column("collision_ns", |(.., channel)| channel.collision.as_nanos())?;
    table.column("contention_ns", |(.., channel)| channel.contention.as_nanos())?;
    table.column("idle_ns", |(.., channel)| channel.idle.as_nanos())?;
    table.column("frames", |(.., channel)| channel.frames)?;
    table.column("collisions", |(.., channel)| channel.collisions)?;
    table.column("busy", |(run, _, channel)| {
        share(channel.data + channel.control + channel.beacon + channel.collision, run.elapsed)
    })?;
    Ok(table.columns)
}

/// Two rows per link of the scenario: forth, then back.
fn link_table<'py>(new: Maker<'py>, runs: &[&Run]) -> PyResult<Bound<'py, PyDict>> {
    let table = Table::of_each(new, runs, |run| &run.links);
    table.column("replication", |(run, ..)| run.replication)?;
    table.column("link", |(_, index, _)| *index)?;
    table.column("packets_sent", |(.., link)| link.packets_sent)?;
    table.column("packets", |(.., link)| link.packets)?;
    table.column("loss", |(.., link)| {
        ratio(link.dropped_queue_full + link.dropped_early + link.lost, link.packets_sent)
    })?;
    table.column("dropped_queue_full", |(.., link)| link.dropped_queue_full)?;
    table.column("dropped_early", |(.., link)| link.dropped_early)?;
    table.column("lost", |(.., link)| link.lost)?;
    table.column("queue_mean", |(.., link)| link.queue_mean)?;
    table.column("queue_max", |(.., link)| link.queue_max)?;
    Ok(table.columns)
}

/// Columns of one time series of `outcomes`, which are runs of `scenario`: one row per replication, thing and
/// step. `what` is delivered, window, rtt, delay, airtime or rate, or `station_queue`,
/// `access_point_queue` or `link_queue`.
#[pyfunction]
pub(crate) fn series<'py>(
    py: Python<'py>,
    scenario: &Scenario,
    outcomes: Vec<Py<Outcome>>,
    what: &str,
) -> PyResult<Bound<'py, PyDict>> {
    let runs: Vec<&Run> = outcomes.iter().map(|outcome| &outcome.get().inner).collect();
    let steps = Steps { py, scenario: &scenario.inner, runs: &runs };
    match what {
        "delivered" => steps.table(
            "flow",
            |series| &series.flows,
            |table| table.column("delivered_bytes", |step| step.value.delivered.get()),
        ),
        "window" => steps.table(
            "flow",
            |series| &series.flows,
            |table| {
                table.column("cwnd_segments", |step| {
                    step.value.window.map_or(f64::NAN, |window| f64::from(window.cwnd))
                })?;
                table.column("ssthresh_segments", |step| match step.value.window {
                    Some(window) if window.ssthresh < u32::MAX => f64::from(window.ssthresh),
                    _ => f64::NAN,
                })
            },
        ),
        "rtt" => steps.table(
            "flow",
            |series| &series.flows,
            |table| {
                table.column("samples", |step| step.value.rtts)?;
                table.column("sum_ns", |step| step.value.rtt_sum.as_nanos())
            },
        ),
        "delay" => steps.table(
            "flow",
            |series| &series.flows,
            |table| {
                table.column("samples", |step| step.value.delays)?;
                table.column("sum_ns", |step| step.value.delay_sum.as_nanos())
            },
        ),
        "airtime" => steps.table(
            "station",
            |series| &series.stations,
            |table| table.column("airtime_ns", |step| step.value.airtime.as_nanos()),
        ),
        "rate" => steps.table(
            "station",
            |series| &series.stations,
            |table| {
                table.column("rate_up_bps", |step| step.value.rate_up_bps)?;
                table.column("rate_down_bps", |step| step.value.rate_down_bps)
            },
        ),
        "station_queue" => steps.table(
            "station",
            |series| &series.stations,
            |table| table.column("queue_packets", |step| step.value.queue),
        ),
        "access_point_queue" => steps.table(
            "access_point",
            |series| &series.access_points,
            |table| table.column("queue_packets", |step| *step.value),
        ),
        "link_queue" => steps.table(
            "link",
            |series| &series.links,
            |table| table.column("queue_packets", |step| *step.value),
        ),
        _ => Err(PyValueError::new_err(format!("series {what:?}: there is none"))),
    }
}

/// One step of a series.
struct Step<'r, T> {
    run: &'r Run,
    /// The thing that it is of.
    index: u32,
    start: Duration,
    /// The last step may be shorter than the others.
    length: Duration,
    value: &'r T,
}

/// Whose series are wanted.
struct Steps<'py, 'r> {
    py: Python<'py>,
    scenario: &'r sim::Scenario,
    runs: &'r [&'r Run],
}

impl<'py, 'r> Steps<'py, 'r> {
    /// A row for each step of each thing of each run, with the columns that `add` adds.
    fn table<T: 'r>(
        &self,
        name: &str,
        things: impl Fn(&'r Series) -> &'r Vec<Vec<T>>,
        add: impl Fn(&Table<'py, Step<'r, T>>) -> PyResult<()>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let end = self.scenario.duration;
        let length = self.scenario.series_step.unwrap_or(Duration::ZERO);
        let mut rows = Vec::new();
        for &run in self.runs {
            for (index, steps) in (0_u32..).zip(things(&run.series)) {
                rows.extend((0_u64..).zip(steps).map(|(k, value)| {
                    let start = length.saturating_mul(k);
                    let length = end.saturating_sub(start).min(length);
                    Step { run, index, start, length, value }
                }));
            }
        }
        let new = Maker { py: self.py, form: Form::Array };
        let table = Table::new(new, rows.into_iter());
        table.column("replication", |step| step.run.replication)?;
        table.column(name, |step| step.index)?;
        table.column("start_ns", |step| step.start.as_nanos())?;
        table.column("length_ns", |step| step.length.as_nanos())?;
        add(&table)?;
        Ok(table.columns)
    }
}

/// Air that a station's exchanges held, in both directions.
fn held(station: &StationOutcome) -> Duration {
    station.airtime_data_up + station.airtime_data_down + station.airtime_control
}

/// True of a flow from a station to a wired host.
fn goes_up(flow: &sim::Flow) -> bool {
    matches!((flow.from, flow.to), (sim::Endpoint::Station(_), sim::Endpoint::Host(_)))
}

/// Rate of so many bits in a time [bit/s].
fn bits_per_second(bits: u64, elapsed: Duration) -> f64 {
    as_f64(bits) / elapsed.as_secs_f64()
}

/// A count as a fraction of another; NaN of nothing.
fn ratio(some: u64, of: u64) -> f64 {
    as_f64(some) / as_f64(of)
}

fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

/// Part of a time, as a fraction.
fn share(part: Duration, whole: Duration) -> f64 {
    as_f64(part.as_nanos()) / as_f64(whole.as_nanos())
}

#[expect(
    clippy::cast_precision_loss,
    reason = "results are floating point; counts stay below 2^53"
)]
fn as_f64(count: u64) -> f64 {
    count as f64
}
