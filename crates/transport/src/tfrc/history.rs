//! Which packets came, which are lost, and which losses are one event.  [RFC5348 §5.1 and §5.2]

use airfair_units::{Duration, Time};

use super::config::LossTime;

/// A packet that came.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Arrival {
    number: u64,
    /// On the clock that [`LossTime`] chooses.
    at: Time,
}

/// What a packet turned out to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Placement {
    /// The next in order, or after a gap.
    New,
    /// It fills a gap that was not yet a loss.
    Reordered,
    /// It came before, or is lost by now.
    Old,
}

/// The first lost packet of a loss event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct LossEvent {
    pub(crate) number: u64,
    at: Time,
}

/// What came, in the order of the numbers.
#[derive(Debug)]
pub(crate) struct History {
    /// Later packets that make a missing one lost.
    later_packets: usize,
    /// The last packet below which nothing is open.
    before: Option<Arrival>,
    /// Those beyond the first gap, in order.
    beyond: Vec<Arrival>,
    /// The newest loss event.
    event: Option<LossEvent>,
    /// First packets of loss events not yet fetched.
    events: Vec<LossEvent>,
    lost: u64,
}

impl History {
    pub(crate) fn new(later_packets: u32) -> Self {
        assert!(later_packets > 0, "a loss that no packet reveals");
        let later_packets = usize::try_from(later_packets).expect("a count of packets");
        Self {
            later_packets,
            before: None,
            beyond: Vec::new(),
            event: None,
            events: Vec::new(),
            lost: 0,
        }
    }

    /// Packet `number` came. Afterwards [`new_event`](Self::new_event) tells of losses this reveals.
    #[inline]
    pub(crate) fn insert(&mut self, number: u64, at: Time, rtt: Duration) -> Placement {
        let arrival = Arrival { number, at };
        match self.before {
            None => self.before = Some(arrival),
            Some(before) if number <= before.number => return Placement::Old,
            Some(before) if number == before.number + 1 && self.beyond.is_empty() => {
                self.before = Some(arrival);
            }
            Some(_) => return self.insert_beyond(arrival, rtt),
        }
        Placement::New
    }

    fn insert_beyond(&mut self, arrival: Arrival, rtt: Duration) -> Placement {
        let Err(place) = self.beyond.binary_search_by_key(&arrival.number, |known| known.number)
        else {
            return Placement::Old;
        };
        let is_newest = place == self.beyond.len();
        self.beyond.insert(place, arrival);
        self.settle(rtt);
        if is_newest { Placement::New } else { Placement::Reordered }
    }

    /// Closes gaps that are filled, and gaps that enough later packets have revealed.
    fn settle(&mut self, rtt: Duration) {
        let mut settled = 0;
        while let (Some(before), Some(&after)) = (self.before, self.beyond.get(settled)) {
            if after.number > before.number + 1 {
                if self.beyond.len() - settled < self.later_packets {
                    break;
                }
                self.lose(before, after, rtt);
            }
            self.before = Some(after);
            settled += 1;
        }
        self.beyond.drain(..settled);
    }

    /// All between the two is lost; their times are interpolated.  [RFC5348 §5.2]
    fn lose(&mut self, before: Arrival, after: Arrival, rtt: Duration) {
        let packets = after.number - before.number;
        let span = after.at.saturating_since(before.at).as_nanos();
        self.lost += packets - 1;
        for position in 1..packets {
            let share = u128::from(span) * u128::from(position) / u128::from(packets);
            let share = u64::try_from(share).expect("a part of a span");
            let at = before.at + Duration::from_nanos(share);
            // Within a round trip of the event's start it is the same event.
            if self.event.is_none_or(|event| event.at + rtt < at) {
                let event = LossEvent { number: before.number + position, at };
                self.event = Some(event);
                self.events.push(event);
            }
        }
    }

