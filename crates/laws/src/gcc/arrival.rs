//! Groups of packets, and the variation of the delay from group to group.  [draft-gcc §5.1], [draft-gcc §5.2]

use airfair_units::{Duration, Time};

/// `burst_time`: packets sent within this time are a group.  [draft-gcc §5.6]
pub(super) const BURST: Duration = Duration::from_millis(5);
/// K: number of groups of which the shortest interval counts.  Deviates: [D-341]
const MEMORY: usize = 60;

/// A packet of which the receiver has reported the arrival.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arrival {
    /// Time at which the sender sent it.
    pub sent: Time,
    /// Time at which it arrived, by the receiver's clock.
    pub arrived: Time,
}

/// Packets that left in one burst.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Group {
    /// Time at which the first packet was sent.
    first_sent: Time,
    /// Time at which the last packet was sent, T(i).
    sent: Time,
    /// Time at which the last packet arrived, t(i).
    arrived: Time,
}

/// Groups so far.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct State {
    /// Group that may still grow.
    current: Option<Group>,
    /// Group before that.
    previous: Option<Group>,
    /// Times from departure to departure of the last groups, as a ring.
    intervals: [Duration; MEMORY],
    /// Number of groups with such a time so far.
    count: usize,
}

impl Default for State {
    fn default() -> Self {
        Self { current: None, previous: None, intervals: [Duration::MAX; MEMORY], count: 0 }
    }
}

impl State {
    /// `f_max`: highest rate at which the last groups were sent [1/s].
    pub(super) fn highest_rate(&self) -> f64 {
        let shortest = self.intervals.iter().min().expect("a ring of sixty");
        1.0 / shortest.as_secs_f64()
    }
}

/// Variation of the delay from one group to the next.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Variation {
    /// d(i): increase of the delay [ms].
    pub(super) ms: f64,
    /// Time at which the later group arrived, t(i).
    pub(super) at: Time,
}

/// Adds a packet, and returns the variation of the group that it ends, if it begins another one.
pub(super) fn step(mut state: State, packet: &Arrival) -> (State, Option<Variation>) {
    let &Arrival { sent, arrived } = packet;
    let begun = Group { first_sent: sent, sent, arrived };
    let Some(group) = state.current else {
        return (State { current: Some(begun), ..state }, None);
    };
    if sent < group.sent {
        // It was overtaken.
        return (state, None);
    }
    if belongs(group, packet) {
        let current = Some(Group { sent, arrived: arrived.max(group.arrived), ..group });
        return (State { current, ..state }, None);
    }
    let variation = state.previous.map(|previous| {
        let interval = group.sent - previous.sent;
        state.intervals[state.count % MEMORY] = interval;
        state.count += 1;
        Variation { ms: difference(group.arrived, previous.arrived, interval), at: group.arrived }
    });
    (State { current: Some(begun), previous: Some(group), ..state }, variation)
}

/// True if a packet belongs to a group: it left in the same burst, or arrived in a burst after an outage.
/// [draft-gcc §5.2]
fn belongs(group: Group, packet: &Arrival) -> bool {
    if packet.sent - group.first_sent <= BURST {
        return true;
    }
    let follows = packet.arrived.saturating_since(group.arrived) < BURST;
    follows && difference(packet.arrived, group.arrived, packet.sent - group.sent) < 0.0
}

/// Time between two arrivals less the time between the departures [ms].
fn difference(later: Time, earlier: Time, interval: Duration) -> f64 {
    ms(later.saturating_since(earlier)) - ms(earlier.saturating_since(later)) - ms(interval)
}

/// The interval [ms].
pub(super) fn ms(interval: Duration) -> f64 {
    interval.as_secs_f64() * 1e3
}
