//! Orders to the kernel about interfaces and addresses. [RFC3549]
//!
//! Three kinds of message are all that is needed, so they are made here.

use std::io::{Error, Result};
use std::net::IpAddr;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};

use super::calls;
use super::message::{ANSWER, ERROR, Message, REQUEST};
use crate::plan::Mac;

const CREATE: u16 = 0x400 | 0x200; // and it must not be there
const NEW_LINK: u16 = 16;
const NEW_ADDRESS: u16 = 20;
const UP: u32 = 0x1;
/// Nobody else has the address: it need not be asked for.
const NO_DAD: u32 = 0x02;

/// Attributes of a link (`IFLA_`).
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

/// A line to the kernel about the network namespace of the thread that opened it.
pub(super) struct Netlink(OwnedFd);

impl Netlink {
    pub(super) fn open() -> Result<Self> {
        Ok(Self(calls::route_socket()?))
    }

    /// Makes a pair of interfaces, of which `peer` is in another namespace.
    pub(super) fn add_pair(&self, name: &str, peer: &str, of: BorrowedFd<'_>) -> Result<()> {
        let mut message = order_to(NEW_LINK, CREATE);
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
        self.order(message)
    }

    /// Gives an interface its Ethernet address and the longest packet that it takes.
    pub(super) fn shape(&self, index: u32, mac: Mac, mtu: u32) -> Result<()> {
        let mut message = order_to(NEW_LINK, 0);
        link_header(&mut message, index, 0, 0);
        message.attribute(link::ADDRESS, &mac);
        message.attribute(link::MTU, &mtu.to_ne_bytes());
        self.order(message)
    }

    /// Gives an interface a queue for so many packets.
    pub(super) fn lengthen_queue(&self, index: u32, packets: u32) -> Result<()> {
        let mut message = order_to(NEW_LINK, 0);
        link_header(&mut message, index, 0, 0);
        message.attribute(link::QUEUE, &packets.to_ne_bytes());
        self.order(message)
    }

    /// Switches an interface on.
    pub(super) fn switch_on(&self, index: u32) -> Result<()> {
        let mut message = order_to(NEW_LINK, 0);
        link_header(&mut message, index, UP, UP);
        self.order(message)
    }

    /// Gives an interface an IP address.
    pub(super) fn add_address(&self, index: u32, address: IpAddr, prefix: u8) -> Result<()> {
        let (family, octets) = match address {
            IpAddr::V4(it) => (libc::AF_INET, it.octets().to_vec()),
            IpAddr::V6(it) => (libc::AF_INET6, it.octets().to_vec()),
        };
        let mut message = order_to(NEW_ADDRESS, CREATE);
        let family = u8::try_from(family).expect("a small number");
        message.put(&[family, prefix, 0, 0]);
        message.put(&index.to_ne_bytes());
        message.attribute(address::LOCAL, &octets);
        message.attribute(address::ADDRESS, &octets);
        if address.is_ipv6() {
            message.attribute(address::FLAGS, &NO_DAD.to_ne_bytes());
        }
        self.order(message)
    }

    /// Sends an order and waits for the answer.
    fn order(&self, message: Message) -> Result<()> {
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

/// A message in the making: a request that is answered, be it good or bad.
fn order_to(kind: u16, flags: u16) -> Message {
    Message::new(kind, REQUEST | ANSWER | flags)
}

/// Puts what comes before the attributes of a link.
fn link_header(message: &mut Message, index: u32, flags: u32, change: u32) {
    message.put(&[0; 4]);
    message.put(&index.to_ne_bytes());
    message.put(&flags.to_ne_bytes());
    message.put(&change.to_ne_bytes());
}
