//! Tests of an access point that grants airtime shares and a station that keeps to its grant, each
//! with an agent, over UDP and a wire between two namespaces.

use std::fs::{self, Permissions};
use std::net::{SocketAddr, UdpSocket};
use std::os::unix::fs::{PermissionsExt, chown};
use std::path::PathBuf;
use std::process::{Command, Output};
use std::time::{Duration, Instant};

use crate::rig::{Agent, Air, Flow, eventually, for_samples, inside, may, sh, within};
use crate::router::{ROUTER, Router, SERVER, STATION};
use crate::unit::{NOBODY, as_the_unit};

/// Length of a request for a grant and of its reply [octets].
const OCTETS: usize = 28;
/// Default UDP port of grants.
const PORT: u16 = 8_011;
/// Time within which the end of grants or of requests takes effect: both are valid for one second,
/// and then a sample has to come and a window to grow. If they did not expire, this would never
/// happen.
const SILENCE: Duration = Duration::from_millis(1_500);
/// Longest time in which a message from an agent arrives over the wire on a busy machine.
const ANSWER: Duration = Duration::from_secs(20);
/// Time for which a test waits to see that no message comes.
const NO_ANSWER: Duration = Duration::from_millis(500);

/// Station with an upload and a link of 6 Mb/s, which cannot carry 20 Mb/s, behind an access point
/// with an agent.
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

    /// Starts the agent of the station as its systemd unit would: as a separate user with the
    /// capabilities of the unit.
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

    /// Output of a command of the agent at the station.
    fn ask(&self, arguments: &[&str]) -> Output {
        let mut command = self.router.command(arguments);
        command.env("RUNTIME_DIRECTORY", &self.station).output().unwrap()
    }

    /// True if the windows in ACKs to the station are far below those that the server has written.
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

/// Replays a recording, and checks that there are decisions and that none differs.
fn replays(cell: &Cell, recording: &std::path::Path) {
    let replayed = cell.ask(&["replay", &recording.to_string_lossy()]);
    let said = String::from_utf8(replayed.stdout).unwrap();
    assert!(replayed.status.success() && said.contains(" 0 differ"), "{said}");
    assert!(!said.contains(" 0 decisions"), "{said}");
}

/// A station with an agent keeps to its grant, and the access point limits it when its agent is
/// silent. The station's windows are limited first by the ACKs that the access point forwards, then
/// by the station's own agent, and within about a second of that agent's death by the ACKs again.
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
    for_samples(5, |arguments| it.ask(arguments), || ());
    // The window was small before, as the access point had it so. Some samples later it is where its own agent has it so.
    let is_kept = || it.flow.window() < 20 && !it.is_limited_on_its_way();
    eventually("it goes on to limit itself", is_kept);
    agent.end(libc::SIGKILL);
    // The guardian takes its clamps away at once.
    within(SILENCE, "the access point limits it again", || it.is_limited_on_its_way());
    assert!(!it.status().contains("limits itself"), "{}", it.status());
    let (status, said) = it.at_access_point.take().unwrap().end(libc::SIGTERM);
    assert_eq!(status, Some(0), "{said}");
    assert_eq!(said.matches("limits itself to its share").count(), 1, "{said}");
    replays(&it, &it.recordings[0]);
}

/// After a second without grants the station limits nothing, reports this once, and continues to
/// ask once a second.
#[test]
fn a_station_whose_access_point_grants_no_more_limits_nothing_after_a_second() {
    if !may() {
        return;
    }
    let mut it = Cell::new();
    let agent = it.agent();
    eventually("it limits itself", || !it.is_limited_on_its_way() && it.flow.window() < 20);
    it.at_access_point.take().unwrap().end(libc::SIGKILL);
    within(SILENCE, "it is free", || it.flow.window() > 40);
    eventually("it is said", || agent.said().contains("receives no grants from 10.11.0.1"));
    // Three seconds, but for the time that the first one may have waited for this thread. Ten in a second would take 0.3 s.
    let took = time_of_questions(4);
    assert!(took > Duration::from_secs(2), "{took:?}");
    let (status, said) = agent.end(libc::SIGTERM);
    assert_eq!(status, Some(0), "{said}");
    assert_eq!(said.matches("receives no grants").count(), 1, "{said}");
    assert_eq!(said.matches("Windows are not limited").count(), 1, "{said}");
    replays(&it, &it.recordings[1]);
}

