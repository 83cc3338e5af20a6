//! Scenarios of the benchmarks.

use std::fmt::Write as _;

/// Scenario of Table 4 of the paper on ARF-aware TCP with NewReno: five TCP sessions over two hops each, for 100 s.
const TABLE4: &str = include_str!("../../../../experiments/arf-aware-tcp/table4.toml");

/// Eight saturated users of OFDMA, down, and down and up, as in ns-3.
const OFDMA: [(&str, &str); 2] = [
    ("down", include_str!("../../../../bench/ns3/ofdma_down.toml")),
    ("both", include_str!("../../../../bench/ns3/ofdma_both.toml")),
];

/// Keys of a cell in which users share a PPDU on streams of their own.
const MU_MIMO: &str = "streams = 8\nmu_mimo = { users = 8, sounding_every = \"10 ms\" }";

/// Eight saturated users, down, with other `keys` in the place of OFDMA, behind a wire of this rate.
fn users_by(keys: &str, rate: &str) -> String {
    let is_other = |line: &&str| !line.starts_with("ofdma");
    let lines: Vec<&str> = OFDMA[0].1.lines().filter(is_other).collect();
    let text = lines.join("\n").replace("max_attempts", &format!("{keys}\nmax_attempts"));
    text.replace("rate = \"500 Mb/s\"", &format!("rate = \"{rate}\""))
}

