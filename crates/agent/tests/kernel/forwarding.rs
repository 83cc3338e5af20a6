//! Tests of window limits in the ACKs that a router forwards.

use std::io::{Read, Write};
use std::os::unix::net::UnixStream;
use std::thread;
use std::time::{Duration, Instant};

use airfair_agent::actuator::Actuator;
use airfair_agent::actuator::forward::{Forwarded, restore};
use airfair_agent::sample::Sent;

use super::rig::{
    Air, Flow, LIFTED, SAMPLE, connections, eventually, for_samples, inside, may, processor_time,
    sh, within,
};
use super::router::{Hand, ROUTER, Router, SERVER, STATION, TO_ROUTER, TO_SERVER, TO_STATION};

/// Word in the output of `ss` before the receive window that the sender knows [octets].
const WINDOW: &str = "snd_wnd:";
/// Size beyond which windows without a limit have grown [octets].
const FREE: u64 = 100_000;

/// Receive window that the sender of a flow knows [octets]; zero before the first ACK.
fn window(flow: &Flow) -> u64 {
    flow.number(WINDOW).unwrap_or_default()
}

/// True if the window of a flow is far below the size to which windows without a limit grow.
fn is_small(flow: &Flow) -> bool {
    (1..20_000).contains(&window(flow))
}

/// True if a window is at a limit, rounded up to a unit of at most 1024 octets.
fn is_at(window: u64, limit: u64) -> bool {
    (limit..limit + 1_024).contains(&window)
}

/// The windows in forwarded ACKs are lowered in both directions, by IPv4 and IPv6, and all
/// checksums stay valid.
///
/// Verifies: [RFC1624 §3], [RFC7323 §2.3]
#[test]
fn windows_in_forwarded_acks_are_lowered_for_either_end_and_version_and_nothing_else_is() {
    if !may() {
        return;
    }
    let router = Router::new();
    let hand = Hand::new(2);
    let flows = [router.up(0), router.up(1), router.down(0), router.down(1)];
    let control = router.up(0);
    eventually("windows have grown", || flows.iter().all(|flow| window(flow) > FREE));
    for flow in &flows {
        hand.limit(flow, 20_000);
    }
    let are_limited = || flows.iter().all(|flow| is_at(window(flow), 20_000));
    eventually("windows are limited", are_limited);
    for flow in &flows {
        flow.move_on(200_000, || assert!(are_limited(), "they stay so"));
    }
    eventually("the negative control is free", || window(&control) > FREE);
    hand.limit(&flows[0], 1);
    // Two segments of 1460 octets, whatever is asked for.
    eventually("the least", || is_at(window(&flows[0]), 2_920));
    hand.lift();
    eventually("windows are free", || flows.iter().all(|flow| window(flow) > FREE));
    let rewritten = hand.with(|it| it.rewritten().unwrap());
    eprintln!("windows that were lowered: {rewritten}");
    assert!(rewritten > 100);
    assert_eq!(router.wrong_checksums(), 0);
}

/// Connections that end at the router itself are counted by segments and limited. Data that the
/// router sends passes the filter in packets of many segments, and data that it receives passes the
/// filter before its TCP.
#[test]
fn connections_that_end_at_the_machine_itself_are_counted_by_segments_and_limited() {
    if !may() {
        return;
    }
    let router = Router::new();
    let hand = Hand::new(2);
    let down = TO_STATION.map(|address| Flow::begin(ROUTER, STATION, address, "reno"));
    let up = TO_ROUTER.map(|address| Flow::begin(STATION, ROUTER, address, "reno"));
    let flows = || down.iter().chain(&up);
    // Of two that share a queue one may have little, and a window that hardly grows.
    let are_free = || flows().all(|flow| window(flow) > 2 * 20_000);
    eventually("windows are those of their ends", are_free);
    flows().for_each(|flow| flow.move_on(200_000, || ()));
    let counted = hand.with(|it| it.connections().unwrap());
    for (flow, largest) in down.iter().zip([1_448, 1_428]) {
        let [from, to] = flow.ends();
        let sent = &counted.iter().find(|it| it.ends == [to, from]).unwrap().down;
        let mean = sent.octets / u64::from(sent.packets);
        assert!((largest - 50..=largest).contains(&mean), "{mean} octets in a segment");
    }
    flows().for_each(|flow| hand.limit(flow, 20_000));
    eventually("windows are limited", || flows().all(|flow| is_at(window(flow), 20_000)));
    hand.lift();
    eventually("windows are free", are_free);
    assert_eq!(router.wrong_checksums(), 0);
}

