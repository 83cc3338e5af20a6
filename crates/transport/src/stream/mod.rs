//! Data of a sender and of a receiver, as far as TCP and QUIC share it: the application that writes it, and the octets
//! that have arrived.

pub(crate) mod ranges;
pub(crate) mod reassembly;
pub(crate) mod source;
mod transfer;

pub use source::{Completed, Object, Source, Video};
pub use transfer::Transfer;
