//! Agent of an access point that follows TCP connections by the headers of the packets that it forwards. It weights
//! DATA against ACKs in its queue, and lowers the windows that ACKs advertise.

use airfair_laws::Direction;
use airfair_laws::connections::Connections;
use airfair_laws::{ack_separation, window_sharing};
use airfair_transport::tcp::Flags;
use airfair_units::{Bytes, Time};
use airfair_wlan::{Class, Headers, Weights};

use super::{Action, Home, Passage, Seen};
use crate::packet::Packet;
use crate::scenario::Queue;

/// Agent of an access point that follows the TCP connections through it.
#[derive(Clone, Debug)]
pub(crate) struct Agent {
    separation: Option<ack_separation::Params>,
    state: ack_separation::State,
    counts: ack_separation::Counts,
    /// Size of the queue that the connections share by their windows [packets]; `None` without window sharing.
    shared_buffer: Option<u32>,
    connections: Connections,
}

impl Agent {
    pub(super) fn at(home: &Home) -> Option<Self> {
        let ap = home.access_point;
        let has_work = ap.queue.counts_flows || ap.window_sharing;
        has_work.then(|| Self::new(&ap.queue, ap.window_sharing))
    }

    pub(super) fn new(queue: &Queue, window_sharing: bool) -> Self {
        Self {
            separation: queue.counts_flows.then(ack_separation::Params::default),
            state: ack_separation::State::default(),
            counts: ack_separation::Counts::default(),
            shared_buffer: window_sharing.then_some(queue.config.packets),
            connections: Connections::default(),
        }
    }

    /// Adapts this agent to `queue`, which replaces the access point's queue during a run: takes over its capacity, and
    /// whether the weights of DATA and ACKs follow the numbers of TCP connections.
    pub(super) fn follow_queue(&mut self, queue: &Queue) {
        self.separation = queue.counts_flows.then(ack_separation::Params::default);
        self.shared_buffer = self.shared_buffer.map(|_| queue.config.packets);
    }

    pub(super) fn handle(&mut self, now: Time, seen: &Seen, actions: &mut Vec<Action>) {
        match seen {
            Seen::Start => actions.push(Action::WatchPackets),
            Seen::Packet { passage, packet, .. } => match passage {
                Passage::FromStation => actions.extend(self.pass(now, packet, Direction::Up)),
                Passage::ToQueue => {
                    actions.extend(self.pass(now, packet, Direction::Down));
                    actions.extend(self.weights(now));
                }
                Passage::Delivered => {
                    let is_ack = matches!(packet.class(), Class::PureAck { .. });
                    self.counts.acks += u32::from(is_ack);
                }
            },
            Seen::End | Seen::Frame(_) | Seen::Rate { .. } | Seen::BeaconDue(_) | Seen::Timer => {}
        }
    }

    /// Notes a packet that the access point forwards. Returns an action if the window in a pure ACK must be lowered.
    fn pass(&mut self, now: Time, packet: &Packet, direction: Direction) -> Option<Action> {
        let (flow, flags, payload) = packet.tcp()?;
        if flags.has(Flags::FIN) {
            self.connections.forget(flow);
        } else if payload > 0 {
            self.counts.segments += u32::from(direction == Direction::Up);
            let size = Bytes::new(payload.into());
            self.connections.note(now, flow, direction, size);
        }
        // Data segments that also acknowledge keep their window: where data flows both ways, pure ACKs carry the
        // limit.
        if let Some(buffer) = self.shared_buffer
            && flags.without(Flags::ACE) == Flags::ACK
        {
            let segment = self.connections.segment(flow)?;
            let flows = self.connections.count(now, &[Direction::Down, Direction::Up]);
            let seen = window_sharing::Observation { buffer, flows, segment };
            return Some(Action::RewriteWindow(window_sharing::window(&seen)));
        }
        None
    }

    /// Returns the action that sets new weights for DATA and ACKs in the access point's queue at the end of each
    /// measuring period, and `None` at other times.
    fn weights(&mut self, now: Time) -> Option<Action> {
        let params = self.separation?;
        let seen = self.counts.end(now, &self.connections)?;
        let (state, action) = ack_separation::step(&params, self.state, &seen);
        self.state = state;
        Some(Action::SetWeights(Weights { data: action.data, ack: action.ack }))
    }
}

#[cfg(test)]
mod tests {
    use airfair_transport::tcp::Segment;
    use airfair_wlan::airtime::Airtime;
    use airfair_wlan::edca::AccessCategory;
    use airfair_wlan::{Discipline, NodeId, QueueConfig};

    use super::Passage::{Delivered, FromStation, ToQueue};
    use super::*;
    use crate::packet::{Body, Connection, External, ExternalTcp, FlowId, Handle, Side};
    use crate::scenario;

    fn agent(window_sharing: bool) -> Agent {
        let config = QueueConfig {
            discipline: Discipline::data_ack(Weights::default()),
            ..QueueConfig::fifo(100)
        };
        let queue = scenario::Queue { config, counts_flows: true };
        let access = airfair_wlan::AccessParameters::default();
        let ap = scenario::AccessPoint {
            queue,
            access: scenario::Access { best_effort: access, ..scenario::Access::default() },
            window_sharing,
            ..scenario::AccessPoint::default()
        };
        let rules = airfair_wlan::Rules::of(airfair_wlan::phy::Standard::A);
        let (ap_queue, stations) = (config, Vec::new());
        let cell = airfair_wlan::CellConfig {
            rules,
            ap_queue,
            ap_access: access,
            ap_categories: Vec::new(),
            stations,
            foreign: Vec::new(),
        };
        let airtime = Airtime::new(&cell);
        let home = Home { node: NodeId::AP, access_point: &ap, airtime: &airtime, ends: &[] };
        Agent::at(&home).expect("it has something to do")
    }

