//! Agent of an access point that drops data of stations that use the channel for more than their share.

use airfair_laws::uplink_share as law;
use airfair_units::Time;
use airfair_wlan::{FrameKind, Listen};

use super::{Action, Home, Passage, Seen};
use crate::scenario::ApScheme;

/// Agent of an access point that polices the use of the channel by its stations' data.
#[derive(Clone, Debug)]
pub(crate) struct Agent {
    params: law::Params,
    state: law::State,
}

impl Agent {
    pub(super) fn at(home: &Home) -> Option<Self> {
        match home.access_point.control {
            ApScheme::None => None,
            ApScheme::UplinkShare(params) => Some(Self { params, state: law::State::default() }),
        }
    }

    pub(super) fn handle(&mut self, now: Time, seen: &Seen, actions: &mut Vec<Action>) {
        match *seen {
            Seen::Start => actions.extend([Action::Listen(Listen::Own), Action::WatchPackets]),
            Seen::Frame(heard) if heard.kind() == FrameKind::Data && heard.is_receiver() => {
                let Some(from) = heard.from() else { return };
                let (duration, packets) = (heard.duration(), heard.packets().count() as u64);
                law::hear(&mut self.state, &law::Frame { station: from.0, duration, packets });
            }
            Seen::Packet { passage: Passage::FromStation, station, packet }
                if packet.tcp().is_none_or(|(_, _, payload)| payload > 0) =>
            {
                let seen = law::Observation { now, station: station.0 };
                if law::step(&self.params, &mut self.state, &seen) == law::Action::Drop {
                    actions.push(Action::DropPacket);
                }
            }
            _ => {}
        }
    }
}
