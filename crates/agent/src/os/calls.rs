//! Linux system calls behind safe functions.

#![expect(
    unsafe_code,
    reason = "the interface of the operating system is C's; nothing but calls is here"
)]

use std::ffi::{CStr, CString};
use std::io::{Error, ErrorKind, Result};
use std::net::IpAddr;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};
use std::ptr;
use std::sync::atomic::{AtomicBool, Ordering};

use airfair_netlink::Socket;
use airfair_units::Duration;
use libc::c_int;

/// Number of the capability `CAP_NET_ADMIN`, which the agent keeps.
const CAP_NET_ADMIN: u32 = 12;
/// Number of the capability `CAP_BPF`, which the agent keeps.
const CAP_BPF: u32 = 39;
/// Version of the capability calls, `_LINUX_CAPABILITY_VERSION_3`, which has two words of 32
/// capabilities.
const VERSION: u32 = 0x2008_0522;

fn check(result: c_int) -> Result<c_int> {
    if result < 0 { Err(Error::last_os_error()) } else { Ok(result) }
}

fn checked_size(result: isize) -> Result<usize> {
    usize::try_from(result).map_err(|_| Error::last_os_error())
}

/// Time of `CLOCK_MONOTONIC`, which BPF programs read too [ns].
pub fn monotonic_ns() -> u64 {
    clock(libc::CLOCK_MONOTONIC)
}

/// CPU time of this process.
pub fn process_cpu() -> Duration {
    Duration::from_nanos(clock(libc::CLOCK_PROCESS_CPUTIME_ID))
}

fn clock(id: libc::clockid_t) -> u64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the pointer is to a value of the type asked for.
    let result = unsafe { libc::clock_gettime(id, &raw mut time) };
    assert!(result == 0, "every Linux has these clocks");
    let part = |it: i64| u64::try_from(it).expect("these clocks start at zero");
    part(time.tv_sec) * 1_000_000_000 + part(time.tv_nsec)
}

static IS_ASKED_TO_END: AtomicBool = AtomicBool::new(false);

extern "C" fn note(_signal: c_int) {
    IS_ASKED_TO_END.store(true, Ordering::Relaxed);
}

/// Catches SIGTERM, SIGINT and SIGHUP, so that they do not end the process.
pub fn catch_signals() {
    for signal in [libc::SIGTERM, libc::SIGINT, libc::SIGHUP] {
        // SAFETY: the handler does nothing but store to an atomic, which a signal handler may do.
        unsafe { libc::signal(signal, note as *const () as libc::sighandler_t) };
    }
}

/// True once SIGTERM, SIGINT or SIGHUP has arrived.
pub fn is_asked_to_end() -> bool {
    IS_ASKED_TO_END.load(Ordering::Relaxed)
}

/// Waits `ms` milliseconds, or until one of `files` is readable or a signal arrives.
pub fn wait_for(files: &[RawFd], ms: u32) {
    let of = |fd: &RawFd| libc::pollfd { fd: *fd, events: libc::POLLIN, revents: 0 };
    let mut polled: Vec<libc::pollfd> = files.iter().map(of).collect();
    let count = libc::nfds_t::try_from(polled.len()).expect("few files");
    let ms = c_int::try_from(ms).unwrap_or(c_int::MAX);
    // SAFETY: pointer and count are those of a vector.
    unsafe { libc::poll(polled.as_mut_ptr(), count, ms) };
}

#[repr(C)]
struct CapabilityHeader {
    version: u32,
    pid: c_int,
}

#[repr(C)]
#[derive(Clone, Copy)]
struct CapabilityWord {
    effective: u32,
    permitted: u32,
    inheritable: u32,
}

