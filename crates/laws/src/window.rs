//! Observation of the window laws that measure the path, and functions that these laws share.
//!
//! [`crate::newreno`] needs the event only. The laws that measure the path also need the time, the round trip
//! and the progress of the data. Each of them is
//! `step(&Params, State, &Observation) -> (State, WindowState)`: its own new state, and the window to use.

use airfair_units::{Bytes, Duration, Time};

use crate::newreno;

/// Congestion window and slow start threshold.
pub type WindowState = newreno::State;

/// Measurements of the path that a TCP sender has at an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Path {
    /// Time of the event at the sender.
    pub now: Time,
    /// Round-trip sample of the ACK that is the event, if it gave one.
    pub round_trip: Option<Duration>,
    /// SRTT; `None` before the first sample.  [RFC6298 §2]
    pub smoothed_round_trip: Option<Duration>,
    /// SND.UNA after this event: first octet not acknowledged.
    pub unacknowledged: u64,
    /// SND.NXT: next octet to send.
    pub next: u64,
}

/// Observation of a window law: an event, the window before it, and the path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Observation {
    /// Congestion window and slow start threshold before the event.
    pub window: WindowState,
    /// The event and its data, as for NewReno.
    pub seen: newreno::Observation,
    /// Measurements of the path at the event.
    pub path: Path,
}

/// The smaller one of `so_far` and `sample`.
pub(crate) fn lowest(so_far: Option<Duration>, sample: Option<Duration>) -> Option<Duration> {
    match (so_far, sample) {
        (Some(one), Some(other)) => Some(one.min(other)),
        (one, other) => one.or(other),
    }
}

/// `amount` in octets as a floating-point number.
#[expect(clippy::cast_precision_loss, reason = "windows are far below 2^53 octets")]
pub(crate) fn octets(amount: Bytes) -> f64 {
    amount.get() as f64
}

/// Whole octets of a non-negative number, rounded down.
#[expect(clippy::cast_possible_truncation, reason = "a window law stays far below 2^63 octets")]
#[expect(clippy::cast_sign_loss, reason = "never negative; if it were, the cast would give 0")]
pub(crate) fn whole_octets(amount: f64) -> Bytes {
    Bytes::new(amount as u64)
}
