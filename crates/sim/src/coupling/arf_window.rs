//! Agent of a station that limits the windows of its TCP connections by the frames that it overhears.  [arf-window]

use airfair_laws::arf_window::Params;
use airfair_laws::arf_window::station::{self as law, Report};
use airfair_laws::occupancy_meter as meter;
use airfair_laws::receipts::LocalFlow;
use airfair_laws::window_limit::WindowLimit;
use airfair_units::Time;
use airfair_wlan::Listen;

use super::{Action, Home, LocalEnd, Seen, View, hearing};
use crate::packet::Side;
use crate::record::Measured;
use crate::scenario::{Scheme, Transport};

/// Agent of a station that measures the use of its channel, and limits its connections' windows when its rate
/// changes.
#[derive(Clone, Debug)]
pub(crate) struct Agent {
    params: Params,
    meter: meter::Params,
    state: law::State,
    /// Buffer for the packets in a frame that the station itself sends or receives; kept to reuse its memory.
    packets: Vec<meter::Packets>,
}

impl Agent {
    /// Agents of a station for its connections under `arf-window`, one for each set of settings.
    pub(super) fn at(home: &Home) -> Vec<Self> {
        let wanted = |control| match control {
            Scheme::ArfWindow(params) => Some(params),
            _ => None,
        };
        let mut all: Vec<Params> = Vec::new();
        for params in home.ends.iter().filter_map(|(_, flow)| wanted(flow.control)) {
            if !all.contains(&params) {
                all.push(params);
            }
        }
        let tcp = || home.ends.iter().filter(|it| matches!(it.1.transport, Transport::Tcp(_)));
        let agent = |params: Params| {
            let controlled = |control| wanted(control) == Some(params);
            let connections = tcp().map(|(end, flow)| end.local_flow(controlled(flow.control)));
            Self {
                params,
                meter: hearing::meter_params(home.node, params.slot, home.airtime),
                state: law::State::new(connections.collect()),
                packets: Vec::new(),
            }
        };
        all.into_iter().map(agent).collect()
    }

    pub(super) fn handle(
        &mut self,
        now: Time,
        seen: &Seen,
        view: &View,
        actions: &mut Vec<Action>,
    ) {
        match seen {
            Seen::Start => {
                actions.push(Action::Listen(Listen::All));
                let controlled = self.state.connections().iter().filter(|it| it.is_controlled);
                let receivers = controlled.map(LocalEnd::of).filter(|it| it.side == Side::Receiver);
                actions.extend(receivers.map(Action::EstimateRoundTrip));
            }
            Seen::Frame(heard) => {
                let began = (!heard.is_foreign()).then(|| heard.end() - heard.duration());
                self.report(began, heard.end(), actions);
                let heard = hearing::heard(view.airtime(), heard, &mut self.packets);
                let change = law::step(&self.params, &self.meter, &mut self.state, &heard);
                if let Some(change) = change {
                    self.set_windows(change, view, actions);
                }
            }
            Seen::End => self.report(None, now, actions),
            Seen::Rate { .. } | Seen::Packet { .. } | Seen::BeaconDue(_) | Seen::Timer => {}
        }
    }

    fn report(&mut self, began: Option<Time>, now: Time, actions: &mut Vec<Action>) {
        for report in law::report(&self.meter, &mut self.state, began, now).into_iter().flatten() {
            let Report { from, to, own, others, early, active } = report;
            actions.push(Action::Report(Measured { from, to, own, others, early, active }));
        }
    }

    fn set_windows(&self, change: law::Change, view: &View, actions: &mut Vec<Action>) {
        let end = |local: &LocalFlow| {
            let end = view.end(LocalEnd::of(local))?;
            Some(law::TcpEndpoint {
                smoothed_round_trip: end.round_trip()?,
                least_round_trip: end.least_round_trip()?,
                buffer: end.buffer(),
            })
        };
        let exchange = |access, load| view.exchange(access, load);
        for (local, window) in law::windows(&self.params, &self.state, change, end, &exchange) {
            let limit = WindowLimit::Octets(window);
            actions.push(Action::LimitWindow(LocalEnd::of(local), limit));
        }
    }
}

#[cfg(test)]
mod tests;