#[test]
fn shares_follow_the_windows_one_to_eight() {
    if !may() {
        return;
    }
    let router = Router::new();
    let hand = Hand::new(2);
    let flows = [router.up(0), router.up(0)];
    for (flow, octets) in flows.iter().zip([8_192, 65_536]) {
        hand.limit(flow, octets);
    }
    let acknowledged = || flows.each_ref().map(Flow::acknowledged);
    // A look at both may be apart by some 100 ms; 1 MB of the smaller share takes some 4 s.
    flows[0].move_on(200_000, || ());
    let before = acknowledged();
    flows[0].move_on(1_000_000, || ());
    let after = acknowledged();
    let [one, eight] = [0, 1].map(|at| f64::from(u32::try_from(after[at] - before[at]).unwrap()));
    eprintln!("shares: 1 to {:.2}", eight / one);
    // A busy machine does not keep their queue full all the time. Without windows it is 1 to 1.
    assert!((6.4..=9.6).contains(&(eight / one)), "{}", eight / one);
    assert_eq!(router.wrong_checksums(), 0);
}

/// A limit that drops suddenly causes hardly any retransmissions, because the data in flight stays
/// inside the window.
#[test]
fn a_window_that_drops_costs_next_to_no_retransmissions() {
    if !may() {
        return;
    }
    let router = Router::new();
    let hand = Hand::new(2);
    // A probe for a tail whose ACK is late sends something again that is not lost. On a busy machine ACKs come late where the
    // window, and with it the round trip, is small.
    sh(&format!(
        "for it in {STATION} {SERVER}; do ip netns exec $it sysctl -qw net.ipv4.tcp_early_retrans=0; done"
    ));
    for begin in [Router::up, Router::down] {
        let flow = begin(&router, 0);
        // 100 packets fit into the router's queue.
        hand.limit(&flow, 140_000);
        let under_way = || flow.number("unacked:").unwrap_or_default();
        eventually("the window is used", || under_way() > 90);
        let retransmitted = || flow.number("retrans:").unwrap_or_default();
        let before = retransmitted();
        hand.limit(&flow, 5_000);
        eventually("the window is limited", || is_at(window(&flow), 5_000));
        flow.move_on(200_000, || ());
        let cost = retransmitted() - before;
        eprintln!("retransmissions from 140000 to 5000 octets: {cost}");
        assert!(cost <= 3, "{cost}");
    }
}

#[test]
fn connections_whose_syn_was_not_seen_are_left_alone() {
    if !may() {
        return;
    }
    let router = Router::new();
    let early = [router.up(0), router.down(0)];
    let hand = Hand::new(2);
    let late = router.up(0);
    eventually("windows have grown", || early.iter().all(|flow| window(flow) > FREE));
    for flow in early.iter().chain([&late]) {
        hand.limit(flow, 10_000);
    }
    eventually("the late one is limited", || is_at(window(&late), 10_000));
    for flow in &early {
        flow.move_on(200_000, || ());
    }
    eventually("the early ones are free", || early.iter().all(|flow| window(flow) > FREE));
}

#[test]
fn acks_on_data_have_windows_as_well() {
    if !may() {
        return;
    }
    let router = Router::new();
    let hand = Hand::new(2);
    let flow = Flow::begin_both_ways(STATION, SERVER, TO_SERVER[0]);
    let there = || flow.number_there(SERVER, WINDOW).unwrap();
    eventually("both windows have grown", || window(&flow) > 60_000 && there() > 60_000);
    hand.limit(&flow, 20_000);
    eventually("both are limited", || is_at(window(&flow), 20_000) && is_at(there(), 20_000));
    let octets = |it: &mut Forwarded| {
        let found = it.connections().unwrap();
        [found[0].up.octets, found[0].down.octets]
    };
    assert!(hand.with(octets).iter().all(|octets| *octets > 100_000));
    assert_eq!(router.wrong_checksums(), 0);
}

