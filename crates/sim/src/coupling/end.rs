//! The end of a flow that is at a station: what it knows of its round trip, and how it is limited.

use airfair_laws::window_limit::{self, WindowLimit};
use airfair_transport::{tcp, tfrc};
use airfair_units::{Bytes, DataRate, Duration, Time};

use crate::endpoint::{Sink, Source};
use crate::packet::Side;
use crate::world::Flow;

/// An end that a law can limit.
pub(super) enum End<'f> {
    TcpSender(&'f mut tcp::Sender),
    TcpReceiver(&'f mut tcp::Receiver),
    TfrcSender(&'f mut tfrc::Sender),
    TfrcReceiver(&'f mut tfrc::Receiver),
}

impl<'f> End<'f> {
    /// `None` for UDP, which nobody limits.
    pub(super) fn of(flow: &'f mut Flow, side: Side) -> Option<Self> {
        Some(match (side, &mut flow.source, &mut flow.sink) {
            (Side::Sender, Source::Tcp(sender), _) => Self::TcpSender(sender),
            (Side::Sender, Source::Tfrc(sender), _) => Self::TfrcSender(sender),
            (Side::Receiver, _, Sink::Tcp(receiver)) => Self::TcpReceiver(receiver),
            (Side::Receiver, _, Sink::Tfrc(receiver)) => Self::TfrcReceiver(receiver),
            (Side::Sender, Source::Udp(_), _) | (Side::Receiver, _, Sink::Udp(_)) => return None,
        })
    }

    /// Whether each few packets are answered, and not each round trip.
    pub(super) fn is_tcp(&self) -> bool {
        matches!(self, Self::TcpSender(_) | Self::TcpReceiver(_))
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
            Self::TfrcSender(_) | Self::TfrcReceiver(_) => unreachable!("TFRC has no window"),
        }
    }

    /// What a window must not exceed; a sender's own has no end: [D-083].
    pub(super) fn buffer(&self) -> Bytes {
        match self {
            Self::TcpReceiver(receiver) => receiver.buffer(),
            _ => Bytes::new(u64::MAX),
        }
    }

    /// Limits TCP's window: beside cwnd at a sender, in the ACKs of a receiver.  [arf-window §III-C]
    pub(super) fn limit_window(&mut self, window: Bytes) {
        match self {
            Self::TcpSender(sender) => {
                sender.set_window_limit(WindowLimit::Octets(window));
            }
            Self::TcpReceiver(receiver) => receiver.set_window_limit(Some(window)),
            Self::TfrcSender(_) | Self::TfrcReceiver(_) => unreachable!("TFRC has no window"),
        }
    }

    /// Limits the rate: TFRC's own, or TCP's window to that rate times the round trip, where `largest` is a
    /// segment.  [occupancy-tfrc §III-D]  Deviates: [D-113]
    pub(super) fn limit_rate(
        &mut self,
        now: Time,
        rate: DataRate,
        round_trip: Duration,
        largest: Bytes,
    ) {
        match self {
            Self::TfrcSender(sender) => sender.set_rate_limit(now, Some(rate)),
            Self::TfrcReceiver(receiver) => receiver.set_rate_limit(Some(rate)),
            Self::TcpSender(_) | Self::TcpReceiver(_) => {
                self.limit_window(window_limit::for_rate(rate, round_trip, largest));
            }
        }
    }

    /// Lifts whatever limit there is.
    pub(super) fn lift_limit(&mut self, now: Time) {
        match self {
            Self::TcpSender(sender) => sender.set_window_limit(WindowLimit::None),
            Self::TcpReceiver(receiver) => receiver.set_window_limit(None),
            Self::TfrcSender(sender) => sender.set_rate_limit(now, None),
            Self::TfrcReceiver(receiver) => receiver.set_rate_limit(None),
        }
    }
}
