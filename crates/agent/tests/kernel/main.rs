//! Tests of the agent on the kernel of this machine: real TCP in network namespaces. Without root
//! each test prints that it is left out.

#![expect(clippy::unwrap_used, reason = "a test")]

mod clamps;
mod classes;
mod faults;
mod forwarding;
mod grants;
mod rig;
mod router;
mod unit;
mod windows;

use std::fs;

use rig::{Air, LIFTED, Rig, SAMPLE, eventually, may, within};

/// While the link is slow, its senders use 1/k of their windows, and then have their old windows
/// again. The flow is at rest, so that its window follows from the law alone.
///
/// Verifies: [arf-aware-tcp §3]
#[test]
fn a_slow_links_senders_have_a_kth_of_their_window_and_get_all_of_it_back() {
    if !may() {
        return;
    }
    let rig = Rig::new();
    let (air, flow, other) =
        (Air::new(&rig, 11), rig.watched_flow(), rig.flow("10.12.0.2:0", "reno"));
    eventually("the window has grown", || flow.window() > 60);
    flow.pause();
    other.pause();
    let (before, others) = (flow.window(), other.window());
    let agent = rig.agent(&air, &[]);
    air.set(2);
    eventually("the connection is taken", || flow.law() == "airfair");
    flow.nudge();
    // ⌈11 / 2⌉ = 6; with 1 Mb/s 11. The window is that of the entry, whatever the ratio was before.
    assert_eq!(flow.window(), (before / 6).max(2));
    air.set(1);
    eventually("the ratio is eleven", || agent.said().contains("divided by 11"));
    flow.nudge();
    assert_eq!(flow.window(), (before / 11).max(2));
    air.set(11);
    eventually("the connection is given back", || flow.law() == "reno");
    assert_eq!(flow.window(), before);
    // The negative control: a flow over the other wire.
    other.nudge();
    assert_eq!((other.window(), other.law()), (others, "reno".into()));
    let (status, said) = agent.end(libc::SIGTERM);
    assert_eq!(status, Some(0), "{said}");
    assert!(said.contains("all connections have what they had"), "{said}");
}

#[test]
fn a_saturated_sender_stays_at_its_limit() {
    if !may() {
        return;
    }
    let rig = Rig::new();
    let (air, flow) = (Air::new(&rig, 11), rig.watched_flow());
    let before = flow.pause_with(61..1_000);
    let agent = rig.agent(&air, &[]);
    air.set(1);
    eventually("the connection is taken", || flow.law() == "airfair");
    // The window on entry is that of the first ACK behind the pause.
    let limit = (before / 11).max(2);
    flow.resume();
    eventually("the window is limited", || flow.window() <= limit);
    let mut windows = Vec::new();
    // 2 MB are 1380 segments, in whose round trips Reno's window would grow beyond 50. A loss may take it below its limit, up
    // to which it grows.
    flow.move_on(2_000_000, || windows.push(flow.window()));
    assert_eq!(windows.iter().max(), Some(&limit), "{windows:?}");
    air.set(11);
    eventually("the window is back", || flow.window() > 40);
    drop(agent);
}

/// Limits are lifted within a second after SIGKILL, and `restore` removes what the agent has left
/// behind.
#[test]
fn limits_lift_within_a_second_of_kill_9_and_restore_takes_away_the_rest() {
    if !may() {
        return;
    }
    let rig = Rig::new();
    let (air, flow) = (Air::new(&rig, 11), rig.watched_flow());
    eventually("the window has grown", || flow.window() > 60);
    let agent = rig.agent(&air, &[]);
    air.set(1);
    eventually("the window is limited", || flow.window() < 20);
    let (_, _) = agent.end(libc::SIGKILL);
    within(LIFTED, "the window is back", || flow.window() > 40);
    assert_eq!(flow.law(), "airfair", "what is left is Reno's law under another name");
    let restored = rig.ask(&["restore", "--json"]);
    assert!(restored.status.success());
    let said = String::from_utf8(restored.stdout).unwrap();
    assert!(said.contains("\"given_back\":1"), "{said}");
    assert_eq!(flow.law(), "reno");
}

#[test]
fn an_agent_that_starts_behind_a_crash_gives_back_what_was_left() {
    if !may() {
        return;
    }
    let rig = Rig::new();
    let (air, flow) = (Air::new(&rig, 11), rig.watched_flow());
    let agent = rig.agent(&air, &[]);
    air.set(1);
    eventually("the connection is taken", || flow.law() == "airfair");
    agent.end(libc::SIGKILL);
    air.set(11);
    let next = rig.agent(&air, &[]);
    assert_eq!(flow.law(), "reno");
    assert!(next.said().contains("given back 1 connection that"), "{}", next.said());
}

