//! Transports and laws in whole runs.

use std::fmt::Write as _;

use airfair_sim::outcome::Outcome;
use airfair_units::{Bytes, Duration};

use crate::common::{parse, run_once};

fn relay(control: &str) -> Outcome {
    // Two sessions over two hops; the first falls from 11 to 1 Mb/s at 10 s, and returns to 11 Mb/s at 30 s.
    let station = |name: &str, rate: &str| format!("[station.{name}]\nrate = {rate}\n");
    let flow = |from: &str, to: &str| {
        format!(
            "[flow.{from}]\nfrom = \"{from}\"\nto = \"{to}\"\ncontrol = {control}\n\
             transport = {{ kind = \"tcp\", segment = \"1000 B\", receive_window = \"20000 B\", \
             initial_ssthresh = 20, grow_beyond_receive_window = true }}\n"
        )
    };
    let schedule = "{ up = [[\"0 s\", \"11 Mb/s\"], [\"10 s\", \"1 Mb/s\"], [\"30 s\", \"11 Mb/s\"]], down = \"11 Mb/s\" }";
    let text = String::from("duration = \"40 s\"\n[bss.c]\nstandard = \"802.11b\"\n")
        + &station("slow", schedule)
        + &station("fast", "\"11 Mb/s\"")
        + &station("a", "\"11 Mb/s\"")
        + &station("b", "\"11 Mb/s\"")
        + &flow("slow", "a")
        + &flow("fast", "b");
    run_once(&parse(&text), 0)
}

/// Octets of a flow that were delivered between two seconds of the run.
fn between(outcome: &Outcome, flow: usize, from: usize, to: usize) -> u64 {
    outcome.series.flows[flow][from..to].iter().map(|step| step.delivered.get()).sum()
}

/// ARF-aware TCP that polls every second reacts at 4 s to a rate that falls at 3.6 s. A driver whose notification
/// takes 0.4 s has exactly the same effect. A notification after the end of the run has no effect.
///
/// Verifies: [arf-aware-tcp §3]
#[test]
fn arf_aware_tcp_learns_of_the_rate_when_it_is_read_or_notified() {
    let hash = |control: &str| {
        let text = format!(
            "duration = \"6 s\"\n[bss.c]\nstandard = \"802.11b\"\n\
             [station.s]\nrate = [[\"0 s\", \"11 Mb/s\"], [\"3600 ms\", \"1 Mb/s\"]]\n[host.h]\n\
             [flow.f]\nfrom = \"s\"\nto = \"h\"\ntransport = {{ kind = \"tcp\" }}\ncontrol = {control}\n"
        );
        run_once(&parse(&text), 0).record_hash
    };
    let aware = |keys: &str| hash(&format!("{{ scheme = \"arf-aware\", {keys} }}"));
    let at_4_s = aware("poll = \"1 s\"");
    assert_eq!(at_4_s, aware("notification_delay = \"400 ms\""));
    assert_eq!(at_4_s, aware("poll = \"500 ms\", notification_delay = \"0 s\""));
    assert_ne!(at_4_s, hash("\"arf-aware\""));
    assert_ne!(at_4_s, aware("poll = \"1 s\", notification_delay = \"100 ms\""));
    assert_eq!(hash("\"none\""), aware("notification_delay = \"1 h\""));
}

/// ARF-aware TCP at a station whose link is slow from 10 to 30 s leaves the fast session more than twice its former
/// throughput, and has half of the throughput again from 32 s on.
///
/// Verifies: [arf-aware-tcp §3]
#[test]
fn arf_aware_tcp_spares_the_fast_session_while_the_link_is_slow_and_gives_the_share_back() {
    let (plain, aware) = (relay("\"none\""), relay("\"arf-aware\""));
    let fast = |outcome: &Outcome| between(outcome, 1, 15, 30);
    assert!(fast(&aware) > 2 * fast(&plain), "{} against {}", fast(&aware), fast(&plain));
    // Before the change and after the recovery the scheme has no effect.
    assert_eq!(between(&plain, 0, 0, 10), between(&aware, 0, 0, 10));
    let (slow, fast) = (between(&aware, 0, 32, 40), between(&aware, 1, 32, 40));
    assert!(slow * 10 > fast * 9 && fast * 10 > slow * 9, "{slow} against {fast}");
}

#[test]
fn the_three_readings_of_the_paper_differ() {
    let slow = |variant: &str| {
        let control = format!("{{ scheme = \"arf-aware\", variant = \"{variant}\" }}");
        between(&relay(&control), 0, 15, 30)
    };
    let (held, one_shot, continuous) = (slow("held"), slow("one-shot"), slow("continuous"));
    // With one-shot scaling the flow returns at once by slow start; with a held cap it stays limited.
    assert!(held < one_shot, "{held} against {one_shot}");
    assert!(continuous < one_shot, "{continuous} against {one_shot}");
}

