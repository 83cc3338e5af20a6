//! Figures of the air: retries, airtime of stations and of access categories, and rates, with a trace and without.

use airfair_sim::outcome::{Outcome, StationOutcome};
use airfair_sim::record::Record;
use airfair_sim::recorder::Recorder;
use airfair_sim::run::{Control, run, run_with};
use airfair_sim::scenario::Scenario;
use airfair_sim::trace::Trace;
use airfair_units::{DataRate, Duration, Time};
use airfair_wlan::{FrameKind, NodeId};

use crate::common::{parse, run_once};

/// Frames of each member of the only cell in a trace: data and RTS frames, and retries.
#[derive(Debug, Default)]
struct Captured(Vec<[u64; 2]>);

impl Recorder for Captured {
    const TRACES: bool = true;

    fn record(&mut self, _now: Time, _record: &Record) {}

    fn trace(&mut self, _now: Time, trace: Trace<'_>) {
        let Trace::Frame(_, heard) = trace else { return };
        let frame = &heard.ppdu.frame;
        if matches!(frame.kind, FrameKind::Data | FrameKind::Rts) {
            let NodeId(node) = frame.from;
            let place = usize::from(node);
            self.0.resize(self.0.len().max(place + 1), [0; 2]);
            self.0[place][0] += 1;
            self.0[place][1] += u64::from(frame.retry);
        }
    }
}

/// Outcome of a run with a trace, and its frames.
fn traced(scenario: &Scenario, seed: u64) -> (Outcome, Captured) {
    let mut captured = Captured::default();
    let outcome = run_with(scenario, seed, 0, &mut captured, &Control::default());
    (outcome.expect("nobody cancels"), captured)
}

/// Outcome of a run, after a check that the run has the same outcome with a trace.
fn check_trace(scenario: &Scenario, seed: u64) -> Outcome {
    let plain = run(scenario, seed, 0, &Control::default()).expect("nobody cancels");
    let (traced, _) = traced(scenario, seed);
    let told = |outcome: &Outcome| (outcome.events, outcome.record_hash);
    assert_eq!(told(&traced), told(&plain), "{}", scenario.to_toml());
    assert!(traced == plain, "{}", scenario.to_toml());
    plain
}

fn held(station: &StationOutcome) -> Duration {
    station.airtime_data_up + station.airtime_data_down + station.airtime_control
}

/// A data frame that is a retry counts as one retry, although its CTS-to-self also has the retry bit. An 802.11g
/// station beside an 802.11b station sends a CTS-to-self before each data frame. A capture counts each attempt once.
#[test]
fn a_retry_behind_a_cts_to_self_is_one_retry() {
    let scenario = parse(
        r#"
        duration = "2 s"
        [bss.home]
        standard = "802.11g"
        errors = { model = "bernoulli", probability = 0.3 }
        [station.a]
        [station.b]
        standard = "802.11b"
        [host.s]
        [flow.up]
        from = "a"
        to = "s"
        transport = { kind = "udp", payload = "1470 B", rate = "saturated" }
        "#,
    );
    let (outcome, Captured(frames)) = traced(&scenario, 1);
    let radio = outcome.stations[0].radio;
    assert_eq!([radio.frames + radio.rts_frames, radio.retries], frames[1]);
    assert!(radio.retries > 100 && radio.retries < radio.frames, "{radio:?}");
}

/// The airtimes of all access categories add up to the airtimes of all stations, because each instant counts once. Two
/// stations 2 km apart do not sense each other; where their frames overlap, the instant counts as collision.
#[test]
fn categories_hold_the_air_that_their_stations_hold() {
    let scenario = parse(
        r#"
        duration = "1 s"
        [bss.c0]
        standard = "802.11ax"
        amsdu = "11398 B"
        radio = {}
        [station.c00]
        aggregation = "off"
        rate = "he-mcs3x1"
        position = ["2 km", "0 m"]
        [station.c02]
        position = ["5 m", "3 m"]
        [station.c03]
        rate = "he-mcs0x1"
        position = ["5 m", "3 m"]
        [host.server]
        [flow.f1]
        from = "c03"
        to = "c02"
        transport = { kind = "tfrc" }
        [flow.f2]
        from = "server"
        to = "c03"
        transport = { kind = "tfrc", rate = "100 kb/s" }
        dscp = 46
        [flow.f3]
        from = "c00"
        to = "server"
        transport = { kind = "udp", payload = "100 B", rate = "saturated" }
        "#,
    );
    let outcome = run_once(&scenario, 0);
    let categories: Vec<Duration> = outcome.categories.iter().map(|it| it.airtime).collect();
    assert!(categories.len() == 2 && categories.iter().all(|it| !it.is_zero()), "{categories:?}");
    let stations: Duration = outcome.stations.iter().map(held).sum();
    assert_eq!(categories.into_iter().sum::<Duration>(), stations);
    assert!(!outcome.channels[0].collision.is_zero(), "some frames overlap");
}

/// A station never measures more time of exchanges than the time for which it observed its channel. With a TXOP of two
/// seconds, the exchange under way at the start of the measured time of 270 ms counts from this start on.
#[test]
fn no_station_measures_more_of_the_air_than_there_is() {
    let scenario = parse(
        r#"
        duration = "300 ms"
        warmup = "30 ms"
        [bss.c0]
        standard = "802.11n"
        amsdu = "7935 B"
        ap = { edca = { txop_limit = "2.097 s" } }
        [station.c00]
        rate = "ht-mcs0"
        [host.server]
        link = { rate = "10 Gb/s" }
        [flow.f3]
        from = "server"
        to = "c00"
        transport = { kind = "tcp" }
        control = { scheme = "arf-window", slot = "20 ms" }
        "#,
    );
    for replication in 0..8 {
        let measured = run_once(&scenario, replication).stations[0].measured;
        // Of 14 slots from 20 ms on, the first one began in the warm-up.
        assert_eq!(measured.time, Duration::from_millis(260));
        assert!(measured.own <= measured.time, "{replication}: {measured:?}");
        assert!(measured.own * 10 > measured.time * 9, "{replication}: {measured:?}");
    }
}

