//! Packets that a program injects into a world and receives from it.

use std::collections::BTreeMap;

use airfair_sim::clock::FreeRunning;
use airfair_sim::coupling::{Action, CustomAgent, LocalEnd, Seen, View};
use airfair_sim::metrics::Metrics;
use airfair_sim::not_allowed::NotAllowed;
use airfair_sim::packet::{Ecn, External, ExternalTcp, FlowId, Handle, Side};
use airfair_sim::random::Streams;
use airfair_sim::scenario::{
    Bss, Driver, Endpoint, ErrorModel, Flow, Limit, Loss, Node, Overflow, Queue, Scenario,
    Transport,
};
use airfair_sim::world::{
    Output, Outside, OutsideTcp, Pause, Refused, ReleaseReason, Released, WindowLimit, World,
};
use airfair_transport::tcp;
use airfair_units::{Bytes, DataRate, Duration, Probability, Time};
use airfair_wlan::phy::Standard;
use proptest::prelude::*;

const END: Duration = Duration::from_millis(400);

const fn ms(ms: u64) -> Time {
    Time::from_nanos(ms * 1_000_000)
}

/// Scenario of a cell in which two frames of ten are errored, with a lossy wired link. Queues are short, and may drop
/// packets of the longest flow. The cell has an external flow from the station to the host, one to another station,
/// and TCP beside them.
fn scenario(packets: u32, overflow: Overflow) -> Scenario {
    let mut scenario = Scenario::lasting(END);
    let home = scenario.add_cell(Bss::new("home", Standard::B));
    let mut queue = Queue::new(packets, Limit::Shared, airfair_wlan::Discipline::Fifo);
    queue.config.overflow = overflow;
    scenario.cells[home].ap.queue = queue;
    let [one, two] = ["one", "two"].map(|name| scenario.add_station(name, home));
    for station in [one, two] {
        scenario.stations[station].queue = queue;
        scenario.stations[station].errors = ErrorModel::Bernoulli(Probability::literal(0.2));
    }
    let server = scenario.add_host("server", Node::Cell(home));
    scenario.links[server].queue.capacity = airfair_sim::scenario::Capacity::Packets(packets);
    scenario.links[server].rate = airfair_units::DataRate::from_mbps(2);
    scenario.links[server].loss = [Loss::Bernoulli(Probability::literal(0.1)); 2];
    let (one, two, server) =
        (Endpoint::Station(one), Endpoint::Station(two), Endpoint::Host(server));
    let external = |name, to| Flow { transport: Transport::External, ..Flow::new(name, one, to) };
    scenario.add_flow(external("wired", server));
    scenario.add_flow(external("beside", two));
    scenario.add_flow(Flow::new("tcp", one, server));
    scenario.checked().unwrap_or_else(|errors| panic!("{errors:?}"))
}

/// Next step of the test program: the time that it lets pass [µs], the flow and the end from which it injects a packet,
/// and the packet's size.
type Step = (u64, u16, Side, u64);

fn any_step() -> impl Strategy<Value = Step> {
    let side = prop_oneof![Just(Side::Sender), Just(Side::Receiver)];
    (0..4_000u64, 0..2u16, side, 1..2_400u64)
}

/// Test program that owns the world. It notes why the world releases each packet, by the packet's handle, and which
/// ends of flows wait for room in the sending host's queue.
#[derive(Default)]
struct Owner {
    reasons: BTreeMap<Handle, ReleaseReason>,
    refused: u64,
    waiting: Vec<(FlowId, Side)>,
}

impl Owner {
    fn take(&mut self, output: Output) {
        match output {
            Output::Released(Released { handle, reason, .. }) => {
                assert_eq!(
                    self.reasons.insert(handle, reason),
                    None,
                    "{handle:?} comes back twice"
                );
            }
            Output::Room(flow, side) => {
                let place = self.waiting.iter().position(|it| *it == (flow, side));
                self.waiting.swap_remove(place.expect("room for somebody who waits"));
            }
            Output::RateLimit(..) => unreachable!("nobody controls these flows"),
        }
    }

