//! Generic netlink: families of messages that the kernel's modules add, found by name.

use std::io::{Error, ErrorKind, Result};

use crate::message::{Message, attributes, value_of};
use crate::socket::Socket;

/// Message type of the controller (`GENL_ID_CTRL`), the family by which others are found.
pub const CONTROLLER: u16 = 0x10;
/// Multicast group of the controller for families that come and go.
pub const CONTROLLER_GROUP: u32 = 0x10;
/// Command that requests a family, and its attributes (`linux/genetlink.h`).
const GET_FAMILY: u8 = 3;
const FAMILY_ID: u16 = 1;
const FAMILY_NAME: u16 = 2;
const GROUPS: u16 = 7;
const GROUP_NAME: u16 = 1;
const GROUP_ID: u16 = 2;
/// Length of the header of generic netlink [octets].
const HEADER: usize = 4;
/// Version of a family's messages, which no family checks.
const VERSION: u8 = 1;

/// Netlink socket for requests to a family of generic netlink.
#[derive(Debug)]
pub struct FamilySocket {
    /// The family to which the requests go.
    pub family: Family,
    /// The socket, which can be subscribed to groups of the family.
    pub socket: Socket,
}

impl FamilySocket {
    /// Asks the kernel for the family with this name.
    ///
    /// # Errors
    /// Returns an error of kind `NotFound` if the kernel has no such family; else that of the
    /// operating system.
    pub fn find(socket: Socket, name: &str) -> Result<Self> {
        let mut request = started(Message::request(CONTROLLER, 0), GET_FAMILY);
        let found = socket.ask(request.text(FAMILY_NAME, name))?;
        let family = found.iter().find_map(|content| Family::read(content));
        Ok(Self { family: family.ok_or(ErrorKind::NotFound)?, socket })
    }

    /// Sends a request, and returns the attributes of each message of its reply.
    ///
    /// # Errors
    /// Returns the errors of [`Socket::ask`].
    pub fn ask(&self, request: &mut Message) -> Result<Vec<Vec<u8>>> {
        let mut found = self.socket.ask(request)?;
        for content in &mut found {
            content.drain(..HEADER.min(content.len()));
        }
        Ok(found)
    }
}

/// Family of generic netlink.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Family {
    /// Type of the family's messages.
    pub id: u16,
    /// Names and numbers of the family's multicast groups.
    pub groups: Vec<(String, u32)>,
}

impl Family {
    fn read(content: &[u8]) -> Option<Self> {
        let all = FamilyMessage::read(content)?.attributes;
        let id = u16::from_ne_bytes(*value_of(all, FAMILY_ID)?.first_chunk()?);
        let groups = attributes(value_of(all, GROUPS).unwrap_or_default());
        Some(Self { id, groups: groups.filter_map(|(_, of)| group(of)).collect() })
    }

    /// Number of a multicast group.
    ///
    /// # Errors
    /// Returns an error of kind `NotFound` if the family has no such group.
    pub fn group(&self, name: &str) -> Result<u32> {
        let found = self.groups.iter().find(|(found, _)| found == name);
        found.map(|(_, number)| *number).ok_or(Error::from(ErrorKind::NotFound))
    }

    /// Starts a request that the kernel acknowledges.
    pub fn request(&self, command: u8) -> Message {
        started(Message::request(self.id, 0), command)
    }

    /// Starts a dump request, whose reply is a list.
    pub fn dump(&self, command: u8) -> Message {
        started(Message::dump(self.id), command)
    }

    /// Starts a request to which the kernel replies only if it fails.
    pub fn unacknowledged(&self, command: u8) -> Message {
        started(Message::unacknowledged(self.id), command)
    }
}

/// Appends the header of generic netlink.
fn started(mut message: Message, command: u8) -> Message {
    message.put(&[command, VERSION, 0, 0]);
    message
}

/// Reads name and number of a multicast group.
fn group(of: &[u8]) -> Option<(String, u32)> {
    let name = value_of(of, GROUP_NAME)?.strip_suffix(&[0])?;
    let number = u32::from_ne_bytes(*value_of(of, GROUP_ID)?.first_chunk()?);
    Some((String::from_utf8_lossy(name).into_owned(), number))
}

/// Message of a generic netlink family.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FamilyMessage<'o> {
    /// Command of the family, which is the kind of the message.
    pub command: u8,
    /// Attributes of the message.
    pub attributes: &'o [u8],
}

impl<'o> FamilyMessage<'o> {
    /// Reads the content of a message; `None` if it is too short.
    pub fn read(content: &'o [u8]) -> Option<Self> {
        let ([command, ..], attributes) = content.split_first_chunk::<HEADER>()?;
        Some(Self { command: *command, attributes })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::message::messages;

    fn content_of(message: &mut Message) -> Vec<u8> {
        messages(message.finish(0)).next().unwrap().unwrap().content.to_vec()
    }

    #[test]
    fn a_family_has_its_number_and_its_groups() {
        let mut message = started(Message::request(CONTROLLER, 0), 1);
        message.text(FAMILY_NAME, "nl80211").attribute(FAMILY_ID, &[28, 0]);
        message.nested(GROUPS, |groups| {
            for (place, name) in [(1, "config"), (2, "scan")] {
                groups.nested(place, |group| {
                    let number = u32::from(place) + 4;
                    group.text(GROUP_NAME, name).attribute(GROUP_ID, &number.to_ne_bytes());
                });
            }
        });
        let content = content_of(&mut message);
        let family = Family::read(&content).unwrap();
        assert_eq!(family.id, u16::from_ne_bytes([28, 0]));
        assert_eq!(family.group("scan").unwrap(), 6);
        assert_eq!(family.group("mlme").unwrap_err().kind(), ErrorKind::NotFound);
        // Without its groups, which are last, it is a family without groups.
        let cuts = (0..content.len()).map(|end| Family::read(&content[..end]));
        assert!(cuts.flatten().all(|it| it.id == family.id && it.groups.len() < 2));
    }

    #[test]
    fn a_message_to_a_family_begins_with_its_command() {
        let family = Family { id: 28, groups: Vec::new() };
        for mut message in [family.request(18), family.dump(18), family.unacknowledged(18)] {
            let content = content_of(message.attribute(3, &[7; 4]));
            let read = FamilyMessage::read(&content).unwrap();
            assert_eq!((read.command, value_of(read.attributes, 3)), (18, Some(&[7; 4][..])));
        }
        assert_eq!(FamilyMessage::read(&[1, 2, 3]), None);
    }
}
