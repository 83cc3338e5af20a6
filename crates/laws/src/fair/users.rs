//! Users of multi-user PPDUs: an access point chooses the stations of downlink PPDUs and of triggers by the airtime that
//! they have used, in both directions and in single-user frames as well.
//!
//! ```text
//!   charge     uᵢ += duration · width / Σ width
//!   progress   V = max(V, min{uᵢ : i has data})       of each direction
//!   floor      uᵢ ≥ V − credit
//!   users      the least uᵢ first, of the stations with uᵢ ≤ V + V₀
//! ```
//!
//! A station in debt, which has used more than V₀ beyond the progress, gets no unit. The station that has used least is
//! never in debt, so that no PPDU is without users while somebody has data. A station cannot save more than a little for
//! later: its account follows the progress.
//!
//! Triggered stations keep quiet for the time of MU EDCA. After that a station in debt contends, and takes more than a unit.
//! So it gets one whenever half of that time has passed.  Deviates: [D-314]

use airfair_units::{Duration, Time};

use super::Params;
use crate::Direction;

/// Airtime of all stations, indexed by their numbers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Users {
    users: Vec<User>,
    /// V: progress of the uplink and of the downlink.
    progress: [Duration; 2],
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct User {
    /// uᵢ: airtime of the station.
    used: Duration,
    /// Time at which the station has last sent data that it was triggered for.
    triggered: Option<Time>,
}

/// PPDU whose users are to be chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Due {
    /// Time of the choice.
    pub now: Time,
    /// Direction of the data.
    pub direction: Direction,
    /// Time for which a triggered station keeps quiet; `None` if it contends as usual.
    pub quiet: Option<Duration>,
}

impl Users {
    fn user(&mut self, station: u16) -> &mut User {
        let index = usize::from(station);
        if index >= self.users.len() {
            self.users.resize(index + 1, User::default());
        }
        &mut self.users[index]
    }

    /// Charges a station for its part of the airtime of a frame.
    pub fn charge(&mut self, station: u16, airtime: Duration) {
        self.user(station).used += airtime;
    }

    /// Notes that a station has sent data that it was triggered for.
    pub fn note_triggered(&mut self, now: Time, station: u16) {
        self.user(station).triggered = Some(now);
    }

    /// Orders stations with data by their turns, and removes those in debt.
    pub fn choose(&mut self, params: &Params, due: &Due, stations: &mut Vec<u16>) {
        let progress = self.advance(params, due.direction, stations);
        let most = progress + params.debt;
        let user = |station: &u16| self.users[usize::from(*station)];
        let is_in_debt = |it: &u16| user(it).used > most;
        let must_stay_quiet = |it: &u16| is_in_debt(it) && user(it).is_loud_soon(due);
        stations.retain(|it| !is_in_debt(it) || must_stay_quiet(it));
        stations.sort_by_key(|it| (!must_stay_quiet(it), user(it).used));
    }

    /// Brings the progress of a direction up to date, and the accounts of the stations that have data. Returns it.
    fn advance(&mut self, params: &Params, direction: Direction, stations: &[u16]) -> Duration {
        let place = direction as usize;
        let floor = self.progress[place].saturating_sub(params.credit);
        let raised = stations.iter().map(|station| {
            let used = &mut self.user(*station).used;
            *used = floor.max(*used);
            *used
        });
        let least = raised.min().unwrap_or_default();
        self.progress[place] = self.progress[place].max(least);
        self.progress[place]
    }
}

