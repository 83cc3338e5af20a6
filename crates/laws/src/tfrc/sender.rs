//! Rate of a TFRC sender after a report, or after the no-feedback timer expired.  [RFC5348 §4]

use airfair_units::{Bytes, Duration, Time};

use super::equation::Equation;
use super::receive_rates::ReceiveRates;
use super::{MAX_BACKOFF, ns2};

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
    pub ns2: ns2::Memory,
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

/// Duration of the no-feedback timer before the first round-trip sample.  [RFC5348 §4.2]
const INITIAL_NO_FEEDBACK: Duration = Duration::from_secs(2);

/// State of the rate law before the first packet, which is sent at `now`.  [RFC5348 §4.2]
pub fn start(params: &Params, now: Time) -> State {
    let rate = match params.variant {
        Variant::Rfc5348 | Variant::Rfc3448 => params.octets(),
        Variant::Ns2 => ns2::INITIAL_RATE,
    };
    State {
        rate,
        loss_event_rate: 0.0,
        rtt: None,
        sqrt_rtt: 1.0,
        last_sample: 1.0,
        last_change: now,
        receive_rates: ReceiveRates::single(f64::INFINITY, now),
        has_report: false,
        ns2: ns2::Memory::default(),
    }
}

/// Sending rate and no-feedback timer before the first event.  [RFC5348 §4.2]
pub fn initial_action(params: &Params, state: &State) -> Action {
    let no_feedback_after = match params.variant {
        Variant::Rfc5348 | Variant::Rfc3448 => INITIAL_NO_FEEDBACK,
        Variant::Ns2 => seconds(2.0 * params.octets() / state.rate),
    };
    Action { rate: state.rate, no_feedback_after }
}

/// Allowed sending rate after the first report [octets/s].  [RFC5348 §4.2], [RFC3390 §1], [RFC3448 §4.3]
#[must_use]
pub fn initial_rate(params: &Params, rtt: f64) -> f64 {
    let segment = params.octets();
    let window = match params.variant {
        Variant::Rfc5348 => (4.0 * segment).min((2.0 * segment).max(4_380.0)),
        Variant::Rfc3448 => segment,
        Variant::Ns2 => ns2::initial_window(segment),
    };
    window / rtt
}

/// Processes a report or an expiry of the no-feedback timer.  [RFC5348 §4.3 and §4.4]
#[must_use]
pub fn step(params: &Params, state: State, seen: &Observation) -> (State, Action) {
    let state = match seen.event {
        Event::Feedback { rtt_sample, .. } => measure(params, state, rtt_sample),
        Event::NoFeedback { .. } => state,
    };
    let next = match params.variant {
        Variant::Rfc5348 => rfc5348(params, state, seen),
        Variant::Rfc3448 => rfc3448(params, state, seen),
        Variant::Ns2 => ns2::step(params, state, seen),
    };
    let next = State { rate: next.rate.max(params.least_rate()), ..next };
    (next, action(params, &next))
}

/// Updates the round-trip estimate R and the mean of √R with a round-trip
/// sample.  [RFC5348 §4.3 steps 1 and 2, §4.5]
fn measure(params: &Params, state: State, sample: Duration) -> State {
    let last_sample = sample.as_secs_f64();
    let root = last_sample.sqrt();
    let mean = |weight: f64, old: f64, new: f64| weight * old + (1.0 - weight) * new;
    let (rtt, sqrt_rtt) = match state.rtt {
        None => (last_sample, root),
        Some(old) => (
            mean(params.rtt_weight, old, last_sample),
            params.damping.map_or(root, |weight| mean(weight, state.sqrt_rtt, root)),
        ),
    };
    let ns2 = state.ns2.measure(last_sample);
    State { rtt: Some(rtt), sqrt_rtt, last_sample, ns2, ..state }
}

/// Sending rate `X_inst` and no-feedback timer that follow from a state.  [RFC5348 §4.3 step 3, §4.4, §4.5]
fn action(params: &Params, state: &State) -> Action {
    let two_packets = 2.0 * params.octets() / state.rate;
    let Some(rtt) = state.rtt else {
        return Action { rate: state.rate, no_feedback_after: seconds(two_packets) };
    };
    let damped = match params.damping {
        Some(_) => state.rate * state.sqrt_rtt / state.last_sample.sqrt(),
        None => state.rate,
    };
    let round_trips = if params.variant == Variant::Ns2 { 2.0 } else { 4.0 };
    Action {
        rate: damped.max(params.least_rate()),
        no_feedback_after: seconds((round_trips * rtt).max(two_packets)),
    }
}

/// Rate that the throughput equation allows, for p > 0 [octets/s].  [RFC5348 §3.1]
pub(super) fn equation_rate(params: &Params, state: &State, rtt: f64) -> f64 {
    let rto = match params.variant {
        Variant::Rfc5348 | Variant::Rfc3448 => params.equation.rto_per_rtt * rtt,
        Variant::Ns2 => state.ns2.rto(),
    };
    params.equation.rate(params.octets(), (rtt, rto), state.loss_event_rate)
}

