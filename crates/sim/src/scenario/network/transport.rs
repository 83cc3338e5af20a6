//! Transports of flows.

use airfair_transport::{tcp, tfrc, udp};
use airfair_units::Bytes;

use super::super::kind::Words;

/// A transport protocol with its settings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Transport {
    /// TCP between two simulated hosts, or over sockets of the kernel.
    Tcp(Tcp),
    /// TFRC between two simulated hosts, or over sockets of the kernel.
    Tfrc(Tfrc),
    /// UDP at a given rate, or as fast as the sender's queue allows.
    Udp {
        /// Application octets per datagram.
        payload: Bytes,
        /// Rate at which the source sends.
        rate: udp::SendRate,
    },
    /// No simulated transport: the owner of the world injects all packets of the flow, both directions.
    External,
}

impl Transport {
    /// True if the flow's ends are sockets of this machine's kernel, which only an emulation has.
    pub fn is_kernels(&self) -> bool {
        match self {
            Self::Tcp(tcp) => tcp.is_kernels,
            Self::Tfrc(tfrc) => tfrc.is_kernels,
            Self::Udp { .. } | Self::External => false,
        }
    }
}

/// Settings of a TFRC flow.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tfrc {
    /// Implementation of TFRC that the flow follows.
    pub profile: tfrc::Profile,
    /// Application octets per packet, s.
    pub segment: Bytes,
    /// Packets that the application offers to TFRC over time.
    pub traffic: tfrc::Traffic,
    /// True if the flow's ends are sockets of this machine's kernel, which only an emulation has.
    pub is_kernels: bool,
}

impl Default for Tfrc {
    fn default() -> Self {
        let (profile, segment) = (tfrc::Profile::default(), Bytes::new(1_000));
        Self { profile, segment, traffic: tfrc::Traffic::Greedy, is_kernels: false }
    }
}

impl Tfrc {
    /// Word for the profile in the scenario file.
    pub fn profile_word(&self) -> &'static str {
        Words::word(self.profile)
    }
}

/// Settings of a TCP connection. The settings of its ends are consistent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tcp {
    /// Settings of the TCP sender.
    pub sender: tcp::SenderConfig,
    /// Settings of the TCP receiver.
    pub receiver: tcp::ReceiverConfig,
    /// True if the sender keeps segments that the queue of its own host refuses, and then reduces its window.
    /// [linux-cwr]
    pub keeps_refused: bool,
    /// True if the connection's ends are sockets of this machine's kernel, which only an emulation has.
    pub is_kernels: bool,
}

impl Default for Tcp {
    /// Settings of a TCP connection as the RFCs recommend, with a receive window that fits into the header without
    /// scaling.
    fn default() -> Self {
        let sender = tcp::SenderConfig { window_scaling: false, ..tcp::SenderConfig::default() };
        let receiver = tcp::ReceiverConfig {
            buffer: tcp::UNSCALED_WINDOW,
            window_scaling: false,
            ..tcp::ReceiverConfig::default()
        };
        Self { sender, receiver, keeps_refused: false, is_kernels: false }
    }
}

impl Tcp {
    /// Word for the flavour in the scenario file.
    pub fn flavour_word(&self) -> &'static str {
        Words::word(self.sender.flavour)
    }

    /// Makes the settings of the sender and of the receiver consistent.
    pub(crate) fn agree(&mut self) {
        let Self { sender, receiver, .. } = self;
        if sender.flavour.has_model() {
            sender.loss_recovery = tcp::LossRecovery::Rack;
        }
        sender.sack = Some(sender.uses_sack());
        sender.assumed_window = receiver.buffer;
        receiver.sack = sender.uses_sack();
        receiver.timestamps = sender.timestamps;
        receiver.window_scaling = sender.window_scaling;
        receiver.handshake = sender.handshake;
        receiver.tunes_window = sender.arithmetic == tcp::Arithmetic::Linux;
    }
}
