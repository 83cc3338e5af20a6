//! Minstrel-HT's sampling: aggregates that try a rate other than the selected ones.

use airfair_units::{Duration, Time};

use super::params::Params;
use super::rates::{Choice, Group, GroupedRate};
use super::statistics::{Statistics, percent};

/// Largest number of rates that wait to be sampled, per kind of sample.
const WAITING: usize = 5;
/// Number of random orders in which the rates of a group are sampled.
const ORDERS: usize = 10;

/// Kind of a sample, by the rate that is tried.
#[derive(Clone, Copy, Debug)]
enum Kind {
    /// Sample of a rate faster than the best rate: the slowest such rate of a group.
    Next,
    /// Sample of any rate that is faster than all selected rates.
    Any,
    /// Sample of any rate that is between the fastest and the slowest selected rate.
    Slow,
}

/// Order in which the kinds of samples take turns.  [linux-minstrel-ht §`minstrel_sample_seq`]
const TURNS: [Kind; 6] = [Kind::Next, Kind::Any, Kind::Next, Kind::Any, Kind::Next, Kind::Slow];

/// State of Minstrel-HT's sampling: rates to sample, and the time of the next sample.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Samples {
    /// Rates to sample, by kind (next, any, slow), in the order in which they are tried.
    waiting: [[Option<u16>; WAITING]; 3],
    /// Index in [`TURNS`] of the kind of the next sample.
    turn: u8,
    /// Group of the last rate that was chosen for sampling: for the kind *next*, the slowest rate that is faster
    /// than the best one, and for the kind *any*, a random rate that is faster than all selected ones.
    last_group: [u16; 2],
    /// Random orders in which the rates of a group are sampled, one after the other, as positions in the group.
    orders: Vec<u8>,
    /// Length of each random order: number of rates in the largest group.
    places: usize,
    /// Time of the next sample.
    due: Time,
}

impl Samples {
    /// Creates the samples of a link, with random orders drawn as Linux does at its start.
    /// [linux-minstrel-ht §`init_sample_table`]
    pub(super) fn new(groups: &[Group], mut draw: impl FnMut() -> u32) -> Self {
        let places = groups.iter().map(|group| group.levels().len()).max().unwrap_or(0);
        let mut orders = Vec::with_capacity(ORDERS * places);
        for _ in 0..ORDERS {
            let mut order = vec![None; places];
            for place in 0..places {
                let drawn = usize::try_from(draw()).expect("32 bits") % places;
                let free = (0..places).map(|step| (place + drawn + step) % places);
                let slot = free.into_iter().find(|slot| order[*slot].is_none());
                order[slot.expect("a place for each")] = u8::try_from(place).ok();
            }
            orders.extend(
                order.into_iter().map(|place| place.expect("at most 256 rates in a group")),
            );
        }
        let waiting = [[None; WAITING]; 3];
        Self { waiting, turn: 0, last_group: [0; 2], orders, places, due: Time::ZERO }
    }

    /// Makes the next sample due at `now`.
    pub(super) fn make_due(&mut self, now: Time) {
        self.due = now;
    }

    /// Returns the rate to sample, if a sample is due and the kind whose turn it is has a rate.
    /// [linux-minstrel-ht §`minstrel_ht_get_sample_rate`]
    pub(super) fn take(&mut self, params: &Params, now: Time) -> Option<u16> {
        if now < self.due {
            return None;
        }
        self.due = now + params.sample_interval;
        let kind = TURNS[usize::from(self.turn)];
        self.turn = (self.turn + 1) % 6;
        self.waiting[kind as usize].iter_mut().find_map(Option::take)
    }

    /// Updates the lists of rates to sample: removes rates that no longer belong to their kind, and adds new
    /// ones. [linux-minstrel-ht §`minstrel_ht_refill_sample_rates`]
    pub(super) fn refill(
        &mut self,
        rates: &[GroupedRate],
        statistics: &[Statistics],
        groups: &mut [Group],
        choice: Choice,
    ) {
        let of = |level: u16| rates[usize::from(level)].time;
        let chosen = [choice.best[0], choice.best[1], choice.probable].map(of);
        let [fast, slow] = [chosen.iter().min(), chosen.iter().max()].map(|it| *it.expect("three"));
        self.keep(Kind::Next, |level| of(level) < fast);
        self.keep(Kind::Any, |level| of(level) < fast);
        self.keep(Kind::Slow, |level| of(level) > fast && of(level) < slow);
        let bounds = Bounds { best: chosen[0], fast, slow };
        while self.has_room(Kind::Next) && self.add_next(rates, groups, &bounds) {}
        while self.has_room(Kind::Any) && self.add_any(rates, statistics, groups, &bounds) {}
    }

