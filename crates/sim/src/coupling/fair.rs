//! Agent of an access point that gives its stations equal airtime in both directions.

mod grants;

use airfair_laws::{Direction, fair as law};
use airfair_transport::tcp::Flags;
use airfair_units::{Bytes, Duration, Time};
use airfair_wlan::{FrameKind, Listen, NodeId, Overheard, UsersDue, UsersServed};

use grants::Grants;

use super::{Action, Home, Passage, Seen, View};
use crate::packet::Packet;

/// Agent of an access point that gives its stations equal airtime.
#[derive(Clone, Debug)]
pub(crate) struct Agent {
    params: law::Params,
    state: law::State,
    uploads: law::Uploads,
    /// End of the last frame that the access point has sent or decoded, and time for which the channel had been idle then.
    last_frame: (Time, Duration),
    /// Time for which the channel had been idle at the last update.
    idle: Duration,
    /// Accounts that choose the users of PPDUs; `None` if each PPDU has one user.
    users: Option<law::users::Users>,
    /// Time of the next update of the level.
    next_step: Time,
    /// Time of the earliest timer at which bulk for a station need not wait any longer.
    next_release: Option<Time>,
    /// Station with which the access point has exchanged the last frame. A frame that does not name its transmitter is
    /// from that station.
    peer: Option<NodeId>,
    /// Duration of a CTS-to-self, whose data follows.
    protection: Duration,
    /// True from the contention for the channel until its first frame has been charged.
    is_new_access: bool,
    /// Grants of time; `None` if the access point gives none.
    grants: Option<Grants>,
}

impl Agent {
    pub(super) fn at(home: &Home) -> Option<Self> {
        let params = home.access_point.fair?;
        Some(Self {
            params,
            state: law::State::default(),
            uploads: law::Uploads::default(),
            last_frame: (Time::ZERO, Duration::ZERO),
            idle: Duration::ZERO,
            users: None,
            next_step: Time::ZERO + params.period,
            next_release: None,
            peer: None,
            protection: Duration::ZERO,
            is_new_access: false,
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
                self.users = view.has_multi_user().then(law::users::Users::default);
                actions.extend(self.users.is_some().then_some(Action::ScheduleUsers));
                // The access point chooses who sends, so nobody has to be slowed down.
                let slows = !view.has_triggers();
                self.params.holds &= slows;
                self.params.windows &= slows;
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
        self.is_new_access |= self.follows_contention(heard, view);
        self.last_frame = (end, view.idle(end));
        if heard.is_foreign() {
            let gaps = self.take_gaps();
            law::charge_foreign(&mut self.state, duration, gaps);
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
        // A frame to several stations has no peer, nor have the CTS frames that answer it.
        self.peer = self.station_of(heard);
        let Some(station) = self.peer else { return };
        let content = content(heard);
        let is_non_tcp = content == law::Content::Upload
            && heard.packets().any(|msdu| msdu.payload.tcp().is_none());
        let airtime = heard.airtime() + std::mem::take(&mut self.protection);
        if let Some(users) = &mut self.users {
            users.charge(station.0, airtime);
        }
        let charge = law::Charge {
            station: station.0,
            airtime,
            content,
            is_non_tcp,
            is_aggregate: heard.packets().nth(1).is_some(),
            gaps: self.take_gaps(),
        };
        if let Some(hold) = law::charge(&self.params, &mut self.state, end, &charge) {
            actions.push(Action::Hold(NodeId(hold.station), hold.is_held));
            self.plan(end, actions);
        }
        if let Some(grants) = &mut self.grants {
            grants.charge(end, &charge);
            grants.next(end, (&self.params, self.state.level()), actions);
        }
    }

    /// True if the sender of a frame has contended before it: the channel has been idle for more than a SIFS, with or without
    /// frames that the access point could not decode.
    fn follows_contention(&self, heard: &Overheard<'_, Packet>, view: &View) -> bool {
        let since_last = heard.end().saturating_since(self.last_frame.0);
        since_last > heard.duration() + view.airtime().timing.sifs
    }

    /// Gaps before a frame: contention if it is the first of an access to the channel, or else a SIFS.
    fn take_gaps(&mut self) -> law::Gaps {
        let is_first = u32::from(std::mem::take(&mut self.is_new_access));
        law::Gaps { accesses: is_first, responses: 1 - is_first }
    }

    /// Chooses the users of a PPDU by their accounts. Returns false if the cell's law is to choose: for polls, and if the
    /// queue serves a station next that cannot be one of several users.
    pub(super) fn choose_users(
        &mut self,
        now: Time,
        due: &UsersDue<'_>,
        users: &mut Vec<NodeId>,
    ) -> bool {
        let Some(accounts) = &mut self.users else { return false };
        let mut stations: Vec<u16> = due.candidates().map(|it| it.station).collect();
        if due.is_poll || due.first().is_some_and(|first| !stations.contains(&first.0)) {
            return false;
        }
        let &UsersDue { direction, quiet, most, .. } = due;
        let due = law::users::Due { now, direction, quiet };
        accounts.choose(&self.params, &due, &mut stations);
        users.extend(stations.into_iter().take(most.into()).map(NodeId));
        true
    }

    /// Notes stations that have answered a trigger.
    pub(super) fn note_served(&mut self, now: Time, served: &UsersServed<'_>) {
        let Some(accounts) = &mut self.users else { return };
        let has_answered = |octets: Bytes| served.direction == Direction::Up && !octets.is_zero();
        for it in served.served.iter().filter(|it| has_answered(it.octets)) {
            accounts.note_triggered(now, it.station);
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
            let idle = view.idle(now) - self.last_frame.1;
            grants.watch((now, idle), (&self.params, self.state.level()), view, actions);
        }
        if now >= self.next_step {
            let all_idle = view.idle(now);
            let idle = all_idle - std::mem::replace(&mut self.idle, all_idle);
            let sifs = view.airtime().timing.sifs;
            let seen = law::Observation { now, idle, gap: gap(view), sifs };
            law::step(&self.params, &mut self.state, &seen, |it| law::Demand {
                has_bulk: view.has_bulk(NodeId(it)),
                uploads: self.uploads.of(it, now),
            });
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

/// Mean idle time before an access to the channel: DIFS and half of the smallest contention window.
fn gap(view: &View) -> Duration {
    let timing = &view.airtime().timing;
    timing.difs + timing.slot * u64::from(timing.cw_min) / 2
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
