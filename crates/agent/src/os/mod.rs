//! The operating system: clock, signals, capabilities, addresses, generic netlink.

mod calls;

pub use calls::{
    GenericNetlink, addresses, catch_signals, drop_capabilities, is_asked_to_end, monotonic_ns,
    wait_for,
};