    fn advance<R: airfair_sim::recorder::Recorder>(
        &mut self,
        world: &mut World<R, FreeRunning>,
        until: Time,
    ) {
        while world.advance(until) == Pause::Output {
            while let Some(output) = world.poll_output() {
                self.take(output);
            }
        }
        assert_eq!(world.now(), until);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn each_handle_comes_back_exactly_once(
        packets in 1u32..6,
        overflow in prop_oneof![Just(Overflow::Tail), Just(Overflow::LongestFlow)],
        steps in prop::collection::vec(any_step(), 1..150),
        replication in 0u32..100,
    ) {
        let scenario = scenario(packets, overflow);
        let metrics = Metrics::new(&scenario);
        let mut world = World::new(&scenario, Streams::new(1, replication), metrics, FreeRunning);
        let mut owner = Owner::default();
        for (number, (wait, flow, side, size)) in (0..).zip(&steps) {
            let at = (world.now() + Duration::from_micros(*wait)).min(Time::ZERO + END);
            owner.advance(&mut world, at);
            let (flow, handle) = (FlowId(*flow), Handle(number));
            match world.inject(at, flow, *side, External::new(Bytes::new(*size), handle)) {
                Ok(()) => continue,
                Err(Refused::Size) => prop_assert!(*size > 2_304 - 8),
                Err(Refused::Full) => {
                    owner.refused += u64::from(*side == Side::Sender);
                    if !owner.waiting.contains(&(flow, *side)) {
                        owner.waiting.push((flow, *side));
                    }
                }
            }
            prop_assert_eq!(owner.reasons.insert(handle, ReleaseReason::Lost), None);
        }
        owner.advance(&mut world, Time::ZERO + END);
        let finished = world.finish();
        finished.outputs.iter().for_each(|output| owner.take(*output));
        prop_assert_eq!(owner.reasons.len(), steps.len());
        let outcome = finished.recorder.finish(&scenario);
        for (flow, in_flight) in outcome.flows.iter().zip(finished.in_flight) {
            let ended = flow.packets_received + flow.packets_dropped + in_flight;
            prop_assert_eq!(flow.packets_sent, ended);
        }
        let refused: u64 = outcome.flows[..2].iter().map(|flow| flow.packets_refused).sum();
        prop_assert_eq!(refused, owner.refused);
    }
}

/// A world of two wired hosts at a router. The sender's link has 8 Mb/s and room for one packet; a packet of 1000
/// octets leaves after 1 ms.
fn wires() -> (World<(), FreeRunning>, FlowId) {
    let mut scenario = Scenario::lasting(Duration::from_secs(1));
    let router = Node::Router(scenario.add_router("r"));
    let [a, b] = ["a", "b"].map(|name| scenario.add_host(name, router));
    scenario.links[a].rate = airfair_units::DataRate::from_mbps(8);
    scenario.links[a].queue.capacity = airfair_sim::scenario::Capacity::Packets(1);
    let (from, to) = (Endpoint::Host(a), Endpoint::Host(b));
    let external = Flow { transport: Transport::External, ..Flow::new("f", from, to) };
    let flow = scenario.add_flow(external);
    let scenario = scenario.checked().unwrap_or_else(|errors| panic!("{errors:?}"));
    (World::new(&scenario, Streams::new(1, 0), (), FreeRunning), flow)
}

fn packet(handle: u64) -> External {
    External::new(Bytes::new(1_000), Handle(handle))
}

#[test]
fn room_is_told_once_when_the_packet_in_the_way_has_left() {
    let (mut world, flow) = wires();
    assert_eq!(world.inject(Time::ZERO, flow, Side::Sender, packet(1)), Ok(()));
    for handle in [2, 3] {
        let refused = world.inject(Time::ZERO, flow, Side::Sender, packet(handle));
        assert_eq!(refused, Err(Refused::Full));
    }
    assert_eq!((world.advance(ms(900)), world.now()), (Pause::Output, ms(1)));
    assert_eq!(world.poll_output(), Some(Output::Room(flow, Side::Sender)));
    assert_eq!(world.poll_output(), None);
    assert_eq!(world.inject(ms(1), flow, Side::Sender, packet(2)), Ok(()));
    let came = |handle| {
        let (origin, reason, handle) = (Side::Sender, ReleaseReason::Delivered, Handle(handle));
        Some(Output::Released(Released {
            flow,
            origin,
            handle,
            reason,
            window: None,
            ecn: Ecn::NOT_ECT,
        }))
    };
    // The second link, of 100 Mb/s, adds 80 µs.
    assert_eq!((world.advance(ms(900)), world.now().as_nanos()), (Pause::Output, 1_080_000));
    assert_eq!(world.poll_output(), came(1));
    assert_eq!((world.advance(ms(900)), world.now().as_nanos()), (Pause::Output, 2_080_000));
    assert_eq!(world.poll_output(), came(2));
    assert_eq!(world.advance(ms(900)), Pause::Reached);
}

#[test]
fn a_packet_that_the_world_ends_upon_is_still_inside() {
    let (mut world, flow) = wires();
    assert_eq!(world.inject(ms(0), flow, Side::Sender, packet(1)), Ok(()));
    assert_eq!(world.inject(ms(0), flow, Side::Receiver, packet(2)), Ok(()));
    assert_eq!(world.advance(Time::from_nanos(10_000)), Pause::Reached);
    let outputs = world.finish().outputs;
    let inside = |handle, origin| {
        let (handle, reason) = (Handle(handle), ReleaseReason::RunEnded);
        Output::Released(Released { flow, origin, handle, reason, window: None, ecn: Ecn::NOT_ECT })
    };
    assert_eq!(outputs, [inside(1, Side::Sender), inside(2, Side::Receiver)]);
}

/// Wire that marks packets which find more than one packet in the queue: those of programs, too, if they are ECN-capable.
/// The owner gets the mark with the handle, and the flow's packets with marks are counted.
///
/// Verifies: [RFC3168 §5]
#[test]
fn a_queue_marks_the_packets_of_programs() {
    let text = "duration = \"1 s\"\nwarmup = \"0 s\"\n[router.r]\n[host.a]\nlink = { to = \"r\", rate = \"8 Mb/s\", \
                queue = { packets = 9, mark_above = 1 } }\n[host.b]\nlink = { to = \"r\" }\n[flow.f]\nfrom = \"a\"\n\
                to = \"b\"\ntransport = { kind = \"tcp\", stack = \"kernel\", ecn = true }\n";
    let mut no_file = |_: &str| Err("no file".to_owned());
    let scenario = Scenario::load(text.as_bytes(), &[], &mut no_file, Driver::Emulation)
        .unwrap_or_else(|errors| panic!("{errors:?}"));
    let metrics = Metrics::new(&scenario);
    let mut world = World::new(&scenario, Streams::new(1, 0), metrics, FreeRunning);
    let sent = [Ecn::ECT_0, Ecn::ECT_0, Ecn::ECT_0, Ecn::NOT_ECT, Ecn::ECT_1];
    for (number, ecn) in (0..).zip(sent) {
        let packet = External { ecn, ..packet(number) };
        assert_eq!(world.inject(ms(0), FlowId(0), Side::Sender, packet), Ok(()));
    }
    let mut seen = Vec::new();
    while world.advance(ms(999)) == Pause::Output {
        while let Some(output) = world.poll_output() {
            let Output::Released(Released { handle, ecn, .. }) = output else { continue };
            seen.push((handle.0, ecn));
        }
    }
    let expected = [Ecn::ECT_0, Ecn::ECT_0, Ecn::CE, Ecn::NOT_ECT, Ecn::CE];
    assert_eq!(seen, (0..).zip(expected).collect::<Vec<_>>());
    let outcome = world.finish().recorder.finish(&scenario);
    let marks = outcome.marks[0];
    assert_eq!((marks.flow, marks.received, marks.packets, marks.answered), (0, 5, 2, 0));
}

#[test]
fn what_is_no_packet_is_refused() {
    let (mut world, flow) = wires();
    for size in [0, 65_536] {
        let packet = External::new(Bytes::new(size), Handle(1));
        assert_eq!(world.inject(ms(0), flow, Side::Sender, packet), Err(Refused::Size));
    }
    assert_eq!(world.next_event(), Some(Time::ZERO), "the start of the flow, and nothing else");
}

#[test]
#[should_panic(expected = "happens first")]
fn a_packet_cannot_come_before_what_happened_earlier() {
    let (mut world, flow) = wires();
    let _ = world.inject(ms(1), flow, Side::Sender, packet(1));
}

/// World of a cell whose station's rate falls from 11 to 1 Mb/s at 20 ms, with a flow over kernel sockets.
fn falling(way: &str, kind: &str) -> (World<(), FreeRunning>, FlowId) {
    let text = format!(
        "duration = \"1 s\"\n[bss.home]\nstandard = \"802.11b\"\n[station.s]\n\
         rate = [[\"0 s\", \"11 Mb/s\"], [\"20 ms\", \"1 Mb/s\"]]\n[host.h]\n[flow.f]\n{way}\n\
         transport = {{ kind = \"{kind}\", stack = \"kernel\" }}\n"
    );
    let mut no_file = |_: &str| Err("no file".to_owned());
    let scenario = Scenario::load(text.as_bytes(), &[], &mut no_file, Driver::Emulation)
        .unwrap_or_else(|errors| panic!("{errors:?}"));
    (World::new(&scenario, Streams::new(1, 0), (), FreeRunning), FlowId(0))
}

/// Window that an ACK advertises when it is injected at one end now, if a scheme has lowered the window.
fn window_of_ack(world: &mut World<(), FreeRunning>, flow: FlowId, side: Side) -> Option<Bytes> {
    let tcp = ExternalTcp { ack: 1, flags: tcp::Flags::ACK, ..ExternalTcp::default() };
    let ack = External { tcp: Some(tcp), ..External::new(Bytes::new(52), Handle(1)) };
    world.inject(world.now(), flow, side, ack).expect("an empty queue");
    while world.advance(ms(999)) == Pause::Output {
        while let Some(output) = world.poll_output() {
            if let Output::Released(Released { window, reason: ReleaseReason::Delivered, .. }) =
                output
            {
                return window;
            }
        }
    }
    panic!("it has not come")
}

/// Agent of a station that asks for limits at the start, before the kernel's connection is open.
#[derive(Clone, Debug)]
struct Early(Vec<(Action, Result<(), NotAllowed>)>);

impl CustomAgent for Early {
    fn handle(&mut self, now: Time, seen: &Seen<'_>, view: &View<'_>, actions: &mut Vec<Action>) {
        if !matches!(seen, Seen::Start) {
            return;
        }
        for (action, expected) in &self.0 {
            assert_eq!(view.check(now, seen, action), *expected, "{action:?}");
            actions.extend(expected.is_ok().then_some(*action));
        }
    }

