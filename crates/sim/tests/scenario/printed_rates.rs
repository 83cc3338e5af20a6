//! Rates as vendors print them.

use airfair_sim::scenario::{Bss, Scenario, Station};
use airfair_wlan::phy::mode::Format;
use airfair_wlan::phy::rate_name::{LinkFormat, RateName};
use airfair_wlan::phy::{Band, Rate};

fn parse(cell: &str, station: &str) -> Result<Scenario, Vec<String>> {
    let text = format!(
        "duration = \"9 s\"\n[bss.home]\n{cell}\n[station.near]\n{station}\n[station.other]\n[host.h]\n\
         [flow.f]\nfrom = \"near\"\nto = \"h\"\ntransport = {{ kind = \"tcp\" }}\n"
    );
    let of_all = |all: Vec<_>| all.iter().map(ToString::to_string).collect();
    Scenario::parse(&text, &[]).map_err(|errors| of_all(errors.into_iter().collect()))
}

/// Name of the station's rate, with the format of its link.
fn rate_of(station: &Station) -> String {
    let Rate::Mode(mode) = station.rate_up[0].1 else { return "legacy".to_owned() };
    let format = station.link.expect("a link of HT, VHT or HE").format;
    format!("{}, {}, {}, {}", RateName::of(mode), format.width, format.guard, format.streams)
}

fn channel_of(cell: &Bss) -> String {
    let channel = cell.rules.channel;
    format!("{}, {}, {}", channel.width, channel.guard, channel.streams)
}

/// A rate as vendors print it means the only mode with this rate. 802.11ac: 234 subcarriers of 80 MHz with 8 bits and
/// code rate 5/6 are 1560 bits per stream in 3.6 µs: 433.3 Mb/s, and 866.7 Mb/s with two streams. 802.11ax: 980
/// subcarriers with 10 bits and 5/6 are 8166 bits in 13.6 µs: 600.4 Mb/s, 1201 with two streams, and 2401.9 with four
/// streams of 80 MHz or two of 160 MHz. 802.11n: 108 subcarriers of 40 MHz with 6 bits and 5/6 in 3.6 µs: 150 Mb/s per
/// stream.
#[test]
fn a_rate_as_vendors_print_it_is_the_mode_that_it_can_alone_mean() {
    let cases = [
        ("802.11ac", "", "866 Mb/s", "vht-mcs9x2, 80 MHz, 400 ns, 2"),
        ("802.11ac", "", "866.7 Mb/s", "vht-mcs9x2, 80 MHz, 400 ns, 2"),
        ("802.11ac", "", "867 Mb/s", "vht-mcs9x2, 80 MHz, 400 ns, 2"),
        ("802.11ac", "", "433 Mb/s", "vht-mcs9x1, 80 MHz, 400 ns, 1"),
        ("802.11ac", "width = \"160 MHz\"", "866 Mb/s", "vht-mcs9x1, 160 MHz, 400 ns, 1"),
        ("802.11ac", "streams = 3", "1300 Mb/s", "vht-mcs9x3, 80 MHz, 400 ns, 3"),
        // A rate that the link has by default keeps its meaning.
        ("802.11ac", "", "390 Mb/s", "vht-mcs9x1, 80 MHz, 800 ns, 1"),
        ("802.11ac", "streams = 2", "866 Mb/s", "vht-mcs9x2, 80 MHz, 400 ns, 2"),
        ("802.11ax", "", "1.2 Gb/s", "he-mcs11x2, 80 MHz, 800 ns, 2"),
        ("802.11ax", "", "1201 Mb/s", "he-mcs11x2, 80 MHz, 800 ns, 2"),
        ("802.11ax", "", "600 Mb/s", "he-mcs11x1, 80 MHz, 800 ns, 1"),
        ("802.11ax", "width = \"160 MHz\"", "2402 Mb/s", "he-mcs11x2, 160 MHz, 800 ns, 2"),
        (
            "802.11ax",
            "streams = 4\nwidth = \"80 MHz\"",
            "2402 Mb/s",
            "he-mcs11x4, 80 MHz, 800 ns, 4",
        ),
        ("802.11ax", "streams = 2", "2402 Mb/s", "he-mcs11x2, 160 MHz, 800 ns, 2"),
        ("802.11n", "", "72 Mb/s", "ht-mcs7, 20 MHz, 400 ns, 1"),
        ("802.11n", "", "300 Mb/s", "ht-mcs15, 40 MHz, 400 ns, 2"),
        ("802.11n", "band = \"2.4 GHz\"", "150 Mb/s", "ht-mcs7, 40 MHz, 400 ns, 1"),
        ("802.11n", "", "450 Mb/s", "ht-mcs23, 40 MHz, 400 ns, 3"),
    ];
    for (standard, cell, rate, expected) in cases {
        let cell = format!("standard = \"{standard}\"\n{cell}");
        let scenario = parse(&cell, &format!("rate = \"{rate}\""));
        let scenario = scenario.unwrap_or_else(|errors| panic!("{rate} in {cell}: {errors:?}"));
        assert_eq!(rate_of(&scenario.stations[0]), expected, "{rate} in {cell}");
        assert_eq!(Scenario::parse(&scenario.to_toml(), &[]), Ok(scenario), "{rate} in {cell}");
    }
}

