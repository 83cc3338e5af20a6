//! Requests to the kernel about interfaces and addresses (rtnetlink).  [RFC3549]
//!
//! The emulator needs so few requests that it builds the messages itself.

use std::io::{Error, Result};
use std::net::IpAddr;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};

use super::calls;
use super::message::{ACK, ERROR, Message, REQUEST};
use crate::plan::Mac;

const CREATE: u16 = 0x400 | 0x200; // `NLM_F_CREATE` and `NLM_F_EXCL`
const NEW_LINK: u16 = 16;
const NEW_ADDRESS: u16 = 20;
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

/// Netlink socket for the network namespace of the thread that opened it.
pub(super) struct Netlink(OwnedFd);

impl Netlink {
    pub(super) fn open() -> Result<Self> {
        Ok(Self(calls::route_socket()?))
    }

    /// Creates a veth pair: `name` in the namespace of this socket, and `peer` in the namespace `of`.
    pub(super) fn add_pair(&self, name: &str, peer: &str, of: BorrowedFd<'_>) -> Result<()> {
        let mut message = request(NEW_LINK, CREATE);
        link_header(&mut message, 0, 0, 0);
        message.text(link::NAME, name);
        message.nested(link::INFO, |message| {
            message.text(link::INFO_KIND, "veth");
            message.nested(link::INFO_DATA, |message| {
                message.nested(link::VETH_PEER, |message| {
                    link_header(message, 0, 0, 0);
                    message.text(link::NAME, peer);
                    let of = u32::try_from(of.as_raw_fd()).expect("a descriptor");
                    message.attribute(link::NAMESPACE, &of.to_ne_bytes());
                });
            });
        });
        self.execute(message)
    }

    /// Sets an interface's Ethernet address and MTU.
    pub(super) fn set_address_and_mtu(&self, index: u32, mac: Mac, mtu: u32) -> Result<()> {
        let mut message = request(NEW_LINK, 0);
        link_header(&mut message, index, 0, 0);
        message.attribute(link::ADDRESS, &mac);
        message.attribute(link::MTU, &mtu.to_ne_bytes());
        self.execute(message)
    }

    /// Sets the length of an interface's transmit queue [packets].
    pub(super) fn set_queue_length(&self, index: u32, packets: u32) -> Result<()> {
        let mut message = request(NEW_LINK, 0);
        link_header(&mut message, index, 0, 0);
        message.attribute(link::QUEUE, &packets.to_ne_bytes());
        self.execute(message)
    }

    /// Brings an interface up.
    pub(super) fn set_up(&self, index: u32) -> Result<()> {
        let mut message = request(NEW_LINK, 0);
        link_header(&mut message, index, UP, UP);
        self.execute(message)
    }

    /// Adds an IP address to an interface.
    pub(super) fn add_address(&self, index: u32, address: IpAddr, prefix: u8) -> Result<()> {
        let (family, octets) = match address {
            IpAddr::V4(it) => (libc::AF_INET, it.octets().to_vec()),
            IpAddr::V6(it) => (libc::AF_INET6, it.octets().to_vec()),
        };
        let mut message = request(NEW_ADDRESS, CREATE);
        let family = u8::try_from(family).expect("a small number");
        message.put(&[family, prefix, 0, 0]);
        message.put(&index.to_ne_bytes());
        message.attribute(address::LOCAL, &octets);
        message.attribute(address::ADDRESS, &octets);
        if address.is_ipv6() {
            message.attribute(address::FLAGS, &NO_DAD.to_ne_bytes());
        }
        self.execute(message)
    }

    /// Sends a request and waits for the acknowledgment.
    fn execute(&self, message: Message) -> Result<()> {
        calls::write(self.0.as_fd(), &message.finish())?;
        let mut answer = [0; 4096];
        let length = calls::read(self.0.as_fd(), &mut answer)?;
        let number = |at: usize| [answer[at], answer[at + 1], answer[at + 2], answer[at + 3]];
        if length < 20 || u16::from_ne_bytes([answer[4], answer[5]]) != ERROR {
            return Err(Error::other("the kernel's answer about an interface is none"));
        }
        match i32::from_ne_bytes(number(16)) {
            0 => Ok(()),
            error => Err(Error::from_raw_os_error(-error)),
        }
    }
}

/// Starts a netlink request with acknowledgment.
fn request(kind: u16, flags: u16) -> Message {
    Message::new(kind, REQUEST | ACK | flags)
}

/// Appends the fixed part of an interface message (`struct ifinfomsg`).
fn link_header(message: &mut Message, index: u32, flags: u32, change: u32) {
    message.put(&[0; 4]);
    message.put(&index.to_ne_bytes());
    message.put(&flags.to_ne_bytes());
    message.put(&change.to_ne_bytes());
}
