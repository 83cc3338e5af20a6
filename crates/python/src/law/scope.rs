//! Scope of one call of a law: values that the node sees, and actions that the law asks for.

use std::sync::{Mutex, MutexGuard};

use airfair_sim::coupling::{Action, Link, LocalEnd, TransportEnd, View};
use airfair_sim::packet::Side;
use airfair_units::{Bytes, Duration, Time};
use pyo3::prelude::*;

use crate::settings::SettingError;

/// State of the transport at one end of a flow.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct EndState {
    pub(super) is_tcp: bool,
    pub(super) is_tfrc: bool,
    pub(super) cwnd: Option<u32>,
    pub(super) round_trip: Option<Duration>,
    pub(super) least_round_trip: Option<Duration>,
    /// Buffer of a TCP receiver.
    pub(super) buffer: Option<Bytes>,
}

/// Values that a node sees during one call of a law, and the actions that the law asks for.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scope {
    now: Time,
    ends: Vec<EndState>,
    actions: Vec<Action>,
    /// Number of calls so far, by which a packet knows whether it is the one that passes.
    calls: u64,
    has_packet: bool,
    /// Times of the law's timers that are not over, in ascending order.
    alarms: Vec<Time>,
    /// Link of a station with its access point.
    link: Option<Link>,
}

impl Scope {
    /// Fills the scope for a call at `now`.
    pub(super) fn enter(
        &mut self,
        now: Time,
        (view, ends): (&View<'_>, &[LocalEnd]),
        has_packet: bool,
    ) {
        (self.now, self.has_packet) = (now, has_packet);
        self.calls += 1;
        self.ends.clear();
        self.ends.extend(ends.iter().map(|end| match view.end(*end) {
            None => EndState { is_tcp: view.is_tcp(*end), ..EndState::default() },
            Some(transport) => EndState {
                is_tcp: transport.is_tcp(),
                is_tfrc: !transport.is_tcp(),
                // The kernel's TCP has a congestion window at both ends.
                cwnd: transport.cwnd().filter(|_| end.side == Side::Sender),
                round_trip: transport.round_trip(),
                least_round_trip: transport.least_round_trip(),
                buffer: match transport {
                    TransportEnd::TcpReceiver(_) => Some(transport.buffer()),
                    _ => None,
                },
            },
        }));
        self.actions.clear();
        if let Some(link) = &mut self.link {
            view.update(link);
        }
    }

    /// Prepares the scope for a call at `now` in the middle of an event of an access point's cell. An access point has
    /// no ends of flows.
    pub(super) fn enter_within(&mut self, now: Time) {
        (self.now, self.has_packet) = (now, false);
        self.calls += 1;
        self.actions.clear();
    }

    /// Gives the scope the link of a station.
    pub(super) fn set_link(&mut self, link: Option<Link>) {
        self.link = link;
    }

    /// Link of the station; `None` at an access point and before the start of the run.
    pub(super) fn link(&self) -> Option<&Link> {
        self.link.as_ref()
    }

    /// State of the transport at the end of a flow with this index.
    pub(super) fn end(&self, index: usize) -> EndState {
        self.ends.get(index).copied().unwrap_or_default()
    }

    /// Asks for an action.
    pub(super) fn ask(&mut self, action: Action) {
        self.actions.push(action);
    }

    /// Ends the call of a law's method. Returns the actions that the law has asked for.
    pub(super) fn leave(&mut self) -> Vec<Action> {
        self.has_packet = false;
        std::mem::take(&mut self.actions)
    }

    /// Removes the timer for `now`. Returns false if the law has set none.
    pub(super) fn take_alarm(&mut self, now: Time) -> bool {
        let is_due = self.alarms.first() == Some(&now);
        if is_due {
            self.alarms.remove(0);
        }
        is_due
    }

    /// Number of the current call.
    pub(super) fn call(&self) -> u64 {
        self.calls
    }

    /// Asks for an action on the packet that passes in the call with this number.
    pub(super) fn act_on_packet(&mut self, call: u64, action: Action) -> PyResult<()> {
        if !self.has_packet || call != self.calls {
            return Err(SettingError::new_err(
                "the packet has gone on; allowed while `packet` handles it",
            ));
        }
        self.actions.push(action);
        Ok(())
    }

    /// Time of the call.
    pub(super) fn now(&self) -> Time {
        self.now
    }

    /// Asks for a timer, unless the law has one for this time.
    pub(super) fn wake(&mut self, at: Time) {
        if let Err(place) = self.alarms.binary_search(&at) {
            self.alarms.insert(place, at);
            self.actions.push(Action::Wake(at));
        }
    }
}

/// Locks the scope that a node, its ends of flows and its packets share.
pub(super) fn locked(scope: &Mutex<Scope>) -> MutexGuard<'_, Scope> {
    scope.lock().expect("nobody panics with it")
}

/// Time `by` after `now`, or the latest time of all. The world refuses times that no run reaches.
pub(super) fn later(now: Time, by: Duration) -> Time {
    Time::from_nanos(now.as_nanos().saturating_add(by.as_nanos()))
}
