//! Measurements of stations compared with the true use of the channel.

use std::fmt::Write as _;

use airfair_laws::occupancy_meter::Usage;
use airfair_units::{Bytes, Duration, Time};
use airfair_wlan::{AirUse, NodeId, Record as CellRecord};

use super::*;
use crate::clock::FreeRunning;
use crate::coupling;
use crate::endpoint::{Sink, Source};
use crate::flow::Flow;
use crate::random::Streams;
use crate::record::Record;
use crate::recorder::Recorder;
use crate::scenario::Scenario;
use crate::world::World;

/// True use of the channel: time of each station's frames and the SIFS between them, and time of collisions.
#[derive(Debug, Default)]
struct Truth {
    sifs: Duration,
    /// Time of the exchanges of each station, indexed by member.
    exchanges: Vec<Duration>,
    collisions: Duration,
    /// Station to whose exchange the last frame belongs, and end of this frame.
    last: Option<(NodeId, Time)>,
}

impl Recorder for Truth {
    fn record(&mut self, _now: Time, record: &Record) {
        let &Record::Cell(_, CellRecord::Air { from, to, usage }) = record else { return };
        let station = match usage {
            AirUse::Data { station, .. } | AirUse::Control { station } => station,
            AirUse::Collision => {
                self.collisions += to - from;
                return;
            }
            AirUse::Contention
            | AirUse::Idle
            | AirUse::Beacon
            | AirUse::Neighbour { .. }
            | AirUse::Overlap => return,
        };
        let gap = self.last.map(|(_, end)| from - end).filter(|gap| *gap == self.sifs);
        self.exchanges[station.index()] += to - from + gap.unwrap_or_default();
        self.last = Some((station, to));
    }
}

const SECONDS: u64 = 4;

/// A scenario of stations with one TCP flow each, observed in one slot longer than the run. The letters of `ways` give
/// the directions of the flows, up (`u`) or down, and repeat.
fn text(standard: &str, stations: usize, ways: &str, rts: bool) -> String {
    let threshold = if rts { "\"0 B\"" } else { "\"off\"" };
    let mut text = format!(
        "duration = \"{SECONDS} s\"\n[bss.c]\nstandard = \"{standard}\"\nrts_threshold = {threshold}\n\
         [host.h]\nlink = {{ rate = \"100 Mb/s\", delay = \"2 ms\" }}\n"
    );
    for (index, way) in (0..stations).zip(ways.chars().cycle()) {
        let station = format!("s{index}");
        let (from, to) = if way == 'u' { (station.as_str(), "h") } else { ("h", station.as_str()) };
        let _ = write!(
            text,
            "[station.{station}]\n[flow.f{index}]\nfrom = \"{from}\"\nto = \"{to}\"\n\
             transport = {{ kind = \"tcp\" }}\n\
             control = {{ scheme = \"arf-window\", slot = \"1000 s\" }}\n"
        );
    }
    text
}

fn observed(text: &str) -> World<Truth, FreeRunning> {
    let scenario = Scenario::parse(text, &[]).expect("a scenario without mistakes");
    let mut world = World::new(&scenario, Streams::new(1, 0), Truth::default(), FreeRunning);
    world.recorder.sifs = world.cells[0].cell.airtime().timing.sifs;
    world.recorder.exchanges = vec![Duration::ZERO; scenario.stations.len() + 1];
    world.run_until(Time::ZERO + Duration::from_secs(SECONDS));
    world.flush();
    world
}

/// Agents that measure the use of the channel, each with the member number of its station.
fn observers(world: &World<Truth, FreeRunning>) -> impl Iterator<Item = (usize, &Agent)> {
    let members = world.cells[0].agents.iter().enumerate();
    let agents = members.flat_map(|(member, agents)| agents.iter().map(move |it| (member, it)));
    agents.filter_map(|(member, agent)| match agent {
        coupling::Agent::ArfWindow(agent) => Some((member, agent.as_ref())),
        _ => None,
    })
}

/// Relative error of the measured time of exchanges, for the pair of observer and station where it is largest, and
/// the share of the run that collisions take.
fn compare(world: &World<Truth, FreeRunning>) -> (f64, f64) {
    let mut worst = 0.0_f64;
    for (_, observer) in observers(world) {
        let slot = observer.state.current();
        assert_eq!(slot.active() as usize + 1, world.recorder.exchanges.len());
        for (station, usage) in slot.stations.iter() {
            let measured = (usage.up.exchange + usage.down.exchange).as_secs_f64();
            let truth = world.recorder.exchanges[usize::from(station)].as_secs_f64();
            let error = measured / truth - 1.0;
            if error.abs() > worst.abs() {
                worst = error;
            }
        }
    }
    let run = Duration::from_secs(SECONDS).as_secs_f64();
    (worst, world.recorder.collisions.as_secs_f64() / run)
}

