//! Tests of stations that keep to granted shares of the channel, in whole cells.

use std::fmt::Write as _;

use airfair_laws::Direction;
use airfair_laws::exchange::Load;
use airfair_laws::occupancy_meter::Usage;
use airfair_units::{Bytes, DataRate, Duration, Time};
use airfair_wlan::NodeId;

use super::super::{Agent, LocalEnd, Seen, View};
use crate::clock::FreeRunning;
use crate::endpoint::Source;
use crate::flow::Flow;
use crate::metrics::Metrics;
use crate::outcome::StationOutcome;
use crate::packet::{FlowId, Side};
use crate::random::Streams;
use crate::record::CellId;
use crate::scenario::Scenario;
use crate::world::World;

const TFRC: &str = "{ kind = \"tfrc\", segment = \"1448 B\" }";
const TCP: &str = "{ kind = \"tcp\", receive_window = \"1 MB\", window_scaling = true }";

/// A cell whose stations have one flow each, up or down, to or from a host 10 ms away.
fn text(cell: &str, rates: &[&str], transport: &str, is_up: bool) -> String {
    let mut text = format!("duration = \"100 s\"\nseries = \"off\"\n[bss.c]\n{cell}\n[host.h]\n");
    text += "link = { rate = \"100 Mb/s\", delay = \"10 ms\" }\n";
    for (index, rate) in rates.iter().enumerate() {
        let station = format!("s{index}");
        let (from, to) = if is_up { (station.as_str(), "h") } else { ("h", station.as_str()) };
        let _ = write!(
            text,
            "[station.{station}]\nrate = {rate}\n[flow.f{index}]\nfrom = \"{from}\"\nto = \"{to}\"\n\
             transport = {transport}\ncontrol = \"occupancy\"\n"
        );
    }
    text
}

fn built(text: &str) -> (Scenario, World<Metrics, FreeRunning>) {
    let scenario = Scenario::parse(text, &[]).expect("a scenario without mistakes");
    let metrics = Metrics::new(&scenario);
    let world = World::new(&scenario, Streams::new(1, 0), metrics, FreeRunning);
    (scenario, world)
}

const fn ms(ms: u64) -> Time {
    Time::from_nanos(ms * 1_000_000)
}

/// Occupancy of each station as the access point measures it, relative to the records of the run, in one observation
/// slot of 20 s. Beacons are so rare that no station is limited.
fn measured(rates: &[&str], transport: &str, is_up: bool, rts: &str) -> Vec<f64> {
    let cell = format!(
        "standard = \"802.11a\"\nrts_threshold = {rts}\nbeacon = {{ interval = \"60 s\" }}\nap.occupancy = true"
    );
    let (scenario, mut world) =
        built(&text(&cell, rates, transport, is_up).replace("100 s", "20 s"));
    world.run_until(ms(20_000));
    world.flush();
    let [Agent::Granting(granting)] = world.cells[0].agents[0].as_slice() else {
        unreachable!("it grants, and does nothing else")
    };
    let (seen, access) = granting.measured();
    let seen: Vec<Usage> = seen.stations.values().copied().collect();
    let truth = world.recorder.finish(&scenario).stations;
    let held = |station: &StationOutcome| {
        let frames = station.airtime_data_up + station.airtime_data_down + station.airtime_control;
        (frames + station.contention).as_secs_f64()
    };
    let ratio = |(it, seen): (_, Usage)| seen.occupancy(access).as_secs_f64() / held(it);
    truth.iter().zip(seen).map(ratio).collect()
}

/// With flows down, the access point measures the occupancy of TFRC to within 2 %, and that of TCP as 2 to 15 % too
/// large. The access point contends with data, and stations contend now and then with replies: TFRC's feedback once
/// per round trip, and TCP's ACK for every second segment. The back-off of a reply counts in full, although it elapses
/// at the same time as the access point's.
///
/// Verifies: [occupancy-tfrc §III-A]
#[test]
fn the_access_point_measures_what_its_stations_hold() {
    for rts in ["\"off\"", "\"0 B\""] {
        let down = |transport| measured(&["\"54 Mb/s\"", "\"12 Mb/s\""], transport, false, rts);
        let (tfrc, tcp) = (down(TFRC), down(TCP));
        assert!(tfrc.iter().all(|ratio| (0.99..1.02).contains(ratio)), "{tfrc:?}");
        assert!(tcp.iter().all(|ratio| (1.02..1.15).contains(ratio)), "{tcp:?}");
    }
}

