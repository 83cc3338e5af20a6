//! Waiting for a time, for frames, and for a bell.

use std::io::Result;
use std::os::fd::{AsFd, OwnedFd};

use airfair_units::Duration;

use super::calls;
use super::interface::Port;
use crate::pace::Wall;

/// Number of the bell among what is waited for.
const BELL: u64 = u64::MAX;

/// A bell that another thread rings.
#[derive(Debug)]
pub(crate) struct Bell(OwnedFd);

impl Bell {
    pub(crate) fn new() -> Result<Self> {
        Ok(Self(calls::counter()?))
    }

    /// Wakes whoever waits for it.
    pub(crate) fn ring(&self) {
        // It fails only when the bell has been rung 2⁶⁴ − 2 times unheard.
        let _ = calls::write(self.0.as_fd(), &1_u64.to_ne_bytes());
    }

    fn silence(&self) {
        let _ = calls::read(self.0.as_fd(), &mut [0; 8]);
    }
}

/// What has ended a wait.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Ready {
    /// Ports with frames, by their numbers.
    pub(crate) ports: Vec<usize>,
    /// True if the bell was rung.
    pub(crate) bell: bool,
}

/// Waits for whatever comes first.
#[derive(Debug)]
pub(crate) struct Poller<'b> {
    epoll: OwnedFd,
    bell: &'b Bell,
    found: Vec<u64>,
    /// Time at which the wait ends all the same.
    pub(crate) alarm: Option<Duration>,
}

impl<'b> Poller<'b> {
    pub(crate) fn new(bell: &'b Bell) -> Result<Self> {
        let epoll = calls::epoll()?;
        calls::watch(&epoll, libc::EPOLL_CTL_ADD, bell.0.as_fd(), BELL)?;
        Ok(Self { epoll, bell, found: Vec::new(), alarm: None })
    }

    /// Waits for frames of a port as well.
    pub(crate) fn add(&self, port: &impl AsFd, number: usize) -> Result<()> {
        calls::watch(&self.epoll, libc::EPOLL_CTL_ADD, port.as_fd(), number as u64)
    }

    /// Waits no longer for frames of a port.
    pub(crate) fn remove(&self, port: &Port) {
        let _ = calls::watch(&self.epoll, libc::EPOLL_CTL_DEL, port.as_fd(), 0);
    }

    /// What is ready now, what has ended the last wait included.
    pub(crate) fn take(&mut self) -> Ready {
        self.look(Duration::ZERO);
        self.found.sort_unstable();
        self.found.dedup();
        let mut ready = Ready::default();
        for number in self.found.drain(..) {
            match usize::try_from(number) {
                Ok(port) if number != BELL => ready.ports.push(port),
                _ => ready.bell = true,
            }
        }
        if ready.bell {
            self.bell.silence();
        }
        ready
    }

    fn look(&mut self, longest: Duration) {
        calls::wait(&self.epoll, longest, &mut self.found).expect("a queue that is open");
    }
}

impl Wall for Poller<'_> {
    fn now(&mut self) -> Duration {
        calls::monotonic()
    }

    fn sleep_until(&mut self, at: Duration) -> bool {
        let until = self.alarm.map_or(at, |alarm| alarm.min(at));
        loop {
            let left = until.saturating_sub(calls::monotonic());
            self.look(left);
            if !self.found.is_empty() {
                return true;
            }
            if left.is_zero() || calls::monotonic() >= until {
                return until < at;
            }
        }
    }
}
