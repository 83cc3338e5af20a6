//! Headers of a packet, as a classifier reads them.

use crate::edca::AccessCategory;

/// Headers of a packet, as far as transmit queues use them. By default all packets are data of one flow.
pub trait Headers {
    /// Number that identifies the packet's connection and direction, like its five-tuple.
    fn flow(&self) -> u64 {
        0
    }

    /// Class of the packet within its connection: data or a pure ACK.
    fn class(&self) -> Class {
        Class::Data
    }

    /// Marks the packet as congested. Returns false if its transport does not answer marks, so that the packet must
    /// be dropped instead.  [RFC3168 §5]
    fn mark(&mut self) -> bool {
        false
    }

    /// True if the packet belongs into a queue of low latency: its ECN field has ECT(1) or CE.  [RFC9331 §5.1]
    fn is_low_latency(&self) -> bool {
        false
    }

    /// Access category to which the packet's priority belongs.  [80211-2020 §10.2.3.2]
    fn category(&self) -> AccessCategory {
        AccessCategory::default()
    }
}

/// Class of a packet within its connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// Everything but pure ACKs: a packet that carries data, opens or closes a connection, or is not TCP.
    Data,
    /// A TCP segment that only acknowledges.
    PureAck {
        /// Acknowledgment number.
        number: u64,
        /// True if the segment has SACK blocks, or reports marks. An ACK filter must keep it.
        is_selective: bool,
    },
}

impl Headers for () {}
impl Headers for u32 {}
