//! Logs of senders agree with the results of their run.

use airfair_sim::outcome::Outcome;
use airfair_sim::run::{Control, run, run_with};
use airfair_sim::scenario::Scenario;
use airfair_trace::qlog::{Version, logged};
use airfair_trace::{Qlog, Selection};
use airfair_units::Time;
use serde_json::Value;

fn scenario(flavour: &str) -> Scenario {
    let text = format!(
        "duration = \"4 s\"\nseries = \"off\"\n[bss.home]\nstandard = \"802.11b\"\nap.queue.packets = 20\n\
         [station.near]\n[station.far]\nerrors = {{ model = \"bernoulli\", probability = 0.05 }}\n\
         [host.server]\nlink = {{ delay = \"5 ms\", loss = {{ model = \"bernoulli\", probability = 0.01 }} }}\n\
         [flow.down]\nfrom = \"server\"\nto = \"near\"\ntransport = {{ kind = \"tcp\", {flavour} }}\n\
         [flow.media]\nfrom = \"far\"\nto = \"server\"\ntransport = {{ kind = \"tfrc\" }}\n\
         [flow.noise]\nfrom = \"far\"\nto = \"server\"\ntransport = {{ kind = \"udp\", rate = \"100 kb/s\", payload = \"500 B\" }}\n"
    );
    Scenario::parse(&text, &[]).unwrap_or_else(|errors| panic!("{errors:?}"))
}

/// Lines of each log, and the results of the run.
fn logs(scenario: &Scenario, selection: Selection, version: Version) -> (Vec<Vec<Value>>, Outcome) {
    let files = logged(scenario, &selection).iter().map(|_| Vec::new()).collect();
    let mut qlog = Qlog::new(scenario, selection, "a run", (version, files));
    let outcome = run_with(scenario, 1, 0, &mut qlog, &Control::default()).expect("nobody cancels");
    let lines = |file: Vec<u8>| {
        let text = String::from_utf8(file).expect("text");
        let texts =
            text.split('\u{1e}').skip(1).map(|line| line.strip_suffix('\n').expect("a line"));
        texts.map(|line| serde_json::from_str(line).expect("JSON")).collect::<Vec<Value>>()
    };
    let written = qlog.finish().into_iter().map(|it| {
        assert!(it.error.is_none());
        let lines = lines(it.to);
        assert_eq!(lines.len() as u64, it.items + 1, "events, and the line about the log");
        lines
    });
    (written.collect(), outcome)
}

fn events<'l>(lines: &'l [Value], name: &str) -> Vec<&'l Value> {
    lines[1..].iter().filter(|line| line["name"] == name).map(|line| &line["data"]).collect()
}

fn numbers(events: &[&Value]) -> Vec<u64> {
    let of_data = events.iter().filter(|it| it["header"]["packet_type"] == "1RTT");
    of_data.map(|it| it["header"]["packet_number"].as_u64().expect("a number")).collect()
}

/// Each packet that the result counts has an event, and each retransmission one of a loss.
#[test]
fn packets_and_losses_are_those_of_the_result() {
    for flavour in [
        "flavour = \"newreno\"",
        "flavour = \"sack\"",
        "flavour = \"cubic\", loss_recovery = \"rack\", sack = true",
        "flavour = \"reno\", window_scaling = true, receive_window = \"200000 B\"",
    ] {
        let scenario = scenario(flavour);
        let (logs, outcome) = logs(&scenario, Selection::all(&scenario), Version::Draft);
        let [tcp, tfrc] = &logs[..] else { panic!("two flows have logs") };
        let sent = events(tcp, "quic:packet_sent");
        assert_eq!(sent.len() as u64, outcome.flows[0].packets_sent, "{flavour}");
        let lost = numbers(&events(tcp, "quic:packet_lost"));
        assert_eq!(lost.len() as u64, outcome.flows[0].retransmissions, "{flavour}");
        assert!(!lost.is_empty(), "{flavour}");
        let sent = numbers(&sent);
        for number in &lost {
            assert!(sent.iter().filter(|it| *it == number).count() >= 2, "{flavour}: {number}");
        }
        // Numbers of new segments are consecutive.
        let highest = *sent.iter().max().expect("a packet");
        assert!((0..=highest).all(|number| sent.contains(&number)), "{flavour}");
        let sent = numbers(&events(tfrc, "quic:packet_sent"));
        assert_eq!(sent.len() as u64, outcome.flows[1].packets_sent, "{flavour}");
        assert!(sent.iter().copied().eq(0..sent.len() as u64), "{flavour}");
        assert!(events(tfrc, "quic:packet_lost").is_empty(), "{flavour}");
    }
}

