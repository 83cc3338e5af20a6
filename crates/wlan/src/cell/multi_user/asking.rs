//! Questions of an access point to the scheduler of the cell's owner.

use airfair_laws::Direction;
use airfair_laws::multi_user::{Candidate, Served};
use airfair_units::{Bytes, Duration, Time};

use super::edca::MuEdcaTimers;
use super::lent::{UserScheduler, UsersDue, UsersServed};
use super::schedule::MultiUserMac;
use crate::node::NodeId;
use crate::phy::Unit;

impl MultiUserMac {
    /// Takes a scheduler for the time of an event.
    pub(crate) fn lend(&mut self, scheduler: Box<dyn UserScheduler>) {
        self.lent.scheduler = Some(scheduler);
    }

    /// Returns the scheduler at the end of the event.
    pub(crate) fn take_back(&mut self) -> Option<Box<dyn UserScheduler>> {
        self.lent.scheduler.take()
    }

    /// Asks the owner's scheduler for the stations of the next PPDU, if there is one and more than one station to
    /// choose. Returns true if it has chosen.
    pub(super) fn ask_owner(&mut self, now: Time, direction: Direction) -> bool {
        self.lent.has_chosen = false;
        let Some(scheduler) = &mut self.lent.scheduler else { return false };
        let due = UsersDue {
            direction,
            is_poll: direction == Direction::Up && self.ofdma.poll && !self.is_polled,
            most: self.ofdma.users,
            width: self.width,
            quiet: self.edca.as_ref().map(MuEdcaTimers::duration),
            splits: &self.offered,
            stations: &self.candidates,
        };
        self.lent.users.clear();
        self.lent.has_chosen =
            due.has_choice() && scheduler.choose(now, &due, &mut self.lent.users);
        self.lent.has_chosen
    }

    /// Serves at most one station in the downlink, which the owner's scheduler has chosen. It has the widest unit that
    /// fits. Returns `None` if nobody is chosen, or the station that the queue serves next in a single-user PPDU.
    pub(super) fn serve_alone(
        &mut self,
        fits: impl Fn(&Self, Unit, &Candidate) -> bool,
    ) -> Option<Unit> {
        self.granted.clear();
        let user = self.lent.users.first()?;
        let place = self.candidates.iter().position(|it| it.station == user.0)?;
        if place == 0 {
            return None;
        }
        self.granted.push(place);
        let candidate = &self.candidates[place];
        self.units.iter().rev().copied().find(|unit| fits(self, *unit, candidate))
    }

    /// Notes a single-user PPDU of this duration, which is settled.
    pub(super) fn note_single_user(&mut self, now: Time, to: NodeId, duration: Duration) {
        let tones = self.splits.last().map_or(1, |whole| whole.tones);
        let served = &[Served { station: to.0, tones, octets: Bytes::ZERO }];
        let direction = Direction::Down;
        self.lent.note_served(now, &UsersServed { direction, duration, served, is_single: true });
    }
}
