//! Linux system calls behind safe functions.

#![expect(
    unsafe_code,
    reason = "the interface of the operating system is C's; nothing but calls is here"
)]

use std::ffi::{CStr, CString};
use std::io::{Error, Result};
use std::mem;
use std::net::{SocketAddrV4, TcpListener};
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, FromRawFd, OwnedFd};
use std::os::unix::process::CommandExt;
use std::process::Command;
use std::ptr;

use airfair_units::Duration;
use libc::{c_int, c_void};

/// Size of an interface name, with the terminating zero [octets].
const NAME: usize = libc::IF_NAMESIZE;
/// Request `TUNSETIFF` of `linux/if_tun.h`, which opens a TAP device.
const TUNSETIFF: u64 = 0x4004_54ca;
/// Commands of `linux/ethtool.h` that set offloads: `ETHTOOL_STXCSUM`, `_SRXCSUM`, `_STSO`, `_SGSO`,
/// `_SGRO` and `_SSG`.
const OFFLOADS: [u32; 6] = [0x17, 0x15, 0x1f, 0x24, 0x2c, 0x19];
/// Lowest real-time priority of `SCHED_FIFO`.
const PRIORITY: c_int = 1;

fn check(result: c_int) -> Result<c_int> {
    if result < 0 { Err(Error::last_os_error()) } else { Ok(result) }
}

fn checked_size(result: isize) -> Result<usize> {
    usize::try_from(result).map_err(|_| Error::last_os_error())
}

/// Takes ownership of a file descriptor that a system call has returned.
fn owned(result: c_int) -> Result<OwnedFd> {
    let fd = check(result)?;
    // SAFETY: the descriptor was just returned by a system call, so nothing else owns it.
    Ok(unsafe { OwnedFd::from_raw_fd(fd) })
}

fn text(name: &str) -> Result<CString> {
    CString::new(name).map_err(|_| Error::from_raw_os_error(libc::EINVAL))
}

/// Time of the clock `CLOCK_MONOTONIC`.
pub(crate) fn monotonic() -> Duration {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the pointer is to a value of the type asked for.
    let result = unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &raw mut time) };
    assert!(result == 0, "every Linux has this clock");
    let part = |it: i64| u64::try_from(it).expect("this clock starts at zero");
    Duration::from_secs(part(time.tv_sec)) + Duration::from_nanos(part(time.tv_nsec))
}

/// Reads available data from a file; returns an error of kind `WouldBlock` if there is none.
pub(super) fn read(from: BorrowedFd<'_>, into: &mut [u8]) -> Result<usize> {
    // SAFETY: pointer and length are those of a buffer.
    checked_size(unsafe { libc::read(from.as_raw_fd(), into.as_mut_ptr().cast(), into.len()) })
}

/// Writes octets to a file: one frame, counter value or message.
pub(super) fn write(to: BorrowedFd<'_>, octets: &[u8]) -> Result<usize> {
    // SAFETY: pointer and length are those of a buffer.
    checked_size(unsafe { libc::write(to.as_raw_fd(), octets.as_ptr().cast(), octets.len()) })
}

/// Opens an epoll instance.
pub(super) fn epoll_create() -> Result<OwnedFd> {
    // SAFETY: no pointer is involved.
    owned(unsafe { libc::epoll_create1(libc::EPOLL_CLOEXEC) })
}

/// Adds or removes `file` in an epoll instance; `what` is the operation. Events carry `number`.
pub(super) fn epoll_control(
    epoll: &OwnedFd,
    what: c_int,
    file: BorrowedFd<'_>,
    number: u64,
) -> Result<()> {
    let mut event = libc::epoll_event { events: libc::EPOLLIN.cast_unsigned(), u64: number };
    // SAFETY: the pointer is to an event.
    check(unsafe { libc::epoll_ctl(epoll.as_raw_fd(), what, file.as_raw_fd(), &raw mut event) })?;
    Ok(())
}

