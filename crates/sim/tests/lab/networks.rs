//! Networks beyond one cell: several cells, routers, and lossy links.

use std::fmt::Write as _;

use airfair_laws::tfrc::{Equation, throughput, throughput_factor};
use airfair_sim::link::LinkId;
use airfair_sim::outcome::Outcome;
use airfair_sim::record::{CellId, Place};
use airfair_units::{Bytes, Duration};
use proptest::prelude::*;

use crate::common::{parse, run_once};

/// Text of a cell with two stations, their server and flows.
fn cell(name: &str, standard: &str) -> String {
    format!(
        "[bss.{name}]\nstandard = \"{standard}\"\n\
         [station.{name}-a]\nbss = \"{name}\"\n[station.{name}-b]\nbss = \"{name}\"\n\
         [host.{name}-h]\nlink = {{ to = \"{name}\", delay = \"3 ms\" }}\n\
         [flow.{name}-up]\nfrom = \"{name}-a\"\nto = \"{name}-h\"\ntransport = {{ kind = \"tcp\" }}\n\
         [flow.{name}-down]\nfrom = \"{name}-h\"\nto = \"{name}-b\"\ntransport = {{ kind = \"tfrc\" }}\n\
         [flow.{name}-side]\nfrom = \"{name}-b\"\nto = \"{name}-a\"\n\
         transport = {{ kind = \"udp\", payload = \"500 B\", rate = \"saturated\" }}\n"
    )
}

#[test]
fn cells_on_channels_of_their_own_leave_each_other_alone() {
    let (home, office) = (cell("home", "802.11b"), cell("office", "802.11a"));
    let run =
        |cells: &[&str]| run_once(&parse(&format!("duration = \"3 s\"\n{}", cells.concat())), 0);
    let (alone, other, both) = (run(&[&home]), run(&[&office]), run(&[&home, &office]));
    assert_eq!(both.flows[..3], alone.flows[..]);
    // Places on its routes are numbered after those of the first cell: one channel, and both directions of one link.
    let mut behind = other.flows;
    for found in behind.iter_mut().flat_map(|flow| &mut flow.limits.places) {
        found.place = match found.place {
            Place::Air { cell, member } => Place::Air { cell: CellId(cell.0 + 1), member },
            Place::Wire(link) => Place::Wire(LinkId(link.0 + 2)),
        };
    }
    assert_eq!(both.flows[3..], behind[..]);
    assert_eq!(both.channels, [alone.channels, other.channels].concat());
    assert_eq!(both.access_points, [alone.access_points, other.access_points].concat());
    assert_eq!(both.stations, [alone.stations, other.stations].concat());
    assert_eq!(both.links, [alone.links, other.links].concat());
}

/// A flow from a station of one cell to a station of another one, over a router between the access points, has the
/// goodput of the slowest link. Stations of the two cells alternate in the file.
#[test]
fn a_flow_crosses_from_one_cell_to_another() {
    let text = "duration = \"2 s\"\n[bss.home]\nstandard = \"802.11b\"\n\
                [bss.office]\nstandard = \"802.11b\"\n\
                [station.s]\nbss = \"home\"\n[station.t]\nbss = \"office\"\n\
                [station.u]\nbss = \"home\"\n\
                [router.core]\n[link.one]\nbetween = [\"home\", \"core\"]\n\
                [link.two]\nbetween = [\"core\", \"office\"]\nrate = \"1 Mb/s\"\n\
                [flow.f]\nfrom = \"u\"\nto = \"t\"\ntransport = { kind = \"tcp\" }\n";
    let outcome = run_once(&parse(text), 0);
    let frames: Vec<u64> = outcome.stations.iter().map(|station| station.radio.frames).collect();
    assert_eq!(frames[0], 0);
    assert!(frames[1] > 0 && frames[2] > 0, "{frames:?}");
    // 1 Mb/s of packets of 1500 octets, 1460 of which are data
    let goodput = outcome.flows[0].delivered.bits() / 2;
    assert!((900_000..974_000).contains(&goodput), "{goodput}");
    // Packets that have arrived at the router and not left it are in the queue of 100 packets before the slow link.
    let waiting = outcome.links[0].packets - outcome.links[2].packets;
    assert!(waiting <= 100, "{waiting}");
}

