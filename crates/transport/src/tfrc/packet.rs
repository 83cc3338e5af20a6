//! TFRC packets that travel between the endpoints.

use airfair_units::{Bytes, Duration, Time};

/// IPv4 header without options [octets].  [RFC791 §3.1]
const IP_HEADER: u64 = 20;
/// UDP header [octets].  [RFC768]
const UDP_HEADER: u64 = 8;

/// Length of the RTP header with the extension header and the TFRC extension [octets].
pub const DATA_HEADER: usize = 24;
/// Length of a feedback packet [octets].
pub const FEEDBACK: usize = 28;

/// One TFRC data packet. The payload has a length but no content.  [RFC3550 §5.1], [AVT-TFRC §4]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Data {
    /// SSRC: identifier of the sender.
    pub ssrc: u32,
    /// Sequence number of the data packet; wraps.
    pub seq: u16,
    /// RTP timestamp: time at which the application generated the frame, on a clock of 90 kHz; wraps.
    pub media_time: u32,
    /// RTP marker: true for the last packet of a frame.
    pub is_frame_end: bool,
    /// Send time on the sender's clock; wraps after 71 minutes [µs].
    pub sent_at: u32,
    /// The sender's round-trip estimate, 24 bits; 0 while there is none [µs].
    pub rtt: u32,
    /// Length of the application data in the packet [octets].
    pub payload: u32,
}

impl Data {
    /// Size of the IP packet: 20 octets IP, 8 UDP, 24 RTP with its extension, payload [octets].
    pub fn size(&self) -> Bytes {
        let header = Bytes::new(IP_HEADER + UDP_HEADER + DATA_HEADER as u64);
        header + Bytes::new(u64::from(self.payload))
    }
}

/// One report of a TFRC receiver.  [RFC5348 §3.2.2], [AVT-TFRC §5]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Feedback {
    /// SSRC of the receiver that reports.
    pub reporter: u32,
    /// SSRC of the sender whose data the report is about.
    pub ssrc: u32,
    /// `t_recvdata`: [`Data::sent_at`] of the received packet with the highest number [µs].
    pub sent_at: u32,
    /// `t_delay`: time from the arrival of the received packet with the highest number to this report [µs].
    pub delay: u32,
    /// `X_recv`: receive rate that the report contains [octets/s].
    pub receive_rate: u32,
    /// Loss event rate p in units of 2⁻³².
    pub loss_event_rate: u32,
}

impl Feedback {
    /// Size of the IP packet: 20 octets IP, 8 UDP, 28 RTCP [octets].
    pub fn size(&self) -> Bytes {
        Bytes::new(IP_HEADER + UDP_HEADER + FEEDBACK as u64)
    }

    /// Loss event rate p as a fraction.
    pub fn loss_event_fraction(&self) -> f64 {
        f64::from(self.loss_event_rate) / 4_294_967_296.0
    }
}

/// Whole microseconds since the start of the run.
pub(crate) fn micros(time: Time) -> u64 {
    time.as_nanos() / 1_000
}

/// Low 32 bits of `value`, for a header field.
#[expect(clippy::cast_possible_truncation, reason = "the field wraps")]
pub(crate) fn wrapping(value: u64) -> u32 {
    value as u32
}

/// Duration for a field of 32 bits, limited to its largest value [µs].
pub(crate) fn saturating_micros(duration: Duration) -> u32 {
    u32::try_from(duration.as_nanos() / 1_000).unwrap_or(u32::MAX)
}

/// Value for a field of 32 bits: rounded, and limited to its range.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the cast saturates")]
pub(crate) fn saturating_field(value: f64) -> u32 {
    (value + 0.5) as u32
}
