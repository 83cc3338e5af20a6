//! Packets between hosts: a transport's message with its flow and its position on the route.

pub use airfair_transport::ecn::Ecn;
pub use airfair_transport::tcp::Flags as TcpFlags;
use airfair_transport::{live, quic, tcp, tfrc, udp};
use airfair_units::{Bytes, Time};
use airfair_wlan::edca::AccessCategory;
use airfair_wlan::{Class, Headers};

/// Number of a flow: its index in the scenario.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FlowId(pub u16);

impl FlowId {
    /// The `index`-th flow of the scenario.
    ///
    /// # Panics
    /// If `index` is above 65 535.
    pub fn new(index: usize) -> Self {
        Self(u16::try_from(index).expect("at most 65 535 flows"))
    }

    /// Index of the flow in the scenario, and in tables with one entry per flow.
    pub fn index(self) -> usize {
        usize::from(self.0)
    }
}

/// One end of a flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Side {
    /// End of the flow that sends the data.
    Sender,
    /// End of the flow that receives the data.
    Receiver,
}

/// Number by which the owner of a world identifies the bytes of an external packet. The world never reads the bytes,
/// and returns each handle exactly once, when it no longer needs the packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Handle(pub u64);

/// A packet of an external flow. Its bytes stay with the program that owns the simulated world, such as the emulator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct External {
    /// Size of the IP packet.
    pub size: Bytes,
    /// Number by which the owner identifies the packet's bytes.
    pub handle: Handle,
    /// Connection of the packet, by which queues and schemes distinguish it. All packets of the flow with `None` are
    /// treated as one connection.
    pub connection: Option<Connection>,
    /// Fields of the TCP header, if the packet has one and the owner has parsed it.
    pub tcp: Option<ExternalTcp>,
    /// ECN field of the IP header. Queues mark the packet here, and the owner writes the mark into the packet's bytes.
    pub ecn: Ecn,
}

impl External {
    /// Creates a packet without known headers, whose transport does not answer marks.
    pub fn new(size: Bytes, handle: Handle) -> Self {
        Self { size, handle, connection: None, tcp: None, ecn: Ecn::NOT_ECT }
    }
}

/// Connection of a program, and the end of it that has sent a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Connection {
    /// Number of the connection, different from all flows of the scenario and all other connections.
    pub number: u16,
    /// True if one end of the connection sent the packet, and false if the other end did. Either end may be the one.
    pub is_other: bool,
}

/// Fields of a TCP header that queue disciplines and schemes use.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ExternalTcp {
    /// Sequence number, unwrapped to 64 bits [octets].
    pub seq: u64,
    /// Acknowledgment number, unwrapped to 64 bits [octets].
    pub ack: u64,
    /// Application data in the segment [octets].
    pub payload: u32,
    /// Control bits, such as SYN and FIN.
    pub flags: TcpFlags,
    /// True if the segment has SACK blocks.
    pub is_selective: bool,
    /// Receive window that the program advertises, after window scaling [octets]; `None` if the owner does not know
    /// the scale.
    pub window: Option<u32>,
    /// Upper bound that schemes set for the advertised window; `None` leaves the window as the program has set it.
    pub limit: Option<Bytes>,
}

/// A packet on its way through the world.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Packet {
    /// Content of the packet; a simulated payload has a size and no bytes.
    pub body: Body,
    /// Flow of the packet.
    pub flow: FlowId,
    /// End of the flow that sent the packet.
    pub origin: Side,
    /// Index of the current hop on the packet's route, from 0.
    pub hop: u16,
    /// Access category of the packet on the air.
    pub category: AccessCategory,
    /// Time at which the packet was sent.
    pub sent_at: Time,
}

/// Content of a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Body {
    /// Segment of a simulated TCP.
    Segment(tcp::Segment),
    /// Packet of a QUIC sender. Its content is encrypted, so that queues and schemes know its size alone.
    QuicData(quic::Data),
    /// Packet of a QUIC receiver. Its content is encrypted, so that queues and schemes know its size alone.
    QuicAck(quic::Ack),
    /// Datagram of the handshake of QUIC, of either end.
    QuicHandshake(quic::Handshake),
    /// Data packet of TFRC.
    TfrcData(tfrc::Data),
    /// Feedback packet of a TFRC receiver.
    TfrcFeedback(tfrc::Feedback),
    /// UDP datagram.
    Datagram(udp::Datagram),
    /// Report of the receiver of a call whose rate is controlled.
    Report(live::Report),
    /// Packet of a program, which the owner of the world injects.
    External(External),
}