/// State of the rate law after an event by RFC 5348.  [RFC5348 §4.3 step 4 and §4.4]
fn rfc5348(params: &Params, mut state: State, seen: &Observation) -> State {
    let now = seen.now;
    let Event::Feedback { receive_rate, loss_event_rate, is_data_limited, .. } = seen.event else {
        return rfc5348_no_feedback(params, state, seen);
    };
    let rtt = state.rtt.expect("a report gives a round trip");
    let is_first = !state.has_report;
    let has_more_loss = loss_event_rate > state.loss_event_rate;
    state.has_report = true;
    state.loss_event_rate = loss_event_rate;
    if is_first {
        // The first two round trips have no limit; one of them is over.
        let opened = Duration::from_nanos(now.as_nanos()).saturating_sub(seconds(rtt));
        state.receive_rates = ReceiveRates::single(f64::INFINITY, Time::ZERO + opened);
        state.rate = initial_rate(params, rtt);
        state.last_change = now;
    }
    let limit = match (is_data_limited, has_more_loss) {
        (true, true) => {
            state.receive_rates = state.receive_rates.halve().maximize(0.85 * receive_rate, now);
            state.receive_rates.max()
        }
        (true, false) => {
            state.receive_rates = state.receive_rates.maximize(receive_rate, now);
            2.0 * state.receive_rates.max()
        }
        (false, _) => {
            state.receive_rates = state.receive_rates.update(receive_rate, now, rtt);
            2.0 * state.receive_rates.max()
        }
    };
    allow(params, state, (now, rtt), limit)
}

/// Updates the allowed rate by the throughput equation or by slow start, under `limit`.
/// [RFC5348 §4.3 step 4]
fn allow(params: &Params, mut state: State, (now, rtt): (Time, f64), limit: f64) -> State {
    if state.loss_event_rate > 0.0 {
        state.rate = equation_rate(params, &state, rtt).min(limit);
    } else if now.saturating_since(state.last_change).as_secs_f64() >= rtt {
        state.rate = (2.0 * state.rate).min(limit).max(initial_rate(params, rtt));
        state.last_change = now;
    }
    state
}

/// State of the rate law after an expiry of the no-feedback timer by RFC 5348.  [RFC5348 §4.4]
fn rfc5348_no_feedback(params: &Params, mut state: State, seen: &Observation) -> State {
    let is_idle = seen.event == Event::NoFeedback { is_idle: true };
    let Some(rtt) = state.rtt else {
        if !is_idle {
            state.rate /= 2.0;
        }
        return state;
    };
    let receive_rate = state.receive_rates.max();
    let recover_rate = initial_rate(params, rtt);
    let has_loss = state.loss_event_rate > 0.0;
    let is_small =
        if has_loss { receive_rate < recover_rate } else { state.rate < 2.0 * recover_rate };
    if is_idle && is_small {
        return state;
    }
    if !has_loss {
        state.rate /= 2.0;
        return state;
    }
    let allowed = equation_rate(params, &state, rtt);
    let limit = if allowed > 2.0 * receive_rate { receive_rate } else { allowed / 2.0 };
    let limit = limit.max(params.least_rate());
    state.receive_rates = ReceiveRates::single(limit / 2.0, seen.now);
    allow(params, state, (seen.now, rtt), limit)
}

/// State of the rate law after an event by RFC 3448.  [RFC3448 §4.3 and §4.4, errata 270 and 1458]
fn rfc3448(params: &Params, mut state: State, seen: &Observation) -> State {
    let now = seen.now;
    match (seen.event, state.rtt) {
        (Event::Feedback { receive_rate, loss_event_rate, .. }, Some(rtt)) => {
            state.loss_event_rate = loss_event_rate;
            state.receive_rates = ReceiveRates::single(receive_rate, now);
            if !state.has_report {
                // There was no doubling before, so slow start may begin at once.
                state.has_report = true;
                state.rate = initial_rate(params, rtt);
                state.last_change = now;
            }
            allow(params, state, (now, rtt), 2.0 * receive_rate)
        }
        (Event::NoFeedback { is_idle }, Some(rtt)) => {
            let receive_rate = state.receive_rates.max();
            if is_idle && receive_rate < 4.0 * params.octets() / rtt {
                return state;
            }
            let allowed = (state.loss_event_rate > 0.0)
                .then(|| equation_rate(params, &state, rtt))
                .filter(|allowed| *allowed <= 2.0 * receive_rate);
            let halved = match allowed {
                Some(allowed) => allowed / 4.0,
                None => (receive_rate / 2.0).max(params.least_rate() / 2.0),
            };
            state.receive_rates = ReceiveRates::single(halved, now);
            state.rate = state.rate.min(2.0 * halved);
            state
        }
        (_, None) => State { rate: state.rate / 2.0, ..state },
    }
}

/// `seconds` as a duration rounded to the nearest nanosecond, at most 584 years.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the cast saturates")]
pub(super) fn seconds(seconds: f64) -> Duration {
    Duration::from_nanos((seconds * 1e9 + 0.5) as u64)
}

#[cfg(test)]
mod tests;
