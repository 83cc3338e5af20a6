//! Physical layers: rates, PPDU durations and interframe spaces.

mod channel;
pub mod dsss;
pub mod error_rate;
pub(crate) mod known_survivals;
pub mod mode;
pub mod mode_errors;
pub mod mode_groups;
pub mod modulation;
pub mod ofdm;
pub mod ppdu;
mod rate;
pub mod rate_name;
mod standard;
pub mod symbols;
mod tx_vector;

pub use channel::{Band, GuardInterval, UnknownName, Width};
pub use mode::Mode;
pub use rate::Rate;
pub use standard::{Generation, Preamble, Standard, Timing};
pub use tx_vector::TxVector;
