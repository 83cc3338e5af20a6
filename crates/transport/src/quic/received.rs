//! Packet numbers that a receiver has received.  [RFC9000 §12.3, §13.2.3]

use airfair_units::Time;

use super::packet::{Ack, EcnCounts, Further};
use crate::stream::ranges::RangeSet;

/// Significance of an arriving packet for acknowledgments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Arrival {
    /// The packet has arrived before, or may have, because the receiver has forgotten numbers as old as its own.
    Duplicate,
    /// The packet has the number after the largest one.
    InOrder,
    /// The packet leaves a gap, or has a number below the largest one.
    OutOfOrder,
}

/// The newest ranges of packet numbers received.
#[derive(Clone, Debug, Default)]
pub(super) struct ReceivedPackets {
    /// Ranges of numbers, at most [`Ack::RANGES`].
    numbers: RangeSet,
    /// Number below which everything is forgotten.
    forgotten: u64,
    /// Time of the arrival of the largest number.
    largest_at: Time,
}

impl ReceivedPackets {
    /// Records the arrival of the packet `number`.
    pub(super) fn insert(&mut self, now: Time, number: u64) -> Arrival {
        let end = self.end();
        if number < self.forgotten || self.numbers.insert(number, number + 1) == 0 {
            return Arrival::Duplicate;
        }
        if number >= end {
            self.largest_at = now;
        }
        if let Some(surplus) = self.numbers.len().checked_sub(Ack::RANGES).filter(|it| *it > 0) {
            self.forgotten = self.numbers[surplus].start;
            self.numbers.remove_below(self.forgotten);
        }
        if number == end { Arrival::InOrder } else { Arrival::OutOfOrder }
    }

    /// One past the largest number received.
    fn end(&self) -> u64 {
        self.numbers.last().map_or(0, |last| last.end)
    }

    /// ACK frame of the packet `number`, without counts of marks; `None` before the first arrival.
    pub(super) fn frame(&self, now: Time, number: u64) -> Option<Ack> {
        let newest = self.numbers.last()?;
        let mut further = Further::default();
        let mut start = newest.start;
        for (slot, range) in further.iter_mut().zip(self.numbers.iter().rev().skip(1)) {
            // A range of more than 65 535 packets is cut off. Its older part has been reported before.
            let Ok(missing) = u16::try_from(start - range.end) else { break };
            let received = u16::try_from(range.end - range.start).unwrap_or(u16::MAX);
            *slot = (missing, received);
            if u64::from(received) < range.end - range.start {
                break;
            }
            start = range.start;
        }
        Some(Ack {
            number: u32::try_from(number).unwrap_or(u32::MAX),
            marks: EcnCounts::default(),
            largest: newest.end - 1,
            max_data: 0,
            delay: Ack::in_units(now - self.largest_at),
            first: u32::try_from(newest.end - 1 - newest.start).unwrap_or(u32::MAX),
            further,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use airfair_units::Duration;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    fn at(us: u64) -> Time {
        Time::ZERO + Duration::from_micros(us)
    }

    /// Verifies: [RFC9000 §13.2.1], [RFC9000 §19.3]
    #[test]
    fn gaps_and_late_packets_are_out_of_order() {
        let mut received = ReceivedPackets::default();
        assert_eq!(received.frame(at(0), 0), None);
        for (us, number, arrival) in [
            (10, 0, Arrival::InOrder),
            (20, 1, Arrival::InOrder),
            (30, 4, Arrival::OutOfOrder),
            (40, 5, Arrival::InOrder),
            (50, 3, Arrival::OutOfOrder),
            (60, 3, Arrival::Duplicate),
        ] {
            assert_eq!(received.insert(at(us), number), arrival, "{number}");
        }
        // The largest number, 5, came at 40 µs: 30 µs later the delay has 3 whole units of 8 µs.
        let frame = received.frame(at(70), 9).expect("an arrival");
        assert_eq!((frame.number, frame.delay()), (9, Duration::from_micros(24)));
        assert_eq!(frame.ranges().collect::<Vec<_>>(), [(3, 5), (0, 1)]);
    }

    /// Of eleven ranges the oldest is forgotten. A late packet as old as that is discarded, since it may have arrived.
    ///
    /// Verifies: [RFC9000 §13.2.3], [RFC9000 §12.3]
    #[test]
    fn the_oldest_ranges_are_forgotten() {
        let mut received = ReceivedPackets::default();
        for number in (0..22).step_by(2) {
            received.insert(at(number), number);
        }
        let frame = received.frame(at(30), 0).expect("an arrival");
        let ranges: Vec<_> = (1..11).rev().map(|it| (2 * it, 2 * it)).collect();
        assert_eq!(frame.ranges().collect::<Vec<_>>(), ranges);
        assert_eq!(received.insert(at(31), 1), Arrival::Duplicate);
        assert_eq!(received.insert(at(31), 3), Arrival::OutOfOrder);
    }

    proptest! {
        /// After any arrivals the frame has the newest ranges of the set of numbers that were not discarded.
        ///
        /// Verifies: [RFC9000 §19.3.1]
        #[test]
        fn a_frame_has_the_newest_ranges_of_what_has_arrived(
            numbers in prop::collection::vec(0u64..80, 1..120),
        ) {
            let (mut received, mut reference) = (ReceivedPackets::default(), BTreeSet::new());
            for number in numbers {
                let is_known = reference.contains(&number);
                let arrival = received.insert(at(0), number);
                if is_known {
                    prop_assert_eq!(arrival, Arrival::Duplicate);
                } else if arrival != Arrival::Duplicate {
                    reference.insert(number);
                }
                let frame = received.frame(at(0), 0).expect("an arrival");
                let ranges: Vec<_> = frame.ranges().collect();
                prop_assert!(ranges.len() <= Ack::RANGES);
                let oldest = ranges.last().expect("a range").0;
                let reported: BTreeSet<u64> = ranges.iter().flat_map(|it| it.0..=it.1).collect();
                prop_assert_eq!(reported, reference.range(oldest..).copied().collect::<BTreeSet<_>>());
                let is_old = |number: &u64| *number < received.forgotten;
                prop_assert!(reference.range(..oldest).all(is_old));
            }
        }
    }
}
