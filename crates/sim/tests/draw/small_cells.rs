//! Cells of up to four stations of every standard, with radio, hidden stations, rate adaptation, schemes and access
//! categories.

use std::fmt::Write as _;

use airfair_sim::scenario::Scenario;
use proptest::prelude::*;
use toml::{Table, Value};

/// Alternatives for a few lines of a scenario file. The plainest comes first, because a failing cell shrinks towards
/// it.
type Choice = &'static [&'static str];

/// Alternatives for the lines of a cell. Lines that do not fit the cell's standard are left out.
const CELL: [Choice; 18] = [
    &["802.11a", "802.11b", "802.11g", "802.11n", "802.11ac", "802.11ax", "802.11ax", "802.11n"],
    &["", "band = \"2.4 GHz\""],
    &["", "streams = 2", "streams = 4", "streams = 8"],
    &["width = \"20 MHz\"", "", "width = \"160 MHz\"", "width = \"40 MHz\""],
    &["", "eifs = \"ns-2\""],
    &["", "", "after_collision = \"difs\"", "after_collision = \"eifs\""],
    &["", "edca = { txop_limit = \"500 us\" }", "edca = { txop_limit = \"4 ms\", cw_min = 7 }"],
    &["", "ap.edca = { txop_limit = \"2 ms\" }", "ap.edca = { video = { txop_limit = \"0 s\" } }"],
    &[
        "",
        "errors = { model = \"bernoulli\", probability = 0.1 }",
        "errors = { model = \"bernoulli\", probability = 0.5 }",
        "errors = { model = \"gilbert-elliott\", bad = 0.5, mean_good = \"9 ms\", mean_bad = \"5 ms\" }",
        "radio = {}",
        "radio = { capture = \"10 dB\", fading = { model = \"rayleigh\" } }",
    ],
    &["", "", "rts_threshold = \"700 B\"", "rts_threshold = \"0 B\""],
    &["", "protection = false"],
    &["", "amsdu = \"3839 B\"", "amsdu = \"7935 B\""],
    &[
        "",
        "",
        "aggregation = \"off\"",
        "aggregation = { after_silence = \"request\" }",
        "aggregation = { max_bytes = \"8 kB\", max_duration = \"1 ms\" }",
    ],
    &["", "post_backoff = false"],
    &["", "", "beacon = { interval = \"7 ms\" }"],
    &["", "", "max_attempts = 2", "max_attempts = \"unlimited\""],
    &["", "", "ap.window_sharing = true", "ap.occupancy = { beacons = 2 }"],
    &["", "ap.queue = { packets = 9 }", "ap.queue = { discipline = \"codel\", target = \"1 ms\" }"],
];

/// Alternatives for the lines of a cell with multi-user frames.
const MULTI_USER: [Choice; 2] = [
    &[
        "ofdma = {}",
        "ofdma = { up = \"round-robin\" }",
        "ofdma = { up = \"largest-backlog\", poll = true, trigger_every = \"2 ms\" }",
        "ofdma = { down = \"off\", up = \"proportional-fair\", up_guard_interval = \"1.6 us\" }",
        "ofdma = { down = \"deadline\", users = 2, ack = \"mu-bar\" }",
        "ofdma = { down = \"proportional-fair\", users = 9, ack = \"aggregated-mu-bar\" }",
    ],
    &["", "", "mu_edca = {}", "mu_edca = { aifsn = 0, timer = \"8.192 ms\" }"],
];

/// Alternatives for multi-user frames with random access to resource units.
const RANDOM_ACCESS: Choice = &[
    "ofdma = { up = \"round-robin\", random = 2, trigger_every = \"1 ms\" }",
    "ofdma = { up = \"deadline\", random = 5, poll = true, trigger_every = \"2 ms\" }",
    "ofdma = { up = \"largest-backlog\", users = 1, random = 1 }",
    "ofdma = { down = \"off\", up = \"proportional-fair\", users = 2, random = 7, trigger_every = \"700 us\" }",
];

/// Alternatives for the lines of a cell with MU-MIMO.
const MU_MIMO: [Choice; 2] = [
    &[
        "mu_mimo = { users = 2, sounding_every = \"10 ms\" }",
        "mu_mimo = { users = 4, sounding_every = \"2 ms\" }",
        "mu_mimo = { users = 3 }",
    ],
    &["", "ofdma = {}", "ofdma = { down = \"off\", up = \"round-robin\", ack = \"mu-bar\" }"],
];

