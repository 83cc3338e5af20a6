//! Scenario, seed and version determine every record; random streams belong to names.

use crate::common::{SATURATED, TCP, parse, run_once, uploads};
use airfair_sim::random::Streams;
use airfair_sim::record::Record;
use airfair_sim::recorder::Recorder;
use airfair_sim::run::{Control, simulate};
use airfair_units::Time;
use airfair_wlan::NodeId;

const B: &str = "standard = \"802.11b\"";

#[test]
fn the_same_seed_gives_the_same_records() {
    let scenario = parse(&uploads(B, &["11 Mb/s", "1 Mb/s", "5.5 Mb/s"], TCP, 5));
    assert_eq!(run_once(&scenario, 3), run_once(&scenario, 3));
}

#[test]
fn another_replication_gives_other_records() {
    let scenario = parse(&uploads(B, &["11 Mb/s", "1 Mb/s"], TCP, 5));
    assert_ne!(run_once(&scenario, 0).record_hash, run_once(&scenario, 1).record_hash);
}

/// Times at which frames of the station `s1` left the air.
#[derive(Default)]
struct SentBy(Vec<Time>);

impl Recorder for SentBy {
    fn record(&mut self, now: Time, record: &Record) {
        if let Record::Cell(_, airfair_wlan::Record::Sent { node: NodeId(1), .. }) = record {
            self.0.push(now);
        }
    }
}

#[test]
fn a_new_station_leaves_the_luck_of_the_others_alone() {
    // With an additional idle station and another order of names, the draws of s1 and s2 are unchanged.
    let two = uploads(B, &["11 Mb/s", "1 Mb/s"], SATURATED, 2);
    let three = two.clone() + "[station.idle]\nrate = \"2 Mb/s\"\n";
    let sent = |text: &str| {
        let control = Control::default();
        let run = simulate(&parse(text), Streams::new(1, 0), SentBy::default(), &control);
        run.expect("nobody cancels").recorder.0
    };
    assert!(sent(&two).len() > 100);
    assert_eq!(sent(&two), sent(&three));
}

#[test]
fn a_cancelled_run_has_no_outcome() {
    let scenario = parse(&uploads(B, &["11 Mb/s"], TCP, 5));
    let control = Control::default();
    control.cancel.store(true, std::sync::atomic::Ordering::Relaxed);
    assert!(airfair_sim::run::run(&scenario, 1, 0, &control).is_err());
}

/// Recorder that cancels the run at the first record, and counts the records after that.
struct CancelsAtOnce<'a> {
    control: &'a Control,
    later: &'a std::cell::Cell<u64>,
}

impl Recorder for CancelsAtOnce<'_> {
    fn record(&mut self, _: Time, _: &Record) {
        self.control.cancel.store(true, std::sync::atomic::Ordering::Relaxed);
        self.later.set(self.later.get() + 1);
    }
}

#[test]
fn a_run_is_cancelled_after_some_events_however_little_time_they_take() {
    // 100 octets at 10 Gb/s last 80 ns: 1.25 million packets in a tenth of a second.
    let scenario = parse(
        r#"
        duration = "100 ms"
        series = "off"
        [router.middle]
        [host.here]
        link = { rate = "10 Gb/s", to = "middle" }
        [host.there]
        link = { rate = "10 Gb/s", to = "middle" }
        [flow.f]
        from = "here"
        to = "there"
        transport = { kind = "udp", payload = "72 B", rate = "saturated" }
        "#,
    );
    let (control, later) = (Control::default(), std::cell::Cell::new(0));
    let recorder = CancelsAtOnce { control: &control, later: &later };
    assert!(simulate(&scenario, Streams::new(1, 0), recorder, &control).is_err());
    assert!(0 < later.get() && later.get() < 50_000, "{} records", later.get());
}