/// Time from the first to the last of `count` requests that arrive at an access point whose agent
/// has ended.
fn time_of_questions(count: usize) -> Duration {
    let socket = inside(ROUTER, || UdpSocket::bind(("10.11.0.1", PORT)).unwrap());
    socket.set_read_timeout(Some(ANSWER)).unwrap();
    let next = || {
        socket.recv(&mut [0; OCTETS]).unwrap();
        Instant::now()
    };
    let first = next();
    (1..count).fold(first, |_, _| next()) - first
}

/// Message that arrives at a socket within some time, and its sender's address; `None` if none
/// arrives.
fn heard(socket: &UdpSocket, time: Duration) -> Option<(Vec<u8>, SocketAddr)> {
    socket.set_read_timeout(Some(time)).unwrap();
    let mut octets = [0; 64];
    let (size, from) = socket.recv_from(&mut octets).ok()?;
    Some((octets[..size].to_vec(), from))
}

/// An access point replies to each valid request once, with the same length, and not to malformed
/// requests.
#[test]
fn an_access_point_answers_questions_alone_and_each_once() {
    if !may() {
        return;
    }
    let _it = Cell::new();
    let socket = inside(STATION, || UdpSocket::bind("10.11.0.2:0").unwrap());
    let to: SocketAddr = ([10, 11, 0, 1], PORT).into();
    let mut question =
        *b"AFGR\x01\x01\0\0\x01\x02\x03\x04\x05\x06\x07\x08\0\0\0\x09\0\0\0\0\0\0\0\0";
    for bad in [&question[..27], &[0; OCTETS], &[0xff; 1_400], &[]] {
        socket.send_to(bad, to).unwrap();
    }
    assert_eq!(heard(&socket, NO_ANSWER), None);
    socket.send_to(&question, to).unwrap();
    let (answer, from) = heard(&socket, ANSWER).unwrap();
    assert_eq!((answer.len(), from, answer[5]), (OCTETS, to, 2));
    assert_eq!(answer[8..20], question[8..20]);
    assert_eq!(heard(&socket, NO_ANSWER), None, "twice");
    // Once more the same is old.
    socket.send_to(&question, to).unwrap();
    assert_eq!(heard(&socket, NO_ANSWER), None);
    question[19] += 1;
    socket.send_to(&question, to).unwrap();
    assert!(heard(&socket, ANSWER).is_some());
    let six = inside(STATION, || UdpSocket::bind("[fd11::2]:0").unwrap());
    six.send_to(&question, format!("[fd11::1]:{PORT}")).unwrap();
    assert!(heard(&six, ANSWER).is_some(), "by IPv6");
    // Nobody at another interface is heard.
    let elsewhere = inside(SERVER, || UdpSocket::bind("10.12.0.2:0").unwrap());
    question[19] += 1;
    elsewhere.send_to(&question, to).unwrap();
    assert_eq!(heard(&elsewhere, NO_ANSWER), None);
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
    let mut number = 0_u16;
    eventually("it answers", || {
        number += 1;
        let mut question = [0; OCTETS];
        question[..8].copy_from_slice(b"AFGR\x01\x01\0\0");
        question[18..20].copy_from_slice(&number.to_be_bytes());
        let _ = socket.send_to(&question, ("10.11.0.1", PORT));
        heard(&socket, Duration::from_millis(200)).is_some()
    });
}
