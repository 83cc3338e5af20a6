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
