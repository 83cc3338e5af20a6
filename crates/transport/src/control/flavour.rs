//! The flavours of TCP.

/// TCP variant of a sender: its window law and loss recovery. The receiver is the same for all flavours.
///
/// By default a flavour uses selective acknowledgments as the agents of the papers do: ns-2's `Reno`,
/// `Newreno` and `Vegas` and the authors' `Westwood` count duplicate ACKs; CUBIC and Westwood+ are Linux's,
/// which has SACK on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Flavour {
    /// Reno, whose fast recovery ends with the first new ACK, so that several losses in a window mostly end
    /// in a time-out. [RFC5681 §3.2]
    Reno,
    /// NewReno, whose fast recovery repairs one loss per round trip.  [RFC6582]
    #[default]
    NewReno,
    /// NewReno's window law with a SACK scoreboard, which repairs several losses per round trip.  [RFC6675]
    Sack,
    /// Westwood, which estimates the bandwidth at every ACK and sets the window after a loss from
    /// it.  [westwood-2001]
    Westwood,
    /// Westwood+, which estimates the bandwidth once per round trip and sets the window after a loss from
    /// it.  [linux-westwood]
    WestwoodPlus,
    /// Vegas, which estimates the queue from round-trip times, and keeps it short by the
    /// window.  [brakmo-1995]
    Vegas,
    /// CUBIC, whose window is a cubic function of the time since the last loss.  [RFC9438]
    Cubic,
    /// BBR version 1, which models the path by its bandwidth and its smallest round trip. [bbr-v1]
    Bbr1,
    /// BBR version 3, which also limits the data in flight by losses. [draft-bbr]
    Bbr,
    /// DCTCP, which reduces its window in proportion to the share of octets that were marked.  [RFC8257]
    Dctcp,
    /// Prague, a flavour like DCTCP for L4S, with less dependence on the round trip, and pacing.  [draft-prague §2]
    Prague,
}

impl Flavour {
    /// All flavours, in the order of declaration.
    pub const ALL: [Self; 11] = [
        Self::Reno,
        Self::NewReno,
        Self::Sack,
        Self::Westwood,
        Self::WestwoodPlus,
        Self::Vegas,
        Self::Cubic,
        Self::Bbr1,
        Self::Bbr,
        Self::Dctcp,
        Self::Prague,
    ];

    /// True if the flavour ignores [`Arithmetic`](super::Arithmetic) and always uses its own.
    pub const fn has_own_arithmetic(self) -> bool {
        matches!(self, Self::Westwood | Self::WestwoodPlus | Self::Vegas)
    }

    /// True if the flavour sets window and rate from a model of the path. It needs RACK, delivery rates and pacing.
    pub const fn has_model(self) -> bool {
        matches!(self, Self::Bbr1 | Self::Bbr)
    }

    /// True if the flavour answers marks in proportion to their share. It always takes part in explicit congestion
    /// notification, and needs a receiver that echoes each mark exactly.
    pub const fn is_scalable(self) -> bool {
        matches!(self, Self::Dctcp | Self::Prague)
    }

    /// True if the flavour uses selective acknowledgments by default.
    pub const fn is_selective(self) -> bool {
        self.has_model()
            || self.is_scalable()
            || matches!(self, Self::Sack | Self::WestwoodPlus | Self::Cubic)
    }
}
