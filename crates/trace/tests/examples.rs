//! Captures and timelines of every example scenario.

use std::collections::BTreeMap;
use std::path::Path;

use airfair_sim::random::Streams;
use airfair_sim::record::Record;
use airfair_sim::recorder::Recorder;
use airfair_sim::run::{Control, run, run_with, simulate};
use airfair_sim::scenario::Scenario;
use airfair_sim::trace::Trace;
use airfair_trace::{Capture, Selection, Timeline};
use airfair_units::{Duration, Time};
use serde_json::Value;

/// Number of PPDUs, of their MPDUs, and of receptions of MPDUs. A frame other than data counts as one MPDU.
#[derive(Debug, Default)]
struct FrameCounts {
    frames: u64,
    mpdus: u64,
    received: u64,
}

impl Recorder for FrameCounts {
    const TRACES: bool = true;

    fn record(&mut self, _now: Time, _record: &Record) {}

    fn trace(&mut self, _now: Time, trace: Trace<'_>) {
        if let Trace::Frame(_, heard) = trace {
            let mpdus = heard.ppdu.mpdus.len();
            let received = if mpdus == 0 { 1 } else { mpdus - heard.lost_mpdus() };
            self.frames += 1;
            self.mpdus += mpdus.max(1) as u64;
            self.received += (heard.receivers.len() * received) as u64;
        }
    }
}

fn scenarios() -> Vec<Scenario> {
    let folder = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../scenarios"));
    let mut paths: Vec<_> = std::fs::read_dir(folder)
        .expect("the examples")
        .map(|entry| entry.expect("an example").path())
        .filter(|path| path.extension().is_some_and(|it| it == "toml"))
        .collect();
    paths.sort();
    let neighbours = "../../python/airfair/templates/init/kinds/flow-in-the-middle.toml";
    paths.push(Path::new(env!("CARGO_MANIFEST_DIR")).join(neighbours));
    let read = |path: &std::path::PathBuf| {
        let text = std::fs::read_to_string(path).expect("a text");
        let mut scenario = Scenario::parse(&text, &[]).expect("an example of the laboratory");
        scenario.duration = scenario.duration.min(Duration::from_millis(1_500));
        (scenario.warmup, scenario.series_step) = (Duration::ZERO, None);
        scenario
    };
    paths.iter().map(read).collect()
}

/// Types and bodies of the blocks of a capture in pcapng.
fn blocks(mut octets: &[u8]) -> Vec<(u32, &[u8])> {
    let word = |octets: &[u8], at: usize| {
        u32::from_le_bytes(octets[at..at + 4].try_into().expect("four octets"))
    };
    let mut found = Vec::new();
    while !octets.is_empty() {
        let length = word(octets, 4) as usize;
        assert_eq!(word(octets, length - 4) as usize, length);
        found.push((word(octets, 0), &octets[8..length - 4]));
        octets = &octets[length..];
    }
    found
}

/// Each MPDU is in the capture at its monitor, at its sender and at each of its receivers, and each frame is
/// on one track of the timeline. The intervals of a track do not overlap.
#[test]
fn a_frame_is_wherever_it_was_sent_or_received_and_once_on_a_timeline() {
    for scenario in scenarios() {
        let all = Selection::all(&scenario);
        let capture = Capture::new(&scenario, all.clone(), &scenario.title, Vec::new());
        let timeline = Timeline::new(&scenario, all, &scenario.title, Vec::new());
        let recorder = (FrameCounts::default(), (capture, timeline));
        let run = simulate(&scenario, Streams::new(1, 0), recorder, &Control::default());
        let (counts, (capture, timeline)) = run.expect("nobody cancels").recorder;
        let (capture, timeline) = (capture.finish(), timeline.finish());
        assert!(capture.error.is_none() && timeline.error.is_none());
        let packets = blocks(&capture.to).iter().filter(|(kind, _)| *kind == 6).count();
        assert_eq!(packets as u64, capture.items);
        assert_eq!(capture.items, 2 * counts.mpdus + counts.received, "{}", scenario.title);
        assert!(scenario.cells.is_empty() || counts.received > 100, "{}", scenario.title);

        let sheet: Value = serde_json::from_slice(&timeline.to).expect("JSON");
        let mut tracks: BTreeMap<(u64, u64), Vec<(f64, f64)>> = BTreeMap::new();
        let mut frames = 0;
        for event in sheet["traceEvents"].as_array().expect("events") {
            if event["ph"] == "X" {
                let number = |key: &str| event[key].as_f64().expect("a number");
                let place = |key: &str| event[key].as_u64().expect("a number");
                let span = (number("ts"), number("ts") + number("dur"));
                tracks.entry((place("pid"), place("tid"))).or_default().push(span);
                frames += u64::from(event["cat"] == "frame");
            }
        }
        assert_eq!(frames, counts.frames);
        for spans in tracks.values_mut() {
            spans.sort_by(|a, b| a.0.total_cmp(&b.0));
            // Sums of decimals are inexact by less than a nanosecond.
            assert!(spans.windows(2).all(|pair| pair[0].1 <= pair[1].0 + 1e-4));
        }
    }
}

