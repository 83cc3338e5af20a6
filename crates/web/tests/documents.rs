//! Tests of the documents that a page receives.

use airfair_sim::run::{Control, run};
use airfair_sim::scenario::Scenario;
use airfair_units::Time;
use airfair_web::Job;
use serde_json::{Value, json};

/// Scenario with two uploads, one of which becomes slow, for 60 s.
const ANOMALY: &str = include_str!("../../../scenarios/one-slow-station.toml");
const GOLDEN: &str = include_str!("../../sim/tests/golden/rts-cts.toml");
const GOLDEN_TABLE: &str = include_str!("../../sim/tests/golden/rts-cts.txt");

fn opened(request: &Value) -> Job {
    Job::open(request.to_string().as_bytes()).expect("a scenario without mistakes")
}

fn document(request: &Value) -> Value {
    let mut job = opened(request);
    job.advance(Time::MAX);
    job.finish()
}

fn channel(from_ns: u64, to_ns: u64) -> Value {
    document(&json!({ "scenario": ANOMALY, "channel": { "from_ns": from_ns, "to_ns": to_ns } }))
}

fn numbers(column: &Value) -> Vec<u64> {
    let list = column.as_array().expect("a column");
    list.iter().map(|value| value.as_u64().expect("a number")).collect()
}

#[test]
fn a_document_has_the_hash_of_the_golden_table() {
    let found = document(&json!({ "scenario": GOLDEN }));
    let printed = GOLDEN_TABLE.lines().find_map(|line| line.strip_prefix("records "));
    assert_eq!(found["record_hash"].as_str(), printed);
}

#[test]
fn slices_of_any_length_make_the_same_document() {
    let request = json!({ "scenario": ANOMALY.replace("60 s", "3 s").replace("20 s", "1 s") });
    let mut job = opened(&request);
    let mut now = Time::ZERO;
    for slice in (1..).map(|n| n * 1_234_567) {
        let then = job.advance(Time::from_nanos(now.as_nanos() + slice));
        if then == now {
            break;
        }
        now = then;
    }
    assert_eq!(job.finish(), document(&request));
}

#[test]
fn figures_are_those_of_the_tables() {
    let scenario = Scenario::parse(ANOMALY, &[]).expect("an example of the laboratory");
    let outcome = run(&scenario, 1, 0, &Control::default()).expect("nobody cancels");
    let found = document(&json!({ "scenario": ANOMALY }));
    let delivered: Vec<u64> = outcome.flows.iter().map(|flow| flow.delivered.get()).collect();
    assert_eq!(numbers(&found["tables"]["flows"]["delivered_bytes"]), delivered);
    let steps = numbers(&found["delivered"]["delivered_bytes"]);
    // 60 steps of one second for each of two flows.
    assert_eq!(steps.len(), 120);
    assert_eq!(steps[..60].iter().sum::<u64>(), delivered[0]);
    let collisions = numbers(&found["collisions"]["start_ns"]);
    assert_eq!(collisions.len() as u64, outcome.channels[0].collisions);
    assert!(collisions.is_sorted());
}

#[test]
fn a_channel_has_each_frame_with_its_fate_and_the_waiting_members() {
    let found = channel(1_000_000_000, 1_100_000_000);
    let frames = &found["frames"];
    let (starts, ends) = (numbers(&frames["start_ns"]), numbers(&frames["end_ns"]));
    assert!(starts.is_sorted() && starts.len() > 100);
    assert!(starts.iter().all(|start| *start < 1_100_000_000));
    assert!(ends.iter().all(|end| *end > 1_000_000_000));
    // Two frames overlap if and only if both are recorded as collided.
    let fates = frames["fate"].as_array().expect("a column");
    let collided = |i: usize| fates[i] == "collided";
    assert!((0..fates.len()).any(collided));
    for i in 1..starts.len() {
        assert_eq!(starts[i] < ends[i - 1], collided(i) && collided(i - 1), "frame {i}");
    }
    // Back-off slots are not counted while a frame is on the air, and a member that counts them
    // does not defer.
    for (back_off, deferrals) in zip(&found["back_off"], &found["deferrals"]) {
        let spans: Vec<_> = back_off.as_array().expect("a list").iter().map(numbers).collect();
        assert!(!spans.is_empty());
        for span in spans {
            // A slot is 20 µs long.
            assert!(span[1] - span[0] <= 20_000 * span[2]);
            let overlaps = |from: u64, to: u64| from < span[1] && to > span[0];
            assert!((0..starts.len()).all(|i| !overlaps(starts[i], ends[i])));
            let defers = deferrals.as_array().expect("a list").iter().map(numbers);
            assert!(defers.into_iter().all(|wait| !overlaps(wait[0], wait[1])));
        }
    }
    let names: Vec<_> =
        found["rows"].as_array().expect("rows").iter().map(|r| &r["name"]).collect();
    assert_eq!(names, ["home", "slow", "fast"]);
}

