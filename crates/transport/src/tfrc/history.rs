//! Loss detection at the receiver: packets that arrived, packets that are lost, and loss events.
//! [RFC5348 §5.1 and §5.2]

use airfair_units::{Duration, Time};

use super::config::LossTime;
use super::gaps::Gaps;

/// Largest number of loss events in one gap; further losses belong to the last event. A sender without
/// feedback halves its rate every four round trips, about ten times, and then every two packets, down to one
/// packet in 64 s. More events can only result from forged sequence numbers or from an outage of most of an
/// hour.
const EVENTS_PER_GAP: usize = 128;

/// A data packet that has arrived.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Arrival {
    number: u64,
    /// Time of the packet on the clock that [`LossTime`] selects.
    at: Time,
}

/// Classification of an arriving packet by the receiver's history.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Placement {
    /// The packet is the next in order, or follows a gap.
    New,
    /// The packet fills a gap that does not count as a loss yet.
    Reordered,
    /// The packet counts as lost already, or was sent before the first packet that arrived.
    Late,
    /// The packet has arrived before: a duplicate.
    Copy,
}

/// A loss event, identified by its first lost packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct LossEvent {
    pub(crate) number: u64,
    at: Time,
}

/// Packets that have arrived, in the order of their numbers, and the loss events among them.
#[derive(Clone, Debug)]
pub(crate) struct History {
    /// Number of later packets after which a missing one counts as lost.
    later_packets: usize,
    /// The last packet before the first open gap.
    before: Option<Arrival>,
    /// Packets beyond the first open gap, in order.
    beyond: Vec<Arrival>,
    /// The newest loss event detected so far.
    event: Option<LossEvent>,
    /// Loss events that the receiver has not fetched yet.
    events: Vec<LossEvent>,
    lost: u64,
    /// Missing packets that may still arrive late.
    gaps: Gaps,
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
            gaps: Gaps::default(),
        }
    }

    /// Records the arrival of packet `number`. Loss events that it reveals are available from
    /// [`take_events`](Self::take_events).
    #[inline]
    pub(crate) fn insert(&mut self, number: u64, at: Time, rtt: Duration) -> Placement {
        let arrival = Arrival { number, at };
        match self.before {
            None => {
                self.before = Some(arrival);
                if let Some(last) = number.checked_sub(1) {
                    self.gaps.add(0, last);
                }
            }
            Some(before) if number == before.number => return Placement::Copy,
            Some(before) if number < before.number => return self.insert_before(number),
            Some(before) if number == before.number + 1 && self.beyond.is_empty() => {
                self.before = Some(arrival);
            }
            Some(_) => return self.insert_beyond(arrival, rtt),
        }
        Placement::New
    }

    fn insert_before(&mut self, number: u64) -> Placement {
        if self.gaps.fill(number) { Placement::Late } else { Placement::Copy }
    }

    fn insert_beyond(&mut self, arrival: Arrival, rtt: Duration) -> Placement {
        let Err(place) = self.beyond.binary_search_by_key(&arrival.number, |known| known.number)
        else {
            return Placement::Copy;
        };
        let is_newest = place == self.beyond.len();
        self.beyond.insert(place, arrival);
        self.settle(rtt);
        if is_newest { Placement::New } else { Placement::Reordered }
    }

    /// Closes gaps that are filled, and those that count as lost because enough later packets have arrived.
    fn settle(&mut self, rtt: Duration) {
        let mut settled = 0;
        while let (Some(before), Some(&after)) = (self.before, self.beyond.get(settled)) {
            if after.number > before.number + 1 {
                if self.beyond.len() - settled < self.later_packets {
                    break;
                }
                self.mark_lost(before, after, rtt);
            }
            self.before = Some(after);
            settled += 1;
        }
        self.beyond.drain(..settled);
    }

    /// Marks all packets between `before` and `after` as lost, at interpolated times.  [RFC5348 §5.2]
    ///
    /// The time this takes grows with the loss events, not with the packets.
    fn mark_lost(&mut self, before: Arrival, after: Arrival, rtt: Duration) {
        let gap = Gap { before, after };
        self.lost += gap.packets() - 1;
        self.gaps.add(before.number + 1, after.number - 1);
        let mut from = 1;
        for _ in 0..EVENTS_PER_GAP {
            // A loss within a round trip of the event's start belongs to the same event.
            let same = self.event.map(|event| event.at.as_nanos().saturating_add(rtt.as_nanos()));
            let Some(position) = gap.first_after(same, from) else { return };
            let event = LossEvent { number: before.number + position, at: gap.time(position) };
            self.event = Some(event);
            self.events.push(event);
            from = position + 1;
        }
    }

    /// Returns the loss events detected since the last call, the oldest first.
    #[inline]
    pub(crate) fn take_events(&mut self) -> Vec<LossEvent> {
        std::mem::take(&mut self.events)
    }

    #[inline]
    pub(crate) fn has_events(&self) -> bool {
        !self.events.is_empty()
    }

    /// Number of packets that count as lost.
    pub(crate) fn lost(&self) -> u64 {
        self.lost
    }
}