#[test]
fn congestion_controls_that_are_not_named_are_left_alone_and_named_ones_come_back() {
    if !may() {
        return;
    }
    let rig = Rig::new();
    let air = Air::new(&rig, 11);
    let (cubic, bbr) = (rig.flow("10.11.0.2:0", "cubic"), rig.flow("10.11.0.2:0", "bbr"));
    let six = rig.flow("[fd11::2]:0", "reno");
    let agent = rig.agent(&air, &[]);
    air.set(1);
    eventually("the connections are taken", || cubic.law() == "airfair" && six.law() == "airfair");
    assert_eq!(bbr.law(), "bbr");
    eventually("it is said", || agent.said().contains("leaves 1 connection of bbr alone"));
    air.set(11);
    eventually("they are given back", || cubic.law() == "cubic" && six.law() == "reno");
    assert_eq!(bbr.law(), "bbr");
}

#[test]
fn connections_that_begin_while_the_link_is_slow_are_limited_after_their_first_second() {
    if !may() {
        return;
    }
    let rig = Rig::new();
    let air = Air::new(&rig, 11);
    let agent = rig.agent(&air, &[]);
    air.set(1);
    eventually("the link is slow", || agent.said().contains("divided by 11"));
    let flow = rig.watched_flow();
    eventually("the connection is taken", || flow.law() == "airfair");
    // An eleventh of what it has reached in a second or two, and no more from then on: the wire and its buffer hold some 105
    // segments, and slow start may overshoot that once by as many.
    let most = 2 * 105 / 11;
    eventually("its window is limited", || flow.window() <= most);
    flow.move_on(2_000_000, || assert!(flow.window() <= most, "{} over {most}", flow.window()));
}

#[test]
fn where_nothing_is_seen_nothing_is_limited() {
    if !may() {
        return;
    }
    let rig = Rig::new();
    let (mut air, flow) = (Air::new(&rig, 11), rig.watched_flow());
    let agent = rig.agent(&air, &[]);
    air.set(1);
    eventually("the connection is taken", || flow.law() == "airfair");
    air.vanish();
    eventually("the connection is given back", || flow.law() == "reno");
    eventually("it is said", || {
        agent.said().contains("The agent cannot see the link, so nothing is limited")
    });
    rig.for_samples(5);
    let (status, said) = agent.end(libc::SIGINT);
    assert_eq!(status, Some(0), "{said}");
    // One message for one fault, however long it lasts.
    assert_eq!(said.matches("cannot see the link").count(), 1, "{said}");
}

#[test]
fn an_interface_that_goes_down_and_away_is_borne() {
    if !may() {
        return;
    }
    let rig = Rig::new();
    let (air, flow) = (Air::new(&rig, 11), rig.watched_flow());
    let agent = rig.agent(&air, &[]);
    air.set(1);
    eventually("the connection is taken", || flow.law() == "airfair");
    rig::sh(&format!(
        "ip -n {} link set v0 down; ip -n {} link set v0 name v9",
        rig.station, rig.station
    ));
    // A pass comes once a second.
    rig.for_samples(15);
    let (status, said) = agent.end(libc::SIGTERM);
    assert_eq!(status, Some(0), "{said}");
    assert_eq!(flow.law(), "reno");
}

#[test]
fn a_dry_run_says_what_it_would_do_and_touches_nothing() {
    if !may() {
        return;
    }
    let rig = Rig::new();
    let (air, flow) = (Air::new(&rig, 11), rig.watched_flow());
    let agent = rig.agent(&air, &["--dry-run"]);
    air.set(1);
    eventually("it is said", || agent.said().contains("would be divided by 11"));
    assert_eq!(flow.law(), "reno");
    let (_, said) = agent.end(libc::SIGTERM);
    assert!(said.contains("changed nothing"), "{said}");
}

