//! Traffic of connections between two samples.

use std::collections::BTreeMap;
use std::net::SocketAddr;

use airfair_laws::Direction;
use airfair_units::{Bytes, Duration, Time};

use crate::estimate::increase;
use crate::sample::{Connection, Sample, Sent};

/// Time after which a connection without traffic is forgotten.
pub const FORGOTTEN: Duration = Duration::from_secs(60);

/// Both ends of a connection, the station's first.
pub type Ends = [SocketAddr; 2];

/// Packets that one end of a connection has sent between two samples, and round trips to the other
/// end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Traffic {
    /// Octets of data that the end has sent, retransmissions included.
    pub octets: Bytes,
    /// Number of packets with data that the end has sent.
    pub packets: u64,
    /// Number of packets without data that the end has sent, such as ACKs.
    pub answers: u64,
    /// Sum of the round trips measured from the access point to the other end.
    pub echo: Duration,
    /// Number of round trips in the sum `echo`.
    pub echoes: u64,
}

impl Traffic {
    fn between(before: &Sent, now: &Sent) -> Self {
        let more = |before: u32, now: u32| increase(before.into(), now.into());
        Self {
            octets: Bytes::new(increase(before.octets, now.octets)),
            packets: more(before.packets, now.packets),
            answers: more(before.answers, now.answers),
            echo: Duration::from_nanos(increase(before.echo_ns, now.echo_ns)),
            echoes: more(before.echoes, now.echoes),
        }
    }

    /// Adds the traffic of another interval between samples.
    pub fn add(&mut self, other: &Self) {
        let Self { octets, packets, answers, echo, echoes } = other;
        self.octets = self.octets.saturating_add(*octets);
        self.packets = self.packets.saturating_add(*packets);
        self.answers = self.answers.saturating_add(*answers);
        self.echo = self.echo.saturating_add(*echo);
        self.echoes = self.echoes.saturating_add(*echoes);
    }

    /// Mean length of the data in the packets with data; zero without packets.
    pub fn mean(&self) -> Bytes {
        Bytes::new(self.octets.get() / self.packets.max(1))
    }

    /// Mean round trip from the access point to the other end; `None` if none was measured.
    pub fn mean_echo(&self) -> Option<Duration> {
        (self.echoes > 0).then(|| self.echo / self.echoes)
    }
}

/// Traffic of a connection between two samples.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConnectionTraffic {
    /// MAC address of the station that the connection belongs to.
    pub station: String,
    /// Both ends of the connection, the station's first.
    pub ends: Ends,
    /// Packets that the station has sent.
    pub up: Traffic,
    /// Packets that the station has received.
    pub down: Traffic,
    /// Maximum segment sizes of data upwards and downwards.
    pub largest: [Bytes; 2],
}

impl ConnectionTraffic {
    /// Traffic of the connection in one direction.
    pub fn moved(&self, direction: Direction) -> &Traffic {
        match direction {
            Direction::Up => &self.up,
            Direction::Down => &self.down,
        }
    }
}

/// Tracker that computes the traffic of connections from their counters in successive samples.
#[derive(Clone, Debug, Default)]
pub struct ConnectionTracker {
    known: BTreeMap<Ends, (Time, [Sent; 2])>,
}

impl ConnectionTracker {
    /// Traffic of each connection since the last sample. A new connection has no traffic until the
    /// next sample.
    pub fn take(&mut self, sample: &Sample) -> Vec<ConnectionTraffic> {
        let now = Time::from_nanos(sample.at_ns);
        let seen = sample.connections.iter().map(|it| self.connection(now, it)).collect();
        self.known.retain(|_, (at, _)| now.saturating_since(*at) < FORGOTTEN);
        seen
    }

    fn connection(&mut self, now: Time, it: &Connection) -> ConnectionTraffic {
        let counters = [it.up.clone(), it.down.clone()];
        let before = self.known.insert(it.ends, (now, counters.clone()));
        let before = before.map_or(counters, |(_, before)| before);
        ConnectionTraffic {
            station: it.station.clone(),
            ends: it.ends,
            up: Traffic::between(&before[0], &it.up),
            down: Traffic::between(&before[1], &it.down),
            // The maximum segment size of a direction is announced by the receiver.
            largest: [it.down.largest, it.up.largest].map(|size| Bytes::new(size.into())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(at_s: u64, octets: u64, packets: u32) -> Sample {
        let up = Sent { octets, packets, largest: 1_440, ..Sent::default() };
        let down = Sent { answers: packets / 2, echo_ns: 5_000, echoes: 2, ..up.clone() };
        let ends = ["10.0.0.2:4000", "10.1.0.1:80"].map(|it| it.parse().unwrap());
        let connections = vec![Connection { station: "it".into(), ends, up, down, own: None }];
        Sample { at_ns: at_s * 1_000_000_000, connections, ..Sample::default() }
    }

    #[test]
    fn traffic_is_the_growth_of_the_counters() {
        let mut tracker = ConnectionTracker::default();
        assert_eq!(tracker.take(&sample(0, 9_000, 6))[0].up, Traffic::default());
        let seen = &tracker.take(&sample(1, 12_000, 8))[0];
        assert_eq!((seen.up.octets, seen.up.packets, seen.down.answers), (Bytes::new(3_000), 2, 1));
        assert_eq!((seen.down.mean_echo(), seen.largest[0]), (None, Bytes::new(1_440)));
        // A new connection on the same ports counts from zero.
        assert_eq!(tracker.take(&sample(2, 1_000, 1))[0].up.packets, 1);
    }

    #[test]
    fn a_silent_connection_is_forgotten() {
        let mut tracker = ConnectionTracker::default();
        tracker.take(&sample(0, 0, 0));
        tracker.take(&Sample { at_ns: 61_000_000_000, ..Sample::default() });
        assert!(tracker.known.is_empty());
        assert_eq!(tracker.take(&sample(62, 9_000, 6))[0].up, Traffic::default());
    }
}
