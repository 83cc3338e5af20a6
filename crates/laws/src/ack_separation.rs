//! Uplink-downlink separation: weights with which an access point serves its queues of TCP data and TCP ACKs.
//!
//! Source: [updown-fairness §IV]. A receiver on the wire acknowledges every second segment, so one ACK lets a
//! station send two segments: with two data packets served per ACK, uplink and downlink are equal. The
//! paper's weights are fixed at 2:1 for any number of connections; it leaves a scheduler that counts them to
//! future work, and that scheduler is this law. With `d` downlink and `u` uplink connections, and `b`
//! segments that one ACK releases, each connection has the same share if
//!
//! ```text
//!   data : ACKs = d : u / b
//! ```
//!
//! `b` is measured, because it is 2 only as long as no ACK is lost: if the queue of ACKs overflows, the
//! remaining ACKs release more segments.

use airfair_units::{Duration, Time};

use crate::Direction::{Down, Up};
use crate::connections::Connections;

/// Length of the period over which an access point counts packets.
const PERIOD: Duration = Duration::from_millis(100);

/// Parameters of uplink-downlink separation at an access point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Params {
    /// Segments per ACK assumed before any ACK is seen.  [RFC5681 §4.2]
    pub segments_per_ack: u32,
    /// Number of measurement periods over which the segments per ACK are averaged.
    pub memory: u32,
}

impl Default for Params {
    fn default() -> Self {
        Self { segments_per_ack: 2, memory: 50 }
    }
}

/// State of uplink-downlink separation: decaying sums of the segments and ACKs that the access point has
/// counted, in units of 1/`SCALE`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct State {
    segments: u64,
    acks: u64,
}

/// The value 1 in the fixed-point units of the state's sums.
const SCALE: u64 = 256;
/// ACKs that the access point serves per round for one uplink connection. A larger number brings the weights
/// of the queues nearer to their exact ratio.
const ROUND: u64 = 16;
/// Largest weight of a queue of the access point.
const MAX_WEIGHT: u64 = 1 << 20;

/// Connections and packets that an access point counts in one period.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Observation {
    /// Downlink connections: those that send data down through the access point.
    pub down: u32,
    /// Uplink connections: those that send data up through the access point.
    pub up: u32,
    /// Data segments received from stations in the measurement period.
    pub segments: u32,
    /// Pure ACKs delivered to stations in the measurement period.
    pub acks: u32,
}

/// Weights of the access point's queues of data and of pure ACKs: packets to serve per round.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Action {
    /// Packets to serve from the data queue per round.
    pub data: u32,
    /// Packets to serve from the queue of pure ACKs per round.
    pub ack: u32,
}

/// Packets that an access point counts during a measurement period.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Data segments that the access point has received from stations in the measurement period.
    pub segments: u32,
    /// Pure ACKs that the access point has delivered to stations in the measurement period.
    pub acks: u32,
    due: Time,
}

impl Counts {
    /// Ends the measurement period if it is over at `now`, and returns the counts of that period.
    pub fn end(&mut self, now: Time, connections: &Connections) -> Option<Observation> {
        if now < self.due {
            return None;
        }
        let Self { segments, acks, .. } = *self;
        *self = Self { segments: 0, acks: 0, due: now + PERIOD };
        let (down, up) = (connections.count(now, &[Down]), connections.count(now, &[Up]));
        Some(Observation { down, up, segments, acks })
    }
}

/// Returns the weights of the two queues after one measurement period.  [updown-fairness §IV]
pub fn step(params: &Params, state: State, seen: &Observation) -> (State, Action) {
    let memory = u64::from(params.memory.max(1));
    let add = |sum: u64, new: u32| sum - sum / memory + u64::from(new) * SCALE;
    let state =
        State { segments: add(state.segments, seen.segments), acks: add(state.acks, seen.acks) };
    // At least one segment per ACK: a smaller ratio means that ACKs of other connections are among them.
    let (segments, acks) = if state.acks < SCALE {
        (u64::from(params.segments_per_ack), 1)
    } else {
        (state.segments.max(state.acks), state.acks)
    };
    let (down, up) = (u64::from(seen.down.max(1)), u64::from(seen.up.max(1)));
    let ack = up * ROUND;
    let data = u128::from(down * ROUND) * u128::from(segments);
    let data = u64::try_from(rounded(data, acks.into())).unwrap_or(MAX_WEIGHT);
    (state, reduced(data.min(MAX_WEIGHT), ack.min(MAX_WEIGHT)))
}

