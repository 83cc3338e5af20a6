//! Test fixtures: frames in an 802.11a cell, and parameters of a TCP sender.

use airfair_units::{Bytes, Duration, Time};

use crate::newreno;
use crate::occupancy_meter::{Frame, Kind, Packets, Params};

/// Address of the access point; those of the measuring station and of another station follow.
pub(crate) const AP: u16 = 0;
pub(crate) const ME: u16 = 1;
pub(crate) const OTHER: u16 = 2;

pub(crate) const METER: Params = Params {
    me: ME,
    access_point: AP,
    slot: Duration::from_millis(300),
    sifs: us(16),
    difs: us(34),
    backoff_slot: us(9),
    cw_min: 15,
};

/// Duration of a control frame at 24 Mb/s; 1536 octets of data at 54 Mb/s last 248 µs.
pub(crate) const CONTROL: Duration = us(28);
const DATA: Duration = us(248);

pub(crate) const fn us(us: u64) -> Duration {
    Duration::from_micros(us)
}

pub(crate) fn at_us(micros: u64) -> Time {
    Time::ZERO + us(micros)
}

pub(crate) fn at_ms(ms: u64) -> Time {
    at_us(1_000 * ms)
}

/// A frame that ends at `end` µs. Its duration field is the rest of the exchange.
pub(crate) fn frame(end: u64, to: u16, kind: Kind<'_>) -> Frame<'_> {
    let duration = if matches!(kind, Kind::Data { .. }) { DATA } else { CONTROL };
    let duration_field = match kind {
        // 3 · 16 + 28 + 248 + 28
        Kind::Rts { .. } => 352,
        // 2 · 16 + 248 + 28
        Kind::Cts { .. } => 308,
        // 16 + 28
        Kind::Data { .. } | Kind::BlockAckRequest { .. } => 44,
        Kind::Ack | Kind::BlockAck { .. } | Kind::Beacon | Kind::Foreign => 0,
    };
    Frame { end: at_us(end), duration, duration_field: us(duration_field), to, backoff: None, kind }
}

/// A packet of flow 7 with this payload and 48 octets of headers.
pub(crate) const fn packet(payload: u64) -> Packets {
    let (payload, none) = (Bytes::new(payload), Bytes::ZERO);
    let (msdus, headers) = (Bytes::new(payload.get() + 48), Bytes::new(48));
    Packets {
        flow: 7,
        data: 1,
        answers: 0,
        payload,
        msdus,
        largest: payload,
        headers,
        answer: none,
    }
}

/// A data frame, with a packet of flow 7 if the measuring station sends or receives it.
pub(crate) fn data(end: u64, from: u16, to: u16) -> Frame<'static> {
    const PACKETS: &[Packets] = &[packet(1_460)];
    let packets = if from == ME || to == ME { PACKETS } else { &[] };
    frame(end, to, Kind::Data { from, psdu: Bytes::new(1_536), packets })
}

pub(crate) fn ack(end: u64, to: u16) -> Frame<'static> {
    frame(end, to, Kind::Ack)
}

/// Segment size of the tests [octets], easy to calculate with.
pub(crate) const SEGMENT: Bytes = Bytes::new(1_000);
/// Parameters of Reno with byte counting, whose fast recovery ends with the window at the flight.
pub(crate) const PARAMS: newreno::Params = newreno::Params {
    segment: SEGMENT,
    byte_counting: true,
    deflation: newreno::Deflation::ToFlight,
};
