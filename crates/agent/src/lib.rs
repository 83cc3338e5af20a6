//! The agent: the papers' laws on real Linux stations and access points.
//!
//! ```text
//!   nl80211 ───────┐                                            ┌─► senders' windows (BPF)
//!   emulator ──────┼─► Sample ─► Estimator ─► Law ─► Decision ──┼─► windows in forwarded ACKs (BPF)
//!   recording ─────┘    ▲  └───────────► recording ◄─────┘      └─► words, with --dry-run
//!   forwarded packets ──┘
//! ```
//!
//! All from the sample to the decision is pure: time comes in with the sample, so that a recording has the same
//! decisions again. What acts on the kernel is behind the feature `bpf`, and it lets go by itself: see [`actuator`].
//!
//! A decision is a ratio k for all connections of a link. What k does to a window depends on the window at that moment,
//! which only the kernel knows; so the step is there a second time, in C (`bpf/law.h`), and a test compares both.
//!
//! - **Windows of senders.** A BPF iterator gives the sockets of the link the congestion control `airfair`; another one
//!   gives back what they had, which is kept in the socket's private area. At the highest rate no socket has anything of
//!   the agent's.
//! - **Signs of life.** Orders hold for 800 ms from the last sign of life. The loop that takes samples gives the signs,
//!   so an agent that hangs counts as dead.
//! - **Windows in forwarded ACKs.** Filters count what passes by connection, and the loop puts their counters into the
//!   sample before the law sees it. Packets of one end alone write its counters, so there is no lock. Filters outlive
//!   their agent; they are found again by priority and program name, and the time in their map disarms them.
//! - **DATA and ACKs apart** are classes of HTB, made by rtnetlink: with `NoNewPrivileges` the agent could pass no
//!   capability to `tc`. Out of date, their classifier names no class, and HTB sends such packets at once.
//! - **Clamps and airtime weights** have no time of their own, so a guardian process takes them away when the agent ends
//!   or is silent for 800 ms.
//! - **Grants** between agents are questions and answers over UDP ([`grants`]). The laws at both ends see them in the
//!   sample alone, so a recording has them beside the decisions.
//!
//! BPF needs clang, libelf and zlib, so it is behind a feature: `make build` and `make test` do without. libbpf is the
//! only loader that knows `struct_ops`. The kernel's types are the few fields that are read (`bpf/kernel.h`), which
//! libbpf relocates by name.
#![cfg(target_os = "linux")]

pub mod access_point;
pub mod actuator;
pub mod airtime_weights;
pub mod arf_window;
pub mod commands;
pub mod configuration;
pub mod connections;
pub mod data_ack;
pub mod decision;
pub mod estimate;
pub mod grants;
pub mod help;
pub mod keeping;
pub mod law;
mod netlink;
pub mod observe;
pub mod os;
pub mod output;
pub mod recording;
pub mod running;
pub mod sample;
pub mod shared_windows;
pub mod shares;
pub mod source;
pub mod station;
pub mod status;
pub mod tidings;
