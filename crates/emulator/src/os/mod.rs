//! The operating system: namespaces, interfaces, waiting.
//!
//! Nothing here has a name in the file system. A namespace lives as long as someone has it open, and so do its
//! interfaces: when the emulation ends, however it ends, the kernel removes them.

mod calls;
mod counters;
pub(crate) mod generic;
mod interface;
mod launch;
pub(crate) mod message;
mod namespace;
mod netlink;
mod poller;

pub use calls::{has_one_thread, isolate};
pub(crate) use counters::{Drops, Losses};
pub use interface::Backend;
pub(crate) use interface::{NotSent, Port};
pub(crate) use launch::start;
pub use launch::{Entrance, enter};
pub(crate) use namespace::Namespace;
pub(crate) use poller::{Bell, Poller};

pub(crate) use calls::{
    TcpInfo, choose_congestion_control, hang_up, mark, monotonic, prefer, read_promptly, sleep,
    tcp_info, write_promptly,
};
