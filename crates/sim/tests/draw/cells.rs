//! Cells drawn from all settings that decide what a queue does with packets: standard, errors, discipline, hardware
//! queue and its limits, access categories, aggregates, several flows to one station, multi-user frames.

use std::fmt::Write as _;

use crate::luck::Luck;

const STANDARDS: [&str; 9] = [
    "802.11b", "802.11a", "802.11g", "802.11n", "802.11n", "802.11n", "802.11ac", "802.11ax",
    "802.11ax",
];
const ERRORS: [&str; 7] = [
    "\"none\"",
    "\"none\"",
    "{ model = \"bernoulli\", probability = 0.05 }",
    "{ model = \"bernoulli\", probability = 0.4 }",
    "{ model = \"bernoulli\", probability = 0.8 }",
    "{ model = \"bit\", ber = 5e-5 }",
    "{ model = \"gilbert-elliott\", mean_good = \"50 ms\", mean_bad = \"20 ms\", bad = 0.9 }",
];
const DISCIPLINES: [&str; 13] = [
    "discipline = \"fifo\"",
    "discipline = \"fifo\", overflow = \"longest-flow\", ack_filter = true",
    "discipline = \"data-ack\"",
    "discipline = \"round-robin\"",
    "discipline = \"deficit-round-robin\"",
    "discipline = \"codel\"",
    "discipline = \"fq-codel\"",
    "discipline = \"fq-codel\", queues = 2",
    "discipline = \"time-regulator\"",
    "discipline = \"airtime\"",
    "discipline = \"airtime\", queues = 2",
    "discipline = \"airtime\", airtime_quantum = \"off\"",
    "discipline = \"airtime\", airtime_quantum = \"5 ms\", target = \"1 ms\", interval = \"5 ms\"",
];
const CATEGORIES: [&str; 4] = ["background", "best effort", "video", "voice"];
const TRANSPORTS: [&str; 11] = [
    "{ kind = \"udp\", payload = \"1000 B\", rate = \"60 Mb/s\" }",
    "{ kind = \"udp\", payload = \"1000 B\", rate = \"30 Mb/s\" }",
    "{ kind = \"udp\", payload = \"1472 B\", rate = \"saturated\" }",
    "{ kind = \"udp\", payload = \"300 B\", rate = \"2 Mb/s\" }",
    "{ kind = \"tcp\" }",
    "{ kind = \"tcp\", flavour = \"cubic\", window_scaling = true, receive_window = \"1 MB\" }",
    "{ kind = \"tcp\", flavour = \"sack\", size = \"200 kB\" }",
    "{ kind = \"tcp\", sack = true, loss_recovery = \"rack\", full_queue = \"hold\" }",
    "{ kind = \"tcp\", full_queue = \"hold\", small_queues = \"1 ms\" }",
    "{ kind = \"tfrc\" }",
    "{ kind = \"tfrc\", segment = \"600 B\", rate = \"4 Mb/s\" }",
];

const SCHEDULERS: [&str; 5] =
    ["round-robin", "proportional-fair", "largest-backlog", "deadline", "off"];

/// Draws the text of a scenario of one cell.
pub(crate) fn cell(luck: &mut Luck) -> String {
    let standard = *luck.pick(&STANDARDS);
    cell_of(luck, standard, 3)
}

/// Draws the text of a scenario of one cell of 802.11ax with multi-user frames.
pub(crate) fn multi_user_cell(luck: &mut Luck) -> String {
    let text = cell_of(luck, "802.11ax", 10);
    let width = *luck.pick(&["20 MHz", "40 MHz", "80 MHz", "160 MHz"]);
    let keys = format!("[bss.c]\nwidth = \"{width}\"\n{}", multi_user(luck));
    text.replacen("[bss.c]\n", &keys, 1)
}

/// Draws the text of a scenario as [`multi_user_cell`] does, with random access to resource units.
pub(crate) fn random_access_cell(luck: &mut Luck) -> String {
    let text = multi_user_cell(luck).replacen("up = \"off\"", "up = \"round-robin\"", 1);
    let random = luck.pick(&["1", "2", "4", "8"]);
    text.replacen("ofdma = { ", &format!("ofdma = {{ random = {random}, "), 1)
}

