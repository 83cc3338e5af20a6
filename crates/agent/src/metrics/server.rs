//! Server of metrics over HTTP/1.0, on the thread that takes the samples.
//!
//! No call waits. Clients, octets of a request and time of a client are bounded, and the text is
//! made at most once per sample, so that no client delays a sample.

use std::fs;
use std::io::{ErrorKind, Read, Result as IoResult, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::os::fd::{AsRawFd, RawFd};
use std::os::unix::fs::FileTypeExt;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use airfair_units::{Duration, Time};
use anyhow::{Context, Result, bail};

use super::address::MetricsAddress;
use super::request::{LONGEST, Request, metrics_head, read};
use super::text::text;
use crate::status::Status;

/// Most clients at a time. One more takes the place of the client that came first.
const MOST: usize = 16;
/// Time after which a client is dropped: half of Prometheus' default time-out, 10 s.
const PATIENCE: Duration = Duration::from_secs(5);

/// Server of metrics on a loopback address or on a Unix socket.
#[derive(Debug)]
pub struct MetricsServer {
    listener: Listener,
    clients: Vec<Client>,
    /// Text of the metrics, with the number of the sample after which it was made.
    made: Option<(u64, Arc<str>)>,
}

#[derive(Debug)]
enum Listener {
    Loopback(TcpListener),
    /// Socket with the path of its file, which is removed at the end.
    Unix(UnixListener, PathBuf),
}

#[derive(Debug)]
enum Stream {
    Loopback(TcpStream),
    Unix(UnixStream),
}

/// Client of the server.
#[derive(Debug)]
struct Client {
    stream: Stream,
    came: Time,
    state: ClientState,
}

/// State of a client.
#[derive(Debug)]
enum ClientState {
    /// The client has sent this part of its request.
    Asking(Vec<u8>),
    /// The client gets a reply, head and text, of which `sent` octets are sent.
    Reading { head: String, body: Arc<str>, sent: usize },
    /// The client has its reply. Its further octets are read, since a socket that is closed with
    /// unread octets makes the client lose the reply.
    Ending,
}

/// Outcome of serving a client.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Served {
    Waits,
    Done,
}

impl MetricsServer {
    /// Opens the server.
    ///
    /// # Errors
    /// Returns an error with the address if it is taken or cannot be used.
    pub fn open(address: &MetricsAddress) -> Result<Self> {
        let listener =
            Listener::open(address).with_context(|| format!("metrics = \"{address}\""))?;
        Ok(Self { listener, clients: Vec::new(), made: None })
    }

    /// File descriptors of the server and its clients, for polling.
    pub fn descriptors(&self) -> Vec<RawFd> {
        // A client that gets its reply is served at the next sample.
        let waiting = self.clients.iter().filter(|it| !it.is_reading());
        let clients = waiting.map(|it| it.stream.descriptor());
        std::iter::once(self.listener.descriptor()).chain(clients).collect()
    }

    /// Serves all clients as far as that is possible without waiting, at the time `now` since the
    /// start of the agent.
    pub fn serve(&mut self, now: Time, status: &Status) {
        for _ in 0..MOST {
            let Ok(stream) = self.listener.accept() else { break };
            if self.clients.len() >= MOST {
                self.clients.remove(0);
            }
            self.clients.push(Client { stream, came: now, state: ClientState::Asking(Vec::new()) });
        }
        let made = &mut self.made;
        let mut metrics = || current(made, status);
        self.clients.retain_mut(|client| {
            now.saturating_since(client.came) < PATIENCE
                && client.serve(&mut metrics).is_ok_and(|served| served == Served::Waits)
        });
    }
}

/// Text of the metrics, made anew after a sample.
fn current(made: &mut Option<(u64, Arc<str>)>, status: &Status) -> Arc<str> {
    match made {
        Some((samples, text)) if *samples == status.samples => Arc::clone(text),
        _ => {
            let text: Arc<str> = text(status).into();
            *made = Some((status.samples, Arc::clone(&text)));
            text
        }
    }
}

impl Client {
    fn is_reading(&self) -> bool {
        matches!(self.state, ClientState::Reading { .. })
    }

