//! Rate of a TFRC sender after a report, or after the no-feedback timer expired.  [RFC5348 §4]

use airfair_units::{Duration, Time};

use super::ns2;
use super::ns2_memory::{INITIAL_RATE, Memory};
use super::receive_rates::ReceiveRates;
use super::state::{
    Action, Event, Observation, Params, State, Variant, equation_rate, initial_rate,
};

/// Duration of the no-feedback timer before the first round-trip sample.  [RFC5348 §4.2]
const INITIAL_NO_FEEDBACK: Duration = Duration::from_secs(2);

/// State of the rate law before the first packet, which is sent at `now`.  [RFC5348 §4.2]
pub fn start(params: &Params, now: Time) -> State {
    let rate = match params.variant {
        Variant::Rfc5348 | Variant::Rfc3448 => params.octets(),
        Variant::Ns2 => INITIAL_RATE,
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
        ns2: Memory::default(),
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