fn zip<'v>(first: &'v Value, second: &'v Value) -> impl Iterator<Item = (&'v Value, &'v Value)> {
    let list = |value: &'v Value| value.as_array().expect("a list").iter();
    list(first).zip(list(second))
}

/// In the document of a time span, each frame has its number of MPDUs and of lost MPDUs. Data
/// frames have an access category if the scenario uses several; other frames have none.
#[test]
fn aggregates_have_their_mpdus_and_data_its_category() {
    let laptop = include_str!("../../../scenarios/home-far-laptop.toml");
    let window = json!({ "from_ns": 1_000_000_000_u64, "to_ns": 1_200_000_000_u64 });
    let frames = |scenario: &str| {
        let request = json!({ "scenario": scenario, "channel": window });
        document(&request)["frames"].clone()
    };
    let found = frames(laptop);
    let (mpdus, lost) = (numbers(&found["mpdus"]), numbers(&found["lost"]));
    assert!(mpdus.iter().any(|count| *count > 10));
    assert!(mpdus.iter().zip(&lost).all(|(mpdus, lost)| lost <= mpdus));
    for ((kind, fate), count) in zip(&found["kind"], &found["fate"]).zip(&mpdus) {
        let is_data = kind == "data" || kind == "tcp-ack";
        assert_eq!(is_data, *count > 0, "{kind}, {fate}");
    }
    assert!(found["category"].as_array().expect("a column").iter().all(Value::is_null));
    let (first, rest) = laptop.split_once("[flow.").expect("a flow");
    let (name, rest) = rest.split_once("]\n").expect("a table");
    let text = format!("{first}[flow.{name}]\naccess_category = \"video\"\n{rest}");
    let found = frames(&text);
    for (kind, category) in zip(&found["kind"], &found["category"]) {
        let is_data = kind == "data" || kind == "tcp-ack";
        let allowed: &[&str] = if is_data { &["video", "best effort"] } else { &[] };
        assert!(
            category.as_str().map_or(!is_data, |it| allowed.contains(&it)),
            "{kind} {category}"
        );
    }
}

#[test]
fn a_window_beyond_the_end_or_backwards_has_no_frames() {
    for (from, to) in [(60_000_000_000, 70_000_000_000), (u64::MAX, u64::MAX), (9_000, 5_000)] {
        let found = channel(from, to);
        assert_eq!(found["frames"]["start_ns"], json!([]), "{from} to {to}");
        assert!(found["from_ns"].as_u64() <= Some(60_000_000_000));
    }
}

#[test]
fn a_window_with_too_many_frames_ends_before_the_first_that_it_lacks() {
    let found = channel(0, 60_000_000_000);
    let to = found["to_ns"].as_u64().expect("a time");
    assert!(to < 60_000_000_000);
    // The shortened time span gives the same frames when it is requested directly.
    assert_eq!(channel(0, to)["frames"], found["frames"]);
}

#[test]
fn a_request_that_no_page_makes_is_refused() {
    for request in ["", "[]", "{}", r#"{ "scenario": 1 }"#, r#"{ "scenario": "", "else": 1 }"#] {
        let mistakes = Job::open(request.as_bytes()).expect_err("no request");
        assert!(mistakes[0].starts_with("the page asks for what it should not: "), "{request}");
    }
}

