//! The end of a flow that is at an agent's node: what it knows of itself.

use airfair_laws::Direction;
use airfair_laws::receipts::LocalFlow;
use airfair_transport::{tcp, tfrc};
use airfair_units::{Bytes, Duration};

use crate::endpoint::{Outside, OutsideTcp, Sink, Source};
use crate::packet::{FlowId, Side};
use crate::world::Flow;

/// An end of a flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct LocalEnd {
    pub(crate) flow: FlowId,
    pub(crate) side: Side,
}

impl LocalEnd {
    /// A station's end of a flow: data goes up from a sender and down to a receiver.
    pub(super) fn of(local: &LocalFlow) -> Self {
        let side = match local.direction {
            Direction::Up => Side::Sender,
            Direction::Down => Side::Receiver,
        };
        Self { flow: FlowId(local.flow), side }
    }

    /// The flow as a law knows it.
    pub(super) fn local_flow(self, is_controlled: bool) -> LocalFlow {
        let direction = match self.side {
            Side::Sender => Direction::Up,
            Side::Receiver => Direction::Down,
        };
        LocalFlow::new(self.flow.0, direction, is_controlled)
    }
}

/// A transport that a law can limit.
pub(crate) enum End<'f> {
    TcpSender(&'f tcp::Sender),
    TcpReceiver(&'f tcp::Receiver),
    TfrcSender(&'f tfrc::Sender),
    TfrcReceiver(&'f tfrc::Receiver),
    /// A TCP outside, as far as its owner tells of it.
    OutsideTcp(&'f OutsideTcp),
    /// A TFRC outside, with its round trip.
    OutsideTfrc(Option<Duration>),
}

impl<'f> End<'f> {
    /// `None` for UDP, which nobody limits, and for what comes from outside and nobody tells of.
    pub(super) fn of(flow: &'f Flow, side: Side) -> Option<Self> {
        Some(match (side, &flow.source, &flow.sink) {
            (Side::Sender, Source::Tcp(sender), _) => Self::TcpSender(sender),
            (Side::Sender, Source::Tfrc(sender), _) => Self::TfrcSender(sender),
            (Side::Receiver, _, Sink::Tcp(receiver)) => Self::TcpReceiver(receiver),
            (Side::Receiver, _, Sink::Tfrc(receiver)) => Self::TfrcReceiver(receiver),
            (side, Source::External(gate), _) => match gate.outside(side)? {
                Outside::Tcp(tcp) => Self::OutsideTcp(tcp),
                Outside::Tfrc { round_trip } => Self::OutsideTfrc(*round_trip),
            },
            (Side::Sender, Source::Udp(_), _)
            | (Side::Receiver, _, Sink::Udp(_) | Sink::External) => {
                return None;
            }
        })
    }

    /// True where each few packets are answered, and not each round trip.
    pub(super) fn is_tcp(&self) -> bool {
        matches!(self, Self::TcpSender(_) | Self::TcpReceiver(_) | Self::OutsideTcp(_))
    }

    /// Congestion window of a TCP sender [segments].
    pub(super) fn cwnd(&self) -> Option<u32> {
        match self {
            Self::TcpSender(sender) => Some(sender.cwnd()),
            Self::OutsideTcp(tcp) => Some(tcp.cwnd),
            _ => None,
        }
    }

    /// Its round trip, once it knows one.
    pub(super) fn round_trip(&self) -> Option<Duration> {
        match self {
            Self::TcpSender(sender) => sender.smoothed_round_trip(),
            Self::TcpReceiver(receiver) => receiver.round_trip(),
            Self::TfrcSender(sender) => sender.smoothed_round_trip(),
            Self::TfrcReceiver(receiver) => receiver.round_trip(),
            Self::OutsideTcp(tcp) => tcp.smoothed_round_trip,
            Self::OutsideTfrc(round_trip) => *round_trip,
        }
    }

    /// TCP's least round trip, once it knows one.
    pub(super) fn least_round_trip(&self) -> Option<Duration> {
        match self {
            Self::TcpSender(sender) => sender.least_round_trip(),
            Self::TcpReceiver(receiver) => receiver.least_round_trip(),
            Self::TfrcSender(_) | Self::TfrcReceiver(_) | Self::OutsideTfrc(_) => None,
            Self::OutsideTcp(tcp) => tcp.least_round_trip,
        }
    }

    /// Buffer that a window must not exceed; a sender's own has no end: [D-083]. That of a TCP outside is in what it
    /// advertises, which is only ever lowered.
    pub(super) fn buffer(&self) -> Bytes {
        match self {
            Self::TcpReceiver(receiver) => receiver.buffer(),
            _ => Bytes::new(u64::MAX),
        }
    }
}
