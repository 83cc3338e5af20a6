//! Metrics as text, in version 0.0.4 of Prometheus' exposition format.
//!
//! Names have base units, counters end in `_total`, and what every program has is named `process_…`
//! as in Prometheus' own libraries.

use std::fmt::Write;

use crate::status::Status;
use crate::totals::{DirectionTotals, StationTotals};

/// Kind of a metric.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Counter,
    Gauge,
}

/// Metrics of an agent as text.
pub fn text(status: &Status) -> String {
    let mut text = Text(String::new());
    agent(&mut text, status);
    process(&mut text, status);
    stations(&mut text, &status.totals);
    shares(&mut text, status);
    text.0
}

/// Text of metrics under construction.
struct Text(String);

impl Text {
    /// Begins a metric with its name, kind and meaning.
    fn begin(&mut self, name: &str, kind: Kind, meaning: &str) {
        let kind = if kind == Kind::Counter { "counter" } else { "gauge" };
        let _ = write!(self.0, "# HELP {name} {meaning}\n# TYPE {name} {kind}\n");
    }

    /// Appends a value with labels.
    fn value(&mut self, name: &str, labels: &[(&str, &str)], value: f64) {
        self.0.push_str(name);
        for (i, (label, of)) in labels.iter().enumerate() {
            let before = if i == 0 { '{' } else { ',' };
            let _ = write!(self.0, "{before}{label}=\"{}\"", escaped(of));
        }
        let end = if labels.is_empty() { "" } else { "}" };
        let _ = writeln!(self.0, "{end} {value}");
    }

    /// Appends a metric with one value, without labels.
    fn single(&mut self, (name, kind, meaning): (&str, Kind, &str), value: f64) {
        self.begin(name, kind, meaning);
        self.value(name, &[], value);
    }
}

/// Value of a label, in which backslashes, quotes and ends of lines are escaped.
fn escaped(value: &str) -> String {
    value.replace('\\', r"\\").replace('"', "\\\"").replace('\n', r"\n")
}

/// Number of a counter. Above 2^53 it is rounded, as Prometheus stores it.
#[expect(clippy::cast_precision_loss, reason = "Prometheus has no other numbers")]
fn number(count: u64) -> f64 {
    count as f64
}

fn agent(text: &mut Text, status: &Status) {
    use Kind::{Counter, Gauge};
    text.begin("airfair_agent_info", Gauge, "Version, interface and scheme of the agent.");
    let scheme = serde_json::to_value(status.scheme).unwrap_or_default();
    let labels = [
        ("version", &*status.version),
        ("interface", status.interface.as_deref().unwrap_or_default()),
        ("scheme", scheme.as_str().unwrap_or_default()),
        ("dry_run", if status.is_dry_run { "true" } else { "false" }),
    ];
    text.value("airfair_agent_info", &labels, 1.0);
    let sees = f64::from(u8::from(status.trouble.is_none()));
    for (metric, value) in [
        (
            ("airfair_source_up", Gauge, "1 if the agent sees the link, 0 if its source fails."),
            sees,
        ),
        (("airfair_samples_total", Counter, "Samples processed."), number(status.samples)),
        (
            ("airfair_decisions_total", Counter, "Decisions of the scheme."),
            number(status.decisions),
        ),
        (
            (
                "airfair_windows_written_total",
                Counter,
                "Limits of windows that decisions have set.",
            ),
            number(status.windows_written),
        ),
        (
            ("airfair_connections_limited", Gauge, "Connections under a limit now."),
            number(status.limited),
        ),
        (
            ("airfair_window_divisor", Gauge, "Ratio by which ARF-aware TCP divides windows."),
            f64::from(status.ratio),
        ),
    ] {
        text.single(metric, value);
    }
}

fn process(text: &mut Text, status: &Status) {
    for (metric, value) in [
        (
            ("process_cpu_seconds_total", Kind::Counter, "CPU time of the agent in seconds."),
            status.cpu_s,
        ),
        (
            (
                "process_resident_memory_bytes",
                Kind::Gauge,
                "Resident memory of the agent in bytes.",
            ),
            number(status.resident_octets),
        ),
        (
            ("airfair_agent_running_seconds", Kind::Gauge, "Time since the start of the agent."),
            status.running_s,
        ),
    ] {
        text.single(metric, value);
    }
}

/// Metric of one direction of a station: name, kind, meaning and value, if there is one.
type OfDirection = (&'static str, Kind, &'static str, fn(&DirectionTotals) -> Option<f64>);

const OF_DIRECTION: [OfDirection; 6] = [
    (
        "airfair_station_airtime_seconds_total",
        Kind::Counter,
        "Airtime of the station's frames, measured or estimated.",
        |it| Some(it.airtime_s),
    ),
    (
        "airfair_station_airtime_measured",
        Kind::Gauge,
        "1 if the driver measures the airtime, 0 if the agent estimates it.",
        |it| Some(f64::from(u8::from(it.is_measured))),
    ),
    (
        "airfair_station_goodput_bytes_total",
        Kind::Counter,
        "Bytes of the packets that were delivered.",
        |it| Some(number(it.octets)),
    ),
    ("airfair_station_packets_total", Kind::Counter, "Packets that were delivered.", |it| {
        Some(number(it.packets))
    }),
    (
        "airfair_station_retries_total",
        Kind::Counter,
        "Retransmissions, where the driver counts them.",
        |it| it.retries.map(number),
    ),
    (
        "airfair_station_rate_bits_per_second",
        Kind::Gauge,
        "Median of the latest rates of the link.",
        |it| it.rate_bps.map(number),
    ),
];