impl User {
    /// True if the station would soon contend unless it is triggered.
    fn is_loud_soon(&self, due: &Due) -> bool {
        let half_over = |quiet: Duration| {
            self.triggered.is_none_or(|at| due.now.saturating_since(at) * 2 >= quiet)
        };
        due.direction == Direction::Up && due.quiet.is_some_and(half_over)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ms(ms: u64) -> Duration {
        Duration::from_millis(ms)
    }

    fn charged(used: &[u64]) -> Users {
        let mut users = Users::default();
        (0..).zip(used).for_each(|(station, it)| users.charge(station, ms(*it)));
        users
    }

    fn choose(users: &mut Users, direction: Direction, stations: &[u16]) -> Vec<u16> {
        choose_quiet(users, &Due { now: Time::ZERO, direction, quiet: None }, stations)
    }

    fn choose_quiet(users: &mut Users, due: &Due, stations: &[u16]) -> Vec<u16> {
        let mut chosen = stations.to_vec();
        users.choose(&Params::default(), due, &mut chosen);
        chosen
    }

    fn used(users: &Users) -> Vec<Duration> {
        users.users.iter().map(|it| it.used).collect()
    }

    /// Four stations have used 7, 3, 9 and 4 ms. The least is 3 ms, and 3 + 5 = 8 ms are allowed. A station that is alone
    /// is served whatever it has used.
    #[test]
    fn the_least_used_come_first_and_those_in_debt_wait() {
        let mut users = charged(&[7, 3, 9, 4]);
        assert_eq!(choose(&mut users, Direction::Up, &[0, 1, 2, 3]), [1, 3, 0]);
        assert_eq!(choose(&mut users, Direction::Up, &[2]), [2]);
        assert_eq!(choose(&mut users, Direction::Down, &[]), []);
    }

    /// A single-user frame of 8 ms puts a station in debt that was equal. It waits until the others have used 3 ms more.
    #[test]
    fn single_user_frames_count() {
        let mut users = charged(&[20, 20, 20]);
        users.charge(0, ms(8));
        assert_eq!(choose(&mut users, Direction::Up, &[0, 1, 2]), [1, 2]);
        (1..3).for_each(|it| users.charge(it, ms(3)));
        assert_eq!(choose(&mut users, Direction::Up, &[0, 1, 2]), [1, 2, 0]);
    }

    /// Two stations have reached 100 ms. A new station begins 10 ms behind them, and does not make them wait, since they
    /// are not beyond the progress of 100 ms. After its first millisecond it is at 91 ms.
    #[test]
    fn little_airtime_can_be_saved() {
        let mut users = charged(&[100, 102, 0]);
        assert_eq!(choose(&mut users, Direction::Down, &[0, 1]), [0, 1]);
        assert_eq!(choose(&mut users, Direction::Down, &[0, 1, 2]), [2, 0, 1]);
        users.charge(2, ms(1));
        assert_eq!(used(&users), [ms(100), ms(102), ms(91)]);
    }

    /// Both directions have one account: after an upload of 6 ms, a download of the same station waits.
    #[test]
    fn uploads_count_for_downloads() {
        let mut users = charged(&[0, 0]);
        assert_eq!(choose(&mut users, Direction::Up, &[0]), [0]);
        users.charge(0, ms(6));
        assert_eq!(choose(&mut users, Direction::Down, &[0, 1]), [1]);
    }

    /// Three stations with data, of which two have a unit in each PPDU of 3 ms, and one of which sends 1 ms alone between:
    /// after 200 PPDUs none is further from the others than V₀ and one PPDU.
    #[test]
    fn accounts_stay_equal_beside_frames_that_nobody_has_chosen() {
        let mut users = Users::default();
        for _ in 0..200 {
            users.charge(0, ms(1));
            let chosen = choose(&mut users, Direction::Up, &[0, 1, 2]);
            let served: Vec<_> = chosen.into_iter().take(2).collect();
            let each = ms(3) / served.len() as u64;
            for it in &served {
                users.charge(*it, each);
            }
        }
        let used = used(&users);
        let (least, most) = (used.iter().min().expect("three"), used.iter().max().expect("three"));
        assert!(*most - *least <= ms(8), "{used:?}");
    }

    /// With an MU EDCA timer of 40 ms, a station in debt that was triggered at 0 gets a unit of an uplink PPDU 20 ms later,
    /// before all others. In the downlink it waits.
    #[test]
    fn a_station_in_debt_is_triggered_so_that_it_keeps_quiet() {
        let mut users = charged(&[0, 50, 1]);
        users.note_triggered(Time::ZERO, 1);
        let mut at = |millis, direction| {
            let due = Due { now: Time::ZERO + ms(millis), direction, quiet: Some(ms(40)) };
            choose_quiet(&mut users, &due, &[0, 1, 2])
        };
        assert_eq!(at(19, Direction::Up), [0, 2]);
        assert_eq!(at(20, Direction::Down), [0, 2]);
        assert_eq!(at(20, Direction::Up), [1, 0, 2]);
    }
}
