//! Rules that end slow start before there is a loss, for window laws that have none of their own.

use airfair_laws::newreno::{self, Event};
use airfair_laws::window::{Observation, WindowState};
use airfair_laws::{hystart, hystart_plus_plus};
use airfair_units::Bytes;

use super::config::{Arithmetic, ControlConfig, SlowStart};
use super::flavour::Flavour;

/// State of a rule that ends slow start, with its settings.
#[derive(Clone, Debug)]
pub(super) enum Start {
    HyStart(hystart::Params, hystart::Alone),
    PlusPlus(hystart_plus_plus::Params, hystart_plus_plus::State),
}

impl Start {
    /// Creates the rule of a sender; `None` without one, and for Linux's CUBIC, whose law contains `HyStart`.
    pub(super) fn new(config: &ControlConfig) -> Option<Box<Self>> {
        let ControlConfig { segment, is_paced, .. } = *config;
        let is_linux_cubic =
            config.flavour == Flavour::Cubic && config.arithmetic == Arithmetic::Linux;
        let start = match config.slow_start {
            SlowStart::HyStart if !is_linux_cubic => {
                Self::HyStart(hystart::Params { segment, is_paced }, hystart::Alone::default())
            }
            SlowStart::HyStartPlusPlus => {
                let params = hystart_plus_plus::Params { segment, is_paced };
                Self::PlusPlus(params, hystart_plus_plus::State::default())
            }
            SlowStart::Standard | SlowStart::HyStart => return None,
        };
        Some(Box::new(start))
    }

    /// Lets the rule process an event before the window law does. Returns the window, and the event that remains
    /// for the law: no growth if this rule has let the window grow.
    pub(super) fn process(&mut self, seen: &Observation) -> (WindowState, newreno::Observation) {
        let Observation { mut window, seen: event, path } = *seen;
        match self {
            Self::HyStart(params, it) => {
                let before = it.state.has_exited;
                *it = it.step(params, seen);
                if it.state.has_exited && !before {
                    window.ssthresh = window.cwnd;
                }
                (window, event)
            }
            Self::PlusPlus(params, state) => {
                let Event::NewAck { is_cwnd_limited } = event.event else {
                    // RFC 9406 is for the start of a connection. Any loss ends it.
                    let goes_on = matches!(event.event, Event::Duplicate);
                    let phase = hystart_plus_plus::Phase::Done;
                    state.phase = if goes_on { state.phase } else { phase };
                    return (window, event);
                };
                let is_over = state.phase == hystart_plus_plus::Phase::Done;
                if is_over || window.cwnd >= window.ssthresh {
                    return (window, event);
                }
                let ack = hystart_plus_plus::Observation {
                    acked: event.acked,
                    round_trip: path.round_trip,
                    unacknowledged: path.unacknowledged,
                    next: path.next,
                };
                let (next, growth) = hystart_plus_plus::step(params, *state, &ack);
                *state = next;
                if next.phase == hystart_plus_plus::Phase::Done {
                    window.ssthresh = window.cwnd;
                    return (window, event);
                }
                window.cwnd += if is_cwnd_limited { growth } else { Bytes::ZERO };
                let event = Event::NewAck { is_cwnd_limited: false };
                (window, newreno::Observation { event, ..seen.seen })
            }
        }
    }
}
