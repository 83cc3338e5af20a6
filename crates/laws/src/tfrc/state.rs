//! Parameters, state, events and actions of the TFRC sender's rate law, and the rates that all variants
//! compute from them.  [RFC5348 §4]

use airfair_units::{Bytes, Duration, Time};

use super::equation::Equation;
use super::ns2_memory::{Memory, initial_window};
use super::receive_rates::ReceiveRates;

/// `t_mbi`: longest interval between two packets under persistent congestion [s].  [RFC5348 §4.3]
pub const MAX_BACKOFF: f64 = 64.0;

/// Specification or implementation that a TFRC sender follows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Variant {
    /// The TFRC sender of RFC 5348 of 2008.
    #[default]
    Rfc5348,
    /// The TFRC sender of RFC 3448 of 2003, with its errata.
    Rfc3448,
    /// The TFRC sender of ns-2.35.
    Ns2,
}

/// Parameters of the TFRC sender's rate law.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Params {
    /// Specification or implementation that the rate law follows.
    pub variant: Variant,
    /// Segment size s of the sender, greater than zero.
    pub segment: Bytes,
    /// Parameters of the throughput equation.
    pub equation: Equation,
    /// q: weight of the old round-trip estimate.  [RFC5348 §4.3]
    pub rtt_weight: f64,
    /// q2: weight of the old mean of √R; `None` does not damp oscillations.  [RFC5348 §4.5]
    pub damping: Option<f64>,
}

impl Params {
    /// Default parameters of the rate law for a variant and a segment size.
    pub fn new(variant: Variant, segment: Bytes) -> Self {
        let is_ns2 = variant == Variant::Ns2;
        let old = if is_ns2 { 0.95 } else { 0.9 };
        Self {
            variant,
            segment,
            equation: Equation { clamp_timeout_probability: is_ns2, ..Equation::default() },
            rtt_weight: old,
            damping: is_ns2.then_some(old),
        }
    }

    /// Segment size s [octets].
    #[expect(clippy::cast_precision_loss, reason = "a segment has far less than 2^53 octets")]
    pub(super) fn octets(&self) -> f64 {
        self.segment.get() as f64
    }

    /// Smallest rate of the law: s/`t_mbi`, one packet in 64 s [octets/s].  [RFC5348 §4.3]
    pub fn least_rate(&self) -> f64 {
        self.octets() / MAX_BACKOFF
    }
}

/// State of the TFRC sender's rate law.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct State {
    /// Allowed sending rate X [octets/s].
    pub rate: f64,
    /// Loss event rate p in the last report.
    pub loss_event_rate: f64,
    /// Round-trip estimate R; `None` before the first report [s].
    pub rtt: Option<f64>,
    /// `R_sqmean`: mean of √R.  [RFC5348 §4.5]
    pub sqrt_rtt: f64,
    /// Latest round-trip sample, before smoothing [s].
    pub last_sample: f64,
    /// `tld`: time at which X was last doubled; in the ns-2 variant, last changed.
    pub last_change: Time,
    /// `X_recv_set`: reported receive rates; the older variants keep one value only.
    pub receive_rates: ReceiveRates,
    /// True once a report of the receiver has arrived.
    pub has_report: bool,
    /// State that only the ns-2 variant of the TFRC sender has.
    pub ns2: Memory,
}

/// An event at a TFRC sender.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Event {
    /// A report of the receiver arrived.  [RFC5348 §4.3]
    Feedback {
        /// Round-trip sample of this report, greater than zero.
        rtt_sample: Duration,
        /// `X_recv`: receive rate in the report [octets/s].
        receive_rate: f64,
        /// Loss event rate p in the report.
        loss_event_rate: f64,
        /// True if the sender sent less than allowed during the whole interval that the report covers.
        is_data_limited: bool,
    },
    /// The no-feedback timer expired.  [RFC5348 §4.4]
    NoFeedback {
        /// True if nothing was sent since the no-feedback timer was set.
        is_idle: bool,
    },
}

/// Observation of a TFRC sender at an event: the event and its time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Observation {
    /// Time of the event at the sender.
    pub now: Time,
    /// Kind of the event at the sender.
    pub event: Event,
}

/// Sending rate and no-feedback timer until the next event.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Action {
    /// `X_inst`: sending rate from now on [octets/s].
    pub rate: f64,
    /// Time from now until the no-feedback timer expires, unless the next event sets it anew.
    pub no_feedback_after: Duration,
}

/// Allowed sending rate after the first report [octets/s].  [RFC5348 §4.2], [RFC3390 §1], [RFC3448 §4.3]
#[must_use]
pub fn initial_rate(params: &Params, rtt: f64) -> f64 {
    let segment = params.octets();
    let window = match params.variant {
        Variant::Rfc5348 => (4.0 * segment).min((2.0 * segment).max(4_380.0)),
        Variant::Rfc3448 => segment,
        Variant::Ns2 => initial_window(segment),
    };
    window / rtt
}

/// Rate that the throughput equation allows, for p > 0 [octets/s].  [RFC5348 §3.1]
pub(super) fn equation_rate(params: &Params, state: &State, rtt: f64) -> f64 {
    let rto = match params.variant {
        Variant::Rfc5348 | Variant::Rfc3448 => params.equation.rto_per_rtt * rtt,
        Variant::Ns2 => state.ns2.rto(),
    };
    params.equation.rate(params.octets(), (rtt, rto), state.loss_event_rate)
}
