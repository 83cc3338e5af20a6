//! Network interfaces of the namespaces, and the emulator's ends of them.

use std::io::{ErrorKind, Result};
use std::net::IpAddr;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::Path;

use super::calls;
use super::counters::Counters;
use super::namespace::Namespace;
use super::netlink::Netlink;
use crate::plan::{GATEWAY, Node, PREFIX_V4, PREFIX_V6};

/// Receive buffer of a packet socket [octets]. It holds as many frames as the queue of a TAP
/// device. The kernel charges each frame with all the memory that it occupies.
const ROOM: i32 = 32 << 20;

/// Largest IP packet [octets], as on Ethernet.
const MTU: u32 = 1500;
/// Length of an interface's queue [packets]: at 1500 octets, 0.1 s at 1 Gb/s.
const QUEUE: u32 = 8_192;

/// Kind of network interface in the namespaces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Backend {
    /// TAP devices, which without root require a user namespace and an open `/dev/net/tun`.
    Tap,
    /// Veth pairs in a user namespace, which need no privileges if the system permits user
    /// namespaces.
    Veth,
}

impl Backend {
    /// Name of this kind of network interface in messages.
    pub fn name(self) -> &'static str {
        match self {
            Self::Tap => "TAP",
            Self::Veth => "veth",
        }
    }

    /// Tests if this process may create interfaces of this kind, by creating a namespace with one.
    ///
    /// # Errors
    /// Returns the error of the operating system.
    pub fn attempt(self) -> Result<()> {
        let namespace = Namespace::new()?;
        match self {
            Self::Tap => namespace.within(|| calls::tap("wlan0").map(|_| ())),
            Self::Veth => Ok(()),
        }
    }
}

/// The emulator's end of the veth pair of a node.
#[derive(Debug)]
struct VethEnd {
    socket: OwnedFd,
    name: String,
}

impl VethEnd {
    /// Connects a node with a veth pair, and returns the emulator's end.
    fn join(node: &Node, namespace: &Namespace) -> Result<Self> {
        let name = format!("af{}", node.number);
        let netlink = Netlink::open()?;
        netlink.add_pair(&name, node.interface(), namespace.as_fd())?;
        // The emulator's end must not act as a host: without IPv6 it has no address and sends
        // nothing.
        let _ = std::fs::write(format!("/proc/sys/net/ipv6/conf/{name}/disable_ipv6"), "1");
        calls::disable_offloads(&name)?;
        let index = calls::interface_index(&name)?;
        let socket = calls::packet_socket(index, ROOM)?;
        netlink.set_up(index)?;
        Ok(Self { socket, name })
    }
}

/// Reason why a frame could not be sent to a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NotSent {
    /// The frame could not be sent because the node's interface is down or removed.
    Off,
    /// The kernel dropped the frame, and its counters do not show this.
    Dropped,
    /// The kernel dropped the frame, and counts it among the interface's drops.
    Counted,
}

/// The emulator's connection to the interface of a node.
#[derive(Debug)]
pub(crate) struct Port {
    device: Device,
    /// Name of the node's interface in its namespace.
    name: &'static str,
    /// Drop counters of the interfaces in the namespace.
    inside: Counters,
    /// Socket in the namespace for the ioctl that reads the state of the interface.
    ioctl_socket: OwnedFd,
}

#[derive(Debug)]
enum Device {
    /// File of a TAP device.
    Tap(OwnedFd),
    /// The emulator's end of a veth pair.
    Veth(VethEnd),
}

impl Port {
    /// Creates the interface of a node in its namespace, with its addresses, and returns the
    /// emulator's port to it.
    pub(crate) fn create(
        node: &Node,
        namespace: &Namespace,
        backend: Backend,
        congestion: &str,
    ) -> Result<Self> {
        let veth_end = match backend {
            Backend::Tap => None,
            Backend::Veth => Some(VethEnd::join(node, namespace)?),
        };
        namespace.within(|| {
            let netlink = Netlink::open()?;
            if !node.is_joined {
                set_up_namespace(&netlink, congestion)?;
            }
            let port = Self::new(node.interface(), veth_end)?;
            let index = calls::interface_index(node.interface())?;
            let of_interface = Path::new("ipv6/conf").join(node.interface());
            for key in ["accept_ra", "accept_dad"] {
                set_key(&of_interface.join(key), "0");
            }
            netlink.set_address_and_mtu(index, node.mac(), MTU)?;
            netlink.set_queue_length(index, QUEUE)?;
            calls::disable_offloads(node.interface())?;
            netlink.set_up(index)?;
            netlink.add_address(index, IpAddr::V4(node.v4()), PREFIX_V4)?;
            let has_v6 = match netlink.add_address(index, IpAddr::V6(node.v6()), PREFIX_V6) {
                Err(error) if error.raw_os_error() != Some(libc::EOPNOTSUPP) => return Err(error),
                added => added.is_ok(),
            };
            if !node.is_joined {
                add_default_routes(&netlink, index, has_v6)?;
            }
            Ok(port)
        })
    }

