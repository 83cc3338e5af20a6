//! Airtime by station, as a table or as one line of JSON per interval.

use std::fmt::Write;

use airfair_units::printable::escaped;
use airfair_units::{DataRate, Duration};
use serde_json::{Value, json};

use crate::estimate::{DirectionEstimate, Estimate, LinkEstimate};

/// Traffic and airtime of links, summed up over an interval of `observe`.
#[derive(Clone, Debug, Default)]
pub struct AirtimeSummary {
    elapsed: Duration,
    links: Vec<LinkEstimate>,
}

impl AirtimeSummary {
    /// Adds the estimates between two samples. Only links in the latest estimates are kept.
    pub fn add(&mut self, seen: Estimate) {
        self.elapsed = self.elapsed.saturating_add(seen.elapsed);
        let before = std::mem::take(&mut self.links);
        self.links = seen.links;
        for link in &mut self.links {
            if let Some(it) = before.iter().find(|it| it.name == link.name) {
                link.up = sum(&it.up, &link.up);
                link.down = sum(&it.down, &link.down);
            }
        }
        // Links with the most airtime come first; equal ones are ordered by name.
        self.links.sort_by(|a, b| (air(b), &a.name).cmp(&(air(a), &b.name)));
    }

    /// Length of the interval over which the traffic and airtime of the links are summed up.
    pub fn elapsed(&self) -> Duration {
        self.elapsed
    }

    /// The summary as a JSON document; `at_s` is the time since the start of the agent [s].
    pub fn document(&self, at_s: f64) -> Value {
        let way = |it: &DirectionEstimate| {
            json!({
                "share_of_air": self.share(it.air),
                "is_measured": it.is_measured,
                "throughput_bps": self.throughput(it),
                "rate_bps": it.rate.map(DataRate::bps),
            })
        };
        let link =
            |it: &LinkEstimate| json!({"name": it.name, "up": way(&it.up), "down": way(&it.down)});
        let links: Vec<Value> = self.links.iter().map(link).collect();
        json!({"document": "agent-look", "schema": 1, "at_s": at_s, "links": links})
    }

    /// The summary as a table of at most `most` links.
    pub fn table(&self, most: usize) -> String {
        let names: Vec<String> = self.links.iter().map(|link| escaped(&link.name)).collect();
        let width = names.iter().map(|name| name.chars().count()).max().unwrap_or(0).max(7);
        let mut text = format!("{:width$}  {:>8}  {:>15}  {:>15}\n", "", "air", "up", "down");
        let _ = writeln!(
            text,
            "{:width$}  {:>8}  {:>7} {:>7}  {:>7} {:>7}",
            "station", "%", "Mb/s", "rate", "Mb/s", "rate"
        );
        for (name, link) in names.iter().zip(&self.links).take(most) {
            let is_measured = link.up.is_measured && link.down.is_measured;
            let _ = writeln!(
                text,
                "{:width$}  {:>6.1} {}  {:>7.2} {:>7}  {:>7.2} {:>7}",
                name,
                self.share(air(link)) * 100.0,
                if is_measured { " " } else { "~" },
                self.throughput(&link.up) / 1e6,
                rate(&link.up),
                self.throughput(&link.down) / 1e6,
                rate(&link.down),
            );
        }
        match self.links.len() {
            0 => text.push_str("no stations\n"),
            all if all > most => {
                let _ = writeln!(text, "and {} more", all - most);
            }
            _ => {}
        }
        text
    }

    fn share(&self, air: Duration) -> f64 {
        if self.elapsed.is_zero() { 0.0 } else { air.as_secs_f64() / self.elapsed.as_secs_f64() }
    }

    #[expect(clippy::cast_precision_loss, reason = "far below 2^53")]
    fn throughput(&self, way: &DirectionEstimate) -> f64 {
        if self.elapsed.is_zero() {
            0.0
        } else {
            way.moved.get() as f64 * 8.0 / self.elapsed.as_secs_f64()
        }
    }
}

fn sum(before: &DirectionEstimate, now: &DirectionEstimate) -> DirectionEstimate {
    let moved = before.moved.saturating_add(now.moved);
    DirectionEstimate { moved, air: before.air.saturating_add(now.air), ..*now }
}

fn air(link: &LinkEstimate) -> Duration {
    link.up.air.saturating_add(link.down.air)
}

#[expect(clippy::cast_precision_loss, reason = "far below 2^53")]
fn rate(way: &DirectionEstimate) -> String {
    way.rate.map_or("?".into(), |rate| format!("{}", rate.bps() as f64 / 1e6))
}

#[cfg(test)]
mod tests {
    use super::*;
    use airfair_units::{Bytes, Time};

    fn seen(name: &str, ms: u64) -> LinkEstimate {
        let up = DirectionEstimate {
            moved: Bytes::new(12_500),
            packets: 9,
            frames: 9,
            air: Duration::from_millis(ms),
            is_measured: true,
            rate: Some(DataRate::from_kbps(5_500)),
            highest: None,
        };
        LinkEstimate {
            name: name.into(),
            up,
            down: DirectionEstimate { is_measured: true, ..DirectionEstimate::default() },
        }
    }

    /// The shares of airtime are those of the whole interval. In twice 100 ms the slow station
    /// occupies 60 ms and the fast one 10 ms each time: 60 % and 10 %. 12.5 kB in 100 ms are
    /// 1 Mb/s.
    #[test]
    fn shares_are_of_the_time_that_was_looked_at() {
        let mut summary = AirtimeSummary::default();
        for _ in 0..2 {
            summary.add(Estimate {
                at: Time::default(),
                elapsed: Duration::from_millis(100),
                links: vec![seen("fast", 10), seen("slow", 60)],
            });
        }
        let expected = "\
              air               up             down
station         %     Mb/s    rate     Mb/s    rate
slow       60.0       1.00     5.5     0.00       ?
fast       10.0       1.00     5.5     0.00       ?
";
        let trimmed = |text: &str| text.lines().map(|it| it.trim().to_owned()).collect::<Vec<_>>();
        assert_eq!(trimmed(&summary.table(10)), trimmed(expected));
        assert!(summary.table(1).contains("and 1 more"));
        let document = summary.document(0.2);
        assert_eq!(document["links"][0]["up"]["share_of_air"], 0.6);
        assert_eq!(document["links"][0]["up"]["throughput_bps"], 1e6);
    }

    #[test]
    fn a_name_is_one_line_and_steers_no_terminal() {
        let mut summary = AirtimeSummary::default();
        let links = vec![seen("\u{1b}[2J\nslow", 10)];
        summary.add(Estimate { at: Time::default(), elapsed: Duration::from_millis(100), links });
        let table = summary.table(10);
        assert!(table.contains(r"\u{1b}[2J\nslow  "), "{table}");
        assert_eq!(table.lines().count(), 3);
    }

    #[test]
    fn a_summary_without_stations_reports_that() {
        assert!(AirtimeSummary::default().table(10).contains("no stations"));
    }
}
