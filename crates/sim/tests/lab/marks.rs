//! Marks instead of losses in whole runs: queues of access points and of wires.

use airfair_sim::outcome::Outcome;
use airfair_sim::scenario::Scenario;
use airfair_units::Duration;

use crate::common::{parse, run_once};

/// A download and an upload of CUBIC with ECN through a cell whose access point and whose wire have these queues.
fn cell(queue: &str, wire: &str, transport: &str) -> Scenario {
    let transport = format!("{{ kind = \"tcp\", flavour = \"cubic\", {transport} }}");
    parse(&format!(
        "duration = \"6 s\"\n[bss.c]\nstandard = \"802.11g\"\nap.queue = {{ {queue} }}\n[station.s]\n[host.h]\n\
         link = {{ rate = \"100 Mb/s\", delay = \"10 ms\", queue = {{ {wire} }} }}\n\
         [flow.down]\nfrom = \"h\"\nto = \"s\"\ntransport = {transport}\n"
    ))
}

const ECN: &str = "ecn = true, receive_window = \"1 MB\", window_scaling = true";

fn drops(outcome: &Outcome) -> u64 {
    outcome.access_points[0].dropped_codel
        + outcome.links.iter().map(|it| it.dropped_early).sum::<u64>()
}

/// Each queue that marks holds the delay as it does by drops, with no packet dropped. A flow that does not take part,
/// or a queue without `ecn`, has drops.
///
/// Verifies: [RFC3168 §5], [RFC8289 §3.3], [RFC8290 §1.2]
#[test]
fn queues_mark_flows_that_answer_and_drop_packets_of_others() {
    let red = "discipline = \"red\", packets = 500, red = { ecn = true }";
    let slow = red.to_owned();
    for (queue, wire, rate) in [
        ("discipline = \"codel\", ecn = true", "packets = 500", "100 Mb/s"),
        ("discipline = \"fq-codel\"", "packets = 500", "100 Mb/s"),
        ("discipline = \"airtime\"", "packets = 500", "100 Mb/s"),
        ("packets = 500", slow.as_str(), "10 Mb/s"),
    ] {
        let run = |queue: &str, wire: &str, transport: &str| {
            let mut scenario = cell(queue, wire, transport);
            scenario.links[0].rate = rate.parse().expect("a rate");
            run_once(&scenario, 0)
        };
        let marked = run(queue, wire, ECN);
        let marks = marked.marks[0];
        assert!(marks.packets > 0 && marks.answered > 0, "{queue}, {wire}: {marks:?}");
        // One answer per window of data, and each needs a mark.
        assert!(marks.answered <= marks.packets, "{queue}, {wire}: {marks:?}");
        assert_eq!(drops(&marked), 0, "{queue}, {wire}");
        assert_eq!(marked.flows[0].retransmissions, 0, "{queue}, {wire}");
        let plain = run(queue, wire, &ECN.replace("true, r", "false, r"));
        assert!(drops(&plain) > 0 && plain.marks.is_empty(), "{queue}, {wire}");
        let [queue, wire] = [queue, wire].map(|it| it.replace("ecn = true", "ecn = false"));
        let queue = if queue.contains("fq") || queue.contains("air") {
            format!("{queue}, ecn = false")
        } else {
            queue
        };
        let dropped = run(&queue, &wire, ECN);
        assert!(drops(&dropped) > 0, "{queue}, {wire}");
        assert_eq!(dropped.marks[0].packets, 0, "{queue}, {wire}");
        let delay = |it: &Outcome| it.flows[0].delay.p50;
        assert!(delay(&marked) < delay(&dropped) * 2, "{queue}, {wire}");
    }
}

/// Two DCTCP flows over a wire of 50 Mb/s and a round trip of 4 ms, 17 segments, keep its queue near the threshold of 20
/// packets and the wire busy, where CUBIC fills the queue of 200 packets. Each has half of the rate.
///
/// Verifies: [RFC8257 §3.3, §4.1]
#[test]
fn dctcp_keeps_a_queue_near_the_threshold() {
    let run = |flavour: &str| {
        let flow = |name: &str| {
            format!(
                "[flow.{name}]\nfrom = \"a\"\nto = \"b\"\ntransport = {{ kind = \"tcp\", flavour = \"{flavour}\", \
                 ecn = true, receive_window = \"1 MB\", window_scaling = true }}\n"
            )
        };
        let wire =
            "rate = \"50 Mb/s\", delay = \"2 ms\", queue = { packets = 200, mark_above = 20 }";
        let text = format!(
            "duration = \"12 s\"\nwarmup = \"2 s\"\n[host.b]\nlink = {{ to = \"r\", rate = \"1 Gb/s\" }}\n[router.r]\n\
             [host.a]\nlink = {{ to = \"r\", {wire} }}\n{}{}",
            flow("first"),
            flow("second")
        );
        run_once(&parse(&text), 0)
    };
    let outcome = run("dctcp");
    let queue = outcome.links.iter().map(|it| it.queue_mean).fold(0.0, f64::max);
    assert!((8.0..24.0).contains(&queue), "{queue}");
    let [first, second] = [0, 1].map(|flow| outcome.flows[flow].delivered.get());
    // 10 s at 50 Mb/s are 62.5 MB, of which 1460 of 1500 octets are payload.
    assert!(first + second > 60_000_000, "{first} and {second}");
    assert!(first.abs_diff(second) * 10 < first + second, "{first} and {second}");
    assert_eq!(outcome.flows.iter().map(|it| it.packets_dropped).sum::<u64>(), 0);
    let marks = outcome.marks[0];
    assert!(marks.packets > 3 * marks.answered, "many marks per answer: {marks:?}");
}