/// Number by which queues identify the packets that one end of a flow sends. Packets of a program's connection have
/// another number.
pub(crate) fn connection_number(flow: FlowId, origin: Side) -> u64 {
    connection(flow.0, origin == Side::Receiver)
}

fn connection(number: u16, is_other: bool) -> u64 {
    2 * u64::from(number) + u64::from(is_other)
}

impl Headers for Packet {
    fn flow(&self) -> u64 {
        let (number, is_other) = match &self.body {
            Body::External(External { connection: Some(it), .. }) => (it.number, it.is_other),
            _ => (self.flow.0, self.origin == Side::Receiver),
        };
        connection(number, is_other)
    }

    /// Class of the packet, for queues that distinguish pure ACKs from DATA. A pure ACK carries no data and neither
    /// opens nor closes a connection.
    fn class(&self) -> Class {
        match &self.body {
            Body::Segment(segment) if segment.is_pure_ack() => {
                // Of accurate ECN, an ACK whose count is zero modulo eight and that has no option makes an older one
                // of this kind redundant.  [RFC9768 §3.3.3]
                let is_selective = !segment.sack.is_empty()
                    || segment.flags.ace() != 0
                    || segment.sack.counters().is_some();
                Class::PureAck { number: segment.ack, is_selective }
            }
            Body::External(External { tcp: Some(tcp), .. })
                if tcp.payload == 0 && tcp.flags.without(tcp::Flags::ACE) == tcp::Flags::ACK =>
            {
                let is_selective = tcp.is_selective || tcp.flags.ace() != 0;
                Class::PureAck { number: tcp.ack, is_selective }
            }
            _ => Class::Data,
        }
    }

    fn category(&self) -> AccessCategory {
        self.category
    }

    fn is_low_latency(&self) -> bool {
        [Ecn::ECT_1, Ecn::CE].contains(&self.ecn())
    }

    fn mark(&mut self) -> bool {
        match &mut self.body {
            Body::Segment(segment) => {
                let mut ecn = segment.flags.ecn();
                let is_capable = ecn.mark();
                segment.flags = segment.flags.with_ecn(ecn);
                is_capable
            }
            Body::QuicData(data) => data.ecn.mark(),
            Body::Datagram(datagram) => datagram.ecn.mark(),
            Body::External(external) => external.ecn.mark(),
            _ => false,
        }
    }
}

impl Packet {
    /// Creates a packet that one end of a flow sends at `now`.
    #[inline]
    pub fn new(
        now: Time,
        (flow, origin): (FlowId, Side),
        category: AccessCategory,
        body: Body,
    ) -> Self {
        Self { body, flow, origin, hop: 0, category, sent_at: now }
    }

    /// Number of the packet's connection, with control bits and payload size [octets] of its TCP header, if it has
    /// one.
    pub(crate) fn tcp(&self) -> Option<(u16, tcp::Flags, u32)> {
        match &self.body {
            Body::Segment(segment) => Some((self.flow.0, segment.flags, segment.payload)),
            Body::External(External { tcp: Some(tcp), connection, .. }) => {
                let number = connection.map_or(self.flow.0, |it| it.number);
                Some((number, tcp.flags, tcp.payload))
            }
            _ => None,
        }
    }

    /// Sequence and acknowledgment numbers of the packet's TCP header, if it has one [octets].
    pub(crate) fn tcp_numbers(&self) -> Option<(u64, u64)> {
        match &self.body {
            Body::Segment(segment) => Some((segment.seq, segment.ack)),
            Body::External(External { tcp: Some(tcp), .. }) => Some((tcp.seq, tcp.ack)),
            _ => None,
        }
    }