/// Draws the text of a scenario of one cell of 802.11ax with MU-MIMO, and in half of the cases with OFDMA as well.
pub(crate) fn mu_mimo_cell(luck: &mut Luck) -> String {
    let text = cell_of(luck, "802.11ax", 10);
    let ofdma = if luck.one_in(2) { multi_user(luck) } else { String::new() };
    let (width, streams) = (*luck.pick(&["20 MHz", "80 MHz"]), *luck.pick(&[2, 4, 8]));
    let (users, every) = (*luck.pick(&[2, 3, 4, 8]), *luck.pick(&["1 ms", "5 ms", "102.4 ms"]));
    let users = streams.min(users);
    let keys = format!(
        "[bss.c]\nwidth = \"{width}\"\nstreams = {streams}\n{ofdma}\
         mu_mimo = {{ users = {users}, sounding_every = \"{every}\" }}\n"
    );
    text.replacen("[bss.c]\n", &keys, 1)
}

/// Draws the text of a scenario of one cell of `standard` with at most `most` stations.
pub(crate) fn cell_of(luck: &mut Luck, standard: &str, most: usize) -> String {
    let is_modern = ["802.11n", "802.11ac", "802.11ax"].contains(&standard);
    let life = *luck.pick(&[200, 500, 1_000, 2_000]);
    let mut text = format!("duration = \"{} ms\"\n[bss.c]\n", life + 6_000);
    let _ = writeln!(text, "standard = \"{standard}\"\nerrors = {}", luck.pick(&ERRORS));
    let _ = writeln!(text, "ap = {{ queue = {{ {} }} }}", queue(luck));
    for (odds, key) in [
        (3, *luck.pick(&["rts_threshold = \"0 B\"", "rts_threshold = \"500 B\""])),
        (3, *luck.pick(&["max_attempts = 1", "max_attempts = 2", "max_attempts = \"unlimited\""])),
        (4, *luck.pick(&["beacon = true", "after_collision = \"difs\"", "eifs = \"ns-2\""])),
    ] {
        if luck.one_in(odds) {
            let _ = writeln!(text, "{key}");
        }
    }
    if is_modern {
        aggregates(luck, &mut text);
    }
    let stations = 1 + luck.below(most);
    for index in 0..stations {
        let _ = writeln!(text, "[station.s{index}]");
        station(luck, &mut text, is_modern);
    }
    let rate = *luck.pick(&["20 Mb/s", "100 Mb/s", "1 Gb/s"]);
    let queue = *luck.pick(&["", "", ", queue = { packets = 2 }", ", queue = { packets = 20 }"]);
    let _ = writeln!(text, "[host.h]\nlink = {{ rate = \"{rate}\", delay = \"1 ms\"{queue} }}");
    for index in 0..=luck.below(most + 2) {
        let _ = writeln!(text, "[flow.f{index}]\nstop = \"{life} ms\"");
        flow(luck, &mut text, (stations, is_modern));
    }
    text
}

/// A drawn cell of 802.11ax as one of 802.11be, with a band, a width and punctured subchannels of its own; other cells
/// as they are.
pub(crate) fn renewed(luck: &mut Luck, text: &str) -> String {
    let channel = *luck.pick(&[
        "",
        "band = \"2.4 GHz\"",
        "band = \"6 GHz\"\nwidth = \"320 MHz\"\nstreams = 2",
        "band = \"6 GHz\"\nwidth = \"320 MHz\"\npunctured = [\"40 MHz\", \"60 MHz\"]",
        "width = \"80 MHz\"\npunctured = [\"20 MHz\"]",
        "width = \"160 MHz\"\npunctured = [\"0 MHz\", \"20 MHz\"]",
    ]);
    let window = format!("window = {}", luck.pick(&[256, 512, 1_024]));
    text.replace("standard = \"802.11ax\"", &format!("standard = \"802.11be\"\n{channel}"))
        .replace("he-mcs", "eht-mcs")
        .replace("window = 256", &window)
}

/// Draws the keys of an access point's queue.
pub(crate) fn queue(luck: &mut Luck) -> String {
    let mut keys =
        format!("{}, packets = {}", luck.pick(&DISCIPLINES), luck.pick(&[3, 20, 60, 200, 1_000]));
    let has_aql = keys.contains("airtime");
    if (has_aql || keys.contains("data-ack")) && !luck.one_in(4) {
        let _ = write!(keys, ", hardware_queue = {}", luck.pick(&[1, 2, 3, 16, 64, 500]));
        if luck.one_in(2) {
            keys += ", hardware_queue_counts = \"packets\"";
        }
        keys += match luck.below(4) {
            _ if !has_aql => "",
            0 => ", aql = \"off\"",
            1 => ", aql = { low = \"1 ms\", high = \"2 ms\", threshold = \"3 ms\" }",
            _ => "",
        };
    }
    keys
}

