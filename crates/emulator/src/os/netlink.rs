//! Requests to the kernel about interfaces and addresses (rtnetlink).  [RFC3549]

use std::io::Result;
use std::net::IpAddr;
use std::os::fd::{AsRawFd, BorrowedFd};

use airfair_netlink::{CREATE, EXCLUSIVE, Message, Socket};
use airfair_units::Duration;

use super::calls;
use crate::plan::Mac;

const NEW_LINK: u16 = 16;
const NEW_ADDRESS: u16 = 20;
const NEW_ROUTE: u16 = 24;
const UP: u32 = 0x1;
/// `IFA_F_NODAD`: no duplicate address detection, because addresses are unique by construction.
const NO_DAD: u32 = 0x02;

/// Attributes of an interface (`IFLA_`).
mod link {
    pub(super) const ADDRESS: u16 = 1;
    pub(super) const NAME: u16 = 3;
    pub(super) const MTU: u16 = 4;
    pub(super) const QUEUE: u16 = 13;
    pub(super) const INFO: u16 = 18;
    pub(super) const INFO_KIND: u16 = 1;
    pub(super) const INFO_DATA: u16 = 2;
    pub(super) const VETH_PEER: u16 = 1;
    pub(super) const NAMESPACE: u16 = 28;
}

/// Attributes of an address (`IFA_`).
mod address {
    pub(super) const ADDRESS: u16 = 1;
    pub(super) const LOCAL: u16 = 2;
    pub(super) const FLAGS: u16 = 8;
}

/// Attributes and fields of a route (`RTA_`, `struct rtmsg`).
mod route {
    pub(super) const INTERFACE: u16 = 4;
    pub(super) const GATEWAY: u16 = 5;
    /// `RT_TABLE_MAIN`.
    pub(super) const MAIN: u8 = 254;
    /// `RTPROT_STATIC`: not set by the kernel or a routing daemon.
    pub(super) const STATIC: u8 = 4;
    /// `RTN_UNICAST`.
    pub(super) const UNICAST: u8 = 1;
}

/// Netlink socket for the network namespace of the thread that opened it.
pub(super) struct Netlink(Socket);

/// Time for which the emulator waits for a reply of the kernel.
const PATIENCE: Duration = Duration::from_secs(5);

impl Netlink {
    pub(super) fn open() -> Result<Self> {
        Ok(Self(Socket::over(calls::open_netlink(libc::NETLINK_ROUTE)?, PATIENCE)?))
    }

    /// Creates a veth pair: `name` in the namespace of this socket, and `peer` in the namespace `of`.
    pub(super) fn add_pair(&self, name: &str, peer: &str, of: BorrowedFd<'_>) -> Result<()> {
        let mut message = link_request(CREATE | EXCLUSIVE, 0, 0, 0);
        message.text(link::NAME, name).nested(link::INFO, |info| {
            info.text(link::INFO_KIND, "veth").nested(link::INFO_DATA, |data| {
                data.nested(link::VETH_PEER, |end| {
                    let of = u32::try_from(of.as_raw_fd()).expect("a descriptor");
                    end.put(&link_header(0, 0, 0)).text(link::NAME, peer);
                    end.attribute(link::NAMESPACE, &of.to_ne_bytes());
                });
            });
        });
        self.execute(&mut message)
    }

    /// Sets an interface's Ethernet address and MTU.
    pub(super) fn set_address_and_mtu(&self, index: u32, mac: Mac, mtu: u32) -> Result<()> {
        let mut message = link_request(0, index, 0, 0);
        message.attribute(link::ADDRESS, &mac).attribute(link::MTU, &mtu.to_ne_bytes());
        self.execute(&mut message)
    }

    /// Sets the length of an interface's transmit queue [packets].
    pub(super) fn set_queue_length(&self, index: u32, packets: u32) -> Result<()> {
        let mut message = link_request(0, index, 0, 0);
        self.execute(message.attribute(link::QUEUE, &packets.to_ne_bytes()))
    }

    /// Brings an interface up.
    pub(super) fn set_up(&self, index: u32) -> Result<()> {
        self.execute(&mut link_request(0, index, UP, UP))
    }

    /// Adds an IP address to an interface.
    pub(super) fn add_address(&self, index: u32, address: IpAddr, prefix: u8) -> Result<()> {
        let (family, octets) = encoded(address);
        let mut message = Message::request(NEW_ADDRESS, CREATE | EXCLUSIVE);
        message.put(&[family, prefix, 0, 0]).put(&index.to_ne_bytes());
        message.attribute(address::LOCAL, &octets).attribute(address::ADDRESS, &octets);
        if address.is_ipv6() {
            message.attribute(address::FLAGS, &NO_DAD.to_ne_bytes());
        }
        self.execute(&mut message)
    }

    /// Adds a default route over an interface, through `gateway`.
    pub(super) fn add_default_route(&self, index: u32, gateway: IpAddr) -> Result<()> {
        let (family, octets) = encoded(gateway);
        let mut message = Message::request(NEW_ROUTE, CREATE | EXCLUSIVE);
        message.put(&[family, 0, 0, 0, route::MAIN, route::STATIC, 0, route::UNICAST, 0, 0, 0, 0]);
        message.attribute(route::GATEWAY, &octets);
        self.execute(message.attribute(route::INTERFACE, &index.to_ne_bytes()))
    }

    /// Sends a request and waits for the acknowledgment.
    fn execute(&self, message: &mut Message) -> Result<()> {
        self.0.ask(message).map(drop)
    }
}

/// Address family and octets of an IP address.
fn encoded(address: IpAddr) -> (u8, Vec<u8>) {
    let (family, octets) = match address {
        IpAddr::V4(it) => (libc::AF_INET, it.octets().to_vec()),
        IpAddr::V6(it) => (libc::AF_INET6, it.octets().to_vec()),
    };
    (u8::try_from(family).expect("a small number"), octets)
}

/// Starts a request about an interface.
fn link_request(request_flags: u16, index: u32, flags: u32, change: u32) -> Message {
    let mut message = Message::request(NEW_LINK, request_flags);
    message.put(&link_header(index, flags, change));
    message
}

/// Encodes `struct ifinfomsg`, the fixed part of a message about an interface.
fn link_header(index: u32, flags: u32, change: u32) -> Vec<u8> {
    [0, index, flags, change].map(u32::to_ne_bytes).concat()
}
