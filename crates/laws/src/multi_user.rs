//! Multi-user scheduler: the stations that share a PPDU of an access point, each with an equal part of the
//! channel's width.
//!
//! Source: ns-3's scheduler [ns3-multi-user §`UpdateCredits`, §`GetEqualSizedRusForStations`]. It divides the
//! channel into the most equal resource units of which each has a user, and the other stations wait. The
//! central 26-tone units stay empty. Which stations have a unit depends on the [`Policy`]:
//!
//! ```text
//!  policy             served first                                   source
//!  round robin        the highest credit                             [ns3-multi-user §`UpdateCredits`]
//!  proportional fair  the highest rate by its average throughput     [tse-2005 §6.7.1]
//!  largest backlog    the longest queue                              [tassiulas-1993 §Abstract]
//!  deadline           the packet nearest to its deadline             [liu-1973 §7]
//! ```
//!
//! Every PPDU of duration T gives each of N stations the credit T/N, and takes T · width / Σ width from the
//! stations that it serves. Equal credits are equal products of time and width, which is airtime fairness.
//! Credits order the stations, too, that are equal by another policy or have no deadline. Of equal credits the
//! one is first that has not been served for the longest time.  Deviates: [D-223]
//!
//! A credit has an upper bound, but no lower one. While a station has nothing to send, its credit grows to the
//! bound and those of the others fall. Round robin then serves it in every PPDU until they are equal.
//!
//! Uplink and downlink are two states of the same law: buffer reports are the backlogs of the uplink, and
//! [`triggered_duration`] is the length of its PPDUs. The state is updated in place, because a PPDU changes
//! only the stations that it serves. [`Order`] is a buffer of the caller, so that a step allocates nothing.

mod backlog;
mod credits;
mod delivery;
mod observation;
mod params;
mod streams;
mod throughputs;

use airfair_units::Duration;

pub use backlog::{Backlog, triggered_duration};
use credits::Credits;
pub use delivery::{Delivery, is_multi_user_better};
pub use observation::{Candidate, Observation, Served, Split, Urgency};
pub use params::{Params, Policy};
pub use streams::{MOST_STREAMS, share_streams};
use throughputs::Throughputs;

/// Decision about the next PPDU.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// No station has data.
    Nothing,
    /// A PPDU with the whole width for this station alone.
    SingleUser(u16),
    /// A PPDU with this split, whose units go to the stations of [`Order::assignments`].
    MultiUser(Split),
}

/// Unit of a split that a station has in a PPDU.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Assignment {
    /// Number of the station in its cell.
    pub station: u16,
    /// Index of the station in [`Observation::candidates`].
    pub candidate: u16,
    /// Place of the unit in the split, from 0.
    pub unit: u16,
}

/// Order in which candidates are served: a buffer that the caller keeps and reuses.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Order(Vec<Ranked>);

impl Order {
    /// Assignments of the last step, one for each unit; none if it has not returned [`Action::MultiUser`].
    pub fn assignments(&self) -> impl Iterator<Item = Assignment> + '_ {
        (0..).zip(&self.0).map(|(unit, it)| Assignment {
            station: it.station,
            candidate: it.candidate,
            unit,
        })
    }
}

/// Candidate with all that decides about its turn, in the order of its significance.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Ranked {
    /// Rank by the policy; the lowest is served first.
    rank: u64,
    /// Negative credit of the station [ns].
    debt: i64,
    /// Number of the PPDU that has served the station last.
    last: u64,
    candidate: u16,
    station: u16,
}

/// State of the multi-user scheduler in one direction: credits and average throughputs of all stations.
#[derive(Clone, Debug, PartialEq)]
pub struct State {
    credits: Credits,
    throughputs: Throughputs,
}

impl State {
    /// State of a cell in which no PPDU has been sent, with stations from 0 to `stations` - 1.
    pub fn new(stations: u16) -> Self {
        Self { credits: Credits::new(stations), throughputs: Throughputs::new(stations) }
    }

    /// Credit of a station, negative if it has used more than its share [ns].
    pub fn credit(&self, params: &Params, station: u16) -> i64 {
        self.credits.of(params, station)
    }

    /// Average throughput of a station in the time of PPDUs [bit/s]. Proportional fairness alone measures it.
    pub fn throughput(&self, params: &Params, station: u16) -> f64 {
        self.throughputs.of(params, station)
    }