/// Draws keys of a cell of 802.11n and later, and appends them to `text`.
fn aggregates(luck: &mut Luck, text: &mut String) {
    if luck.one_in(2) {
        let keys = luck.pick(&[
            "window = 256",
            "slow_duration = \"500 us\"",
            "max_duration = \"1 ms\"",
            "max_duration = \"4 ms\"",
            "after_silence = \"request\"",
            "max_bytes = \"8 kB\"",
        ]);
        let _ = writeln!(text, "aggregation = {{ {keys} }}");
    }
    if luck.one_in(3) {
        let _ = writeln!(text, "amsdu = \"{} B\"", luck.pick(&[3_839, 7_935]));
    }
    if luck.one_in(4) {
        let _ = writeln!(text, "edca = {{ txop_limit = \"{} us\" }}", luck.pick(&[1_504, 3_008]));
    }
}

/// Draws keys of a cell for multi-user frames.
fn multi_user(luck: &mut Luck) -> String {
    let (down, up) = (*luck.pick(&SCHEDULERS), *luck.pick(&SCHEDULERS));
    let mut ofdma = format!("down = \"{down}\", up = \"{up}\"");
    for (odds, key) in [
        (2, *luck.pick(&["users = 1", "users = 2", "users = 8", "users = 9"])),
        (2, *luck.pick(&["ack = \"mu-bar\"", "ack = \"aggregated-mu-bar\""])),
        (3, "up_guard_interval = \"1.6 us\""),
    ] {
        if luck.one_in(odds) {
            let _ = write!(ofdma, ", {key}");
        }
    }
    let mut mu_edca = "";
    if up != "off" {
        ofdma += *luck.pick(&["", ", trigger_every = \"1 ms\"", ", trigger_every = \"20 ms\""]);
        ofdma += *luck.pick(&["", ", poll = true"]);
        mu_edca = *luck.pick(&[
            "",
            "mu_edca = {}\n",
            "mu_edca = { aifsn = 0, timer = \"8.192 ms\" }\n",
            "mu_edca = { aifsn = 2, cw_min = 7, cw_max = 15, timer = \"40.96 ms\" }\n",
        ]);
    }
    format!("ofdma = {{ {ofdma} }}\n{mu_edca}")
}

/// Draws random keys for the section of a station in a scenario file, and appends them to `text`. `is_modern` is true
/// in a cell of 802.11n or later.
fn station(luck: &mut Luck, text: &mut String, is_modern: bool) {
    if luck.one_in(3) {
        let _ = writeln!(text, "errors = {}", luck.pick(&ERRORS));
    }
    match luck.below(5) {
        0 => *text += "rate = { control = \"minstrel\" }\n",
        1 if !is_modern => *text += "rate = { control = \"arf\" }\n",
        _ => {}
    }
    if luck.one_in(3) {
        let _ = writeln!(text, "queue = {{ packets = {} }}", luck.pick(&[2, 10, 100]));
    }
    if is_modern && luck.one_in(6) {
        let keys = ["aggregation = { after_silence = \"request\" }\n", "amsdu = \"off\"\n"];
        *text += *luck.pick(&keys);
    }
}

/// Draws a flow, mostly down to a station, and otherwise up from a station or between two, and appends it to `text`.
fn flow(luck: &mut Luck, text: &mut String, (stations, has_categories): (usize, bool)) {
    let (station, other) = (luck.below(stations), luck.below(stations));
    let (from, to) = match luck.below(6) {
        0 => (format!("s{station}"), String::from("h")),
        1 if other != station => (format!("s{station}"), format!("s{other}")),
        _ => (String::from("h"), format!("s{station}")),
    };
    let transport = luck.pick(&TRANSPORTS);
    let _ = writeln!(text, "from = \"{from}\"\nto = \"{to}\"\ntransport = {transport}");
    if luck.one_in(4) {
        *text += "start = \"50 ms\"\n";
    }
    if has_categories && luck.one_in(3) {
        let _ = writeln!(text, "access_category = \"{}\"", luck.pick(&CATEGORIES));
    }
}