    /// ECN field of the packet's IP header.
    pub fn ecn(&self) -> Ecn {
        match &self.body {
            Body::Segment(segment) => segment.flags.ecn(),
            Body::QuicData(data) => data.ecn,
            Body::Datagram(datagram) => datagram.ecn,
            Body::External(external) => external.ecn,
            _ => Ecn::NOT_ECT,
        }
    }

    /// Lowers the window that the TCP header advertises to at most `limit`.
    pub(crate) fn limit_window(&mut self, limit: Bytes) {
        match &mut self.body {
            Body::Segment(segment) => segment.window = segment.window.min(limit.get()),
            Body::External(External { tcp: Some(tcp), .. }) => {
                tcp.limit = Some(tcp.limit.map_or(limit, |lower| lower.min(limit)));
            }
            _ => {}
        }
    }

    /// Size of the IP packet.
    pub fn size(&self) -> Bytes {
        match &self.body {
            Body::Segment(segment) => segment.size(),
            Body::QuicData(data) => data.size(),
            Body::QuicAck(ack) => ack.size(),
            Body::QuicHandshake(datagram) => datagram.size(),
            Body::TfrcData(data) => data.size(),
            Body::TfrcFeedback(feedback) => feedback.size(),
            Body::Datagram(datagram) => datagram.size(),
            Body::Report(report) => report.size(),
            Body::External(external) => external.size,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A queue takes the packets of a known connection of an external flow as one flow per direction, and all other
    /// packets of one end of the external flow as another.
    #[test]
    fn a_queue_knows_packets_from_outside_by_their_connections() {
        let packet = |connection, tcp| {
            let opaque = External::new(Bytes::new(52), Handle(0));
            let body = Body::External(External { connection, tcp, ..opaque });
            Packet::new(Time::ZERO, (FlowId(3), Side::Sender), AccessCategory::default(), body)
        };
        let of = |number, is_other| packet(Some(Connection { number, is_other }), None).flow();
        assert_eq!([of(7, false), of(7, true), of(8, false)], [14, 15, 16]);
        assert_eq!(packet(None, None).flow(), 6);
        let class = |tcp| packet(None, Some(tcp)).class();
        let ack = ExternalTcp { ack: 9, flags: TcpFlags::ACK, ..ExternalTcp::default() };
        assert_eq!(class(ack), Class::PureAck { number: 9, is_selective: false });
        let blocks = ExternalTcp { is_selective: true, ..ack };
        assert_eq!(class(blocks), Class::PureAck { number: 9, is_selective: true });
        for mark in [TcpFlags::ECE, TcpFlags::CWR, TcpFlags::AE] {
            let flags = TcpFlags::ACK.and(mark);
            let selective = Class::PureAck { number: 9, is_selective: true };
            assert_eq!(class(ExternalTcp { flags, ..ack }), selective);
        }
        assert_eq!(class(ExternalTcp { payload: 1, ..ack }), Class::Data);
        assert_eq!(class(ExternalTcp { flags: TcpFlags::SYN_ACK, ..ack }), Class::Data);
        assert_eq!(packet(None, None).class(), Class::Data);
    }

    /// A queue marks the packets of a program that are ECN-capable, and no others.
    ///
    /// Verifies: [RFC3168 §5]
    #[test]
    fn a_packet_from_outside_is_marked_if_it_is_capable() {
        let marked = |ecn| {
            let body = Body::External(External { ecn, ..External::new(Bytes::new(52), Handle(0)) });
            let end = (FlowId(3), Side::Sender);
            let mut packet = Packet::new(Time::ZERO, end, AccessCategory::default(), body);
            (packet.is_low_latency(), packet.mark(), packet.ecn())
        };
        assert_eq!(marked(Ecn::NOT_ECT), (false, false, Ecn::NOT_ECT));
        assert_eq!(marked(Ecn::ECT_0), (false, true, Ecn::CE));
        assert_eq!(marked(Ecn::ECT_1), (true, true, Ecn::CE));
        assert_eq!(marked(Ecn::CE), (true, true, Ecn::CE));
    }

    #[test]
    fn a_packet_from_outside_is_no_larger_than_a_segment() {
        assert!(size_of::<External>() <= size_of::<tcp::Segment>());
    }
}
