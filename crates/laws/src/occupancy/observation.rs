//! Observation slots, which overlap: each consists of the last *n* beacon intervals.  [occupancy-tfrc §III-A]

use std::collections::VecDeque;

use airfair_units::Duration;

use crate::occupancy_meter::Slot;

/// Usage of the channel in an observation slot.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ObservationSlot {
    /// T: length of the observation slot, the sum of its beacon intervals.
    pub length: Duration,
    /// Usage of the channel in the observation slot.
    pub seen: Slot,
}

/// The last beacon intervals, each with its own length, because a beacon may be late or missed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Intervals(VecDeque<(Duration, Slot)>);

impl Intervals {
    /// Appends a beacon interval and removes all but the last `most`.
    pub fn push(&mut self, most: u16, length: Duration, seen: Slot) {
        self.0.push_back((length, seen));
        while self.0.len() > usize::from(most.max(1)) {
            self.0.pop_front();
        }
    }

    /// Merges all beacon intervals to one observation slot.
    pub fn slot(&self) -> ObservationSlot {
        let mut intervals = self.0.iter();
        let Some((length, seen)) = intervals.next() else { return ObservationSlot::default() };
        let mut all = ObservationSlot { length: *length, seen: seen.clone() };
        for (length, seen) in intervals {
            all.length += *length;
            all.seen.add(seen);
        }
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::occupancy_meter::{Accesses, Backoffs, Usage};

    fn seen(station: u16) -> Slot {
        let mut slot = Slot { beacons: Duration::from_micros(50), ..Slot::default() };
        let usage: &mut Usage = slot.stations.or_default(station);
        usage.down.accesses = Accesses::ONE;
        slot.backoffs = Backoffs { total: Duration::from_micros(9), count: 1 };
        slot
    }

    /// An observation slot is the sum of the last three beacon intervals; older ones do not count.
    ///
    /// Verifies: [occupancy-tfrc §III-A]
    #[test]
    fn three_intervals_count_and_older_ones_are_forgotten() {
        let mut intervals = Intervals::default();
        assert_eq!(intervals.slot(), ObservationSlot::default());
        for (station, length) in [(1, 100), (2, 102), (2, 98), (3, 101)] {
            intervals.push(3, Duration::from_millis(length), seen(station));
        }
        let ObservationSlot { length, seen } = intervals.slot();
        assert_eq!(length, Duration::from_millis(301));
        let each = Duration::from_micros(1);
        let accesses: Vec<_> = seen
            .stations
            .iter()
            .map(|(id, it)| (id, it.down.accesses.time(each).as_nanos() / 1_000))
            .collect();
        assert_eq!(accesses, [(2, 2), (3, 1)]);
        assert_eq!((seen.backoffs.count, seen.beacons), (3, Duration::from_micros(150)));
    }
}
