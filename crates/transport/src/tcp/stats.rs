//! Counters of the TCP endpoints.

use airfair_units::Bytes;

/// Counters of a TCP sender since its creation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SenderStats {
    /// Number of segments with payload sent, retransmissions included.
    pub segments_sent: u64,
    /// Number of segments sent whose payload, or a part of it, had been sent before.
    pub retransmissions: u64,
    /// Octets of payload sent, retransmissions included.
    pub bytes_sent: Bytes,
    /// Octets of payload acknowledged.
    pub bytes_acked: Bytes,
    /// Number of expiries of the retransmission timer, including those for SYN and FIN.
    pub timeouts: u64,
    /// Number of tail loss probes sent.  [RFC8985 §7]
    pub tail_probes: u64,
    /// Number of entries into fast recovery.
    pub fast_retransmits: u64,
    /// ACKs that counted as duplicates.  [RFC5681 §2], [RFC6675 §2]
    pub duplicate_acks: u64,
    /// ACKs that report a duplicate segment: a retransmission was needless, or the network duplicated it.
    /// [RFC2883 §4]
    pub duplicate_sacks: u64,
    /// Number of round-trip samples taken.
    pub rtt_samples: u64,
    /// Marked packets that the receiver has reported by accurate ECN, as the sender counts them.  [RFC9768 §3.2.2]
    pub marks_reported: u64,
    /// Window reductions that answered marks.  [RFC3168 §6.1.2]
    pub marks_answered: u64,
    /// Segments that the sender's own host refused. Refused new data does not count as sent.
    pub refusals: u64,
}

/// Counters of a TCP receiver since its creation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ReceiverStats {
    /// Segments with payload received, including duplicates and segments out of order, beyond the window or
    /// below the highest octet.
    pub segments_received: u64,
    /// Number of segments received without any new octet.
    pub duplicates: u64,
    /// Number of segments received with new data beyond a gap.
    pub out_of_order: u64,
    /// Number of segments dropped because they exceed the receive buffer.
    pub beyond_window: u64,
    /// Segments that began below the highest octet received. If the network does not reorder, these are
    /// retransmissions.
    pub below_highest: u64,
    /// Segments with payload received that a queue had marked.
    pub marked: u64,
    /// Number of ACKs and SYN-ACKs sent.
    pub acks_sent: u64,
}
