//! Agent of a station that keeps to the share of the channel that its access point grants: it divides the share among
//! its flows and limits their rates.  [occupancy-tfrc §III]

use airfair_laws::occupancy::keeping::{self as law, Limit};
use airfair_laws::occupancy::{Grant, Params};
use airfair_laws::occupancy_meter as meter;
use airfair_laws::receipts::LocalFlow;
use airfair_laws::window_limit::WindowLimit;
use airfair_units::Duration;
use airfair_wlan::{FrameKind, Listen, Overheard};

use super::{Action, Home, LocalEnd, Seen, View, hearing};
use crate::packet::{Packet, Side};
use crate::scenario::{Scheme, Transport};

/// Agent of a station whose flows keep to a share of the channel.
#[derive(Clone, Debug)]
pub(crate) struct Agent {
    params: Params,
    meter: meter::Params,
    state: law::State,
    /// TCP receivers that the agent controls, and which must estimate their round-trip times.
    receivers: Vec<LocalEnd>,
    /// Buffer for the packets in a frame that the station itself sends or receives; kept to reuse its memory.
    packets: Vec<meter::Packets>,
}

impl Agent {
    pub(super) fn at(home: &Home) -> Option<Self> {
        let params = home.access_point.occupancy?;
        let mut controlled = home.ends.iter().filter(|it| it.1.control == Scheme::Occupancy);
        let is_tcp_receiver = |it: &&(LocalEnd, &crate::scenario::Flow)| {
            it.0.side == Side::Receiver && matches!(it.1.transport, Transport::Tcp(_))
        };
        let receivers = controlled.clone().filter(is_tcp_receiver).map(|(end, _)| *end).collect();
        controlled.next()?;
        // An observation slot ends with a beacon, and never by time.
        let never = Duration::from_nanos(u64::MAX);
        let local = |(end, flow): &(LocalEnd, &crate::scenario::Flow)| {
            end.local_flow(flow.control == Scheme::Occupancy)
        };
        Some(Self {
            params,
            meter: hearing::meter_params(home.node, never, home.airtime),
            state: law::State::new(home.ends.iter().map(local)),
            receivers,
            packets: Vec::new(),
        })
    }

    pub(super) fn handle(&mut self, seen: &Seen, view: &View, actions: &mut Vec<Action>) {
        match seen {
            Seen::Start => {
                actions.push(Action::Listen(Listen::Own));
                actions.extend(self.receivers.iter().copied().map(Action::EstimateRoundTrip));
            }
            Seen::Frame(heard) => self.hear(heard, view, actions),
            Seen::BeaconDue(_) => {
                let free = law::expect_beacon(&self.params, &mut self.state);
                actions.extend(free.map(LocalEnd::of).map(Action::Lift));
            }
            Seen::End | Seen::Rate { .. } | Seen::Packet { .. } | Seen::Timer => {}
        }
    }

    fn hear(&mut self, heard: &Overheard<'_, Packet>, view: &View, actions: &mut Vec<Action>) {
        let grant = match heard.kind() {
            FrameKind::Beacon => heard.elements().get(Grant::ELEMENT).and_then(Grant::decode),
            _ => None,
        };
        let heard = hearing::heard(view.airtime(), heard, &mut self.packets);
        let exchange = |access, load| view.exchange(access, load);
        let seen = law::Observation { heard: &heard, grant };
        if !law::step(&self.params, &self.meter, &mut self.state, &seen, &exchange) {
            return;
        }
        let end = |local: &LocalFlow| {
            let end = view.end(LocalEnd::of(local))?;
            Some(law::FlowEndpoint { is_tcp: end.is_tcp(), round_trip: end.round_trip() })
        };
        for (local, limit) in law::limits(&self.state, end, &exchange) {
            let end = LocalEnd::of(local);
            actions.push(match limit {
                Limit::Rate(rate) => Action::LimitRate(end, rate),
                Limit::Window(window) => Action::LimitWindow(end, WindowLimit::Octets(window)),
            });
        }
    }
}

#[cfg(test)]
mod tests;
