//! TFRC over real UDP sockets: the endpoints of `airfair_transport` under the wall clock.

#![expect(
    clippy::disallowed_types,
    clippy::disallowed_methods,
    reason = "this crate touches the operating system: real packets leave by the wall clock"
)]

use std::io::{self, ErrorKind};
use std::net::{SocketAddr, ToSocketAddrs, UdpSocket};
use std::time::Instant;

use airfair_transport::tfrc::{
    Profile, Receiver, ReceiverConfig, Sender, SenderConfig, Source, wire,
};
use airfair_units::{Bytes, DataRate, Duration, Time};
use pyo3::exceptions::{PyKeyboardInterrupt, PyOSError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// How often the caller hears of progress and Ctrl-C is looked for.
const WAKE: Duration = Duration::from_millis(200);
/// Timers of an ordinary host wake no finer than this: a packet may go half of it early.  [RFC5348 §8.3]
const GRANULARITY: Duration = Duration::from_millis(1);
/// Largest datagram that is read.
const MAX_DATAGRAM: usize = 65_536;

/// A socket, the clock it runs by, and who wants to hear of progress.
struct Host {
    socket: UdpSocket,
    started: Instant,
    end: Option<Time>,
    next_wake: Time,
    report: Option<Py<PyAny>>,
    buffer: Vec<u8>,
    refused: u64,
}

impl Host {
    fn new(
        socket: UdpSocket,
        duration_s: Option<f64>,
        report: Option<Py<PyAny>>,
    ) -> PyResult<Self> {
        let end = duration_s.map(seconds).transpose()?.map(|duration| Time::ZERO + duration);
        Ok(Self {
            socket,
            started: Instant::now(),
            end,
            next_wake: Time::ZERO + WAKE,
            report,
            buffer: vec![0; MAX_DATAGRAM],
            refused: 0,
        })
    }

    fn now(&self) -> Time {
        let nanos = u64::try_from(self.started.elapsed().as_nanos());
        Time::from_nanos(nanos.expect("shorter than 584 years"))
    }

    fn is_over(&self, now: Time) -> bool {
        self.end.is_some_and(|end| now >= end)
    }

    /// Waits for a datagram until `deadline`, the end or the next wake-up, whichever is first.
    fn receive(&mut self, deadline: Option<Time>) -> io::Result<Option<(usize, SocketAddr)>> {
        let until = deadline.into_iter().chain(self.end).fold(self.next_wake, Time::min);
        let wait = until.saturating_since(self.now()).as_nanos().max(1_000);
        self.socket.set_read_timeout(Some(std::time::Duration::from_nanos(wait)))?;
        match self.socket.recv_from(&mut self.buffer) {
            Ok(arrival) => Ok(Some(arrival)),
            // Nobody listens yet, or no longer: the flow goes on until its own timers say otherwise.
            Err(error) if error.kind() == ErrorKind::ConnectionRefused => {
                self.refused += 1;
                Ok(None)
            }
            Err(error)
                if matches!(
                    error.kind(),
                    ErrorKind::WouldBlock | ErrorKind::TimedOut | ErrorKind::Interrupted
                ) =>
            {
                Ok(None)
            }
            Err(error) => Err(error),
        }
    }

    /// A full send buffer or an absent peer costs the packet, as a full queue on the way would.
    fn send(&mut self, octets: &[u8], to: SocketAddr) -> io::Result<()> {
        match self.socket.send_to(octets, to) {
            Ok(_) => Ok(()),
            Err(error)
                if matches!(error.kind(), ErrorKind::ConnectionRefused | ErrorKind::WouldBlock) =>
            {
                self.refused += 1;
                Ok(())
            }
            Err(error) => Err(error),
        }
    }

    /// Tells the caller how things are, a few times per second.
    fn wake(&mut self, now: Time, state: [f64; 4]) -> PyResult<()> {
        if now < self.next_wake {
            return Ok(());
        }
        self.next_wake = now + WAKE;
        Python::attach(|py| {
            if let Some(report) = &self.report {
                report.call1(py, (now.as_secs_f64(), state[0], state[1], state[2], state[3]))?;
            }
            py.check_signals()
        })
    }
}

/// A text such as "10 s" in seconds, "400 kb/s" in bit/s or "1000 B" in octets.
#[pyfunction]
pub(crate) fn quantity(text: &str, dimension: &str) -> PyResult<f64> {
    let parsed = match dimension {
        "time" => text.parse::<Duration>().map(Duration::as_secs_f64),
        "rate" => text.parse::<DataRate>().map(|rate| float(rate.bps())),
        _ => text.parse::<Bytes>().map(|size| float(size.get())),
    };
    parsed.map_err(|error| PyValueError::new_err(error.to_string()))
}

#[expect(clippy::cast_precision_loss, reason = "a number that somebody typed")]
fn float(number: u64) -> f64 {
    number as f64
}

/// Sends one flow to `to` for `duration_s`, and returns what became of it.
#[pyfunction]
#[pyo3(signature = (to, *, profile, segment, ssrc, rate_bps = None, duration_s = None, report = None))]
#[expect(clippy::too_many_arguments, reason = "a function with named options, as Python has them")]
pub(crate) fn tfrc_send<'py>(
    py: Python<'py>,
    to: &str,
    profile: &str,
    segment: u64,
    ssrc: u32,
    rate_bps: Option<u64>,
    duration_s: Option<f64>,
    report: Option<Py<PyAny>>,
) -> PyResult<Bound<'py, PyDict>> {
    let peer = resolve(to)?;
    let config = sender_config(parse_profile(profile)?, (segment, ssrc), rate_bps)?;
    let any: SocketAddr = if peer.is_ipv4() { ([0; 4], 0).into() } else { ([0u16; 8], 0).into() };
    let mut host = Host::new(UdpSocket::bind(any)?, duration_s, report)?;
    let mut sender = Sender::new(config);
    let run = py.detach(|| run_sender(&mut host, &mut sender, peer));
    let interrupted = interrupted(py, run)?;
    let stats = sender.stats();
    let result = PyDict::new(py);
    result.set_item("duration_s", host.now().as_secs_f64())?;
    result.set_item("packets_sent", stats.packets_sent)?;
    result.set_item("bytes_sent", stats.bytes_sent.get())?;
    result.set_item("feedbacks", stats.feedbacks)?;
    result.set_item("no_feedback_timeouts", stats.no_feedback_timeouts)?;
    result.set_item("rtt_ms", sender.smoothed_rtt().map(|rtt| rtt * 1e3))?;
    result.set_item("loss_event_rate", sender.loss_event_rate())?;
    result.set_item("refused", stats.strangers + stats.stale + stats.implausible)?;
    result.set_item("unsent", host.refused)?;
    result.set_item("interrupted", interrupted)?;
    Ok(result)
}