#[test]
fn a_finite_transfer_over_a_wired_bottleneck_takes_its_serial_time() {
    // 100 segments of 1460 octets, 1500 with headers, at 1 Mb/s: 12 ms each.
    let text = r#"
        duration = "10 s"
        [bss.c]
        standard = "802.11a"
        [station.s]
        rate = "54 Mb/s"
        [host.h]
        link = { rate = "1 Mb/s", delay = "10 ms" }
        [flow.f]
        from = "h"
        to = "s"
        transport = { kind = "tcp", size = "146 kB", delayed_ack = false }
    "#;
    let outcome = run_once(&parse(text), 0);
    let flow = &outcome.flows[0];
    assert_eq!((flow.delivered, flow.retransmissions), (Bytes::new(146_000), 0));
    let done = flow.completion.expect("the transfer ends");
    // The bottleneck is never idle after the first window: 1.2 s, plus a few round trips for opening and closing.
    assert!(done > Duration::from_millis(1_200) && done < Duration::from_millis(1_400), "{done}");
}

#[test]
fn a_constant_rate_below_capacity_arrives_whole() {
    let text = r#"
        duration = "10 s"
        warmup = "1 s"
        [bss.c]
        standard = "802.11b"
        [station.s]
        [host.h]
        link = {}
        [flow.f]
        from = "s"
        to = "h"
        transport = { kind = "udp", payload = "500 B", rate = "800 kb/s" }
    "#;
    let outcome = run_once(&parse(text), 0);
    // 800 kb/s / 4000 bits = 200 packets a second for 9 s, plus or minus one that is under way at each end
    assert!(outcome.flows[0].packets_received.abs_diff(1800) <= 1);
    assert_eq!(outcome.flows[0].packets_dropped, 0);
    assert!(outcome.channels[0].idle > outcome.channels[0].data);
}

/// Flows with one transport each over a wired bottleneck of 5 Mb/s. Returns the octets delivered by each, and the
/// coefficient of variation of its throughput in steps of a second.
fn share_a_bottleneck(transports: &[&str]) -> Vec<(f64, f64)> {
    let mut text = String::from(
        "duration = \"200 s\"\nwarmup = \"50 s\"\n[bss.c]\nstandard = \"802.11a\"\n\
         [host.h]\nlink = { rate = \"5 Mb/s\", delay = \"20 ms\", queue = { packets = 40 } }\n",
    );
    for (index, transport) in transports.iter().enumerate() {
        let _ = write!(
            text,
            "[station.s{index}]\n[flow.f{index}]\nfrom = \"s{index}\"\nto = \"h\"\n\
             transport = {transport}\n"
        );
    }
    let number = |n: u64| u32::try_from(n).map(f64::from).expect("small");
    let measure = |steps: &Vec<airfair_sim::outcome::FlowStep>| {
        let steps: Vec<f64> = steps[50..].iter().map(|step| number(step.delivered.get())).collect();
        let count = number(steps.len() as u64);
        let mean = steps.iter().sum::<f64>() / count;
        let variance = steps.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / count;
        (mean * count, variance.sqrt() / mean)
    };
    run_once(&parse(&text), 0).series.flows.iter().map(measure).collect()
}

const LONG_TCP: &str = "{ kind = \"tcp\", segment = \"1000 B\", window_scaling = true, \
                        receive_window = \"1 MB\" }";

/// TCP and each profile of TFRC share a bottleneck within a factor of two, and TFRC's throughput varies less.
///
/// Verifies: [RFC5348 §1]
#[test]
fn tfrc_shares_a_bottleneck_with_tcp_and_is_smoother() {
    for profile in ["rfc5348", "rfc3448", "ns-2"] {
        let tfrc = format!("{{ kind = \"tfrc\", segment = \"1000 B\", profile = \"{profile}\" }}");
        let flows = share_a_bottleneck(&[LONG_TCP, &tfrc]);
        let [(tcp, tcp_variation), (tfrc, tfrc_variation)] = flows[..] else { panic!("{flows:?}") };
        // "Reasonably fair": within a factor of two.
        assert!(tfrc < 2.0 * tcp && tcp < 2.0 * tfrc, "{profile}: TCP {tcp}, TFRC {tfrc} octets");
        assert!(tfrc_variation < tcp_variation, "{profile}: {tfrc_variation} and {tcp_variation}");
    }
}

#[test]
fn a_tfrc_source_below_its_fair_share_is_not_slowed_down() {
    let slow = "{ kind = \"tfrc\", segment = \"500 B\", rate = \"400 kb/s\" }";
    let flows = share_a_bottleneck(&[slow, LONG_TCP]);
    // 400 kb/s for 150 s are 7.5 MB; TCP's bursts cost a few packets in the shared queue.
    assert!((7.1e6..=7.51e6).contains(&flows[0].0), "{flows:?}");
}