/// Waits until a file is readable or `longest` has passed. Appends the numbers of the readable
/// files to `ready`.
pub(super) fn epoll_wait(epoll: &OwnedFd, longest: Duration, ready: &mut Vec<u64>) -> Result<()> {
    let mut events = [libc::epoll_event { events: 0, u64: 0 }; 64];
    let ns = longest.as_nanos();
    let part = |it: u64| i64::try_from(it).unwrap_or(i64::MAX);
    let time =
        libc::timespec { tv_sec: part(ns / 1_000_000_000), tv_nsec: part(ns % 1_000_000_000) };
    // Older C libraries have no wrapper for this call.
    // SAFETY: the pointers are to so many events and to a time; there is no mask of signals.
    let mut found = unsafe {
        libc::syscall(
            libc::SYS_epoll_pwait2,
            epoll.as_raw_fd(),
            events.as_mut_ptr(),
            events.len(),
            &raw const time,
            ptr::null::<c_void>(),
            0_usize,
        )
    };
    if found < 0 && Error::last_os_error().raw_os_error() == Some(libc::ENOSYS) {
        // Linux before 5.11 has only time-outs of whole milliseconds.
        let ms = c_int::try_from(ns.div_ceil(1_000_000)).unwrap_or(c_int::MAX);
        // SAFETY: the pointer is to so many events.
        let old = unsafe { libc::epoll_wait(epoll.as_raw_fd(), events.as_mut_ptr(), 64, ms) };
        found = i64::from(old);
    }
    match usize::try_from(found) {
        Ok(count) => ready.extend(events[..count].iter().map(|event| event.u64)),
        Err(_) if Error::last_os_error().raw_os_error() == Some(libc::EINTR) => {}
        Err(_) => return Err(Error::last_os_error()),
    }
    Ok(())
}

/// Opens an eventfd, by which threads wake each other.
pub(super) fn eventfd() -> Result<OwnedFd> {
    // SAFETY: no pointer is involved.
    owned(unsafe { libc::eventfd(0, libc::EFD_CLOEXEC | libc::EFD_NONBLOCK) })
}

/// Kind of a namespace, such as `CLONE_NEWNET`; `ENOTTY` for a file that is no namespace.  `ioctl_ns(2)`
pub(super) fn namespace_kind(of: BorrowedFd<'_>) -> Result<c_int> {
    const NS_GET_NSTYPE: libc::c_ulong = 0xb703;
    // SAFETY: the request takes no pointer.
    check(unsafe { libc::ioctl(of.as_raw_fd(), NS_GET_NSTYPE) })
}

/// True if this process has only one thread, as a new user namespace requires.
pub fn has_one_thread() -> bool {
    std::fs::read_dir("/proc/self/task").is_ok_and(|tasks| tasks.count() == 1)
}

/// Moves this process into a new user namespace, in which it is root, with new network and mount
/// namespaces.
///
/// # Errors
/// Returns the error of the operating system if this is not permitted or if the process has more
/// threads.
pub fn isolate() -> Result<()> {
    // SAFETY: no pointer is involved; the calls cannot fail.
    let (user, group) = unsafe { (libc::geteuid(), libc::getegid()) };
    unshare(libc::CLONE_NEWUSER | libc::CLONE_NEWNET | libc::CLONE_NEWNS)?;
    // A process may map only its own user and group. Mapping the group requires that `setgroups` is
    // disabled.
    std::fs::write("/proc/self/setgroups", "deny")?;
    std::fs::write("/proc/self/uid_map", format!("0 {user} 1"))?;
    std::fs::write("/proc/self/gid_map", format!("0 {group} 1"))
}

/// Moves this thread into new namespaces of the given kinds.
pub(super) fn unshare(which: c_int) -> Result<()> {
    // SAFETY: no pointer is involved.
    check(unsafe { libc::unshare(which) })?;
    Ok(())
}

/// Moves this thread into an existing namespace.
pub(super) fn set_namespace(to: BorrowedFd<'_>, kind: c_int) -> Result<()> {
    // SAFETY: no pointer is involved.
    check(unsafe { libc::setns(to.as_raw_fd(), kind) })?;
    Ok(())
}

fn mount(source: &CStr, target: &CStr, kind: &CStr, flags: libc::c_ulong) -> Result<()> {
    let (source, target, kind) = (source.as_ptr(), target.as_ptr(), kind.as_ptr());
    // SAFETY: the texts end with a zero, and no data is passed.
    check(unsafe { libc::mount(source, target, kind, flags, ptr::null()) })?;
    Ok(())
}

