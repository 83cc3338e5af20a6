//! Limits of flows, in scenarios where the limit can be derived by hand.

use airfair_sim::outcome::{FlowOutcome, Outcome};
use airfair_sim::record::Place;
use airfair_transport::limit::Limit;
use airfair_units::Duration;

use crate::common::{parse, run_once};

/// Outcome of a download from a server to the station of a cell.
fn cell(bss: &str, link: &str, transport: &str) -> Outcome {
    let text = format!(
        "duration = \"5 s\"\n[bss.home]\n{bss}\n[station.a]\n[host.server]\nlink = {{ {link} }}\n\
         [flow.f]\nfrom = \"server\"\nto = \"a\"\ntransport = {{ {transport} }}\n"
    );
    run_once(&parse(&text), 0)
}

/// Share of the flow's life in which its sender limited itself by `limit`.
fn share(flow: &FlowOutcome, limit: Limit) -> f64 {
    flow.limits.sender[limit as usize].as_secs_f64() / flow.limits.total().as_secs_f64()
}

/// Share of the flow's life in which packets waited in the queues that `is_such` selects.
fn waited(flow: &FlowOutcome, is_such: impl Fn(Place) -> bool) -> f64 {
    let places = flow.limits.places.iter().filter(|it| is_such(it.place));
    let waited: Duration = places.map(|it| it.waited).sum();
    waited.as_secs_f64() / flow.limits.total().as_secs_f64()
}

const AC: &str = "standard = \"802.11ac\"";
const FAST: &str = "rate = \"10 Gb/s\", delay = \"20 ms\"";

/// A receive window of 65 535 octets limits a flow with a round trip of 40 ms to 13 Mb/s, while 802.11ac carries
/// hundreds: the window is used up long before the next ACK.
#[test]
fn a_small_receive_window_limits_a_flow_over_a_long_way() {
    let small = "kind = \"tcp\", window_scaling = false";
    let outcome = cell(AC, FAST, small);
    let flow = &outcome.flows[0];
    assert!(share(flow, Limit::ReceiveWindow) > 0.9, "{:?}", flow.limits);
}

/// The air limits a download over 802.11b, which carries about 5 Mb/s of TCP. Behind a link of 100 Mb/s and 2 ms, most
/// of the 45 segments of a window always wait for the air.
#[test]
fn the_air_limits_a_flow_of_80211b() {
    let link = "rate = \"100 Mb/s\", delay = \"2 ms\"";
    let outcome = cell("standard = \"802.11b\"", link, "kind = \"tcp\"");
    let flow = &outcome.flows[0];
    let air = waited(flow, |place| matches!(place, Place::Air { member: 0, .. }));
    assert!(air > 0.9, "{:?}", flow.limits);
}

/// A wired link of 1 Mb/s in front of an 802.11b cell limits a download for more than nine tenths of its life.
#[test]
fn a_slow_wire_limits_a_flow() {
    let link = "rate = \"1 Mb/s\", delay = \"2 ms\"";
    let outcome = cell("standard = \"802.11b\"", link, "kind = \"tcp\"");
    let flow = &outcome.flows[0];
    let wire = waited(flow, |place| matches!(place, Place::Wire(_)));
    assert!(wire > 0.9, "{:?}", flow.limits);
}

/// A wired link of 100 Mb/s in front of an 802.11ac cell at 866 Mb/s limits a flow, whatever the access point's queue.
/// Some of the window's 45 segments wait at the access point whenever it contends for the medium, and all others wait
/// in front of the wired link.
#[test]
fn a_wire_that_is_slower_than_the_air_limits_a_flow_although_packets_wait_for_the_air_too() {
    for queue in ["", "ap.queue = { discipline = \"airtime\", hardware_queue = 2 }"] {
        let bss = format!("{AC}\nstreams = 2\nguard_interval = \"400 ns\"\n{queue}");
        let link = "rate = \"100 Mb/s\", delay = \"10 us\"";
        let outcome = cell(&bss, link, "kind = \"tcp\", flavour = \"cubic\"");
        let flow = &outcome.flows[0];
        let wire = waited(flow, |place| matches!(place, Place::Wire(_)));
        assert!(wire > 0.9, "{queue}: {:?}", flow.limits);
    }
}

