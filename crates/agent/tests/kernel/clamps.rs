//! Tests of window clamps on a station's downloads and, where the kernel supports no congestion
//! control in BPF, on its senders; and tests of the guardian process that removes clamps.

use std::fs;
use std::thread;

use crate::rig::{Agent, Air, Flow, LIFTED, Rig, eventually, may, sh, within};

fn agent(rig: &Rig, air: &Air, settings: &str) -> Agent {
    let config = rig.runtime.join("clamps.toml");
    fs::write(&config, format!("[arf-aware]\nhighest_rate = \"11 Mb/s\"\n{settings}\n")).unwrap();
    rig.agent(air, &["--config", &config.to_string_lossy()])
}

/// Begins two downloads of the station: one over the wire that the agent watches, the other one
/// over the other wire. The server sends 20 Mb/s over each.
pub(super) fn downloads(rig: &Rig) -> [Flow; 2] {
    for wire in ["v1", "w1"] {
        let _ = std::process::Command::new("ip")
            .args(["netns", "exec", &rig.server, "tc", "qdisc", "add", "dev", wire, "root", "tbf"])
            .args(["rate", "20mbit", "burst", "20k", "limit", "150k"])
            .output();
    }
    ["10.11.0.1:0", "10.12.0.1:0"].map(|to| Flow::begin(&rig.server, &rig.station, to, "reno"))
}

/// Station at 11 Mb/s with two downloads whose windows have grown, and an agent that limits
/// downloads.
struct Download {
    agent: Agent,
    air: Air,
    flow: Flow,
    other: Flow,
    rig: Rig,
}

impl Download {
    fn new() -> Self {
        let rig = Rig::new();
        let (air, [flow, other]) = (Air::new(&rig, 11), downloads(&rig));
        eventually("windows have grown", || offered(&flow) > FREE && offered(&other) > FREE);
        let agent = agent(&rig, &air, "receivers = true");
        Self { agent, air, flow, other, rig }
    }

    /// Makes the link slow, and waits until the agent has clamped the receive window of the watched
    /// flow. Waits first for the end of the agent's pass over the sockets, because a receiver that
    /// has had no time to read offers a small window even without a clamp.
    fn slow_down(&self) {
        self.air.set(1);
        eventually("the pass is over", || self.agent.said().contains("divided by 11"));
        eventually("the window is limited", || self.is_limited());
    }

    fn is_limited(&self) -> bool {
        is_limited(&self.rig, &self.flow)
    }

    fn is_free(&self) -> bool {
        offered(&self.flow) > FREE
    }
}

/// Receive window that the sender of a flow knows [octets].
pub(super) fn offered(flow: &Flow) -> u64 {
    flow.number("snd_wnd:").unwrap()
}

/// Size beyond which windows without a limit have grown [octets].
pub(super) const FREE: u64 = 150_000;

/// True if the window of a flow is at most 1/k, with k = 11, of the data that the receiver takes in
/// a round trip, rounded up to a unit of the window scale of 1024 octets. The window may be smaller
/// while there is data to read, or if memory is short.
fn is_limited(rig: &Rig, flow: &Flow) -> bool {
    let taken = flow.number_there(&rig.station, "rcv_space:").unwrap();
    offered(flow) <= (taken / 11).max(2 * 1_448) + 1_024
}

/// Process id of an agent's guardian process.
fn guardian(agent: &Agent) -> i32 {
    sh(&format!("pgrep -P {}", agent.process())).trim().parse().unwrap()
}

fn signal(process: i32, name: &str) {
    sh(&format!("kill -{name} {process}"));
}

#[test]
fn downloads_of_a_slow_link_have_a_kth_of_their_window_and_get_it_back() {
    if !may() {
        return;
    }
    let it = Download::new();
    it.slow_down();
    it.flow.move_on(500_000, || assert!(it.is_limited(), "it stays so: {}", offered(&it.flow)));
    eventually("the negative control is free", || offered(&it.other) > FREE);
    it.air.set(11);
    eventually("the window is back", || it.is_free());
    let (status, said) = it.agent.end(libc::SIGTERM);
    assert_eq!(status, Some(0), "{said}");
}