/// Two arrived packets with only missing packets between them.
#[derive(Clone, Copy, Debug)]
struct Gap {
    before: Arrival,
    after: Arrival,
}

impl Gap {
    /// Number of steps from the sequence number before the gap to that after it: one more than the packets
    /// lost.
    fn packets(&self) -> u64 {
        self.after.number - self.before.number
    }

    fn span(&self) -> Duration {
        self.after.at.saturating_since(self.before.at)
    }

    /// Interpolated time of the lost packet at `position` in the gap, rounded down to the
    /// nanosecond.  [RFC5348 §5.2]
    fn time(&self, position: u64) -> Time {
        let part = u128::from(self.span().as_nanos()) * u128::from(position);
        let share = u64::try_from(part / u128::from(self.packets())).expect("a part of a span");
        self.before.at + Duration::from_nanos(share)
    }

    /// Position in the gap of the first lost packet at position `from` or later whose interpolated time is
    /// after `limit` [ns]; after any time without a `limit`.
    fn first_after(&self, limit: Option<u64>, from: u64) -> Option<u64> {
        let behind = limit.and_then(|limit| limit.checked_sub(self.before.at.as_nanos()));
        let least = match (behind, self.span().as_nanos()) {
            (None, _) => 1,
            (Some(_), 0) => return None,
            // ⌊span · position / packets⌋ > behind
            (Some(behind), span) => {
                let scaled = (u128::from(behind) + 1) * u128::from(self.packets());
                u64::try_from(scaled.div_ceil(span.into())).ok()?
            }
        };
        let position = least.max(from);
        (position < self.packets()).then_some(position)
    }
}

/// Time of a packet for loss detection: its arrival or its send timestamp, by the rule.
pub(crate) fn loss_clock(rule: LossTime, arrived: Time, sent: Time) -> Time {
    match rule {
        LossTime::ByArrival => arrived,
        LossTime::BySending => sent,
    }
}

#[cfg(test)]
mod tests {
    use super::Placement::{Copy, Late, New, Reordered};
    use super::*;
    use proptest::prelude::*;

    const RTT: Duration = Duration::from_millis(100);

    fn ms(ms: u64) -> Time {
        Time::ZERO + Duration::from_millis(ms)
    }

    /// The first lost packets of the events found for `(number, time in ms)` arrivals, and the number of
    /// losses.
    fn events(later_packets: u32, arrivals: &[(u64, u64)]) -> (Vec<(u64, u64)>, u64) {
        let mut history = History::new(later_packets);
        for &(number, at) in arrivals {
            history.insert(number, ms(at), RTT);
        }
        let events = history.take_events();
        let found = events.iter().map(|event| (event.number, event.at.as_nanos() / 1_000_000));
        (found.collect(), history.lost())
    }

    /// A missing packet counts as lost once three later packets have arrived, in any order.
    ///
    /// Verifies: [RFC5348 §5.1]
    #[test]
    fn three_later_packets_reveal_a_loss() {
        let two = [(0, 0), (2, 20), (3, 30)];
        assert_eq!(events(3, &two), (vec![], 0));
        let three = [(0, 0), (2, 20), (3, 30), (4, 40)];
        assert_eq!(events(3, &three), (vec![(1, 10)], 1));
        // The order of arrival does not matter.
        assert_eq!(events(3, &[(0, 0), (4, 20), (3, 30), (2, 40)]).1, 1);
        assert_eq!(events(1, &two), (vec![(1, 10)], 1));
    }

