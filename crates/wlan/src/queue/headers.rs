//! Headers of a packet, as a classifier reads them.

use crate::edca::AccessCategory;

/// The headers of a packet, as far as queues care. Unless told otherwise all packets are data of one flow.
pub trait Headers {
    /// Number of the connection and direction, as the five-tuple tells them apart.
    fn flow(&self) -> u64 {
        0
    }

    /// Data or a pure ACK.
    fn class(&self) -> Class {
        Class::Data
    }

    /// Access category that its priority gives it.  [80211-2020 §10.2.3.2]
    fn category(&self) -> AccessCategory {
        AccessCategory::default()
    }
}

/// Meaning of a packet to its connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// It carries data, opens or ends a connection, or is not TCP's.
    Data,
    /// A TCP segment that only acknowledges.
    PureAck {
        /// Acknowledgment number.
        number: u64,
        /// True if it has SACK blocks, which an ACK filter must not lose.
        is_selective: bool,
    },
}

impl Headers for () {}
impl Headers for u32 {}