/// Receives one flow at `at`, from the first sender heard, and returns what came.
#[pyfunction]
#[pyo3(signature = (at, *, profile, reporter, duration_s = None, report = None))]
#[expect(clippy::too_many_arguments, reason = "a function with named options, as Python has them")]
pub(crate) fn tfrc_receive<'py>(
    py: Python<'py>,
    at: &str,
    profile: &str,
    reporter: u32,
    duration_s: Option<f64>,
    report: Option<Py<PyAny>>,
) -> PyResult<Bound<'py, PyDict>> {
    let config = ReceiverConfig { reporter, ..ReceiverConfig::new(parse_profile(profile)?) };
    let mut host = Host::new(UdpSocket::bind(resolve(at)?)?, duration_s, report)?;
    let mut flow =
        Incoming { receiver: Receiver::new(config), peer: None, active: None, refused: 0 };
    let run = py.detach(|| run_receiver(&mut host, &mut flow));
    let interrupted = interrupted(py, run)?;
    let stats = flow.receiver.stats();
    let result = PyDict::new(py);
    let active = flow.active.map_or(Duration::ZERO, |(first, last)| last - first);
    result.set_item("duration_s", active.as_secs_f64())?;
    result.set_item("packets_received", stats.packets_received)?;
    result.set_item("bytes_received", stats.bytes_received.get())?;
    result.set_item("lost", stats.lost)?;
    result.set_item("loss_events", stats.loss_events)?;
    result.set_item("loss_event_rate", flow.receiver.loss_event_rate())?;
    result.set_item("reordered", stats.reordered)?;
    result.set_item("late", stats.late)?;
    result.set_item("duplicates", stats.copies)?;
    result.set_item("feedbacks_sent", stats.feedbacks_sent)?;
    result.set_item("refused", flow.refused + stats.strangers)?;
    result.set_item("interrupted", interrupted)?;
    Ok(result)
}

fn run_sender(host: &mut Host, sender: &mut Sender, peer: SocketAddr) -> PyResult<()> {
    let mut datagram = Vec::new();
    sender.open(host.now());
    loop {
        let now = host.now();
        if host.is_over(now) {
            return Ok(());
        }
        sender.handle_timeout(now);
        while let Some(data) = sender.poll_transmit(now) {
            datagram.clear();
            datagram.extend_from_slice(&wire::encode_data(&data));
            datagram.resize(wire::DATA_HEADER + data.payload as usize, 0);
            host.send(&datagram, peer)?;
        }
        let rtt = sender.smoothed_rtt().unwrap_or_default();
        host.wake(now, [sender.pacing_rate() * 8.0, rtt, sender.loss_event_rate(), 0.0])?;
        let Some((length, from)) = host.receive(sender.next_timeout())? else { continue };
        match wire::decode(&host.buffer[..length]) {
            Ok(wire::Packet::Feedback(feedback)) if from == peer => {
                sender.handle_feedback(host.now(), &feedback);
            }
            _ => host.refused += 1,
        }
    }
}

