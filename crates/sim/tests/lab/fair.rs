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

fn run_with(fair: &str, slow: &str, flows: &[(&str, &str, &str, &str)]) -> Outcome {
    let cell = format!(
        "standard = \"802.11g\"\nap = {{ queue = {{ discipline = \"airtime\" }}, fair = {fair} }}"
    );
    run_in(&cell, ["\"54 Mb/s\"", slow], "10 ms", flows)
}

/// Runs a cell of 25 s, of which the first 10 s do not count. Its stations `fast` and `slow`, with these rates, exchange
/// `flows` with a host at the end of a wire with this delay: name, sender, receiver, transport.
fn run_in(
    cell: &str,
    [fast, slow]: [&str; 2],
    delay: &str,
    flows: &[(&str, &str, &str, &str)],
) -> Outcome {
    let mut text = format!(
        "duration = \"25 s\"\nwarmup = \"10 s\"\n[bss.cell]\n{cell}\n\
         [station.fast]\nbss = \"cell\"\nrate = {fast}\n[station.slow]\nbss = \"cell\"\nrate = {slow}\n\
         [host.h]\nlink = {{ to = \"cell\", rate = \"1 Gb/s\", delay = \"{delay}\" }}\n"
    );
    for (name, from, to, transport) in flows {
        let _ = writeln!(
            text,
            "[flow.{name}]\nfrom = \"{from}\"\nto = \"{to}\"\ntransport = {transport}"
        );
    }
    run_once(&parse(&text), 0)
}

/// Airtime of the two stations, which are the last ones, as parts of the measured 15 s.
fn shares(outcome: &Outcome) -> [f64; 2] {
    [2, 1].map(|last| share(outcome, outcome.stations.len() - last))
}

/// Airtime of a station, as a part of the measured time.
fn share(outcome: &Outcome, station: usize) -> f64 {
    let it = &outcome.stations[station];
    let all = it.airtime_data_up + it.airtime_data_down + it.airtime_control;
    all.as_secs_f64() / outcome.elapsed.as_secs_f64()
}

/// Jain's index of the airtime of the two stations.
fn jain(outcome: &Outcome) -> f64 {
    let [one, other] = shares(outcome);
    (one + other).powi(2) / (2.0 * (one * one + other * other))
}

/// Octets that all flows together have delivered.
fn goodput(outcome: &Outcome) -> u64 {
    outcome.flows.iter().map(|it| it.delivered.get()).sum()
}

#[test]
fn uploads_get_equal_airtime() {
    let flows = [("a", "fast", "h", TCP), ("b", "slow", "h", TCP)];
    let [before, after] = [false, true].map(|it| run(it, "\"6 Mb/s\"", &flows));
    assert!(jain(&before) < 0.9 && jain(&after) > 0.99, "{} {}", jain(&before), jain(&after));
    assert!(goodput(&after) > goodput(&before));
}

/// A scheduler that conserves work gives the download of the slow station the air that the window of the fast station's
/// upload leaves. With `ap.fair` it waits.
#[test]
fn an_upload_and_a_download_get_equal_airtime() {
    let flows = [("a", "fast", "h", TCP), ("b", "h", "slow", TCP), ("c", "slow", "h", TCP)];
    let [before, after] = [false, true].map(|it| run(it, "\"6 Mb/s\"", &flows));
    assert!(jain(&before) < 0.95 && jain(&after) > 0.99, "{} {}", jain(&before), jain(&after));
    // The slow station's own flows in both directions share its time.
    let [down, up] = [1, 2].map(|flow| after.flows[flow].delivered.get());
    assert!(down < 2 * up && up < 2 * down, "{down} {up}");
}

/// The windows need no queue of a certain kind.
#[test]
fn uploads_get_equal_airtime_under_a_fifo() {
    let flows = [("a", "fast", "h", TCP), ("b", "slow", "h", TCP)];
    let [before, after] = ["false", "true"].map(|fair| {
        let cell = format!("standard = \"802.11g\"\nap.fair = {fair}");
        run_in(&cell, ["\"54 Mb/s\"", "\"6 Mb/s\""], "10 ms", &flows)
    });
    assert!(jain(&before) < 0.8 && jain(&after) > 0.98, "{} {}", jain(&before), jain(&after));
}

/// At a round trip of 2 ms, two segments are more than the share of the slow station. Its ACKs wait.
#[test]
fn uploads_get_equal_airtime_at_a_short_round_trip() {
    let flows = [("a", "fast", "h", TCP), ("b", "slow", "h", TCP)];
    let cell = "standard = \"802.11g\"\nap = { queue = { discipline = \"airtime\" }, fair = true }";
    let outcome = run_in(cell, ["\"54 Mb/s\"", "\"6 Mb/s\""], "1 ms", &flows);
    assert!(jain(&outcome) > 0.99, "{:?}", shares(&outcome));
}