/// The quotient of `number` and `by`, rounded to the nearest integer.
fn rounded(number: u128, by: u128) -> u128 {
    (2 * number / by).div_ceil(2)
}

/// Weights of the queues in the ratio of `data` to `ack`, reduced to lowest terms.
fn reduced(data: u64, ack: u64) -> Action {
    let common = greatest_common_divisor(data, ack);
    let weight = |number: u64| u32::try_from(number / common).expect("at most MAX_WEIGHT");
    Action { data: weight(data), ack: weight(ack) }
}

fn greatest_common_divisor(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { greatest_common_divisor(b, a % b) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn weights(state: State, down: u32, up: u32, segments: u32, acks: u32) -> (u32, u32) {
        let seen = Observation { down, up, segments, acks };
        let action = step(&Params::default(), state, &seen).1;
        (action.data, action.ack)
    }

    /// With as many uplink as downlink connections the weights of data and ACKs are the paper's 2:1.
    ///
    /// Verifies: [updown-fairness §IV]
    #[test]
    fn two_to_one_where_both_ways_have_as_many() {
        for flows in [0, 1, 2, 4] {
            assert_eq!(weights(State::default(), flows, flows, 0, 0), (2, 1));
            assert_eq!(weights(State::default(), flows, flows, 40, 20), (2, 1));
        }
    }

    /// The weights follow from the numbers of connections. With 7 down and 1 up, each ACK releases 2
    /// segments, so 14 data packets per ACK give each connection 2. With 1 down and 7 up, the one gets 2 data
    /// packets for the 7 ACKs, which release 14 segments.
    #[test]
    fn weights_follow_the_number_of_connections() {
        assert_eq!(weights(State::default(), 7, 1, 40, 20), (14, 1));
        assert_eq!(weights(State::default(), 1, 7, 40, 20), (2, 7));
    }

    /// If half of the ACKs are lost, each of the others releases 4 segments, so the weight of the data queue
    /// per ACK doubles.
    #[test]
    fn lost_acks_make_the_others_worth_more() {
        assert_eq!(weights(State::default(), 1, 1, 80, 20), (4, 1));
        let seen = Observation { down: 1, up: 1, segments: 40, acks: 20 };
        let mut state = State::default();
        for _ in 0..50 {
            state = step(&Params::default(), state, &seen).0;
        }
        // One period with 4 against a memory of 50 periods with 2: the value is between, and near to 2.
        let (data, ack) = weights(state, 1, 1, 80, 20);
        assert!(2 * ack <= data && data * 10 < 22 * ack, "{data} {ack}");
    }

    /// The counts of segments and ACKs restart with each measurement period of 100 ms; the first period ends
    /// at once.
    #[test]
    fn a_period_ends_with_what_was_seen_in_it() {
        let at = |ms| Time::ZERO + Duration::from_millis(ms);
        let mut connections = Connections::default();
        connections.note(at(0), 0, Up, airfair_units::Bytes::new(1));
        let mut counts = Counts { segments: 4, acks: 2, ..Counts::default() };
        let seen = Observation { down: 0, up: 1, segments: 4, acks: 2 };
        assert_eq!(counts.end(at(5), &connections), Some(seen));
        counts.acks = 7;
        assert_eq!(counts.end(at(104), &connections), None);
        let seen = Observation { segments: 0, acks: 7, ..seen };
        assert_eq!(counts.end(at(105), &connections), Some(seen));
    }

    proptest! {
        /// For any observations both queues have a weight greater than zero, and the weights stay bounded.
        #[test]
        fn neither_queue_starves(history in prop::collection::vec(any::<(u16, u16, u32, u32)>(), 1..50)) {
            let mut state = State::default();
            for (down, up, segments, acks) in history {
                let seen = Observation { down: down.into(), up: up.into(), segments, acks };
                let (next, action) = step(&Params::default(), state, &seen);
                prop_assert!(action.data > 0 && action.ack > 0);
                prop_assert!(u64::from(action.data.max(action.ack)) <= MAX_WEIGHT);
                state = next;
            }
        }

        /// For any numbers of connections each connection has the same share, except for the rounding of a
        /// round.
        #[test]
        fn shares_are_equal(down in 1u32..50, up in 1u32..50, acks in 1u32..1_000, ratio in 1u32..5) {
            let (data, ack) = weights(State::default(), down, up, ratio * acks, acks);
            let (each_down, each_up) = (
                f64::from(data) / f64::from(down),
                f64::from(ack * ratio) / f64::from(up),
            );
            prop_assert!((each_down / each_up - 1.0).abs() < 0.05, "{data}:{ack}");
        }
    }
}