/// The access point knows both parts of a connection's round trip from echoed timestamps.
///
/// Verifies: [RFC7323 §4.1]
#[test]
fn round_trips_are_known_from_timestamps() {
    if !may() {
        return;
    }
    let router = Router::new();
    let hand = Hand::new(2);
    let flow = router.up(0);
    hand.limit(&flow, 60_000);
    let seen = || {
        let found = hand.with(|it| it.connections().unwrap());
        (Instant::now(), found[0].up.clone(), found[0].down.clone())
    };
    let so_far = |it: &Sent| (it.echo_ns, it.echoes);
    let mean = |(before, echoes): (u64, u32), (after, more): (u64, u32)| {
        Duration::from_nanos((after - before) / u64::from(more - echoes)).as_secs_f64()
    };
    flow.move_on(500_000, || ());
    let (begun, up_before, down_before) = seen();
    flow.move_on(4_000_000, || ());
    let (ended, up, down) = seen();
    let octets = u32::try_from(up.octets - up_before.octets).unwrap();
    let [behind, in_front] = [(&up_before, &up), (&down_before, &down)]
        .map(|(before, after)| mean(so_far(before), so_far(after)));
    // 60 kB are under way all the time: at 20 Mb/s they are sent in 24 ms, and in more by a machine that is busy. They wait
    // in front of the wire, which is behind the filter.
    let expected = 60_000.0 * (ended - begun).as_secs_f64() / f64::from(octets);
    eprintln!(
        "{behind:.4} s behind the router, {in_front:.4} s in front of it; {expected:.4} s expected"
    );
    assert!(((behind + in_front) / expected - 1.0).abs() < 0.25, "{behind} and {in_front}");
    assert!(in_front < behind / 4.0, "{in_front} of {behind}");
}

#[test]
fn what_is_put_to_an_interface_is_taken_away_and_nothing_else() {
    if !may() {
        return;
    }
    let router = Router::new();
    let before = router.filters();
    let hand = Hand::new(2);
    assert!(router.filters().contains("airfair_up"), "{}", router.filters());
    let second = inside(ROUTER, || Forwarded::load("wlan0", 2).map(drop).unwrap_err().to_string());
    assert!(second.contains("another agent runs"), "{second}");
    drop(hand);
    assert_eq!(router.filters(), before);
    // Somebody else's clsact stays, and his filter.
    sh(&format!(
        "ip netns exec {ROUTER} sh -c 'tc qdisc add dev wlan0 clsact; tc filter add dev wlan0 ingress prio 7 protocol ip \
         u32 match u32 0 0 flowid 1:1'"
    ));
    let before = router.filters();
    drop(Hand::new(2));
    assert_eq!(router.filters(), before);
    sh(&format!("ip netns exec {ROUTER} tc qdisc del dev wlan0 clsact"));
    // What comes while the agent is there keeps the clsact that was made for it.
    let hand = Hand::new(2);
    sh(&format!(
        "ip netns exec {ROUTER} tc filter add dev wlan0 ingress prio 7 protocol ip u32 match u32 0 0 flowid 1:1"
    ));
    drop(hand);
    assert!(router.filters().contains("u32") && !router.filters().contains("airfair"));
}

#[test]
fn an_interface_that_comes_back_has_its_filters_again() {
    if !may() {
        return;
    }
    let router = Router::new();
    let hand = Hand::new(2);
    sh(&format!(
        "ip -n {ROUTER} link del wlan0; ip -n {ROUTER} link add wlan0 type veth peer name s0 netns {STATION}
        for it in '{ROUTER} wlan0 1' '{STATION} s0 2'; do set -- $it
            ip -n $1 addr add 10.11.0.$3/24 dev $2; ip -n $1 link set $2 up; done
        ip -n {STATION} route add default via 10.11.0.1"
    ));
    eventually("they are there", || router.filters().contains("airfair_down"));
    let flow = router.up(0);
    hand.limit(&flow, 10_000);
    eventually("the window is limited", || is_at(window(&flow), 10_000));
    drop(hand);
    assert_eq!(inside(ROUTER, restore).unwrap(), 0);
}

