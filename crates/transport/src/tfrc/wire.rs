//! Encoding of the TFRC packets for real sockets.  [RFC3550], [RFC4585], [RFC8285], [AVT-TFRC]
//!
//! ```text
//! data      V=2 P=0 X=1 CC=0 │ M PT=96 │ sequence number │ RTP timestamp │ SSRC
//!           0xBEDE │ length 2 │ ID=1 len=6 │ RTT (24 bits) │ send timestamp (32 bits) │ payload …
//! feedback  V=2 P=0 FMT=2 │ PT=205 │ length 6 │ SSRC of reporter │ SSRC of sender
//!           send timestamp │ delay │ receive rate │ loss event rate          (32 bits each)
//! ```
//!
//! The header extension has eight octets: its ID and length, and seven of data. Feedback is sent alone,
//! without the report and the name that begin a compound packet: reduced-size RTCP  [RFC5506 §3]. It may use
//! the port of the data, because the packet types differ  [RFC5761 §4].

use super::packet::{Data, Feedback};

pub use super::packet::{DATA_HEADER, FEEDBACK};

/// Version of RTP and RTCP, in the first two bits.  [RFC3550 §5.1]
const VERSION: u8 = 2;
/// Dynamic payload type of the data.  [RFC3551 §6]
const PAYLOAD_TYPE: u8 = 96;
/// RTCP packet type of transport layer feedback, RTPFB.  [RFC4585 §6.1]
const RTPFB: u8 = 205;
/// Feedback message type of TFRC.  [AVT-TFRC §5]
const TFRC_FORMAT: u8 = 2;
/// Number of 32-bit words in a feedback packet after the first.
const FEEDBACK_WORDS: u16 = 6;
/// Marker of "one-byte header" extensions.  [RFC8285 §4.2]
const ONE_BYTE_EXTENSIONS: u16 = 0xBEDE;
/// Length of the RTP header extensions [words of 32 bits].
const EXTENSION_WORDS: u16 = 2;
/// First octet of the TFRC extension: ID 1, and a length of 7 octets of data, encoded as 6.  [RFC8285 §4.2]
const EXTENSION: u8 = 0x16;
/// Largest round trip that the extension can express [µs].
pub(crate) const MAX_RTT: u32 = (1 << 24) - 1;

/// TFRC packet that a datagram contains.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Packet {
    /// A TFRC data packet; its payload begins at [`DATA_HEADER`] in the datagram.
    Data(Data),
    /// A feedback packet: a receiver's report.
    Feedback(Feedback),
}

/// Reason why a datagram is not a TFRC packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DecodeError {
    /// The datagram is shorter than its headers.
    Truncated,
    /// The RTP version is not 2.
    WrongVersion,
    /// The packet type is neither data (96) nor transport layer feedback (205).
    UnknownType,
    /// The transport layer feedback is of another format than TFRC's.
    UnknownFormat,
    /// The packet has padding, CSRCs, no extension or another one: legal RTP that this profile does not use.
    Unsupported,
    /// A length field does not match the datagram.
    WrongLength,
}

impl std::fmt::Display for DecodeError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Truncated => "the datagram is shorter than its headers",
            Self::WrongVersion => "not RTP version 2",
            Self::UnknownType => "neither TFRC data (payload type 96) nor transport feedback (205)",
            Self::UnknownFormat => "transport feedback of another format than TFRC's (2)",
            Self::Unsupported => "RTP with padding, CSRCs or another header extension",
            Self::WrongLength => "the length field differs from the datagram's length",
        })
    }
}

impl std::error::Error for DecodeError {}

/// Encodes the headers of a data packet; the payload follows them.
pub fn encode_data(data: &Data) -> [u8; DATA_HEADER] {
    let mut octets = [0; DATA_HEADER];
    octets[0] = VERSION << 6 | 1 << 4;
    octets[1] = u8::from(data.is_frame_end) << 7 | PAYLOAD_TYPE;
    octets[2..4].copy_from_slice(&data.seq.to_be_bytes());
    octets[4..8].copy_from_slice(&data.media_time.to_be_bytes());
    octets[8..12].copy_from_slice(&data.ssrc.to_be_bytes());
    octets[12..14].copy_from_slice(&ONE_BYTE_EXTENSIONS.to_be_bytes());
    octets[14..16].copy_from_slice(&EXTENSION_WORDS.to_be_bytes());
    // The ID shares a word with the round trip, which has 24 bits.
    let rtt = u32::from(EXTENSION) << 24 | data.rtt.min(MAX_RTT);
    octets[16..20].copy_from_slice(&rtt.to_be_bytes());
    octets[20..24].copy_from_slice(&data.sent_at.to_be_bytes());
    octets
}

