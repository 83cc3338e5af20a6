//! A wired link in one direction: a drop-tail queue, a rate, a propagation delay.

use std::collections::VecDeque;

use airfair_units::Time;

use crate::packet::Packet;
use crate::scenario;

/// A link of the world, by index.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct LinkId(pub u16);

impl LinkId {
    /// Place in a table of all links.
    pub fn index(self) -> usize {
        usize::from(self.0)
    }
}

/// The queue was full; the packet is lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QueueFull;

/// One direction of a wired link. Packets arrive in the order in which they were sent.
#[derive(Debug)]
pub struct Link {
    config: scenario::Link,
    /// When each packet queued or in service has left.
    departures: VecDeque<Time>,
    /// Packets with their times of arrival.
    in_flight: VecDeque<(Time, Packet)>,
}

impl Link {
    /// An empty link.
    pub fn new(config: scenario::Link) -> Self {
        Self { config, departures: VecDeque::new(), in_flight: VecDeque::new() }
    }

    /// Sends a packet; it will arrive at the time returned.
    ///
    /// # Errors
    /// [`QueueFull`] if the queue, the packet in service included, has no room.
    pub fn send(&mut self, now: Time, packet: Packet) -> Result<Time, QueueFull> {
        let queued = self.queued(now);
        if queued >= self.config.queue.packets {
            return Err(QueueFull);
        }
        let free = self.departures.back().map_or(now, |last| now.max(*last));
        let departure = free + self.config.rate.time_to_send(packet.size());
        let arrival = departure + self.config.delay;
        self.departures.push_back(departure);
        self.in_flight.push_back((arrival, packet));
        Ok(arrival)
    }

    /// Packets queued or in service.
    pub fn queued(&mut self, now: Time) -> u32 {
        while self.departures.front().is_some_and(|departure| *departure <= now) {
            self.departures.pop_front();
        }
        u32::try_from(self.departures.len()).expect("a queue of at most 2^32 packets")
    }

    /// When the packet sent last has left.
    pub fn last_departure(&self) -> Option<Time> {
        self.departures.back().copied()
    }

    /// The packet that arrives now.
    pub fn receive(&mut self, now: Time) -> Option<Packet> {
        let (arrival, packet) = *self.in_flight.front()?;
        (arrival <= now).then(|| {
            self.in_flight.pop_front();
            packet
        })
    }

    /// Packets sent and not yet arrived.
    pub fn in_flight(&self) -> impl Iterator<Item = &Packet> {
        self.in_flight.iter().map(|(_, packet)| packet)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packet::{Body, FlowId, Side};
    use airfair_transport::udp::Datagram;
    use airfair_units::{DataRate, Duration};

    fn link(packets: u32) -> Link {
        let queue = scenario::Queue { packets };
        let rate = DataRate::from_mbps(8);
        Link::new(scenario::Link { rate, delay: Duration::from_millis(2), queue })
    }

    fn packet(seq: u64) -> Packet {
        // 972 + 28 octets of headers = 1000 octets = 1 ms at 8 Mb/s
        let body = Body::Datagram(Datagram { seq, payload: 972 });
        Packet { body, flow: FlowId(0), origin: Side::Sender, hop: 0 }
    }

    #[test]
    fn packets_queue_behind_each_other_and_then_travel() {
        let mut link = link(10);
        let ms = |ms| Time::ZERO + Duration::from_millis(ms);
        assert_eq!(link.send(Time::ZERO, packet(0)), Ok(ms(3)));
        assert_eq!(link.send(Time::ZERO, packet(1)), Ok(ms(4)));
        assert_eq!(link.send(ms(7), packet(2)), Ok(ms(10)));
        assert_eq!(link.receive(ms(2)), None);
        assert_eq!(link.receive(ms(3)), Some(packet(0)));
        assert_eq!(link.receive(ms(3)), None);
    }

    #[test]
    fn a_full_queue_drops_at_its_tail() {
        let mut link = link(2);
        assert!(link.send(Time::ZERO, packet(0)).is_ok());
        assert!(link.send(Time::ZERO, packet(1)).is_ok());
        assert_eq!(link.send(Time::ZERO, packet(2)), Err(QueueFull));
        let first_has_left = Time::ZERO + Duration::from_millis(1);
        assert!(link.send(first_has_left, packet(3)).is_ok());
    }
}
