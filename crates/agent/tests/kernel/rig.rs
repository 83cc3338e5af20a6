//! Rig for tests of the agent: two namespaces with slow wires between them, TCP flows over the
//! wires, and an agent in the first namespace.

#![expect(unsafe_code, reason = "a thread enters a namespace by a call of C")]

use std::fs::{self, File};
use std::io::{BufRead, BufReader, ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::os::fd::AsRawFd;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::PathBuf;
use std::process::{Child, Command, Output, Stdio};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use airfair_agent::actuator::LIFETIME;

/// Default time between two samples, within which the work for a sample has to be done.
pub(super) const SAMPLE: Duration = Duration::from_millis(100);

/// Lock for the namespaces of the tests and the kernel's congestion control `airfair`. Only one
/// test on a machine holds the lock at a time, also among test runs in parallel.
pub(super) struct Turn {
    _here: MutexGuard<'static, ()>,
    _on_this_machine: File,
}

impl Turn {
    pub(super) fn wait() -> Self {
        static ONE: Mutex<()> = Mutex::new(());
        let here = ONE.lock().unwrap_or_else(PoisonError::into_inner);
        let file = File::create(std::env::temp_dir().join("airfair-agent-tests.lock")).unwrap();
        file.lock().unwrap();
        Self { _here: here, _on_this_machine: file }
    }
}

/// True if this process may create namespaces; otherwise prints that the test is left out.
pub(super) fn may() -> bool {
    let name = format!("airfair-try-{}", std::process::id());
    let made = Command::new("ip").args(["netns", "add", &name]).output();
    let is_made = made.is_ok_and(|it| it.status.success());
    if is_made {
        let _ = Command::new("ip").args(["netns", "del", &name]).output();
    } else {
        eprintln!("left out: network namespaces and BPF need root, and iproute2");
    }
    is_made
}

/// Runs a shell command that must succeed, and returns its standard output.
pub(super) fn sh(line: &str) -> String {
    let done = Command::new("sh").args(["-c", line]).output().unwrap();
    assert!(done.status.success(), "{line}: {}", String::from_utf8_lossy(&done.stderr));
    String::from_utf8(done.stdout).unwrap()
}

/// Runs `what` in a namespace, in a thread of its own, and returns the result.
pub(super) fn inside<T: Send + 'static>(
    namespace: &str,
    what: impl FnOnce() -> T + Send + 'static,
) -> T {
    let file = File::open(format!("/run/netns/{namespace}")).unwrap();
    let enter = move || {
        // SAFETY: the descriptor is of a namespace; this thread alone moves, and it ends behind this.
        let result = unsafe { libc::setns(file.as_raw_fd(), libc::CLONE_NEWNET) };
        assert_eq!(result, 0, "setns");
        what()
    };
    thread::spawn(enter).join().unwrap()
}

/// Processor time of this thread, which does not include the time of other programs.
pub(super) fn processor_time() -> Duration {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the pointer is to a value of the type asked for.
    unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &raw mut time) };
    Duration::new(time.tv_sec.try_into().unwrap(), time.tv_nsec.try_into().unwrap())
}

/// Waits until a condition is true. Panics with the text `what` if this takes more than 20 s.
pub(super) fn eventually(what: &str, is_so: impl FnMut() -> bool) {
    within(Duration::from_secs(20), what, is_so);
}

/// Time within which the limits of an agent that was killed or hangs are gone: its orders run out
/// within [`LIFETIME`], and then windows grow. A limit that fails to lift lasts as long as its
/// connection.
pub(super) const LIFTED: Duration = {
    assert!(LIFETIME.as_nanos() < 1_000_000_000);
    Duration::from_secs(1)
};

/// Waits until a condition is true, for at most `time`; otherwise panics with the text `what`. The
/// time is the sum of this thread's naps. It includes neither the checks of the condition nor late
/// wake-ups, so that the limit is several times as long on a busy machine, where the condition
/// takes longer too.
pub(super) fn within(time: Duration, what: &str, mut is_so: impl FnMut() -> bool) {
    const NAP: Duration = Duration::from_millis(20);
    let mut slept = Duration::ZERO;
    while !is_so() {
        assert!(slept <= time, "not within {time:?}: {what}");
        thread::sleep(NAP);
        slept += NAP;
    }
}

