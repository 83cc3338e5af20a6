//! Grants of time: an access point silences stations that TCP's windows cannot limit, for the sake of others.
//!
//! The access point counts the airtime uᵢ of each station i. If the channel has no unused time, so that the level φ is
//! below 1, and a station that sends data without TCP is more than V₀ ahead of another one, the access point grants
//! time to the one that is furthest behind:
//!
//! ```text
//!   grant to j = argmin uⱼ   while   max{uᵢ : i sends data without TCP} − uⱼ > V₀
//! ```
//!
//! The access point does not know who has something to send. A station that was done before the end of its last two
//! grants is asked, rather than served, by its next one: such grants together take at most a [fiftieth](ASKING) of the time,
//! and a station that sends nothing at all is passed over for a time that doubles with each. No station saves more
//! than the time of the level in which it may be in debt.  Deviates: [D-313]

use airfair_units::{Duration, Time};

use super::{ACTIVE, Charge, LONGEST_DEBT, Params};

/// Time from a grant that its station has not filled to the next one that asks, in times of what the former has cost.
const ASKING: u64 = 50;

/// Number of grants in succession that a station has not filled after which it is asked. One may be bad luck: after a
/// collision the station may draw a longer back-off than the access point waits for.
const ASKED: u32 = 2;

/// Airtime of all stations, indexed by their numbers.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Grants {
    users: Vec<User>,
    /// Time from which a station may be asked that has not filled its last grant.
    asks_from: Time,
}

#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct User {
    /// uᵢ: airtime of the station [s].
    used: f64,
    heard: Option<Time>,
    /// Time of the station's last frame with data without TCP.
    non_tcp: Option<Time>,
    /// Number of grants in succession that the station has not filled; at most 2 if it has sent something in the last.
    unfilled: u32,
    /// Time until which the station gets no grant.
    passed_over_until: Time,
}

/// End of a grant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Finish {
    /// The station had something to send until the end of the grant.
    Filled,
    /// The station has sent something, and was done before the end of the grant.
    Done,
    /// The station has sent nothing.
    Silent,
}

impl User {
    fn is_active(&self, now: Time) -> bool {
        self.heard.is_some_and(|at| now.saturating_since(at) < ACTIVE)
    }

    fn is_non_tcp(&self, now: Time) -> bool {
        self.non_tcp.is_some_and(|at| now.saturating_since(at) < ACTIVE)
    }
}

impl Grants {
    fn user(&mut self, station: u16) -> &mut User {
        let index = usize::from(station);
        if index >= self.users.len() {
            self.users.resize(index + 1, User::default());
        }
        &mut self.users[index]
    }

    /// Charges a station for the airtime of a frame.
    pub fn charge(&mut self, now: Time, charge: &Charge) {
        let user = self.user(charge.station);
        user.used += charge.airtime.as_secs_f64();
        user.heard = Some(now);
        if charge.is_non_tcp {
            user.non_tcp = Some(now);
        }
    }

    /// Station to which the access point grants time now, if any. `level` is φ.
    pub fn next(&mut self, params: &Params, level: f64, now: Time) -> Option<u16> {
        let active = || self.users.iter().filter(|it| it.is_active(now));
        let ahead = active().filter(|it| it.is_non_tcp(now)).map(|it| it.used).reduce(f64::max)?;
        if level >= 1.0 {
            return None;
        }
        let debt = params.debt.as_secs_f64();
        let least = active().map(|it| it.used).fold(0.0, f64::max) - LONGEST_DEBT * level - debt;
        let asks = self.asks_from <= now;
        for user in &mut self.users {
            user.used = user.used.max(least);
        }
        let is_served = |it: &User| {
            it.is_active(now) && it.passed_over_until <= now && (it.unfilled < ASKED || asks)
        };
        let served = (0..).zip(&self.users).filter(|(_, it)| is_served(it));
        let order = |it: &User, other: &User| {
            let by_use = it.used.total_cmp(&other.used);
            by_use.then(it.passed_over_until.cmp(&other.passed_over_until))
        };
        let (station, behind) = served.min_by(|(_, it), (_, other)| order(it, other))?;
        (ahead - behind.used > debt).then_some(station)
    }

    /// Ends the grant of a station. `cost` is the time in which nothing was sent because of the grant.
    pub fn finish(
        &mut self,
        params: &Params,
        now: Time,
        (station, cost): (u16, Duration),
        finish: Finish,
    ) {
        let user = self.user(station);
        user.unfilled = match finish {
            Finish::Filled => 0,
            Finish::Done => (user.unfilled + 1).min(ASKED),
            Finish::Silent => (user.unfilled + 1).min(16),
        };
        if finish == Finish::Silent {
            user.passed_over_until = now + (params.grant * (1 << user.unfilled)).min(ACTIVE);
        }
        if finish != Finish::Filled {
            self.asks_from = now + cost * ASKING;
        }
    }
}

#[cfg(test)]
mod tests;
