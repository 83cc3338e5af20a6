//! Netlink socket: sends requests, and collects the replies.

use std::cell::Cell;
use std::io::{ErrorKind, Result};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::net::UnixDatagram;

use airfair_units::Duration;

use crate::message::{Message, messages};

/// Size of a buffer that holds any datagram of the kernel [octets].
pub const LONGEST: usize = 1 << 16;

/// Netlink socket, with the sequence number of the last request.
#[derive(Debug)]
pub struct Socket {
    /// The socket. The standard library's calls for datagrams do the same for every kind of socket.
    socket: UnixDatagram,
    number: Cell<u32>,
}

impl Socket {
    /// Takes a netlink socket that the caller has opened, in blocking mode. [`Socket::ask`] waits
    /// at most `patience` for each part of a reply.
    ///
    /// # Errors
    /// Returns the error of the operating system.
    #[expect(clippy::disallowed_types, reason = "the standard library has durations of its own")]
    pub fn over(socket: OwnedFd, patience: Duration) -> Result<Self> {
        let socket = UnixDatagram::from(socket);
        let patience = std::time::Duration::from_nanos(patience.as_nanos());
        socket.set_read_timeout(Some(patience))?;
        Ok(Self { socket, number: Cell::new(0) })
    }

    /// Sends a request, and returns the contents of the messages of its reply: fixed part and
    /// attributes. The request must be one that the kernel acknowledges, or a dump request.
    ///
    /// # Errors
    /// Returns the error that the kernel reports, or that of the socket: of kind `WouldBlock` if no
    /// more of the reply comes in time, and `InvalidData` if the reply is malformed.
    pub fn ask(&self, request: &mut Message) -> Result<Vec<Vec<u8>>> {
        let mut buffer = vec![0; LONGEST];
        // The kernel refuses a dump request while a reply to another one has not been read.
        self.drain(&mut buffer, |_| Ok(()))?;
        let number = self.number.get().wrapping_add(1);
        self.number.set(number);
        self.send(request.finish(number))?;
        let mut contents = Vec::new();
        loop {
            let length = self.socket.recv(&mut buffer)?;
            if collect(&buffer[..length], number, &mut contents)? {
                return Ok(contents);
            }
        }
    }

    /// Sends one or more messages.
    ///
    /// # Errors
    /// Returns the error of the operating system.
    pub fn send(&self, messages: &[u8]) -> Result<()> {
        self.socket.send(messages).map(drop)
    }

    /// Calls `handle` with each datagram that has arrived, without waiting for more; false if the
    /// kernel has dropped some because the socket's buffer was full.
    ///
    /// # Errors
    /// Returns the error of the operating system or of `handle`.
    pub fn drain(
        &self,
        buffer: &mut [u8],
        mut handle: impl FnMut(&[u8]) -> Result<()>,
    ) -> Result<bool> {
        let mut is_whole = true;
        self.socket.set_nonblocking(true)?;
        let end = loop {
            match self.socket.recv(buffer) {
                Ok(length) => {
                    if let Err(error) = handle(&buffer[..length]) {
                        break Err(error);
                    }
                }
                Err(error) if error.kind() == ErrorKind::WouldBlock => break Ok(is_whole),
                Err(error) if error.raw_os_error() == Some(libc::ENOBUFS) => is_whole = false,
                Err(error) => break Err(error),
            }
        };
        self.socket.set_nonblocking(false)?;
        end
    }
}

impl AsFd for Socket {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.socket.as_fd()
    }
}