/// Encodes a feedback packet.
pub fn encode_feedback(feedback: &Feedback) -> [u8; FEEDBACK] {
    let mut octets = [0; FEEDBACK];
    octets[0] = VERSION << 6 | TFRC_FORMAT;
    octets[1] = RTPFB;
    octets[2..4].copy_from_slice(&FEEDBACK_WORDS.to_be_bytes());
    let words = [
        feedback.reporter,
        feedback.ssrc,
        feedback.sent_at,
        feedback.delay,
        feedback.receive_rate,
        feedback.loss_event_rate,
    ];
    for (place, word) in octets[4..].chunks_exact_mut(4).zip(words) {
        place.copy_from_slice(&word.to_be_bytes());
    }
    octets
}

/// Decodes the packet in a datagram.
///
/// # Errors
///
/// Returns an error if the octets are not what [`encode_data`] with a payload, or [`encode_feedback`], can
/// produce.
pub fn decode(octets: &[u8]) -> Result<Packet, DecodeError> {
    let [first, second, ..] = *octets else { return Err(DecodeError::Truncated) };
    if first >> 6 != VERSION {
        return Err(DecodeError::WrongVersion);
    }
    if second == RTPFB {
        decode_feedback(octets).map(Packet::Feedback)
    } else if second & 0x7f == PAYLOAD_TYPE {
        decode_data(octets).map(Packet::Data)
    } else {
        Err(DecodeError::UnknownType)
    }
}

fn decode_data(octets: &[u8]) -> Result<Data, DecodeError> {
    // Padding bit, extension bit, number of CSRCs.
    if octets[0] & 0x3f != 0x10 {
        return Err(DecodeError::Unsupported);
    }
    let header = octets.first_chunk::<DATA_HEADER>().ok_or(DecodeError::Truncated)?;
    let half = |at: usize| u16::from_be_bytes([header[at], header[at + 1]]);
    let is_ours = (half(12), header[16]) == (ONE_BYTE_EXTENSIONS, EXTENSION);
    if !is_ours {
        return Err(DecodeError::Unsupported);
    }
    if half(14) != EXTENSION_WORDS {
        return Err(DecodeError::WrongLength);
    }
    let payload = octets.len() - DATA_HEADER;
    Ok(Data {
        ssrc: word(header, 8),
        seq: half(2),
        media_time: word(header, 4),
        is_frame_end: header[1] & 0x80 != 0,
        sent_at: word(header, 20),
        rtt: word(header, 16) & MAX_RTT,
        payload: u32::try_from(payload).map_err(|_| DecodeError::WrongLength)?,
    })
}

fn decode_feedback(octets: &[u8]) -> Result<Feedback, DecodeError> {
    if octets[0] & 0x20 != 0 {
        return Err(DecodeError::Unsupported);
    }
    if octets[0] & 0x1f != TFRC_FORMAT {
        return Err(DecodeError::UnknownFormat);
    }
    let packet = octets.first_chunk::<FEEDBACK>().ok_or(DecodeError::Truncated)?;
    if octets.len() != FEEDBACK || packet[2..4] != FEEDBACK_WORDS.to_be_bytes() {
        return Err(DecodeError::WrongLength);
    }
    Ok(Feedback {
        reporter: word(packet, 4),
        ssrc: word(packet, 8),
        sent_at: word(packet, 12),
        delay: word(packet, 16),
        receive_rate: word(packet, 20),
        loss_event_rate: word(packet, 24),
    })
}

/// The big-endian number in the four octets from offset `at` on.
fn word(octets: &[u8], at: usize) -> u32 {
    u32::from_be_bytes([octets[at], octets[at + 1], octets[at + 2], octets[at + 3]])
}

#[cfg(test)]
mod tests;
