//! Generic netlink: sockets for a family of the kernel, found by name, and one of its groups.

use std::io::Result;
use std::os::fd::{AsFd, BorrowedFd};

use airfair_netlink::{
    CONTROLLER, CONTROLLER_GROUP, Family, FamilyMessage, FamilySocket, Message, Received, Socket,
    messages, value_of,
};
use airfair_units::Duration;

use super::calls;

/// Command of the controller that announces the removal of a family, and its attribute.
const DELETE_FAMILY: u8 = 2;
const FAMILY_ID: u16 = 1;
/// Time for which the medium waits for a reply of the kernel.
const PATIENCE: Duration = Duration::from_secs(5);
/// Receive buffer that holds the messages of all radios with full queues [octets].
const ROOM: i32 = 16 << 20;

/// Socket for a generic netlink family and one of its multicast groups.
#[derive(Debug)]
pub(crate) struct Subscription(FamilySocket);

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

impl Subscription {
    /// Opens a socket for the family of this name, subscribed to one of its groups. Returns an
    /// error of kind `NotFound` if the family or the group does not exist.
    pub(crate) fn open(name: &str, group: &str) -> Result<Self> {
        let socket = calls::open_netlink(libc::NETLINK_GENERIC)?;
        calls::set_receive_buffer(socket.as_fd(), ROOM)?;
        calls::join(socket.as_fd(), CONTROLLER_GROUP)?;
        let this = Self(FamilySocket::find(Socket::over(socket, PATIENCE)?, name)?);
        calls::join(this.as_fd(), this.family().group(group)?)?;
        Ok(this)
    }

    /// Family of the socket, which starts the messages to it.
    pub(crate) fn family(&self) -> &Family {
        &self.0.family
    }

    /// Sends a request, and returns the attributes of each message of its reply. Messages that
    /// nobody asked for are discarded.
    pub(crate) fn ask(&self, request: &mut Message) -> Result<Vec<Vec<u8>>> {
        self.0.ask(request)
    }

    /// Sends one or more messages that are already encoded.
    pub(crate) fn send(&self, messages: &[u8]) -> Result<()> {
        self.0.socket.send(messages)
    }

    /// Calls `handle` with each received message until none is left; false if messages were lost
    /// because the receive buffer was full.
    pub(crate) fn read(
        &self,
        buffer: &mut [u8],
        mut handle: impl FnMut(Input<'_>),
    ) -> Result<bool> {
        self.0.socket.drain(buffer, |datagram| {
            for message in messages(datagram) {
                self.input(message?).into_iter().for_each(&mut handle);
            }
            Ok(())
        })
    }

    fn input<'o>(&self, message: Received<'o>) -> Option<Input<'o>> {
        if let Some(number) = message.error() {
            return Some(Input::Ack(number));
        }
        let content = FamilyMessage::read(message.content)?;
        match message.kind {
            CONTROLLER => self.is_own_removal(content).then_some(Input::Gone),
            kind => (kind == self.family().id).then_some(Input::Message(content)),
        }
    }

    fn is_own_removal(&self, message: FamilyMessage<'_>) -> bool {
        let id = self.family().id.to_ne_bytes();
        message.command == DELETE_FAMILY && value_of(message.attributes, FAMILY_ID) == Some(&id[..])
    }
}

impl AsFd for Subscription {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.socket.as_fd()
    }
}