/// A flow of low latency and a Classic one through an access point with `DualPI2`.
fn dual(standard: &str, rate: &str, low: &str, classic: &str, queue: &str) -> Outcome {
    let flow = |name: &str, station: &str, transport: &str| {
        format!(
            "[flow.{name}]\nfrom = \"h\"\nto = \"{station}\"\ntransport = {{ kind = \"tcp\", {transport}, \
             receive_window = \"4 MB\", window_scaling = true, sack = true, loss_recovery = \"rack\" }}\n"
        )
    };
    let text = format!(
        "duration = \"22 s\"\nwarmup = \"4 s\"\n[bss.c]\nstandard = \"{standard}\"\nap.queue = {{ {queue} }}\n\
         [station.s]\nrate = \"{rate}\"\n[host.h]\nlink = {{ rate = \"1 Gb/s\", delay = \"5 ms\" }}\n{}{}",
        flow("low", "s", low),
        flow("classic", "s", classic)
    );
    run_once(&parse(&text), 0)
}

/// Without aggregates, packets of low latency wait for about a millisecond at the access point, where Classic packets
/// wait for the target of 15 ms, and the two flows have similar rates. Marked packets are not sent again. The one-way
/// delay has 5 ms of the wire and about 0.4 ms of the frame itself.
///
/// Verifies: [RFC9332 §2.1], [RFC9331 §4.1]
#[test]
fn dualpi2_keeps_the_l_queue_short_and_shares_the_rate() {
    let (low, classic) = ("flavour = \"prague\"", "flavour = \"newreno\", ecn = true");
    let outcome = dual("802.11g", "54 Mb/s", low, classic, "discipline = \"dualpi2\"");
    let [low, classic] = [0, 1].map(|flow| &outcome.flows[flow]);
    let us = Duration::from_micros;
    assert!(low.delay.p50 < us(5_400 + 1_000), "{:?}", low.delay);
    assert!(low.delay.p99 < us(5_400 + 3_000), "{:?}", low.delay);
    assert!((us(5_000 + 10_000)..us(5_000 + 25_000)).contains(&classic.delay.p50));
    let [low_rate, classic_rate] = [low, classic].map(|it| it.delivered.get());
    assert!(
        low_rate * 2 > classic_rate && classic_rate * 2 > low_rate,
        "{low_rate}, {classic_rate}"
    );
    assert_eq!([low, classic].map(|it| (it.packets_dropped, it.retransmissions)), [(0, 0); 2]);
    // Many marks for the scalable flow, each with a small answer.
    assert!(outcome.marks[0].packets > 10 * outcome.marks[1].packets);
}

/// A flow of low latency and a Classic one to each of a fast and a slow station of 802.11g.
fn fast_and_slow(queue: &str) -> Outcome {
    let flow = |name: &str, station: &str, transport: &str| {
        format!(
            "[flow.{name}]\nfrom = \"h\"\nto = \"{station}\"\ntransport = {{ kind = \"tcp\", {transport}, \
             receive_window = \"4 MB\", window_scaling = true, sack = true, loss_recovery = \"rack\" }}\n"
        )
    };
    let (low, classic) = ("flavour = \"prague\"", "flavour = \"newreno\", ecn = true");
    let flows = [("fast_low", "fast", low), ("fast_classic", "fast", classic)]
        .into_iter()
        .chain([("slow_low", "slow", low), ("slow_classic", "slow", classic)])
        .map(|(name, station, transport)| flow(name, station, transport))
        .collect::<String>();
    let text = format!(
        "duration = \"22 s\"\nwarmup = \"4 s\"\n[bss.c]\nstandard = \"802.11g\"\nap.queue = {{ {queue} }}\n\
         [station.fast]\nrate = \"54 Mb/s\"\n[station.slow]\nrate = \"6 Mb/s\"\n\
         [host.h]\nlink = {{ rate = \"1 Gb/s\", delay = \"5 ms\" }}\n{flows}"
    );
    run_once(&parse(&text), 0)
}