/// Waits until an agent has taken `count` more samples, at most one per [`SAMPLE`]. `ask` runs a
/// command of the agent, and `look` is called before each question.
pub(super) fn for_samples(
    count: u64,
    mut ask: impl FnMut(&[&str]) -> Output,
    mut look: impl FnMut(),
) {
    let mut samples = || {
        let said = String::from_utf8(ask(&["status", "--json"]).stdout).unwrap();
        let (_, samples) = said.split_once("\"samples\":").unwrap_or_else(|| panic!("{said}"));
        samples.split(',').next().unwrap().parse::<u64>().unwrap()
    };
    let end = samples() + count;
    eventually("samples are taken", || {
        look();
        samples() >= end
    });
}

/// Two namespaces, `station` and `server`, with two wires of 20 Mb/s between them: from `v0`, which
/// the agent watches, to `v1`, and from `w0` to `w1`.
pub(super) struct Rig {
    pub(super) station: String,
    pub(super) server: String,
    pub(super) runtime: PathBuf,
    _turn: Turn,
}

impl Rig {
    pub(super) fn new() -> Self {
        let turn = Turn::wait();
        let (station, server) = ("airfair-station".to_owned(), "airfair-server".to_owned());
        let _ = Command::new("ip").args(["netns", "del", &station]).output();
        let _ = Command::new("ip").args(["netns", "del", &server]).output();
        sh(&format!(
            "set -e; ip netns add {station}; ip netns add {server}
            ip -n {station} link add v0 type veth peer name v1 netns {server}
            ip -n {station} link add w0 type veth peer name w1 netns {server}
            for it in 'v 10.11' 'w 10.12'; do set -- $it
                ip -n {station} addr add $2.0.1/24 dev ${{1}}0; ip -n {station} link set ${{1}}0 up
                ip -n {server} addr add $2.0.2/24 dev ${{1}}1; ip -n {server} link set ${{1}}1 up
                ip netns exec {station} tc qdisc add dev ${{1}}0 root tbf rate 20mbit burst 20k limit 150k
            done
            ip -n {station} addr add fd11::1/64 dev v0 nodad; ip -n {server} addr add fd11::2/64 dev v1 nodad
            for it in {station} {server}; do ip -n $it link set lo up
                ip netns exec $it sh -c 'echo reno > /proc/sys/net/ipv4/tcp_congestion_control
                echo 1 > /proc/sys/net/ipv4/tcp_no_metrics_save
                echo 0 > /proc/sys/net/ipv4/tcp_slow_start_after_idle'; done"
        ));
        let runtime =
            std::env::temp_dir().join(format!("airfair-agent-rig-{}", std::process::id()));
        fs::create_dir_all(&runtime).unwrap();
        Self { station, server, runtime, _turn: turn }
    }

    /// Begins a flow from the station to the address `to` of the server, with the congestion
    /// control `law`.
    pub(super) fn flow(&self, to: &str, law: &str) -> Flow {
        Flow::begin(&self.station, &self.server, to, law)
    }

    /// Opens `count` idle connections over the wire that the agent watches.
    pub(super) fn idle_connections(&self, count: usize) -> Waiting {
        connections(&self.station, &self.server, "10.11.0.2:0", count)
    }

    /// Begins a flow from the station over the wire that the agent watches.
    pub(super) fn watched_flow(&self) -> Flow {
        self.flow("10.11.0.2:0", "reno")
    }

    /// Command that runs the agent's program with these arguments in the namespace of the station.
    pub(super) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new("ip");
        command.args(["netns", "exec", &self.station, env!("CARGO_BIN_EXE_airfair-agent")]);
        command.args(arguments).env("RUNTIME_DIRECTORY", &self.runtime);
        command
    }

    /// Output of a command of the agent at the station.
    pub(super) fn ask(&self, arguments: &[&str]) -> Output {
        self.command(arguments).output().unwrap()
    }

    /// Waits until the agent at the station has taken `count` more samples.
    pub(super) fn for_samples(&self, count: u64) {
        for_samples(count, |arguments| self.ask(arguments), || ());
    }

    /// Starts the agent at the station. `air` is the source of its samples; `more` are further
    /// arguments after `run`.
    pub(super) fn agent(&self, air: &Air, more: &[&str]) -> Agent {
        self.agent_by(&[env!("CARGO_BIN_EXE_airfair-agent").to_owned()], air, more)
    }

    /// Starts the agent at the station by a command line that ends with the agent's program, such
    /// as `setpriv … airfair-agent`. `air` is the source of its samples; `more` are further
    /// arguments.
    pub(super) fn agent_by(&self, words: &[String], air: &Air, more: &[&str]) -> Agent {
        let config = self.runtime.join("agent.toml");
        fs::write(&config, "[arf-aware]\nhighest_rate = \"11 Mb/s\"\n").unwrap();
        let mut command = Command::new("ip");
        command.args(["netns", "exec", &self.station]).args(words);
        command.args(["run", "--interface", "v0", "--config"]);
        command.env("RUNTIME_DIRECTORY", &self.runtime).arg(&config).arg("--emulator");
        command.arg(&air.path).args(["--station", "it"]).args(more);
        Agent::begin(command)
    }
}

