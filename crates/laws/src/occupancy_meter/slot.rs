//! Use of the channel in an observation slot, by station and flow.

use std::ops::AddAssign;

use airfair_units::{Bytes, Duration};

use super::Table;
use crate::Direction;

/// Number of accesses to the channel, or of exchanges, in parts: the flows that share an aggregate share its access.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Accesses(u64);

impl Accesses {
    /// One.
    pub const ONE: Self = Self(1 << 16);

    /// Time of them all if each takes so long.
    pub fn time(self, each: Duration) -> Duration {
        each * self.0 / Self::ONE.0
    }

    /// Number of `packets` in each, to the nearest one: at least one.
    pub fn packets_each(self, packets: u32) -> u32 {
        let each = (u64::from(packets) * Self::ONE.0 + self.0 / 2).checked_div(self.0);
        each.and_then(|it| u32::try_from(it).ok()).unwrap_or(1).max(1)
    }
}

impl AddAssign for Accesses {
    fn add_assign(&mut self, other: Self) {
        self.0 += other.0;
    }
}

/// Exchanges of one kind within a slot.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Share {
    /// Frames and SIFS of those that were answered.
    pub exchange: Duration,
    /// Frames that had no answer.
    pub failed: Duration,
    /// Number of times that the channel was won for them.
    pub accesses: Accesses,
    /// Number of those that were answered.
    pub answered: Accesses,
}

impl Share {
    /// That of one exchange that was answered and lasted so long.
    pub(super) fn answered(exchange: Duration) -> Self {
        let (failed, accesses, answered) = (Duration::ZERO, Accesses::ONE, Accesses::ONE);
        Self { exchange, failed, accesses, answered }
    }

    /// That of one whose frames had no answer.
    pub(super) fn failed(failed: Duration) -> Self {
        Self { failed, accesses: Accesses::ONE, ..Self::default() }
    }

    pub(super) fn add(&mut self, other: Self) {
        self.exchange += other.exchange;
        self.failed += other.failed;
        self.accesses += other.accesses;
        self.answered += other.answered;
    }

    /// The part of it that lies between two of `all` octets of an aggregate. Parts that follow each other add up to
    /// the whole.
    pub(super) fn part(&self, from: Bytes, to: Bytes, all: Bytes) -> Self {
        let part = |whole: u64| {
            let until = |octets: Bytes| whole * octets.get() / all.get();
            until(to) - until(from)
        };
        let time = |whole: Duration| Duration::from_nanos(part(whole.as_nanos()));
        Self {
            exchange: time(self.exchange),
            failed: time(self.failed),
            accesses: Accesses(part(self.accesses.0)),
            answered: Accesses(part(self.answered.0)),
        }
    }

    /// The channel occupancy time, where each of them costs `access`: a DIFS and a mean back-off.
    /// [arf-window eq. 2 to 4], [occupancy-tfrc fig. 1]
    pub fn occupancy(&self, access: Duration) -> Duration {
        self.exchange + self.failed + self.accesses.time(access)
    }
}

/// Exchanges of one station, or of one of its flows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// Those of its own data.
    pub up: Share,
    /// Those of data to it.
    pub down: Share,
}

impl Usage {
    fn of(&self, direction: Direction) -> &Share {
        match direction {
            Direction::Up => &self.up,
            Direction::Down => &self.down,
        }
    }

    pub(super) fn in_direction(&mut self, direction: Direction) -> &mut Share {
        match direction {
            Direction::Up => &mut self.up,
            Direction::Down => &mut self.down,
        }
    }

    pub(super) fn add(&mut self, other: &Self) {
        self.up.add(other.up);
        self.down.add(other.down);
    }

    /// Channel occupancy time, both ways.
    pub fn occupancy(&self, access: Access) -> Duration {
        self.up.occupancy(access.up) + self.down.occupancy(access.down)
    }
}

/// Times before an exchange, of a station's own data and of data to it: a DIFS and a mean back-off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Access {
    /// Before its own.
    pub up: Duration,
    /// Before the access point's.
    pub down: Duration,
}

/// Use that a flow of the station has had in a slot.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FlowUsage {
    /// Its exchanges, of data and of what answers it.
    pub usage: Usage,
    /// Packets with data.
    pub packets: u32,
    /// Application octets in them.
    pub octets: Bytes,
    /// Packets without: ACKs, reports.
    pub answers: u32,
}

impl FlowUsage {
    /// Packets with data in each of its frames that got through in this direction, to the nearest one; one at least.
    pub fn packets_each(&self, direction: Direction) -> u32 {
        self.usage.of(direction).answered.packets_each(self.packets)
    }

    /// The same of packets without, which go in this direction.
    pub fn answers_each(&self, direction: Direction) -> u32 {
        self.usage.of(direction).answered.packets_each(self.answers)
    }

    pub(super) fn add(&mut self, other: &Self) {
        self.usage.add(&other.usage);
        self.packets += other.packets;
        self.octets += other.octets;
        self.answers += other.answers;
    }
}

/// Back-offs that were counted before own accesses to the channel.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Backoffs {
    /// All of them.
    pub total: Duration,
    /// Their number.
    pub count: u32,
}

impl Backoffs {
    /// Their mean, `t_BO`; `None` without any.
    pub fn mean(&self) -> Option<Duration> {
        (self.count > 0).then(|| self.total / u64::from(self.count))
    }
}

/// Use of the channel in an observation slot.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Slot {
    /// Stations that were active, whichever end of an exchange.
    pub stations: Table<Usage>,
    /// Flows of the station.
    pub flows: Table<FlowUsage>,
    /// Its own back-offs.
    pub backoffs: Backoffs,
    /// Octets that the station has sent and received at data rates.
    pub adapted_up: Bytes,
    /// Those that it has received.
    pub adapted_down: Bytes,
    /// Beacons on the air.
    pub beacons: Duration,
    /// Part of the first answered exchange that lies before the slot: the station's own, and others'.
    pub early: [Duration; 2],
}

impl Slot {
    /// Active stations, N; one at least.  [arf-window §III-A]
    pub fn active(&self) -> u32 {
        u32::try_from(self.stations.len()).unwrap_or(u32::MAX).max(1)
    }

    /// Exchanges that were answered, their contention apart: those of `station`, and all others'.
    pub fn exchanges(&self, station: u16) -> (Duration, Duration) {
        let sum = |is_own: bool| -> Duration {
            let chosen = self.stations.iter().filter(|(id, _)| (*id == station) == is_own);
            chosen.map(|(_, usage)| usage.up.exchange + usage.down.exchange).sum()
        };
        (sum(true), sum(false))
    }

    /// Channel occupancy time of all stations.
    pub fn occupied(&self, access: Access) -> Duration {
        self.stations.values().map(|usage| usage.occupancy(access)).sum()
    }

    /// Takes in what a later slot has seen; what lies before that is in this one.
    pub fn add(&mut self, other: &Self) {
        for (station, usage) in other.stations.iter() {
            self.stations.or_default(station).add(usage);
        }
        for (flow, seen) in other.flows.iter() {
            self.flows.or_default(flow).add(seen);
        }
        self.backoffs.total += other.backoffs.total;
        self.backoffs.count += other.backoffs.count;
        self.adapted_up += other.adapted_up;
        self.adapted_down += other.adapted_down;
        self.beacons += other.beacons;
    }
}
