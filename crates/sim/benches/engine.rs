//! How fast the engine is: simulated seconds per CPU second and nanoseconds of CPU per frame.
//!
//! `cargo bench -p airfair-sim [-- WORD]`, with a word only lines that hold it. CPU time, not wall time, so that a busy machine does not blur it;
//! each line is the fastest of several runs, since noise only ever adds.

use std::fmt::Write as _;
use std::hint::black_box;

use airfair_sim::outcome::Outcome;
use airfair_sim::run::{Control, run};
use airfair_sim::scenario::Scenario;
use cpu_time::ProcessTime;

/// Runs of each scenario.
const RUNS: u32 = 7;

/// Five TCP sessions, each over two hops, for 100 s: Table 4 of the paper, NewReno.
const TABLE4: &str = include_str!("../../../experiments/arf-aware-tcp/table4.toml");

fn main() {
    println!(
        "{:<42} {:>10} {:>10} {:>9} {:>9}",
        "scenario", "sim-s/CPU-s", "ns/frame", "frames", "CPU ms"
    );
    measure("table 4: 5 TCP sessions over a relay", TABLE4);
    measure("10 TCP uploads, 802.11a at 54 Mb/s", &tcp_cell(10));
    measure("10 TFRC uploads, 802.11a at 54 Mb/s", &cell(10, r#"{ kind = "tfrc" }"#));
    for shares in [false, true] {
        let name = format!("20 TFRC downloads{}", if shares { ", shares granted" } else { "" });
        measure(&name, &downloads(shares));
    }
    for stations in [1, 10, 100, 1000] {
        let name = format!("saturated 802.11a cell, {stations} station(s)");
        measure(&name, &saturated_cell(stations));
    }
    for (still, roaming, where_) in [(40, 40, "all in range"), (140, 150, "not all in range")] {
        let circle = format!("position = {{ circle = \"{still} m\" }}");
        measure(&format!("radio: 20 fixed, {where_}"), &radio_cell(&circle));
        measure(&format!("radio: 20 moving, {where_}"), &radio_cell(&wandering(roaming)));
    }
    measure("5 TFRC flows over a chain of wires (hops)", &chain(5));
    if let Some(peak) = peak_memory_kib() {
        println!("peak memory, the cell of 1000 included: {:.1} MB", peak / 1000.0 * 1.024);
    }
}

fn measure(name: &str, text: &str) {
    let mut words = std::env::args().skip(1).filter(|word| !word.starts_with('-'));
    if words.next().is_some_and(|word| !name.contains(&word)) {
        return;
    }
    let scenario = Scenario::parse(text, &[]).unwrap_or_else(|errors| panic!("{errors:?}"));
    let best = (0..RUNS).map(|replication| timed(&scenario, replication));
    let (seconds, outcome) = best.min_by(|a, b| a.0.total_cmp(&b.0)).expect("at least one run");
    let frames = u32::try_from(frames(&outcome)).expect("fewer than 2^32 frames");
    println!(
        "{name:<42} {:>10.0} {:>10.1} {frames:>9} {:>9.2}",
        scenario.duration.as_secs_f64() / seconds,
        seconds * 1e9 / f64::from(frames),
        seconds * 1e3,
    );
}

/// Frames on the air; where there is no air, packets over wires.
fn frames(outcome: &Outcome) -> u64 {
    match outcome.channels.as_slice() {
        [] => outcome.links.iter().map(|link| link.packets).sum(),
        channels => channels.iter().map(|channel| channel.frames).sum(),
    }
}

/// CPU seconds of one run.
fn timed(scenario: &Scenario, replication: u32) -> (f64, Outcome) {
    let start = ProcessTime::now();
    let outcome = run(black_box(scenario), 1, replication, &Control::default());
    let seconds = start.elapsed().as_secs_f64();
    (seconds, outcome.expect("nobody cancels"))
}

fn saturated_cell(stations: u32) -> String {
    cell(stations, r#"{ kind = "udp", payload = "1472 B", rate = "saturated" }"#)
}

fn tcp_cell(stations: u32) -> String {
    cell(stations, r#"{ kind = "tcp" }"#)
}

/// Stations that all send to one wired host.
fn cell(stations: u32, transport: &str) -> String {
    let mut text = String::from("duration = \"20 s\"\nseries = \"off\"\n");
    let _ = write!(
        text,
        "[bss.cell]\nstandard = \"802.11a\"\n\
         [station.sta]\ncount = {stations}\nrate = \"54 Mb/s\"\n\
         [host.server]\nlink = {{ rate = \"1 Gb/s\", delay = \"1 ms\" }}\n\
         [flow.up]\nfrom = \"sta\"\nto = \"server\"\ntransport = {transport}\n",
    );
    text
}

/// Figure 4 of [occupancy-tfrc] with 20 stations at three rates, plain or with the scheme.
fn downloads(shares: bool) -> String {
    let control = if shares { "occupancy" } else { "none" };
    let mut text = format!(
        "duration = \"100 s\"\nseries = \"off\"\n\
         [bss.cell]\nstandard = \"802.11a\"\nbeacon = true\n\
         ap = {{ queue = {{ packets = 100 }}, occupancy = {shares} }}\n\
         [host.server]\nlink = {{ rate = \"1 Gb/s\", delay = \"50 ms\" }}\n"
    );
    for (i, rate) in (0..20).zip([6, 24, 54].into_iter().cycle()) {
        let _ = write!(
            text,
            "[station.s{i}]\nrate = \"{rate} Mb/s\"\n[flow.f{i}]\nfrom = \"server\"\nto = \"s{i}\"\n\
             transport = {{ kind = \"tfrc\", segment = \"1448 B\" }}\ncontrol = \"{control}\"\n"
        );
    }
    text
}

/// 20 stations at 12 Mb/s whose cell has a radio; 262 m are its range.
fn radio_cell(keys: &str) -> String {
    let radio = "radio = { range = { \"12 Mb/s\" = \"262 m\" } }\n[station.sta]\n";
    let rate = format!("{keys}\nrate = \"12 Mb/s\"");
    saturated_cell(20).replace("[station.sta]\n", radio).replace("rate = \"54 Mb/s\"", &rate)
}

fn wandering(radius: u32) -> String {
    let speeds = "min_speed = \"1 m/s\", max_speed = \"10 m/s\"";
    format!("mobility = {{ model = \"random-waypoint\", radius = \"{radius} m\", {speeds} }}")
}

/// Hosts at one end of two routers that send to hosts at the other.
fn chain(flows: u32) -> String {
    let mut text = String::from(
        "duration = \"100 s\"\nseries = \"off\"\n[router.near]\n[router.far]\n\
         [link.core]\nbetween = [\"near\", \"far\"]\nrate = \"10 Mb/s\"\ndelay = \"10 ms\"\n",
    );
    for i in 0..flows {
        let _ = write!(
            text,
            "[host.a{i}]\nlink = {{ to = \"near\" }}\n[host.b{i}]\nlink = {{ to = \"far\" }}\n\
             [flow.f{i}]\nfrom = \"a{i}\"\nto = \"b{i}\"\ntransport = {{ kind = \"tfrc\" }}\n"
        );
    }
    text
}

/// Largest resident set so far [KiB], where the system tells.
fn peak_memory_kib() -> Option<f64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    line.split_whitespace().nth(1)?.parse().ok()
}
