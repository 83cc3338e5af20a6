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
