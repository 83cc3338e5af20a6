//! The operating system: namespaces, interfaces, sockets, polling.
//!
//! Nothing here has a name in the file system. A namespace and its interfaces exist as long as a
//! process has the namespace open. So the kernel removes them when the emulator ends, even after a
//! crash.

mod calls;
mod counters;
pub(crate) mod generic;
mod interface;
mod launch;
mod losses;
mod namespace;
mod netlink;
mod poller;
mod signals;

pub use calls::{has_one_thread, isolate};
pub use interface::Backend;
pub(crate) use interface::{NotSent, Port};
pub(crate) use launch::start;
pub use launch::{Entrance, enter};
pub(crate) use losses::{Drops, Losses};
pub(crate) use namespace::Namespace;
pub use namespace::permits_congestion_control;
pub(crate) use poller::{Bell, Poller};
pub use signals::Signals;

pub(crate) use calls::{
    TcpInfo, begin_connecting, monotonic, set_congestion_control, set_dscp, set_realtime,
    set_receive_timeout, set_send_timeout, sleep, stop_listening, tcp_info, tcp_socket,
    wait_writable,
};
