//! Connections through an access point, counted by the data that it forwards.
//!
//! Source: the scheduler of [updown-fairness §IV] and the windows of [pilosof-2003 §V] need their number. A
//! connection counts for some time after its last data, so that a loss does not hide it, and until its FIN.
//! The table of connections is updated in place, because a packet changes one connection only.

use airfair_units::{Bytes, Duration, Time};

use crate::Direction;

/// Time for which a connection counts as active after its last packet. It is longer than the smallest
/// retransmission time-out, so that one loss does not hide a connection.
pub const ACTIVE: Duration = Duration::from_secs(2);

/// A connection that the access point has seen. A connection between two of its stations has both directions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Connection {
    /// Times at which data of the connection was last seen, up and down.
    seen: [Option<Time>; 2],
    /// Largest data segment of the connection so far.
    segment: Bytes,
}

impl Connection {
    fn is_active(&self, direction: Direction, now: Time) -> bool {
        self.seen[direction as usize].is_some_and(|seen| now.saturating_since(seen) < ACTIVE)
    }
}

/// All connections through an access point, indexed by their numbers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Connections(Vec<Connection>);

impl Connections {
    /// Records `size` octets of data of connection `flow`.
    pub fn note(&mut self, now: Time, flow: u16, direction: Direction, size: Bytes) {
        let index = usize::from(flow);
        if index >= self.0.len() {
            self.0.resize(index + 1, Connection::default());
        }
        let connection = &mut self.0[index];
        connection.seen[direction as usize] = Some(now);
        connection.segment = connection.segment.max(size);
    }

    /// Removes connection `flow`, because its FIN has passed the access point.
    pub fn forget(&mut self, flow: u16) {
        if let Some(connection) = self.0.get_mut(usize::from(flow)) {
            connection.seen = [None; 2];
        }
    }

    /// Largest data segment of a connection; `None` before the first.
    #[must_use]
    pub fn segment(&self, flow: u16) -> Option<Bytes> {
        let segment = self.0.get(usize::from(flow))?.segment;
        (!segment.is_zero()).then_some(segment)
    }

    /// Number of active connections with data in one of `directions`. O(connections).
    #[must_use]
    pub fn count(&self, now: Time, directions: &[Direction]) -> u32 {
        let is_active = |connection: &&Connection| {
            directions.iter().any(|direction| connection.is_active(*direction, now))
        };
        let count = self.0.iter().filter(is_active).count();
        u32::try_from(count).expect("at most 65 535 flows")
    }
}

#[cfg(test)]
mod tests {
    use super::Direction::{Down, Up};
    use super::*;

    const SIZE: Bytes = Bytes::new(1_448);

    const fn ms(ms: u64) -> Time {
        Time::from_nanos(ms * 1_000_000)
    }

    /// A connection between two stations counts in both directions, but as one connection in the total.
    ///
    /// Verifies: [pilosof-2003 §V]
    #[test]
    fn a_relayed_connection_counts_both_ways_and_once() {
        let mut connections = Connections::default();
        connections.note(ms(0), 3, Up, SIZE);
        connections.note(ms(0), 3, Down, SIZE);
        assert_eq!(
            [&[Up][..], &[Down], &[Up, Down]].map(|ways| connections.count(ms(1), ways)),
            [1; 3]
        );
        assert_eq!((connections.segment(3), connections.segment(0)), (Some(SIZE), None));
    }

    #[test]
    fn a_connection_is_forgotten_at_its_end_or_after_two_seconds() {
        let mut connections = Connections::default();
        (0..2).for_each(|flow| connections.note(ms(0), flow, Up, SIZE));
        connections.forget(0);
        connections.forget(9);
        assert_eq!([1_999, 2_000].map(|at| connections.count(ms(at), &[Up])), [1, 0]);
        assert_eq!(connections.segment(0), Some(SIZE));
    }
}
