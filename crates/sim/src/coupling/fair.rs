//! Agent of an access point that gives its stations equal airtime in both directions.

mod grants;

use airfair_laws::fair as law;
use airfair_transport::tcp::Flags;
use airfair_units::{Duration, Time};
use airfair_wlan::{FrameKind, Listen, NodeId, Overheard};

use grants::Grants;

use super::{Action, Home, Passage, Seen, View};
use crate::packet::Packet;

/// Agent of an access point that gives its stations equal airtime.
#[derive(Clone, Debug)]
pub(crate) struct Agent {
    params: law::Params,
    state: law::State,
    uploads: law::Uploads,
    gaps: Gaps,
    /// Airtime of frames of other networks since the last update.
    foreign: Duration,
    /// Time of the next update of the level.
    next_step: Time,
    /// Time of the earliest timer at which bulk for a station need not wait any longer.
    next_release: Option<Time>,
    /// Station with which the access point has exchanged the last frame. A frame that does not name its transmitter is
    /// from that station.
    peer: Option<NodeId>,
    /// Duration of a CTS-to-self, whose data follows.
    protection: Duration,
    /// Grants of time; `None` if the access point gives none.
    grants: Option<Grants>,
}

/// Idle gaps between the frames that the access point sends or decodes.
#[derive(Clone, Copy, Debug, Default)]
struct Gaps {
    /// End of the last frame, and time for which the channel had been idle until then.
    last: Time,
    idle: Duration,
    /// Part of the gaps since the last update in which no member can have waited for the channel.
    unused: Duration,
}

impl Gaps {
    /// Measures the gap before a frame that ends `now`. If the channel was busy within the gap, with frames that the
    /// access point could not decode, others wanted it.
    fn measure(&mut self, now: Time, duration: Duration, view: &View) {
        let timing = &view.airtime().timing;
        let longest_wait = timing.difs + timing.slot * u64::from(timing.cw_min);
        self.add(now, duration, view.idle(now), longest_wait);
    }

    /// Adds the gap before a frame that ends `now`. `idle` is the time for which the channel has been idle in all, and
    /// `longest_wait` the time for which a member can wait for an idle channel.
    fn add(&mut self, now: Time, duration: Duration, idle: Duration, longest_wait: Duration) {
        let gap = idle - self.idle;
        if now.saturating_since(self.last) <= gap + duration {
            self.unused += gap.saturating_sub(longest_wait);
        }
        (self.last, self.idle) = (now, idle);
    }
}

impl Agent {
    pub(super) fn at(home: &Home) -> Option<Self> {
        let params = home.access_point.fair?;
        Some(Self {
            params,
            state: law::State::default(),
            uploads: law::Uploads::default(),
            gaps: Gaps::default(),
            foreign: Duration::ZERO,
            next_step: Time::ZERO + params.period,
            next_release: None,
            peer: None,
            protection: Duration::ZERO,
            grants: params.grants.then(Grants::default),
        })
    }

    pub(super) fn handle(
        &mut self,
        now: Time,
        seen: &Seen,
        view: &View,
        actions: &mut Vec<Action>,
    ) {
        match *seen {
            Seen::Start => {
                let wake = Action::Wake(self.next_step);
                actions.extend([Action::Listen(Listen::All), Action::WatchPackets, wake]);
            }
            Seen::Frame(heard) => self.hear(heard, view, actions),
            Seen::Packet { passage: Passage::FromStation, station, packet } => {
                self.note_data(now, station, packet);
            }
            Seen::Packet { passage: Passage::ToQueue, station, packet } => {
                self.limit(now, station, packet, actions);
            }
            Seen::Timer => self.wake(now, view, actions),
            Seen::End | Seen::Rate { .. } | Seen::BeaconDue(_) | Seen::Packet { .. } => {}
        }
    }

    /// Charges a frame to its station.
    fn hear(&mut self, heard: &Overheard<'_, Packet>, view: &View, actions: &mut Vec<Action>) {
        let (end, duration) = (heard.end(), heard.duration());
        self.gaps.measure(end, duration, view);
        if heard.is_foreign() {
            self.foreign += duration;
            return;
        }
        match (heard.kind(), &mut self.grants) {
            (FrameKind::CtsToSelf, _) => {
                self.protection = duration;
                return;
            }
            (FrameKind::CtsToOther, Some(grants)) => {
                let until = end + heard.duration_field();
                return grants.begin(until, end, view, actions);
            }
            _ => {}
        }
        let Some(station) = self.station_of(heard) else { return };
        self.peer = Some(station);
        let content = content(heard);
        let is_non_tcp = content == law::Content::Upload
            && heard.packets().any(|msdu| msdu.payload.tcp().is_none());
        let airtime = duration + std::mem::take(&mut self.protection);
        let charge = law::Charge { station: station.0, airtime, content, is_non_tcp };
        if let Some(hold) = law::charge(&self.params, &mut self.state, end, &charge) {
            actions.push(Action::Hold(NodeId(hold.station), hold.is_held));
            self.plan(end, actions);
        }
        if let Some(grants) = &mut self.grants {
            grants.charge(end, &charge);
            grants.next(end, (&self.params, self.state.level()), actions);
        }
    }