/// Appends the contents of the messages in a datagram that answer the request with this sequence
/// number; true at the end of the reply.
fn collect(datagram: &[u8], number: u32, contents: &mut Vec<Vec<u8>>) -> Result<bool> {
    for message in messages(datagram) {
        let message = message?;
        if message.number != number {
            continue;
        }
        if message.ends_reply()? {
            return Ok(true);
        }
        contents.push(message.content.to_vec());
    }
    Ok(false)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::thread;

    const ERROR: u16 = 2;
    const DONE: u16 = 3;
    const PATIENCE: Duration = Duration::from_secs(10);

    /// Message of the kernel with this type, sequence number and content.
    fn answer(kind: u16, number: u32, value: i32) -> Vec<u8> {
        Message::unacknowledged(kind).put(&value.to_ne_bytes()).finish(number).to_vec()
    }

    /// Asks a thread that plays the kernel: it sends the datagrams that `replies` returns for the
    /// request's sequence number.
    fn asked(replies: impl FnOnce(u32) -> Vec<Vec<u8>> + Send) -> Result<Vec<Vec<u8>>> {
        let (ours, kernel) = UnixDatagram::pair().unwrap();
        let socket = Socket::over(ours.into(), PATIENCE).unwrap();
        thread::scope(|scope| {
            scope.spawn(move || {
                let mut octets = [0; 64];
                let length = kernel.recv(&mut octets).unwrap();
                let request = messages(&octets[..length]).next().unwrap().unwrap();
                for datagram in replies(request.number) {
                    kernel.send(&datagram).unwrap();
                }
            });
            socket.ask(&mut Message::dump(20))
        })
    }

    #[test]
    fn a_reply_ends_with_its_last_message_or_with_an_acknowledgment() {
        for end in [answer(DONE, 1, 0), answer(ERROR, 1, 0)] {
            let found = asked(|number| {
                assert_eq!(number, 1);
                let both = [answer(20, 1, 1), answer(20, 1, 2)].concat();
                vec![both, [answer(20, 1, 3), end].concat(), answer(20, 1, 4)]
            });
            assert_eq!(found.unwrap(), [1, 2, 3].map(i32::to_ne_bytes));
        }
    }

    /// The late rest of an earlier reply, and a message that nobody asked for, are skipped.
    #[test]
    fn messages_with_other_numbers_are_skipped() {
        let found = asked(|number| {
            let older = number - 1;
            let late = [answer(20, older, 1), answer(DONE, older, 0)].concat();
            let both = [answer(20, older, 2), answer(20, number, 3)].concat();
            vec![late, answer(ERROR, older, -1), both, answer(DONE, number, 0)]
        });
        assert_eq!(found.unwrap(), [3_i32.to_ne_bytes()]);
    }

    #[test]
    fn an_error_is_that_of_the_kernel_and_a_malformed_reply_is_one_too() {
        let refused = asked(|number| vec![answer(ERROR, number, -libc::EBUSY)]);
        assert_eq!(refused.unwrap_err().raw_os_error(), Some(libc::EBUSY));
        let whole = |number| answer(20, number, 1);
        for cut in 1..whole(1).len() {
            let error = asked(|number| vec![whole(number)[..cut].to_vec()]).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::InvalidData, "cut off at {cut}");
        }
    }

    #[test]
    fn what_has_arrived_is_discarded_before_a_request_and_read_without_waiting() {
        let (ours, kernel) = UnixDatagram::pair().unwrap();
        let socket = Socket::over(ours.into(), PATIENCE).unwrap();
        kernel.send(&answer(20, 1, 9)).unwrap();
        kernel.send(&[1]).unwrap();
        let mut seen = Vec::new();
        let is_whole = socket.drain(&mut [0; 64], |octets| {
            seen.push(octets.len());
            Ok(())
        });
        assert!(is_whole.unwrap());
        assert_eq!(seen, [20, 1]);
        kernel.send(&answer(20, 1, 9)).unwrap();
        let found = thread::scope(|scope| {
            scope.spawn(move || {
                kernel.recv(&mut [0; 64]).unwrap();
                kernel.send(&answer(DONE, 1, 0)).unwrap();
            });
            socket.ask(&mut Message::dump(20))
        });
        assert!(found.unwrap().is_empty());
    }

    #[test]
    fn a_kernel_that_does_not_reply_is_not_waited_for_longer_than_allowed() {
        let (ours, _kernel) = UnixDatagram::pair().unwrap();
        let socket = Socket::over(ours.into(), Duration::from_millis(1)).unwrap();
        let error = socket.ask(&mut Message::dump(20)).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::WouldBlock);
    }
}
