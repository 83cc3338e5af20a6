//! Host of a TFRC endpoint: a UDP socket, a clock and progress reports.

use std::io::{self, ErrorKind};
use std::net::{SocketAddr, UdpSocket};
use std::time::Instant;

use airfair_units::{Duration, Time};
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// Period in which progress is reported and Ctrl-C is checked.
const WAKE: Duration = Duration::from_millis(200);
/// Pause after a network error that would repeat at once.
const PAUSE: Duration = Duration::from_millis(10);
/// Largest datagram [octets].
const MAX_DATAGRAM: usize = 65_536;

/// Counts of packets that were sent, and of packets that the network refused.
#[derive(Debug, Default)]
pub(super) struct SendCounts {
    pub(super) packets: u64,
    pub(super) unsent: u64,
    /// Last error that the network returned.
    pub(super) error: Option<String>,
}

/// Error: the network refused a packet.
#[derive(Clone, Copy, Debug)]
pub(super) struct NotSent;

/// UDP socket with a clock and progress reports.
pub(super) struct Host {
    socket: UdpSocket,
    /// Peer to which the socket is connected, so that ICMP errors from there are reported; `None`
    /// for a receiver.
    peer: Option<SocketAddr>,
    is_connected: bool,
    started: Instant,
    end: Option<Time>,
    next_report: Time,
    report: Option<Py<PyAny>>,
    buffer: Vec<u8>,
    pub(super) sent: SendCounts,
}

impl Host {
    pub(super) fn new(
        socket: UdpSocket,
        peer: Option<SocketAddr>,
        end: Option<Time>,
        report: Option<Py<PyAny>>,
    ) -> io::Result<Self> {
        // Limits how long a blocked send buffer holds up a packet.
        socket.set_write_timeout(Some(std::time::Duration::from_nanos(WAKE.as_nanos())))?;
        Ok(Self {
            socket,
            peer,
            is_connected: false,
            started: Instant::now(),
            end,
            next_report: Time::ZERO + WAKE,
            report,
            buffer: vec![0; MAX_DATAGRAM],
            sent: SendCounts::default(),
        })
    }

    pub(super) fn now(&self) -> Time {
        let nanos = u64::try_from(self.started.elapsed().as_nanos());
        Time::from_nanos(nanos.expect("shorter than 584 years"))
    }

    pub(super) fn is_over(&self, now: Time) -> bool {
        self.end.is_some_and(|end| now >= end)
    }

    /// True once the end of the run or the next progress report is due. Long loops check this.
    pub(super) fn is_due(&self) -> bool {
        let now = self.now();
        now >= self.next_report || self.is_over(now)
    }

    /// Waits for a datagram until `deadline`, the end of the run or the next report, whichever
    /// comes first. If that time has passed, returns a datagram that has arrived already.
    pub(super) fn receive(&mut self, deadline: Option<Time>) -> Option<(&[u8], SocketAddr)> {
        let until = deadline.into_iter().chain(self.end).fold(self.next_report, Time::min);
        let wait = until.saturating_since(self.now());
        match self.read(wait) {
            Ok((length, from)) => Some((&self.buffer[..length], from)),
            Err(error) => {
                let kind = error.kind();
                let is_quiet = [ErrorKind::WouldBlock, ErrorKind::TimedOut, ErrorKind::Interrupted];
                if !is_quiet.contains(&kind) {
                    self.sent.error = Some(reason(&error));
                    // Nobody listens at the peer. Each packet causes one such error.
                    if kind != ErrorKind::ConnectionRefused {
                        std::thread::sleep(wall(wait.min(PAUSE)));
                    }
                }
                None
            }
        }
    }

    fn read(&mut self, wait: Duration) -> io::Result<(usize, SocketAddr)> {
        if !wait.is_zero() {
            self.socket.set_read_timeout(Some(wall(wait.max(Duration::from_micros(1)))))?;
            return self.socket.recv_from(&mut self.buffer);
        }
        self.socket.set_nonblocking(true)?;
        let arrival = self.socket.recv_from(&mut self.buffer);
        self.socket.set_nonblocking(false)?;
        arrival
    }

    /// Sends a datagram. After a network error the packet counts as lost, like one dropped on the
    /// way, because a link that is down may come back.
    ///
    /// # Errors
    /// Returns [`NotSent`] if the packet was not sent; counters include it.
    pub(super) fn send(&mut self, octets: &[u8], to: SocketAddr) -> Result<(), NotSent> {
        let mut sent = self.try_send(octets, to);
        if sent.as_ref().is_err_and(|error| error.kind() == ErrorKind::ConnectionRefused) {
            // This error belongs to an earlier packet. The present one has not been tried.
            self.sent.error = sent.err().map(|error| reason(&error));
            sent = self.try_send(octets, to);
        }
        match sent {
            Ok(_) => self.sent.packets += 1,
            Err(error) => {
                self.sent.unsent += 1;
                self.sent.error = Some(reason(&error));
                return Err(NotSent);
            }
        }
        Ok(())
    }

    fn try_send(&mut self, octets: &[u8], to: SocketAddr) -> io::Result<usize> {
        if let Some(peer) = self.peer
            && !self.is_connected
        {
            self.socket.connect(peer)?;
            self.is_connected = true;
        }
        if self.is_connected { self.socket.send(octets) } else { self.socket.send_to(octets, to) }
    }

    /// Reports progress a few times per second, and checks for Ctrl-C.
    pub(super) fn report_progress(
        &mut self,
        now: Time,
        fill: impl FnOnce(&Self, &Bound<'_, PyDict>) -> PyResult<()>,
    ) -> PyResult<()> {
        if now < self.next_report {
            return Ok(());
        }
        self.next_report = now + WAKE;
        Python::attach(|py| {
            if let Some(report) = &self.report {
                let state = PyDict::new(py);
                fill(self, &state)?;
                report.call1(py, (now.as_secs_f64(), state))?;
            }
            py.check_signals()
        })
    }
}

/// Meter of the rate between two readings of a counter.
#[derive(Debug, Default)]
pub(super) struct Meter {
    before: u64,
    since: Time,
}

impl Meter {
    /// Mean rate since the last reading [bit/s].
    #[expect(
        clippy::cast_precision_loss,
        reason = "far less than 2^53 octets in a fraction of a second"
    )]
    pub(super) fn rate(&mut self, now: Time, octets: u64) -> f64 {
        let passed = now.saturating_since(self.since).as_secs_f64();
        let bits = (octets - self.before) as f64 * 8.0;
        (self.before, self.since) = (octets, now);
        if passed > 0.0 { bits / passed } else { 0.0 }
    }
}

/// Text of an operating system error without its number.
pub(super) fn reason(error: &io::Error) -> String {
    let text = error.to_string();
    text.split(" (os error").next().unwrap_or(&text).to_owned()
}

fn wall(duration: Duration) -> std::time::Duration {
    std::time::Duration::from_nanos(duration.as_nanos())
}
