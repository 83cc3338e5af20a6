//! Physical layers: rates, PPDU durations and interframe spaces.

pub mod allocation;
mod block;
mod channel;
pub mod dsss;
pub mod error_rate;
mod format;
mod generation;
pub(crate) mod known_survivals;
pub mod mode;
pub mod mode_errors;
pub mod mode_groups;
pub mod modulation;
pub mod multi_user;
pub mod ofdm;
mod parameters;
pub mod ppdu;
mod puncturing;
mod rate;
pub mod rate_name;
mod signal_b;
mod standard;
mod survival;
pub mod symbols;
mod tx_vector;
pub mod ul_length;
mod unit;

pub use block::{Block, NoSuchBlock};
pub use channel::{Band, GuardInterval, UnknownName, Width};
pub use dsss::Preamble;
pub use generation::Generation;
pub use mode::{Mode, PpduKind, Unit};
pub use puncturing::Punctured;
pub use rate::Rate;
pub use standard::{Standard, Timing};
pub use tx_vector::TxVector;