    /// Makes the port of an interface in this thread's namespace. Without a veth end it creates a
    /// TAP device.
    fn new(name: &'static str, veth_end: Option<VethEnd>) -> Result<Self> {
        let device = match veth_end {
            Some(veth_end) => Device::Veth(veth_end),
            None => Device::Tap(calls::tap(name)?),
        };
        let (inside, ioctl_socket) = (Counters::of_this_thread()?, calls::ioctl_socket()?);
        Ok(Self { device, name, inside, ioctl_socket })
    }

    /// Next frame from the namespace; `None` if there is none now.
    pub(crate) fn receive<'b>(&self, buffer: &'b mut [u8]) -> Result<Option<&'b [u8]>> {
        match calls::read(self.as_fd(), buffer) {
            Ok(length) => Ok(Some(&buffer[..length])),
            Err(error) if error.kind() == ErrorKind::WouldBlock => Ok(None),
            // The interface is down, and may come up again.
            Err(error) if error.raw_os_error() == Some(libc::ENETDOWN) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Sends a frame into the namespace of the node.
    pub(crate) fn send(&self, frame: &[u8]) -> std::result::Result<(), NotSent> {
        let Err(error) = calls::write(self.as_fd(), frame) else { return Ok(()) };
        Err(match (error.raw_os_error(), &self.device) {
            (Some(libc::EIO | libc::EBADFD | libc::ENETDOWN | libc::ENXIO), _) => NotSent::Off,
            (Some(libc::ENOBUFS), Device::Veth(..)) => NotSent::Counted,
            _ => NotSent::Dropped,
        })
    }

    /// Name of the node's interface in its namespace.
    pub(super) fn name(&self) -> &'static str {
        self.name
    }

    pub(super) fn inside(&self) -> &Counters {
        &self.inside
    }

    /// Name of the emulator's end of a veth pair; `None` for a TAP device.
    pub(super) fn outside(&self) -> Option<&str> {
        match &self.device {
            Device::Tap(_) => None,
            Device::Veth(veth_end) => Some(&veth_end.name),
        }
    }

    /// True if the interface in the namespace is up.
    pub(super) fn is_up(&self) -> bool {
        calls::is_up(self.ioctl_socket.as_fd(), self.name).unwrap_or(false)
    }

    /// Frames from the namespace that the packet socket has dropped because its buffer was full,
    /// since the last call.
    pub(super) fn overflows(&self) -> u64 {
        match &self.device {
            Device::Tap(_) => 0,
            Device::Veth(veth_end) => {
                calls::packet_drops(veth_end.socket.as_fd()).unwrap_or(0).into()
            }
        }
    }
}

/// Sets a key of the kernel's network in this thread's namespace. Errors are ignored: some containers
/// mount these files read-only, and without IPv6 some do not exist.
fn set_key(key: &Path, value: &str) {
    let _ = std::fs::write(Path::new("/proc/sys/net").join(key), value);
}

/// Adds the default routes of this thread's namespace, through the gateway.
fn add_default_routes(netlink: &Netlink, index: u32, has_v6: bool) -> Result<()> {
    netlink.add_default_route(index, IpAddr::V4(GATEWAY.v4()))?;
    if has_v6 { netlink.add_default_route(index, IpAddr::V6(GATEWAY.v6())) } else { Ok(()) }
}

/// Sets up this thread's namespace, which the emulator has created.
fn set_up_namespace(netlink: &Netlink, congestion: &str) -> Result<()> {
    for (key, value) in [
        ("ipv4/tcp_no_metrics_save", "1"),
        ("ipv4/tcp_congestion_control", congestion),
        ("ipv4/ping_group_range", "0 0"),
    ] {
        set_key(Path::new(key), value);
    }
    netlink.set_up(calls::interface_index("lo")?)
}

impl AsFd for Port {
    fn as_fd(&self) -> BorrowedFd<'_> {
        match &self.device {
            Device::Tap(device) => device.as_fd(),
            Device::Veth(veth_end) => veth_end.socket.as_fd(),
        }
    }
}
