//! Rate control in whole runs.

use airfair_sim::outcome::Outcome;
use airfair_units::DataRate;

use crate::common::{parse, run_once};

/// Outcome of stations that send to a host with this rate or rate control, over a channel with these errors.
fn uploads(stations: u32, rate: &str, errors: &str, flow: &str) -> Outcome {
    let text = format!(
        "duration = \"30 s\"\nwarmup = \"2 s\"\nseries = \"off\"\n\
         [bss.c]\nstandard = \"802.11b\"\nerrors = {errors}\n\
         [station.s]\ncount = {stations}\nrate = {rate}\n[host.h]\n\
         [flow.f]\nfrom = \"s\"\nto = \"h\"\n{flow}\n"
    );
    run_once(&parse(&text), 0)
}

const SATURATED: &str =
    "transport = { kind = \"udp\", payload = \"1000 B\", rate = \"saturated\" }";
const ARF: &str = "{ control = \"arf\" }";
const MINSTREL: &str = "{ control = \"minstrel\" }";
/// Errors with which almost no frame of 1000 octets gets through at 11 Mb/s, and most do at 5.5 Mb/s and below.
const NOISE: &str = "{ model = \"snr\", snr = \"5 dB\" }";

fn mean_rate(outcome: &Outcome, station: usize) -> DataRate {
    outcome.stations[station].mean_rate_up.expect("a station has a rate")
}

#[test]
fn laws_find_a_rate_that_gets_through() {
    let octets = |rate: &str| uploads(1, rate, NOISE, SATURATED).flows[0].delivered.get();
    let best = ["\"1 Mb/s\"", "\"2 Mb/s\"", "\"5.5 Mb/s\""].map(octets);
    let best = best.into_iter().max().unwrap_or(0);
    let highest = octets("\"11 Mb/s\"");
    // failed probes and samples cost a part of what the best fixed rate carries
    for (law, least) in [(ARF, best / 2), (MINSTREL, best / 20 * 17)] {
        let found = octets(law);
        assert!(found > 4 * highest, "{found} against {highest} at 11 Mb/s");
        assert!((least..=best).contains(&found), "{found} of {best}");
    }
}

/// Collisions do not make Minstrel lower its rate. It weighs success against time; collisions affect all rates alike,
/// so the best rate stays the best.
///
/// Verifies: [linux-minstrel §`minstrel_update_stats`]
#[test]
fn collisions_do_not_make_minstrel_fall() {
    let [arf, minstrel] = [ARF, MINSTREL].map(|law| uploads(10, law, "\"none\"", SATURATED));
    let total = |outcome: &Outcome| outcome.flows.iter().map(|f| f.delivered.get()).sum::<u64>();
    assert!((0..10).all(|station| mean_rate(&minstrel, station) > DataRate::from_mbps(9)));
    assert!(total(&minstrel) > total(&arf));
}

/// A download with Minstrel goes on while its station walks away. The station sends little but ACKs, so its Minstrel
/// notices late that the rate has become too high. Until then the retry chain, which goes down to the lowest rate,
/// carries the ACKs.
#[test]
fn a_download_by_minstrel_goes_on_while_its_station_walks_away() {
    let text = include_str!("../../../../scenarios/walking-away.toml");
    let scenario = parse(&text.replace("{ control = \"arf\" }", MINSTREL));
    for replication in 0..3 {
        let outcome = run_once(&scenario, replication);
        assert_eq!(outcome.stations[0].radio.dropped_retry_limit, 0);
        // At the end of the way the rate is 6 Mb/s, and before that higher: 100 MB in two minutes. ARF reaches about
        // 130 MB.
        assert!(outcome.flows[0].delivered.get() > 100_000_000, "{:?}", outcome.flows[0]);
    }
}

/// Keys override the parameters of a preset, and parameters that the preset does not set have their defaults.
#[test]
fn presets_are_sets_of_keys() {
    let hash = |law: &str| uploads(2, law, NOISE, SATURATED).record_hash;
    let ns3 = hash("{ control = \"arf\", preset = \"ns3\" }");
    let keys = "timer = 15, rts_failures = false, initial = \"lowest\"";
    assert_eq!(ns3, hash(&format!("{{ control = \"arf\", {keys} }}")));
    assert_ne!(ns3, hash(ARF));
    let undone = "timer = \"60 ms\", rts_failures = true, initial = \"highest\"";
    assert_eq!(hash(ARF), hash(&format!("{{ control = \"arf\", preset = \"ns3\", {undone} }}")));
}

#[test]
fn a_link_without_noise_and_company_stays_at_its_highest_rate() {
    let outcome = uploads(1, ARF, "\"none\"", SATURATED);
    assert_eq!(outcome.stations[0].rate_changes, 0);
    assert_eq!(mean_rate(&outcome, 0), DataRate::from_mbps(11));
    assert_eq!(outcome.stations[0].mean_rate_down, Some(DataRate::from_mbps(11)));
}