/// The times for which a sender was held back, over all reasons and queues, add up to the flow's life. It ends within a
/// fraction of a second, when all of the 100 000 octets are sent.
#[test]
fn the_times_add_up_to_the_life_of_a_flow() {
    let outcome = cell("standard = \"802.11b\"", FAST, "kind = \"tcp\", size = \"100000 B\"");
    let flow = &outcome.flows[0];
    assert!(flow.completion.is_some_and(|it| it < Duration::from_secs(2)));
    assert_eq!(Some(flow.limits.total()), flow.completion);
    assert_eq!(flow.limits.total(), flow.active);
    // The SYN and its answer take a round trip of 40 ms, and little more.
    let handshake = flow.limits.sender[Limit::Handshake as usize].as_secs_f64();
    assert!((0.040..0.045).contains(&handshake), "{handshake}");
}

/// The application limits a flow of one datagram every 12 ms, because 802.11b carries many more.
#[test]
fn a_constant_rate_is_limited_by_its_application() {
    let outcome = cell(
        "standard = \"802.11b\"",
        FAST,
        "kind = \"udp\", payload = \"1500 B\", rate = \"1 Mb/s\"",
    );
    assert_eq!(outcome.flows[0].limits.sender[Limit::Application as usize], Duration::from_secs(5));
}

/// A queue of two packets at the access point drops the rest of a larger window, and all losses of the flow are
/// counted at this queue.
#[test]
fn losses_are_counted_at_their_place() {
    let bss = "standard = \"802.11b\"\nap = { queue = { packets = 2 } }";
    let outcome = cell(bss, FAST, "kind = \"tcp\"");
    let flow = &outcome.flows[0];
    let lost: u64 = flow.limits.places.iter().map(|it| it.lost).sum();
    assert!(lost > 0);
    assert_eq!(lost, flow.packets_dropped);
    let [place] = flow.limits.places.as_slice() else { panic!("{:?}", flow.limits.places) };
    assert!(matches!(place.place, Place::Air { member: 0, .. }));
}

/// Outcome of an upload over 802.11b to a distant server. The station's rate falls from 11 to 1 Mb/s after two
/// seconds.
fn upload(station: &str, flow: &str) -> FlowOutcome {
    let text = format!(
        "duration = \"6 s\"\n[bss.home]\nstandard = \"802.11b\"\n\
         [station.a]\nrate = [[\"0 s\", \"11 Mb/s\"], [\"2 s\", \"1 Mb/s\"]]\n{station}\n\
         [host.server]\nlink = {{ rate = \"100 Mb/s\", delay = \"300 ms\" }}\n\
         [flow.f]\nfrom = \"a\"\nto = \"server\"\n{flow}\n"
    );
    run_once(&parse(&text), 0).flows.remove(0)
}

/// The queue of the sender's own host limits a flow if it refuses a segment. A station's queue with room for two
/// packets refuses the third segment of a burst. The two packets leave within 4 ms at 11 Mb/s, and the sender waits
/// for an ACK that takes 600 ms.
#[test]
fn the_queue_of_its_own_host_limits_a_flow_that_waits_for_an_ack() {
    let flow =
        upload("queue = { packets = 2 }", "transport = { kind = \"tcp\", full_queue = \"hold\" }");
    assert!(flow.packets_refused > 0);
    assert!(share(&flow, Limit::HostQueue) > 0.1, "{:?}", flow.limits);
}

/// ARF-aware TCP limits a flow when it divides a window of some segments by eleven at 2 s, so that one segment is sent
/// per round trip of 600 ms.
#[test]
fn a_control_scheme_limits_a_flow() {
    let tcp = "transport = { kind = \"tcp\" }";
    let aware = upload("", &format!("{tcp}\ncontrol = \"arf-aware\""));
    assert!(share(&aware, Limit::Control) > 0.5, "{:?}", aware.limits);
    assert!(share(&upload("", tcp), Limit::Control).abs() < f64::EPSILON);
}

/// The allowed rate of TFRC limits a flow with a round trip of 600 ms: TFRC stays in slow start, with a rate far below
/// that of the air at 11 Mb/s.
#[test]
fn its_allowed_rate_limits_a_tfrc_flow() {
    let flow = upload("", "stop = \"2 s\"\ntransport = { kind = \"tfrc\" }");
    assert!(share(&flow, Limit::Rate) > 0.9, "{:?}", flow.limits);
}
