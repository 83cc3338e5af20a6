//! Interfaces of namespaces, and the emulation's ends of them.

use std::io::{ErrorKind, Result};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use super::calls;
use super::counters::Counters;
use super::namespace::Namespace;
use super::netlink::Netlink;
use crate::plan::Node;

/// Octets of frames that wait in a packet socket until they are read: room for as many as in the queue of a TAP device, each
/// of which the kernel counts with all of its memory.
const ROOM: i32 = 32 << 20;

/// Kind of interface that namespaces have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Backend {
    /// TAP devices, which root may make.
    Tap,
    /// Pairs of interfaces within a user namespace, which anybody may make where those are permitted.
    Veth,
}

impl Backend {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Tap => "TAP",
            Self::Veth => "veth",
        }
    }

    /// Sees whether this process may make a namespace with such an interface, by making one.
    ///
    /// # Errors
    /// The operating system's.
    pub fn attempt(self) -> Result<()> {
        let namespace = Namespace::new()?;
        match self {
            Self::Tap => namespace.within(|| calls::tap("wlan0").map(|_| ())),
            Self::Veth => Ok(()),
        }
    }
}

/// The side of the emulation.
pub(super) struct Hub(Backend);

impl Hub {
    pub(super) fn new(backend: Backend) -> Self {
        Self(backend)
    }

    /// Joins a node by a pair of interfaces, one of which stays here; nothing for a TAP device, which has one side.
    pub(super) fn join(&self, node: &Node, namespace: &Namespace) -> Result<Option<Joined>> {
        if self.0 == Backend::Tap {
            return Ok(None);
        }
        let name = format!("af{}", node.number);
        let netlink = Netlink::open()?;
        netlink.add_pair(&name, node.interface(), namespace.as_fd())?;
        // This side is no host: it has no address, says nothing, and answers nothing.
        let _ = std::fs::write(format!("/proc/sys/net/ipv6/conf/{name}/disable_ipv6"), "1");
        calls::leave_nothing_to_cards(&name)?;
        let index = calls::interface_index(&name)?;
        let socket = calls::packet_socket(index, ROOM)?;
        netlink.switch_on(index)?;
        Ok(Some(Joined { socket, name }))
    }
}

/// The emulation's own interface of a pair.
#[derive(Debug)]
pub(super) struct Joined {
    socket: OwnedFd,
    name: String,
}

/// The reason why a frame was not sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NotSent {
    /// The interface is off, or has gone.
    Off,
    /// The kernel did not take it, and does not count it.
    Dropped,
    /// The kernel did not take it, and counts it among the drops of the interface.
    Counted,
}

/// The emulation's end of an interface.
#[derive(Debug)]
pub(crate) struct Port {
    line: Line,
    /// The interface in the namespace.
    name: &'static str,
    /// Counters of the namespace.
    inside: Counters,
    /// A socket in the namespace, through which the kernel says whether the interface is on.
    question: OwnedFd,
}

#[derive(Debug)]
enum Line {
    /// The one side of a TAP device.
    Tap(OwnedFd),
    /// The other side of a pair.
    Pair(Joined),
}

impl Port {
    /// The port of an interface in the namespace of this thread: of a TAP device unless a pair has been joined.
    pub(super) fn new(name: &'static str, joined: Option<Joined>) -> Result<Self> {
        let line = match joined {
            Some(joined) => Line::Pair(joined),
            None => Line::Tap(calls::tap(name)?),
        };
        let (inside, question) = (Counters::of_this_thread()?, calls::question_socket()?);
        Ok(Self { line, name, inside, question })
    }

    /// The next frame from the namespace; `None` if there is none now.
    pub(crate) fn receive<'b>(&self, buffer: &'b mut [u8]) -> Result<Option<&'b [u8]>> {
        match calls::read(self.as_fd(), buffer) {
            Ok(length) => Ok(Some(&buffer[..length])),
            Err(error) if error.kind() == ErrorKind::WouldBlock => Ok(None),
            // The interface was switched off, and may be switched on again.
            Err(error) if error.raw_os_error() == Some(libc::ENETDOWN) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Hands a frame to the namespace.
    pub(crate) fn send(&self, frame: &[u8]) -> std::result::Result<(), NotSent> {
        let Err(error) = calls::write(self.as_fd(), frame) else { return Ok(()) };
        Err(match (error.raw_os_error(), &self.line) {
            (Some(libc::EIO | libc::EBADFD | libc::ENETDOWN | libc::ENXIO), _) => NotSent::Off,
            (Some(libc::ENOBUFS), Line::Pair(..)) => NotSent::Counted,
            _ => NotSent::Dropped,
        })
    }

    /// Name of the interface in the namespace.
    pub(super) fn name(&self) -> &'static str {
        self.name
    }

    /// Counters of the namespace.
    pub(super) fn inside(&self) -> &Counters {
        &self.inside
    }

    /// Name of the emulation's own interface, if it has one.
    pub(super) fn outside(&self) -> Option<&str> {
        match &self.line {
            Line::Tap(_) => None,
            Line::Pair(joined) => Some(&joined.name),
        }
    }

    /// True if the interface in the namespace is on.
    pub(super) fn is_on(&self) -> bool {
        calls::is_on(self.question.as_fd(), self.name).unwrap_or(false)
    }

    /// Frames from the namespace that the socket of a pair has had no room for since this was last asked.
    pub(super) fn overflows(&self) -> u64 {
        match &self.line {
            Line::Tap(_) => 0,
            Line::Pair(joined) => calls::packet_drops(joined.socket.as_fd()).unwrap_or(0).into(),
        }
    }
}

impl AsFd for Port {
    fn as_fd(&self) -> BorrowedFd<'_> {
        match &self.line {
            Line::Tap(line) => line.as_fd(),
            Line::Pair(joined) => joined.socket.as_fd(),
        }
    }
}