#[test]
fn a_scenario_cannot_name_a_file() {
    let mobility = "mobility = { model = \"trace\", file = \"walk.csv\" }";
    let text = include_str!("../../../scenarios/walking-away.toml")
        .lines()
        .filter(|line| !line.starts_with("position"))
        .map(|line| if line.starts_with("mobility") { mobility } else { line })
        .collect::<Vec<_>>()
        .join("\n");
    let request = json!({ "scenario": text }).to_string();
    let mistakes = Job::open(request.as_bytes()).expect_err("no file");
    assert!(mistakes[0].contains("a page cannot read files"), "{mistakes:?}");
}

/// Parts of a PPDU to several stations have the places of their resource units, each once. Frames of one user have none.
#[test]
fn frames_of_several_users_have_their_units() {
    let flow = |name: &str| {
        format!(
            "[station.{name}]\n[flow.{name}]\nfrom = \"server\"\nto = \"{name}\"\n\
             transport = {{ kind = \"udp\", payload = \"1470 B\", rate = \"saturated\" }}\n"
        )
    };
    let scenario = format!(
        "duration = \"20 ms\"\n[bss.home]\nstandard = \"802.11ax\"\nwidth = \"80 MHz\"\n\
         ofdma = {{ down = \"round-robin\", ack = \"mu-bar\" }}\n[host.server]\n{}",
        ["a", "b", "c", "d"].map(flow).concat()
    );
    let window = json!({ "from_ns": 0, "to_ns": 20_000_000 });
    let found = document(&json!({ "scenario": scenario, "channel": window }))["frames"].clone();
    let (starts, from) = (numbers(&found["start_ns"]), numbers(&found["from"]));
    let units = found["unit"].as_array().expect("a column");
    let first = (0..starts.len()).find(|i| units[*i] != Value::Null).expect("a unit");
    let of_ppdu = (first..starts.len()).take_while(|i| starts[*i] == starts[first]);
    let places: Vec<_> = of_ppdu.map(|i| (from[i], units[i].clone())).collect();
    let expected = [0, 1, 2, 3].map(|place| (0, json!(["242 tones", place, 4])));
    assert_eq!(places, expected);
    let pairs = zip(&found["kind"], &found["unit"]);
    let triggers: Vec<_> = pairs.filter(|(kind, _)| **kind == "trigger").collect();
    assert!(!triggers.is_empty() && triggers.iter().all(|(_, unit)| unit.is_null()));
}

/// Of three cells in a row the air of the middle one is held by both others, and the page has all of that time.
#[test]
fn a_channel_has_the_air_that_neighbours_hold() {
    let text = include_str!("../../../python/airfair/templates/init/kinds/flow-in-the-middle.toml");
    let text = text.replace("\"10 s\"", "\"100 ms\"").replace("\"1 s\"", "\"0 s\"");
    let channel = json!({ "from_ns": 0, "to_ns": 100_000_000 });
    let found = document(&json!({ "scenario": text, "channel": channel }));
    let figures = document(&json!({ "scenario": text }));
    let held = found["held"].as_array().expect("a list for each cell");
    for (cell, intervals) in held.iter().enumerate() {
        let intervals = intervals.as_array().expect("a list");
        assert!(!intervals.is_empty(), "cell {cell}");
        let spans: Vec<Vec<Option<u64>>> = intervals
            .iter()
            .map(|it| it.as_array().expect("an interval").iter().map(Value::as_u64).collect())
            .collect();
        assert!(spans.windows(2).all(|pair| pair[0][1] <= pair[1][0]));
        let holders = [vec![1], vec![0, 2], vec![1]];
        assert!(spans.iter().all(|it| it[2].is_none_or(|by| holders[cell].contains(&by))));
        for (column, is_overlap) in [("neighbours_ns", false), ("overlap_ns", true)] {
            let spans = spans.iter().filter(|it| it[2].is_none() == is_overlap);
            let time: u64 = spans.map(|it| it[1].expect("an end") - it[0].expect("a start")).sum();
            assert_eq!(
                time,
                numbers(&figures["tables"]["channels"][column])[cell],
                "{column} of {cell}"
            );
        }
    }
}
