//! Reasons for which a sender stops sending.

/// The reason why a sender has nothing more to send, once `poll_transmit` has returned `None`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Limit {
    /// The connection is being opened, so no data may be sent yet.
    Handshake,
    /// The application has no more data to send.
    Application,
    /// The sender has filled the receiver's window.
    ReceiveWindow,
    /// The sender has filled the congestion window.
    CongestionWindow,
    /// The next packet is not due yet at the allowed sending rate.
    Rate,
    /// The sender has used up the window or the rate that a control scheme has set.
    Control,
    /// The transmit queue of the sender's own host refused a packet.
    HostQueue,
}

impl Limit {
    /// All reasons for which a sender stops, in the order of declaration.
    pub const ALL: [Self; 7] = [
        Self::Handshake,
        Self::Application,
        Self::ReceiveWindow,
        Self::CongestionWindow,
        Self::Rate,
        Self::Control,
        Self::HostQueue,
    ];

    /// True if the sender would send more over a faster network, because this window or rate adapts to the
    /// network.
    #[must_use]
    pub fn follows_network(self) -> bool {
        !matches!(self, Self::Handshake | Self::Application | Self::Control)
    }
}
