//! Channel access that a cell sets for its stations.

use airfair_sim::scenario::{Scenario, Station};
use airfair_units::Duration;

fn parse(cell: &str, station: &str) -> Result<Scenario, Vec<String>> {
    let text = format!(
        "duration = \"9 s\"\n[bss.home]\nstandard = \"802.11ax\"\nband = \"2.4 GHz\"\n{cell}\n[station.plain]\n\
         [station.own]\n{station}\n[station.old]\nstandard = \"802.11g\"\n[host.h]\n[flow.f]\nfrom = \"own\"\nto = \"h\"\n\
         transport = {{ kind = \"tcp\" }}\n"
    );
    let of_all = |all: Vec<_>| all.iter().map(ToString::to_string).collect();
    Scenario::parse(&text, &[]).map_err(|errors| of_all(errors.into_iter().collect()))
}

fn station<'s>(scenario: &'s Scenario, name: &str) -> &'s Station {
    scenario.stations.iter().find(|it| it.name == name).expect("a station")
}

/// A station has the channel access that its cell sets, unless it sets its own. A station of an older standard keeps
/// its AIFSN if none is set, and the access point keeps its own access.
#[test]
fn a_cell_says_how_its_stations_contend_and_a_station_says_otherwise() {
    let cell = "edca = { txop_limit = \"3 ms\", video = { aifsn = 4 } }";
    let scenario = parse(cell, "edca = { aifsn = 5 }").expect("a scenario");
    let of = |name| station(&scenario, name).access;
    let three = Duration::from_millis(3);
    let best = |name| (of(name).best_effort.aifsn, of(name).best_effort.txop_limit);
    assert_eq!([best("plain"), best("own"), best("old")], [(3, three), (5, three), (2, three)]);
    assert_eq!([of("plain").video.aifsn, of("own").video.aifsn], [4, 4]);
    assert_eq!(scenario.cells[0].ap.access.best_effort.txop_limit, Duration::ZERO);
}

#[test]
fn it_is_written_with_each_station_and_read_back() {
    let scenario = parse("edca = { cw_min = 7 }", "").expect("a scenario");
    let written = scenario.to_toml();
    assert_eq!(written.matches("cw_min = 7").count(), 3, "{written}");
    assert_eq!(Scenario::parse(&written, &[]), Ok(scenario));
}

#[test]
fn its_mistakes_are_told_where_they_are_said_and_once() {
    let told = |cell, station| parse(cell, station).expect_err("a mistake");
    assert_eq!(
        told("edca = { aifsn = 1 }", ""),
        [
            "bss.home.edca.aifsn = 1: only an access point may wait less than a DIFS; allowed 2 to 15"
        ]
    );
    assert_eq!(
        told("edca = { cw_min = 63, cw_max = 31 }\nap = {}", ""),
        [
            "bss.home.edca = cw_min 63, cw_max 31: the smallest contention window is larger than the largest; \
             allowed cw_min at most cw_max; the default of each is the cell's"
        ]
    );
    assert_eq!(
        told("edca = { cw_min = 63 }", "edca = { cw_max = 31 }"),
        [
            "station.own.edca = cw_min 63, cw_max 31: the smallest contention window is larger than the \
             largest; allowed cw_min at most cw_max; the default of each is the cell's"
        ]
    );
}
