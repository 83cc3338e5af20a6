//! Agents from outside of this crate.
//!
//! An agent that implements [`CustomAgent`] observes and acts as the agents of the built-in schemes do: it sees what its
//! node can see, and asks for [`Action`]s. [`World::add_agent`](crate::world::World::add_agent) puts it at a node. A world
//! without such agents pays nothing for the possibility.

use std::fmt;

use airfair_units::Time;
use airfair_wlan::{NodeId, UsersDue, UsersServed};

use super::{Action, Seen, View};

/// Agent that is written outside of this crate and runs at one station or access point.
///
/// The world calls [`handle`](Self::handle) for each event that the node sees, and applies the actions before the next
/// agent of the node, or the next event, has its turn. Frames and packets come only after the agent has asked for them,
/// by [`Action::Listen`] and [`Action::WatchPackets`].
pub trait CustomAgent: fmt::Debug + Send + Sync {
    /// Handles an event that the agent's node sees, and appends the actions that the agent asks for.
    ///
    /// [`View::check`] says whether an action is allowed.
    fn handle(&mut self, now: Time, seen: &Seen<'_>, view: &View<'_>, actions: &mut Vec<Action>);

    /// Chooses the stations of the access point's next multi-user PPDU, as
    /// [`UserScheduler::choose`](airfair_wlan::UserScheduler::choose) does. Called after [`Action::ScheduleUsers`], in
    /// the middle of an event of the cell, so that there is no view and no other action.
    ///
    /// [`UsersDue::check`] says whether a choice is allowed.
    fn choose_users(&mut self, _now: Time, _due: &UsersDue<'_>, _users: &mut Vec<NodeId>) -> bool {
        false
    }

    /// Notes a PPDU of the access point with data, or one that it has triggered, that is settled. Called after
    /// [`Action::ScheduleUsers`].
    fn note_served(&mut self, _now: Time, _served: &UsersServed<'_>) {}

    /// Copy of the agent with its state, for a copy of its world.
    fn copy(&self) -> Box<dyn CustomAgent>;
}

impl Clone for Box<dyn CustomAgent> {
    fn clone(&self) -> Self {
        self.copy()
    }
}
