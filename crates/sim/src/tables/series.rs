//! Time series as tables: one row per run, item and step.

use airfair_units::Duration;

use super::declaration::{Declaration, PLACE, REPLICATION};
use super::table::{Table, Unit};
use crate::outcome::{Outcome, Series};
use crate::scenario::Scenario;

/// Names of all time series.
pub const SERIES: [&str; 9] = [
    "delivered",
    "window",
    "rtt",
    "delay",
    "airtime",
    "rate",
    "station_queue",
    "access_point_queue",
    "link_queue",
];

/// Time series `name` of `runs`, which are runs of `scenario`; `None` if there is no such series.
pub fn series(name: &str, scenario: &Scenario, runs: &[&Outcome]) -> Option<Table> {
    let name = SERIES.into_iter().find(|known| *known == name)?;
    let step = scenario.series_step.unwrap_or(Duration::ZERO);
    Some(table(&Steps { name, runs, step, end: scenario.duration }))
}

/// A table without rows for each time series, which shows the names, units and meanings of its columns.
pub fn declared_series() -> impl Iterator<Item = Table> {
    let (step, end) = (Duration::ZERO, Duration::ZERO);
    SERIES.into_iter().map(move |name| table(&Steps { name, runs: &[], step, end }))
}

fn table(steps: &Steps<'_>) -> Table {
    match steps.name {
        "airtime" | "rate" | "station_queue" => of_stations(steps),
        "access_point_queue" => of_queues(steps, "access_point", |series| &series.access_points),
        "link_queue" => of_queues(steps, "link", |series| &series.links),
        _ => of_flows(steps),
    }
}

fn of_flows(steps: &Steps) -> Table {
    let mut t = steps.of_each("flow", |series| &series.flows);
    match steps.name {
        "delivered" => {
            t.column("delivered_bytes", Unit::Octets, |step| step.value.delivered.get())
                .says("Application octets delivered in order.");
        }
        "window" => {
            t.column("cwnd_segments", Unit::Segments, |step| {
                step.value.window.map(|window| f64::from(window.cwnd))
            })
            .says(
                "Congestion window of TCP, or of QUIC in datagrams, at the end of the step; null if the flow is not open.",
            );
            t.column("ssthresh_segments", Unit::Segments, |step| {
                let ssthresh = step.value.window?.ssthresh;
                (ssthresh < u32::MAX).then_some(f64::from(ssthresh))
            })
            .says("Slow-start threshold of TCP or QUIC at the end of the step; null while there is none.");
        }
        "rtt" => {
            t.column("samples", Unit::Count, |step| step.value.rtts)
                .says("Number of round trips that the sender measured.");
            t.column("sum_ns", Unit::Nanoseconds, |step| step.value.rtt_sum.as_nanos())
                .says("Sum of these round-trip times.");
        }
        _ => {
            t.column("samples", Unit::Count, |step| step.value.delays)
                .says("Number of packets that arrived.");
            t.column("sum_ns", Unit::Nanoseconds, |step| step.value.delay_sum.as_nanos())
                .says("Sum of the one-way delays of these packets.");
        }
    }
    t.table
}

fn of_stations(steps: &Steps) -> Table {
    let mut t = steps.of_each("station", |series| &series.stations);
    match steps.name {
        "airtime" => {
            t.column("airtime_ns", Unit::Nanoseconds, |step| step.value.airtime.as_nanos())
                .says("Airtime of frames of the station's exchanges, in both directions.");
        }
        "rate" => {
            t.column("rate_up_bps", Unit::BitsPerSecond, |step| step.value.rate_up_bps)
                .says("Mean rate, over the step, of data frames that the station sent.");
            t.column("rate_down_bps", Unit::BitsPerSecond, |step| step.value.rate_down_bps)
                .says("Mean rate, over the step, of data frames sent to the station.");
        }
        _ => {
            t.column("queue_packets", Unit::Packets, |step| step.value.queue).says(QUEUE);
        }
    }
    t.table
}

fn of_queues<'r>(
    steps: &Steps<'r>,
    kind: &'static str,
    things: fn(&'r Series) -> &'r Vec<Vec<f64>>,
) -> Table {
    let mut t = steps.of_each(kind, things);
    t.column("queue_packets", Unit::Packets, |step| *step.value).says(QUEUE);
    t.table
}

const QUEUE: &str = "Mean number of packets in the transmit queue over the step.";

/// Steps of the time series `name`, over several runs.
struct Steps<'r> {
    name: &'static str,
    runs: &'r [&'r Outcome],
    step: Duration,
    end: Duration,
}

/// One step, an interval of a time series, of one flow, station, access point or link.
struct Step<'r, T> {
    replication: u32,
    /// Index of the flow, station, access point or link in the scenario's list of these.
    place: u32,
    start: Duration,
    /// Length of the step of the time series; the last one may be shorter than the others.
    length: Duration,
    value: &'r T,
}

impl<'r> Steps<'r> {
    /// Starts a table with a row for each run, each item, such as a flow or a link, and each step, an interval of the
    /// time series. The column `kind` holds the index of the item.
    fn of_each<T>(
        &self,
        kind: &'static str,
        things: fn(&'r Series) -> &'r Vec<Vec<T>>,
    ) -> Declaration<Step<'r, T>> {
        let mut rows = Vec::new();
        for run in self.runs {
            for (place, values) in (0..).zip(things(&run.series)) {
                rows.extend((0_u64..).zip(values).map(|(number, value)| {
                    let start = self.step.saturating_mul(number);
                    let length = self.end.saturating_sub(start).min(self.step);
                    Step { replication: run.replication, place, start, length, value }
                }));
            }
        }
        let meaning = "One row for each step; the steps start at time 0 and include the warm-up.";
        let mut t = Declaration::new(self.name, meaning, rows);
        t.column("replication", Unit::Number, |step| step.replication).says(REPLICATION);
        t.column(kind, Unit::Number, |step| step.place).says(PLACE);
        t.column("start_ns", Unit::Nanoseconds, |step| step.start.as_nanos())
            .says("Start of the step.");
        t.column("length_ns", Unit::Nanoseconds, |step| step.length.as_nanos())
            .says("Length of the step; the last one may be shorter than the others.");
        t
    }
}