/// Moves this process into a new mount namespace whose mounts do not reach other namespaces.
pub(super) fn isolate_mounts() -> Result<()> {
    unshare(libc::CLONE_NEWNS)?;
    mount(c"none", c"/", c"none", libc::MS_REC | libc::MS_SLAVE)
}

/// Mounts the file `file` over the file `target`.
pub(super) fn bind_mount(file: &CStr, target: &CStr) -> Result<()> {
    mount(file, target, c"none", libc::MS_BIND)
}

/// Mounts a new `/sys` that shows the current network namespace.
pub(super) fn mount_sys() -> Result<()> {
    mount(c"airfair", c"/sys", c"sysfs", 0)
}

/// Lets the kernel send this process `signal` when the thread that started it ends.
pub(crate) fn signal_on_exit(signal: c_int) -> Result<()> {
    let signal = libc::c_ulong::from(signal.cast_unsigned());
    // SAFETY: no pointer is involved.
    check(unsafe { libc::prctl(libc::PR_SET_PDEATHSIG, signal, 0, 0, 0) })?;
    Ok(())
}

/// Sets work for the child process between fork and exec. The work must not allocate: another
/// thread may have held a lock at the time of the fork.
pub(super) fn before_exec(
    program: &mut Command,
    work: impl FnMut() -> Result<()> + Send + Sync + 'static,
) {
    // SAFETY: the only caller's work is calls alone.
    unsafe { program.pre_exec(work) };
}

/// Makes blocked and future calls of `accept` on this listener fail.
pub(crate) fn stop_listening(listener: &TcpListener) {
    // SAFETY: no pointer is involved. It fails only if nobody listens.
    unsafe { libc::shutdown(listener.as_raw_fd(), libc::SHUT_RD) };
}

/// Gives this thread `SCHED_FIFO` and locks its memory. Threads and processes that it starts do not
/// inherit the policy.
pub(crate) fn set_realtime() -> Result<()> {
    let policy = libc::SCHED_FIFO | libc::SCHED_RESET_ON_FORK;
    // SAFETY: all of its fields are numbers.
    let mut parameters: libc::sched_param = unsafe { mem::zeroed() };
    parameters.sched_priority = PRIORITY;
    // SAFETY: the pointer is to the parameters.
    check(unsafe { libc::sched_setscheduler(0, policy, &raw const parameters) })?;
    // SAFETY: no pointer is involved.
    check(unsafe { libc::mlockall(libc::MCL_CURRENT | libc::MCL_FUTURE | libc::MCL_ONFAULT) })?;
    Ok(())
}

/// Request of an interface ioctl: interface name, and a value (`struct ifreq`).
#[repr(C)]
struct Request<T> {
    name: [u8; NAME],
    about: T,
    /// Padding, because the kernel copies 40 octets of the request.
    rest: [u64; 2],
}

impl<T> Request<T> {
    fn new(interface: &str, about: T) -> Result<Self> {
        let mut name = [0; NAME];
        let given = interface.as_bytes();
        if given.len() >= NAME {
            return Err(Error::from_raw_os_error(libc::ENAMETOOLONG));
        }
        name[..given.len()].copy_from_slice(given);
        Ok(Self { name, about, rest: [0; 2] })
    }
}

/// Opens a TAP device with this name in the network namespace of this thread. Closing it removes
/// the device.
pub(super) fn tap(name: &str) -> Result<OwnedFd> {
    let flags = libc::O_RDWR | libc::O_NONBLOCK | libc::O_CLOEXEC;
    // SAFETY: the text ends with a zero.
    let file = owned(unsafe { libc::open(c"/dev/net/tun".as_ptr(), flags) })?;
    let kind = libc::IFF_TAP | libc::IFF_NO_PI;
    let kind = i16::try_from(kind).expect("flags of 16 bits");
    let mut request = Request::new(name, [kind, 0, 0, 0])?;
    // SAFETY: the kernel reads and writes 40 octets, which the request has.
    check(unsafe { libc::ioctl(file.as_raw_fd(), TUNSETIFF as _, &raw mut request) })?;
    Ok(file)
}

