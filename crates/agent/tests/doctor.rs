//! The doctor with a recording in place of a driver, and its captures.
#![cfg(target_os = "linux")]
#![expect(clippy::unwrap_used, reason = "a test")]

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;

/// Runs the agent in a directory, and expects an exit status.
fn agent(directory: &Path, words: &[&str], status: i32) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_airfair-agent"));
    let output = command.env("RUNTIME_DIRECTORY", directory).current_dir(directory).args(words);
    let output = output.output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(status), "{words:?}: {said}");
    output
}

/// Directory with a recording of 20 s, in which the station of a real address becomes slow.
fn directory(name: &str) -> PathBuf {
    let path = std::env::temp_dir().join(format!("airfair-{name}-{}", std::process::id()));
    fs::create_dir_all(&path).unwrap();
    fs::write(path.join("agent.toml"), "scheme = \"arf-aware\"\n").unwrap();
    let mut text = String::from(
        r#"{"document": "agent-recording", "schema": 1, "configuration": {"interface": "wlan0"}}"#,
    );
    for i in 1..=200_u64 {
        let (at, rate) = (i * 100_000_000, if i < 50 { 11_000_000 } else { 1_000_000 });
        let way = format!(r#"{{"bytes": {i}, "packets": {i}, "rate_bps": {rate}}}"#);
        let link = format!(r#"{{"name": "wlan0 02:12:34:56:78:9a", "up": {way}, "down": {way}}}"#);
        let _ = write!(text, "\n{{\"sample\": {{\"at_ns\": {at}, \"links\": [{link}]}}}}");
    }
    fs::write(path.join("recording"), text + "\n").unwrap();
    path
}

const FROM: [&str; 5] = ["doctor", "--config", "agent.toml", "--from", "recording"];

#[test]
fn a_recording_stands_for_a_driver() {
    let directory = directory("doctor");
    let output = agent(&directory, &[&FROM[..], &["--json"]].concat(), 0);
    let document: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(document["document"], "agent-doctor");
    let findings = document["findings"].as_array().unwrap();
    let answer =
        |subject: &str| &findings.iter().find(|it| it["subject"] == subject).unwrap()["answer"];
    assert_eq!(answer("rates"), "yes");
    assert_eq!(answer("airtime"), "no");
    assert_eq!(answer("survey"), "no");
    assert_eq!(document["interface"]["role"], "station");
    let table = agent(&directory, &FROM, 0).stdout;
    let table = String::from_utf8(table).unwrap();
    assert!(table.lines().all(|it| it.chars().count() <= 80), "{table}");
    assert!(table.contains("\ndata-ack         access point  no "), "{table}");
    fs::remove_dir_all(directory).unwrap();
}

/// A capture of 10 s has 101 of the samples, one at either end, and other addresses. Its decision is
/// that of the rate's fall after 5 s, in the third of the last five samples.
#[test]
fn a_capture_is_anonymous_and_can_be_replayed() {
    let directory = directory("doctor-capture");
    let words = [&FROM[..], &["--capture", "10", "--out", "report"]].concat();
    agent(&directory, &words, 0);
    let text = fs::read_to_string(directory.join("report")).unwrap();
    assert!(text.contains("wlan0 00:00:5e:00:53:00") && !text.contains("12:34"), "{text}");
    let replayed = agent(&directory, &["replay", "report", "--json"], 0);
    let document: Value = serde_json::from_slice(&replayed.stdout).unwrap();
    assert_eq!(document["samples"], 101);
    assert_eq!(document["decisions"][0][0], 5_200_000_000_u64);
    assert_eq!(document["differences"], Value::Array(Vec::new()));
    fs::remove_dir_all(directory).unwrap();
}

#[test]
fn wrong_input_and_failures_have_their_status() {
    let directory = directory("doctor-wrong");
    agent(&directory, &["doctor", "--capture", "10"], 2);
    agent(&directory, &["doctor", "--config", "agent.toml", "--interface", "no-such-one"], 2);
    agent(&directory, &["doctor", "--from", "nothing"], 1);
    let words = [&FROM[..], &["--capture", "10", "--out", "no/such/folder"]].concat();
    let said = String::from_utf8(agent(&directory, &words, 1).stderr).unwrap();
    assert!(said.contains("no/such/folder: No such file"), "{said}");
    fs::remove_dir_all(directory).unwrap();
}
