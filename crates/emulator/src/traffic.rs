//! Flows of the scenario over real sockets between two namespaces. TCP is the kernel's, with a
//! thread at each end; TFRC has a program at each end.
//!
//! The threads block, so that the kernel decides when data is sent. Each flow has a port of its
//! own, by which its packets are recognised.

use std::io::{Error, ErrorKind, Read, Result, Write};
use std::net::{Shutdown, SocketAddr, SocketAddrV4, TcpListener, TcpStream};
use std::os::fd::AsFd;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;

use airfair_sim::packet::FlowId;
use airfair_sim::world::{Outside, OutsideTcp};
use airfair_units::{Bytes, Duration, Time};

use crate::kernel_flow::{Carrier, KernelFlow};
use crate::os::{self, Namespace, TcpInfo, stop_listening};
use crate::plan::Plan;

/// Length of each write to and read from a socket [octets].
const CHUNK: usize = 65_536;
/// Longest time that a thread blocks before it checks for the end of the emulation.
const LOOK: Duration = Duration::from_millis(100);

/// Program that carries one end of a flow over kernel sockets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    /// Index of the node in whose network namespace this program runs.
    pub node: usize,
    /// Time at which this program, which carries one end of a flow, is started.
    pub start: Time,
    /// Time at which this program is ended; `None` for the end of the emulation.
    pub stop: Option<Time>,
    /// Arguments with which the command `airfair` is run.
    pub arguments: Vec<String>,
    /// Flow whose rate limits this program reads from standard input; `None` if it reads none.
    pub limited: Option<FlowId>,
}

/// Programs that carry flows over kernel sockets. Each receiver precedes its sender.
pub(crate) fn programs(plan: &Plan) -> Vec<Program> {
    let mut found = Vec::new();
    for flow in &plan.kernel_flows {
        let Carrier::Tfrc { profile, sending } = &flow.carrier else { continue };
        let words = |words: &[&str]| -> Vec<String> {
            ["tfrc"].iter().chain(words).map(|word| (*word).to_owned()).collect()
        };
        let port = flow.port.to_string();
        let arguments = words(&["receive", &port, "--profile", profile]);
        let (node, start, stop) = (flow.to, Time::ZERO, None);
        found.push(Program { node, start, stop, arguments, limited: None });
        let to = SocketAddr::from((plan.nodes[flow.to].v4(), flow.port)).to_string();
        let mut arguments = words(&["send", &to, "--limits", "--profile", profile]);
        arguments.extend_from_slice(sending);
        let (node, start, stop) = (flow.from, flow.start, flow.stop);
        found.push(Program { node, start, stop, arguments, limited: Some(flow.flow) });
    }
    found
}

/// Counters of a flow over kernel sockets since its start, and the state of its transport.
#[derive(Debug, Default)]
pub(crate) struct Account {
    /// Octets that the flow's receiver has read.
    pub(crate) delivered: AtomicU64,
    /// Segments of the flow that were retransmitted, as the kernel counts them.
    pub(crate) retransmissions: AtomicU64,
    /// State of the transport at the sender.
    pub(crate) sender: TransportState,
    /// State of the transport at the receiver.
    pub(crate) receiver: TransportState,
}

/// State of TCP or TFRC at one end when it was last read. Zero means unknown.
#[derive(Debug, Default)]
pub(crate) struct TransportState {
    /// Congestion window of TCP at this end [segments].
    cwnd: AtomicU32,
    /// Segment size of TCP at this end [octets].
    segment: AtomicU32,
    /// Smoothed round-trip time at this end [µs].
    smoothed: AtomicU32,
    /// Minimum round-trip time at this end [µs].
    least: AtomicU32,
}

impl TransportState {
    fn note(&self, cwnd: u32, segment: u32, smoothed: u32, least: u32) {
        self.cwnd.store(cwnd, Ordering::Relaxed);
        self.smoothed.store(smoothed, Ordering::Relaxed);
        self.least.store(least, Ordering::Relaxed);
        self.segment.store(segment, Ordering::Relaxed);
    }

    fn note_sender(&self, info: &TcpInfo) {
        self.note(info.cwnd, info.segment_sent, info.round_trip, info.least_round_trip);
    }