/// Drops all capabilities except `CAP_NET_ADMIN` and `CAP_BPF`, permanently.
///
/// # Errors
/// Returns the error of the operating system.
pub fn drop_capabilities() -> Result<()> {
    let header = CapabilityHeader { version: VERSION, pid: 0 };
    let mut words = [CapabilityWord { effective: 0, permitted: 0, inheritable: 0 }; 2];
    for capability in [CAP_NET_ADMIN, CAP_BPF] {
        let word = &mut words[usize::from(capability >= 32)];
        word.effective |= 1 << (capability % 32);
        word.permitted = word.effective;
    }
    // SAFETY: nothing that this process executes can gain what it gives up; no pointer is involved.
    check(unsafe { libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) })?;
    // SAFETY: the pointers are to a header and to the two words that its version asks for.
    let result = unsafe { libc::syscall(libc::SYS_capset, &raw const header, words.as_ptr()) };
    if result < 0 { Err(Error::last_os_error()) } else { Ok(()) }
}

/// IP addresses of an interface.
///
/// # Errors
/// Returns the error of the operating system; `NotFound` if there is no such interface.
pub fn addresses(interface: &str) -> Result<Vec<IpAddr>> {
    let mut first: *mut libc::ifaddrs = ptr::null_mut();
    // SAFETY: the pointer is to a pointer, which the call sets to a list that it owns.
    check(unsafe { libc::getifaddrs(&raw mut first) })?;
    let (mut found, mut is_there) = (Vec::new(), false);
    let mut next = first;
    while !next.is_null() {
        // SAFETY: the list is whole until it is freed below.
        let entry = unsafe { &*next };
        // SAFETY: each entry has a name that ends with a zero.
        if unsafe { CStr::from_ptr(entry.ifa_name) }.to_bytes() == interface.as_bytes() {
            is_there = true;
            found.extend(address(entry.ifa_addr));
        }
        next = entry.ifa_next;
    }
    // SAFETY: the list is the call's own, and nobody has a reference into it any more.
    unsafe { libc::freeifaddrs(first) };
    if is_there { Ok(found) } else { Err(ErrorKind::NotFound.into()) }
}

fn address(of: *const libc::sockaddr) -> Option<IpAddr> {
    if of.is_null() {
        return None;
    }
    // SAFETY: every address begins with its family.
    match c_int::from(unsafe { (*of).sa_family }) {
        libc::AF_INET => {
            // SAFETY: an address of this family is of this type; it need not be aligned.
            let four = unsafe { ptr::read_unaligned(of.cast::<libc::sockaddr_in>()) };
            Some(IpAddr::from(four.sin_addr.s_addr.to_ne_bytes()))
        }
        libc::AF_INET6 => {
            // SAFETY: likewise.
            let six = unsafe { ptr::read_unaligned(of.cast::<libc::sockaddr_in6>()) };
            Some(IpAddr::from(six.sin6_addr.s6_addr))
        }
        _ => None,
    }
}

/// Index of an interface; `None` if there is no interface with this name.
pub fn interface_index(name: &str) -> Option<u32> {
    let name = CString::new(name).ok()?;
    // SAFETY: the pointer is to a string that ends with a zero.
    let index = unsafe { libc::if_nametoindex(name.as_ptr()) };
    (index > 0).then_some(index)
}

/// Binds a socket to an interface. A new socket needs no capability for this.
///
/// # Errors
/// Returns the error of the operating system.
pub fn bind_to_interface(socket: RawFd, name: &str) -> Result<()> {
    let size = libc::socklen_t::try_from(name.len()).map_err(|_| ErrorKind::InvalidInput)?;
    // SAFETY: pointer and length are those of a string.
    check(unsafe {
        libc::setsockopt(
            socket,
            libc::SOL_SOCKET,
            libc::SO_BINDTODEVICE,
            name.as_ptr().cast(),
            size,
        )
    })?;
    Ok(())
}