/// The least round trip over a chain h1 ─ r1 ─ r2 ─ h2 of 1, 4 and 1 Mb/s with 10 ms each is 69.72 ms. 500 octets take
/// 4 + 1 + 4 ms, and 30 ms of propagation. The ACK of 40 octets takes 0.32 + 0.08 + 0.32 ms, and 30 ms.
#[test]
fn the_round_trip_over_a_chain_is_the_sum_of_its_parts() {
    let text = "duration = \"2 s\"\n\
                [host.h1]\nlink = { to = \"r1\", rate = \"1 Mb/s\", delay = \"10 ms\" }\n\
                [host.h2]\nlink = { to = \"r2\", rate = \"1 Mb/s\", delay = \"10 ms\" }\n\
                [router.r1]\n[router.r2]\n\
                [link.core]\nbetween = [\"r2\", \"r1\"]\nrate = \"4 Mb/s\"\ndelay = \"10 ms\"\n\
                [flow.f]\nfrom = \"h1\"\nto = \"h2\"\n\
                transport = { kind = \"tcp\", segment = \"460 B\", receive_window = \"460 B\", \
                delayed_ack = false, handshake = false }\n";
    let outcome = run_once(&parse(text), 0);
    let flow = &outcome.flows[0];
    assert_eq!((flow.rtt.min, flow.rtt.max), (Duration::from_micros(69_720), flow.rtt.min));
    // One segment per round trip; 2 s / 69.72 ms = 28.7, so the last one is under way.
    assert_eq!(flow.delivered, Bytes::new(29 * 460));
    assert!(outcome.channels.is_empty());
}

/// A queue that counts octets takes as many small packets as fit. Packets of 125 octets come every 77.6 µs for 10 ms.
/// At 100 kb/s not even the first one has left by then, so the packets that arrive are those for which the queue has
/// room.
#[test]
fn a_queue_of_octets_holds_as_many_small_packets_as_fit() {
    let run = |queue: &str| {
        let text = format!(
            "duration = \"10 s\"\n[host.a]\nlink = {{ to = \"r\", rate = \"100 Mb/s\" }}\n\
             [host.b]\nlink = {{ to = \"r\", rate = \"100 kb/s\", queue = {queue} }}\n[router.r]\n\
             [flow.f]\nfrom = \"a\"\nto = \"b\"\nstop = \"10 ms\"\n\
             transport = {{ kind = \"udp\", payload = \"97 B\", rate = \"10 Mb/s\" }}\n"
        );
        run_once(&parse(&text), 0).flows[0].packets_received
    };
    assert_eq!(run("{ packets = 20 }"), 20);
    assert_eq!(run("{ bytes = \"2500 B\" }"), 20);
    assert_eq!(run("{ bytes = \"2624 B\" }"), 20);
    assert_eq!(run("{ bytes = \"2625 B\" }"), 21);
}

/// The random delay of a flow's start is uniform up to its jitter of 4 s: the mean is 2 s, with a standard deviation
/// of 4/√12 = 1.15 s.
#[test]
fn a_start_is_delayed_by_chance_and_by_no_more_than_its_jitter() {
    let text = "duration = \"10 s\"\nseries = \"100 ms\"\n[router.r]\n\
                [host.a]\nlink = { to = \"r\" }\n[host.b]\nlink = { to = \"r\" }\n\
                [flow.f]\nfrom = \"a\"\nto = \"b\"\nstart = \"2 s\"\nstart_jitter = \"4 s\"\n\
                transport = { kind = \"udp\", payload = \"100 B\", rate = \"1 Mb/s\" }\n";
    let scenario = parse(text);
    let starts: Vec<f64> = (0..400)
        .map(|replication| {
            let series = &run_once(&scenario, replication).series.flows[0];
            let first = series.iter().position(|step| !step.delivered.is_zero()).expect("a start");
            f64::from(u32::try_from(first).expect("few steps")) / 10.0
        })
        .collect();
    assert!(starts.iter().all(|start| (2.0..6.05).contains(start)));
    let mean = starts.iter().sum::<f64>() / 400.0;
    assert!((mean - 3.95).abs() < 5.0 * 1.15 / 20.0, "{mean}");
    assert_eq!(run_once(&scenario, 3), run_once(&scenario, 3));
}

