//! Network namespaces without a name. They exist as long as a process has them open.

use std::fs::File;
use std::io::{Error, Result};
use std::net::IpAddr;
use std::os::fd::{AsFd, BorrowedFd};
use std::path::Path;
use std::thread;

use super::calls;
use super::interface::{Backend, Hub, Port};
use super::netlink::Netlink;
use crate::plan::{Node, PREFIX_V4, PREFIX_V6};

/// Largest IP packet [octets], as on Ethernet.
const MTU: u32 = 1500;
/// Length of an interface's queue [packets]: at 1500 octets, 0.1 s at 1 Gb/s.
const QUEUE: u32 = 8_192;

/// Network namespace, which exists at least as long as this value.
#[derive(Debug)]
pub(crate) struct Namespace(File);

impl Namespace {
    /// Creates a namespace, which contains only a loopback interface that is down.
    pub(crate) fn new() -> Result<Self> {
        // A namespace belongs to a thread, so the temporary thread leaves all others where they
        // are.
        in_a_thread(|| {
            calls::unshare(libc::CLONE_NEWNET)?;
            Ok(Self(File::open("/proc/thread-self/ns/net")?))
        })
    }

    /// Runs `work` in this namespace, on a temporary thread.
    pub(crate) fn within<T: Send>(&self, work: impl FnOnce() -> Result<T> + Send) -> Result<T> {
        in_a_thread(|| {
            self.join()?;
            work()
        })
    }

    /// Second handle of this namespace.
    pub(crate) fn share(&self) -> Result<Self> {
        Ok(Self(self.0.try_clone()?))
    }

    /// Moves this thread into the namespace.
    pub(crate) fn join(&self) -> Result<()> {
        calls::set_namespace(self.0.as_fd(), libc::CLONE_NEWNET)
    }

    /// Creates the interface of a node with its addresses, and returns the emulator's port to it.
    pub(crate) fn add_interface(
        &self,
        node: &Node,
        backend: Backend,
        congestion: &str,
    ) -> Result<Port> {
        let joined = Hub::new(backend).join(node, self)?;
        self.within(|| {
            // Errors are ignored: some containers mount these files read-only, and without IPv6
            // some do not exist.
            for (key, value) in [
                ("ipv4/tcp_no_metrics_save", "1"),
                ("ipv4/tcp_congestion_control", congestion),
                ("ipv6/conf/default/accept_ra", "0"),
                ("ipv6/conf/default/accept_dad", "0"),
                ("ipv4/ping_group_range", "0 0"),
            ] {
                let _ = std::fs::write(Path::new("/proc/sys/net").join(key), value);
            }
            let netlink = Netlink::open()?;
            let port = Port::new(node.interface(), joined)?;
            let index = calls::interface_index(node.interface())?;
            netlink.set_up(calls::interface_index("lo")?)?;
            netlink.set_address_and_mtu(index, node.mac(), MTU)?;
            netlink.set_queue_length(index, QUEUE)?;
            calls::disable_offloads(node.interface())?;
            netlink.set_up(index)?;
            netlink.add_address(index, IpAddr::V4(node.v4()), PREFIX_V4)?;
            match netlink.add_address(index, IpAddr::V6(node.v6()), PREFIX_V6) {
                Err(error) if error.raw_os_error() != Some(libc::EOPNOTSUPP) => Err(error),
                _ => Ok(port),
            }
        })
    }

    /// Default TCP congestion control of the namespace: CUBIC if permitted, else Reno, else the
    /// present one.
    pub(crate) fn congestion_control(&self) -> Result<String> {
        const KEY: &str = "/proc/sys/net/ipv4/tcp_congestion_control";
        self.within(|| {
            let found =
                ["cubic", "reno"].into_iter().find(|name| std::fs::write(KEY, name).is_ok());
            let present = || std::fs::read_to_string(KEY).map(|name| name.trim().to_owned());
            found.map_or_else(present, |name| Ok(name.to_owned()))
        })
    }
}

impl AsFd for Namespace {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}

fn in_a_thread<T: Send>(work: impl FnOnce() -> Result<T> + Send) -> Result<T> {
    thread::scope(|scope| {
        let thread = thread::Builder::new().spawn_scoped(scope, work)?;
        thread.join().unwrap_or_else(|_| Err(Error::other("a thread has panicked")))
    })
}
