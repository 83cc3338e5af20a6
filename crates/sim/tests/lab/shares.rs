//! Shares of the channel granted in beacons, in whole runs.

use std::fmt::Write as _;

use airfair_sim::outcome::{Outcome, StationOutcome};
use airfair_units::Duration;

use crate::common::{parse, run_once};

const TFRC: &str = "{ kind = \"tfrc\", segment = \"1448 B\" }";
const NEWRENO: &str = "{ kind = \"tcp\", receive_window = \"1 MB\", window_scaling = true }";
const CUBIC: &str =
    "{ kind = \"tcp\", flavour = \"cubic\", receive_window = \"1 MB\", window_scaling = true }";

/// Outcome of a cell with a station at each of `rates`, each with the flows that `flows` declares; 60 s of 70 s are
/// measured.
fn cell(settings: &str, rates: &[u64], flows: impl Fn(usize) -> String) -> Outcome {
    let mut text = format!(
        "duration = \"70 s\"\nwarmup = \"10 s\"\nseries = \"off\"\n[bss.c]\n{settings}\n\
         ap.queue.packets = 100\n"
    );
    for (index, rate) in rates.iter().enumerate() {
        let _ = write!(
            text,
            "[station.s{index}]\nrate = \"{rate} Mb/s\"\nqueue = {{ packets = 100 }}\n\
             [host.h{index}]\nlink = {{ rate = \"100 Mb/s\", delay = \"50 ms\" }}\n{}",
            flows(index)
        );
    }
    run_once(&parse(&text), 0)
}

/// Text of a flow between station and host `index`.
fn flow(name: &str, index: usize, is_up: bool, transport: &str, control: &str) -> String {
    let (station, host) = (format!("s{index}"), format!("h{index}"));
    let (from, to) = if is_up { (station, host) } else { (host, station) };
    format!(
        "[flow.{name}{index}]\nfrom = \"{from}\"\nto = \"{to}\"\nstart_jitter = \"1 s\"\n\
         transport = {transport}\ncontrol = \"{control}\"\n"
    )
}

const GRANTS: &str =
    "standard = \"802.11a\"\nbeacon = { interval = \"100 ms\" }\nap.occupancy = true";
const ONCE: &str = "standard = \"802.11a\"\nbeacon = { interval = \"100 ms\" }\n\
                    ap.occupancy = { spare = \"once\" }";

fn occupancy(station: &StationOutcome) -> f64 {
    let frames = station.airtime_data_up + station.airtime_data_down + station.airtime_control;
    (frames + station.contention).as_secs_f64() / 60.0
}

/// Fraction of time for which each of two stations with a flow each occupies the channel, one at 54 Mb/s and one at
/// `rate` Mb/s.
fn held(settings: &str, rate: u64, is_up: bool, transport: &str, control: &str) -> [f64; 2] {
    let outcome = cell(settings, &[54, rate], |index| flow("f", index, is_up, transport, control));
    [0, 1].map(|index| occupancy(&outcome.stations[index]))
}

/// A fast and a slow station under the scheme occupy the channel for times that differ by less than a twelfth of the
/// total. The exception is TFRC up at 6 Mb/s, where each station has at least a third. Without the scheme the slow
/// station has four times as much as the fast one.
///
/// Verifies: [occupancy-tfrc §IV]
#[test]
fn a_fast_and_a_slow_station_hold_the_channel_for_equally_long() {
    for rate in [6, 24] {
        let cases = [
            (ONCE, false, TFRC),
            (GRANTS, false, NEWRENO),
            (GRANTS, true, NEWRENO),
            (GRANTS, true, CUBIC),
        ];
        for (settings, is_up, transport) in cases {
            let [fast, slow] = held(settings, rate, is_up, transport, "occupancy");
            assert!((fast - slow).abs() < 0.08, "{rate} {is_up} {transport}: {fast} {slow}");
            assert!(fast + slow > 0.85, "{rate} {is_up} {transport}: {fast} {slow}");
        }
    }
    let [fast, slow] = held(GRANTS, 6, true, TFRC, "occupancy");
    assert!(fast > 0.33 && slow < 0.6, "{fast} {slow}");
    for is_up in [false, true] {
        let [fast, slow] = held(GRANTS, 6, is_up, TFRC, "none");
        assert!(slow > 4.0 * fast, "{fast} {slow}");
    }
}

/// The shares of a fast and a slow station that receive by TFRC are closer with `spare = "once"`, which counts unused
/// time once, than with the default: they are equal at every rate.
#[test]
fn shares_are_closer_where_what_is_left_counts_once() {
    for rate in [6, 12, 18, 36, 54] {
        let [fast, slow] = held(ONCE, rate, false, TFRC, "occupancy");
        assert!((fast - slow).abs() < 0.05, "{rate}: {fast} {slow}");
    }
}

/// A fast and a slow station occupy the channel for equal times in cells of 802.11b and 802.11g, with and without
/// RTS/CTS.
#[test]
fn every_standard_has_shares() {
    for (standard, rates) in [("802.11b", [11, 1]), ("802.11g", [54, 6])] {
        for rts in ["\"off\"", "\"500 B\""] {
            let settings =
                format!("standard = \"{standard}\"\nrts_threshold = {rts}\nap.occupancy = true");
            let outcome =
                cell(&settings, &rates, |index| flow("f", index, false, TFRC, "occupancy"));
            let [fast, slow] = [0, 1].map(|index| occupancy(&outcome.stations[index]));
            assert!((fast - slow).abs() < 0.08, "{standard} {rts}: {fast} {slow}");
        }
    }
}

