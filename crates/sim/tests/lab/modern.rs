//! Cells of 802.11n, ac and ax.

use airfair_sim::scenario::Scenario;
use airfair_wlan::phy::rate_name::RateName;
use airfair_wlan::phy::{Mode, Rate};

use crate::common::{SATURATED, TCP, parse, run_once, uploads};

fn first_mode(scenario: &Scenario) -> Mode {
    let Rate::Mode(mode) = scenario.stations[0].rate_up[0].1 else { panic!("a mode") };
    mode
}

#[test]
fn a_plain_rate_is_the_mode_that_alone_has_it() {
    let cell = "standard = \"802.11n\"\nguard_interval = \"400 ns\"\nstreams = 2";
    let by_name = parse(&uploads(cell, &["ht-mcs15", "ht-mcs0"], TCP, 1));
    assert_eq!(by_name, parse(&uploads(cell, &["144.4 Mb/s", "7.2 Mb/s"], TCP, 1)));
    let fastest = parse(&uploads(cell, &["ht-mcs15"], TCP, 1).replace("rate = \"ht-mcs15\"\n", ""));
    assert_eq!(RateName::of(first_mode(&fastest)).to_string(), "ht-mcs15");
}

/// The goodput of a saturated station is that of its mean cycle: AIFS 43 µs, a mean back-off of 7.5 slots of 9 µs, the
/// PPDU, SIFS 16 µs, and an ACK of 28 µs. 1472 octets are 1508 with UDP, IP and LLC. In 5 s there are about 20 000
/// exchanges, which gives the mean back-off to 0.03 slots.
///
/// Verifies: [80211-2020 §10.23.2.4]
#[test]
fn a_saturated_station_has_the_goodput_of_its_mean_cycle() {
    for (standard, rate, ppdu) in [
        // 20 + 16 µs, 1538 octets in 12 326 bits of 260: 48 symbols of 4 µs
        ("802.11n", "ht-mcs7", 36.0 + 48.0 * 4.0),
        // 20 + 20 µs, 1542 octets in 12 358 bits of 1560: 8 symbols
        ("802.11ac", "vht-mcs9x1", 40.0 + 8.0 * 4.0),
        // 36 + 7.2 µs; 1542 octets in 12 352 bits of 8166: 2 symbols of 13.6
        ("802.11ax", "he-mcs11x1", 43.2 + 2.0 * 13.6),
    ] {
        let cell = format!("standard = \"{standard}\"\naggregation = \"off\"");
        let text = uploads(&cell, &[rate], SATURATED, 5).replace("100 Mb/s", "10 Gb/s");
        let scenario = parse(&text);
        let outcome = run_once(&scenario, 0);
        let cycle = 43.0 + 7.5 * 9.0 + ppdu + 16.0 + 28.0;
        let packets = u32::try_from(outcome.flows[0].delivered.get() / 1_472).expect("few");
        let found = f64::from(packets) * cycle / 5e6;
        assert!((found - 1.0).abs() < 0.003, "{rate}: {found}");
    }
}

/// With each scheme, a flow over a link of 802.11ax gets more than 1 MB through in 3 s. The schemes calculate with the
/// durations of frames in the link's modes.
#[test]
fn every_scheme_knows_the_exchanges_of_a_modern_link() {
    for control in ["\"arf-aware\"", "\"arf-window\"", "{ scheme = \"rate-cap\" }", "\"occupancy\""]
    {
        let schedule = "[[\"0 s\", \"he-mcs7x2\"], [\"500 ms\", \"he-mcs1x1\"]]";
        let text = format!(
            "duration = \"3 s\"\nseries = \"off\"\n[bss.c]\nstandard = \"802.11ax\"\nstreams = 2\n\
             aggregation = \"off\"\nap.occupancy = true\n[station.s]\nrate = {schedule}\n[host.h]\n\
             link = {{ rate = \"1 Gb/s\", delay = \"5 ms\" }}\n[flow.f]\nfrom = \"s\"\nto = \"h\"\n\
             transport = {TCP}\ncontrol = {control}\n"
        );
        let outcome = run_once(&parse(&text), 0);
        assert!(outcome.flows[0].delivered.get() > 1_000_000, "{control}");
    }
}
