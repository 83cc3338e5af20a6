//! Golden tables: small runs, all integers, short enough to judge in a diff.
//!
//! `make golden` rewrites them. A changed table needs a line under "Results change" in the CHANGELOG.

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

fn check(name: &str, text: &str) {
    let scenario = parse(text);
    let measured = table(&scenario, &run_once(&scenario, 0));
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/golden/{name}.txt"));
    if std::env::var_os("AIRFAIR_GOLDEN").is_some() {
        std::fs::write(&path, &measured).expect("the golden folder is writable");
    }
    let golden = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(golden == measured, "{name} has changed:\n{measured}\nwas:\n{golden}");
}

#[test]
fn relayed_tcp_over_802_11b() {
    check("relay", RELAY);
}

#[test]
fn arf_aware_relayed_tcp() {
    check("relay-arf-aware", &RELAY.replace("\"none\"", "\"arf-aware\""));
}

#[test]
fn rts_and_cts_in_an_802_11a_cell() {
    check("rts-cts", RTS_CTS);
}

#[test]
fn a_b_station_in_a_g_cell() {
    check("b-in-g", B_IN_G);
}

#[test]
fn tfrc_beside_tcp() {
    check("tfrc", TFRC);
}

const TFRC: &str = r#"
title = "TFRC in three profiles beside TCP, over a wired bottleneck of 4 Mb/s; 10 s"
duration = "10 s"
[bss.cell]
standard = "802.11a"
[station.sta]
count = 4
[host.server]
link = { rate = "4 Mb/s", delay = "10 ms", queue = { packets = 20 } }
[flow.tcp]
from = "sta1"
to = "server"
transport = { kind = "tcp", segment = "1000 B" }
[flow.rfc5348]
from = "sta2"
to = "server"
transport = { kind = "tfrc" }
[flow.rfc3448]
from = "sta3"
to = "server"
transport = { kind = "tfrc", profile = "rfc3448" }
[flow.ns-2]
from = "sta4"
to = "server"
transport = { kind = "tfrc", profile = "ns-2" }
"#;

const RELAY: &str = r#"
title = "Two sessions over a relay, one falls to 1 Mb/s at 2 s; 5 s"
duration = "5 s"
[bss.cell]
standard = "802.11b"
basic_rate = "2 Mb/s"
[station.slow]
rate = { up = [["0 s", "11 Mb/s"], ["2 s", "1 Mb/s"]], down = "11 Mb/s" }
[station.fast]
rate = "11 Mb/s"
[station.sink-a]
senses_only = ["slow", "fast"]
[station.sink-b]
senses_only = ["slow", "fast"]
[flow.slow]
from = "slow"
to = "sink-a"
transport = { kind = "tcp", segment = "1000 B", receive_window = "20000 B", grow_beyond_receive_window = true }
control = "none"
[flow.fast]
from = "fast"
to = "sink-b"
transport = { kind = "tcp", segment = "1000 B", receive_window = "20000 B", grow_beyond_receive_window = true }
control = "none"
"#;

const RTS_CTS: &str = r#"
title = "Three saturated 802.11a stations with RTS/CTS and a download; 2 s"
duration = "2 s"
warmup = "100 ms"
[bss.cell]
standard = "802.11a"
rts_threshold = "500 B"
ap.queue = { packets = 20 }
[station.up]
count = 3
rate = "54 Mb/s"
[station.down]
rate = "6 Mb/s"
[host.server]
link = { rate = "10 Mb/s", delay = "5 ms" }
[flow.up]
from = "up"
to = "server"
transport = { kind = "udp", payload = "1472 B", rate = "saturated" }
[flow.down]
from = "server"
to = "down"
transport = { kind = "tcp", size = "200 kB" }
"#;

const B_IN_G: &str = r#"
title = "An 802.11b station in an 802.11g cell: CTS-to-self and the long slot; 2 s"
duration = "2 s"
[bss.cell]
standard = "802.11g"
[station.old]
standard = "802.11b"
rate = "11 Mb/s"
[station.new]
rate = "54 Mb/s"
[host.server]
link = { rate = "100 Mb/s", delay = "1 ms" }
[flow.old]
from = "old"
to = "server"
transport = { kind = "tcp" }
[flow.new]
from = "new"
to = "server"
transport = { kind = "udp", payload = "1000 B", rate = "6 Mb/s" }
"#;
