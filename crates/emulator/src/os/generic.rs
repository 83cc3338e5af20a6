//! Generic netlink: a line to a part of the kernel that is known by its name.

use std::io::{Error, ErrorKind, Result};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use airfair_units::Duration;

use super::calls;
use super::message::{
    ANSWER, END_OF_LIST, ERROR, LIST, Message, REQUEST, Received, attributes, messages,
};

/// Family of what the kernel tells of families, and the group that is told when one comes or goes.
const CONTROL: u16 = 0x10;
const CONTROL_GROUP: u32 = 0x10;
const GET_FAMILY: u8 = 3;
const DELETE_FAMILY: u8 = 2;
const FAMILY_ID: u16 = 1;
const FAMILY_NAME: u16 = 2;
const GROUPS: u16 = 7;
const GROUP_NAME: u16 = 1;
const GROUP_ID: u16 = 2;
/// The kernel answers at once.
const PATIENCE: Duration = Duration::from_secs(5);
/// More than any message of the kernel.
const LONGEST: usize = 1 << 16;

/// A line to a family.
#[derive(Debug)]
pub(crate) struct Line {
    socket: OwnedFd,
    family: u16,
}

/// A message of a family: its command, and its attributes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Told<'o> {
    pub(crate) command: u8,
    pub(crate) attributes: &'o [u8],
}

/// What has come on a line.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Input<'o> {
    /// A message of the family.
    Told(Told<'o>),
    /// The answer to a message that was in vain, or a good one (0).
    Answer(i32),
    /// The family has gone.
    Gone,
}

impl Line {
    /// A line to the family of this name, with what is told to its group; an error of kind `NotFound` if there is none.
    pub(crate) fn open(name: &str, group: &str) -> Result<Self> {
        let socket = calls::generic_socket()?;
        calls::join(socket.as_fd(), CONTROL_GROUP)?;
        let mut line = Self { socket, family: CONTROL };
        let mut ask = line.message(GET_FAMILY, ANSWER);
        ask.text(FAMILY_NAME, name);
        let (mut family, mut group_id) = (None, None);
        line.ask(ask, |told| {
            for (kind, value) in attributes(told.attributes) {
                match kind {
                    FAMILY_ID => family = value.first_chunk().map(|it| u16::from_ne_bytes(*it)),
                    GROUPS => group_id = group_of(value, group),
                    _ => {}
                }
            }
        })?;
        let none = || Error::from(ErrorKind::NotFound);
        line.family = family.ok_or_else(none)?;
        calls::join(line.socket.as_fd(), group_id.ok_or_else(none)?)?;
        Ok(line)
    }

    /// A message to the family in the making.
    pub(crate) fn message(&self, command: u8, flags: u16) -> Message {
        let mut message = Message::new(self.family, REQUEST | flags);
        message.put(&[command, 1, 0, 0]);
        message
    }

    /// Sends a message that is answered, and waits for what is told in answer.
    pub(crate) fn ask(&self, message: Message, mut tell: impl FnMut(Told<'_>)) -> Result<()> {
        self.send(&message.finish())?;
        let mut buffer = vec![0; LONGEST];
        loop {
            if !calls::await_input(self.socket.as_fd(), PATIENCE)? {
                return Err(Error::from(ErrorKind::TimedOut));
            }
            let length = calls::read(self.socket.as_fd(), &mut buffer)?;
            for message in messages(&buffer[..length]) {
                match (message.kind, message.error()) {
                    (END_OF_LIST, _) | (ERROR, Some(0)) => return Ok(()),
                    (ERROR, error) => {
                        return Err(Error::from_raw_os_error(error.unwrap_or(libc::EPROTO)));
                    }
                    (kind, _) if kind == self.family => {
                        told(message).into_iter().for_each(&mut tell);
                    }
                    _ => {}
                }
            }
        }
    }

    /// Asks for a list.
    pub(crate) fn list(&self, command: u8, tell: impl FnMut(Told<'_>)) -> Result<()> {
        self.ask(self.message(command, LIST), tell)
    }

    /// Sends messages, one behind the other.
    pub(crate) fn send(&self, messages: &[u8]) -> Result<()> {
        calls::write(self.socket.as_fd(), messages).map(drop)
    }

    /// Tells all that has come; false if some of it was lost, as nobody has read for too long.
    pub(crate) fn read(&self, buffer: &mut [u8], mut tell: impl FnMut(Input<'_>)) -> Result<bool> {
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
                    tell(input);
                }
            }
        }
    }

    fn input<'o>(&self, message: Received<'o>) -> Option<Input<'o>> {
        match message.kind {
            ERROR => message.error().map(Input::Answer),
            CONTROL => told(message).filter(|told| self.is_own_end(*told)).map(|_| Input::Gone),
            kind if kind == self.family => told(message).map(Input::Told),
            _ => None,
        }
    }

    fn is_own_end(&self, told: Told<'_>) -> bool {
        told.command == DELETE_FAMILY
            && attributes(told.attributes)
                .any(|it| it == (FAMILY_ID, &self.family.to_ne_bytes()[..]))
    }
}

impl AsFd for Line {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.socket.as_fd()
    }
}

fn told(message: Received<'_>) -> Option<Told<'_>> {
    let (head, attributes) = message.content.split_first_chunk::<4>()?;
    Some(Told { command: head[0], attributes })
}

fn group_of(groups: &[u8], name: &str) -> Option<u32> {
    attributes(groups).find_map(|(_, group)| {
        let find = |wanted| attributes(group).find(|(kind, _)| *kind == wanted).map(|it| it.1);
        let is_it = find(GROUP_NAME)?.strip_suffix(&[0])? == name.as_bytes();
        let id = find(GROUP_ID)?.first_chunk().map(|it| u32::from_ne_bytes(*it));
        id.filter(|_| is_it)
    })
}

/// SIGINT and SIGTERM, which are read here instead of ending the process.
#[derive(Debug)]
pub struct Signals(OwnedFd);

impl Signals {
    /// Takes them from this thread and from those that it starts from now on.
    ///
    /// # Errors
    /// The operating system's.
    pub fn take() -> Result<Self> {
        calls::signals().map(Self)
    }

    /// Waits for one of them, at most so long; true if one has come.
    ///
    /// # Errors
    /// The operating system's.
    pub fn wait(&self, longest: Duration) -> Result<bool> {
        calls::await_input(self.0.as_fd(), longest)
    }
}