/// The counters of ten thousand connections are read within the time of a sample. The shortest
/// processor time of ten readings is checked. docs/agent-measurements.md has such times, also of an
/// optimised build.
#[test]
fn ten_thousand_connections_are_read_within_a_sample() {
    if !may() {
        return;
    }
    let _router = Router::new();
    let hand = Hand::new(2);
    let all = connections(STATION, SERVER, TO_SERVER[0], 10_000);
    let look = |it: &mut Forwarded| {
        let begun = processor_time();
        (it.connections().unwrap().len(), processor_time().saturating_sub(begun))
    };
    // The map gives some up before it is full.
    assert!(hand.with(look).0 > 9_800);
    let best = (0..10).map(|_| hand.with(look).1).min().unwrap();
    eprintln!("a look at 10 000 connections: {best:?}");
    assert!(best <= SAMPLE, "{best:?}");
    drop(all);
}

/// A full map of connections has room for new ones: 18 000 connections are opened, with room for
/// 16 384. The connections that have been silent longest are evicted, and new ones can be limited.
#[test]
fn a_map_that_is_full_has_room_for_who_begins() {
    if !may() {
        return;
    }
    let router = Router::new();
    let hand = Hand::new(2);
    let all = connections(STATION, SERVER, TO_SERVER[0], 18_000);
    let known = hand.with(|it| it.connections().unwrap().len());
    assert!((10_000..=16_384).contains(&known), "{known}");
    for flow in [router.up(0), router.down(1)] {
        assert!(!is_small(&flow), "a window is 64 kB at the start");
        hand.limit(&flow, 8_192);
        eventually("the window is limited", || is_small(&flow));
    }
    drop(all);
}

/// An access point's limits are lifted within a second after SIGKILL, and `restore` removes its
/// filters. The station's link of 6 Mb/s cannot carry 20 Mb/s, so the agent limits it.
#[test]
fn an_access_points_limits_lift_within_a_second_of_kill_9_and_restore_takes_away_its_filters() {
    if !may() {
        return;
    }
    let router = Router::new();
    let (before, air) = (router.filters(), Air::of(&router.station(), &router.runtime, 6));
    let agent = router.agent(&air, "occupancy", &[]);
    let flow = router.up(0);
    eventually("the window is limited", || is_small(&flow));
    for_samples(
        10,
        |arguments| router.command(arguments).output().unwrap(),
        || assert!(is_small(&flow), "it stays so"),
    );
    let status = router.command(&["status"]).output().unwrap().stdout;
    let status = String::from_utf8(status).unwrap();
    assert!(status.contains("limited    1 connection") && status.contains("may hold"), "{status}");
    agent.end(libc::SIGKILL);
    within(LIFTED, "the window is free", || window(&flow) > FREE);
    assert!(router.filters().contains("airfair_up"), "what is left does nothing");
    let restored = router.command(&["restore", "--json"]).output().unwrap();
    let said = String::from_utf8(restored.stdout).unwrap();
    assert!(said.contains("\"filters\":2"), "{said}");
    assert_eq!(router.filters(), before);
    // At once behind a crash it waits until it can tell that nobody is there: for orders that live 800 ms, and not without end.
    router.agent(&air, "occupancy", &[]).end(libc::SIGKILL);
    let killed = Instant::now();
    assert!(router.command(&["restore"]).status().unwrap().success());
    assert!(killed.elapsed() < 5 * LIFTED, "{:?}", killed.elapsed());
    assert_eq!(router.filters(), before);
}

