//! Cells that hear each other on one channel: phases of their beacons, and laws that hear frames of the other cell.

use airfair_sim::clock::FreeRunning;
use airfair_sim::coupling::{Action, CustomAgent, Seen, View};
use airfair_sim::random::Streams;
use airfair_sim::record::{Measured, Record};
use airfair_sim::recorder::Recorder;
use airfair_sim::run::{Control, simulate};
use airfair_sim::world::{Pause, World};
use airfair_units::{Duration, Time};
use airfair_wlan::{FrameKind, Listen, Record as CellRecord, SentFrame};

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

/// Agent that reports each frame of other cells that it hears, as one of `own` if it has data.
#[derive(Clone, Debug)]
struct Reporter;

impl CustomAgent for Reporter {
    fn handle(&mut self, now: Time, seen: &Seen<'_>, _: &View<'_>, actions: &mut Vec<Action>) {
        match seen {
            Seen::Start => actions.push(Action::Listen(Listen::Neighbours)),
            Seen::Frame(heard) => {
                assert!(heard.is_foreign() && heard.from().is_none() && heard.to().is_none());
                assert_eq!(heard.packets().count(), 0);
                let (none, is_data) = (Duration::ZERO, heard.kind() == FrameKind::Data);
                let mut times = [none, heard.duration()];
                times.rotate_left(usize::from(is_data));
                let ([own, others], from) = (times, now - heard.duration());
                let measured = Measured { from, to: now, own, others, early: [none; 2], active: 1 };
                actions.push(Action::Report(measured));
            }
            _ => {}
        }
    }

    fn copy(&self) -> Box<dyn CustomAgent> {
        Box::new(self.clone())
    }
}

/// Data frames and responses of the second cell that no other frame has overlapped, and those that were reported.
#[derive(Default)]
struct Frames {
    sent: [u32; 2],
    reported: [u32; 2],
}

impl Recorder for Frames {
    fn record(&mut self, _: Time, record: &Record) {
        match record {
            Record::Cell(cell, CellRecord::Sent { frame, collided: false, .. })
                if cell.index() == 1 =>
            {
                self.sent[usize::from(*frame != SentFrame::Data)] += 1;
            }
            Record::Measured(_, _, measured) => {
                self.reported[usize::from(measured.own.is_zero())] += 1;
            }
            _ => {}
        }
    }
}

/// A law at a station hears the data and the ACKs of the other cell if its own cell is on the same channel.
#[test]
fn a_law_hears_the_frames_of_a_neighbour_and_no_others() {
    let run = |keys: &str| {
        let scenario = parse(&two_cells(keys).replace("990 ms", "500 ms"));
        let streams = Streams::new(1, 0);
        let mut world = World::new(&scenario, streams, Frames::default(), FreeRunning);
        world.add_agent(world.station(0), Box::new(Reporter));
        assert_eq!(world.advance(Time::ZERO + scenario.duration), Pause::Reached);
        let Frames { sent, reported } = world.finish().recorder;
        (sent, reported)
    };
    let (sent, reported) = run("channel = 36");
    assert_eq!(sent, reported);
    // A packet of 1000 octets every 8 ms, for half a second.
    assert!(sent[0] > 55, "{sent:?}");
    assert_eq!(run("").1, [0; 2]);
}
