//! The TFRC sender of ns-2.35, `tcp/tfrc.cc`, with its defaults. Each item names its function in that file.

use airfair_units::Time;

use super::state::{Event, Observation, Params, State, equation_rate, initial_rate};

/// `recv` and `reduce_rate_on_no_feedback`: state of the ns-2 variant after one event.
pub(super) fn step(params: &Params, mut state: State, seen: &Observation) -> State {
    state.ns2.rounds = state.ns2.rounds.saturating_add(1);
    match (seen.event, state.rtt) {
        (Event::Feedback { receive_rate, loss_event_rate, is_data_limited, .. }, Some(rtt)) => {
            let is_first = !state.has_report;
            state.has_report = true;
            state.ns2.is_data_limited = is_data_limited;
            state.loss_event_rate = loss_event_rate;
            // The first round has no useful receive rate.
            let limit = if state.ns2.rounds > 1 { 2.0 * receive_rate } else { 0.0 };
            if state.ns2.is_out_of_slow_start {
                congestion_avoidance(params, state, seen.now, rtt, limit)
            } else if loss_event_rate > 0.0 && !is_first {
                state.ns2.is_out_of_slow_start = true;
                State { rate: equation_rate(params, &state, rtt), ..state }
            } else {
                slow_start(params, state, (seen.now, rtt), limit)
            }
        }
        (Event::NoFeedback { is_idle }, rtt) => no_feedback(params, state, is_idle, rtt),
        (Event::Feedback { .. }, None) => unreachable!("a report gives a round trip"),
    }
}

/// `slowstart`: rate in slow start.
fn slow_start(params: &Params, mut state: State, (now, rtt): (Time, f64), limit: f64) -> State {
    let initial = initial_rate(params, rtt);
    let one_packet = params.octets() / rtt;
    if state.ns2.rounds <= 2 {
        state.rate = state.rate.max(initial);
    } else if limit <= 0.0 {
        state.rate = one_packet;
    } else if state.ns2.is_data_limited && limit < initial {
        state.rate = state.rate.max(initial);
    } else if state.rate < limit {
        if now.saturating_since(state.last_change).as_secs_f64() <= rtt {
            return state;
        }
        state.rate = (2.0 * state.rate).min(limit).max(one_packet);
    } else if state.rate > limit {
        state.rate = limit / 2.0;
    } else {
        return state;
    }
    state.last_change = now;
    state
}

/// `increase_rate` and `decrease_rate`: rate in congestion avoidance.
fn congestion_avoidance(
    params: &Params,
    mut state: State,
    now: Time,
    rtt: f64,
    limit: f64,
) -> State {
    let allowed = equation_rate(params, &state, rtt);
    let one_packet = params.octets() / rtt;
    let mut limit = limit.max(one_packet);
    if allowed > state.rate {
        let round_trips = now.saturating_since(state.last_change).as_secs_f64() / rtt;
        if state.ns2.is_data_limited {
            limit = limit.max(initial_rate(params, rtt));
        }
        state.rate = (state.rate + one_packet * round_trips.min(2.0)).min(allowed).min(limit);
    } else {
        state.rate = allowed.min(limit);
    }
    state.last_change = now;
    state
}

/// `reduce_rate_on_no_feedback`: rate after the no-feedback timer expired.
fn no_feedback(params: &Params, mut state: State, is_idle: bool, rtt: Option<f64>) -> State {
    let Some(rtt) = rtt.filter(|_| is_idle) else {
        state.rate /= 2.0;
        return state;
    };
    let initial = initial_rate(params, rtt);
    if state.rate > initial {
        state.rate = (state.rate / 2.0).max(initial);
    }
    state
}
