//! Settings of the two ends of a QUIC connection. The defaults are the RFCs' recommendations.

use airfair_units::{Bytes, Duration};

use super::packet;
use crate::control::config::ControlConfig;
use crate::control::{Flavour, SlowStart};
use crate::stream::Transfer;

/// Smallest datagram that each path of QUIC carries, and the size without discovery of the path's MTU.
/// [RFC9000 §14]
pub const LEAST_DATAGRAM: Bytes = Bytes::new(1_200);
/// Largest datagram in an IPv4 packet of 1500 octets.
pub const MOST_DATAGRAM: Bytes = Bytes::new(1_472);

/// Congestion control of a QUIC sender.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Controller {
    /// `NewReno` as QUIC's loss recovery has it.  [RFC9002 §7]
    #[default]
    NewReno,
    /// CUBIC.  [RFC9438]
    Cubic,
    /// BBR version 1.  [bbr-v1]
    Bbr1,
    /// BBR version 3.  [draft-bbr]
    Bbr,
}

impl Controller {
    /// Window law, which TCP has under the same name.
    pub(crate) fn flavour(self) -> Flavour {
        match self {
            Self::NewReno => Flavour::NewReno,
            Self::Cubic => Flavour::Cubic,
            Self::Bbr1 => Flavour::Bbr1,
            Self::Bbr => Flavour::Bbr,
        }
    }

    /// True if the control sets window and rate from a model of the path.
    pub fn has_model(self) -> bool {
        self.flavour().has_model()
    }
}

/// Settings of a QUIC [`Sender`](super::Sender).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SenderConfig {
    /// Congestion control.
    pub controller: Controller,
    /// Rule that ends slow start before there is a loss, for `NewReno` and CUBIC.
    pub slow_start: SlowStart,
    /// Send packets at a rate.  [RFC9002 §7.7]
    pub pacing: bool,
    /// Send packets as ECT(0), and answer marks as losses. The receiver needs no setting.  [RFC9000 §13.4]
    pub ecn: bool,
    /// Open with the handshake of TLS 1.3. Otherwise the connection exists from `open` on. Both ends must agree.
    /// [RFC9000 §7]
    pub handshake: bool,
    /// Payload of a full UDP datagram, `max_datagram_size`.
    pub datagram: Bytes,
    /// Initial congestion window, at least 1 [datagrams].  [RFC9002 §7.2]
    pub initial_window: u32,
    /// Amount of data that the application has to send.
    pub transfer: Transfer,
    /// Data that the receiver allows from the start, `initial_max_data`.
    pub initial_max_data: Bytes,
    /// Longest delay of an acknowledgment, of which the receiver has informed the sender, `max_ack_delay`.
    pub max_ack_delay: Duration,
}

impl Default for SenderConfig {
    fn default() -> Self {
        let receiver = ReceiverConfig::default();
        Self {
            controller: Controller::NewReno,
            slow_start: SlowStart::Standard,
            pacing: true,
            ecn: false,
            handshake: false,
            datagram: LEAST_DATAGRAM,
            initial_window: 10,
            transfer: Transfer::Endless,
            initial_max_data: receiver.window,
            max_ack_delay: receiver.max_ack_delay,
        }
    }
}

impl SenderConfig {
    /// Application octets of most full packets: those behind the first 16 kB of the stream and before the first GiB.
    pub fn payload(&self) -> Bytes {
        Bytes::new(self.datagram.get() - packet::USUAL_OVERHEAD)
    }

    /// True if the sender paces its packets.
    pub fn paces(&self) -> bool {
        self.pacing || self.controller.has_model()
    }

    /// Settings of the congestion window.
    pub(crate) fn control(&self) -> ControlConfig {
        let flavour = self.controller.flavour();
        ControlConfig {
            slow_start: self.slow_start,
            is_paced: self.pacing,
            ..ControlConfig::new(flavour, self.datagram, self.initial_window)
        }
    }
}

/// Settings of a QUIC [`Receiver`](super::Receiver).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReceiverConfig {
    /// Data that the sender may send ahead of what the application has read. The application reads at once.
    pub window: Bytes,
    /// Number of packets after which an acknowledgment is sent at once; 2 in the standard. It is one more than the
    /// ack-eliciting threshold of the extension.  [RFC9000 §13.2.2], [draft-ack-frequency §4]
    pub ack_every: u32,
    /// Longest delay of an acknowledgment, `max_ack_delay`.  [RFC9000 §18.2]
    pub max_ack_delay: Duration,
    /// Answer the handshake of the sender. Both ends must agree.
    pub handshake: bool,
    /// Length of the receiver's TLS messages in the handshake: its certificate, above all.  Deviates: [D-335]
    pub crypto: Bytes,
}

impl Default for ReceiverConfig {
    /// Settings of the standard, with the window of quiche's programs.  Deviates: [D-372]
    fn default() -> Self {
        Self {
            window: Bytes::new(10_000_000),
            ack_every: 2,
            max_ack_delay: Duration::from_millis(25),
            handshake: false,
            crypto: Bytes::new(3_000),
        }
    }
}
