//! Access categories of flows.

use crate::common::{SATURATED, parse, run_once};

/// A flow with a code point equals the same flow with its access category: EF is voice, AF41 is video, CS1 is
/// background, and a code point without a service class is best effort.
///
/// Verifies: [RFC8325 §4.3]
#[test]
fn a_code_point_is_the_same_as_its_category() {
    let run = |key: &str| {
        let text = format!(
            "duration = \"1 s\"\n[bss.c]\nstandard = \"802.11ax\"\n[station.s]\n[host.h]\n\
             [flow.other]\nfrom = \"s\"\nto = \"h\"\ntransport = {SATURATED}\n\
             [flow.f]\nfrom = \"h\"\nto = \"s\"\ntransport = {SATURATED}\n{key}\n"
        );
        run_once(&parse(&text), 0).record_hash
    };
    let all = [(46, "voice"), (34, "video"), (8, "background"), (63, "best effort")];
    let hashes = all.map(|(dscp, category)| {
        let hash = run(&format!("access_category = \"{category}\""));
        assert_eq!(run(&format!("dscp = {dscp}")), hash, "{category}");
        hash
    });
    assert!((1..4).all(|i| !hashes[..i].contains(&hashes[i])), "categories make a difference");
}

/// The regulator adds the airtime of both access categories of a station, so each station has half of the channel. One
/// station sends at 600 Mb/s and one at 36 Mb/s, each with data of two categories. If the regulator counted each
/// category alone, it would hold back neither station.
///
/// Verifies: [tan-2004 §4.2]
#[test]
fn a_regulator_counts_the_air_of_all_categories_of_a_station() {
    let cell = "duration = \"1500 ms\"\nwarmup = \"500 ms\"\nseries = \"off\"\n\
         [bss.c]\nstandard = \"802.11ax\"\nwidth = \"80 MHz\"\n\
         ap = { queue = { packets = 200, discipline = \"time-regulator\" } }\n\
         [station.fast]\nrate = \"he-mcs11x1\"\n[station.slow]\nrate = \"he-mcs0x1\"\n\
         [host.h]\nlink = { rate = \"10 Gb/s\" }\n";
    let of = |station: &str, category: &str| {
        format!(
            "[flow.{station}_{}]\nfrom = \"h\"\nto = \"{station}\"\ntransport = {SATURATED}\n\
             access_category = \"{category}\"\n",
            category.replace(' ', "_")
        )
    };
    let flows =
        ["fast", "slow"].map(|station| ["best effort", "video"].map(|it| of(station, it)).concat());
    let outcome = run_once(&parse(&format!("{cell}{}", flows.concat())), 0);
    let of = |index: usize| outcome.stations[index].airtime_data_down.as_secs_f64();
    let ratio = of(0) / of(1);
    assert!((ratio - 1.0).abs() < 0.15, "{ratio}");
}
