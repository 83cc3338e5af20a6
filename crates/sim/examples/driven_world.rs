//! A world that is built and driven from Rust. Packets of a program share the air with a saturated station, whose
//! link becomes worse half-way. Run it with `cargo run -p airfair-sim --example driven_world`.

use std::collections::BTreeMap;

use airfair_sim::clock::FreeRunning;
use airfair_sim::packet::{External, FlowId, Handle, Side};
use airfair_sim::random::Streams;
use airfair_sim::scenario::{Bss, Endpoint, Flow, Node, Scenario, Transport, UdpRate};
use airfair_sim::world::{Direction, Output, Pause, ReleaseReason, World};
use airfair_units::{Bytes, DataRate, Duration, Time};
use airfair_wlan::phy::Standard;

/// A laptop that sends to a server, and a saturated neighbour.
fn scenario() -> (Scenario, FlowId) {
    let mut scenario = Scenario::lasting(Duration::from_secs(2));
    let home = scenario.add_cell(Bss::new("home", Standard::B));
    let laptop = Endpoint::Station(scenario.add_station("laptop", home));
    let neighbour = Endpoint::Station(scenario.add_station("neighbour", home));
    let server = Endpoint::Host(scenario.add_host("server", Node::Cell(home)));
    let saturated = Transport::Udp { payload: Bytes::new(1_472), rate: UdpRate::Saturated };
    scenario.add_flow(Flow { transport: saturated, ..Flow::new("load", neighbour, server) });
    let ours = Flow { transport: Transport::External, ..Flow::new("ours", laptop, server) };
    let ours = scenario.add_flow(ours);
    (scenario.checked().expect("a scenario without mistakes"), ours)
}

pub(crate) fn main() {
    let (scenario, ours) = scenario();
    let mut world = World::new(&scenario, Streams::new(1, 0), (), FreeRunning);
    let neighbour = world.station(1);
    // Bytes of the packets that are on their way.
    let mut bytes = BTreeMap::new();
    let mut delays = Vec::new();
    for number in 0..20 {
        if number == 10 {
            let rate = DataRate::from_mbps(1);
            world.set_rate(neighbour, Direction::Up, rate).expect("a rate of 802.11b");
        }
        let sent = Time::ZERO + Duration::from_millis(100) * number;
        assert_eq!(world.advance(sent), Pause::Reached);
        bytes.insert(Handle(number), format!("hello {number}"));
        let packet = External::new(Bytes::new(64), Handle(number));
        world.inject(sent, ours, Side::Sender, packet).expect("room for one packet");
        assert_eq!(world.advance(sent + Duration::from_millis(99)), Pause::Output);
        let Some(Output::Released(released)) = world.poll_output() else { panic!("no packet") };
        assert_eq!(released.reason, ReleaseReason::Delivered);
        let text = bytes.remove(&released.handle).expect("bytes that were kept");
        println!("{sent}: {text} came after {}", world.now() - sent);
        delays.push(world.now() - sent);
    }
    let mean = |delays: &[Duration]| delays.iter().copied().sum::<Duration>() / 10;
    let (before, after) = (mean(&delays[..10]), mean(&delays[10..]));
    println!("{before} beside 11 Mb/s, {after} beside 1 Mb/s");
    assert!(after > before * 2);
}
