//! Agent: applies the papers' control laws on real Linux stations and access points.
//!
//! ```text
//!   nl80211 ───────┐                                            ┌─► senders' windows (BPF)
//!   emulator ──────┼─► Sample ─► Estimator ─► Law ─► Decision ──┼─► windows in forwarded ACKs (BPF)
//!   recording ─────┘    ▲  └───────────► recording ◄─────┘      └─► words, with --dry-run
//!   forwarded packets ──┘
//! ```
//!
//! Everything from the sample to the decision is pure. Samples carry their time, so a recording
//! yields the same decisions when it is replayed. Code that acts on the kernel needs the feature
//! `bpf`; its settings lapse by themselves when the agent dies: see [`actuator`].
//!
//! A decision is a ratio k for all connections of a link. The effect of k on a window depends on
//! the present window, which only the kernel knows. So this step also exists in C (`bpf/law.h`),
//! and a test compares both versions.
//!
//! - **Windows of senders.** A BPF iterator sets the congestion control `airfair` on the sockets of
//!   the link. Another iterator restores their former algorithm, whose name is kept in the socket's
//!   private area. At the highest rate the agent sets nothing on a socket.
//! - **Signs of life.** Settings in the kernel are valid for 800 ms after the agent's last sign of
//!   life. The loop that takes samples gives the signs, so an agent that hangs counts as dead.
//! - **Windows in forwarded ACKs.** Filters count packets by connection, and the loop adds their
//!   counters to the sample before the law reads it. Only packets of one end write a counter, so no
//!   lock is needed. Filters outlive their agent. The next agent finds them by priority and program
//!   name; until then they do nothing, since the time in their map has run out.
//! - **Separate queues for DATA and ACKs** are HTB classes, made over rtnetlink: with
//!   `NoNewPrivileges` the agent could not pass capabilities to `tc`. When the last sign of life is
//!   too old, the classifier returns no class, and HTB sends the packets at once.
//! - **Clamps and airtime weights** cannot expire by themselves. A guardian process removes them
//!   when the agent ends, or gives no sign of life for 800 ms.
//! - **Grants** between agents are requests and responses over UDP ([`grants`]). The laws at both
//!   ends read them only from the sample, so a recording contains them.
//!
//! BPF needs clang, libelf and zlib, so it is behind a feature: `make build` and `make test` work
//! without them. libbpf is used because it is the only loader that supports `struct_ops`. Of the
//! kernel's types, `bpf/kernel.h` declares only the fields that the programs read; libbpf relocates
//! them by name.
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
pub mod doctor;
pub mod estimate;
pub mod fair;
pub mod grants;
pub mod help;
pub mod journal;
pub mod keeping;
pub mod law;
pub mod metrics;
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
pub mod totals;