    fn keep(&mut self, kind: Kind, is_valid: impl Fn(u16) -> bool) {
        let list = &mut self.waiting[kind as usize];
        for place in list.iter_mut() {
            *place = place.filter(|level| is_valid(*level));
        }
        // The sort is stable, so the order of the rates stays.
        list.sort_by_key(Option::is_none);
    }

    fn has_room(&self, kind: Kind) -> bool {
        self.waiting[kind as usize].contains(&None)
    }

    fn waits(&self, kind: Kind, level: u16) -> bool {
        self.waiting[kind as usize].contains(&Some(level))
    }

    fn add(&mut self, kind: Kind, level: u16) {
        let free = self.waiting[kind as usize].iter_mut().find(|place| place.is_none());
        *free.expect("room was asked for") = Some(level);
    }

    /// Adds a rate to the list of kind *next*: the slowest that is faster than the best rate, of the next
    /// group with such a rate not yet in the list. [linux-minstrel-ht §`minstrel_ht_next_inc_rate`]
    fn add_next(&mut self, rates: &[GroupedRate], groups: &[Group], bounds: &Bounds) -> bool {
        for _ in groups {
            let group = self.next_group(Kind::Next, groups.len());
            let faster = first_faster(rates, &groups[group], bounds.best);
            if let Some(level) = faster.filter(|level| !self.waits(Kind::Next, *level)) {
                self.add(Kind::Next, level);
                return true;
            }
        }
        false
    }

    /// Adds a rate to the list of kind *any*: a random one that is faster than all selected ones, of the next
    /// group with such a rate not yet in the list. Slower candidates found meanwhile are added as kind
    /// *slow*. [linux-minstrel-ht §`minstrel_ht_next_jump_rate`]
    fn add_any(
        &mut self,
        rates: &[GroupedRate],
        statistics: &[Statistics],
        groups: &mut [Group],
        bounds: &Bounds,
    ) -> bool {
        for _ in 0..groups.len() {
            let group = self.next_group(Kind::Any, groups.len());
            let group = &mut groups[group];
            let has_room = self.has_room(Kind::Slow);
            let longest = if has_room { bounds.slow } else { bounds.fast };
            let from = first_faster(rates, group, longest);
            let Some(level) = from.and_then(|from| self.next_of(group, from)) else { continue };
            let time = rates[usize::from(level)].time;
            if time < bounds.fast {
                if !self.waits(Kind::Any, level) {
                    self.add(Kind::Any, level);
                    return true;
                }
            } else if has_room
                && time < bounds.slow
                && !self.waits(Kind::Slow, level)
                && statistics[usize::from(level)].probability <= percent(95)
            {
                self.add(Kind::Slow, level);
            }
        }
        false
    }

    fn next_group(&mut self, kind: Kind, groups: usize) -> usize {
        let last = &mut self.last_group[kind as usize];
        let next = (usize::from(*last) + 1) % groups;
        *last = u16::try_from(next).expect("some dozen groups");
        next
    }

    /// The next rate of a group, in the group's random order, whose index is `from` or higher.
    /// [linux-minstrel-ht §`minstrel_ht_next_group_sample_rate`]
    fn next_of(&self, group: &mut Group, from: u16) -> Option<u16> {
        for _ in 0..self.places {
            let turn = usize::from(group.turn);
            group.turn = u16::try_from((turn + 1) % self.orders.len()).expect("some thousand");
            let level = group.levels().start + u16::from(self.orders[turn]);
            if level >= from && group.levels().contains(&level) {
                return Some(level);
            }
        }
        None
    }
}

/// Times of an MPDU at the selected rates, which separate the kinds of samples.
struct Bounds {
    /// Time of an MPDU at the best rate.
    best: Duration,
    /// Time of an MPDU at the fastest selected rate.
    fast: Duration,
    /// Time of an MPDU at the slowest selected rate.
    slow: Duration,
}

/// The slowest rate of a group at which an MPDU takes less time than `than`; `None` if there is no such rate.
fn first_faster(rates: &[GroupedRate], group: &Group, than: Duration) -> Option<u16> {
    group.levels().find(|level| rates[usize::from(*level)].time < than)
}