fn stations(text: &mut Text, totals: &[StationTotals]) {
    let present = totals.iter().filter(|it| it.is_present).count();
    let count = number(u64::try_from(present).unwrap_or(u64::MAX));
    text.single(("airfair_stations", Kind::Gauge, "Stations in the network, at most 256."), count);
    for (name, kind, meaning, value) in OF_DIRECTION {
        text.begin(name, kind, meaning);
        for it in totals {
            for (direction, way) in [("up", &it.up), ("down", &it.down)] {
                // A station that has left has no rate; its counters stay for a while.
                let value = value(way).filter(|_| it.is_present || kind == Kind::Counter);
                let labels = [("station", &*it.station), ("direction", direction)];
                if let Some(value) = value {
                    text.value(name, &labels, value);
                }
            }
        }
    }
}

fn shares(text: &mut Text, status: &Status) {
    let used = "Share of the airtime that the station has used, from 0 to 1.";
    text.begin("airfair_station_share_used_ratio", Kind::Gauge, used);
    for it in &status.stations {
        text.value("airfair_station_share_used_ratio", &[("station", &it.station)], it.used);
    }
    let allowed = "Share of the airtime that the station may use, from 0 to 1.";
    text.begin("airfair_station_share_allowed_ratio", Kind::Gauge, allowed);
    for it in &status.stations {
        text.value("airfair_station_share_allowed_ratio", &[("station", &it.station)], it.share);
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::shares::{EnforcedBy, Granted};

    fn status() -> Status {
        let way = DirectionTotals {
            airtime_s: 1.5,
            is_measured: true,
            octets: 3_000,
            packets: 2,
            retries: Some(1),
            rate_bps: Some(54_000_000),
        };
        let down = DirectionTotals { retries: None, ..way };
        let station = "a \"b\"\\\n".to_owned();
        let kept_by = EnforcedBy::AccessPoint;
        Status {
            version: "0.1.0".into(),
            samples: 7,
            windows_written: 3,
            cpu_s: 0.25,
            ratio: 1,
            totals: vec![StationTotals {
                station: station.clone(),
                is_present: true,
                up: way,
                down,
            }],
            stations: vec![Granted { station, used: 0.5, share: 0.25, kept_by }],
            ..Status::default()
        }
    }

    fn has(text: &str, line: &str) {
        assert!(text.lines().any(|it| it == line), "{line} is not in\n{text}");
    }

    #[test]
    fn values_have_names_units_and_labels() {
        let text = text(&status());
        let labels = |way: &str| format!(r#"{{station="a \"b\"\\\n",direction="{way}"}}"#);
        has(&text, &format!("airfair_station_airtime_seconds_total{} 1.5", labels("up")));
        has(&text, &format!("airfair_station_goodput_bytes_total{} 3000", labels("down")));
        has(&text, &format!("airfair_station_retries_total{} 1", labels("up")));
        assert!(!text.contains(&format!("retries_total{}", labels("down"))));
        has(&text, &format!("airfair_station_rate_bits_per_second{} 54000000", labels("up")));
        has(&text, "airfair_station_share_used_ratio{station=\"a \\\"b\\\"\\\\\\n\"} 0.5");
        has(&text, "airfair_samples_total 7");
        has(&text, "airfair_windows_written_total 3");
        has(&text, "process_cpu_seconds_total 0.25");
        has(&text, "airfair_source_up 1");
        has(
            &text,
            "airfair_agent_info{version=\"0.1.0\",interface=\"\",scheme=\"arf-aware\",dry_run=\"false\"} 1",
        );
    }

    /// Each line is a comment or a value of the metric that was begun last, no series comes twice,
    /// and names follow Prometheus' conventions.
    #[test]
    fn the_text_is_of_the_exposition_format() {
        let text = text(&status());
        let (mut series, mut metric) = (BTreeSet::new(), (String::new(), String::new()));
        for line in text.lines() {
            if let Some(rest) = line.strip_prefix("# TYPE ") {
                let (name, kind) = rest.split_once(' ').unwrap();
                assert_eq!(kind == "counter", name.ends_with("_total"), "{name}");
                metric = (name.to_owned(), kind.to_owned());
            } else if !line.starts_with("# HELP ") {
                let (name, value) = line.rsplit_once(' ').unwrap();
                assert_eq!(name.split('{').next(), Some(&*metric.0));
                assert!(value.parse::<f64>().is_ok(), "{line}");
                assert!(series.insert(name), "{line}");
            }
        }
        assert!(text.ends_with('\n'));
    }

    #[test]
    fn a_station_that_left_has_counters_alone() {
        let mut status = status();
        status.totals[0].is_present = false;
        let text = text(&status);
        assert!(text.contains("airfair_station_packets_total{"));
        assert!(!text.contains("airfair_station_rate_bits_per_second{"));
        has(&text, "airfair_stations 0");
    }

    /// The dashboard of the package queries metrics that exist, and is valid JSON.
    #[test]
    fn the_dashboard_queries_metrics_that_exist() {
        let source = include_str!("../../packaging/grafana.json");
        let board: serde_json::Value = serde_json::from_str(source).unwrap();
        assert_eq!(board["title"], "airfair-agent");
        let text = text(&status());
        let is_of_a_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let words = source.split(|c| !is_of_a_name(c));
        let names: BTreeSet<&str> =
            words.filter(|it| it.starts_with("airfair_") || it.starts_with("process_")).collect();
        assert!(names.len() >= 8, "{names:?}");
        for name in names {
            assert!(text.contains(&format!("# TYPE {name} ")), "{name}");
        }
    }
}