/// The ranges of ACKs have numbers of packets that were sent before, and the last one has nearly all of them.
#[test]
fn acknowledgements_name_packets_that_were_sent() {
    let scenario = scenario("flavour = \"sack\"");
    let (logs, _) = logs(&scenario, Selection::all(&scenario), Version::Draft);
    let (mut highest, mut last) = (None, 0);
    for line in &logs[0][1..] {
        if line["name"] == "quic:packet_sent" {
            highest = highest.max(numbers(&[&line["data"]]).first().copied());
        }
        for range in line["data"]["frames"][0]["acked_ranges"].as_array().into_iter().flatten() {
            let ends: Vec<u64> = range
                .as_array()
                .expect("a range")
                .iter()
                .map(|it| it.as_u64().expect("a number"))
                .collect();
            assert!(ends.first() <= ends.last() && ends.last() <= highest.as_ref(), "{line}");
            last = last.max(*ends.last().expect("a number"));
        }
    }
    assert!(last + 60 > highest.expect("packets"), "{last}, {highest:?}");
}

#[test]
fn states_and_metrics_follow_the_sender() {
    let scenario = scenario("flavour = \"newreno\"");
    let (logs, _) = logs(&scenario, Selection::all(&scenario), Version::Draft);
    let states = events(&logs[0], "quic:congestion_state_updated");
    assert_eq!(states[0]["new"], "slow_start");
    assert!(states.windows(2).all(|pair| pair[0]["new"] == pair[1]["old"]));
    assert!(states.iter().any(|it| it["new"] == "recovery"));
    assert!(states.iter().any(|it| it["new"] == "congestion_avoidance"));
    let metrics = events(&logs[0], "quic:recovery_metrics_updated");
    for name in [
        "min_rtt",
        "smoothed_rtt",
        "latest_rtt",
        "congestion_window",
        "bytes_in_flight",
        "ssthresh",
    ] {
        assert!(metrics.iter().any(|it| it[name].is_number()), "{name}");
    }
    // The wire alone takes 10 ms forth and back.
    assert!(metrics.iter().filter_map(|it| it["min_rtt"].as_f64()).all(|ms| ms > 10.0));
    let rates = events(&logs[1], "quic:recovery_metrics_updated");
    assert!(rates.iter().any(|it| it["pacing_rate"].is_number()));
}

#[test]
fn version_0_3_has_its_own_names() {
    let scenario = scenario("flavour = \"sack\"");
    let of = |version| logs(&scenario, Selection::all(&scenario), version).0.remove(0);
    let (draft, old) = (of(Version::Draft), of(Version::V03));
    assert_eq!(draft[0]["file_schema"], "urn:ietf:params:qlog:file:sequential");
    assert_eq!(
        (&old[0]["qlog_version"], &old[0]["qlog_format"]),
        (&"0.3".into(), &"JSON-SEQ".into())
    );
    assert_eq!(old[0]["trace"]["vantage_point"]["type"], "server");
    for (now, before) in [
        ("quic:packet_sent", "transport:packet_sent"),
        ("quic:packet_received", "transport:packet_received"),
        ("quic:packet_lost", "recovery:packet_lost"),
        ("quic:recovery_metrics_updated", "recovery:metrics_updated"),
        ("quic:congestion_state_updated", "recovery:congestion_state_updated"),
    ] {
        let count = events(&draft, now).len();
        assert!(count > 0, "{now}");
        assert_eq!(events(&old, before).len(), count, "{before}");
    }
}

