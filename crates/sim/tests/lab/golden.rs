//! Golden tables: small runs whose figures are integers, short enough to be judged in a diff.
//!
//! `make golden` rewrites the tables, and `python/tests/test_golden.py` runs the scenarios again, optimised. A
//! changed table needs a line under "Results change" in the CHANGELOG. Tables on which the records of the papers
//! depend are in `tests/golden`; tables of cells of 802.11n and later are in `tests/golden/modern`.

use std::fmt::Write as _;
use std::path::Path;

use airfair_sim::outcome::{Outcome, RadioOutcome};
use airfair_sim::scenario::Scenario;

use crate::common::{parse, run_once};

fn table(scenario: &Scenario, outcome: &Outcome) -> String {
    let mut text = format!(
        "{}\n\nflow            octets  sent  lost  rexmt  rto  rtt-p50-us\n",
        scenario.title
    );
    for (spec, flow) in scenario.flows.iter().zip(&outcome.flows) {
        let _ = writeln!(
            text,
            "{:<12} {:>9} {:>5} {:>5} {:>6} {:>4} {:>11}",
            spec.name,
            flow.delivered.get(),
            flow.packets_sent,
            flow.packets_dropped,
            flow.retransmissions,
            flow.timeouts,
            flow.rtt.p50.as_nanos() / 1000,
        );
    }
    text.push_str("\nmember       frames retries collided  gave-up  full  queue-max  air-us\n");
    let names = scenario.stations.iter().map(|station| station.name.as_str());
    let radios = outcome.stations.iter().map(|s| {
        let held = s.airtime_data_up + s.airtime_data_down + s.airtime_control;
        (s.radio, held.as_nanos() / 1000)
    });
    row(&mut text, "ap", &outcome.access_points[0], 0);
    for (name, (radio, held)) in names.zip(radios) {
        row(&mut text, name, &radio, held);
    }
    let channel = &outcome.channels[0];
    let us = |duration: airfair_units::Duration| duration.as_nanos() / 1000;
    let _ = writeln!(
        text,
        "\nair us: data {} control {} collision {} contention {} idle {}; {} frames, {} collisions",
        us(channel.data),
        us(channel.control),
        us(channel.collision),
        us(channel.contention),
        us(channel.idle),
        channel.frames,
        channel.collisions,
    );
    let _ = writeln!(text, "records {:016x}", outcome.record_hash);
    text
}

fn row(text: &mut String, name: &str, radio: &RadioOutcome, held_us: u64) {
    let _ = writeln!(
        text,
        "{:<12} {:>6} {:>7} {:>8} {:>8} {:>5} {:>10} {:>7}",
        name,
        radio.frames,
        radio.retries,
        radio.collisions,
        radio.dropped_retry_limit,
        radio.dropped_queue_full,
        radio.queue_max,
        held_us,
    );
}

fn check(name: &str) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden");
    let text = std::fs::read_to_string(folder.join(format!("{name}.toml")));
    let scenario = parse(&text.expect("a golden table has its scenario beside it"));
    let measured = table(&scenario, &run_once(&scenario, 0));
    let path = folder.join(format!("{name}.txt"));
    if std::env::var_os("AIRFAIR_GOLDEN").is_some() {
        std::fs::write(&path, &measured).expect("the golden folder is writable");
    }
    let golden = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(golden == measured, "{name} has changed:\n{measured}\nwas:\n{golden}");
}

#[test]
fn relayed_tcp_over_802_11b() {
    check("relay");
}

#[test]
fn arf_aware_relayed_tcp() {
    check("relay-arf-aware");
}

#[test]
fn rts_and_cts_in_an_802_11a_cell() {
    check("rts-cts");
}

#[test]
fn a_b_station_in_a_g_cell() {
    check("b-in-g");
}

#[test]
fn older_stations_in_an_n_cell() {
    check("modern/old-in-n");
}

#[test]
fn an_ac_station_in_an_ax_cell() {
    check("modern/ac-in-ax");
}

#[test]
fn tfrc_beside_tcp() {
    check("tfrc");
}
