//! Reasons why a sender sends no more than it does.

/// Reason why a sender that has just been polled to its end has nothing more to send now.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Limit {
    /// The connection is being opened.
    Handshake,
    /// The application has given it no more data, or all of it is sent.
    Application,
    /// The receiver's window is full.
    ReceiveWindow,
    /// The congestion window is full.
    CongestionWindow,
    /// The next packet is not due at the rate that the transport allows itself.
    Rate,
    /// The window or the rate that a control scheme has set leaves no room.
    Control,
    /// The transmit queue of its own host was full.
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

    /// True where more speed of the network would let the sender send more: its windows and its rate follow what the
    /// network carries.
    #[must_use]
    pub fn follows_network(self) -> bool {
        !matches!(self, Self::Handshake | Self::Application | Self::Control)
    }
}