/// Clamps are removed within a second after the agent is killed or hangs: the guardian process
/// outlives the agent, and does all that `restore` could do.
#[test]
fn clamps_lift_within_a_second_of_kill_9_or_of_a_hang() {
    if !may() {
        return;
    }
    let it = Download::new();
    it.slow_down();
    let process = i32::try_from(it.agent.process()).unwrap();
    signal(process, "STOP");
    within(LIFTED, "the window is back", || it.is_free());
    signal(process, "CONT");
    eventually("the window is limited again", || it.is_limited());
    let guardian = guardian(&it.agent);
    signal(process, "KILL");
    within(LIFTED, "the window is back", || it.is_free());
    eventually("the guardian is gone", || !fs::exists(format!("/proc/{guardian}")).unwrap());
}

#[test]
fn an_agent_without_its_guardian_gives_back_and_ends() {
    if !may() {
        return;
    }
    let it = Download::new();
    it.slow_down();
    signal(guardian(&it.agent), "KILL");
    eventually("the window is back", || it.is_free());
    eventually("it is said", || it.agent.said().contains("the guardian process has ended"));
}

/// Without agent and guardian process a connection keeps its clamp until it ends, and new
/// connections have none.
#[test]
fn clamps_of_an_agent_killed_with_its_guardian_end_with_their_connections() {
    if !may() {
        return;
    }
    let it = Download::new();
    it.slow_down();
    let guardian = guardian(&it.agent);
    sh(&format!("kill -KILL {guardian} {}", it.agent.process()));
    // Somebody who lifted it would have done so by now.
    thread::sleep(2 * LIFTED);
    assert!(it.is_limited(), "{}", offered(&it.flow));
    let [next, _] = downloads(&it.rig);
    eventually("a new one is free", || !is_limited(&it.rig, &next));
}

/// Where the kernel supports no congestion control in BPF, clamps limit the senders, which grow
/// again when the link is fast.
///
/// Verifies: [arf-aware-tcp §3]
#[test]
fn senders_are_clamped_where_the_kernel_takes_no_congestion_control_and_grow_to_what_they_had_and_beyond()
 {
    if !may() {
        return;
    }
    let rig = Rig::new();
    let air = Air::new(&rig, 11);
    let (flow, other) = (rig.watched_flow(), rig.flow("10.12.0.2:0", "reno"));
    eventually("windows have grown", || flow.window() > 60 && other.window() > 60);
    let agent = agent(&rig, &air, "senders = \"clamp\"");
    let passes = || agent.said().matches("divided by 11").count();
    // The wire and its buffer hold some 105 segments: behind a loss there is room to grow for a while.
    let before = flow.pause_with(45..65);
    air.set(1);
    eventually("the pass is over", || passes() == 1);
    // The window on entry is the one at rest; the kernel lowers it at the next ACK.
    let limit = (before / 11).max(2);
    flow.resume();
    eventually("the window is limited", || flow.window() <= limit);
    let (mut windows, mut others) = (Vec::new(), 0);
    // In the round trips of 1380 segments Reno's would grow beyond 50. A loss may take it below its limit for a while.
    flow.move_on(2_000_000, || {
        windows.push(flow.window());
        others = others.max(other.window());
    });
    assert_eq!(windows.iter().max(), Some(&limit), "{windows:?}");
    assert!(others > 4 * limit, "the negative control: {others}");
    assert_eq!(flow.law(), "reno");
    air.set(11);
    // Up to what it was at once, and beyond that as Reno does, until it loses.
    eventually("the window grows beyond what it was", || flow.window() > before);
    let before = flow.pause_with(45..1_000);
    air.set(1);
    eventually("the pass is over", || passes() == 2);
    let limit = before / 11;
    flow.resume();
    eventually("the window is limited again", || flow.window() <= limit);
    agent.end(libc::SIGKILL);
    within(LIFTED, "the window is back", || flow.window() > 6 * limit);
}
