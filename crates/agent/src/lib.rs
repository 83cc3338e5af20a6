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
pub mod journal;
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
