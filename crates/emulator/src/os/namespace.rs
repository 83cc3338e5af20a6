//! Network namespaces without a name. They exist as long as a process has them open.

use std::fs::File;
use std::io::{Error, ErrorKind, Result};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::thread;

use super::calls;

const CONGESTION_CONTROL: &str = "/proc/sys/net/ipv4/tcp_congestion_control";

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

    /// Opens an existing namespace, such as `/run/netns/NAME` or `/proc/PID/ns/net`.
    pub(crate) fn open(path: &Path) -> Result<Self> {
        let file = File::open(path)?;
        match calls::namespace_kind(file.as_fd()) {
            Ok(libc::CLONE_NEWNET) => Ok(Self(file)),
            _ => Err(Error::new(ErrorKind::InvalidInput, "not a network namespace")),
        }
    }

    /// True if both values are the same namespace.
    pub(crate) fn is_same(&self, other: &Self) -> Result<bool> {
        let (own, other) = (self.0.metadata()?, other.0.metadata()?);
        Ok((own.dev(), own.ino()) == (other.dev(), other.ino()))
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

    /// Sets the default TCP congestion control of the namespace, and returns it: CUBIC if permitted,
    /// else Reno, else the present one.
    pub(crate) fn choose_congestion_control(&self) -> Result<String> {
        let found = self.within(|| {
            let is_permitted = |name: &&str| std::fs::write(CONGESTION_CONTROL, name).is_ok();
            Ok(["cubic", "reno"].into_iter().find(is_permitted))
        })?;
        found.map_or_else(|| self.congestion_control(), |name| Ok(name.to_owned()))
    }

    /// Sets the default TCP congestion control of the namespace.
    fn set_congestion_control(&self, name: &str) -> Result<()> {
        self.within(|| std::fs::write(CONGESTION_CONTROL, name))
    }

    /// Default TCP congestion control of the namespace.
    pub(crate) fn congestion_control(&self) -> Result<String> {
        let read = || std::fs::read_to_string(CONGESTION_CONTROL);
        self.within(read).map(|name| name.trim().to_owned())
    }
}

/// Tests if a new namespace may have this TCP congestion control, which the kernel loads if it can.
///
/// # Errors
/// Returns the error of the operating system: [`NotFound`](ErrorKind::NotFound) if the kernel has no such congestion
/// control, and [`PermissionDenied`](ErrorKind::PermissionDenied) if only the first namespace may have it.
pub fn permits_congestion_control(name: &str) -> Result<()> {
    Namespace::new()?.set_congestion_control(name)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_network_namespace_opens() {
        let own = Namespace::open(Path::new("/proc/self/ns/net")).expect("this process has one");
        let again = Namespace::open(Path::new("/proc/thread-self/ns/net")).expect("it is the same");
        assert!(own.is_same(&again).expect("both exist"));
        for path in ["/proc/self/ns/mnt", "/proc/self/status", "/"] {
            let error = Namespace::open(Path::new(path)).expect_err(path);
            assert_eq!(error.to_string(), "not a network namespace", "{path}");
        }
        let error = Namespace::open(Path::new("/no/such/file")).expect_err("there is none");
        assert_eq!(error.kind(), ErrorKind::NotFound);
    }
}
