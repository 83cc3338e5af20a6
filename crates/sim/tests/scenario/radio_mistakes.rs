//! Every kind of mistake in a radio, a position or a motion, with its exact message.

use airfair_sim::scenario::Scenario;

const GOOD: &str = r#"
duration = "60 s"
[bss.home]
standard = "802.11a"
radio = { range = { "6 Mb/s" = "370 m", "54 Mb/s" = "37 m" } }
[station.near]
position = ["10 m", "0 m"]
[station.far]
position = ["300 m", "0 m"]
[host.server]
[flow.a]
from = "near"
to = "server"
transport = { kind = "tcp" }
"#;

/// Error messages of the scenario after the key at `path` is set to `value`.
fn messages(path: &str, value: &str) -> Vec<String> {
    let overrides = [(path.to_owned(), value.to_owned())];
    let errors = Scenario::parse(GOOD, &overrides).expect_err("a mistake");
    errors.iter().map(ToString::to_string).collect()
}

/// Mistakes in a radio, a position or a motion: key, value and message.
const MISTAKES: &[(&str, &str, &str)] = &[
    (
        "bss.home.radio.energy_detection",
        r#""-62 dBm""#,
        r#"bss.home.radio.energy_detection = "-62 dBm": set in a cell without neighbours, in which no interference is computed; allowed in cells with overlapping channels, by the key channel"#,
    ),
    // Rates that the standard does not have, from which powers would be calculated.
    (
        "bss.home.radio",
        r#"{ range = { "7 Mb/s" = "50 m" } }"#,
        r#"bss.home.radio.range."7 Mb/s" = "50 m": not an 802.11a rate; allowed 6, 9, 12, 18, 24, 36, 48, 54 Mb/s"#,
    ),
    (
        "bss.home",
        r#"{ standard = "802.11b", radio = { reception = "qualnet4" } }"#,
        r#"bss.home.radio.reception = "qualnet4": QualNet's powers and sensitivities exist for 802.11a only; allowed "snr", "sensitivity""#,
    ),
    (
        "bss.home",
        r#"{ standard = "802.11ac", radio = { reception = "qualnet4" } }"#,
        r#"bss.home.radio.reception = "qualnet4": QualNet's powers and sensitivities exist for 802.11a only; allowed "snr", "sensitivity""#,
    ),
    (
        "bss.home.radio.range",
        r#"{ "6 Mb/s" = "37 m", "54 Mb/s" = "37 m" }"#,
        r#"bss.home.radio.range."54 Mb/s" = "37 m": 54 Mb/s has no shorter range than 6 Mb/s; allowed less than 37 m for 54 Mb/s"#,
    ),
    // Modes that the cell does not have, by name and by rate.
    (
        "bss.home",
        r#"{ standard = "802.11ax", radio = { range = { "ht-mcs7" = "50 m" } } }"#,
        r#"bss.home.radio.range."ht-mcs7" = "50 m": a mode of another format than the link's; allowed he-mcs0x1, he-mcs1x1, he-mcs2x1, he-mcs3x1, he-mcs4x1, he-mcs5x1, he-mcs6x1, he-mcs7x1, he-mcs8x1, he-mcs9x1, he-mcs10x1, he-mcs11x1"#,
    ),
    (
        "bss.home",
        r#"{ standard = "802.11ax", radio = { range = { "he-mcs12x1" = "50 m" } } }"#,
        r#"bss.home.radio.range."he-mcs12x1" = "50 m": MCS 12 does not go with HE, 80 MHz, 1 stream (802.11ax-2021 §27.5); allowed MCS 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11"#,
    ),
    (
        "bss.home",
        r#"{ standard = "802.11ax", radio = { range = { "7 Mb/s" = "50 m" } } }"#,
        r#"bss.home.radio.range."7 Mb/s" = "50 m": not a rate of the link; allowed 36 Mb/s, 72.1 Mb/s, 108.1 Mb/s, 144.1 Mb/s, 216.2 Mb/s, 288.2 Mb/s, 324.3 Mb/s, 360.3 Mb/s, 432.4 Mb/s, 480.4 Mb/s, 540.4 Mb/s, 600.4 Mb/s"#,
    ),
    (
        "bss.home.radio",
        r#"{ range = { "he-mcs3x1" = "50 m" } }"#,
        r#"bss.home.radio.range."he-mcs3x1" = "50 m": not an 802.11a rate; allowed 6, 9, 12, 18, 24, 36, 48, 54 Mb/s"#,
    ),
    (
        "bss.home",
        r#"{ standard = "802.11ax", radio = { range = { "he-mcs0x1" = "37 m", "he-mcs11x1" = "40 m" } } }"#,
        r#"bss.home.radio.range."he-mcs11x1" = "40 m": he-mcs11x1 has no shorter range than he-mcs0x1; allowed less than 37 m for he-mcs11x1"#,
    ),
    (
        "bss.home.radio.range",
        r#"{ "6 Mb/s" = "37 m", "54 Mb/s" = "0 m" }"#,
        r#"bss.home.radio.range."54 Mb/s" = "0 m": out of range; allowed a length from 1 mm to 1000 km, such as "10 m""#,
    ),
    (
        "bss.home.radio.range",
        r#"{ "6 Mb/s" = "37 m", "54 Mb/s" = "500 mm" }"#,
        r#"bss.home.radio.range = { 6 Mb/s = "37 m", 54 Mb/s = "500 mm" }: the range of 54 Mb/s is below 1 m, from where the loss grows; allowed ranges that one transmit power can have"#,
    ),
    (
        "bss.home.radio.range",
        r#"{ "6 Mb/s" = "3 m", "12 Mb/s" = "2 m", "54 Mb/s" = "1 m" }"#,
        r#"bss.home.radio.range = { 6 Mb/s = "3 m", 12 Mb/s = "2 m", 54 Mb/s = "1 m" }: not one or two rates; allowed the ranges of one rate or of two"#,
    ),
    (
        "bss.home.radio.range",
        "{}",
        "bss.home.radio.range = { }: not one or two rates; allowed the ranges of one rate or of two",
    ),
    (
        "bss.home.radio.range",
        r#"{ "11 Mb/s" = "100 m" }"#,
        r#"bss.home.radio.range."11 Mb/s" = "100 m": not an 802.11a rate; allowed 6, 9, 12, 18, 24, 36, 48, 54 Mb/s"#,
    ),
    (
        "bss.home.radio.range",
        r#"{ "6" = "100 m" }"#,
        r#"bss.home.radio.range."6" = "100 m": unknown or missing unit; allowed b/s, kb/s, Mb/s, Gb/s, for example "11 Mb/s""#,
    ),
    (
        "bss.home.radio.tx_power",
        "20 dBm",
        r#"bss.home.radio.tx_power = "20 dBm": computed from range, which is set; allowed one of the two"#,
    ),
    (
        "bss.home.radio.propagation",
        "free-space",
        r#"bss.home.radio.propagation = "free-space": computed from range, which is set; allowed one of the two"#,
    ),
    (
        "bss.home.radio.tx_power",
        "-20 dB",
        r#"bss.home.radio.tx_power = "-20 dB": unknown or missing unit; allowed dBm, for example "20 dBm""#,
    ),
    // Floors and walls are whole numbers or lengths.
    (
        "bss.home.radio",
        r#"{ propagation = { model = "residential", floors = 101 } }"#,
        r#"bss.home.radio.propagation.floors = 101: out of range; allowed a whole number from 0 to 100 or a length from 1 mm to 1000 km, such as "10 m""#,
    ),
    (
        "bss.home.radio",
        r#"{ propagation = { model = "residential", floors = "0 m" } }"#,
        r#"bss.home.radio.propagation.floors = "0 m": out of range; allowed a whole number from 0 to 100 or a length from 1 mm to 1000 km, such as "10 m""#,
    ),
    (
        "bss.home.radio",
        r#"{ propagation = { model = "residential", walls = 1.5 } }"#,
        r#"bss.home.radio.propagation.walls = 1.5: a number without a unit; allowed a whole number from 0 to 100 or a length from 1 mm to 1000 km, such as "10 m""#,
    ),
    (
        "bss.home.radio",
        r#"{ propagation = { model = "residential", exponent = 2 } }"#,
        r#"bss.home.radio.propagation.exponent = 2: not a key of residential propagation; allowed "model", "floors", "walls""#,
    ),
    (
        "bss.home.radio.noise_figure",
        "-1 dB",
        r#"bss.home.radio.noise_figure = "-1 dB": out of range; allowed a ratio of powers from 0 dB to 50 dB, such as "12 dB""#,
    ),
    (
        "bss.home.radio.fading",
        r#"{ model = "rayleigh", coherence = "0 s" }"#,
        r#"bss.home.radio.fading.coherence = "0 s": out of range; allowed a duration from 1 us to 1 h, such as "20 ms""#,
    ),
    (
        "bss.home.errors",
        r#"{ model = "bit", ber = 0.1 }"#,
        r#"bss.home.errors = { model = "bit", ber = 0.1 }: the cell has a radio, which decides this; allowed one of the two"#,
    ),
    (
        "station.near.errors",
        r#"{ model = "bit", ber = 0.1 }"#,
        r#"station.near.errors = { model = "bit", ber = 0.1 }: the cell has a radio, which decides this; allowed one of the two"#,
    ),
    (
        "station.near.senses_only",
        r#"["far"]"#,
        r#"station.near.senses_only = ["far"]: the cell has a radio, which decides this; allowed one of the two"#,
    ),
    (
        "station.near.hidden_from",
        r#"["far"]"#,
        r#"station.near.hidden_from = ["far"]: the cell has a radio, which decides this; allowed one of the two"#,
    ),
    (
        "station.near.position",
        r#"["10 m"]"#,
        r#"station.near.position = ["10 m"]: not a pair; allowed a pair [x, y] such as ["10 m", "-5 m"]"#,
    ),
    (
        "station.near.position",
        r#"["10 m", "0 s"]"#,
        r#"station.near.position[1] = "0 s": unknown or missing unit; allowed mm, m, km, for example "370 m""#,
    ),
    (
        "station.near.mobility",
        r#"{ model = "velocity", velocity = ["2000 m/s", "0 m/s"] }"#,
        r#"station.near.mobility.velocity[0] = "2000 m/s": out of range; allowed a speed from -1000 m/s to 1000 m/s, such as "1.5 m/s""#,
    ),
    (
        "station.near.mobility",
        r#"{ model = "waypoints", points = [] }"#,
        "station.near.mobility.points = []: no waypoints; allowed one at least",
    ),
    (
        "station.near.mobility",
        r#"{ model = "waypoints", points = [["0 s", "1 m", "1 m"]] }"#,
        r#"station.near.position = ["10 m", "0 m"]: mobility already sets the position at the start; allowed one of the two"#,
    ),
    (
        "station.near.mobility",
        r#"{ model = "trace", file = "walk.csv" }"#,
        r#"station.near.mobility.file = "walk.csv": a scenario that is not a file cannot refer to a file; allowed a header time_s,x_m,y_m and a line of three numbers for each waypoint, times ascending from 0 to 2592000 s, places within 1000 km"#,
    ),
    (
        "station.near.mobility",
        r#"{ model = "random-waypoint", max_speed = "3 m/s" }"#,
        "station.near.mobility.corners: neither radius nor corners; allowed one of radius and corners",
    ),
    (
        "station.near.mobility",
        r#"{ model = "random-waypoint", radius = "9 m", max_speed = "0 m/s", begin = "position" }"#,
        r#"station.near.mobility.max_speed = { model = "random-waypoint", radius = "9 m", max_speed = "0…: the highest speed must be positive and not below the lowest; allowed more than 0 m/s, and at least min_speed"#,
    ),
    (
        "station.near.mobility",
        r#"{ model = "random-waypoint", radius = "9 m", max_speed = "3 m/s", begin = "position" }"#,
        r#"station.near.mobility.begin = { model = "random-waypoint", radius = "9 m", max_speed = "3…: the start lies outside of the region; allowed a position inside of the region"#,
    ),
    (
        "station.near.mobility",
        r#"{ model = "random-waypoint", corners = [["0 m", "0 m"]], max_speed = "3 m/s" }"#,
        r#"station.near.mobility.corners = [["0 m", "0 m"]]: not two corners; allowed two opposite corners"#,
    ),
];

