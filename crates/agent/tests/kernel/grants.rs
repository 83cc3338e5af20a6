//! An access point that grants and a station that keeps what it is granted, each with its own agent, over a real wire between two
//! namespaces and UDP.

use std::fs::{self, Permissions};
use std::net::{SocketAddr, UdpSocket};
use std::os::unix::fs::{PermissionsExt, chown};
use std::path::PathBuf;
use std::process::{Command, Output};
use std::thread;
use std::time::{Duration, Instant};

use crate::rig::{Agent, Air, Flow, eventually, inside, may, sh};
use crate::router::{ROUTER, Router, SERVER, STATION};
use crate::unit::{NOBODY, as_the_unit};

/// Length of a message, and the port.
const OCTETS: usize = 28;
const PORT: u16 = 8_011;

/// A station with an upload and a link of 6 Mb/s, for which 20 Mb/s are too much, behind an access point with an agent.
struct Cell {
    at_access_point: Option<Agent>,
    recordings: [PathBuf; 2],
    flow: Flow,
    airs: [Air; 2],
    station: PathBuf,
    router: Router,
}

impl Cell {
    fn new() -> Self {
        let router = Router::new();
        let station = router.runtime.join("station");
        fs::create_dir_all(&station).unwrap();
        let airs = [Air::of(&router.station(), &router.runtime, 6), Air::of("it", &station, 6)];
        let recordings = [&router.runtime, &station].map(|it| it.join("recording"));
        let to = recordings[0].to_string_lossy().into_owned();
        let at_access_point = Some(router.agent(&airs[0], "occupancy", &["--record", &to]));
        let flow = router.up(0);
        let it = Self { at_access_point, recordings, flow, airs, station, router };
        eventually("the access point limits it", || it.is_limited_on_its_way());
        it
    }

    /// The agent of the station, as its unit would start it: with a user of its own and three capabilities.
    fn agent(&self) -> Agent {
        let program = self.station.join("airfair-agent");
        fs::copy(env!("CARGO_BIN_EXE_airfair-agent"), &program).unwrap();
        for folder in [&self.router.runtime, &self.station] {
            fs::set_permissions(folder, Permissions::from_mode(0o777)).unwrap();
        }
        chown(&self.station, Some(NOBODY), Some(NOBODY)).unwrap();
        fs::set_permissions(self.airs[1].path(), Permissions::from_mode(0o777)).unwrap();
        let config = self.station.join("agent.toml");
        fs::write(&config, "scheme = \"occupancy\"\n").unwrap();
        chown(&config, Some(NOBODY), Some(NOBODY)).unwrap();
        let mut command = Command::new("ip");
        command.args(["netns", "exec", STATION]).args(as_the_unit()).arg(&program);
        command.args(["run", "--interface", "s0", "--station", "it", "--config"]).arg(&config);
        command.arg("--emulator").arg(self.airs[1].path());
        command.arg("--record").arg(&self.recordings[1]);
        command.env("RUNTIME_DIRECTORY", &self.station);
        Agent::begin(command)
    }

    /// What a command of the agent at the station says.
    fn ask(&self, arguments: &[&str]) -> Output {
        let mut command = self.router.command(arguments);
        command.env("RUNTIME_DIRECTORY", &self.station).output().unwrap()
    }

    /// Windows in the ACKs that the station gets are far below what the server writes into them.
    fn is_limited_on_its_way(&self) -> bool {
        (1..20_000).contains(&self.flow.number("snd_wnd:").unwrap_or_default())
    }

    fn status(&self) -> String {
        let said = self.router.command(&["status"]).output().unwrap();
        String::from_utf8(said.stdout).unwrap()
    }

    fn said_by_access_point(&self) -> String {
        self.at_access_point.as_ref().unwrap().said()
    }
}

/// Replays a recording: no difference, and so many decisions at least.
fn replays(cell: &Cell, recording: &std::path::Path) {
    let replayed = cell.ask(&["replay", &recording.to_string_lossy()]);
    let said = String::from_utf8(replayed.stdout).unwrap();
    assert!(replayed.status.success() && said.contains(" 0 differ"), "{said}");
    assert!(!said.contains(" 0 decisions"), "{said}");
}

/// The station's windows are small all the time, first by the ACKs that the access point forwards, then by its own agent, and by
/// the ACKs again within a second or so of that one's death.
#[test]
fn a_station_with_an_agent_keeps_to_its_grant_and_is_left_alone_until_it_is_silent_for_a_second() {
    if !may() {
        return;
    }
    let mut it = Cell::new();
    let agent = it.agent();
    eventually("grants come", || agent.said().contains("receives grants from 10.11.0.1"));
    eventually("it is left alone", || !it.is_limited_on_its_way());
    eventually("it limits itself", || it.flow.window() < 20);
    assert!(it.status().contains("limits itself"), "{}", it.status());
    assert!(
        it.said_by_access_point()
            .contains("limits itself to its share, so the access point does not limit it.")
    );
    let own = String::from_utf8(it.ask(&["status"]).stdout).unwrap();
    assert!(own.contains("grants     received from 10.11.0.1"), "{own}");
    thread::sleep(Duration::from_millis(500));
    assert!(it.flow.window() < 20 && !it.is_limited_on_its_way());
    agent.end(libc::SIGKILL);
    let killed = Instant::now();
    // The guardian takes its clamps away at once.
    eventually("the access point limits it again", || it.is_limited_on_its_way());
    assert!(killed.elapsed() < Duration::from_millis(1_500), "{:?}", killed.elapsed());
    assert!(!it.status().contains("limits itself"), "{}", it.status());
    let (status, said) = it.at_access_point.take().unwrap().end(libc::SIGTERM);
    assert_eq!(status, Some(0), "{said}");
    assert_eq!(said.matches("keeps to its share itself").count(), 1, "{said}");
    replays(&it, &it.recordings[0]);
}

