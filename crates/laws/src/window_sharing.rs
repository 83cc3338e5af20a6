//! Advertised windows that share an access point's buffer among all connections.
//!
//! Source: [pilosof-2003 §V]. The base station writes into each ACK that it forwards a window of ⌊B / n⌋
//! packets, for a buffer of `B` packets and `n` connections in both directions. The buffer then never
//! overflows, and all connections have the same window. The window depends on the current observation only,
//! so there is neither state nor `step`.

use airfair_units::Bytes;

/// Observation of an access point that shares its buffer among connections.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Observation {
    /// Capacity of the access point's buffer [packets].
    pub buffer: u32,
    /// Number of connections through the access point.
    pub flows: u32,
    /// Segment size of the connection whose window is set.
    pub segment: Bytes,
}

/// Largest window that an ACK of the connection may advertise, one segment at least.  [pilosof-2003 §V]
pub fn window(seen: &Observation) -> Bytes {
    let packets = seen.buffer / seen.flows.max(1);
    seen.segment * u64::from(packets.max(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The window is the connection's part of the buffer in whole segments: ⌊100 / 8⌋ = 12 of 1448 octets.
    ///
    /// Verifies: [pilosof-2003 §V]
    #[test]
    fn a_buffer_is_shared_between_all_connections() {
        let seen = Observation { buffer: 100, flows: 8, segment: Bytes::new(1_448) };
        assert_eq!(window(&seen), Bytes::new(12 * 1_448));
    }

    #[test]
    fn a_connection_always_has_one_segment() {
        let seen = Observation { buffer: 10, flows: 11, segment: Bytes::new(1_448) };
        assert_eq!(window(&seen), Bytes::new(1_448));
        assert_eq!(window(&Observation { flows: 0, ..seen }), Bytes::new(14_480));
    }
}
