//! Scheduler of the cell's owner, which may choose the stations of a multi-user PPDU instead of the cell's law.
//!
//! The choice is due in the middle of an event: an access point that goes on in its TXOP has just settled the exchange
//! before. A cell that stopped there, to go on with the owner's answer, would need a second way through
//! [`air`](crate::air). So the owner lends the scheduler to the cell for the time of an event, and the cell gives it
//! back; between events the cell has none, and a copy of the cell needs none.

use std::any::Any;
use std::fmt::Debug;

use airfair_laws::Direction;
use airfair_laws::multi_user::{Backlog, Candidate, Served, Split};
use airfair_units::{Bytes, Duration, Time};

use crate::node::NodeId;
use crate::phy::Width;

/// Scheduler of the users of an access point's PPDUs, which the owner of a cell
/// [lends](crate::Cell::lend) to it.
pub trait UserScheduler: Any + Debug + Send + Sync {
    /// Chooses the stations of the next PPDU, in the order in which they are served, and writes them into `users`,
    /// which is empty. Returns false to leave the choice to the cell's law. [`UsersDue::check`] has to allow the choice.
    fn choose(&mut self, now: Time, due: &UsersDue<'_>, users: &mut Vec<NodeId>) -> bool;

    /// Notes a PPDU with data that is settled, at the end of its exchange.
    fn note_served(&mut self, now: Time, served: &UsersServed<'_>);
}

/// Observation of an access point that has won the channel and may send to several stations, or trigger them.
#[derive(Clone, Copy, Debug)]
pub struct UsersDue<'a> {
    /// Direction of the data.
    pub direction: Direction,
    /// True if the stations are polled for buffer reports, before they are triggered for data.
    pub is_poll: bool,
    /// Largest number of stations in the PPDU.
    pub most: u16,
    /// Width of the channel.
    pub width: Width,
    /// Time for which a station keeps quiet after it has sent data that it was triggered for; `None` without MU EDCA.
    pub quiet: Option<Duration>,
    /// Divisions of the channel, from the one with the most units to the undivided channel.
    pub splits: &'a [Split],
    /// Stations with data, and others that the queue serves alone.
    pub(super) stations: &'a [Candidate],
}

/// PPDU with data that was settled.
#[derive(Clone, Copy, Debug)]
pub struct UsersServed<'a> {
    /// Direction of the data.
    pub direction: Direction,
    /// Duration of the PPDU.
    pub duration: Duration,
    /// Part of each station. The octets of a single-user PPDU are not counted.
    pub served: &'a [Served],
    /// True for a single-user PPDU.
    pub is_single: bool,
}

/// Choice of users that is not allowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UsersRefused {
    /// The station is not among the candidates.
    NoCandidate(NodeId),
    /// The station is in the list twice.
    Twice(NodeId),
    /// There are more stations than this largest number of a PPDU.
    TooMany(u16),
    /// Nobody is chosen for a trigger frame, for which the access point has won the channel.
    Nobody,
}

impl<'a> UsersDue<'a> {
    /// Stations that may share the PPDU: they have data, or may have some, and can be one of several users.
    pub fn candidates(&self) -> impl Iterator<Item = &'a Candidate> + use<'a> {
        let is_empty = |it: &Candidate| it.backlog == Backlog::Octets(Bytes::ZERO);
        self.stations.iter().filter(move |it| it.is_multi_user && !is_empty(it))
    }

    /// Station that the queue serves next if nobody else is chosen; `None` for the uplink. It need not be a candidate.
    pub fn first(&self) -> Option<NodeId> {
        let first = self.stations.first().filter(|_| self.direction == Direction::Down);
        first.map(|it| NodeId(it.station))
    }

    /// Checks a choice of stations.
    ///
    /// # Errors
    /// The reason, if the choice is not allowed.
    pub fn check(&self, users: &[NodeId]) -> Result<(), UsersRefused> {
        if users.len() > usize::from(self.most) {
            return Err(UsersRefused::TooMany(self.most));
        }
        if users.is_empty() && self.direction == Direction::Up {
            return Err(UsersRefused::Nobody);
        }
        for (place, user) in users.iter().enumerate() {
            if users[..place].contains(user) {
                return Err(UsersRefused::Twice(*user));
            }
            let is_alone = users.len() == 1 && self.first() == Some(*user);
            if !is_alone && self.candidates().all(|it| it.station != user.0) {
                return Err(UsersRefused::NoCandidate(*user));
            }
        }
        Ok(())
    }

    /// True if there is more than one station to serve.
    pub(super) fn has_choice(&self) -> bool {
        let candidates = || self.candidates().map(|it| NodeId(it.station));
        let others = candidates().filter(|it| self.first() != Some(*it));
        others.take(2).count() + usize::from(self.first().is_some()) > 1
    }
}

/// Scheduler that a cell has during an event, with its last choice.
#[derive(Debug, Default)]
pub(super) struct Lent {
    pub(super) scheduler: Option<Box<dyn UserScheduler>>,
    pub(super) users: Vec<NodeId>,
    /// True if the scheduler has made the last choice, and not the cell's law.
    pub(super) has_chosen: bool,
}

/// A copy has no scheduler: a cell is copied between events.
impl Clone for Lent {
    fn clone(&self) -> Self {
        assert!(self.scheduler.is_none(), "a cell is copied between events");
        Self::default()
    }
}

impl Lent {
    /// Notes a PPDU with data that is settled. A trigger frame that nobody was to answer has none.
    pub(super) fn note_served(&mut self, now: Time, served: &UsersServed<'_>) {
        if let Some(scheduler) = self.scheduler.as_mut().filter(|_| !served.served.is_empty()) {
            scheduler.note_served(now, served);
        }
    }
}