/// With flows up, the access point measures more occupancy for three stations than for one. The stations count down
/// their back-offs at the same time, and each back-off counts in full.
#[test]
fn up_the_access_point_takes_back_offs_for_one_after_the_other() {
    let one = measured(&["\"54 Mb/s\""], TCP, true, "\"off\"")[0];
    let three = measured(&["\"54 Mb/s\""; 3], TCP, true, "\"off\"")[0];
    assert!((0.9..1.1).contains(&one) && three > one, "{one} {three}");
}

/// A flow is limited by the new rate of its station's link before the next beacon. Beacons have an interval of one
/// second, so the first one after 5.1 s comes at 6 s. At 5.1 s the rate of the frames for the station falls from 54 to
/// 6 Mb/s. By 5.3 s its sender is allowed a fraction of the former rate, because the station has reported the change.
///
/// Verifies: [occupancy-tfrc §III-C]
#[test]
fn a_new_rate_is_a_new_limit_at_once() {
    let cell =
        "standard = \"802.11a\"\nbeacon = { interval = \"1 s\" }\nap.occupancy = { beacons = 1 }";
    let rate = "[[\"0 s\", \"54 Mb/s\"], [\"5100 ms\", \"6 Mb/s\"]]";
    let allowed = |way_up| {
        let (_, mut world) = built(&text(cell, &[rate], TFRC, way_up));
        [5_090, 5_300].map(|at| {
            world.run_until(ms(at));
            let Source::Tfrc(sender) = &world.flows[0].source else { unreachable!("TFRC") };
            sender.pacing_rate()
        })
    };
    for way_up in [false, true] {
        let [before, after] = allowed(way_up);
        assert!(after < before / 3.0, "{before} {after}");
    }
}

/// A station's limit ends after three missed beacons, and not before. The test reads the limit from the transport's
/// debug output, since the transport shows it nowhere else.
///
/// Verifies: [occupancy-tfrc §III-A]
#[test]
fn who_misses_too_many_beacons_is_limited_no_longer() {
    let cell = "standard = \"802.11a\"\nap.occupancy = { patience = 3 }";
    let ways = [
        (TFRC, true, "limit: inf,"),
        (TFRC, false, "rate_limit: None,"),
        (TCP, true, "limit: None,"),
        (TCP, false, "limit: 18446744073709551615,"),
    ];
    for (transport, is_up, unlimited) in ways {
        let (_, mut world) = built(&text(cell, &["\"54 Mb/s\"", "\"6 Mb/s\""], transport, is_up));
        let miss = |world: &mut World<Metrics, FreeRunning>| {
            world.tell(
                CellId::new(0),
                NodeId::station(0),
                &Seen::BeaconDue(&airfair_wlan::Elements::default()),
            );
        };
        let is_free = |world: &World<Metrics, FreeRunning>| {
            let Flow { source, sink, .. } = &world.flows[0];
            let end = if is_up { format!("{source:?}") } else { format!("{sink:?}") };
            end.contains(unlimited)
        };
        assert!(is_free(&world), "{transport} {is_up}");
        world.run_until(ms(5_000));
        // At most one beacon is on its way, and the station hears none from here on.
        for _ in 0..=3 {
            assert!(!is_free(&world), "{transport} {is_up}");
            miss(&mut world);
        }
        assert!(is_free(&world), "{transport} {is_up}");
        miss(&mut world);
        assert!(is_free(&world), "{transport} {is_up}");
    }
}