/// Names and texts of the scenarios of all benchmarks.
pub(crate) fn all() -> Vec<(String, String)> {
    let mut all = vec![
        (String::from("table 4: 5 TCP sessions over a relay"), String::from(TABLE4)),
        (String::from("5 TCP uploads, 802.11a at 54 Mb/s"), tcp_cell(5)),
        (String::from("10 TCP uploads, 802.11a at 54 Mb/s"), tcp_cell(10)),
        (String::from("10 TFRC uploads, 802.11a at 54 Mb/s"), cell(10, r#"{ kind = "tfrc" }"#)),
    ];
    for shares in [false, true] {
        let name = format!("20 TFRC downloads{}", if shares { ", shares granted" } else { "" });
        all.push((name, downloads(shares)));
    }
    for stations in [1, 10, 100, 1000] {
        let name = format!("saturated 802.11a cell, {stations} station(s)");
        all.push((name, saturated_cell(stations)));
    }
    for (name, errors) in [
        ("", ""),
        (", 1 % of MPDUs lost", "errors = { model = \"bernoulli\", probability = 0.01 }\n"),
    ] {
        let name = format!("saturated 802.11ax cell, 10 station(s){name}");
        all.push((name, aggregating_cell(10, errors)));
    }
    let cell = aggregating_cell(10, "");
    all.push((String::from("saturated 802.11ax cell, four categories"), four_categories(&cell)));
    let uploads = ax_cell(5_500, UPLOADS);
    all.push((String::from("ns-3's cell of 802.11ax, 10 saturated stations"), uploads));
    all.push((String::from("4 TCP downloads, 802.11ax"), ax_cell(6_000, DOWNLOADS)));
    for (directions, text) in OFDMA {
        all.push((format!("8 users of OFDMA, {directions}"), String::from(text)));
    }
    all.push((String::from("8 users in turn, down"), users_by("", "500 Mb/s")));
    all.push((String::from("8 users of MU-MIMO, down"), users_by(MU_MIMO, "4 Gb/s")));
    for (still, roaming, where_) in [(40, 40, "all in range"), (140, 150, "not all in range")] {
        let circle = format!("position = {{ circle = \"{still} m\" }}");
        all.push((format!("radio: 20 fixed, {where_}"), radio_cell(&circle)));
        all.push((format!("radio: 20 moving, {where_}"), radio_cell(&wandering(roaming))));
    }
    let hidden = radio_cell("position = { circle = \"200 m\" }");
    all.push((String::from("radio: 20 fixed, some hidden"), hidden));
    for wires in [1, 20] {
        let name = format!("5 TFRC flows over {wires} wire(s) in a row (hops)");
        all.push((name, chain(5, wires)));
    }
    for discipline in ["fq-codel", "dualpi2", "airtime", "airtime-dualpi2"] {
        let name = format!("Prague and CUBIC, {discipline}");
        all.push((name, two_queues(discipline)));
    }
    all
}

/// A flow of low latency and a Classic one to a station of 802.11g through this discipline, for 20 s.
fn two_queues(discipline: &str) -> String {
    let flow = |name: &str, flavour: &str| {
        format!(
            "[flow.{name}]\nfrom = \"server\"\nto = \"sta\"\ntransport = {{ kind = \"tcp\", {flavour}, \
             receive_window = \"4 MB\", window_scaling = true }}\n"
        )
    };
    let (low, classic) = ("flavour = \"prague\"", "flavour = \"cubic\", ecn = true");
    format!(
        "duration = \"20 s\"\nseries = \"off\"\n[bss.cell]\nstandard = \"802.11g\"\n\
         ap.queue = {{ discipline = \"{discipline}\" }}\n[station.sta]\n\
         [host.server]\nlink = {{ rate = \"1 Gb/s\", delay = \"5 ms\" }}\n{}{}",
        flow("low", low),
        flow("classic", classic)
    )
}

/// A cell of saturated stations, for 20 s.
pub(crate) fn saturated_cell(stations: u32) -> String {
    cell(stations, r#"{ kind = "udp", payload = "1472 B", rate = "saturated" }"#)
}

/// A saturated cell with aggregates of 64 MPDUs.
fn aggregating_cell(stations: u32, keys: &str) -> String {
    let station = format!(
        "rate = \"he-mcs11x1\"\nqueue = {{ discipline = \"fifo\", packets = 200 }}\n{keys}"
    );
    saturated_cell(stations)
        .replace("802.11a\"", "802.11ax\"")
        .replace("rate = \"54 Mb/s\"\n", &station)
        .replace("rate = \"1 Gb/s\"", "rate = \"10 Gb/s\"")
        .replace("duration = \"20 s\"", "duration = \"2 s\"")
}

/// The scenario `cell` with one flow of each access category instead of one flow.
fn four_categories(cell: &str) -> String {
    let (rest, flow) = cell.split_once("[flow.up]").expect("a cell with a flow");
    let mut text = String::from(rest);
    for (i, category) in ["background", "best effort", "video", "voice"].iter().enumerate() {
        let _ = writeln!(text, "[flow.up{i}]{flow}access_category = \"{category}\"");
    }
    text
}

/// The cell of `bench/ns3/cell.cc`, with this duration [ms].
fn ax_cell(duration: u32, stations: &str) -> String {
    format!(
        "duration = \"{duration} ms\"\nseries = \"off\"\n\
         [bss.cell]\nstandard = \"802.11ax\"\nband = \"5 GHz\"\nwidth = \"80 MHz\"\n\
         after_collision = \"difs\"\nmax_attempts = \"unlimited\"\nap = {{ queue = {{ discipline = \"fifo\", packets = 1000 }} }}\n\
         [host.server]\nlink = {{ rate = \"1 Gb/s\", delay = \"1 ms\", queue = {{ packets = 1000 }} }}\n\
         {stations}"
    )
}

/// Ten stations that keep two aggregates of 64 packets in their queues.
const UPLOADS: &str = r#"
[station.sta]
count = 10
rate = "he-mcs11x1"
queue = { discipline = "fifo", packets = 128 }
[flow.up]
from = "sta"
to = "server"
transport = { kind = "udp", payload = "1472 B", rate = "saturated" }
"#;

/// Four stations that download with windows of 65 535 octets.
const DOWNLOADS: &str = r#"
[station.sta]
count = 4
rate = "he-mcs11x1"
queue = { discipline = "fifo", packets = 50 }
[flow.down]
from = "server"
to = "sta"

[flow.down.transport]
kind = "tcp"
flavour = "newreno"
sack = false
loss_recovery = "duplicates"
arithmetic = "rfc"
timestamps = false
segment = "1460 B"
delayed_ack = true
initial_window = 10
quick_acks = 0
window_scaling = false
receive_window = "65535 B"
min_rto = "1 s"
full_queue = "loss"
small_queues = "off"
"#;

fn tcp_cell(stations: u32) -> String {
    cell(stations, r#"{ kind = "tcp" }"#)
}

/// A cell of stations that send to one wired host.
fn cell(stations: u32, transport: &str) -> String {
    let mut text = String::from("duration = \"20 s\"\nseries = \"off\"\n");
    let _ = write!(
        text,
        "[bss.cell]\nstandard = \"802.11a\"\n\
         [station.sta]\ncount = {stations}\nrate = \"54 Mb/s\"\n\
         [host.server]\nlink = {{ rate = \"1 Gb/s\", delay = \"1 ms\", queue = {{ packets = 100 }} }}\n\
         [flow.up]\nfrom = \"sta\"\nto = \"server\"\ntransport = {transport}\n",
    );
    text
}

/// Scenario of figure 4 of [occupancy-tfrc] with 20 stations at three rates, with granted shares of the channel or
/// without.
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

/// A cell with a radio and 20 stations at 12 Mb/s, whose range is 262 m.
fn radio_cell(keys: &str) -> String {
    let radio = "radio = { range = { \"12 Mb/s\" = \"262 m\" } }\n[station.sta]\n";
    let rate = format!("{keys}\nrate = \"12 Mb/s\"");
    saturated_cell(20).replace("[station.sta]\n", radio).replace("rate = \"54 Mb/s\"", &rate)
}

fn wandering(radius: u32) -> String {
    let speeds = "min_speed = \"1 m/s\", max_speed = \"10 m/s\"";
    format!("mobility = {{ model = \"random-waypoint\", radius = \"{radius} m\", {speeds} }}")
}

/// A chain of routers with hosts at both ends, which send from one end to the other. The links between routers have
/// 10 Mb/s, and 10 ms in total.
fn chain(flows: u32, wires: u32) -> String {
    let mut text = String::from("duration = \"100 s\"\nseries = \"off\"\n[router.r0]\n");
    for i in 0..wires {
        let (next, us) = (i + 1, 10_000 / wires);
        let _ = write!(
            text,
            "[router.r{next}]\n[link.l{i}]\nbetween = [\"r{i}\", \"r{next}\"]\nrate = \"10 Mb/s\"\n\
             delay = \"{us} us\"\n"
        );
    }
    for i in 0..flows {
        let _ = write!(
            text,
            "[host.a{i}]\nlink = {{ to = \"r0\" }}\n[host.b{i}]\nlink = {{ to = \"r{wires}\" }}\n\
             [flow.f{i}]\nfrom = \"a{i}\"\nto = \"b{i}\"\ntransport = {{ kind = \"tfrc\" }}\n"
        );
    }
    text
}