/// Random early detection keeps the queue near its thresholds, 5 and 15 packets, and costs a tenth of the throughput,
/// because the path itself holds 20 packets.
#[test]
fn early_detection_shortens_the_queue() {
    let run = |queue: &str| {
        let mut text = format!(
            "duration = \"60 s\"\nwarmup = \"10 s\"\n[router.r]\n\
             [host.sink]\nlink = {{ to = \"r\", rate = \"10 Mb/s\", delay = \"10 ms\", queue = {queue} }}\n"
        );
        for i in 0..5 {
            let _ = write!(
                text,
                "[host.h{i}]\nlink = {{ to = \"r\", delay = \"{i} ms\" }}\n\
                 [flow.f{i}]\nfrom = \"h{i}\"\nto = \"sink\"\ntransport = {{ kind = \"tcp\" }}\n"
            );
        }
        run_once(&parse(&text), 0)
    };
    let goodput =
        |outcome: &Outcome| outcome.flows.iter().map(|f| f.delivered).sum::<Bytes>().get();
    let tail = run("{ packets = 100 }");
    let red = run("{ packets = 100, discipline = \"red\" }");
    // The route to the sink takes the sink's own link, in the direction back.
    let (tail_link, red_link) = (&tail.links[1], &red.links[1]);
    assert!(
        red_link.queue_mean < 25.0 && tail_link.queue_mean > 50.0,
        "{red_link:?} {tail_link:?}"
    );
    assert!(red_link.dropped_early > 0 && red_link.dropped_queue_full == 0, "{red_link:?}");
    assert!(goodput(&red) * 100 > goodput(&tail) * 85);
}

/// Rate of loss events at a loss probability `p`. A loss event contains all losses of a round trip, in which 1/f
/// packets are sent. So there are 1/p + 1/f packets on average from one event to the next.
fn loss_event_rate(p: f64) -> f64 {
    let step =
        |events: f64| 1.0 / (1.0 / p + 1.0 / throughput_factor(&Equation::default(), events));
    (0..50).fold(p, |events, _| step(events))
}

/// TFRC over a link with independent losses sends at the rate of the throughput equation to within 5 %.
///
/// Verifies: [RFC5348 §3.1]
#[test]
fn tfrc_over_a_link_with_independent_losses_sends_what_the_equation_says() {
    for (p, seconds) in [(0.0005, 4_000), (0.001, 4_000), (0.01, 4_000), (0.05, 8_000)] {
        let text = format!(
            "duration = \"{seconds} s\"\nwarmup = \"100 s\"\nseries = \"off\"\n\
             [host.a]\nlink = {{ to = \"r\", delay = \"50 ms\", \
             loss = {{ model = \"bernoulli\", probability = {p:?}, towards = \"r\" }} }}\n\
             [router.r]\n[host.b]\nlink = {{ to = \"r\" }}\n\
             [flow.f]\nfrom = \"a\"\nto = \"b\"\ntransport = {{ kind = \"tfrc\" }}\n"
        );
        let outcome = run_once(&parse(&text), 0);
        let flow = &outcome.flows[0];
        #[expect(clippy::cast_precision_loss, reason = "a rate to a percent")]
        let rate = flow.packets_sent as f64 * 1_000.0 / outcome.elapsed.as_secs_f64();
        let (rtt, events) = (flow.rtt.mean.as_secs_f64(), loss_event_rate(p));
        let expected = throughput(&Equation::default(), 1_000.0, rtt, events);
        assert!((rate / expected - 1.0).abs() < 0.05, "p = {p}: {rate} against {expected}");
    }
}