/// Opens a packet socket on an interface in this thread's network namespace, with a receive buffer
/// of `room` octets.
pub(super) fn packet_socket(index: u32, room: c_int) -> Result<OwnedFd> {
    let kind = libc::SOCK_RAW | libc::SOCK_NONBLOCK | libc::SOCK_CLOEXEC;
    // With protocol 0 the socket receives nothing until it is bound.
    // SAFETY: no pointer is involved.
    let socket = owned(unsafe { libc::socket(libc::AF_PACKET, kind, 0) })?;
    set_option(socket.as_fd(), libc::SOL_PACKET, libc::PACKET_IGNORE_OUTGOING, &1_i32)?;
    set_receive_buffer(socket.as_fd(), room)?;
    // SAFETY: all of its fields are numbers.
    let mut address: libc::sockaddr_ll = unsafe { mem::zeroed() };
    address.sll_family = u16::try_from(libc::AF_PACKET).expect("a small number");
    address.sll_protocol = u16::try_from(libc::ETH_P_ALL).expect("a small number").to_be();
    address.sll_ifindex = index.cast_signed();
    let length = libc::socklen_t::try_from(size_of::<libc::sockaddr_ll>()).expect("some octets");
    // SAFETY: pointer and length are those of an address.
    check(unsafe { libc::bind(socket.as_raw_fd(), (&raw const address).cast(), length) })?;
    Ok(socket)
}

/// Packets that a packet socket has dropped since the last call because its buffer was full.
pub(super) fn packet_drops(socket: BorrowedFd<'_>) -> Result<u32> {
    let mut statistics = libc::tpacket_stats { tp_packets: 0, tp_drops: 0 };
    let mut length = libc::socklen_t::try_from(size_of_val(&statistics)).expect("some octets");
    let (level, option) = (libc::SOL_PACKET, libc::PACKET_STATISTICS);
    let (found, size) = ((&raw mut statistics).cast(), &raw mut length);
    // SAFETY: pointer and length are those of the statistics.
    check(unsafe { libc::getsockopt(socket.as_raw_fd(), level, option, found, size) })?;
    Ok(statistics.tp_drops)
}

/// True if an interface in the namespace of the socket is up.
pub(super) fn is_up(socket: BorrowedFd<'_>, interface: &str) -> Result<bool> {
    let mut request = Request::new(interface, 0_i16)?;
    let fd = socket.as_raw_fd();
    // SAFETY: the kernel reads and writes 40 octets, which the request has.
    check(unsafe { libc::ioctl(fd, libc::SIOCGIFFLAGS as _, &raw mut request) })?;
    Ok(c_int::from(request.about) & libc::IFF_UP != 0)
}

/// Sets the receive buffer of a socket [octets], above the limit for users if this is permitted.
pub(super) fn set_receive_buffer(socket: BorrowedFd<'_>, octets: c_int) -> Result<()> {
    set_option(socket, libc::SOL_SOCKET, libc::SO_RCVBUFFORCE, &octets)
        .or_else(|_| set_option(socket, libc::SOL_SOCKET, libc::SO_RCVBUF, &octets))
}

/// Opens a netlink socket for a protocol, such as `NETLINK_ROUTE` for interfaces and addresses.
pub(super) fn open_netlink(protocol: c_int) -> Result<OwnedFd> {
    let kind = libc::SOCK_RAW | libc::SOCK_CLOEXEC;
    // SAFETY: no pointer is involved.
    owned(unsafe { libc::socket(libc::AF_NETLINK, kind, protocol) })
}

/// Subscribes a netlink socket to a multicast group.
pub(super) fn join(socket: BorrowedFd<'_>, group: u32) -> Result<()> {
    set_option(socket, libc::SOL_NETLINK, libc::NETLINK_ADD_MEMBERSHIP, &group)
}

/// Waits until the file is readable or `longest` has passed; true if it is readable.
pub(super) fn await_input(file: BorrowedFd<'_>, longest: Duration) -> Result<bool> {
    let ms = c_int::try_from(longest.as_nanos() / 1_000_000).unwrap_or(c_int::MAX);
    let mut poll = libc::pollfd { fd: file.as_raw_fd(), events: libc::POLLIN, revents: 0 };
    // SAFETY: the pointer is to one descriptor with its events.
    Ok(check(unsafe { libc::poll(&raw mut poll, 1, ms) })? > 0)
}