impl Agent {
    /// Starts an agent by a command, and waits until the agent prints what it watches.
    pub(super) fn begin(mut command: Command) -> Self {
        let mut child = command.stderr(Stdio::piped()).spawn().unwrap();
        let mut lines = BufReader::new(child.stderr.take().unwrap());
        let mut said = String::new();
        while !said.contains("watches") {
            assert_ne!(lines.read_line(&mut said).unwrap(), 0, "{said}");
        }
        let heard = Arc::new(Mutex::new(said));
        let into = Arc::clone(&heard);
        let listening = thread::spawn(move || {
            let mut line = String::new();
            while lines.read_line(&mut line).is_ok_and(|size| size > 0) {
                into.lock().unwrap().push_str(&std::mem::take(&mut line));
            }
        });
        Self { child, heard, listening: Some(listening) }
    }
}

impl Drop for Rig {
    fn drop(&mut self) {
        for namespace in [&self.station, &self.server] {
            let _ = Command::new("ip").args(["netns", "del", namespace]).output();
        }
        let _ = fs::remove_dir_all(&self.runtime);
    }
}

/// Opens idle connections between two namespaces. The listener does not accept them, because this
/// process may not have enough file descriptors for both ends.
pub(super) fn connections(from: &str, to: &str, address: &str, count: usize) -> Waiting {
    sh(&format!("prlimit --pid {} --nofile={}:", std::process::id(), count + 1_000));
    sh(&format!("ip netns exec {to} sysctl -qw net.core.somaxconn={}", count + 1));
    let address: SocketAddr = address.parse().unwrap();
    let listener = inside(to, move || TcpListener::bind(address).unwrap());
    // SAFETY: the descriptor is that of a listener.
    let result = unsafe { libc::listen(listener.as_raw_fd(), i32::try_from(count).unwrap()) };
    assert_eq!(result, 0, "listen");
    let address = listener.local_addr().unwrap();
    let streams =
        inside(from, move || (0..count).map(|_| TcpStream::connect(address).unwrap()).collect());
    Waiting { _streams: streams, _listener: listener }
}

/// Open connections that the listener has not accepted.
pub(super) struct Waiting {
    _streams: Vec<TcpStream>,
    _listener: TcpListener,
}

/// Starts a thread that opens and closes connections until the flag `end` is set, and counts the
/// connections in `count`.
pub(super) fn churn(
    from: &str,
    to: &str,
    address: &str,
    (end, count): (&Arc<AtomicBool>, &Arc<AtomicU64>),
) -> thread::JoinHandle<()> {
    let address: SocketAddr = address.parse().unwrap();
    let listener = inside(to, move || TcpListener::bind(address).unwrap());
    let (address, from) = (listener.local_addr().unwrap(), from.to_owned());
    let (end, count) = (Arc::clone(end), Arc::clone(count));
    thread::spawn(move || {
        inside(&from, move || {
            let mut open = std::collections::VecDeque::new();
            while !end.load(Ordering::Relaxed) {
                let ends = [TcpStream::connect(address).unwrap(), listener.accept().unwrap().0];
                (&ends[0]).write_all(&[0; 1_000]).unwrap();
                open.push_back(ends);
                if open.len() > 50 {
                    open.pop_front();
                }
                count.fetch_add(1, Ordering::Relaxed);
            }
        });
    })
}

