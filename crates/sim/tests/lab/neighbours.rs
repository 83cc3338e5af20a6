//! Cells that hear each other on one channel: phases of their beacons.

use airfair_sim::random::Streams;
use airfair_sim::record::Record;
use airfair_sim::recorder::Recorder;
use airfair_sim::run::{Control, simulate};
use airfair_units::{Duration, Time};
use airfair_wlan::{Record as CellRecord, SentFrame};

use crate::common::parse;

/// Two quiet cells with beacons, `keys` in each. Flows start when the run is nearly over.
fn two_cells(keys: &str) -> String {
    let cell = |name: &str| {
        format!(
            "[bss.{name}]\nstandard = \"802.11a\"\n{keys}\n[station.s{name}]\nbss = \"{name}\"\nrate = \"54 Mb/s\"\n\
             [host.h{name}]\nlink = {{ to = \"{name}\" }}\n[flow.f{name}]\nfrom = \"s{name}\"\nto = \"h{name}\"\n\
             start = \"990 ms\"\ntransport = {{ kind = \"udp\", payload = \"1000 B\", rate = \"1 Mb/s\" }}\n"
        )
    };
    format!("duration = \"1 s\"\n{}{}", cell("a"), cell("b"))
}

/// Ends of the beacons of two cells, of which none may collide.
#[derive(Default)]
struct Beacons([Vec<Time>; 2]);

impl Recorder for Beacons {
    fn record(&mut self, now: Time, record: &Record) {
        if let Record::Cell(cell, CellRecord::Sent { frame: SentFrame::Beacon, collided, .. }) =
            record
        {
            assert!(!collided, "a beacon at {now}");
            self.0[cell.index()].push(now);
        }
    }
}

/// Times of the first beacon of each cell [ns], and checks that one follows in each interval of 102.4 ms.
fn first_beacons(keys: &str, replication: u32) -> [u64; 2] {
    let (streams, beacons) = (Streams::new(1, replication), Beacons::default());
    let run = simulate(&parse(&two_cells(keys)), streams, beacons, &Control::default());
    run.expect("nobody cancels").recorder.0.map(|ends| {
        let gaps = ends.windows(2).map(|pair| pair[1] - pair[0]);
        gaps.for_each(|gap| assert_eq!(gap, Duration::from_micros(102_400)));
        ends[0].as_nanos()
    })
}

/// Beacons of cells on one channel are due at times that differ from cell to cell and from run to run. Those of a cell
/// alone are due at multiples of 102.4 ms. Each takes 112 µs: 66 octets at 6 Mb/s.
#[test]
fn beacons_of_neighbours_have_phases_of_their_own() {
    const ALONE: u64 = 102_512_000;
    assert_eq!(first_beacons("beacon = true", 0), [ALONE; 2]);
    assert_eq!(first_beacons("beacon = { phase = \"20 ms\" }", 0), [ALONE + 20_000_000; 2]);
    let shared = [0, 1].map(|run| first_beacons("channel = 36\nbeacon = true", run));
    let all = shared.as_flattened();
    for (place, first) in all.iter().enumerate() {
        assert!((ALONE..ALONE + 102_400_000).contains(first), "{all:?}");
        assert!(all[..place].iter().all(|other| other.abs_diff(*first) > 112_000), "{all:?}");
    }
    let apart = first_beacons("channel = 36\nhears = []\nbeacon = true", 0);
    assert_eq!(apart, [ALONE; 2], "cells that do not hear each other");
}