#[test]
fn an_access_points_agent_gives_everything_back_and_its_recording_replays() {
    if !may() {
        return;
    }
    let router = Router::new();
    let (before, air) = (router.filters(), Air::of(&router.station(), &router.runtime, 6));
    let killed = router.agent(&air, "occupancy", &[]);
    killed.end(libc::SIGKILL);
    thread::sleep(Duration::from_secs(1));
    let file = router.runtime.join("recording");
    let agent = router.agent(&air, "occupancy", &["--record", &file.to_string_lossy()]);
    assert!(agent.said().contains("removed 2 filters"), "{}", agent.said());
    let flow = router.down(1);
    eventually("the window is limited", || is_small(&flow));
    let (status, said) = agent.end(libc::SIGTERM);
    assert_eq!(status, Some(0), "{said}");
    assert!(said.contains("1 station has the air"), "{said}");
    assert_eq!(router.filters(), before);
    eventually("the window is free", || window(&flow) > FREE);
    let replayed = router.command(&["replay", &file.to_string_lossy()]).output().unwrap();
    let said = String::from_utf8(replayed.stdout).unwrap();
    assert!(replayed.status.success() && said.contains(" 0 differ"), "{said}");
    assert!(!said.contains(" 0 decisions"), "{said}");
}

/// The metrics of an agent that limits a connection have the limits, the share and the airtime, and
/// the socket is gone when the agent has ended.
#[test]
fn an_access_points_metrics_have_what_it_does() {
    if !may() {
        return;
    }
    let router = Router::new();
    let air = Air::of(&router.station(), &router.runtime, 6);
    let socket = router.runtime.join("metrics");
    let agent = router.agent(&air, "occupancy", &["--metrics", &socket.to_string_lossy()]);
    let flow = router.down(1);
    eventually("the window is limited", || is_small(&flow));
    let mut stream = UnixStream::connect(&socket).unwrap();
    stream.write_all(b"GET /metrics HTTP/1.0\r\n\r\n").unwrap();
    let mut text = String::new();
    stream.read_to_string(&mut text).unwrap();
    let values = |name: &str| -> Vec<f64> {
        let lines = text.lines().filter(|line| line.starts_with(name));
        lines.filter_map(|line| line.rsplit_once(' ')?.1.parse().ok()).collect()
    };
    assert!(values("airfair_windows_written_total")[0] >= 1.0, "{text}");
    let airtime: f64 = values("airfair_station_airtime_seconds_total").iter().sum();
    assert!(airtime > 0.0, "{text}");
    assert_eq!(values("airfair_station_share_allowed_ratio").len(), 1, "{text}");
    let (status, said) = agent.end(libc::SIGTERM);
    assert_eq!(status, Some(0), "{said}");
    assert!(!socket.exists());
}

#[test]
fn a_dry_run_at_an_access_point_says_the_shares_and_touches_nothing() {
    if !may() {
        return;
    }
    let router = Router::new();
    let (before, air) = (router.filters(), Air::of(&router.station(), &router.runtime, 6));
    let agent = router.agent(&air, "occupancy", &["--dry-run"]);
    eventually("it is said", || agent.said().contains("1 station has the air"));
    assert_eq!(router.filters(), before);
    let (_, said) = agent.end(libc::SIGTERM);
    assert!(said.contains("changed nothing"), "{said}");
}

/// Twenty connections, ten in each direction, share a buffer of a hundred packets by windows of
/// five packets.
#[test]
fn connections_share_a_buffer_by_their_windows() {
    if !may() {
        return;
    }
    let router = Router::new();
    let air = Air::of(&router.station(), &router.runtime, 54);
    let agent = router.agent(&air, "shared-windows", &[]);
    let mut flows: Vec<Flow> = (0..10).map(|_| router.up(0)).collect();
    flows.extend((0..10).map(|_| router.down(1)));
    // Five segments of 1460 octets, or of 1440 by IPv6.
    let is_shared = |flow: &Flow| (5 * 1_440..5 * 1_460 + 1_024).contains(&window(flow));
    eventually("windows are shared", || flows.iter().all(is_shared));
    let (status, said) = agent.end(libc::SIGTERM);
    assert_eq!(status, Some(0), "{said}");
}