#[test]
fn each_mistake_is_told_once_with_what_is_allowed() {
    for (path, value, message) in MISTAKES {
        assert_eq!(messages(path, value), [*message], "{path} = {value}");
    }
}

/// A position is a mistake in a cell without a radio, and a missing position is a mistake in a cell with one.
#[test]
fn places_need_a_radio_and_a_radio_needs_places() {
    let edited = |from: &str, to: &str| {
        let errors = Scenario::parse(&GOOD.replacen(from, to, 1), &[]).expect_err("a mistake");
        errors.iter().map(ToString::to_string).collect::<Vec<_>>()
    };
    let range = r#"radio = { range = { "6 Mb/s" = "370 m", "54 Mb/s" = "37 m" } }"#;
    let useless = |station: &str, x: &str| {
        format!(
            "station.{station}.position = [\"{x} m\", \"0 m\"]: its cell has no radio, so positions have no \
             effect; allowed bss.NAME.radio = {{ … }} as well"
        )
    };
    assert_eq!(edited(range, ""), [useless("near", "10"), useless("far", "300")]);
    let back = r#"mobility = { model = "waypoints", points = [["9 s", "1 m", "1 m"], ["3 s", "2 m", "2 m"]] }"#;
    assert_eq!(
        edited(r#"position = ["10 m", "0 m"]"#, back),
        [concat!(
            r#"station.near.mobility.points[1] = ["3 s", "2 m", "2 m"]: "#,
            "not later than the waypoint before; allowed after 9 s"
        )]
    );
    assert_eq!(
        edited(r#"position = ["10 m", "0 m"]"#, ""),
        [concat!(
            "station.near.position: missing, but its cell has a radio; ",
            r#"allowed a pair such as ["10 m", "0 m"], or { circle = "10 m" }"#
        )]
    );
}

/// Scenario with a radio in 802.11ax. `ranges` is the text of the key `range`: the distance that each of one or two
/// rates reaches.
fn in_ax(ranges: &str) -> Scenario {
    let text = GOOD
        .replace("802.11a\"", "802.11ax\"")
        .replace(r#"{ "6 Mb/s" = "370 m", "54 Mb/s" = "37 m" }"#, ranges);
    Scenario::parse(&text, &[]).expect("ranges of modes")
}

/// The distance that a rate reaches can be given for modes by name, for a rate that only one mode has, and for a mode
/// together with a legacy rate of control frames. A scenario with such distances is written and read back.
#[test]
fn ranges_of_modes_are_read_and_written() {
    for ranges in [
        r#"{ "he-mcs11x1" = "12 m" }"#,
        r#"{ "he-mcs0x1" = "300 m", "he-mcs11x1" = "12 m" }"#,
        r#"{ "6 Mb/s" = "370 m", "he-mcs11x1" = "12 m" }"#,
        r#"{ "600.4 Mb/s" = "12 m" }"#,
    ] {
        let scenario = in_ax(ranges);
        let written = scenario.to_toml();
        assert!(written.contains(ranges), "{written}");
        assert_eq!(Scenario::parse(&written, &[]), Ok(scenario));
    }
}
