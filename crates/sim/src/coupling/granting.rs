//! The access point measures what its stations hold, and says in each beacon what they may.  [occupancy-tfrc §III]

use airfair_laws::occupancy::{Grant, Params, granting as law};
use airfair_laws::occupancy_meter as meter;
use airfair_units::{Duration, Time};
use airfair_wlan::{Elements, Listen};

use super::{Action, Home, Seen, View, hearing};

/// An access point that grants shares.
#[derive(Debug)]
pub(crate) struct Agent {
    params: Params,
    meter: meter::Params,
    state: law::State,
    /// Own packets of the frame that is told of.
    packets: Vec<meter::Packets>,
}

impl Agent {
    pub(super) fn at(home: &Home) -> Option<Self> {
        let params = home.access_point.occupancy?;
        // Slots end with beacons, not of themselves.
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
            Seen::Start => actions.push(Action::Listen(Listen::Own)),
            Seen::Frame(heard) => {
                let heard = hearing::heard(view.airtime(), heard, &mut self.packets);
                law::hear(&self.meter, &mut self.state, &heard.frame);
            }
            Seen::BeaconDue => {
                let grant = law::step(&self.params, &self.meter, &mut self.state, now);
                let mut elements = Elements::default();
                elements.put(Grant::ELEMENT, &grant.encode()).expect("room for six octets");
                actions.push(Action::AddElements(elements));
            }
            Seen::End | Seen::Rate { .. } | Seen::Packet(..) | Seen::Timer => {}
        }
    }

    /// Slot of the interval under way, by station, and the cost of an access.
    #[cfg(test)]
    pub(crate) fn measured(&self) -> (&meter::Slot, meter::Access) {
        self.state.measured(&self.meter)
    }
}