/// Alternatives for the lines of a station.
const STATION: [Choice; 8] = [
    &["", "", "standard = \"802.11b\"", "standard = \"802.11a\"", "standard = \"802.11n\""],
    &["", "senses_only = [\"s0\"]", "hidden_from = [\"s0\"]", "senses_only = [\"s1\"]"],
    &["", "", "rate = { control = \"arf\" }", "rate = { control = \"minstrel\" }"],
    &["", "", "aggregation = \"off\"", "streams = 1"],
    &["", "", "errors = { model = \"bernoulli\", probability = 0.3 }", "errors = \"none\""],
    &["", "", "edca = { txop_limit = \"1 ms\" }", "edca = { aifsn = 7, cw_min = 1, cw_max = 3 }"],
    &["", "queue = { packets = 3 }"],
    &["[\"5 m\", \"3 m\"]", "[\"-40 m\", \"0 m\"]", "[\"2 km\", \"0 m\"]"],
];

/// Alternatives for the lines of a flow's section that follow `from` and `to`.
const FLOW: [Choice; 4] = [
    &[
        "{ kind = \"tcp\" }",
        "{ kind = \"udp\", payload = \"1470 B\", rate = \"saturated\" }",
        "{ kind = \"udp\", payload = \"100 B\", rate = \"3 Mb/s\" }",
        "{ kind = \"tfrc\" }",
        "{ kind = \"tcp\", flavour = \"cubic\", receive_window = \"1 MB\", window_scaling = true }",
    ],
    &["", "", "dscp = 46", "dscp = 34", "dscp = 8"],
    &[
        "",
        "",
        "control = { scheme = \"arf-window\", slot = \"7 ms\" }",
        "control = \"occupancy\"",
        "control = \"arf-aware\"",
    ],
    &["", "", "start = \"9 ms\"", "stop = \"20 ms\""],
];

fn lines(choices: &[Choice]) -> impl Strategy<Value = Vec<&'static str>> + use<> {
    choices.iter().map(|lines| prop::sample::select(*lines)).collect::<Vec<_>>()
}

/// A cell of up to four stations with as many flows, and the seed that it runs with.
pub(crate) fn cells() -> impl Strategy<Value = (String, u64)> {
    cells_with(lines(&CELL))
}

/// A cell of 802.11ax with multi-user frames, otherwise as in [`cells`].
pub(crate) fn multi_user_cells() -> impl Strategy<Value = (String, u64)> {
    multi_user_cells_with(&MULTI_USER)
}

/// A cell of 802.11ax whose stations access resource units at random, otherwise as in [`cells`].
pub(crate) fn random_access_cells() -> impl Strategy<Value = (String, u64)> {
    multi_user_cells_with(&[RANDOM_ACCESS, MULTI_USER[1]])
}

fn multi_user_cells_with(choices: &[Choice]) -> impl Strategy<Value = (String, u64)> {
    let cell = (lines(&CELL), lines(choices)).prop_map(|(mut cell, multi_user)| {
        cell[0] = "802.11ax";
        cell.extend(multi_user);
        cell
    });
    cells_with(cell)
}

/// A cell of 802.11ax with MU-MIMO, otherwise as in [`cells`].
pub(crate) fn mu_mimo_cells() -> impl Strategy<Value = (String, u64)> {
    let streams = prop::sample::select(&["streams = 4", "streams = 8"][..]);
    let cell = (lines(&CELL), streams, lines(&MU_MIMO)).prop_map(|(mut cell, streams, mu_mimo)| {
        (cell[0], cell[2]) = ("802.11ax", streams);
        cell.extend(mu_mimo);
        cell
    });
    cells_with(cell)
}

/// A cell whose access point is fair and has the airtime scheduler, otherwise as in [`cells`].
pub(crate) fn fair_cells() -> impl Strategy<Value = (String, u64)> {
    fair_cells_with("ap.fair = { period = \"5 ms\", level_time = \"20 ms\" }")
}

/// A cell whose access point is fair and grants time, otherwise as in [`fair_cells`].
pub(crate) fn granting_cells() -> impl Strategy<Value = (String, u64)> {
    fair_cells_with(
        "ap.fair = { period = \"5 ms\", level_time = \"20 ms\", debt = \"1 ms\", grants = true }",
    )
}