    /// Station from which a frame is, or to which it is sent; `None` for beacons.
    fn station_of(&self, heard: &Overheard<'_, Packet>) -> Option<NodeId> {
        match (heard.from(), heard.to()) {
            (Some(from), _) if !from.is_ap() => Some(from),
            (_, Some(to)) if !to.is_ap() => Some(to),
            (None, Some(_)) => self.peer,
            _ => None,
        }
    }

    fn note_data(&mut self, now: Time, station: NodeId, packet: &Packet) {
        let header = packet.tcp().zip(packet.tcp_numbers());
        let Some(((connection, flags, payload), (seq, _))) = header else { return };
        if flags.has(Flags::FIN) {
            self.uploads.forget(connection);
        } else if payload > 0 {
            law::receive(&mut self.state, station.0, payload);
            self.uploads.note_data(now, (connection, station.0), (seq, payload));
        }
    }

    /// Lowers the window in an ACK to an upload, and delays the ACK if that is not enough.
    fn limit(&mut self, now: Time, station: NodeId, packet: &Packet, actions: &mut Vec<Action>) {
        let header = packet.tcp().zip(packet.tcp_numbers());
        let Some(((connection, flags, payload), (_, ack))) = header else { return };
        let is_ack = payload == 0 && flags.without(Flags::ACE) == Flags::ACK;
        if !is_ack || self.uploads.sender(connection) != Some(station.0) {
            return;
        }
        self.uploads.note_ack(connection, ack);
        let all = self.state.window(station.0);
        let window = all.and_then(|all| self.uploads.window(now, connection, all));
        actions.extend(window.map(Action::RewriteWindow));
        let until = self.state.delay(&self.params, station.0).filter(|until| *until > now);
        actions.extend(until.map(Action::DelayPacket));
    }

    fn wake(&mut self, now: Time, view: &View, actions: &mut Vec<Action>) {
        if let Some(grants) = &mut self.grants {
            let idle = view.idle(now) - self.gaps.idle;
            grants.watch((now, idle), (&self.params, self.state.level()), view, actions);
        }
        if now >= self.next_step {
            self.gaps.measure(now, Duration::ZERO, view);
            let unused = std::mem::take(&mut self.gaps.unused);
            let foreign = std::mem::take(&mut self.foreign);
            let seen = law::Observation { now, unused, foreign, uploads: &self.uploads };
            law::step(&self.params, &mut self.state, &seen, |it| view.has_bulk(NodeId(it)));
            self.next_step = now + self.params.period;
            actions.push(Action::Wake(self.next_step));
        }
        law::release(&self.params, &mut self.state, now, |hold| {
            actions.push(Action::Hold(NodeId(hold.station), hold.is_held));
        });
        self.plan(now, actions);
    }

    /// Asks for a timer at the time at which bulk for a station need not wait any longer, unless an earlier one is due.
    fn plan(&mut self, now: Time, actions: &mut Vec<Action>) {
        let Some(at) = self.state.next_release(&self.params) else { return };
        if self.next_release.is_none_or(|planned| planned <= now || at < planned) {
            let at = at.max(now);
            self.next_release = Some(at);
            actions.push(Action::Wake(at));
        }
    }
}

fn content(heard: &Overheard<'_, Packet>) -> law::Content {
    if heard.kind() != FrameKind::Data || !heard.packets().any(|it| sends_data(&it.payload)) {
        law::Content::Other
    } else if heard.from() == Some(NodeId::AP) {
        law::Content::Download
    } else {
        law::Content::Upload
    }
}

/// True for a packet that is more than an acknowledgment, as far as its headers show it.
fn sends_data(packet: &Packet) -> bool {
    packet.tcp().is_none_or(|(_, _, payload)| payload > 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn us(us: u64) -> Duration {
        Duration::from_micros(us)
    }

    /// A member can wait for 160 µs. Of a gap of 1000 µs before a frame of 300 µs, nobody wanted 840 µs. Of the next gap,
    /// the channel was idle for 900 µs and busy for 100 µs with a frame that the access point could not decode, so it does
    /// not count. A gap of 160 µs is no longer than a wait.
    #[test]
    fn a_gap_is_unused_if_it_is_quiet_and_longer_than_a_wait() {
        let mut gaps = Gaps::default();
        let frames =
            [(1_300, 1_000, 840), (2_600, 1_900, 840), (3_060, 2_060, 840), (3_561, 2_261, 881)];
        for (end, idle, unused) in frames {
            gaps.add(Time::ZERO + us(end), us(300), us(idle), us(160));
            assert_eq!(gaps.unused, us(unused), "at {end} us");
        }
    }
}