/// Each station measures the time of each station's frames and SIFS with an error of at most 0.5 %, mostly from the
/// exchange under way at the end. Stations cannot measure collisions, which take 1 to 12 % of the time without
/// RTS/CTS, and 0.2 to 1.5 % with it.
///
/// Verifies: [arf-window §III-A]
#[test]
fn exchanges_are_measured_as_they_were() {
    let mut table = String::new();
    for standard in ["802.11a", "802.11b"] {
        for (stations, ways) in [(1, "u"), (1, "d"), (2, "ud"), (5, "u"), (5, "d"), (5, "ud")] {
            for rts in [false, true] {
                let (error, collisions) = compare(&observed(&text(standard, stations, ways, rts)));
                let _ = writeln!(
                    table,
                    "{standard} {stations} {ways:2} rts {rts:5}: error {:+.4} %, collisions {:.2} %",
                    100.0 * error,
                    100.0 * collisions
                );
                assert!(error.abs() < 0.005 && collisions < 0.13, "{table}");
            }
        }
    }
}

/// Measurements of a station with two flows, compared with the truth [%]. The first result is the octets that the
/// station counts for each flow, relative to the octets delivered. The second is the time that it measures for the
/// exchanges of both flows, relative to the time that it measures for all of its own exchanges.
fn counted(way: char, more: &str) -> (Vec<f64>, f64) {
    let (from, to) = if way == 'u' { ("s", "h") } else { ("h", "s") };
    let mut text = format!(
        "duration = \"{SECONDS} s\"\n[bss.c]\nstandard = \"802.11ax\"\n{more}\n\
         [host.h]\nlink = {{ rate = \"10 Gb/s\", delay = \"2 ms\" }}\n[station.s]\n"
    );
    let control = "control = { scheme = \"arf-window\", slot = \"1000 s\" }\n";
    let tcp = "transport = { kind = \"tcp\", receive_window = \"1 MB\", window_scaling = true }\n";
    for (name, control) in [("f", control), ("g", "")] {
        let _ = write!(text, "[flow.{name}]\nfrom = \"{from}\"\nto = \"{to}\"\n{tcp}{control}");
    }
    let world = observed(&text);
    let (_, observer) = observers(&world).next().expect("an observer");
    let slot = observer.state.current();
    let delivered = world.flows.iter().map(|flow| match &flow.sink {
        Sink::Tcp(receiver) => receiver.delivered().get(),
        _ => unreachable!("TCP"),
    });
    let octets = slot.flows.values().map(|flow| flow.octets.get());
    let percent = |seen: u64, truth: u64| {
        let permille = u32::try_from(1_000 * seen / truth).expect("a few times as much");
        f64::from(permille) / 10.0
    };
    let ratios = octets.zip(delivered).map(|(seen, truth)| percent(seen, truth)).collect();
    let time = |it: &Usage| (it.up.exchange + it.down.exchange).as_secs_f64();
    let of_flows: f64 = slot.flows.values().map(|flow| time(&flow.usage)).sum();
    (ratios, 100.0 * of_flows / time(&slot.stations[1]))
}

/// A station counts the packets in its aggregates that have arrived, when two flows share the aggregates, with A-MSDUs
/// or with noise that destroys one MPDU in five. The station counts the packets that it has received, and of those
/// that it has sent the ones that BlockAcks confirm. TCP's retransmissions count twice, and so do packets received
/// again after noise has destroyed a BlockAck. All of the station's exchanges belong to its flows.
#[test]
fn a_station_counts_the_packets_of_its_aggregates_that_have_come() {
    let noise = "errors = { model = \"bernoulli\", probability = 0.2 }";
    for more in [noise, "amsdu = \"3839 B\""] {
        for way in ['u', 'd'] {
            let (flows, time) = counted(way, more);
            let most = if (way, more) == ('d', noise) { 130.0 } else { 106.0 };
            assert!(flows.iter().all(|it| (99.0..most).contains(it)), "{way} {more}: {flows:?}");
            assert!((99.9..100.01).contains(&time), "{way} {more}: {time}");
        }
    }
}

/// The first station cannot decode the second one, yet measures its frames by the access point's CTS. The estimated
/// duration of the RTS is exact, because RTS and CTS have the same rate.
///
/// Verifies: [arf-window eq. 4]
#[test]
fn a_hidden_station_is_measured_by_its_cts() {
    for standard in ["802.11a", "802.11b"] {
        let text = text(standard, 2, "u", true) + "[station.s0]\nsenses_only = [\"s1\"]\n";
        let text = text.replacen("[station.s0]\n[flow", "[flow", 1);
        let (error, _) = compare(&observed(&text));
        assert!(error.abs() < 0.005, "{error}");
    }
}

