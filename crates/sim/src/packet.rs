//! Packets between hosts: a transport's message with the way it takes.

pub use airfair_transport::tcp::Flags as TcpFlags;
use airfair_transport::{tcp, tfrc, udp};
use airfair_units::{Bytes, Time};
use airfair_wlan::edca::AccessCategory;
use airfair_wlan::{Class, Headers};

/// A flow of the scenario, by index.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FlowId(pub u16);

impl FlowId {
    /// The `index`-th flow.
    ///
    /// # Panics
    /// Beyond 65 535 flows.
    pub fn new(index: usize) -> Self {
        Self(u16::try_from(index).expect("at most 65 535 flows"))
    }

    /// Place in a table of all flows.
    pub fn index(self) -> usize {
        usize::from(self.0)
    }
}

/// One end of a flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Side {
    /// Sends the data.
    Sender,
    /// Receives it.
    Receiver,
}

/// Number by which the owner of a world finds the bytes of a packet. The world never reads them: it hands the number
/// back, once, when it has no more use for the packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Handle(pub u64);

/// A packet of an external flow, whose bytes are the owner's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct External {
    /// Size of the IP packet.
    pub size: Bytes,
    /// Its bytes.
    pub handle: Handle,
    /// Its connection outside, by which queues and schemes know it; `None`: all packets of its flow are alike.
    pub connection: Option<Connection>,
    /// Its TCP header, where it has one that the owner has read.
    pub tcp: Option<ExternalTcp>,
}

impl External {
    /// A packet of whose headers nothing is known.
    pub fn new(size: Bytes, handle: Handle) -> Self {
        Self { size, handle, connection: None, tcp: None }
    }
}

/// A connection outside, and the end of it that has sent a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Connection {
    /// Its number: no flow's of the scenario, and no other connection's.
    pub number: u16,
    /// True of the packets of one of its ends, whichever.
    pub is_other: bool,
}

/// A TCP header, as far as disciplines and schemes look at it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ExternalTcp {
    /// Acknowledgment number, unwrapped [octets].
    pub ack: u64,
    /// Application data [octets].
    pub payload: u32,
    /// Control bits.
    pub flags: TcpFlags,
    /// True if it has SACK blocks.
    pub is_selective: bool,
    /// The largest window that schemes let it say; `None`: what it says.
    pub limit: Option<Bytes>,
}

/// A packet under way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Packet {
    /// Its content; the payload itself is virtual.
    pub body: Body,
    /// Flow that it belongs to.
    pub flow: FlowId,
    /// End that sent it.
    pub origin: Side,
    /// Hop of its route that it takes now, from 0.
    pub hop: u16,
    /// Access category, where the air has any.
    pub category: AccessCategory,
    /// Time at which that end sent it.
    pub sent_at: Time,
}

/// Content of a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Body {
    /// A TCP segment.
    Segment(tcp::Segment),
    /// Data of a TFRC flow.
    TfrcData(tfrc::Data),
    /// A report of a TFRC receiver.
    TfrcFeedback(tfrc::Feedback),
    /// A UDP datagram.
    Datagram(udp::Datagram),
    /// Bytes from outside.
    External(External),
}

/// Number by which queues know the packets that an end of a flow sends, unless they are of a connection outside.
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

    /// A pure ACK has no data, opens nothing and ends nothing.
    fn class(&self) -> Class {
        match &self.body {
            Body::Segment(segment) if segment.is_pure_ack() => {
                Class::PureAck { number: segment.ack, is_selective: !segment.sack.is_empty() }
            }
            Body::External(External { tcp: Some(tcp), .. })
                if tcp.payload == 0 && tcp.flags == tcp::Flags::ACK =>
            {
                Class::PureAck { number: tcp.ack, is_selective: tcp.is_selective }
            }
            _ => Class::Data,
        }
    }

    fn category(&self) -> AccessCategory {
        self.category
    }
}

impl Packet {
    /// A packet that one end of a flow sends now.
    #[inline]
    pub fn new(
        now: Time,
        (flow, origin): (FlowId, Side),
        category: AccessCategory,
        body: Body,
    ) -> Self {
        Self { body, flow, origin, hop: 0, category, sent_at: now }
    }

    /// Number of its connection, control bits and application data of its TCP header, if it has one.
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

    /// Lets its TCP header say such a window at most.
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
            Body::TfrcData(data) => data.size(),
            Body::TfrcFeedback(feedback) => feedback.size(),
            Body::Datagram(datagram) => datagram.size(),
            Body::External(external) => external.size,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Packets of one flow from outside: those of a connection are one flow of a queue each way, and others another.
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
        assert_eq!(class(ExternalTcp { payload: 1, ..ack }), Class::Data);
        assert_eq!(class(ExternalTcp { flags: TcpFlags::SYN_ACK, ..ack }), Class::Data);
        assert_eq!(packet(None, None).class(), Class::Data);
    }

    #[test]
    fn a_packet_from_outside_is_no_larger_than_a_segment() {
        assert!(size_of::<External>() <= size_of::<tcp::Segment>());
    }
}
