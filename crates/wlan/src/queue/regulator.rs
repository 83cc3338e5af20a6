//! Regulator of channel time: each station has a token bucket, and waits when it has used its share.  [tan-2004 §4]
//!
//! Deviates: [D-107], [D-108]

use std::collections::VecDeque;

use airfair_units::{Duration, Time};

use super::charge::Charge;
use super::config::TimeRegulation;
use super::sub_queue::SubQueues;

/// Share that is the whole channel, in the unit of [`Station::rate`].
const CHANNEL: i64 = 1_000_000;

/// Regulator of channel time of an access point, with a token bucket for each station.
#[derive(Clone, Debug)]
pub(super) struct Regulator {
    rule: TimeRegulation,
    /// Stations with packets, in the order of their turns.
    waiting: VecDeque<usize>,
    stations: Vec<Station>,
    /// Number of stations that share the channel.
    competing: i64,
    next_adjustment: Time,
    /// Channel time used by all stations since the shares of the channel were last adjusted, back-off included.
    busy: Duration,
}

/// Token bucket of a station. `tokens` and `used` are times in nanoseconds, multiplied by [`CHANNEL`].
#[derive(Clone, Copy, Debug, Default)]
struct Station {
    competes: bool,
    tokens: i128,
    filled_at: Time,
    /// Tokens per nanosecond, which are the station's share of the channel [ppm].
    rate: i64,
    /// Time used since the last adjustment. `had_packets` and `was_held`: the station has since had packets, or had to
    /// wait.
    used: i128,
    had_packets: bool,
    was_held: bool,
}

fn scaled(time: Duration) -> i128 {
    i128::from(time.as_nanos()) * i128::from(CHANNEL)
}

impl Regulator {
    pub(super) fn new(rule: TimeRegulation) -> Self {
        Self {
            rule,
            waiting: VecDeque::new(),
            stations: Vec::new(),
            competing: 0,
            next_adjustment: Time::ZERO,
            busy: Duration::ZERO,
        }
    }

    /// Handles the first packet for `station`, which had none.
    pub(super) fn activate(&mut self, now: Time, station: usize) {
        self.advance(now);
        self.associate(now, station);
        self.stations[station].had_packets = true;
        self.waiting.push_back(station);
    }

    /// Station to be served next: in turns, the next one with packets and tokens; `None` if all must wait.  [tan-2004
    /// §4.1]
    #[inline(never)]
    pub(super) fn choose<P>(&mut self, now: Time, queues: &SubQueues<P>) -> Option<usize> {
        self.advance(now);
        for turn in 0..self.waiting.len() {
            let index = self.waiting[turn];
            self.fill(now, index);
            let is_alone = self.competing == 1;
            let station = &mut self.stations[index];
            if station.tokens <= 0 && !is_alone {
                station.was_held = true;
                continue;
            }
            self.waiting.remove(turn);
            if queues.len(index) > 1 {
                self.waiting.push_back(index);
            }
            return Some(index);
        }
        None
    }

    /// Removes a station from the turns, because all its packets have left at once.
    pub(super) fn forget(&mut self, station: usize) {
        self.waiting.retain(|it| *it != station);
    }

    /// Next time at which a waiting station has tokens again, or at which its share may grow.
    pub(super) fn next_release(&self) -> Option<Time> {
        let of = |index: &usize| {
            let Station { tokens, rate, filled_at, .. } = self.stations[*index];
            let missing = (1 - tokens).max(1);
            let steps = (missing + i128::from(rate) - 1) / i128::from(rate.max(1));
            filled_at + Duration::from_nanos(u64::try_from(steps).expect("a bounded debt"))
        };
        Some(self.waiting.iter().map(of).min()?.min(self.next_adjustment))
    }

    /// Charges an exchange of `charge.station`, in either direction.  [tan-2004 §4.2]
    pub(super) fn charge(&mut self, now: Time, charge: &Charge) {
        self.advance(now);
        let index = charge.station.index();
        self.associate(now, index);
        self.fill(now, index);
        let backoff = if self.rule.charges_backoff { charge.backoff } else { Duration::ZERO };
        let time = scaled(charge.airtime + charge.gap + backoff);
        self.busy += charge.airtime + charge.gap + charge.backoff;
        let debt = -scaled(self.rule.adjustment);
        let station = &mut self.stations[index];
        station.used += time;
        // The bound on the debt keeps a station that cannot be held back, such as a UDP sender, from being locked out
        // for ever.
        station.tokens = (station.tokens - time).max(debt);
    }

