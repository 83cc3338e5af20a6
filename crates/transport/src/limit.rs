//! Limits of a sender: reasons for which it stops to send.

/// Reason for which a sender has nothing more to send, once `poll_transmit` has returned `None`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Limit {
    /// The connection is being opened.
    Handshake,
    /// All data of the application is sent.
    Application,
    /// The receiver's window is used up.
    ReceiveWindow,
    /// The congestion window is used up.
    CongestionWindow,
    /// The next packet is not due at the rate that the transport allows itself.
    Rate,
    /// The window or the rate that a control scheme has set is used up.
    Control,
    /// The transmit queue of its own host has refused a packet.
    HostQueue,
}

impl Limit {
    /// All of them, in their order.
    pub const ALL: [Self; 7] = [
        Self::Handshake,
        Self::Application,
        Self::ReceiveWindow,
        Self::CongestionWindow,
        Self::Rate,
        Self::Control,
        Self::HostQueue,
    ];

    /// True if a faster network would let the sender send more: windows and rate follow what the network carries.
    #[must_use]
    pub fn follows_network(self) -> bool {
        !matches!(self, Self::Handshake | Self::Application | Self::Control)
    }
}
