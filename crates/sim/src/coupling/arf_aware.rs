//! ARF-aware TCP at a station that sends.  [arf-aware-tcp §3]

use airfair_laws::arf_aware;

use super::{Action, Home, LocalEnd, Seen, View};
use crate::packet::Side;
use crate::scenario::Scheme;

/// A sender under control.
#[derive(Debug)]
struct Connection {
    end: LocalEnd,
    params: arf_aware::Params,
    state: arf_aware::State,
}

/// A station whose senders follow its rate.
#[derive(Debug)]
pub(crate) struct Agent(Vec<Connection>);

impl Agent {
    pub(super) fn at(home: &Home) -> Option<Self> {
        let connection = |&(end, flow): &(LocalEnd, &crate::scenario::Flow)| match flow.control {
            Scheme::ArfAware(params) if end.side == Side::Sender => {
                Some(Connection { end, params, state: arf_aware::State::default() })
            }
            _ => None,
        };
        let connections: Vec<_> = home.ends.iter().filter_map(connection).collect();
        (!connections.is_empty()).then_some(Self(connections))
    }

    pub(super) fn handle(&mut self, seen: &Seen, view: &View, actions: &mut Vec<Action>) {
        let &Seen::Rate { rate, highest_rate } = seen else { return };
        for Connection { end, params, state } in &mut self.0 {
            let Some(cwnd) = view.end(*end).and_then(|it| it.cwnd()) else { continue };
            let seen = arf_aware::Observation { highest_rate, rate, cwnd };
            let (next, action) = arf_aware::step(params, *state, &seen);
            *state = next;
            actions.push(Action::LimitWindow(*end, action.window_limit));
            actions.extend(action.cwnd.map(|cwnd| Action::SetCwnd(*end, cwnd)));
        }
    }
}
