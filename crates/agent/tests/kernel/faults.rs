//! Tests of the agent on a machine with faults: missing features of the kernel, too many addresses,
//! and connections that end while the agent reads them.

use std::fs;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use crate::rig::{Agent, Air, Rig, churn, eventually, may, sh};

/// Starts the agent after the shell commands `done`, which change only the agent's view of the
/// machine: `ip netns exec` has given it mounts of its own.
fn agent_where(rig: &Rig, air: &Air, done: &str) -> Agent {
    let words =
        ["sh", "-ec", &format!("{done}; exec \"$@\""), "sh", env!("CARGO_BIN_EXE_airfair-agent")];
    rig.agent_by(&words.map(str::to_owned), air, &[])
}

/// Shell command that mounts a copy of the kernel's type information without these names over the
/// original. Each name is replaced by one of the same length, so that all others stay where they
/// are.
fn without(rig: &Rig, names: &[&str]) -> String {
    let types = rig.runtime.join("types");
    let hidden = names.iter().map(|name| format!("s/{name}/{}/;", "x".repeat(name.len())));
    let hidden: String = hidden.collect();
    let types = types.to_string_lossy();
    sh(&format!("LC_ALL=C sed '{hidden}' /sys/kernel/btf/vmlinux >{types}"));
    format!("mount --bind {types} /sys/kernel/btf/vmlinux")
}

/// Name of a kernel type. Without it libbpf takes the kernel for one without congestion control in
/// BPF.
const STRUCT_OPS: &str = "bpf_struct_ops_tcp_congestion_ops";

#[test]
fn a_kernel_without_struct_ops_has_its_senders_clamped_and_that_is_said() {
    if !may() {
        return;
    }
    let rig = Rig::new();
    let (air, flow) = (Air::new(&rig, 11), rig.watched_flow());
    eventually("the window has grown", || flow.window() > 60);
    let agent = agent_where(&rig, &air, &without(&rig, &[STRUCT_OPS]));
    assert!(
        agent
            .said()
            .contains("Windows of senders are limited by clamps instead of a congestion control:"),
        "{}",
        agent.said()
    );
    air.set(1);
    eventually("the window is limited", || flow.window() < 20);
    assert_eq!(flow.law(), "reno");
    air.set(11);
    eventually("the window is back", || flow.window() > 40);
    let (status, said) = agent.end(libc::SIGTERM);
    assert_eq!(status, Some(0), "{said}");
}

#[test]
fn a_kernel_with_neither_or_without_types_is_told_and_what_needs_none_works() {
    if !may() {
        return;
    }
    let rig = Rig::new();
    let air = Air::new(&rig, 11);
    let neither = without(&rig, &[STRUCT_OPS, "bpf_iter__tcp"]);
    let socket = air.path().to_string_lossy();
    let run = |done: &str, more: &str| {
        let agent = env!("CARGO_BIN_EXE_airfair-agent");
        let words = format!(
            "{done}; {agent} run --interface v0 --emulator {socket} --station it --for 1s {more}"
        );
        let done = std::process::Command::new("ip")
            .args(["netns", "exec", &rig.station, "sh", "-ec", &words])
            .env("RUNTIME_DIRECTORY", &rig.runtime)
            .output()
            .unwrap();
        (done.status.code(), String::from_utf8(done.stderr).unwrap())
    };
    let (status, said) = run(&neither, "");
    assert_eq!(status, Some(1), "{said}");
    assert!(said.contains("the kernel refused the BPF programs"), "{said}");
    let no_types = "mount -t tmpfs none /sys/kernel/btf";
    let (status, said) = run(no_types, "");
    assert_eq!(status, Some(1), "{said}");
    assert!(said.contains("this kernel has no type information"), "{said}");
    let (status, said) = run(no_types, "--dry-run");
    assert_eq!(status, Some(0), "{said}");
}

/// At an interface with 600 addresses, of which 512 can be watched, the agent reports this and
/// limits the connections that it watches.
#[test]
fn an_interface_with_too_many_addresses_has_the_connections_of_some_limited() {
    if !may() {
        return;
    }
    let rig = Rig::new();
    let (air, flow) = (Air::new(&rig, 11), rig.watched_flow());
    let add =
        (0..600).map(|it| format!("addr add 10.13.{}.{}/32 dev v0\n", it / 250, it % 250 + 1));
    let batch = rig.runtime.join("addresses");
    fs::write(&batch, add.collect::<String>()).unwrap();
    sh(&format!("ip -n {} -batch {}", rig.station, batch.display()));
    let agent = rig.agent(&air, &[]);
    air.set(1);
    eventually("it is said", || agent.said().contains("The interface has too many addresses"));
    eventually("the connection is taken", || flow.law() == "airfair");
    let (status, said) = agent.end(libc::SIGTERM);
    assert_eq!(status, Some(0), "{said}");
    assert_eq!(flow.law(), "reno");
}

/// Passes that set and remove limits succeed while about a hundred connections per second begin and
/// end.
#[test]
fn connections_that_end_during_a_pass_are_borne() {
    if !may() {
        return;
    }
    let rig = Rig::new();
    let (air, flow) = (Air::new(&rig, 11), rig.watched_flow());
    let agent = rig.agent(&air, &[]);
    let (end, count) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicU64::new(0)));
    let churning = churn(&rig.station, &rig.server, "10.11.0.2:0", (&end, &count));
    let go_on = || {
        let enough = count.load(Ordering::Relaxed) + 25;
        rig.for_samples(4);
        eventually("connections begin", || count.load(Ordering::Relaxed) >= enough);
    };
    for _ in 0..4 {
        air.set(1);
        eventually("the connection is taken", || flow.law() == "airfair");
        go_on();
        air.set(11);
        eventually("the connection is given back", || flow.law() == "reno");
    }
    end.store(true, Ordering::Relaxed);
    churning.join().unwrap();
    let (status, said) = agent.end(libc::SIGTERM);
    assert_eq!(status, Some(0), "{said}");
    assert!(!said.contains("refused"), "{said}");
    let restored = String::from_utf8(rig.ask(&["restore", "--json"]).stdout).unwrap();
    assert!(
        restored.contains("\"failed\":0") && restored.contains("\"given_back\":0"),
        "{restored}"
    );
}