/// Uncontrolled UDP of a station gets through before the station's controlled flows. A station at 6 Mb/s has 1 Mb/s of
/// UDP and a TFRC flow, and another one at 54 Mb/s has two TFRC flows. TFRC flows of one station have equal shares,
/// and both stations hold the channel equally long.
///
/// Verifies: [occupancy-tfrc eq. 8], [occupancy-tfrc eq. 11]
#[test]
fn what_nobody_controls_comes_first() {
    let flows = |index| {
        let udp = "{ kind = \"udp\", payload = \"1000 B\", rate = \"1 Mb/s\" }";
        let second = if index == 0 { (TFRC, "occupancy") } else { (udp, "none") };
        flow("a", index, false, TFRC, "occupancy") + &flow("b", index, false, second.0, second.1)
    };
    let outcome = cell(ONCE, &[54, 6], flows);
    let octets: Vec<u64> = outcome.flows.iter().map(|flow| flow.delivered.get()).collect();
    let [one, two, slow, udp] = octets[..] else { panic!("four flows") };
    assert!(udp > 7_300_000, "{udp} of 7 500 000 octets");
    assert!(one.abs_diff(two) * 5 < one + two, "{octets:?}");
    assert!(slow > 1_000_000, "{octets:?}");
    let [fast, slow] = [0, 1].map(|index| occupancy(&outcome.stations[index]));
    assert!((fast - slow).abs() < 0.06, "{fast} {slow}");
}

/// A flow that joins a busy cell gets its share, and when it leaves the other flow has the whole channel again.
#[test]
fn shares_follow_those_who_are_active() {
    let scenario = |start: &str, stop: &str| {
        let flows = |index| {
            let times = if index == 1 {
                format!("start = {start}\nstop = {stop}\n")
            } else {
                String::new()
            };
            flow("f", index, false, NEWRENO, "occupancy")
                .replace("start_jitter = \"1 s\"\n", &times)
        };
        cell(GRANTS, &[54, 6], flows).flows[0].delivered.get()
    };
    let all = scenario("\"0 s\"", "\"1 s\"");
    let half = scenario("\"0 s\"", "\"end\"");
    let some = scenario("\"40 s\"", "\"50 s\"");
    assert!(half * 10 < all * 6, "{half} {all}");
    // For a sixth of the time the flow has half of the channel, and the changes cost a little more.
    assert!(some * 100 > all * 85 && some < all, "{some} {all}");
}

/// Grants that no station keeps change nothing, apart from the six octets by which they lengthen a beacon.
#[test]
fn a_grant_that_nobody_keeps_is_but_six_octets() {
    let plain = "standard = \"802.11b\"\nbeacon = { size = \"72 B\" }";
    let granting = "standard = \"802.11b\"\nbeacon = { size = \"66 B\" }\nap.occupancy = true";
    let run =
        |settings| cell(settings, &[11, 1], |index| flow("f", index, index == 0, TFRC, "none"));
    assert_eq!(run(plain), run(granting));
}

/// Beacons are sent every 102.4 ms from 10 to 70 s, 586 times, whatever packets wait in the access point's queue. Each
/// has 66 octets at 6 Mb/s and takes 20 + 4 · ⌈(16 + 528 + 6) / 24⌉ = 112 µs.
///
/// Verifies: [80211-2020 §9.4.1.3]
#[test]
fn beacons_go_whatever_waits_for_them() {
    for discipline in ["fifo", "fq-codel", "airtime", "time-regulator"] {
        let settings = format!(
            "standard = \"802.11a\"\nbeacon = true\nap.queue.discipline = \"{discipline}\""
        );
        let udp = "{ kind = \"udp\", payload = \"1472 B\", rate = \"9 Mb/s\" }";
        let outcome = cell(&settings, &[54, 6], |index| flow("f", index, index == 1, udp, "none"));
        let beacon = outcome.channels[0].beacon;
        let [least, most] = [580, 586].map(|count| Duration::from_micros(112) * count);
        assert!(least <= beacon && beacon <= most, "{discipline}: {beacon}");
    }
}

/// The patience, a number of missed beacons, changes nothing for a station that receives every beacon. A station that
/// loses half of the beacons exceeds a patience of one, and is unlimited for a while.
///
/// Verifies: [occupancy-tfrc §III-B]
#[test]
fn patience_matters_where_beacons_are_lost() {
    let run = |patience: u32, loss: &str| {
        let settings = format!(
            "standard = \"802.11a\"\nap.occupancy = {{ patience = {patience} }}\nerrors = {loss}"
        );
        cell(&settings, &[54, 6], |index| flow("f", index, false, NEWRENO, "occupancy"))
    };
    let noise = "{ model = \"bernoulli\", probability = 0.5 }";
    assert_eq!(run(1, "\"none\""), run(1_000, "\"none\""));
    assert_ne!(run(1, noise), run(1_000, noise));
}

/// UDP that fills the whole share of its station leaves almost nothing to the station's TFRC flow. The other station
/// keeps its own share.
///
/// Verifies: [occupancy-tfrc eq. 13]
#[test]
fn who_needs_all_of_its_share_has_nothing_left_for_others() {
    let flows = |index| {
        let udp = "{ kind = \"udp\", payload = \"1472 B\", rate = \"2500 kb/s\" }";
        let beside = if index == 1 { flow("b", 1, false, udp, "none") } else { String::new() };
        flow("a", index, false, TFRC, "occupancy") + &beside
    };
    let outcome = cell(ONCE, &[54, 6], flows);
    let [fast, slow, udp] = [0, 1, 2].map(|index| outcome.flows[index].delivered.get());
    assert!(udp > 18_000_000, "{udp} of 18 750 000 octets");
    // The station's share of 60 s at 6 Mb/s would be about 20 Mb.
    assert!(slow < 2_000_000, "{slow}");
    assert!(fast > 80_000_000, "{fast}");
}