/// ARF among other stations lowers its rate although the channel is perfect, because it cannot distinguish a collision
/// from noise.
///
/// Verifies: [kamerman-1997]
#[test]
fn collisions_make_arf_fall() {
    let outcome = uploads(10, ARF, "\"none\"", SATURATED);
    for (station, found) in outcome.stations.iter().enumerate() {
        assert!(found.rate_changes > 10);
        assert!(mean_rate(&outcome, station) < DataRate::from_mbps(10));
    }
    // After each failed probe, AARF requires a longer series of successes. It stays lower and changes less often.
    let aarf = uploads(10, "{ control = \"aarf\" }", "\"none\"", SATURATED);
    let changes = |outcome: &Outcome| outcome.stations.iter().map(|s| s.rate_changes).sum::<u64>();
    assert!(changes(&aarf) < changes(&outcome));
}

/// ARF-aware TCP is notified when the ARF of its station lowers the rate.
///
/// Verifies: [arf-aware-tcp §3]
#[test]
fn arf_aware_tcp_follows_the_rate_that_arf_finds() {
    let errors =
        "{ model = \"gilbert-elliott\", bad = 0.9, mean_good = \"2 s\", mean_bad = \"1 s\" }";
    let flow = |control: &str| format!("transport = {{ kind = \"tcp\" }}\ncontrol = \"{control}\"");
    let [plain, aware] =
        ["none", "arf-aware"].map(|control| uploads(1, ARF, errors, &flow(control)));
    assert!(plain.stations[0].rate_changes > 10 && aware.stations[0].rate_changes > 10);
    assert_ne!(plain.record_hash, aware.record_hash);
    assert!(aware.flows[0].delivered.get() > 0);
    assert_eq!(aware.flows[0].mean_link_rate, aware.stations[0].mean_rate_up);
}

/// Outcome of a download to a station of an 802.11n cell with two streams over 20 MHz, or to an older station.
fn download(station: &str, rate: &str, snr: u32) -> Outcome {
    let text = format!(
        "duration = \"4 s\"\nwarmup = \"2 s\"\nseries = \"off\"\n\
         [bss.c]\nstandard = \"802.11n\"\nstreams = 2\n\
         [station.s]\n{station}rate = {rate}\nerrors = {{ model = \"snr\", snr = \"{snr} dB\" }}\n\
         [host.h]\nlink = {{ rate = \"1 Gb/s\", delay = \"1 ms\" }}\n\
         [flow.f]\nfrom = \"h\"\nto = \"s\"\n{SATURATED}\n"
    );
    run_once(&parse(&text), 0)
}

/// Minstrel-HT carries nine tenths of what the best fixed rate would carry: samples, and the consequences of failed
/// ones, cost a tenth at most. ARF has more of both where the next rate fails.
///
/// Verifies: [linux-minstrel-ht §`minstrel_ht_update_stats`]
#[test]
fn minstrel_ht_carries_nine_tenths_of_what_the_best_rate_would() {
    for snr in [9, 15, 21] {
        let carried = |rate: &str| download("", rate, snr).flows[0].delivered.get();
        let fixed = (8..16).map(|mcs| carried(&format!("\"ht-mcs{mcs}\"")));
        let best = fixed.max().expect("eight rates");
        let found = carried(MINSTREL);
        assert!(found > best / 10 * 9 && found <= best / 100 * 101, "{snr} dB: {found} of {best}");
    }
}

/// An older station in a cell of 802.11n keeps Minstrel: each link has the Minstrel for its own rates.
#[test]
fn an_older_station_keeps_its_minstrel() {
    let found = |station: &str| {
        let outcome = download(station, MINSTREL, 30);
        (mean_down(&outcome), outcome.flows[0].delivered.get())
    };
    let (old, _) = found("standard = \"802.11a\"\n");
    assert!(old > DataRate::from_mbps(45) && old <= DataRate::from_mbps(54), "{old}");
    let (new, octets) = found("");
    assert!(new > DataRate::from_mbps(100) && new <= DataRate::from_mbps(130), "{new}");
    assert!(octets > 2 * 12_000_000, "{octets}");
}

fn mean_down(outcome: &Outcome) -> DataRate {
    outcome.stations[0].mean_rate_down.expect("a station has a rate")
}

/// The rate by Minstrel-HT falls from more than 50 Mb/s to less than 20 while an 802.11n station walks from 5 to 245
/// m. The download goes on to the end, and no packet is given up.
#[test]
fn minstrel_ht_follows_a_station_that_walks_away() {
    let text = include_str!("../../../../scenarios/walking-away.toml");
    let text = text.replace("{ control = \"arf\" }", MINSTREL).replace("802.11a", "802.11n");
    let text = text.replace("120 s", "40 s").replace("3 m/s", "6 m/s");
    let radio = "radio = { range = { \"6 Mb/s\" = \"370 m\", \"54 Mb/s\" = \"37 m\" } }";
    let text = text
        .replace(radio, "radio = { propagation = { model = \"log-distance\", exponent = 2.5 } }");
    let outcome = run_once(&parse(&text), 0);
    let steps = &outcome.series.stations[0];
    let (first, last) = (&steps[2], &steps[steps.len() - 2]);
    assert!(first.rate_down_bps > 5e7 && last.rate_down_bps < 2e7, "{first:?} {last:?}");
    assert!(last.rate_down_bps > 6e6);
    let flow = outcome.series.flows[0].iter().rev().take(5).all(|step| step.delivered.get() > 0);
    assert!(flow, "{:?}", outcome.flows[0]);
}