    /// Actions of the access point's agent after the access point has seen a packet.
    fn see(agent: &mut Agent, at: Time, passage: Passage, packet: &Packet) -> Vec<Action> {
        let mut actions = Vec::new();
        let seen = Seen::Packet { passage, station: NodeId::station(0), packet };
        agent.handle(at, &seen, &mut actions);
        actions
    }

    fn packet(flow: u16, origin: Side, payload: u32, flags: Flags) -> Packet {
        let segment = Segment { payload, flags, window: 1_000_000, ..Segment::EMPTY };
        made(flow, origin, Body::Segment(segment))
    }

    fn made(flow: u16, origin: Side, body: Body) -> Packet {
        Packet::new(Time::ZERO, (FlowId(flow), origin), AccessCategory::default(), body)
    }

    fn from_outside(packet: External) -> Packet {
        made(3, Side::Sender, Body::External(packet))
    }

    fn data(flow: u16) -> Packet {
        packet(flow, Side::Sender, 1_448, Flags::ACK)
    }

    fn ack(flow: u16) -> Packet {
        packet(flow, Side::Receiver, 0, Flags::ACK)
    }

    const fn ms(ms: u64) -> Time {
        Time::from_nanos(ms * 1_000_000)
    }

    /// Three flows down and one flow up with two segments per ACK get weights of 3 · 2 DATA packets per ACK. One
    /// period later one flow down has ended, and the weights are 2 · 2 to 1. Two seconds later the other two flows
    /// down are forgotten, and the weights are 2 to 1.
    #[test]
    fn weights_follow_the_connections_that_are_seen() {
        let mut ap = agent(false);
        let mut see = |at, passage, packet| see(&mut ap, ms(at), passage, &packet);
        let weights = |data, ack| vec![Action::SetWeights(Weights { data, ack })];
        for flow in 0..3 {
            see(1, ToQueue, data(flow));
        }
        (0..20).for_each(|_| assert_eq!(see(2, FromStation, data(3)), []));
        (0..10).for_each(|_| assert_eq!(see(2, Delivered, ack(3)), []));
        assert_eq!(see(50, ToQueue, ack(3)), []);
        assert_eq!(see(101, ToQueue, ack(3)), weights(6, 1));
        see(150, ToQueue, packet(0, Side::Sender, 0, Flags::FIN_ACK));
        assert_eq!(see(201, ToQueue, ack(3)), weights(4, 1));
        (0..2).for_each(|_| assert_eq!(see(2_100, FromStation, data(3)), []));
        see(2_100, Delivered, ack(3));
        assert_eq!(see(2_200, ToQueue, ack(3)), weights(2, 1));
    }

    /// With a queue of 100 packets and three connections, each connection's window is ⌊100 / 3⌋ = 33 segments, which
    /// the access point writes into ACKs of both directions.
    #[test]
    fn an_ack_gets_its_share_of_the_queue_once_the_segment_is_known() {
        let mut ap = agent(true);
        let mut see = |at, passage, packet| see(&mut ap, ms(at), passage, &packet);
        assert_eq!(see(0, FromStation, ack(2)), []);
        see(1, ToQueue, data(0));
        see(1, ToQueue, data(1));
        see(1, FromStation, data(2));
        let share = Action::RewriteWindow(Bytes::new(33 * 1_448));
        assert_eq!(see(2, FromStation, ack(0)), [share]);
        assert_eq!(see(2, ToQueue, ack(2)), [share]);
        assert_eq!(see(2, FromStation, ack(9)), []);
    }

    /// A program's connection 7 in a flow with packets of all kinds counts as a connection of its own. The windows of
    /// its ACKs with data and without are lowered. A packet without a TCP header belongs to no connection.
    #[test]
    fn packets_from_outside_are_seen_by_their_headers() {
        let mut ap = agent(true);
        let mut see = |at, passage, packet| see(&mut ap, ms(at), passage, &packet);
        let outside = |payload, flags| {
            let tcp = ExternalTcp { payload, flags, ..ExternalTcp::default() };
            let external = External {
                connection: Some(Connection { number: 7, is_other: false }),
                tcp: Some(tcp),
                ..External::new(Bytes::new(40), Handle(0))
            };
            from_outside(external)
        };
        see(0, ToQueue, data(3));
        let share = |flows: u64| Action::RewriteWindow(Bytes::new(100 / flows * 1_448));
        assert_eq!(see(1, FromStation, outside(1_448, Flags::ACK)), [share(2)]);
        assert_eq!(see(1, FromStation, outside(0, Flags::ACK)), [share(2)]);
        assert_eq!(see(2, FromStation, outside(0, Flags::SYN)), []);
        let opaque = External::new(Bytes::new(40), Handle(0));
        let packet = from_outside(opaque);
        assert_eq!(see(2, FromStation, packet), []);
        see(3, FromStation, outside(0, Flags::FIN_ACK));
        assert_eq!(see(4, FromStation, ack(3)), [share(1)]);
    }
}