    fn copy(&self) -> Box<dyn CustomAgent> {
        Box::new(self.clone())
    }
}

/// An agent limits the kernel's TCP before its connection is open. The limit of 3 segments of 1448 octets takes effect
/// once the segment is known. The kernel's cwnd cannot be set, and a receiver's window is limited in octets alone.
#[test]
fn limits_of_the_kernels_transports_wait_for_their_connection() {
    let segments = WindowLimit::Segments(3);
    let octets = WindowLimit::Octets(Bytes::new(9_000));
    for (ways, side) in
        [("from = \"s\"\nto = \"h\"", Side::Sender), ("from = \"h\"\nto = \"s\"", Side::Receiver)]
    {
        let (mut world, flow) = falling(ways, "tcp");
        let end = LocalEnd { flow, side };
        let is_sender = side == Side::Sender;
        let of_sender = |refused| if is_sender { Ok(()) } else { Err(refused) };
        let cwnd = if is_sender { NotAllowed::KernelsCwnd } else { NotAllowed::NoWindow };
        let asked = vec![
            (Action::LimitWindow(end, octets), Ok(())),
            (Action::LimitWindow(end, segments), of_sender(NotAllowed::NoWindow)),
            (Action::SetCwnd(end, 4), Err(cwnd)),
            (Action::LimitRate(end, DataRate::from_mbps(1)), Err(NotAllowed::NoRate)),
            (Action::EstimateRoundTrip(end), Ok(())),
        ];
        world.add_agent(world.station(0), Box::new(Early(asked)));
        assert_eq!(window_of_ack(&mut world, flow, Side::Receiver), None, "not open");
        let outside = OutsideTcp { cwnd: 130, segment: Bytes::new(1_448), ..OutsideTcp::default() };
        world.update(flow, side, Outside::Tcp(outside));
        let limit = Bytes::new(if is_sender { 3 * 1_448 } else { 9_000 });
        assert_eq!(window_of_ack(&mut world, flow, Side::Receiver), Some(limit));
    }
    let (mut world, flow) = falling("from = \"s\"\nto = \"h\"", "tfrc");
    let end = LocalEnd { flow, side: Side::Sender };
    let (rate, cwnd) = (DataRate::from_mbps(1), Err(NotAllowed::NoWindow));
    let asked = vec![(Action::SetCwnd(end, 4), cwnd), (Action::LimitRate(end, rate), Ok(()))];
    world.add_agent(world.station(0), Box::new(Early(asked)));
    assert_eq!(world.poll_output(), Some(Output::RateLimit(flow, Side::Sender, Some(rate))));
}

/// The program that owns the simulated world gets one output when a station's rate falls from 11 to 1 Mb/s at 20 ms:
/// the scheme limits the sender's end of a TFRC flow over kernel sockets to a tenth of the new rate.
#[test]
fn a_scheme_tells_of_the_limit_of_a_tfrc_outside() {
    let ways = "from = \"s\"\nto = \"h\"\ncontrol = { scheme = \"rate-cap\", share = 0.1 }";
    let (mut world, flow) = falling(ways, "tfrc");
    world.update(flow, Side::Sender, Outside::Tfrc { round_trip: None });
    assert_eq!(world.advance(ms(30)), Pause::Output);
    assert_eq!(world.now(), ms(20));
    let limit = Some(DataRate::from_bps(100_000));
    assert_eq!(world.poll_output(), Some(Output::RateLimit(flow, Side::Sender, limit)));
    assert_eq!(world.advance(ms(30)), Pause::Reached);
}

/// When the station's rate falls from 11 to 1 Mb/s, the scheme limits a window of 130 segments to 11 segments. It
/// lowers the window in packets of the receiver, and not in those of the sender.
///
/// Verifies: [arf-aware-tcp §3]
#[test]
fn a_scheme_limits_a_tcp_outside_by_the_acks_that_come_to_it() {
    let ways = "from = \"s\"\nto = \"h\"\ncontrol = \"arf-aware\"";
    let (mut world, flow) = falling(ways, "tcp");
    let segment = Bytes::new(1_448);
    let outside = OutsideTcp { cwnd: 130, segment, ..OutsideTcp::default() };
    world.update(flow, Side::Sender, Outside::Tcp(outside));
    assert_eq!(world.advance(ms(10)), Pause::Reached);
    assert_eq!(window_of_ack(&mut world, flow, Side::Receiver), None);
    assert_eq!(world.advance(ms(30)), Pause::Reached);
    assert_eq!(window_of_ack(&mut world, flow, Side::Receiver), Some(segment * 11));
    assert_eq!(window_of_ack(&mut world, flow, Side::Sender), None);
}
