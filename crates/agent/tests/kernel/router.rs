//! Router between a station and a server in place of an access point, with the actuator or the
//! agent.

use std::fs;
use std::path::PathBuf;
use std::process::Command;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::Duration;

use airfair_agent::actuator::Actuator;
use airfair_agent::actuator::forward::Forwarded;
use airfair_agent::decision::{ConnectionLimit, Decision};

use super::rig::{Agent, Air, Flow, Turn, inside, sh};

/// Namespace of the station.
pub(super) const STATION: &str = "airfair-laptop";
/// Namespace of the router.
pub(super) const ROUTER: &str = "airfair-router";
/// Namespace of the server.
pub(super) const SERVER: &str = "airfair-site";
/// IPv4 and IPv6 address of the router, with any port.
pub(super) const TO_ROUTER: [&str; 2] = ["10.11.0.1:0", "[fd11::1]:0"];
/// IPv4 and IPv6 address of the server, with any port.
pub(super) const TO_SERVER: [&str; 2] = ["10.12.0.2:0", "[fd12::2]:0"];
/// IPv4 and IPv6 address of the station, with any port.
pub(super) const TO_STATION: [&str; 2] = ["10.11.0.2:0", "[fd11::2]:0"];

/// Three namespaces in a row: interface `s0` of the station leads to `wlan0` of the router, and
/// `wire` of the router to `e0` of the server. The router sends 20 Mb/s in each direction.
pub(super) struct Router {
    pub(super) runtime: PathBuf,
    _turn: Turn,
}

fn take_away() {
    for namespace in [STATION, ROUTER, SERVER] {
        let _ = Command::new("ip").args(["netns", "del", namespace]).output();
    }
}

impl Router {
    pub(super) fn new() -> Self {
        let turn = Turn::wait();
        take_away();
        sh(&format!(
            "set -e; for it in {STATION} {ROUTER} {SERVER}; do ip netns add $it; ip -n $it link set lo up; done
            ip -n {ROUTER} link add wlan0 type veth peer name s0 netns {STATION}
            ip -n {ROUTER} link add wire type veth peer name e0 netns {SERVER}
            wire() {{ ip -n $1 addr add 10.$3.0.$4/24 dev $2; ip -n $1 addr add fd$3::$4/64 dev $2 nodad; ip -n $1 link set $2 up; }}
            wire {ROUTER} wlan0 11 1; wire {STATION} s0 11 2; wire {ROUTER} wire 12 1; wire {SERVER} e0 12 2
            ip -n {STATION} route add default via 10.11.0.1; ip -n {STATION} route add default via fd11::1
            ip -n {SERVER} route add default via 10.12.0.1; ip -n {SERVER} route add default via fd12::1
            ip netns exec {ROUTER} sh -c 'echo 1 > /proc/sys/net/ipv4/ip_forward
                echo 1 > /proc/sys/net/ipv6/conf/all/forwarding
                for it in wlan0 wire; do tc qdisc add dev $it root tbf rate 20mbit burst 20k limit 300k; done'
            for it in {STATION} {SERVER}; do
                ip netns exec $it sh -c 'echo 1 > /proc/sys/net/ipv4/tcp_no_metrics_save'; done"
        ));
        let runtime =
            std::env::temp_dir().join(format!("airfair-agent-router-{}", std::process::id()));
        fs::create_dir_all(&runtime).unwrap();
        Self { runtime, _turn: turn }
    }

    /// Begins a flow from the station to the server, by IPv4 (`version` 0) or IPv6 (1).
    #[expect(clippy::unused_self, reason = "the namespaces are its")]
    pub(super) fn up(&self, version: usize) -> Flow {
        Flow::begin(STATION, SERVER, TO_SERVER[version], "reno")
    }

    /// Begins a flow from the server to the station, by IPv4 (`version` 0) or IPv6 (1).
    #[expect(clippy::unused_self, reason = "the namespaces are its")]
    pub(super) fn down(&self, version: usize) -> Flow {
        Flow::begin(SERVER, STATION, TO_STATION[version], "reno")
    }

    /// Number of TCP segments with a wrong checksum that station and server have received.
    #[expect(clippy::unused_self, reason = "the namespaces are its")]
    pub(super) fn wrong_checksums(&self) -> u64 {
        let count = |namespace| {
            let said =
                sh(&format!("ip netns exec {namespace} nstat -asz TcpInCsumErrors Ip6InDiscards"));
            let line = said.lines().find(|line| line.starts_with("TcpInCsumErrors")).unwrap();
            line.split_whitespace().nth(1).unwrap().parse::<u64>().unwrap()
        };
        count(STATION) + count(SERVER)
    }

