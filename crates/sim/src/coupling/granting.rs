//! Agent of an access point that measures the occupancy of its stations, and grants shares of the channel in its
//! beacons.  [occupancy-tfrc §III]

use airfair_laws::occupancy::{Grant, Params, granting as law};
use airfair_laws::occupancy_meter as meter;
use airfair_units::{Duration, Time};
use airfair_wlan::{Elements, Listen};

use super::{Action, Home, Seen, View, hearing};

/// Agent of an access point that grants its stations shares of the channel.
#[derive(Clone, Debug)]
pub(crate) struct Agent {
    params: Params,
    meter: meter::Params,
    state: law::State,
    /// Buffer for the packets in a frame that the access point sends or receives; kept to reuse its memory.
    packets: Vec<meter::Packets>,
}

impl Agent {
    pub(super) fn at(home: &Home) -> Option<Self> {
        let params = home.access_point.occupancy?;
        // An observation slot ends with a beacon, and never by time.
        let never = Duration::from_nanos(u64::MAX);
        let meter = hearing::meter_params(home.node, never, home.airtime);
        let state = law::State::new(home.airtime.mean_backoff());
        Some(Self { params, meter, state, packets: Vec::new() })
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
                actions.extend([Listen::Own, Listen::Neighbours].map(Action::Listen));
            }
            Seen::Frame(heard) => {
                let heard = hearing::heard(view.airtime(), heard, &mut self.packets);
                law::hear(&self.meter, &mut self.state, &heard.frame);
            }
            Seen::BeaconDue(_) => {
                let grant = law::step(&self.params, &self.meter, &mut self.state, now);
                let mut elements = Elements::default();
                elements.put(Grant::ELEMENT, &grant.encode()).expect("room for six octets");
                actions.push(Action::AddElements(elements));
            }
            Seen::End | Seen::Rate { .. } | Seen::Packet { .. } | Seen::Timer => {}
        }
    }

    /// Occupancy of the channel by each station in the current beacon interval, and the cost of one channel access.
    #[cfg(test)]
    pub(crate) fn measured(&self) -> (&meter::Slot, meter::Access) {
        self.state.measured(&self.meter)
    }
}
