//! Control by an access point, which sees the headers of all that it forwards.

use airfair_laws::{ack_separation, window_sharing};
use airfair_units::{Bytes, Duration, Time};
use airfair_wlan::{Class, Headers, Weights};

use crate::packet::{Body, Packet};
use crate::scenario;

/// How long a connection counts as active after its last packet. Longer than a retransmission
/// time-out at its minimum, so that one loss does not hide a connection.
const ACTIVE: Duration = Duration::from_secs(2);
/// How often connections are counted.
const PERIOD: Duration = Duration::from_millis(100);

/// Which way data goes through the access point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    Up,
    Down,
}

/// A connection that the access point has seen. One between two of its stations goes both ways.
#[derive(Clone, Copy, Debug, Default)]
struct Connection {
    /// When its data was last seen on its way up and down.
    seen: [Option<Time>; 2],
    /// Largest data segment.
    segment: Bytes,
}

impl Connection {
    fn is_active(&self, way: Way, now: Time) -> bool {
        self.seen[way as usize].is_some_and(|seen| now.saturating_since(seen) < ACTIVE)
    }
}

/// The controller of one access point.
#[derive(Debug)]
pub(crate) struct ApController {
    separation: Option<ack_separation::Params>,
    state: ack_separation::State,
    /// Packets of its queue that connections share by their windows.
    shared_buffer: Option<u32>,
    /// By number of the connection.
    connections: Vec<Connection>,
    segments: u32,
    acks: u32,
    next_count: Time,
}

impl ApController {
    /// The controller that the scenario asks for, if any.
    pub(crate) fn new(ap: &scenario::AccessPoint) -> Option<Self> {
        let separation = ap.queue.counts_flows.then(ack_separation::Params::default);
        let shared_buffer = ap.window_sharing.then_some(ap.queue.config.packets);
        if separation.is_none() && shared_buffer.is_none() {
            return None;
        }
        Some(Self {
            separation,
            state: ack_separation::State::default(),
            shared_buffer,
            connections: Vec::new(),
            segments: 0,
            acks: 0,
            next_count: Time::ZERO,
        })
    }

    /// A packet has come from a station.
    pub(crate) fn handle_uplink(&mut self, now: Time, packet: &mut Packet) {
        self.handle(now, packet, Way::Up);
    }

    /// A packet is about to join the queue to the stations. Returns new weights for the queue, when it
    /// is time for them.
    pub(crate) fn handle_downlink(&mut self, now: Time, packet: &mut Packet) -> Option<Weights> {
        self.handle(now, packet, Way::Down);
        if now < self.next_count {
            return None;
        }
        self.next_count = now + PERIOD;
        let params = self.separation?;
        let (down, up) = (self.count(now, &[Way::Down]), self.count(now, &[Way::Up]));
        let (segments, acks) = (self.segments, self.acks);
        (self.segments, self.acks) = (0, 0);
        let seen = ack_separation::Observation { down, up, segments, acks };
        let (state, action) = ack_separation::step(&params, self.state, &seen);
        self.state = state;
        Some(Weights { data: action.data, ack: action.ack })
    }

    /// A packet has been sent to a station.
    pub(crate) fn handle_sent(&mut self, packet: &Packet) {
        self.acks += u32::from(matches!(packet.class(), Class::PureAck { .. }));
    }

    fn handle(&mut self, now: Time, packet: &mut Packet, way: Way) {
        let index = packet.flow.index();
        let Body::Segment(segment) = &mut packet.body else { return };
        if segment.flags.fin {
            self.forget(index);
        } else if segment.payload > 0 {
            self.segments += u32::from(way == Way::Up);
            self.note(index, way, now, Bytes::new(u64::from(segment.payload)));
        } else if let Some(buffer) = self.shared_buffer {
            let size = self.connections.get(index).map_or(Bytes::ZERO, |known| known.segment);
            if size.is_zero() {
                return;
            }
            let flows = self.count(now, &[Way::Down, Way::Up]);
            let seen = window_sharing::Observation { buffer, flows, segment: size };
            segment.window = segment.window.min(window_sharing::window(&seen).get());
        }
    }

    /// A connection ends.
    fn forget(&mut self, index: usize) {
        if let Some(connection) = self.connections.get_mut(index) {
            connection.seen = [None; 2];
        }
    }

    fn note(&mut self, index: usize, way: Way, now: Time, size: Bytes) {
        if index >= self.connections.len() {
            self.connections.resize(index + 1, Connection::default());
        }
        let connection = &mut self.connections[index];
        connection.seen[way as usize] = Some(now);
        connection.segment = connection.segment.max(size);
    }