fn set_law(stream: &TcpStream, law: &str) {
    let length = libc::socklen_t::try_from(law.len()).unwrap();
    // SAFETY: pointer and length are those of a string.
    let result = unsafe {
        libc::setsockopt(
            stream.as_raw_fd(),
            libc::IPPROTO_TCP,
            libc::TCP_CONGESTION,
            law.as_ptr().cast(),
            length,
        )
    };
    assert_eq!(result, 0, "this kernel has no congestion control {law}");
}

/// TCP flow that sends as fast as possible until it is paused or dropped.
pub(super) struct Flow {
    stream: TcpStream,
    /// Ports of the flow's sender and of the other end.
    ports: [u16; 2],
    namespace: String,
    pause: Arc<AtomicBool>,
    /// True while the thread that writes the flow's data is paused.
    rests: Arc<AtomicBool>,
    end: Arc<AtomicBool>,
    threads: Vec<thread::JoinHandle<()>>,
}

impl Flow {
    /// Begins a flow from one namespace to an address in another namespace, with the congestion
    /// control `law`.
    pub(super) fn begin(from: &str, to: &str, address: &str, law: &str) -> Self {
        Self::begin_with(from, to, address, law, false)
    }

    /// Begins a flow between two namespaces whose other end sends all data back.
    pub(super) fn begin_both_ways(from: &str, to: &str, address: &str) -> Self {
        Self::begin_with(from, to, address, "reno", true)
    }

