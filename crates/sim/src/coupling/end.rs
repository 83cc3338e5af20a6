//! View of a flow's transport at the node of an agent.

use airfair_laws::Direction;
use airfair_laws::receipts::LocalFlow;
use airfair_transport::{tcp, tfrc};
use airfair_units::{Bytes, Duration};

use crate::endpoint::{Outside, OutsideTcp, Sink, Source};
use crate::packet::{FlowId, Side};

/// One end of a flow, at the node of an agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LocalEnd {
    /// Flow of the end.
    pub flow: FlowId,
    /// End of the flow: its sender or its receiver.
    pub side: Side,
}

impl LocalEnd {
    /// The end of a flow at a station: its sender if data goes up, and its receiver if data goes down.
    pub(super) fn of(local: &LocalFlow) -> Self {
        let side = match local.direction {
            Direction::Up => Side::Sender,
            Direction::Down => Side::Receiver,
        };
        Self { flow: FlowId(local.flow), side }
    }

    /// Description of this end's flow in the form that the laws use. `is_controlled` is true if the law limits the
    /// flow.
    pub(super) fn local_flow(self, is_controlled: bool) -> LocalFlow {
        let direction = match self.side {
            Side::Sender => Direction::Up,
            Side::Receiver => Direction::Down,
        };
        LocalFlow::new(self.flow.0, direction, is_controlled)
    }
}

/// Transport at one end of a flow, as far as a law can limit it.
#[derive(Clone, Copy, Debug)]
pub enum TransportEnd<'f> {
    /// Sender of a simulated TCP.
    TcpSender(&'f tcp::Sender),
    /// Receiver of a simulated TCP.
    TcpReceiver(&'f tcp::Receiver),
    /// Sender of a simulated TFRC.
    TfrcSender(&'f tfrc::Sender),
    /// Receiver of a simulated TFRC.
    TfrcReceiver(&'f tfrc::Receiver),
    /// TCP of a real program outside of the simulated network, with the state that the code that drives the simulation
    /// last reported.
    OutsideTcp(&'f OutsideTcp),
    /// TFRC of a real program outside of the simulated network, with the round-trip time that the code that drives the
    /// simulation last reported; `None` before the first estimate.
    OutsideTfrc(Option<Duration>),
}

impl<'f> TransportEnd<'f> {
    /// Transport at one end of the flow with this source and sink. `None` for UDP and QUIC, which no law limits, and for a
    /// program's transport whose state nobody reports.
    pub(super) fn of(source: &'f Source, sink: &'f Sink, side: Side) -> Option<Self> {
        Some(match (side, source, sink) {
            (Side::Sender, Source::Tcp(sender), _) => Self::TcpSender(sender),
            (Side::Sender, Source::Tfrc(sender), _) => Self::TfrcSender(sender),
            (Side::Receiver, _, Sink::Tcp(receiver)) => Self::TcpReceiver(receiver),
            (Side::Receiver, _, Sink::Tfrc(receiver)) => Self::TfrcReceiver(receiver),
            (side, Source::External(gate), _) => match gate.outside(side)? {
                Outside::Tcp(tcp) => Self::OutsideTcp(tcp),
                Outside::Tfrc { round_trip } => Self::OutsideTfrc(*round_trip),
            },
            (Side::Sender, Source::Quic(_) | Source::Udp(_), _)
            | (Side::Receiver, _, Sink::Quic(_) | Sink::Udp(_) | Sink::External) => {
                return None;
            }
        })
    }

    /// True for TCP, which acknowledges every few packets; TFRC sends feedback once per round trip.
    pub fn is_tcp(&self) -> bool {
        matches!(self, Self::TcpSender(_) | Self::TcpReceiver(_) | Self::OutsideTcp(_))
    }

    /// Congestion window of a TCP sender [segments].
    pub fn cwnd(&self) -> Option<u32> {
        match self {
            Self::TcpSender(sender) => Some(sender.cwnd()),
            Self::OutsideTcp(tcp) => Some(tcp.cwnd),
            _ => None,
        }
    }

    /// Smoothed round-trip time, once the transport has an estimate.
    pub fn round_trip(&self) -> Option<Duration> {
        match self {
            Self::TcpSender(sender) => sender.smoothed_round_trip(),
            Self::TcpReceiver(receiver) => receiver.round_trip(),
            Self::TfrcSender(sender) => sender.smoothed_round_trip(),
            Self::TfrcReceiver(receiver) => receiver.round_trip(),
            Self::OutsideTcp(tcp) => tcp.smoothed_round_trip,
            Self::OutsideTfrc(round_trip) => *round_trip,
        }
    }

    /// TCP's least round-trip time, once it has an estimate.
    pub fn least_round_trip(&self) -> Option<Duration> {
        match self {
            Self::TcpSender(sender) => sender.least_round_trip(),
            Self::TcpReceiver(receiver) => receiver.least_round_trip(),
            Self::TfrcSender(_) | Self::TfrcReceiver(_) | Self::OutsideTfrc(_) => None,
            Self::OutsideTcp(tcp) => tcp.least_round_trip,
        }
    }

    /// Upper bound of the transport's window: a receiver's buffer. A sender's own buffer counts as unlimited: [D-083].
    /// For a program's TCP the bound is unlimited too, because only the window that it advertises can be lowered.
    pub fn buffer(&self) -> Bytes {
        match self {
            Self::TcpReceiver(receiver) => receiver.buffer(),
            _ => Bytes::new(u64::MAX),
        }
    }
}