    /// Adds a station on its first appearance, with a full bucket. All stations then have equal shares.
    fn associate(&mut self, now: Time, index: usize) {
        if index >= self.stations.len() {
            self.stations.resize(index + 1, Station::default());
        }
        if !self.stations[index].competes {
            if self.competing == 0 {
                self.next_adjustment = now + self.rule.adjustment;
            }
            if self.competing == 1 {
                // A station that was alone had the whole channel, so its debt is cancelled.
                for other in 0..self.stations.len() {
                    self.fill(now, other);
                    self.stations[other].tokens = self.stations[other].tokens.max(0);
                }
            }
            let tokens = scaled(self.rule.bucket);
            self.stations[index] =
                Station { competes: true, tokens, filled_at: now, ..Station::default() };
            self.competing += 1;
            self.share_equally(now);
        }
    }

    fn share_equally(&mut self, now: Time) {
        for index in 0..self.stations.len() {
            self.fill(now, index);
            self.stations[index].rate = CHANNEL / self.competing.max(1);
        }
    }

    /// Adds the tokens that a station has accumulated until now, up to a full bucket.
    fn fill(&mut self, now: Time, index: usize) {
        let station = &mut self.stations[index];
        let elapsed = i128::from(now.saturating_since(station.filled_at).as_nanos());
        let tokens = station.tokens + elapsed * i128::from(station.rate);
        (station.tokens, station.filled_at) = (tokens.min(scaled(self.rule.bucket)), now);
    }

    /// Makes all adjustments of shares that were due until now.
    fn advance(&mut self, now: Time) {
        while self.competing > 0 && self.next_adjustment <= now {
            let at = self.next_adjustment;
            self.next_adjustment = at + self.rule.adjustment;
            self.adjust(at);
        }
    }

    /// Adjusts the stations' shares to their use, so that the smallest share becomes as large as possible.  [tan-2004
    /// §4.3]
    fn adjust(&mut self, now: Time) {
        for index in 0..self.stations.len() {
            self.fill(now, index);
        }
        let full = scaled(self.rule.bucket);
        let before = self.competing;
        for station in &mut self.stations {
            let is_gone = station.used == 0 && !station.had_packets && station.tokens == full;
            if station.competes && is_gone {
                *station = Station::default();
                self.competing -= 1;
            }
        }
        let fair = CHANNEL / self.competing.max(1);
        let margin = fair / 16;
        let interval = i128::from(self.rule.adjustment.as_nanos());
        let used = |station: &Station| {
            i64::try_from(station.used / interval).expect("not many times the interval")
        };
        let is_short = |station: &Station| {
            let wants = station.was_held || used(station) > station.rate - margin;
            station.competes && station.rate < fair && wants
        };
        if self.competing != before || self.stations.iter().any(is_short) {
            self.share_equally(now);
        } else {
            let busy = i64::try_from(scaled(self.busy) / interval).expect("as above");
            self.lend(CHANNEL - busy - CHANNEL / 8, |station| {
                (station.rate - used(station) - 2 * margin).max(0)
            });
        }
        self.busy = Duration::ZERO;
        for index in 0..self.stations.len() {
            let has_packets = self.waiting.contains(&index);
            let station = &mut self.stations[index];
            (station.used, station.had_packets) = (0, has_packets);
            station.was_held = has_packets && station.tokens <= 0;
        }
    }

    /// Gives half of the unused shares, as far as the channel was idle, to the stations that had to wait, in equal
    /// parts. `unused` returns the unused share of a station.
    fn lend(&mut self, idle: i64, unused: impl Fn(&Station) -> i64) {
        let held = self.stations.iter().filter(|station| station.was_held).count();
        let Ok(held @ 1..) = i64::try_from(held) else { return };
        let lends = |station: &Station| station.competes && !station.was_held;
        let all: i64 = self.stations.iter().filter(|s| lends(s)).map(&unused).sum();
        if idle <= 0 || all == 0 {
            return;
        }
        let mut pool = 0;
        for station in self.stations.iter_mut().filter(|station| lends(station)) {
            let part = unused(station) * idle.min(all) / all / 2;
            station.rate -= part;
            pool += part;
        }
        for station in self.stations.iter_mut().filter(|station| station.was_held) {
            station.rate += pool / held;
        }
    }
}