    /// MAC address of the station at the wire that takes the place of the air.
    #[expect(clippy::unused_self, reason = "the namespaces are its")]
    pub(super) fn station(&self) -> String {
        let said = sh(&format!("ip netns exec {STATION} cat /sys/class/net/s0/address"));
        said.trim().to_owned()
    }

    /// Command that runs the agent's program with these arguments in the namespace of the router.
    pub(super) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new("ip");
        command.args(["netns", "exec", ROUTER, env!("CARGO_BIN_EXE_airfair-agent")]);
        command.args(arguments).env("RUNTIME_DIRECTORY", &self.runtime);
        command
    }

    /// Starts the agent at the router with a scheme. `air` is the source of its samples; `more` are
    /// further arguments after `run`.
    pub(super) fn agent(&self, air: &Air, scheme: &str, more: &[&str]) -> Agent {
        let config = self.runtime.join("agent.toml");
        fs::write(&config, format!("scheme = \"{scheme}\"\n")).unwrap();
        let mut command = self.command(&["run", "--interface", "wlan0", "--config"]);
        command.arg(&config).arg("--emulator").arg(air.path()).args(more);
        Agent::begin(command)
    }

    /// Output of `tc` on the qdiscs and filters of the router's interface `wlan0`.
    #[expect(clippy::unused_self, reason = "the namespaces are its")]
    pub(super) fn filters(&self) -> String {
        sh(&format!(
            "ip netns exec {ROUTER} sh -c 'tc qdisc show dev wlan0; tc filter show dev wlan0 ingress; \
             tc filter show dev wlan0 egress'"
        ))
    }
}

impl Drop for Router {
    fn drop(&mut self) {
        take_away();
        let _ = fs::remove_dir_all(&self.runtime);
    }
}

type Task = Box<dyn FnOnce(&mut Forwarded) + Send>;

/// Thread with the actuator in the router, to which it gives a sign of life every tenth of a
/// second.
pub(super) struct Hand {
    tasks: Option<Sender<Task>>,
    thread: Option<thread::JoinHandle<()>>,
}

impl Hand {
    /// Starts the actuator with this minimum window [segments].
    pub(super) fn new(least: u32) -> Self {
        let (tasks, incoming) = channel();
        let thread = thread::spawn(move || inside(ROUTER, move || serve(least, &incoming)));
        let hand = Self { tasks: Some(tasks), thread: Some(thread) };
        hand.with(|_| ());
        hand
    }

    /// Runs `what` with the actuator in its thread, and returns the result.
    pub(super) fn with<T: Send + 'static>(
        &self,
        what: impl FnOnce(&mut Forwarded) -> T + Send + 'static,
    ) -> T {
        let (answer, answered) = channel();
        let task: Task = Box::new(move |it| answer.send(what(it)).unwrap());
        self.tasks.as_ref().unwrap().send(task).unwrap();
        answered.recv().unwrap()
    }

    /// Limits both directions of a flow from or to the station [octets].
    pub(super) fn limit(&self, flow: &Flow, octets: u32) {
        let [from, to] = flow.ends();
        let of_station = TO_STATION.iter().any(|it| {
            let it: std::net::SocketAddr = it.parse().unwrap();
            it.ip() == from.ip()
        });
        let ends = if of_station { [from, to] } else { [to, from] };
        let window = ConnectionLimit { ends, up: Some(octets), down: Some(octets) };
        self.with(move |it| it.apply(&Decision::Windows(vec![window])).unwrap());
    }

    /// Removes all limits of the actuator.
    pub(super) fn lift(&self) {
        self.with(|it| it.apply(&Decision::Lift).unwrap());
    }
}

fn serve(least: u32, tasks: &Receiver<Task>) {
    let mut forwarded = Forwarded::load("wlan0", least).unwrap();
    loop {
        match tasks.recv_timeout(Duration::from_millis(100)) {
            Ok(task) => task(&mut forwarded),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return,
        }
        forwarded.beat().unwrap();
    }
}

impl Drop for Hand {
    fn drop(&mut self) {
        self.tasks = None;
        let _ = self.thread.take().unwrap().join();
    }
}
