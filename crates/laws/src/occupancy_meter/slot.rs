//! Usage of the channel in an observation slot, by station and flow.

use std::ops::AddAssign;

use airfair_units::{Bytes, Duration};

use super::Table;
use crate::Direction;

/// Number of channel accesses, or of exchanges, in fractions: flows that share an aggregate share its access.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Accesses(u64);

impl Accesses {
    /// One whole channel access.
    pub const ONE: Self = Self(1 << 16);

    /// Total time of the channel accesses if each takes `each`.
    pub fn time(self, each: Duration) -> Duration {
        each * self.0 / Self::ONE.0
    }

    /// Mean number of `packets` per channel access, rounded to the nearest integer, at least one.
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

/// Channel time of a set of frame exchanges in an observation slot.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ChannelTime {
    /// Duration of the frames and SIFS of answered exchanges.
    pub exchange: Duration,
    /// Duration of the frames of exchanges without an answer.
    pub failed: Duration,
    /// Number of channel accesses, with and without an answer.
    pub accesses: Accesses,
    /// Number of channel accesses with an answer.
    pub answered: Accesses,
}

impl ChannelTime {
    /// Channel time of one answered exchange of this duration.
    pub(super) fn answered(exchange: Duration) -> Self {
        let (failed, accesses, answered) = (Duration::ZERO, Accesses::ONE, Accesses::ONE);
        Self { exchange, failed, accesses, answered }
    }

    /// Channel time of one exchange whose frames, of the duration `failed`, had no answer.
    pub(super) fn failed(failed: Duration) -> Self {
        Self { failed, accesses: Accesses::ONE, ..Self::default() }
    }

    pub(super) fn add(&mut self, other: Self) {
        self.exchange += other.exchange;
        self.failed += other.failed;
        self.accesses += other.accesses;
        self.answered += other.answered;
    }

    /// Part of an aggregate's channel time for its octets `from` to `to` of `all`. Consecutive parts add up
    /// to the whole.
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

    /// Channel occupancy time if each exchange is preceded by `access`: a DIFS and a mean back-off.
    /// [arf-window eq. 2 to 4], [occupancy-tfrc fig. 1]
    pub fn occupancy(&self, access: Duration) -> Duration {
        self.exchange + self.failed + self.accesses.time(access)
    }
}

/// Usage of the channel by one station, or by one of its flows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// Channel time of exchanges with data from the station.
    pub up: ChannelTime,
    /// Channel time of exchanges with data to the station.
    pub down: ChannelTime,
}

impl Usage {
    fn of(&self, direction: Direction) -> &ChannelTime {
        match direction {
            Direction::Up => &self.up,
            Direction::Down => &self.down,
        }
    }

    pub(super) fn in_direction(&mut self, direction: Direction) -> &mut ChannelTime {
        match direction {
            Direction::Up => &mut self.up,
            Direction::Down => &mut self.down,
        }
    }

    pub(super) fn add(&mut self, other: &Self) {
        self.up.add(other.up);
        self.down.add(other.down);
    }

    /// Channel occupancy time of the usage in both directions.
    pub fn occupancy(&self, access: Access) -> Duration {
        self.up.occupancy(access.up) + self.down.occupancy(access.down)
    }
}

/// Access times before an exchange, each a DIFS and a mean back-off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Access {
    /// Access time of a station before an exchange.
    pub up: Duration,
    /// Access time of the access point before an exchange.
    pub down: Duration,
}

/// Usage of the channel by a flow in an observation slot.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FlowUsage {
    /// Channel time of the flow's data and answers.
    pub usage: Usage,
    /// Number of the flow's packets with data.
    pub packets: u32,
    /// Payload of the flow's packets with data [octets].
    pub octets: Bytes,
    /// Number of the flow's packets without data, such as ACKs and reports.
    pub answers: u32,
}

impl FlowUsage {
    /// Mean number of data packets per delivered frame in this direction, rounded to the nearest integer, at
    /// least one.
    pub fn packets_each(&self, direction: Direction) -> u32 {
        self.usage.of(direction).answered.packets_each(self.packets)
    }

    /// Mean number of packets without data per delivered frame in this direction, rounded to the nearest
    /// integer, at least one.
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

/// Back-offs that a station counted down before its own channel accesses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Backoffs {
    /// Total duration of the back-offs in the observation slot.
    pub total: Duration,
    /// Number of back-offs in the observation slot.
    pub count: u32,
}

impl Backoffs {
    /// `t_BO`: mean back-off of the station; `None` if it has counted down none.
    pub fn mean(&self) -> Option<Duration> {
        (self.count > 0).then(|| self.total / u64::from(self.count))
    }
}

/// Usage of the channel in an observation slot.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Slot {
    /// Usage of the channel by station, for every station that was active at either end of an exchange.
    pub stations: Table<Usage>,
    /// Usage of the channel by flow of the measuring station.
    pub flows: Table<FlowUsage>,
    /// Back-offs that the measuring station has counted down.
    pub backoffs: Backoffs,
    /// Octets of all data frames that the station which measures the channel has sent; rate adaptation
    /// chooses their rates.
    pub adapted_up: Bytes,
    /// Octets of the data frames that the measuring station has received, at rates that rate adaptation
    /// chooses.
    pub adapted_down: Bytes,
    /// Total duration of beacons on the air, and of frames of other cells.
    pub beacons: Duration,
    /// Part of the first answered exchange of a slot that lies before the start of the slot: of the measuring
    /// station, and of other stations.
    pub early: [Duration; 2],
}

impl Slot {
    /// N: number of active stations, at least one.  [arf-window §III-A]
    pub fn active(&self) -> u32 {
        u32::try_from(self.stations.len()).unwrap_or(u32::MAX).max(1)
    }

    /// Durations of answered exchanges without access times: of `station`, and of all others.
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

    /// Adds the usage of the slot after this one. `early`, the part of an exchange before the start of a slot,
    /// stays: only what lies before the first of the two slots lies outside both.
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