/// Each flavour of TCP alone delivers 88 to 91 MB over a bottleneck that carries 90 MB.
///
/// Verifies: [RFC5681 §3.1], [RFC6582 §3.2], [RFC6675 §5], [RFC9438 §4]
#[test]
fn every_flavour_fills_a_bottleneck_of_its_own() {
    for flavour in ["reno", "newreno", "sack", "westwood", "westwood+", "vegas", "cubic"] {
        let tcp = LONG_TCP.replace("\"tcp\"", &format!("\"tcp\", flavour = \"{flavour}\""));
        let flows = share_a_bottleneck(&[&tcp]);
        // 5 Mb/s for 150 s, without 4 % of headers, are 90 MB. After a reduction, the window may be smaller than the
        // capacity of the path for a moment. More than 91 MB would be an error of the accounting.
        assert!((88e6..91e6).contains(&flows[0].0), "{flavour}: {} octets", flows[0].0);
    }
}

/// Outcome of one flow for some seconds over a wire of 10 Mb/s with a round trip of 40 ms, which holds 34 segments.
fn over_a_wire(transport: &str, (seconds, packets): (u32, u32), replication: u32) -> Outcome {
    run_once(
        &parse(&format!(
            "duration = \"{seconds} s\"\nseries = \"1 s\"\n[router.r]\n[host.a]\n\
             link = {{ to = \"r\", rate = \"10 Mb/s\", delay = \"20 ms\", queue = {{ packets = {packets} }} }}\n\
             [host.b]\nlink = {{ to = \"r\", rate = \"1 Gb/s\", delay = \"0 s\" }}\n[flow.f]\nfrom = \"a\"\nto = \"b\"\n\
             transport = {{ kind = \"tcp\", segment = \"1460 B\", window_scaling = true, \
             receive_window = \"3 MB\", {transport} }}\n"
        )),
        replication,
    )
}

/// Each version of BBR fills a wire with a queue of less than the bandwidth-delay product, 20 + 40 ms one way. After it
/// has probed for the round trip, the wire is full again within a second.
///
/// Verifies: [bbr-v1], [draft-bbr §5.3]
#[test]
fn bbr_fills_a_wire_with_a_short_queue_and_recovers_from_its_probe() {
    for (flavour, interval) in [("bbr1", 10), ("bbr", 5)] {
        let outcome = over_a_wire(&format!("flavour = \"{flavour}\""), (25, 1_000), 0);
        let seconds: Vec<_> =
            (2..25).map(|second| between(&outcome, 0, second, second + 1)).collect();
        // 10 Mb/s · 1460/1500 are 1.217 MB per second. ProbeRTT takes 0.2 s of a second.
        let probes = seconds.iter().filter(|octets| **octets < 1_100_000).count();
        assert!((1..=22 / interval).contains(&probes), "{flavour}: {seconds:?}");
        assert!(seconds.iter().all(|octets| *octets > 900_000), "{flavour}: {seconds:?}");
        let is_low = |octets: &u64| *octets < 1_100_000;
        assert!(!seconds.windows(2).any(|pair| pair.iter().all(is_low)), "{flavour}: {seconds:?}");
        let longest = outcome.flows[0].delay.p95;
        assert!(longest < Duration::from_millis(60), "{flavour}: {longest:?}");
    }
}

/// The random times of probes depend on the seed alone.
#[test]
fn probes_of_bbr_depend_on_the_seed() {
    for flavour in ["bbr1", "bbr"] {
        let hash =
            |run| over_a_wire(&format!("flavour = \"{flavour}\""), (8, 1_000), run).record_hash;
        assert_eq!(hash(1), hash(1));
        // Version 1 draws one of seven phases, version 3 a bit per cycle: two runs may be equal, six hardly.
        assert!((2..7).any(|run| hash(run) != hash(1)), "{flavour}");
    }
}

/// `HyStart` ends slow start before the queue of 100 packets overflows; `HyStart++` notices the queue a round trip
/// later and loses less than half of what slow start alone loses.
///
/// Verifies: [RFC9406 §4.2], [linux-tcp-cubic]
#[test]
fn a_rule_for_the_end_of_slow_start_keeps_the_first_queue_short() {
    let lost = |rule: &str| {
        let settings = format!("flavour = \"cubic\", timestamps = true, slow_start = \"{rule}\"");
        over_a_wire(&settings, (3, 100), 0).flows[0].packets_dropped
    };
    let (alone, cautious) = (lost("standard"), lost("hystart++"));
    assert!(alone > 0 && 2 * cautious < alone, "{alone}, {cautious}");
    assert_eq!(lost("hystart"), 0);
}