    /// Loss events since the last question, the oldest first.
    #[inline]
    pub(crate) fn take_events(&mut self) -> Vec<LossEvent> {
        std::mem::take(&mut self.events)
    }

    #[inline]
    pub(crate) fn has_events(&self) -> bool {
        !self.events.is_empty()
    }

    /// Packets lost.
    pub(crate) fn lost(&self) -> u64 {
        self.lost
    }
}

/// Which of its two times counts for a packet.
pub(crate) fn loss_clock(rule: LossTime, arrived: Time, sent: Time) -> Time {
    match rule {
        LossTime::ByArrival => arrived,
        LossTime::BySending => sent,
    }
}

#[cfg(test)]
mod tests {
    use super::Placement::{New, Old, Reordered};
    use super::*;

    const RTT: Duration = Duration::from_millis(100);

    fn ms(ms: u64) -> Time {
        Time::ZERO + Duration::from_millis(ms)
    }

    /// Numbers with their times; the first lost packets of the events found.
    fn events(later_packets: u32, arrivals: &[(u64, u64)]) -> (Vec<(u64, u64)>, u64) {
        let mut history = History::new(later_packets);
        for &(number, at) in arrivals {
            history.insert(number, ms(at), RTT);
        }
        let events = history.take_events();
        let found = events.iter().map(|event| (event.number, event.at.as_nanos() / 1_000_000));
        (found.collect(), history.lost())
    }

    /// Verifies: [RFC5348 §5.1]
    #[test]
    fn three_later_packets_reveal_a_loss() {
        let two = [(0, 0), (2, 20), (3, 30)];
        assert_eq!(events(3, &two), (vec![], 0));
        let three = [(0, 0), (2, 20), (3, 30), (4, 40)];
        assert_eq!(events(3, &three), (vec![(1, 10)], 1));
        // in whatever order they come
        assert_eq!(events(3, &[(0, 0), (4, 20), (3, 30), (2, 40)]).1, 1);
        assert_eq!(events(1, &two), (vec![(1, 10)], 1));
    }

    /// Verifies: [RFC5348 §5.1]
    #[test]
    fn less_reordering_than_that_is_no_loss() {
        let late = [(0, 0), (2, 20), (3, 30), (1, 40), (4, 50), (5, 60), (6, 70)];
        assert_eq!(events(3, &late), (vec![], 0));
        let mut history = History::new(3);
        let places: Vec<_> = [0, 2, 2, 3, 1, 1, 0, 5, 4]
            .map(|number| history.insert(number, ms(0), RTT))
            .into_iter()
            .collect();
        assert_eq!(places, [New, New, Old, New, Reordered, Old, Old, New, Reordered]);
    }

    /// Verifies: [RFC5348 §5.2]
    #[test]
    fn losses_within_a_round_trip_of_the_first_are_one_event() {
        // 1 lost at 10; 3 at 60 and 5 at 110 = 10 + R belong to it; 7 at 111 does not
        let arrivals =
            [(0, 0), (2, 20), (4, 100), (6, 120), (8, 102), (9, 130), (10, 140), (11, 150)];
        assert_eq!(events(3, &arrivals[..4]).0, [(1, 10)]);
        let (found, lost) = events(3, &arrivals);
        // 7 lies between 6 at 120 and 8 at 102: at 120
        assert_eq!((found, lost), (vec![(1, 10), (7, 120)], 4));
    }

    /// Verifies: [RFC5348 §5.2]
    #[test]
    fn a_long_gap_is_as_many_events_as_it_takes_round_trips() {
        // 30 packets in 300 ms, all but the ends lost: packet k at 10·k
        // 1 at 10; the first after 110 is 12 at 120; after 220 it is 23 at 230
        let arrivals = [(0, 0), (30, 300), (31, 310), (32, 320)];
        assert_eq!(events(3, &arrivals), (vec![(1, 10), (12, 120), (23, 230)], 29));
    }
}
