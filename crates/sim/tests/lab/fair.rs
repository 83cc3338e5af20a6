//! `ap.fair`: equal airtime in both directions.

use std::fmt::Write as _;

use airfair_sim::outcome::Outcome;

use crate::common::{parse, run_once};

const TCP: &str = "{ kind = \"tcp\", flavour = \"cubic\", sack = true, window_scaling = true, \
                   receive_window = \"2 MB\" }";
const CALL: &str = "{ kind = \"udp\", payload = \"172 B\", rate = \"68.8 kb/s\" }";

/// More UDP than the cell carries.
const FLOOD: &str = "{ kind = \"udp\", payload = \"1472 B\", rate = \"54 Mb/s\" }";
const GRANTS: &str = "{ grants = true }";

fn run(is_fair: bool, slow: &str, flows: &[(&str, &str, &str, &str)]) -> Outcome {
    run_with(&is_fair.to_string(), slow, flows)
}

/// Runs an 802.11g cell of 25 s, of which the first 10 s do not count. Its stations `fast` and `slow` exchange `flows`
/// with a host 20 ms away: name, sender, receiver, transport. `slow` is the rate of the slow station.
fn run_with(fair: &str, slow: &str, flows: &[(&str, &str, &str, &str)]) -> Outcome {
    let mut text = format!(
        "duration = \"25 s\"\nwarmup = \"10 s\"\n[bss.cell]\nstandard = \"802.11g\"\n\
         ap = {{ queue = {{ discipline = \"airtime\" }}, fair = {fair} }}\n\
         [station.fast]\nrate = \"54 Mb/s\"\n[station.slow]\nrate = {slow}\n\
         [host.h]\nlink = {{ rate = \"1 Gb/s\", delay = \"10 ms\" }}\n"
    );
    for (name, from, to, transport) in flows {
        let _ = writeln!(
            text,
            "[flow.{name}]\nfrom = \"{from}\"\nto = \"{to}\"\ntransport = {transport}"
        );
    }
    run_once(&parse(&text), 0)
}

/// Airtime of the two stations, as parts of the measured 15 s.
fn shares(outcome: &Outcome) -> [f64; 2] {
    [0, 1].map(|index| {
        let it = &outcome.stations[index];
        let all = it.airtime_data_up + it.airtime_data_down + it.airtime_control;
        all.as_secs_f64() / outcome.elapsed.as_secs_f64()
    })
}

/// Jain's index of the airtime of the two stations.
fn jain(outcome: &Outcome) -> f64 {
    let [one, other] = shares(outcome);
    (one + other).powi(2) / (2.0 * (one * one + other * other))
}

#[test]
fn uploads_get_equal_airtime() {
    let flows = [("a", "fast", "h", TCP), ("b", "slow", "h", TCP)];
    let [before, after] = [false, true].map(|it| run(it, "\"6 Mb/s\"", &flows));
    assert!(jain(&before) < 0.9 && jain(&after) > 0.99, "{} {}", jain(&before), jain(&after));
    let goodput =
        |outcome: &Outcome| outcome.flows.iter().map(|it| it.delivered.get()).sum::<u64>();
    assert!(goodput(&after) > goodput(&before));
}

/// A scheduler that conserves work gives the download of the slow station the air that the window of the fast station's
/// upload leaves. With `ap.fair` it waits.
#[test]
fn an_upload_and_a_download_get_equal_airtime() {
    let flows = [("a", "fast", "h", TCP), ("b", "h", "slow", TCP), ("c", "slow", "h", TCP)];
    let [before, after] = [false, true].map(|it| run(it, "\"6 Mb/s\"", &flows));
    assert!(jain(&before) < 0.95 && jain(&after) > 0.99, "{} {}", jain(&before), jain(&after));
    assert!(after.flows[1].delivered.get() > 0 && after.flows[2].delivered.get() > 0);
}

/// Scheduling alone shares the airtime of downloads, so nothing waits, and no window is lowered.
#[test]
fn downloads_have_the_same_records_as_without() {
    let flows = [("a", "h", "fast", TCP), ("b", "h", "slow", TCP), ("call", "slow", "h", CALL)];
    let [before, after] = [false, true].map(|it| run(it, "\"6 Mb/s\"", &flows).record_hash);
    assert_eq!(before, after);
}

/// A call in both directions at the slow station loses nothing beside an upload of the same station and one of the
/// other.
#[test]
fn a_call_beside_bulk_loses_nothing() {
    let flows = [
        ("a", "fast", "h", TCP),
        ("b", "slow", "h", TCP),
        ("up", "slow", "h", CALL),
        ("down", "h", "slow", CALL),
    ];
    let outcome = run(true, "\"6 Mb/s\"", &flows);
    let [up, down] = [2, 3].map(|index| &outcome.flows[index]);
    assert_eq!((up.packets_dropped, down.packets_dropped), (0, 0));
    assert!(down.delay.p95.as_secs_f64() < 0.05, "{:?}", down.delay.p95);
}

/// The slow station falls from 54 to 6 Mb/s at the start of the measured time minus 2 s.
#[test]
fn a_change_of_rate_is_settled_after_two_seconds() {
    let flows = [("a", "fast", "h", TCP), ("b", "slow", "h", TCP)];
    let rate = "[[\"0 s\", \"54 Mb/s\"], [\"8 s\", \"6 Mb/s\"]]";
    let outcome = run(true, rate, &flows);
    assert!(jain(&outcome) > 0.98, "{:?}", shares(&outcome));
}

/// Nothing but grants of time lets uploads of UDP share the channel: all get more, although the CTS and CF-Ends take
/// air, less than 1 % of it.
#[test]
fn floods_get_equal_airtime_by_grants() {
    let flows = [("a", "fast", "h", FLOOD), ("b", "slow", "h", FLOOD)];
    let [before, after] = ["true", GRANTS].map(|it| run_with(it, "\"6 Mb/s\"", &flows));
    assert!(jain(&before) < 0.7 && jain(&after) > 0.999, "{} {}", jain(&before), jain(&after));
    let goodput =
        |outcome: &Outcome| outcome.flows.iter().map(|it| it.delivered.get()).sum::<u64>();
    assert!(goodput(&after) > 2 * goodput(&before));
    let cost = after.channels[0].beacon.as_secs_f64() / after.elapsed.as_secs_f64();
    assert!(0.0 < cost && cost < 0.01, "{cost}");
}

/// A flood of the slow station and a TCP upload of the fast one: grants serve the upload, whose window stays open.
#[test]
fn a_flood_and_a_tcp_upload_get_equal_airtime_by_grants() {
    let flows = [("a", "fast", "h", TCP), ("b", "slow", "h", FLOOD)];
    let [before, after] = ["true", GRANTS].map(|it| run_with(it, "\"6 Mb/s\"", &flows));
    assert!(jain(&before) < 0.8 && jain(&after) > 0.99, "{} {}", jain(&before), jain(&after));
}

/// Where nothing but TCP is sent, the windows suffice, and no time is granted.
#[test]
fn tcp_alone_needs_no_grants() {
    let flows = [("a", "fast", "h", TCP), ("b", "slow", "h", TCP)];
    let [without, with] = ["true", GRANTS].map(|it| run_with(it, "\"6 Mb/s\"", &flows).record_hash);
    assert_eq!(without, with);
}
