//! Use of the channel in an observation slot, by station and flow.

use airfair_units::{Bytes, Duration};

use super::Table;
use crate::Direction;

/// Exchanges of one kind within a slot.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Share {
    /// Frames and SIFS of those that were answered.
    pub exchange: Duration,
    /// Frames that had no answer.
    pub failed: Duration,
    /// Number of times that the channel was won for them.
    pub accesses: u32,
}

impl Share {
    pub(super) fn add(&mut self, other: Self) {
        self.exchange += other.exchange;
        self.failed += other.failed;
        self.accesses += other.accesses;
    }

    /// The channel occupancy time, where each of them costs `access`: a DIFS and a mean back-off.
    /// [arf-window eq. 2 to 4], [occupancy-tfrc fig. 1]
    pub fn occupancy(&self, access: Duration) -> Duration {
        self.exchange + self.failed + access * u64::from(self.accesses)
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

    /// Takes in what another slot has seen.
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
