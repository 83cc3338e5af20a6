//! Uplink-downlink separation: how often an access point serves TCP data and how often TCP ACKs.
//!
//! Source: [updown-fairness §IV]. A receiver on the wire acknowledges every second segment, so one ACK
//! lets a station send two segments: with two data packets served for one ACK, uplink and downlink are
//! equal. The paper's weights are fixed at 2:1, whatever the number of connections; it leaves to future
//! work the scheduler that counts them, which is this law. With `d` connections down and `u` up, and
//! `b` segments per ACK, each connection has the same share where
//!
//! ```text
//!   data : ACKs = d : u / b
//! ```
//!
//! `b` is measured: where ACKs are lost in a full queue, the next one lets more segments through.

/// What the access point's owner chooses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Params {
    /// Segments that an ACK lets through before any has been seen.  [RFC5681 §4.2]
    pub segments_per_ack: u32,
    /// Weight of a new measurement is 1 to this many.
    pub memory: u32,
}

impl Default for Params {
    fn default() -> Self {
        Self { segments_per_ack: 2, memory: 8 }
    }
}

/// What must survive between steps.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct State {
    /// Segments per ACK, smoothed, in units of 1/[`SCALE`]; `None` before the first measurement.
    ratio: Option<u32>,
}

/// Fixed-point one of a ratio.
const SCALE: u32 = 16;
/// More segments per ACK than this are not believed.
const MAX_RATIO: u32 = 64 * SCALE;

/// What an access point sees in the packets that it forwards.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Observation {
    /// Connections that send data down through it.
    pub down: u32,
    /// Connections that send data up through it.
    pub up: u32,
    /// Data segments that came from stations since the last step.
    pub segments: u32,
    /// Pure ACKs that it sent to stations since the last step.
    pub acks: u32,
}

/// Packets of each queue in a round.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Action {
    /// Data.
    pub data: u32,
    /// Pure ACKs.
    pub ack: u32,
}

/// One measurement period.
pub fn step(params: &Params, state: State, seen: &Observation) -> (State, Action) {
    let ratio = match (state.ratio, measured(seen)) {
        (Some(old), Some(new)) => {
            let memory = params.memory.max(1);
            Some((old * (memory - 1) + new).div_ceil(memory))
        }
        (old, new) => old.or(new.map(|_| params.segments_per_ack * SCALE)),
    };
    let segments = ratio.unwrap_or(params.segments_per_ack * SCALE);
    let data = segments.saturating_mul(seen.down.max(1));
    let ack = SCALE.saturating_mul(seen.up.max(1));
    let common = greatest_common_divisor(data, ack);
    (State { ratio }, Action { data: data / common, ack: ack / common })
}

/// Segments per ACK in this period, in units of 1/[`SCALE`].
fn measured(seen: &Observation) -> Option<u32> {
    let ratio = seen.segments.saturating_mul(SCALE).checked_div(seen.acks)?;
    Some(ratio.clamp(SCALE, MAX_RATIO))
}

fn greatest_common_divisor(a: u32, b: u32) -> u32 {
    if b == 0 { a } else { greatest_common_divisor(b, a % b) }
}
