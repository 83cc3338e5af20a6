//! The host that an endpoint runs on: a socket, a clock, and who wants to hear of progress.

use std::io::{self, ErrorKind};
use std::net::{SocketAddr, UdpSocket};
use std::time::Instant;

use airfair_units::{Duration, Time};
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// Period in which the caller hears of progress and Ctrl-C is looked for.
const WAKE: Duration = Duration::from_millis(200);
/// Pause after an error of the network that would come again at once.
const PAUSE: Duration = Duration::from_millis(10);
/// Largest datagram that is read.
const MAX_DATAGRAM: usize = 65_536;

/// Packets that were sent, and those that the network did not take.
#[derive(Debug, Default)]
pub(super) struct Left {
    pub(super) packets: u64,
    pub(super) unsent: u64,
    /// Error that the network told last.
    pub(super) error: Option<String>,
}

/// Sign that the network did not take a packet.
#[derive(Clone, Copy, Debug)]
pub(super) struct NotSent;

/// A socket, the clock it runs by, and who wants to hear of progress.
pub(super) struct Host {
    socket: UdpSocket,
    /// The only peer, to be connected to: then the host hears that nobody listens there.
    peer: Option<SocketAddr>,
    is_connected: bool,
    started: Instant,
    end: Option<Time>,
    next_wake: Time,
    report: Option<Py<PyAny>>,
    buffer: Vec<u8>,
    pub(super) left: Left,
}

impl Host {
    pub(super) fn new(
        socket: UdpSocket,
        peer: Option<SocketAddr>,
        end: Option<Time>,
        report: Option<Py<PyAny>>,
    ) -> io::Result<Self> {
        // A queue of this host that does not move holds a packet no longer than this.
        socket.set_write_timeout(Some(std::time::Duration::from_nanos(WAKE.as_nanos())))?;
        Ok(Self {
            socket,
            peer,
            is_connected: false,
            started: Instant::now(),
            end,
            next_wake: Time::ZERO + WAKE,
            report,
            buffer: vec![0; MAX_DATAGRAM],
            left: Left::default(),
        })
    }

    pub(super) fn now(&self) -> Time {
        let nanos = u64::try_from(self.started.elapsed().as_nanos());
        Time::from_nanos(nanos.expect("shorter than 584 years"))
    }

    pub(super) fn is_over(&self, now: Time) -> bool {
        self.end.is_some_and(|end| now >= end)
    }

    /// True once the end or the next wake-up has come: whoever works for long asks now and then.
    pub(super) fn is_wanted(&self) -> bool {
        let now = self.now();
        now >= self.next_wake || self.is_over(now)
    }

    /// Waits for a datagram until `deadline`, the end or the next wake-up, whichever is first. Without time to
    /// wait it takes one that is there.
    pub(super) fn receive(&mut self, deadline: Option<Time>) -> Option<(&[u8], SocketAddr)> {
        let until = deadline.into_iter().chain(self.end).fold(self.next_wake, Time::min);
        let wait = until.saturating_since(self.now());
        match self.read(wait) {
            Ok((length, from)) => Some((&self.buffer[..length], from)),
            Err(error) => {
                let kind = error.kind();
                let is_quiet = [ErrorKind::WouldBlock, ErrorKind::TimedOut, ErrorKind::Interrupted];
                if !is_quiet.contains(&kind) {
                    self.left.error = Some(reason(&error));
                    // Nobody listens yet, or no longer: each packet brings one such error.
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

    /// Sends a datagram. An error of the network costs the packet, as a full queue on the way would: a link that
    /// is down may come back.
    ///
    /// # Errors
    /// [`NotSent`] if it did not leave, which is noted.
    pub(super) fn send(&mut self, octets: &[u8], to: SocketAddr) -> Result<(), NotSent> {
        let mut sent = self.try_send(octets, to);
        if sent.as_ref().is_err_and(|error| error.kind() == ErrorKind::ConnectionRefused) {
            // That was about an earlier packet; this one has not been tried.
            self.left.error = sent.err().map(|error| reason(&error));
            sent = self.try_send(octets, to);
        }
        match sent {
            Ok(_) => self.left.packets += 1,
            Err(error) => {
                self.left.unsent += 1;
                self.left.error = Some(reason(&error));
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

    /// Tells the caller how things are, a few times per second, and looks for Ctrl-C.
    pub(super) fn wake(
        &mut self,
        now: Time,
        tell: impl FnOnce(&Self, &Bound<'_, PyDict>) -> PyResult<()>,
    ) -> PyResult<()> {
        if now < self.next_wake {
            return Ok(());
        }
        self.next_wake = now + WAKE;
        Python::attach(|py| {
            if let Some(report) = &self.report {
                let state = PyDict::new(py);
                tell(self, &state)?;
                report.call1(py, (now.as_secs_f64(), state))?;
            }
            py.check_signals()
        })
    }
}

/// A rate between two looks at a counter.
#[derive(Debug, Default)]
pub(super) struct Meter {
    before: u64,
    since: Time,
}

impl Meter {
    /// Growth of `octets` since the last look [bit/s].
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

/// An operating system's error in words, without its number.
pub(super) fn reason(error: &io::Error) -> String {
    let text = error.to_string();
    text.split(" (os error").next().unwrap_or(&text).to_owned()
}

fn wall(duration: Duration) -> std::time::Duration {
    std::time::Duration::from_nanos(duration.as_nanos())
}
