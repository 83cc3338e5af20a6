//! Law of a sender: its rate after a report, or without one.  [RFC5348 §4]

use airfair_units::{Bytes, Duration, Time};

use super::equation::Equation;
use super::receive_rates::ReceiveRates;
use super::{MAX_BACKOFF, ns2};

/// Whose rules.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Variant {
    /// The standard of 2008.
    #[default]
    Rfc5348,
    /// The standard of 2003, with its errata.
    Rfc3448,
    /// The simulator ns-2.35.
    Ns2,
}

/// Constants of the RFC.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Params {
    /// Whose rules.
    pub variant: Variant,
    /// Segment size s, never nothing [octets].
    pub segment: Bytes,
    /// The throughput equation.
    pub equation: Equation,
    /// Weight q of the old round trip estimate.  [RFC5348 §4.3]
    pub rtt_weight: f64,
    /// Weight q2 of the old mean of √R, or no damping of oscillations.  [RFC5348 §4.5]
    pub damping: Option<f64>,
}

impl Params {
    /// Parameters as the variant's authors chose them.
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

    /// s [octets].
    #[expect(clippy::cast_precision_loss, reason = "a segment has far less than 2^53 octets")]
    pub(super) fn octets(&self) -> f64 {
        self.segment.get() as f64
    }

    /// s/`t_mbi` [octets/s].  [RFC5348 §4.3]
    pub fn least_rate(&self) -> f64 {
        self.octets() / MAX_BACKOFF
    }
}

/// Memory from report to report.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct State {
    /// Allowed sending rate X [octets/s].
    pub rate: f64,
    /// Loss event rate p last reported.
    pub loss_event_rate: f64,
    /// Round trip estimate R [s]; `None` before the first report.
    pub rtt: Option<f64>,
    /// Mean of √R, `R_sqmean`.  [RFC5348 §4.5]
    pub sqrt_rtt: f64,
    /// Newest sample of R [s].
    pub last_sample: f64,
    /// Time at which X was last doubled, `tld`; with ns-2, last changed.
    pub last_change: Time,
    /// `X_recv_set`; the older variants keep one value.
    pub receive_rates: ReceiveRates,
    /// A report has come.
    pub has_report: bool,
    /// Memory that only ns-2 has.
    pub ns2: ns2::Memory,
}

/// Event at the sender.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Event {
    /// A report.  [RFC5348 §4.3]
    Feedback {
        /// This report's round trip, never nothing.
        rtt_sample: Duration,
        /// `X_recv` [octets/s].
        receive_rate: f64,
        /// p.
        loss_event_rate: f64,
        /// In all the time it covers the sender sent less than it was allowed to.
        is_data_limited: bool,
    },
    /// The no-feedback timer expired.  [RFC5348 §4.4]
    NoFeedback {
        /// Nothing was sent since the timer was set.
        is_idle: bool,
    },
}

/// Knowledge of the sender at an event.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Observation {
    /// Now.
    pub now: Time,
    /// The event.
    pub event: Event,
}

/// Orders until the next event.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Action {
    /// Send at this rate, `X_inst` [octets/s].
    pub rate: f64,
    /// Set the no-feedback timer to so much.
    pub no_feedback_after: Duration,
}

/// No-feedback timer before there is a round trip.  [RFC5348 §4.2]
const INITIAL_NO_FEEDBACK: Duration = Duration::from_secs(2);

/// State before the first packet, which goes out at `now`.  [RFC5348 §4.2]
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

/// Action before the first event.  [RFC5348 §4.2]
pub fn initial_action(params: &Params, state: &State) -> Action {
    let no_feedback_after = match params.variant {
        Variant::Rfc5348 | Variant::Rfc3448 => INITIAL_NO_FEEDBACK,
        Variant::Ns2 => seconds(2.0 * params.octets() / state.rate),
    };
    Action { rate: state.rate, no_feedback_after }
}

/// The rate after the first report [octets/s].  [RFC5348 §4.2], [RFC3390 §1], [RFC3448 §4.3]
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

/// One report, or the want of one.  [RFC5348 §4.3 and §4.4]
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

/// R and the mean of √R.  [RFC5348 §4.3 steps 1 and 2, §4.5]
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

/// `X_inst` and the no-feedback timer.  [RFC5348 §4.3 step 3, §4.4, §4.5]
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

/// Rate that the equation allows, for p > 0 [octets/s].  [RFC5348 §3.1]
pub(super) fn equation_rate(params: &Params, state: &State, rtt: f64) -> f64 {
    let rto = match params.variant {
        Variant::Rfc5348 | Variant::Rfc3448 => params.equation.rto_per_rtt * rtt,
        Variant::Ns2 => state.ns2.rto(),
    };
    params.equation.rate(params.octets(), (rtt, rto), state.loss_event_rate)
}

/// [RFC5348 §4.3 step 4 and §4.4]
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
        // The first two round trips are not limited: one of them is over.
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

/// Equation or slow start, under a limit.  [RFC5348 §4.3 step 4]
fn allow(params: &Params, mut state: State, (now, rtt): (Time, f64), limit: f64) -> State {
    if state.loss_event_rate > 0.0 {
        state.rate = equation_rate(params, &state, rtt).min(limit);
    } else if now.saturating_since(state.last_change).as_secs_f64() >= rtt {
        state.rate = (2.0 * state.rate).min(limit).max(initial_rate(params, rtt));
        state.last_change = now;
    }
    state
}

/// [RFC5348 §4.4]
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

/// [RFC3448 §4.3 and §4.4, errata 270 and 1458]
fn rfc3448(params: &Params, mut state: State, seen: &Observation) -> State {
    let now = seen.now;
    match (seen.event, state.rtt) {
        (Event::Feedback { receive_rate, loss_event_rate, .. }, Some(rtt)) => {
            state.loss_event_rate = loss_event_rate;
            state.receive_rates = ReceiveRates::single(receive_rate, now);
            if !state.has_report {
                // Nothing was doubled before: slow start may begin at once.
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

/// Rounded to the nearest nanosecond, and to 584 years at most.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the cast saturates")]
pub(super) fn seconds(seconds: f64) -> Duration {
    Duration::from_nanos((seconds * 1e9 + 0.5) as u64)
}

#[cfg(test)]
mod tests;