/// Coupled queues for each station leave the airtime as it is shared without them: Jain's index of two stations is
/// 1 - d² / (1 + d²) for a relative difference d. A single pair for both stations shares packets, not time. Packets of
/// low latency wait for less time than Classic ones to the same station.
///
/// Verifies: [hoiland-2017 §3.2], [RFC9332 §2.1]
#[test]
fn coupled_queues_of_stations_share_airtime_as_flow_queues_do() {
    let jain = |outcome: &Outcome| {
        let times = [0, 1].map(|index| {
            let it = &outcome.stations[index];
            (it.airtime_data_up + it.airtime_data_down + it.airtime_control).as_secs_f64()
        });
        times.iter().sum::<f64>().powi(2) / (2.0 * times.iter().map(|it| it * it).sum::<f64>())
    };
    let flows = fast_and_slow("discipline = \"airtime\"");
    let coupled = fast_and_slow("discipline = \"airtime-dualpi2\"");
    let single = fast_and_slow("discipline = \"dualpi2\"");
    assert!(jain(&flows) > 0.999 && jain(&coupled) > 0.999, "{} {}", jain(&flows), jain(&coupled));
    assert!(jain(&single) < 0.8, "{}", jain(&single));
    for station in [0, 2] {
        let [low, classic] = [station, station + 1].map(|flow| coupled.flows[flow].delay.p50);
        assert!(low + Duration::from_millis(5) < classic, "{low} and {classic}");
    }
    // The fast station's packets of low latency wait for a turn of the slow one, 2.3 ms, and not for its queue.
    let wait = |outcome: &Outcome| outcome.flows[0].delay.p50;
    assert!(wait(&coupled) < wait(&flows), "{} and {}", wait(&coupled), wait(&flows));
}

/// With a FIFO both flows wait equally long.
#[test]
fn a_fifo_makes_both_flows_wait() {
    let outcome =
        dual("802.11g", "54 Mb/s", "flavour = \"prague\"", "flavour = \"cubic\"", "packets = 200");
    let [low, classic] = [0, 1].map(|flow| outcome.flows[flow].delay.p50);
    assert!(low > Duration::from_millis(50) && low * 2 > classic && classic * 2 > low);
}

/// Aggregates of 802.11ax make packets wait for longer than a millisecond, so that a threshold of 1 ms starves Prague. A
/// threshold of 20 ms gives it a fair part of the rate.
#[test]
fn the_threshold_of_the_l_queue_must_exceed_the_time_of_aggregates() {
    let rate = |queue: &str| {
        let outcome =
            dual("802.11ax", "he-mcs7x1", "flavour = \"prague\"", "flavour = \"cubic\"", queue);
        outcome.flows[0].delivered.get()
    };
    let short = rate("discipline = \"dualpi2\"");
    let long = rate("discipline = \"dualpi2\", step = \"20 ms\"");
    assert!(long > 5 * short, "{long} and {short}");
}

/// Over a wire of 40 Mb/s and a base round trip of 25 ms, packets of the L queue wait for less than a millisecond, Classic
/// ones for about the target of 15 ms, and one flow of each kind have windows in a ratio of less than two. All bytes of the
/// wire are used, and packets are conserved.
///
/// Verifies: [RFC9332 §2.1, §A.1]
#[test]
fn dualpi2_on_a_wire_keeps_the_l_queue_below_a_millisecond() {
    for classic in ["flavour = \"newreno\", ecn = true", "flavour = \"cubic\""] {
        let flow = |name: &str, transport: &str| {
            format!(
                "[flow.{name}]\nfrom = \"a\"\nto = \"b\"\ntransport = {{ kind = \"tcp\", {transport}, sack = true, \
                 loss_recovery = \"rack\", receive_window = \"4 MB\", window_scaling = true }}\n"
            )
        };
        let wire = "rate = \"40 Mb/s\", delay = \"12 ms\", queue = { discipline = \"dualpi2\", packets = 1000 }";
        let text = format!(
            "duration = \"34 s\"\nwarmup = \"4 s\"\n[host.b]\nlink = {{ to = \"r\", rate = \"1 Gb/s\" }}\n[router.r]\n\
             [host.a]\nlink = {{ to = \"r\", {wire} }}\n{}{}",
            flow("low", "flavour = \"prague\""),
            flow("classic", classic)
        );
        let outcome = run_once(&parse(&text), 0);
        let wait = |flow: usize, of: fn(&airfair_sim::outcome::Quantiles) -> Duration| {
            of(&outcome.flows[flow].delay).saturating_sub(Duration::from_millis(12))
        };
        let [low, late] = [wait(0, |it| it.p50), wait(0, |it| it.p99)];
        // 0.3 ms of it is the packet's own time on the wire.
        assert!(
            low < Duration::from_micros(1_300) && late < Duration::from_millis(3),
            "{low:?} {late:?}"
        );
        let behind = wait(1, |it| it.p50);
        assert!(
            (Duration::from_millis(8)..Duration::from_millis(25)).contains(&behind),
            "{behind:?}"
        );
        let [a, b] = [0, 1].map(|flow| outcome.flows[flow].delivered.get());
        assert!(a + b > 130_000_000, "{a} and {b}");
        // Windows are rates times round trips: 25 ms and the delay in the queue.
        let windows = [a * 26, b * 40];
        assert!(windows[0] < 2 * windows[1] && windows[1] < 2 * windows[0], "{classic}: {a}, {b}");
        for flow in &outcome.flows {
            let sum = flow.packets_received + flow.packets_dropped + flow.packets_in_flight;
            assert_eq!(sum, flow.packets_sent);
        }
    }
}
