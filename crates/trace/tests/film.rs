//! Films of example scenarios, beside their timelines.

use std::path::Path;

use airfair_sim::random::Streams;
use airfair_sim::run::{Control, simulate};
use airfair_sim::scenario::Scenario;
use airfair_trace::film::{Content, Shot};
use airfair_trace::lanes::WaitKind;
use airfair_trace::timeline::word;
use airfair_trace::{Film, Selection, Timeline};
use airfair_units::{Duration, Time};
use serde_json::Value;

/// Interval with its track, as a line of text.
type Line = String;

fn scenario(name: &str) -> Scenario {
    let path = format!("{}/../../scenarios/{name}.toml", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(Path::new(&path)).expect("an example");
    let mut scenario = Scenario::parse(&text, &[]).expect("an example of the laboratory");
    scenario.duration = Duration::from_millis(100);
    (scenario.warmup, scenario.series_step) = (Duration::ZERO, None);
    scenario
}

fn micros(at: Time) -> String {
    format!("{:.3}", f64::from(u32::try_from(at.as_nanos()).expect("a short run")) / 1e3)
}

fn of_shot(shot: &Shot) -> Line {
    let (category, rest) = match shot.content {
        Content::Frame { kind, outcome, .. } => ("frame", format!("{} {outcome}", word(kind))),
        Content::Wait(WaitKind::Backoff { .. }) => ("backoff", String::new()),
        Content::Wait(WaitKind::Deferring) => ("wait", String::new()),
        Content::Wait(WaitKind::Answer) => ("answer", String::new()),
    };
    let (cell, member) = (shot.member.cell.index() + 1, shot.member.node.0 + 1);
    format!("{cell} {member} {} {} {category} {rest}", micros(shot.from), micros(shot.to))
}

fn of_event(event: &Value) -> Line {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let (start, length) = (event["ts"].as_f64(), event["dur"].as_f64());
    let start = start.expect("a start");
    let end = start + length.expect("a duration");
    let rest = match text(&event["cat"]).as_str() {
        "frame" => {
            format!("{} {}", text(&event["args"]["kind"]), text(&event["args"]["outcome"]))
        }
        _ => String::new(),
    };
    let (cell, track) = (&event["pid"], &event["tid"]);
    format!("{cell} {track} {start:.3} {end:.3} {} {rest}", text(&event["cat"]))
}

/// Lines of the timeline of a whole run that end after `since`, and of a film of this `span`.
fn run(scenario: &Scenario, span: Duration) -> (Vec<Line>, Vec<Line>) {
    let timeline = Timeline::new(scenario, Selection::all(scenario), "", Vec::new());
    let recorder = (Film::new(scenario, span), timeline);
    let done = simulate(scenario, Streams::new(1, 0), recorder, &Control::default());
    let (film, timeline) = done.expect("a run that nobody cancels").recorder;
    let end = timeline.now();
    let mut filmed: Vec<_> = film.shots(end).iter().map(of_shot).collect();
    let written: Value = serde_json::from_slice(&timeline.finish().to).expect("JSON");
    let events = written["traceEvents"].as_array().expect("a list").iter();
    let since = f64::from(u32::try_from((end - span).as_nanos()).expect("a short run")) / 1e3;
    let is_shown = |event: &&Value| {
        let times = (event["ts"].as_f64(), event["dur"].as_f64());
        event["ph"] == "X" && matches!(times, (Some(ts), Some(dur)) if ts + dur > since + 1e-4)
    };
    let mut expected: Vec<_> = events.filter(is_shown).map(of_event).collect();
    filmed.sort();
    expected.sort();
    (filmed, expected)
}

/// A film shows the intervals of the timeline that end in its span, and no others.
#[test]
fn a_film_shows_the_end_of_the_timeline() {
    for name in ["one-slow-station", "saturated-cell", "hidden-stations"] {
        let scenario = scenario(name);
        for span in [1, 20, 90].map(Duration::from_millis) {
            let (filmed, expected) = run(&scenario, span);
            assert!(!expected.is_empty());
            assert_eq!(filmed, expected, "{name}, {span}");
        }
    }
}
