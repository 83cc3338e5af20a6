//! Flows of the scenario over real sockets in two namespaces: the kernel's TCP, with a thread at each end, and TFRC, with
//! a program at each end.
//!
//! The threads block, so that the kernel decides when something is sent. Each flow has a port of its own, by which its
//! packets are told from others.

use std::io::{Error, ErrorKind, Read, Result, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::os::fd::AsFd;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::thread;

use airfair_sim::packet::FlowId;
use airfair_sim::world::{Outside, OutsideTcp};
use airfair_units::{Bytes, Duration, Time};

use crate::kernel_flow::{Carrier, KernelFlow};
use crate::os::{self, Namespace, TcpInfo, hang_up};
use crate::plan::Plan;

/// Octets per write and per read.
const CHUNK: usize = 65_536;
/// Time between two looks at whether it is over.
const LOOK: Duration = Duration::from_millis(100);

/// A program that carries an end of a flow.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    /// Place of the node that it runs at.
    pub node: usize,
    /// Time at which it begins, and that at which it is told to end.
    pub start: Time,
    /// `None`: at the end.
    pub stop: Option<Time>,
    /// Arguments of `airfair`.
    pub arguments: Vec<String>,
    /// The flow whose limits it reads from standard input.
    pub limited: Option<FlowId>,
}

/// Programs that carry flows, receivers ahead of their senders.
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

/// Account of a flow since its start.
#[derive(Debug, Default)]
pub(crate) struct Account {
    /// Octets that have come out at the receiver.
    pub(crate) delivered: AtomicU64,
    /// Segments that were sent again, by the kernel's own account.
    pub(crate) retransmissions: AtomicU64,
    /// What the transport at each end knows.
    pub(crate) sender: Knowledge,
    pub(crate) receiver: Knowledge,
}

/// Knowledge of the transport at one end, as it was when it was last asked: zero is none yet.
#[derive(Debug, Default)]
pub(crate) struct Knowledge {
    /// Of TCP alone.
    cwnd: AtomicU32,
    segment: AtomicU32,
    /// Round trips [µs].
    smoothed: AtomicU32,
    least: AtomicU32,
}

impl Knowledge {
    fn note(&self, cwnd: u32, segment: u32, smoothed: u32, least: u32) {
        self.cwnd.store(cwnd, Ordering::Relaxed);
        self.smoothed.store(smoothed, Ordering::Relaxed);
        self.least.store(least, Ordering::Relaxed);
        self.segment.store(segment, Ordering::Relaxed);
    }

    fn note_sender(&self, info: &TcpInfo) {
        self.note(info.cwnd, info.segment_sent, info.round_trip, info.least_round_trip);
    }

    /// The kernel keeps no least round trip of a receiver: it is that of the means.
    fn note_receiver(&self, info: &TcpInfo) {
        let so_far = Some(self.least.load(Ordering::Relaxed)).filter(|least| *least > 0);
        let now = info.receiver_round_trip;
        let least = so_far.map_or(now, |least| least.min(now));
        self.note(info.cwnd, info.segment_received, now, least);
    }

    /// The round trip that TFRC knows [µs]; zero is none yet.
    pub(crate) fn note_tfrc(&self, smoothed: u32) {
        self.smoothed.store(smoothed, Ordering::Relaxed);
    }

    /// The same for the world; none before there was any.
    pub(crate) fn outside(&self, carrier: &Carrier) -> Option<Outside> {
        let [cwnd, segment, smoothed, least] =
            [&self.cwnd, &self.segment, &self.smoothed, &self.least]
                .map(|it| it.load(Ordering::Relaxed));
        // The kernel says "never" with the largest number.
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

/// All flows that the kernel carries, until this is dropped.
#[derive(Debug)]
pub(crate) struct Generator {
    listeners: Vec<Arc<TcpListener>>,
    is_over: Arc<AtomicBool>,
}

impl Generator {
    /// Starts the ends of all flows; each waits for its time.
    pub(crate) fn start(
        plan: &Plan,
        namespaces: &[Namespace],
        accounts: &Arc<Vec<Account>>,
    ) -> Result<Self> {
        let mut generator = Self { listeners: Vec::new(), is_over: Arc::default() };
        for (index, flow) in plan.kernel_flows.iter().enumerate() {
            let Carrier::Tcp { congestion_control: name, size } = flow.carrier else { continue };
            namespaces[flow.from].within(|| {
                let probe = TcpListener::bind(("0.0.0.0", 0))?;
                os::choose_congestion_control(probe.as_fd(), name).map_err(|error| {
                    Error::new(error.kind(), format!("congestion control {name}: {error}"))
                })
            })?;
            let listener =
                Arc::new(namespaces[flow.to].within(|| TcpListener::bind(("0.0.0.0", flow.port)))?);
            if let Some(dscp) = flow.dscp {
                // The connection that it accepts is as it is.
                os::mark(listener.as_fd(), dscp)?;
            }
            let (counted, accepting) = (Arc::clone(accounts), Arc::clone(&listener));
            let is_over = Arc::clone(&generator.is_over);
            let take = move || receive(&accepting, &counted[index], &is_over);
            thread::Builder::new().spawn(take)?;
            generator.listeners.push(listener);

            let to = SocketAddr::from((plan.nodes[flow.to].v4(), flow.port));
            let (flow, counted) = (flow.clone(), Arc::clone(accounts));
            let (is_over, own) = (Arc::clone(&generator.is_over), namespaces[flow.from].share()?);
            thread::Builder::new().spawn(move || {
                // Whoever looks at the account sees that nothing goes on.
                let _ = own
                    .join()
                    .and_then(|()| send(&flow, (to, name, size), &counted[index], &is_over));
            })?;
        }
        Ok(generator)
    }
}

impl Drop for Generator {
    fn drop(&mut self) {
        self.is_over.store(true, Ordering::Relaxed);
        self.listeners.iter().for_each(|listener| hang_up(listener));
    }
}

fn receive(listener: &TcpListener, account: &Account, is_over: &AtomicBool) {
    let Ok((mut connection, _)) = listener.accept() else { return };
    if os::read_promptly(connection.as_fd(), LOOK).is_err() {
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
            // Nothing has come for so long.
            Err(error) if error.kind() == ErrorKind::WouldBlock => {}
            Ok(0) | Err(_) => return,
        }
    }
}

fn send(
    flow: &KernelFlow,
    (to, congestion_control, size): (SocketAddr, &str, Option<u64>),
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
    let mut connection = TcpStream::connect(to)?;
    os::choose_congestion_control(connection.as_fd(), congestion_control)?;
    os::write_promptly(connection.as_fd(), LOOK)?;
    if let Some(dscp) = flow.dscp {
        os::mark(connection.as_fd(), dscp)?;
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
            // It had no room for so long.
            Err(error) if error.kind() == ErrorKind::WouldBlock => {}
            Err(error) => return Err(error),
        }
        account.note_sender(&os::tcp_info(connection.as_fd())?);
    }
    // What is still in the socket goes out, and is counted, while the emulation lasts.
    connection.shutdown(Shutdown::Write)?;
    while !is_over.load(Ordering::Relaxed) {
        os::sleep(LOOK);
        account.note_sender(&os::tcp_info(connection.as_fd())?);
    }
    Ok(())
}