#[test]
fn a_selection_knows_members_by_name_and_time_by_window() {
    let text = include_str!("../../../scenarios/one-slow-station.toml");
    let mut scenario = Scenario::parse(text, &[]).expect("an example of the laboratory");
    (scenario.duration, scenario.warmup) = (Duration::from_millis(200), Duration::ZERO);
    let at = |ms: u64| Time::from_nanos(ms * 1_000_000);
    let packets = |chosen: &[&str], from, until| {
        let selection = Selection::of(&scenario, |name| chosen.contains(&name));
        let capture = Capture::new(&scenario, selection.between(from, until), "", Vec::new());
        let run = simulate(&scenario, Streams::new(1, 0), capture, &Control::default());
        run.expect("nobody cancels").recorder.finish().items
    };
    let all = packets(&["home:monitor"], at(0), at(200));
    let halves = [(0, 90), (90, 200)].map(|(a, b)| packets(&["home:monitor"], at(a), at(b)));
    assert!(halves.iter().sum::<u64>() == all && halves.iter().all(|half| *half > 0));
    let each: u64 = ["home", "slow", "fast"].map(|it| packets(&[it], at(0), at(200))).iter().sum();
    assert_eq!(packets(&["home", "slow", "fast", "home:monitor"], at(0), at(200)), all + each);
    assert_eq!(packets(&[], at(0), at(200)), 0);
}

/// The fastest cells of each standard have the same records with and without a capture and a timeline, and
/// the timeline contains their rate.
#[test]
fn the_highest_rates_are_written_and_move_no_record() {
    let cells =
        [("802.11n", 40, 4), ("802.11ac", 160, 8), ("802.11ax", 80, 8), ("802.11ax", 160, 8)];
    for (standard, width, streams) in cells {
        let text = format!(
            "duration = \"10 ms\"\n[bss.home]\nstandard = \"{standard}\"\nwidth = \"{width} MHz\"\nstreams = {streams}\n\
             [station.a]\n[host.server]\nlink = {{ rate = \"10 Gb/s\" }}\n\
             [flow.up]\nfrom = \"a\"\nto = \"server\"\n\
             transport = {{ kind = \"udp\", payload = \"1470 B\", rate = \"saturated\" }}\n"
        );
        let scenario = Scenario::parse(&text, &[]).expect("a scenario without mistakes");
        let plain = run(&scenario, 1, 0, &Control::default()).expect("nobody cancels");
        let all = Selection::all(&scenario);
        let capture = Capture::new(&scenario, all.clone(), "", Vec::new());
        let mut writers = (capture, Timeline::new(&scenario, all, "", Vec::new()));
        let traced = run_with(&scenario, 1, 0, &mut writers, &Control::default());
        assert_eq!(traced.expect("nobody cancels").record_hash, plain.record_hash, "{standard}");
        let (capture, timeline) = (writers.0.finish(), writers.1.finish());
        assert!(capture.error.is_none() && capture.items > 10, "{standard}");
        let sheet: Value = serde_json::from_slice(&timeline.to).expect("JSON");
        let rates = sheet["traceEvents"].as_array().expect("events").iter();
        let fastest =
            rates.filter_map(|event| event["args"]["rate_mbps"].as_f64()).fold(0.0, f64::max);
        let given = scenario.stations[0].rate_up[0].1.data_rate();
        let written = format!("{:.0} b/s", fastest * 1e6);
        assert_eq!(written, format!("{} b/s", given.bps()), "{standard}");
    }
}