    fn begin_with(from: &str, to: &str, address: &str, law: &str, echoes: bool) -> Self {
        let address: SocketAddr = address.parse().unwrap();
        let listener = inside(to, move || TcpListener::bind(address).unwrap());
        let address = listener.local_addr().unwrap();
        let end = Arc::new(AtomicBool::new(false));
        let ended = Arc::clone(&end);
        let reader = thread::spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            stream.set_read_timeout(Some(Duration::from_millis(50))).unwrap();
            stream.set_write_timeout(Some(Duration::from_millis(50))).unwrap();
            let mut octets = [0; 16_384];
            // A test may take the wire away: the end of the other side is not waited for.
            while !ended.load(Ordering::Relaxed) {
                match stream.read(&mut octets) {
                    Ok(0) => break,
                    Ok(size) if echoes => drop(stream.write(&octets[..size])),
                    _ => {}
                }
            }
        });
        let law = law.to_owned();
        let stream = inside(from, move || {
            let stream = TcpStream::connect(address).unwrap();
            set_law(&stream, &law);
            stream
        });
        let mut flow = Self::new(stream, reader, end, from.to_owned());
        if echoes {
            let mut echo = flow.stream.try_clone().unwrap();
            flow.threads.push(thread::spawn(move || {
                let mut octets = [0; 16_384];
                while echo.read(&mut octets).is_ok_and(|size| size > 0) {}
            }));
        }
        flow
    }

    /// Addresses of the sender and of the other end.
    pub(super) fn ends(&self) -> [SocketAddr; 2] {
        [self.stream.local_addr().unwrap(), self.stream.peer_addr().unwrap()]
    }

    /// Number that `ss` prints after `word` for the sender's socket; `None` if the word is missing.
    pub(super) fn number(&self, word: &str) -> Option<u64> {
        Self::found(&self.says(), word)
    }

    /// Number that `ss` prints after `word` for the socket of the other end, which is in
    /// `namespace`; `None` if the word is missing.
    pub(super) fn number_there(&self, namespace: &str, word: &str) -> Option<u64> {
        Self::found(
            &sh(&format!(
                "ip netns exec {namespace} ss -tinH 'sport = :{} and dport = :{}'",
                self.ports[1], self.ports[0]
            )),
            word,
        )
    }

    fn found(said: &str, word: &str) -> Option<u64> {
        let value = said.split_whitespace().find_map(|it| it.strip_prefix(word))?;
        Some(value.rsplit('/').next().unwrap().parse().unwrap())
    }

    fn new(
        stream: TcpStream,
        reader: thread::JoinHandle<()>,
        end: Arc<AtomicBool>,
        namespace: String,
    ) -> Self {
        let ports = [stream.local_addr(), stream.peer_addr()].map(|end| end.unwrap().port());
        stream.set_write_timeout(Some(Duration::from_millis(50))).unwrap();
        let (pause, rests) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicBool::new(false)));
        let (paused, resting) = (Arc::clone(&pause), Arc::clone(&rests));
        let (ended, mut to) = (Arc::clone(&end), stream.try_clone().unwrap());
        let writer = thread::spawn(move || {
            let octets = [0; 16_384];
            while !ended.load(Ordering::Relaxed) {
                let is_paused = paused.load(Ordering::Relaxed);
                resting.store(is_paused, Ordering::Relaxed);
                if is_paused {
                    thread::sleep(Duration::from_millis(5));
                    continue;
                }
                match to.write(&octets) {
                    Ok(_) => {}
                    Err(it) if matches!(it.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => {
                    }
                    Err(_) => break,
                }
            }
        });
        Self { stream, ports, namespace, pause, rests, end, threads: vec![reader, writer] }
    }

    /// Pauses the flow, and waits until all data is acknowledged.
    pub(super) fn pause(&self) {
        self.pause.store(true, Ordering::Relaxed);
        eventually("its writer rests", || self.rests.load(Ordering::Relaxed));
        eventually("all is acknowledged", || !self.says().contains("unacked:"));
    }

    /// Lets a paused flow send again.
    pub(super) fn resume(&self) {
        self.pause.store(false, Ordering::Relaxed);
        eventually("its writer goes on", || !self.rests.load(Ordering::Relaxed));
    }

    /// Waits for a moment at which the flow's congestion window is in `range`, and pauses the flow,
    /// so that the window stays as it is. Returns the window [segments].
    pub(super) fn pause_with(&self, range: std::ops::Range<u32>) -> u32 {
        let mut found = 0;
        eventually("the window is in range", || {
            if !range.contains(&self.window()) {
                return false;
            }
            self.pause();
            found = self.window();
            let is_in_range = range.contains(&found);
            if !is_in_range {
                self.resume();
            }
            is_in_range
        });
        found
    }

    /// Sends one segment over a paused flow, and waits until the segment is acknowledged.
    pub(super) fn nudge(&self) {
        let before = self.acknowledged();
        (&self.stream).write_all(&[0; 100]).unwrap();
        eventually("it is acknowledged", || self.acknowledged() >= before + 100);
    }

    /// Octets of the flow's data that are acknowledged.
    pub(super) fn acknowledged(&self) -> u64 {
        self.number("bytes_acked:").unwrap_or_default()
    }

    /// Waits until so much more data of the flow is acknowledged [octets]; `look` is called
    /// meanwhile.
    pub(super) fn move_on(&self, octets: u64, mut look: impl FnMut()) {
        let end = self.acknowledged() + octets;
        eventually("data arrives", || {
            look();
            self.acknowledged() >= end
        });
    }

    /// Output of `ss` for the socket of the flow's sender.
    fn says(&self) -> String {
        // The same port may lead to several places.
        let [port, to] = self.ports;
        sh(&format!(
            "ip netns exec {} ss -tinH 'sport = :{port} and dport = :{to}'",
            self.namespace
        ))
    }

    /// Congestion window of the flow's sender [segments].
    pub(super) fn window(&self) -> u32 {
        let said = self.says();
        let value = said.split_whitespace().find_map(|word| word.strip_prefix("cwnd:"));
        value.unwrap_or_else(|| panic!("no window: {said}")).parse().unwrap()
    }

    /// Name of the congestion control of the flow's sender.
    pub(super) fn law(&self) -> String {
        let said = self.says();
        let line = said.lines().nth(1).unwrap_or_else(|| panic!("no second line: {said}"));
        line.split_whitespace().find(|word| *word != "ts" && *word != "sack").unwrap().to_owned()
    }
}

impl Drop for Flow {
    fn drop(&mut self) {
        self.end.store(true, Ordering::Relaxed);
        let _ = self.stream.shutdown(std::net::Shutdown::Both);
        for thread in self.threads.drain(..) {
            let _ = thread.join();
        }
    }
}

/// Running agent, which is killed when this value is dropped.
pub(super) struct Agent {
    child: Child,
    heard: Arc<Mutex<String>>,
    listening: Option<thread::JoinHandle<()>>,
}

impl Agent {
    /// Text that the agent has written to standard error so far.
    pub(super) fn said(&self) -> String {
        self.heard.lock().unwrap().clone()
    }

    /// Process id of the agent.
    pub(super) fn process(&self) -> u32 {
        self.child.id()
    }

