//! The benchmark's bare DCF, compared with the engine.

use crate::bare_dcf;
use crate::common::{SATURATED, parse, run_once, uploads};
use airfair_sim::random::Streams;
use airfair_sim::record::Record;
use airfair_sim::recorder::Recorder;
use airfair_sim::run::{Control, simulate};
use airfair_units::Time;

#[derive(Default)]
struct Count(u64);

impl Recorder for Count {
    fn record(&mut self, _: Time, _: &Record) {
        self.0 += 1;
    }
}

/// The bare DCF draws the same back-offs and has the same times as the engine, so it sends exactly as many frames. Its
/// number of records is within 1 % of the engine's.
#[test]
fn the_bare_dcf_sends_as_many_frames_as_the_engine() {
    let rates = ["54 Mb/s"; 10];
    let scenario = parse(&uploads("standard = \"802.11a\"", &rates, SATURATED, 10));
    for replication in 0..3 {
        let streams = Streams::new(1, replication);
        let names = scenario.stations.iter().map(|station| station.name.as_str());
        let bare = bare_dcf::run(names, streams, scenario.duration);
        let engine = run_once(&scenario, replication).channels[0].frames;
        assert_eq!(bare.frames, engine);
        assert_ne!(bare.hash, 0);
        let counted = simulate(&scenario, streams, Count::default(), &Control::default());
        let records = counted.expect("nobody cancels").recorder.0;
        assert!(bare.records.abs_diff(records) * 100 <= records, "{} {records}", bare.records);
    }
}
