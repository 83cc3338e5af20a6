//! Waiting for a deadline, for frames and for a wake-up from another thread.

use std::io::Result;
use std::os::fd::{AsFd, OwnedFd};

use airfair_units::Duration;

use super::calls;
use super::interface::Port;
use crate::wall::Wall;

/// Number of the [`Bell`] in epoll events.
const BELL: u64 = u64::MAX;

/// Eventfd by which other threads wake the thread that polls it.
#[derive(Debug)]
pub(crate) struct Bell(OwnedFd);

impl Bell {
    pub(crate) fn new() -> Result<Self> {
        Ok(Self(calls::eventfd()?))
    }

    /// Wakes the thread that polls this eventfd.
    pub(crate) fn ring(&self) {
        // Fails only after 2⁶⁴ − 2 rings without a wait.
        let _ = calls::write(self.0.as_fd(), &1_u64.to_ne_bytes());
    }

    fn silence(&self) {
        let _ = calls::read(self.0.as_fd(), &mut [0; 8]);
    }
}

/// Ports of a poller that have become readable, and whether its [`Bell`] has.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Ready {
    /// Indices of the ports from which frames can be read.
    pub(crate) ports: Vec<usize>,
    /// True if another thread has woken the polling thread by the [`Bell`], an eventfd.
    pub(crate) bell: bool,
}

/// Waits for frames at ports, for another thread that rings the [`Bell`], an eventfd, or for a
/// deadline.
#[derive(Debug)]
pub(crate) struct Poller<'b> {
    epoll: OwnedFd,
    bell: &'b Bell,
    found: Vec<u64>,
    /// Length of the busy-waiting phase at the end of each wait.
    awake: Duration,
    /// Wall time at which any wait ends early.
    pub(crate) alarm: Option<Duration>,
}

impl<'b> Poller<'b> {
    pub(crate) fn new(bell: &'b Bell, awake: Duration) -> Result<Self> {
        let epoll = calls::epoll_create()?;
        calls::epoll_control(&epoll, libc::EPOLL_CTL_ADD, bell.0.as_fd(), BELL)?;
        Ok(Self { epoll, bell, found: Vec::new(), awake, alarm: None })
    }

    /// Adds a port, which epoll events identify by `number`.
    pub(crate) fn add(&self, port: &impl AsFd, number: usize) -> Result<()> {
        calls::epoll_control(&self.epoll, libc::EPOLL_CTL_ADD, port.as_fd(), number as u64)
    }

    /// Removes a port from the poller.
    pub(crate) fn remove(&self, port: &Port) {
        let _ = calls::epoll_control(&self.epoll, libc::EPOLL_CTL_DEL, port.as_fd(), 0);
    }

    /// Returns the ports and the bell that are readable now, or ended the last wait.
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
        calls::epoll_wait(&self.epoll, longest, &mut self.found).expect("a queue that is open");
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
            self.look(left.saturating_sub(self.awake));
            if !self.found.is_empty() {
                return true;
            }
            if left.is_zero() || calls::monotonic() >= until {
                return until < at;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MOMENT: Duration = Duration::from_millis(2);

    /// With and without busy-waiting, a wait ends at its deadline, or earlier when another thread
    /// rings the [`Bell`].
    #[test]
    fn a_wait_ends_with_its_time_or_with_the_bell() {
        for awake in [Duration::ZERO, Duration::from_micros(60), Duration::from_secs(3_600)] {
            let bell = Bell::new().expect("a descriptor");
            let mut poller = Poller::new(&bell, awake).expect("a descriptor");
            let until = poller.now() + MOMENT;
            assert!(!poller.sleep_until(until));
            assert!(poller.now() >= until);
            bell.ring();
            assert!(poller.sleep_until(until + Duration::from_secs(3_600)));
            assert_eq!(poller.take(), Ready { ports: Vec::new(), bell: true });
            poller.alarm = Some(poller.now() + MOMENT);
            assert!(poller.sleep_until(until + Duration::from_secs(3_600)));
        }
    }
}