#[test]
fn a_second_agent_is_refused_and_status_tells_of_the_first() {
    if !may() {
        return;
    }
    let rig = Rig::new();
    let (air, flow) = (Air::new(&rig, 11), rig.watched_flow());
    let agent = rig.agent(&air, &[]);
    air.set(1);
    eventually("the connection is taken", || flow.law() == "airfair");
    let second = rig.ask(&[
        "run",
        "--interface",
        "v0",
        "--emulator",
        &rig.runtime.join("control").to_string_lossy(),
    ]);
    assert_eq!(second.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&second.stderr).contains("an agent is already running"));
    let restore = rig.ask(&["restore"]);
    assert!(String::from_utf8_lossy(&restore.stderr).contains("an agent is running"));
    let status = String::from_utf8(rig.ask(&["status", "--json"]).stdout).unwrap();
    assert!(status.contains("\"ratio\":11") && status.contains("\"limited\":1"), "{status}");
    assert_eq!(flow.law(), "airfair");
    // Whoever has another directory meets the kernel, which has one congestion control of a name.
    let mut third = rig.command(&[
        "run",
        "--interface",
        "v0",
        "--emulator",
        &rig.runtime.join("control").to_string_lossy(),
    ]);
    let third = third.env("RUNTIME_DIRECTORY", rig.runtime.join("other")).output().unwrap();
    assert!(String::from_utf8_lossy(&third.stderr).contains("another agent runs"));
    assert_eq!(flow.law(), "airfair");
    drop(agent);
}

#[test]
fn after_its_start_the_agent_has_two_capabilities() {
    if !may() {
        return;
    }
    let rig = Rig::new();
    let air = Air::new(&rig, 11);
    let agent = rig.agent(&air, &[]);
    let status = fs::read_to_string(format!("/proc/{}/status", agent.process())).unwrap();
    let set = |name: &str| {
        let line = status.lines().find(|line| line.starts_with(name)).unwrap();
        u64::from_str_radix(line.split_whitespace().nth(1).unwrap(), 16).unwrap()
    };
    // CAP_NET_ADMIN is 12 and CAP_BPF 39.
    assert_eq!([set("CapEff"), set("CapPrm")], [1 << 12 | 1 << 39; 2]);
}

#[test]
fn a_recording_of_a_run_replays_to_the_same_decisions() {
    if !may() {
        return;
    }
    let rig = Rig::new();
    let air = Air::new(&rig, 11);
    let file = rig.runtime.join("recording");
    let agent = rig.agent(&air, &["--record", &file.to_string_lossy()]);
    rig.for_samples(5);
    air.set(1);
    eventually("the link is slow", || agent.said().contains("divided by 11"));
    agent.end(libc::SIGTERM);
    let replayed = rig.ask(&["replay", &file.to_string_lossy()]);
    let said = String::from_utf8(replayed.stdout).unwrap();
    assert!(replayed.status.success() && said.contains("1 decisions; 0 differ"), "{said}");
    // The recording is a source as well: what it says acts on connections.
    let flow = rig.watched_flow();
    let again = rig.ask(&["run", "--interface", "v0", "--from", &file.to_string_lossy()]);
    let said = String::from_utf8(again.stderr).unwrap();
    assert!(again.status.success() && said.contains("divided by 11, of 1 connection."), "{said}");
    assert_eq!(flow.law(), "reno");
}

#[test]
fn an_interface_that_there_is_not_is_told_before_anything_is_touched() {
    if !may() {
        return;
    }
    let rig = Rig::new();
    let air = Air::new(&rig, 11);
    let done =
        rig.ask(&["run", "--interface", "wlan7", "--emulator", &air.path().to_string_lossy()]);
    assert_eq!(done.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&done.stderr).contains("interface wlan7"));
}

/// A pass over ten thousand connections takes less than the time of a sample. The best of several
/// passes is measured, because other programs use the cores too. docs/agent-measurements.md has the
/// durations of passes.
#[test]
fn ten_thousand_connections_are_passed_over_within_a_sample() {
    if !may() {
        return;
    }
    let rig = Rig::new();
    let air = Air::new(&rig, 11);
    let connections = rig.idle_connections(10_000);
    let agent = rig.agent(&air, &[]);
    air.set(1);
    let status = || String::from_utf8(rig.ask(&["status", "--json"]).stdout).unwrap();
    eventually("all are limited", || status().contains("\"limited\":10000,"));
    let took = || -> f64 {
        let said = status();
        let (_, took) = said.split_once("\"pass_ms\":").unwrap();
        took.split(',').next().unwrap().parse().unwrap()
    };
    let mut best = f64::INFINITY;
    eventually("a pass is over within a sample", || {
        best = best.min(took());
        best <= SAMPLE.as_secs_f64() * 1e3
    });
    eprintln!("a pass over 10 000 connections: {best:.2} ms");
    let (status, said) = agent.end(libc::SIGTERM);
    assert_eq!(status, Some(0), "{said}");
    drop(connections);
}