    /// Records a receiver's state. The kernel keeps no minimum round trip of a receiver, so this is
    /// the minimum of the smoothed ones.
    fn note_receiver(&self, info: &TcpInfo) {
        let so_far = Some(self.least.load(Ordering::Relaxed)).filter(|least| *least > 0);
        let now = info.receiver_round_trip;
        let least = so_far.map_or(now, |least| least.min(now));
        self.note(info.cwnd, info.segment_received, now, least);
    }

    /// Records the round trip that TFRC has measured [µs]; zero if unknown.
    pub(crate) fn note_tfrc(&self, smoothed: u32) {
        self.smoothed.store(smoothed, Ordering::Relaxed);
    }

    /// State of the transport in the form that the simulated world takes; `None` before the first
    /// TCP reading.
    pub(crate) fn outside(&self, carrier: &Carrier) -> Option<Outside> {
        let [cwnd, segment, smoothed, least] =
            [&self.cwnd, &self.segment, &self.smoothed, &self.least]
                .map(|it| it.load(Ordering::Relaxed));
        // The kernel reports the largest number for a value that it has not measured.
        let time =
            |us: u32| (us > 0 && us < u32::MAX).then(|| Duration::from_micros(u64::from(us)));
        if matches!(carrier, Carrier::Tfrc { .. }) {
            return Some(Outside::Tfrc { round_trip: time(smoothed) });
        }
        let tcp = OutsideTcp {
            cwnd,
            segment: Bytes::new(segment.into()),
            smoothed_round_trip: time(smoothed),
            least_round_trip: time(least),
        };
        (segment > 0).then_some(Outside::Tcp(tcp))
    }
}

impl Account {
    fn note_sender(&self, info: &TcpInfo) {
        self.retransmissions.store(info.retransmissions.into(), Ordering::Relaxed);
        self.sender.note_sender(info);
    }
}

/// Threads and listeners of all flows over the kernel's TCP. They stop when this value is dropped.
#[derive(Debug)]
pub(crate) struct Generator {
    listeners: Vec<Arc<TcpListener>>,
    is_over: Arc<AtomicBool>,
}

impl Generator {
    /// Starts the threads of all flows. Each sender waits for the start of its flow.
    pub(crate) fn start(
        plan: &Plan,
        namespaces: &[Namespace],
        accounts: &Arc<Vec<Account>>,
    ) -> Result<Self> {
        let mut generator = Self { listeners: Vec::new(), is_over: Arc::default() };
        for (index, flow) in plan.kernel_flows.iter().enumerate() {
            let Carrier::Tcp { congestion_control: name, ecn, size } = flow.carrier else {
                continue;
            };
            namespaces[flow.from].within(|| {
                let probe = TcpListener::bind(("0.0.0.0", 0))?;
                os::set_congestion_control(probe.as_fd(), name).map_err(|error| {
                    Error::new(error.kind(), format!("congestion control {name}: {error}"))
                })
            })?;
            let listener =
                Arc::new(namespaces[flow.to].within(|| TcpListener::bind(("0.0.0.0", flow.port)))?);
            if name == "dctcp" {
                // Both ends of DCTCP echo marks in its way. Accepted connections inherit it.
                os::set_congestion_control(listener.as_fd(), name)?;
            }
            if let Some(dscp) = flow.dscp {
                // Accepted connections inherit the code point.
                os::set_dscp(listener.as_fd(), dscp)?;
            }
            let (counted, accepting) = (Arc::clone(accounts), Arc::clone(&listener));
            let is_over = Arc::clone(&generator.is_over);
            let take = move || receive(&accepting, &counted[index], &is_over);
            thread::Builder::new().spawn(take)?;
            generator.listeners.push(listener);

            let to = SocketAddrV4::new(plan.nodes[flow.to].v4(), flow.port);
            let (flow, counted) = (flow.clone(), Arc::clone(accounts));
            let (is_over, own) = (Arc::clone(&generator.is_over), namespaces[flow.from].share()?);
            thread::Builder::new().spawn(move || {
                // After an error the counts no longer change, which shows in the results.
                let opening = Opening { to, congestion_control: name, ecn };
                let _ = own
                    .join()
                    .and_then(|()| send(&flow, (opening, size), &counted[index], &is_over));
            })?;
        }
        Ok(generator)
    }
}

impl Drop for Generator {
    fn drop(&mut self) {
        self.is_over.store(true, Ordering::Relaxed);
        self.listeners.iter().for_each(|listener| stop_listening(listener));
    }
}

