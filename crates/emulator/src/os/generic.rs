//! Generic netlink: sockets for a family of the kernel, found by name.

use std::io::{Error, ErrorKind, Result};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use airfair_units::Duration;

use super::calls;
use super::message::{ACK, DONE, DUMP, ERROR, Message, REQUEST, Received, attributes, messages};

/// Message type of generic netlink's controller family, which finds other families by name.
const CONTROL: u16 = 0x10;
/// Multicast group of the controller family for families that come and go.
const CONTROL_GROUP: u32 = 0x10;
const GET_FAMILY: u8 = 3;
const DELETE_FAMILY: u8 = 2;
const FAMILY_ID: u16 = 1;
const FAMILY_NAME: u16 = 2;
const GROUPS: u16 = 7;
const GROUP_NAME: u16 = 1;
const GROUP_ID: u16 = 2;
/// Time-out for replies of the kernel to generic netlink requests.
const PATIENCE: Duration = Duration::from_secs(5);
/// Buffer size that holds any message of the kernel [octets].
const LONGEST: usize = 1 << 16;

/// Socket for a generic netlink family and one of its multicast groups.
#[derive(Debug)]
pub(crate) struct FamilySocket {
    socket: OwnedFd,
    family: u16,
}

/// Message of a generic netlink family: command, and attributes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FamilyMessage<'o> {
    pub(crate) command: u8,
    pub(crate) attributes: &'o [u8],
}

/// Message that a generic netlink socket has received from the kernel.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Input<'o> {
    /// Message of the socket's family.
    Message(FamilyMessage<'o>),
    /// Acknowledgment: error number of a failed request, or 0.
    Ack(i32),
    /// The socket's family has been removed, because its module was unloaded.
    Gone,
}

impl FamilySocket {
    /// Opens a socket for the family of this name, subscribed to one of its groups. Returns an
    /// error of kind `NotFound` if the family or the group does not exist.
    pub(crate) fn open(name: &str, group: &str) -> Result<Self> {
        let socket = calls::generic_socket()?;
        calls::join(socket.as_fd(), CONTROL_GROUP)?;
        let mut this = Self { socket, family: CONTROL };
        let mut ask = this.message(GET_FAMILY, ACK);
        ask.text(FAMILY_NAME, name);
        let (mut family, mut group_id) = (None, None);
        this.ask(ask, |message| {
            for (kind, value) in attributes(message.attributes) {
                match kind {
                    FAMILY_ID => family = value.first_chunk().map(|it| u16::from_ne_bytes(*it)),
                    GROUPS => group_id = group_of(value, group),
                    _ => {}
                }
            }
        })?;
        let none = || Error::from(ErrorKind::NotFound);
        this.family = family.ok_or_else(none)?;
        calls::join(this.socket.as_fd(), group_id.ok_or_else(none)?)?;
        Ok(this)
    }

    /// Starts a message to the socket's family.
    pub(crate) fn message(&self, command: u8, flags: u16) -> Message {
        let mut message = Message::new(self.family, REQUEST | flags);
        message.put(&[command, 1, 0, 0]);
        message
    }

    /// Sends a request, and calls `handle` with each message of the reply until the reply is
    /// complete.
    pub(crate) fn ask(
        &self,
        message: Message,
        mut handle: impl FnMut(FamilyMessage<'_>),
    ) -> Result<()> {
        self.send(&message.finish())?;
        let mut buffer = vec![0; LONGEST];
        loop {
            if !calls::await_input(self.socket.as_fd(), PATIENCE)? {
                return Err(Error::from(ErrorKind::TimedOut));
            }
            let length = calls::read(self.socket.as_fd(), &mut buffer)?;
            for message in messages(&buffer[..length]) {
                match (message.kind, message.error()) {
                    (DONE, _) | (ERROR, Some(0)) => return Ok(()),
                    (ERROR, error) => {
                        return Err(Error::from_raw_os_error(error.unwrap_or(libc::EPROTO)));
                    }
                    (kind, _) if kind == self.family => {
                        family_message(message).into_iter().for_each(&mut handle);
                    }
                    _ => {}
                }
            }
        }
    }

    /// Sends a dump request, and calls `handle` with each entry of the reply.
    pub(crate) fn list(&self, command: u8, handle: impl FnMut(FamilyMessage<'_>)) -> Result<()> {
        self.ask(self.message(command, DUMP), handle)
    }

    /// Sends one or more messages that are already encoded.
    pub(crate) fn send(&self, messages: &[u8]) -> Result<()> {
        calls::write(self.socket.as_fd(), messages).map(drop)
    }

    /// Calls `handle` with each received message until none is left; false if messages were lost
    /// because the receive buffer was full.
    pub(crate) fn read(
        &self,
        buffer: &mut [u8],
        mut handle: impl FnMut(Input<'_>),
    ) -> Result<bool> {
        let mut is_whole = true;
        loop {
            let length = match calls::read(self.socket.as_fd(), buffer) {
                Ok(length) => length,
                Err(error) if error.kind() == ErrorKind::WouldBlock => return Ok(is_whole),
                Err(error) if error.raw_os_error() == Some(libc::ENOBUFS) => {
                    is_whole = false;
                    continue;
                }
                Err(error) => return Err(error),
            };
            for message in messages(&buffer[..length]) {
                if let Some(input) = self.input(message) {
                    handle(input);
                }
            }
        }
    }

    fn input<'o>(&self, message: Received<'o>) -> Option<Input<'o>> {
        match message.kind {
            ERROR => message.error().map(Input::Ack),
            CONTROL => family_message(message)
                .filter(|message| self.is_own_removal(*message))
                .map(|_| Input::Gone),
            kind if kind == self.family => family_message(message).map(Input::Message),
            _ => None,
        }
    }

    fn is_own_removal(&self, message: FamilyMessage<'_>) -> bool {
        message.command == DELETE_FAMILY
            && attributes(message.attributes)
                .any(|it| it == (FAMILY_ID, &self.family.to_ne_bytes()[..]))
    }
}

impl AsFd for FamilySocket {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.socket.as_fd()
    }
}

fn family_message(message: Received<'_>) -> Option<FamilyMessage<'_>> {
    let (head, attributes) = message.content.split_first_chunk::<4>()?;
    Some(FamilyMessage { command: head[0], attributes })
}

fn group_of(groups: &[u8], name: &str) -> Option<u32> {
    attributes(groups).find_map(|(_, group)| {
        let find = |wanted| attributes(group).find(|(kind, _)| *kind == wanted).map(|it| it.1);
        let is_it = find(GROUP_NAME)?.strip_suffix(&[0])? == name.as_bytes();
        let id = find(GROUP_ID)?.first_chunk().map(|it| u32::from_ne_bytes(*it));
        id.filter(|_| is_it)
    })
}

/// SIGINT and SIGTERM as a file that can be waited for. The signals do not end the process.
#[derive(Debug)]
pub struct Signals(OwnedFd);

impl Signals {
    /// Blocks SIGINT and SIGTERM for this thread and the threads that it starts from now on.
    ///
    /// # Errors
    /// Returns the error of the operating system.
    pub fn take() -> Result<Self> {
        calls::signals().map(Self)
    }

    /// Waits at most `longest` for SIGINT or SIGTERM; true if one of them has arrived.
    ///
    /// # Errors
    /// Returns the error of the operating system.
    pub fn wait(&self, longest: Duration) -> Result<bool> {
        calls::await_input(self.0.as_fd(), longest)
    }
}
