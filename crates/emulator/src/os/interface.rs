//! Interfaces of namespaces, and the emulation's ends of them.

use std::io::{ErrorKind, Result};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use super::calls;
use super::namespace::Namespace;
use super::netlink::Netlink;
use crate::plan::Node;

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
            Self::Tap => namespace.within(|| Port::tap("wlan0").map(|_| ())),
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
    pub(super) fn join(&self, node: &Node, namespace: &Namespace) -> Result<Option<Port>> {
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
        let socket = calls::packet_socket(index)?;
        netlink.switch_on(index)?;
        Ok(Some(Port(socket)))
    }
}

/// The emulation's end of an interface.
#[derive(Debug)]
pub(crate) struct Port(OwnedFd);

impl Port {
    pub(super) fn tap(name: &str) -> Result<Self> {
        Ok(Self(calls::tap(name)?))
    }

    /// The next frame from the namespace; `None` if there is none now.
    pub(crate) fn receive<'b>(&self, buffer: &'b mut [u8]) -> Result<Option<&'b [u8]>> {
        match calls::read(self.0.as_fd(), buffer) {
            Ok(length) => Ok(Some(&buffer[..length])),
            Err(error) if error.kind() == ErrorKind::WouldBlock => Ok(None),
            // The interface was switched off, and may be switched on again.
            Err(error) if error.raw_os_error() == Some(libc::ENETDOWN) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Hands a frame to the namespace; false if its interface does not take it.
    pub(crate) fn send(&self, frame: &[u8]) -> bool {
        calls::write(self.0.as_fd(), frame).is_ok()
    }
}

impl AsFd for Port {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}
