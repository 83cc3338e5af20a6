//! Packets of a data frame, by flow.

use airfair_units::Bytes;

/// Packets of one flow in a data frame: one packet, or several of an aggregate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Packets {
    /// Number that identifies the flow of the packets.
    pub flow: u16,
    /// Number of packets with data.
    pub data: u32,
    /// Number of packets without data, such as ACKs and reports.
    pub answers: u32,
    /// Total payload of the packets.
    pub payload: Bytes,
    /// Total length of the packets on the air, LLC/SNAP included.
    pub msdus: Bytes,
    /// Largest payload of one of the packets.
    pub largest: Bytes,
    /// Length of the headers of the last packet with data.
    pub headers: Bytes,
    /// Length of the last packet without data.
    pub answer: Bytes,
}

impl Packets {
    /// A single packet of `flow` with this payload and MSDU length.
    #[inline]
    pub fn one(flow: u16, payload: Bytes, msdu: Bytes) -> Self {
        let (has_data, none) = (!payload.is_zero(), Bytes::ZERO);
        Self {
            flow,
            data: u32::from(has_data),
            answers: u32::from(!has_data),
            payload,
            msdus: msdu,
            largest: payload,
            headers: if has_data { msdu - payload } else { none },
            answer: if has_data { none } else { msdu },
        }
    }

    /// Adds a packet to the packets of a frame, which are grouped by flow.
    #[inline]
    pub fn gather(frame: &mut Vec<Self>, packet: Self) {
        match frame.iter_mut().find(|it| it.flow == packet.flow) {
            Some(known) => known.join(packet),
            None => frame.push(packet),
        }
    }

    fn join(&mut self, next: Self) {
        self.data += next.data;
        self.answers += next.answers;
        self.payload += next.payload;
        self.msdus += next.msdus;
        self.largest = self.largest.max(next.largest);
        if next.data > 0 {
            self.headers = next.headers;
        }
        if next.answers > 0 {
            self.answer = next.answer;
        }
    }

    /// Reduces the counts and the payload of the packets to those in `acknowledged`, the packets by flow that a
    /// BlockAck has acknowledged; to zero if this flow has none there. The octets on the air stay.
    pub(super) fn keep(&mut self, acknowledged: &[Self]) {
        let acknowledged = acknowledged.iter().find(|it| it.flow == self.flow);
        (self.data, self.answers, self.payload) =
            acknowledged.map_or((0, 0, Bytes::ZERO), |it| (it.data, it.answers, it.payload));
    }
}