    fn serve(&mut self, metrics: &mut impl FnMut() -> Arc<str>) -> IoResult<Served> {
        if let ClientState::Asking(request) = &mut self.state {
            let is_closed = self.stream.read_to(request)?;
            let reply = match read(request) {
                Request::Incomplete if is_closed => return Ok(Served::Done),
                Request::Incomplete => return Ok(Served::Waits),
                Request::Metrics => {
                    let body = metrics();
                    (metrics_head(body.len()), body)
                }
                Request::Head => (metrics_head(metrics().len()), "".into()),
                Request::Refused(refusal) => (refusal.reply(), "".into()),
            };
            self.state = ClientState::Reading { head: reply.0, body: reply.1, sent: 0 };
        }
        if let ClientState::Reading { head, body, sent } = &mut self.state {
            while *sent < head.len() + body.len() {
                let rest = match head.as_bytes().get(*sent..) {
                    Some(rest) if !rest.is_empty() => rest,
                    _ => &body.as_bytes()[*sent - head.len()..],
                };
                match self.stream.write(rest) {
                    Ok(0) => return Ok(Served::Done),
                    Ok(octets) => *sent += octets,
                    Err(error) if error.kind() == ErrorKind::WouldBlock => {
                        return Ok(Served::Waits);
                    }
                    Err(error) => return Err(error),
                }
            }
            self.stream.end()?;
            self.state = ClientState::Ending;
        }
        let is_closed = self.stream.read_to(&mut Vec::new())?;
        Ok(if is_closed { Served::Done } else { Served::Waits })
    }
}

impl Listener {
    fn open(address: &MetricsAddress) -> Result<Self> {
        match address {
            MetricsAddress::Loopback(it) => {
                let listener = TcpListener::bind(it)?;
                listener.set_nonblocking(true)?;
                Ok(Self::Loopback(listener))
            }
            MetricsAddress::Unix(path) => {
                remove_stale(path)?;
                let listener = UnixListener::bind(path)?;
                listener.set_nonblocking(true)?;
                Ok(Self::Unix(listener, path.clone()))
            }
        }
    }

    fn descriptor(&self) -> RawFd {
        match self {
            Self::Loopback(it) => it.as_raw_fd(),
            Self::Unix(it, _) => it.as_raw_fd(),
        }
    }

    fn accept(&self) -> IoResult<Stream> {
        Ok(match self {
            Self::Loopback(it) => {
                let stream = it.accept()?.0;
                stream.set_nonblocking(true)?;
                Stream::Loopback(stream)
            }
            Self::Unix(it, _) => {
                let stream = it.accept()?.0;
                stream.set_nonblocking(true)?;
                Stream::Unix(stream)
            }
        })
    }
}

/// Removes the socket file of an agent that was killed. Leaves files that are no sockets, and
/// sockets on which a program answers.
fn remove_stale(path: &Path) -> Result<()> {
    let Ok(about) = fs::symlink_metadata(path) else { return Ok(()) };
    if !about.file_type().is_socket() {
        bail!("the file exists and is no socket; remove it or name another path");
    }
    if UnixStream::connect(path).is_ok() {
        bail!("another program answers there; end it or name another path");
    }
    Ok(fs::remove_file(path)?)
}

impl Drop for Listener {
    fn drop(&mut self) {
        if let Self::Unix(_, path) = self {
            let _ = fs::remove_file(path);
        }
    }
}

impl Stream {
    fn descriptor(&self) -> RawFd {
        match self {
            Self::Loopback(it) => it.as_raw_fd(),
            Self::Unix(it) => it.as_raw_fd(),
        }
    }

    /// Reads what has arrived, at most as much as the longest request; true if the client has
    /// closed its end.
    fn read_to(&mut self, octets: &mut Vec<u8>) -> IoResult<bool> {
        let mut buffer = [0; LONGEST];
        let room = LONGEST.saturating_sub(octets.len()).max(1);
        let read = match self {
            Self::Loopback(it) => it.read(&mut buffer[..room]),
            Self::Unix(it) => it.read(&mut buffer[..room]),
        };
        match read {
            Ok(length) => {
                octets.extend(&buffer[..length]);
                Ok(length == 0)
            }
            Err(error) if error.kind() == ErrorKind::WouldBlock => Ok(false),
            Err(error) => Err(error),
        }
    }

    fn write(&mut self, octets: &[u8]) -> IoResult<usize> {
        match self {
            Self::Loopback(it) => it.write(octets),
            Self::Unix(it) => it.write(octets),
        }
    }

    /// Ends the reply.
    fn end(&self) -> IoResult<()> {
        match self {
            Self::Loopback(it) => it.shutdown(Shutdown::Write),
            Self::Unix(it) => it.shutdown(Shutdown::Write),
        }
    }
}

#[cfg(test)]
mod tests;