/// A traced run has the record hash of the run without a trace, although the next exchange of a TXOP begins while a NAV
/// is set or an EIFS lasts. With `eifs = "ns-2"`, a station that cannot decode a frame sets its NAV to EIFS at the end of
/// that frame; with `"ns-3"` a frame that was not decoded does not end an EIFS.
#[test]
fn a_trace_changes_nothing_where_an_eifs_outlasts_frames_and_a_txop_goes_on() {
    let text = r#"
        duration = "2 s"
        [bss.home]
        standard = "802.11ax"
        eifs = "ns-2"
        edca = { txop_limit = "500 us" }
        errors = { model = "bernoulli", probability = 0.1 }
        [station.a]
        [station.b]
        senses_only = ["a"]
        [host.server]
        [flow.a]
        from = "server"
        to = "b"
        transport = { kind = "tcp" }
        "#;
    check_trace(&parse(text), 1);
    check_trace(&parse(&text.replace("ns-2", "ns-3")), 1);
}

/// A traced run has the same outcome as the run without a trace, although in a TXOP of video a BlockAckReq follows an
/// MPDU that was given up.
#[test]
fn a_trace_changes_nothing_where_a_request_follows_in_a_txop() {
    let scenario = parse(
        r#"
        duration = "5 s"
        [bss.c0]
        standard = "802.11ax"
        [station.c01]
        errors = { model = "gilbert-elliott", bad = 0.5, mean_good = "1 s", mean_bad = "20 ms" }
        [host.server]
        [flow.f3]
        from = "c01"
        to = "server"
        transport = { kind = "tcp" }
        dscp = 34
        "#,
    );
    check_trace(&scenario, 2);
}

/// Modern standards with their widths [MHz], largest number of streams and shortest guard interval [ns].
const MODERN: [(&str, &[u32], u32, u32); 5] = [
    ("802.11n", &[20, 40], 4, 400),
    ("802.11ac", &[20, 40, 80, 160], 8, 400),
    ("802.11ax", &[20, 40, 80, 160], 8, 800),
    ("802.11be", &[20, 40, 80, 160], 8, 800),
    ("802.11be\"\nband = \"6 GHz", &[320], 8, 800),
];

/// All standards, each with keys for each width and number of streams.
fn every_standard() -> Vec<(&'static str, String)> {
    let legacy = ["802.11b", "802.11a", "802.11g"];
    let mut all: Vec<_> = legacy.into_iter().map(|it| (it, String::new())).collect();
    for (standard, widths, most, guard) in MODERN {
        for (width, streams) in widths.iter().flat_map(|it| (1..=most).map(move |n| (it, n))) {
            let keys = format!("width = \"{width} MHz\"\nstreams = {streams}");
            all.push((standard, format!("{keys}\nguard_interval = \"{guard} ns\"")));
        }
    }
    all
}

/// A saturated cell of one station, in both directions, with a given rate or with rate control.
fn saturated(standard: &str, keys: &str, rate: &str) -> Scenario {
    // A frame at 1 Mb/s lasts 12 ms.
    let ms = if standard == "802.11b" || standard == "802.11g" { 100 } else { 20 };
    parse(&format!(
        "duration = \"{ms} ms\"\nseries = \"1 ms\"\n[bss.home]\nstandard = \"{standard}\"\n{keys}\n[station.a]\n{rate}\n\
         [host.server]\nlink = {{ rate = \"10 Gb/s\" }}\n\
         [flow.down]\nfrom = \"server\"\nto = \"a\"\n\
         transport = {{ kind = \"udp\", payload = \"1470 B\", rate = \"1 Gb/s\" }}\n\
         [flow.up]\nfrom = \"a\"\nto = \"server\"\n\
         transport = {{ kind = \"udp\", payload = \"1470 B\", rate = \"saturated\" }}\n"
    ))
}

/// The highest rate of every standard can be run, with and without a trace, and the mean rate of data frames is the one
/// that was set. With rate control it is not higher.
#[test]
fn every_standard_runs_at_its_highest_rate() {
    let mut highest = DataRate::from_mbps(1);
    for (standard, keys) in every_standard() {
        for rate in ["", "rate = { control = \"arf\" }", "rate = { control = \"minstrel\" }"] {
            let scenario = saturated(standard, &keys, rate);
            let plain = check_trace(&scenario, 1);
            assert!(plain.flows[1].delivered.get() > 0, "{standard} {keys} {rate}");
            let station = &plain.stations[0];
            let means =
                [station.mean_rate_up, station.mean_rate_down].map(|it| it.expect("a rate"));
            if rate.is_empty() {
                let given = scenario.stations[0].rate_up[0].1.data_rate();
                assert_eq!(means, [given; 2], "{standard} {keys}");
                highest = highest.max(given);
            }
            assert!(means.into_iter().all(|mean| mean <= highest), "{standard} {keys} {rate}");
        }
    }
    // 3920 subcarriers of 12 bits, 5 of 6 of them data, and 8 streams, in a symbol of 13.6 µs.
    assert_eq!(highest.bps() / 1_000_000, 23_058);
}
