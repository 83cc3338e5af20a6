//! Cells of 802.11n and later.

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
        // 36 + 4 µs of EHT-SIG + 7.2 µs; 12 352 bits of 9800
        ("802.11be", "eht-mcs13x1", 47.2 + 2.0 * 13.6),
        // 160 MHz with 20 MHz punctured: at MCS 0, 841 bits of 996+484+242 tones and 2 symbols of EHT-SIG. The ACK goes at
        // 6 Mb/s, 16 µs longer.
        (
            "802.11be\"\nwidth = \"160 MHz\"\npunctured = [\"60 MHz\"]\nband = \"5 GHz",
            "eht-mcs0x1",
            51.2 + 15.0 * 13.6 + 16.0,
        ),
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

/// An aggregate of 1024 MPDUs at 320 MHz, and the `BlockAck` with its bitmap of 128 octets. Each MPDU has 1538 octets and
/// takes 1544: 1023·1544 + 1542 = 1 581 054 octets, 12 648 448 bits. At MCS 13 with two streams a symbol of 13.6 µs has
/// 3920·10·2 = 78 400: 162 symbols, 2203.2 µs. Before them 36 + 4 + 2·7.2 µs. The `BlockAck` of 152 octets takes 13
/// symbols of 24 Mb/s, 72 µs. With 80 and 40 MHz punctured, 2428·10·2 = 48 560 bits: 261 symbols.
///
/// Verifies: [80211be-2024 §9.3.1.8.2], [80211be-2024 §36.4.3]
#[test]
fn a_window_of_1024_mpdus_is_acknowledged_by_one_frame() {
    for (punctured, symbols) in
        [("[]", 162.0), (r#"["0 MHz", "20 MHz", "40 MHz", "60 MHz", "160 MHz", "180 MHz"]"#, 261.0)]
    {
        let cell = format!(
            "standard = \"802.11be\"\nband = \"6 GHz\"\nwidth = \"320 MHz\"\nstreams = 2\n\
             aggregation = {{ window = 1024 }}\npunctured = {punctured}"
        );
        let text = uploads(&cell, &["eht-mcs13x2"], SATURATED, 5).replace("100 Mb/s", "10 Gb/s");
        let text = text.replace("[station.s1]", "[station.s1]\nqueue = { packets = 3000 }");
        // The packets of an aggregate arrive at the wire together.
        let text = text.replace("delay = \"2 ms\"", "delay = \"2 ms\", queue = { packets = 1100 }");
        let outcome = run_once(&parse(&text), 0);
        let cycle = 43.0 + 7.5 * 9.0 + 54.4 + symbols * 13.6 + 16.0 + 72.0;
        let delivered = outcome.flows[0].delivered.get() / 1_472 / 1_024;
        let found = f64::from(u32::try_from(delivered).expect("few")) * cycle / 5e6;
        assert!((found - 1.0).abs() < 0.003, "{punctured}: {found}");
    }
}

/// Downloads at 802.11ax to `count` stations that share PPDUs.
fn shared(cell: &str, count: u32, rate: &str, flow: &str) -> String {
    format!(
        "duration = \"1 s\"\nseries = \"off\"\n[bss.c]\nstandard = \"802.11ax\"\n{cell}\n[station.s]\n\
         count = {count}\nrate = \"{rate}\"\n[host.h]\nlink = {{ rate = \"1 Gb/s\", delay = \"5 ms\" }}\n\
         [flow.f]\nfrom = \"h\"\nto = \"s\"\ntransport = {flow}\n"
    )
}

/// Schemes calculate with the rate that a part of a PPDU would have in the whole width. Units of 106 tones have rates
/// that no link has.
#[test]
fn schemes_know_the_exchanges_of_parts_of_the_width() {
    for control in ["arf-window", "occupancy"] {
        let cell = "width = \"20 MHz\"\nap.occupancy = true\nofdma = { ack = \"mu-bar\" }";
        let flow = format!("{TCP}\ncontrol = \"{control}\"");
        let outcome = run_once(&parse(&shared(cell, 2, "he-mcs5x1", &flow)), 0);
        assert!(outcome.flows.iter().all(|it| it.delivered.get() > 100_000), "{control}");
    }
}

/// The hardware queue of a driver has packets for one or two stations, and the others have no units: with eight units, of
/// which six are empty, a quarter of the goodput would be left. The access point counts its parts as aggregates.
#[test]
fn stations_without_packets_in_the_driver_have_no_unit() {
    let goodput = |ofdma: &str| {
        let cell = format!(
            "width = \"80 MHz\"\nap.queue = {{ discipline = \"airtime\", hardware_queue = 2 }}\n{ofdma}"
        );
        let outcome = run_once(&parse(&shared(&cell, 8, "he-mcs7x1", SATURATED)), 0);
        let radio = &outcome.access_points[0];
        assert!(radio.aggregates > 100 && radio.aggregated_mpdus > 30 * radio.aggregates);
        outcome.flows.iter().map(|it| it.delivered.get()).sum::<u64>()
    };
    let [one, several] = ["", "ofdma = { users = 8, ack = \"mu-bar\" }"].map(goodput);
    assert!(several * 2 > one, "{several} of {one} octets");
}