/// The receiving end with the address it answers to.
struct Incoming {
    receiver: Receiver,
    peer: Option<SocketAddr>,
    /// When the first and the last packet of it came.
    active: Option<(Time, Time)>,
    refused: u64,
}

fn run_receiver(host: &mut Host, flow: &mut Incoming) -> PyResult<()> {
    let mut before = 0;
    let mut since = Time::ZERO;
    loop {
        let now = host.now();
        if host.is_over(now) {
            return Ok(());
        }
        flow.receiver.handle_timeout(now);
        while let (Some(peer), Some(feedback)) = (flow.peer, flow.receiver.poll_transmit(now)) {
            host.send(&wire::encode_feedback(&feedback), peer)?;
        }
        if now >= host.next_wake {
            let stats = flow.receiver.stats();
            let octets = u32::try_from(stats.bytes_received.get() - before).unwrap_or(u32::MAX);
            let rate = f64::from(octets) * 8.0 / (now - since).as_secs_f64();
            let lost = u32::try_from(stats.lost).unwrap_or(u32::MAX);
            (before, since) = (stats.bytes_received.get(), now);
            host.wake(now, [rate, 0.0, flow.receiver.loss_event_rate(), f64::from(lost)])?;
        }
        let Some((length, from)) = host.receive(flow.receiver.next_timeout())? else { continue };
        match wire::decode(&host.buffer[..length]) {
            Ok(wire::Packet::Data(data)) if flow.peer.is_none_or(|peer| peer == from) => {
                let now = host.now();
                flow.peer = Some(from);
                flow.active = Some((flow.active.map_or(now, |(first, _)| first), now));
                flow.receiver.handle_data(now, &data);
            }
            _ => flow.refused += 1,
        }
    }
}

fn sender_config(
    profile: Profile,
    (segment, ssrc): (u64, u32),
    rate_bps: Option<u64>,
) -> PyResult<SenderConfig> {
    if !(1..=65_000).contains(&segment) {
        return Err(PyValueError::new_err(format!(
            "segment = {segment}: allowed is 1 to 65000 octets"
        )));
    }
    if rate_bps == Some(0) {
        return Err(PyValueError::new_err("rate = 0: allowed is 1 b/s or more"));
    }
    let segment = Bytes::new(segment);
    Ok(SenderConfig {
        source: rate_bps.map_or(Source::Greedy, |bps| Source::Constant(DataRate::from_bps(bps))),
        buffer: rate_bps.map(|_| segment * 50),
        ssrc,
        granularity: GRANULARITY,
        ..SenderConfig::new(profile, segment)
    })
}

fn parse_profile(name: &str) -> PyResult<Profile> {
    match name {
        "rfc5348" => Ok(Profile::Rfc5348),
        "rfc3448" => Ok(Profile::Rfc3448),
        "ns-2" => Ok(Profile::Ns2),
        _ => Err(PyValueError::new_err(format!(
            "profile = {name:?}: allowed are \"rfc5348\", \"rfc3448\", \"ns-2\""
        ))),
    }
}

fn resolve(address: &str) -> PyResult<SocketAddr> {
    let mut found = address.to_socket_addrs().map_err(|error| {
        PyOSError::new_err(format!("{address}: {error}; write HOST:PORT or [IPV6]:PORT"))
    })?;
    found.next().ok_or_else(|| PyOSError::new_err(format!("{address}: no such host")))
}

fn seconds(duration_s: f64) -> PyResult<Duration> {
    let duration = std::time::Duration::try_from_secs_f64(duration_s);
    let nanos = duration.ok().and_then(|duration| u64::try_from(duration.as_nanos()).ok());
    nanos.map(Duration::from_nanos).ok_or_else(|| {
        PyValueError::new_err(format!("duration = {duration_s} s: allowed is 0 s or more"))
    })
}

/// Whether Ctrl-C ended a run; any other error is raised.
fn interrupted(py: Python<'_>, run: PyResult<()>) -> PyResult<bool> {
    match run {
        Ok(()) => Ok(false),
        Err(error) if error.is_instance_of::<PyKeyboardInterrupt>(py) => Ok(true),
        Err(error) => Err(error),
    }
}
