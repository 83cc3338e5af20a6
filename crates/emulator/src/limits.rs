//! Limits that schemes set to the rate of a TFRC over real sockets. Its sender keeps to the lower one of its own rate and
//! the limit, as a simulated one: its program is told by a line. Its receiver's limit goes into its reports.
//! [occupancy-tfrc §III-D]

use std::io::{Result, Write};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;

use airfair_sim::packet::Side;
use airfair_units::DataRate;

/// Limits of one flow.
#[derive(Debug)]
pub(crate) struct Limits {
    sender: Option<DataRate>,
    receiver: Option<DataRate>,
    /// The sender's as its program was told last.
    told: Option<DataRate>,
    line: UnixStream,
}

impl Limits {
    /// No limits yet, and where the sender's program reads them: lines such as `400 kb/s`, or `none`.
    ///
    /// # Errors
    /// The operating system's.
    pub(crate) fn new() -> Result<(Self, OwnedFd)> {
        let (line, read) = UnixStream::pair()?;
        line.set_nonblocking(true)?;
        Ok((Self { sender: None, receiver: None, told: None, line }, read.into()))
    }

    /// Another limit at an end.
    pub(crate) fn set(&mut self, side: Side, limit: Option<DataRate>) {
        match side {
            Side::Sender => self.sender = limit,
            Side::Receiver => self.receiver = limit,
        }
        self.tell();
    }

    /// Tells the sender's program what it does not know yet. A line that is full, because nobody reads it, has its turn
    /// with the next call; so short a message goes as a whole or not at all.
    pub(crate) fn tell(&mut self) {
        if self.told == self.sender {
            return;
        }
        let said = self.sender.map_or_else(|| "none".to_owned(), |limit| limit.to_string());
        if self.line.write_all(format!("{said}\n").as_bytes()).is_ok() {
            self.told = self.sender;
        }
    }

    /// Limit at the receiver.
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

    /// Lines of a program that begins to read when all is said.
    fn lines(limits: Limits, read: OwnedFd) -> Vec<String> {
        drop(limits);
        BufReader::new(File::from(read)).lines().map(|line| line.expect("text")).collect()
    }

    /// Verifies: [occupancy-tfrc §III-D]
    #[test]
    fn a_program_is_told_of_its_own_limit_when_that_changes() {
        let (mut limits, read) = Limits::new().expect("a pair");
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

    /// Nobody reads until there is no room: nothing waits for that, and the last limit comes once there is.
    #[test]
    fn the_last_limit_comes_when_there_is_room_again() {
        let (mut limits, read) = Limits::new().expect("a pair");
        let mut last = 0;
        while limits.told == limits.sender {
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
        limits.tell();
        drop(limits);
        let rest: Vec<_> = file.lines().map(|line| line.expect("text")).collect();
        assert_eq!(rest, [rate(last).to_string()]);
    }
}