/// Random number that an attacker cannot guess.
///
/// # Errors
/// Returns the error of the operating system.
pub fn random() -> Result<u64> {
    let mut octets = [0; 8];
    // SAFETY: pointer and length are those of a buffer.
    let size =
        checked_size(unsafe { libc::getrandom(octets.as_mut_ptr().cast(), octets.len(), 0) })?;
    if size == octets.len() {
        Ok(u64::from_ne_bytes(octets))
    } else {
        Err(ErrorKind::Interrupted.into())
    }
}

/// Indices of all interfaces.
///
/// # Errors
/// Returns the error of the operating system.
pub fn interface_indices() -> Result<Vec<u32>> {
    // SAFETY: no argument; the list is freed below.
    let first = unsafe { libc::if_nameindex() };
    if first.is_null() {
        return Err(Error::last_os_error());
    }
    let (mut found, mut next) = (Vec::new(), first);
    loop {
        // SAFETY: the list ends with an entry of number zero, which is the last one read.
        let entry = unsafe { &*next };
        if entry.if_index == 0 {
            break;
        }
        found.push(entry.if_index);
        // SAFETY: there is an entry behind one that is not the last.
        next = unsafe { next.add(1) };
    }
    // SAFETY: the list is the call's own, and nobody has a reference into it any more.
    unsafe { libc::if_freenameindex(first) };
    Ok(found)
}

/// Child process that acts when this process dies, however it dies, or gives no sign of life for
/// some time.
#[derive(Debug)]
pub struct Guardian {
    pipe: Option<OwnedFd>,
    process: libc::pid_t,
}

impl Guardian {
    /// Starts a guardian, which has the capabilities that the agent keeps. The guardian runs `what`
    /// after `patience` without a sign of life, and at the end of this process. This process must
    /// have one thread.
    ///
    /// # Errors
    /// Returns the error of the operating system.
    pub fn begin(patience: Duration, what: impl Fn()) -> Result<Self> {
        let mut ends = [0; 2];
        // SAFETY: the pointer is to two numbers.
        check(unsafe { libc::pipe2(ends.as_mut_ptr(), libc::O_CLOEXEC | libc::O_NONBLOCK) })?;
        // SAFETY: the call has just returned these descriptors, which nobody else has.
        let [reading, writing] = ends.map(|end| unsafe { OwnedFd::from_raw_fd(end) });
        // SAFETY: the process has one thread, so that no lock stays closed in its copy.
        let process = check(unsafe { libc::fork() })?;
        if process > 0 {
            return Ok(Self { pipe: Some(writing), process });
        }
        drop(writing);
        for signal in [libc::SIGTERM, libc::SIGINT, libc::SIGHUP] {
            // SAFETY: no handler is involved. Signals for all of a group are for the agent, whose end is waited for.
            unsafe { libc::signal(signal, libc::SIG_IGN) };
        }
        let is_fit = drop_capabilities().is_ok();
        while is_fit && !listen(&reading, patience) {
            what();
        }
        what();
        // SAFETY: the copy ends here, without what the original has to do at its end.
        unsafe { libc::_exit(0) };
    }

    /// Gives the guardian a sign of life.
    ///
    /// # Errors
    /// Returns the error of the operating system if the guardian has ended.
    pub fn beat(&self) -> Result<()> {
        let Some(pipe) = &self.pipe else { return Ok(()) };
        // SAFETY: pointer and length are those of a string.
        match checked_size(unsafe { libc::write(pipe.as_raw_fd(), c".".as_ptr().cast(), 1) }) {
            // The pipe is full of earlier signs.
            Err(error) if error.kind() == ErrorKind::WouldBlock => Ok(()),
            other => other.map(drop),
        }
    }
}

/// Ends the guardian, the child process that acts when this process dies: lets it run the function
/// given to [`Guardian::begin`] once more, and waits for its end.
impl Drop for Guardian {
    fn drop(&mut self) {
        self.pipe = None;
        // SAFETY: the process is this one's child, and nobody else waits for it.
        unsafe { libc::waitpid(self.process, ptr::null_mut(), 0) };
    }
}