    /// Connections that have sent data one of these ways of late. O(connections).
    fn count(&self, now: Time, ways: &[Way]) -> u32 {
        let is_active =
            |connection: &&Connection| ways.iter().any(|way| connection.is_active(*way, now));
        let count = self.connections.iter().filter(is_active).count();
        u32::try_from(count).expect("at most 65 535 flows")
    }
}

#[cfg(test)]
mod tests {
    use airfair_transport::tcp::{Flags, Segment};
    use airfair_wlan::{Discipline, QueueConfig};

    use super::*;
    use crate::packet::{FlowId, Side};

    fn controller(window_sharing: bool) -> ApController {
        let config = QueueConfig {
            discipline: Discipline::DataAck(Weights::default()),
            ..QueueConfig::fifo(100)
        };
        let queue = scenario::Queue { config, counts_flows: true };
        let access = airfair_wlan::AccessParameters::default();
        let ap = scenario::AccessPoint { queue, access, window_sharing, occupancy: None };
        ApController::new(&ap).expect("it has something to do")
    }

    fn packet(flow: u16, origin: Side, payload: u32, flags: Flags) -> Packet {
        let segment = Segment { payload, flags, window: 1_000_000, ..Segment::EMPTY };
        Packet::new(Time::ZERO, FlowId(flow), origin, Body::Segment(segment))
    }

    fn data(flow: u16) -> Packet {
        packet(flow, Side::Sender, 1_448, Flags::ACK)
    }

    fn ack(flow: u16) -> Packet {
        packet(flow, Side::Receiver, 0, Flags::ACK)
    }

    fn window(packet: &Packet) -> u64 {
        let Body::Segment(segment) = packet.body else { unreachable!("TCP") };
        segment.window
    }

    const fn ms(ms: u64) -> Time {
        Time::from_nanos(ms * 1_000_000)
    }

    /// Flows 0 to 2 down, flow 3 up, two segments per ACK: 3 · 2 data packets for an ACK. A period later one
    /// down has ended, and two seconds later the others are forgotten.
    #[test]
    fn weights_follow_the_connections_that_are_seen() {
        let mut ap = controller(false);
        for flow in 0..3 {
            ap.handle_downlink(ms(1), &mut data(flow));
        }
        for _ in 0..20 {
            ap.handle_uplink(ms(2), &mut data(3));
        }
        (0..10).for_each(|_| ap.handle_sent(&ack(3)));
        assert_eq!(ap.handle_downlink(ms(50), &mut ack(3)), None);
        let weights = ap.handle_downlink(ms(101), &mut ack(3));
        assert_eq!(weights, Some(Weights { data: 6, ack: 1 }));
        ap.handle_downlink(ms(150), &mut packet(0, Side::Sender, 0, Flags::FIN_ACK));
        let weights = ap.handle_downlink(ms(201), &mut ack(3));
        assert_eq!(weights, Some(Weights { data: 4, ack: 1 }));
        (0..2).for_each(|_| ap.handle_uplink(ms(2_100), &mut data(3)));
        ap.handle_sent(&ack(3));
        let weights = ap.handle_downlink(ms(2_200), &mut ack(3));
        assert_eq!(weights, Some(Weights { data: 2, ack: 1 }));
    }

    /// 100 packets for three connections: ⌊100 / 3⌋ = 33 segments, in ACKs of both ways.
    #[test]
    fn an_ack_gets_its_share_of_the_queue_once_the_segment_is_known() {
        let mut ap = controller(true);
        let mut early = ack(2);
        ap.handle_uplink(ms(0), &mut early);
        assert_eq!(window(&early), 1_000_000);
        ap.handle_downlink(ms(1), &mut data(0));
        ap.handle_downlink(ms(1), &mut data(1));
        ap.handle_uplink(ms(1), &mut data(2));
        let (mut up, mut down) = (ack(0), ack(2));
        ap.handle_uplink(ms(2), &mut up);
        ap.handle_downlink(ms(2), &mut down);
        assert_eq!((window(&up), window(&down)), (33 * 1_448, 33 * 1_448));
        let mut unknown = ack(9);
        ap.handle_uplink(ms(2), &mut unknown);
        assert_eq!(window(&unknown), 1_000_000);
    }

    /// A connection between two stations goes up and down, and has one share of the queue.
    #[test]
    fn a_relayed_connection_counts_both_ways_and_once() {
        let mut ap = controller(true);
        ap.handle_uplink(ms(0), &mut data(0));
        ap.handle_downlink(ms(0), &mut data(0));
        assert_eq!((ap.count(ms(1), &[Way::Up]), ap.count(ms(1), &[Way::Down])), (1, 1));
        assert_eq!(ap.count(ms(1), &[Way::Up, Way::Down]), 1);
    }
}
