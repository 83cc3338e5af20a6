//! Rate limits that a scheme sets on a TFRC flow over real sockets.
//!
//! The sender transmits at the lower of its own rate and its limit, as a simulated sender does. Its
//! program reads the limit from a socket. The emulator writes the receiver's limit into the
//! receiver's feedback packets.  [occupancy-tfrc §III-D]

use std::io::{Result, Write};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;

use airfair_sim::packet::Side;
use airfair_units::DataRate;

/// Rate limits of one TFRC flow over real sockets, at the sender and at the receiver.
#[derive(Debug)]
pub(crate) struct TfrcLimits {
    sender: Option<DataRate>,
    receiver: Option<DataRate>,
    /// Limit that was last written to the sender's program.
    sent: Option<DataRate>,
    socket: UnixStream,
}

impl TfrcLimits {
    /// Makes the limits of a flow, which has none yet. Also returns the socket from which the
    /// sender's program reads its limit: one line per change, such as `400 kb/s` or `none`.
    ///
    /// # Errors
    /// Returns the error of the operating system.
    pub(crate) fn new() -> Result<(Self, OwnedFd)> {
        let (socket, read) = UnixStream::pair()?;
        socket.set_nonblocking(true)?;
        Ok((Self { sender: None, receiver: None, sent: None, socket }, read.into()))
    }

    /// Changes the rate limit at one end of the flow, and informs the sender's program.
    pub(crate) fn set(&mut self, side: Side, limit: Option<DataRate>) {
        match side {
            Side::Sender => self.sender = limit,
            Side::Receiver => self.receiver = limit,
        }
        self.send();
    }

    /// Writes the sender's limit to its program if the limit has changed. If the socket is full
    /// because the program does not read, the next call tries again. A line is so short that it is
    /// written whole or not at all.
    pub(crate) fn send(&mut self) {
        if self.sent == self.sender {
            return;
        }
        let text = self.sender.map_or_else(|| "none".to_owned(), |limit| limit.to_string());
        if self.socket.write_all(format!("{text}\n").as_bytes()).is_ok() {
            self.sent = self.sender;
        }
    }

    /// Rate limit at the receiver; `None` for no limit.
    pub(crate) fn receiver(&self) -> Option<DataRate> {
        self.receiver
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::File;
    use std::io::{BufRead, BufReader};

    fn rate(mbps: u64) -> DataRate {
        DataRate::from_mbps(mbps)
    }

    /// Lines that the program reads once all limits have been written.
    fn lines(limits: TfrcLimits, read: OwnedFd) -> Vec<String> {
        drop(limits);
        BufReader::new(File::from(read)).lines().map(|line| line.expect("text")).collect()
    }

    /// The sender's program reads each change of the sender's limit, and not the receiver's limit.
    ///
    /// Verifies: [occupancy-tfrc §III-D]
    #[test]
    fn a_program_receives_its_own_limit_when_that_changes() {
        let (mut limits, read) = TfrcLimits::new().expect("a pair");
        for (side, limit) in [
            (Side::Sender, Some(rate(2))),
            (Side::Receiver, Some(rate(3))),
            (Side::Sender, Some(rate(2))),
            (Side::Sender, None),
        ] {
            limits.set(side, limit);
        }
        assert_eq!(limits.receiver(), Some(rate(3)));
        assert_eq!(lines(limits, read), ["2 Mb/s", "none"]);
    }

    /// If the program does not read until its socket is full, no call blocks, and the last limit is
    /// written once there is room.
    #[test]
    fn the_last_limit_comes_when_there_is_room_again() {
        let (mut limits, read) = TfrcLimits::new().expect("a pair");
        let mut last = 0;
        while limits.sent == limits.sender {
            last += 1;
            limits.set(Side::Sender, Some(rate(last)));
        }
        let mut file = BufReader::new(File::from(read));
        let mut first = String::new();
        for _ in 1..last {
            first.clear();
            file.read_line(&mut first).expect("a line");
        }
        assert_eq!(first, format!("{}\n", rate(last - 1)));
        limits.send();
        drop(limits);
        let rest: Vec<_> = file.lines().map(|line| line.expect("text")).collect();
        assert_eq!(rest, [rate(last).to_string()]);
    }
}
