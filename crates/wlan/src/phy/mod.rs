//! The physical layers: which rates exist, how long a PPDU lasts, how long the gaps are.

pub mod dsss;
pub mod error_rate;
pub mod ofdm;
mod standard;
mod tx_vector;

pub use standard::{Preamble, Standard, Timing};
pub use tx_vector::TxVector;
