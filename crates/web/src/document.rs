//! Results of a run as JSON, with the tables and columns of docs/results.md under the same names.

use airfair_sim::outcome::Outcome;
use airfair_sim::scenario::{Endpoint, Flow, Scenario, Transport};
use airfair_sim::tables::{Table, Values, series, tables};
use serde_json::{Map, Value, json};

use crate::collisions::Collisions;

/// Version of the engine, shown with results and in links.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");
/// Largest number of values that the time series in a document may have.
const MOST_STEPS: usize = 100_000;

/// Document with the results of a run: tables, time series and collisions, without single frames.
pub(crate) fn figures(scenario: &Scenario, outcome: &Outcome, collisions: &Collisions) -> Value {
    let by_name = |table: Table| (table.name.to_owned(), columns(table));
    // The table "runs" adds only the hash, which is too long for a number in JavaScript.
    let all = tables(&scenario.flows, &[outcome]).into_iter().filter(|table| table.name != "runs");
    let stations = scenario
        .stations
        .iter()
        .map(|station| json!({ "name": station.name, "cell": scenario.cells[station.cell].name }));
    json!({
        "version": VERSION,
        "title": scenario.title,
        "duration_ns": scenario.duration.as_nanos(),
        "warmup_ns": scenario.warmup.as_nanos(),
        "seed": scenario.seed,
        "replications": scenario.replications,
        "record_hash": format!("{:016x}", outcome.record_hash),
        "cells": scenario.cells.iter().map(|cell| &cell.name).collect::<Vec<_>>(),
        "stations": stations.collect::<Vec<_>>(),
        "flows": scenario.flows.iter().map(|flow| describe(scenario, flow)).collect::<Vec<_>>(),
        "tables": all.map(by_name).collect::<Map<_, _>>(),
        "delivered": delivered(scenario, outcome),
        "collisions": {
            "start_ns": collisions.starts.iter().map(|(at, _)| at.as_nanos()).collect::<Vec<_>>(),
            "cell": collisions.starts.iter().map(|(_, cell)| cell.index()).collect::<Vec<_>>(),
            "is_cut": collisions.is_cut,
        },
    })
}

/// Application octets delivered by each flow in each step of the time series; null if the run has
/// no series or a series that is too long.
fn delivered(scenario: &Scenario, outcome: &Outcome) -> Value {
    let steps: usize = outcome.series.flows.iter().map(Vec::len).sum();
    let table = series("delivered", scenario, &[outcome]).expect("one of the series");
    if (1..=MOST_STEPS).contains(&steps) { columns(table) } else { Value::Null }
}

/// Columns of a table by name, as lists of values. A missing value is null.
fn columns(table: Table) -> Value {
    let values = |values| match values {
        Values::U32(values) => json!(values),
        Values::U64(values) => json!(values),
        Values::F64(values) => json!(values),
    };
    table.columns.into_iter().map(|column| (column.name, values(column.values))).collect()
}

fn describe(scenario: &Scenario, flow: &Flow) -> Value {
    let name = |end| match end {
        Endpoint::Station(index) => &scenario.stations[index].name,
        Endpoint::Host(index) => &scenario.hosts[index],
    };
    let protocol = match &flow.transport {
        Transport::Tcp(tcp) => tcp.flavour_word(),
        Transport::Quic(quic) => quic.control_word(),
        Transport::Tfrc(_) => "tfrc",
        Transport::Udp { .. } => "udp",
        Transport::External => "external",
    };
    json!({
        "name": flow.name,
        "from": name(flow.from),
        "to": name(flow.to),
        "protocol": protocol,
        "control": flow.control.name(),
    })
}