/// Fails open: without grants a station limits nothing after a second, and says so once. It goes on to ask once a second.
#[test]
fn a_station_whose_access_point_grants_no_more_limits_nothing_after_a_second() {
    if !may() {
        return;
    }
    let mut it = Cell::new();
    let agent = it.agent();
    eventually("it limits itself", || !it.is_limited_on_its_way() && it.flow.window() < 20);
    it.at_access_point.take().unwrap().end(libc::SIGKILL);
    let killed = Instant::now();
    eventually("it is free", || it.flow.window() > 40);
    assert!(killed.elapsed() < Duration::from_secs(2), "{:?}", killed.elapsed());
    eventually("it is said", || agent.said().contains("receives no grants from 10.11.0.1"));
    let questions = questions_in(Duration::from_millis(2_500));
    assert!((2..=3).contains(&questions), "{questions}");
    let (status, said) = agent.end(libc::SIGTERM);
    assert_eq!(status, Some(0), "{said}");
    assert_eq!(said.matches("receives no grants").count(), 1, "{said}");
    assert_eq!(said.matches("Windows are not limited").count(), 1, "{said}");
    replays(&it, &it.recordings[1]);
}

/// Questions that come to an access point whose agent is gone.
fn questions_in(time: Duration) -> usize {
    let socket = inside(ROUTER, || UdpSocket::bind(("10.11.0.1", PORT)).unwrap());
    let end = Instant::now() + time;
    let is_there = || {
        let left = end.saturating_duration_since(Instant::now()).max(Duration::from_millis(1));
        socket.set_read_timeout(Some(left)).unwrap();
        socket.recv(&mut [0; OCTETS]).is_ok().then_some(())
    };
    std::iter::from_fn(is_there).count()
}

/// What is no question is not answered, and who asks once is answered once, by as many octets.
#[test]
fn an_access_point_answers_questions_alone_and_each_once() {
    if !may() {
        return;
    }
    let _it = Cell::new();
    let socket = inside(STATION, || UdpSocket::bind("10.11.0.2:0").unwrap());
    socket.set_read_timeout(Some(Duration::from_millis(500))).unwrap();
    let to: SocketAddr = ([10, 11, 0, 1], PORT).into();
    let mut question =
        *b"AFGR\x01\x01\0\0\x01\x02\x03\x04\x05\x06\x07\x08\0\0\0\x09\0\0\0\0\0\0\0\0";
    for bad in [&question[..27], &[0; OCTETS], &[0xff; 1_400], &[]] {
        socket.send_to(bad, to).unwrap();
    }
    let mut answer = [0; 64];
    assert!(socket.recv_from(&mut answer).is_err(), "{answer:?}");
    socket.send_to(&question, to).unwrap();
    let (size, from) = socket.recv_from(&mut answer).unwrap();
    assert_eq!((size, from, answer[5]), (OCTETS, to, 2));
    assert_eq!(answer[8..20], question[8..20]);
    assert!(socket.recv_from(&mut answer).is_err(), "twice");
    // Once more the same is old.
    socket.send_to(&question, to).unwrap();
    assert!(socket.recv_from(&mut answer).is_err());
    question[19] += 1;
    socket.send_to(&question, to).unwrap();
    assert!(socket.recv_from(&mut answer).is_ok());
    let six = inside(STATION, || UdpSocket::bind("[fd11::2]:0").unwrap());
    six.set_read_timeout(Some(Duration::from_millis(500))).unwrap();
    six.send_to(&question, format!("[fd11::1]:{PORT}")).unwrap();
    assert!(six.recv_from(&mut answer).is_ok(), "by IPv6");
    // Nobody at another interface is heard.
    let elsewhere = inside(SERVER, || UdpSocket::bind("10.12.0.2:0").unwrap());
    elsewhere.set_read_timeout(Some(Duration::from_millis(300))).unwrap();
    question[19] += 1;
    elsewhere.send_to(&question, to).unwrap();
    assert!(elsewhere.recv_from(&mut answer).is_err());
}

#[test]
fn an_access_point_whose_interface_comes_back_answers_again() {
    if !may() {
        return;
    }
    let _it = Cell::new();
    sh(&format!(
        "ip -n {ROUTER} link del wlan0; ip -n {ROUTER} link add wlan0 type veth peer name s0 netns {STATION}
        for it in '{ROUTER} wlan0 1' '{STATION} s0 2'; do set -- $it
            ip -n $1 addr add 10.11.0.$3/24 dev $2; ip -n $1 link set $2 up; done"
    ));
    let socket = inside(STATION, || UdpSocket::bind("10.11.0.2:0").unwrap());
    socket.set_read_timeout(Some(Duration::from_millis(200))).unwrap();
    let (mut number, mut answer) = (0_u8, [0; 64]);
    eventually("it answers", || {
        number += 1;
        let mut question = [0; OCTETS];
        question[..8].copy_from_slice(b"AFGR\x01\x01\0\0");
        question[19] = number;
        let _ = socket.send_to(&question, ("10.11.0.1", PORT));
        socket.recv_from(&mut answer).is_ok()
    });
}