/// The printed rate of one station gives the cell the width and the streams that it needs; the other station keeps its
/// defaults.
#[test]
fn a_rate_of_one_station_leaves_the_others_as_they_are() {
    let scenario = parse("standard = \"802.11ac\"", "rate = \"866 Mb/s\"").expect("a scenario");
    assert_eq!(channel_of(&scenario.cells[0]), "80 MHz, 400 ns, 2");
    assert_eq!(rate_of(&scenario.stations[1]), "vht-mcs9x1, 80 MHz, 800 ns, 1");
    let schedule =
        "rate = { up = [[\"0 s\", \"866 Mb/s\"], [\"1 s\", \"32.5 Mb/s\"]], down = \"433 Mb/s\" }";
    let scenario = parse("standard = \"802.11ac\"", schedule).expect("a scenario");
    assert_eq!(channel_of(&scenario.cells[0]), "80 MHz, 400 ns, 2");
    assert_eq!(Scenario::parse(&scenario.to_toml(), &[]), Ok(scenario));
    // The guard interval of an older format does not affect the cell's.
    let old = "standard = \"802.11n\"\nrate = \"150 Mb/s\"";
    let scenario = parse("standard = \"802.11ax\"", old).expect("a scenario");
    assert_eq!(rate_of(&scenario.stations[0]), "ht-mcs7, 40 MHz, 400 ns, 1");
    assert_eq!(channel_of(&scenario.cells[0]), "80 MHz, 800 ns, 1");
}

#[test]
fn a_rate_that_may_mean_several_modes_or_none_names_the_keys_that_would_allow_it() {
    let cases = [
        (
            "standard = \"802.11ax\"",
            "rate = \"2402 Mb/s\"",
            "station.near.rate = \"2402 Mb/s\": not a rate of a link with 80 MHz, 800 ns, 1 stream; allowed he-mcs11x4 with \
             streams = 4; he-mcs11x2 with width = \"160 MHz\", streams = 2",
        ),
        (
            "standard = \"802.11ac\"",
            "streams = 1\nrate = \"866 Mb/s\"\nwidth = \"80 MHz\"",
            "station.near.rate = \"866 Mb/s\": not a rate of a link with 80 MHz, 800 ns, 1 stream; allowed vht-mcs9x2 with \
             guard_interval = \"400 ns\", streams = 2; vht-mcs9x1 with width = \"160 MHz\", guard_interval = \"400 ns\"",
        ),
        (
            "standard = \"802.11ac\"\nradio = { range = { \"6 Mb/s\" = \"50 m\" } }",
            "rate = \"433 Mb/s\"\nposition = [\"1 m\", \"0 m\"]",
            "station.near.rate = \"433 Mb/s\": not a rate of a link with 80 MHz, 800 ns, 1 stream; allowed vht-mcs9x1 with \
             guard_interval = \"400 ns\"",
        ),
        (
            "standard = \"802.11n\"",
            "rate = \"866 Mb/s\"",
            "station.near.rate = \"866 Mb/s\": not a rate of the link; allowed 6.5 Mb/s, 13 Mb/s, 19.5 Mb/s, 26 Mb/s, 39 Mb/s, \
             52 Mb/s, 58.5 Mb/s, 65 Mb/s",
        ),
    ];
    for (cell, station, expected) in cases {
        assert_eq!(parse(cell, station).expect_err("a mistake")[0], expected);
    }
}

/// A rate as vendors print it, in whole Mb/s, means the mode with this rate if it is accepted, and is written and read
/// back. The test tries all highest rates of up to four streams, rounded and truncated, in every band.
#[test]
fn a_printed_rate_is_the_rate_that_is_taken() {
    let mut taken = 0;
    for (standard, band, format) in [
        ("802.11n", Band::Ghz2, Format::Ht),
        ("802.11n", Band::Ghz5, Format::Ht),
        ("802.11ac", Band::Ghz5, Format::Vht),
        ("802.11ax", Band::Ghz2, Format::He),
        ("802.11ax", Band::Ghz5, Format::He),
    ] {
        let guard = format.guard_intervals()[0];
        let links =
            format.widths(band).iter().map(|width| LinkFormat::new(format, *width, guard, 4));
        let all = links.flat_map(|link| link.modes().filter(move |mode| link.is_highest(*mode)));
        for mode in all {
            let tenths = mode.tenths_of_mbps();
            for printed in [tenths / 10, (tenths + 5) / 10] {
                let cell = format!("standard = \"{standard}\"\nband = \"{band}\"");
                let Ok(scenario) = parse(&cell, &format!("rate = \"{printed} Mb/s\"")) else {
                    continue;
                };
                let Rate::Mode(found) = scenario.stations[0].rate_up[0].1 else { panic!("a mode") };
                assert!(found.tenths_of_mbps().abs_diff(10 * printed) < 10, "{printed} in {cell}");
                assert_eq!(
                    Scenario::parse(&scenario.to_toml(), &[]),
                    Ok(scenario),
                    "{printed} in {cell}"
                );
                taken += 1;
            }
        }
    }
    assert!(taken > 60, "{taken}");
}
