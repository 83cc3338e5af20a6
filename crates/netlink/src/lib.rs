//! Netlink: the messages by which a program asks Linux about interfaces, addresses, queueing
//! disciplines and Wi-Fi.  [RFC3549]
//!
//! [`Message`], [`messages`] and [`attributes`] encode and decode octets, without I/O. [`Socket`]
//! sends a request and collects its reply. [`FamilySocket`] does so for a family of generic netlink,
//! such as nl80211. Message types and attributes of the families are with the programs that use them.
//!
//! The caller opens the sockets. This needs a system call that the standard library does not have,
//! and this crate contains no `unsafe`.
#![cfg(target_os = "linux")]

mod generic;
mod message;
mod socket;

pub use generic::{CONTROLLER, CONTROLLER_GROUP, Family, FamilyMessage, FamilySocket};
pub use message::{CREATE, EXCLUSIVE, Message, Received, attributes, messages, value_of};
pub use socket::{LONGEST, Socket};
