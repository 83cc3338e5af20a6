//! Windows that share the buffer of an access point between all connections through it.
//!
//! Source: [pilosof-2003 §V]: each of n connections may have ⌊B / n⌋ packets in flight. The law and
//! the count of connections are the simulator's. There each ACK gets its own window; here a window
//! holds until the next sample.  Deviates: [D-177]

use std::collections::BTreeMap;

use airfair_laws::Direction::{Down, Up};
use airfair_laws::connections::Connections;
use airfair_laws::window_sharing::{self, Observation};
use airfair_units::Time;

use crate::configuration::SharedWindows as Settings;
use crate::connections::{ConnectionTracker, ConnectionTraffic, Ends, FORGOTTEN};
use crate::decision::{ConnectionLimit, Decision};
use crate::estimate::{Estimate, Estimator};
use crate::sample::Sample;

/// Law of windows that share the buffer of an access point, with its state.
#[derive(Clone, Debug)]
pub struct SharedWindows {
    settings: Settings,
    estimator: Estimator,
    tracker: ConnectionTracker,
    connections: Connections,
    known: BTreeMap<Ends, KnownConnection>,
    /// Numbers of forgotten connections, to be used again.
    free: Vec<u16>,
}

/// Connection through the access point: its number, and its limits.
#[derive(Clone, Copy, Debug)]
struct KnownConnection {
    number: u16,
    seen: Time,
    /// Last limits of the connection, up and down [octets].
    limits: [Option<u32>; 2],
}

impl SharedWindows {
    /// Makes the law by which the connections through an access point share its buffer by their
    /// windows. The rates that the agent shows are medians of the last `polls` samples.
    pub fn new(settings: Settings, polls: usize) -> Self {
        Self {
            settings,
            estimator: Estimator::new(polls),
            tracker: ConnectionTracker::default(),
            connections: Connections::default(),
            known: BTreeMap::new(),
            free: Vec::new(),
        }
    }

    /// Processes a sample. Returns the estimates, and the decision if it has changed. The law does
    /// not use link counters.
    pub fn take(&mut self, sample: &Sample) -> (Estimate, Option<Decision>) {
        let seen = self.estimator.take(sample);
        let connections = self.tracker.take(sample);
        self.forget(seen.at);
        for connection in &connections {
            let Some(number) = self.number(connection.ends, seen.at) else { continue };
            for (direction, segment) in [Up, Down].into_iter().zip(connection.largest) {
                if connection.moved(direction).packets > 0 {
                    self.connections.note(seen.at, number, direction, segment);
                }
            }
        }
        let flows = self.connections.count(seen.at, &[Down, Up]);
        let windows: Vec<ConnectionLimit> =
            connections.iter().filter_map(|it| self.window(it, flows)).collect();
        (seen, (!windows.is_empty()).then_some(Decision::Windows(windows)))
    }

    /// Forgets connections that have been silent for long, and frees their numbers.
    fn forget(&mut self, now: Time) {
        let Self { known, free, connections, .. } = self;
        known.retain(|_, it| {
            let is_known = now.saturating_since(it.seen) < FORGOTTEN;
            if !is_known {
                connections.forget(it.number);
                free.push(it.number);
            }
            is_known
        });
    }

    /// Number of a connection; `None` beyond 65 535 connections, which then have no limit.
    fn number(&mut self, ends: Ends, now: Time) -> Option<u16> {
        if let Some(known) = self.known.get_mut(&ends) {
            known.seen = now;
            return Some(known.number);
        }
        let number = self.free.pop().or_else(|| u16::try_from(self.known.len()).ok())?;
        self.known.insert(ends, KnownConnection { number, seen: now, limits: [None; 2] });
        Some(number)
    }

    /// New limit of a connection if it has changed. `flows` is the number of connections with data;
    /// there is no limit if it is zero.
    fn window(&mut self, connection: &ConnectionTraffic, flows: u32) -> Option<ConnectionLimit> {
        let ends = connection.ends;
        if flows == 0 {
            return None;
        }
        let Settings { buffer, least_window } = self.settings;
        let limits = connection.largest.map(|segment| {
            let shared = window_sharing::window(&Observation { buffer, flows, segment });
            let octets = shared.max(segment * u64::from(least_window)).get();
            Some(u32::try_from(octets).unwrap_or(u32::MAX))
        });
        let known = self.known.get_mut(&ends)?;
        if std::mem::replace(&mut known.limits, limits) == limits {
            return None;
        }
        let [up, down] = limits;
        Some(ConnectionLimit { ends, up, down })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::{Connection, Sent};

    fn sample(at_ms: u64, flows: u16) -> Sample {
        let connection = |port: u16| Connection {
            station: "it".into(),
            ends: [([10, 0, 0, 2], 4_000 + port).into(), ([10, 1, 0, 1], 80).into()],
            up: Sent { largest: 1_460, ..Sent::default() },
            down: Sent {
                octets: at_ms * 1_448,
                packets: u32::try_from(at_ms).unwrap(),
                largest: 1_460,
                ..Sent::default()
            },
            own: None,
        };
        let connections = (0..flows).map(connection).collect();
        Sample { at_ns: at_ms * 1_000_000, connections, ..Sample::default() }
    }

    /// Each of n active connections has ⌊B / n⌋ packets of the buffer as its window: ⌊100 / 8⌋ = 12
    /// segments of 1460 octets for each of 8 connections, 100 for one alone.
    ///
    /// Verifies: [pilosof-2003 §V]
    #[test]
    fn a_buffer_is_shared_between_the_connections_that_move_something() {
        let mut law = SharedWindows::new(Settings::default(), 1);
        assert_eq!(law.take(&sample(0, 8)).1, None);
        let Some(Decision::Windows(windows)) = law.take(&sample(100, 8)).1 else { panic!() };
        assert_eq!(windows.len(), 8);
        assert!(windows.iter().all(|it| it.up == Some(12 * 1_460) && it.down == it.up));
        assert_eq!(law.take(&sample(200, 8)).1, None, "as before");
        // Seven connections fall silent. They count for two more seconds.
        assert_eq!(law.take(&sample(300, 1)).1, None);
        let Some(Decision::Windows(windows)) = law.take(&sample(2_300, 1)).1 else { panic!() };
        assert_eq!(windows[0].down, Some(100 * 1_460));
    }

    #[test]
    fn numbers_of_connections_that_are_forgotten_are_given_again() {
        let mut law = SharedWindows::new(Settings::default(), 1);
        for round in 0..10 {
            law.take(&sample(round * 70_000, 8));
            assert!(law.known.values().all(|it| it.number < 8));
        }
    }

    /// A window is at least two segments, although ⌊100 / 70⌋ = 1.
    #[test]
    fn windows_have_the_least_that_is_allowed() {
        let mut law = SharedWindows::new(Settings::default(), 1);
        law.take(&sample(0, 70));
        let Some(Decision::Windows(windows)) = law.take(&sample(100, 70)).1 else { panic!() };
        assert_eq!(windows[0].up, Some(2_920));
    }
}
