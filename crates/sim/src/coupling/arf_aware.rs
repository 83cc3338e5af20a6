//! ARF-aware TCP at a station that sends.  [arf-aware-tcp §3]
//!
//! TCP learns the rate of the link in one of the two ways that the paper names: the driver notifies TCP of each
//! change, or TCP polls the rate, as with SNMP. Either way may have a delay.

use std::collections::VecDeque;

use airfair_laws::arf_aware;
use airfair_units::{DataRate, Time};

use super::{Action, Home, LocalEnd, Seen, View};
use crate::endpoint::Alarm;
use crate::packet::Side;
use crate::scenario::{ArfAware, Scheme};

/// Rate of a station's link, as the driver knows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct LinkRate {
    now: DataRate,
    highest: DataRate,
}

/// TCP sender that the agent controls.
#[derive(Clone, Debug)]
struct Connection {
    end: LocalEnd,
    settings: ArfAware,
    state: arf_aware::State,
    /// Time of the next poll of the link's rate; `None` if the driver notifies TCP of changes.
    next_reading: Option<Time>,
    /// Link rate that TCP found in its last poll.
    read: Option<LinkRate>,
    /// Notifications of link rates that have not reached TCP yet, each with its time of arrival.
    under_way: VecDeque<(Time, LinkRate)>,
}

/// Agent of a station whose TCP senders follow the rate of its link.
#[derive(Clone, Debug)]
pub(crate) struct Agent {
    connections: Vec<Connection>,
    /// Rate of the station's link; `None` before the first change of the rate.
    link: Option<LinkRate>,
    alarm: Alarm,
}

impl Agent {
    pub(super) fn at(home: &Home) -> Option<Self> {
        let connection = |&(end, flow): &(LocalEnd, &crate::scenario::Flow)| match flow.control {
            Scheme::ArfAware(settings) if end.side == Side::Sender => Some(Connection {
                end,
                settings,
                state: arf_aware::State::default(),
                next_reading: settings.poll.map(|poll| Time::ZERO + poll),
                read: None,
                under_way: VecDeque::new(),
            }),
            _ => None,
        };
        let connections: Vec<_> = home.ends.iter().filter_map(connection).collect();
        let (link, alarm) = (None, Alarm::default());
        (!connections.is_empty()).then_some(Self { connections, link, alarm })
    }

    pub(super) fn handle(
        &mut self,
        now: Time,
        seen: &Seen,
        view: &View,
        actions: &mut Vec<Action>,
    ) {
        match *seen {
            Seen::Start => {}
            Seen::Rate { rate, highest_rate } => {
                let link = LinkRate { now: rate, highest: highest_rate };
                self.link = Some(link);
                let notified = self.connections.iter_mut().filter(|it| it.settings.poll.is_none());
                notified.for_each(|it| it.note(now, link));
            }
            Seen::Timer if self.alarm.ring(now) => {
                self.connections.iter_mut().for_each(|it| it.read(now, self.link));
            }
            _ => return,
        }
        for connection in &mut self.connections {
            connection.take_notifications(now, view, actions);
        }
        let next = self.connections.iter().filter_map(Connection::next_time).min();
        actions.extend(self.alarm.want(next).map(Action::Wake));
    }
}

impl Connection {
    /// Polls the link's rate if a poll is due. A rate that has changed since the last poll becomes a notification.
    fn read(&mut self, now: Time, link: Option<LinkRate>) {
        let (Some(at), Some(poll)) = (self.next_reading, self.settings.poll) else { return };
        if at > now {
            return;
        }
        self.next_reading = Some(at + poll);
        if let Some(link) = link.filter(|_| link != self.read) {
            self.read = Some(link);
            self.note(now, link);
        }
    }

    /// Schedules the notification of TCP about a link rate, after the configured delay.
    fn note(&mut self, now: Time, link: LinkRate) {
        self.under_way.push_back((now + self.settings.notification_delay, link));
    }

    /// Time at which the agent next polls the link's rate, or next notifies TCP of a rate, whichever comes first.
    fn next_time(&self) -> Option<Time> {
        let notification = self.under_way.front().map(|(at, _)| *at);
        self.next_reading.into_iter().chain(notification).min()
    }

    /// Applies ARF-aware TCP's law to each notification that has reached TCP, and appends the resulting actions.
    fn take_notifications(&mut self, now: Time, view: &View, actions: &mut Vec<Action>) {
        while let Some(&(_, link)) = self.under_way.front().filter(|(at, _)| *at <= now) {
            self.under_way.pop_front();
            let Some(cwnd) = view.end(self.end).and_then(|it| it.cwnd()) else { continue };
            let seen = arf_aware::Observation { highest_rate: link.highest, rate: link.now, cwnd };
            let (next, action) = arf_aware::step(&self.settings.law, self.state, &seen);
            self.state = next;
            actions.push(Action::LimitWindow(self.end, action.window_limit));
            actions.extend(action.cwnd.map(|cwnd| Action::SetCwnd(self.end, cwnd)));
        }
    }
}