/// Flows of one station with different settings have one observer each, which sees all of the station's connections.
#[test]
fn settings_that_differ_have_observers_of_their_own() {
    let other = "[flow.other]\nfrom = \"h\"\nto = \"s0\"\ntransport = { kind = \"tcp\" }\ncontrol = \"arf-window\"\n";
    let world = observed(&(text("802.11a", 2, "u", false) + other));
    let seen = observers(&world).map(|(station, observer)| {
        let connections = observer.state.connections();
        let controlled = connections.iter().filter(|it| it.is_controlled).count();
        (station, connections.len(), controlled)
    });
    assert_eq!(seen.collect::<Vec<_>>(), [(1, 2, 1), (1, 2, 1), (2, 1, 1)]);
}

/// Two agents of one station ask for different frames, and each receives at least the frames that it asked for. One
/// flow keeps to a share, so its agent asks only for the station's own frames and beacons; the agent of the other flow
/// asks for all frames, and measures both stations.
#[test]
fn a_station_hears_all_for_one_scheme_beside_another() {
    let shared = "[flow.other]\nfrom = \"s0\"\nto = \"h\"\ntransport = { kind = \"tcp\" }\ncontrol = \"occupancy\"\n";
    let text = text("802.11a", 2, "u", false) + shared;
    let world = observed(&text.replacen("rts_threshold", "ap.occupancy = true\nrts_threshold", 1));
    for (_, observer) in observers(&world) {
        let heard: Vec<u16> = observer.state.current().stations.numbers().collect();
        assert_eq!(heard, [1, 2]);
    }
}

/// Window [segments] and octets delivered [kB] in each second, of one TCP flow whose station has the given rates.
fn windows(way: char, rate: &str, control: &str) -> Vec<(u64, u64)> {
    let (from, to) = if way == 'u' { ("s", "h") } else { ("h", "s") };
    let text = format!(
        "duration = \"9 s\"\n[bss.c]\nstandard = \"802.11a\"\n\
         [host.h]\nlink = {{ rate = \"100 Mb/s\", delay = \"2 ms\" }}\n\
         [station.s]\nrate = {rate}\n[flow.f]\nfrom = \"{from}\"\nto = \"{to}\"\n\
         transport = {{ kind = \"tcp\", window_scaling = true, receive_window = \"128 KiB\", \
         timestamps = true }}\n\
         control = {control}\n"
    );
    let scenario = Scenario::parse(&text, &[]).expect("a scenario without mistakes");
    let mut world = World::new(&scenario, Streams::new(1, 0), (), FreeRunning);
    let mut before = Bytes::ZERO;
    let mut second = |second: u64| {
        world.run_until(Time::ZERO + Duration::from_secs(second));
        let Flow { source: Source::Tcp(sender), sink: Sink::Tcp(receiver), .. } = &world.flows[0]
        else {
            unreachable!("TCP")
        };
        let up = sender.usable_window();
        let window = if way == 'u' { up } else { sender.receive_window() };
        let delivered = receiver.delivered() - before;
        before = receiver.delivered();
        (window.get() / sender.segment_size().get(), delivered.get() / 1_000)
    };
    (1..=9).map(&mut second).collect()
}

/// At 54 Mb/s the flow has no limit yet. From the change to 36 Mb/s on, also after the return to 54 Mb/s, the window
/// is at the limit of the law, whatever cwnd grows to; the limit is lower at the lower rate. Where the law uses the
/// smoothed round trip, the flow loses no throughput. With the least round trip, windows are smaller, and so is the
/// throughput where no frame is errored: each packet waits while others access the channel, and the least round trip
/// does not contain this wait.
///
/// Verifies: [arf-window §III-B], [arf-window §III-C]
#[test]
fn the_window_follows_the_rate() {
    let rate = r#"[["0 s", "54 Mb/s"], ["3 s", "36 Mb/s"], ["6 s", "54 Mb/s"]]"#;
    for way in ['u', 'd'] {
        let smoothed = r#"{ scheme = "arf-window", round_trip = "smoothed" }"#;
        let [plain, limited, least] =
            [r#""none""#, smoothed, r#""arf-window""#].map(|control| windows(way, rate, control));
        assert_eq!(plain[..3], limited[..3]);
        assert_eq!(plain[..3], least[..3]);
        let [slow, fast] = [4, 7].map(|second| limited[second].0);
        assert!(20 < slow && slow < fast && fast < 75, "{way}: {limited:?}");
        assert!([4, 5].iter().all(|second| limited[*second].0 == slow), "{limited:?}");
        assert!([4, 7].iter().all(|&second| least[second].0 < limited[second].0), "{least:?}");
        for (((_, plain), (_, limited)), (_, least)) in plain.into_iter().zip(limited).zip(least) {
            assert!(limited * 20 > plain * 19, "{limited} of {plain} kB in a second");
            assert!(least * 3 > plain * 2, "{least} of {plain} kB in a second");
        }
    }
}
