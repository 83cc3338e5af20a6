//! Metrics of a running agent, which replays a recording in a dry run.
#![cfg(target_os = "linux")]
#![expect(clippy::unwrap_used, reason = "a test")]

use std::fmt::Write as _;
use std::fs;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::PathBuf;
use std::process::{Child, Command, Output, Stdio};
use std::thread;
use std::time::Duration;

const AGENT: &str = env!("CARGO_BIN_EXE_airfair-agent");

/// Directory of a test, with a recording of `samples` samples of 20 ms. The station sends 10
/// packets of 1000 octets per sample, which take 5 ms of airtime, a quarter of the time.
fn directory(name: &str, samples: u64) -> PathBuf {
    let path = std::env::temp_dir().join(format!("airfair-{name}-{}", std::process::id()));
    fs::create_dir_all(&path).unwrap();
    let mut text = String::from(
        r#"{"document": "agent-recording", "schema": 1, "configuration": {"poll": "20 ms"}}"#,
    );
    for i in 1..=samples {
        let (at, packets) = (i * 20_000_000, 10 * i);
        let (octets, air) = (packets * 1_000, i * 5_000_000);
        let _ = write!(
            text,
            "\n{{\"sample\": {{\"at_ns\": {at}, \"links\": [{{\"name\": \"wlan0 02:00:00:00:01:00\", \"up\": \
             {{\"bytes\": {octets}, \"packets\": {packets}, \"airtime_ns\": {air}, \"rate_bps\": 54000000}}, \
             \"down\": {{\"bytes\": 0, \"packets\": 0}}}}]}}}}"
        );
    }
    fs::write(path.join("recording"), text + "\n").unwrap();
    path
}

fn agent(directory: &PathBuf, words: &[&str]) -> Command {
    let mut command = Command::new(AGENT);
    command.env("RUNTIME_DIRECTORY", directory).args(words);
    command
}

/// Agent that runs until it is dropped.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn run(directory: &PathBuf, metrics: &str) -> Running {
    let recording = directory.join("recording");
    let recording = recording.to_str().unwrap();
    let words = ["run", "--dry-run", "--config", "agent.toml", "--from", recording];
    let mut command = agent(directory, &words);
    // The replay takes its poll from the configuration.
    fs::write(directory.join("agent.toml"), "poll = \"20 ms\"\n").unwrap();
    command.current_dir(directory).args(["--metrics", metrics]).stderr(Stdio::null());
    Running(command.spawn().unwrap())
}

fn free_port() -> u16 {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}

fn scrape(port: u16) -> Option<String> {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).ok()?;
    stream.set_read_timeout(Some(Duration::from_secs(5))).unwrap();
    stream.write_all(b"GET /metrics HTTP/1.0\r\n\r\n").ok()?;
    let mut text = String::new();
    stream.read_to_string(&mut text).ok()?;
    Some(text)
}

/// First scrape that succeeds and has seen `samples` samples.
fn scraped(port: u16, samples: f64) -> String {
    for _ in 0..200 {
        if let Some(text) = scrape(port).filter(|it| value(it, "airfair_samples_total") >= samples)
        {
            return text;
        }
        thread::sleep(Duration::from_millis(50));
    }
    panic!("the agent serves no metrics");
}

fn value(text: &str, series: &str) -> f64 {
    let line = text.lines().find_map(|line| line.strip_prefix(series)?.strip_prefix(' '));
    line.and_then(|it| it.parse().ok()).unwrap_or(-1.0)
}

/// After n samples there were n − 1 intervals of 5 ms of airtime and 10 000 octets.
#[test]
fn a_running_agent_serves_its_metrics() {
    let (directory, port) = (directory("metrics", 1_000), free_port());
    let running = run(&directory, &format!("127.0.0.1:{port}"));
    let text = scraped(port, 20.0);
    assert!(text.starts_with("HTTP/1.0 200 OK\r\n"), "{text}");
    let intervals = value(&text, "airfair_samples_total") - 1.0;
    let way = r#"{station="wlan0 02:00:00:00:01:00",direction="up"}"#;
    let air = value(&text, &format!("airfair_station_airtime_seconds_total{way}"));
    assert!((air - intervals * 0.005).abs() < 1e-9, "{air} s in {intervals} intervals");
    let octets = value(&text, &format!("airfair_station_goodput_bytes_total{way}"));
    assert!((octets - intervals * 10_000.0).abs() < 0.5, "{octets}");
    assert!(value(&text, "process_cpu_seconds_total") > 0.0, "{text}");
    assert!(value(&text, "process_resident_memory_bytes") > 100_000.0, "{text}");
    let status = agent(&directory, &["status", "--prometheus"]).output().unwrap();
    let status = String::from_utf8(status.stdout).unwrap();
    assert!(value(&status, "airfair_samples_total") > intervals, "{status}");
    let names = |text: &str| -> Vec<String> {
        text.lines().filter(|it| it.starts_with("# TYPE")).map(str::to_owned).collect()
    };
    assert_eq!(names(&status), names(&text));
    drop(running);
    fs::remove_dir_all(directory).unwrap();
}

/// While 40 clients send nothing, half requests and endless requests, the agent takes its samples
/// in time: in two seconds 100, of which a busy machine may miss some.
#[test]
fn clients_do_not_delay_samples() {
    let (directory, port) = (directory("metrics-crowd", 2_000), free_port());
    let running = run(&directory, &format!("127.0.0.1:{port}"));
    let before = value(&scraped(port, 1.0), "airfair_samples_total");
    let attack = thread::spawn(move || {
        let mut crowd = Vec::new();
        let endless = vec![b'x'; 30_000];
        for i in 0..400 {
            if let Ok(mut stream) = TcpStream::connect(("127.0.0.1", port)) {
                let octets: &[u8] = [&b""[..], b"GET /met", &endless][i % 3];
                stream.set_write_timeout(Some(Duration::from_millis(100))).unwrap();
                let _ = stream.write_all(octets);
                crowd.push(stream);
            }
            if crowd.len() > 40 {
                crowd.remove(0);
            }
            thread::sleep(Duration::from_millis(5));
        }
    });
    attack.join().unwrap();
    let text = scrape(port).expect("the last client is served");
    let taken = value(&text, "airfair_samples_total") - before;
    assert!(taken >= 50.0, "{taken} samples");
    drop(running);
    fs::remove_dir_all(directory).unwrap();
}

#[test]
fn other_addresses_and_taken_ports_are_refused() {
    let directory = directory("metrics-refused", 100);
    let ended = |metrics: &str| -> Output {
        let recording = directory.join("recording");
        let recording = recording.to_str().unwrap();
        let words = ["run", "--dry-run", "--from", recording, "--metrics", metrics];
        agent(&directory, &words).output().unwrap()
    };
    let output = ended("192.0.2.1:9811");
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(said.contains("metrics: \"192.0.2.1:9811\": other machines could read"), "{said}");
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let output = ended(&taken.local_addr().unwrap().to_string());
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.contains("Address already in use"), "{said}");
    fs::remove_dir_all(directory).unwrap();
}
