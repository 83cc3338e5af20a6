//! Observation of the window laws beyond NewReno, and the numbers that they share.
//!
//! [`crate::newreno`] needs the event alone. The laws that measure the path are told the time,
//! the round trip and how far the data has come as well. Each of them is
//! `step(&Params, State, &Observation) -> (State, Window)`: its own memory, and the window to use.

use airfair_units::{Bytes, Duration, Time};

use crate::newreno;

/// Congestion window and threshold.
pub type Window = newreno::State;

/// Knowledge of a sender about the path at an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Path {
    /// Now.
    pub now: Time,
    /// Round trip that this ACK has measured, if any.
    pub round_trip: Option<Duration>,
    /// SRTT, once there is one.  [RFC6298 §2]
    pub smoothed_round_trip: Option<Duration>,
    /// First octet not acknowledged, after this event.
    pub unacknowledged: u64,
    /// Next octet to send.
    pub next: u64,
}

/// An event, the window before it, and the path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Observation {
    /// Window before the event.
    pub window: Window,
    /// The event as NewReno sees it.
    pub seen: newreno::Observation,
    /// The path.
    pub path: Path,
}

/// The smaller of the smallest so far and another sample.
pub(crate) fn lowest(so_far: Option<Duration>, sample: Option<Duration>) -> Option<Duration> {
    match (so_far, sample) {
        (Some(one), Some(other)) => Some(one.min(other)),
        (one, other) => one.or(other),
    }
}

/// An amount as a number for the laws that calculate with fractions.
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
