//! Agent of a station that sends: it caps each flow at a fixed share of the station's rate.

use airfair_laws::rate_cap::{self as law, Observation, Transport};
use airfair_laws::window_limit::WindowLimit;
use airfair_units::Time;

use super::{Action, Home, LocalEnd, Seen, TransportEnd, View};
use crate::endpoint::Alarm;
use crate::packet::Side;
use crate::scenario::Scheme;

/// Sender that the agent controls, with the parameters and the state of its cap.
#[derive(Clone, Debug)]
struct Capped {
    end: LocalEnd,
    params: law::Params,
    state: law::State,
}

/// Agent of a station that limits the rate of its senders to a fixed share of the rate of its link.
#[derive(Clone, Debug)]
pub(crate) struct Agent {
    flows: Vec<Capped>,
    alarm: Alarm,
}

impl Agent {
    pub(super) fn at(home: &Home) -> Option<Self> {
        let senders = home.ends.iter().filter(|(end, _)| end.side == Side::Sender);
        let capped = senders.filter_map(|&(end, flow)| match flow.control {
            Scheme::RateCap(params) => Some(Capped { end, params, state: law::State::default() }),
            _ => None,
        });
        let flows: Vec<_> = capped.collect();
        (!flows.is_empty()).then_some(Self { flows, alarm: Alarm::default() })
    }

    pub(super) fn handle(
        &mut self,
        now: Time,
        seen: &Seen,
        view: &View,
        actions: &mut Vec<Action>,
    ) {
        let rate = match seen {
            Seen::Rate { rate, .. } => Some(*rate),
            Seen::Timer if self.alarm.ring(now) => None,
            _ => return,
        };
        for Capped { end, params, state } in &mut self.flows {
            let transport = match view.end(*end) {
                Some(TransportEnd::TfrcSender(_) | TransportEnd::OutsideTfrc(_)) => Transport::Tfrc,
                Some(TransportEnd::TcpSender(sender)) => Transport::Tcp {
                    round_trip: sender.smoothed_round_trip(),
                    segment: sender.segment_size(),
                },
                Some(TransportEnd::OutsideTcp(tcp)) => {
                    Transport::Tcp { round_trip: tcp.smoothed_round_trip, segment: tcp.segment }
                }
                _ => continue,
            };
            let (next, action) = law::step(params, *state, &Observation { rate, transport });
            *state = next;
            actions.extend(action.map(|action| match action {
                law::Action::Rate(rate) => Action::LimitRate(*end, rate),
                law::Action::Window(window) => {
                    Action::LimitWindow(*end, WindowLimit::Octets(window))
                }
            }));
        }
        actions.extend(self.alarm.want(Some(now + law::PERIOD)).map(Action::Wake));
    }
}
