//! The operating system: clock, signals, capabilities, addresses, interfaces, netlink.

mod calls;
mod process;

pub use calls::{
    Guardian, Protocol, addresses, bind_to_interface, catch_signals, drop_capabilities,
    interface_index, interface_indices, is_asked_to_end, monotonic_ns, open_netlink, process_cpu,
    random, wait_for,
};

pub use process::resident_octets;

/// File in which the kernel describes its types.
pub const BTF: &str = "/sys/kernel/btf/vmlinux";