/// A cell of 802.11ax with multi-user frames whose access point is fair, otherwise as in [`fair_cells`].
pub(crate) fn fair_multi_user_cells() -> impl Strategy<Value = (String, u64)> {
    let cell =
        fair_cell("ap.fair = { period = \"5 ms\", level_time = \"20 ms\", debt = \"1 ms\" }");
    let choices = prop_oneof![lines(&MULTI_USER), lines(&[RANDOM_ACCESS, MULTI_USER[1]])];
    cells_with((cell, choices).prop_map(|(mut cell, multi_user)| {
        cell[0] = "802.11ax";
        cell.extend(multi_user);
        cell
    }))
}

fn fair_cells_with(fair: &'static str) -> impl Strategy<Value = (String, u64)> {
    cells_with(fair_cell(fair))
}

fn fair_cell(fair: &'static str) -> impl Strategy<Value = Vec<&'static str>> {
    lines(&CELL).prop_map(move |mut cell| {
        let last = cell.len() - 1;
        cell[last] = "ap.queue = { discipline = \"airtime\" }";
        cell.push(fair);
        cell
    })
}

fn cells_with(
    cell: impl Strategy<Value = Vec<&'static str>>,
) -> impl Strategy<Value = (String, u64)> {
    let station = (lines(&STATION), (0_usize..5, any::<bool>()), lines(&FLOW));
    let warmup = prop::sample::select(&["0 s", "0 s", "13 ms"][..]);
    let text = (cell, prop::collection::vec(station, 1..5), warmup);
    (text.prop_map(|(cell, members, warmup)| text_of(&cell, &members, warmup)), 0_u64..1_000)
}

type Station = (Vec<&'static str>, (usize, bool), Vec<&'static str>);

fn text_of(cell: &[&str], members: &[Station], warmup: &str) -> String {
    let mut text = format!(
        "duration = \"60 ms\"\nwarmup = \"{warmup}\"\nseries = \"9 ms\"\n[bss.c]\nstandard = \"{}\"\n{}\n\
         [host.h]\nlink = {{ rate = \"1 Gb/s\", delay = \"100 us\" }}\n",
        cell[0],
        cell[1..].join("\n")
    );
    let has_radio = cell.iter().any(|line| line.starts_with("radio"));
    for (index, (station, (other, is_down), flow)) in members.iter().enumerate() {
        let (place, station) = station.split_last().expect("a place");
        let place = if has_radio { format!("position = {place}") } else { String::new() };
        let mut station = station.join("\n");
        if has_radio {
            // Which power each mode of its table needs takes seconds to find.
            station = station.replace("minstrel", "arf");
        }
        let other = match *other {
            other if other < members.len() && other != index => format!("s{other}"),
            _ => "h".to_owned(),
        };
        let me = format!("s{index}");
        let (from, to) = if *is_down { (other, me) } else { (me, other) };
        let _ = write!(
            text,
            "[station.s{index}]\n{station}\n{place}\n[flow.f{index}]\nfrom = \"{from}\"\nto = \"{to}\"\n\
             transport = {}\n{}\n",
            flow[0],
            flow[1..].join("\n")
        );
    }
    text
}

/// Scenario of a text without the keys that do not fit the others, and this reduced text; `None` if no text without
/// mistakes is left.
pub(crate) fn fitting(text: &str) -> Option<(Scenario, String)> {
    let mut table: Table = text.parse().expect("TOML");
    for _ in 0..20 {
        let text = toml::to_string(&table).expect("it was TOML");
        match Scenario::parse(&text, &[]) {
            Ok(scenario) => return Some((scenario, text)),
            Err(errors) => {
                let mut removed = false;
                for error in errors {
                    let path: Vec<&str> = error.path.split(['.', '[']).collect();
                    removed |= remove(&mut table, &path);
                }
                if !removed {
                    return None;
                }
            }
        }
    }
    None
}

/// Removes the key `path` of a named section, or the section's key `senses_only` if the path ends with the section's
/// name. Returns true if there was a key to remove.
fn remove(table: &mut Table, path: &[&str]) -> bool {
    let (section, name, key) = match *path {
        [section, name] => (section, name, "senses_only"),
        [section, name, key, ..] => (section, name, key),
        _ => return false,
    };
    let named = table.get_mut(section).and_then(|it| it.get_mut(name));
    let Some(Value::Table(named)) = named else { return false };
    let is_needed = (section, key) == ("bss", "standard") || matches!(key, "from" | "to");
    !is_needed && named.remove(key).is_some()
}