/// Text of a scenario with routers in a ring with a chord, with hosts and stations, and every kind of queue and loss.
fn random_network() -> impl Strategy<Value = String> {
    let queue = prop_oneof![
        (1u32..20).prop_map(|n| format!("{{ packets = {n} }}")),
        (1u32..20).prop_map(|n| format!("{{ bytes = \"{n} kB\" }}")),
        (1u32..9).prop_map(|n| format!(
            "{{ packets = 20, discipline = \"red\", red = {{ min = {n}, max = {}, weight = 0.1 }} }}",
            n + 5
        )),
    ];
    let loss = prop_oneof![
        Just("\"none\""),
        Just("{ model = \"bernoulli\", probability = 0.05 }"),
        Just("{ model = \"gilbert-elliott\", to_bad = 0.02, to_good = 0.3, bad = 0.8 }"),
    ];
    let rate = prop_oneof![Just("300 kb/s"), Just("2 Mb/s"), Just("100 Mb/s")];
    let link = (rate, 0u32..30, queue, loss).prop_map(|(rate, delay, queue, loss)| {
        format!("rate = \"{rate}\"\ndelay = \"{delay} ms\"\nqueue = {queue}\nloss = {loss}\n")
    });
    let transport = prop_oneof![
        Just("{ kind = \"tcp\" }"),
        Just("{ kind = \"tcp\", flavour = \"sack\", min_rto = \"200 ms\" }"),
        Just("{ kind = \"udp\", payload = \"700 B\", rate = \"saturated\" }"),
        Just("{ kind = \"tfrc\", segment = \"700 B\" }"),
    ];
    let flows = prop::collection::vec((transport, 0usize..6, 1usize..6), 1..5);
    (prop::collection::vec(link, 5..7), flows).prop_map(|(links, flows)| {
        let mut text = String::from(
            "duration = \"1500 ms\"\n[router.r0]\n[router.r1]\n[router.r2]\n\
             [bss.c0]\nstandard = \"802.11b\"\n[bss.c1]\nstandard = \"802.11g\"\n",
        );
        let ends = ["r0", "r1", "r2", "r0", "c1", "r1", "c0"];
        for (i, link) in links.iter().enumerate() {
            let _ = write!(text, "[link.l{i}]\nbetween = [\"{}\", \"{}\"]\n{link}", ends[i], ends[i + 1]);
        }
        // Five links would leave the first cell without a connection.
        let last = if links.len() == 5 { "[link.last]\nbetween = [\"c0\", \"r2\"]\n" } else { "" };
        text += last;
        for i in 0..2 {
            let _ = write!(
                text,
                "[host.n{i}]\nlink = {{ to = \"r{i}\" }}\n\
                 [station.n{}]\nbss = \"c{i}\"\n[station.n{}]\nbss = \"c{i}\"\nqueue = {{ packets = 4 }}\n",
                2 + 2 * i,
                3 + 2 * i
            );
        }
        for (i, (transport, from, shift)) in flows.into_iter().enumerate() {
            let to = (from + shift) % 6;
            let _ = write!(
                text,
                "[flow.f{i}]\nfrom = \"n{from}\"\nto = \"n{to}\"\ntransport = {transport}\n"
            );
        }
        text
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    /// Every packet arrives, is counted as dropped, or is under way.
    #[test]
    fn packets_are_conserved_in_any_network(text in random_network(), replication in 0u32..1000) {
        let scenario = parse(&text);
        let outcome = run_once(&scenario, replication);
        for flow in &outcome.flows {
            let accounted = flow.packets_received + flow.packets_dropped + flow.packets_in_flight;
            prop_assert_eq!(flow.packets_sent, accounted);
        }
        let by_flow: u64 = outcome.flows.iter().map(|f| f.packets_dropped + f.acks_dropped).sum();
        let wired = outcome.links.iter().map(|l| l.dropped_queue_full + l.dropped_early + l.lost);
        let stations = outcome.stations.iter().map(|station| &station.radio);
        let radios = outcome.access_points.iter().chain(stations);
        let on_air = radios.map(|r| r.dropped_queue_full + r.dropped_retry_limit);
        prop_assert_eq!(by_flow, wired.sum::<u64>() + on_air.sum::<u64>());
    }
}
