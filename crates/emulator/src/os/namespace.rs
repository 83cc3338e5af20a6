//! Network namespaces without a name. They exist as long as a process has them open.

use std::fs::File;
use std::io::{Error, Result};
use std::os::fd::{AsFd, BorrowedFd};
use std::thread;

use super::calls;

/// Network namespace, which exists at least as long as this value.
#[derive(Debug)]
pub(crate) struct Namespace(File);

impl Namespace {
    /// Creates a namespace, which contains only a loopback interface that is down.
    pub(crate) fn new() -> Result<Self> {
        // A namespace belongs to a thread, so the temporary thread leaves all others where they
        // are.
        in_a_thread(|| {
            calls::unshare(libc::CLONE_NEWNET)?;
            Ok(Self(File::open("/proc/thread-self/ns/net")?))
        })
    }

    /// Runs `work` in this namespace, on a temporary thread.
    pub(crate) fn within<T: Send>(&self, work: impl FnOnce() -> Result<T> + Send) -> Result<T> {
        in_a_thread(|| {
            self.join()?;
            work()
        })
    }

    /// Second handle of this namespace.
    pub(crate) fn share(&self) -> Result<Self> {
        Ok(Self(self.0.try_clone()?))
    }

    /// Moves this thread into the namespace.
    pub(crate) fn join(&self) -> Result<()> {
        calls::set_namespace(self.0.as_fd(), libc::CLONE_NEWNET)
    }

    /// Default TCP congestion control of the namespace: CUBIC if permitted, else Reno, else the
    /// present one.
    pub(crate) fn congestion_control(&self) -> Result<String> {
        const KEY: &str = "/proc/sys/net/ipv4/tcp_congestion_control";
        self.within(|| {
            let found =
                ["cubic", "reno"].into_iter().find(|name| std::fs::write(KEY, name).is_ok());
            let present = || std::fs::read_to_string(KEY).map(|name| name.trim().to_owned());
            found.map_or_else(present, |name| Ok(name.to_owned()))
        })
    }
}

impl AsFd for Namespace {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}

fn in_a_thread<T: Send>(work: impl FnOnce() -> Result<T> + Send) -> Result<T> {
    thread::scope(|scope| {
        let thread = thread::Builder::new().spawn_scoped(scope, work)?;
        thread.join().unwrap_or_else(|_| Err(Error::other("a thread has panicked")))
    })
}