    /// Ends the agent by a signal. Returns its exit status, and the text that it has written to
    /// standard error.
    pub(super) fn end(mut self, signal: i32) -> (Option<i32>, String) {
        let process = i32::try_from(self.child.id()).unwrap();
        // SAFETY: the process is this one's child, and it has not been waited for.
        unsafe { libc::kill(process, signal) };
        let status = self.child.wait().unwrap();
        self.listening.take().unwrap().join().unwrap();
        (status.code(), self.said())
    }
}

impl Drop for Agent {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Control socket like that of an emulation, as a source of samples. Its only station has the rate
/// that the test sets, and sends 200 packets per second, which take 0.4 of the airtime.
pub(super) struct Air {
    path: PathBuf,
    told: Arc<Told>,
    end: Arc<AtomicBool>,
    thread: Option<thread::JoinHandle<()>>,
}

/// Values that the test sets: rate of the station [bit/s], and packets that the station has
/// received.
#[derive(Default)]
struct Told {
    rate: AtomicU64,
    received: AtomicU64,
}

impl Air {
    pub(super) fn new(rig: &Rig, mbps: u64) -> Self {
        Self::of("it", &rig.runtime, mbps)
    }

    /// Makes a control socket in a directory, with a station of this name and rate.
    pub(super) fn of(name: &str, directory: &std::path::Path, mbps: u64) -> Self {
        let (path, name) = (directory.join("control"), name.to_owned());
        let _ = fs::remove_file(&path);
        let listener = UnixListener::bind(&path).unwrap();
        listener.set_nonblocking(true).unwrap();
        let told = Arc::new(Told { rate: (mbps * 1_000_000).into(), ..Told::default() });
        let end = Arc::new(AtomicBool::new(false));
        let (said, ended) = (Arc::clone(&told), Arc::clone(&end));
        let thread = thread::spawn(move || {
            while !ended.load(Ordering::Relaxed) {
                match listener.accept() {
                    Ok((stream, _)) => answer(stream, &name, &said, &ended),
                    Err(_) => thread::sleep(Duration::from_millis(5)),
                }
            }
        });
        Self { path, told, end, thread: Some(thread) }
    }

    /// Sets the rate of the simulated station's link [Mb/s].
    pub(super) fn set(&self, mbps: u64) {
        self.told.rate.store(mbps * 1_000_000, Ordering::Relaxed);
    }

    /// Sets the number of packets that the simulated station has received.
    pub(super) fn received(&self, packets: u64) {
        self.told.received.store(packets, Ordering::Relaxed);
    }

    /// Ends the emulation: closes and removes the control socket.
    pub(super) fn vanish(&mut self) {
        self.end.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            thread.join().unwrap();
        }
        let _ = fs::remove_file(&self.path);
    }
}

impl Air {
    /// Path of the control socket, at which the agent asks for samples.
    pub(super) fn path(&self) -> &std::path::Path {
        &self.path
    }
}

impl Drop for Air {
    fn drop(&mut self) {
        self.vanish();
    }
}

fn answer(stream: UnixStream, name: &str, told: &Told, end: &AtomicBool) {
    stream.set_nonblocking(false).unwrap();
    stream.set_read_timeout(Some(Duration::from_millis(50))).unwrap();
    let mut reader = BufReader::new(stream);
    let (mut line, begun) = (String::new(), Instant::now());
    while !end.load(Ordering::Relaxed) {
        match reader.read_line(&mut line) {
            Ok(0) => return,
            Ok(_) => {
                let rate = told.rate.load(Ordering::Relaxed);
                let received = told.received.load(Ordering::Relaxed);
                let seconds = begun.elapsed().as_secs_f64();
                let (packets, air) = ((seconds * 200.0).floor(), seconds * 0.4);
                let bytes = packets * 1_500.0;
                let text = format!(
                    "{{\"ok\": true, \"state\": {{\"nodes\": [{{\"name\": \"{name}\", \"mac\": \"{name}\", \"sent_packets\": {packets}, \
                     \"sent_bytes\": {bytes}, \"received_packets\": {received}, \"received_bytes\": 0, \"radio\": {{\"retries\": 0, \
                     \"airtime_up_s\": {air}, \"airtime_down_s\": 0.0, \"rate_up_bps\": {rate}, \
                     \"rate_down_bps\": {rate}}}}}]}}}}\n"
                );
                line.clear();
                if reader.get_mut().write_all(text.as_bytes()).is_err() {
                    return;
                }
            }
            Err(it) if matches!(it.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => {}
            Err(_) => return,
        }
    }
}