#[test]
fn a_node_knows_its_own_ends_and_no_others() {
    let cell = "standard = \"802.11a\"\nap.occupancy = true";
    for (is_up, own, other) in
        [(true, Side::Sender, Side::Receiver), (false, Side::Receiver, Side::Sender)]
    {
        let (_, world) = built(&text(cell, &["\"54 Mb/s\"", "\"6 Mb/s\""], TCP, is_up));
        let (air, flows) = (&world.cells[0].cell, world.flows.as_slice());
        let knows = |node, side| {
            let view = View { cell: CellId::new(0), node, air, flows, members: &[] };
            view.end(LocalEnd { flow: FlowId::new(0), side }).is_some()
        };
        assert!(knows(NodeId::station(0), own) && !knows(NodeId::station(0), other));
        for elsewhere in [NodeId::AP, NodeId::station(1)] {
            assert!(!knows(elsewhere, own) && !knows(elsewhere, other));
        }
    }
}

/// The law's exchange of a single packet lasts as long as the simulated one: DIFS, back-off, data, SIFS and ACK at 54
/// Mb/s. The data frame takes 20 µs + 4 · ⌈(16 + 8 · 1536 + 6) / 216⌉ = 248 µs, and the ACK at 24 Mb/s takes 28 µs.
///
/// Verifies: [occupancy-tfrc eq. 9]
#[test]
fn an_exchange_lasts_as_long_as_on_the_air() {
    let (_, world) =
        built(&text("standard = \"802.11a\"\nap.occupancy = true", &["\"54 Mb/s\""], TCP, true));
    let access = Duration::from_micros(34 + 67);
    let size = Bytes::new(1_508);
    let (air, flows) = (&world.cells[0].cell, world.flows.as_slice());
    let view = View { cell: CellId::new(0), node: NodeId::station(0), air, flows, members: &[] };
    let rate = DataRate::from_mbps(54);
    let load = Load { direction: Direction::Up, msdu: size, rate, max_packets: u32::MAX };
    let exchange = view.exchange(access, load);
    assert_eq!(exchange.time(), Duration::from_micros(101 + 248 + 16 + 28));
}

/// The exchange of an aggregate has as many packets as the flow asks for, or as fit. 802.11n at 65 Mb/s has 260 bits
/// per symbol. MPDUs of 1508 + 30 octets take 1544 octets each, and the last one 1542. Three MPDUs take 4630 octets:
/// 37 062 bits with service and tail, 143 symbols, 572 µs after a preamble of 36 µs. 5484 µs hold 1362 symbols, which
/// are 44 262 octets, enough for 28 MPDUs: 43 230 octets, 1331 symbols, 5360 µs. The BlockAck at 24 Mb/s takes 32 µs.
/// One MPDU alone has 1538 octets, 48 symbols, and an ACK of 28 µs. With A-MSDUs of two packets, 3046 octets, MPDUs
/// take 3080 octets with their delimiters, and 14 of them also hold 28 packets.
///
/// Verifies: [80211-2020 §9.7.1, §19.4.3]
#[test]
fn an_exchange_of_an_aggregate_has_as_many_packets_as_are_asked_for_or_fit() {
    let cell = |more| format!("standard = \"802.11n\"\nap.occupancy = true\n{more}");
    let of = |cell: &str, most| {
        let (_, world) = built(&text(cell, &["\"ht-mcs7\""], TCP, true));
        let (air, flows) = (&world.cells[0].cell, world.flows.as_slice());
        let view =
            View { cell: CellId::new(0), node: NodeId::station(0), air, flows, members: &[] };
        let (msdu, rate) = (Bytes::new(1_508), DataRate::from_mbps(65));
        let load = Load { direction: Direction::Up, msdu, rate, max_packets: most };
        let exchange = view.exchange(Duration::ZERO, load);
        let us = |it: Duration| it.as_nanos() / 1_000;
        (exchange.packets, us(exchange.data), us(exchange.ack))
    };
    let plain = cell("");
    assert_eq!(of(&plain, 1), (1, 36 + 48 * 4, 28));
    assert_eq!(of(&plain, 3), (3, 608, 32));
    assert_eq!(of(&plain, u32::MAX), (28, 5_360, 32));
    let joined = cell("amsdu = \"3839 B\"");
    assert_eq!(of(&joined, u32::MAX).0, 28);
}