/// Blocks SIGINT and SIGTERM for this thread and the threads that it starts, and opens a signalfd
/// for both signals.
pub(super) fn signals() -> Result<OwnedFd> {
    // SAFETY: all of its fields are numbers; the pointers are to it.
    unsafe {
        let mut mask: libc::sigset_t = mem::zeroed();
        libc::sigemptyset(&raw mut mask);
        libc::sigaddset(&raw mut mask, libc::SIGINT);
        libc::sigaddset(&raw mut mask, libc::SIGTERM);
        check(libc::pthread_sigmask(libc::SIG_BLOCK, &raw const mask, ptr::null_mut()))?;
        owned(libc::signalfd(-1, &raw const mask, libc::SFD_CLOEXEC | libc::SFD_NONBLOCK))
    }
}

fn set_option<T: Copy>(
    socket: BorrowedFd<'_>,
    level: c_int,
    option: c_int,
    value: &T,
) -> Result<()> {
    let length = libc::socklen_t::try_from(size_of_val(value)).expect("some octets");
    let value = ptr::from_ref(value).cast();
    // SAFETY: pointer and length are those of the value.
    check(unsafe { libc::setsockopt(socket.as_raw_fd(), level, option, value, length) })?;
    Ok(())
}

/// Opens a TCP socket over IPv4, whose calls do not block.
pub(crate) fn tcp_socket() -> Result<OwnedFd> {
    let kind = libc::SOCK_STREAM | libc::SOCK_CLOEXEC | libc::SOCK_NONBLOCK;
    // SAFETY: no pointer is involved.
    owned(unsafe { libc::socket(libc::AF_INET, kind, 0) })
}

/// Sends the SYN of a connection, and does not wait for the answer.
pub(crate) fn begin_connecting(socket: BorrowedFd<'_>, to: SocketAddrV4) -> Result<()> {
    let family = libc::sa_family_t::try_from(libc::AF_INET).expect("a small number");
    let address = libc::sockaddr_in {
        sin_family: family,
        sin_port: to.port().to_be(),
        sin_addr: libc::in_addr { s_addr: u32::from_ne_bytes(to.ip().octets()) },
        sin_zero: [0; 8],
    };
    let length = libc::socklen_t::try_from(size_of_val(&address)).expect("some octets");
    let start = (&raw const address).cast();
    // SAFETY: pointer and length are those of an address.
    match check(unsafe { libc::connect(socket.as_raw_fd(), start, length) }) {
        Err(error) if error.raw_os_error() != Some(libc::EINPROGRESS) => Err(error),
        _ => Ok(()),
    }
}

/// Waits until a socket can be written to, or has failed, or `longest` has passed. Returns false in the last case.
pub(crate) fn wait_writable(socket: BorrowedFd<'_>, longest: Duration) -> Result<bool> {
    let mut wait = libc::pollfd { fd: socket.as_raw_fd(), events: libc::POLLOUT, revents: 0 };
    let ms = c_int::try_from(longest.as_nanos() / 1_000_000).unwrap_or(c_int::MAX);
    // SAFETY: the pointer is to one entry.
    Ok(check(unsafe { libc::poll(&raw mut wait, 1, ms) })? > 0)
}

/// Sets the congestion control of a TCP socket. Names have at most 15 letters.
pub(crate) fn set_congestion_control(socket: BorrowedFd<'_>, name: &str) -> Result<()> {
    let mut text = [0_u8; 16];
    text[..name.len()].copy_from_slice(name.as_bytes());
    set_option(socket, libc::IPPROTO_TCP, libc::TCP_CONGESTION, &text)
}

/// Sets a time-out for writing, and limits the unsent data in the socket's buffer.
pub(crate) fn set_send_timeout(socket: BorrowedFd<'_>, longest: Duration) -> Result<()> {
    const UNSENT: c_int = 65_536;
    set_option(socket, libc::IPPROTO_TCP, libc::TCP_NOTSENT_LOWAT, &UNSENT)?;
    set_option(socket, libc::SOL_SOCKET, libc::SO_SNDTIMEO, &timeval(longest))
}

