//! Mistakes in the keys of a cell's multi-user frames.

use airfair_sim::scenario::{Scenario, ScenarioError};

use super::messages;

/// An 802.11ax cell with OFDMA and a station of another standard.
const MULTI_USER: &str = r#"
duration = "1 s"
[bss.home]
standard = "802.11ax"
width = "20 MHz"
ofdma = { up = "round-robin" }
[station.new]
[station.old]
standard = "802.11n"
[flow.a]
from = "new"
to = "old"
transport = { kind = "udp", payload = "500 B", rate = "saturated" }
"#;

/// The scenario with these keys of its cell.
fn with(keys: &[(&str, &str)]) -> Result<Scenario, Vec<ScenarioError>> {
    let of = |(key, value): &(&str, &str)| (format!("bss.home.{key}"), (*value).to_owned());
    Scenario::parse(MULTI_USER, &keys.iter().map(of).collect::<Vec<_>>())
}

/// Keys of the cell with values, and the message.
const MISTAKES: &[(&[(&str, &str)], &str)] = &[
    (
        &[("standard", "802.11ac")],
        r#"bss.home.ofdma = { up = "round-robin" }: 802.11ac does not have this setting; allowed with 802.11ax"#,
    ),
    (
        &[("standard", "802.11n"), ("mu_edca", "{}"), ("ofdma", "off")],
        "bss.home.mu_edca = { }: 802.11n does not have this setting; allowed with 802.11ax",
    ),
    (
        &[("aggregation", "off")],
        r#"bss.home.ofdma = { up = "round-robin" }: needs block ack agreements, which the cell does not have; allowed with aggregation other than "off""#,
    ),
    (
        &[("ofdma", "true")],
        r#"bss.home.ofdma = true: wrong type: boolean; allowed "off" or a table { down, up, users, ack, trigger_every, poll, up_guard_interval, random, target_rssi }"#,
    ),
    (
        &[("ofdma.unit", "26")],
        r#"bss.home.ofdma.unit = 26: not a key of OFDMA; allowed "down", "up", "users", "ack", "trigger_every", "poll", "up_guard_interval", "random", "target_rssi""#,
    ),
    (
        &[("ofdma.down", "fair")],
        r#"bss.home.ofdma.down = "fair": no such value; allowed "off" or "round-robin", "proportional-fair", "largest-backlog", "deadline""#,
    ),
    (
        &[("ofdma.up", "proportional")],
        r#"bss.home.ofdma.up = "proportional": no such value, did you mean "proportional-fair"?; allowed "off" or "round-robin", "proportional-fair", "largest-backlog", "deadline""#,
    ),
    (
        &[("ofdma.users", "0")],
        "bss.home.ofdma.users = 0: out of range; allowed a whole number from 1 to 74",
    ),
    (
        &[("ofdma.users", "10")],
        "bss.home.ofdma.users = 10: more than a channel of 20 MHz has resource units; allowed at most 9",
    ),
    (
        &[("ofdma.users", "19"), ("width", "40 MHz")],
        "bss.home.ofdma.users = 19: more than a channel of 40 MHz has resource units; allowed at most 18",
    ),
    (
        &[("ofdma.users", "38"), ("width", "80 MHz")],
        "bss.home.ofdma.users = 38: more than a channel of 80 MHz has resource units; allowed at most 37",
    ),
    (
        &[("ofdma.users", "75"), ("width", "160 MHz")],
        "bss.home.ofdma.users = 75: out of range; allowed a whole number from 1 to 74",
    ),
    (
        &[("ofdma.ack", "block")],
        r#"bss.home.ofdma.ack = "block": no such value; allowed "bar", "mu-bar", "aggregated-mu-bar""#,
    ),
    (
        &[("ofdma.up_guard_interval", "0.8 us")],
        r#"bss.home.ofdma.up_guard_interval = "0.8 us": no such value; allowed "1.6 us", "3.2 us""#,
    ),
    (
        &[("ofdma.up_guard_interval", "3.2")],
        r#"bss.home.ofdma.up_guard_interval = 3.2: a number without a unit; allowed "1.6 us", "3.2 us""#,
    ),
    (
        &[("ofdma.trigger_every", "5")],
        r#"bss.home.ofdma.trigger_every = 5: a number without a unit; allowed "off" or a duration from 100 us to 60 s, such as "20 ms""#,
    ),
    (
        &[("ofdma.trigger_every", "5 ms"), ("ofdma.up", "off")],
        r#"bss.home.ofdma.trigger_every = "5 ms": the access point triggers no station; allowed with up other than "off""#,
    ),
    (
        &[("ofdma.poll", "true"), ("ofdma.up", "off")],
        r#"bss.home.ofdma.poll = true: the access point triggers no station; allowed with up other than "off""#,
    ),
    (
        &[("ofdma.random", "1"), ("ofdma.up", "off")],
        r#"bss.home.ofdma.random = 1: the access point triggers no station; allowed with up other than "off""#,
    ),
    (
        &[("ofdma.random", "6")],
        "bss.home.ofdma.random = 6: with 4 users more than a channel of 20 MHz has resource units; allowed at most 5",
    ),
    (
        &[("ofdma.random", "10"), ("ofdma.users", "28"), ("width", "80 MHz")],
        "bss.home.ofdma.random = 10: with 28 users more than a channel of 80 MHz has resource units; allowed at most 9",
    ),
    (
        &[("ofdma.target_rssi", "-60 dBm")],
        r#"bss.home.ofdma.target_rssi = "-60 dBm": the cell has no radio; allowed together with the key radio of the cell"#,
    ),
    (
        &[("ofdma.target_rssi", "-19 dBm")],
        r#"bss.home.ofdma.target_rssi = "-19 dBm": out of range; allowed "off" or a power from -110 dBm to -20 dBm, such as "20 dBm""#,
    ),
    (
        &[("mu_edca", "{}"), ("ofdma.up", "off")],
        "bss.home.mu_edca = { }: the access point triggers no station; allowed with ofdma.up other than \"off\"",
    ),
    (
        &[("mu_edca", "{}"), ("ofdma", "off")],
        "bss.home.mu_edca = { }: the access point triggers no station; allowed with ofdma.up other than \"off\"",
    ),
    (
        &[("mu_mimo.users", "4")],
        "bss.home.mu_mimo.users = 4: 4 users are more than the access point has streams; allowed at most streams, which is 1",
    ),
    (
        &[("mu_mimo", "{}")],
        "bss.home.mu_mimo = { }: 2 users are more than the access point has streams; allowed at most streams, which is 1",
    ),
    (
        &[("mu_mimo.users", "9")],
        "bss.home.mu_mimo.users = 9: out of range; allowed a whole number from 2 to 8",
    ),
    (
        &[("mu_mimo", "{}"), ("standard", "802.11be"), ("ofdma", "off")],
        "bss.home.mu_mimo = { }: 802.11be does not have this setting; allowed with 802.11ax",
    ),
    (
        &[("mu_mimo.users", "1"), ("streams", "8")],
        "bss.home.mu_mimo.users = 1: out of range; allowed a whole number from 2 to 8",
    ),
    (
        &[("mu_mimo.sounding_every", "0 s"), ("streams", "8")],
        r#"bss.home.mu_mimo.sounding_every = "0 s": out of range; allowed a duration from 1 ms to 60 s, such as "20 ms""#,
    ),
    (
        &[("mu_mimo", "{}"), ("streams", "8"), ("ofdma", "off"), ("aggregation", "off")],
        r#"bss.home.mu_mimo = { }: needs block ack agreements, which the cell does not have; allowed with aggregation other than "off""#,
    ),
    (
        &[("mu_mimo", "{}"), ("standard", "802.11n"), ("ofdma", "off")],
        "bss.home.mu_mimo = { }: 802.11n does not have this setting; allowed with 802.11ax",
    ),
    (
        &[("mu_edca.aifsn", "1")],
        "bss.home.mu_edca.aifsn = 1: only an access point may wait less than a DIFS; allowed 0, 2 to 15",
    ),
    (
        &[("mu_edca.timer", "10 ms")],
        r#"bss.home.mu_edca.timer = "10 ms": not a multiple of 8.192 ms; allowed 1 to 255 times 8.192 ms"#,
    ),
    (
        &[("mu_edca.timer", "3 s")],
        r#"bss.home.mu_edca.timer = "3 s": out of range; allowed a duration from 8.192 ms to 2088.96 ms, such as "20 ms""#,
    ),
    (
        &[("mu_edca.cw_min", "100")],
        "bss.home.mu_edca.cw_min = 100: not a contention window; allowed 1, 3, 7, 15, … 32767 (a power of two less one)",
    ),
    (
        &[("mu_edca.cw_min", "2047")],
        "bss.home.mu_edca.cw_min = 2047: larger than cw_max, 1023; allowed at most 1023",
    ),
    (
        &[("mu_edca.cw_max", "255")],
        "bss.home.mu_edca.cw_max = 255: smaller than cw_min, 511; allowed at least 511",
    ),
];