/// At a round trip of 2 ms, a window of a few packets would leave the fast station aggregates of a few packets. A least
/// window keeps the goodput.
#[test]
fn a_short_round_trip_costs_neither_shares_nor_aggregates() {
    let flows = [("a", "fast", "h", TCP), ("b", "slow", "h", TCP)];
    let [before, after] = ["false", "true"].map(|fair| {
        let queue = "ap.queue = { discipline = \"airtime\" }";
        let cell = format!("standard = \"802.11n\"\n{queue}\nap.fair = {fair}");
        run_in(&cell, ["\"ht-mcs7\"", "\"ht-mcs0\""], "1 ms", &flows)
    });
    assert!(jain(&after) > 0.99, "{:?}", shares(&after));
    assert!(
        goodput(&after) * 10 > goodput(&before) * 9,
        "{} {}",
        goodput(&before),
        goodput(&after)
    );
}

/// A neighbour on the channel that always sends leaves no time unused. Beside it and a phone, which uses little, the
/// stations with uploads get equal airtime nevertheless, and together at least three quarters of the neighbour's.
#[test]
fn uploads_keep_their_airtime_beside_a_neighbour_that_always_sends() {
    let uploads = [("a", "fast", "h", TCP), ("b", "slow", "h", TCP)];
    let flows = [uploads[0], uploads[1], ("c", "other", "far", FLOOD), ("d", "phone", "h", CALL)];
    let cell = "standard = \"802.11g\"\nchannel = 6\nap = { queue = { discipline = \"airtime\" }, fair = true }\n\
                [bss.next]\nstandard = \"802.11g\"\nchannel = 6\n\
                [station.other]\nbss = \"next\"\nrate = \"54 Mb/s\"\n\
                [station.phone]\nbss = \"cell\"\nrate = \"54 Mb/s\"\n\
                [host.far]\nlink = { to = \"next\", rate = \"1 Gb/s\", delay = \"1 ms\" }";
    let outcome = run_in(cell, ["\"54 Mb/s\"", "\"6 Mb/s\""], "10 ms", &flows);
    let (own, other) = (shares(&outcome), share(&outcome, 0));
    assert!(jain(&outcome) > 0.99, "{own:?}");
    assert!(own[0] + own[1] > 0.75 * other, "{own:?} {other}");
}

/// Scheduling alone shares the airtime of downloads, so nothing waits, and no window is lowered.
#[test]
fn downloads_have_the_same_records_as_without() {
    let flows = [("a", "h", "fast", TCP), ("b", "h", "slow", TCP), ("call", "slow", "h", CALL)];
    let [before, after] = [false, true].map(|it| run(it, "\"6 Mb/s\"", &flows).record_hash);
    assert_eq!(before, after);
}

/// Windows of QUIC are encrypted, and its acknowledgements are no bulk. So nothing changes for uploads, not even the order
/// in which acknowledgements leave the access point.
#[test]
fn uploads_of_quic_have_the_same_records_as_without() {
    let quic = "{ kind = \"quic\", flavour = \"cubic\" }";
    let flows = [("a", "fast", "h", quic), ("b", "slow", "h", quic)];
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

/// More UDP than the station's queue holds.
const SATURATED: &str = "{ kind = \"udp\", payload = \"1448 B\", rate = \"saturated\" }";

/// Runs uploads of both stations in a cell of 802.11ax with OFDMA in both directions and this MU EDCA.
fn run_with_triggers(fair: bool, mu_edca: &str, transport: &str) -> Outcome {
    let cell = format!(
        "standard = \"802.11ax\"\nwidth = \"80 MHz\"\nstreams = 2\n\
         ap = {{ queue = {{ discipline = \"airtime\" }}, fair = {fair} }}\n\
         ofdma = {{ up = \"round-robin\", ack = \"mu-bar\", trigger_every = \"1 ms\", poll = true }}\n\
         mu_edca = {mu_edca}"
    );
    let flows = [("a", "fast", "h", transport), ("b", "slow", "h", transport)];
    run_in(&cell, ["\"he-mcs11x2\"", "\"he-mcs0x1\""], "10 ms", &flows)
}

/// After a trigger, stations contend with a window of 63 slots. Credits do not count the aggregates that they send alone,
/// and those of the slow station are longer.
#[test]
fn floods_get_equal_airtime_with_triggers() {
    let run = |fair| run_with_triggers(fair, "{ cw_min = 63 }", SATURATED);
    let [before, after] = [false, true].map(run);
    assert!(jain(&before) < 0.95 && jain(&after) > 0.99, "{} {}", jain(&before), jain(&after));
    assert!(goodput(&after) * 100 > goodput(&before) * 95);
}

/// Where triggered stations keep quiet, uploads get equal airtime, and no window of TCP is lowered.
#[test]
fn uploads_get_equal_airtime_with_triggers() {
    let run = |fair, transport| run_with_triggers(fair, "{ aifsn = 0 }", transport);
    let [before, after] = [false, true].map(|it| run(it, TCP));
    assert!(jain(&after) > 0.99, "{:?}", shares(&after));
    assert!(goodput(&after) * 100 > goodput(&before) * 95);
    let flood = run(true, SATURATED);
    assert!(jain(&flood) > 0.99, "{:?}", shares(&flood));
}
