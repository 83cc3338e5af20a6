//! Orders to the kernel about interfaces and addresses. [RFC3549]
//!
//! Three kinds of message are all that is needed, so they are made here.

use std::io::{Error, Result};
use std::net::IpAddr;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};

use super::calls;
use crate::plan::Mac;

const REQUEST: u16 = 0x1 | 0x4; // and an answer, be it good or bad
const CREATE: u16 = 0x400 | 0x200; // and it must not be there
const ERROR: u16 = 2;
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
        let mut message = Message::new(NEW_LINK, CREATE);
        message.link(0, 0, 0);
        message.text(link::NAME, name);
        message.nested(link::INFO, |message| {
            message.text(link::INFO_KIND, "veth");
            message.nested(link::INFO_DATA, |message| {
                message.nested(link::VETH_PEER, |message| {
                    message.link(0, 0, 0);
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
        let mut message = Message::new(NEW_LINK, 0);
        message.link(index, 0, 0);
        message.attribute(link::ADDRESS, &mac);
        message.attribute(link::MTU, &mtu.to_ne_bytes());
        self.order(message)
    }

    /// Switches an interface on.
    pub(super) fn switch_on(&self, index: u32) -> Result<()> {
        let mut message = Message::new(NEW_LINK, 0);
        message.link(index, UP, UP);
        self.order(message)
    }

    /// Gives an interface an IP address.
    pub(super) fn add_address(&self, index: u32, address: IpAddr, prefix: u8) -> Result<()> {
        let (family, octets) = match address {
            IpAddr::V4(it) => (libc::AF_INET, it.octets().to_vec()),
            IpAddr::V6(it) => (libc::AF_INET6, it.octets().to_vec()),
        };
        let mut message = Message::new(NEW_ADDRESS, CREATE);
        let family = u8::try_from(family).expect("a small number");
        message.0.extend([family, prefix, 0, 0]);
        message.0.extend(index.to_ne_bytes());
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

/// A message in the making.
struct Message(Vec<u8>);

impl Message {
    fn new(kind: u16, flags: u16) -> Self {
        let mut octets = vec![0; 4]; // the length, when it is known
        octets.extend(kind.to_ne_bytes());
        octets.extend((REQUEST | flags).to_ne_bytes());
        octets.extend([0; 8]);
        Self(octets)
    }

    /// What comes before the attributes of a link.
    fn link(&mut self, index: u32, flags: u32, change: u32) {
        self.0.extend([0; 4]);
        self.0.extend(index.to_ne_bytes());
        self.0.extend(flags.to_ne_bytes());
        self.0.extend(change.to_ne_bytes());
    }

    fn attribute(&mut self, kind: u16, value: &[u8]) {
        self.nested(kind, |message| message.0.extend(value));
    }

    fn text(&mut self, kind: u16, value: &str) {
        self.attribute(kind, &[value.as_bytes(), &[0]].concat());
    }

    fn nested(&mut self, kind: u16, inner: impl FnOnce(&mut Self)) {
        let start = self.0.len();
        self.0.extend([0; 2]);
        self.0.extend(kind.to_ne_bytes());
        inner(self);
        let length = u16::try_from(self.0.len() - start).expect("a short attribute");
        self.0[start..start + 2].copy_from_slice(&length.to_ne_bytes());
        self.0.resize(self.0.len().next_multiple_of(4), 0);
    }

    fn finish(mut self) -> Vec<u8> {
        let length = u32::try_from(self.0.len()).expect("a short message");
        self.0[..4].copy_from_slice(&length.to_ne_bytes());
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attributes_are_padded_and_their_lengths_are_not() {
        let mut message = Message::new(NEW_LINK, 0);
        message.text(link::NAME, "wlan0");
        let octets = message.finish();
        // 16 of the header; 4 + 6 of the attribute, padded to 12
        assert_eq!(octets.len(), 28);
        assert_eq!(octets[..4], 28_u32.to_ne_bytes());
        assert_eq!(octets[16..18], 10_u16.to_ne_bytes());
        assert_eq!(&octets[20..26], b"wlan0\0");
    }

    #[test]
    fn what_is_nested_is_within_the_length_of_what_it_is_in() {
        let mut message = Message::new(NEW_LINK, 0);
        message.nested(link::INFO, |message| message.text(link::INFO_KIND, "veth"));
        // 4, then 4 + 5 padded to 12
        assert_eq!(message.0[16..18], 16_u16.to_ne_bytes());
    }
}
