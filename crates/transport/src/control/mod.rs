//! Control of what a sender has in the network, as far as TCP and QUIC share it: the congestion window under any
//! law, the model of BBR with its samples, pacing, and the smoothed round trip.
//!
//! ```text
//!  tcp::Sender ──┐                ┌─ Start, Model ──► airfair_laws
//!                ├──► Congestion ─┤
//!  quic::Sender ─┘                └─ window laws ───► airfair_laws
//! ```
//!
//! Each protocol detects its losses by rules of its own, and reports them here as events.

pub(crate) mod config;
pub(crate) mod congestion;
pub(crate) mod delivery;
pub(crate) mod events;
pub(crate) mod flavour;
mod model;
pub(crate) mod pacing;
pub(crate) mod round_trip;
mod start;

pub use config::{Arithmetic, SlowStart};
pub use events::SenderEvent;
pub use flavour::Flavour;