/// Sets a time-out for reading from a socket.
pub(crate) fn set_receive_timeout(socket: BorrowedFd<'_>, longest: Duration) -> Result<()> {
    set_option(socket, libc::SOL_SOCKET, libc::SO_RCVTIMEO, &timeval(longest))
}

fn timeval(time: Duration) -> libc::timeval {
    let us = i64::try_from(time.as_nanos() / 1_000).unwrap_or(i64::MAX);
    libc::timeval { tv_sec: us / 1_000_000, tv_usec: us % 1_000_000 }
}

/// Fields of `TCP_INFO`: windows in segments, segments in octets, round-trip times in microseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TcpInfo {
    pub(crate) retransmissions: u32,
    pub(crate) cwnd: u32,
    pub(crate) segment_sent: u32,
    pub(crate) segment_received: u32,
    pub(crate) round_trip: u32,
    pub(crate) least_round_trip: u32,
    pub(crate) receiver_round_trip: u32,
}

/// Reads `TCP_INFO` by offsets, because the structure in libc ends before the minimum round-trip
/// time.
pub(crate) fn tcp_info(socket: BorrowedFd<'_>) -> Result<TcpInfo> {
    let mut info = [0_u8; 152];
    let mut length = libc::socklen_t::try_from(info.len()).expect("some octets");
    let (level, option) = (libc::IPPROTO_TCP, libc::TCP_INFO);
    let (found, size) = (info.as_mut_ptr().cast(), &raw mut length);
    // SAFETY: pointer and length are those of a buffer.
    check(unsafe { libc::getsockopt(socket.as_raw_fd(), level, option, found, size) })?;
    let at = |at: usize| u32::from_ne_bytes([info[at], info[at + 1], info[at + 2], info[at + 3]]);
    Ok(TcpInfo {
        segment_sent: at(16),
        segment_received: at(20),
        round_trip: at(68),
        cwnd: at(80),
        receiver_round_trip: at(92),
        retransmissions: at(100),
        least_round_trip: at(148),
    })
}

/// Sets the differentiated services code point of a socket's packets.
pub(crate) fn set_dscp(socket: BorrowedFd<'_>, dscp: u8) -> Result<()> {
    set_option(socket, libc::IPPROTO_IP, libc::IP_TOS, &(libc::c_int::from(dscp) << 2))
}

/// Puts this thread to sleep for `time`.
#[expect(clippy::disallowed_types, reason = "the standard library sleeps by its own durations")]
pub(crate) fn sleep(time: Duration) {
    std::thread::sleep(std::time::Duration::from_nanos(time.as_nanos()));
}

/// Index of an interface in the network namespace of this thread.
pub(super) fn interface_index(name: &str) -> Result<u32> {
    let name = text(name)?;
    // SAFETY: the text ends with a zero.
    match unsafe { libc::if_nametoindex(name.as_ptr()) } {
        0 => Err(Error::last_os_error()),
        index => Ok(index),
    }
}

/// Opens a socket for interface ioctls in the network namespace of this thread.
pub(super) fn ioctl_socket() -> Result<OwnedFd> {
    let kind = libc::SOCK_DGRAM | libc::SOCK_CLOEXEC;
    // SAFETY: no pointer is involved.
    owned(unsafe { libc::socket(libc::AF_INET, kind, 0) })
}

/// Disables all offloads of an interface, so that packets are not aggregated and have valid
/// checksums.
pub(super) fn disable_offloads(interface: &str) -> Result<()> {
    let socket = ioctl_socket()?;
    for offload in OFFLOADS {
        let mut value = [offload, 0];
        let mut request = Request::new(interface, value.as_mut_ptr())?;
        // SAFETY: the request points to a command with its value, as `ethtool_value` has it.
        let result =
            unsafe { libc::ioctl(socket.as_raw_fd(), libc::SIOCETHTOOL as _, &raw mut request) };
        let unknown = Error::last_os_error().raw_os_error() == Some(libc::EOPNOTSUPP);
        if result < 0 && !unknown {
            return Err(Error::last_os_error());
        }
    }
    Ok(())
}
