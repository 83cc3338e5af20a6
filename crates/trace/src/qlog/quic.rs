//! Frames of QUIC packets, as members of an event's data.

use std::fmt::Write as _;

use airfair_transport::quic::{Ack, Data, EcnCounts};

use super::lines::{Version, milliseconds};

/// Frame of a packet of the sender: data of stream 0, or a PING.
pub(super) fn of_data(data: &Data, version: Version) -> String {
    let frame = match (data.payload, version) {
        (0, _) if data.offset > 0 => format!("\"data_blocked\",\"limit\":{}", data.offset),
        (0, _) => "\"ping\"".to_owned(),
        (payload, Version::Draft) => format!(
            "\"stream\",\"stream_id\":0,\"offset\":{},\"raw\":{{\"payload_length\":{payload}}}",
            data.offset
        ),
        (payload, Version::V03) => {
            format!("\"stream\",\"stream_id\":0,\"offset\":{},\"length\":{payload}", data.offset)
        }
    };
    format!(",\"frames\":[{{\"frame_type\":{frame}}}]")
}

/// Frames of a packet of the receiver: the acknowledged packets, and the limit of the data.
pub(super) fn of_ack(ack: &Ack, version: Version) -> String {
    let mut ranges = String::new();
    for (first, last) in ack.ranges() {
        let comma = if ranges.is_empty() { "" } else { "," };
        let _ = match version {
            Version::Draft if first == last => write!(ranges, "{comma}[{first}]"),
            _ => write!(ranges, "{comma}[{first},{last}]"),
        };
    }
    let delay = milliseconds(ack.delay().as_nanos());
    let marks = match ack.marks {
        counts if counts.all() == 0 => String::new(),
        EcnCounts { ect, ce } => format!(",\"ect1\":0,\"ect0\":{ect},\"ce\":{ce}"),
    };
    let credit = match ack.max_data {
        0 => String::new(),
        limit => format!(",{{\"frame_type\":\"max_data\",\"maximum\":{limit}}}"),
    };
    format!(
        ",\"frames\":[{{\"frame_type\":\"ack\",\"ack_delay\":{delay},\"acked_ranges\":[{ranges}]{marks}}}{credit}]"
    )
}
