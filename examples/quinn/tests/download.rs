//! Downloads over a cell of 802.11ax.

use std::path::PathBuf;

use airfair_link::Scenario;
use quinn_over_airfair::{Download, Summary, download};

fn downloaded(control: &str, seed: u64, qlog: Option<PathBuf>) -> Summary {
    let scenario = Scenario::parse(include_str!("../cell.toml"), &[]).expect("a scenario");
    let settings = Download { control: control.to_owned(), octets: 2_000_000, seed, qlog };
    download(&scenario, &settings).unwrap_or_else(|error| panic!("{error}"))
}

/// The wire takes 20 ms forth and back, and a handshake at least one round trip.
#[test]
fn every_congestion_control_downloads() {
    for control in ["cubic", "new-reno", "bbr"] {
        let summary = downloaded(control, 1, None);
        assert_eq!(summary.octets, 2_000_000, "{control}");
        assert!(summary.connected_at.as_secs_f64() > 0.02, "{control}");
        assert!(summary.min_rtt.as_secs_f64() > 0.02, "{control}");
        assert!(summary.goodput_bps() > 1e6, "{control}");
    }
}

#[test]
fn the_same_seed_gives_the_same_download_and_another_one_another() {
    let [one, again] = [1, 1].map(|seed| downloaded("cubic", seed, None));
    assert_eq!(one, again);
    assert_ne!(one, downloaded("cubic", 2, None));
}

/// A qlog file is a sequence of JSON texts, each after a record separator.
#[test]
fn the_server_writes_a_qlog() {
    let path = std::env::temp_dir().join(format!("airfair-{}.sqlog", std::process::id()));
    let summary = downloaded("cubic", 1, Some(path.clone()));
    let text = std::fs::read_to_string(&path).expect("a file");
    std::fs::remove_file(&path).expect("a file");
    let count = |name: &str| text.lines().filter(|line| line.contains(name)).count() as u64;
    assert!(text.starts_with("\u{1e}{"));
    assert!(count("recovery:metrics_updated") > 10);
    assert!(count("packet_sent") * 10 > summary.sent * 9);
}

#[test]
fn another_congestion_control_is_an_error() {
    let scenario = Scenario::parse(include_str!("../cell.toml"), &[]).expect("a scenario");
    let control = "vegas".to_owned();
    let settings = Download { control, octets: 1, seed: 1, qlog: None };
    let error = download(&scenario, &settings).expect_err("no such control").to_string();
    assert_eq!(error, "congestion control \"vegas\": allowed cubic, new-reno, bbr");
}
