//! Selection of rates by their statistics.

use super::State;
use super::rates::{BEST, Choice, Group};
use super::statistics::{Statistics, percent};

/// Number of MPDUs that must have been sent in an interval before a group can count as dead, because hardly
/// any MPDU gets through at its best rate.
const MIN_ATTEMPTS: u32 = 30;

impl State {
    /// Selects the rates for the retry chain by their
    /// statistics.  [linux-minstrel-ht §`minstrel_ht_update_stats`]
    pub(super) fn choose(&mut self) {
        let mut best = [0; BEST];
        for group in &mut self.groups {
            group.best = [group.levels.start; 2];
            for level in group.levels().rev() {
                if self.statistics[usize::from(level)].throughput > 0 {
                    insert(&mut best, level, &self.statistics);
                    insert(&mut group.best, level, &self.statistics);
                }
            }
        }
        self.choice = Choice { best, probable: 0 };
        self.choose_probable();
        self.prefer_fewer_streams();
    }

    /// Selects the probable rate, which succeeds most reliably.
    /// [linux-minstrel-ht §`minstrel_ht_set_best_prob_rate`]
    fn choose_probable(&mut self) {
        let best = self.choice.best[0];
        let (best_time, best_probability) =
            (self.rate(best).time, self.statistics(best).probability);
        let mut probable = 0;
        for group in &mut self.groups {
            group.probable = group.levels.start;
            for level in group.levels() {
                let is_faster = self.rates[usize::from(level)].time < best_time;
                if is_faster && self.statistics[usize::from(level)].probability < best_probability {
                    continue;
                }
                for chosen in [&mut probable, &mut group.probable] {
                    if is_more_probable(&self.statistics, level, *chosen) {
                        *chosen = level;
                    }
                }
            }
        }
        self.choice.probable = probable;
    }

    /// Replaces the probable rate by that of a group with fewer streams than the best rate, if such a group
    /// delivers anything. [linux-minstrel-ht §`minstrel_ht_prob_rate_reduce_streams`]
    fn prefer_fewer_streams(&mut self) {
        let streams = self.rate(self.choice.best[0]).streams;
        let mut most = 0;
        for group in self.groups.iter().filter(|group| group.streams < streams) {
            let carried = self.statistics(group.probable).throughput;
            if carried > most {
                (self.choice.probable, most) = (group.probable, carried);
            }
        }
    }

    /// Replaces the best two rates by those of an earlier group if hardly any MPDU gets through at them.
    /// Returns true if one was replaced. [linux-minstrel-ht §`minstrel_downgrade_rate`]
    pub(super) fn leave_dead_groups(&mut self) -> bool {
        let mut has_left = false;
        for place in 0..2 {
            let level = self.choice.best[place];
            let Statistics { attempts, successes, .. } = *self.statistics(level);
            if attempts > MIN_ATTEMPTS
                && successes < attempts / 4
                && let Some(group) = self.group_before(level)
            {
                self.choice.best[place] = group.best[place];
                has_left = true;
            }
        }
        has_left
    }

    /// The last group, before that of the rate `level`, that does not have more streams than it.
    fn group_before(&self, level: u16) -> Option<&Group> {
        let before = self.groups.partition_point(|group| group.levels.end <= level);
        let streams = self.groups[before].streams;
        self.groups[..before].iter().rev().find(|group| group.streams <= streams)
    }
}

/// Inserts a rate into a list sorted by descending throughput, and by probability among equals.
/// [linux-minstrel-ht §`minstrel_ht_sort_best_tp_rates`]
fn insert(list: &mut [u16], level: u16, statistics: &[Statistics]) {
    let worth = |level: u16| {
        let of = &statistics[usize::from(level)];
        (of.throughput, of.probability)
    };
    let own = worth(level);
    let is_worse = |other: &u16| worth(*other) < own;
    // Most of a few hundred rates are not inserted.
    if list.last().is_some_and(is_worse) {
        let place = list.iter().position(is_worse).expect("the last is worse");
        list[place..].rotate_right(1);
        list[place] = level;
    }
}

fn is_more_probable(statistics: &[Statistics], level: u16, than: u16) -> bool {
    let (one, other) = (&statistics[usize::from(level)], &statistics[usize::from(than)]);
    if one.probability > percent(75) {
        one.throughput > other.throughput
    } else {
        one.probability > other.probability
    }
}