    fn ranked(&self, params: &Params, candidate: u16, it: &Candidate) -> Ranked {
        let rank = match params.policy {
            Policy::RoundRobin => 0,
            Policy::ProportionalFair => self.throughputs.rank(it),
            Policy::LargestBacklog => it.backlog.rank(params),
            Policy::Deadline => deadline_rank(params, it),
        };
        let debt = -self.credits.of(params, it.station);
        Ranked { rank, debt, last: self.credits.last(it.station), candidate, station: it.station }
    }
}

/// Rank of a packet whose deadline is now; a packet that is late has a lower one.
const NOW: u64 = 1 << 63;

/// Rank by the time that is left until the deadline; the packet that is late for the longest time comes first.
/// [liu-1973 §7]
fn deadline_rank(params: &Params, candidate: &Candidate) -> u64 {
    let deadline = match candidate.urgency {
        Urgency::Voice => params.voice_deadline,
        Urgency::Video => params.video_deadline,
        Urgency::Other => return u64::MAX,
    };
    (NOW + deadline.as_nanos()).saturating_sub(candidate.waiting.as_nanos())
}

/// Chooses the stations of the next PPDU, and writes them into `order`.
///
/// A station that cannot be one of several users is served alone if it is the first of the queue, and otherwise
/// waits [ns3-multi-user §`SelectTxFormat`]. A station with an empty buffer is no candidate.
///
/// # Panics
///
/// Panics if a candidate is not a station of the state.
pub fn step(params: &Params, state: &State, seen: &Observation<'_>, order: &mut Order) -> Action {
    let order = &mut order.0;
    order.clear();
    if let Some(first) = seen.candidates.first().filter(|it| !it.is_multi_user) {
        return Action::SingleUser(first.station);
    }
    let candidates = (0..).zip(seen.candidates);
    let able = candidates.filter(|(_, it)| it.is_multi_user && !it.backlog.is_empty());
    order.extend(able.map(|(index, it)| state.ranked(params, index, it)));
    divide(params, seen.splits, order)
}

/// Serves stations in the order in which another scheduler has chosen them, and writes those of the next PPDU into
/// `order`. The other stations wait.
///
/// # Panics
///
/// Panics if a station is no candidate.
pub fn serve(
    params: &Params,
    seen: &Observation<'_>,
    stations: impl IntoIterator<Item = u16>,
    order: &mut Order,
) -> Action {
    let ranked = |(rank, station)| {
        let found = seen.candidates.iter().position(|it| it.station == station);
        let found = found.expect("the scheduler chooses among the candidates");
        let candidate = u16::try_from(found).expect("fewer candidates than stations");
        Ranked { rank, debt: 0, last: 0, candidate, station }
    };
    order.0.clear();
    order.0.extend((0..).zip(stations).map(ranked));
    divide(params, seen.splits, &mut order.0)
}

/// Divides the channel into the most units of which each has a user. Keeps the stations that have one in `order`.
fn divide(params: &Params, splits: &[Split], order: &mut Vec<Ranked>) -> Action {
    let users = usize::from(params.max_users).min(order.len());
    let mut splits = splits.iter();
    if let Some(&split) = splits.find(|it| it.units > 1 && usize::from(it.units) <= users) {
        keep_first(order, split.units.into());
        return Action::MultiUser(split);
    }
    let first = order.iter().min().map(|it| it.station);
    order.clear();
    first.map_or(Action::Nothing, Action::SingleUser)
}

/// Keeps the first `count` in their order.
fn keep_first(order: &mut Vec<Ranked>, count: usize) {
    if order.len() > count {
        order.select_nth_unstable(count);
        order.truncate(count);
    }
    order.sort_unstable();
}

/// Accounts for a PPDU of this duration, after it was sent. A PPDU for one station has one part, of any width.
///
/// # Panics
///
/// Panics if a station is not one of the state, or if its unit has no width.
pub fn settle(params: &Params, state: &mut State, duration: Duration, served: &[Served]) {
    state.credits.settle(params, duration, served);
    if params.policy == Policy::ProportionalFair {
        state.throughputs.settle(params, duration, served);
    }
}

#[cfg(test)]
mod tests;
