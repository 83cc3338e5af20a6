//! Counters of the QUIC endpoints.

use airfair_units::Bytes;

/// Counters of a QUIC sender since its creation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SenderStats {
    /// Number of packets sent.
    pub packets_sent: u64,
    /// Number of packets sent with data that had been sent before.
    pub retransmissions: u64,
    /// Application octets sent, repetitions included.
    pub bytes_sent: Bytes,
    /// Application octets acknowledged, each counted once.
    pub bytes_acked: Bytes,
    /// Number of packets that counted as lost.
    pub packets_lost: u64,
    /// Number of recovery periods.  [RFC9002 §7.3.2]
    pub recoveries: u64,
    /// Recovery periods that marks began.  [RFC9002 §7.1]
    pub marks_answered: u64,
    /// Number of expiries of the probe time-out.  [RFC9002 §6.2]
    pub timeouts: u64,
    /// Number of times that persistent congestion was established.  [RFC9002 §7.6]
    pub persistent_congestions: u64,
    /// Number of round-trip samples taken.
    pub rtt_samples: u64,
}

/// Counters of a QUIC receiver since its creation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ReceiverStats {
    /// Number of packets received, duplicates included.
    pub packets_received: u64,
    /// Number of packets that were discarded, because they had arrived before or might have.  [RFC9000 §12.3]
    pub duplicates: u64,
    /// Number of packets with data below the highest octet received. If the network does not reorder, these are
    /// repetitions.
    pub below_highest: u64,
    /// Number of packets received with a mark, duplicates left out.
    pub marked: u64,
    /// Number of packets with ACK frames sent.
    pub acks_sent: u64,
}
