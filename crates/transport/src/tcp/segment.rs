//! What travels between the endpoints.

use airfair_units::Bytes;

/// Sequence number of the first octet of data; the SYN is number 0.
pub(crate) const FIRST_OCTET: u64 = 1;

/// IPv4 header without options [octets].  [RFC791 §3.1]
const IP_HEADER: u64 = 20;
/// TCP header without options [octets].  [RFC9293 §3.1]
const TCP_HEADER: u64 = 20;

/// Control bits.  [RFC9293 §3.1]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Flags {
    /// First segment of its sender.
    pub syn: bool,
    /// The acknowledgment field is valid: in all segments but a first SYN.
    pub ack: bool,
    /// Last segment of its sender.
    pub fin: bool,
}

impl Flags {
    /// First segment of a connection.
    pub const SYN: Self = Self { syn: true, ack: false, fin: false };
    /// Answer to a SYN.
    pub const SYN_ACK: Self = Self { syn: true, ack: true, fin: false };
    /// Any segment in the middle.
    pub const ACK: Self = Self { syn: false, ack: true, fin: false };
    /// Last segment of the sender of data.
    pub const FIN_ACK: Self = Self { syn: false, ack: true, fin: true };
}

/// One TCP segment, its payload virtual.  [RFC9293 §3.1]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Segment {
    /// Number of the first octet, unwrapped: an offset from the initial sequence number [octets].
    pub seq: u64,
    /// Number of the octet expected next, unwrapped; valid with the ACK bit [octets].
    pub ack: u64,
    /// Receive window, window scaling undone [octets].
    pub window: u64,
    /// Application data [octets].
    pub payload: u32,
    /// Control bits.
    pub flags: Flags,
    /// TCP options, a multiple of four [octets].
    pub options: u8,
}

impl Segment {
    /// Size of the IP packet: 20 octets IP, 20 octets TCP, options, payload [octets].  [RFC9293 §3.1]
    pub fn size(&self) -> Bytes {
        Bytes::new(IP_HEADER + TCP_HEADER + u64::from(self.options) + u64::from(self.payload))
    }

    /// Number after the last octet of data [octets].
    pub(crate) fn payload_end(&self) -> u64 {
        self.seq + u64::from(self.payload)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Verifies: [RFC9293 §3.1]
    #[test]
    fn a_packet_is_headers_options_and_payload() {
        let segment = Segment {
            seq: 1,
            ack: 1,
            window: 65_535,
            payload: 1_460,
            flags: Flags::ACK,
            options: 0,
        };
        // 20 + 20 + 1460 = 1500; a SYN with MSS and window scale: 20 + 20 + 8 = 48
        assert_eq!(segment.size(), Bytes::new(1_500));
        let syn = Segment { payload: 0, options: 8, flags: Flags::SYN, ..segment };
        assert_eq!(syn.size(), Bytes::new(48));
    }

    #[test]
    fn a_segment_is_small_enough_to_copy() {
        assert!(size_of::<Segment>() <= 40);
    }
}
