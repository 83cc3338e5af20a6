//! Packets of a data frame, by flow.

use airfair_units::Bytes;

/// Packets of one flow in a data frame: one, or several of an aggregate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Packets {
    /// The flow.
    pub flow: u16,
    /// Those with data.
    pub data: u32,
    /// Those without: ACKs, reports.
    pub answers: u32,
    /// Application octets.
    pub payload: Bytes,
    /// Octets with all headers, LLC/SNAP included.
    pub msdus: Bytes,
    /// The most application octets of one of them.
    pub largest: Bytes,
    /// Headers before the data, of the last one with data.
    pub headers: Bytes,
    /// Length of the last one without data.
    pub answer: Bytes,
}

impl Packets {
    /// A packet alone, with so many application octets, as long as `msdu`.
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

    /// Puts a packet behind those of a frame.
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

    /// Keeps the octets on the air, and of what they were only what has come.
    pub(super) fn keep(&mut self, come: &[Self]) {
        let come = come.iter().find(|it| it.flow == self.flow);
        (self.data, self.answers, self.payload) =
            come.map_or((0, 0, Bytes::ZERO), |it| (it.data, it.answers, it.payload));
    }
}