fn receive(listener: &TcpListener, account: &Account, is_over: &AtomicBool) {
    let Ok((mut connection, _)) = listener.accept() else { return };
    if os::set_receive_timeout(connection.as_fd(), LOOK).is_err() {
        return;
    }
    let mut buffer = vec![0; CHUNK];
    while !is_over.load(Ordering::Relaxed) {
        match connection.read(&mut buffer) {
            Ok(length @ 1..) => {
                account.delivered.fetch_add(length as u64, Ordering::Relaxed);
                if let Ok(info) = os::tcp_info(connection.as_fd()) {
                    account.receiver.note_receiver(&info);
                }
            }
            // No data within the time-out.
            Err(error) if error.kind() == ErrorKind::WouldBlock => {}
            Ok(0) | Err(_) => return,
        }
    }
}

/// Connection that a sender opens from the network namespace of its thread.
#[derive(Clone, Copy, Debug)]
struct Opening {
    to: SocketAddrV4,
    congestion_control: &'static str,
    /// True if the SYN asks for explicit congestion notification.
    ecn: bool,
}

impl Opening {
    /// Opens the connection. Returns `None` if the emulation ends before.
    fn open(self, is_over: &AtomicBool) -> Result<Option<TcpStream>> {
        let socket = os::tcp_socket()?;
        // DCTCP is in force at the SYN, by which it asks for notification.
        os::set_congestion_control(socket.as_fd(), self.congestion_control)?;
        if self.ecn {
            asking_for_ecn(|| os::begin_connecting(socket.as_fd(), self.to))?;
        } else {
            os::begin_connecting(socket.as_fd(), self.to)?;
        }
        while !os::wait_writable(socket.as_fd(), LOOK)? {
            if is_over.load(Ordering::Relaxed) {
                return Ok(None);
            }
        }
        let connection = TcpStream::from(socket);
        connection.take_error()?.map_or(Ok(()), Err)?;
        connection.set_nonblocking(false)?;
        Ok(Some(connection))
    }
}

/// Runs `work`, which sends SYNs, while connections from the network namespace of this thread ask for explicit
/// congestion notification. The kernel has no such option of a socket.
fn asking_for_ecn<T>(work: impl FnOnce() -> Result<T>) -> Result<T> {
    const KEY: &str = "/proc/sys/net/ipv4/tcp_ecn";
    static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());
    let _held = ONE_AT_A_TIME.lock();
    let before = std::fs::read(KEY)?;
    std::fs::write(KEY, "1")?;
    let done = work();
    std::fs::write(KEY, before)?;
    done
}

fn send(
    flow: &KernelFlow,
    (opening, size): (Opening, Option<u64>),
    account: &Account,
    is_over: &AtomicBool,
) -> Result<()> {
    let rest = |slept: Duration| (flow.start - Time::ZERO).saturating_sub(slept);
    let mut passed = Duration::ZERO;
    while !rest(passed).is_zero() {
        let step = rest(passed).min(LOOK);
        os::sleep(step);
        passed += step;
        if is_over.load(Ordering::Relaxed) {
            return Ok(());
        }
    }
    let Some(mut connection) = opening.open(is_over)? else { return Ok(()) };
    os::set_send_timeout(connection.as_fd(), LOOK)?;
    if let Some(dscp) = flow.dscp {
        os::set_dscp(connection.as_fd(), dscp)?;
    }
    let chunk = vec![0; CHUNK];
    let began = os::monotonic();
    let mut left = size.unwrap_or(u64::MAX);
    let is_time = || {
        let now = flow.start + (os::monotonic() - began);
        flow.stop.is_none_or(|stop| now < stop) && !is_over.load(Ordering::Relaxed)
    };
    while left > 0 && is_time() {
        let length = usize::try_from(left).map_or(CHUNK, |left| left.min(CHUNK));
        match connection.write(&chunk[..length]) {
            Ok(written) => left -= written as u64,
            // No room in the send buffer within the time-out.
            Err(error) if error.kind() == ErrorKind::WouldBlock => {}
            Err(error) => return Err(error),
        }
        account.note_sender(&os::tcp_info(connection.as_fd())?);
    }
    // Data in the send buffer is sent and counted until the emulation ends.
    connection.shutdown(Shutdown::Write)?;
    while !is_over.load(Ordering::Relaxed) {
        os::sleep(LOOK);
        account.note_sender(&os::tcp_info(connection.as_fd())?);
    }
    Ok(())
}