/// Waits in the guardian for signs of life: true once the agent's end of the pipe is closed, false
/// after `patience` without a sign.
fn listen(pipe: &OwnedFd, patience: Duration) -> bool {
    let ms = u32::try_from(patience.as_nanos() / 1_000_000).unwrap_or(u32::MAX);
    let mut octets = [0_u8; 64];
    loop {
        let begun = monotonic_ns();
        wait_for(&[pipe.as_raw_fd()], ms);
        // SAFETY: pointer and length are those of a buffer.
        let read =
            unsafe { libc::read(pipe.as_raw_fd(), octets.as_mut_ptr().cast(), octets.len()) };
        match checked_size(read) {
            Ok(0) => return true,
            Err(_) if monotonic_ns() - begun >= patience.as_nanos() => return false,
            Ok(_) | Err(_) => {}
        }
    }
}

/// Netlink protocol of a socket.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Protocol {
    /// Generic netlink, of which nl80211 is a part.
    Generic,
    /// rtnetlink: interfaces, addresses, routes and queueing disciplines.
    Route,
}

/// Time for which the agent waits for a part of a netlink reply. With a longer one the agent's signs
/// of life would come too late.
const PATIENCE: Duration = Duration::from_millis(200);

/// Opens a netlink socket.
///
/// # Errors
/// Returns the error of the operating system.
pub fn open_netlink(protocol: Protocol) -> Result<Socket> {
    let protocol = match protocol {
        Protocol::Generic => libc::NETLINK_GENERIC,
        Protocol::Route => libc::NETLINK_ROUTE,
    };
    let kind = libc::SOCK_RAW | libc::SOCK_CLOEXEC;
    // SAFETY: no pointer is involved.
    let fd = check(unsafe { libc::socket(libc::AF_NETLINK, kind, protocol) })?;
    // SAFETY: a call has just returned this descriptor, which nobody else has.
    Socket::over(unsafe { OwnedFd::from_raw_fd(fd) }, PATIENCE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_loopback_has_its_address_and_no_interface_has_none() {
        let found = addresses("lo").unwrap_or_default();
        assert!(found.is_empty() || found.iter().any(IpAddr::is_loopback));
        assert_eq!(addresses("no-such-one").unwrap_err().kind(), ErrorKind::NotFound);
    }

    #[test]
    fn interfaces_have_numbers() {
        assert_eq!(interface_index("no-such-one"), None);
        let all = interface_indices().unwrap();
        assert!(interface_index("lo").is_none_or(|it| all.contains(&it)));
    }

    /// The guardian acts once without a sign of life, and once more at the end of its parent. The
    /// test process has several threads; the child takes no lock here.
    #[test]
    fn a_guardian_acts_on_silence_and_once_more_at_the_end() {
        let path = std::env::temp_dir().join(format!("airfair-guardian-{}", std::process::id()));
        let name = CString::new(path.to_str().unwrap()).unwrap();
        let mark = || {
            // SAFETY: the name ends with a zero; the descriptor is used here alone.
            unsafe {
                let file = libc::open(
                    name.as_ptr(),
                    libc::O_CREAT | libc::O_APPEND | libc::O_WRONLY,
                    0o600,
                );
                libc::write(file, c"x".as_ptr().cast(), 1);
                libc::close(file);
            }
        };
        let guardian = Guardian::begin(Duration::from_millis(200), mark).unwrap();
        for _ in 0..10 {
            guardian.beat().unwrap();
            wait_for(&[], 30);
        }
        assert!(!path.exists());
        wait_for(&[], 300);
        assert_eq!(std::fs::read(&path).unwrap(), b"x");
        drop(guardian);
        assert_eq!(std::fs::read(&path).unwrap(), b"xx");
        std::fs::remove_file(&path).unwrap();
    }

    #[test]
    fn the_clock_goes_on() {
        let before = monotonic_ns();
        assert!(monotonic_ns() >= before);
        assert!(!process_cpu().is_zero());
    }
}
