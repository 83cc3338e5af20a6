//! The end of a flow that is at an agent's node: what it knows of itself.

use airfair_laws::Direction;
use airfair_laws::receipts::LocalFlow;
use airfair_transport::{tcp, tfrc};
use airfair_units::{Bytes, Duration};

use crate::endpoint::{Sink, Source};
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
}

impl<'f> End<'f> {
    /// `None` for UDP and what comes from outside, which nobody limits.
    pub(super) fn of(flow: &'f Flow, side: Side) -> Option<Self> {
        Some(match (side, &flow.source, &flow.sink) {
            (Side::Sender, Source::Tcp(sender), _) => Self::TcpSender(sender),
            (Side::Sender, Source::Tfrc(sender), _) => Self::TfrcSender(sender),
            (Side::Receiver, _, Sink::Tcp(receiver)) => Self::TcpReceiver(receiver),
            (Side::Receiver, _, Sink::Tfrc(receiver)) => Self::TfrcReceiver(receiver),
            (Side::Sender, Source::Udp(_) | Source::External(_), _)
            | (Side::Receiver, _, Sink::Udp(_) | Sink::External) => return None,
        })
    }

    /// True where each few packets are answered, and not each round trip.
    pub(super) fn is_tcp(&self) -> bool {
        matches!(self, Self::TcpSender(_) | Self::TcpReceiver(_))
    }

    /// Congestion window of a TCP sender [segments].
    pub(super) fn cwnd(&self) -> Option<u32> {
        match self {
            Self::TcpSender(sender) => Some(sender.cwnd()),
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
        }
    }

    /// TCP's least round trip, once it knows one.
    pub(super) fn least_round_trip(&self) -> Option<Duration> {
        match self {
            Self::TcpSender(sender) => sender.least_round_trip(),
            Self::TcpReceiver(receiver) => receiver.least_round_trip(),
            Self::TfrcSender(_) | Self::TfrcReceiver(_) => None,
        }
    }

    /// Buffer that a window must not exceed; a sender's own has no end: [D-083].
    pub(super) fn buffer(&self) -> Bytes {
        match self {
            Self::TcpReceiver(receiver) => receiver.buffer(),
            _ => Bytes::new(u64::MAX),
        }
    }
}
