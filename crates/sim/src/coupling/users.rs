//! Agents of an access point that choose the stations of its multi-user PPDUs.

use airfair_units::Time;
use airfair_wlan::{NodeId, UserScheduler, UsersDue, UsersServed};

pub use airfair_laws::multi_user::{Backlog, Candidate, Urgency};

use super::Agent;

/// Agents of an access point, while the world lends them to its cell.
#[derive(Debug)]
pub(crate) struct Schedulers(pub(crate) Vec<Agent>);

impl UserScheduler for Schedulers {
    /// Asks all agents in turn. The last one that chooses decides.
    ///
    /// # Panics
    /// If an agent makes a choice that is not allowed.
    fn choose(&mut self, now: Time, due: &UsersDue<'_>, users: &mut Vec<NodeId>) -> bool {
        let mut is_chosen = false;
        for agent in &mut self.0 {
            let mut own = Vec::new();
            let is_own = match agent {
                Agent::Fair(agent) => agent.choose_users(now, due, &mut own),
                Agent::Custom(agent) => agent.choose_users(now, due, &mut own),
                _ => false,
            };
            if is_own {
                let checked = due.check(&own);
                assert!(checked.is_ok(), "{agent:?} chooses {own:?}: {checked:?}");
                (*users, is_chosen) = (own, true);
            }
        }
        is_chosen
    }

    fn note_served(&mut self, now: Time, served: &UsersServed<'_>) {
        for agent in &mut self.0 {
            match agent {
                Agent::Fair(agent) => agent.note_served(now, served),
                Agent::Custom(agent) => agent.note_served(now, served),
                _ => {}
            }
        }
    }
}