#[test]
fn a_part_of_the_run_has_its_events_alone() {
    let scenario = scenario("flavour = \"sack\"");
    let (from, until) = (Time::from_nanos(1_000_000_000), Time::from_nanos(2_000_000_000));
    let selection = Selection::of(&scenario, |name| name == "far").between(from, until);
    let (logs, _) = logs(&scenario, selection, Version::Draft);
    let [media] = &logs[..] else { panic!("one flow of the station far has a log") };
    assert_eq!(media[0]["title"], "media");
    assert!(media.len() > 100);
    let inside =
        |line: &Value| (1_000.0..2_000.0).contains(&line["time"].as_f64().expect("a time"));
    assert!(media[1..].iter().all(inside));
}

#[test]
fn a_log_moves_no_record() {
    let scenario = scenario("flavour = \"cubic\"");
    let (_, logged) = logs(&scenario, Selection::all(&scenario), Version::Draft);
    let plain = run(&scenario, 1, 0, &Control::default()).expect("nobody cancels");
    assert_eq!(logged.record_hash, plain.record_hash);
}

/// A QUIC log has the sender's own numbers, each once; the packets that it calls lost were sent and never acknowledged, with
/// the threshold that they crossed; and its ACK frames have the ranges and delays of the receiver.
///
/// Verifies: [qlog]
#[test]
fn a_quic_log_has_its_own_numbers_and_losses() {
    let scenario = scenario("flavour = \"cubic\"");
    let text = scenario.to_toml();
    let (start, end) = text.split_once("transport = { kind = \"tcp\"").expect("a TCP flow");
    let (_, end) = end.split_once('\n').expect("a line");
    let text = format!("{start}transport = {{ kind = \"quic\", flavour = \"cubic\" }}\n{end}");
    let scenario = Scenario::parse(&text, &[]).unwrap_or_else(|errors| panic!("{errors:?}"));
    for version in [Version::Draft, Version::V03] {
        let (logs, outcome) = logs(&scenario, Selection::all(&scenario), version);
        let name = |draft: &'static str, old| if version == Version::Draft { draft } else { old };
        let sent = numbers(&events(&logs[0], name("quic:packet_sent", "transport:packet_sent")));
        assert!(sent.iter().copied().eq(0..outcome.flows[0].packets_sent));
        let lost = events(&logs[0], name("quic:packet_lost", "recovery:packet_lost"));
        assert!(lost.len() as u64 >= outcome.flows[0].retransmissions && !lost.is_empty());
        let causes = ["reordering_threshold", "time_threshold"];
        assert!(lost.iter().all(|it| causes.iter().any(|cause| it["trigger"] == **cause)));
        let lost = numbers(&lost);
        assert!(lost.is_sorted_by(|one, next| one < next), "each once, in order");
        let acks = events(&logs[0], name("quic:packet_received", "transport:packet_received"));
        let mut largest = 0;
        for ack in &acks {
            let frame = &ack["frames"][0];
            assert!(frame["frame_type"] == "ack" && frame["ack_delay"].as_f64() <= Some(25.1));
            for range in frame["acked_ranges"].as_array().expect("ranges") {
                let range = range.as_array().expect("a range");
                let start = range[0].as_u64().expect("a number");
                let end = range[range.len() - 1].as_u64().expect("a number");
                largest = largest.max(end);
                assert!(!lost.iter().any(|it| (start..=end).contains(it)), "{ack}");
            }
        }
        assert!(largest + 100 > outcome.flows[0].packets_sent);
        let states = events(
            &logs[0],
            name("quic:congestion_state_updated", "recovery:congestion_state_updated"),
        );
        assert!(states.iter().any(|it| it["new"] == "recovery"));
    }
}