#[test]
fn multi_user_frames_need_a_standard_a_width_and_triggers() {
    for (keys, expected) in MISTAKES {
        assert_eq!(messages(with(keys)), [*expected], "{keys:?}");
    }
}

/// A target power is for answers to triggers, and a trigger expresses whole dBm.
#[test]
fn a_target_power_needs_triggers() {
    let of = |target, more: &[(&str, &str)]| {
        let positions = [("station.new", "1 m"), ("station.old", "2 m")];
        let positions =
            positions.map(|(it, x)| (format!("{it}.position"), format!("[\"{x}\", \"0 m\"]")));
        let keys = [("radio", "{}"), ("ofdma.target_rssi", target)];
        let keys =
            keys.iter().chain(more).map(|(key, it)| (format!("bss.home.{key}"), (*it).to_owned()));
        Scenario::parse(MULTI_USER, &positions.into_iter().chain(keys).collect::<Vec<_>>())
    };
    let nobody = r#"bss.home.ofdma.target_rssi = "-60 dBm": the access point triggers no station; allowed with up other than "off" or ack other than "bar""#;
    let fraction = r#"bss.home.ofdma.target_rssi = "-60.5 dBm": a trigger expresses whole dBm; allowed -110, -109, … -20 dBm"#;
    assert_eq!(messages(of("-60 dBm", &[("ofdma.up", "off")])), [nobody]);
    assert_eq!(messages(of("-60.5 dBm", &[])), [fraction]);
    assert!(of("-60 dBm", &[("ofdma.up", "off"), ("ofdma.ack", "mu-bar")]).is_ok());
    assert!(of("off", &[("ofdma.up", "off")]).is_ok());
}

/// Mistakes in one table hide no mistakes in the other.
#[test]
fn each_mistake_is_told_once() {
    let told = messages(with(&[("ofdma.up", "fair"), ("mu_edca.timer", "1 ms")]));
    assert_eq!(told.len(), 2, "{told:?}");
}

/// Stations of 802.11n and a may be in a cell with OFDMA, and `off` may be in a cell of any standard.
#[test]
fn off_fits_every_cell_and_old_stations_fit_a_cell_with_ofdma() {
    for keys in [
        &[("ofdma.users", "9")][..],
        &[("ofdma", "off"), ("standard", "802.11n")],
        &[("ofdma", "off"), ("aggregation", "off")],
    ] {
        assert!(with(keys).is_ok(), "{keys:?}");
    }
    let old = [("station.old.standard".to_owned(), "802.11a".to_owned())];
    assert!(Scenario::parse(MULTI_USER, &old).is_ok());
}