    /// A missing packet that arrives before three later ones is reordered and not lost.
    ///
    /// Verifies: [RFC5348 §5.1]
    #[test]
    fn less_reordering_than_that_is_no_loss() {
        let late = [(0, 0), (2, 20), (3, 30), (1, 40), (4, 50), (5, 60), (6, 70)];
        assert_eq!(events(3, &late), (vec![], 0));
        let mut history = History::new(3);
        let places = [0, 2, 2, 3, 1, 1, 0, 5, 4].map(|number| history.insert(number, ms(0), RTT));
        assert_eq!(places, [New, New, Copy, New, Reordered, Copy, Copy, New, Reordered]);
    }

    #[test]
    fn a_late_packet_is_no_copy() {
        let mut history = History::new(3);
        // 12 and 13 are lost once 16 has arrived; 9 was sent before the first packet that arrived.
        let places = [10, 11, 14, 15, 16, 13, 13, 12, 14, 9, 9]
            .map(|number| history.insert(number, ms(0), RTT));
        let late = [Late, Copy, Late, Copy, Late, Copy];
        assert_eq!((&places[..5], &places[5..]), (&[New; 5][..], &late[..]));
        assert_eq!(history.lost(), 2);
    }

    /// Loss events of a gap computed packet by packet, as RFC 5348 defines them.
    fn packet_by_packet(gap: Gap, mut event: Option<LossEvent>, rtt: Duration) -> Vec<LossEvent> {
        let mut events = Vec::new();
        for position in 1..gap.packets() {
            let at = gap.time(position);
            if event.is_none_or(|event| event.at + rtt < at) {
                event = Some(LossEvent { number: gap.before.number + position, at });
                events.extend(event);
            }
        }
        events
    }

    proptest! {
        #[test]
        fn jumping_from_event_to_event_finds_those_of_going_packet_by_packet(
            packets in 2u64..3_000,
            (before, span) in (0u64..1_000_000, 0u64..2_000_000),
            rtt in 0u64..200_000,
            earlier in prop::option::of(0u64..1_500_000),
        ) {
            let [before_at, after_at, rtt_ns] = [before, before + span, rtt];
            let gap = Gap {
                before: Arrival { number: 7, at: Time::from_nanos(before_at) },
                after: Arrival { number: 7 + packets, at: Time::from_nanos(after_at) },
            };
            let rtt = Duration::from_nanos(rtt_ns);
            let mut history = History::new(1);
            history.event = earlier.map(|at| LossEvent { number: 1, at: Time::from_nanos(at) });
            let mut expected = packet_by_packet(gap, history.event, rtt);
            expected.truncate(EVENTS_PER_GAP);
            history.mark_lost(gap.before, gap.after, rtt);
            prop_assert_eq!(history.take_events(), expected);
        }
    }

    #[test]
    fn times_at_the_end_of_the_clock_do_not_overflow() {
        let mut history = History::new(1);
        let end = Time::from_nanos(u64::MAX);
        for number in [1, 3, 5, 7] {
            history.insert(number, end, RTT);
        }
        assert_eq!((history.take_events().len(), history.lost()), (1, 3));
    }

    /// Losses within a round trip of the first lost packet belong to one loss event.
    ///
    /// Verifies: [RFC5348 §5.2]
    #[test]
    fn losses_within_a_round_trip_of_the_first_are_one_event() {
        // 1 is lost at 10. 3 at 60 and 5 at 110 = 10 + R belong to its event; 7 at 111 does not.
        let arrivals =
            [(0, 0), (2, 20), (4, 100), (6, 120), (8, 102), (9, 130), (10, 140), (11, 150)];
        assert_eq!(events(3, &arrivals[..4]).0, [(1, 10)]);
        let (found, lost) = events(3, &arrivals);
        // 7 is between 6 at 120 and 8 at 102, so it is lost at 120.
        assert_eq!((found, lost), (vec![(1, 10), (7, 120)], 4));
    }

    /// A gap that lasts several round trips is one loss event per round trip.
    ///
    /// Verifies: [RFC5348 §5.2]
    #[test]
    fn a_long_gap_is_as_many_events_as_it_takes_round_trips() {
        // 30 packets in 300 ms, all but the ends lost: packet k at 10·k.
        // 1 is lost at 10; the first after 110 is 12 at 120; the first after 220 is 23 at 230.
        let arrivals = [(0, 0), (30, 300), (31, 310), (32, 320)];
        assert_eq!(events(3, &arrivals), (vec![(1, 10), (12, 120), (23, 230)], 29));
    }
}
